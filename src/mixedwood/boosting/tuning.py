"""How many rounds, how deep, and how much beside a forest: chosen by cross-validation.

All folds go round by round in step, so that after each round every row has an answer of a model
that has not seen it. The forest's answers are out of bag: nothing is fitted twice for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mixedwood._limits import CancelledError, Deadline, StopFlag
from mixedwood.boosting.gradient import BoostedScores, GradientPlan, Run
from mixedwood.boosting.loss import first_scores, probabilities
from mixedwood.data import Target
from mixedwood.growers import CodedTable
from mixedwood.growers.gradient import BinnedTable

__all__ = ["Choice", "FollowDepth", "TuningPlan", "choose"]

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class TuningPlan:
    """What is tried.

    Attributes
    ----------
    depths : sequence of int
        Depths of trees.
    shares : sequence of float
        Weights of the boosted trees beside the forest.
    max_rounds : int
        Most rounds.
    patience : int
        Rounds without a better loss after which a depth is given up.
    """

    depths: Sequence[int] = (2, 3, 4, 6)
    shares: Sequence[float] = (0.0, 0.25, 0.5, 0.75, 1.0)
    max_rounds: int = 500
    patience: int = 30


class Choice(NamedTuple):
    """What was chosen, and the log loss that it had in cross-validation."""

    depth: int
    n_rounds: int
    share: float
    loss: float


@dataclass(frozen=True)
class FollowDepth:
    """Boosts trees of one depth on all folds, and finds the best round and share.

    Attributes
    ----------
    coded, target : CodedTable, Target
        What to learn from.
    plan : GradientPlan
        How to boost, but for the depth and the number of rounds.
    tuning : TuningPlan
        What is tried.
    folds : ndarray of int
        The fold of each row; rows of fold -1 are never held out.
    forest : ndarray of shape (n_rows, n_classes), or None
        What a forest says about rows that its trees have not seen; without it the share is 1.
    seed : int
        Of what is random.
    """

    coded: CodedTable
    target: Target
    plan: GradientPlan
    tuning: TuningPlan
    folds: NDArray[np.int64]
    forest: Numbers | None
    seed: int

    def __call__(self, number: int, time_limit: float, stop: StopFlag) -> Choice:
        """Follow the depth of that number."""
        deadline = Deadline.after(time_limit)
        depth, target = self.tuning.depths[number], self.target
        plan = replace(self.plan, settings=replace(self.plan.settings, max_depth=depth))
        table = BinnedTable(self.coded, plan.max_bins, target.weights)
        judge = _Judge(target, self.folds, self.forest, self.tuning.shares)
        runs = [Run(table, target, plan, self.seed, held_out) for held_out in judge.held_out]
        models = [BoostedScores(first_scores(target, run.rows)) for run in runs]
        scores = [np.tile(model.start, (target.n_rows, 1)) for model in models]
        out_of_fold = np.empty_like(scores[0])
        best, alone, since = Choice(depth, 1, 1.0, math.inf), math.inf, 0
        for n_before in range(self.tuning.max_rounds):
            for run, model, its in zip(runs, models, scores, strict=True):
                if stop.is_set():
                    raise CancelledError("boosting was stopped")
                run.one_round(n_before, model, its, deadline.left(1e-3))
                out_of_fold[run.held_out] = its[run.held_out]
            share, loss, of_boosting = judge.best_share(out_of_fold)
            if loss < best.loss - 1e-12:
                best = Choice(depth, n_before + 1, share, loss)
            # Beside a good forest, the first rounds are worth nothing: boosting is given its time
            # as long as it gets better by itself.
            since = 0 if of_boosting < alone - 1e-12 else since + 1
            alone = min(alone, of_boosting)
            if since >= self.tuning.patience or deadline.is_over():
                break
        return best


def choose(choices: Sequence[Choice]) -> Choice:
    """Take the one with the least loss, and the first of equals.

    Examples
    --------
    >>> choose([Choice(2, 10, 1.0, 0.5), Choice(3, 7, 0.5, 0.4)]).depth
    3
    """
    return min(choices, key=lambda choice: choice.loss)


class _Judge:
    """The log loss of a mean of two answers, on rows that neither has seen."""

    def __init__(
        self,
        target: Target,
        folds: NDArray[np.int64],
        forest: Numbers | None,
        shares: Sequence[float],
    ) -> None:
        counts = folds >= 0
        if target.weights is not None:
            counts &= target.weights > 0
        self.held_out = [(folds == fold) & counts for fold in np.unique(folds[counts])]
        self.rows = np.flatnonzero(counts)
        self.right = target.codes[self.rows]
        self.weights = None if target.weights is None else target.weights[self.rows]
        self.forest = None if forest is None else forest[self.rows, self.right]
        self.shares = shares

    def best_share(self, scores: Numbers) -> tuple[float, float, float]:
        """Give the best share, its loss, and the loss of boosting alone."""
        boosted = probabilities(scores[self.rows])[np.arange(len(self.rows)), self.right]
        alone = self._loss(boosted)
        if self.forest is None:
            return 1.0, alone, alone
        losses = [self._loss((1 - s) * self.forest + s * boosted) for s in self.shares]
        best = int(np.argmin(losses))
        return self.shares[best], losses[best], alone

    def _loss(self, right: Numbers) -> float:
        # A certain and wrong answer is bad, but one of them must not decide.
        return float(np.average(-np.log(np.maximum(right, 1e-6)), weights=self.weights))
