"""Tests of several methods over several datasets by their ranks: Friedman and Nemenyi.

Errors on different datasets are not comparable, but ranks are: J. Demšar, "Statistical comparisons
of classifiers over multiple data sets", Journal of Machine Learning Research 7, 2006.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from mixedwood.stats._inputs import (
    mean_ranks_of,
    read_alpha,
    read_errors,
    read_method_names,
    rounding_of,
)
from mixedwood.stats.paired import format_p_value

__all__ = ["FriedmanTest", "NemenyiTest", "friedman_test", "nemenyi_test", "rank_methods"]


@dataclass(frozen=True, eq=False)
class FriedmanTest:
    """Result of a test of several methods over several datasets.

    Attributes
    ----------
    statistic : float
        Friedman's chi-square, corrected for ties.
    p_value : float
        Its p-value.
    f_statistic : float
        The F of Iman and Davenport; infinite if all datasets agree.
    f_p_value : float
        Its p-value.
    mean_ranks : ndarray of float64
        For each method the mean of its ranks; 1 is best.
    n_datasets : int
        Number of datasets.
    names : tuple of str
        Names of the methods.
    alpha : float
        Level of significance.
    """

    statistic: float
    p_value: float
    f_statistic: float
    f_p_value: float
    mean_ranks: NDArray[np.float64]
    n_datasets: int
    names: tuple[str, ...]
    alpha: float = 0.05

    @property
    def degrees_of_freedom(self) -> int:
        """Degrees of freedom of chi-square."""
        return len(self.names) - 1

    @property
    def f_degrees_of_freedom(self) -> tuple[int, int]:
        """Degrees of freedom of F."""
        return self.degrees_of_freedom, self.degrees_of_freedom * (self.n_datasets - 1)

    @property
    def is_significant(self) -> bool:
        """Whether any methods differ at the level alpha, by chi-square."""
        return self.p_value <= self.alpha

    @property
    def sentence(self) -> str:
        """The result as a sentence."""
        what = f"the {len(self.names)} methods"
        if self.is_significant:
            found = f"{what} differ significantly over {self.n_datasets} datasets"
        else:
            found = f"{what} do not differ significantly over {self.n_datasets} datasets"
        first, second = self.f_degrees_of_freedom
        return (
            f"Friedman test: {found}; {_best(self.mean_ranks, self.names)} "
            f"(chi-square({first}) = {self.statistic:.3g}, {format_p_value(self.p_value)}; "
            f"F({first}, {second}) = {self.f_statistic:.3g}, {format_p_value(self.f_p_value)})."
        )


@dataclass(frozen=True, eq=False)
class NemenyiTest:
    """Result of comparing all pairs of methods over several datasets.

    Attributes
    ----------
    statistic : float
        Studentized range of the mean ranks: the best against the worst.
    p_value : float
        Its p-value: the smallest of all pairs.
    mean_ranks : ndarray of float64
        For each method the mean of its ranks; 1 is best.
    critical_difference : float
        Mean ranks that differ by more are significantly different.
    p_values : ndarray of shape (n_methods, n_methods)
        For all pairs, adjusted for their number; 1 on the diagonal.
    groups : tuple of tuple of int
        Groups of two or more methods that are not significantly different, as positions of methods,
        best first. No group is part of another; a method may belong to several.
    n_datasets : int
        Number of datasets.
    names : tuple of str
        Names of the methods.
    alpha : float
        Level of significance.
    """

    statistic: float
    p_value: float
    mean_ranks: NDArray[np.float64]
    critical_difference: float
    p_values: NDArray[np.float64]
    groups: tuple[tuple[int, ...], ...]
    n_datasets: int
    names: tuple[str, ...]
    alpha: float = 0.05

    @property
    def is_significant(self) -> bool:
        """Whether any two methods differ at the level alpha."""
        return bool(np.ptp(self.mean_ranks) > self.critical_difference)

    @property
    def order(self) -> tuple[int, ...]:
        """Positions of the methods, best mean rank first."""
        return tuple(int(i) for i in np.argsort(self.mean_ranks, kind="stable"))

    @property
    def sentence(self) -> str:
        """The result as a sentence."""
        gaps = np.abs(self.mean_ranks[:, None] - self.mean_ranks[None, :])
        n_pairs = len(self.names) * (len(self.names) - 1) // 2
        n_apart = int(np.sum(gaps > self.critical_difference)) // 2
        if n_pairs == 1:
            found = "the two methods differ" if n_apart else "the two methods do not differ"
        else:
            count = {0: "none differs", 1: "one differs"}.get(n_apart, f"{n_apart} differ")
            found = f"of {n_pairs} pairs of methods {count}"
        return (
            f"Nemenyi test over {self.n_datasets} datasets: {found} by more than the critical "
            f"difference of {self.critical_difference:.3f} mean ranks at alpha = {self.alpha:g}; "
            f"{_best(self.mean_ranks, self.names)} (smallest {format_p_value(self.p_value)})."
        )

    def to_text(self) -> str:
        """Mean ranks, best first, with lines beside methods that are not significantly different.

        Returns
        -------
        str
            The numbers of the critical-difference diagram.
        """
        width = max(len(name) for name in self.names)
        digits = len(f"{self.mean_ranks.max():.3f}")
        lines = [
            f"Mean ranks over {self.n_datasets} datasets (1 is best). At alpha = {self.alpha:g} "
            f"the critical difference is {self.critical_difference:.3f}.",
            "Methods joined by a line are not significantly different.",
        ]
        for i in self.order:
            bars = " ".join("|" if i in group else " " for group in self.groups)
            lines.append(
                f"  {self.mean_ranks[i]:>{digits}.3f}  {self.names[i]:<{width}}  {bars}".rstrip()
            )
        return "\n".join(lines)


def _best(mean_ranks: NDArray[np.float64], names: tuple[str, ...]) -> str:
    lowest = mean_ranks.min()
    best = [name for name, rank in zip(names, mean_ranks, strict=True) if rank == lowest]
    if len(best) == len(names):
        return f"all have the mean rank {lowest:.2f}"
    listed = best[0] if len(best) == 1 else f"{', '.join(best[:-1])} and {best[-1]}"
    return f"{listed} {'has' if len(best) == 1 else 'have'} the lowest mean rank, {lowest:.2f}"


def rank_methods(errors: ArrayLike) -> NDArray[np.float64]:
    """Rank methods on each dataset.

    Parameters
    ----------
    errors : array-like of shape (n_datasets, n_methods)
        Errors; lower is better.

    Returns
    -------
    ndarray of shape (n_datasets, n_methods)
        Ranks within each row: 1 for the lowest error. Equal errors get the mean of their ranks,
        and so do errors that differ only by rounding.

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
    """Test whether any of several methods differ over several datasets.

    The statistic is Friedman's chi-square of the mean ranks, corrected for ties. The F
    statistic of Iman and Davenport is given as well: chi-square is conservative, while F is
    slightly liberal if all of few datasets rank the methods alike. `is_significant` uses
    chi-square.

    Parameters
    ----------
    errors : array-like of shape (n_datasets, n_methods)
        Errors, one row per dataset (at least two), one column per method (at least two); lower is
        better.
    names : sequence of str, optional
        Names of the methods.
    alpha : float, default=0.05
        Level of significance.

    Returns
    -------
    FriedmanTest
        Both statistics, their p-values, the mean ranks, and a sentence. If all methods are equal on
        all datasets, the statistics are 0 and the p-values 1.

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
    Friedman test: the 3 methods differ significantly over 4 datasets; forest has the lowest mean
    rank, 1.00 (chi-square(2) = 6.5, p = 0.039; F(2, 6) = 13, p = 0.0066).
    """
    ranks = rank_methods(errors)
    n_datasets, n_methods = ranks.shape
    _check_n_datasets(n_datasets)
    chi_square = _chi_square(ranks)
    maximum = n_datasets * (n_methods - 1.0)  # if all datasets agree
    rest = maximum - chi_square
    complete = rest <= 1e-9 * maximum
    f_statistic = math.inf if complete else (n_datasets - 1) * chi_square / rest
    degrees = n_methods - 1, (n_methods - 1) * (n_datasets - 1)
    return FriedmanTest(
        statistic=chi_square,
        p_value=float(special.chdtrc(n_methods - 1, chi_square)),
        f_statistic=f_statistic,
        f_p_value=0.0 if complete else float(special.fdtrc(*degrees, f_statistic)),
        mean_ranks=_mean_ranks(ranks),
        n_datasets=n_datasets,
        names=read_method_names(names, n_methods),
        alpha=read_alpha(alpha),
    )


def nemenyi_test(
    errors: ArrayLike, *, names: Sequence[str] | None = None, alpha: float = 0.05
) -> NemenyiTest:
    """Find which of several methods differ over several datasets.

    Two methods differ at the level alpha if their mean ranks differ by more than the critical
    difference ``q * sqrt(k (k + 1) / (6 N))`` for k methods on N datasets, where q is the upper
    point alpha of the studentized range of k normal variables, divided by the root of 2. The level
    alpha holds for all pairs together. Use `friedman_test` first.

    Parameters
    ----------
    errors : array-like of shape (n_datasets, n_methods)
        Errors, one row per dataset (at least two), one column per method (at least two); lower is
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
    Mean ranks over 4 datasets (1 is best). At alpha = 0.05 the critical difference is 1.657.
    Methods joined by a line are not significantly different.
      1.000  forest  |
      2.250  tree    | |
      2.750  stump     |
    """
    from scipy.stats import studentized_range

    ranks = rank_methods(errors)
    n_datasets, n_methods = ranks.shape
    _check_n_datasets(n_datasets)
    level = read_alpha(alpha)
    mean_ranks = _mean_ranks(ranks)
    # A difference of mean ranks in this unit is a studentized range.
    unit = math.sqrt(n_methods * (n_methods + 1.0) / (12.0 * n_datasets))
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
        n_datasets=n_datasets,
        names=read_method_names(names, n_methods),
        alpha=level,
    )


def _chi_square(ranks: NDArray[np.float64]) -> float:
    """Variance between the mean ranks in units of that inside the rows: ties are accounted for."""
    n_datasets, n_methods = ranks.shape
    middle = (n_methods + 1.0) / 2.0
    # Ranks are multiples of one half, so these sums are exact.
    inside = float(np.sum((ranks - middle) ** 2))
    if inside == 0.0:
        return 0.0
    between = float(np.sum((ranks.sum(axis=0) - n_datasets * middle) ** 2))
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


def _check_n_datasets(n_datasets: int) -> None:
    if n_datasets < 2:
        raise ValueError(
            "errors has one row; ranks are compared over at least two datasets. On one dataset "
            "compare two methods over folds, with five_by_two_cv_f_test or "
            "corrected_resampled_t_test."
        )
