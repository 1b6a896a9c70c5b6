"""Two columns of a table, row by row: how far apart they are, and whether by more than luck."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["LEVEL", "Pair", "compare_pair"]

LEVEL = 0.05


@dataclass(frozen=True)
class Pair:
    """What a paired t test says about two cells of a row.

    Attributes
    ----------
    row : str
        Where they stand.
    difference : float
        The mean of the first less that of the second.
    p_value : float
        Two-sided, as if all repetitions were drawn apart.
    corrected : float
        The same, with what repetitions have in common by learning from the same rows.
    published : float or None
        The p-value of the paper.
    """

    row: str
    difference: float
    p_value: float
    corrected: float
    published: float | None = None

    def side(self, *, corrected: bool = False) -> int:
        """-1, 0 or 1: whether the first is lower, not different, or higher, at 5 %."""
        p_value = self.corrected if corrected else self.p_value
        return 0 if not p_value < LEVEL else -1 if self.difference < 0 else 1


def compare_pair(
    row: str,
    first: Sequence[float],
    second: Sequence[float],
    overlap: float = 0.0,
    published: float | None = None,
) -> Pair | None:
    """Compare two cells; None where they have not the same repetitions, or only one.

    `overlap` is the number of test rows for each training row where repetitions divide the same
    rows anew, and 0 where each has rows of its own.
    """
    from mixedwood.stats import corrected_resampled_t_test, paired_t_test

    a, b = np.array(first, dtype=float), np.array(second, dtype=float)
    if len(a) != len(b) or len(a) < 2:
        return None
    difference = float(a.mean() - b.mean())
    if np.array_equal(a, b):
        return Pair(row, difference, 1.0, 1.0, published)
    plain = float(paired_t_test(a, b).p_value)
    corrected = plain
    if overlap > 0 and math.isfinite(overlap):
        corrected = float(corrected_resampled_t_test(a, b, n_train=1.0, n_test=overlap).p_value)
    return Pair(row, difference, plain, corrected, published)
