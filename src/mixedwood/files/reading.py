"""The columns of a file as they are: text of a CSV, series of a Parquet file."""

from __future__ import annotations

import csv
import gzip
import io
import re
import sys
from collections.abc import Collection
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mixedwood.data.pandas_index import METADATA_KEY, index_columns

__all__ = ["MISSING_MARKS", "FileError", "Source", "read_columns"]

MISSING_MARKS = frozenset({"", "?", "NA", "N/A", "NaN", "nan", "NULL", "null", "None"})

_DELIMITERS = ",;\t|"
_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"


class FileError(ValueError):
    """A file does not hold what was asked of it; the message says what and where."""


class Source:
    """A file, or the standard input for the path ``-``; its text in messages is its name."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.is_input = str(path) == "-"

    def __str__(self) -> str:
        return "The standard input" if self.is_input else str(self.path)

    def content(self) -> bytes:
        """Read it as a whole."""
        try:
            return sys.stdin.buffer.read() if self.is_input else self.path.read_bytes()
        except OSError as error:
            reason = error.strerror or str(error)
            raise FileError(f"{self} cannot be read: {reason}.") from error


def read_columns(path: Path, asked: Collection[str] = ()) -> dict[str, Any]:
    """Read a CSV or Parquet file, or the standard input for ``-``.

    Parameters
    ----------
    path : Path
        What begins as Parquet does is read as such, anything else as CSV, unpacked if it is
        gzipped. The separator is the most frequent of ``,;|`` and the tabulator in the header.
    asked : collection of str
        Names that are columns even if pandas has written them to a Parquet file as the index of its
        frame, which is left out otherwise.

    Returns
    -------
    dict of str to list or series
        Text with None for what is missing, of a CSV file; native series of a Parquet file.
    """
    source = Source(path)
    content = source.content()
    if path.suffix == ".parquet" or content.startswith(_PARQUET):
        return _read_parquet(source, content, asked)
    return _read_csv(source, content)


def _read_csv(source: Source, content: bytes) -> dict[str, list[str | None]]:
    try:
        packed = source.path.suffix == ".gz" or content.startswith(_GZIP)
        plain = gzip.decompress(content) if packed else content
        text = plain.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(
            f"{source} is not UTF-8 text (byte {error.start}). Save it as UTF-8, or convert it "
            "with iconv -f latin1 -t utf-8."
        ) from error
    except (OSError, EOFError) as error:
        raise FileError(f"{source} cannot be read: {error}.") from error
    head = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=head.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    names: list[str] = []
    cells: list[list[str | None]] = []
    try:
        for row in rows:
            if not row:
                continue  # an empty line
            if not names:
                names = _header(source, row)
                cells = [[] for _ in names]
                continue
            if len(row) != len(names):
                raise FileError(
                    f"{source}, line {rows.line_num}: {len(row)} fields, but the header has "
                    f"{len(names)}. Put quotes around cells that hold {delimiter!r}."
                )
            for column, cell in zip(cells, row, strict=True):
                stripped = cell.strip()
                column.append(None if stripped in MISSING_MARKS else stripped)
    except csv.Error as error:
        raise FileError(f"{source}, line {rows.line_num}: {error}.") from error
    if not names:
        raise FileError(f"{source} is empty: it has no header.")
    if not cells[0]:
        raise FileError(f"{source} has no rows below its header.")
    return dict(zip(names, cells, strict=True))


def _header(source: Source, row: list[str]) -> list[str]:
    names = [name.strip() for name in row]
    twice = [name for name in names if names.count(name) > 1]
    if twice or "" in names:
        what = f"two columns are called {twice[0]!r}" if twice else "a column has no name"
        raise FileError(f"{source}: {what}. The first line must name every column once.")
    return names


def _read_parquet(source: Source, content: bytes, asked: Collection[str]) -> dict[str, Any]:
    import narwhals as nw

    readers = {"pyarrow": _by_pyarrow, "polars": _by_polars, "pandas": _by_pandas}
    for package, read in readers.items():
        if find_spec(package) is None:
            continue
        try:
            native, index = read(content)
            frame = nw.from_native(native, eager_only=True)
        except Exception as error:
            raise FileError(f"{source} cannot be read as Parquet: {error}.") from error
        if not len(frame):
            raise FileError(f"{source} has no rows.")
        left_out = index - set(asked)
        return {name: frame[name].to_native() for name in frame.columns if name not in left_out}
    raise FileError(
        f"{source}: Parquet files need pyarrow, polars or pandas; none is installed. Install one "
        "(pip install pyarrow), or save the table as CSV."
    )


def _by_pyarrow(content: bytes) -> tuple[Any, frozenset[str]]:
    table = import_module("pyarrow.parquet").read_table(io.BytesIO(content))
    metadata = table.schema.metadata or {}
    return table, index_columns(metadata.get(METADATA_KEY.encode()))


def _by_polars(content: bytes) -> tuple[Any, frozenset[str]]:
    polars = import_module("polars")
    frame = polars.read_parquet(io.BytesIO(content))
    if hasattr(polars, "read_parquet_metadata"):
        metadata = polars.read_parquet_metadata(io.BytesIO(content))
        return frame, index_columns(metadata.get(METADATA_KEY))
    # Older versions do not show metadata; this is how pandas calls an index without a name.
    unnamed = re.compile(r"__index_level_\d+__")
    return frame, frozenset(filter(unnamed.fullmatch, frame.columns))


def _by_pandas(content: bytes) -> tuple[Any, frozenset[str]]:
    frame = import_module("pandas").read_parquet(io.BytesIO(content))
    named = [name for name in frame.index.names if name is not None]
    for name in named:
        frame[name] = frame.index.get_level_values(name)
    return frame, frozenset(named)
