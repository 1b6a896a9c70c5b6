"""`evaluate`: the scores of a fitted model on rows whose target is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mixedwood.data import read_numbers, read_target
from mixedwood.evaluation.intervals import (
    Numbers,
    Score,
    auc,
    effective_rows,
    fraction_score,
    influence_score,
    mean_of_fractions,
    median_score,
    wilson,
)

__all__ = [
    "MIN_PROBABILITY",
    "Calibration",
    "ClassEvaluation",
    "ClassScores",
    "NumberEvaluation",
    "evaluate",
]

MIN_PROBABILITY = 0.001  # lower bound in the log loss, as in `mixedwood.compare`
_N_BINS = 10
_MAX_CLASSES = 12  # of a printed confusion matrix


@dataclass(frozen=True)
class ClassScores:
    """Precision, recall and F1 score of a class; NaN where there is nothing to divide by."""

    label: Any
    precision: Score
    recall: Score
    f1: float
    support: int


@dataclass(frozen=True, eq=False)
class Calibration:
    """Predicted probabilities beside observed fractions, in bins of equally many rows.

    Attributes
    ----------
    label : object or None
        The class whose probability is meant; None for the probability of the predicted class.
    predicted, observed : ndarray
        Mean predicted probability, and fraction of rows of the class, in each bin.
    low, high : ndarray
        Wilson's interval of the observed fraction.
    n_rows : ndarray of int
        Number of rows of each bin.
    error : float
        Expected calibration error: the mean of ``|predicted - observed|``, weighted by rows.
    """

    label: Any
    predicted: Numbers
    observed: Numbers
    low: Numbers
    high: Numbers
    n_rows: NDArray[np.int64]
    error: float

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values."""
        arrays = ("predicted", "observed", "low", "high", "n_rows")
        return {
            "class": None if self.label is None else str(self.label),
            "expected_calibration_error": self.error,
            **{name: getattr(self, name).tolist() for name in arrays},
        }


class _Evaluation:
    """What both kinds of results have."""

    scores: dict[str, Score]
    n_rows: int
    level: float

    def __getattr__(self, name: str) -> float:
        scores = vars(self).get("scores", {})
        if name in scores:
            return float(scores[name].value)
        raise AttributeError(f"{type(self).__name__!r} has no attribute or score {name!r}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.scores})

    def _lines(self) -> list[str]:
        shown = [s for s in self.scores.values() if not math.isnan(s.value)]
        width = max((len(s.title) for s in shown), default=0)
        texts = [format_score(s.value) for s in shown]
        space = max(map(len, texts), default=0)
        lines = []
        for score, text in zip(shown, texts, strict=True):
            line = f"{score.title:<{width}}  {text:>{space}}"
            if not math.isnan(score.low):
                line += f"  [{format_score(score.low)}, {format_score(score.high)}]"
            lines.append(line.rstrip())
        return lines

    def _head(self) -> str:
        rows = f"{self.n_rows} row{'s' * (self.n_rows != 1)}"
        return f"{rows}; intervals of {100 * self.level:g} %"


@dataclass(frozen=True, eq=False)
class ClassEvaluation(_Evaluation):
    """Scores of a classifier; `print` it. Each score is an attribute: ``result.accuracy``.

    Attributes
    ----------
    n_rows : int
        Number of rows.
    classes : tuple
        Labels: those of the model, then labels of y that were not in the training data.
    scores : dict of str to Score
        ``accuracy``, ``balanced_accuracy``, ``auc``, ``log_loss``, ``brier`` and, if the model has
        costs of mistakes, ``cost``, with their intervals. Scores of probabilities are NaN if the
        model predicts none.
    per_class : tuple of ClassScores
        Precision, recall, F1 score and number of rows of each class.
    confusion_matrix : ndarray of int and shape (n_classes, n_classes)
        Numbers of rows by true class (row) and predicted class (column).
    calibration : Calibration or None
        Predicted probabilities beside observed fractions; None without probabilities.
    level : float
        Level of the intervals.
    probabilities, true, predicted : ndarray
        Probabilities (None without), and true and predicted classes as positions in `classes`.
    """

    n_rows: int
    classes: tuple[Any, ...]
    n_known: int
    scores: dict[str, Score]
    per_class: tuple[ClassScores, ...]
    confusion_matrix: NDArray[np.int64]
    calibration: Calibration | None
    level: float
    probabilities: Numbers | None = field(repr=False)
    true: NDArray[np.int64] = field(repr=False)
    predicted: NDArray[np.int64] = field(repr=False)

    @property
    def unknown_classes(self) -> tuple[Any, ...]:
        """Labels of y that were not in the training data."""
        return self.classes[self.n_known :]

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain numbers, texts, lists and dicts; None where a score is undefined."""
        return {
            "rows": self.n_rows,
            "level": self.level,
            "scores": {name: score.to_dict() for name, score in self.scores.items()},
            "classes": [str(label) for label in self.classes],
            "unknown_classes": [str(label) for label in self.unknown_classes],
            "per_class": [
                {
                    "class": str(one.label),
                    "precision": one.precision.to_dict(),
                    "recall": one.recall.to_dict(),
                    "f1": None if math.isnan(one.f1) else one.f1,
                    "support": one.support,
                }
                for one in self.per_class
            ],
            "confusion_matrix": self.confusion_matrix.tolist(),
            "calibration": None if self.calibration is None else self.calibration.to_dict(),
        }

    def __str__(self) -> str:
        lines = [self._head(), *self._lines()]
        if self.calibration is not None:
            lines.append(f"calibration error: {format_score(self.calibration.error)}")
        names = [str(one.label) for one in self.per_class]
        cells = [["class", "precision", "recall", "f1-score", "support"]]
        for name, one in zip(names, self.per_class, strict=True):
            values = [one.precision.value, one.recall.value, one.f1]
            cells.append([name, *map(_three, values), str(one.support)])
        lines += ["", *_align(cells)]
        if len(names) <= _MAX_CLASSES:
            matrix = [[n, *map(str, row)] for n, row in
                      zip(names, self.confusion_matrix.tolist(), strict=True)]  # fmt: skip
            title = "Confusion matrix (rows: true class, columns: predicted class)"
            lines += ["", title, *_align([["", *names], *matrix])]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class NumberEvaluation(_Evaluation):
    """Scores of a regressor; `print` it. Each score is an attribute: ``result.rmse``.

    Attributes
    ----------
    n_rows : int
        Number of rows.
    scores : dict of str to Score
        ``rmse``, ``mae``, ``r2`` and ``median_error`` with their intervals.
    target_mean, target_sd : float
        Mean and standard deviation of the target in these rows.
    level : float
        Level of the intervals.
    true, predicted : ndarray
        The true and the predicted numbers.
    """

    n_rows: int
    scores: dict[str, Score]
    target_mean: float
    target_sd: float
    level: float
    true: Numbers = field(repr=False)
    predicted: Numbers = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain numbers and dicts; None where a score is undefined."""
        return {
            "rows": self.n_rows,
            "level": self.level,
            "scores": {name: score.to_dict() for name, score in self.scores.items()},
            "target_mean": self.target_mean,
            "target_sd": self.target_sd,
        }

    def __str__(self) -> str:
        return "\n".join([self._head(), *self._lines()])


def format_score(value: float) -> str:
    """Format a score with four digits after the point, or six in all if it is large."""
    return "" if math.isnan(value) else f"{value:.4f}" if abs(value) < 10 else f"{value:.6g}"


def _three(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.3f}"


def _align(cells: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]


def evaluate(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: ArrayLike | float | None = None,
    level: float = 0.95,
) -> ClassEvaluation | NumberEvaluation:
    """Evaluate a fitted model on rows whose target is known, preferably not its training rows.

    Parameters
    ----------
    model : fitted classifier or regressor
        An estimator of mixedwood, or any other with ``predict`` and, for classes, ``classes_``.
    X : table
        Rows.
    y : array-like of shape (n_rows,)
        Their classes or numbers.
    sample_weight : array-like of shape (n_rows,), optional
        Weights of the rows. Confusion matrix and numbers of rows are not weighted.
    level : float, default=0.95
        Level of the confidence intervals.

    Returns
    -------
    ClassEvaluation or NumberEvaluation
        The scores with intervals. Print it, or use ``to_dict()``.

    Notes
    -----
    Intervals: Wilson's for accuracy, precision and recall, and combined for balanced accuracy;
    DeLong's for AUC; normal for means and for RMSE and R², by the influences of the rows; between
    ranks for the median error. They state what other rows of the same kind would change, for this
    model; not how the model would change with other training rows.

    AUC of more than two classes is the mean over classes of one against the rest. The Brier score
    is that of scikit-learn. Probabilities in the log loss are at least 0.001, as in `compare`.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"color": ["red", "blue", "green", "blue"] * 10, "size": [1, 2, 3, 4] * 10}
    >>> y = ["yes", "no", "yes", "no"] * 9 + ["no", "no", "yes", "no"]
    >>> result = mw.evaluate(mw.TreeClassifier().fit(X, y), X, y)
    >>> print(result)
    40 rows; intervals of 95 %
    accuracy           0.9750  [0.8712, 0.9956]
    balanced accuracy  0.9762  [0.8534, 0.9958]
    AUC                0.9762  [0.9301, 1.0000]
    log loss           0.0993  [0.0000, 0.2450]
    Brier score        0.0238  [0.0000, 0.0679]
    calibration error: 0.0000
    <BLANKLINE>
    class  precision  recall  f1-score  support
    no         1.000   0.952     0.976       21
    yes        0.950   1.000     0.974       19
    <BLANKLINE>
    Confusion matrix (rows: true class, columns: predicted class)
         no  yes
    no   20    1
    yes   0   19
    >>> result.accuracy, result.scores["auc"].method
    (0.975, 'DeLong')
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, such as 0.95. Got {level!r} instead.")
    if not hasattr(model, "classes_"):
        target = read_numbers(y, sample_weight)
        return evaluate_numbers(model, X, target.numbers, target.weights, level)
    of_classes = read_target(y, sample_weight)
    labels = of_classes.classes[of_classes.codes].tolist()
    known = set(np.asarray(model.classes_).tolist())
    if not known & set(labels):
        raise ValueError(
            f"y has none of the classes of the model: it has {_some(set(labels))}, the model "
            f"{_some(known)}. Use labels of the same type."
        )
    return evaluate_classes(model, X, labels, of_classes.weights, level)


def _some(labels: set[Any]) -> str:
    shown = sorted(map(repr, labels))
    return ", ".join(shown[:4]) + (", ..." if len(shown) > 4 else "")


def evaluate_classes(
    model: Any,
    X: Any,
    labels: Sequence[Any],
    weights: Numbers | None = None,
    level: float = 0.95,
) -> ClassEvaluation:
    """Evaluate a classifier; labels may be of several types, and None leaves out a row."""
    known = np.asarray(model.classes_).tolist()
    rows = np.array([label is not None for label in labels], dtype=bool)
    if weights is not None:
        rows &= weights > 0
    predictions = np.asarray(model.predict(X))
    _check_length(len(predictions), len(rows))
    if not rows.any():
        raise ValueError("There are no rows to evaluate: every class is missing or of weight 0.")
    chosen = [label for label, use in zip(labels, rows.tolist(), strict=True) if use]
    unknown = [label for label in dict.fromkeys(chosen) if label not in set(known)]
    classes = (*known, *sorted(unknown, key=str))
    place = {label: i for i, label in enumerate(classes)}
    true = np.array([place[label] for label in chosen], dtype=np.int64)
    given = np.array([place[label] for label in predictions[rows].tolist()], dtype=np.int64)
    w = np.ones(len(true)) if weights is None else np.asarray(weights[rows], dtype=np.float64)
    p = None
    if callable(getattr(model, "predict_proba", None)):
        p = np.asarray(model.predict_proba(X), dtype=np.float64)[rows]
    k = len(classes)
    matrix = np.zeros((k, k), dtype=np.int64)
    np.add.at(matrix, (true, given), 1)
    weighted = np.zeros((k, k))
    np.add.at(weighted, (true, given), w)
    per_class = tuple(_class_scores(classes, weighted, matrix, true, given, w, level))
    scores = [
        _accuracy(true == given, w, level),
        _balanced_accuracy(per_class, true, w, level),
        *_probability_scores(model, X, rows, p, true, w, len(known), level),
    ]
    costs = getattr(model, "_costs", None)
    if costs is not None and not unknown:
        paid = np.asarray(costs, dtype=np.float64)[true, given]
        scores.append(_mean("cost", "mean cost", paid, w, level))
    calibration = None if p is None else calibrate(p, true, known, level, w)
    return ClassEvaluation(
        len(true), classes, len(known), {score.name: score for score in scores}, per_class,
        matrix, calibration, level, p, true, given,
    )  # fmt: skip


def _accuracy(right: NDArray[np.bool_], w: Numbers, level: float) -> Score:
    fraction = float(np.average(right, weights=w))
    return fraction_score("accuracy", "accuracy", fraction, effective_rows(w), level)


def _class_scores(
    classes: Sequence[Any],
    weighted: Numbers,
    matrix: NDArray[np.int64],
    true: NDArray[np.int64],
    given: NDArray[np.int64],
    w: Numbers,
    level: float,
) -> list[ClassScores]:
    found = []
    for i, label in enumerate(classes):
        hits, of_class, of_given = (
            float(weighted[i, i]),
            float(weighted[i].sum()),
            float(weighted[:, i].sum()),
        )
        precision = hits / of_given if of_given > 0 else math.nan
        recall = hits / of_class if of_class > 0 else math.nan
        both = of_class + of_given
        found.append(
            ClassScores(
                label,
                fraction_score(
                    "precision", "precision", precision, effective_rows(w[given == i]), level
                ),
                fraction_score("recall", "recall", recall, effective_rows(w[true == i]), level),
                2 * hits / both if both > 0 else math.nan,
                int(matrix[i].sum()),
            )
        )
    return found


def _balanced_accuracy(
    per_class: Sequence[ClassScores], true: NDArray[np.int64], w: Numbers, level: float
) -> Score:
    present = [i for i, one in enumerate(per_class) if one.support]
    recalls = np.array([per_class[i].recall.value for i in present])
    sizes = np.array([effective_rows(w[true == i]) for i in present])
    return mean_of_fractions("balanced_accuracy", "balanced accuracy", recalls, sizes, level)


def _mean(name: str, title: str, values: Numbers, w: Numbers, level: float, **ends: float) -> Score:
    value = float(np.average(values, weights=w))
    return influence_score(name, title, value, values - value, w, level, **ends)  # type: ignore[arg-type]


def _probability_scores(
    model: Any,
    X: Any,
    rows: NDArray[np.bool_],
    p: Numbers | None,
    true: NDArray[np.int64],
    w: Numbers,
    n_known: int,
    level: float,
) -> list[Score]:
    if p is None:
        area = Score("auc", "AUC", math.nan)
        if n_known == 2 and callable(getattr(model, "decision_function", None)):
            decisions = np.asarray(model.decision_function(X), dtype=np.float64)[rows].ravel()
            area = _auc([decisions], [1], true, w, level)
        return [area, *(Score(n, t, math.nan) for n, t in _PROBABILITY_TITLES.items())]
    columns = [1] if n_known == 2 else list(range(n_known))
    in_model = np.where(true < n_known, true, 0)
    of_true = np.where(true < n_known, p[np.arange(len(true)), in_model], 0.0)
    losses = 0.0 - np.log(np.clip(of_true, MIN_PROBABILITY, 1.0))
    squares = (p**2).sum(axis=1) - 2 * of_true + 1
    if n_known == 2:
        squares /= 2
    return [
        _auc([p[:, k] for k in columns], columns, true, w, level),
        _mean("log_loss", _PROBABILITY_TITLES["log_loss"], losses, w, level, low=0.0),
        _mean("brier", _PROBABILITY_TITLES["brier"], squares, w, level, low=0.0),
    ]


_PROBABILITY_TITLES = {"log_loss": "log loss", "brier": "Brier score"}


def _auc(
    columns: Sequence[Numbers],
    classes: Sequence[int],
    true: NDArray[np.int64],
    w: Numbers,
    level: float,
) -> Score:
    """One class against the rest, and the mean over the classes that have rows."""
    found = [auc(scores, true == k, w) for scores, k in zip(columns, classes, strict=True)]
    defined = [(area, influence) for area, influence in found if not math.isnan(area)]
    if not defined:
        return Score("auc", "AUC", math.nan)
    area = float(np.mean([one for one, _ in defined]))
    influences = np.mean([influence for _, influence in defined], axis=0)
    if area >= 1:  # all influences are 0; as with Wilson, few rows do not prove perfection
        n = min(float(np.count_nonzero(true == k)) for k in classes if (true == k).any())
        return Score("auc", "AUC", 1.0, wilson(1.0, n, level)[0], 1.0, "Wilson")
    return influence_score(
        "auc", "AUC", area, influences, w, level, low=0.0, high=1.0, method="DeLong"
    )


def calibrate(
    p: Numbers,
    true: NDArray[np.int64],
    labels: Sequence[Any],
    level: float = 0.95,
    weights: Numbers | None = None,
    n_bins: int = _N_BINS,
) -> Calibration:
    """Compare probabilities with fractions, in bins of equally many rows or fewer, larger ones."""
    w = np.ones(len(p)) if weights is None else weights
    label, scores, hit = None, p.max(axis=1), p.argmax(axis=1) == true
    if len(labels) == 2:
        label, scores, hit = labels[1], p[:, 1], true == 1
    cuts = np.unique(np.quantile(scores, np.linspace(0, 1, n_bins + 1)[1:-1], method="lower"))
    bins = np.searchsorted(cuts, scores, side="left")
    rows = []
    for b in np.unique(bins):
        here = bins == b
        fraction = float(np.average(hit[here], weights=w[here]))
        n, mean = effective_rows(w[here]), float(np.average(scores[here], weights=w[here]))
        rows.append((mean, fraction, *wilson(fraction, n, level), here.sum(), w[here].sum()))
    mean_, observed, low, high, n_rows, total = map(np.array, zip(*rows, strict=True))
    error = float(np.average(np.abs(mean_ - observed), weights=total))
    return Calibration(label, mean_, observed, low, high, n_rows.astype(np.int64), error)


def evaluate_numbers(
    model: Any, X: Any, true: Numbers, weights: Numbers | None = None, level: float = 0.95
) -> NumberEvaluation:
    """Evaluate a regressor; NaN leaves out a row."""
    predictions = np.asarray(model.predict(X), dtype=np.float64)
    _check_length(len(predictions), len(true))
    rows = ~np.isnan(true)
    if weights is not None:
        rows &= weights > 0
    if not rows.any():
        raise ValueError("There are no rows to evaluate: every number is missing or of weight 0.")
    y, given = true[rows], predictions[rows]
    w = np.ones(len(y)) if weights is None else np.asarray(weights[rows], dtype=np.float64)
    mean = float(np.average(y, weights=w))
    errors, around = given - y, (y - mean) ** 2
    square, total = float(np.average(errors**2, weights=w)), float(np.average(around, weights=w))
    rmse = math.sqrt(square)
    influences = (errors**2 - square) / (2 * rmse) if rmse > 0 else np.zeros(len(y))
    r2 = 1 - square / total if total > 0 else math.nan
    of_r2 = -(errors**2 - (1 - r2) * around) / total if total > 0 else influences
    scores = [
        influence_score("rmse", "RMSE", rmse, influences, w, level, low=0.0),
        _mean("mae", "MAE", np.abs(errors), w, level, low=0.0),
        influence_score("r2", "R²", r2, of_r2, w, level, high=1.0),
        median_score("median_error", "median error", np.abs(errors), w, level),
    ]
    return NumberEvaluation(
        len(y), {s.name: s for s in scores}, mean, math.sqrt(total), level, y, given
    )


def _check_length(n_predicted: int, n_given: int) -> None:
    if n_predicted != n_given:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X has {n_predicted} "
            f"rows, y has {n_given}."
        )
