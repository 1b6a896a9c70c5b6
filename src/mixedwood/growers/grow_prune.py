"""Growing and pruning in turns (Gelfand, Ravishankar and Delp 1991): two halves of the rows swap.

One half grows the tree, the other prunes it; then they change places, and the tree grows on below
the leaves that are left. All rows are used for both, none for both at once.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mixedwood import _core
from mixedwood.data import Table, Target, check_same_length
from mixedwood.growers.coded import CodedTable
from mixedwood.growers.greedy import GrowSettings, grow_below
from mixedwood.growers.joining import Nodes, as_tree, cut, join, parents, with_terms
from mixedwood.growers.stopping import StopFlag, StoppedError
from mixedwood.tree import TestKind, Tree

__all__ = ["GrowPruneResult", "Iteration", "divide_in_halves", "grow_prune"]

_EQUAL = 1e-12  # sums of the same weights in another order are equal, to this


class Iteration(NamedTuple):
    """Leaves of the tree after it was grown, and after it was pruned."""

    grown: int
    pruned: int


@dataclass(frozen=True)
class GrowPruneResult:
    """A tree, and how it came about.

    Attributes
    ----------
    tree : Tree
        The tree after the last pruning.
    iterations : tuple of Iteration
        Sizes, one entry for each time it was grown and pruned.
    ended : bool
        Whether the last two prunings left the same tree; if not, a limit came first.
    """

    tree: Tree
    iterations: tuple[Iteration, ...]
    ended: bool


def divide_in_halves(target: Target, seed: int) -> NDArray[np.int8]:
    """Divide rows at random into two halves, 0 and 1, of nearly equal size and class distribution.

    The rows of one class after the other are shuffled and dealt out in turn: what is left over of
    classes with an odd number of rows goes to the two sides alternately. Rows of weight 0 are in
    neither half and get -1.

    Examples
    --------
    >>> from mixedwood.data import read_target
    >>> halves = divide_in_halves(read_target(list("aaabbb")), seed=0)
    >>> sorted(zip("aaabbb", halves.tolist()))
    [('a', 0), ('a', 0), ('a', 1), ('b', 0), ('b', 1), ('b', 1)]
    """
    rng = np.random.default_rng(seed)
    if target.weights is None or target.weights.all():
        shuffled = rng.permutation(target.n_rows)
    else:
        shuffled = rng.permutation(np.flatnonzero(target.weights))
    order = shuffled[np.argsort(target.codes[shuffled], kind="stable")]
    halves = np.full(target.n_rows, -1, dtype=np.int8)
    halves[order] = np.arange(len(order)) % 2
    return halves


def grow_prune(
    table: Table | CodedTable,
    target: Target,
    settings: GrowSettings | None = None,
    *,
    seed: int = 0,
    halves: ArrayLike | None = None,
    max_iterations: int = 20,
    relabel: bool = False,
    time_limit: float = math.inf,
    stop: StopFlag | None = None,
) -> GrowPruneResult:
    """Grow with one half of the rows, prune with the other, swap them, until the tree stays.

    Every node keeps the label and the class weights that it was made with, from the half that grew
    it. A split that no pruning has tried yet is undone when that is no worse for the rows that
    prune; one that has survived a pruning, only when it is better. Trees then never shrink from
    one pruning to the next, and the procedure ends when the number of leaves is the same twice.

    Parameters
    ----------
    table : Table or CodedTable
        The rows; a `CodedTable` spares work when many trees are grown.
    target : Target
        Their classes. Rows of weight 0 do not count.
    settings : GrowSettings, optional
        How to grow; by default Gini, down to pure leaves. Rows cannot be shared out among
        children: ``missing="fractional"`` is an error.
    seed : int, default=0
        Divides the rows, and seeds random parts.
    halves : array-like of int, one per row, optional
        The half of each row, in place of a random division: 0 grows first, 1 prunes first.
    max_iterations : int, default=20
        Most times that the tree is grown and pruned.
    relabel : bool, default=False
        Whether the nodes get labels and class weights from all rows at the end.
    time_limit : float, default=inf
        Seconds.
    stop : StopFlag, optional
        Once it is set, by another thread, growth ends with a `StoppedError`.

    Returns
    -------
    GrowPruneResult
        The tree, and its sizes on the way.

    Examples
    --------
    >>> from mixedwood.data import read_table, read_target
    >>> table = read_table({"x": [float(i) for i in range(1, 17)]})
    >>> target = read_target([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0])
    >>> result = grow_prune(table, target, halves=[0, 1] * 8)
    >>> [tuple(iteration) for iteration in result.iterations]
    [(3, 3), (6, 3)]
    >>> print(result.tree.to_text())
    [0] root (8)
    |   [1] x <= 6: 0 (100 % of 3)
    |   [2] x > 6 (or missing) (5)
    |   |   [3] x <= 10: 1 (100 % of 2)
    |   |   [4] x > 10 (or missing): 0 (100 % of 3)
    """
    deadline = time.monotonic() + time_limit
    chosen = settings or GrowSettings()
    if chosen.missing == "fractional":
        raise ValueError(
            "growing and pruning in turns needs whole rows, but missing='fractional' shares them "
            "out. Use missing='learned' or 'category'."
        )
    coded = table if isinstance(table, CodedTable) else CodedTable(table)
    check_same_length(coded.table, target)
    side = divide_in_halves(target, seed) if halves is None else _read_halves(halves, target)
    grower, pruner = (np.flatnonzero(side == half).astype(np.int32) for half in (0, 1))
    rows = _Rows(coded.table, target)
    nodes: Nodes = {}
    iterations: list[Iteration] = []
    while True:
        if stop is not None and stop.is_set():
            raise StoppedError("growth was stopped")
        left = max(deadline - time.monotonic(), 1e-3)
        n_inherited = len(nodes["kind"]) if nodes else 0
        reached, starts, leaves = rows.by_leaf(nodes, grower)
        if len(reached):
            below = grow_below(
                coded, target, chosen, seed=seed, rows=reached, starts=starts, time_limit=left,
                stop=stop,
            )  # fmt: skip
            nodes = join(nodes, leaves, below) if nodes else below
        n_grown = _count_leaves(nodes)
        nodes = rows.prune(nodes, pruner, n_inherited, leaves)
        iterations.append(Iteration(n_grown, _count_leaves(nodes)))
        ended = len(iterations) > 1 and iterations[-1].pruned == iterations[-2].pruned
        if ended or len(iterations) == max_iterations or time.monotonic() > deadline:
            break
        grower, pruner = pruner, grower
    if relabel:
        nodes = rows.relabelled(nodes)
    tree = as_tree(nodes, coded.table.schema, target.classes)
    return GrowPruneResult(tree, tuple(iterations), ended)


class _Rows:
    """All rows, and the node that answers each of them by now."""

    def __init__(self, table: Table, target: Target) -> None:
        self._target = target
        self._columns = list(table.arrays)
        self._n_values = [column.n_values for column in table.schema]
        self._answer = np.zeros(table.n_rows, dtype=np.int32)

    def by_leaf(
        self, nodes: Nodes, rows: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.intp]]:
        """Rows that reach a leaf, leaf by leaf; where each leaf's rows begin; and the leaves.

        Without nodes yet there is one leaf, for all. Rows that stop above the leaves, at a test
        that does not know their value, reach none.
        """
        if not nodes:
            return rows, np.array([0, len(rows)], dtype=np.int64), np.zeros(1, dtype=np.intp)
        is_leaf = nodes["kind"] == TestKind.LEAF
        answer = self._answer[rows]
        at_leaf = is_leaf[answer]
        if not at_leaf.all():
            rows, answer = rows[at_leaf], answer[at_leaf]
        leaves = np.flatnonzero(is_leaf)
        counts = np.bincount(answer, minlength=len(is_leaf))[leaves]
        starts = np.concatenate([[0], np.cumsum(counts)])
        return rows[np.argsort(answer, kind="stable")], starts, leaves

    def prune(
        self, nodes: Nodes, rows: NDArray[np.int32], n_inherited: int, grown: NDArray[np.intp]
    ) -> Nodes:
        """Cut what does not help on some of the rows; ties cut only what is new.

        Old are the first `n_inherited` nodes, but for those that were leaves and have `grown`.
        """
        n = len(nodes["kind"])
        parent = parents(nodes)
        self._answer = _core.Router(
            with_terms(nodes), [c[:0] for c in self._columns], self._n_values
        ).route(self._columns)
        inherited = np.zeros(n, dtype=np.uint8)
        inherited[:n_inherited] = 1
        inherited[grown] = 0
        unwanted = _core.reduced_error(parent, nodes["label"], self._counts(n, rows), inherited)
        nodes, place = cut(nodes, parent, unwanted.view(np.bool_))
        self._answer = place[self._answer]
        return nodes

    def relabelled(self, nodes: Nodes) -> Nodes:
        """Nodes with class weights and labels by all the rows that they answer or hand down."""
        n = len(nodes["kind"])
        counts = self._counts(n, np.arange(len(self._answer)))
        parent = parents(nodes)
        for node in range(n - 1, 0, -1):
            counts[parent[node]] += counts[node]
        weight = counts.sum(axis=1)
        near = counts >= counts.max(axis=1, keepdims=True) - _EQUAL * weight[0]
        label = np.argmax(near, axis=1).astype(np.int32)  # the first of equals
        return {**nodes, "counts": counts, "weight": weight, "label": label}

    def _counts(self, n_nodes: int, rows: NDArray[Any]) -> NDArray[np.float64]:
        """Class weights of the rows that each node answers."""
        target, k = self._target, self._target.n_classes
        places = self._answer[rows] * np.int64(k) + target.codes[rows]
        weights = None if target.weights is None else target.weights[rows]
        counts = np.bincount(places, weights, minlength=n_nodes * k)
        return counts.astype(np.float64, copy=False).reshape(n_nodes, k)


def _count_leaves(nodes: Nodes) -> int:
    return int(np.count_nonzero(nodes["kind"] == TestKind.LEAF))


def _read_halves(halves: ArrayLike, target: Target) -> NDArray[np.int8]:
    given = np.asarray(halves)
    if given.shape != (target.n_rows,) or not np.isin(given, (0, 1)).all():
        raise ValueError(
            f"halves must be {target.n_rows} numbers, 0 or 1, one per row; got "
            f"{given.dtype} of shape {given.shape}."
        )
    sides = given.astype(np.int8)
    if target.weights is not None:
        sides[target.weights == 0] = -1
    if not (sides == 0).any():
        raise ValueError("halves leaves no row to grow from; give 0 to about half of the rows.")
    return sides
