"""Steps and class weights of trees that were grown without them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Target
from mixedwood.tree import Tree

__all__ = ["newton_steps", "relabelled"]

Numbers = NDArray[np.float64]
Rows = NDArray[np.int32]


def newton_steps(
    tree: Tree, node: Rows, gradients: Numbers, hessians: Numbers, l2: float
) -> Numbers:
    """The step of every node: of the rows that it answers, and of those below it."""
    curvature = _sums(tree, node, hessians) + l2
    return np.asarray(-_sums(tree, node, gradients) / np.where(curvature > 0, curvature, 1.0))


def relabelled(tree: Tree, target: Target, node: Rows, rows: Rows) -> Tree:
    """The tree with the weights of all classes in place of one class and the rest."""
    weights = np.ones(len(rows)) if target.weights is None else target.weights[rows]
    of_class = np.zeros((len(rows), target.n_classes))
    of_class[np.arange(len(rows)), target.codes[rows]] = weights
    counts = _sums(tree, node[rows], of_class)
    label = np.argmax(counts, axis=1)
    return replace(tree, classes=target.classes, statistics=counts, label=label)


def _sums(tree: Tree, node: Rows, values: Numbers) -> Numbers:
    """Add up rows of values by the node that answers them, and nodes below nodes."""
    found = np.zeros((tree.n_nodes, values.shape[1]))
    np.add.at(found, node, values)
    for child in range(tree.n_nodes - 1, 0, -1):
        found[tree.parent[child]] += found[child]
    return found
