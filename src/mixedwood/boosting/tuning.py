"""Choose the depth, the number of iterations and the weight beside a forest by cross-validation.

All folds are boosted in step, so that after each iteration every row has a prediction of a model
that was not fitted on it. The predictions of the forest are out of bag: it is not fitted again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mixedwood._limits import CancelledError, Deadline, StopFlag
from mixedwood.boosting.gradient import BoostingState, GradientPlan, link_of
from mixedwood.boosting.losses import probabilities
from mixedwood.data import Target
from mixedwood.grow import EncodedTable
from mixedwood.grow.gradient import BinnedTable

__all__ = [
    "DepthSearch",
    "NumberResult",
    "TuningGrid",
    "TuningResult",
    "stacking_weights",
    "tune_numbers",
]

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class TuningGrid:
    """Candidates.

    Attributes
    ----------
    max_depths : sequence of int
        Depths of trees.
    weights : sequence of float
        Weights of the boosted trees beside the forest.
    max_iter : int
        Maximum number of iterations.
    n_iter_no_change : int
        Stop if the loss of a depth has not improved for this many iterations.
    """

    max_depths: Sequence[int] = (2, 3, 4, 6)
    weights: Sequence[float] = (0.0, 0.25, 0.5, 0.75, 1.0)
    max_iter: int = 500
    n_iter_no_change: int = 30


class TuningResult(NamedTuple):
    """The best number of iterations and weight of a depth, and their cross-validated log loss."""

    max_depth: int
    n_iter: int
    weight: float
    loss: float


@dataclass(frozen=True)
class DepthSearch:
    """Finds the best number of iterations and weight of each depth.

    Attributes
    ----------
    coded, target : EncodedTable, Target
        Training data.
    plan : GradientPlan
        Parameters of boosting, except for the depth.
    grid : TuningGrid
        Candidates.
    folds : ndarray of int
        The fold of each row; rows of fold -1 are in all training sets.
    forest : ndarray of shape (n_rows, n_classes), or None
        Out-of-bag probabilities of a forest; without them the weight is 1.
    seed : int
        Seed of the random parts.
    """

    coded: EncodedTable
    target: Target
    plan: GradientPlan
    grid: TuningGrid
    folds: NDArray[np.int64]
    forest: Numbers | None
    seed: int

    def evaluate(self, number: int, time_limit: float, stop: StopFlag) -> TuningResult:
        """Cross-validate the depth of this number."""
        deadline = Deadline.after(time_limit)
        depth, target = self.grid.max_depths[number], self.target
        plan = replace(self.plan, settings=replace(self.plan.settings, max_depth=depth))
        table = BinnedTable(self.coded, plan.max_bins, target.weights)
        fold_loss = _FoldLoss(target, self.folds, self.forest, self.grid.weights)
        states = [
            BoostingState(table, target, plan, self.seed, held_out)
            for held_out in fold_loss.held_out
        ]
        out_of_fold = np.empty_like(states[0].scores)
        best = TuningResult(depth, 1, 1.0, math.inf)
        min_boosting_loss, n_no_improvement = math.inf, 0
        for iteration in range(self.grid.max_iter):
            for state in states:
                if stop.is_set():
                    raise CancelledError("boosting was stopped")
                state.iterate(deadline.left(1e-3))
                out_of_fold[state.validation_rows] = state.scores[state.validation_rows]
            weight, loss, boosting_loss = fold_loss.best_weight(out_of_fold)
            if loss < best.loss - 1e-12:
                best = TuningResult(depth, iteration + 1, weight, loss)
            # Beside an accurate forest the first iterations do not lower the loss. Boosting goes on
            # as long as its own loss falls.
            improved = boosting_loss < min_boosting_loss - 1e-12
            n_no_improvement = 0 if improved else n_no_improvement + 1
            min_boosting_loss = min(min_boosting_loss, boosting_loss)
            if n_no_improvement >= self.grid.n_iter_no_change or deadline.is_over():
                break
        return best


class _FoldLoss:
    """The log loss of the weighted mean of forest and boosting, on held-out rows."""

    def __init__(
        self,
        target: Target,
        folds: NDArray[np.int64],
        forest: Numbers | None,
        weights: Sequence[float],
    ) -> None:
        tested = folds >= 0
        if target.weights is not None:
            tested &= target.weights > 0
        self.held_out = [(folds == fold) & tested for fold in np.unique(folds[tested])]
        self.rows = np.flatnonzero(tested)
        self.codes = target.codes[self.rows]
        self.row_weights = None if target.weights is None else target.weights[self.rows]
        self.forest = None if forest is None else forest[self.rows, self.codes]
        self.weights = weights

    def best_weight(self, scores: Numbers) -> tuple[float, float, float]:
        """The best weight of boosting, its loss, and the loss of boosting alone."""
        boosted = probabilities(scores[self.rows])[np.arange(len(self.rows)), self.codes]
        boosting_loss = self._loss(boosted)
        if self.forest is None:
            return 1.0, boosting_loss, boosting_loss
        losses = [self._loss((1 - w) * self.forest + w * boosted) for w in self.weights]
        best = int(np.argmin(losses))
        return self.weights[best], losses[best], boosting_loss

    def _loss(self, of_true_class: Numbers) -> float:
        # A single confident error must not dominate.
        logs = -np.log(np.maximum(of_true_class, 1e-6))
        return float(np.average(logs, weights=self.row_weights))


class NumberResult(NamedTuple):
    """The best number of iterations of a depth, its error, and predictions of held-out rows."""

    max_depth: int
    n_iter: int
    loss: float
    predictions: Numbers


def tune_numbers(
    coded: EncodedTable,
    target: Target,
    plan: GradientPlan,
    grid: TuningGrid,
    folds: NDArray[np.int64],
    seed: int,
    time_limit: float = math.inf,
) -> list[NumberResult]:
    """Find the best number of iterations of each depth by the squared error on held-out rows.

    All folds and depths share one binned table. If time runs out, the depths so far are returned;
    there is always one.

    Parameters
    ----------
    coded, target, plan, grid, folds, seed
        As in `DepthSearch`, for a target of numbers.
    time_limit : float, default=inf
        Seconds.
    """
    deadline = Deadline.after(time_limit)
    table = BinnedTable(coded, plan.max_bins, target.weights)
    tested = folds >= 0
    y = target.numbers[tested]
    scale = float(np.abs(y).max(initial=0.0)) or 1.0  # keeps squares from overflowing
    weights = None if target.weights is None else target.weights[tested]
    results: list[NumberResult] = []
    for depth in grid.max_depths:
        if results and deadline.is_over():
            break
        at_depth = replace(plan, settings=replace(plan.settings, max_depth=depth))
        states = [
            BoostingState(table, target, at_depth, seed, folds == fold)
            for fold in np.unique(folds[tested])
        ]
        current = np.full(target.n_rows, np.nan)
        best = NumberResult(depth, 1, math.inf, current)
        for iteration in range(1, grid.max_iter + 1):
            for state in states:
                state.iterate(deadline.left(1e-3))
                scores = state.scores[state.validation_rows, 0]
                is_log = link_of(state.loss, 1) == "log"
                current[state.validation_rows] = np.exp(scores) if is_log else scores
            loss = float(np.average(((current[tested] - y) / scale) ** 2, weights=weights))
            if iteration == 1 or loss < best.loss * (1 - 1e-12):
                best = NumberResult(depth, iteration, loss, current.copy())
            if iteration - best.n_iter >= grid.n_iter_no_change or deadline.is_over():
                break
        results.append(best._replace(loss=math.sqrt(best.loss) * scale))
    return results


def stacking_weights(residuals: Numbers, weights: Numbers | None = None) -> tuple[Numbers, float]:
    """Find the weights, not negative and of sum 1, of the least squared error of an average.

    The minimum is exact: for each set of members the best weights of sum 1 have a closed form, and
    the best of those without negative weights is the solution.

    Parameters
    ----------
    residuals : ndarray of shape (n_rows, n_members)
        Numbers less the predictions of each member.
    weights : ndarray of shape (n_rows,), optional
        Weights of rows.

    Returns
    -------
    ndarray of shape (n_members,)
        The weights.
    float
        The root mean squared error of the average: the squares of large numbers may overflow.

    Examples
    --------
    >>> import numpy as np
    >>> stacking_weights(np.array([[1.0, -1.0], [2.0, -2.0]]))[0]
    array([0.5, 0.5])
    """
    n_rows, n_members = residuals.shape
    scale = float(np.abs(residuals).max(initial=0.0)) or 1.0
    scaled = residuals / scale
    row_weights = np.ones(n_rows) if weights is None else weights
    gram = scaled.T @ (row_weights[:, None] * scaled) / row_weights.sum()
    best, least = np.zeros(n_members), math.inf
    sets = chain.from_iterable(
        combinations(range(n_members), size) for size in range(1, n_members + 1)
    )
    for chosen in sets:
        size = len(chosen)
        system = np.zeros((size + 1, size + 1))  # of the Lagrangian
        system[:size, :size] = gram[np.ix_(chosen, chosen)]
        system[:size, size] = system[size, :size] = 1.0
        solution = np.linalg.lstsq(system, np.eye(size + 1)[size], rcond=None)[0][:size]
        if not (solution >= -1e-12).all():
            continue
        found = np.zeros(n_members)
        found[list(chosen)] = np.maximum(solution, 0.0)
        found /= found.sum()
        loss = float(found @ gram @ found)
        if loss < least - 1e-12 * gram.max():
            best, least = found, loss
    return best, math.sqrt(max(0.0, least)) * scale
