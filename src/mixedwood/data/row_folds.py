"""Folds of rows that are read in pieces: by hashes of their contents.

The fold of a row does not depend on where it is read, nor on the order of the pieces. Equal rows
would all be in one fold, and a tree could not know anything about them when they are held out. So
rows that are often in the table are dealt out to the folds in turn. Which of several equal rows is
in which fold makes no difference: only how many are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mixedwood._limits import NO_DEADLINE, Deadline
from mixedwood.data.pieces import ChunkedTable, Layout, Piece

__all__ = ["N_COUNTERS", "RowFolds", "count_hashes", "mixed"]

N_COUNTERS = 1 << 20

Hashes = NDArray[np.uint64]
_Counts = dict[str, tuple[Hashes, NDArray[np.int64]]]  # of each piece: some hashes, and how often


def count_hashes(hashes: Hashes) -> NDArray[np.int64]:
    """Count rows by the last bits of their hashes."""
    return np.bincount((hashes % np.uint64(N_COUNTERS)).astype(np.int64), minlength=N_COUNTERS)


@dataclass(frozen=True)
class RowFolds:
    """Divisions of all rows into folds.

    Attributes
    ----------
    n_folds : int
        Number of folds.
    seeds : tuple of int
        One for each division.
    before : mapping
        For each piece by name: hashes of rows that are in the table more than once, ascending, and
        how often they are in the pieces before it.
    """

    n_folds: int
    seeds: tuple[int, ...]
    before: Mapping[str, tuple[Hashes, NDArray[np.int64]]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        table: ChunkedTable,
        n_folds: int,
        seeds: tuple[int, ...],
        deadline: Deadline = NO_DEADLINE,
    ) -> RowFolds | None:
        """Choose folds; takes a pass if many rows may be equal. None if the time is over."""
        rows = table.equal_rows
        if rows is None:
            return cls(n_folds, seeds)
        # Different rows with the same last bits are nearly never as many.
        least = math.ceil(2 + 4 * table.layout.n_rows / N_COUNTERS)
        often = rows >= least
        if not often.any():
            return cls(n_folds, seeds)
        found = table.source.run(_Copies(table.layout, often), deadline=deadline)
        return None if found is None else cls(n_folds, seeds, _before(found))

    def of_piece(self, piece: Piece, division: int) -> NDArray[np.int64]:
        """Give the fold of each row of a piece."""
        n = np.uint64(self.n_folds)
        seed = np.uint64(self.seeds[division] % 2**64)
        folds = (mixed(piece.hashes ^ mixed(np.array([seed]))) % n).astype(np.int64)
        if self.before:
            folds = (folds + self.numbers(piece)) % self.n_folds
        return folds

    def numbers(self, piece: Piece) -> NDArray[np.int64]:
        """How many rows equal to each row come before it; 0 where they are few."""
        numbers = np.zeros(piece.n_rows, dtype=np.int64)
        if piece.name not in self.before:
            return numbers
        known, before = self.before[piece.name]
        place = np.minimum(np.searchsorted(known, piece.hashes), len(known) - 1)
        rows = np.flatnonzero(known[place] == piece.hashes)
        order = rows[np.argsort(place[rows], kind="stable")]
        first, counts = np.unique(place[order], return_index=True, return_counts=True)[1:]
        numbers[order] = np.arange(len(order)) - np.repeat(first, counts) + before[place[order]]
        return numbers


@dataclass(frozen=True, eq=False)
class _Copies:
    """Counts rows that may be in the table often, for each piece."""

    layout: Layout
    often: NDArray[np.bool_]

    def start(self) -> _Counts:
        return {}

    def add(self, state: _Counts, name: str, frame: object) -> _Counts:
        piece = self.layout.read(name, frame)
        if piece.n_rows:
            hashes = piece.hashes
            marked = self.often[(hashes % np.uint64(N_COUNTERS)).astype(np.int64)]
            found, counts = np.unique(hashes[marked], return_counts=True)
            if len(found):
                state[name] = (found, counts)
        return state

    def merge(self, state: _Counts, other: _Counts) -> _Counts:
        return state | other


def _before(found: _Counts) -> _Counts:
    """For each piece, how often its rows are in the pieces before; without those that come once."""
    every, place = np.unique(
        np.concatenate([hashes for hashes, _ in found.values()]), return_inverse=True
    )
    total = np.bincount(
        place, np.concatenate([counts for _, counts in found.values()]), minlength=len(every)
    )
    several = total > 1
    so_far = np.zeros(len(every), dtype=np.int64)
    before: _Counts = {}
    for name in sorted(found):
        hashes, counts = found[name]
        place = np.searchsorted(every, hashes)
        kept = several[place]
        if kept.any():
            before[name] = (hashes[kept], so_far[place[kept]])
        so_far[place] += counts
    return before


def mixed(x: Hashes) -> Hashes:
    """SplitMix64 of each number."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
