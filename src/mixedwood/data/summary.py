"""The first look at a table in chunks: types, categories, bins of numbers, classes and counts.

A summary depends on the set of rows alone, not on how they are divided into chunks, nor on their
order: bins come from the rows with the smallest hashes of their contents.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.data.pieces import ChunkedTable, Layout, Source, columns_differ, divide
from mixedwood.data.read import read_table
from mixedwood.data.schema import Column, ColumnKind, Label, Schema, Table, sort_labels
from mixedwood.data.target import read_target

__all__ = ["Summary", "summarize"]

MAX_CATEGORIES = 65_536
_SAMPLE = 1 << 17  # rows that quantiles are taken from
_MAX_ROWS = 2**32 - 1  # counts are of 32 bits
_MISSING_HASH = np.uint64(0x7FF8DEADBEEF0001)


def summarize(
    source: Source,
    target: str,
    *,
    categorical_features: Any = None,
    ordinal_features: Mapping[str, Sequence[Label]] | None = None,
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

    Examples
    --------
    >>> import pyarrow as pa
    >>> from mixedwood.data import Chunks
    >>> batches = [pa.table({"x": [1.0, 2.0], "y": ["a", "b"]}), pa.table({"x": [3.0], "y": ["b"]})]
    >>> found = summarize(Chunks(batches), "y").layout
    >>> found.n_rows, found.classes.tolist(), found.bins
    (3, ['a', 'b'], (array([1., 2., 3.]),))
    """
    job = _Look(target, source.max_bins, categorical_features, ordinal_features)
    found = source.run(job)
    assert found is not None  # there is no deadline
    return ChunkedTable(source, found.layout(job))


@dataclass(frozen=True)
class _Look:
    """The first look at a table."""

    target: str
    max_bins: int
    categorical_features: Any
    ordinal_features: Mapping[str, Sequence[Label]] | None

    def start(self) -> Summary:
        return Summary()

    def add(self, state: Summary, name: str, frame: Any) -> Summary:
        state.add(self, name, frame)
        return state

    def merge(self, state: Summary, other: Summary) -> Summary:
        state.merge(self, other)
        return state


class Summary:
    """What is known of some pieces of a table."""

    def __init__(self) -> None:
        self.first = ""  # a piece with rows
        self.columns: list[_Merged] = []
        self.classes: dict[Any, int] = {}
        self.label_type = np.dtype(object)
        self.sample = _Sample()

    def add(self, how: _Look, name: str, frame: Any) -> None:
        """Add a piece."""
        names = tuple(column.name for column in self.columns)
        X, y = divide(name, frame, how.target, names)
        if len(y) == 0:
            return
        try:
            table = read_table(
                X,
                categorical_features=how.categorical_features,
                ordinal_features=how.ordinal_features,
            )
            read = read_target(y)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}: {error}") from error
        labels = read.classes.tolist()
        counts = np.bincount(read.codes, minlength=len(labels)).tolist()
        self._add_classes(how, dict(zip(labels, counts, strict=True)), read.classes.dtype, name)
        if not self.columns:
            self.first = name
            self.columns = [_Merged(column) for column in table.schema]
        for state, column, array in zip(self.columns, table.schema, table.arrays, strict=True):
            state.add(_Merged.of(column, array, how.max_bins), name, self.first, how.max_bins)
        hashes: dict[Label, np.uint64] = {}
        self.sample.add(table, _label_hashes(labels, hashes)[read.codes], hashes)

    def merge(self, how: _Look, other: Summary) -> None:
        """Add what is known of other pieces."""
        if not other.columns:
            return
        self._add_classes(how, other.classes, other.label_type, other.first)
        if not self.columns:
            self.first, self.columns = other.first, other.columns
        else:
            names = [column.name for column in self.columns]
            if names != [column.name for column in other.columns]:
                raise columns_differ(other.first, [c.name for c in other.columns], names)
            for state, more in zip(self.columns, other.columns, strict=True):
                state.add(more, other.first, self.first, how.max_bins)
        self.sample.merge(other.sample)

    def _add_classes(
        self, how: _Look, found: Mapping[Any, int], kind: np.dtype[Any], name: str
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

    def layout(self, how: _Look) -> Layout:
        """Turn it into what is needed to read the pieces again."""
        if not self.columns:
            raise ValueError("The table has no rows: all chunks are empty, or there are none.")
        if sum(self.classes.values()) > _MAX_ROWS:
            raise ValueError(f"Tables of more than {_MAX_ROWS} rows cannot be counted yet.")
        order = sorted(self.classes)
        numeric = [state.kind == ColumnKind.NUMERIC for state in self.columns]
        places = np.cumsum(numeric) - 1
        return Layout(
            how.target,
            Schema(tuple(state.column() for state in self.columns)),
            _as_classes(order, self.label_type),
            np.array([self.classes[label] for label in order]),
            tuple(
                state.bins(self.sample, int(place), how.max_bins) if is_numeric else None
                for state, place, is_numeric in zip(self.columns, places, numeric, strict=True)
            ),
            tuple(state.distinct is not None for state in self.columns),
        )


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
        distinct = np.unique(known)
        found.distinct = distinct if len(distinct) <= max_bins else None
        return found

    def add(self, other: _Merged, name: str, first: str, max_bins: int) -> None:
        """Add the same column of other pieces, of which `name` is the first."""
        ordinal = self.kind == ColumnKind.ORDINAL
        is_numeric = other.kind == ColumnKind.NUMERIC
        known_kind = is_numeric or other.order or self.kind == other.kind
        if not known_kind and other.n_missing == other.n_rows:
            raise ValueError(
                f"{name}: column {self.name!r} has no values and no type, but {first} has it as "
                f"{self.kind}. Write all files with the same schema, or pass "
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
        types, known = {*map(type, other.labels)}, {*map(type, self.labels)}
        if known and types and types != known:
            label = next(iter(sort_labels(other.labels)))
            raise ValueError(
                f"{name}: column {self.name!r} has the category {label!r}, but "
                f"categories such as {next(iter(self.labels))!r} before. Its type must be the same "
                "in all chunks."
            )
        self.labels |= other.labels
        if len(self.labels) > MAX_CATEGORIES:
            raise ValueError(
                f"{name}: column {self.name!r} has more than {MAX_CATEGORIES} categories by now. "
                "Does it identify rows? Leave it out of the table, or group its categories."
            )

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

    A row that is among them in the end always was, so its count is complete.
    """

    def __init__(self) -> None:
        self.hashes = np.empty(0, dtype=np.uint64)
        self.counts = np.empty(0, dtype=np.int64)
        self.numbers: NDArray[np.float64] = np.empty((0, 0))

    def add(self, table: Table, seeds: NDArray[np.uint64], known: dict[Label, np.uint64]) -> None:
        numeric = [
            array for c, array in zip(table.schema, table.arrays, strict=True) if c.is_numeric
        ]
        if not numeric:
            return
        new, first, counts = np.unique(
            _row_hashes(table, seeds, known), return_index=True, return_counts=True
        )
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


def _row_hashes(
    table: Table, seeds: NDArray[np.uint64], known: dict[Label, np.uint64]
) -> NDArray[np.uint64]:
    found = seeds
    for column, array in zip(table.schema, table.arrays, strict=True):
        if column.is_numeric:
            cells = (array + 0.0).view(np.uint64)
            cells = np.where(np.isnan(array), _MISSING_HASH, cells)
        else:
            # The code of a missing value is read from the end.
            cells = np.append(_label_hashes(column.categories, known), _MISSING_HASH)[array]
        found = _mixed(found ^ _mixed(cells))
    return found


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64 of each number."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _label_hashes(labels: Sequence[Any], known: dict[Label, np.uint64]) -> NDArray[np.uint64]:
    """Hashes of labels, the same in every process."""
    for label in labels:
        if label not in known:
            digest = hashlib.blake2b(repr(label).encode(), digest_size=8).digest()
            known[label] = np.uint64(int.from_bytes(digest, "little"))
    return np.array([known[label] for label in labels], dtype=np.uint64)
