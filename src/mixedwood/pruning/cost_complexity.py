"""Cost-complexity pruning (Breiman et al. 1984, ch. 3): cut the weakest link, again and again.

The link of an inner node t is as strong as the cost it saves per leaf it spends,
g(t) = (R(t) - R(leaves below t)) / (leaves below t - 1). Cutting at the smallest g first gives
nested trees, each the smallest that minimises R(tree) + alpha * leaves for its alphas.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mixedwood import _core
from mixedwood import _kinds as kinds
from mixedwood.data import Table, Target, check_same_length
from mixedwood.pruning.answers import answered_counts, check_same_classes
from mixedwood.pruning.shrinkage import shrink, shrunk_labels, shrunk_shares
from mixedwood.tree import Tree

__all__ = ["CostComplexityPath", "cost_complexity_path", "path_errors"]


@dataclass(frozen=True)
class CostComplexityPath:
    """The nested trees of cost-complexity pruning.

    Attributes
    ----------
    full : Tree
        The tree that is pruned.
    ccp_alphas : ndarray of float64
        Where the tree changes, ascending from 0: ``tree(alpha)`` is the same for all alpha from
        one entry up to the next.
    n_leaves : ndarray of int64
        Leaves of the tree at each alpha.
    risks : ndarray of float64
        Training risk of the tree at each alpha, per unit of weight.
    cut_at : ndarray of float64
        For each node of `full`, the alpha from which it is a leaf. Infinite for the leaves of
        `full`, and for nodes that never are one because a node above them is cut no later.
    """

    full: Tree
    ccp_alphas: NDArray[np.float64]
    n_leaves: NDArray[np.int64]
    risks: NDArray[np.float64]
    cut_at: NDArray[np.float64]

    _fitted: ClassVar[kinds.Fitted] = {
        "full": kinds.instance(Tree),
        "ccp_alphas": kinds.array(np.float64, 1, kinds.NONNEGATIVE),
        "n_leaves": kinds.array(np.int64, 1, kinds.AT_LEAST_ONE),
        "risks": kinds.array(np.float64, 1, kinds.FINITE),
        "cut_at": kinds.array(np.float64, 1, kinds.NOT_NEGATIVE),
    }

    def _check_fitted(self) -> None:
        if not len(self.ccp_alphas) == len(self.n_leaves) == len(self.risks):
            raise ValueError("the arrays of the pruning path differ in length")
        if (np.diff(self.ccp_alphas) < 0).any() or (np.diff(self.n_leaves) > 0).any():
            raise ValueError("the pruning path does not go from large trees to small ones")
        if len(self.cut_at) != self.full.n_nodes:
            raise ValueError("cut_at of the pruning path has not one number for each node")

    def tree(self, alpha: float) -> Tree:
        """Return the tree for a price per leaf.

        Examples
        --------
        >>> import mixedwood.pruning, mixedwood.tree as build
        >>> from mixedwood.data import Column, Schema
        >>> builder = build.TreeBuilder(Schema((Column("x", "numeric"),)), ["a", "b"], [6, 4])
        >>> _ = builder.split_interval(0, "x", [[6, 1], [0, 3]], high=2.5)
        >>> path = mixedwood.pruning.cost_complexity_path(builder.build())
        >>> path.ccp_alphas.round(6).tolist(), path.tree(0.2).n_leaves, path.tree(0.4).n_leaves
        ([0.0, 0.3], 2, 1)
        """
        if not alpha >= 0:
            raise ValueError(f"alpha is a price per leaf, zero or more; got {alpha!r}.")
        return self.full.prune_at(np.flatnonzero(self.cut_at <= alpha))


def cost_complexity_path(
    tree: Tree, cost: Literal["error", "impurity"] = "error"
) -> CostComplexityPath:
    """Find the nested trees of cost-complexity pruning.

    Takes time n log n for n nodes, whatever the tree's shape. Alphas that differ by no more than
    1e-12 of the root's cost are one.

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

    See Also
    --------
    cross_validated_alpha : Chooses one of the trees.

    Examples
    --------
    >>> from mixedwood.data import Column, Schema
    >>> from mixedwood.tree import TreeBuilder
    >>> builder = TreeBuilder(Schema((Column("x", "numeric"),)), ["a", "b"], [6, 4])
    >>> _ = builder.split_interval(0, "x", [[6, 1], [0, 3]], high=2.5)
    >>> path = cost_complexity_path(builder.build())
    >>> path.n_leaves.tolist(), path.risks.tolist()
    ([2, 1], [0.1, 0.4])
    """
    total = float(tree.statistics[0].sum())
    if not 0 < total < np.inf:
        raise ValueError(
            "cost-complexity pruning needs a tree whose root has weight, and not infinite."
        )
    # Costs stay whole numbers for rows that weigh 1, and the path exact; the weight comes last.
    alphas, n_leaves, costs, cut_at = _core.cost_complexity(tree.parent, _node_costs(tree, cost))
    return CostComplexityPath(tree, alphas / total, n_leaves, costs / total, cut_at / total)


def path_errors(
    path: CostComplexityPath,
    table: Table,
    target: Target,
    alphas: ArrayLike | None = None,
    strengths: Sequence[float] | None = None,
) -> NDArray[np.float64]:
    """Count the errors on some rows of every tree of a path at once.

    Rows go once through the full tree; where they end up says what every smaller tree answers.
    A tree that shares rows out among children has to predict anew for each alpha.

    Parameters
    ----------
    path : CostComplexityPath
        The trees.
    table, target : Table, Target
        The rows, with the tree's schema and classes.
    alphas : array-like of float, optional
        Prices per leaf, ascending; infinite is allowed. By default those of the path.
    strengths : sequence of float, optional
        Strengths of shrinkage (`shrink`) of the trees; the result then has one row for each.

    Returns
    -------
    ndarray of float64
        For each alpha, the weight of the rows that ``path.tree(alpha)`` misclassifies.

    Examples
    --------
    >>> from mixedwood.data import read_table, read_target
    >>> from mixedwood.tree import TreeBuilder
    >>> table, target = read_table({"x": [1.0, 2.0, 3.0]}), read_target(["a", "b", "b"])
    >>> builder = TreeBuilder(table.schema, ["a", "b"], [6, 4])
    >>> _ = builder.split_interval(0, "x", [[6, 1], [0, 3]], high=2.5)
    >>> path = cost_complexity_path(builder.build())
    >>> path_errors(path, table, target).tolist()
    [1.0, 2.0]
    """
    tree = path.full
    prices = np.ascontiguousarray(path.ccp_alphas if alphas is None else alphas, dtype=np.float64)
    if prices.ndim != 1 or not (prices >= 0).all() or not (prices[1:] >= prices[:-1]).all():
        raise ValueError("alphas are prices per leaf, zero or more, in ascending order.")
    if strengths is None:
        return np.asarray(path_errors(path, table, target, prices, (0.0,))[0])
    if tree.is_fractional:
        return np.array([_errors_one_by_one(path, table, target, prices, s) for s in strengths])
    counts = answered_counts(tree, table, target)
    # The shares of a node depend on the nodes above it, so pruning does not change them.
    labels = [
        tree.label if s == 0 else shrunk_labels(tree, shrunk_shares(tree, s)) for s in strengths
    ]
    return np.array(
        [_core.path_errors(tree.parent, label, counts, path.cut_at, prices) for label in labels]
    )


def _errors_one_by_one(
    path: CostComplexityPath,
    table: Table,
    target: Target,
    prices: NDArray[np.float64],
    strength: float,
) -> NDArray[np.float64]:
    """Errors of trees that share rows out: a row has no single way through the tree."""
    check_same_classes(path.full, target)
    check_same_length(table, target)
    weights = np.ones(target.n_rows) if target.weights is None else target.weights
    truth = target.classes[target.codes]
    steps = np.searchsorted(path.ccp_alphas, prices, side="right") - 1  # equal steps, equal trees
    errors = np.empty(len(prices))
    for step in np.unique(steps):
        wrong = shrink(path.tree(path.ccp_alphas[step]), strength).predict(table) != truth
        errors[steps == step] = weights[wrong].sum()
    return errors


def _node_costs(tree: Tree, cost: str) -> NDArray[np.float64]:
    if cost == "error":
        wrong = np.array(tree.statistics)
        wrong[np.arange(tree.n_nodes), tree.label] = 0.0
        return np.asarray(wrong.sum(axis=1))
    if cost == "impurity":
        weights = tree.statistics.sum(axis=1)
        return np.asarray(weights * np.maximum(1 - (tree.probabilities**2).sum(axis=1), 0.0))
    raise ValueError(f"cost must be 'error' or 'impurity'; got {cost!r}.")
