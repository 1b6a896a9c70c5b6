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

    A leaf answers, or the inner node where a missing or new value makes a row stop. A row that a
    test shares out among its children counts in each by its part.
    """
    check_same_classes(tree, target)
    check_same_length(table, target)
    return tree.answered(table, target.codes, target.weights)
