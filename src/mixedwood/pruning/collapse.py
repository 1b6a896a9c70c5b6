"""Undo splits that do not lower the training error (as C4.5 does), or change no prediction."""

from __future__ import annotations

import numpy as np

from mixedwood.tree import SplitKind, Tree

__all__ = ["collapse", "merge_equal_leaves"]

_TOLERANCE = 1e-3  # a subtree must avoid more training errors than this


def collapse(tree: Tree) -> Tree:
    """Make a leaf of every node whose subtree makes no fewer training errors.

    Top down: a node becomes a leaf if the leaves below it make no fewer training errors than the
    node itself as a leaf, within 0.001. C4.5 does this before any other pruning, and also to trees
    that are not pruned. Training errors are taken from the class weights of the tree: the weight of
    a leaf without its most frequent class, or their costs if the tree has costs.

    Parameters
    ----------
    tree : Tree
        The tree to simplify.

    Returns
    -------
    Tree
        The smaller tree. It makes as many training errors as `tree`, within 0.001 for each new
        leaf.

    Examples
    --------
    >>> from mixedwood.data import Column, Schema
    >>> from mixedwood.tree import TreeBuilder
    >>> builder = TreeBuilder(Schema((Column("x", "numeric"),)), ["no", "yes"], [6, 4])
    >>> left, right = builder.split_interval(0, "x", [[6, 1], [0, 3]], high=2.5)
    >>> _ = builder.split_interval(left, "x", [[5, 0], [1, 1]], high=1.5)  # still one error
    >>> tree = builder.build()
    >>> tree.n_leaves, collapse(tree).n_leaves
    (3, 2)
    """
    own, tolerance = tree.statistics.sum(axis=1) - tree.statistics.max(axis=1), _TOLERANCE
    if tree.cost_matrix is not None:
        own, tolerance = tree.node_costs, _TOLERANCE * float(tree.cost_matrix.max())
    inner = tree.split_kind != SplitKind.LEAF
    # Children come after their parents. Lists are faster here, and forests do this for every tree.
    below, parent = np.where(inner, 0.0, own).tolist(), tree.parent.tolist()
    for node in range(tree.n_nodes - 1, 0, -1):
        below[parent[node]] += below[node]
    # Nodes below another pruned node go with it, so the order is top down.
    return tree.prune_at(np.flatnonzero(inner & (np.array(below) >= own - tolerance)))


def merge_equal_leaves(tree: Tree) -> Tree:
    """Make a leaf of every node below which all labels are the same.

    The predicted class of no row changes: the node itself must have the same label, since rows with
    unknown categories may stop there. Class probabilities do change.

    Parameters
    ----------
    tree : Tree
        The tree to simplify.

    Returns
    -------
    Tree
        The smaller tree.

    Examples
    --------
    >>> from mixedwood.data import Column, Schema
    >>> from mixedwood.tree import TreeBuilder
    >>> builder = TreeBuilder(Schema((Column("x", "numeric"),)), ["a", "b"], [6, 4])
    >>> _ = builder.split_interval(0, "x", [[5, 1], [4, 3]], high=2.5)
    >>> merge_equal_leaves(builder.build()).n_leaves
    1
    """
    differs = tree.label != tree.label[tree.parent]  # from the node above
    differs[0] = False
    mixed = np.zeros(tree.n_nodes, dtype=bool)
    mixed[tree.parent[differs]] = True  # several labels among the node and its children
    return tree.prune_at(np.flatnonzero(~tree.at_or_above(mixed)))
