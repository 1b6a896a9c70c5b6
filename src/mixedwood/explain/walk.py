"""Where the tests of a tree send one row, without words."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from operator import index
from typing import NamedTuple

import numpy as np

from mixedwood.data import MISSING, Table
from mixedwood.tree import FRACTIONAL, STOP, SplitKind, Tree

__all__ = ["Visit", "choose_row", "find_child", "visits"]


class Visit(NamedTuple):
    """A row, or a share of it, at a node.

    Attributes
    ----------
    node : int
        The node.
    fraction : float
        Fraction of the row that came here.
    value : str
        What the test found: ``"known"``, ``"missing"`` or ``"unknown"``; nothing at a leaf.
    child : int
        Position of the child that the row goes to, or `STOP`, or `FRACTIONAL`.
    goes_to : tuple of (int, float)
        Nodes below that get something of the row, and how much; none if the node answers.
    """

    node: int
    fraction: float
    value: str
    child: int
    goes_to: tuple[tuple[int, float], ...]


def choose_row(table: Table, row: int) -> tuple[Table, int]:
    """Give one row of a table as a table of its own, and its number counted from 0.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> one, row = choose_row(read_table({"age": [3.0, 9.0]}), -1)
    >>> one["age"].tolist(), row
    ([9.0], 1)
    """
    try:
        place = index(row)
    except TypeError as error:
        raise TypeError(f"row must be a whole number, counted from 0; got {row!r}.") from error
    if not -table.n_rows <= place < table.n_rows:
        raise IndexError(f"There is no row {place}; the table has {table.n_rows} rows.")
    place %= table.n_rows
    return table.take([place]), place


def visits(tree: Tree, one: Table) -> Iterator[Visit]:
    """Follow a table of one row from the root on.

    A node comes after the one above it; of several children that get a share of the row, the first
    comes with all that is below it before the next.
    """
    waiting = [(0, 1.0)]
    while waiting:
        node, share = waiting.pop()
        if int(tree.split_kind[node]) == SplitKind.LEAF:
            yield Visit(node, share, "", STOP, ())
            continue
        value, child = find_child(tree, one, node)
        below = tree.children_of(node)
        parts: tuple[tuple[int, float], ...] = ()
        if child >= 0:
            parts = ((int(below[child]), share),)
        elif (
            child == FRACTIONAL and (total := float(tree.weighted_n_node_samples[below].sum())) > 0
        ):
            weights = (share * tree.weighted_n_node_samples[below] / total).tolist()
            pairs = zip(below.tolist(), weights, strict=True)
            parts = tuple(pair for pair in pairs if pair[1] > 0)
        waiting.extend(reversed(parts))
        yield Visit(node, share, value, child, parts)


def find_child(tree: Tree, one: Table, node: int) -> tuple[str, int]:
    """Ask a node's test of a table of one row: what it found, and the position of the child."""
    kind = int(tree.split_kind[node])  # numpy is slow to compare with names
    if kind == SplitKind.LINEAR:
        result = float(tree.linear_sums(node, one)[0])
        if isnan(result):
            return "missing", int(tree.missing_child[node])
        return "known", 0 if result > 0 else 1
    place = int(tree.column[node])
    x = one.arrays[place][0].item()
    coded = not tree.schema.columns[place].is_numeric
    if isnan(x) or (coded and x == MISSING):
        return "missing", int(tree.missing_child[node])
    if coded and x < 0:
        return "unknown", int(tree.unknown_child[node])
    if kind == SplitKind.INTERVAL:
        return "known", 0 if tree.low[node] < x <= tree.high[node] else 1
    codes, positions = tree.categories_of(node)
    found = int(np.searchsorted(codes, x))
    if found == len(codes) or codes[found] != x:
        return "unknown", int(tree.unknown_child[node])
    return "known", int(positions[found])
