"""Fit every method on every fold, through joblib.

A task knows its set, fold and method by number, and its seed by the fold alone, so that the results
depend neither on the order nor on the number of workers. A task that fails says so and the others
go on.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from mixedwood._random import METHOD, spawn_seed
from mixedwood.comparison.dividing import Fold
from mixedwood.comparison.line_up import prepared
from mixedwood.comparison.problems import Problem
from mixedwood.comparison.scores import score_fold
from mixedwood.comparison.workers import Sent, alone
from mixedwood.progress import show_progress

__all__ = ["Outcome", "Plan", "run"]


@dataclass(frozen=True, eq=False)
class Plan:
    """All that is to be done."""

    problems: Sequence[Problem]
    folds: Sequence[Sequence[Fold]]  # of each problem
    methods: dict[str, Any]
    metrics: tuple[str, ...]
    seed: int
    time_limit: float | None


@dataclass(frozen=True)
class Outcome:
    """What came of one method on one fold."""

    place: tuple[int, int, int]  # set, method, fold
    scores: list[float]
    chosen_by: float
    error: str = ""
    trace: str = ""
    warnings: tuple[str, ...] = ()


def run(plan: Plan, n_jobs: int | None, verbose: int) -> list[Outcome]:
    """Do all tasks; outcomes come in the order of tasks."""
    sent = [Sent(problem) for problem in plan.problems]
    models = list(plan.methods.values())

    def tasks() -> Iterator[Any]:
        # Methods go round in every fold, so that the time left is soon known.
        for s, folds in enumerate(plan.folds):
            for f, fold in enumerate(folds):
                for m, method in enumerate(models):
                    seed = spawn_seed(plan.seed, METHOD, f)
                    yield delayed(_do)(
                        (s, m, f), sent[s], fold, method, seed, plan.time_limit, plan.metrics
                    )

    n_tasks = len(models) * sum(len(folds) for folds in plan.folds)
    try:
        with show_progress(n_tasks, verbose, "fits") as advance, threadpool_limits(1):
            parallel = _TellingParallel(n_jobs=n_jobs)
            parallel.advance = advance
            outcomes: list[Outcome] = parallel(tasks())
    finally:
        for problem in sent:
            problem.forget()
    return outcomes


def _do(
    place: tuple[int, int, int],
    sent: Sent,
    fold: Fold,
    method: Any,
    seed: int,
    time_limit: float | None,
    metrics: tuple[str, ...],
) -> Outcome:
    with alone() as heard:
        try:
            model = prepared(method, seed, time_limit)
            scores, chosen_by = score_fold(model, sent.open(), fold, metrics)
        except Exception as error:
            words = f"{type(error).__name__}: {error}"
            nothing = [float("nan")] * len(metrics)
            return Outcome(place, nothing, float("nan"), words, traceback.format_exc(), heard())
    return Outcome(place, scores, chosen_by, warnings=heard())


class _TellingParallel(Parallel):  # type: ignore[misc]
    """Parallel that tells how far it is."""

    advance: Callable[[int], None]

    def print_progress(self) -> None:
        self.advance(self.n_completed_tasks)
