"""Hierarchical shrinkage (Agarwal et al. 2022): leaves lean on the nodes above them.

A leaf of few rows is a poor guess of its class shares. Each step down the tree changes the shares
by what the child's rows say, but less so when the parent has few rows: with p for a node's own
shares, N for its rows and s for the result,
s(child) = s(parent) + (p(child) - p(parent)) / (1 + strength / N(parent)).
No test changes, so the tree is as readable as before; its answers are steadier.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mixedwood.tree import Tree

__all__ = ["shrink", "shrunk_shares"]


def shrunk_shares(tree: Tree, strength: float) -> NDArray[np.float64]:
    """Class shares of every node after shrinkage; see `shrink`."""
    if not (isinstance(strength, (int, float, np.number)) and 0 <= strength < math.inf):
        raise ValueError(f"strength must be a number of rows, zero or more; got {strength!r}.")
    own = tree.probabilities
    # A step counts less the fewer rows it starts from; steps add up along the path.
    steps = np.zeros_like(own)
    above = tree.parent[1:]
    with np.errstate(over="ignore"):  # hardly any weight: nothing is passed on
        scale = 1 + strength / np.maximum(tree.weighted_n_node_samples[above], np.finfo(float).tiny)
    steps[1:] = (own[1:] - own[above]) / scale[:, None]
    steps[tree.weighted_n_node_samples == 0] = 0.0  # nobody says anything against the parent
    return np.asarray(np.clip(own[0] + tree.path_sums(steps), 0.0, None))


def shrink(tree: Tree, strength: float) -> Tree:
    """Let nodes with few rows lean on the nodes above them.

    Parameters
    ----------
    tree : Tree
        The tree; its tests stay.
    strength : float
        In rows: a node with so many rows passes on half of what its children say. 0 changes
        nothing.

    Returns
    -------
    Tree
        The same tests with other class shares and, where these are clear about it, other labels.

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
    shares = shrunk_shares(tree, strength)
    return replace(
        tree,
        statistics=shares * tree.weighted_n_node_samples[:, None],
        label=shrunk_labels(tree, shares),
    )


def shrunk_labels(tree: Tree, shares: NDArray[np.float64]) -> NDArray[np.int32]:
    """The class with the largest share; the node's own label where it is one of equals."""
    own = shares[np.arange(tree.n_nodes), tree.label]
    keep = own >= shares.max(axis=1) - 1e-12
    return np.where(keep, tree.label, shares.argmax(axis=1)).astype(np.int32)
