"""Fit every method on every fold, through joblib.

A task knows its set, fold and method by number, and its seed by the fold alone, so that the results
depend neither on the order nor on the number of workers. A task that fails says so and the others
go on.
"""

from __future__ import annotations

import os
import pickle
import threading
import traceback
import uuid
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from mixedwood.comparison.dividing import Fold
from mixedwood.comparison.line_up import prepared, seed_of
from mixedwood.comparison.problems import Problem
from mixedwood.comparison.scores import score_fold
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
    sent = [_Sent(problem) for problem in plan.problems]
    models = list(plan.methods.values())

    def tasks() -> Iterator[Any]:
        # Methods go round in every fold, so that the time left is soon known.
        for s, folds in enumerate(plan.folds):
            for f, fold in enumerate(folds):
                for m, method in enumerate(models):
                    seed = seed_of(plan.seed, f)
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
    sent: _Sent,
    fold: Fold,
    method: Any,
    seed: int,
    time_limit: float | None,
    metrics: tuple[str, ...],
) -> Outcome:
    with _alone() as heard:
        try:
            model = prepared(method, seed, time_limit)
            scores, chosen_by = score_fold(model, sent.open(), fold, metrics)
        except Exception as error:
            words = f"{type(error).__name__}: {error}"
            nothing = [float("nan")] * len(metrics)
            return Outcome(place, nothing, float("nan"), words, traceback.format_exc(), heard())
    return Outcome(place, scores, chosen_by, warnings=heard())


@contextmanager
def _alone() -> Iterator[Callable[[], tuple[str, ...]]]:
    """One core for every method, and its warnings kept.

    Both are settings of a whole process: where tasks share one as threads, they stay as they are.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: ()
        return
    with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        yield lambda: tuple(dict.fromkeys(_words(w) for w in caught))


def _words(caught: warnings.WarningMessage) -> str:
    first = str(caught.message).strip().partition("\n")[0]
    return f"{caught.category.__name__}: {first}"


class _TellingParallel(Parallel):  # type: ignore[misc]
    """Parallel that tells how far it is."""

    advance: Callable[[int], None]

    def print_progress(self) -> None:
        self.advance(self.n_completed_tasks)


class _Sent:
    """A problem on its way to workers: packed once, and unpacked once by each process.

    joblib maps a large array into the memory of its workers, so that a table is not copied for each
    task.
    """

    _open: dict[str, Problem] = {}  # noqa: RUF012 - one for the process, on purpose
    _lock = threading.Lock()

    def __init__(self, problem: Problem) -> None:
        self._key = f"{os.getpid()}-{uuid.uuid4().hex}"
        self._problem = problem
        self._packed: NDArray[np.uint8] | None = None
        type(self)._open[self._key] = problem

    def open(self) -> Problem:
        """Give the problem, whichever process this is."""
        with self._lock:
            found = self._open.get(self._key)
            if found is None:
                assert self._packed is not None  # only in another process, where it came packed
                found = pickle.loads(self._packed.tobytes())
                self._open.clear()  # one at a time: sets come one after the other
                self._open[self._key] = found
        return found

    def forget(self) -> None:
        """Let go of the problem in this process."""
        self._open.pop(self._key, None)

    def __getstate__(self) -> dict[str, Any]:
        if self._packed is None:
            self._packed = np.frombuffer(pickle.dumps(self._problem, protocol=5), np.uint8)
        return {"_key": self._key, "_packed": self._packed}
