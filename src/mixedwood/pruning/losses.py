"""Losses of trees that predict numbers on rows that they were not grown on.

A row passes the nodes on its path. If a node becomes a leaf, all rows that pass it receive its
number; so the losses of the rows at each node of the full tree give the loss of every pruned tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Table, Target, check_same_length
from mixedwood.tree import SplitKind, Tree

__all__ = ["PathLosses", "losses_at_nodes", "path_losses", "path_losses_of_sums", "row_losses"]

Numbers = NDArray[np.float64]

_SMALLEST_MEAN = 1e-9  # of a Poisson distribution; one of 0 would exclude every count above 0


def row_losses(loss: str, y: Numbers, predicted: Numbers) -> Numbers:
    """Compute the loss of each prediction: squared or absolute error, or half the deviance.

    Examples
    --------
    >>> import numpy as np
    >>> y, predicted = np.array([1.0, 4.0]), np.array([2.0, 2.0])
    >>> row_losses("squared_error", y, predicted).tolist()
    [1.0, 4.0]
    >>> row_losses("poisson", y, predicted).round(3).tolist()
    [0.307, 0.773]
    """
    if loss == "squared_error":
        return np.asarray((y - predicted) ** 2)
    if loss == "absolute_error":
        return np.abs(y - predicted)
    mean = np.maximum(predicted, _SMALLEST_MEAN)
    ratio = np.where(y > 0, y, 1.0) / mean
    return np.asarray(np.where(y > 0, y * np.log(ratio), 0.0) - y + mean)


def losses_at_nodes(
    tree: Tree, table: Table, target: Target, values: Numbers, power: int = 1
) -> tuple[Numbers, Numbers]:
    """Sum the losses of the rows that pass each node, and of those that end in it.

    Parameters
    ----------
    tree : Tree
        A tree that predicts numbers.
    table, target : Table, Target
        The rows.
    values : ndarray of shape (n_nodes,)
        The number of each node.
    power : {1, 2}, default=1
        2 sums the squares of the losses.

    Returns
    -------
    passing, ending : ndarray of shape (n_nodes,)
        Weighted sums.
    """
    check_same_length(table, target)
    return _sums(tree, tree.apply(table), target, values, power)


def _sums(
    tree: Tree, ends: NDArray[np.int32], target: Target, values: Numbers, power: int
) -> tuple[Numbers, Numbers]:
    y = target.numbers
    weights = np.ones(len(y)) if target.weights is None else target.weights
    passing = np.zeros(tree.n_nodes)
    ending: Numbers | None = None
    nodes = ends
    while len(nodes):
        losses = weights * row_losses(tree.loss or "", y, values[nodes]) ** power
        passing += np.bincount(nodes, losses, minlength=tree.n_nodes)
        if ending is None:
            ending = passing.copy()
        above = tree.parent[nodes]
        below_root = above >= 0
        nodes, y, weights = above[below_root], y[below_root], weights[below_root]
    return passing, passing.copy() if ending is None else ending


class PathLosses(NamedTuple):
    """Sums of the losses of rows, and of their squares, for each strength and alpha."""

    losses: Numbers
    squares: Numbers


def path_losses(
    tree: Tree,
    cut_at: Numbers,
    table: Table,
    target: Target,
    alphas: Numbers,
    values: list[Numbers],
) -> PathLosses:
    """Sum the losses of every tree of a pruning path at once.

    Parameters
    ----------
    tree : Tree
        The full tree, which predicts numbers.
    cut_at : ndarray of shape (n_nodes,)
        The alpha from which each node is a leaf; see `CostComplexityPath`.
    table, target : Table, Target
        The rows.
    alphas : ndarray of shape (n_alphas,)
        Complexity parameters, ascending.
    values : list of ndarray of shape (n_nodes,)
        Numbers of the nodes, for each strength of shrinkage.

    Returns
    -------
    PathLosses
        Arrays of shape (len(values), n_alphas).
    """
    check_same_length(table, target)
    ends = tree.apply(table)
    return _losses_of_path(
        tree,
        cut_at,
        alphas,
        values,
        lambda numbers, power: _sums(tree, ends, target, numbers, power),
    )


def path_losses_of_sums(
    tree: Tree,
    cut_at: Numbers,
    sums: Sequence[Sequence[Fraction]],
    alphas: Numbers,
    values: list[Numbers],
) -> PathLosses:
    """Sum the losses as `path_losses` does, given sums of the rows that end in each node.

    These are the sums of weights, and of weights times powers of the target from 1 to 4; or for
    "poisson", times y, y**2, a, a**2 and a * y, where a is y log y - y.
    """
    passing = [list(row) for row in sums]
    for node in range(tree.n_nodes - 1, 0, -1):
        above = passing[int(tree.parent[node])]
        above[:] = [x + y for x, y in zip(above, passing[node], strict=True)]
    kind = _PoissonSums if tree.loss == "poisson" else _Powers
    through, here = kind(passing), kind(sums)
    return _losses_of_path(
        tree,
        cut_at,
        alphas,
        values,
        lambda numbers, power: (through.losses(numbers, power), here.losses(numbers, power)),
    )


class _Powers:
    """Sums of squared errors and of their squares, by moments about the mean of each node."""

    def __init__(self, sums: Sequence[Sequence[Fraction]]) -> None:
        found = np.zeros((5, len(sums)))
        for node, (w, s, s2, s3, s4) in enumerate(sums):
            if w == 0:
                continue
            m = s / w
            second = s2 - m * s
            third = s3 - 3 * m * s2 + 2 * m * m * s
            fourth = s4 - 4 * m * s3 + 6 * m * m * s2 - 3 * m**3 * s
            found[:, node] = [float(x) for x in (w, m, second, third, fourth)]
        self.weight, self.mean, self.second, self.third, self.fourth = found

    def losses(self, values: Numbers, power: int) -> Numbers:
        away = self.mean - values
        if power == 1:
            return np.asarray(self.second + self.weight * away**2)
        sums = self.fourth + 4 * away * self.third + 6 * away**2 * self.second
        return np.asarray(np.maximum(sums + self.weight * away**4, 0.0))


class _PoissonSums:
    """Sums of half the deviance and of its squares."""

    def __init__(self, sums: Sequence[Sequence[Fraction]]) -> None:
        self.sums = np.array([[float(x) for x in row] for row in sums]).T

    def losses(self, values: Numbers, power: int) -> Numbers:
        weight, y, y2, own, own2, own_y = self.sums
        mean = np.maximum(values, _SMALLEST_MEAN)
        log = np.log(mean)
        if power == 1:
            return np.asarray(np.maximum(own - log * y + mean * weight, 0.0))
        squares = own2 + log**2 * y2 + mean**2 * weight
        products = mean * own - log * own_y - mean * log * y
        return np.asarray(np.maximum(squares + 2 * products, 0.0))


def _losses_of_path(
    tree: Tree,
    cut_at: Numbers,
    alphas: Numbers,
    values: list[Numbers],
    sums: Callable[[Numbers, int], tuple[Numbers, Numbers]],
) -> PathLosses:
    """Losses of a path, given a function of numbers and power for `losses_at_nodes`."""
    above = np.append(cut_at, np.inf)[tree.parent]  # the smallest alpha that removes the node
    for ahead in tree._leaps():
        above = np.minimum(above, above[ahead])
    is_leaf = tree.split_kind == SplitKind.LEAF
    n = len(alphas)
    own = np.searchsorted(alphas, cut_at)
    own = np.where(is_leaf, 0, np.where(np.isinf(cut_at), n, own))
    gone = np.where(np.isinf(above), n, np.searchsorted(alphas, above))
    found = np.empty((2, len(values), n))
    for place, numbers in enumerate(values):
        for power in (1, 2):
            passing, ending = sums(numbers, power)
            # A node predicts all rows that pass it while it is a leaf; before, if it is an inner
            # node, those that stop there.
            total = _interval_sums(own, gone, passing, n)
            stopping = np.where(is_leaf, 0.0, ending)
            total += _interval_sums(np.zeros_like(own), np.minimum(own, gone), stopping, n)
            found[power - 1, place] = total
    return PathLosses(found[0], found[1])


def _interval_sums(first: NDArray[Any], last: NDArray[Any], amounts: Numbers, n: int) -> Numbers:
    """Add each amount to the places from first to last, without last."""
    used = first < last
    steps = np.bincount(first[used], amounts[used], minlength=n + 1)
    steps -= np.bincount(last[used], amounts[used], minlength=n + 1)
    return np.asarray(np.maximum(np.cumsum(steps)[:n], 0.0))
