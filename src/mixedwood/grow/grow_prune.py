"""Growing and pruning in turns (Gelfand, Ravishankar and Delp 1991): two halves of the rows swap.

One half grows the tree, the other prunes it; then they change places, and the tree grows on below
the leaves that are left. All rows are used for both, none for both at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mixedwood import _core, _folds
from mixedwood import _kinds as kinds
from mixedwood._limits import StopFlag, stopped_by
from mixedwood.data import Table, Target
from mixedwood.grow.encoded import EncodedTable
from mixedwood.grow.greedy import GrowSettings, native_arguments, tree_of
from mixedwood.grow.numbers import NumberSettings, number_arguments
from mixedwood.grow.random_order import as_subsets
from mixedwood.tree import Tree

__all__ = ["GrowPruneResult", "Iteration", "grow_prune"]


class Iteration(NamedTuple):
    """Leaves of the tree after it was grown, and after it was pruned."""

    grown: int
    pruned: int


# mypy has no class attributes of named tuples.
Iteration._fitted = {"grown": kinds.integer(1), "pruned": kinds.integer(1)}  # type: ignore[attr-defined]


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


def grow_prune(
    table: Table | EncodedTable,
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

    Every node keeps the label and the class weights, or the number, that it was made with, from the
    half that grew it; numbers are pruned by their loss. A split that no pruning has tried yet is
    undone when that is no worse for the rows that prune; one that has survived a pruning, only when
    it is better. Trees then never shrink from one pruning to the next, and the procedure ends when
    the number of leaves is the same twice.

    Parameters
    ----------
    table : Table or EncodedTable
        The rows; a `EncodedTable` spares work when many trees are grown.
    target : Target
        Their classes or numbers. Rows of weight 0 do not count.
    settings : GrowSettings or NumberSettings, optional
        How to grow; by default Gini, or squared error, down to pure leaves. Rows cannot be shared
        out among children: ``handle_missing="fractional"`` is an error.
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
        Once it is set, by another thread, growth ends with a `CancelledError`.

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
    chosen = settings or (NumberSettings() if target.is_numeric else GrowSettings())
    if chosen.handle_missing == "fractional":
        raise ValueError(
            "growing and pruning in turns needs whole rows, but handle_missing='fractional' "
            "divides them. Use handle_missing='learned' or 'category'."
        )
    if halves is None:
        side = _folds.halves(target.codes, seed, target.weights)
    else:
        side = _read_halves(halves, target)
    limits = (time_limit, side, max_iterations, relabel)
    if target.is_numeric:
        numbers = number_arguments(table, target, chosen, seed)
        with stopped_by(stop) as flag:
            arrays, grown, pruned, ended = _core.grow_prune_numbers(
                *numbers.arguments, *limits, flag
            )
        del arrays["complete"]
        tree = numbers.tree_of(arrays)
    else:
        given = native_arguments(table, target, chosen, seed)
        with stopped_by(stop) as flag:
            arrays, grown, pruned, ended = _core.grow_prune(*given.arguments, *limits, flag)
        del arrays["complete"]
        if given.ranks is not None:
            as_subsets(arrays, given.ranks, len(given.schema))
        tree = tree_of(arrays, given, target)
    return GrowPruneResult(
        tree=tree,
        iterations=tuple(map(Iteration, grown.tolist(), pruned.tolist())),
        ended=ended,
    )


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
