"""One division of a data set: an ensemble is judged after every number of its trees."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood._folds import random_train_test
from mixedwood.study.definition import StudyError
from mixedwood.study.tasks.cross_validation import only_known, sizes
from mixedwood.study.tasks.work import Figures, Work

__all__ = ["divide", "divisions"]


def divisions(work: Work) -> Figures:
    """Learn from some rows and test on others; the axis `repetition` numbers the divisions.

    Settings: `train` and `test`, numbers of rows, or one for each set by its name; `stages`, after
    how many trees an error is wanted; `fresh`, for sets that were drawn, how many rows a division
    has for itself, in the order in which they were drawn. Rows of other sets are shuffled.

    Figures: `errors` and `train_errors` after every number of trees, `error_1` and so on after
    those of `stages`, `leaves` of a tree, `iterations` of growing and pruning (their mean) and
    `most_iterations`, `fit_seconds`; `overlap`, test rows for each training row, but 0 where all
    rows are fresh. A single tree is an ensemble of one.
    """
    problem = work.data
    train, test, overlap = divide(work)
    X, y = problem.take(train)
    X_test, y_test = problem.take(test)
    model = work.model(work.seed(1))
    started = time.perf_counter()
    model.fit(only_known(X), y)
    seconds = time.perf_counter() - started
    errors = _staged(model, X_test, y_test)
    at_stages = {
        f"error_{stage}": errors[stage - 1]
        for stage in work.value("stages", [1])
        if stage <= len(errors)
    }
    return {
        **at_stages,
        "error": errors[-1],
        "errors": errors,
        "train_errors": _staged(model, X, y),
        **sizes(model),
        **_iterations(model),
        "fit_seconds": seconds,
        "overlap": overlap,
    }


def divide(work: Work) -> tuple[NDArray[np.intp], NDArray[np.intp], float]:
    """Rows to learn from, rows to test on, and how far divisions share rows."""
    n_rows, name = len(work.data.codes), work.at["set"]
    n_train, n_test = (_size(work, which) for which in ("train", "test"))
    if block := work.value("fresh", {}).get(name):
        # Rows to test on come first: they are the same for any number of rows to learn from.
        start = int(work.at.get("repetition", 0)) * int(block)
        if n_train + n_test > block or start + block > n_rows:
            raise StudyError(
                f"The set {name!r} has {n_rows} rows, {block} of them for each division; this one "
                f"needs {n_train + n_test}, from row {start + 1} on."
            )
        rows = np.arange(start, start + n_test + n_train)
        return rows[n_test:], rows[:n_test], 0.0
    if n_train + n_test > n_rows:
        raise StudyError(
            f"The set {name!r} has {n_rows} rows, too few for {n_train} to learn from and "
            f"{n_test} to test on."
        )
    return *random_train_test(n_rows, n_train, n_test, work.seed(0)), n_test / n_train


def _size(work: Work, which: str) -> int:
    name, size = work.at["set"], work.value(which)
    if isinstance(size, Mapping):
        size = size.get(name)
    if not isinstance(size, int) or size < 1:
        raise StudyError(f"The set {name!r} needs {which!r}, a number of rows; got {size!r}.")
    return size


def _staged(model: Any, X: Any, y: NDArray[Any]) -> list[float]:
    if hasattr(model, "staged_score"):
        return [1 - float(score) for score in model.staged_score(X, y)]
    return [float((np.asarray(model.predict(X)) != y).mean())]


def _iterations(model: Any) -> Figures:
    found = getattr(model, "iterations_", None)
    if not found:
        return {}
    counts = [len(entry) for entry in found] if hasattr(model, "trees_") else [len(found)]
    return {"iterations": float(np.mean(counts)), "most_iterations": float(max(counts))}
