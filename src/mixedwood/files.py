"""Tables in files: CSV and Parquet in, with types inferred; text out.

A CSV file is read as text. A column whose cells are all plain numbers is numeric, any other is
nominal: `007` and `1_000` are labels, not numbers. Which cells are missing is a short written list.
"""

from __future__ import annotations

import contextlib
import csv
import difflib
import gzip
import io
import math
import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["MISSING_MARKS", "FileError", "FileTable", "read_file", "write_bytes", "write_text"]

MISSING_MARKS = frozenset({"", "?", "NA", "N/A", "NaN", "nan", "NULL", "null", "None"})

# A number as people write it; leading zeros make it a label, such as a postal code.
_NUMBER = re.compile(r"[+-]?(0|[1-9]\d*|(?=\.\d))(\.\d*)?([eE][+-]?\d+)?", re.ASCII)
_DELIMITERS = ",;\t|"


class FileError(ValueError):
    """A file does not hold what was asked of it; the message says what and where."""


@dataclass(frozen=True, eq=False)
class FileTable:
    """The columns of a file without the class, and the class of each row."""

    X: dict[str, Any]
    y: NDArray[Any]


def read_file(
    path: Path, target: str, *, drop: Sequence[str] = (), nominal: Sequence[str] = ()
) -> FileTable:
    """Read a CSV or Parquet file, apart from columns to drop.

    Parameters
    ----------
    path : Path
        A file that ends in .csv, .tsv, .txt, one of these and .gz, or .parquet.
    target : str
        Name of the column of classes.
    drop : sequence of str
        Columns to leave out.
    nominal : sequence of str
        Columns whose numbers are labels.

    Returns
    -------
    FileTable
        Columns by name, and classes as text; whole numbers and booleans of Parquet stay such.
    """
    columns = _read_parquet(path) if path.suffix == ".parquet" else _read_csv(path)
    for name in [target, *drop, *nominal]:
        if name not in columns:
            raise FileError(_no_column(path, name, list(columns)))
    if target in drop or target in nominal:
        raise FileError(f"{target!r} is the class; it cannot be dropped or typed as a column.")
    y = _classes(path, target, columns.pop(target))
    for name in drop:
        columns.pop(name, None)
    if not columns:
        raise FileError(f"{path} has no column besides the class {target!r}.")
    return FileTable({name: _typed(cells, name in nominal) for name, cells in columns.items()}, y)


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


def _read_csv(path: Path) -> dict[str, list[str | None]]:
    try:
        packed = path.read_bytes()
        text = (gzip.decompress(packed) if path.suffix == ".gz" else packed).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path} is not UTF-8 text (byte {error.start}). Save it as UTF-8, or convert it with "
            "iconv -f latin1 -t utf-8."
        ) from error
    except (OSError, EOFError) as error:
        raise FileError(f"{path} cannot be read: {error}.") from error
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
                names = _header(path, row)
                cells = [[] for _ in names]
                continue
            if len(row) != len(names):
                raise FileError(
                    f"{path}, line {rows.line_num}: {len(row)} fields, but the header has "
                    f"{len(names)}. Put quotes around cells that hold {delimiter!r}."
                )
            for column, cell in zip(cells, row, strict=True):
                stripped = cell.strip()
                column.append(None if stripped in MISSING_MARKS else stripped)
    except csv.Error as error:
        raise FileError(f"{path}, line {rows.line_num}: {error}.") from error
    if not names or not cells[0]:
        raise FileError(f"{path} has {'no rows below its header' if names else 'no header'}.")
    return dict(zip(names, cells, strict=True))


def _header(path: Path, row: list[str]) -> list[str]:
    names = [name.strip() for name in row]
    twice = [name for name in names if names.count(name) > 1]
    if twice or "" in names:
        what = f"two columns are called {twice[0]!r}" if twice else "a column has no name"
        raise FileError(f"{path}: {what}. The first line must name every column once.")
    return names


def _read_parquet(path: Path) -> dict[str, Any]:
    import narwhals as nw

    readers = {"pyarrow": "pyarrow.parquet", "polars": "polars", "pandas": "pandas"}
    for package, module in readers.items():
        if find_spec(package) is None:
            continue
        library = import_module(module)
        try:
            read = library.read_table if package == "pyarrow" else library.read_parquet
            frame = nw.from_native(read(path), eager_only=True)
        except Exception as error:
            raise FileError(f"{path} cannot be read as Parquet: {error}.") from error
        if not len(frame):
            raise FileError(f"{path} has no rows.")
        return {name: frame[name].to_native() for name in frame.columns}
    raise FileError(
        f"{path}: Parquet files need pyarrow, polars or pandas; none is installed. Install one "
        "(pip install pyarrow), or save the table as CSV."
    )


def _typed(cells: Any, nominal: bool) -> Any:
    if not isinstance(cells, list):  # a Parquet column knows its type
        return (
            np.array([None if c is None else str(c) for c in cells], object) if nominal else cells
        )
    known = [cell for cell in cells if cell is not None]
    numeric = not nominal and known and all(_is_number(cell) for cell in dict.fromkeys(known))
    if numeric:
        return np.array([math.nan if cell is None else float(cell) for cell in cells])
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    return column


def _is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None and math.isfinite(float(cell))


def _classes(path: Path, target: str, cells: Any) -> NDArray[Any]:
    import narwhals as nw

    if isinstance(cells, list):
        labels = cells
        amounts = all(c is None or _is_number(c) for c in cells) and any(
            c is not None and float(c) != math.floor(float(c)) for c in cells
        )
    else:
        labels = nw.from_native(cells, series_only=True).to_list()
        amounts = any(isinstance(c, float) and c != math.floor(c) for c in labels if c == c and c)
    missing = [i for i, label in enumerate(labels) if label is None or label != label]
    if missing:
        raise FileError(
            f"{path}: {len(missing)} of {len(labels)} rows have no class in {target!r}, the first "
            f"in row {missing[0] + 1} below the header. Fill them in or take these rows out."
        )
    if amounts:
        raise FileError(
            f"{path}: the column {target!r} holds numbers with fractions, which are amounts and no "
            "classes. Choose another --target, or cut it into classes first."
        )
    return np.array(labels)


def _no_column(path: Path, name: str, names: list[str]) -> str:
    lower = {known.lower(): known for known in names}
    close = difflib.get_close_matches(name.lower(), lower, n=3)
    hint = f" Is {' or '.join(repr(lower[c]) for c in close)} meant?" if close else ""
    shown = ", ".join(repr(known) for known in names[:10]) + (", ..." if names[10:] else "")
    return f"{path} has no column {name!r}.{hint} It has {len(names)}: {shown}."
