"""Tables as the library sees them: what each column is, and its codes or numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mixedwood.data.errors import few

__all__ = [
    "MISSING",
    "OTHER",
    "UNKNOWN",
    "CodeArray",
    "Column",
    "ColumnKind",
    "Label",
    "NumberArray",
    "Schema",
    "Table",
    "check_has_rows",
    "describe_unknown",
    "identifier_columns",
    "row_index",
    "sort_labels",
    "unknown_counts",
]

Label: TypeAlias = str | bool | int | float
MISSING = -1
"""Code of a missing value of a nominal or ordinal column."""

UNKNOWN = -2
"""Code of an unknown category; only in tables that were read with an existing schema."""

OTHER = "other combinations"
"""Category of the combinations of a crossed column that are too rare for one of their own."""

NUMBERS = 2
"""What the native readers are to make of a numeric column; see `mixedwood.data.batches`."""

CodeArray: TypeAlias = NDArray[np.int32]
NumberArray: TypeAlias = NDArray[np.float64]


def sort_labels(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Order distinct labels: numbers by size, then text by code point.

    Examples
    --------
    >>> sort_labels({"b", 10, "a", 2.5, "10"})
    (2.5, 10, '10', 'a', 'b')
    """
    numbers: list[bool | int | float] = []
    texts: list[str] = []
    for label in labels:
        if isinstance(label, str):
            texts.append(label)
        else:
            numbers.append(label)
    return (*sorted(numbers), *sorted(texts))


class ColumnKind(StrEnum):
    """What the values of a column are."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    NUMERIC = "numeric"


@dataclass(frozen=True)
class Column:
    """Name, kind and categories of one column.

    Parameters
    ----------
    name : str
        Name of the column.
    kind : ColumnKind or str
        ``"nominal"``, ``"ordinal"`` or ``"numeric"``.
    categories : tuple of str, bool, int or float
        The labels, in the order of their codes: sorted for a nominal column (numbers by size, then
        text by code point), in their own order for an ordinal one, empty for a numeric one.
    n_missing : int or None, default=None
        Number of missing values in training, if known. It does not count when columns are
        compared.
    sources : tuple of str, default=()
        The columns that a crossed column combines; empty for an input.
    combinations : tuple of tuple of tuple of int, default=()
        For each category of a crossed column, the combinations of codes of the sources that it
        stands for: one, or several if rare ones are pooled.

    Examples
    --------
    >>> column = Column("size", "ordinal", ("S", "M", "L"))
    >>> column.n_categories, column.codes["M"]
    (3, 1)
    """

    name: str
    kind: ColumnKind
    categories: tuple[Label, ...] = ()
    n_missing: int | None = field(default=None, compare=False)
    sources: tuple[str, ...] = ()
    combinations: tuple[tuple[tuple[int, ...], ...], ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        # Columns also come from model files, so everything is checked.
        if not isinstance(self.name, str):
            raise TypeError(f"The name of a column is a str, not {self.name!r}.")
        object.__setattr__(self, "kind", ColumnKind(self.kind))
        object.__setattr__(self, "categories", tuple(self.categories))
        counted = type(self.n_missing) is int and self.n_missing >= 0
        if self.n_missing is not None and not counted:
            raise ValueError(
                f"Column {self.name!r} has n_missing={self.n_missing!r}; use a count or None."
            )
        if self.kind == ColumnKind.NUMERIC and self.categories:
            raise ValueError(f"Numeric column {self.name!r} has categories; it must have none.")
        for label in self.categories:
            if type(label) not in (str, bool, int, float):
                raise TypeError(
                    f"Column {self.name!r} has the category {label!r}; use text or numbers."
                )
            if type(label) is float and not math.isfinite(label):
                raise ValueError(
                    f"Column {self.name!r} has the category {label!r}; it must be finite."
                )
        if len(set(self.categories)) < len(self.categories):
            twice = [label for label, n in Counter(self.categories).items() if n > 1]
            raise ValueError(f"Column {self.name!r} lists a category twice: {few(twice)}.")
        if self.kind == ColumnKind.NOMINAL and self.categories != sort_labels(self.categories):
            raise ValueError(f"The categories of nominal column {self.name!r} are not sorted.")
        if self.sources or self.combinations:
            self._check_sources()

    def _check_sources(self) -> None:
        object.__setattr__(self, "sources", tuple(self.sources))
        groups = tuple(tuple(map(tuple, group)) for group in self.combinations)
        object.__setattr__(self, "combinations", groups)
        n = len(self.sources)
        distinct = len(set(self.sources)) == n >= 2
        if not distinct or not all(type(source) is str for source in self.sources):
            raise ValueError(f"Crossed column {self.name!r} needs two or more distinct sources.")
        if self.kind != ColumnKind.NOMINAL:
            raise ValueError(f"Crossed column {self.name!r} is {self.kind}; it must be nominal.")
        listed = [combination for group in groups for combination in group]
        if (
            len(groups) != len(self.categories)
            or not all(groups)
            or len(set(listed)) < len(listed)
            or not all(len(c) == n and all(type(i) is int and i >= 0 for i in c) for c in listed)
        ):
            raise ValueError(
                f"Crossed column {self.name!r} needs combinations of {n} codes for each category, "
                "all of them distinct."
            )

    @classmethod
    def checked(cls, name: str, categories: tuple[Label, ...] | None, n_missing: int) -> Column:
        """Make a numeric column, or a nominal one of sorted labels, of values checked before."""
        column = object.__new__(cls)
        kind = ColumnKind.NUMERIC if categories is None else ColumnKind.NOMINAL
        column.__dict__.update(
            name=name, kind=kind, categories=categories or (), n_missing=n_missing
        )
        return column

    def without_sources(self) -> Column:
        """Give the column as an input, for a table that may not have its sources."""
        return replace(self, sources=(), combinations=()) if self.sources else self

    @property
    def is_numeric(self) -> bool:
        """Whether the column has numbers rather than codes of categories."""
        return self.kind == ColumnKind.NUMERIC

    @property
    def n_categories(self) -> int:
        """Number of categories of a nominal or ordinal column; 0 for a numeric one."""
        return len(self.categories)

    def is_combination(self, code: int) -> bool:
        """Whether a category is spelled with the names of the sources of a crossed column."""
        return bool(self.sources) and self.categories[code] != OTHER

    @cached_property
    def codes(self) -> Mapping[Label, int]:
        """Code of each label, built on first use."""
        return {label: code for code, label in enumerate(self.categories)}

    @cached_property
    def wanted(self) -> Any:
        """What the native readers are to make of new values: numbers, or codes of categories."""
        if self.is_numeric:
            return NUMBERS
        texts = [isinstance(label, str) for label in self.categories]
        return self.codes, any(texts), not all(texts)

    def __getstate__(self) -> dict[str, Any]:
        # Text, numbers and tuples only, since skops does not support enumerations; the mapping of
        # codes is built again on use.
        state: dict[str, Any] = {
            "name": self.name,
            "kind": str(self.kind),
            "categories": self.categories,
            "n_missing": self.n_missing,
        }
        if self.sources:
            state |= {"sources": self.sources, "combinations": self.combinations}
        return state

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)
        self.__post_init__()

    def describe(self) -> str:
        """Describe the column in one line.

        Examples
        --------
        >>> Column("size", "ordinal", ("S", "M", "L"), n_missing=2).describe()
        "ordinal, 3 categories in order: 'S' < 'M' < 'L'; 2 missing"
        """
        text = str(self.kind)
        if not self.is_numeric:
            noun = "category" if self.n_categories == 1 else "categories"
            text += f", {self.n_categories} {noun}"
            shown = few(self.categories)
            if self.kind == ColumnKind.ORDINAL:
                text += f" in order: {' < '.join(few([label]) for label in self.categories[:5])}"
                text += " < ..." if self.n_categories > 5 else ""
            elif shown:
                text += f": {shown}"
        if self.n_missing is not None:
            text += f"; {self.n_missing or 'none'} missing"
        return f"crossed, {text}" if self.sources else text


_SOURCES = attrgetter("sources")  # quicker than a loop over thousands of columns


@dataclass(frozen=True, repr=False)
class Schema:
    """The columns of a table, in order, found by name.

    Parameters
    ----------
    columns : tuple of Column
        The columns; their names are distinct. Crossed columns come last, after their sources.
    names_generated : bool, default=False
        Whether the data had no names, so that they were generated (``x0``, ``x1``, ...) and new
        data is matched by position.

    Examples
    --------
    >>> schema = Schema((Column("color", "nominal", ("blue", "red")), Column("age", "numeric")))
    >>> schema.names
    ('color', 'age')
    >>> schema["color"].n_categories
    2
    >>> Schema.from_dict(schema.to_dict()) == schema
    True
    """

    columns: tuple[Column, ...]
    names_generated: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        if len(self._positions) < len(self.columns):
            twice = [name for name, n in Counter(self.names).items() if n > 1]
            raise ValueError(f"Column names must be distinct; these are not: {few(twice)}.")
        if any(map(_SOURCES, self.columns)):
            self._check_derived()

    def _check_derived(self) -> None:
        if any(column.sources for column in self.columns[: len(self.inputs)]):
            raise ValueError("Crossed columns must come after all other columns.")
        for column in self.derived:
            lost = [name for name in column.sources if name not in self.inputs]
            if lost:
                raise ValueError(f"No column {few(lost)}, a source of {column.name!r}.")
            sizes = [self[name].n_categories for name in column.sources]  # 0 of a numeric column
            for combination in (c for group in column.combinations for c in group):
                if any(code >= size for code, size in zip(combination, sizes, strict=True)):
                    raise ValueError(
                        f"Crossed column {column.name!r} has a combination of categories that its "
                        "sources do not have."
                    )

    @cached_property
    def derived(self) -> tuple[Column, ...]:
        """The crossed columns, which are computed from the inputs when rows are read."""
        return tuple(column for column in self.columns if column.sources)

    @cached_property
    def inputs(self) -> Schema:
        """The schema of the columns that data must have: all but the crossed ones."""
        if not self.derived:
            return self
        columns = tuple(column for column in self.columns if not column.sources)
        return Schema(columns, self.names_generated)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {column.name: i for i, column in enumerate(self.columns)}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def wanted(self) -> list[Any]:
        """What the native readers are to make of each column of new rows."""
        return [column.wanted for column in self.columns]

    def position(self, name: str) -> int:
        """Place of a column, counted from 0."""
        try:
            return self._positions[name]
        except KeyError:
            raise KeyError(f"No column {name!r}; there are: {few(self.names, 10)}.") from None

    def __getitem__(self, name: str) -> Column:
        return self.columns[self.position(name)]

    def __contains__(self, name: object) -> bool:
        return name in self._positions

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __getstate__(self) -> dict[str, Any]:
        return {"columns": self.columns, "names_generated": self.names_generated}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        for name in ("columns", "names_generated"):
            object.__setattr__(self, name, state[name])
        self.__post_init__()

    def describe(self) -> str:
        """Describe every column in one line.

        Examples
        --------
        >>> columns = Column("size", "ordinal", ("S", "L")), Column("w", "numeric")
        >>> print(Schema(columns).describe())
        2 columns
          size  ordinal, 2 categories in order: 'S' < 'L'
          w     numeric
        Ordinal columns are split in this order.
        """
        noun = "column" if len(self) == 1 else "columns"
        lines = [f"{len(self)} {noun}" + (", named by position" if self.names_generated else "")]
        width = min(max((len(name) for name in self.names), default=0), 30)
        lines += [f"  {column.name:<{width}}  {column.describe()}" for column in self.columns]
        if any(column.kind == ColumnKind.ORDINAL for column in self.columns):
            lines.append("Ordinal columns are split in this order.")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"Schema of {self.describe()}"

    def to_dict(self) -> dict[str, Any]:
        """Turn into plain lists, text and numbers, ready for JSON."""
        return {
            "names_generated": self.names_generated,
            "columns": [
                {
                    "name": column.name,
                    "kind": str(column.kind),
                    "categories": list(column.categories),
                    "n_missing": column.n_missing,
                }
                | _crossing_to_dict(column)
                for column in self.columns
            ],
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Schema:
        """Read what `to_dict` wrote; anything malformed is a ValueError or TypeError."""
        try:
            columns = tuple(
                Column(
                    entry["name"],
                    entry["kind"],
                    tuple(entry["categories"]),
                    entry["n_missing"],
                    tuple(entry.get("sources", ())),
                    tuple(entry.get("combinations", ())),
                )
                for entry in content["columns"]
            )
            return cls(columns, bool(content["names_generated"]))
        except KeyError as error:
            raise ValueError(f"Not a schema: the entry {error} is not there.") from None


def _crossing_to_dict(column: Column) -> dict[str, Any]:
    if not column.sources:
        return {}
    groups = [[list(combination) for combination in group] for group in column.combinations]
    return {"sources": list(column.sources), "combinations": groups}


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
    >>> table = read_table({"color": ["red", "blue", None], "age": [31.0, 5.0, 8.0]})
    >>> table["color"]
    array([ 1,  0, -1], dtype=int32)
    >>> table.labels("color")
    array(['red', 'blue', None], dtype=object)
    >>> table.take([1]).n_rows
    1
    """

    schema: Schema
    arrays: tuple[CodeArray | NumberArray, ...]
    unknown: Mapping[str, tuple[Label, ...]] = field(default_factory=dict)

    _unknown_columns: ClassVar[tuple[str, ...]]  # of each table; no others have `UNKNOWN` codes

    def __post_init__(self) -> None:
        object.__setattr__(self, "arrays", tuple(self.arrays))
        if len(self.arrays) != len(self.schema):
            raise ValueError(
                f"The schema has {len(self.schema)} columns, but {len(self.arrays)} arrays are "
                "given."
            )
        found = tuple(
            column.name
            for column, array in zip(self.schema, self.arrays, strict=True)
            if _check_array(column, array, self.n_rows)
        )
        object.__setattr__(self, "_unknown_columns", found)

    @classmethod
    def checked(
        cls,
        schema: Schema,
        arrays: tuple[CodeArray | NumberArray, ...],
        unknown: Mapping[str, tuple[Label, ...]] | None = None,
    ) -> Table:
        """Make a table of arrays that are known to fit; `unknown` names all columns with any."""
        table = object.__new__(cls)
        unknown = unknown or {}
        table.__dict__.update(
            schema=schema, arrays=arrays, unknown=unknown, _unknown_columns=tuple(unknown)
        )
        return table

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)
        self.__post_init__()  # the core relies on these arrays

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
        if chosen.ndim != 1:
            return Table(self.schema, arrays, self.unknown)
        table = Table.checked(self.schema, arrays, self.unknown)
        table.__dict__["_unknown_columns"] = self._unknown_columns
        return table

    def labels(self, name: str) -> NDArray[Any]:
        """Give the labels of a column, row by row.

        Missing values are None (NaN in a numeric column). Unknown categories are
        None as well.
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
    """Count the rows with unknown categories, for each column that has any.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> schema = read_table({"color": ["red", "blue"]}).schema
    >>> unknown_counts(read_table({"color": ["red", "mauve", "pink"]}, schema=schema))
    {'color': 2}
    """
    counts = {
        name: int(np.count_nonzero(table[name] == UNKNOWN)) for name in table._unknown_columns
    }
    return {name: n for name, n in counts.items() if n}


def describe_unknown(table: Table, columns: Collection[str] | None = None) -> str:
    """List the unknown categories of some columns, or of all, for a message; "" if there are none.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> schema = read_table({"color": ["red", "blue"]}).schema
    >>> describe_unknown(read_table({"color": ["red", "mauve", "pink"]}, schema=schema))
    "column 'color' (2 rows): 'mauve', 'pink'"
    """
    return "; ".join(
        f"column {name!r} ({n} row{'s' * (n > 1)}): " + ", ".join(map(repr, table.unknown[name]))
        for name, n in unknown_counts(table).items()
        if columns is None or name in columns
    )


def check_has_rows(table: Table, owner: str) -> None:
    """Raise an error, in the words that scikit-learn's checks expect, if a table has no rows."""
    if table.n_rows == 0:
        raise ValueError(
            f"X has no rows: found array with 0 sample(s) (shape=(0, {table.n_columns})) while a "
            f"minimum of 1 is required by {owner}."
        )


def _check_array(column: Column, array: Any, n_rows: int) -> bool:
    """Check what the native core relies on: shape, type and range; also find unknown codes."""
    dtype = np.float64 if column.is_numeric else np.int32
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape != (n_rows,):
        given = getattr(array, "dtype", type(array).__name__), getattr(array, "shape", None)
        raise ValueError(
            f"Column {column.name!r} needs an array of {np.dtype(dtype)} and shape ({n_rows},), "
            f"not {given[0]} and shape {given[1]}."
        )
    if not array.flags.c_contiguous:
        raise ValueError(f"The array of column {column.name!r} is not contiguous.")
    if n_rows and not column.is_numeric:
        low, high = int(array.min()), int(array.max())
        if low < UNKNOWN or high >= column.n_categories:
            raise ValueError(
                f"Column {column.name!r} has {column.n_categories} categories, but codes from "
                f"{low} to {high}."
            )
        return low == UNKNOWN
    return False


# A column identifies rows if it has this many distinct values per known value, in tables of at
# least this many rows: in smaller ones it happens by chance.
_DISTINCT = 0.9
_MIN_ROWS = 30


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
        if column.kind != ColumnKind.NOMINAL or len(column.categories) < _DISTINCT * _MIN_ROWS:
            continue
        known = codes[codes >= 0]
        if len(known) < _MIN_ROWS or len(column.categories) < _DISTINCT * len(known):
            continue
        if np.count_nonzero(np.bincount(known)) >= _DISTINCT * len(known):
            found.append(column.name)
    return found
