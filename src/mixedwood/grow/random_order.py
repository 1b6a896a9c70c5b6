"""Random Ordinality (Ahmad and Brown 2009): random orders of categories in each tree.

A column whose categories are in a random order is split by thresholds, like a numeric column. The
categories below a threshold are a subset, and the split is stored as such: predictions need no
order.

Orders of several columns may be drawn jointly, which the paper leaves to future work. Every row
gets one random number z, standard normal, and a value is scored by the numbers of its rows,
``sum(z) / sqrt(number of rows)``; columns are ordered by these scores. The values of one column
share no row, so their scores are independent and standard normal: each column's order is uniformly
random, as before. Scores of values v and w of two columns have the correlation
``n_vw / sqrt(n_v n_w)``: values that occur together get near places, and columns that are renamings
of each other get the same order. Between independent columns ``sqrt(p_v p_w)`` is left, which is
the same for all values unless some are more frequent than others.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mixedwood._random import ORDERS, spawn
from mixedwood.data import MISSING, ColumnKind, Schema, Table
from mixedwood.tree import SplitKind

__all__ = ["JointColumns", "Ranks", "as_subsets", "draw_ranks"]

JointColumns: TypeAlias = bool | tuple[tuple[str, ...], ...]
"""Whether the orders of all nominal columns are drawn jointly, or the names of those that are."""

Ranks = dict[int, NDArray[np.int32]]


def draw_ranks(
    table: Table, weight: NDArray[np.float64], seed: int, joint: JointColumns = False
) -> Ranks:
    """Rank the categories of every nominal column in a random order.

    Every category of the schema has a rank, whether it occurs at a node or not. The last entry is
    for code -1, so that missing values stay missing. Weights of rows matter only for orders that
    are drawn jointly.
    """
    ranks = {}
    for place, order in _draw_orders(table, weight, spawn(seed, ORDERS), joint).items():
        rank = np.empty(len(order) + 1, dtype=np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        rank[-1] = MISSING
        ranks[place] = rank
    return ranks


def _draw_orders(
    table: Table, weight: NDArray[np.float64], rng: np.random.Generator, joint: JointColumns
) -> dict[int, NDArray[np.intp]]:
    """For each nominal column its codes in a random order."""
    nominal = [p for p, c in enumerate(table.schema) if c.kind == ColumnKind.NOMINAL]
    orders: dict[int, NDArray[np.intp]] = {}
    for group in _groups(table.schema, nominal, joint):
        orders |= _draw_jointly(table, weight, group, rng)
    for place in nominal:
        if place not in orders:
            orders[place] = rng.permutation(table.schema.columns[place].n_categories)
    return orders


def _groups(schema: Schema, nominal: list[int], joint: JointColumns) -> Iterable[list[int]]:
    if isinstance(joint, bool):
        return [nominal] if joint and nominal else []
    # A tree that sees some of the columns only has what is left of a group.
    return [[schema.position(name) for name in group if name in schema] for group in joint]


def _draw_jointly(
    table: Table,
    weight: NDArray[np.float64],
    places: list[int],
    rng: np.random.Generator,
) -> dict[int, NDArray[np.intp]]:
    """Order the values of some columns by one random number per row."""
    noise = rng.standard_normal(table.n_rows)
    of_row = noise * np.sqrt(weight)
    orders = {}
    for place in places:
        n_values = table.schema.columns[place].n_categories
        codes = table.arrays[place]
        known = codes >= 0
        total = np.bincount(codes[known], weight[known], minlength=n_values)
        sums = np.bincount(codes[known], of_row[known], minlength=n_values)
        without_rows = rng.standard_normal(n_values)
        met = total > 0
        scores = np.where(met, sums / np.sqrt(np.where(met, total, 1.0)), without_rows)
        orders[place] = np.argsort(scores, kind="stable")
    return orders


def as_subsets(arrays: dict[str, NDArray[Any]], ranks: Ranks, n_columns: int) -> None:
    """Turn thresholds in random orders into subset tests in the values' own codes."""
    kind, column, high = arrays["split_kind"], arrays["column"], arrays["high"]
    places = np.array(sorted(ranks), dtype=np.int64)
    turned = (kind == SplitKind.INTERVAL) & np.isin(column, places)
    if not turned.any():
        return
    # The ranks of all columns in one array, and where those of a column begin.
    rank = np.concatenate([ranks[place][:-1] for place in places.tolist()])
    n_values = np.zeros(n_columns, dtype=np.int64)
    n_values[places] = [len(ranks[place]) - 1 for place in places.tolist()]
    begin = np.cumsum(n_values) - n_values
    lengths = np.where(turned, n_values[column], 0)
    offset = np.concatenate([[0], np.cumsum(lengths)])
    code = np.arange(offset[-1]) - np.repeat(offset[:-1], lengths)
    above = rank[np.repeat(begin[column], lengths) + code] > np.repeat(high, lengths)
    arrays["split_kind"] = np.where(turned, np.uint8(SplitKind.SUBSET), kind)
    arrays["high"] = np.where(turned, np.inf, high)
    arrays["category_offset"] = offset.astype(np.int32)
    arrays["category_code"] = code.astype(np.int32)
    arrays["category_child"] = above.astype(np.int32)
