"""Tables that are read in pieces: what is known of them, and sums over all their rows.

Whoever has the rows only runs a `Job` over them: it starts from nothing, adds pieces, and merges
what was added elsewhere. Sums are whole numbers, so that the order of pieces changes nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood._limits import NO_DEADLINE, Deadline
from mixedwood.data.errors import few
from mixedwood.data.fixed_point import FixedPoint
from mixedwood.data.frames import METADATA_KEY, index_columns
from mixedwood.data.read import read_table
from mixedwood.data.schema import Label, Schema, Table
from mixedwood.data.target import read_numbers, read_target

__all__ = [
    "ChunkedTable",
    "Count",
    "Job",
    "Layout",
    "Numbers",
    "Piece",
    "Source",
    "columns_differ",
    "divide",
    "label_hashes",
    "loss_terms",
    "number_seeds",
    "number_terms",
    "row_hashes",
]

State = TypeVar("State")

_SAFE_WEIGHT = 1e100  # squares, and sums of them, are finite
MISSING_HASH = np.uint64(0x7FF8DEADBEEF0001)


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
class Numbers:
    """What is known of a target of numbers.

    Attributes
    ----------
    loss : str
        The loss that is to be lowered.
    fixed : tuple of FixedPoint
        How weighted numbers, their squares and, for "poisson", numbers times their logarithms are
        cut into whole ones.
    sums : tuple of Fraction
        The sum of the weights, and of each of these.
    largest : float
        The largest absolute value.
    """

    loss: str
    fixed: tuple[FixedPoint, ...]
    sums: tuple[Fraction, ...]
    largest: float


def loss_terms(
    loss: str, y: NDArray[np.float64], *, bound: bool = False
) -> list[NDArray[np.float64]]:
    """Functions of the numbers, whose weighted sums give losses and their squares.

    For the largest absolute number, `bound` makes them bounds of their values for all.
    """
    if loss != "poisson":
        return [y, y**2, y**3, y**4]
    log = np.log(np.where(y > 0, y, 1.0))
    # Of y log y - y: its minimum is -1, at 1.
    own = np.maximum(np.abs(y * log - y), 1.0) if bound else y * log - y
    return [y, y**2, own, own**2, own * y]


def number_terms(loss: str, y: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Functions of the numbers, whose weighted sums describe a node."""
    terms = [y, y * y]
    return [*terms, y * np.log(np.where(y > 0, y, 1.0))] if loss == "poisson" else terms


@dataclass(frozen=True, eq=False)
class Layout:
    """What a first look at a table found, and all that is needed to read its pieces again.

    Rows of weight 0 are not part of the table, but their classes are.

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
    weight : str or None
        The column of weights of rows.
    fixed : FixedPoint or None
        How these are cut into whole numbers; None if all rows weigh the same.
    class_factors : ndarray of float64, or None
        Factors for the weights of the rows of each class.
    class_weights : ndarray of float64
        Weight of the rows of each class, factors included.
    whole_weights : bool
        Whether all weights of rows are whole numbers, factors included.
    n_effective : float
        Kish's effective number of rows.
    numbers : Numbers or None
        For a target of numbers, which has no classes; counts and weights of classes are then those
        of all rows.
    """

    target: str
    schema: Schema
    classes: NDArray[Any]
    class_counts: NDArray[np.int64]
    bins: tuple[NDArray[np.float64] | None, ...]
    exact: tuple[bool, ...]
    weight: str | None
    fixed: FixedPoint | None
    class_factors: NDArray[np.float64] | None
    class_weights: NDArray[np.float64]
    whole_weights: bool
    n_effective: float
    numbers: Numbers | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.class_counts.sum())

    @property
    def n_groups(self) -> int:
        """Number of classes; 1 for a target of numbers."""
        return len(self.class_counts)

    @property
    def is_weighed(self) -> bool:
        """Whether some row has another weight than 1."""
        return self.fixed is not None or self.class_factors is not None

    @property
    def n_terms(self) -> int:
        """How many whole numbers stand for a row: 1, then the parts of its weight and number."""
        fixed = () if self.numbers is None else self.numbers.fixed
        return self._n_of_weight + sum(one.n_parts for one in fixed)

    @property
    def _n_of_weight(self) -> int:
        return 1 if self.fixed is None else 1 + self.fixed.n_parts

    def weights(self, terms: NDArray[Any]) -> NDArray[np.float64]:
        """Give the weights that sums of terms stand for, without class factors.

        The last axis has the terms.
        """
        if self.fixed is None:
            return terms[..., 0].astype(np.float64)
        return self.fixed.join(terms[..., 1 : self._n_of_weight])

    def number_sums(self, terms: NDArray[np.int64]) -> list[NDArray[np.float64]]:
        """Give the weighted sums of numbers, squares and so on that sums of terms stand for."""
        return [one.join(terms[..., part]) for one, part in self._parts()]

    def exact_sums(self, terms: NDArray[np.int64]) -> tuple[Fraction, ...]:
        """Give the sum of weights, and those of `number_sums`, of one node without rounding."""
        weight = Fraction(int(terms[0]))
        if self.fixed is not None:
            weight = self.fixed.join_exactly(terms[1 : self._n_of_weight])
        return (weight, *(one.join_exactly(terms[part]) for one, part in self._parts()))

    def _parts(self) -> Iterator[tuple[FixedPoint, slice]]:
        start = self._n_of_weight
        for one in () if self.numbers is None else self.numbers.fixed:
            yield one, slice(start, start + one.n_parts)
            start += one.n_parts

    @cached_property
    def _places(self) -> dict[Any, int]:
        return {label: code for code, label in enumerate(self.classes.tolist())}

    @cached_property
    def hashes(self) -> list[NDArray[np.uint64]]:
        """Hashes of the classes, then of the categories of each column, and of a missing value."""
        known: dict[Label, np.uint64] = {}
        labels = [self.classes.tolist(), *(column.categories for column in self.schema)]
        return [np.append(label_hashes(found, known), MISSING_HASH) for found in labels]

    def read(self, name: str, frame: Any) -> Piece:
        """Read a piece, which must be as it was at the first look."""
        taken = divide(name, frame, self.target, self.schema.names, self.weight)
        if self.class_factors is not None:
            taken = taken.without_classes(self.classes[self.class_factors == 0].tolist())
        if taken.n_rows == 0:
            return Piece(self, name, None, np.empty(0, dtype=np.int32), None)
        if self.numbers is not None:
            numbers = read_numbers(taken.y, nonnegative=self.numbers.loss == "poisson")
            table = read_table(taken.X, schema=self.schema)
            if table.unknown:
                raise table_changed(name)
            return Piece(self, name, table, numbers.codes, taken.weights, numbers.numbers)
        target = read_target(taken.y)
        known = [self._places.get(label, -1) for label in target.classes.tolist()]
        table = read_table(taken.X, schema=self.schema)
        if -1 in known or table.unknown:
            raise table_changed(name)
        classes = np.array(known, dtype=np.int32)[target.codes]
        return Piece(self, name, table, classes, taken.weights)


@dataclass(frozen=True, eq=False)
class Piece:
    """Some rows of a table.

    Attributes
    ----------
    layout : Layout
        What is known of the whole table.
    name : str
        The name of the piece, which no other has.
    rows : Table or None
        The columns; None if there are no rows.
    classes : ndarray of int32
        The code of each row's class.
    weights : ndarray of float64, or None
        The weight of each row, without class factors; None if there is no column of weights.
    numbers : ndarray of float64, or None
        The target of each row, if it is a number.
    """

    layout: Layout
    name: str
    rows: Table | None
    classes: NDArray[np.int32]
    weights: NDArray[np.float64] | None
    numbers: NDArray[np.float64] | None = None

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

    @cached_property
    def terms(self) -> NDArray[np.int64]:
        """The whole numbers that stand for each row: 1, and the parts of its weight and number."""
        layout = self.layout
        weights = np.ones(self.n_rows) if self.weights is None else self.weights
        terms = [np.ones((self.n_rows, 1), dtype=np.int64)]
        if layout.fixed is not None:
            terms.append(layout.fixed.split(weights))
        if layout.numbers is not None and self.numbers is not None:
            found = number_terms(layout.numbers.loss, self.numbers)
            terms += [
                one.split(weights * part)
                for one, part in zip(layout.numbers.fixed, found, strict=True)
            ]
        return np.concatenate(terms, axis=1)

    @cached_property
    def hashes(self) -> NDArray[np.uint64]:
        """A hash of the contents of each row, the same in every process."""
        hash_of = self.layout.hashes
        seeds = hash_of[0][self.classes]
        if self.numbers is not None:
            seeds = number_seeds(self.numbers)
        return row_hashes(self.table, seeds, hash_of[1:], self.weights)


def number_seeds(numbers: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Hash the numbers of a target."""
    seeds = np.zeros(len(numbers), dtype=np.uint64)
    _core.hash_numbers(seeds, numbers)
    return seeds


def row_hashes(
    table: Table,
    seeds: NDArray[np.uint64],
    hash_of: Sequence[NDArray[np.uint64]],
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.uint64]:
    """Hash the rows of a table, given hashes of the categories and of a missing value.

    The order of the columns makes no difference.
    """
    found = np.array(seeds, dtype=np.uint64)
    columns = zip(table.schema, table.arrays, hash_of, strict=True)
    for column, array, hashes in sorted(columns, key=lambda c: c[0].name):
        if column.is_numeric:
            _core.hash_numbers(found, np.ascontiguousarray(array, dtype=np.float64))
        else:
            _core.hash_codes(found, np.ascontiguousarray(array, dtype=np.int32), hashes)
    if weights is not None:
        _core.hash_numbers(found, weights)
    return found


def label_hashes(labels: Sequence[Any], known: dict[Label, np.uint64]) -> NDArray[np.uint64]:
    """Hash labels, the same in every process."""
    for label in labels:
        if label not in known:
            digest = hashlib.blake2b(repr(label).encode(), digest_size=8).digest()
            known[label] = np.uint64(int.from_bytes(digest, "little"))
    return np.array([known[label] for label in labels], dtype=np.uint64)


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
    equal_rows : ndarray of int64, or None
        Numbers of rows by the last bits of their hashes, for `RowFolds`.
    """

    source: Source
    layout: Layout
    equal_rows: NDArray[np.int64] | None = None

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


class Taken(NamedTuple):
    """The parts of a piece, without rows of weight 0."""

    X: Any
    y: Any
    weights: NDArray[np.float64] | None
    all_y: Any  # with those rows

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.y)

    def without_classes(self, classes: Sequence[Any]) -> Taken:
        """Leave out the rows of some classes."""
        if not classes or self.n_rows == 0:
            return self
        target = read_target(self.y)
        kept = ~np.isin(target.codes, [target.classes.tolist().index(c) for c in classes
                                       if c in target.classes.tolist()])  # fmt: skip
        return self._where(kept)

    def _where(self, kept: NDArray[np.bool_]) -> Taken:
        if kept.all():
            return self
        weights = None if self.weights is None else self.weights[kept]
        return Taken(self.X.filter(kept), self.y.filter(kept), weights, self.all_y)


def divide(
    name: str, frame: Any, target: str, expected: Sequence[str], weight: str | None = None
) -> Taken:
    """Take target and weights from a piece, and the expected columns in order; all if none is."""
    metadata = frame.schema.metadata or {}
    given = {target, weight, *expected}
    index = index_columns(metadata.get(METADATA_KEY.encode())) - given
    names = [column for column in frame.column_names if column not in index]
    for column, what in ((target, "the target"), (weight, "the weights")):
        if column is None:
            continue
        if column not in names:
            raise ValueError(f"{name} has no column {column!r}, {what}. It has: {few(names, 10)}.")
        names.remove(column)
    if expected:
        if {*expected} != {*names}:
            raise columns_differ(name, names, expected)
    elif not names:
        raise ValueError(f"{name} has no column besides the target {target!r}.")
    X, y = frame.select(list(expected) or names), frame.column(target)
    if weight is None or frame.num_rows == 0:
        return Taken(X, y, None, y)
    weights = _read_weights(name, weight, frame.column(weight))
    return Taken(X, y, weights, y)._where(weights > 0)


def _read_weights(name: str, weight: str, column: Any) -> NDArray[np.float64]:
    """Read weights of rows; missing ones are NaN here, and errors."""
    import pyarrow as pa

    try:
        weights = column.cast(pa.float64()).to_numpy(zero_copy_only=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise ValueError(
            f"{name}: the weights {weight!r} are of type {column.type}; they must be numbers."
        ) from None
    weights = np.ascontiguousarray(weights, dtype=np.float64)
    usual = (weights == 0) | ((weights >= 1 / _SAFE_WEIGHT) & (weights <= _SAFE_WEIGHT))
    if not usual.all():
        row = int(np.argmin(usual))
        raise ValueError(
            f"{name}: the weights {weight!r} have {weights[row].item()!r} in row {row}. They must "
            f"be 0, or between {1 / _SAFE_WEIGHT:g} and {_SAFE_WEIGHT:g}."
        )
    return weights


def columns_differ(name: str, names: Sequence[str], expected: Sequence[str]) -> ValueError:
    """Make the error for a piece that has not the columns of the first."""
    lost = [column for column in expected if column not in names]
    more = [column for column in names if column not in expected]
    what = f"no column {few(lost)}" if lost else f"the further column {few(more)}"
    return ValueError(
        f"{name} has {what}. All chunks must have the same columns as the first: "
        f"{few(expected, 10)}."
    )
