"""The solver over every threshold and every group of values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mixedwood import _core
from mixedwood._limits import stopped_by
from mixedwood.data import Table, Target
from mixedwood.growers import CodedTable
from mixedwood.optimal.building import Skeleton
from mixedwood.optimal.proven_search import ProvenSearch, SearchLimits
from mixedwood.optimal.settings import NO_TIME_LIMIT, OptimalSettings
from mixedwood.optimal.whole_weights import WholeProblem
from mixedwood.preprocessing import BinaryTest

__all__ = ["AllSplitsSearch"]

_NO_LIMIT = 2**62


class AllSplitsSearch(ProvenSearch):
    """Finds best trees over all thresholds of numbers and all groups of values."""

    def __init__(self, table: Table, target: Target, settings: OptimalSettings) -> None:
        super().__init__(table, target, settings)
        self.coded = CodedTable(table)

    def _search(
        self, problem: WholeProblem, limits: SearchLimits
    ) -> tuple[Skeleton, Mapping[str, Any]]:
        settings = {
            "max_depth": limits.max_depth,
            "max_nodes": _NO_LIMIT if limits.max_nodes < 0 else limits.max_nodes,
            "leaf_cost": problem.leaf_cost,
            "min_leaf": self.settings.min_samples_leaf,
            "upper_bound": _NO_LIMIT if limits.upper_bound is None else limits.upper_bound,
            "memory_limit": self.settings.memory_limit,
        }
        with stopped_by(limits.stop) as flag:
            found = _core.optimal_all(
                self.coded.native,
                self.target.codes,
                problem.scaled_weights(self.target.n_rows),
                self.target.n_classes,
                settings,
                min(limits.time_limit, NO_TIME_LIMIT),
                flag,
                limits.work_limit,
            )
        offset, codes = found["value_offset"].tolist(), found["value_code"].tolist()
        tests: list[BinaryTest | None] = [None] * len(found["column"])
        for node, column in enumerate(found["column"].tolist()):
            if column >= 0:
                nominal = self.coded.table.schema.columns[column].kind == "nominal"
                tests[node] = BinaryTest(
                    column,
                    float(found["low"][node]),
                    float(found["high"][node]),
                    tuple(codes[offset[node] : offset[node + 1]]) if nominal else None,
                    bool(found["missing_yes"][node]),
                )
        nodes = zip(tests, found["yes"].tolist(), found["no"].tolist(), strict=True)
        return list(nodes), found
