"""Answers of many trees added up.

Each member gives its class probabilities, or one vote for its class. Either way the sums, divided
by their total, are shares of the classes; the largest wins, and the first of equals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import ArrayLike, NDArray

from mixedwood import _core
from mixedwood.data import Table
from mixedwood.tree import Tree
from mixedwood.tree.decide import SUM_TOLERANCE, argmax_with_ties

__all__ = [
    "VOTES",
    "Vote",
    "add_answers",
    "add_up",
    "first_of_largest",
    "member_classes",
    "shares_of",
    "staged_shares",
]

Vote: TypeAlias = Literal["soft", "hard"]
VOTES: tuple[Vote, ...] = ("soft", "hard")

_ROWS_PER_THREAD = 5_000  # fewer are not worth another thread
_NODES_PER_THREAD = 20_000  # likewise


def add_up(
    trees: Sequence[Tree],
    table: Table,
    vote: Vote = "soft",
    weights: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Add up what the trees say about each row.

    Parameters
    ----------
    trees : sequence of Tree
        Members of one schema and the same classes.
    table : Table
        Rows.
    vote : {"soft", "hard"}, default="soft"
        Whether a tree gives its class probabilities, or one vote for its class.
    weights : array-like of float, one per tree, optional
        What each tree's answer counts; 1 by default.
    n_jobs : int or None, default=None
        Number of threads.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)
        Sums, added in the order of the trees.

    Examples
    --------
    >>> from mixedwood.data import read_table, read_target
    >>> from mixedwood.growers import GrowSettings, grow
    >>> table, target = read_table({"x": [1, 2, 3]}), read_target(["a", "b", "b"])
    >>> trees = [grow(table, target), grow(table, target, GrowSettings(max_depth=0))]
    >>> add_up(trees, table, "hard").tolist()
    [[1.0, 1.0], [0.0, 2.0], [0.0, 2.0]]
    """
    _lay_out(trees, n_jobs)
    counted = zip(trees, _weights(trees, weights), strict=True)
    members = [
        (tree._router, tree.probabilities, tree._node_votes, 0, float(weight))
        for tree, weight in counted
    ]
    columns, n_classes = trees[0]._columns_of(table), len(trees[0].classes)
    return add_answers(members, columns, n_classes, vote, n_jobs, n_rows=table.n_rows)


def add_answers(
    members: list[tuple[_core.Router, NDArray[np.float64], NDArray[np.int32], int, float]],
    columns: list[NDArray[Any]],
    n_outputs: int,
    vote: Vote = "soft",
    n_jobs: int | None = None,
    *,
    n_rows: int,
    start: ArrayLike = 0.0,
) -> NDArray[np.float64]:
    """Add up answers of trees: router, answers, labels, first output and weight of each.

    Rows are divided among threads; each row's answers are added in the order of the trees to
    `start`, one number or one per output.
    """
    if vote not in VOTES:
        raise ValueError(f"voting must be 'soft' or 'hard'; got {vote!r}.")
    total = np.empty((n_rows, n_outputs))
    total[:] = start
    n_parts = min(effective_n_jobs(n_jobs), -(-n_rows // _ROWS_PER_THREAD))
    plurality = vote == "hard"
    if n_parts < 2:
        _core.add_up(members, columns, plurality, 0, n_rows, total)
        return total
    ends = [n_rows * part // n_parts for part in range(n_parts + 1)]
    Parallel(n_jobs=n_parts, backend="threading")(
        delayed(_core.add_up)(members, columns, plurality, first, last, total)
        for first, last in pairwise(ends)
    )
    return total


def staged_shares(
    trees: Sequence[Tree],
    table: Table,
    vote: Vote = "soft",
    weights: ArrayLike | None = None,
) -> Iterator[NDArray[np.float64]]:
    """Give the shares of the classes after one tree, two trees, and so on.

    Examples
    --------
    >>> from mixedwood.data import read_table, read_target
    >>> from mixedwood.growers import GrowSettings, grow
    >>> table, target = read_table({"x": [1, 2, 3]}), read_target(["a", "b", "b"])
    >>> trees = [grow(table, target), grow(table, target, GrowSettings(max_depth=0))]
    >>> [shares[0].tolist() for shares in staged_shares(trees, table, "hard")]
    [[1.0, 0.0], [0.5, 0.5]]
    """
    total = np.zeros((table.n_rows, len(trees[0].classes)))
    for tree, weight in zip(trees, _weights(trees, weights), strict=True):
        _add(total, tree, table, vote, weight)
        yield shares_of(total)


def shares_of(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide each row by its sum; equal shares where there is nothing to divide.

    Examples
    --------
    >>> import numpy as np
    >>> shares_of(np.array([[1.0, 3.0], [0.0, 0.0]])).tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    """
    sums = totals.sum(axis=1, keepdims=True)
    nothing = sums == 0
    return np.asarray((totals + nothing) / np.where(nothing, totals.shape[1], sums))


def first_of_largest(shares: NDArray[np.float64]) -> NDArray[np.int32]:
    """Find the class with the largest share; the first of equals, to within 1e-9.

    Examples
    --------
    >>> import numpy as np
    >>> first_of_largest(np.array([[0.2, 0.4, 0.4], [0.1, 0.1, 0.8]])).tolist()
    [1, 2]
    """
    return argmax_with_ties(shares, SUM_TOLERANCE)


def member_classes(trees: Sequence[Tree], table: Table) -> NDArray[np.int32]:
    """Find the class that each tree gives each row, as positions in the classes.

    Returns
    -------
    ndarray of int32 and shape (n_rows, n_trees)
        One column per tree.
    """
    found = np.empty((table.n_rows, len(trees)), dtype=np.int32)
    for place, tree in enumerate(trees):
        found[:, place] = classes_of(tree, table)
    return found


def classes_of(tree: Tree, table: Table) -> NDArray[np.int32]:
    """Find the class of each row as `Tree.predict` does, as positions in the classes."""
    return tree.predict_codes(table)


def _lay_out(trees: Sequence[Tree], n_jobs: int | None) -> None:
    """Make what trees answer with, which they keep, several at a time."""
    new = [tree for tree in trees if "_laid_out" not in vars(tree)]
    n_nodes = sum(tree.n_nodes for tree in new)
    n_parts = min(effective_n_jobs(n_jobs), len(new), n_nodes // _NODES_PER_THREAD)
    if n_parts < 2:
        return

    def lay_out(part: Sequence[Tree]) -> None:
        for tree in part:
            _ = tree._router, tree.probabilities

    Parallel(n_jobs=n_parts, backend="threading")(
        delayed(lay_out)(new[part::n_parts]) for part in range(n_parts)
    )


def _weights(trees: Sequence[Tree], weights: ArrayLike | None) -> NDArray[np.float64]:
    return np.ones(len(trees)) if weights is None else np.asarray(weights, dtype=np.float64)


def _add(total: NDArray[np.float64], tree: Tree, table: Table, vote: Vote, weight: float) -> None:
    if vote not in VOTES:
        raise ValueError(f"voting must be 'soft' or 'hard'; got {vote!r}.")
    if vote == "hard":
        total[np.arange(table.n_rows), classes_of(tree, table)] += weight
    elif weight == 1:
        total += tree.predict_proba(table)
    else:
        total += weight * tree.predict_proba(table)
