"""Losses of gradient boosting: the best constant, derivatives by raw scores, and values of leaves.

Two classes have one raw score, the log odds of the second class; more classes have one score each.
The raw score of a number is its prediction or, for losses of positive numbers, its logarithm.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood.data import Target
from mixedwood.data.target import exact_sums
from mixedwood.tree import Tree
from mixedwood.tree.predictor import probabilities

__all__ = [
    "NUMBER_LOSSES",
    "AbsoluteError",
    "Huber",
    "LogLoss",
    "Loss",
    "Quantile",
    "SquaredError",
    "Tweedie",
    "node_quantiles",
    "number_loss",
    "probabilities",
    "weighted_quantile",
]

Numbers = NDArray[np.float64]
Rows = NDArray[np.int32]

NUMBER_LOSSES = (
    "squared_error",
    "absolute_error",
    "huber",
    "quantile",
    "poisson",
    "gamma",
    "tweedie",
)
"""Names of the losses of numbers, see `number_loss`."""


class Loss:
    """A loss of raw scores. Weights of rows are those of the target."""

    name: str
    link: ClassVar[Literal["identity", "log", "classes"]] = "identity"

    def check(self, target: Target, name: str = "y") -> None:
        """Raise ValueError if the loss is not defined for the numbers of a target."""

    def baseline(self, target: Target, rows: Rows) -> Numbers:
        """Raw scores of the best constant prediction for some rows."""
        raise NotImplementedError

    def values(self, scores: Numbers, target: Target) -> Numbers:
        """Loss of each row, were its weight 1."""
        raise NotImplementedError

    def value(self, scores: Numbers, target: Target, rows: Rows) -> float:
        """Mean loss of some rows."""
        return _mean(
            self.values(scores[rows], target.take(rows)),
            None if target.weights is None else target.weights[rows],
        )

    def derivatives(
        self,
        scores: Numbers,
        target: Target,
        rows: Rows,
        gradients: Numbers,
        hessians: Numbers,
        n_threads: int = 1,
    ) -> None:
        """Write the first and second derivatives of the loss of each row into two arrays.

        `rows` are the training rows, from which a loss may estimate its scale.
        """
        raise NotImplementedError

    def leaf_values(
        self, steps: Numbers, tree: Tree, node: Rows, scores: Numbers, target: Target, rows: Rows
    ) -> Numbers:
        """Values of the nodes of a tree, from their Newton steps.

        Parameters
        ----------
        steps : ndarray of shape (n_nodes, n_outputs)
            Newton steps.
        tree : Tree
            The tree.
        node : ndarray of int32
            The leaf of each row of the target.
        scores, target
            Raw scores before this tree, and the target.
        rows : ndarray of int32
            The rows that the tree was grown on.
        """
        return steps


class LogLoss(Loss):
    """The negative logarithm of the probability of the true class.

    Examples
    --------
    >>> import numpy as np
    >>> from mixedwood.data import read_target
    >>> rows = np.arange(4, dtype=np.int32)
    >>> LogLoss().baseline(read_target(["a", "b", "b", "b"]), rows).round(3)
    array([1.099])
    >>> round(LogLoss().value(np.zeros((2, 1)), read_target(["a", "b"]), rows[:2]), 3)
    0.693
    """

    name = "log_loss"
    link = "classes"

    def baseline(self, target: Target, rows: Rows) -> Numbers:
        """Logarithms of the class frequencies."""
        if target.weights is None:
            counts: NDArray[Any] = np.bincount(target.codes[rows], minlength=target.n_classes)
        else:
            counts = exact_sums(target.weights[rows], target.codes[rows], target.n_classes)
        return self.best_scores(counts)

    def best_scores(self, weights: NDArray[Any]) -> Numbers:
        """Raw scores of the best constant prediction, from the weights of the classes."""
        # A class without rows is unlikely, not impossible.
        logs = np.log(np.maximum(weights / weights.sum(), 1e-9))
        return np.asarray(logs[1:] - logs[:1] if len(weights) == 2 else logs)

    def values(self, scores: Numbers, target: Target) -> Numbers:
        """Negative logarithm of the probability of each row's class."""
        true = probabilities(scores)[np.arange(target.n_rows), target.codes]
        return np.asarray(-np.log(np.maximum(true, 1e-300)))

    def derivatives(
        self,
        scores: Numbers,
        target: Target,
        rows: Rows,
        gradients: Numbers,
        hessians: Numbers,
        n_threads: int = 1,
    ) -> None:
        """Write the derivatives by the raw scores."""
        _core.log_loss_derivatives(
            scores, target.codes, target.weights, gradients, hessians, n_threads
        )


class _NumberLoss(Loss):
    """A loss of one number and its raw score; subclasses state it for rows of weight 1."""

    def _losses(self, y: Numbers, score: Numbers) -> Numbers:
        raise NotImplementedError

    def _derivatives(self, y: Numbers, score: Numbers) -> tuple[Numbers, Numbers | float]:
        raise NotImplementedError

    def _best(self, y: Numbers, weights: Numbers | None) -> float:
        raise NotImplementedError

    def baseline(self, target: Target, rows: Rows) -> Numbers:
        """Raw score of the best constant prediction for some rows."""
        y = target.numbers[rows]
        best = self._best(y, None if target.weights is None else target.weights[rows])
        return self.best_score(best, float(y.min()), float(y.max()), float(target.numbers.max()))

    def best_score(self, best: float, smallest: float, largest: float, of_all: float) -> Numbers:
        """Raw score of the best constant, given the range of y and the largest of all rows."""
        best = min(max(best, smallest), largest)  # a constant is not rounded
        if self.link == "log":  # held-out rows may have the only number above 0
            best = float(np.log(best or 1e-9 * of_all))
        return np.array([best])

    def values(self, scores: Numbers, target: Target) -> Numbers:
        """Loss of each row."""
        return self._losses(target.numbers, scores[:, 0])

    def derivatives(
        self,
        scores: Numbers,
        target: Target,
        rows: Rows,
        gradients: Numbers,
        hessians: Numbers,
        n_threads: int = 1,
    ) -> None:
        """Write the derivatives by the raw score."""
        gradients[:, 0], hessians[:, 0] = self._derivatives(target.numbers, scores[:, 0])
        if target.weights is not None:
            gradients *= target.weights[:, None]
            hessians *= target.weights[:, None]


class SquaredError(_NumberLoss):
    """Half the squared error.

    Examples
    --------
    >>> import numpy as np
    >>> from mixedwood.data import read_numbers
    >>> SquaredError().baseline(read_numbers([1, 2, 6]), np.arange(3, dtype=np.int32))
    array([3.])
    """

    name = "squared_error"

    def _losses(self, y: Numbers, score: Numbers) -> Numbers:
        return (y - score) ** 2 / 2

    def _derivatives(self, y: Numbers, score: Numbers) -> tuple[Numbers, float]:
        return score - y, 1.0

    def _best(self, y: Numbers, weights: Numbers | None) -> float:
        return _mean(y, weights)


@dataclass
class Quantile(_NumberLoss):
    """The pinball loss, whose best prediction is a quantile.

    Attributes
    ----------
    quantile : float
        The quantile.

    Examples
    --------
    >>> import numpy as np
    >>> from mixedwood.data import read_numbers
    >>> Quantile(0.75).baseline(read_numbers([1, 2, 3, 4, 5]), np.arange(5, dtype=np.int32))
    array([4.])
    """

    quantile: float = 0.5
    name = "quantile"

    def _losses(self, y: Numbers, score: Numbers) -> Numbers:
        above = y - score
        return np.where(above > 0, self.quantile, self.quantile - 1) * above

    def _derivatives(self, y: Numbers, score: Numbers) -> tuple[Numbers, float]:
        # The second derivative is 0. With 1 in its place, splits are those of the squared error of
        # the gradients, and leaves get quantiles afterwards.
        slope = np.where(y > score, -self.quantile, 1 - self.quantile)
        return np.where(y == score, 0.0, slope), 1.0

    def _best(self, y: Numbers, weights: Numbers | None) -> float:
        return weighted_quantile(y, self.quantile, weights)

    def leaf_values(
        self, steps: Numbers, tree: Tree, node: Rows, scores: Numbers, target: Target, rows: Rows
    ) -> Numbers:
        """Quantiles of the residuals."""
        residuals = target.numbers[rows] - scores[rows, 0]
        weights = None if target.weights is None else target.weights[rows]
        return node_quantiles(tree, node[rows], residuals, self.quantile, weights)[:, None]


class AbsoluteError(Quantile):
    """The absolute error, whose best prediction is the median.

    Examples
    --------
    >>> import numpy as np
    >>> from mixedwood.data import read_numbers
    >>> AbsoluteError().baseline(read_numbers([1, 2, 6, 9]), np.arange(4, dtype=np.int32))
    array([4.])
    """

    name = "absolute_error"

    def __init__(self) -> None:
        super().__init__(0.5)

    def _losses(self, y: Numbers, score: Numbers) -> Numbers:
        return np.abs(y - score)

    def _derivatives(self, y: Numbers, score: Numbers) -> tuple[Numbers, float]:
        return np.sign(score - y), 1.0


@dataclass
class Huber(_NumberLoss):
    """Half the squared error of small residuals, linear beyond `delta` (Friedman 2001).

    Each iteration sets `delta` to a quantile of the absolute residuals of the training rows. The
    loss that is reported has the first `delta`, so that iterations can be compared.

    Attributes
    ----------
    quantile : float
        The quantile of the absolute residuals.

    Examples
    --------
    >>> import numpy as np
    >>> from mixedwood.data import read_numbers
    >>> y = read_numbers([1.0, 2.0, 3.0, 100.0])
    >>> Huber(0.5).baseline(y, np.arange(4, dtype=np.int32))
    array([2.5])
    """

    quantile: float = 0.9
    name = "huber"
    _delta: float = field(default=1.0, init=False)
    _first_delta: float = field(default=1.0, init=False)

    def _losses(self, y: Numbers, score: Numbers) -> Numbers:
        size, delta = np.abs(y - score), self._first_delta
        return np.where(size <= delta, size**2 / 2, delta * (size - delta / 2))

    def _derivatives(self, y: Numbers, score: Numbers) -> tuple[Numbers, float]:
        # As for the pinball loss, 1 is in the place of a second derivative of 0.
        return np.clip(score - y, -self._delta, self._delta), 1.0

    def _best(self, y: Numbers, weights: Numbers | None) -> float:
        best = weighted_quantile(y, 0.5, weights)
        self._first_delta = self._scale(np.abs(y - best), weights)
        for _ in range(100):  # descends in steps of at most the minimum's distance
            delta = self._first_delta
            step = float(np.average(np.clip(y - best, -delta, delta), weights=weights))
            best += step
            if abs(step) <= 1e-12 * delta:
                break
        return best

    def _scale(self, size: Numbers, weights: Numbers | None) -> float:
        # With nearly all residuals 0 the quantile is 0, and so would be all derivatives.
        found = weighted_quantile(size, self.quantile, weights)
        return found or float(np.average(size, weights=weights))

    def derivatives(
        self,
        scores: Numbers,
        target: Target,
        rows: Rows,
        gradients: Numbers,
        hessians: Numbers,
        n_threads: int = 1,
    ) -> None:
        """Write the derivatives, with `delta` from the residuals of the training rows."""
        size = np.abs(target.numbers[rows] - scores[rows, 0])
        weights = None if target.weights is None else target.weights[rows]
        self._delta = self._scale(size, weights)
        super().derivatives(scores, target, rows, gradients, hessians, n_threads)

    def leaf_values(
        self, steps: Numbers, tree: Tree, node: Rows, scores: Numbers, target: Target, rows: Rows
    ) -> Numbers:
        """Medians of the residuals, and the mean of the clipped distances from them."""
        residuals = target.numbers[rows] - scores[rows, 0]
        weights = np.ones(len(rows)) if target.weights is None else target.weights[rows]
        order, values = np.argsort(residuals, kind="stable"), np.zeros(tree.n_nodes)
        for nodes in _nodes_by_level(tree, node[rows]):
            median = _group_quantiles(residuals, order, nodes, 0.5, weights, tree.n_nodes)
            beyond = np.clip(residuals - median[nodes], -self._delta, self._delta)
            total = np.bincount(nodes, weights, tree.n_nodes)
            sums = np.bincount(nodes, weights * beyond, tree.n_nodes)
            here = total > 0
            values[here] = median[here] + sums[here] / total[here]
        return values[:, None]


@dataclass
class Tweedie(_NumberLoss):
    """Half the Tweedie deviance with a logarithmic link.

    Attributes
    ----------
    power : float
        Power of the mean that the variance is proportional to, from 1 (Poisson) to 2 (gamma).
    name : str
        Name of the loss in errors.

    Examples
    --------
    >>> import numpy as np
    >>> from mixedwood.data import read_numbers
    >>> y, rows = read_numbers([0, 1, 5]), np.arange(3, dtype=np.int32)
    >>> Tweedie(1.5).baseline(y, rows).round(3)  # the logarithm of the mean
    array([0.693])
    """

    power: float = 1.5
    name: str = "tweedie"
    link = "log"

    def check(self, target: Target, name: str = "y") -> None:
        """Raise ValueError if a number is negative, or 0 where the variance would be 0."""
        y, positive = target.numbers, self.power >= 2
        bad = y <= 0 if positive else y < 0
        if bad.any():
            row = int(np.argmax(bad))
            kind = "strictly positive" if positive else "non-negative"
            raise ValueError(
                f"loss={self.name!r} requires {kind} {name}. Got {y[row].item()!r} in row {row}. "
                "Use loss='squared_error'."
            )
        if name == "y" and not y.any():
            raise ValueError(
                f"loss={self.name!r} requires non-negative y and sum(y) > 0, but all numbers are "
                "0. Use loss='squared_error'."
            )

    def _losses(self, y: Numbers, score: Numbers) -> Numbers:
        p = self.power
        if p == 1:
            logs = np.log(np.where(y > 0, y, 1.0))
            return np.asarray(y * (logs - score) - y + np.exp(score))
        if p == 2:
            return np.asarray(score - np.log(y) + y * np.exp(-score) - 1)
        return np.asarray(
            y ** (2 - p) / ((1 - p) * (2 - p))
            - y * np.exp((1 - p) * score) / (1 - p)
            + np.exp((2 - p) * score) / (2 - p)
        )

    def _derivatives(self, y: Numbers, score: Numbers) -> tuple[Numbers, Numbers]:
        p = self.power
        mean, ratio = np.exp((2 - p) * score), y * np.exp((1 - p) * score)
        return mean - ratio, (2 - p) * mean - (1 - p) * ratio

    def _best(self, y: Numbers, weights: Numbers | None) -> float:
        return _mean(y, weights)

    def leaf_values(
        self, steps: Numbers, tree: Tree, node: Rows, scores: Numbers, target: Target, rows: Rows
    ) -> Numbers:
        """Newton steps; those longer than 1 grow like a logarithm, as the best steps do."""
        size = np.abs(steps)
        longer = 1 + np.log(np.maximum(size, 1.0))
        return np.where(size > 1, np.copysign(longer, steps), steps)


def _mean(values: Numbers, weights: Numbers | None) -> float:
    """Weighted mean, the same for every order of the rows."""
    total = exact_sums(values if weights is None else weights * values)
    return float(total[0] / (len(values) if weights is None else exact_sums(weights)[0]))


def number_loss(name: str, *, quantile: float | None = None, power: float = 1.5) -> Loss:
    """Make the loss of a name of `NUMBER_LOSSES`.

    Examples
    --------
    >>> number_loss("gamma")
    Tweedie(power=2.0, name='gamma')
    """
    if name == "squared_error":
        return SquaredError()
    if name == "absolute_error":
        return AbsoluteError()
    if name == "huber":
        return Huber(0.9 if quantile is None else quantile)
    if name == "quantile":
        return Quantile(0.5 if quantile is None else quantile)
    return Tweedie({"poisson": 1.0, "gamma": 2.0}.get(name, power), name)


def weighted_quantile(values: Numbers, quantile: float, weights: Numbers | None = None) -> float:
    """The number below which a fraction of the weight lies; a weight of 2 is two equal numbers.

    It minimizes the pinball loss. Between two numbers it is their mean, as for the median.

    Examples
    --------
    >>> weighted_quantile(np.array([3.0, 1.0, 2.0, 9.0]), 0.5)
    2.5
    >>> weighted_quantile(np.array([3.0, 1.0]), 0.5, np.array([1.0, 2.0]))
    1.0
    """
    if weights is None:  # without sorting
        place = quantile * len(values)
        low = min(max(int(np.ceil(place - 1e-9 * max(place, 1.0))) - 1, 0), len(values) - 1)
        high = min(low + 1, len(values) - 1) if abs(place - (low + 1)) <= 1e-9 * place else low
        found = np.partition(values, (low, high))
        return float(found[low] + (found[high] - found[low]) / 2)
    order, groups = np.argsort(values, kind="stable"), np.zeros(len(values), dtype=np.int32)
    return float(_group_quantiles(values, order, groups, quantile, weights, 1)[0])


def node_quantiles(
    tree: Tree, node: Rows, values: Numbers, quantile: float, weights: Numbers | None = None
) -> Numbers:
    """The quantile of the values of the rows below each node; 0 for nodes without rows.

    Examples
    --------
    >>> from mixedwood.data import read_numbers, read_table
    >>> from mixedwood.grow import grow_numbers
    >>> table, y = read_table({"x": [1, 2, 3, 4]}), read_numbers([1.0, 1.0, 3.0, 7.0])
    >>> tree = grow_numbers(table, y)
    >>> node_quantiles(tree, tree.apply(table), y.numbers, 0.5).tolist()
    [2.0, 1.0, 7.0, 1.0, 3.0]
    """
    found = np.zeros(tree.n_nodes)
    given = np.ones(len(node)) if weights is None else weights
    order = np.argsort(values, kind="stable")
    for nodes in _nodes_by_level(tree, node):
        here = np.bincount(nodes, minlength=tree.n_nodes) > 0
        found[here] = _group_quantiles(values, order, nodes, quantile, given, tree.n_nodes)[here]
    return found


def _nodes_by_level(tree: Tree, node: Rows) -> list[Rows]:
    """The node of each row, then its parent, and so on to the root."""
    levels = [node]
    # A leaf is kept until all rows are as deep, so that each node has all of its rows once.
    for depth in range(tree.depth - 1, -1, -1):
        last = levels[-1]
        levels.append(np.where(tree.node_depth[last] > depth, tree.parent[last], last))
    return levels


def _group_quantiles(
    values: Numbers, order: Rows | NDArray[np.intp], groups: Rows, quantile: float,
    weights: Numbers, n_groups: int,
) -> Numbers:  # fmt: skip
    """The weighted quantile of the values of each group; 0 for groups without values.

    `order` sorts the values.
    """
    small = groups[order].astype(np.int16 if n_groups < 2**15 else np.int32)  # faster to sort
    order = order[np.argsort(small, kind="stable")]
    sorted_values, sorted_groups = values[order], groups[order]
    first = np.searchsorted(sorted_groups, np.arange(n_groups))
    last = np.searchsorted(sorted_groups, np.arange(n_groups), side="right")
    found = np.zeros(n_groups)
    sums = np.concatenate([[0.0], np.cumsum(weights[order])])
    for group in np.flatnonzero(last > first):
        start, end = first[group], last[group]
        total = sums[end] - sums[start]
        # Sums of weights are rounded.
        aim, tol = sums[start] + quantile * total, 1e-9 * total
        low = start + int(np.searchsorted(sums[start + 1 : end + 1], aim - tol))
        high = start + int(np.searchsorted(sums[start + 1 : end + 1], aim + tol, side="right"))
        low, high = min(low, end - 1), min(high, end - 1)
        found[group] = sorted_values[low] + (sorted_values[high] - sorted_values[low]) / 2
    return found
