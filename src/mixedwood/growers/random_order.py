"""Random Ordinality (Ahmad 2014): the tree sees the values of each nominal column in its own order.

A column whose values are put in a random order is grown like an ordinal one, with thresholds. Such
a threshold is a subset of the values, and so it is stored: the tree needs no order to answer, and
reads like any other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import MISSING, ColumnKind, Schema
from mixedwood.tree import TestKind

__all__ = ["Ranks", "as_subsets", "draw_ranks"]

Ranks = dict[int, NDArray[np.int32]]


def draw_ranks(schema: Schema, rng: np.random.Generator) -> Ranks:
    """Give the values of every nominal column their places in a random order.

    Every value of the column has its place, whether a node meets it or not; only labels that the
    column does not know are unseen. A last entry, where code -1 looks, keeps missing missing.
    """
    ranks = {}
    for place, column in enumerate(schema):
        if column.kind is not ColumnKind.NOMINAL:
            continue
        rank = np.empty(column.n_values + 1, dtype=np.int32)
        rank[rng.permutation(column.n_values)] = np.arange(column.n_values, dtype=np.int32)
        rank[-1] = MISSING
        ranks[place] = rank
    return ranks


def as_subsets(arrays: dict[str, NDArray[Any]], ranks: Ranks) -> None:
    """Turn thresholds in random orders into subset tests in the values' own codes."""
    kind, column, high = arrays["kind"], arrays["column"], arrays["high"]
    turned = (kind == TestKind.INTERVAL) & np.isin(column, list(ranks))
    # Every value is listed, node by node; `first` is where its column begins in one list of ranks.
    n_values = {place: len(rank) - 1 for place, rank in ranks.items()}
    lengths = np.array([n_values.get(int(c), 0) for c in column], dtype=np.int32) * turned
    begin = dict(zip(ranks, np.cumsum([0, *map(len, ranks.values())]), strict=False))
    first = np.array([begin.get(int(c), 0) for c in column], dtype=np.int64)
    offset = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    code = np.arange(offset[-1], dtype=np.int32) - np.repeat(offset[:-1], lengths)
    rank = np.concatenate([np.zeros(0, np.int32), *ranks.values()])
    right = rank[np.repeat(first, lengths) + code] > np.repeat(high, lengths)
    arrays["kind"] = np.where(turned, np.uint8(TestKind.SUBSET), kind)
    arrays["high"] = np.where(turned, np.inf, high)
    arrays["value_offset"] = offset
    arrays["value_code"] = code
    arrays["value_child"] = right.astype(np.int32)
