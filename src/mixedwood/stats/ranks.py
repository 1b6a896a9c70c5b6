"""Several methods over several data sets, by their ranks on each: Friedman and Nemenyi.

J. Demšar, "Statistical comparisons of classifiers over multiple data sets", Journal of Machine
Learning Research 7, 2006, says why: errors on different data sets cannot be averaged, ranks can.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from mixedwood.stats.rank_tests import FriedmanTest, NemenyiTest
from mixedwood.stats.reading import mean_ranks_of, read_alpha, read_errors, read_names, rounding_of

__all__ = ["friedman_test", "nemenyi_test", "rank_methods"]


def rank_methods(errors: ArrayLike) -> NDArray[np.float64]:
    """Rank methods on each data set.

    Parameters
    ----------
    errors : array-like of shape (n_sets, n_methods)
        Errors; less is better.

    Returns
    -------
    ndarray of shape (n_sets, n_methods)
        Ranks within each row: 1 for the lowest error. Equal errors share the mean of their ranks;
        what differs only by rounding is equal.

    Examples
    --------
    >>> import mixedwood as mw
    >>> mw.stats.rank_methods([[0.1, 0.3, 0.2], [0.2, 0.1 + 0.2, 0.3]])
    array([[1. , 3. , 2. ],
           [1. , 2.5, 2.5]])
    """
    table = read_errors(errors)
    return np.stack([mean_ranks_of(row, rounding_of(row)) for row in table])


def friedman_test(
    errors: ArrayLike, *, names: Sequence[str] | None = None, alpha: float = 0.05
) -> FriedmanTest:
    """Test whether any of several methods differ over several data sets.

    The statistic is Friedman's chi-square of the mean ranks, corrected for ties. Beside it stands
    the F of Iman and Davenport: chi-square finds too little, F a little too much if the methods
    come in the same order on all of few data sets. The verdict is that of chi-square.

    Parameters
    ----------
    errors : array-like of shape (n_sets, n_methods)
        Errors, one row per data set (at least two), one column per method (at least two); less is
        better.
    names : sequence of str, optional
        Names of the methods.
    alpha : float, default=0.05
        Level of significance.

    Returns
    -------
    FriedmanTest
        Both statistics, their p-values, the mean ranks, and a sentence. If all methods are equal on
        all data sets, the statistics are 0 and the p-values 1.

    See Also
    --------
    nemenyi_test : Which of the methods differ.

    References
    ----------
    .. [1] R. Iman and J. Davenport, "Approximations of the critical region of the Friedman
       statistic", Communications in Statistics 9, 1980.

    Examples
    --------
    >>> import mixedwood as mw
    >>> errors = [[0.10, 0.12, 0.15], [0.20, 0.21, 0.25], [0.05, 0.07, 0.06], [0.30, 0.31, 0.35]]
    >>> result = mw.stats.friedman_test(errors, names=["forest", "tree", "stump"])
    >>> result.mean_ranks
    array([1.  , 2.25, 2.75])
    >>> print(result.sentence)  # doctest: +NORMALIZE_WHITESPACE
    Friedman test: the 3 methods differ over 4 data sets, more than luck explains; forest has the
    lowest mean rank, 1.00 (chi-square(2) = 6.5, p = 0.039; F(2, 6) = 13, p = 0.0066).
    """
    ranks = rank_methods(errors)
    n_sets, n_methods = ranks.shape
    _check_sets(n_sets)
    chi_square = _chi_square(ranks)
    most = n_sets * (n_methods - 1.0)  # all data sets agree
    rest = most - chi_square
    complete = rest <= 1e-9 * most
    f_statistic = math.inf if complete else (n_sets - 1) * chi_square / rest
    degrees = n_methods - 1, (n_methods - 1) * (n_sets - 1)
    return FriedmanTest(
        statistic=chi_square,
        p_value=float(special.chdtrc(n_methods - 1, chi_square)),
        f_statistic=f_statistic,
        f_p_value=0.0 if complete else float(special.fdtrc(*degrees, f_statistic)),
        mean_ranks=_mean_ranks(ranks),
        n_sets=n_sets,
        names=read_names(names, n_methods),
        alpha=read_alpha(alpha),
    )


def nemenyi_test(
    errors: ArrayLike, *, names: Sequence[str] | None = None, alpha: float = 0.05
) -> NemenyiTest:
    """Find which of several methods differ over several data sets.

    Two methods differ at the level alpha if their mean ranks differ by more than the critical
    difference ``q * sqrt(k (k + 1) / (6 N))`` for k methods on N data sets, where q is the upper
    point alpha of the studentized range of k normal variables, divided by the root of 2. All pairs
    are compared at once: the level holds for the whole table. Look at `friedman_test` first.

    Parameters
    ----------
    errors : array-like of shape (n_sets, n_methods)
        Errors, one row per data set (at least two), one column per method (at least two); less is
        better.
    names : sequence of str, optional
        Names of the methods.
    alpha : float, default=0.05
        Level of significance.

    Returns
    -------
    NemenyiTest
        Mean ranks, critical difference, p-values of all pairs, groups of methods that are not
        significantly different, and a sentence.

    See Also
    --------
    critical_difference_diagram : The result as a picture.

    References
    ----------
    .. [1] P. Nemenyi, "Distribution-free multiple comparisons", thesis, Princeton, 1963.

    Examples
    --------
    >>> import mixedwood as mw
    >>> errors = [[0.10, 0.12, 0.15], [0.20, 0.21, 0.25], [0.05, 0.07, 0.06], [0.30, 0.31, 0.35]]
    >>> result = mw.stats.nemenyi_test(errors, names=["forest", "tree", "stump"])
    >>> round(result.critical_difference, 3)
    1.657
    >>> result.groups
    ((0, 1), (1, 2))
    >>> print(result.to_text())
    Mean ranks over 4 data sets (1 is best). At alpha = 0.05 the critical difference is 1.657.
    Methods joined by a line are not significantly different.
      1.000  forest  |
      2.250  tree    | |
      2.750  stump     |
    """
    from scipy.stats import studentized_range

    ranks = rank_methods(errors)
    n_sets, n_methods = ranks.shape
    _check_sets(n_sets)
    level = read_alpha(alpha)
    mean_ranks = _mean_ranks(ranks)
    # A difference of mean ranks in this unit is a studentized range.
    unit = math.sqrt(n_methods * (n_methods + 1.0) / (12.0 * n_sets))
    ranges = np.abs(mean_ranks[:, None] - mean_ranks[None, :]) / unit
    p_values = np.ones((n_methods, n_methods))
    upper = np.triu_indices(n_methods, 1)
    p_values[upper] = np.clip(studentized_range.sf(ranges[upper], n_methods, np.inf), 0.0, 1.0)
    p_values = np.minimum(p_values, p_values.T)
    critical_difference = float(studentized_range.ppf(1.0 - level, n_methods, np.inf)) * unit
    p_values.setflags(write=False)
    return NemenyiTest(
        statistic=float(ranges.max()),
        p_value=float(p_values.min()),
        mean_ranks=mean_ranks,
        critical_difference=critical_difference,
        p_values=p_values,
        groups=_groups(mean_ranks, critical_difference),
        n_sets=n_sets,
        names=read_names(names, n_methods),
        alpha=level,
    )


def _chi_square(ranks: NDArray[np.float64]) -> float:
    """Variance between the mean ranks in units of that inside the rows: ties are accounted for."""
    n_sets, n_methods = ranks.shape
    middle = (n_methods + 1.0) / 2.0
    # Ranks are halves of whole numbers, so that these sums are exact.
    inside = float(np.sum((ranks - middle) ** 2))
    if inside == 0.0:
        return 0.0
    between = float(np.sum((ranks.sum(axis=0) - n_sets * middle) ** 2))
    return float((n_methods - 1) * between / inside)


def _mean_ranks(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    means: NDArray[np.float64] = ranks.sum(axis=0) / len(ranks)
    means.setflags(write=False)
    return means


def _groups(
    mean_ranks: NDArray[np.float64], critical_difference: float
) -> tuple[tuple[int, ...], ...]:
    """Longest runs of methods, best first, whose ends are no further apart than allowed."""
    order = np.argsort(mean_ranks, kind="stable")
    ordered = mean_ranks[order]
    found: list[tuple[int, ...]] = []
    last_end = 0
    for start in range(len(order)):
        end = int(np.sum(ordered - ordered[start] <= critical_difference))
        if end > last_end and end - start > 1:
            found.append(tuple(int(i) for i in order[start:end]))
        last_end = max(last_end, end)
    return tuple(found)


def _check_sets(n_sets: int) -> None:
    if n_sets < 2:
        raise ValueError(
            "errors has one row; ranks are compared over at least two data sets. On one data set "
            "compare two methods over folds, with five_by_two_cv_f_test or "
            "corrected_resampled_t_test."
        )
