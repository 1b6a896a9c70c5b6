"""Sums of numbers that do not depend on the order: each number is cut into whole ones.

A number becomes up to three whole numbers of at most 31 bits, of which sums over billions of rows
fit into 64 bits. So 93 bits below the largest number are kept; a number of 53 bits that is 2**40
times smaller than the largest is still added exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ExactSums", "FixedPoint"]

_MOST_PARTS = 3
_BITS = 31
_UNIT = 1126  # sums of doubles are multiples of 2**-1126, mantissas of subnormal numbers included


@dataclass(frozen=True)
class FixedPoint:
    """How numbers are cut into whole ones.

    Attributes
    ----------
    top : int
        All numbers are smaller than ``2**top``.
    bits : int
        Bits of each part.
    n_parts : int
        Number of parts.

    Examples
    --------
    >>> import numpy as np
    >>> fixed = FixedPoint.for_numbers(top=2, lowest=-40, n_rows=1000)
    >>> parts = fixed.split(np.array([2.5, 2.0**-40]))
    >>> parts.tolist(), float(fixed.join(parts.sum(axis=0))) == 2.5 + 2.0**-40
    ([[1342177280, 0], [0, 1048576]], True)
    """

    top: int
    bits: int
    n_parts: int

    @classmethod
    def for_numbers(cls, top: int, lowest: int, n_rows: int) -> FixedPoint:
        """Choose parts for numbers below ``2**top`` that are multiples of ``2**lowest``."""
        bits = min(_BITS, 62 - n_rows.bit_length())
        return cls(top, bits, max(1, min(_MOST_PARTS, -(-(top - lowest) // bits))))

    def split(self, numbers: NDArray[np.float64]) -> NDArray[np.int64]:
        """Cut numbers into parts, one row for each; what is too small is rounded."""
        parts = np.empty((len(numbers), self.n_parts), dtype=np.int64)
        rest = np.ldexp(numbers, self.bits - self.top)
        for place in range(self.n_parts):
            last = place == self.n_parts - 1
            part = np.rint(rest) if last else np.floor(rest)
            parts[:, place] = part
            if not last:
                rest = np.ldexp(rest - part, self.bits)
        return parts

    def join(self, sums: NDArray[np.int64]) -> NDArray[np.float64]:
        """Give the numbers that sums of parts, along the last axis, stand for."""
        parts = [np.array(sums[..., place]) for place in range(self.n_parts)]
        mask = (1 << self.bits) - 1
        for place in range(self.n_parts - 1, 0, -1):
            parts[place - 1] += parts[place] >> self.bits
            parts[place] &= mask
        found = parts[0].astype(np.float64)
        for part in parts[1:]:
            found = np.ldexp(found, self.bits) + part
        return np.asarray(np.ldexp(found, self.top - self.bits * self.n_parts))

    def join_exactly(self, sums: NDArray[np.int64]) -> Fraction:
        """Give the number that the sums of parts stand for, without rounding."""
        total = 0
        for part in sums.tolist():
            total = (total << self.bits) + part
        scale = self.top - self.bits * self.n_parts
        return Fraction(total << scale) if scale >= 0 else Fraction(total, 1 << -scale)


@dataclass
class ExactSums:
    """Exact sums of numbers in groups, and the range of their bits. They can be merged.

    Examples
    --------
    >>> import numpy as np
    >>> sums = ExactSums()
    >>> sums.add("a", np.array([0.1] * 10))
    >>> sums.add("b", np.array([1e16, 1.0, -1e16]))
    >>> float(sums.sum("a")), float(sums.sum("b")), sums.top
    (1.0, 1.0, 54)
    """

    totals: dict[Any, int] = field(default_factory=dict)
    top: int = -2000  # numbers are smaller than 2**top
    lowest: int = 2000  # and multiples of 2**lowest

    def add(self, group: Any, numbers: NDArray[np.float64]) -> None:
        """Add numbers to the sum of a group."""
        total = self.totals.get(group, 0)
        fraction, exponent = np.frexp(numbers)
        whole = np.ldexp(fraction, 53).astype(np.int64)
        # By exponents, in halves whose sums fit into 64 bits.
        kinds, place = np.unique(exponent, return_inverse=True)
        high = np.zeros(len(kinds), dtype=np.int64)
        low = np.zeros(len(kinds), dtype=np.int64)
        np.add.at(high, place, whole >> 27)
        np.add.at(low, place, whole & ((1 << 27) - 1))
        for e, a, b in zip(kinds.tolist(), high.tolist(), low.tolist(), strict=True):
            total += ((a << 27) + b) << (e - 53 + _UNIT)
        self.totals[group] = total
        used = whole != 0
        if used.any():
            whole, exponent = whole[used], exponent[used]
            zeros = np.frexp((whole & -whole).astype(np.float64))[1] - 1
            self.top = max(self.top, int(exponent.max()))
            self.lowest = min(self.lowest, int((exponent - 53 + zeros).min()))

    def merge(self, other: ExactSums) -> None:
        """Add sums of other rows."""
        for group, total in other.totals.items():
            self.totals[group] = self.totals.get(group, 0) + total
        self.top, self.lowest = max(self.top, other.top), min(self.lowest, other.lowest)

    def sum(self, group: Any) -> Fraction:
        """Return a sum."""
        return Fraction(self.totals.get(group, 0), 1 << _UNIT)

    def sums(self, groups: Sequence[Any]) -> NDArray[np.float64]:
        """Return sums, each rounded once."""
        return np.array([_as_float(self.sum(group)) for group in groups])


def _as_float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.copysign(math.inf, number)
