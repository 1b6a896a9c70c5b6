"""What trees cost on the weights that were given: without rounding."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Target

__all__ = ["GivenCosts", "TreeCost", "round_down", "round_off"]


@dataclass(frozen=True)
class TreeCost:
    """What a tree costs, and on which rows it errs."""

    cost: Fraction
    n_leaves: int
    wrong: NDArray[np.bool_]


class GivenCosts:
    """Weights and the cost of a leaf, as exact numbers.

    Parameters
    ----------
    target : Target
        Classes and weights of rows; no weight is 0.
    leaf_cost : float
        Cost of a leaf as a share of all weight.

    Attributes
    ----------
    numbers : list of int or None
        The weights in units of `number_unit`, a power of two; None if every row weighs 1.
    total, leaf : Fraction
        All weight, and what a leaf costs.
    leaf_share : Fraction
        The same as a share of all weight.

    Examples
    --------
    >>> from mixedwood.data import read_target
    >>> costs = GivenCosts(read_target(["a", "b", "b"], [0.5, 1.5, 1.0]), 0.25)
    >>> costs.numbers, costs.total, costs.leaf
    ([1, 3, 2], Fraction(3, 1), Fraction(3, 4))
    >>> costs.of(np.array([0, 0, 1])).cost  # a leaf of the first two rows, and one of the last
    Fraction(2, 1)
    """

    def __init__(self, target: Target, leaf_cost: float) -> None:
        self.classes = target.codes
        self.n_rows = target.n_rows
        self.leaf_share = Fraction(leaf_cost)
        self.number_unit = Fraction(1)
        self.numbers: list[int] | None = None
        total = self.n_rows
        if target.weights is not None:
            self.numbers, self.number_unit = _as_integers(target.weights)
            total = sum(self.numbers)
        self.total = total * self.number_unit
        self.leaf = self.leaf_share * self.total

    def of(self, leaf_of_row: NDArray[np.intp]) -> TreeCost:
        """Cost of a tree by the leaf that each row comes to; a leaf answers its heaviest class."""
        leaves, place = np.unique(leaf_of_row, return_inverse=True)
        n_classes = int(self.classes.max()) + 1
        if self.numbers is None:
            cells = np.bincount(place * n_classes + self.classes, minlength=len(leaves) * n_classes)
            sums = cells.reshape(-1, n_classes).tolist()
        else:
            sums = [[0] * n_classes for _ in leaves]
            rows = zip(place.tolist(), self.classes.tolist(), self.numbers, strict=True)
            for leaf, label, number in rows:
                sums[leaf][label] += number
        answers = np.array([here.index(max(here)) for here in sums])
        errors = sum(sum(here) - max(here) for here in sums)
        return TreeCost(
            errors * self.number_unit + len(leaves) * self.leaf,
            len(leaves),
            answers[place] != self.classes,
        )

    def fit_unit(self, unit: Fraction) -> Fraction:
        """A unit a little larger, of which the cost of a leaf is a whole number, if it can be."""
        whole = math.floor(self.leaf / unit)
        return self.leaf / whole if whole > 0 else unit


def _as_integers(weights: NDArray[np.float64]) -> tuple[list[int], Fraction]:
    mantissa, exponent = np.frexp(weights)
    whole = (mantissa * 2.0**53).astype(np.int64)
    zeros = np.frexp((whole & -whole).astype(np.float64))[1].astype(np.int64) - 1  # at the end
    place = exponent.astype(np.int64) - 53 + zeros
    lowest = int(place.min())
    digits = (whole >> zeros).tolist()
    numbers = [d << shift for d, shift in zip(digits, (place - lowest).tolist(), strict=True)]
    return numbers, Fraction(2) ** lowest


def round_off(number: Fraction) -> float:
    """The nearest float."""
    try:
        return float(number)
    except OverflowError:
        return math.inf


def round_down(number: Fraction) -> float:
    """The largest float that is not above."""
    near = min(round_off(number), np.finfo(np.float64).max)
    return near if Fraction(near) <= number else math.nextafter(near, -math.inf)
