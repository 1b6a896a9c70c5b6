"""Collapsing (as in C4.5): undo splits that do not even pay on the training rows."""

from __future__ import annotations

import numpy as np

from mixedwood.tree import SplitKind, Tree

__all__ = ["collapse"]

_AS_GOOD = 1e-3  # a subtree must save more training errors than this


def collapse(tree: Tree) -> Tree:
    """Make a leaf of every node whose subtree saves no training error.

    Top down: a node becomes a leaf when the leaves below it make no fewer training errors than
    the node itself would, to within 0.001; otherwise its children are asked. C4.5 does this
    before any other pruning, and even when asked not to prune. Training errors are what the
    tree's own class weights say: the weight of a leaf without its commonest class.

    Parameters
    ----------
    tree : Tree
        The tree to simplify.

    Returns
    -------
    Tree
        The smaller tree. On the training rows it makes as many errors as `tree`, within 0.001
        for each new leaf.

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
    own = tree.statistics.sum(axis=1) - tree.statistics.max(axis=1)
    inner = tree.split_kind != SplitKind.LEAF
    # Children come after their parents. Lists: forests do this for every tree.
    below, parent = np.where(inner, 0.0, own).tolist(), tree.parent.tolist()
    for node in range(tree.n_nodes - 1, 0, -1):
        below[parent[node]] += below[node]
    # Every node that fails is cut; below a cut nothing is left, so that top down is kept to.
    return tree.prune_at(np.flatnonzero(inner & (np.array(below) >= own - _AS_GOOD)))
