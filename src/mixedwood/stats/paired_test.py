"""What a test of two methods found, in figures and in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["PairedTest", "agreed_direction", "in_words"]


@dataclass(frozen=True)
class PairedTest:
    """Result of a test of two methods on the same folds or data sets.

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
    measure : str
        What was measured; less is better.
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
    measure: str = "error"
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
        """The result in plain words."""
        degrees = ", ".join(str(degree) for degree in self.degrees_of_freedom)
        symbol = f"{self.symbol}({degrees})" if degrees else self.symbol
        figures = f"({symbol} = {self.statistic:.3g}, {in_words(self.p_value)})"
        first, second = self.names if self.mean_difference <= 0.0 else self.names[::-1]
        if self.is_significant and self.direction == 0:
            found = f"{first} and {second} differ, but neither has clearly the lower {self.measure}"
        elif self.mean_difference == 0.0:
            found = f"{first} and {second} have the same {self.measure} on average"
        else:
            gap = f"by {abs(self.mean_difference):.3g} on average"
            luck = "more than luck explains" if self.is_significant else "but it may be luck"
            found = f"{first} has a lower {self.measure} than {second}, {gap}, {luck}"
        return f"{self.test}: {found} {figures}."


def agreed_direction(mean_difference: float, statistic: float) -> int:
    """Sign that the mean and the statistic share, or 0."""
    signs = np.sign(mean_difference), np.sign(statistic)
    return int(signs[0]) if signs[0] == signs[1] else 0


def in_words(p_value: float) -> str:
    """A p-value as it is printed."""
    return f"p = {p_value:.2g}" if p_value >= 0.0001 else "p < 0.0001"
