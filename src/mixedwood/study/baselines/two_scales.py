"""Twoing as a published program has it: nominal and numeric columns on two scales."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mixedwood.splits import best_partition
from mixedwood.study.baselines.plain_tree import NO_GAIN, Choice, Node, PlainTreeClassifier

__all__ = ["TwoScalesClassifier"]


class TwoScalesClassifier(PlainTreeClassifier):
    """A tree by Twoing that scores nominal columns twice as high as numeric ones.

    A nominal column carries the Gini gain of the best two superclasses, a numeric one the Twoing
    value of its best threshold, which is half of that gain. That is a fault: `TreeClassifier` has
    one scale. This one is here to show that published figures come from it.

    Parameters
    ----------
    factor : float, default=2.0
        How many times a nominal column counts; with 1 it is the correct tree.
    max_depth : int, default=5
        Most tests in a row.
    max_p : float, default=0.1
        A nominal column is used at a node if its chi-square test has a smaller p-value.
    min_second : int, default=15
        Fewest rows of a nominal column's second most frequent value.

    Attributes
    ----------
    tree_ : Tree
        The tree; splits that change no answer are undone.
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
        best, highest = None, NO_GAIN
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
    # Thresholds that are equal but for rounding are equal: the first of them.
    place = int(np.argmax(scores >= scores.max() - 1e-15))
    return float(scores[place]), float((sorted_x[place] + sorted_x[place + 1]) / 2)
