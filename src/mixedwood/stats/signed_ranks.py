"""Two methods over several data sets: the signed-rank test of Wilcoxon, exact with ties too."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from mixedwood.stats.paired_test import PairedTest, agreed_direction
from mixedwood.stats.reading import Differences, mean_ranks_of, read_alpha, two_names

__all__ = ["wilcoxon_signed_rank"]

_MOST_EXACT = 200  # differences; the count of all signs then takes milliseconds


def wilcoxon_signed_rank(
    a: ArrayLike,
    b: ArrayLike,
    *,
    names: Sequence[str] = ("the first", "the second"),
    measure: str = "error",
    alpha: float = 0.05,
) -> PairedTest:
    """Test two methods by the ranks of their differences.

    The test for two methods over several data sets: it does not let one data set with large errors
    decide. Differences are ranked by size; the statistic is the smaller of the two sums of ranks,
    over data sets where the one or the other method is better. Data sets without a difference are
    left out. Up to 200 differences the p-value is exact, with ties too.

    Parameters
    ----------
    a, b : array-like of the same shape
        Errors of the two methods, one for each data set; a[i] and b[i] belong together.
    names : sequence of two str, optional
        Names of the methods, for the sentence.
    measure : str, default="error"
        What was measured, for the sentence; less is better.
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
    Wilcoxon signed-rank test: forest has a lower error than tree, by 0.035 on average, more than
    luck explains (W = 0, p = 0.031).
    """
    differences = Differences.of(a, b)
    values = differences.values.ravel()
    if not values.size:
        raise ValueError("a and b are empty; at least one difference is needed.")
    values = values[values != 0.0]
    ranks = mean_ranks_of(np.abs(values), differences.rounding)
    above, below = float(ranks[values > 0].sum()), float(ranks[values < 0].sum())
    smaller = min(above, below)
    probability = _exact if values.size <= _MOST_EXACT else _by_normal
    return PairedTest(
        test="Wilcoxon signed-rank test",
        symbol="W",
        statistic=smaller,
        p_value=min(1.0, probability(ranks, smaller)),
        degrees_of_freedom=(),
        mean_difference=differences.mean,
        direction=agreed_direction(differences.mean, above - below),
        names=two_names(names),
        measure=measure,
        alpha=read_alpha(alpha),
    )


def _exact(ranks: NDArray[np.float64], smaller: float) -> float:
    """Twice the share of all ways to give signs whose sum of ranks is as small."""
    doubled = np.rint(2.0 * ranks).astype(int)  # shared ranks are halves
    shares = np.zeros(int(doubled.sum()) + 1)
    shares[0] = 1.0
    for rank in doubled:
        moved = np.zeros_like(shares)
        moved[rank:] = shares[: shares.size - rank]
        shares = (shares + moved) / 2.0
    return 2.0 * float(shares[: round(2.0 * smaller) + 1].sum())


def _by_normal(ranks: NDArray[np.float64], smaller: float) -> float:
    """The normal approximation; the sum of squares of ranks accounts for ties."""
    spread = math.sqrt(float(np.sum(ranks**2))) / 2.0
    return 2.0 * float(special.ndtr((smaller - ranks.sum() / 2.0) / spread))
