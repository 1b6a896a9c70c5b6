"""The solver over binary columns."""

from __future__ import annotations

from math import inf
from typing import Any

from mixedwood import _core
from mixedwood.data import Table, Target
from mixedwood.growers import StopFlag, stopped_by
from mixedwood.optimal.building import Skeleton
from mixedwood.optimal.proof import Proof, read_proof
from mixedwood.optimal.settings import NO_TIME_LIMIT, OptimalSettings, whole_bound
from mixedwood.optimal.whole_weights import make_whole
from mixedwood.preprocessing import BinaryTest
from mixedwood.preprocessing.encoding import binarise

__all__ = ["BinarySearch"]


class BinarySearch:
    """A solver over the binary columns of a table; what one call has learnt helps the next."""

    def __init__(self, table: Table, target: Target, settings: OptimalSettings) -> None:
        self.whole = make_whole(target, settings.leaf_cost)
        self.settings = settings
        matrix, tests = binarise(
            table,
            target,
            cutting=settings.cutting,
            encoding=settings.encoding,
            max_subset_values=settings.max_subset_values,
        )
        self.tests: list[BinaryTest] | None = tests
        self._offered = tests
        self._solver = _core.OptimalSolver(
            matrix,
            target.codes,
            self.whole.weights,
            target.n_classes,
            self.whole.leaf_cost,
            settings.min_samples_leaf,
            error_cost=self.whole.error_cost,
        )

    def solve(
        self,
        max_depth: int,
        max_nodes: int,
        upper_bound: float = inf,
        time_limit: float = inf,
        stop: StopFlag | None = None,
    ) -> tuple[Skeleton, Proof]:
        """Find the best tree of a budget; the skeleton is empty if there is none."""
        with stopped_by(stop) as flag:
            answer = self._solver.solve(
                max_depth,
                max_nodes,
                whole_bound(upper_bound, self.whole.unit),
                min(time_limit, NO_TIME_LIMIT),
                self.settings.memory_limit,
                flag,
            )
        return self._skeleton(answer), read_proof(answer, self.whole.unit)

    def _skeleton(self, answer: dict[str, Any]) -> Skeleton:
        nodes = zip(answer["test"].tolist(), answer["yes"].tolist(), answer["no"].tolist(),
                    strict=True)  # fmt: skip
        return [(None if test < 0 else self._offered[test], yes, no) for test, yes, no in nodes]
