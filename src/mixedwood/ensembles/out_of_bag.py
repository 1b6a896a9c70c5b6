"""What trees say about rows that they have not seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Table
from mixedwood.ensembles.votes import Vote, add_up
from mixedwood.tree import Tree

__all__ = ["out_of_bag_shares"]


def out_of_bag_shares(
    trees: Sequence[Tree],
    samples: Iterable[NDArray[np.int32]],
    table: Table,
    vote: Vote = "soft",
) -> NDArray[np.float64]:
    """Give each row's shares of the classes among the trees that were grown without it.

    Parameters
    ----------
    trees : sequence of Tree
        The members.
    samples : iterable of ndarray of int32
        For each tree, the numbers of the rows that it was grown on.
    table : Table
        All rows.
    vote : {"soft", "hard"}, default="soft"
        What a tree adds.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)
        Shares; NaN for rows that every tree has seen.
    """
    total = np.zeros((table.n_rows, len(trees[0].classes)))
    unseen = np.empty(table.n_rows, dtype=bool)
    for tree, sample in zip(trees, samples, strict=True):
        unseen[:] = True
        unseen[sample] = False
        if unseen.any():
            total[unseen] += add_up([tree], table.take(unseen), vote)
    sums = total.sum(axis=1, keepdims=True)
    return np.asarray(total / np.where(sums == 0, np.nan, sums))
