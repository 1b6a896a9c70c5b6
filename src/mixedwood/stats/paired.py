"""Tests of two methods on the same folds or datasets: t tests and the signed-rank test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from mixedwood.stats._inputs import Differences, mean_ranks_of, read_alpha, two_names

Alternative: TypeAlias = Literal["two-sided", "less", "greater"]

_PAIR = ("the first", "the second")
_MAX_EXACT = 200  # differences; counting all signs then takes milliseconds


@dataclass(frozen=True)
class PairedTest:
    """Result of a test of two methods on the same folds or datasets.

    Attributes
    ----------
    test : str
        Name of the test.
    symbol : str
        Letter of the statistic, such as F or t.
    statistic : float
        The statistic. A t is negative if the first method has the lower errors. Infinite if the
        methods differ by the same amount throughout.
    p_value : float
        Probability of a statistic at least as far out if the methods were equally good.
    degrees_of_freedom : tuple of int
        Of the distribution that the p-value comes from; empty for an exact test.
    mean_difference : float
        Mean of the errors of the first method minus those of the second.
    direction : int
        -1 if the first method has the lower errors, 1 if the second has, 0 if neither: the mean
        and the test do not point the same way, or are zero.
    names : tuple of str
        Names of the two methods.
    metric : str
        Name of the metric; lower is better.
    alpha : float
        Level of significance.
    """

    test: str
    symbol: str
    statistic: float
    p_value: float
    degrees_of_freedom: tuple[int, ...]
    mean_difference: float
    direction: int
    names: tuple[str, str] = ("the first", "the second")
    metric: str = "error"
    alpha: float = 0.05

    @property
    def is_significant(self) -> bool:
        """Whether the methods differ at the level alpha."""
        return self.p_value <= self.alpha

    @property
    def winner(self) -> str | None:
        """Name of the method that is significantly better; None if there is none."""
        if not self.is_significant or self.direction == 0:
            return None
        return self.names[0] if self.direction < 0 else self.names[1]

    @property
    def sentence(self) -> str:
        """The result as a sentence."""
        degrees = ", ".join(str(degree) for degree in self.degrees_of_freedom)
        symbol = f"{self.symbol}({degrees})" if degrees else self.symbol
        figures = f"({symbol} = {self.statistic:.3g}, {format_p_value(self.p_value)})"
        first, second = self.names if self.mean_difference <= 0.0 else self.names[::-1]
        if self.is_significant and self.direction == 0:
            found = (
                f"{first} and {second} differ significantly, but neither has clearly the lower "
                f"{self.metric}"
            )
        elif self.mean_difference == 0.0:
            found = f"{first} and {second} have the same {self.metric} on average"
        else:
            gap = f"by {abs(self.mean_difference):.3g} on average"
            if self.is_significant:
                found = f"{first} has a significantly lower {self.metric} than {second}, {gap}"
            else:
                found = (
                    f"{first} has a lower {self.metric} than {second}, {gap}, but the difference "
                    "is not significant"
                )
        return f"{self.test}: {found} {figures}."


def agreed_direction(mean_difference: float, statistic: float) -> int:
    """The common sign of the mean and the statistic, or 0."""
    signs = np.sign(mean_difference), np.sign(statistic)
    return int(signs[0]) if signs[0] == signs[1] else 0


def format_p_value(p_value: float) -> str:
    """Format a p-value for a sentence."""
    return f"p = {p_value:.2g}" if p_value >= 0.0001 else "p < 0.0001"


def paired_t_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    names: Sequence[str] = _PAIR,
    metric: str = "error",
    alpha: float = 0.05,
) -> PairedTest:
    """Test two methods with the paired t test, which assumes independent differences.

    Use it for separate test sets, such as one per dataset. Folds of repeated cross-validation or
    repeated hold-out share training rows. There this test finds too many differences; use
    `corrected_resampled_t_test` instead.

    Parameters
    ----------
    a, b : array-like of the same shape
        Errors of the two methods, at least two of each; a[i] and b[i] belong together.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        What is tested against "equally good": a difference either way, only lower errors of the
        first method ("less"), or only higher ones ("greater").
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
        statistic is infinite; if there is none at all, it is 0 and a two-sided p-value is 1.

    Examples
    --------
    >>> import mixedwood as mw
    >>> result = mw.stats.paired_t_test([0.20, 0.22, 0.19, 0.25], [0.21, 0.25, 0.21, 0.29])
    >>> print(result.sentence)  # doctest: +NORMALIZE_WHITESPACE
    paired t test: the first has a significantly lower error than the second, by 0.025 on average
    (t(3) = -3.87, p = 0.03).
    """
    return _t_test("paired t test", a, b, 0.0, alternative, names, metric, alpha)


def corrected_resampled_t_test(
    a: ArrayLike,
    b: ArrayLike,
    n_train: float,
    n_test: float,
    *,
    alternative: Alternative = "two-sided",
    names: Sequence[str] = _PAIR,
    metric: str = "error",
    alpha: float = 0.05,
) -> PairedTest:
    """Test two methods over splits that share training rows.

    A t test in which the variance of the mean of n differences is raised from ``s² / n`` to
    ``s² * (1 / n + n_test / n_train)``, since results on overlapping training sets vary less than
    on independent ones. Use it for repeated hold-out and repeated cross-validation.

    Parameters
    ----------
    a, b : array-like of the same shape
        Errors of the two methods, one for each fold; a[i] and b[i] belong together.
    n_train, n_test : float
        Numbers of training and test rows of a split. Only their ratio matters: 9 and 1 for ten
        folds.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        What is tested against "equally good": a difference either way, only lower errors of the
        first method ("less"), or only higher ones ("greater").
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
    but the difference is not significant (t(3) = -2.54, p = 0.085).
    """
    for name, value in (("n_train", n_train), ("n_test", n_test)):
        is_number = isinstance(value, (int, float, np.integer, np.floating))
        if not is_number or not 0 < value < math.inf:
            raise ValueError(f"{name} must be a number of rows above 0; got {value!r}.")
    extra = float(n_test) / float(n_train)
    return _t_test("corrected resampled t test", a, b, extra, alternative, names, metric, alpha)


def _t_test(
    test: str,
    a: ArrayLike,
    b: ArrayLike,
    extra: float,
    alternative: Alternative,
    names: Sequence[str],
    metric: str,
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
        metric=metric,
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


def wilcoxon_signed_rank(
    a: ArrayLike,
    b: ArrayLike,
    *,
    names: Sequence[str] = ("the first", "the second"),
    metric: str = "error",
    alpha: float = 0.05,
) -> PairedTest:
    """Test two methods by the ranks of their differences.

    Use it for two methods over several datasets: a single dataset with large errors cannot decide
    the result. Differences are ranked by size. The statistic is the smaller of two sums of ranks,
    those of the datasets on which one or the other method is better. Datasets without a difference
    are left out. Up to 200 differences the p-value is exact, also with ties.

    Parameters
    ----------
    a, b : array-like of the same shape
        Errors of the two methods, one for each dataset; a[i] and b[i] belong together.
    names : sequence of two str, optional
        Names of the methods, for the sentence.
    metric : str, default="error"
        Name of the metric, for the sentence; lower is better.
    alpha : float, default=0.05
        Level of significance.

    Returns
    -------
    PairedTest
        The statistic, its two-sided p-value, and a sentence. Without any difference the p-value
        is 1.

    References
    ----------
    .. [1] F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics 1, 1945.

    Examples
    --------
    >>> import mixedwood as mw
    >>> tree = [0.20, 0.22, 0.19, 0.25, 0.31, 0.08]
    >>> forest = [0.19, 0.20, 0.16, 0.21, 0.26, 0.02]
    >>> result = mw.stats.wilcoxon_signed_rank(tree, forest, names=["tree", "forest"])
    >>> print(result.sentence)  # doctest: +NORMALIZE_WHITESPACE
    Wilcoxon signed-rank test: forest has a significantly lower error than tree, by 0.035 on average
    (W = 0, p = 0.031).
    """
    differences = Differences.of(a, b)
    values = differences.values.ravel()
    if not values.size:
        raise ValueError("a and b are empty; at least one difference is needed.")
    values = values[values != 0.0]
    ranks = mean_ranks_of(np.abs(values), differences.rounding)
    above, below = float(ranks[values > 0].sum()), float(ranks[values < 0].sum())
    smaller = min(above, below)
    probability = _exact if values.size <= _MAX_EXACT else _by_normal
    return PairedTest(
        test="Wilcoxon signed-rank test",
        symbol="W",
        statistic=smaller,
        p_value=min(1.0, probability(ranks, smaller)),
        degrees_of_freedom=(),
        mean_difference=differences.mean,
        direction=agreed_direction(differences.mean, above - below),
        names=two_names(names),
        metric=metric,
        alpha=read_alpha(alpha),
    )


def _exact(ranks: NDArray[np.float64], smaller: float) -> float:
    """Twice the fraction of all sign assignments whose sum of ranks is as small."""
    doubled = np.rint(2.0 * ranks).astype(int)  # shared ranks are halves
    probabilities = np.zeros(int(doubled.sum()) + 1)
    probabilities[0] = 1.0
    for rank in doubled:
        moved = np.zeros_like(probabilities)
        moved[rank:] = probabilities[: probabilities.size - rank]
        probabilities = (probabilities + moved) / 2.0
    return 2.0 * float(probabilities[: round(2.0 * smaller) + 1].sum())


def _by_normal(ranks: NDArray[np.float64], smaller: float) -> float:
    """The normal approximation; the sum of squares of ranks accounts for ties."""
    spread = math.sqrt(float(np.sum(ranks**2))) / 2.0
    return 2.0 * float(special.ndtr((smaller - ranks.sum() / 2.0) / spread))
