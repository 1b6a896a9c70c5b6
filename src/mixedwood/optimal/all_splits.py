"""The solver over every threshold and every group of values."""

from __future__ import annotations

from math import inf

from mixedwood import _core
from mixedwood.data import Table, Target
from mixedwood.growers import CodedTable, StopFlag, stopped_by
from mixedwood.optimal.building import Skeleton
from mixedwood.optimal.proof import Proof, read_proof
from mixedwood.optimal.settings import NO_TIME_LIMIT, OptimalSettings, whole_bound
from mixedwood.optimal.whole_weights import make_whole
from mixedwood.preprocessing import BinaryTest

__all__ = ["AllSplitsSearch"]

_NO_LIMIT = 2**62


class AllSplitsSearch:
    """Finds best trees over all thresholds of numbers and all groups of values."""

    tests: list[BinaryTest] | None = None

    def __init__(self, table: Table, target: Target, settings: OptimalSettings) -> None:
        self.coded, self.target, self.settings = CodedTable(table), target, settings
        self.whole = make_whole(target, settings.leaf_cost)

    def solve(
        self,
        max_depth: int,
        max_nodes: int,
        upper_bound: float = inf,
        time_limit: float = inf,
        stop: StopFlag | None = None,
    ) -> tuple[Skeleton, Proof]:
        """Find the best tree of a budget; the skeleton is empty if there is none."""
        bound = whole_bound(upper_bound, self.whole.unit)
        settings = {
            "max_depth": max_depth,
            "max_nodes": _NO_LIMIT if max_nodes < 0 else max_nodes,
            "leaf_cost": self.whole.leaf_cost,
            "min_leaf": self.settings.min_samples_leaf,
            "upper_bound": _NO_LIMIT if bound is None else bound,
            "memory_limit": self.settings.memory_limit,
        }
        with stopped_by(stop) as flag:
            found = _core.optimal_all(
                self.coded.native,
                self.target.codes,
                self.whole.scaled_weights(self.target.n_rows),
                self.target.n_classes,
                settings,
                min(time_limit, NO_TIME_LIMIT),
                flag,
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
        return list(nodes), read_proof(found, self.whole.unit)
