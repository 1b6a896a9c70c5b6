"""Tables that are read in pieces: what is known of them, and sums over all their rows.

Whoever has the rows only runs a `Job` over them: it starts from nothing, adds pieces, and merges
what was added elsewhere. Sums are whole numbers, so that the order of pieces changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood._limits import NO_DEADLINE, Deadline
from mixedwood.data.errors import few
from mixedwood.data.frames import METADATA_KEY, index_columns
from mixedwood.data.read import read_table
from mixedwood.data.schema import Schema, Table
from mixedwood.data.target import read_target

__all__ = ["ChunkedTable", "Count", "Job", "Layout", "Piece", "Source", "columns_differ", "divide"]

State = TypeVar("State")


class Job(Protocol[State]):
    """Something to find out about a table by reading all its pieces once. It can be pickled."""

    def start(self) -> State:
        """Return the result for no pieces."""

    def add(self, state: State, name: str, frame: Any) -> State:
        """Add a piece, which is a table of pyarrow; its name is for messages."""

    def merge(self, state: State, other: State) -> State:
        """Add what was found in other pieces."""


class Source(Protocol):
    """Rows somewhere, in pieces."""

    @property
    def max_bins(self) -> int:
        """Most bins of a numeric column."""

    def run(
        self, job: Job[State], what: str = "", n_rows: int = 0, deadline: Deadline = NO_DEADLINE
    ) -> State | None:
        """Run a job over all pieces, in any order; None if the deadline passes before its end.

        Listeners are told how many of `n_rows` are done, as `what`, unless it is empty.
        """


@dataclass(frozen=True, eq=False)
class Layout:
    """What a first look at a table found, and all that is needed to read its pieces again.

    Attributes
    ----------
    target : str
        The column of the classes.
    schema : Schema
        The other columns.
    classes : ndarray
        The classes, sorted.
    class_counts : ndarray of int64
        Number of rows of each class.
    bins : tuple of ndarray or None
        For a numeric column, the largest number of each bin, ascending; None for others.
    exact : tuple of bool
        Whether each number of a column is a bin of its own.
    """

    target: str
    schema: Schema
    classes: NDArray[Any]
    class_counts: NDArray[np.int64]
    bins: tuple[NDArray[np.float64] | None, ...]
    exact: tuple[bool, ...]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.class_counts.sum())

    @cached_property
    def _places(self) -> dict[Any, int]:
        return {label: code for code, label in enumerate(self.classes.tolist())}

    def read(self, name: str, frame: Any) -> Piece:
        """Read a piece, which must be as it was at the first look."""
        X, y = divide(name, frame, self.target, self.schema.names)
        if len(y) == 0:
            return Piece(self, None, np.empty(0, dtype=np.int32))
        target = read_target(y)
        known = [self._places.get(label, -1) for label in target.classes.tolist()]
        table = read_table(X, schema=self.schema)
        if -1 in known or table.unknown:
            raise table_changed(name)
        return Piece(self, table, np.array(known, dtype=np.int32)[target.codes])


@dataclass(frozen=True, eq=False)
class Piece:
    """Some rows of a table.

    Attributes
    ----------
    layout : Layout
        What is known of the whole table.
    rows : Table or None
        The columns; None if there are no rows.
    classes : ndarray of int32
        The code of each row's class.
    """

    layout: Layout
    rows: Table | None
    classes: NDArray[np.int32]

    @property
    def table(self) -> Table:
        """The columns of a piece that has rows."""
        assert self.rows is not None
        return self.rows

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.classes)

    @cached_property
    def codes(self) -> list[NDArray[np.int32]]:
        """Codes of categories, and places of bins for numbers; -1 is a missing value."""
        found = []
        for array, edges in zip(self.table.arrays, self.layout.bins, strict=True):
            if edges is None:
                found.append(np.ascontiguousarray(array, dtype=np.int32))
                continue
            codes = _core.find_bins(edges, np.ascontiguousarray(array, dtype=np.float64))
            if codes.max(initial=-1) >= len(edges):
                raise table_changed("A number is larger than any before")
            found.append(codes)
        return found


class Count(Protocol):
    """Whole numbers to be added up over the rows of a table. It can be pickled."""

    def start(self) -> NDArray[Any]:
        """Return zeros."""

    def add(self, total: NDArray[Any], piece: Piece) -> None:
        """Add the rows of a piece, which has at least one, in place."""


@dataclass(frozen=True)
class _Total:
    """Counts over pieces, and the number of their rows."""

    layout: Layout
    count: Count

    def start(self) -> tuple[NDArray[Any], int]:
        return self.count.start(), 0

    def add(
        self, state: tuple[NDArray[Any], int], name: str, frame: Any
    ) -> tuple[NDArray[Any], int]:
        total, n_rows = state
        piece = self.layout.read(name, frame)
        if piece.n_rows:
            self.count.add(total, piece)
        return total, n_rows + piece.n_rows

    def merge(
        self, state: tuple[NDArray[Any], int], other: tuple[NDArray[Any], int]
    ) -> tuple[NDArray[Any], int]:
        return state[0] + other[0], state[1] + other[1]


@dataclass(frozen=True, eq=False)
class ChunkedTable:
    """A table in pieces after the first look.

    Attributes
    ----------
    source : Source
        The rows.
    layout : Layout
        What is known of them.
    """

    source: Source
    layout: Layout

    def total(
        self, count: Count, what: str = "", deadline: Deadline = NO_DEADLINE
    ) -> NDArray[Any] | None:
        """Add up counts over all rows; None if the deadline passes before the end."""
        expected = self.layout.n_rows
        found = self.source.run(_Total(self.layout, count), what, expected, deadline)
        if found is None:
            return None
        total, n_rows = found
        if n_rows != expected:
            raise table_changed(f"The table had {expected} rows, and now {n_rows}")
        return total


def table_changed(what: str) -> ValueError:
    """Make the error for a table that is not as it was at the first look."""
    return ValueError(
        f"{what}: the table has changed since the first time it was read. It must stay the same "
        "during a fit."
    )


def divide(name: str, frame: Any, target: str, expected: Sequence[str]) -> tuple[Any, Any]:
    """Take the target from a piece, and the expected columns in their order; all if none is."""
    metadata = frame.schema.metadata or {}
    index = index_columns(metadata.get(METADATA_KEY.encode())) - {target, *expected}
    names = [column for column in frame.column_names if column not in index]
    if target not in names:
        raise ValueError(f"{name} has no column {target!r}, the target. It has: {few(names, 10)}.")
    names.remove(target)
    if expected:
        if {*expected} != {*names}:
            raise columns_differ(name, names, expected)
    elif not names:
        raise ValueError(f"{name} has no column besides the target {target!r}.")
    return frame.select(list(expected) or names), frame.column(target)


def columns_differ(name: str, names: Sequence[str], expected: Sequence[str]) -> ValueError:
    """Make the error for a piece that has not the columns of the first."""
    lost = [column for column in expected if column not in names]
    more = [column for column in names if column not in expected]
    what = f"no column {few(lost)}" if lost else f"the further column {few(more)}"
    return ValueError(
        f"{name} has {what}. All chunks must have the same columns as the first: "
        f"{few(expected, 10)}."
    )
