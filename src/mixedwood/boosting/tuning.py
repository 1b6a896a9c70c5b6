"""Choose settings of boosting, and the number of iterations, by a race on held-out rows.

Candidates are boosted in step, each on the training rows of every fold, so that after an iteration
each tested row has a prediction of a model that was not fitted on it. Steps may be several times as
long as those of the final model: the better settings are the same, and cost less. A candidate
leaves the race when it no longer improves, or when it could not catch up with the best one even if
it went on as it does now.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from joblib import delayed
from numpy.typing import NDArray

from mixedwood._limits import CancelledError, Deadline, StopFlag
from mixedwood._parallel import ProgressParallel
from mixedwood.boosting.gradient import BoostingState, GradientPlan, link_of
from mixedwood.boosting.losses import probabilities
from mixedwood.boosting.stacking import MIN_PROBABILITY, mixture_loss, mixture_weights
from mixedwood.data import Target
from mixedwood.grow.gradient import BinnedTable

__all__ = ["ClassScore", "NumberScore", "Race", "TuningResult", "count_folds"]

Numbers = NDArray[np.float64]

_MAX_RATE = 0.3  # longer steps are not made, unless they were asked for
_BLOCK = 3  # iterations between two looks at the candidates
_FIRST_LOOK = 6  # iterations before the first candidate may be dropped
# A candidate may go on to gain so many times what it gained in the last block. Losses fall ever
# more slowly: by a constant factor f per block, what is left is f / (1 - f) times the last gain.
_OUTLOOK = 2.0
_TESTED_ROWS = 600  # folds beyond the one that reaches this number are not computed


class PlanScore(Protocol):
    """Judges predictions of held-out rows."""

    rows: NDArray[np.intp]

    def predict(self, scores: Numbers) -> Numbers:
        """Turn raw scores of the held-out rows into what is kept of them."""

    def losses(self, predictions: Numbers) -> tuple[float, float]:
        """Compute the loss beside the other members, and alone."""


class ClassScore:
    """The log loss of boosting, and of its best mixture with other members.

    Parameters
    ----------
    target : Target
        All rows.
    rows : ndarray of int
        Held-out rows.
    others : ndarray of shape (n_rows, n_members)
        The probability of the class of each held-out row by each of the other members.
    """

    def __init__(self, target: Target, rows: NDArray[np.intp], others: Numbers) -> None:
        self.rows, self.codes, self.others = rows, target.codes[rows], others
        self.row_weights = None if target.weights is None else target.weights[rows]
        self._last = np.full(others.shape[1] + 1, 1 / (others.shape[1] + 1))

    def predict(self, scores: Numbers) -> Numbers:
        """Give the probability of the class of each row."""
        return np.asarray(probabilities(scores)[np.arange(len(self.codes)), self.codes])

    def losses(self, predictions: Numbers) -> tuple[float, float]:
        """Compute the loss of the mixture, and that of boosting alone."""
        logs = -np.log(np.maximum(predictions, MIN_PROBABILITY))
        alone = float(np.average(logs, weights=self.row_weights))
        if not self.others.shape[1]:
            return alone, alone
        both = np.column_stack([self.others, predictions])
        # The last weights are near the best ones.
        self._last = mixture_weights(both, self.row_weights, start=self._last, max_iter=5)
        return mixture_loss(both, self._last, self.row_weights), alone


class NumberScore:
    """The squared error of boosting, over the square of the largest number."""

    def __init__(self, target: Target, rows: NDArray[np.intp], is_log: bool) -> None:
        self.rows, self.y, self.is_log = rows, target.numbers[rows], is_log
        self.scale = float(np.abs(self.y).max(initial=0.0)) or 1.0  # keeps squares from overflowing
        self.row_weights = None if target.weights is None else target.weights[rows]

    @classmethod
    def of(cls, plan: GradientPlan, target: Target, rows: NDArray[np.intp]) -> NumberScore:
        """Score the predictions of a plan."""
        return cls(target, rows, link_of(plan.loss, 1) == "log")

    def predict(self, scores: Numbers) -> Numbers:
        """Predict the number of each row."""
        return np.exp(scores[:, 0]) if self.is_log else scores[:, 0]

    def losses(self, predictions: Numbers) -> tuple[float, float]:
        """Compute the error; that of the mean of members is left to stacking."""
        squares = ((predictions - self.y) / self.scale) ** 2
        loss = float(np.average(squares, weights=self.row_weights))
        return loss, loss


@dataclass(frozen=True)
class TuningResult:
    """The best number of iterations of a candidate, its loss, and predictions of held-out rows.

    Attributes
    ----------
    candidate : int
        Number of the candidate.
    n_iter : int
        Number of iterations, of steps as long as those of the candidate's plan.
    loss : float
        As `PlanScore.losses` gives it.
    predictions : ndarray of shape (n_tested_rows,)
        As `PlanScore.predict` gives them.
    """

    candidate: int
    n_iter: int
    loss: float
    predictions: Numbers


@dataclass
class _Runner:
    """A candidate and how far it is."""

    number: int
    states: list[BoostingState]
    runs: bool = True
    history: list[float] = field(default_factory=list)  # beside the other members
    alone: list[float] = field(default_factory=list)
    best: Numbers | None = None

    @property
    def n_best(self) -> int:
        """The number of iterations of the least loss."""
        return int(np.argmin(self.history)) + 1

    @property
    def loss(self) -> float:
        """The least loss."""
        return min(self.history, default=math.inf)


@dataclass
class Race:
    """A race of candidates.

    Attributes
    ----------
    table, target : BinnedTable, Target
        Training data; all candidates and folds share the bins.
    folds : ndarray of int
        The fold of each row; rows of fold -1 are in all training sets.
    score : PlanScore
        Judges predictions of the rows of all folds, in their order.
    max_iter : int
        Maximum number of iterations of the final model.
    n_iter_no_change : int
        A candidate ends if it has not improved for as many iterations of the final model.
    seed : int
        Seed of the random parts.
    n_jobs : int
        Number of threads; they share the folds.
    faster : float
        How many times longer steps are than those of the final model, up to 0.3. Predictions of
        held-out rows are then a little worse than those of the final model would be.
    advance : callable
        Called with the percentage of the work that is done, if no candidate improves any more.
    """

    table: BinnedTable
    target: Target
    folds: NDArray[np.int64]
    score: PlanScore
    max_iter: int
    n_iter_no_change: int
    seed: int
    n_jobs: int = 1
    faster: float = 1.0
    advance: Callable[[int], None] = lambda n_done: None
    n_done: int = 0

    def run(
        self,
        plans: Sequence[GradientPlan],
        deadline: Deadline,
        rival: TuningResult | None = None,
        first: int = 0,
    ) -> list[TuningResult]:
        """Run candidates against each other.

        Parameters
        ----------
        plans : sequence of GradientPlan
            The candidates, those most likely to win first.
        deadline : Deadline
            When it is over, the race ends. The first candidate always has one block.
        rival : TuningResult, optional
            The winner of an earlier race, which these have to beat.
        first : int, default=0
            Number of the first candidate.

        Returns
        -------
        list of TuningResult
            The candidates that were tried, in their order.
        """
        self._stop = StopFlag()
        n_folds = int(self.folds.max()) + 1
        factors = [max(1.0, min(self.faster, _MAX_RATE / p.learning_rate)) for p in plans]
        self._to_beat = math.inf if rival is None else rival.loss
        threads = self.n_jobs if n_folds > 1 else 1
        runners = [_Runner(first + i, []) for i in range(len(plans))]
        with ProgressParallel(
            # Tasks go on with the states of their folds, which stay in this process.
            lambda n_done: None,
            stop=self._stop,
            n_jobs=threads,
            require="sharedmem",
        ) as parallel:
            while any(runner.runs for runner in runners):
                for runner, plan, factor in zip(runners, plans, factors, strict=True):
                    if not runner.runs:
                        continue
                    if deadline.is_over() and any(other.history for other in runners):
                        return self._results(runners, factors)
                    if not runner.states:
                        runner.states = self._start(plan, factor, threads, n_folds)
                    self._block(runner, factor, parallel, deadline)
                self._drop(runners)
                self._tell(runners, factors)
        return self._results(runners, factors)

    def _start(
        self, plan: GradientPlan, factor: float, threads: int, n_folds: int
    ) -> list[BoostingState]:
        settings = plan.settings if threads == 1 else replace(plan.settings, n_threads=1)
        plan = replace(plan, settings=settings, learning_rate=plan.learning_rate * factor)
        return [
            BoostingState(
                self.table, self.target, plan, self.seed, self.folds == fold, keep_trees=False
            )
            for fold in range(n_folds)
        ]

    def _block(
        self, runner: _Runner, factor: float, parallel: ProgressParallel, deadline: Deadline
    ) -> None:
        """Do some iterations of a candidate on all folds, and compute its losses."""
        most = _iterations(self.max_iter, factor)
        n_iter = min(_BLOCK, most - len(runner.history))
        try:
            found = parallel(
                delayed(_iterate)(state, n_iter, deadline, self._stop) for state in runner.states
            )
        except BaseException:
            self._stop.set()
            raise
        places = [np.searchsorted(self.score.rows, s.validation_rows) for s in runner.states]
        scores = np.empty((len(self.score.rows), runner.states[0].scores.shape[1]))
        for stage in range(min(map(len, found))):  # the clock may end some folds before others
            for place, stages in zip(places, found, strict=True):
                scores[place] = stages[stage]
            predictions = self.score.predict(scores)
            loss, alone = self.score.losses(predictions)
            if loss < runner.loss:
                runner.best = predictions
            runner.history.append(loss)
            runner.alone.append(alone)
        self.n_done += n_iter
        # Beside an accurate member the first iterations do not lower the loss. Boosting goes on as
        # long as its own loss falls.
        without_gain = len(runner.alone) - 1 - int(np.argmin(runner.alone))
        patience = _iterations(self.n_iter_no_change, factor)
        if len(runner.history) >= most or without_gain >= patience:
            runner.runs = False
            runner.states = []

    def _drop(self, runners: list[_Runner]) -> None:
        """Drop candidates that cannot win."""
        best = min(self._to_beat, *(runner.loss for runner in runners))
        for runner in runners:
            if not runner.runs or len(runner.history) < _FIRST_LOOK:
                continue
            gain = runner.history[-1 - _BLOCK] - runner.history[-1]
            alone = runner.alone[-1 - _BLOCK] - runner.alone[-1]
            if runner.loss - _OUTLOOK * max(gain, alone, 0.0) > best:
                runner.runs = False
                runner.states = []

    def _tell(self, runners: list[_Runner], factors: list[float]) -> None:
        left = 0.0
        for runner, factor in zip(runners, factors, strict=True):
            if runner.runs:
                without_gain = len(runner.alone) - 1 - int(np.argmin(runner.alone))
                left += max(1.0, self.n_iter_no_change / factor - without_gain)
        self.advance(int(99 * self.n_done / (self.n_done + left)))

    def _results(self, runners: list[_Runner], factors: list[float]) -> list[TuningResult]:
        return [
            TuningResult(
                runner.number,
                min(self.max_iter, max(1, round(runner.n_best * factor))),
                runner.loss,
                runner.best,
            )
            for runner, factor in zip(runners, factors, strict=True)
            if runner.best is not None
        ]


def _iterations(n: int, factor: float) -> int:
    """Count the longer steps that do as much as n steps; 60 / (0.3 / 0.1) is a little over 20."""
    return math.ceil(n / factor - 1e-9)


def count_folds(n_rows: int, n_folds: int = 5) -> int:
    """Count the folds that are computed: enough for 600 tested rows.

    More rows are tested by fewer models, so that the time of the race grows no faster than the
    number of rows.

    Examples
    --------
    >>> [count_folds(n) for n in (100, 1_000, 2_000, 4_000, 5_000, 1_000_000)]
    [5, 3, 2, 1, 1, 1]
    """
    return min(n_folds, max(1, math.ceil(_TESTED_ROWS * n_folds / max(n_rows, 1))))


def _iterate(
    state: BoostingState, n_iter: int, deadline: Deadline, stop: StopFlag
) -> list[Numbers]:
    """Do some iterations; the scores of the held-out rows after each."""
    found: list[Numbers] = []
    for _ in range(n_iter):
        if stop.is_set():
            raise CancelledError("boosting was stopped")
        if found and deadline.is_over():
            break
        state.iterate(deadline.left(1e-3), validate=False)
        found.append(state.scores[state.validation_rows])
    return found
