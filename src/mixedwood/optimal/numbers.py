"""Optimal trees for numbers: the least squared error, and what is proven in spite of rounding.

The solvers add whole numbers. Weights w and sums w y are rounded to fixed point once, which makes
them weights and numbers of a problem that differs little from the one asked, by a known distance:
the root of the squared error of a tree is a distance from y, so it changes by no more than y does.
Squared errors of the rounded problem are computed with a known error. All of it is subtracted from
the lower bound, in exact fractions. The objective of the tree that was found is exact.
"""

from __future__ import annotations

import math
import time
from fractions import Fraction
from math import inf

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood._limits import StopFlag, stopped_by
from mixedwood.data import Table, Target
from mixedwood.grow import EncodedTable
from mixedwood.optimal.build import SplitTree, apply_splits, choose_candidates
from mixedwood.optimal.problem import OptimalSettings, as_integers, round_down, round_nearest
from mixedwood.optimal.proof import Proof
from mixedwood.preprocessing import BinarySplit

__all__ = ["ExactSquares", "FixedPoint", "NumberSolver"]

_TOTAL_BITS = 51  # of all weights, and of all sums: the solvers take 52
_TICK_BITS = 55  # of all squares
_TOLERANCE = Fraction(1, 2**50)  # a tree may exceed an upper bound by this: the rounding of floats
_ROUNDING = Fraction(1, 2**30)  # of the squares about the mean: a bound as close proves the optimum


class ExactSquares:
    """Squared errors as exact numbers.

    Parameters
    ----------
    target : Target
        Numbers and weights of rows; no weight is 0.
    ccp_alpha : float
        Penalty of a leaf as a fraction of the squared error of a single leaf.

    Attributes
    ----------
    total : Fraction
        The weighted sum of squared deviations from the mean.
    leaf : Fraction
        The penalty of a leaf.

    Examples
    --------
    >>> from mixedwood.data import read_numbers
    >>> exact = ExactSquares(read_numbers([0.5, 1.5, 4.0], [1.0, 1.0, 2.0]), 0.25)
    >>> exact.total, exact.of(np.array([0, 0, 1]))
    (Fraction(19, 2), Fraction(21, 4))
    """

    def __init__(self, target: Target, ccp_alpha: float) -> None:
        self._values, value_unit = _as_integers(target.numbers)
        self._weights, weight_unit = (
            ([1] * target.n_rows, Fraction(1))
            if target.weights is None
            else _as_integers(target.weights)
        )
        self._unit = weight_unit * value_unit**2
        self.total = self._squares(np.zeros(target.n_rows, dtype=np.int32))
        self.leaf = Fraction(ccp_alpha) * self.total

    def of(self, leaf_of_row: NDArray[np.int32]) -> Fraction:
        """The objective of a tree by the leaf of each row; a leaf predicts its mean."""
        return self._squares(leaf_of_row) + len(np.unique(leaf_of_row)) * self.leaf

    def _squares(self, leaf_of_row: NDArray[np.int32]) -> Fraction:
        sums: dict[int, list[int]] = {}
        for leaf, w, y in zip(leaf_of_row.tolist(), self._weights, self._values, strict=True):
            here = sums.setdefault(leaf, [0, 0, 0])
            product = w * y
            here[0] += w
            here[1] += product
            here[2] += product * y
        parts = (wyy - Fraction(wy * wy, w) for w, wy, wyy in sums.values())
        return sum(parts, Fraction(0)) * self._unit


def _as_integers(numbers: NDArray[np.float64]) -> tuple[list[int], Fraction]:
    """Floats as integers times a power of two."""
    used = np.flatnonzero(numbers)
    integers = [0] * len(numbers)
    if len(used) == 0:
        return integers, Fraction(1)
    found, unit = as_integers(numbers[used])
    for row, number in zip(used.tolist(), found, strict=True):
        integers[row] = number
    return integers, unit


class FixedPoint:
    """Weights and sums of weight times number as whole numbers, and how far they are off.

    Attributes
    ----------
    weights, sums : ndarray of float64
        Whole numbers that add up to less than 2**52.
    ticks : float
        Integers of the solver in a unit of the squared error of these; a power of two.
    tick : Fraction
        What an integer of the solver stands for.
    excess : Fraction
        No weight is larger than the one given by more than this factor.
    distance : Fraction
        A bound of the distance between the numbers given and those that the sums stand for: the
        root of the weighted sum of squared differences.
    root : Fraction
        The squared error of a single leaf, in integers of the solver, rounded down.
    """

    def __init__(self, target: Target) -> None:
        values = target.numbers
        weights = np.ones(len(values)) if target.weights is None else target.weights
        up = 0
        if target.weights is None or (
            (weights == np.floor(weights)).all() and weights.sum() <= 2.0**_TOTAL_BITS
        ):
            self.weights = weights
        else:
            up = _TOTAL_BITS - math.frexp(float(weights.sum()))[1]
            self.weights = np.maximum(np.rint(_shifted(weights, up)), 1.0)
        given = _shifted(weights, up)
        # Floats that are rounded once: a little more than the error of the division.
        with np.errstate(divide="ignore", over="ignore"):
            ratio = float(np.max(self.weights / given))
        self.excess = Fraction(min(ratio, 2.0**1000)) * (1 + _TOLERANCE) - 1
        if up == 0:
            self.excess = Fraction(0)

        # Differences and products are rounded once, so that a sum is off by less than 1.
        products = _centered(values, self.weights)
        largest = float(np.abs(products[0]).sum())
        shift = _TOTAL_BITS - math.frexp(largest)[1] if largest > 0 else 0
        self.sums = np.rint(_shifted(products[0], shift))
        shift += products[1]
        with np.errstate(over="ignore"):
            off = float((given / self.weights**2).sum())
        off *= 1 + 2.0**-30  # this sum of floats is rounded, too
        self.distance = _root(Fraction(min(off, 2.0**1000)) * Fraction(2) ** (-up - 2 * shift))
        squares = float((self.sums * (self.sums / self.weights)).sum())
        exponent = _TICK_BITS - math.frexp(squares)[1] if squares > 0 else 0
        self.ticks = math.ldexp(1.0, exponent)
        self.tick = Fraction(2) ** (-up - 2 * shift - exponent)
        self.root = self._root_squares(exponent)

    def _root_squares(self, exponent: int) -> Fraction:
        whole = [int(s) for s in self.sums.tolist()]
        by_weight = [int(w) for w in self.weights.tolist()]
        fine = 40  # bits of a fraction
        squares = sum((s * s << fine) // w for s, w in zip(whole, by_weight, strict=True))
        mean = Fraction(sum(whole) ** 2, sum(by_weight))
        return max((Fraction(squares, 2**fine) - mean) * Fraction(2) ** exponent, Fraction(0))


def _centered(
    values: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], int]:
    """Weights times the numbers about their mean, scaled by a power of two that comes with them."""
    down = -math.frexp(float(np.abs(values).max()))[1]
    small = _shifted(values, down)
    # Rounding of the mean does not matter: any number will do.
    mean = float((small * (weights / weights.sum())).sum())
    exact = _shifted(values - math.ldexp(mean, -down), down)
    return weights * exact, down


def _shifted(numbers: NDArray[np.float64], bits: int) -> NDArray[np.float64]:
    half = bits // 2  # a power of two alone may be out of the range of floats
    return np.ldexp(np.ldexp(numbers, half), bits - half)


def _root(number: Fraction) -> Fraction:
    """A square root, rounded up."""
    if number <= 0:
        return Fraction(0)
    bits = max(0, 128 - (number.numerator.bit_length() - number.denominator.bit_length()))
    bits += bits % 2
    return Fraction(math.isqrt(math.ceil(number * 2**bits)) + 1, 2 ** (bits // 2))


class NumberSolver:
    """Finds trees of the least squared error, for any limits; like a `Solver` for classes.

    Attributes
    ----------
    candidates : list of BinarySplit or None
        The candidate splits; None for all splits.
    work : int
        Steps of all searches so far.
    """

    candidates: list[BinarySplit] | None = None

    def __init__(self, table: Table, target: Target, settings: OptimalSettings) -> None:
        self.table, self.target, self.settings = table, target, settings
        self.work = 0
        self.exact = ExactSquares(target, settings.ccp_alpha)
        self.fixed = FixedPoint(target)
        objective = _core.OptimalObjective()
        self._penalty = objective.leaf_penalty = math.floor(self.exact.leaf / self.fixed.tick)
        objective.min_samples_leaf = settings.min_samples_leaf
        given = self.fixed.weights, self.fixed.sums, self.fixed.ticks, objective
        if settings.binarization is None:
            self._native = _core.all_splits_number_solver(EncodedTable(table).native, *given)
        else:
            matrix, self.candidates = settings.binarization.fit(table, target)
            self._native = _core.binary_number_solver(matrix, *given)
        self._root = self._native.solve(self._limits(0, None)).objective_value

    def _limits(self, max_depth: int, max_leaf_nodes: int | None) -> _core.SearchLimits:
        limits = _core.SearchLimits()
        limits.max_depth, limits.max_leaf_nodes = max_depth, max_leaf_nodes
        limits.memory_limit = self.settings.memory_limit
        return limits

    def solve(
        self,
        max_depth: int,
        max_leaf_nodes: int | None,
        upper_bound: float = inf,
        time_limit: float = inf,
        work_limit: float = inf,
        stop: StopFlag | None = None,
    ) -> tuple[SplitTree | None, Proof]:
        """Find the best tree within limits, or None if there is none."""
        start = time.monotonic()
        limits = self._limits(max_depth, max_leaf_nodes)
        bound = None
        if upper_bound != inf:
            bound = Fraction(upper_bound) * (1 + _TOLERANCE)
            limits.upper_bound = self._upper_bound_of(bound)
        steps = None if work_limit == inf else max(0, int(work_limit))
        with stopped_by(stop) as flag:
            result = self._native.solve(limits, time_limit, steps, flag)
        self.work += result.work
        lower = self._lower_bound_of(result.lower_bound)
        status = result.status
        tree, value = None, None
        if result.tree:
            tree = result.tree
            if self.candidates is not None:
                tree = choose_candidates(tree, self.candidates)
            value = self.exact.of(apply_splits(tree, self.table))
            if status == "optimal" and value - lower > _ROUNDING * self.exact.total:
                status = "rounding"
            if bound is not None and value > bound:
                status = "infeasible" if lower > bound else "rounding"
                tree, value = None, None
        elif status == "infeasible":
            lower = max(lower, Fraction(upper_bound))
        return tree, self._proof(status, value, lower, result, time.monotonic() - start)

    def _lower_bound_of(self, cost: int) -> Fraction:
        """Turn a lower bound in integers into one for the numbers and weights given."""
        fixed = self.fixed
        least = fixed.root + self._penalty + (cost - self._root) - self._error
        bound = least * fixed.tick / (1 + fixed.excess) - self._distance
        return max(self.exact.leaf, bound)

    def _upper_bound_of(self, bound: Fraction) -> int | None:
        """Turn an upper bound for the numbers given into one in integers; None for no bound."""
        fixed = self.fixed
        most = (bound + self._distance + fixed.distance**2) * (1 + fixed.excess) / fixed.tick
        value = math.ceil(self._root + most - fixed.root - self._penalty + self._error)
        return None if value >= 2**60 else value

    @property
    def _error(self) -> int:
        """By how much differences of two trees in integers are off at most; see optimal.hpp."""
        return 65 + 2 * self.settings.max_leaves(self.target.n_rows)

    @property
    def _distance(self) -> Fraction:
        """By how much rounded numbers change the squared error of a tree at most."""
        fixed = self.fixed
        return 2 * fixed.distance * (_root(self.exact.total) + fixed.distance)

    def _shown(self, cost: int) -> float:
        value = (self.fixed.root + self._penalty + (cost - self._root)) * self.fixed.tick
        return max(round_nearest(value), 0.0)

    def _proof(
        self,
        status: str,
        value: Fraction | None,
        lower: Fraction,
        result: _core.SolverResult,
        seconds: float,
    ) -> Proof:
        nearest = math.inf if value is None else round_nearest(value)
        trace = [(at, self._shown(cost)) for at, cost in result.trace]
        if trace and value is not None:
            trace[-1] = (trace[-1][0], nearest)
        return Proof(
            status=status,
            objective_value=nearest,
            lower_bound=min(round_down(lower), nearest),
            n_explored=result.n_explored,
            n_cached=result.n_cached,
            cache_bytes=result.cache_bytes,
            seconds=seconds,
            trace=tuple(trace),
        )
