"""Weights as whole numbers, so that bounds are exact."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Target

__all__ = ["WholeWeights", "make_whole"]

_MOST = 2**30  # all weights together, as the core wants it
_FINEST = 2**16  # steps of the largest weight, where no common unit is found
_FINEST_LEAF = 1_000_000  # a leaf may cost one in a million of a unit


@dataclass(frozen=True)
class WholeWeights:
    """Weights in a common unit.

    Attributes
    ----------
    weights : ndarray of int64 or None
        Of each row; None if every row weighs 1.
    error_cost, leaf_cost : int
        What a weight of 1 that is answered wrongly costs, and a leaf.
    unit : float
        What a cost of 1 stands for.
    """

    weights: NDArray[np.int64] | None
    error_cost: int
    leaf_cost: int
    unit: float

    def scaled_weights(self, n_rows: int) -> NDArray[np.int64] | None:
        """Weights times the cost of an error, for solvers that know one price only."""
        if self.error_cost == 1:
            return self.weights
        ones = np.ones(n_rows, dtype=np.int64)
        return (ones if self.weights is None else self.weights) * self.error_cost


def make_whole(target: Target, leaf_cost: float) -> WholeWeights:
    """Write weights and the cost of a leaf in a common unit.

    Weights with a small common unit are exact. Others are rounded to steps of 1 / 65,536 of the
    largest: finer if many rows weigh less than a step, coarser if they would add up to more than
    2**30 steps. The cost of a leaf is rounded to a millionth of a step.

    Parameters
    ----------
    target : Target
        Classes and weights of rows.
    leaf_cost : float
        Cost of a leaf as a share of all weight.

    Examples
    --------
    >>> from mixedwood.data import read_target
    >>> make_whole(read_target(["a", "b", "b"], [0.5, 1.5, 1.0]), 0.0).weights.tolist()
    [1, 3, 2]
    """
    if target.weights is None:
        weights, unit = np.ones(target.n_rows, dtype=np.int64), 1.0
    else:
        weights, unit = _in_units(target.weights)
    total = int(weights.sum())
    # A leaf costs p / q weights: an error costs q then, and a leaf p.
    price = Fraction(leaf_cost * total).limit_denominator(_FINEST_LEAF)
    if leaf_cost > 0 and price == 0:
        price = Fraction(1, _FINEST_LEAF)
    return WholeWeights(
        None if target.weights is None else weights,
        price.denominator,
        price.numerator,
        unit / price.denominator,
    )


def _in_units(weights: NDArray[np.float64]) -> tuple[NDArray[np.int64], float]:
    # In shares of the largest: weights at the ends of what a float can hold stay finite.
    largest = float(weights.max())
    shares = weights / largest
    distinct = np.unique(shares[shares > 0])
    steps = (_common_steps(distinct, len(weights)) if len(distinct) <= 1000 else 0) or _steps(
        shares
    )
    whole = np.rint(shares * steps).astype(np.int64)
    # A row that counts must not vanish.
    whole[(weights > 0) & (whole == 0)] = 1
    divisor = int(np.gcd.reduce(whole))
    return whole // divisor, max(largest / steps * divisor, math.ulp(0.0))


def _common_steps(shares: NDArray[np.float64], n_rows: int) -> int:
    """Steps of the largest weight of which all are whole numbers; 0 if there are none."""
    common = 1
    for share in shares.tolist():
        part = Fraction(share).limit_denominator(10_000)
        if part <= 0 or abs(float(part) / share - 1.0) > 1e-12:
            return 0
        common = math.lcm(common, part.denominator)
        if common * n_rows > _MOST:
            return 0
    return common


def _steps(shares: NDArray[np.float64]) -> int:
    """Steps of the largest weight, where weights have to be rounded."""
    total = float(shares.sum())
    most = max(1, int((_MOST - len(shares)) / total))
    steps = min(_FINEST, most)
    # Rows that weigh next to nothing count as one step each: many of them must not outvote others.
    while 2 * steps <= most and 1000 * np.count_nonzero(shares * steps < 0.5) > total * steps:
        steps *= 2
    return steps
