"""From values to places on a line, and round numbers to write beside it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from mixedwood.plot.measure import text_width

__all__ = ["Scale", "suits_logarithm"]

_FONT = 11.0
_ZERO = 1e-12
_APART = 10.0  # least room between two numbers


@dataclass(frozen=True)
class Scale:
    """A line from `start` to `end` in the drawing, for values from `low` to `high`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    @classmethod
    def over(
        cls,
        values: Iterable[float],
        start: float,
        end: float,
        *,
        log: bool = False,
        from_zero: bool = False,
    ) -> Scale:
        """Take in all values with a little room on either side; NaN and infinities do not count.

        A logarithmic scale leaves values that are not positive, or as good as zero, to the edge.
        """
        known = [v for v in values if math.isfinite(v) and (v > _ZERO or not log)]
        low, high = (min(known), max(known)) if known else (1.0, 10.0)
        if log:
            room = max((high / low) ** 0.06, 1.1)
            return cls(low / room, high * room, start, end, log=True)
        if from_zero:
            low, high = min(low, 0.0), max(high, 0.0)
        # Values that differ by their rounding only are one value.
        room, most = 0.06 * (high - low), max(abs(low), abs(high))
        if room <= max(1e-9 * most, _ZERO):
            room = 0.1 * most if most > _ZERO else 1.0
        at_zero = low >= 0.0 and low - room < 0.0  # nothing lies below zero
        return cls(
            0.0 if at_zero or (from_zero and low == 0.0) else low - room, high + room, start, end
        )

    def __call__(self, value: float) -> float:
        """Give the place of a value; one beyond the ends is put at the end."""
        value = min(max(value, self.low), self.high)
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, *, upright: bool = False) -> list[tuple[float, str]]:
        """Round numbers whose texts have room beside each other, or above each other if upright."""
        length = abs(self.end - self.start)
        for n in range(max(2, int(length / 42.0)), 1, -1):
            found = self._log_ticks(n) if self.log else self._plain_ticks(n)
            sizes = [_FONT if upright else text_width(text, _FONT) for _, text in found]
            places = [self(value) for value, _ in found]
            pairs = pairwise(zip(places, sizes, strict=True))
            if all(abs(a - b) >= (u + w) / 2 + _APART for (a, u), (b, w) in pairs):
                return found
        return found[:1]

    def _plain_ticks(self, n: int) -> list[tuple[float, str]]:
        rough = (self.high - self.low) / n
        unit = 10.0 ** math.floor(math.log10(rough))
        step = unit * next(m for m in (1.0, 2.0, 5.0, 10.0) if m * unit >= rough * 0.999)
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        most = max(abs(self.low), abs(self.high))
        if decimals <= 4 and most < 1e6:
            form = f".{decimals}f"
        else:  # as many digits as tell neighbours apart
            form = f".{max(1, math.ceil(math.log10(most / step)) + 1)}g"
        return [(i * step, f"{i * step:{form}}") for i in range(first, last + 1)]

    def _log_ticks(self, n: int) -> list[tuple[float, str]]:
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        for multiples in ((1, 2, 5), (1, 3), (1,)):
            all_ = [m * 10.0**d for d in range(first, last + 1) for m in multiples]
            inside = [v for v in all_ if self.low <= v <= self.high]
            if len(inside) <= n:
                break
        if len(inside) < 2:  # less than a factor of two or so: as on a plain line
            return self._plain_ticks(n)
        every = math.ceil(len(inside) / n)
        return [(v, f"{v:g}") for v in inside[::every]]


def suits_logarithm(values: Iterable[float], factor: float = 20.0) -> bool:
    """Whether values are positive and so far apart that the small ones need a logarithm."""
    known = [v for v in values if math.isfinite(v)]
    return bool(known) and min(known) > 0.0 and max(known) > factor * min(known)
