"""What is measured of a method on one fold."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.comparison.dividing import Fold
from mixedwood.comparison.problems import Problem

__all__ = ["METRICS", "Metric", "bounded_log_loss", "metrics", "read_metrics", "score_fold"]

# A probability below this counts as this: one row that a method is sure of and wrong about must not
# outweigh all the others. The loss of a row is at most 6.9.
LEAST_PROBABILITY = 0.001


@dataclass(frozen=True)
class Metric:
    """A measure: less is better."""

    name: str
    title: str
    line: str
    tested: bool = True  # whether differences are tested; times depend on the machine
    percent: bool = False


_ALL = (
    Metric("error", "error %", "fraction of test rows that are misclassified", percent=True),
    Metric(
        "balanced_error",
        "balanced error %",
        "1 - balanced accuracy: the mean error of the classes",
        percent=True,
    ),
    Metric(
        "log_loss",
        "log loss",
        "mean of -log(probability of the true class), probabilities below 0.001 counted as 0.001",
    ),
    Metric("leaves", "leaves", "number of leaves, for single trees"),
    Metric("fit_seconds", "fit s", "seconds to fit", tested=False),
    Metric("predict_seconds", "predict s", "seconds to predict the test rows", tested=False),
)
METRICS = {metric.name: metric for metric in _ALL}


def metrics() -> dict[str, str]:
    """Name what `compare` can measure, with a line about each; less is better in all of them.

    Examples
    --------
    >>> metrics()["error"]
    'fraction of test rows that are misclassified'
    """
    return {metric.name: metric.line for metric in _ALL}


def read_metrics(chosen: Any) -> tuple[str, ...]:
    """Check the names of metrics."""
    names = (chosen,) if isinstance(chosen, str) else tuple(chosen)
    unknown = [name for name in names if name not in METRICS]
    if unknown or not names or len(set(names)) < len(names):
        what = f"{unknown[0]!r} is not known" if unknown else f"got {list(names)}"
        raise ValueError(f"metrics: {what}. Name one or more of {', '.join(METRICS)}, each once.")
    return names


def score_fold(
    model: Any, problem: Problem, fold: Fold, wanted: Sequence[str]
) -> tuple[list[float], float]:
    """Fit a model and measure it; also give its error on the rows it may be chosen by."""
    X, y = problem.take(fold.train)
    started = time.perf_counter()
    model.fit(X, y)
    found = {"fit_seconds": time.perf_counter() - started}
    if getattr(getattr(model, "proof_", None), "status", None) == "interrupted":
        raise KeyboardInterrupt  # a search that kept its best tree: all the rest must end, too
    X, truth = problem.take(fold.test)
    started = time.perf_counter()
    answers = np.asarray(model.predict(X))
    found["predict_seconds"] = time.perf_counter() - started
    codes, wrong = problem.codes[fold.test], answers != truth
    found["error"] = float(wrong.mean())
    found["balanced_error"] = _balanced(wrong, codes)
    if "log_loss" in wanted and callable(getattr(model, "predict_proba", None)):
        found["log_loss"] = _log_loss(model, X, truth)
    if "leaves" in wanted:
        found["leaves"] = _leaves(model)
    chosen_by = float("nan")
    if fold.choose is not None:
        X, truth = problem.take(fold.choose)
        chosen_by = float((np.asarray(model.predict(X)) != truth).mean())
    return [found.get(name, float("nan")) for name in wanted], chosen_by


def _balanced(wrong: NDArray[np.bool_], codes: NDArray[np.int32]) -> float:
    """Mean over the classes that were tested."""
    counts = np.bincount(codes)
    shares = np.bincount(codes, weights=wrong)[counts > 0] / counts[counts > 0]
    return float(shares.mean())


def _log_loss(model: Any, X: Any, truth: NDArray[Any]) -> float:
    answers = np.asarray(model.predict_proba(X), dtype=np.float64)
    return bounded_log_loss(answers, np.asarray(model.classes_), truth)


def bounded_log_loss(
    answers: NDArray[np.float64], classes: NDArray[Any], truth: NDArray[Any]
) -> float:
    """Give the mean of -log(probability of the true class), as compared by `compare`."""
    place = {label: i for i, label in enumerate(classes.tolist())}
    places = np.array([place.get(label, -1) for label in truth.tolist()])
    # A class that the model does not know has no probability.
    given = np.where(places < 0, 0.0, answers[np.arange(len(truth)), places])
    return 0.0 - float(np.log(np.clip(given, LEAST_PROBABILITY, 1.0)).mean())  # never -0


def _leaves(model: Any) -> float:
    """Leaves of the one tree in a model; inside a pipeline or a search, too."""
    if callable(count := getattr(model, "get_n_leaves", None)):
        return float(count())
    if hasattr(model, "estimators_"):  # many trees, of which `estimator_` is the unfitted pattern
        return float("nan")
    for inside in ("best_estimator_", "estimator_"):
        if hasattr(model, inside):
            return _leaves(getattr(model, inside))
    if hasattr(model, "steps"):
        return _leaves(model.steps[-1][1])
    return float("nan")
