"""Greedy growth of trees that predict numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood._limits import StopFlag, stopped_by, warn_time_limit
from mixedwood._parts import Partitioner
from mixedwood.data import Schema, Table, Target, check_same_length
from mixedwood.grow.encoded import EncodedTable, fill
from mixedwood.grow.greedy import GrowSettings, safe_weights, weight_in_growth
from mixedwood.grow.random_order import Ranks, as_subsets, draw_ranks
from mixedwood.tree import Tree

__all__ = ["NUMBER_PARTITIONERS", "NumberSettings", "grow_numbers", "number_arguments"]

NUMBER_PARTITIONERS = ("mean_order", "one_vs_rest", "random_order", "random_subset", "exact")
"""Searches for groups of categories that need no classes."""


@dataclass(frozen=True)
class NumberSettings(GrowSettings):
    """How a tree that predicts numbers is grown; see `GrowSettings`."""

    criterion: str = "squared_error"
    partitioner: str | Partitioner = "mean_order"


def grow_numbers(
    table: Table | EncodedTable,
    target: Target,
    settings: GrowSettings | None = None,
    *,
    seed: int = 0,
    time_limit: float = math.inf,
    rows: NDArray[np.int32] | None = None,
    stop: StopFlag | None = None,
) -> Tree:
    """Grow a tree that predicts numbers; the parameters are those of `grow`.

    Examples
    --------
    >>> from mixedwood.data import read_numbers, read_table
    >>> table = read_table({"color": ["red", "blue", "green", "blue"]})
    >>> target = read_numbers([5.0, 1.0, 6.0, 2.0])
    >>> print(grow_numbers(table, target, NumberSettings(max_depth=1)).to_text())
    [0] root (4)
    |   [1] color = blue (or missing): mean 1.5, sd 0.5, 2 rows
    |   [2] color in {green, red}: mean 5.5, sd 0.5, 2 rows
    """
    given = number_arguments(table, target, settings or NumberSettings(), seed, rows)
    return given.tree_of(given.grow(time_limit, rows, stop))


class NumberArguments(NamedTuple):
    """Rows and settings for the native core, and what is needed to make a tree of its arrays."""

    arguments: tuple[
        _core.EncodedTable,
        NDArray[np.float64],
        NDArray[np.float64] | None,
        _core.RegressSettings,
    ]
    schema: Schema
    scale: float  # of the weights
    ranks: Ranks | None  # of values that were put in a random order

    def grow(
        self, time_limit: float, rows: NDArray[np.int32] | None, stop: StopFlag | None
    ) -> dict[str, Any]:
        """Grow a tree, as arrays."""
        with stopped_by(stop) as flag:
            arrays = _core.regress(*self.arguments, time_limit, rows, flag)
        if not arrays.pop("complete"):
            warn_time_limit(
                "The time limit came before the tree was complete; nodes that were not reached are "
                "leaves."
            )
        return arrays

    def tree_of(self, arrays: dict[str, Any]) -> Tree:
        """Make a tree that predicts numbers of the arrays of the native core."""
        self.finish(arrays)
        loss = self.arguments[-1].criterion
        return Tree(schema=self.schema, classes=np.empty(0), loss=loss, **arrays)

    def finish(self, arrays: dict[str, Any]) -> None:
        """Undo what was done to categories and weights before growth."""
        if self.ranks is not None:
            as_subsets(arrays, self.ranks, len(self.schema))
        n = len(arrays["split_kind"])
        # All but the predicted number are sums over rows.
        factors = np.array([self.scale, 1.0, self.scale, self.scale])
        arrays["statistics"] = arrays["statistics"].reshape(n, -1) * factors
        arrays["weighted_n_node_samples"] = arrays["weighted_n_node_samples"] * self.scale


def number_arguments(
    table: Table | EncodedTable,
    target: Target,
    chosen: GrowSettings,
    seed: int,
    rows: NDArray[np.int32] | None = None,
) -> NumberArguments:
    """Turn a table, its numbers and settings into what the native core takes."""
    coded = table if isinstance(table, EncodedTable) else EncodedTable(table)
    check_same_length(coded.table, target)
    weights, scale = safe_weights(target)
    partitioner, ranks = chosen.partitioner, None
    if isinstance(partitioner, Partitioner):
        options = partitioner.settings()
        if options.get("per") == "tree":
            weight = weight_in_growth(coded.table.n_rows, weights, rows)
            ranks = draw_ranks(coded.table, weight, seed, options["joint"])
            coded = coded.in_order(ranks)
        partitioner = partitioner.name
    native = fill(_core.RegressSettings(), chosen, partitioner=partitioner, seed=seed)
    arguments = (coded.native, target.numbers, weights, native)
    return NumberArguments(arguments, coded.table.schema, scale, ranks)
