"""The solver over binary columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from mixedwood import _core
from mixedwood._limits import stopped_by
from mixedwood.data import Table, Target
from mixedwood.optimal.building import Skeleton
from mixedwood.optimal.proven_search import ProvenSearch, SearchLimits
from mixedwood.optimal.settings import NO_TIME_LIMIT, OptimalSettings
from mixedwood.optimal.whole_weights import WholeProblem
from mixedwood.preprocessing import BinaryTest
from mixedwood.preprocessing.encoding import binarise

__all__ = ["BinarySearch"]


class BinarySearch(ProvenSearch):
    """A solver over the binary columns of a table; what one call has learnt helps the next."""

    _finest_error: ClassVar[int] = 1_000_000  # errors are counted before they are priced

    def __init__(self, table: Table, target: Target, settings: OptimalSettings) -> None:
        super().__init__(table, target, settings)
        self._matrix, self._offered = binarise(
            table,
            target,
            cutting=settings.cutting,
            encoding=settings.encoding,
            max_subset_values=settings.max_subset_values,
        )
        self.tests: list[BinaryTest] | None = self._offered
        self._solver = self._make_solver(self.problem)

    def _make_solver(self, problem: WholeProblem) -> _core.OptimalSolver:
        return _core.OptimalSolver(
            self._matrix,
            self.target.codes,
            problem.weights,
            self.target.n_classes,
            problem.leaf_cost,
            self.settings.min_samples_leaf,
            error_cost=problem.error_cost,
        )

    def _search(
        self, problem: WholeProblem, limits: SearchLimits
    ) -> tuple[Skeleton, Mapping[str, Any]]:
        solver = self._solver if problem is self.problem else self._make_solver(problem)
        with stopped_by(limits.stop) as flag:
            answer = solver.solve(
                limits.max_depth,
                limits.max_nodes,
                limits.upper_bound,
                min(limits.time_limit, NO_TIME_LIMIT),
                self.settings.memory_limit,
                flag,
                limits.work_limit,
            )
        nodes = zip(answer["test"].tolist(), answer["yes"].tolist(), answer["no"].tolist(),
                    strict=True)  # fmt: skip
        offered = self._offered
        return [(None if at < 0 else offered[at], yes, no) for at, yes, no in nodes], answer
