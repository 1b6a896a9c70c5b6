"""The three solvers, each with the same interface.

`BinarySolver` searches over binary features that are made once, `AllSplitsSolver` over every
threshold and every subset of the raw columns, and `PerNodeSolver` over binary features that are
made again at every node, from the rows of the node.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import inf
from typing import Any, ClassVar

import numpy as np

from mixedwood import _core
from mixedwood._limits import StopFlag, stopped_by
from mixedwood.data import Table, Target
from mixedwood.grow import EncodedTable
from mixedwood.optimal.build import (
    SplitTree,
    apply_splits,
    build_tree,
    choose_candidates,
    kinds_of,
)
from mixedwood.optimal.numbers import NumberSolver
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
    "Solver",
    "find_best_tree",
    "make_solver",
]


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
    tree = None if splits is None else build_tree(table, target, splits, settings.unknown)
    return tree, proof, solver.candidates


def make_solver(table: Table, target: Target, settings: OptimalSettings) -> Solver | NumberSolver:
    """Make the solver for some settings."""
    if target.is_numeric:
        return NumberSolver(table, target, settings)
    if settings.binarization is None:
        return AllSplitsSolver(table, target, settings)
    # Windows over the bins that occur at a node are windows over all bins: only subsets of
    # categories that were too many before are new at a node.
    per_node = settings.binarize_at == "node" or (
        settings.binarize_at == "node_encoding"
        and (
            settings.binarization.encoding == "subsets"
            or settings.binarization.min_bins_per_side > 1  # of the bins that occur
        )
    )
    return (PerNodeSolver if per_node else BinarySolver)(table, target, settings)


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
    _copies_rows: ClassVar[bool] = True  # see `ExactObjective`

    def __init__(self, table: Table, target: Target, settings: OptimalSettings) -> None:
        self.table, self.target, self.settings = table, target, settings
        self.work = 0
        self.exact = ExactObjective(
            target,
            settings.ccp_alpha,
            equal_copies=self._copies_rows and settings.min_samples_leaf > 1,
        )
        self.integer = make_integer(
            self.exact,
            settings.max_leaves(target.n_rows),
            max_error_penalty=self._max_error_penalty,
        )
        self._native: _core.OptimalSolver | None = None

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
        end = self.work + work_limit
        limits = _core.SearchLimits()
        limits.max_depth, limits.max_leaf_nodes = max_depth, max_leaf_nodes
        limits.memory_limit = self.settings.memory_limit

        def search(
            integer: IntegerObjective, bound: int | None, seconds: float
        ) -> tuple[SplitTree, _core.SolverResult]:
            limits.upper_bound = bound
            steps = None if end == inf else max(0, int(end - self.work))
            return self.search(integer, limits, seconds, steps, stop)

        return prove(
            search,
            lambda splits: apply_splits(splits, self.table),
            self.exact,
            self.integer,
            upper_bound=upper_bound,
            time_limit=time_limit,
        )

    def search(
        self,
        integer: IntegerObjective,
        limits: _core.SearchLimits,
        time_limit: float = inf,
        work_limit: int | None = None,
        stop: StopFlag | None = None,
    ) -> tuple[SplitTree, _core.SolverResult]:
        """Call the native solver: a tree, and its result in integers."""
        objective = _core.OptimalObjective()
        objective.leaf_penalty = integer.leaf_penalty
        objective.min_samples_leaf = self.settings.min_samples_leaf * self.exact.n_copies
        if integer is not self.integer:
            native = self._make_native(integer, objective)
        else:
            native = self._native = self._native or self._make_native(integer, objective)
        with stopped_by(stop) as flag:
            result = native.solve(limits, time_limit, work_limit, flag)
        self.work += result.work
        return self._read_splits(result.tree), result

    @abstractmethod
    def _make_native(
        self, integer: IntegerObjective, objective: _core.OptimalObjective
    ) -> _core.OptimalSolver:
        """Make the native solver for integer weights."""

    def _read_splits(self, tree: SplitTree) -> SplitTree:
        """Splits of the table's columns."""
        return tree


class BinarySolver(Solver):
    """Searches over binary features; what one call has learned helps the next."""

    _max_error_penalty: ClassVar[int] = 1_000_000  # errors are counted before penalties apply

    def __init__(self, table: Table, target: Target, settings: OptimalSettings) -> None:
        super().__init__(table, target, settings)
        assert settings.binarization is not None
        self._matrix, self._offered = settings.binarization.fit(table, target)
        if self.exact.rows is not None:
            self._matrix = self._matrix[self.exact.rows]
        self.candidates = self._offered

    def _make_native(
        self, integer: IntegerObjective, objective: _core.OptimalObjective
    ) -> _core.OptimalSolver:
        objective.error_penalty = integer.error_penalty
        return _core.binary_solver(
            self._matrix,
            self.exact.classes,
            integer.weights,
            self.target.n_classes,
            objective,
        )

    def _read_splits(self, tree: SplitTree) -> SplitTree:
        return choose_candidates(tree, self._offered)


class AllSplitsSolver(Solver):
    """Searches over all thresholds of numbers and all subsets of categories."""

    def __init__(self, table: Table, target: Target, settings: OptimalSettings) -> None:
        super().__init__(table, target, settings)
        rows = self.exact.rows
        self._coded = EncodedTable(table if rows is None else table.take(rows))

    def _make_native(
        self, integer: IntegerObjective, objective: _core.OptimalObjective
    ) -> _core.OptimalSolver:
        return _core.all_splits_solver(
            self._coded.native,
            self.exact.classes,
            integer.scaled_weights(self.exact.n_rows),
            self.target.n_classes,
            objective,
        )


class PerNodeSolver(Solver):
    """Searches over binary features that are made again at every node."""

    _copies_rows: ClassVar[bool] = False  # the features of a node depend on its rows

    def __init__(self, table: Table, target: Target, settings: OptimalSettings) -> None:
        super().__init__(table, target, settings)
        assert settings.binarization is not None
        self._binarization, schema = settings.binarization, table.schema
        settings.binarization.discretization.check_names(schema)
        discretization = settings.binarization.discretization.tuned(table, target)
        self._discretization = discretization
        rebin = settings.binarize_at == "node"
        found = [np.empty(0)] * len(schema)
        self._root_thresholds: list[Any] = [None] * len(schema)
        if not rebin:
            found = find_thresholds(table, target, discretization)
        elif settings.min_samples_binarize > 1 or settings.max_depth_binarize is not None:
            self._root_thresholds = list(find_thresholds(table, target, discretization))
        self._thresholds = [
            at if column.is_numeric and (len(at) or not rebin) else None
            for column, at in zip(schema, split_two_valued_columns(table, found), strict=True)
        ]

    def _make_native(
        self, integer: IntegerObjective, objective: _core.OptimalObjective
    ) -> _core.OptimalSolver:
        # Discretization counts every row once, whatever its weight.
        schema, discretization = self.table.schema, self._discretization
        binarizer = _core.BinarizerSettings()
        binarizer.rule = discretization.rule
        binarizer.encoding = self._binarization.encoding
        binarizer.max_subset_values = self._binarization.max_subset_values
        binarizer.min_bins_per_side = self._binarization.min_bins_per_side
        binarizer.min_samples_binarize = self.settings.min_samples_binarize
        binarizer.max_depth_binarize = self.settings.max_depth_binarize
        weights, class_weights = integer.scaled_weights(self.exact.n_rows), None
        if self.exact.rows is not None:
            class_weights = np.zeros((self.target.n_rows, self.target.n_classes), dtype=np.int64)
            copies = np.ones(self.exact.n_rows, dtype=np.int64) if weights is None else weights
            np.add.at(class_weights, (self.exact.rows, self.exact.classes), copies)
            weights = None
        n_bins = [discretization.n_bins_of(column.name) for column in schema]
        return _core.per_node_solver(
            list(self.table.arrays),
            kinds_of(self.table),
            np.array([column.n_categories for column in schema], dtype=np.int32),
            self._thresholds,
            self._root_thresholds,
            np.array(n_bins, dtype=np.int64),
            self.target.codes,
            weights,
            self.target.n_classes,
            objective,
            binarizer,
            class_weights,
        )
