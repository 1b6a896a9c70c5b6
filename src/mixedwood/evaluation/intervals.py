"""Confidence intervals of scores, without resampling: the same rows give the same interval.

A mean over rows has a normal interval, by the standard deviation of the rows. Every other score is
close to a mean of the *influences* of the rows, its derivatives by their weights (the infinitesimal
jackknife); for the area under the curve these are the placements of DeLong et al. (1988). A
fraction of rows has Wilson's interval, which also holds for 0 and 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

__all__ = [
    "Score",
    "auc",
    "effective_rows",
    "fraction_score",
    "influence_score",
    "mean_of_fractions",
    "median_score",
]

Numbers: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Score:
    """A score with its confidence interval.

    Attributes
    ----------
    name, title : str
        Its key in dicts, and its name in tables.
    value : float
        The score; NaN if the rows do not define it.
    low, high : float
        The ends of the interval; NaN if there is none.
    method : str
        How the interval was computed: ``"Wilson"``, ``"normal"``, ``"DeLong"`` or ``"ranks"``.
    """

    name: str
    title: str
    value: float
    low: float = math.nan
    high: float = math.nan
    method: str = ""

    def __float__(self) -> float:
        return self.value

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values, with None for NaN.

        Examples
        --------
        >>> Score("auc", "AUC", 0.75).to_dict()
        {'value': 0.75, 'low': None, 'high': None, 'method': ''}
        """
        numbers = {"value": self.value, "low": self.low, "high": self.high}
        plain = {k: None if math.isnan(v) else float(v) for k, v in numbers.items()}
        return {**plain, "method": self.method}


def normal_quantile(level: float) -> float:
    """Give the number of standard errors on either side."""
    return float(ndtri(0.5 + level / 2))


def effective_rows(weights: Numbers) -> float:
    """Count the rows of equal weight whose mean is as precise as that of weighted rows.

    Examples
    --------
    >>> effective_rows(np.ones(8)), effective_rows(np.array([1.0, 1.0, 0.0]))
    (8.0, 2.0)
    """
    squares = float((weights**2).sum())
    return float(weights.sum()) ** 2 / squares if squares > 0 else 0.0


def wilson(fraction: float, n: float, level: float) -> tuple[float, float]:
    """Compute Wilson's interval of a fraction of n rows.

    Examples
    --------
    >>> [round(end, 4) for end in wilson(1.0, 10, 0.95)]
    [0.7225, 1.0]
    """
    if not n > 0 or math.isnan(fraction):
        return math.nan, math.nan
    z = normal_quantile(level)
    middle = (fraction + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(fraction * (1 - fraction) / n + z**2 / (4 * n**2))
    return max(0.0, min(middle - half, fraction)), min(1.0, max(middle + half, fraction))


def fraction_score(name: str, title: str, fraction: float, n: float, level: float) -> Score:
    """Score that is a fraction of rows, with Wilson's interval."""
    return Score(name, title, fraction, *wilson(fraction, n, level), "Wilson")


def influence_score(
    name: str,
    title: str,
    value: float,
    influences: Numbers,
    weights: Numbers,
    level: float,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    method: str = "normal",
) -> Score:
    """Score with a normal interval by the influences of the rows, within the possible range."""
    total = float(weights.sum())
    if math.isnan(value) or not total > 0 or len(influences) < 2:
        return Score(name, title, value)
    variance = float((weights**2 * influences**2).sum()) / total**2
    half = normal_quantile(level) * math.sqrt(variance * len(influences) / (len(influences) - 1))
    return Score(name, title, value, max(low, value - half), min(high, value + half), method)


def mean_of_fractions(
    name: str, title: str, fractions: Numbers, sizes: Numbers, level: float
) -> Score:
    """Score that is the mean of fractions of separate groups of rows, such as recalls.

    The interval combines the distances to the ends of Wilson's intervals (Newcombe's method), so
    that it has a length even if all fractions are 1.
    """
    ends = np.array(
        [wilson(p, n, level) for p, n in zip(fractions.tolist(), sizes.tolist(), strict=True)]
    )
    value, k = float(fractions.mean()), len(fractions)
    below = math.sqrt(float(((fractions - ends[:, 0]) ** 2).sum())) / k
    above = math.sqrt(float(((ends[:, 1] - fractions) ** 2).sum())) / k
    return Score(name, title, value, max(0.0, value - below), min(1.0, value + above), "Wilson")


def auc(scores: Numbers, positive: NDArray[np.bool_], weights: Numbers) -> tuple[float, Numbers]:
    """Compute the area under the ROC curve, and the influence of each row on it.

    It is the probability that a positive row has a larger score than a negative one, where equal
    scores count half. NaN if either kind of row is missing.

    Examples
    --------
    >>> scores, positive = np.array([0.1, 0.4, 0.4, 0.8]), np.array([False, False, True, True])
    >>> auc(scores, positive, np.ones(4))[0]
    0.875
    """
    _, place = np.unique(scores, return_inverse=True)
    n = int(place.max()) + 1 if len(place) else 0
    of_positive = np.bincount(place, np.where(positive, weights, 0.0), n)
    of_negative = np.bincount(place, np.where(positive, 0.0, weights), n)
    n_positive, n_negative = float(of_positive.sum()), float(of_negative.sum())
    if not (n_positive > 0 and n_negative > 0):
        return math.nan, np.zeros(len(scores))
    below = (np.cumsum(of_negative) - of_negative / 2) / n_negative
    above = 1 - (np.cumsum(of_positive) - of_positive / 2) / n_positive
    area = float((of_positive * below).sum()) / n_positive
    total = n_positive + n_negative
    influences = np.where(
        positive,
        (below[place] - area) * total / n_positive,
        (above[place] - area) * total / n_negative,
    )
    return area, influences


def median_score(name: str, title: str, values: Numbers, weights: Numbers, level: float) -> Score:
    """Score that is a median, with the interval between two ranks (binomial, normal quantiles)."""
    order = np.argsort(values, kind="stable")
    ordered, fractions = values[order], np.cumsum(weights[order]) / weights.sum()
    half = normal_quantile(level) * 0.5 / math.sqrt(effective_rows(weights))

    def at(fraction: float) -> float:
        place = int(np.searchsorted(fractions, min(max(fraction, 0.0), 1.0) - 1e-12))
        return float(ordered[min(place, len(ordered) - 1)])

    middle = float(np.median(values)) if (weights == weights[0]).all() else at(0.5)
    low, high = min(middle, at(0.5 - half)), max(middle, at(0.5 + half))
    return Score(name, title, middle, low, high, "ranks")
