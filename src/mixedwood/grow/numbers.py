"""Greedy growth of trees that predict numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood._limits import StopFlag, stopped_by, warn_time_limit
from mixedwood._parts import Partitioner
from mixedwood.data import Table, Target, check_same_length
from mixedwood.grow.encoded import EncodedTable, fill
from mixedwood.grow.greedy import GrowSettings, safe_weights, weight_in_growth
from mixedwood.grow.random_order import as_subsets, draw_ranks
from mixedwood.tree import Tree

__all__ = ["NUMBER_PARTITIONERS", "NumberSettings", "grow_numbers"]

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
    chosen = settings or NumberSettings()
    coded = table if isinstance(table, EncodedTable) else EncodedTable(table)
    schema = coded.table.schema
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
    with stopped_by(stop) as flag:
        arrays = _core.regress(
            coded.native, target.numbers, weights, native, time_limit, rows, flag
        )
    if not arrays.pop("complete"):
        warn_time_limit(
            "The time limit came before the tree was complete; nodes that were not reached are "
            "leaves."
        )
    if ranks is not None:
        as_subsets(arrays, ranks, len(schema))
    return _tree_of(arrays, schema, native.criterion, scale)


def _tree_of(arrays: dict[str, Any], schema: Any, loss: str, scale: float) -> Tree:
    n = len(arrays["split_kind"])
    # All but the predicted number are sums over rows.
    factors = np.array([scale, 1.0, scale, scale])
    return Tree(
        schema=schema,
        classes=np.empty(0),
        loss=loss,
        statistics=arrays.pop("statistics").reshape(n, -1) * factors,
        weighted_n_node_samples=arrays.pop("weighted_n_node_samples") * scale,
        **arrays,
    )
