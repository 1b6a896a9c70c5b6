"""Random Ordinality (Ahmad 2014): the tree sees the values of each nominal column in its own order.

A column whose values are put in a random order is grown like an ordinal one, with thresholds. Such
a threshold is a subset of the values, and so it is stored: the tree needs no order to answer, and
reads like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import MISSING, Column, ColumnKind, Schema, Table, Target
from mixedwood.tree import TestKind, Tree

__all__ = ["grow_in_random_order"]

Ranks = dict[int, NDArray[np.int32]]


def grow_in_random_order(
    grow: Callable[[Table, Target], Tree], table: Table, target: Target, seed: int
) -> Tree:
    """Grow with every nominal column in a random order of its values, drawn once.

    Every value of the column has its place, whether a node meets it or not; only labels that the
    column does not know are unseen.
    """
    ordered, ranks = _put_in_order(table, np.random.default_rng(seed))
    return _as_subsets(grow(ordered, target), table.schema, ranks)


def _put_in_order(table: Table, rng: np.random.Generator) -> tuple[Table, Ranks]:
    """Nominal columns as ordinal ones, and the place of each value."""
    columns, arrays, ranks = list(table.schema.columns), list(table.arrays), {}
    for place, column in enumerate(table.schema):
        if column.kind is not ColumnKind.NOMINAL:
            continue
        order = rng.permutation(column.n_values)
        rank = np.empty(column.n_values + 1, dtype=np.int32)
        rank[order] = np.arange(column.n_values, dtype=np.int32)
        rank[-1] = MISSING  # where code -1 looks
        values = tuple(column.values[i] for i in order)
        columns[place] = Column(column.name, ColumnKind.ORDINAL, values)
        arrays[place] = rank[table.arrays[place]]
        ranks[place] = rank[:-1]
    schema = Schema(tuple(columns), table.schema.names_generated)
    return Table(schema, tuple(arrays)), ranks


def _as_subsets(tree: Tree, schema: Schema, ranks: Ranks) -> Tree:
    """Thresholds in random orders as subset tests in the values' own codes."""
    turned = (tree.kind == TestKind.INTERVAL) & np.isin(tree.column, list(ranks))
    codes: list[NDArray[np.int32]] = []
    children: list[NDArray[np.int32]] = []
    lengths = np.zeros(tree.n_nodes, dtype=np.int64)
    for node in np.flatnonzero(turned):
        rank = ranks[int(tree.column[node])]
        lengths[node] = len(rank)
        codes.append(np.arange(len(rank), dtype=np.int32))
        children.append((rank > tree.high[node]).astype(np.int32))
    nothing = np.zeros(0, dtype=np.int32)
    return replace(
        tree,
        schema=schema,
        kind=np.where(turned, TestKind.SUBSET, tree.kind),
        high=np.where(turned, np.inf, tree.high),
        value_offset=np.concatenate([[0], np.cumsum(lengths)]),
        value_code=np.concatenate([nothing, *codes]),
        value_child=np.concatenate([nothing, *children]),
    )
