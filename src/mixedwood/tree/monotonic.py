"""Numbers of nodes that a monotonic constraint allows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mixedwood.tree.tree import SplitKind, Tree

__all__ = ["in_order"]


def in_order(
    tree: Tree, values: NDArray[np.float64], signs: NDArray[np.int8]
) -> NDArray[np.float64]:
    """Move numbers of nodes as little as needed, from the root down, to meet constraints.

    The two children of a threshold on a constrained column are put in order, and the middle between
    them bounds all nodes below. So no row on one side receives less than one on the other, whether
    it ends in a leaf or is stopped above by an unknown category.

    Parameters
    ----------
    tree : Tree
        The tree.
    values : ndarray of shape (n_nodes,)
        Numbers of the nodes.
    signs : ndarray of shape (n_columns,)
        1 if the numbers must not fall while a column rises, -1 if they must not rise, else 0.

    Examples
    --------
    >>> from mixedwood.data import Column, Schema
    >>> from mixedwood.tree import TreeBuilder
    >>> builder = TreeBuilder(Schema((Column("x", "numeric"),)), ["a", "b"], [8, 2])
    >>> _ = builder.split_interval(0, "x", [[8, 0], [0, 2]], high=1.5)
    >>> in_order(builder.build(), np.array([0.0, 3.0, 1.0]), np.array([1], np.int8)).tolist()
    [0.0, 2.0, 2.0]
    """
    found = np.array(values, dtype=np.float64)
    lower, upper = np.full(tree.n_nodes, -np.inf), np.full(tree.n_nodes, np.inf)
    for node in np.flatnonzero(tree.split_kind != SplitKind.LEAF):
        children = tree.children_of(int(node))
        lower[children], upper[children] = lower[node], upper[node]
        found[children] = np.clip(found[children], lower[node], upper[node])
        threshold = tree.split_kind[node] == SplitKind.INTERVAL and np.isfinite(tree.high[node])
        if not threshold or signs[tree.column[node]] == 0:
            continue
        low, high = children if signs[tree.column[node]] > 0 else children[::-1]
        middle = found[low] / 2 + found[high] / 2
        if found[low] > found[high]:
            found[low] = found[high] = middle
        upper[low] = lower[high] = middle
    return found
