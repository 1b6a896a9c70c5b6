"""Choose the depth, the number of iterations and the weight beside a forest by cross-validation.

All folds are boosted in step, so that after each iteration every row has a prediction of a model
that was not fitted on it. The predictions of the forest are out of bag: it is not fitted again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mixedwood._limits import CancelledError, Deadline, StopFlag
from mixedwood.boosting.gradient import BoostingState, GradientPlan
from mixedwood.boosting.losses import probabilities
from mixedwood.data import Target
from mixedwood.grow import EncodedTable
from mixedwood.grow.gradient import BinnedTable

__all__ = ["DepthSearch", "TuningGrid", "TuningResult"]

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
