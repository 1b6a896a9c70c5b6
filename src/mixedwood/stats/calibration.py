"""Calibration: whether probabilities come true as often as they say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["ReliabilityCurve", "reliability_curve"]

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ReliabilityCurve:
    """Predicted probabilities beside frequencies, in bins of about as many predictions.

    Attributes
    ----------
    predicted : ndarray of shape (n_bins,)
        Mean predicted probability of each bin.
    observed : ndarray of shape (n_bins,)
        Fraction of the predictions of the bin that came true.
    counts : ndarray of int and shape (n_bins,)
        Number of predictions in each bin.
    """

    predicted: Numbers
    observed: Numbers
    counts: NDArray[np.int64]

    @property
    def error(self) -> float:
        """Expected calibration error: the mean distance of both over all predictions."""
        return float(np.average(np.abs(self.predicted - self.observed), weights=self.counts))


def reliability_curve(
    y_true: ArrayLike, probabilities: ArrayLike, classes: ArrayLike, *, n_bins: int = 10
) -> ReliabilityCurve:
    """Compare the probability of the predicted class with how often the prediction is right.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True classes.
    probabilities : array-like of shape (n_rows, n_classes)
        Predicted probabilities, as of ``predict_proba``.
    classes : array-like of shape (n_classes,)
        The class of each column, as in ``classes_``.
    n_bins : int, default=10
        Number of bins; fewer if there are fewer rows.

    Returns
    -------
    ReliabilityCurve
        The curve, by ascending probability, and its calibration error.

    Examples
    --------
    >>> curve = reliability_curve(
    ...     ["a", "b", "a", "a"], [[0.9, 0.1], [0.6, 0.4], [0.6, 0.4], [0.9, 0.1]], ["a", "b"],
    ...     n_bins=2,
    ... )
    >>> curve.predicted.tolist(), curve.observed.tolist(), round(curve.error, 3)
    ([0.6, 0.9], [0.5, 1.0], 0.1)
    """
    table, labels = np.asarray(probabilities, np.float64), np.asarray(classes)
    truth = np.asarray(y_true)
    if table.ndim != 2 or table.shape != (len(truth), len(labels)) or not len(truth):
        raise ValueError(
            "probabilities must have one row for each of y_true and one column for each of "
            f"classes. Got shape {table.shape} for {len(truth)} rows and {len(labels)} classes."
        )
    if isinstance(n_bins, bool) or not isinstance(n_bins, (int, np.integer)) or n_bins < 1:
        raise ValueError(f"n_bins must be an int in the range [1, inf). Got {n_bins!r} instead.")
    best = table.argmax(axis=1)
    given, right = table[np.arange(len(truth)), best], labels[best] == truth
    parts = np.array_split(np.argsort(given, kind="stable"), min(int(n_bins), len(truth)))
    return ReliabilityCurve(
        np.array([given[rows].mean() for rows in parts]),
        np.array([right[rows].mean() for rows in parts]),
        np.array([len(rows) for rows in parts], dtype=np.int64),
    )
