"""Hierarchical shrinkage (Agarwal et al. 2022): predictions are shrunk towards the parent's.

The class frequencies of a leaf with few rows are poor estimates. With p for the class frequencies
of a node, N for its rows and s for the result,
s(child) = s(parent) + (p(child) - p(parent)) / (1 + strength / N(parent)).
The splits do not change.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mixedwood.tree import Tree, argmax_with_ties

__all__ = ["shrink", "shrunk_labels", "shrunk_probabilities", "shrunk_values"]


def shrunk_probabilities(tree: Tree, strength: float) -> NDArray[np.float64]:
    """Give the class probabilities of every node after shrinkage; see `shrink`."""
    return np.asarray(np.clip(shrunk_values(tree, strength), 0.0, None))


def shrunk_values(tree: Tree, strength: float) -> NDArray[np.float64]:
    """Give the values of every node after shrinkage: probabilities, or a single number."""
    if not (isinstance(strength, (int, float, np.number)) and 0 <= strength < math.inf):
        raise ValueError(
            f"strength must be a float in the range [0, inf). Got {strength!r} instead."
        )
    own = tree.value
    steps = np.zeros_like(own)
    above = tree.parent[1:]
    with np.errstate(over="ignore"):  # tiny weights: the parent's probabilities
        scale = 1 + strength / np.maximum(tree.weighted_n_node_samples[above], np.finfo(float).tiny)
    steps[1:] = (own[1:] - own[above]) / scale[:, None]
    steps[tree.weighted_n_node_samples == 0] = 0.0  # no rows: the parent's probabilities
    return np.asarray(own[0] + tree.path_sums(steps))


def shrink(tree: Tree, strength: float) -> Tree:
    """Shrink the class probabilities, or numbers, of nodes towards those of the nodes above them.

    Parameters
    ----------
    tree : Tree
        The tree; its splits do not change.
    strength : float
        Strength in rows: below a node with this many rows, the difference of a child is halved.
        0 changes nothing.

    Returns
    -------
    Tree
        The same splits with other class probabilities and, where their maximum differs, labels; or
        with other numbers.

    Examples
    --------
    >>> from mixedwood.data import Column, Schema
    >>> from mixedwood.tree import TreeBuilder
    >>> builder = TreeBuilder(Schema((Column("x", "numeric"),)), ["a", "b"], [8, 2])
    >>> _ = builder.split_interval(0, "x", [[8, 0], [0, 2]], high=1.5)
    >>> shrink(builder.build(), 10).probabilities.round(2).tolist()
    [[0.8, 0.2], [0.9, 0.1], [0.4, 0.6]]
    """
    if strength == 0:
        return tree
    if tree.is_numeric:
        return tree.with_values(shrunk_values(tree, strength)[:, 0])
    probabilities = shrunk_probabilities(tree, strength)
    return replace(
        tree,
        statistics=probabilities * tree.weighted_n_node_samples[:, None],
        label=shrunk_labels(tree, probabilities),
    )


def shrunk_labels(tree: Tree, probabilities: NDArray[np.float64]) -> NDArray[np.int32]:
    """Give the class of least expected cost; the node's own label if it is one of several.

    If every mistake costs 1, it is the most probable class.
    """
    if tree.cost_matrix is not None:
        probabilities = -tree.target.expected_costs(probabilities) / (tree.cost_matrix.max() or 1.0)
    own = probabilities[np.arange(tree.n_nodes), tree.label]
    keep = own >= probabilities.max(axis=1) - 1e-12
    return np.where(keep, tree.label, argmax_with_ties(probabilities))
