"""Fit and score every method on every fold, through joblib.

The seed of a task depends on its fold alone, so that scores depend neither on the order nor on the
number of workers. A fit that fails is recorded, and the others go on.
"""

from __future__ import annotations

import math
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from joblib import delayed
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from mixedwood._folds import Fold
from mixedwood._parallel import ProgressParallel, SharedObject, one_core, show_progress
from mixedwood._random import METHOD, spawn_seed
from mixedwood.comparison.methods import prepare
from mixedwood.comparison.metrics import METRICS, Evaluation
from mixedwood.data import Table

__all__ = ["ComparisonPlan", "Outcome", "Problem", "run_fits"]


@dataclass(frozen=True, eq=False)
class Problem:
    """A named table and its target; methods get rows of it in the container it came in."""

    name: str
    X: Any
    classes: NDArray[Any]
    codes: NDArray[np.int32]
    n_columns: int
    cost_matrix: NDArray[np.float64] | None = None
    values: NDArray[np.float64] | None = None  # the target, if it is a number

    def take(self, rows: NDArray[np.intp]) -> tuple[Any, NDArray[Any]]:
        """Select rows and their class labels or numbers."""
        return _take(self.X, rows), self.labels[rows]

    @property
    def labels(self) -> NDArray[Any]:
        """The class label or number of each row."""
        return np.asarray(self.classes[self.codes]) if self.values is None else self.values


def _take(X: Any, rows: NDArray[np.intp]) -> Any:
    if isinstance(X, Table):
        return X.take(rows)
    if isinstance(X, dict):
        return {name: cells[rows] for name, cells in X.items()}
    if isinstance(X, np.ndarray):
        return X[rows]
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return frame[rows].to_native()
    return X[rows]


@dataclass(frozen=True, eq=False)
class ComparisonPlan:
    """All fits of a comparison: every method on every fold of every dataset."""

    problems: Sequence[Problem]
    folds: Sequence[Sequence[Fold]]  # of each problem
    methods: dict[str, Any]
    metrics: tuple[str, ...]
    seed: int
    time_limit: float | None


@dataclass(frozen=True)
class Outcome:
    """The scores of one method on one fold, or its error."""

    place: tuple[int, int, int]  # dataset, method, fold
    scores: list[float]
    error: str = ""
    traceback: str = ""
    warnings: tuple[str, ...] = ()


def run_fits(plan: ComparisonPlan, n_jobs: int | None, verbose: int) -> list[Outcome]:
    """Run all fits; outcomes are in the order of the fits."""
    shared = [SharedObject(problem) for problem in plan.problems]
    models = list(plan.methods.values())

    def tasks() -> Iterator[Any]:
        # All methods on a fold before the next fold, so that the time left is soon known.
        for s, folds in enumerate(plan.folds):
            for f, fold in enumerate(folds):
                seed = spawn_seed(plan.seed, METHOD, f)
                for m, method in enumerate(models):
                    yield delayed(_fit_and_score)(
                        (s, m, f), shared[s], fold, method, seed, plan.time_limit, plan.metrics
                    )

    n_tasks = len(models) * sum(len(folds) for folds in plan.folds)
    try:
        with show_progress(n_tasks, verbose, "fits") as advance, threadpool_limits(1):
            outcomes: list[Outcome] = ProgressParallel(advance, n_jobs=n_jobs)(tasks())
    finally:
        for problem in shared:
            problem.forget()
    return outcomes


def _fit_and_score(
    place: tuple[int, int, int],
    shared: SharedObject[Problem],
    fold: Fold,
    method: Any,
    seed: int,
    time_limit: float | None,
    metrics: tuple[str, ...],
) -> Outcome:
    with one_core() as caught_warnings:
        try:
            model = prepare(method, seed, time_limit)
            found = _evaluate(model, shared.get(), fold)
            scores = [METRICS[name].compute(found) for name in metrics]
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            no_scores = [math.nan] * len(metrics)
            return Outcome(place, no_scores, message, traceback.format_exc(), caught_warnings())
    return Outcome(place, scores, warnings=caught_warnings())


def _evaluate(model: Any, problem: Problem, fold: Fold) -> Evaluation:
    X, y = problem.take(fold.train)
    started = time.perf_counter()
    model.fit(X, y)
    fit_seconds = time.perf_counter() - started
    if getattr(getattr(model, "proof_", None), "status", None) == "interrupted":
        raise KeyboardInterrupt  # a search that kept its best tree: all others must end, too
    X, y = problem.take(fold.test)
    started = time.perf_counter()
    y_pred = np.asarray(model.predict(X))
    seconds = time.perf_counter() - started
    if problem.values is None:
        return Evaluation(
            model, X, y, y_pred, fit_seconds, seconds, problem.classes, problem.cost_matrix
        )
    spread = float(problem.values.std())
    return Evaluation(model, X, y, y_pred, fit_seconds, seconds, target_sd=spread)
