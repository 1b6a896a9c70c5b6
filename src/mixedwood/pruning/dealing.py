"""Deal training rows out along the tests of a tree, as growing did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import MISSING, Table
from mixedwood.tree import STOP, SplitKind, Tree

__all__ = ["Dealer", "Rows", "has_branch_per_value"]

EQUAL = 1e-6  # weights closer than this are equal, as in C4.5's heir J48


@dataclass(frozen=True)
class Rows:
    """Rows at a node, ascending, and what each weighs there."""

    rows: NDArray[np.intp]
    weights: NDArray[np.float64]

    def same_as(self, other: Rows) -> bool:
        """Tell whether these are the same rows with the same weights."""
        return np.array_equal(self.rows, other.rows) and np.array_equal(self.weights, other.weights)


def has_branch_per_value(tree: Tree, node: int) -> bool:
    """Tell whether a nominal test has one child for each value that its column has.

    Such a test does not list the values that no training row had, but each has its empty child.
    """
    if tree.split_kind[node] not in (SplitKind.SUBSET, SplitKind.MULTIWAY):
        return False
    codes, positions = tree.categories_of(node)
    return (
        len(tree.children_of(node)) == tree.column_of(node).n_categories
        and tree.unknown_child[node] == STOP
        and np.array_equal(codes, positions)
    )


class Dealer:
    """Deals rows to the children of a node of a tree.

    A row goes where the test sends it. A row for which the test has no answer goes to every
    child, in proportion to the weight of the rows that have one; in equal parts when there are
    none. That is so for rows that the tree would stop at the node, too: they count below it.
    """

    def __init__(self, tree: Tree, table: Table) -> None:
        self._tree, self._table = tree, table
        self._child_of: dict[int, NDArray[np.int32]] = {}

    def deal(self, node: int, here: Rows) -> list[Rows]:
        """Deal rows to the children of a node; one entry for each."""
        n_children = len(self._tree.children_of(node))
        position = self._positions(node, here.rows)
        answered = position >= 0
        if answered.all():
            return _grouped(here, position, n_children)
        known = Rows(here.rows[answered], here.weights[answered])
        dealt = _grouped(known, position[answered], n_children)
        reached = np.array([branch.weights.sum() for branch in dealt])
        total = reached.sum()
        shares = reached / total if total > EQUAL else np.full(n_children, 1 / n_children)
        lost, weights = here.rows[~answered], here.weights[~answered]
        return [
            _merged(branch, lost, weights * share) if share > EQUAL else branch
            for branch, share in zip(dealt, shares, strict=True)
        ]

    def _positions(self, node: int, rows: NDArray[np.intp]) -> NDArray[np.int32]:
        """Give the position of the child for each row; below zero where the test has no answer."""
        tree = self._tree
        missing, unseen = tree.missing_child[node], tree.unknown_child[node]
        if tree.split_kind[node] == SplitKind.LINEAR:
            sums = tree.linear_sums(node, self._table, rows.astype(np.int32))
            return _int32(np.where(np.isnan(sums), missing, sums <= 0))
        x = self._table.arrays[tree.column[node]][rows]
        if tree.split_kind[node] != SplitKind.INTERVAL:
            return _int32(self._table_of(node)[x])
        position = np.where((x > tree.low[node]) & (x <= tree.high[node]), 0, 1)
        if x.dtype == np.float64:
            return _int32(np.where(np.isnan(x), missing, position))
        coded = np.where(x == MISSING, missing, unseen)
        return _int32(np.where(x < 0, coded, position))

    def _table_of(self, node: int) -> NDArray[np.int32]:
        """Child by code; the two codes below zero read the two entries at the end."""
        tree = self._tree
        if node not in self._child_of:
            child_of = np.full(
                tree.column_of(node).n_categories + 2, tree.unknown_child[node], np.int32
            )
            codes, positions = tree.categories_of(node)
            child_of[codes] = positions
            if has_branch_per_value(tree, node):
                child_of[:-2] = np.arange(len(child_of) - 2)
            child_of[MISSING] = tree.missing_child[node]
            self._child_of[node] = child_of
        return self._child_of[node]


def _int32(positions: NDArray[Any]) -> NDArray[np.int32]:
    return np.asarray(positions, np.int32)


def _grouped(here: Rows, position: NDArray[np.int32], n_groups: int) -> list[Rows]:
    order = np.argsort(position, kind="stable")
    ends = np.cumsum(np.bincount(position, minlength=n_groups))[:-1]
    rows = np.split(here.rows[order], ends)
    weights = np.split(here.weights[order], ends)
    return [Rows(r, w) for r, w in zip(rows, weights, strict=True)]


def _merged(branch: Rows, rows: NDArray[np.intp], weights: NDArray[np.float64]) -> Rows:
    everyone = np.concatenate([branch.rows, rows])
    order = np.argsort(everyone)
    return Rows(everyone[order], np.concatenate([branch.weights, weights])[order])
