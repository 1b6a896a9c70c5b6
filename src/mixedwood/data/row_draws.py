"""How often each row of a table in pieces is in the sample of a tree: by hashes of its contents.

A bootstrap sample of n rows from n has each row a Poisson(1) number of times, nearly independent of
the others, if n is large. Drawn so, the number of a row depends on the row alone: neither on the
pieces nor on the workers that read them. Rows that are equal differ by which of them they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mixedwood.data.pieces import Piece
from mixedwood.data.row_folds import RowFolds, mixed

__all__ = ["RowDraws"]


@dataclass(frozen=True)
class RowDraws:
    """Samples of the rows of a table.

    Attributes
    ----------
    copies : RowFolds
        Tells equal rows from each other.
    rate : float
        How often a row is drawn on average.
    replace : bool
        Whether a row may be drawn more than once.
    seeds : tuple of int
        One for each sample.
    """

    copies: RowFolds
    rate: float
    replace: bool
    seeds: tuple[int, ...]

    def of_piece(self, piece: Piece, sample: int) -> NDArray[np.int64]:
        """Give the number of times that each row of a piece is drawn."""
        seed = mixed(np.array([self.seeds[sample] % 2**64], dtype=np.uint64))
        numbers = self.copies.numbers(piece).astype(np.uint64)
        draws = mixed(mixed(piece.hashes ^ seed) + numbers)
        limits = _poisson_limits(self.rate) if self.replace else _share_limits(self.rate)
        return np.searchsorted(limits, draws, side="right")


@lru_cache(maxsize=8)
def _poisson_limits(rate: float) -> NDArray[np.uint64]:
    """Where numbers of 64 bits are divided so that their places have a Poisson distribution."""
    with localcontext() as context:
        context.prec = 50  # the same on every machine, unlike exp of a mathematical library
        term = (-Decimal(rate)).exp()
        limits, total = [], Decimal(0)
        while (limit := int((total := total + term) * 2**64)) < 2**64 - 1:
            limits.append(limit)
            term = term * Decimal(rate) / len(limits)
    return np.array(limits, dtype=np.uint64)


def _share_limits(rate: float) -> NDArray[np.uint64]:
    return np.array([round((1 - Decimal(rate)) * (2**64 - 1))], dtype=np.uint64)
