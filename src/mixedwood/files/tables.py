"""Columns of files with their types: inferred, given, or as a model has learned them."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Column, Schema
from mixedwood.files.reading import FileError, Source, read_columns

__all__ = ["FileTable", "NewRows", "parse_each", "read_file", "read_file_as"]

# A number as people write it; leading zeros make it a label, such as a postal code.
_NUMBER = re.compile(r"[+-]?(0|[1-9]\d*|(?=\.\d))(\.\d*)?([eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True, eq=False)
class FileTable:
    """The columns of a file without the class, and the class of each row."""

    X: dict[str, Any]
    y: NDArray[Any]


@dataclass(frozen=True, eq=False)
class NewRows:
    """Rows for a model that is there.

    Attributes
    ----------
    X : dict
        The columns that the model asks for.
    kept : dict
        Columns to carry along, as they are in the file.
    truth : list or None
        What the column of classes says, if the file has it; None where a cell is missing.
    ignored : list of str
        Columns that nobody asked for.
    n_rows : int
        Number of rows.
    """

    X: dict[str, Any]
    kept: dict[str, list[Any]]
    truth: list[Any] | None
    ignored: list[str]
    n_rows: int = field(default=0)


def read_file(
    path: Path,
    target: str,
    *,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    numeric: Sequence[str] = (),
) -> FileTable:
    """Read a CSV or Parquet file, apart from columns to drop.

    Parameters
    ----------
    path : Path
        A file; ``-`` is the standard input. See `read_columns`. The index that pandas stores in a
        Parquet file is no column, unless another argument names it.
    target : str
        Name of the column of classes.
    drop : sequence of str
        Columns to leave out.
    categorical : sequence of str
        Columns whose numbers are labels.
    numeric : sequence of str
        Columns whose cells must be numbers.

    Returns
    -------
    FileTable
        Columns by name, and classes as text; whole numbers and booleans of Parquet stay such.
    """
    source = Source(path)
    columns = read_columns(path, asked={target, *drop, *categorical, *numeric})
    for name in [target, *drop, *categorical, *numeric]:
        if name not in columns:
            raise FileError(_no_column(source, name, list(columns)))
    if target in [*drop, *categorical, *numeric]:
        raise FileError(f"{target!r} is the class; it cannot be dropped or typed as a column.")
    both = [name for name in categorical if name in numeric]
    if both:
        raise FileError(f"{both[0]!r} is listed as both categorical and numeric.")
    y = _classes(source, target, columns.pop(target))
    for name in drop:
        columns.pop(name, None)
    if not columns:
        raise FileError(f"{source} has no column besides the class {target!r}.")
    typed = {
        name: _numbers(source, name, cells)
        if name in numeric
        else _typed(cells, name in categorical)
        for name, cells in columns.items()
    }
    return FileTable(typed, y)


def read_file_as(
    path: Path, schema: Schema, *, target: str | None = None, keep: Sequence[str] = ()
) -> NewRows:
    """Read rows for a model, with the types that it has learned.

    A CSV file is text: a column that was nominal stays nominal, and one that was numeric must hold
    numbers.

    Parameters
    ----------
    path : Path
        A file, as for `read_file`.
    schema : Schema
        What the columns are.
    target : str or None
        The column of classes, which may be there.
    keep : sequence of str
        Columns to carry along.

    Returns
    -------
    NewRows
        What the model needs, and what else was asked for.
    """
    source = Source(path)
    columns = read_columns(path, asked={*schema.names, *keep, *([target] if target else [])})
    lost = [name for name in schema.names if name not in columns]
    if lost and schema.names_generated:
        # The model was made of rows without names: columns go by their place.
        names = [name for name in columns if name != target]
        if len(names) != len(schema):
            raise FileError(
                f"The model takes {len(schema)} columns without names; {source} has {len(names)}."
            )
        columns = {**columns, **dict(zip(schema.names, [columns[n] for n in names], strict=True))}
    elif lost:
        raise FileError(_lost_columns(source, lost, [n for n in columns if n != target]))
    for name in keep:
        if name not in columns:
            raise FileError(_no_column(source, name, list(columns)))
    X = {
        column.name: _numbers(source, column.name, columns[column.name])
        if column.is_numeric
        else _labels(column, columns[column.name])
        for column in schema
    }
    asked = {target, *keep, *schema.names}
    n_rows = len(next(iter(columns.values())))
    return NewRows(
        X,
        {name: _cells(columns[name]) for name in keep},
        _cells(columns[target]) if target in columns and target not in schema else None,
        [] if schema.names_generated else [name for name in columns if name not in asked],
        n_rows,
    )


def parse_each(cells: Sequence[Any], parse: Callable[[Any], float]) -> NDArray[np.float64]:
    """Parse numbers; cells of real tables repeat a lot, so each text is parsed once."""
    parsed = {text: parse(text) for text in dict.fromkeys(cells)}
    return np.fromiter(map(parsed.__getitem__, cells), dtype=np.float64, count=len(cells))


def _typed(cells: Any, nominal: bool) -> Any:
    if not isinstance(cells, list):  # a Parquet column knows its type
        return (
            np.array([None if c is None else str(c) for c in cells], object) if nominal else cells
        )
    distinct = [cell for cell in dict.fromkeys(cells) if cell is not None]
    if not nominal and distinct and all(map(_is_number, distinct)):
        return parse_each(cells, _number)
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    return column


def _labels(column: Column, cells: Any) -> Any:
    """Labels as text; those that were booleans in training are found in any spelling of case."""
    if not isinstance(cells, list):
        return cells
    flags = {str(label).lower(): label for label in column.categories if isinstance(label, bool)}
    if flags:
        cells = [cell if cell is None else flags.get(cell.lower(), cell) for cell in cells]
    return _typed(cells, nominal=True)


def _numbers(source: Source, name: str, cells: Any) -> Any:
    if not isinstance(cells, list):
        return cells  # what is not a number there is refused with its row when it is used
    strange = next((c for c in dict.fromkeys(cells) if c is not None and not _is_plain(c)), None)
    if strange is not None:
        raise FileError(
            f"{source}: {name!r} is a column of numbers, but row {cells.index(strange) + 1} below "
            f"the header has {strange!r}. Correct the cell, or leave it empty if it is not known."
        )
    return parse_each(cells, _number)


def _number(cell: str | None) -> float:
    return math.nan if cell is None else float(cell)


def _is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None and math.isfinite(float(cell))


def _is_plain(cell: str) -> bool:
    """Whether a cell of a column that is known to be numeric is a number; zeros may lead it."""
    return _is_number(re.sub(r"^([+-]?)0+(?=\d)", r"\1", cell))


def _cells(cells: Any) -> list[Any]:
    import narwhals as nw

    if isinstance(cells, list):
        return cells
    values: Iterable[Any] = nw.from_native(cells, series_only=True).to_list()
    return [None if value != value else value for value in values]


def _classes(source: Source, target: str, cells: Any) -> NDArray[Any]:
    labels = _cells(cells)
    if isinstance(cells, list):
        amounts = all(c is None or _is_number(c) for c in labels) and any(
            c is not None and float(c) != math.floor(float(c)) for c in labels
        )
    else:
        amounts = any(isinstance(c, float) and c != math.floor(c) for c in labels if c)
    missing = [i for i, label in enumerate(labels) if label is None]
    if missing:
        raise FileError(
            f"{source}: {len(missing)} of {len(labels)} rows have no class in {target!r}, the "
            f"first in row {missing[0] + 1} below the header. Fill them in or take these rows out."
        )
    if amounts:
        raise FileError(
            f"{source}: the column {target!r} holds numbers with fractions: a quantity, not "
            "classes. Choose another --target, or bin it into classes first."
        )
    return np.array(labels)


def _no_column(source: Source, name: str, names: list[str]) -> str:
    shown = ", ".join(repr(known) for known in names[:10]) + (", ..." if names[10:] else "")
    return f"{source} has no column {name!r}.{_meant(name, names)} It has {len(names)}: {shown}."


def _lost_columns(source: Source, lost: list[str], names: list[str]) -> str:
    if len(lost) == 1:
        return f"{_no_column(source, lost[0], names)} The model needs it."
    shown = ", ".join(map(repr, lost[:10])) + (", ..." if lost[10:] else "")
    return (
        f"{source} has no columns {shown}, which the model needs.{_meant(lost[0], names)} "
        "Are these rows of the same kind, with a header?"
    )


def _meant(name: str, names: list[str]) -> str:
    lower = {known.lower(): known for known in names}
    close = difflib.get_close_matches(name.lower(), lower, n=3)
    return f" Did you mean {' or '.join(repr(lower[c]) for c in close)}?" if close else ""
