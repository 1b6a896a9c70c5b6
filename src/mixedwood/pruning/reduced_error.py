"""Reduced-error pruning (Quinlan 1987): prune by the errors on rows not used for growing."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mixedwood import _core
from mixedwood.data import Table, Target
from mixedwood.pruning.cost_complexity import node_counts
from mixedwood.pruning.losses import losses_at_nodes
from mixedwood.tree import SplitKind, Tree

__all__ = ["reduced_error"]

_EQUAL = 1e-12  # relative to the loss of the root


def reduced_error(
    tree: Tree, table: Table, target: Target, *, inherited: ArrayLike | None = None
) -> Tree:
    """Make a leaf of every node that has no more errors as a leaf than the leaves below it.

    Bottom up, by the errors on rows that were not used to grow the tree, or by their loss if the
    tree predicts numbers. A node that none of these
    rows reaches becomes a leaf. Errors are equal if they differ by at most 1e-12 of the total
    weight. If the tree has costs, errors are the costs of mistakes.

    Parameters
    ----------
    tree : Tree
        The tree to prune; its labels do not change.
    table, target : Table, Target
        Held-out rows, with the tree's schema and classes.
    inherited : array-like of bool, one per node, optional
        Nodes that become leaves only if that has strictly fewer errors. Iterative growing and
        pruning uses this for splits that have survived a pruning; otherwise it might not end.

    Returns
    -------
    Tree
        The pruned tree.

    Examples
    --------
    >>> from mixedwood.data import read_table, read_target
    >>> from mixedwood.tree import TreeBuilder
    >>> table = read_table({"x": [1.0, 2.0, 3.0, 4.0]})
    >>> builder = TreeBuilder(table.schema, ["a", "b"], [6, 4])
    >>> low, high = builder.split_interval(0, "x", [[6, 1], [0, 3]], high=2.5)
    >>> _ = builder.split_interval(low, "x", [[6, 0], [0, 1]], high=1.5)
    >>> tree = builder.build()
    >>> tree.n_leaves, reduced_error(tree, table, read_target(["a", "a", "b", "b"])).n_leaves
    (3, 2)
    """
    if tree.is_numeric:
        return tree.prune_at(_nodes_to_prune(tree, table, target))
    keep = np.zeros(tree.n_nodes, dtype=np.uint8)
    if inherited is not None:
        keep[:] = np.asarray(inherited, dtype=bool)
    counts = node_counts(tree, table, target)
    found = _core.reduced_error(tree.parent, tree.label, counts, keep, tree.cost_matrix)
    return tree.prune_at(np.flatnonzero(found))


def _nodes_to_prune(tree: Tree, table: Table, target: Target) -> NDArray[np.int64]:
    passing, ending = losses_at_nodes(tree, table, target, tree.value[:, 0])
    equal = _EQUAL * passing[0]
    inner = tree.split_kind != SplitKind.LEAF
    below = np.where(inner, ending, 0.0)  # of rows that stop, and of the pruned children
    prune = np.zeros(tree.n_nodes, dtype=bool)
    for node in range(tree.n_nodes - 1, -1, -1):  # children come after their parents
        prune[node] = inner[node] and passing[node] <= below[node] + equal
        if node:
            kept = passing[node] if prune[node] or not inner[node] else below[node]
            below[tree.parent[node]] += kept
    return np.flatnonzero(prune)
