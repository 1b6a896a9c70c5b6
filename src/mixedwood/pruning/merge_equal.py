"""Undo splits that change no answer."""

from __future__ import annotations

import numpy as np

from mixedwood.tree import Tree

__all__ = ["merge_equal_leaves"]


def merge_equal_leaves(tree: Tree) -> Tree:
    """Make a leaf of every node below which all labels are the same.

    No class answer changes, for any row: a node takes part only if its own label, which answers
    rows that have to stop there, is that label too. Class shares do change.

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
