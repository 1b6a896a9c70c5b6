"""From the splits that a solver found to a `Tree`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import ColumnKind, Table, Target
from mixedwood.preprocessing import BinarySplit
from mixedwood.tree import STOP, Tree, TreeBuilder

__all__ = ["SplitTree", "apply_splits", "build_tree"]

SplitTree = Sequence[tuple[BinarySplit | None, int, int]]
"""Of each node: its split, or None for a leaf; the children for true and false. 0 is the root."""


def build_tree(table: Table, target: Target, splits: SplitTree, unknown: str) -> Tree:
    """Add the class weights of the rows that reach each node.

    Parameters
    ----------
    table, target
        The training rows.
    splits : sequence
        Splits and children.
    unknown : {"stop", "missing", "majority"}
        What happens to categories that no row of a node has.
    """
    weights = np.ones(target.n_rows) if target.weights is None else target.weights

    def counts(rows: NDArray[np.intp]) -> NDArray[np.float64]:
        found = np.bincount(target.codes[rows], weights[rows], minlength=target.n_classes)
        return found.astype(np.float64)

    all_rows = np.flatnonzero(weights > 0)
    builder = TreeBuilder(table.schema, target.classes, counts(all_rows))
    open_nodes = [(0, 0, all_rows)]
    while open_nodes:
        at, node, rows = open_nodes.pop()
        split, if_true, if_false = splits[at]
        if split is None:
            continue
        true = split.evaluate(table.take(rows))
        parts = [rows[true], rows[~true]]
        totals = [counts(part) for part in parts]
        before, after = _errors(counts(rows)), sum(_errors(total) for total in totals)
        children = _split(builder, node, table, rows, split, totals, unknown, before - after)
        open_nodes += zip((if_true, if_false), children, parts, strict=True)
    return builder.build()


def _errors(counts: NDArray[np.float64]) -> float:
    return float(counts.sum() - counts.max())


def _split(
    builder: TreeBuilder, node: int, table: Table, rows: NDArray[np.intp], split: BinarySplit,
    totals: list[NDArray[np.float64]], unknown: str, score: float,
) -> list[int]:  # fmt: skip
    column = table.schema.columns[split.column]
    missing = 0 if split.missing else 1
    heavier = int(np.argmax([total.sum() for total in totals]))
    branch = {"missing": missing, "majority": heavier}.get(unknown, STOP)
    settings: dict[str, Any] = {"missing": missing, "unknown": branch, "score": score}
    if column.kind != ColumnKind.NOMINAL:
        return builder.split_interval(
            node, column.name, totals, low=split.low, high=split.high, **settings
        )
    here = np.unique(table.arrays[split.column][rows])
    codes = [int(code) for code in here if code >= 0]
    chosen = set(codes if split.codes is None else split.codes)
    groups = [
        [column.categories[code] for code in codes if code in chosen],
        [column.categories[code] for code in codes if code not in chosen],
    ]
    return builder.split_categories(node, column.name, totals, groups, **settings)


def apply_splits(splits: SplitTree, table: Table) -> NDArray[np.intp]:
    """The leaf of each row of a table."""
    node = np.zeros(table.n_rows, dtype=np.intp)
    for at, (split, if_true, if_false) in enumerate(splits):  # parents come first
        if split is None:
            continue
        here = np.flatnonzero(node == at)
        node[here] = np.where(split.evaluate(table.take(here)), if_true, if_false)
    return node
