"""Conditional inference as a published program has it: significance rounded to a float."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc

from mixedwood.data import Table
from mixedwood.estimators.one_tree import OneTreeClassifier
from mixedwood.pruning.merge_equal import merge_equal_leaves
from mixedwood.splits import Partitioner, best_partition, chi2_test, conditional_inference_test
from mixedwood.tree_builder import TreeBuilder

__all__ = ["RoundedSignificanceClassifier"]


@dataclass(frozen=True)
class _Chosen:
    """A column, and a group for each of its values."""

    column: int
    counts: NDArray[np.float64]
    group: NDArray[np.int32]


class RoundedSignificanceClassifier(OneTreeClassifier):
    """A tree that takes the column whose chi-square CDF is largest, first come, first served.

    The CDF is exactly 1.0 for every column of some significance at a node of many rows, so that
    the first of these columns is taken. That is a fault: a correct program compares logarithms of
    p-values, as ``TreeClassifier(selection="significance")`` does. This one is here to show that
    published figures come from it. Nominal columns only; written for being right, not fast.

    Parameters
    ----------
    criterion, partitioner
        Which split of the column is taken; see `mixedwood.splits.best_partition`.
    max_depth : int, default=5
        Most tests in a row.
    max_p : float, default=0.1
        A column is used at a node if its chi-square test has a smaller p-value.
    min_second : int, default=15
        Fewest rows of a column's second most frequent value.

    Attributes
    ----------
    tree_ : Tree
        The tree; splits that change no answer are undone.
    classes_ : ndarray
        The classes.

    Examples
    --------
    Both columns are significant beyond what a float between 0 and 1 can tell.

    >>> rows = ["a"] * 500 + ["b"] * 500
    >>> weak = ["a"] * 400 + ["b"] * 500 + ["a"] * 100
    >>> model = RoundedSignificanceClassifier("gini").fit({"weak": weak, "strong": rows}, rows)
    >>> model.tree_.schema.columns[int(model.tree_.column[0])].name
    'weak'
    """

    def __init__(
        self,
        criterion: str = "gini",
        partitioner: str | Partitioner = "auto",
        *,
        max_depth: int = 5,
        max_p: float = 0.1,
        min_second: int = 15,
    ) -> None:
        self.criterion = criterion
        self.partitioner = partitioner
        self.max_depth = max_depth
        self.max_p = max_p
        self.min_second = min_second

    unseen = "node"

    def fit(self, X: Any, y: Any) -> RoundedSignificanceClassifier:
        """Grow the tree."""
        table, target = self._read_training(X, y, None)
        if numeric := [column.name for column in table.schema if column.is_numeric]:
            raise ValueError(
                f"X has numeric columns ({', '.join(numeric)}); only nominal ones are taken. "
                "Leave them out, or use TreeClassifier."
            )
        k = len(target.classes)
        builder = TreeBuilder(table.schema, target.classes, np.bincount(target.codes, minlength=k))
        waiting = [(0, np.arange(table.n_rows), 0)]
        while waiting:
            node, rows, depth = waiting.pop()
            codes = target.codes[rows]
            if depth == self.max_depth or len(np.unique(codes)) < 2:
                continue
            chosen = self._choose(table, rows, codes, k)
            if chosen is None:
                continue
            column = table.schema.columns[chosen.column]
            sides = [np.flatnonzero(chosen.group == side) for side in (0, 1)]
            children = builder.split_values(
                node,
                column.name,
                [chosen.counts[values].sum(axis=0) for values in sides],
                [[column.values[code] for code in values] for values in sides],
            )
            side_of = chosen.group[table.arrays[chosen.column][rows]]
            for side, child in enumerate(children):
                waiting.append((child, rows[side_of == side], depth + 1))
        self._remember(table, target)
        self.tree_ = merge_equal_leaves(builder.build())
        return self

    def _choose(
        self, table: Table, rows: NDArray[np.intp], codes: NDArray[np.int32], k: int
    ) -> _Chosen | None:
        best, largest = None, -1.0
        for number, (column, array) in enumerate(zip(table.schema, table.arrays, strict=True)):
            cells = array[rows].astype(np.int64) * k + codes
            counts = np.bincount(cells, minlength=column.n_values * k).reshape(-1, k).astype(float)
            if not self._accepts(counts):
                continue
            test = conditional_inference_test(counts)
            rounded = float(gammainc(test.degrees_of_freedom / 2, test.statistic / 2))
            if rounded > largest:
                best, largest = (number, counts), rounded
        if best is None:
            return None
        found = best_partition(best[1], self.criterion, self.partitioner)
        if found.n_groups < 2 or found.score <= 1e-11:  # zero, rounding set aside
            return None
        return _Chosen(best[0], best[1], found.group)

    def _accepts(self, counts: NDArray[np.float64]) -> bool:
        frequent = np.sort(counts.sum(axis=1))
        if len(frequent) < 2 or frequent[-2] < self.min_second:
            return False
        return chi2_test(counts).p_value < self.max_p
