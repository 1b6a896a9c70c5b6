"""What tests of several methods over several data sets found, in figures and in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mixedwood.stats.paired_test import in_words

__all__ = ["FriedmanTest", "NemenyiTest"]


@dataclass(frozen=True, eq=False)
class FriedmanTest:
    """Result of a test of several methods over several data sets.

    Attributes
    ----------
    statistic : float
        Friedman's chi-square, corrected for ties.
    p_value : float
        Its p-value.
    f_statistic : float
        The F of Iman and Davenport; infinite if all data sets agree.
    f_p_value : float
        Its p-value.
    mean_ranks : ndarray of float64
        For each method the mean of its ranks; 1 is best.
    n_sets : int
        Number of data sets.
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
    n_sets: int
    names: tuple[str, ...]
    alpha: float = 0.05

    @property
    def degrees_of_freedom(self) -> int:
        """Degrees of freedom of chi-square."""
        return len(self.names) - 1

    @property
    def f_degrees_of_freedom(self) -> tuple[int, int]:
        """Degrees of freedom of F."""
        return self.degrees_of_freedom, self.degrees_of_freedom * (self.n_sets - 1)

    @property
    def is_significant(self) -> bool:
        """Whether any methods differ at the level alpha, by chi-square."""
        return self.p_value <= self.alpha

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        what = f"the {len(self.names)} methods"
        if self.is_significant:
            found = f"{what} differ over {self.n_sets} data sets, more than luck explains"
        else:
            found = f"{what} do not differ over {self.n_sets} data sets by more than luck explains"
        first, second = self.f_degrees_of_freedom
        return (
            f"Friedman test: {found}; {_best(self.mean_ranks, self.names)} "
            f"(chi-square({first}) = {self.statistic:.3g}, {in_words(self.p_value)}; "
            f"F({first}, {second}) = {self.f_statistic:.3g}, {in_words(self.f_p_value)})."
        )


@dataclass(frozen=True, eq=False)
class NemenyiTest:
    """Result of comparing all pairs of methods over several data sets.

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
    n_sets : int
        Number of data sets.
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
    n_sets: int
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
        """The result in plain words."""
        gaps = np.abs(self.mean_ranks[:, None] - self.mean_ranks[None, :])
        n_pairs = len(self.names) * (len(self.names) - 1) // 2
        n_apart = int(np.sum(gaps > self.critical_difference)) // 2
        if n_pairs == 1:
            found = "the two methods differ" if n_apart else "the two methods do not differ"
        else:
            count = {0: "none differs", 1: "one differs"}.get(n_apart, f"{n_apart} differ")
            found = f"of {n_pairs} pairs of methods {count}"
        return (
            f"Nemenyi test over {self.n_sets} data sets: {found} by more than the critical "
            f"difference of {self.critical_difference:.3f} mean ranks at alpha = {self.alpha:g}; "
            f"{_best(self.mean_ranks, self.names)} (smallest {in_words(self.p_value)})."
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
            f"Mean ranks over {self.n_sets} data sets (1 is best). At alpha = {self.alpha:g} the "
            f"critical difference is {self.critical_difference:.3f}.",
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
