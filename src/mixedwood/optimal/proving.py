"""From searches among whole numbers to a proof for the weights that were given.

Where the whole numbers order trees as the weights do, one search is the proof. Otherwise a tree
that is best for rounded weights is put to the test: rows that it gets wrong are rounded up, the
others down, so that every other tree looks better against it than it is. If none looks better even
so, none is better. What is left to be saved where one does is a bound, and finer units make it
small.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood._limits import Deadline
from mixedwood.optimal.building import Skeleton
from mixedwood.optimal.given_costs import GivenCosts, TreeCost, round_down, round_off
from mixedwood.optimal.proof import Proof
from mixedwood.optimal.whole_weights import MOST, WholeProblem, whole_numbers

__all__ = ["prove"]

_MOST_TREES = 20  # that are put to the test with one unit
_OVER = Fraction(1, 2**50)  # by so much a tree may miss an upper bound: the rounding of floats

Ask = Callable[[WholeProblem, int | None, float], tuple[Skeleton, Mapping[str, Any]]]
"""Search the best tree of a problem, within an upper bound and so many seconds."""
Place = Callable[[Skeleton], NDArray[np.intp]]
"""The leaf that each row comes to."""


def prove(
    ask: Ask,
    place: Place,
    costs: GivenCosts,
    problem: WholeProblem,
    *,
    upper_bound: float = math.inf,
    time_limit: float = math.inf,
) -> tuple[Skeleton, Proof]:
    """Find the best tree by the weights given; the skeleton is empty if there is none.

    Parameters
    ----------
    ask, place : callable
        The solver, and how its trees divide the rows.
    costs : GivenCosts
        Weights as given.
    problem : WholeProblem
        The same as whole numbers, for the first search.
    upper_bound : float, optional
        Only trees of this cost or less are wanted.
    time_limit : float, optional
        Seconds.
    """
    wanted = None if upper_bound == math.inf else Fraction(upper_bound) * (1 + _OVER)
    search = _Search(ask, place, costs, Deadline.after(time_limit))
    status, lower = search.first(problem, wanted, time_limit)
    if search.best is None:  # no tree within the bound
        if status == "no_tree" and wanted is not None:
            lower = max(lower, Fraction(upper_bound))
        return [], search.proof(status, None, lower)
    if not problem.exact and status != "interrupted":
        status, lower = search.test_trees(status, lower)
    cost = search.best.cost
    if status == "optimal":
        lower = cost
    if wanted is not None and cost > wanted:
        return [], search.proof("no_tree" if lower > wanted else status, None, lower)
    return search.skeleton, search.proof(status, cost, lower)


class _Search:
    """The best tree so far, and what the searches for it took."""

    def __init__(self, ask: Ask, place: Place, costs: GivenCosts, deadline: Deadline) -> None:
        self.ask, self.place, self.costs, self.deadline = ask, place, costs, deadline
        self.start = time.monotonic()
        self.skeleton: Skeleton = []
        self.best: TreeCost | None = None
        self.trace: list[tuple[float, float]] = []
        self.n_explored = self.n_cached = self.cache_bytes = 0

    def _count(self, answer: Mapping[str, Any]) -> None:
        self.n_explored += answer["n_explored"]
        self.n_cached = max(self.n_cached, answer["n_cached"])
        self.cache_bytes = max(self.cache_bytes, answer.get("cache_bytes", 0))

    def _cost(self, skeleton: Skeleton) -> TreeCost:
        return self.costs.of(self.place(skeleton))

    def first(
        self, problem: WholeProblem, wanted: Fraction | None, time_limit: float
    ) -> tuple[str, Fraction]:
        """Search with the whole numbers as they are: how it ended, and a bound for all trees."""
        bound = None if wanted is None else problem.here(wanted)
        skeleton, answer = self.ask(problem, bound, time_limit)
        self._count(answer)
        unit = problem.unit / problem.error_cost
        self.trace = [(at, round_off(cost * unit)) for at, cost in answer.get("trace", ())]
        if skeleton:
            self.skeleton = skeleton
            self.best = self._cost_of_first(problem, skeleton, answer["cost"])
            if self.trace:
                self.trace[-1] = (self.trace[-1][0], round_off(self.best.cost))
        return answer["status"], problem.given(answer["lower_bound"])

    def _cost_of_first(self, problem: WholeProblem, skeleton: Skeleton, cost: int) -> TreeCost:
        if not problem.multiples:
            return self._cost(skeleton)
        n_leaves = sum(test is None for test, _, _ in skeleton)
        errors = (cost - n_leaves * problem.leaf_cost) // problem.error_cost
        exact = errors * problem.unit + n_leaves * self.costs.leaf
        return TreeCost(exact, n_leaves, np.empty(0, dtype=np.bool_))  # nobody asks which rows

    def test_trees(self, status: str, lower: Fraction) -> tuple[str, Fraction]:
        """Put the best tree to the test, and those that pass for better, with finer units."""
        assert self.best is not None
        for most in _resolutions(self.costs.n_rows):
            for _ in range(_MOST_TREES):
                if lower >= self.best.cost:
                    return "optimal", self.best.cost
                left = self.deadline.left()
                if status != "optimal" or left <= 0:
                    return ("time_limit" if status == "optimal" else status), lower
                test = _make_test(self.costs, self.best, most)
                skeleton, answer = self.ask(test.problem, test.to_beat - 1, left)
                self._count(answer)
                lower = max(lower, self.best.cost - test.savings(answer["lower_bound"]))
                if answer["status"] not in ("optimal", "no_tree"):
                    status = answer["status"]
                if not skeleton or not self._take(skeleton):
                    break  # this unit can tell no more
        if lower >= self.best.cost:
            return "optimal", self.best.cost
        return ("rounding" if status == "optimal" else status), lower

    def _take(self, skeleton: Skeleton) -> bool:
        """Keep a tree if it is better by the weights given."""
        assert self.best is not None
        found = self._cost(skeleton)
        if found.cost >= self.best.cost:
            return False
        self.skeleton, self.best = skeleton, found
        self.trace.append((time.monotonic() - self.start, round_off(found.cost)))
        return True

    def proof(self, status: str, cost: Fraction | None, lower: Fraction) -> Proof:
        """What is known in the end; the cost of no tree is infinite."""
        end = math.inf if cost is None else round_off(cost)
        return Proof(
            status=status,
            cost=end,
            lower_bound=end if lower == cost else min(round_down(lower), end),
            n_explored=self.n_explored,
            n_cached=self.n_cached,
            cache_bytes=self.cache_bytes,
            seconds=time.monotonic() - self.start,
            trace=tuple(self.trace),
        )


@dataclass(frozen=True)
class _Test:
    """Weights rounded in favor of all trees but one.

    Rows that weigh next to nothing stand with 1 and all others with multiples of `factor`, which
    is more than all of the former together: they must not vanish, nor count.
    """

    problem: WholeProblem
    factor: int
    standing: int  # what the tree costs, in multiples of the factor
    leaf_savings: Fraction  # what fewer leaves may save where they are free

    @property
    def to_beat(self) -> int:
        return self.factor * self.standing

    def savings(self, lower_bound: int) -> Fraction:
        """The most that a tree may save if none costs less than the bound here."""
        units = self.standing - lower_bound // self.factor
        return max(units, 0) * self.problem.unit + self.leaf_savings


def _resolutions(n_rows: int) -> list[int]:
    """What weights add up to in the tests.

    The first is cheap and mostly enough; with the second rounding is less than 1e-10 of all weight;
    the last is the finest.
    """
    return [min(2**14 * n_rows, 2**29), min(2**36 * n_rows, MOST // 4), MOST // 4]


def _make_test(costs: GivenCosts, tree: TreeCost, most: int) -> _Test:
    numbers = [1] * costs.n_rows if costs.numbers is None else costs.numbers
    # Sums stay within the solvers' numbers, also with one leaf for each row.
    unit = costs.total / most
    unit = max(unit, costs.leaf * 4 / MOST, costs.leaf * (costs.n_rows + 1) / (8 * MOST))
    wrong = tree.wrong.tolist()
    factor = 1
    if any(n * costs.number_unit < unit for n, bad in zip(numbers, wrong, strict=True) if not bad):
        factor = costs.n_rows + 1
        unit *= factor
    unit = costs.fit_unit(unit)
    in_numbers = unit / costs.number_unit
    down = whole_numbers(numbers, in_numbers)
    up = [-n for n in whole_numbers([-n for n in numbers], in_numbers)]
    whole = [u if bad else d for u, d, bad in zip(up, down, wrong, strict=True)]
    leaf = costs.leaf / unit
    price = math.floor(leaf)
    problem = WholeProblem(
        weights=np.array([max(1, number * factor) for number in whole], dtype=np.int64),
        error_cost=1,
        leaf_cost=price * factor,
        unit=unit,
        leaf=leaf,
        most_leaves=costs.n_rows,
        n_raised=0,
        exact=False,
        multiples=False,
    )
    errors = sum(number for number, bad in zip(whole, wrong, strict=True) if bad)
    free = costs.leaf * (tree.n_leaves - 1) if price == 0 else Fraction(0)
    return _Test(problem, factor, errors + price * tree.n_leaves, free)
