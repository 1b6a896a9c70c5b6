"""What the columns of a table are: names, kinds, and the values of categories."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

from mixedwood.data.errors import few
from mixedwood.data.labels import Label, sort_labels

__all__ = ["Column", "ColumnKind", "Schema"]


class ColumnKind(StrEnum):
    """How the values of a column relate to each other."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    NUMERIC = "numeric"


@dataclass(frozen=True)
class Column:
    """Name, kind and values of one column.

    Parameters
    ----------
    name : str
        Name of the column.
    kind : ColumnKind or str
        ``"nominal"``, ``"ordinal"`` or ``"numeric"``.
    categories : tuple of str, bool, int or float
        Labels, in the order of their codes: sorted for a nominal column (numbers by size, then
        text by code point), in their own order for an ordinal one, none for a numeric one.
    n_missing : int or None, default=None
        How many rows had no value where the column was learned, if known. Two columns that
        differ in nothing else are equal.

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

    def __post_init__(self) -> None:
        # Columns also come from model files, so nothing is taken for granted here.
        if not isinstance(self.name, str):
            raise TypeError(f"The name of a column is a str, not {self.name!r}.")
        object.__setattr__(self, "kind", ColumnKind(self.kind))
        object.__setattr__(self, "categories", tuple(self.categories))
        counted = type(self.n_missing) is int and self.n_missing >= 0
        if self.n_missing is not None and not counted:
            raise ValueError(
                f"Column {self.name!r} has {self.n_missing!r} missing values; use a count or None."
            )
        if self.kind == ColumnKind.NUMERIC and self.categories:
            raise ValueError(f"Numeric column {self.name!r} has a list of values; it takes none.")
        for label in self.categories:
            if type(label) not in (str, bool, int, float):
                raise TypeError(f"Column {self.name!r} has a value {label!r}; use text or numbers.")
            if type(label) is float and not math.isfinite(label):
                raise ValueError(f"Column {self.name!r} has a value {label!r}; it must be finite.")
        if len(set(self.categories)) < len(self.categories):
            twice = [label for label, n in Counter(self.categories).items() if n > 1]
            raise ValueError(f"Column {self.name!r} lists a value twice: {few(twice)}.")
        if self.kind == ColumnKind.NOMINAL and self.categories != sort_labels(self.categories):
            raise ValueError(f"The values of nominal column {self.name!r} are not sorted.")

    @property
    def is_numeric(self) -> bool:
        """Whether the column holds numbers rather than codes of values."""
        return self.kind == ColumnKind.NUMERIC

    @property
    def n_categories(self) -> int:
        """Number of distinct values of a nominal or ordinal column; 0 for a numeric one."""
        return len(self.categories)

    @cached_property
    def codes(self) -> Mapping[Label, int]:
        """Code of each label, built on first use."""
        return {label: code for code, label in enumerate(self.categories)}

    def __getstate__(self) -> dict[str, Any]:
        # Text, numbers and tuples only, so that whoever rebuilds a column from its state (skops
        # knows no enumerations) gets the same one; the mapping of codes is built again on use.
        return {
            "name": self.name,
            "kind": str(self.kind),
            "categories": self.categories,
            "n_missing": self.n_missing,
        }

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        for name in ("name", "kind", "categories", "n_missing"):
            object.__setattr__(self, name, state[name])
        self.__post_init__()

    def describe(self) -> str:
        """Say in one line what the column holds.

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
        return text


@dataclass(frozen=True, repr=False)
class Schema:
    """The columns of a table, in order, found by name.

    Parameters
    ----------
    columns : tuple of Column
        The columns; their names are distinct.
    names_generated : bool, default=False
        Whether the data came without names, so that they were made up (``x0``, ``x1``, ...) and
        later data is matched by position.

    Examples
    --------
    >>> schema = Schema((Column("colour", "nominal", ("blue", "red")), Column("age", "numeric")))
    >>> schema.names
    ('colour', 'age')
    >>> schema["colour"].n_categories
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

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {column.name: i for i, column in enumerate(self.columns)}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(column.name for column in self.columns)

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
        """Describe every column in words, one line each.

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
                for column in self.columns
            ],
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Schema:
        """Read what `to_dict` wrote; anything malformed is a ValueError or TypeError."""
        try:
            columns = tuple(
                Column(entry["name"], entry["kind"], tuple(entry["categories"]), entry["n_missing"])
                for entry in content["columns"]
            )
            return cls(columns, bool(content["names_generated"]))
        except KeyError as error:
            raise ValueError(f"Not a schema: the entry {error} is not there.") from None
