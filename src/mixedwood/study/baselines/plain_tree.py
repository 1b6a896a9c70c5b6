"""Trees grown in plain Python, to show what published programs do; for being right, not fast."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Table
from mixedwood.estimators.one_tree import OneTreeClassifier
from mixedwood.pruning.merge_equal import merge_equal_leaves
from mixedwood.splits import chi2_test
from mixedwood.tree_builder import TreeBuilder

__all__ = ["NO_GAIN", "Choice", "Node", "PlainTreeClassifier"]

NO_GAIN = 1e-11  # zero, rounding set aside


@dataclass(frozen=True)
class Choice:
    """The test of a node: a threshold of a number, or a group, 0 or 1, for each value."""

    column: int
    threshold: float = np.nan
    group: NDArray[np.int32] | None = None


@dataclass(frozen=True, eq=False)
class Node:
    """Rows of a table that reached a node, and their classes."""

    table: Table
    rows: NDArray[np.intp]
    codes: NDArray[np.int32]
    n_classes: int

    def cells(self, column: int) -> NDArray[Any]:
        """Give a column in these rows."""
        return np.asarray(self.table.arrays[column][self.rows])

    def counts(self, column: int) -> NDArray[np.float64]:
        """Count the values of a nominal column in each class."""
        k, n_values = self.n_classes, self.table.schema.columns[column].n_categories
        places = self.cells(column).astype(np.int64) * k + self.codes
        return np.bincount(places, minlength=n_values * k).reshape(-1, k).astype(float)


class PlainTreeClassifier(OneTreeClassifier):
    """Grows a tree by `_choose`, and undoes splits that change no answer.

    Subclasses have the parameters `max_depth`, `max_p` and `min_second`; the last two are those of
    `TreeClassifier.nominal_splits`.
    """

    unseen = "node"
    max_depth: int
    max_p: float
    min_second: int

    @abstractmethod
    def _choose(self, node: Node) -> Choice | None:
        """Give the test of a node, or None if it is a leaf."""

    def fit(self, X: Any, y: Any) -> PlainTreeClassifier:
        """Grow the tree."""
        table, target = self._read_training(X, y, None)
        self._check(table)
        k = len(target.classes)
        builder = TreeBuilder(table.schema, target.classes, np.bincount(target.codes, minlength=k))
        waiting = [(0, np.arange(table.n_rows), 0)]
        while waiting:
            number, rows, depth = waiting.pop()
            node = Node(table, rows, target.codes[rows], k)
            if depth == self.max_depth or len(np.unique(node.codes)) < 2:
                continue
            if (choice := self._choose(node)) is None:
                continue
            side = _side(node, choice)
            children = _split(builder, number, node, choice, side)
            for which, child in enumerate(children):
                waiting.append((child, rows[side == which], depth + 1))
        self._remember(table, target)
        self.tree_ = merge_equal_leaves(builder.build())
        return self

    def _check(self, table: Table) -> None:
        """Refuse tables that the program cannot read."""

    def _accepts(self, counts: NDArray[np.float64]) -> bool:
        """Whether a nominal column may be used at a node."""
        frequent = np.sort(counts.sum(axis=1))
        if len(frequent) < 2 or frequent[-2] < self.min_second:
            return False
        return chi2_test(counts).p_value < self.max_p


def _side(node: Node, choice: Choice) -> NDArray[np.int32]:
    cells = node.cells(choice.column)
    if choice.group is None:
        return (cells > choice.threshold).astype(np.int32)
    return np.asarray(choice.group[cells], dtype=np.int32)


def _split(
    builder: TreeBuilder, number: int, node: Node, choice: Choice, side: NDArray[np.int32]
) -> list[int]:
    column = node.table.schema.columns[choice.column]
    k = node.n_classes
    counts = [np.bincount(node.codes[side == which], minlength=k) for which in (0, 1)]
    if choice.group is None:
        return builder.split_interval(number, column.name, counts, high=choice.threshold)
    groups = [[column.categories[c] for c in np.flatnonzero(choice.group == w)] for w in (0, 1)]
    return builder.split_values(number, column.name, counts, groups)
