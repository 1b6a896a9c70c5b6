"""Random Ordinality (Ahmad 2014): the tree sees the values of each nominal column in its own order.

A column whose values are put in a random order is grown like a column of numbers, with thresholds.
Such a threshold is a subset of the values, and so it is stored: the tree needs no order to answer,
and reads like any other.

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

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Column, ColumnKind, Schema, Table, Target
from mixedwood.tree import TestKind, Tree

__all__ = ["JointColumns", "grow_in_random_order"]

JointColumns: TypeAlias = bool | tuple[tuple[str, ...], ...]
"""Whether the orders of all nominal columns are drawn jointly, or the names of those that are."""

Ranks = dict[int, NDArray[np.float64]]


def grow_in_random_order(
    grow: Callable[[Table, Target], Tree],
    table: Table,
    target: Target,
    seed: int,
    joint: JointColumns = False,
) -> Tree:
    """Grow with every nominal column in a random order of its values, drawn once.

    Every value of the column has its place, whether a node meets it or not; only labels that the
    column does not know are unseen.
    """
    orders = _draw_orders(table, target, np.random.default_rng(seed), joint)
    ordered, ranks = _put_in_order(table, orders)
    return _as_subsets(grow(ordered, target), table.schema, ranks)


def _draw_orders(
    table: Table, target: Target, rng: np.random.Generator, joint: JointColumns
) -> dict[int, NDArray[np.intp]]:
    """For each nominal column its codes in a random order."""
    nominal = [p for p, c in enumerate(table.schema) if c.kind is ColumnKind.NOMINAL]
    orders: dict[int, NDArray[np.intp]] = {}
    for group in _groups(table.schema, nominal, joint):
        orders |= _draw_jointly(table, target.weights, group, rng)
    for place in nominal:
        if place not in orders:
            orders[place] = rng.permutation(table.schema.columns[place].n_values)
    return orders


def _groups(schema: Schema, nominal: list[int], joint: JointColumns) -> Iterable[list[int]]:
    if isinstance(joint, bool):
        return [nominal] if joint and nominal else []
    # A tree that sees some of the columns only has what is left of a group.
    return [[schema.position(name) for name in group if name in schema] for group in joint]


def _draw_jointly(
    table: Table,
    weights: NDArray[np.float64] | None,
    places: list[int],
    rng: np.random.Generator,
) -> dict[int, NDArray[np.intp]]:
    """Order the values of some columns by one random number per row."""
    noise = rng.standard_normal(table.n_rows)
    weight = np.ones(table.n_rows) if weights is None else weights
    of_row = noise * np.sqrt(weight)
    orders = {}
    for place in places:
        n_values = table.schema.columns[place].n_values
        codes = table.arrays[place]
        known = codes >= 0
        total = np.bincount(codes[known], weight[known], minlength=n_values)
        sums = np.bincount(codes[known], of_row[known], minlength=n_values)
        without_rows = rng.standard_normal(n_values)
        met = total > 0
        scores = np.where(met, sums / np.sqrt(np.where(met, total, 1.0)), without_rows)
        orders[place] = np.argsort(scores, kind="stable")
    return orders


def _put_in_order(table: Table, orders: dict[int, NDArray[np.intp]]) -> tuple[Table, Ranks]:
    """Nominal columns as numbers, and the place of each value.

    Numbers and not ordinal columns: a value that no row of a node has goes to the side whose
    nearest value is nearer, as in the paper, which cuts halfway between two numbers.
    """
    columns, arrays, ranks = list(table.schema.columns), list(table.arrays), {}
    for place, order in orders.items():
        rank = np.empty(len(order) + 1)
        rank[order] = np.arange(len(order))
        rank[-1] = np.nan  # where code -1 looks
        columns[place] = Column(columns[place].name, ColumnKind.NUMERIC)
        arrays[place] = rank[table.arrays[place]]
        ranks[place] = rank[:-1]
    schema = Schema(tuple(columns), table.schema.names_generated)
    return Table(schema, tuple(arrays)), ranks


def _as_subsets(tree: Tree, schema: Schema, ranks: Ranks) -> Tree:
    """Thresholds in random orders as subset tests in the values' own codes."""
    places = np.array(sorted(ranks), dtype=np.int64)
    turned = (tree.kind == TestKind.INTERVAL) & np.isin(tree.column, places)
    if not turned.any():
        return replace(tree, schema=schema)
    # The ranks of all columns in one array, and where those of a column begin.
    rank = np.concatenate([ranks[place] for place in places.tolist()])
    n_values = np.zeros(len(schema), dtype=np.int64)
    n_values[places] = [len(ranks[place]) for place in places.tolist()]
    begin = np.cumsum(n_values) - n_values
    lengths = np.where(turned, n_values[tree.column], 0)
    offset = np.concatenate([[0], np.cumsum(lengths)])
    code = np.arange(offset[-1]) - np.repeat(offset[:-1], lengths)
    above = rank[np.repeat(begin[tree.column], lengths) + code] > np.repeat(tree.high, lengths)
    return replace(
        tree,
        schema=schema,
        kind=np.where(turned, TestKind.SUBSET, tree.kind),
        high=np.where(turned, np.inf, tree.high),
        value_offset=offset,
        value_code=code,
        value_child=above,
    )
