"""Tests of two methods over five repetitions of 2-fold cross-validation.

The two training sets of a repetition share no rows, but those of different repetitions do. Both
tests therefore estimate the variance within repetitions only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from mixedwood.stats._inputs import Differences, read_alpha, two_names, without_rounding
from mixedwood.stats.paired import PairedTest, agreed_direction

__all__ = ["five_by_two_cv_f_test", "five_by_two_cv_t_test"]

_PAIR = ("the first", "the second")


def five_by_two_cv_f_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    names: Sequence[str] = _PAIR,
    metric: str = "error",
    alpha: float = 0.05,
) -> PairedTest:
    """Test two methods with Alpaydin's combined 5x2cv F test.

    The statistic is ``sum of p_ij² / (2 * sum of s_i²)``, where ``p_ij`` is the difference of
    errors on fold j of repetition i and ``s_i²`` the sum of squares around the mean of repetition
    i. If the methods are equal, it approximately follows F with 10 and 5 degrees of freedom (the
    critical value at the level of 5 % is 4.735063).

    Parameters
    ----------
    a, b : array-like of shape (5, 2)
        Errors of the two methods: one row per repetition, one column per fold.
    names : sequence of two str, optional
        Names of the methods, for the sentence.
    metric : str, default="error"
        Name of the metric, for the sentence; lower is better.
    alpha : float, default=0.05
        Level of significance.

    Returns
    -------
    PairedTest
        The statistic, its p-value, and a sentence. If the difference is the same throughout, the
        statistic is infinite; if there is none at all, it is 0 and the p-value 1.

    See Also
    --------
    five_by_two_cv_t_test : The older test, based on one of the ten differences.
    corrected_resampled_t_test : For other numbers of folds and repetitions.

    References
    ----------
    .. [1] E. Alpaydin, "Combined 5x2 cv F test for comparing supervised classification learning
       algorithms", Neural Computation 11, 1999, equation 3.

    Examples
    --------
    >>> import mixedwood as mw
    >>> tree = [[0.26, 0.25], [0.255, 0.25], [0.27, 0.26], [0.25, 0.26], [0.26, 0.265]]
    >>> forest = [[0.20, 0.20]] * 5
    >>> result = mw.stats.five_by_two_cv_f_test(tree, forest, names=["tree", "forest"])
    >>> round(result.statistic, 3), round(result.p_value, 6)
    (97.286, 4.3e-05)
    >>> print(result.sentence)  # doctest: +NORMALIZE_WHITESPACE
    5x2cv F test: forest has a significantly lower error than tree, by 0.058 on average
    (F(10, 5) = 97.3, p < 0.0001).
    """
    found = _ScaledDifferences(a, b)
    # Sums of squares of differences and of halves: the sum of squares around the mean of two
    # numbers is half the square of their gap.
    statistic = _ratio(float(np.sum(found.scaled**2)), float(np.sum(found.gaps**2)))
    return PairedTest(
        test="5x2cv F test",
        symbol="F",
        statistic=statistic,
        p_value=float(special.fdtrc(10, 5, statistic)) if math.isfinite(statistic) else 0.0,
        degrees_of_freedom=(10, 5),
        mean_difference=found.mean,
        direction=int(np.sign(found.mean)),
        names=two_names(names),
        metric=metric,
        alpha=read_alpha(alpha),
    )


def five_by_two_cv_t_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    names: Sequence[str] = _PAIR,
    metric: str = "error",
    alpha: float = 0.05,
) -> PairedTest:
    """Test two methods by the first difference of 5x2 cross-validation.

    The statistic is the difference on the first fold of the first repetition, divided by the root
    of the mean variance within repetitions. It follows t with 5 degrees of freedom; the p-value is
    two-sided. The result depends on the order of the folds. Prefer `five_by_two_cv_f_test`; this
    test is provided for comparison with published results.

    Parameters
    ----------
    a, b : array-like of shape (5, 2)
        Errors of the two methods: one row per repetition, one column per fold.
    names : sequence of two str, optional
        Names of the methods, for the sentence.
    metric : str, default="error"
        Name of the metric, for the sentence; lower is better.
    alpha : float, default=0.05
        Level of significance.

    Returns
    -------
    PairedTest
        The statistic, its p-value, and a sentence.

    References
    ----------
    .. [1] T. Dietterich, "Approximate statistical tests for comparing supervised classification
       learning algorithms", Neural Computation 10, 1998, section 3.5.

    Examples
    --------
    >>> import mixedwood as mw
    >>> tree = [[0.26, 0.25], [0.255, 0.25], [0.27, 0.26], [0.25, 0.26], [0.26, 0.265]]
    >>> result = mw.stats.five_by_two_cv_t_test(tree, [[0.20, 0.20]] * 5)
    >>> round(result.statistic, 3), round(result.p_value, 4)
    (10.142, 0.0002)
    """
    found = _ScaledDifferences(a, b)
    variance = float(np.sum(found.gaps**2)) / 10.0
    first = float(found.scaled[0, 0])
    statistic = math.copysign(_ratio(abs(first), math.sqrt(variance)), first)
    return PairedTest(
        test="5x2cv t test",
        symbol="t",
        statistic=statistic,
        p_value=min(1.0, 2.0 * float(special.stdtr(5, -abs(statistic)))),
        degrees_of_freedom=(5,),
        mean_difference=found.mean,
        direction=agreed_direction(found.mean, statistic),
        names=two_names(names),
        metric=metric,
        alpha=read_alpha(alpha),
    )


class _ScaledDifferences:
    """Ten rescaled differences, and their gaps within repetitions."""

    def __init__(self, a: ArrayLike, b: ArrayLike) -> None:
        differences = Differences.of(a, b)
        values = differences.values
        if values.shape != (5, 2):
            raise ValueError(
                f"a and b have the shape {values.shape}; five repetitions of two folds are "
                "required, one row per repetition: (5, 2). For other numbers of folds use "
                "corrected_resampled_t_test."
            )
        self.mean = differences.mean
        # The tests do not depend on the unit, and squares of very small differences would be 0.
        unit = float(np.abs(values).max()) or 1.0
        self.scaled: NDArray[np.float64] = values / unit
        gaps = without_rounding(values[:, 0] - values[:, 1], differences.rounding)
        self.gaps: NDArray[np.float64] = gaps / unit


def _ratio(numerator: float, denominator: float) -> float:
    if numerator == 0.0:
        return 0.0
    return numerator / denominator if denominator else math.inf
