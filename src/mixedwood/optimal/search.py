"""One door to the solvers: a table in, a tree and what is proven of it out."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood.data import Table, Target
from mixedwood.optimal.building import Skeleton, build_tree
from mixedwood.optimal.proof import Proof, read_proof
from mixedwood.optimal.whole_weights import WholeWeights, make_whole
from mixedwood.preprocessing import BinaryTest
from mixedwood.preprocessing.cutting import Cutting
from mixedwood.preprocessing.encoding import binarise
from mixedwood.tree import Tree

__all__ = ["BinarySearch", "OptimalSettings", "find_best_tree"]

_NO_TIME_LIMIT = 1e18


@dataclass(frozen=True)
class OptimalSettings:
    """What tree is sought, and among which tests. Checked by who makes it.

    Attributes
    ----------
    max_depth : int
        Most tests in a row.
    max_nodes : int
        Most tests in all; -1 for as many as the depth has room for.
    min_samples_leaf : int
        Fewest rows of a leaf.
    leaf_cost : float
        Of each leaf, as a share of all weight.
    splits : {"binary", "all"}
        Among binary columns, or all thresholds and all groups of values.
    cutting, encoding, max_subset_values, binarize
        How binary columns are made.
    upper_bound : float
        Only trees of this cost or less are wanted.
    memory_limit : int
        Bytes that may be remembered.
    unseen : str
        What a tree does with values it has never met.
    """

    max_depth: int
    max_nodes: int
    min_samples_leaf: int
    leaf_cost: float
    splits: str
    cutting: Cutting
    encoding: str
    max_subset_values: int
    binarize: str
    upper_bound: float
    memory_limit: int
    unseen: str


def find_best_tree(
    table: Table, target: Target, settings: OptimalSettings, *, time_limit: float = inf
) -> tuple[Tree | None, Proof, list[BinaryTest]]:
    """Find the best tree, or none if there is none within the upper bound.

    The third of the results are the tests that were offered; none if all were.
    """
    rows = np.flatnonzero(target.weights > 0) if target.weights is not None else None
    if rows is not None and len(rows) < target.n_rows:  # rows of weight 0 do not count, nor cut
        table, target = table.take(rows), target.take(rows)
    search = BinarySearch(table, target, settings)
    skeleton, proof = search.solve(
        settings.max_depth, settings.max_nodes, settings.upper_bound, time_limit
    )
    tree = build_tree(table, target, skeleton, settings.unseen) if skeleton else None
    return tree, proof, search.tests


class BinarySearch:
    """A solver over the binary columns of a table; what one call has learnt helps the next."""

    def __init__(self, table: Table, target: Target, settings: OptimalSettings) -> None:
        self.whole: WholeWeights = make_whole(target, settings.leaf_cost)
        self.settings = settings
        matrix, self.tests, _ = binarise(
            table,
            target,
            cutting=settings.cutting,
            encoding=settings.encoding,
            max_subset_values=settings.max_subset_values,
        )
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
        self, max_depth: int, max_nodes: int, upper_bound: float = inf, time_limit: float = inf
    ) -> tuple[Skeleton, Proof]:
        """Find the best tree of a budget; the skeleton is empty if there is none."""
        answer = self._solver.solve(
            max_depth,
            max_nodes,
            whole_bound(upper_bound, self.whole.unit),
            min(time_limit, _NO_TIME_LIMIT),
            self.settings.memory_limit,
        )
        return self._skeleton(answer), read_proof(answer, self.whole.unit)

    def _skeleton(self, answer: dict[str, Any]) -> Skeleton:
        nodes = zip(answer["test"].tolist(), answer["yes"].tolist(), answer["no"].tolist(),
                    strict=True)  # fmt: skip
        return [(None if test < 0 else self.tests[test], yes, no) for test, yes, no in nodes]


def whole_bound(upper_bound: float, unit: float) -> int | None:
    """The largest cost, in units, that is not above a bound; None if all are."""
    units = upper_bound / unit
    return None if units >= 2**60 else int(np.floor(units * (1 + 1e-12) + 1e-9))


def answers_of(skeleton: Skeleton, table: Table) -> NDArray[np.intp]:
    """The leaf that each row of a table comes to."""
    node = np.zeros(table.n_rows, dtype=np.intp)
    for at, (test, yes, no) in enumerate(skeleton):  # parents come first
        if test is None:
            continue
        here = np.flatnonzero(node == at)
        node[here] = np.where(test.answer(table.take(here)), yes, no)
    return node
