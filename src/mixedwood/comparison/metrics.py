"""The metrics of `compare`: one `Metric` each; lower is better in all of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "METRICS",
    "QUANTILES",
    "Evaluation",
    "Metric",
    "bounded_log_loss",
    "mean_cost",
    "metrics",
    "pinball_loss",
    "quantile_of",
    "read_metrics",
]

# Lower bound of probabilities in the log loss. Without it, a single confident error could outweigh
# all other rows. The loss of a row is at most 6.9.
_MIN_PROBABILITY = 0.001
QUANTILES = (0.1, 0.5, 0.9)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A fitted model, test rows, and its predictions for them."""

    model: Any
    X: Any
    y_true: NDArray[Any]
    y_pred: NDArray[Any]
    fit_seconds: float
    predict_seconds: float
    classes: NDArray[Any] | None = None
    cost_matrix: NDArray[np.float64] | None = None  # in the order of the classes
    target_sd: float = math.nan  # of all rows of the dataset, if the target is a number


@dataclass(frozen=True, eq=False)
class Metric:
    """A metric, and how its values are shown.

    Attributes
    ----------
    name : str
        Name in `compare` and in files.
    title : str
        Header of its column in a table.
    description : str
        What it measures.
    compute : callable
        Takes an `Evaluation`; NaN if the model has no such value.
    caption : str
        Title of a chart.
    axis : str
        Label of an axis.
    unit : str
        Unit behind a value.
    decimals : int or None
        Digits after the decimal point; None for significant digits.
    percent : bool
        Whether values are fractions that are shown in percent.
    tested : bool
        Whether differences are tested. Times depend on the machine and are not.
    significant : int
        Number of significant digits, if `decimals` is None.
    task : {"classification", "regression"} or None
        The task that has the metric; None for both.
    """

    name: str
    title: str
    description: str
    compute: Callable[[Evaluation], float]
    caption: str
    axis: str
    unit: str = ""
    decimals: int | None = None
    percent: bool = False
    tested: bool = True
    significant: int = 2
    task: Literal["classification", "regression"] | None = "classification"

    def scale(self, value: float) -> float:
        """Return a value in the unit in which it is shown."""
        return 100.0 * float(value) if self.percent else float(value)

    def format(self, value: float) -> str:
        """Return a value as text, without its unit; an empty text for NaN."""
        if math.isnan(value):
            return ""
        if self.decimals is not None:
            return f"{self.scale(value):.{self.decimals}f}"
        n = self.significant
        return f"{value:.{n}g}" if value < 10**n - 1 else f"{value:.0f}"

    def format_with_unit(self, value: float, error: float = math.nan) -> str:
        """Return a value with its standard error, if there is one, and its unit."""
        text = self.format(value)
        if not text:
            return "no value"
        if not math.isnan(error):
            text += f" ± {self.format(error)}"
        return f"{text} {self.unit}".rstrip()


def _error(found: Evaluation) -> float:
    return float((found.y_pred != found.y_true).mean())


def _balanced_error(found: Evaluation) -> float:
    """Mean over the classes of the test rows."""
    _, codes, counts = np.unique(found.y_true, return_inverse=True, return_counts=True)
    return float((np.bincount(codes, weights=found.y_pred != found.y_true) / counts).mean())


def _log_loss(found: Evaluation) -> float:
    if not callable(getattr(found.model, "predict_proba", None)):
        return math.nan
    probabilities = np.asarray(found.model.predict_proba(found.X), dtype=np.float64)
    return bounded_log_loss(probabilities, np.asarray(found.model.classes_), found.y_true)


def bounded_log_loss(
    probabilities: NDArray[np.float64], classes: NDArray[Any], y_true: NDArray[Any]
) -> float:
    """Compute the log loss with probabilities of at least 0.001, as `compare` does."""
    column = {label: i for i, label in enumerate(classes.tolist())}
    columns = np.array([column.get(label, -1) for label in y_true.tolist()])
    # A class that is unknown to the model has probability 0.
    given = np.where(columns < 0, 0.0, probabilities[np.arange(len(y_true)), columns])
    return 0.0 - float(np.log(np.clip(given, _MIN_PROBABILITY, 1.0)).mean())  # never -0


def mean_cost(
    classes: NDArray[Any],
    cost_matrix: NDArray[np.float64],
    y_true: NDArray[Any],
    y_pred: NDArray[Any],
) -> float:
    """Compute the mean cost of predictions; ``cost_matrix[i, j]`` is that of j if i is true.

    Examples
    --------
    >>> classes, costs = np.array(["bad", "good"]), np.array([[0.0, 5.0], [1.0, 0.0]])
    >>> mean_cost(classes, costs, np.array(["bad", "good"]), np.array(["good", "good"]))
    2.5
    """
    place = {label: i for i, label in enumerate(classes.tolist())}
    true, predicted = ([place[label] for label in y.tolist()] for y in (y_true, y_pred))
    return float(cost_matrix[true, predicted].mean())


def _cost(found: Evaluation) -> float:
    if found.classes is None or found.cost_matrix is None:
        return math.nan
    return mean_cost(found.classes, found.cost_matrix, found.y_true, found.y_pred)


def _rmse(found: Evaluation) -> float:
    return float(np.sqrt(np.mean((found.y_pred - found.y_true) ** 2)))


def _relative_rmse(found: Evaluation) -> float:
    return _rmse(found) / found.target_sd if found.target_sd > 0 else math.nan


def _mae(found: Evaluation) -> float:
    return float(np.abs(found.y_pred - found.y_true).mean())


def _median_error(found: Evaluation) -> float:
    return float(np.median(np.abs(found.y_pred - found.y_true)))


def _unexplained(found: Evaluation) -> float:
    total = float(((found.y_true - found.y_true.mean()) ** 2).sum())
    return float(((found.y_pred - found.y_true) ** 2).sum()) / total if total > 0 else math.nan


def pinball_loss(y_true: NDArray[Any], y_pred: NDArray[Any], quantile: float) -> float:
    """Compute the mean pinball loss of a predicted quantile.

    Examples
    --------
    >>> pinball_loss(np.array([1.0, 4.0]), np.array([2.0, 2.0]), 0.9)
    0.95
    """
    off = y_true - y_pred
    return float(np.maximum(quantile * off, (quantile - 1) * off).mean())


def quantile_of(model: Any) -> float | None:
    """Give the quantile that a model was fitted to predict, or None."""
    asked = getattr(model, "loss", None) == "quantile"
    return float(model.quantile) if asked and getattr(model, "quantile", None) else None


def _pinball(found: Evaluation) -> float:
    """Of the quantile that a model predicts, or the mean of those in QUANTILES for a forest."""
    own = quantile_of(found.model)
    if own is not None:
        return pinball_loss(found.y_true, found.y_pred, own)
    if not getattr(found.model, "keep_leaves", False):
        return math.nan
    predicted = found.model.predict(found.X, quantiles=list(QUANTILES))
    losses = (
        pinball_loss(found.y_true, column, level)
        for column, level in zip(predicted.T, QUANTILES, strict=True)
    )
    return sum(losses) / len(QUANTILES)


def _n_leaves(model: Any) -> float:
    """Number of leaves of the one tree in a model, also inside a pipeline or a search."""
    if callable(count := getattr(model, "get_n_leaves", None)):
        return float(count())
    if hasattr(model, "estimators_"):  # several trees; `estimator_` is an unfitted template
        return math.nan
    for inner in ("best_estimator_", "estimator_"):
        if hasattr(model, inner):
            return _n_leaves(getattr(model, inner))
    if hasattr(model, "steps"):
        return _n_leaves(model.steps[-1][1])
    return math.nan


METRICS = {
    metric.name: metric
    for metric in (
        Metric(
            "rmse",
            "RMSE",
            "square root of the mean squared error of the test rows",
            _rmse,
            "RMSE",
            "RMSE",
            significant=4,
            task="regression",
        ),
        Metric(
            "relative_rmse",
            "relative RMSE",
            "RMSE divided by the standard deviation of the target in the dataset",
            _relative_rmse,
            "Relative RMSE",
            "relative RMSE",
            decimals=3,
            task="regression",
        ),
        Metric(
            "mae",
            "MAE",
            "mean absolute error of the test rows",
            _mae,
            "MAE",
            "MAE",
            significant=4,
            task="regression",
        ),
        Metric(
            "median_error",
            "median error",
            "median absolute error of the test rows",
            _median_error,
            "Median absolute error",
            "median absolute error",
            significant=4,
            task="regression",
        ),
        Metric(
            "r2_loss",
            "1 - R²",
            "1 - R²: the squared error relative to that of the mean of the test rows",
            _unexplained,
            "1 - R²",
            "1 - R²",
            decimals=3,
            task="regression",
        ),
        Metric(
            "pinball",
            "pinball loss",
            "pinball loss of the quantile that a model predicts; of forests, the mean for 0.1, 0.5 "
            "and 0.9",
            _pinball,
            "Pinball loss",
            "pinball loss",
            significant=4,
            task="regression",
        ),
        Metric(
            "error",
            "error %",
            "fraction of test rows that are misclassified",
            _error,
            "Error",
            "error %",
            unit="%",
            decimals=1,
            percent=True,
        ),
        Metric(
            "balanced_error",
            "balanced error %",
            "1 - balanced accuracy: the mean error of the classes",
            _balanced_error,
            "Balanced error",
            "balanced error %",
            unit="%",
            decimals=1,
            percent=True,
        ),
        Metric(
            "log_loss",
            "log loss",
            "mean of -log(probability of the true class), with probabilities of at least 0.001",
            _log_loss,
            "Log loss",
            "log loss",
            decimals=3,
        ),
        Metric(
            "leaves",
            "leaves",
            "number of leaves, for single trees",
            lambda found: _n_leaves(found.model),
            "Leaves",
            "leaves",
            unit="leaves",
            decimals=1,
            task=None,
        ),
        Metric(
            "fit_seconds",
            "fit s",
            "seconds to fit",
            lambda found: found.fit_seconds,
            "Fit time",
            "seconds",
            unit="s",
            tested=False,
            task=None,
        ),
        Metric(
            "predict_seconds",
            "predict s",
            "seconds to predict the test rows",
            lambda found: found.predict_seconds,
            "Prediction time",
            "seconds",
            unit="s",
            tested=False,
            task=None,
        ),
        Metric(
            "cost",
            "cost",
            "mean cost of the predictions for test rows, by cost_matrix",
            _cost,
            "Cost",
            "cost per row",
            decimals=3,
        ),
    )
}


def metrics(task: str = "classification") -> dict[str, str]:
    """Return the names of the metrics with a description of each; lower is better in all of them.

    Parameters
    ----------
    task : {"classification", "regression"}, default="classification"
        Whether the target has classes or numbers.

    Examples
    --------
    >>> metrics()["error"]
    'fraction of test rows that are misclassified'
    >>> list(metrics("regression"))[:3]
    ['rmse', 'relative_rmse', 'mae']
    """
    return {
        metric.name: metric.description
        for metric in METRICS.values()
        if metric.task in (task, None)
    }


def read_metrics(
    chosen: Any, *, has_costs: bool = False, task: str = "classification"
) -> tuple[str, ...]:
    """Check names of metrics; None for all that need not be asked for, as "pinball" must be."""
    known = metrics(task)
    if chosen is None:
        left_out = {"pinball"} | (set() if has_costs else {"cost"})
        return tuple(name for name in known if name not in left_out)
    names = (chosen,) if isinstance(chosen, str) else tuple(chosen)
    if "cost" in names and not has_costs:
        raise ValueError("The metric 'cost' needs the costs of mistakes: pass cost_matrix.")
    unknown = [name for name in names if name not in known]
    if unknown and unknown[0] in METRICS:
        what = {"classification": "classes", "regression": "numbers"}[task]
        raise ValueError(
            f"The metric {unknown[0]!r} does not apply to a target of {what}. Use one or more of "
            f"{', '.join(known)}, or set task."
        )
    if unknown or not names or len(set(names)) < len(names):
        what = f"Unknown metric {unknown[0]!r}" if unknown else f"Got metrics={list(names)}"
        raise ValueError(f"{what}. Use one or more of {', '.join(known)}, each once.")
    return names
