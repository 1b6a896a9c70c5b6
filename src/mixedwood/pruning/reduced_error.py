"""Reduced-error pruning (Quinlan 1987): cut where rows that the tree has not seen say so."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mixedwood.data import Table, Target
from mixedwood.tree import TestKind, Tree

__all__ = ["reduced_error"]


def reduced_error(
    tree: Tree, table: Table, target: Target, *, inherited: ArrayLike | None = None
) -> Tree:
    """Make a leaf of every node that does no worse, as a leaf, than the leaves below it.

    Bottom-up, by the errors of rows that were not used to grow the tree. A node that none of
    them reaches has no errors either way and becomes a leaf.

    Parameters
    ----------
    tree : Tree
        The tree to prune; its labels stay as they are.
    table, target : Table, Target
        The rows that decide, with the tree's schema and classes.
    inherited : array-like of bool, one per node, optional
        Nodes that become leaves only if that is strictly better. Growing and pruning in turns
        ends only when splits that have survived a pruning are treated so.

    Returns
    -------
    Tree
        The pruned tree.
    """
    if not np.array_equal(target.classes, tree.classes):
        raise ValueError("the rows have other classes than the tree.")
    keep = np.zeros(tree.n_nodes, dtype=bool)
    if inherited is not None:
        keep[:] = np.asarray(inherited, dtype=bool)
    stops, own = _errors(tree, table, target)
    below = own.copy()  # of the pruned tree below each node
    cut = []
    for node in range(tree.n_nodes - 1, -1, -1):
        if tree.kind[node] == TestKind.LEAF:
            continue
        subtree = below[tree.children_of(node)].sum() + stops[node]
        if own[node] < subtree or (own[node] == subtree and not keep[node]):
            cut.append(node)
        else:
            below[node] = subtree
    return tree.cut(cut)


def _errors(
    tree: Tree, table: Table, target: Target
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Errors of each node: on the rows that it answers, and on all rows that come by.

    An inner node answers rows that have to stop there, because their value is missing or new.
    """
    weights = np.ones(target.n_rows) if target.weights is None else target.weights
    nodes = tree.apply(table)
    codes = target.codes
    coming_by = np.zeros(tree.n_nodes)
    answered = None
    while nodes.size:  # one step towards the root at a time, all rows together
        wrong = weights * (tree.label[nodes] != codes)
        errors = np.zeros(tree.n_nodes)
        np.add.at(errors, nodes, wrong)
        answered = errors if answered is None else answered
        coming_by += errors
        nodes = tree.parent[nodes]
        going_on = nodes >= 0
        nodes, weights, codes = nodes[going_on], weights[going_on], codes[going_on]
    return np.zeros(tree.n_nodes) if answered is None else answered, coming_by
