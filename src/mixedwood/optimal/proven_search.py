"""What all solvers share: a table with its weights, and proofs for any budget."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

from mixedwood._limits import StopFlag
from mixedwood.data import Table, Target
from mixedwood.optimal.building import Skeleton, answers_of
from mixedwood.optimal.given_costs import GivenCosts
from mixedwood.optimal.proof import Proof
from mixedwood.optimal.proving import prove
from mixedwood.optimal.settings import OptimalSettings
from mixedwood.optimal.whole_weights import WholeProblem, make_whole
from mixedwood.preprocessing import BinaryTest

__all__ = ["ProvenSearch", "SearchLimits"]


@dataclass(frozen=True)
class SearchLimits:
    """What one call of a solver may do; no `upper_bound`, in whole numbers, is None.

    Nor is a limit of work, which is counted in steps of the solver.
    """

    max_depth: int
    max_nodes: int
    upper_bound: int | None
    time_limit: float
    work_limit: int | None
    stop: StopFlag | None


class ProvenSearch(ABC):
    """Finds best trees of one table, for any budget.

    Attributes
    ----------
    tests : list of BinaryTest or None
        Those that are offered, if they are the same everywhere.
    work : int
        Steps that all searches have taken so far.
    """

    tests: list[BinaryTest] | None = None
    _finest_error: ClassVar[int] = 0  # see `make_whole`

    def __init__(self, table: Table, target: Target, settings: OptimalSettings) -> None:
        self.table, self.target, self.settings = table, target, settings
        self.work = 0
        self.costs = GivenCosts(target, settings.leaf_cost)
        self.problem = make_whole(
            self.costs, settings.most_leaves(target.n_rows), finest_error=self._finest_error
        )

    def solve(
        self,
        max_depth: int,
        max_nodes: int,
        upper_bound: float = inf,
        time_limit: float = inf,
        work_limit: float = inf,
        stop: StopFlag | None = None,
    ) -> tuple[Skeleton, Proof]:
        """Find the best tree of a budget; the skeleton is empty if there is none."""
        end = self.work + work_limit

        def ask(
            problem: WholeProblem, bound: int | None, seconds: float
        ) -> tuple[Skeleton, Mapping[str, Any]]:
            steps = None if end == inf else max(0, int(end - self.work))
            limits = SearchLimits(max_depth, max_nodes, bound, seconds, steps, stop)
            skeleton, answer = self._search(problem, limits)
            self.work += answer["work"]
            return skeleton, answer

        return prove(
            ask,
            lambda skeleton: answers_of(skeleton, self.table),
            self.costs,
            self.problem,
            upper_bound=upper_bound,
            time_limit=time_limit,
        )

    @abstractmethod
    def _search(
        self, problem: WholeProblem, limits: SearchLimits
    ) -> tuple[Skeleton, Mapping[str, Any]]:
        """Ask the solver: a tree, and what it says of it in whole numbers."""
