"""Impurity-based importance of columns."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mixedwood.tree import SplitKind, Tree
from mixedwood.tree.tree import LOSS

__all__ = ["impurity_importance"]


def impurity_importance(
    tree: Tree, impurity: Literal["gini", "entropy"] = "gini"
) -> NDArray[np.float64]:
    """Fraction of the impurity decrease, or loss decrease, due to splits on each column.

    Parameters
    ----------
    tree : Tree
        The tree.
    impurity : {"gini", "entropy"}, default="gini"
        The impurity. Not used for a tree that predicts numbers, which has a loss.

    Returns
    -------
    ndarray of float64, one per column
        They add up to 1, or are all 0 if no split decreases the impurity. The decrease of a linear
        split is divided among its columns by their rank in the split, where the most important
        come first: the second gets half of what the first gets, the third a third, and so on.
        Coefficients are not used, since they depend on the units of the columns. The columns of
        another model of a node get equal parts.

    Notes
    -----
    Computed on the training rows, which overrates columns with many distinct values that only fit
    noise. `sklearn.inspection.permutation_importance` on held-out data does not have this bias.

    Examples
    --------
    >>> from mixedwood.data import read_table, read_target
    >>> from mixedwood.grow import grow
    >>> table = read_table({"a": [1, 2, 3, 4], "b": ["x", "x", "x", "x"]})
    >>> impurity_importance(grow(table, read_target([0, 0, 1, 1]))).tolist()
    [1.0, 0.0]
    """
    if tree.is_numeric:
        weighted = tree.statistics[:, LOSS]
    else:
        weighted = tree.weighted_n_node_samples * _impurities(tree.probabilities, impurity)
    below = np.zeros(tree.n_nodes)
    np.add.at(below, tree.parent[1:], weighted[1:])
    decrease = np.where(tree.split_kind == SplitKind.LEAF, 0.0, np.maximum(weighted - below, 0.0))
    importance = np.zeros(len(tree.schema))
    single = tree.column >= 0
    np.add.at(importance, tree.column[single], decrease[single])
    for node in np.flatnonzero(tree.split_kind == SplitKind.LINEAR):
        columns = list(tree.columns_of_split(int(node)))
        parts = 1.0 / np.arange(1, len(columns) + 1)
        if tree.model_of(int(node)) is not None:
            parts[:] = 1.0  # of a function, nothing says which column matters most
        importance[columns] += decrease[node] * parts / parts.sum()
    total = importance.sum()
    return importance / total if total > 0 else importance


def _impurities(p: NDArray[np.float64], impurity: str) -> NDArray[np.float64]:
    if impurity == "gini":
        return np.asarray(1 - (p**2).sum(axis=1))
    if impurity == "entropy":
        return np.asarray(-(p * np.log2(np.where(p > 0, p, 1))).sum(axis=1))
    raise ValueError(f"impurity must be 'gini' or 'entropy'. Got {impurity!r} instead.")
