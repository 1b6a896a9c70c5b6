"""One door to the solvers: a table in, a tree and what is proven of it out."""

from __future__ import annotations

from math import inf

import numpy as np

from mixedwood._limits import StopFlag
from mixedwood.data import Table, Target
from mixedwood.optimal.all_splits import AllSplitsSearch
from mixedwood.optimal.binary import BinarySearch
from mixedwood.optimal.building import build_tree
from mixedwood.optimal.proof import Proof
from mixedwood.optimal.proven_search import ProvenSearch
from mixedwood.optimal.rebinarised import RebinarisedSearch
from mixedwood.optimal.settings import OptimalSettings
from mixedwood.preprocessing import BinaryTest
from mixedwood.tree import Tree

__all__ = ["find_best_tree", "make_search"]


def make_search(table: Table, target: Target, settings: OptimalSettings) -> ProvenSearch:
    """Choose the solver that the settings ask for."""
    if settings.splits == "all":
        return AllSplitsSearch(table, target, settings)
    # Windows over the ranges that occur at a node are windows over all ranges: only subsets of
    # values that were too many before are new at a node.
    again = settings.binarize == "every_split" or (
        settings.binarize == "encode_every_split" and settings.encoding == "subsets"
    )
    return (RebinarisedSearch if again else BinarySearch)(table, target, settings)


def find_best_tree(
    table: Table,
    target: Target,
    settings: OptimalSettings,
    *,
    time_limit: float = inf,
    work_done: int = 0,
    stop: StopFlag | None = None,
) -> tuple[Tree | None, Proof, list[BinaryTest] | None]:
    """Find the best tree, or none if there is none within the upper bound.

    Work that was done before, while a budget was chosen, counts towards the limit of it.
    The third of the results are the tests that were offered; None if not the same everywhere.
    """
    table, target = without_weightless(table, target)
    search = make_search(table, target, settings)
    skeleton, proof = search.solve(
        settings.max_depth,
        settings.max_nodes,
        settings.upper_bound,
        time_limit,
        settings.work_limit - work_done,
        stop,
    )
    tree = build_tree(table, target, skeleton, settings.unseen) if skeleton else None
    return tree, proof, search.tests


def without_weightless(table: Table, target: Target) -> tuple[Table, Target]:
    """Leave out rows of weight 0, which do not count and do not cut."""
    if target.weights is None or target.weights.all():
        return table, target
    rows = np.flatnonzero(target.weights)
    return table.take(rows), target.take(rows)
