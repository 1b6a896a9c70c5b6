"""Intervals of what a study found, and what they decide: yes, no, or neither.

A random quantity is judged by a 95 % interval over repetitions. Folds of a repetition share rows,
so they are averaged first. Where nothing is repeated, the sample is that of the datasets, and the
interval is over rows; what is counted or computed exactly is a point.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from mixedwood.study.results import Cell

__all__ = ["LEVEL", "Interval", "cell_interval", "count", "mean_interval", "samples"]

LEVEL = 0.95

Decision = bool | None
"""Whether something is so; None if the interval contains both."""


@dataclass(frozen=True)
class Interval:
    """From where to where a quantity may be."""

    low: float
    high: float

    def below(self, bound: float = 0.0) -> Decision:
        """Whether the quantity is below a bound."""
        return True if self.high < bound else False if self.low >= bound else None

    def above(self, bound: float = 0.0) -> Decision:
        """Whether the quantity is above a bound."""
        return True if self.low > bound else False if self.high <= bound else None

    def within(self, low: float, high: float) -> Decision:
        """Whether the quantity is in a range."""
        if low <= self.low and self.high <= high:
            return True
        return False if self.low > high or self.high < low else None

    def text(self, digits: int) -> str:
        """The ends as text."""
        return f"{self.low:+.{digits}f} to {self.high:+.{digits}f}"


def t_interval(values: Sequence[float] | NDArray[np.float64]) -> Interval | None:
    """Return the interval of the mean of a sample; None for fewer than two values."""
    from scipy.stats import t

    n = len(values)
    if n < 2:
        return None
    mean = float(np.mean(values))
    half = float(t.ppf((1 + LEVEL) / 2, n - 1) * np.std(values, ddof=1) / math.sqrt(n))
    return Interval(mean - half, mean + half)


def samples(cell: Cell) -> tuple[float, ...]:
    """Return the repetitions of a cell."""
    return cell.repetitions or cell.values


def cell_interval(
    spread: str, cells: Sequence[Cell], combine: Callable[..., NDArray[np.float64] | float]
) -> Interval | None:
    """Return the interval of a function of cells of the same repetitions; None without any.

    `combine` is applied to one repetition of all cells after the other, as arrays.
    """
    if spread != "repetitions":
        value = float(combine(*(np.array(cell.ours) for cell in cells)))
        return Interval(value, value)
    # The first repetitions are the same where one cell has more of them.
    n = min(len(samples(cell)) for cell in cells)
    return t_interval(np.asarray(combine(*(np.array(samples(cell)[:n]) for cell in cells))))


def mean_interval(
    spread: str,
    rows: Sequence[Sequence[Cell]],
    combine: Callable[..., NDArray[np.float64] | float],
) -> Interval | None:
    """Return the interval of the mean over rows of a function of the cells of a row."""
    if spread == "repetitions":
        n = min(len(samples(cell)) for row in rows for cell in row)
        values = [combine(*(np.array(samples(cell)[:n]) for cell in row)) for row in rows]
        return t_interval(np.mean(np.asarray(values), axis=0))
    points = [float(combine(*(np.array(cell.ours) for cell in row))) for row in rows]
    if spread == "rows":
        return t_interval(points)
    mean = float(np.mean(points))
    return Interval(mean, mean)


def count(decisions: Sequence[Decision], at_least: float) -> Decision:
    """Whether at least a number of decisions are yes, whatever the open ones are."""
    certain, possible = decisions.count(True), len(decisions) - decisions.count(False)
    return True if certain >= at_least else False if possible < at_least else None
