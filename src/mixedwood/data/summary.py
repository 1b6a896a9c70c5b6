"""The first look at a table in chunks: types, categories, bins of numbers, classes and counts.

A summary depends on the set of rows alone, not on how they are divided into chunks, nor on their
order: bins come from the rows with the smallest hashes of their contents.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.data.fixed_point import ExactSums, FixedPoint
from mixedwood.data.pieces import (
    MISSING_HASH,
    ChunkedTable,
    Layout,
    Numbers,
    Source,
    Taken,
    columns_differ,
    divide,
    label_hashes,
    number_seeds,
    number_terms,
    row_hashes,
)
from mixedwood.data.read import read_table
from mixedwood.data.row_folds import N_COUNTERS, count_hashes
from mixedwood.data.schema import Column, ColumnKind, Label, Schema, Table, sort_labels
from mixedwood.data.target import Target, read_class_weight, read_numbers, read_target

__all__ = ["Look", "Summary", "summarize"]

MAX_CATEGORIES = 65_536
_SAMPLE = 1 << 17  # rows that quantiles are taken from
_MAX_ROWS = 2**32 - 1


def summarize(
    source: Source,
    target: str,
    *,
    categorical_features: Any = None,
    ordinal_features: Mapping[str, Sequence[Label]] | None = None,
    weight: str | None = None,
    class_weight: Mapping[Any, float] | str | None = None,
    copies: bool = False,
    loss: str | None = None,
) -> ChunkedTable:
    """Read a table once, for its types, categories, bins and classes.

    Parameters
    ----------
    source : Source
        The rows, for example `Chunks`.
    target : str
        The column of the classes.
    categorical_features, ordinal_features
        As for `read_table`.
    weight : str, optional
        The column of weights.
    class_weight : mapping or "balanced", optional
        Factors for the weights of classes; see `read_target`.
    copies : bool, default=False
        Whether to find out if there may be many equal rows, which `RowFolds` needs to know.
    loss : str, optional
        For a target of numbers, the loss that is to be lowered.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from mixedwood.data import Chunks
    >>> batches = [pa.table({"x": [1.0, 2.0], "y": ["a", "b"]}), pa.table({"x": [3.0], "y": ["b"]})]
    >>> found = summarize(Chunks(batches), "y").layout
    >>> found.n_rows, found.classes.tolist(), found.bins
    (3, ['a', 'b'], (array([1., 2., 3.]),))
    """
    features = (categorical_features, ordinal_features)
    job = Look(target, source.max_bins, *features, weight, class_weight, copies, loss)
    found = source.run(job)
    assert found is not None  # there is no deadline
    return ChunkedTable(source, found.layout(job), found.equal_rows)


@dataclass(frozen=True)
class Look:
    """The first look at a table."""

    target: str
    max_bins: int = 255
    categorical_features: Any = None
    ordinal_features: Mapping[str, Sequence[Label]] | None = None
    weight: str | None = None
    class_weight: Mapping[Any, float] | str | None = None
    copies: bool = False
    loss: str | None = None

    @property
    def classes_without_weight(self) -> list[Any]:
        """Classes whose rows are left out."""
        given = self.class_weight
        return [c for c, w in given.items() if w == 0] if isinstance(given, Mapping) else []

    def start(self) -> Summary:
        return Summary()

    def add(self, state: Summary, name: str, frame: Any) -> Summary:
        state.add(self, name, frame)
        return state

    def merge(self, state: Summary, other: Summary) -> Summary:
        state.merge(self, other)
        return state


class Summary:
    """What is known of some pieces of a table.

    Summaries merge in any order to the same; only the order of the columns is that of the left.
    """

    def __init__(self) -> None:
        self.first = ""  # a piece with rows
        self.columns: list[_Merged] = []
        self.classes: dict[Any, int] = {}  # number of rows, without those of weight 0
        self.label_type = np.dtype(object)
        self.weights, self.squares = ExactSums(), ExactSums()  # by class
        self.numbers: list[ExactSums] = []  # of a target of numbers
        self.largest = 0.0  # of their absolute values
        self.sample = _Sample()
        self.equal_rows: NDArray[np.int64] | None = None
        self._hashes: dict[Label, np.uint64] = {}

    def __getstate__(self) -> dict[str, Any]:
        # Hashes are only known to save time.
        return {**self.__dict__, "_hashes": {}}

    def add(self, how: Look, name: str, frame: Any) -> None:
        """Add a piece."""
        names = tuple(column.name for column in self.columns)
        taken = divide(name, frame, how.target, names, how.weight)
        if len(taken.all_y) == 0:
            return
        try:
            taken, target = self._add_target(how, name, taken)
            if taken.n_rows == 0:
                return
            table = read_table(
                taken.X,
                categorical_features=how.categorical_features,
                ordinal_features=how.ordinal_features,
            )
        except (TypeError, ValueError) as error:
            told = str(error)
            raise type(error)(told if told.startswith(name) else f"{name}: {told}") from error
        if not self.columns:
            self.first = name
            self.columns = [_Merged(column) for column in table.schema]
        for state, column, array in zip(self.columns, table.schema, table.arrays, strict=True):
            state.add(_Merged.of(column, array, how.max_bins), name, self.first, how.max_bins)
        if how.copies or any(column.is_numeric for column in table.schema):
            self._add_hashes(how, table, target, taken.weights)

    def _add_target(self, how: Look, name: str, taken: Taken) -> tuple[Taken, Target]:
        """Add classes or numbers, and give the rows that are left with them."""
        if how.loss is not None:
            self._add_classes(how, {0: taken.n_rows}, np.dtype(np.int64), name)
            if taken.n_rows == 0:
                return taken, read_target([0])
            target = read_numbers(taken.y, nonnegative=how.loss == "poisson")
            weights = np.ones(taken.n_rows) if taken.weights is None else taken.weights
            if taken.weights is not None:
                self.weights.add(0, weights)
                self.squares.add(0, weights * weights)
            found = number_terms(how.loss, target.numbers)
            self.numbers = self.numbers or [ExactSums() for _ in found]
            for sums, part in zip(self.numbers, found, strict=True):
                sums.add(0, weights * part)
            self.largest = max(self.largest, float(np.abs(target.numbers).max()))
            return taken, target
        every = read_target(taken.all_y)
        self._add_classes(how, dict.fromkeys(every.classes.tolist(), 0), every.classes.dtype, name)
        left = taken.without_classes(how.classes_without_weight)
        if left.n_rows == 0:
            return left, every
        target = every if left.n_rows == len(taken.all_y) else read_target(left.y)
        labels = target.classes.tolist()
        for code, count in enumerate(np.bincount(target.codes, minlength=len(labels)).tolist()):
            self.classes[labels[code]] += count
            if left.weights is not None:
                weights = left.weights[target.codes == code]
                self.weights.add(labels[code], weights)
                self.squares.add(labels[code], weights * weights)
        return left, target

    def _add_hashes(
        self, how: Look, table: Table, target: Target, weights: NDArray[np.float64] | None
    ) -> None:
        known = self._hashes
        hash_of = [
            np.append(label_hashes(column.categories, known), MISSING_HASH)
            for column in table.schema
        ]
        if target.is_numeric:
            seeds = number_seeds(target.numbers)
        else:
            seeds = label_hashes(target.classes.tolist(), known)[target.codes]
        hashes = row_hashes(table, seeds, hash_of, weights)
        self.sample.add(table, hashes)
        if how.copies:
            if self.equal_rows is None:
                self.equal_rows = np.zeros(N_COUNTERS, dtype=np.int64)
            self.equal_rows += count_hashes(hashes)

    def merge(self, how: Look, other: Summary) -> None:
        """Add what is known of other pieces."""
        if not other.classes:
            return
        self._add_classes(how, other.classes, other.label_type, other.first)
        self.weights.merge(other.weights)
        self.squares.merge(other.squares)
        self.largest = max(self.largest, other.largest)
        self.numbers = self.numbers or [ExactSums() for _ in other.numbers]
        for sums, more in zip(self.numbers, other.numbers, strict=bool(other.numbers)):
            sums.merge(more)
        if self.equal_rows is None:
            self.equal_rows = other.equal_rows
        elif other.equal_rows is not None:
            self.equal_rows = self.equal_rows + other.equal_rows
        if not other.columns:
            return
        if not self.columns:
            # The other is kept where it was made, and must not change.
            self.first, self.columns = other.first, copy.deepcopy(other.columns)
        else:
            others = {column.name: column for column in other.columns}
            names = [column.name for column in self.columns]
            if {*names} != {*others}:
                raise columns_differ(other.first, list(others), names)
            for state in self.columns:
                state.add(others[state.name], other.first, self.first, how.max_bins)
        self.sample.merge(other.sample)

    def _add_classes(
        self, how: Look, found: Mapping[Any, int], kind: np.dtype[Any], name: str
    ) -> None:
        known = self.classes
        if known and {*map(type, found)} != {*map(type, known)}:
            raise ValueError(
                f"{name}: the target {how.target!r} has classes such as {next(iter(found))!r}, but "
                f"{next(iter(known))!r} before. Its type must be the same in all chunks."
            )
        if not known:
            self.label_type = kind
        for label, count in found.items():
            known[label] = known.get(label, 0) + count

    def layout(self, how: Look) -> Layout:
        """Turn it into what is needed to read the pieces again."""
        if not self.classes:
            raise ValueError("The table has no rows: all chunks are empty, or there are none.")
        if not self.columns:
            raise ValueError("All rows have the weight 0; give some row a positive weight.")
        order = sorted(self.classes)
        classes = _as_classes(order, self.label_type)
        counts = np.array([self.classes[label] for label in order])
        totals = counts.astype(np.float64)
        if how.weight is not None:
            totals = self.weights.sums(order)
        factors = None
        if how.class_weight is not None:
            codes = np.arange(len(order), dtype=np.int32)
            factors = read_class_weight(how.class_weight, classes, codes, totals)
            if (factors == 1.0).all():
                factors = None
        fixed = self._fixed_point(how, int(counts.sum()))
        whole = self._are_whole(how, factors, counts)
        weights = totals if factors is None else totals * factors
        squares = counts.astype(np.float64)
        if how.weight is not None:
            squares = self.squares.sums(order)
        if factors is not None:
            squares = squares * factors**2
        numeric = sorted(c.name for c in self.columns if c.kind == ColumnKind.NUMERIC)
        numbers = None
        if how.loss is not None:
            classes = np.empty(0)
            n_rows = int(counts.sum())
            weight = Fraction(n_rows) if how.weight is None else self.weights.sum(0)
            numbers = Numbers(
                how.loss,
                tuple(FixedPoint.for_numbers(s.top, s.lowest, n_rows) for s in self.numbers),
                (weight, *(sums.sum(0) for sums in self.numbers)),
                self.largest,
            )
        return Layout(
            how.target,
            Schema(tuple(state.column() for state in self.columns)),
            classes,
            counts,
            tuple(
                state.bins(self.sample, numeric.index(state.name), how.max_bins)
                if state.kind == ColumnKind.NUMERIC
                else None
                for state in self.columns
            ),
            tuple(state.distinct is not None for state in self.columns),
            how.weight,
            fixed,
            factors,
            weights,
            whole,
            float(weights.sum() ** 2 / squares.sum()),
            numbers,
        )

    def _fixed_point(self, how: Look, n_rows: int) -> FixedPoint | None:
        """Choose how weights are added up; None if every row weighs 1."""
        one = self.weights.top == 1 and self.weights.lowest == 0  # 1.0 is below 2
        if how.weight is not None and not one:
            return FixedPoint.for_numbers(self.weights.top, self.weights.lowest, n_rows)
        # Counts are of 32 bits where that is enough.
        return FixedPoint.for_numbers(1, 0, n_rows) if n_rows > _MAX_ROWS else None

    def _are_whole(
        self, how: Look, factors: NDArray[np.float64] | None, counts: NDArray[np.int64]
    ) -> bool:
        whole = how.weight is None or self.weights.lowest >= 0
        if factors is None:
            return whole
        used = factors[counts > 0]
        # A factor that is not whole makes hardly any weight whole.
        return whole and bool((used == np.floor(used)).all())


def _as_classes(labels: list[Any], like: np.dtype[Any]) -> NDArray[Any]:
    """Make an array of the kind that chunks have; text may be longer in later ones."""
    return np.array(labels, dtype=like if like.kind != "U" else None)


class _Merged:
    """One column of some pieces."""

    def __init__(self, column: Column) -> None:
        self.name, self.kind = column.name, column.kind
        self.order = column.categories
        self.labels: set[Label] = set()
        self.n_rows = self.n_missing = 0
        self.distinct: NDArray[np.float64] | None = np.empty(0)
        self.largest = -np.inf

    @classmethod
    def of(cls, column: Column, array: NDArray[Any], max_bins: int) -> _Merged:
        """Look at a column of one piece."""
        found = cls(column)
        found.n_rows, found.n_missing = len(array), column.n_missing or 0
        if not column.is_numeric:
            found.labels = set(column.categories)
            return found
        known = array[~np.isnan(array)] + 0.0
        found.largest = float(known.max(initial=-np.inf))
        # A few rows show of most columns that they have too many.
        if len(np.unique(known[: 4 * max_bins])) <= max_bins:
            distinct = np.unique(known)
            found.distinct = distinct if len(distinct) <= max_bins else None
        else:
            found.distinct = None
        return found

    def add(self, other: _Merged, name: str, first: str, max_bins: int) -> None:
        """Add the same column of other pieces, of which `name` is the first."""
        ordinal = self.kind == ColumnKind.ORDINAL
        is_numeric = other.kind == ColumnKind.NUMERIC
        for part, its, known, where in ((other, name, self, first), (self, first, other, name)):
            if part.kind != known.kind and part.is_untyped:
                raise ValueError(
                    f"{its}: column {self.name!r} has no values and no type, but {where} has it "
                    f"as {known.kind}. Write all files with the same schema, or pass "
                    "pyarrow.dataset.dataset(paths, schema=...), which gives the column its type."
                )
        if other.kind != self.kind or (ordinal and other.order != self.order):
            what = "has another order" if other.kind == self.kind else f"is {other.kind}"
            raise ValueError(
                f"{name}: column {self.name!r} {what}, but {first} has it as {self.kind}. The type "
                "of a column must be the same in all chunks; or name it in categorical_features."
            )
        self.n_rows += other.n_rows
        self.n_missing += other.n_missing
        if is_numeric:
            self.largest = max(self.largest, other.largest)
            if self.distinct is None or other.distinct is None:
                self.distinct = None
                return
            found = np.union1d(self.distinct, other.distinct)
            self.distinct = found if len(found) <= max_bins else None
            return
        types, before = {*map(type, other.labels)}, {*map(type, self.labels)}
        if before and types and types != before:
            one, two = (sort_labels(labels)[0] for labels in (other.labels, self.labels))
            raise ValueError(
                f"{name}: column {self.name!r} has the category {one!r}, but categories such as "
                f"{two!r} before. Its type must be the same in all chunks."
            )
        self.labels |= other.labels
        if len(self.labels) > MAX_CATEGORIES:
            raise ValueError(
                f"{name}: column {self.name!r} has more than {MAX_CATEGORIES} categories by now. "
                "Does it identify rows? Leave it out of the table, or group its categories."
            )

    @property
    def is_untyped(self) -> bool:
        """Whether there is nothing to tell numbers from categories."""
        return self.kind == ColumnKind.NOMINAL and self.n_missing == self.n_rows

    def column(self) -> Column:
        categories: tuple[Label, ...] = ()
        if self.kind == ColumnKind.NOMINAL:
            categories = sort_labels(self.labels)
        elif self.kind == ColumnKind.ORDINAL:
            categories = self.order
        return Column(self.name, self.kind, categories, self.n_missing)

    def bins(self, sample: _Sample, place: int, max_bins: int) -> NDArray[np.float64]:
        if self.distinct is not None:
            return self.distinct
        numbers, counts = sample.numbers[:, place], sample.counts
        known = ~np.isnan(numbers)
        numbers, counts = numbers[known], counts[known]
        order = np.argsort(numbers, kind="stable")
        reached = np.cumsum(counts[order])
        wanted = np.arange(1, max_bins) * (reached[-1] / max_bins if len(order) else 0.0)
        edges = np.unique(numbers[order][np.searchsorted(reached, wanted)] + 0.0)
        return np.append(edges[edges < self.largest], self.largest)


class _Sample:
    """Numbers of the rows whose contents have the smallest hashes, with how often each row comes.

    A row that is among them in the end always was, so its count is complete. Columns go by name, so
    that their order in a piece does not matter.
    """

    def __init__(self) -> None:
        self.hashes = np.empty(0, dtype=np.uint64)
        self.counts = np.empty(0, dtype=np.int64)
        self.numbers: NDArray[np.float64] = np.empty((0, 0))

    def add(self, table: Table, hashes: NDArray[np.uint64]) -> None:
        """Add rows with these hashes."""
        columns = sorted(zip(table.schema, table.arrays, strict=True), key=lambda c: c[0].name)
        numeric = [array for column, array in columns if column.is_numeric]
        if not numeric:
            return
        new, first, counts = np.unique(hashes, return_index=True, return_counts=True)
        if len(self.hashes) >= _SAMPLE:
            small = new <= self.hashes[-1]
            new, first, counts = new[small], first[small], counts[small]
        found = _Sample()
        found.hashes, found.counts = new, counts
        found.numbers = np.stack([array[first] for array in numeric], axis=1)
        self.merge(found)

    def merge(self, other: _Sample) -> None:
        """Add the rows of other pieces."""
        if not len(other.hashes):
            return
        hashes, counts, numbers = other.hashes, other.counts, other.numbers
        if len(self.hashes):
            hashes = np.concatenate([self.hashes, hashes])
            counts = np.concatenate([self.counts, counts])
            numbers = np.concatenate([self.numbers, numbers])
        self.hashes, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
        self.counts = np.bincount(inverse, counts).astype(np.int64)[:_SAMPLE]
        self.hashes, self.numbers = self.hashes[:_SAMPLE], numbers[first[:_SAMPLE]]
