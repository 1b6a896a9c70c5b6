"""Methods of the study: its preset, and trees that reproduce two faults of the published program.

The trees are grown in plain Python: simple, not fast.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc

from mixedwood import TreeClassifier
from mixedwood.data import Table
from mixedwood.estimators._single import SingleTreeClassifier
from mixedwood.pruning import merge_equal_leaves
from mixedwood.splits import (
    Criterion,
    Partitioner,
    best_partition,
    chi2_test,
    conditional_inference_test,
)
from mixedwood.tree import TreeBuilder

__all__ = ["RoundedSignificanceClassifier", "TwoScalesClassifier", "nominal_splits"]

_NO_GAIN = 1e-11  # zero, up to rounding


def nominal_splits(
    criterion: str | Criterion = "gini",
    partitioner: str | Partitioner = "auto",
    *,
    max_depth: int | None = 5,
    **parameters: Any,
) -> TreeClassifier:
    """Make a tree with the settings in which the literature compares splits of nominal columns.

    A column is used at a node if its chi-square test is significant at 10 % and its second most
    frequent value has at least 15 rows. Only splits that change no prediction are pruned.

    Parameters
    ----------
    criterion, partitioner
        What is compared.
    max_depth : int or None, default=5
        Maximum depth of the tree; 5 and 16 are usual.
    **parameters
        Further parameters of `TreeClassifier`.

    Examples
    --------
    >>> nominal_splits("gini", "principal_ext").max_depth
    5
    """
    preset: dict[str, Any] = {
        "criterion": criterion,
        "partitioner": partitioner,
        "max_depth": max_depth,
        "screener": ["chi2", "second_value"],
        "selection": "score",
        "min_split_gain": _NO_GAIN,
        "min_samples_split": 1,
        "pruning": "merge_equal",
    }
    return TreeClassifier(**{**preset, **parameters})


@dataclass(frozen=True)
class Choice:
    """The split of a node: a threshold, or a group, 0 or 1, for each category."""

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
        """Return a column in these rows."""
        return np.asarray(self.table.arrays[column][self.rows])

    def counts(self, column: int) -> NDArray[np.float64]:
        """Count the values of a nominal column in each class."""
        k, n_values = self.n_classes, self.table.schema.columns[column].n_categories
        places = self.cells(column).astype(np.int64) * k + self.codes
        return np.bincount(places, minlength=n_values * k).reshape(-1, k).astype(float)


class PlainTreeClassifier(SingleTreeClassifier):
    """Grows a tree by `_choose`, and removes splits whose children predict the same class.

    Subclasses have the parameters `max_depth`, `max_p` and `min_second`; the last two are those of
    `nominal_splits`.
    """

    handle_unknown = "stop"
    max_depth: int
    max_p: float
    min_second: int

    @abstractmethod
    def _choose(self, node: Node) -> Choice | None:
        """Choose the split of a node; None for a leaf."""

    def fit(self, X: Any, y: Any) -> PlainTreeClassifier:  # type: ignore[override]
        """Grow the tree."""
        table, target = self._read_training(X, y, None)
        self._check(table)
        k = len(target.classes)
        builder = TreeBuilder(table.schema, target.classes, np.bincount(target.codes, minlength=k))
        open_nodes = [(0, np.arange(table.n_rows), 0)]
        while open_nodes:
            number, rows, depth = open_nodes.pop()
            node = Node(table, rows, target.codes[rows], k)
            if depth == self.max_depth or len(np.unique(node.codes)) < 2:
                continue
            if (choice := self._choose(node)) is None:
                continue
            side = _side(node, choice)
            children = _split(builder, number, node, choice, side)
            for which, child in enumerate(children):
                open_nodes.append((child, rows[side == which], depth + 1))
        self._remember(table, target)
        self.tree_ = merge_equal_leaves(builder.build())
        return self

    def _check(self, table: Table) -> None:
        """Raise for tables that the program cannot read."""

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
    return builder.split_categories(number, column.name, counts, groups)


class RoundedSignificanceClassifier(PlainTreeClassifier):
    """A tree that chooses the first column with the largest chi-square CDF.

    At a node with many rows, the CDF rounds to 1.0 for every significant column, so the first of
    these columns is chosen. That is a fault of the published program; ``TreeClassifier(
    selection="significance")`` compares logarithms of p-values instead. This class reproduces the
    published values. It accepts nominal columns only.

    Parameters
    ----------
    criterion, partitioner
        How the chosen column is split; see `mixedwood.splits.best_partition`.
    max_depth : int, default=5
        Maximum depth of the tree.
    max_p : float, default=0.1
        A column is used at a node if its chi-square test has a smaller p-value.
    min_second : int, default=15
        Minimum number of rows of the second most frequent category.

    Attributes
    ----------
    tree_ : Tree
        The tree, without splits whose children predict the same class.
    classes_ : ndarray
        The classes.

    Examples
    --------
    The CDF of both columns rounds to 1.0.

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

    def _check(self, table: Table) -> None:
        if numeric := [column.name for column in table.schema if column.is_numeric]:
            raise ValueError(
                f"X has numeric columns ({', '.join(numeric)}); only nominal columns are "
                "supported. Leave them out, or use TreeClassifier."
            )

    def _choose(self, node: Node) -> Choice | None:
        best, largest = None, -1.0
        for column in range(node.table.n_columns):
            counts = node.counts(column)
            if not self._accepts(counts):
                continue
            test = conditional_inference_test(counts)
            rounded = float(gammainc(test.degrees_of_freedom / 2, test.statistic / 2))
            if rounded > largest:
                best, largest = (column, counts), rounded
        if best is None:
            return None
        found = best_partition(best[1], self.criterion, self.partitioner)
        if found.n_groups < 2 or found.score <= _NO_GAIN:
            return None
        return Choice(best[0], group=found.group)


class TwoScalesClassifier(PlainTreeClassifier):
    """A tree by Twoing that scores nominal columns twice as high as numeric ones.

    The score of a nominal column is the Gini gain of the best two superclasses, that of a numeric
    column the Twoing value of its best threshold, which is half of that gain. That is a fault of
    the published program; `TreeClassifier` uses one scale. This class reproduces the published
    values.

    Parameters
    ----------
    factor : float, default=2.0
        Factor of the scores of nominal columns; 1 gives the correct tree.
    max_depth : int, default=5
        Maximum depth of the tree.
    max_p : float, default=0.1
        A nominal column is used at a node if its chi-square test has a smaller p-value.
    min_second : int, default=15
        Minimum number of rows of the second most frequent category.

    Attributes
    ----------
    tree_ : Tree
        The tree, without splits whose children predict the same class.
    classes_ : ndarray
        The classes.

    Examples
    --------
    >>> y = [0] * 50 + [1] * 50
    >>> X = {"number": [float(i) for i in range(100)], "value": ["u"] * 40 + ["v"] * 60}
    >>> def root(model):
    ...     return model.tree_.schema.columns[int(model.tree_.column[0])].name
    >>> root(TwoScalesClassifier().fit(X, y)), root(TwoScalesClassifier(factor=1).fit(X, y))
    ('value', 'number')
    """

    criterion = "twoing"

    def __init__(
        self,
        *,
        factor: float = 2.0,
        max_depth: int = 5,
        max_p: float = 0.1,
        min_second: int = 15,
    ) -> None:
        self.factor = factor
        self.max_depth = max_depth
        self.max_p = max_p
        self.min_second = min_second

    def _choose(self, node: Node) -> Choice | None:
        best, highest = None, _NO_GAIN
        for column, kind in enumerate(node.table.schema):
            if kind.is_numeric:
                score, threshold = best_threshold(node.cells(column), node.codes, node.n_classes)
                choice = Choice(column, threshold=threshold)
            else:
                counts = node.counts(column)
                if not self._accepts(counts):
                    continue
                found = best_partition(counts, "twoing", "twoing")
                score, choice = self.factor * found.score, Choice(column, group=found.group)
            if score > highest:
                best, highest = choice, score
        return best


def best_threshold(
    x: NDArray[np.float64], codes: NDArray[np.int32], n_classes: int
) -> tuple[float, float]:
    """Find the best Twoing value and its threshold; minus infinity if all numbers are equal."""
    order = np.argsort(x, kind="stable")
    sorted_x = x[order]
    left = np.cumsum(np.eye(n_classes)[codes[order]], axis=0)
    total, left = left[-1], left[:-1]
    right = total - left
    n_left, n_right = left.sum(axis=1), right.sum(axis=1)
    apart = np.abs(left / n_left[:, None] - right / n_right[:, None]).sum(axis=1)
    scores = n_left * n_right / len(x) ** 2 / 4 * apart**2
    scores[sorted_x[1:] == sorted_x[:-1]] = -np.inf
    if len(scores) == 0 or not np.isfinite(scores).any():
        return -np.inf, np.nan
    # The first of thresholds whose scores are equal up to rounding.
    place = int(np.argmax(scores >= scores.max() - 1e-15))
    return float(scores[place]), float((sorted_x[place] + sorted_x[place + 1]) / 2)
