"""A table as the growers see it: one plain array per column, and the schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mixedwood.data.labels import Label
from mixedwood.data.schema import Column, ColumnKind, Schema

__all__ = [
    "MISSING",
    "UNKNOWN",
    "CodeArray",
    "NumberArray",
    "Table",
    "identifier_columns",
    "unknown_counts",
]

MISSING = -1
"""Code of a missing value of a nominal or ordinal column."""

UNKNOWN = -2
"""Code of a value that the schema does not know; only in tables read with an existing schema."""

CodeArray: TypeAlias = NDArray[np.int32]
NumberArray: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Typed columns of equal length.

    A nominal or ordinal column is an int32 array of codes into ``schema[name].categories``, with
    `MISSING` and `UNKNOWN` below zero; a numeric one is a float64 array with NaN for missing.
    All are contiguous. They may be borrowed from the caller's frame, and then read-only: never
    write to them.

    Parameters
    ----------
    schema : Schema
        What the columns are.
    arrays : tuple of ndarray
        One per column, in the schema's order.
    unknown : mapping of str to tuple, optional
        For columns with `UNKNOWN` codes, a few of the labels that the schema does not list.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> table = read_table({"colour": ["red", "blue", None], "age": [31.0, 5.0, 8.0]})
    >>> table["colour"]
    array([ 1,  0, -1], dtype=int32)
    >>> table.labels("colour")
    array(['red', 'blue', None], dtype=object)
    >>> table.take([1]).n_rows
    1
    """

    schema: Schema
    arrays: tuple[CodeArray | NumberArray, ...]
    unknown: Mapping[str, tuple[Label, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "arrays", tuple(self.arrays))
        if len(self.arrays) != len(self.schema):
            raise ValueError(
                f"A schema of {len(self.schema)} columns came with {len(self.arrays)} arrays."
            )
        for column, array in zip(self.schema, self.arrays, strict=True):
            _check_array(column, array, self.n_rows)

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)
        self.__post_init__()  # whatever a serializer made of it: the core trusts these arrays

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.arrays[0]) if self.arrays else 0

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.arrays)

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, name: str) -> CodeArray | NumberArray:
        return self.arrays[self.schema.position(name)]

    def take(self, rows: Any) -> Table:
        """Choose rows, by position or by a boolean mask, into a new table."""
        chosen = row_index(rows)
        arrays = tuple(np.ascontiguousarray(array[chosen]) for array in self.arrays)
        return Table(self.schema, arrays, self.unknown)

    def labels(self, name: str) -> NDArray[Any]:
        """Give a column's values back in their own labels.

        Missing values are None (NaN in a numeric column). A value the schema does not know is
        None as well: what it was is not kept.
        """
        column, array = self.schema[name], self[name]
        if column.is_numeric:
            return array.copy()
        labels = np.empty(column.n_categories + 1, dtype=object)
        labels[:-1] = column.categories
        return labels[np.maximum(array, MISSING)]  # -1 reads the None at the end

    def __repr__(self) -> str:
        rows = "1 row" if self.n_rows == 1 else f"{self.n_rows} rows"
        return f"Table of {rows} and {self.schema.describe()}"


def row_index(rows: Any) -> NDArray[Any]:
    """Make an array of positions, or a mask, that numpy takes as an index."""
    chosen = np.asarray(rows)
    if chosen.size == 0 and chosen.dtype != np.bool_:
        chosen = chosen.astype(np.intp)  # an empty list is an array of floats to numpy
    return chosen


def unknown_counts(table: Table) -> dict[str, int]:
    """Count, for each column that has any, the rows whose value the schema does not know.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> schema = read_table({"colour": ["red", "blue"]}).schema
    >>> unknown_counts(read_table({"colour": ["red", "mauve", "pink"]}, schema=schema))
    {'colour': 2}
    """
    counts = {}
    for column, array in zip(table.schema, table.arrays, strict=True):
        if not column.is_numeric and (n := int(np.count_nonzero(array == UNKNOWN))):
            counts[column.name] = n
    return counts


def _check_array(column: Column, array: Any, n_rows: int) -> None:
    # The native core trusts shape, type and range of codes; this is where they are made sure of.
    dtype = np.float64 if column.is_numeric else np.int32
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape != (n_rows,):
        came = getattr(array, "dtype", type(array).__name__), getattr(array, "shape", None)
        raise ValueError(
            f"Column {column.name!r} needs an array of {np.dtype(dtype)} and shape ({n_rows},), "
            f"not {came[0]} and shape {came[1]}."
        )
    if not array.flags.c_contiguous:
        raise ValueError(f"The array of column {column.name!r} is not contiguous.")
    if n_rows and not column.is_numeric:
        low, high = int(array.min()), int(array.max())
        if low < UNKNOWN or high >= column.n_categories:
            raise ValueError(
                f"Column {column.name!r} has {column.n_categories} values, but codes from {low} to "
                f"{high}."
            )


# A column identifies rows if it has this many distinct values per row that has one, in tables of at
# least so many rows: in smaller ones it happens by chance.
_DISTINCT = 0.9
_FEWEST_ROWS = 30


def identifier_columns(table: Table) -> list[str]:
    """Name the nominal columns in which nearly every row has a category of its own.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> table = read_table({"id": [f"row {i}" for i in range(50)], "wet": ["yes", "no"] * 25})
    >>> identifier_columns(table)
    ['id']
    """
    found = []
    for column, codes in zip(table.schema, table.arrays, strict=True):
        if column.kind != ColumnKind.NOMINAL or len(column.categories) < _DISTINCT * _FEWEST_ROWS:
            continue
        known = codes[codes >= 0]
        if len(known) < _FEWEST_ROWS or len(column.categories) < _DISTINCT * len(known):
            continue
        if np.count_nonzero(np.bincount(known)) >= _DISTINCT * len(known):
            found.append(column.name)
    return found
