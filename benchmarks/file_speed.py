"""Time and memory of reading a CSV file: our reader, pandas, and pyarrow and duckdb as text.

python benchmarks/file_speed.py [--rows 200000] [--repeat 5]

The table has 10 columns of 50 to 500 categories, 5 numeric columns of about 8,000 distinct numbers,
5 in which nearly all numbers differ, and 1 % empty cells. Every reading is a process of its own.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

DUCKDB = "SELECT * FROM read_csv('{}', all_varchar=true, delim=',', header=true)"


def write_table(path: Path, rows: int) -> None:
    """Write the table."""
    rng = np.random.default_rng(0)
    columns = {}
    for j in range(1, 11):
        columns[f"c{j}"] = np.array([f"v{i:03d}" for i in range(50 * j)])[
            rng.integers(0, 50 * j, rows)
        ]
    for j in range(1, 11):
        columns[f"x{j}"] = rng.normal(size=rows).round(3 if j < 6 else 12).astype(str)
    for cells in columns.values():
        cells[rng.random(rows) < 0.01] = ""
    columns["y"] = np.array(["a", "b", "c"])[rng.integers(0, 3, rows)]
    lines = map(",".join, zip(*columns.values(), strict=True))
    path.write_text("\n".join([",".join(columns), *lines]) + "\n", "utf-8")


def read_ours(path: Path) -> None:
    """Read typed columns, as `mixedwood fit` does."""
    from mixedwood.data.file_tables import read_file

    read_file(path, "y")


def read_pyarrow(path: Path) -> None:
    """Read all cells as text by pyarrow."""
    import pyarrow as pa
    from pyarrow import csv

    with path.open(encoding="utf-8") as lines:
        names = next(lines).strip().split(",")
    types = dict.fromkeys(names, pa.string())
    csv.read_csv(path, convert_options=csv.ConvertOptions(column_types=types))


def read_duckdb(path: Path) -> None:
    """Read all cells as text by duckdb, into an Arrow table."""
    import duckdb

    duckdb.sql(DUCKDB.format(path)).to_arrow_table()


def read_pandas(path: Path) -> None:
    """Read columns with the types that pandas infers."""
    import pandas as pd

    pd.read_csv(path)


READERS = {
    "mixedwood": read_ours,
    "pandas": read_pandas,
    "pyarrow": read_pyarrow,
    "duckdb": read_duckdb,
}


def measure(name: str, path: Path) -> None:
    """Print time and memory of one reading; the time includes the import of the reader."""
    import resource

    start, cpu = time.perf_counter(), time.process_time()
    READERS[name](path)
    took = time.perf_counter() - start, time.process_time() - cpu
    print(json.dumps([*took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))


def main() -> None:
    """Print one line per reader."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--one", nargs=2, metavar=("READER", "FILE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        measure(arguments.one[0], Path(arguments.one[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        # In a process of its own: the peak of a process counts for its children as well.
        writer = multiprocessing.get_context("spawn").Process(
            target=write_table, args=(path, arguments.rows)
        )
        writer.start()
        writer.join()
        print(f"{arguments.rows} x 21, {path.stat().st_size / 1e6:.0f} MB; median of processes")
        print(f"{'reader':>10} {'seconds':>8} {'CPU':>6} {'MB at peak':>11}")
        for name in READERS:
            runs = []
            for _ in range(arguments.repeat):
                command = [sys.executable, __file__, "--one", name, str(path)]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                runs.append(json.loads(done.stdout))
            seconds, cpu, peak = (median(column) for column in zip(*runs, strict=True))
            print(f"{name:>10} {seconds:>8.2f} {cpu:>6.2f} {peak:>11.0f}", flush=True)


if __name__ == "__main__":
    main()
