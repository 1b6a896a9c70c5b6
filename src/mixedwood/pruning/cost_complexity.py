"""Cost-complexity pruning (Breiman et al. 1984, ch. 3): cut the weakest link, again and again.

The link of an inner node t is as strong as the cost it saves per leaf it spends,
g(t) = (R(t) - R(leaves below t)) / (leaves below t - 1). Cutting at the smallest g first gives
nested trees, each the smallest that minimises R(tree) + alpha * leaves for its alphas.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mixedwood.tree import TestKind, Tree

__all__ = ["CostComplexityPath", "cost_complexity_path"]

_EQUAL = 1e-12  # strengths closer than this, relative to the root's cost, are equal


@dataclass(frozen=True)
class CostComplexityPath:
    """The nested trees of cost-complexity pruning.

    Attributes
    ----------
    full : Tree
        The tree that is pruned.
    alphas : ndarray of float64
        Where the tree changes, ascending from 0: ``tree(alpha)`` is the same for all alpha from
        one entry up to the next.
    n_leaves : ndarray of int64
        Leaves of the tree at each alpha.
    costs : ndarray of float64
        Training cost of the tree at each alpha, per unit of weight.
    cut_at : ndarray of float64
        For each node of `full`, the alpha from which it is a leaf; infinite for its leaves.
    """

    full: Tree
    alphas: NDArray[np.float64]
    n_leaves: NDArray[np.int64]
    costs: NDArray[np.float64]
    cut_at: NDArray[np.float64]

    def tree(self, alpha: float) -> Tree:
        """Return the tree for a price per leaf.

        Examples
        --------
        >>> import mixedwood.pruning, mixedwood.tree_builder as build
        >>> from mixedwood.data import Column, Schema
        >>> builder = build.TreeBuilder(Schema((Column("x", "numeric"),)), ["a", "b"], [6, 4])
        >>> _ = builder.split_interval(0, "x", [[6, 1], [0, 3]], high=2.5)
        >>> path = mixedwood.pruning.cost_complexity_path(builder.build())
        >>> path.alphas.round(6).tolist(), path.tree(0.2).n_leaves, path.tree(0.4).n_leaves
        ([0.0, 0.3], 2, 1)
        """
        if not alpha >= 0:
            raise ValueError(f"alpha is a price per leaf, zero or more; got {alpha!r}.")
        return self.full.cut(np.flatnonzero(self.cut_at <= alpha))


def cost_complexity_path(
    tree: Tree, cost: Literal["error", "impurity"] = "error"
) -> CostComplexityPath:
    """Find the nested trees of cost-complexity pruning.

    Parameters
    ----------
    tree : Tree
        The tree to prune.
    cost : {"error", "impurity"}, default="error"
        Cost of a leaf: the training weight that its label misclassifies, as in CART, or its
        weight times its Gini impurity, as in scikit-learn's ``ccp_alpha``.

    Returns
    -------
    CostComplexityPath
        The alphas where the tree changes, and the trees.
    """
    own = _node_costs(tree, cost)
    below, leaves = own.copy(), np.ones(tree.n_nodes, dtype=np.int64)
    inner = tree.kind != TestKind.LEAF
    for node in range(tree.n_nodes - 1, -1, -1):
        if inner[node]:
            children = tree.children_of(node)
            below[node], leaves[node] = below[children].sum(), leaves[children].sum()

    cut_at = np.full(tree.n_nodes, np.inf)
    alphas, n_leaves, costs = [0.0], [int(leaves[0])], [float(below[0])]
    heap = [(_strength(own, below, leaves, t), t) for t in np.flatnonzero(inner).tolist()]
    heapq.heapify(heap)
    gone = np.zeros(tree.n_nodes, dtype=bool)  # below a cut
    slack = _EQUAL * max(float(own[0]), 1e-300)
    while heap:
        strength, node = heapq.heappop(heap)
        if gone[node] or np.isfinite(cut_at[node]):
            continue
        current = _strength(own, below, leaves, node)
        if current > strength + slack:  # an older entry: links grow stronger as trees shrink
            heapq.heappush(heap, (current, node))
            continue
        # Rounding must not make the sequence fall, nor tear equal links apart.
        alpha = alphas[-1] if current <= alphas[-1] + slack else current
        _cut(tree, node, gone)
        cut_at[node] = alpha
        saved, spent = own[node] - below[node], leaves[node] - 1
        above = node
        while above >= 0:
            below[above] += saved
            leaves[above] -= spent
            above = int(tree.parent[above])
        if alpha > alphas[-1]:
            alphas.append(float(alpha))
            n_leaves.append(0)
            costs.append(0.0)
        n_leaves[-1], costs[-1] = int(leaves[0]), float(below[0])
    return CostComplexityPath(tree, np.array(alphas), np.array(n_leaves), np.array(costs), cut_at)


def _node_costs(tree: Tree, cost: str) -> NDArray[np.float64]:
    total = tree.counts[0].sum()
    if not total > 0:
        raise ValueError("cost-complexity pruning needs a tree whose root has weight.")
    weights = tree.counts.sum(axis=1)
    if cost == "error":
        right = tree.counts[np.arange(tree.n_nodes), tree.label]
        return np.asarray((weights - right) / total)
    if cost == "impurity":
        return np.asarray(weights * (1 - (tree.probabilities**2).sum(axis=1)) / total)
    raise ValueError(f"cost must be 'error' or 'impurity'; got {cost!r}.")


def _strength(
    own: NDArray[np.float64], below: NDArray[np.float64], leaves: NDArray[np.int64], node: int
) -> float:
    if leaves[node] < 2:  # a test that leads to one leaf is worth nothing
        return 0.0
    return max(0.0, float((own[node] - below[node]) / (leaves[node] - 1)))


def _cut(tree: Tree, node: int, gone: NDArray[np.bool_]) -> None:
    waiting = [node]
    while waiting:
        for child in tree.children_of(waiting.pop()):
            if not gone[child]:
                gone[child] = True
                waiting.append(int(child))
