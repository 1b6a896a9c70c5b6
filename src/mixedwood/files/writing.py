"""Files out: as a whole or not at all."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mixedwood.files.reading import FileError

__all__ = ["table_bytes", "write_bytes", "write_text"]


def write_text(path: Path, text: str) -> None:
    """Write a file as a whole or not at all."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file as a whole or not at all."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)  # what a plain new file would have
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def table_bytes(columns: Mapping[str, Sequence[Any]], suffix: str) -> bytes:
    """Turn columns into CSV or, for the suffix ``.parquet``, Parquet.

    Parameters
    ----------
    columns : mapping of str to sequence
        Text, booleans and numbers; None is an empty cell.
    suffix : str
        Of the file that is to be.
    """
    if suffix == ".parquet":
        return _parquet(columns)
    out = io.StringIO(newline="")
    separator = "\t" if suffix == ".tsv" else ","
    writer = csv.writer(out, lineterminator="\n", delimiter=separator)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue().encode("utf-8", "surrogatepass")


def _parquet(columns: Mapping[str, Sequence[Any]]) -> bytes:
    out = io.BytesIO()
    if find_spec("pyarrow") is not None:
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.table(dict(columns)), out)
    elif find_spec("polars") is not None:
        import polars

        polars.DataFrame(dict(columns)).write_parquet(out)
    else:
        raise FileError(
            "Parquet files are written with pyarrow or polars; neither is installed. Install one "
            "(pip install pyarrow), or write CSV."
        )
    return out.getvalue()
