"""Cells of a table: ours, with its standard error, beside the published figure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

__all__ = ["Cell", "Theirs", "read_theirs", "relative"]

_NEAR = 2.0  # standard errors


@dataclass(frozen=True)
class Theirs:
    """A published figure and its standard error: 0 where no spread is printed."""

    value: float
    error: float = 0.0


@dataclass(frozen=True)
class Cell:
    """One figure: the mean of `values`, beside the published one and a check run, if any.

    Attributes
    ----------
    table, row, column : str
        Where it stands.
    values : tuple of float
        What was found at each repetition or fold.
    digits : int
        Digits after the point of the published figure.
    published, check : Theirs or None
        What others found.
    judged : bool
        Whether it can be near or far: times of another computer are neither.
    """

    table: str
    row: str
    column: str
    values: tuple[float, ...]
    digits: int = 1
    published: Theirs | None = None
    check: Theirs | None = None
    judged: bool = True

    @property
    def ours(self) -> float:
        """Mean of what was found; NaN if nothing was."""
        return float(np.mean(self.values)) if self.values else math.nan

    @property
    def error(self) -> float:
        """Standard error of the mean, as if the values were independent."""
        n = len(self.values)
        return float(np.std(self.values, ddof=1)) / math.sqrt(n) if n > 1 else 0.0

    @property
    def gap(self) -> float | None:
        """Distance from the published figure, in standard errors of the difference."""
        return self._gap(self.published)

    @property
    def check_gap(self) -> float | None:
        """Distance from the check run, likewise."""
        return self._gap(self.check)

    @property
    def near(self) -> bool | None:
        """Whether ours is within two standard errors of the published figure or the check run.

        None where there is nothing to compare.
        """
        if not self.judged:
            return None
        gaps = [gap for gap in (self.gap, self.check_gap) if gap is not None]
        return any(abs(gap) <= _NEAR for gap in gaps) if gaps else None

    def _gap(self, theirs: Theirs | None) -> float | None:
        if theirs is None or not self.values:
            return None
        difference = self.ours - theirs.value
        # A printed figure is rounded: what rounds to the same is no difference.
        if abs(difference) <= 0.5 * 10.0**-self.digits * (1 + 1e-9):
            return 0.0
        total = math.hypot(self.error, theirs.error)
        return difference / total if total > 0 else math.copysign(math.inf, difference)


def relative(cells: Mapping[tuple[str, str], Cell], to: str) -> dict[tuple[str, str], Cell]:
    """Divide every row by its figure in one column, ours by ours and theirs by theirs.

    The column itself is left out, and so are rows that lack it.
    """
    found = {}
    for (row, column), cell in cells.items():
        base = cells.get((row, to))
        if column == to or base is None or not base.ours:
            continue
        found[row, column] = replace(
            cell,
            values=tuple(value / base.ours for value in cell.values),
            published=_divided(cell.published, base.published),
            check=_divided(cell.check, base.check),
        )
    return found


def _divided(theirs: Theirs | None, by: Theirs | None) -> Theirs | None:
    if theirs is None or by is None or not by.value:
        return None
    return Theirs(theirs.value / by.value, theirs.error / abs(by.value))


def read_theirs(entry: Any, n_runs: int) -> Theirs | None:
    """Read a published figure: a number, or its mean and standard deviation over `n_runs`."""
    if entry is None:
        return None
    if isinstance(entry, int | float):
        return Theirs(float(entry))
    if isinstance(entry, Sequence) and len(entry) == 2:
        mean, spread = map(float, entry)
        return Theirs(mean, spread / math.sqrt(n_runs) if n_runs else 0.0)
    raise ValueError(f"A published figure is a number or [mean, deviation]; got {entry!r}.")
