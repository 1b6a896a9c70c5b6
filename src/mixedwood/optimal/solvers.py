"""The three solvers, each with the same interface.

`BinarySolver` searches over binary features that are made once, `AllSplitsSolver` over every
threshold and every subset of the raw columns, and `PerNodeSolver` over binary features that are
made again at every node, from the rows of the node.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

import numpy as np

from mixedwood import _core
from mixedwood._limits import StopFlag, stopped_by
from mixedwood.data import ColumnKind, Table, Target
from mixedwood.grow import EncodedTable
from mixedwood.optimal.build import SplitTree, apply_splits, build_tree
from mixedwood.optimal.problem import (
    ExactObjective,
    IntegerObjective,
    OptimalSettings,
    drop_zero_weights,
    make_integer,
)
from mixedwood.optimal.proof import Proof, prove
from mixedwood.preprocessing import BinarySplit
from mixedwood.preprocessing.binarizer import split_two_valued_columns
from mixedwood.preprocessing.discretizers import find_thresholds
from mixedwood.tree import Tree

__all__ = [
    "AllSplitsSolver",
    "BinarySolver",
    "PerNodeSolver",
    "SearchLimits",
    "Solver",
    "find_best_tree",
    "make_solver",
]

_NO_LIMIT = 2**62
_MAX_SECONDS = 1e18
_MAX_DEPTH = 62
_KINDS = {ColumnKind.NOMINAL: "c", ColumnKind.ORDINAL: "o", ColumnKind.NUMERIC: "n"}


def find_best_tree(
    table: Table,
    target: Target,
    settings: OptimalSettings,
    *,
    time_limit: float = inf,
    work_done: int = 0,
    stop: StopFlag | None = None,
) -> tuple[Tree | None, Proof, list[BinarySplit] | None]:
    """Find the best tree, or None if there is none within the upper bound.

    `work_done` are steps of earlier searches that count towards the limit. The third result are the
    candidate splits; None if they are not the same at all nodes.
    """
    table, target = drop_zero_weights(table, target)
    solver = make_solver(table, target, settings)
    splits, proof = solver.solve(
        settings.max_depth,
        settings.max_leaf_nodes,
        settings.upper_bound,
        time_limit,
        settings.work_limit - work_done,
        stop,
    )
    tree = build_tree(table, target, splits, settings.unknown) if splits else None
    return tree, proof, solver.candidates


def make_solver(table: Table, target: Target, settings: OptimalSettings) -> Solver:
    """Make the solver for some settings."""
    if settings.binarization is None:
        return AllSplitsSolver(table, target, settings)
    # Windows over the bins that occur at a node are windows over all bins: only subsets of
    # categories that were too many before are new at a node.
    per_node = settings.binarize_at == "node" or (
        settings.binarize_at == "node_encoding" and settings.binarization.encoding == "subsets"
    )
    return (PerNodeSolver if per_node else BinarySolver)(table, target, settings)


@dataclass(frozen=True)
class SearchLimits:
    """Limits of one call of a solver; None for no limit."""

    max_depth: int = _MAX_DEPTH
    max_leaf_nodes: int | None = None
    upper_bound: int | None = None
    time_limit: float = inf
    work_limit: int | None = None
    stop: StopFlag | None = None

    @property
    def max_splits(self) -> int | None:
        """A binary tree has one split less than leaves."""
        return None if self.max_leaf_nodes is None else self.max_leaf_nodes - 1


class Solver(ABC):
    """Finds best trees of one table, for any limits.

    Attributes
    ----------
    candidates : list of BinarySplit or None
        The candidate splits, if they are the same at all nodes.
    work : int
        Steps of all searches so far.
    """

    candidates: list[BinarySplit] | None = None
    _max_error_penalty: ClassVar[int] = 0  # see `make_integer`

    def __init__(self, table: Table, target: Target, settings: OptimalSettings) -> None:
        self.table, self.target, self.settings = table, target, settings
        self.work = 0
        self.exact = ExactObjective(target, settings.ccp_alpha)
        self.integer = make_integer(
            self.exact,
            settings.max_leaves(target.n_rows),
            max_error_penalty=self._max_error_penalty,
        )

    def solve(
        self,
        max_depth: int,
        max_leaf_nodes: int | None,
        upper_bound: float = inf,
        time_limit: float = inf,
        work_limit: float = inf,
        stop: StopFlag | None = None,
    ) -> tuple[SplitTree, Proof]:
        """Find the best tree within limits; it is empty if there is none."""
        end = self.work + work_limit

        def search(
            integer: IntegerObjective, bound: int | None, seconds: float
        ) -> tuple[SplitTree, Mapping[str, Any]]:
            steps = None if end == inf else max(0, int(end - self.work))
            limits = SearchLimits(max_depth, max_leaf_nodes, bound, seconds, steps, stop)
            splits, result = self.search(integer, limits)
            self.work += result["work"]
            return splits, result

        return prove(
            search,
            lambda splits: apply_splits(splits, self.table),
            self.exact,
            self.integer,
            upper_bound=upper_bound,
            time_limit=time_limit,
        )

    @abstractmethod
    def search(
        self, integer: IntegerObjective, limits: SearchLimits
    ) -> tuple[SplitTree, Mapping[str, Any]]:
        """Call the native solver: a tree, and its result in integers."""


class BinarySolver(Solver):
    """Searches over binary features; what one call has learned helps the next."""

    _max_error_penalty: ClassVar[int] = 1_000_000  # errors are counted before penalties apply

    def __init__(self, table: Table, target: Target, settings: OptimalSettings) -> None:
        super().__init__(table, target, settings)
        assert settings.binarization is not None
        self._matrix, self._offered = settings.binarization.fit(table, target)
        self.candidates = self._offered
        self._native = self._make_native(self.integer)

    def _make_native(self, integer: IntegerObjective) -> _core.OptimalSolver:
        return _core.OptimalSolver(
            self._matrix,
            self.target.codes,
            integer.weights,
            self.target.n_classes,
            integer.leaf_penalty,
            self.settings.min_samples_leaf,
            error_cost=integer.error_penalty,
        )

    def search(
        self, integer: IntegerObjective, limits: SearchLimits
    ) -> tuple[SplitTree, Mapping[str, Any]]:
        """Call the native solver."""
        native = self._native if integer is self.integer else self._make_native(integer)
        max_splits = limits.max_splits
        with stopped_by(limits.stop) as flag:
            result = native.solve(
                limits.max_depth,
                -1 if max_splits is None else max_splits,
                limits.upper_bound,
                min(limits.time_limit, _MAX_SECONDS),
                self.settings.memory_limit,
                flag,
                limits.work_limit,
            )
        nodes = zip(result["test"].tolist(), result["yes"].tolist(), result["no"].tolist(),
                    strict=True)  # fmt: skip
        offered = self._offered
        return [(None if at < 0 else offered[at], yes, no) for at, yes, no in nodes], result


class AllSplitsSolver(Solver):
    """Searches over all thresholds of numbers and all subsets of categories."""

    def __init__(self, table: Table, target: Target, settings: OptimalSettings) -> None:
        super().__init__(table, target, settings)
        self._coded = EncodedTable(table)

    def search(
        self, integer: IntegerObjective, limits: SearchLimits
    ) -> tuple[SplitTree, Mapping[str, Any]]:
        """Call the native solver."""
        max_splits, upper = limits.max_splits, limits.upper_bound
        settings = {
            "max_depth": limits.max_depth,
            "max_nodes": _NO_LIMIT if max_splits is None else max_splits,
            "leaf_cost": integer.leaf_penalty,
            "min_leaf": self.settings.min_samples_leaf,
            "upper_bound": _NO_LIMIT if upper is None else upper,
            "memory_limit": self.settings.memory_limit,
        }
        with stopped_by(limits.stop) as flag:
            result = _core.optimal_all(
                self._coded.native,
                self.target.codes,
                integer.scaled_weights(self.target.n_rows),
                self.target.n_classes,
                settings,
                min(limits.time_limit, _MAX_SECONDS),
                flag,
                limits.work_limit,
            )
        columns = enumerate(self.table.schema)
        nominal = {place for place, column in columns if column.kind == ColumnKind.NOMINAL}
        return _split_tree(result, nominal), result


class PerNodeSolver(Solver):
    """Searches over binary features that are made again at every node."""

    def __init__(self, table: Table, target: Target, settings: OptimalSettings) -> None:
        super().__init__(table, target, settings)
        assert settings.binarization is not None
        self._binarization, schema = settings.binarization, table.schema
        discretization = settings.binarization.discretization
        discretization.check_names(schema)
        rebin = settings.binarize_at == "node"
        found = [np.empty(0)] * len(schema)
        if not rebin:
            found = find_thresholds(table, target, discretization)
        self._thresholds = [
            at if column.is_numeric and (len(at) or not rebin) else None
            for column, at in zip(schema, split_two_valued_columns(table, found), strict=True)
        ]

    def search(
        self, integer: IntegerObjective, limits: SearchLimits
    ) -> tuple[SplitTree, Mapping[str, Any]]:
        """Call the native solver. Discretization counts every row once, whatever its weight."""
        schema, discretization = self.table.schema, self._binarization.discretization
        max_splits, upper = limits.max_splits, limits.upper_bound
        settings = {
            "rule": discretization.rule,
            "encoding": self._binarization.encoding,
            "max_subset_values": self._binarization.max_subset_values,
            "max_depth": limits.max_depth,
            "max_nodes": _NO_LIMIT if max_splits is None else max_splits,
            "leaf_cost": integer.leaf_penalty,
            "min_leaf": self.settings.min_samples_leaf,
            "upper_bound": _NO_LIMIT if upper is None else upper,
            "memory_limit": float(self.settings.memory_limit),
        }
        n_bins = [discretization.n_bins_of(column.name) for column in schema]
        with stopped_by(limits.stop) as flag:
            result = _core.rebinarised_tree(
                list(self.table.arrays),
                "".join(_KINDS[column.kind] for column in schema),
                np.array([column.n_categories for column in schema], dtype=np.int32),
                self._thresholds,
                np.array(n_bins, dtype=np.int64),
                self.target.codes,
                integer.scaled_weights(self.target.n_rows),
                self.target.n_classes,
                settings,
                float(limits.time_limit),
                flag,
                limits.work_limit,
            )
        return _split_tree(result), result


def _split_tree(result: Mapping[str, Any], nominal: Collection[int] = ()) -> SplitTree:
    """Read the arrays of a result; splits of `nominal` columns are sets, also empty ones."""
    offset, codes = result["value_offset"].tolist(), result["value_code"].tolist()
    splits: list[BinarySplit | None] = [None] * len(result["column"])
    for node, column in enumerate(result["column"].tolist()):
        if column < 0:
            continue
        listed = tuple(codes[offset[node] : offset[node + 1]])
        splits[node] = BinarySplit(
            column,
            float(result["low"][node]),
            float(result["high"][node]),
            listed if listed or column in nominal else None,
            bool(result["missing_yes"][node]),
        )
    return list(zip(splits, result["yes"].tolist(), result["no"].tolist(), strict=True))
