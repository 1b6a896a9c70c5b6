"""Databases that run exported SQL on rows given as lists by column."""

import atexit
import os
import shutil
import sqlite3
import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

import mixedwood as mw


def type_of(values, text, number):
    return text if any(isinstance(v, str) for v in values) else number


def plain(value):
    return None if value != value else value


def rows_of(X):
    n = len(next(iter(X.values())))
    return [(i, *(values[i] for values in X.values())) for i in range(n)]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def columns_of(X, text, number):
    types = [f"{quoted(name)} {type_of(values, text, number)}" for name, values in X.items()]
    return ", ".join(["row_id INTEGER", *types])


def split_result(found):
    """Predictions and values, in the order of the rows."""
    found = sorted(found)
    labels = [row[1] for row in found]
    values = [list(row[2:]) if len(row) > 2 else [row[1]] for row in found]
    return labels, values


def run_duckdb(model, X, **options):
    duckdb = pytest.importorskip("duckdb")
    import pyarrow as pa

    columns = {"row_id": list(range(len(next(iter(X.values())))))}
    # NaN stays NaN here: it is no NULL.
    data = pa.table(columns | {k: pa.array(v, from_pandas=False) for k, v in X.items()})
    with duckdb.connect() as db:
        db.register("data", data)
        query = mw.export(model, to="sql", keep=["row_id"], **options)
        return split_result(db.sql(query).fetchall())


def run_sqlite(model, X):
    db = sqlite3.connect(":memory:")
    db.execute(f"CREATE TABLE data ({columns_of(X, 'TEXT', 'REAL')})")
    db.executemany(f"INSERT INTO data VALUES ({', '.join('?' * (len(X) + 1))})", rows_of(X))
    query = mw.export(model, to="sql", dialect="sqlite", keep=["row_id"])
    found = split_result(db.execute(query).fetchall())
    db.close()
    return found


@cache
def server():
    """A server of this process on a socket in a folder of its own, or why there is none."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    initdb = next((p / "initdb" for p in places if (p / "initdb").exists()), None)
    if initdb is None:
        return None, "no PostgreSQL server is installed"
    folder = Path(mkdtemp(prefix="mixedwood-pg-"))
    as_user = {}
    if os.geteuid() == 0:  # the server refuses to run as root
        import pwd

        try:
            nobody = pwd.getpwnam("postgres")
        except KeyError:
            return None, "PostgreSQL does not run as root, and there is no user postgres"
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        as_user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    place = folder / "data"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, **as_user}
    command = [initdb, "-D", place, "-A", "trust", "-U", "mixedwood", "-E", "UTF8", "--no-sync"]
    try:
        subprocess.run([*command, "--locale=C.UTF-8"], check=True, timeout=250, **quiet)
    except (subprocess.SubprocessError, OSError) as error:
        return None, f"PostgreSQL is installed, but makes no cluster here: {error}"
    options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
    pg_ctl = initdb.with_name("pg_ctl")
    atexit.register(stop_server)  # also when a test run is interrupted
    start = [pg_ctl, "-D", place, "-w", "-o", options, "-l", folder / "log", "start"]
    try:
        subprocess.run(start, check=True, timeout=250, **quiet)
    except (subprocess.SubprocessError, OSError) as error:
        return None, f"PostgreSQL is installed, but does not start here: {error}"
    return (folder, pg_ctl, quiet), ""


def stop_server():
    if server.cache_info().currsize and server()[0] and server()[0][0].exists():
        folder, pg_ctl, quiet = server()[0]
        subprocess.run([pg_ctl, "-D", folder / "data", "-m", "immediate", "stop"], **quiet)
        shutil.rmtree(folder, ignore_errors=True)


def run_postgresql(model, X):
    psycopg = pytest.importorskip("psycopg")
    found, why = server()
    if found is None:
        pytest.skip(why)
    query = mw.export(model, to="sql", dialect="postgresql", keep=["row_id"])
    with psycopg.connect(host=str(found[0]), user="mixedwood", dbname="postgres") as db:
        types = columns_of(X, "TEXT", "DOUBLE PRECISION")
        db.execute(f"CREATE TEMPORARY TABLE data ({types})")
        with db.cursor().copy("COPY data FROM STDIN") as copy:
            for row in rows_of(X):
                copy.write_row(row)
        with psycopg.ClientCursor(db) as cursor:  # as text, without parameters
            return split_result(cursor.execute(query).fetchall())
