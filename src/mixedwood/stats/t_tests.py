"""Two methods over many folds: the paired t test, and the one that knows that folds overlap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from mixedwood.stats.paired_test import PairedTest, agreed_direction
from mixedwood.stats.reading import Differences, read_alpha, two_names

__all__ = ["Alternative", "corrected_resampled_t_test", "paired_t_test"]

Alternative: TypeAlias = Literal["two-sided", "less", "greater"]

_PAIR = ("the first", "the second")


def paired_t_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    names: Sequence[str] = _PAIR,
    measure: str = "error",
    alpha: float = 0.05,
) -> PairedTest:
    """Test two methods by the mean of their differences, taken as independent.

    Right for differences on separate test sets, such as one per data set. Folds of repeated
    cross-validation or repeated hold-out share training rows: there this test finds differences
    too often, and `corrected_resampled_t_test` is the one to trust.

    Parameters
    ----------
    a, b : array-like of the same shape
        Errors of the two methods, at least two of each; a[i] and b[i] belong together.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        What is tested against "equally good": a difference either way, only lower errors of the
        first method ("less"), or only higher ones ("greater").
    names : sequence of two str, optional
        Names of the methods, for the sentence.
    measure : str, default="error"
        What was measured, for the sentence; less is better.
    alpha : float, default=0.05
        Level of significance.

    Returns
    -------
    PairedTest
        The statistic, its p-value, and a sentence. If the difference is the same throughout, the
        statistic is infinite; if there is none at all, it is 0 and a two-sided p-value is 1.

    Examples
    --------
    >>> import mixedwood as mw
    >>> result = mw.stats.paired_t_test([0.20, 0.22, 0.19, 0.25], [0.21, 0.25, 0.21, 0.29])
    >>> print(result.sentence)  # doctest: +NORMALIZE_WHITESPACE
    paired t test: the first has a lower error than the second, by 0.025 on average, more than luck
    explains (t(3) = -3.87, p = 0.03).
    """
    return _t_test("paired t test", a, b, 0.0, alternative, names, measure, alpha)


def corrected_resampled_t_test(
    a: ArrayLike,
    b: ArrayLike,
    n_train: float,
    n_test: float,
    *,
    alternative: Alternative = "two-sided",
    names: Sequence[str] = _PAIR,
    measure: str = "error",
    alpha: float = 0.05,
) -> PairedTest:
    """Test two methods over folds or divisions that share training rows.

    The t test with the variance of the mean of n differences raised from ``s² / n`` to
    ``s² * (1 / n + n_test / n_train)``: results on overlapping training sets vary less than on
    fresh ones. Right for repeated hold-out and for repeated cross-validation, such as ten times
    ten folds.

    Parameters
    ----------
    a, b : array-like of the same shape
        Errors of the two methods, one for each fold; a[i] and b[i] belong together.
    n_train, n_test : float
        Rows that were learned from and tested on in a fold. Only their ratio matters: for ten
        folds 9 and 1 will do.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        What is tested against "equally good": a difference either way, only lower errors of the
        first method ("less"), or only higher ones ("greater").
    names : sequence of two str, optional
        Names of the methods, for the sentence.
    measure : str, default="error"
        What was measured, for the sentence; less is better.
    alpha : float, default=0.05
        Level of significance.

    Returns
    -------
    PairedTest
        The statistic, its p-value, and a sentence.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52,
       2003, section 3.
    .. [2] R. Bouckaert and E. Frank, "Evaluating the replicability of significance tests for
       comparing learning algorithms", PAKDD 2004: the same over repeated cross-validation.

    Examples
    --------
    >>> import mixedwood as mw
    >>> a, b = [0.20, 0.22, 0.19, 0.25], [0.21, 0.25, 0.21, 0.29]
    >>> result = mw.stats.corrected_resampled_t_test(a, b, n_train=300, n_test=100)
    >>> print(result.sentence)  # doctest: +NORMALIZE_WHITESPACE
    corrected resampled t test: the first has a lower error than the second, by 0.025 on average,
    but it may be luck (t(3) = -2.54, p = 0.085).
    """
    for name, value in (("n_train", n_train), ("n_test", n_test)):
        is_number = isinstance(value, (int, float, np.integer, np.floating))
        if not is_number or not 0 < value < math.inf:
            raise ValueError(f"{name} must be a number of rows above 0; got {value!r}.")
    extra = float(n_test) / float(n_train)
    return _t_test("corrected resampled t test", a, b, extra, alternative, names, measure, alpha)


def _t_test(
    test: str,
    a: ArrayLike,
    b: ArrayLike,
    extra: float,
    alternative: Alternative,
    names: Sequence[str],
    measure: str,
    alpha: float,
) -> PairedTest:
    if alternative not in ("two-sided", "less", "greater"):
        raise ValueError(
            f"alternative must be 'two-sided', 'less' or 'greater'; got {alternative!r}."
        )
    differences = Differences.of(a, b)
    n = differences.values.size
    if n < 2:
        raise ValueError(
            f"a and b have {n} values each; a t test needs at least two differences. Use more "
            "folds or repetitions."
        )
    statistic = _t_statistic(differences, extra)
    return PairedTest(
        test=test if alternative == "two-sided" else f"{test} (one-sided)",
        symbol="t",
        statistic=statistic,
        p_value=_t_probability(statistic, n - 1, alternative),
        degrees_of_freedom=(n - 1,),
        mean_difference=differences.mean,
        direction=agreed_direction(differences.mean, statistic),
        names=two_names(names),
        measure=measure,
        alpha=read_alpha(alpha),
    )


def _t_statistic(differences: Differences, extra: float) -> float:
    values, mean = differences.values, differences.mean
    if mean == 0.0:
        return 0.0
    if np.ptp(values) <= differences.rounding:
        return math.copysign(math.inf, mean)
    # in a unit of their own: squares of very small differences would be 0
    unit = float(np.abs(values).max())
    variance = float(np.sum(((values - mean) / unit) ** 2)) / (values.size - 1)
    return mean / unit / math.sqrt(variance * (1.0 / values.size + extra))


def _t_probability(statistic: float, degrees: int, alternative: Alternative) -> float:
    if alternative == "two-sided":
        return min(1.0, 2.0 * float(special.stdtr(degrees, -abs(statistic))))
    return float(special.stdtr(degrees, statistic if alternative == "less" else -statistic))
