"""How much the members of an ensemble differ, and how sure their vote is.

Disagreement of two members is the share of rows that they give different classes. Kappa (Cohen
1960; for ensembles Dietterich 2000) is their agreement beyond what two members with such class
frequencies would have by chance: 1 for members that always agree, 0 for chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mixedwood.tree import Tree

__all__ = ["Diversity", "measure_diversity", "vote_margins"]


@dataclass(frozen=True)
class Diversity:
    """Sizes of the members of an ensemble and how much their answers differ.

    Attributes
    ----------
    n_members : int
        Number of trees.
    disagreement : float
        Share of rows to which two trees give different classes, the mean over all pairs; NaN for
        a single tree.
    kappa : float
        Agreement beyond chance, the mean over all pairs; NaN for a single tree.
    mean_leaves, mean_nodes, mean_depth : float
        Mean size of the trees.
    member_error : float or None
        Mean error of single trees, if the classes were given.
    pairwise_disagreement, pairwise_kappa : ndarray of shape (n_members, n_members)
        The same for each pair.
    """

    n_members: int
    disagreement: float
    kappa: float
    mean_leaves: float
    mean_nodes: float
    mean_depth: float
    member_error: float | None
    pairwise_disagreement: NDArray[np.float64] = field(repr=False, compare=False)
    pairwise_kappa: NDArray[np.float64] = field(repr=False, compare=False)


def measure_diversity(
    trees: Sequence[Tree], answers: NDArray[np.int32], truth: NDArray[np.int32] | None = None
) -> Diversity:
    """Compare the members of an ensemble.

    Parameters
    ----------
    trees : sequence of Tree
        The members.
    answers : ndarray of int32 and shape (n_rows, n_members)
        The class of each row by each member, as `member_classes` gives it.
    truth : ndarray of int32, one per row, optional
        The right classes; -1 for one that the members do not know.

    Returns
    -------
    Diversity
        Means over the members and over pairs of them.

    Examples
    --------
    >>> import numpy as np
    >>> from mixedwood.data import read_table, read_target
    >>> from mixedwood.growers import grow
    >>> tree = grow(read_table({"x": [1, 2]}), read_target(["a", "b"]))
    >>> found = measure_diversity([tree, tree], np.array([[0, 0], [0, 1], [1, 1], [1, 1]]))
    >>> found.disagreement, found.kappa, found.mean_leaves
    (0.25, 0.5, 2.0)
    """
    n_rows, n_members = answers.shape
    agree = np.zeros((n_members, n_members))
    by_chance = np.zeros((n_members, n_members))
    for code in np.unique(answers):
        chosen = (answers == code).astype(np.float64)
        agree += chosen.T @ chosen / n_rows
        often = chosen.mean(axis=0)
        by_chance += np.outer(often, often)
    agree = np.clip(agree, 0.0, 1.0)
    room = 1 - by_chance
    surely = room <= 1e-12  # both always give one and the same class
    kappa = np.where(surely, 1.0, (agree - by_chance) / np.where(surely, 1.0, room))
    pairs = np.triu_indices(n_members, k=1)
    several = n_members > 1
    return Diversity(
        n_members=n_members,
        disagreement=float((1 - agree)[pairs].mean()) if several else np.nan,
        kappa=float(kappa[pairs].mean()) if several else np.nan,
        mean_leaves=float(np.mean([tree.n_leaves for tree in trees])),
        mean_nodes=float(np.mean([tree.n_nodes for tree in trees])),
        mean_depth=float(np.mean([tree.depth for tree in trees])),
        member_error=None if truth is None else float((answers != truth[:, None]).mean()),
        pairwise_disagreement=1 - agree,
        pairwise_kappa=kappa,
    )


def vote_margins(shares: NDArray[np.float64], truth: NDArray[np.int32]) -> NDArray[np.float64]:
    """Share of the right class less the largest share of another (Schapire et al. 1998).

    Parameters
    ----------
    shares : ndarray of shape (n_rows, n_classes)
        Shares of the classes.
    truth : ndarray of int32
        The right class of each row; -1 for a class that has no share.

    Returns
    -------
    ndarray of float64
        From -1, all wrong, to 1, all right.

    Examples
    --------
    >>> import numpy as np
    >>> vote_margins(np.array([[0.75, 0.25, 0.0]] * 3), np.array([0, 1, -1])).tolist()
    [0.5, -0.5, -0.75]
    """
    rows = np.arange(len(shares))
    right = np.where(truth >= 0, shares[rows, truth], 0.0)
    others = shares.copy()
    known = truth >= 0
    others[rows[known], truth[known]] = 0.0
    return np.asarray(right - others.max(axis=1))
