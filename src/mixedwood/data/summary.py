"""The first look at a table in chunks: types, categories, bins of numbers, classes and counts.

A summary depends on the set of rows alone, not on how they are divided into chunks, nor on their
order: bins come from the rows with the smallest hashes of their contents.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood.data.chunks import Chunks
from mixedwood.data.errors import few
from mixedwood.data.frames import METADATA_KEY, index_columns
from mixedwood.data.read import read_table
from mixedwood.data.schema import Column, ColumnKind, Label, Schema, Table, sort_labels
from mixedwood.data.target import read_target

__all__ = ["ChunkedTable", "summarize"]

MAX_CATEGORIES = 65_536
_SAMPLE = 1 << 17  # rows that quantiles are taken from
_MAX_ROWS = 2**32 - 1  # counts are of 32 bits
_MISSING_HASH = np.uint64(0x7FF8DEADBEEF0001)


@dataclass(frozen=True, eq=False)
class ChunkedTable:
    """What is known of a table in chunks.

    Attributes
    ----------
    chunks : Chunks
        The rows.
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

    chunks: Chunks
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

    def read(self) -> Iterator[tuple[Table, NDArray[np.int32]]]:
        """Read the rows once more: tables and codes of classes, chunk by chunk."""
        place = {label: code for code, label in enumerate(self.classes.tolist())}
        n_rows = 0
        for name, frame in self.chunks:
            X, y = _divide(name, frame, self.target, self.schema.names)
            if len(y) == 0:
                continue
            target = read_target(y)
            known = [place.get(label, -1) for label in target.classes.tolist()]
            table = read_table(X, schema=self.schema)
            if -1 in known or table.unknown:
                raise _changed(name)
            n_rows += table.n_rows
            yield table, np.array(known, dtype=np.int32)[target.codes]
        if n_rows != self.n_rows:
            raise _changed(f"The table had {self.n_rows} rows, and now {n_rows}")

    def codes(self, table: Table) -> list[NDArray[np.int32]]:
        """Codes of categories, and places of bins for numbers; -1 is a missing value."""
        found = []
        for array, edges in zip(table.arrays, self.bins, strict=True):
            if edges is None:
                found.append(np.ascontiguousarray(array, dtype=np.int32))
                continue
            codes = _core.find_bins(edges, np.ascontiguousarray(array, dtype=np.float64))
            if codes.max(initial=-1) >= len(edges):
                raise _changed("A number is larger than any before")
            found.append(codes)
        return found


def _changed(what: str) -> ValueError:
    return ValueError(
        f"{what}: the table has changed since the first time it was read. It must stay the same "
        "during a fit."
    )


def _divide(name: str, frame: Any, target: str, expected: Sequence[str]) -> tuple[Any, Any]:
    """Take the target from a chunk, and the expected columns in their order; all if none is."""
    metadata = frame.schema.metadata or {}
    index = index_columns(metadata.get(METADATA_KEY.encode())) - {target, *expected}
    names = [column for column in frame.column_names if column not in index]
    if target not in names:
        raise ValueError(f"{name} has no column {target!r}, the target. It has: {few(names, 10)}.")
    names.remove(target)
    if expected:
        lost = [column for column in expected if column not in names]
        more = [column for column in names if column not in expected]
        if lost or more:
            what = f"no column {few(lost)}" if lost else f"the further column {few(more)}"
            raise ValueError(
                f"{name} has {what}. All chunks must have the same columns as the first: "
                f"{few(expected, 10)}."
            )
    elif not names:
        raise ValueError(f"{name} has no column besides the target {target!r}.")
    return frame.select(list(expected) or names), frame.column(target)


def summarize(
    chunks: Chunks,
    target: str,
    *,
    categorical_features: Any = None,
    ordinal_features: Mapping[str, Sequence[Label]] | None = None,
) -> ChunkedTable:
    """Read a table once, for its types, categories, bins and classes.

    Parameters
    ----------
    chunks : Chunks
        The rows.
    target : str
        The column of the classes.
    categorical_features, ordinal_features
        As for `read_table`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> batches = [pa.table({"x": [1.0, 2.0], "y": ["a", "b"]}), pa.table({"x": [3.0], "y": ["b"]})]
    >>> found = summarize(Chunks(batches), "y")
    >>> found.n_rows, found.classes.tolist(), found.bins
    (3, ['a', 'b'], (array([1., 2., 3.]),))
    """
    merged: list[_Merged] = []
    names: tuple[str, ...] = ()
    classes: dict[Any, int] = {}
    sample = _Sample()
    hashes: dict[Label, np.uint64] = {}
    first, label_type = "", np.dtype(object)
    for name, frame in chunks:
        X, y = _divide(name, frame, target, names)
        if len(y) == 0:
            continue
        try:
            table = read_table(
                X, categorical_features=categorical_features, ordinal_features=ordinal_features
            )
            read = read_target(y)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}: {error}") from error
        labels = read.classes.tolist()
        if classes and {*map(type, labels)} != {*map(type, classes)}:
            raise ValueError(
                f"{name}: the target {target!r} has classes such as {labels[0]!r}, but "
                f"{next(iter(classes))!r} before. Its type must be the same in all chunks."
            )
        counts = np.bincount(read.codes, minlength=len(labels))
        for label, count in zip(labels, counts.tolist(), strict=True):
            classes[label] = classes.get(label, 0) + count
        if not merged:
            label_type = read.classes.dtype
            first, names = name, table.schema.names
            merged = [_Merged(column, chunks.max_bins) for column in table.schema]
        for state, column, array in zip(merged, table.schema, table.arrays, strict=True):
            state.add(column, array, name, first)
        sample.add(table, _label_hashes(labels, hashes)[read.codes], hashes)
    if not merged:
        raise ValueError("The table has no rows: all chunks are empty, or there are none.")
    if sum(classes.values()) > _MAX_ROWS:
        raise ValueError(f"Tables of more than {_MAX_ROWS} rows cannot be counted yet.")
    order = sorted(classes)
    numeric = [state.kind == ColumnKind.NUMERIC for state in merged]
    places = np.cumsum(numeric) - 1
    return ChunkedTable(
        chunks,
        target,
        Schema(tuple(state.column() for state in merged)),
        _as_classes(order, label_type),
        np.array([classes[label] for label in order]),
        tuple(
            state.bins(sample, int(place)) if is_numeric else None
            for state, place, is_numeric in zip(merged, places, numeric, strict=True)
        ),
        tuple(state.distinct is not None for state in merged),
    )


def _as_classes(labels: list[Any], like: np.dtype[Any]) -> NDArray[Any]:
    """Make an array of the kind that chunks have; text may be longer in later ones."""
    return np.array(labels, dtype=like if like.kind != "U" else None)


class _Merged:
    """One column of all chunks so far."""

    def __init__(self, column: Column, max_bins: int) -> None:
        self.name, self.kind, self.max_bins = column.name, column.kind, max_bins
        self.order = column.categories
        self.labels: set[Label] = set()
        self.n_missing = 0
        self.distinct: NDArray[np.float64] | None = np.empty(0)
        self.largest = -np.inf

    def add(self, column: Column, array: NDArray[Any], name: str, first: str) -> None:
        ordinal = self.kind == ColumnKind.ORDINAL
        known_kind = column.is_numeric or column.categories or self.kind == column.kind
        if not known_kind and column.n_missing == len(array):
            raise ValueError(
                f"{name}: column {self.name!r} has no values and no type, but {first} has it as "
                f"{self.kind}. Write all files with the same schema, or pass "
                "pyarrow.dataset.dataset(paths, schema=...), which gives the column its type."
            )
        if column.kind != self.kind or (ordinal and column.categories != self.order):
            what = "has another order" if column.kind == self.kind else f"is {column.kind}"
            raise ValueError(
                f"{name}: column {self.name!r} {what}, but {first} has it as {self.kind}. The type "
                "of a column must be the same in all chunks; or name it in categorical_features."
            )
        self.n_missing += column.n_missing or 0
        if column.is_numeric:
            self._add_numbers(array)
            return
        types = {*map(type, column.categories)}
        known = {type(label) for label in self.labels}
        if known and types and types != known:
            raise ValueError(
                f"{name}: column {self.name!r} has the category {column.categories[0]!r}, but "
                f"categories such as {next(iter(self.labels))!r} before. Its type must be the same "
                "in all chunks."
            )
        self.labels.update(column.categories)
        if len(self.labels) > MAX_CATEGORIES:
            raise ValueError(
                f"{name}: column {self.name!r} has more than {MAX_CATEGORIES} categories by now. "
                "Does it identify rows? Leave it out of the table, or group its categories."
            )

    def _add_numbers(self, array: NDArray[np.float64]) -> None:
        known = array[~np.isnan(array)]
        self.largest = max(self.largest, float(known.max(initial=-np.inf)))
        if self.distinct is None:
            return
        found = np.union1d(self.distinct, known + 0.0)
        self.distinct = found if len(found) <= self.max_bins else None

    def column(self) -> Column:
        categories: tuple[Label, ...] = ()
        if self.kind == ColumnKind.NOMINAL:
            categories = sort_labels(self.labels)
        elif self.kind == ColumnKind.ORDINAL:
            categories = self.order
        return Column(self.name, self.kind, categories, self.n_missing)

    def bins(self, sample: _Sample, place: int) -> NDArray[np.float64]:
        if self.distinct is not None:
            return self.distinct
        numbers, counts = sample.numbers[:, place], sample.counts
        known = ~np.isnan(numbers)
        numbers, counts = numbers[known], counts[known]
        order = np.argsort(numbers, kind="stable")
        reached = np.cumsum(counts[order])
        wanted = np.arange(1, self.max_bins) * (reached[-1] / self.max_bins if len(order) else 0.0)
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
        rows = _row_hashes(table, seeds, known)
        new, first, counts = np.unique(rows, return_index=True, return_counts=True)
        if len(self.hashes) >= _SAMPLE:
            small = new <= self.hashes[-1]
            new, first, counts = new[small], first[small], counts[small]
        numbers: NDArray[np.float64] = np.stack([array[first] for array in numeric], axis=1)
        if len(self.hashes):
            new = np.concatenate([self.hashes, new])
            counts = np.concatenate([self.counts, counts])
            numbers = np.concatenate([self.numbers, numbers])
        self.hashes, first, inverse = np.unique(new, return_index=True, return_inverse=True)
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
