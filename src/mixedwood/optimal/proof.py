"""What a search has proven, and how a proof for the weights given is found with integers.

If the integers order trees as the weights do, one search is the proof. Otherwise a tree that is
optimal for rounded weights is verified: the weights of rows that it misclassifies are rounded up,
the others down, so that every other tree looks better than it is. If none is better even so, the
tree is optimal. Otherwise the difference bounds what can be gained, and a finer scale makes it
small.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mixedwood import _kinds as kinds
from mixedwood._core import SolverResult, SplitTree
from mixedwood._limits import Deadline
from mixedwood.optimal.problem import (
    MAX_TOTAL,
    ExactObjective,
    IntegerObjective,
    TreeObjective,
    floor_to_scale,
    round_down,
    round_nearest,
)

__all__ = ["STATUSES", "Proof", "prove"]

STATUSES = (
    "optimal",
    "infeasible",
    "time_limit",
    "work_limit",
    "memory_limit",
    "interrupted",
    "rounding",
)

_MAX_TREES = 20  # that are verified with one scale
_TOLERANCE = Fraction(1, 2**50)  # a tree may exceed an upper bound by this: the rounding of floats

Search = Callable[[IntegerObjective, int | None, float], tuple[SplitTree, SolverResult]]
"""Find the best tree for integers, within an upper bound and a number of seconds."""
Apply = Callable[[SplitTree], NDArray[np.int32]]
"""The leaf of each row."""


@dataclass(frozen=True)
class Proof:
    """What is known about a tree, in units of the sample weights.

    Attributes
    ----------
    status : {"optimal", "infeasible", "time_limit", "work_limit", "memory_limit", "interrupted", \
            "rounding"}
        How the search ended; ``"rounding"`` if the weights differ too much to be added exactly.
    objective_value : float
        Weight of the misclassified rows, or their cost, plus the penalty of the leaves.
    lower_bound : float
        No tree within the same limits has a smaller objective.
    n_explored : int
        Number of subproblems (sets of rows) that were searched.
    n_cached : int
        Number of subproblems in the cache at the end.
    cache_bytes : int
        Memory of the cache.
    seconds : float
        Duration of the search; NaN if the model was loaded from a file.
    trace : tuple of (float, float)
        Seconds and objective of each better tree. Empty if the model was loaded from a file.

    Examples
    --------
    >>> Proof("time_limit", 10.0, 8.0, 5, 3, 100, 0.1, ()).gap
    0.2
    """

    status: str
    objective_value: float
    lower_bound: float
    n_explored: int
    n_cached: int
    cache_bytes: int
    seconds: float = math.nan
    trace: tuple[tuple[float, float], ...] = ()

    # Without the fields that say how long the search took: equal fits are written equally.
    _fitted: ClassVar[kinds.Fitted] = {
        "status": kinds.TEXT,
        "objective_value": kinds.number(kinds.NONNEGATIVE),
        "lower_bound": kinds.number(kinds.NONNEGATIVE),
        "n_explored": kinds.COUNT,
        "n_cached": kinds.COUNT,
        "cache_bytes": kinds.COUNT,
    }

    def _check_fitted(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"its search cannot have ended by {self.status[:50]!r}")
        if self.lower_bound > self.objective_value * (1 + kinds.ROUNDING):
            raise ValueError("the objective of its tree is below its lower bound")

    @property
    def optimal(self) -> bool:
        """Whether the tree is proven to be optimal."""
        return self.status == "optimal"

    @property
    def gap(self) -> float:
        """Relative optimality gap: 1 - lower_bound / objective_value; 0 if optimal."""
        value = self.objective_value
        return (value - self.lower_bound) / value if value > 0 else 0.0


def prove(
    search: Search,
    apply: Apply,
    exact: ExactObjective,
    integer: IntegerObjective,
    *,
    upper_bound: float = math.inf,
    time_limit: float = math.inf,
) -> tuple[SplitTree | None, Proof]:
    """Find the best tree for the weights given, or None if there is none.

    Parameters
    ----------
    search, apply : callable
        The solver, and the leaves of its trees.
    exact : ExactObjective
        The objective as given.
    integer : IntegerObjective
        The same in integers, for the first search.
    upper_bound : float, optional
        Only trees with an objective of at most this value are accepted.
    time_limit : float, optional
        Seconds.
    """
    bound = None if upper_bound == math.inf else Fraction(upper_bound) * (1 + _TOLERANCE)
    if bound is not None:
        bound += exact.offset
    proving = _Proving(search, apply, exact, Deadline.after(time_limit))
    status, lower = proving.first(integer, bound, time_limit)
    if proving.best is None:  # no tree within the bound
        if status == "infeasible" and bound is not None:
            lower = max(lower, Fraction(upper_bound) + exact.offset)
        return None, proving.proof(status, None, lower)
    if not integer.exact and status != "interrupted":
        status, lower = proving.verify(status, lower)
    value = proving.best.value
    if status == "optimal":
        lower = value
    if bound is not None and value > bound:
        return None, proving.proof("infeasible" if lower > bound else status, None, lower)
    return proving.tree, proving.proof(status, value, lower)


class _Proving:
    """The best tree so far, and the totals of the searches."""

    def __init__(
        self, search: Search, apply: Apply, exact: ExactObjective, deadline: Deadline
    ) -> None:
        self.search, self.apply, self.exact, self.deadline = search, apply, exact, deadline
        self.start = time.monotonic()
        self.tree: SplitTree | None = None
        self.best: TreeObjective | None = None
        self.trace: list[tuple[float, float]] = []
        self.n_explored = self.n_cached = self.cache_bytes = 0

    def _count(self, result: SolverResult) -> None:
        self.n_explored += result.n_explored
        self.n_cached = max(self.n_cached, result.n_cached)
        self.cache_bytes = max(self.cache_bytes, result.cache_bytes)

    def _shown(self, value: Fraction) -> float:
        """The objective without what every tree costs."""
        return max(round_nearest(value - self.exact.offset), 0.0)

    def _objective_of(self, tree: SplitTree) -> TreeObjective:
        return self.exact.of(self.apply(tree))

    def first(
        self, integer: IntegerObjective, bound: Fraction | None, time_limit: float
    ) -> tuple[str, Fraction]:
        """Search with the integers as they are: the status, and a lower bound for all trees."""
        upper = None if bound is None else integer.upper_bound_of(bound)
        tree, result = self.search(integer, upper, time_limit)
        self._count(result)
        unit = integer.scale / integer.error_penalty
        self.trace = [(at, self._shown(cost * unit)) for at, cost in result.trace]
        if tree:
            self.tree = tree
            self.best = self._objective_of_first(integer, tree, result.objective_value)
            if self.trace:
                self.trace[-1] = (self.trace[-1][0], self._shown(self.best.value))
        return result.status, integer.lower_bound_of(result.lower_bound)

    def _objective_of_first(
        self, integer: IntegerObjective, tree: SplitTree, cost: int
    ) -> TreeObjective:
        if not integer.multiples:
            return self._objective_of(tree)
        n_leaves = tree.n_leaves
        errors = (cost - n_leaves * integer.leaf_penalty) // integer.error_penalty
        value = errors * integer.scale + n_leaves * self.exact.leaf
        return TreeObjective(value, n_leaves, np.empty(0, dtype=np.bool_))  # rows are not needed

    def verify(self, status: str, lower: Fraction) -> tuple[str, Fraction]:
        """Verify the best tree, and those that look better, with finer and finer scales."""
        assert self.best is not None
        for total in _totals(self.exact.n_rows):
            for _ in range(_MAX_TREES):
                if lower >= self.best.value:
                    return "optimal", self.best.value
                left = self.deadline.left()
                if status != "optimal" or left <= 0:
                    return ("time_limit" if status == "optimal" else status), lower
                check = _make_verification(self.exact, self.best, total)
                tree, result = self.search(check.integer, check.to_beat - 1, left)
                self._count(result)
                lower = max(lower, self.best.value - check.max_gain(result.lower_bound))
                if result.status not in ("optimal", "infeasible"):
                    status = result.status
                if not tree or not self._accept(tree):
                    break  # this scale proves no more
        if lower >= self.best.value:
            return "optimal", self.best.value
        return ("rounding" if status == "optimal" else status), lower

    def _accept(self, tree: SplitTree) -> bool:
        """Keep a tree if it is better for the weights given."""
        assert self.best is not None
        found = self._objective_of(tree)
        if found.value >= self.best.value:
            return False
        self.tree, self.best = tree, found
        self.trace.append((time.monotonic() - self.start, self._shown(found.value)))
        return True

    def proof(self, status: str, value: Fraction | None, lower: Fraction) -> Proof:
        """The result; without a tree the objective is infinite."""
        nearest = math.inf if value is None else self._shown(value)
        return Proof(
            status=status,
            objective_value=nearest,
            lower_bound=nearest
            if lower == value
            else min(round_down(max(lower - self.exact.offset, Fraction(0))), nearest),
            n_explored=self.n_explored,
            n_cached=self.n_cached,
            cache_bytes=self.cache_bytes,
            seconds=time.monotonic() - self.start,
            trace=tuple(self.trace),
        )


@dataclass(frozen=True)
class _Verification:
    """Weights rounded in favor of all trees but one.

    Rows of tiny weight have weight 1 and all others multiples of `factor`, which is more than all
    of the former together: they must neither vanish nor count.
    """

    integer: IntegerObjective
    factor: int
    objective_value: int  # of the tree, in multiples of the factor
    leaf_gain: Fraction  # the most that fewer leaves may gain if the integer penalty is 0

    @property
    def to_beat(self) -> int:
        return self.factor * self.objective_value

    def max_gain(self, lower_bound: int) -> Fraction:
        """The most that a tree may gain if no integer objective is less than the bound."""
        units = self.objective_value - lower_bound // self.factor
        return max(units, 0) * self.integer.scale + self.leaf_gain


def _totals(n_rows: int) -> list[int]:
    """Sums of all weights in the verifications.

    The first is cheap and mostly sufficient; with the second rounding is less than 1e-10 of the
    total weight; the last is the finest.
    """
    return [min(2**14 * n_rows, 2**29), min(2**36 * n_rows, MAX_TOTAL // 4), MAX_TOTAL // 4]


def _make_verification(exact: ExactObjective, tree: TreeObjective, total: int) -> _Verification:
    numbers = [1] * exact.n_rows if exact.numbers is None else exact.numbers
    # Sums stay within the solvers' integers, also with one leaf for each row.
    scale = max(
        exact.total / total,
        exact.leaf * 4 / MAX_TOTAL,
        exact.leaf * (exact.n_rows + 1) / (8 * MAX_TOTAL),
    )
    wrong = tree.wrong.tolist()
    unit = exact.number_unit
    factor = 1
    if any(n * unit < scale for n, bad in zip(numbers, wrong, strict=True) if not bad):
        factor = exact.n_rows + 1
        scale *= factor
    scale = exact.adjust_scale(scale)
    down = floor_to_scale(numbers, scale / unit)
    up = [-n for n in floor_to_scale([-n for n in numbers], scale / unit)]
    rounded = [u if bad else d for u, d, bad in zip(up, down, wrong, strict=True)]
    leaf = exact.leaf / scale
    penalty = math.floor(leaf)
    integer = IntegerObjective(
        weights=np.array([max(1, number * factor) for number in rounded], dtype=np.int64),
        error_penalty=1,
        leaf_penalty=penalty * factor,
        scale=scale,
        leaf=leaf,
        max_leaves=exact.n_rows,
        n_raised=0,
        exact=False,
        multiples=False,
    )
    errors = sum(number for number, bad in zip(rounded, wrong, strict=True) if bad)
    free = exact.leaf * (tree.n_leaves - 1) if penalty == 0 else Fraction(0)
    return _Verification(integer, factor, errors + penalty * tree.n_leaves, free)
