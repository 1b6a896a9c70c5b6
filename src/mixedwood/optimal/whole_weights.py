"""Weights as whole numbers, which the solvers add up without error, and what their answers mean.

Floats are whole numbers of a power of two, so most weights can be handed over as they are, in their
largest common unit. The rest is rounded, and what that may hide is known: see `proving.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mixedwood.optimal.given_costs import GivenCosts

__all__ = ["MOST", "WholeProblem", "make_whole", "whole_numbers"]

MOST = 2**56
"""What all weights together may be; a leaf may cost a quarter of it."""

_COARSE_MOST = 2**30  # what weights that are rounded add up to: the solvers are faster there
_COARSE_STEPS = 2**6  # steps of the largest weight, where they are rounded
_MOST_DISTINCT = 1000  # with more different weights than this, no common fraction is looked for
_NEAR = Fraction(1, 2**50)  # two floats so close differ by the rounding of what made them


@dataclass(frozen=True)
class WholeProblem:
    """Whole numbers in place of the weights and of the cost of a leaf.

    Attributes
    ----------
    weights : ndarray of int64 or None
        Of each row; None if every row weighs 1.
    error_cost, leaf_cost : int
        What a weight of 1 that is answered wrongly costs, and a leaf.
    unit : Fraction
        What a weight of 1 stands for, at least.
    leaf : Fraction
        What a leaf costs, in units, before it became a whole number.
    most_leaves : int
        No tree has more leaves.
    n_raised : int
        Rows that weigh less than a unit, and stand here with 1.
    exact : bool
        Whether the best tree here is the best by the weights given.
    multiples : bool
        Whether weights are these multiples of the unit, and not only near to them.
    """

    weights: NDArray[np.int64] | None
    error_cost: int
    leaf_cost: int
    unit: Fraction
    leaf: Fraction
    most_leaves: int
    n_raised: int
    exact: bool
    multiples: bool

    def scaled_weights(self, n_rows: int) -> NDArray[np.int64] | None:
        """Weights times the cost of an error, for solvers that know one price only."""
        if self.error_cost == 1:
            return self.weights
        ones = np.ones(n_rows, dtype=np.int64)
        return (ones if self.weights is None else self.weights) * self.error_cost

    def given(self, cost: int) -> Fraction:
        """What trees that cost so much here, or more, cost at least by the weights given."""
        price = Fraction(self.leaf_cost, self.error_cost)
        least = Fraction(cost, self.error_cost)
        if price > self.leaf:  # a leaf is dearer here: take off what that may come to
            least = max(least * self.leaf / price, least - (price - self.leaf) * self.most_leaves)
        return max(Fraction(0), (least - self.n_raised) * self.unit)

    def here(self, bound: Fraction) -> int | None:
        """What trees within a bound of the weights given cost here at most; None: anything."""
        most = bound / self.unit + self.n_raised
        price = Fraction(self.leaf_cost, self.error_cost)
        if price > self.leaf:
            most *= price / self.leaf
        units = math.floor(most * self.error_cost)
        return None if units >= 2**60 else units


def make_whole(costs: GivenCosts, most_leaves: int, *, finest_error: int = 0) -> WholeProblem:
    """Write weights and the cost of a leaf in a common unit.

    Weights with a common unit are exact; fractions such as tenths or balanced class weights, which
    floats only come near, are taken as the fractions that they are near to. Others are rounded
    down to steps of 1 / 64 of the largest: finer if many rows weigh less than a step, coarser
    if they would add up to more than 2**30 steps.

    Parameters
    ----------
    costs : GivenCosts
        Weights and the cost of a leaf as they were given.
    most_leaves : int
        No tree has more leaves.
    finest_error : int, optional
        An error may cost so many units, so that the cost of a leaf is close to the one given. As
        few as it takes without it.

    Examples
    --------
    >>> from mixedwood.data import read_target
    >>> target = read_target(["a", "b", "b"], [0.5, 1.5, 1.0])
    >>> make_whole(GivenCosts(target, 0.0), 4).weights.tolist()
    [1, 3, 2]
    """
    return _exact(costs, most_leaves, finest_error) or _rounded(costs, most_leaves)


def _exact(costs: GivenCosts, most_leaves: int, finest_error: int) -> WholeProblem | None:
    numbers: list[int] | None
    if costs.numbers is None:
        numbers, unit, multiples = None, Fraction(1), None
    else:
        multiples = _in_common_unit(costs)
        found = multiples or _as_fractions(costs)
        if found is None:
            return None
        numbers, unit = found
    total = costs.n_rows if numbers is None else sum(numbers)
    leaf = costs.leaf_share * total
    price = Fraction(0)
    if leaf > 0:
        fewest = 2 * most_leaves
        # Sums stay within the solvers' numbers, also with one leaf for each row.
        room = min(
            2**24,
            MOST // total,
            math.floor(MOST // 4 / leaf),
            math.floor(8 * MOST / leaf / (costs.n_rows + 1)),
        )
        found_price = _between_same_neighbors(
            leaf, most_leaves - 1, min(room, max(fewest, finest_error)), fewest
        )
        if found_price is None:
            return None
        price = found_price
    plain = numbers is None or all(number == 1 for number in numbers)
    return WholeProblem(
        weights=None if plain else np.array(numbers, dtype=np.int64),
        error_cost=price.denominator,
        leaf_cost=price.numerator,
        unit=unit,
        leaf=leaf,
        most_leaves=most_leaves,
        n_raised=0,
        exact=True,
        multiples=numbers is None or multiples is not None,
    )


def _in_common_unit(costs: GivenCosts) -> tuple[list[int], Fraction] | None:
    """The weights as they are, as multiples of their largest common divisor."""
    assert costs.numbers is not None
    divisor = math.gcd(*set(costs.numbers))
    if sum(costs.numbers) > MOST * divisor:
        return None
    return [number // divisor for number in costs.numbers], divisor * costs.number_unit


def _as_fractions(costs: GivenCosts) -> tuple[list[int], Fraction] | None:
    """Weights that are nearly multiples of a common unit, as these multiples."""
    assert costs.numbers is not None
    distinct = sorted(set(costs.numbers))
    if len(distinct) > _MOST_DISTINCT:
        return None
    largest = distinct[-1]
    most = max(10_000, costs.n_rows)
    parts = {}
    common = 1
    for number in distinct:
        share = Fraction(number, largest)
        part = share.limit_denominator(most)
        if part <= 0 or abs(part / share - 1) > _NEAR:
            return None
        parts[number] = part
        common = math.lcm(common, part.denominator)
        if common > MOST:
            return None
    multiple = {number: int(part * common) for number, part in parts.items()}
    numbers = [multiple[number] for number in costs.numbers]
    divisor = math.gcd(*multiple.values())
    if sum(numbers) > MOST * divisor:
        return None
    # Not less than this times its multiple is any weight.
    unit = min(Fraction(number, multiple[number] // divisor) for number in distinct)
    return [number // divisor for number in numbers], unit * costs.number_unit


def _between_same_neighbors(
    price: Fraction, most: int, finest: int, fewest: int
) -> Fraction | None:
    """A fraction of a small denominator that orders trees as the cost of a leaf does.

    Trees differ by some errors and by at most so many leaves, so that a cost of a leaf matters only
    through which of the fractions of denominators up to `most` are below it, and which above.
    """
    most = max(most, 1)
    if finest < 1:
        return None
    near = price.limit_denominator(finest)
    if near == price:
        return near
    if finest < fewest:
        return None
    # Of the fractions of small denominators none lies between the price and the nearest of all.
    if near.denominator > most:
        return near
    # The price is next to one of them, and has to stay on its side: that one's neighbor there.
    over = 1 if price > near else -1
    a, b = near.numerator, near.denominator
    rest = 0 if b == 1 else -over * pow(a, -1, b) % b
    d = finest - (finest - rest) % b
    return Fraction((a * d + over) // b, d)


def _rounded(costs: GivenCosts, most_leaves: int) -> WholeProblem:
    numbers = [1] * costs.n_rows if costs.numbers is None else costs.numbers
    unit = costs.fit_unit(_coarse_unit(numbers) * costs.number_unit)
    down = whole_numbers(numbers, unit / costs.number_unit)
    raised = [max(number, 1) for number in down]  # a row that counts must not vanish
    leaf = costs.leaf / unit
    return WholeProblem(
        weights=np.array(raised, dtype=np.int64),
        error_cost=1,
        leaf_cost=math.floor(leaf),
        unit=unit,
        leaf=leaf,
        most_leaves=most_leaves,
        n_raised=sum(raised) - sum(down),
        exact=False,
        multiples=False,
    )


def whole_numbers(numbers: list[int], unit: Fraction) -> list[int]:
    """Numbers in units, rounded down."""
    top, bottom = unit.numerator, unit.denominator
    return [number * bottom // top for number in numbers]


def _coarse_unit(numbers: list[int]) -> Fraction:
    """What weights are rounded to in a first search."""
    largest = max(numbers)
    shares = np.array([number / largest for number in numbers])
    total = float(shares.sum())
    most = max(1, int((_COARSE_MOST - len(shares)) / total))
    steps = min(_COARSE_STEPS, most)
    # Rows that weigh next to nothing count as one step each: many of them must not outvote others.
    while 2 * steps <= most and 1000 * np.count_nonzero(shares * steps < 0.5) > total * steps:
        steps *= 2
    return Fraction(largest, steps)
