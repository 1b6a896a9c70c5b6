"""How much each column of a tree does for its answers."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mixedwood.tree import SplitKind, Tree

__all__ = ["impurity_importance"]


def impurity_importance(
    tree: Tree, impurity: Literal["gini", "entropy"] = "gini"
) -> NDArray[np.float64]:
    """Share of the fall in impurity that the tests on each column bring about.

    Parameters
    ----------
    tree : Tree
        The tree.
    impurity : {"gini", "entropy"}, default="gini"
        What a test lowers.

    Returns
    -------
    ndarray of float64, one per column
        They add up to 1, or are all 0 when no test lowers the impurity. The columns of a linear
        test share its fall by their place in the test, where the most important come first: the
        second gets half of what the first gets, the third a third, and so on. Weights would not
        do, since they depend on the units of the columns.

    Notes
    -----
    Computed on the training rows: a column with many values that only fits noise looks important
    too. `sklearn.inspection.permutation_importance` on rows that were not used does not have this
    fault.

    Examples
    --------
    >>> from mixedwood.data import read_table, read_target
    >>> from mixedwood.growers import grow
    >>> table = read_table({"a": [1, 2, 3, 4], "b": ["x", "x", "x", "x"]})
    >>> impurity_importance(grow(table, read_target([0, 0, 1, 1]))).tolist()
    [1.0, 0.0]
    """
    shares = tree.probabilities
    if impurity == "gini":
        of_node = 1 - (shares**2).sum(axis=1)
    elif impurity == "entropy":
        of_node = -(shares * np.log2(np.where(shares > 0, shares, 1))).sum(axis=1)
    else:
        raise ValueError(f"impurity must be 'gini' or 'entropy'; got {impurity!r}.")
    weighted = tree.weighted_n_node_samples * of_node
    below = np.zeros(tree.n_nodes)
    np.add.at(below, tree.parent[1:], weighted[1:])
    fall = np.where(tree.split_kind == SplitKind.LEAF, 0.0, np.maximum(weighted - below, 0.0))
    importance = np.zeros(len(tree.schema))
    single = tree.column >= 0
    np.add.at(importance, tree.column[single], fall[single])
    for node in np.flatnonzero(tree.split_kind == SplitKind.LINEAR):
        terms = tree.terms_of(int(node))
        weighed = terms.column[terms.weight != 0]
        columns = list(dict.fromkeys(weighed.tolist()))  # in order, each once
        shares_of_fall = 1.0 / np.arange(1, len(columns) + 1)
        importance[columns] += fall[node] * shares_of_fall / shares_of_fall.sum()
    total = importance.sum()
    return importance / total if total > 0 else importance
