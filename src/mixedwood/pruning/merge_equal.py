"""Undo splits that change no answer."""

from __future__ import annotations

import numpy as np

from mixedwood.tree import TestKind, Tree

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
    """
    same = np.ones(tree.n_nodes, dtype=bool)  # one label in the whole subtree
    for node in range(tree.n_nodes - 1, -1, -1):
        if tree.kind[node] != TestKind.LEAF:
            children = tree.children_of(node)
            labels_agree = (tree.label[children] == tree.label[node]).all()
            same[node] = bool(same[children].all() and labels_agree)
    return tree.cut(np.flatnonzero(same & (tree.kind != TestKind.LEAF)))
