"""The best tree whose tests are made anew at every node, from the rows that reach it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood._limits import StopFlag, stopped_by
from mixedwood.data import ColumnKind, Table, Target
from mixedwood.optimal.building import Skeleton
from mixedwood.optimal.proven_search import ProvenSearch, SearchLimits
from mixedwood.optimal.whole_weights import WholeProblem
from mixedwood.preprocessing.binary_test import BinaryTest
from mixedwood.preprocessing.cutting import Cutting, cut_table
from mixedwood.preprocessing.encoding import binary_cuts

__all__ = ["RebinarisedSearch", "RebinarisedSettings", "RebinarisedTree", "find_rebinarised_tree"]

_NO_LIMIT = 2**63 - 1
_KINDS = {ColumnKind.NOMINAL: "c", ColumnKind.ORDINAL: "o", ColumnKind.NUMERIC: "n"}


@dataclass(frozen=True)
class RebinarisedSettings:
    """What a tree may look like, and how long to look for it.

    Attributes
    ----------
    cutting : Cutting
        How numbers are cut into ranges.
    encoding : str
        Which sets of ranges or values become tests.
    binarize : {"every_split", "encode_every_split"}
        Whether numbers are cut again at every node, or once; tests are made at every node.
    max_subset_values : int
        With the encoding ``"subsets"``, nominal columns with more values at a node are one-hot.
    max_depth, max_nodes : int or None
        Longest path in tests, and number of tests.
    leaf_cost : int
        Cost of each leaf, in units of weight.
    min_leaf : int
        Rows of the smallest leaf.
    upper_bound : int or None
        Only trees that cost no more are wanted.
    time_limit : float
        Seconds.
    work_limit : int or None
        Steps.
    memory_limit : float
        Bytes for what is remembered of sets of rows. When they are used up the search goes on
        without remembering more.
    """

    cutting: Cutting
    encoding: str = "multi_hot"
    binarize: Literal["every_split", "encode_every_split"] = "every_split"
    max_subset_values: int = 8
    max_depth: int | None = None
    max_nodes: int | None = None
    leaf_cost: int = 0
    min_leaf: int = 1
    upper_bound: int | None = None
    time_limit: float = np.inf
    work_limit: int | None = None
    memory_limit: float = np.inf


@dataclass(frozen=True, eq=False)
class RebinarisedTree:
    """A tree and what is proven about it.

    Attributes
    ----------
    tests : list of BinaryTest or None
        Test of each node, parents before children; None for a leaf. Empty if no tree within the
        upper bound was found.
    yes, no : ndarray of int32
        Children of each node; -1 for a leaf.
    cost : int
        Weight of the rows that are wrong, and the cost of leaves; -1 without a tree.
    lower_bound : int
        No tree costs less.
    status : {"optimal", "no_tree", "time_limit", "work_limit", "interrupted"}
        What ended the search.
    n_explored, n_cached : int
        Sets of rows that were looked at, and that were remembered.
    seconds : float
        How long it took.
    work : int
        And in steps.
    """

    tests: list[BinaryTest | None]
    yes: NDArray[np.int32]
    no: NDArray[np.int32]
    cost: int
    lower_bound: int
    status: str
    n_explored: int
    n_cached: int
    seconds: float
    work: int


def find_rebinarised_tree(
    table: Table,
    target: Target,
    settings: RebinarisedSettings,
    weights: NDArray[np.int64] | None = None,
    stop: StopFlag | None = None,
) -> RebinarisedTree:
    """Find the best tree.

    Parameters
    ----------
    table : Table
        Training rows.
    target : Target
        Their classes; its weights are not looked at.
    settings : RebinarisedSettings
        What is wanted.
    weights : ndarray of int64, optional
        Weight of each row, at least 1. Rules that cut numbers count every row once, whatever it
        weighs.
    stop : StopFlag, optional
        Ends the search from another thread.

    Returns
    -------
    RebinarisedTree
        The tree, with proof or bound.

    Examples
    --------
    Ranges of equal width, made anew on both sides of the first test, tell more apart.

    >>> from mixedwood.data import read_table, read_target
    >>> table = read_table({"x": [1.0, 2.0, 3.0, 4.0, 9.0]})
    >>> target = read_target(["a", "b", "a", "a", "b"])
    >>> settings = RebinarisedSettings(Cutting("equal_width", 2), max_depth=3)
    >>> found = find_rebinarised_tree(table, target, settings)
    >>> found.cost, found.status, [t.words(table.schema) for t in found.tests if t]
    (0, 'optimal', ['x <= 5', 'x <= 2.5', 'x <= 1.5'])
    """
    again = settings.binarize == "every_split"
    schema = table.schema
    settings.cutting.check_names(schema)
    fixed = [np.empty(0)] * len(schema) if again else cut_table(table, target, settings.cutting)
    cuts = [
        at if column.is_numeric and (len(at) or not again) else None
        for column, at in zip(schema, binary_cuts(table, fixed), strict=True)
    ]
    limits = {
        "max_nodes": settings.max_nodes,
        "upper_bound": settings.upper_bound,
        "max_depth": settings.max_depth,
    }
    unlimited = {"max_nodes": _NO_LIMIT, "upper_bound": _NO_LIMIT, "max_depth": 62}
    with stopped_by(stop) as flag:
        found = _core.rebinarised_tree(
            list(table.arrays),
            "".join(_KINDS[column.kind] for column in schema),
            np.array([column.n_categories for column in schema], dtype=np.int32),
            cuts,
            np.array([settings.cutting.bins_of(c.name) for c in schema], dtype=np.int64),
            target.codes,
            weights,
            target.n_classes,
            {
                "rule": settings.cutting.rule,
                "encoding": settings.encoding,
                "max_subset_values": settings.max_subset_values,
                "leaf_cost": settings.leaf_cost,
                "min_leaf": settings.min_leaf,
                "memory_limit": float(settings.memory_limit),
                **{name: unlimited[name] if n is None else n for name, n in limits.items()},
            },
            float(settings.time_limit),
            flag,
            settings.work_limit,
        )
    return _as_tree(found)


def _as_tree(found: dict[str, Any]) -> RebinarisedTree:
    offset, codes = found["value_offset"].tolist(), found["value_code"].tolist()
    tests: list[BinaryTest | None] = []
    for node, column in enumerate(found["column"].tolist()):
        if column < 0:
            tests.append(None)
            continue
        listed = tuple(codes[offset[node] : offset[node + 1]]) or None
        low, high = float(found["low"][node]), float(found["high"][node])
        tests.append(BinaryTest(column, low, high, listed))
    names = ("yes", "no", "cost", "lower_bound", "status", "n_explored", "n_cached", "seconds",
             "work")  # fmt: skip
    return RebinarisedTree(tests, **{name: found[name] for name in names})


class RebinarisedSearch(ProvenSearch):
    """Finds best trees whose tests are made anew at every node."""

    def _search(
        self, problem: WholeProblem, limits: SearchLimits
    ) -> tuple[Skeleton, Mapping[str, Any]]:
        settings = RebinarisedSettings(
            cutting=self.settings.cutting,
            encoding=self.settings.encoding,
            binarize=self.settings.binarize,  # type: ignore[arg-type]
            max_subset_values=self.settings.max_subset_values,
            max_depth=limits.max_depth,
            max_nodes=None if limits.max_nodes < 0 else limits.max_nodes,
            leaf_cost=problem.leaf_cost,
            min_leaf=self.settings.min_samples_leaf,
            upper_bound=limits.upper_bound,
            time_limit=limits.time_limit,
            work_limit=limits.work_limit,
            memory_limit=self.settings.memory_limit,
        )
        weights = problem.scaled_weights(self.target.n_rows)
        found = find_rebinarised_tree(self.table, self.target, settings, weights, limits.stop)
        nodes = zip(found.tests, found.yes.tolist(), found.no.tolist(), strict=True)
        return list(nodes), vars(found)
