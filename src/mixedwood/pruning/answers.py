"""Where rows end up in a tree: all that pruners ask about rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Table, Target, check_same_length
from mixedwood.tree import Tree

__all__ = ["answered_counts", "check_same_classes"]


def check_same_classes(tree: Tree, target: Target) -> None:
    """Raise ValueError unless tree and target have the same classes."""
    if not np.array_equal(target.classes, tree.classes):
        raise ValueError("the rows have other classes than the tree.")


def answered_counts(tree: Tree, table: Table, target: Target) -> NDArray[np.float64]:
    """Class weights of the rows that each node answers, one row per node.

    A leaf answers, or the inner node where a missing or new value makes a row stop.
    """
    check_same_classes(tree, target)
    check_same_length(table, target)
    places = tree.apply(table) * np.int64(target.n_classes) + target.codes
    counts = np.bincount(places, target.weights, minlength=tree.n_nodes * target.n_classes)
    return counts.astype(np.float64).reshape(tree.n_nodes, target.n_classes)
