"""From the tests of a solver to the library's one tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import ColumnKind, Table, Target
from mixedwood.preprocessing import BinaryTest
from mixedwood.tree import STOP, Tree, TreeBuilder

__all__ = ["Skeleton", "answers_of", "build_tree"]

Skeleton = Sequence[tuple[BinaryTest | None, int, int]]
"""Of each node: its test, or None for a leaf; the nodes for yes and no. Node 0 is the root."""


def build_tree(table: Table, target: Target, skeleton: Skeleton, unseen: str) -> Tree:
    """Fill a tree of tests with the classes of the rows that reach its nodes.

    Parameters
    ----------
    table, target
        The training rows.
    skeleton : sequence
        Tests and children.
    unseen : {"node", "missing", "majority", "error"}
        What happens to values that no row of a node had.
    """
    weights = np.ones(target.n_rows) if target.weights is None else target.weights

    def counts(rows: NDArray[np.intp]) -> NDArray[np.float64]:
        found = np.bincount(target.codes[rows], weights[rows], minlength=target.n_classes)
        return found.astype(np.float64)

    everyone = np.flatnonzero(weights > 0)
    builder = TreeBuilder(table.schema, target.classes, counts(everyone))
    waiting = [(0, 0, everyone)]
    while waiting:
        at, node, rows = waiting.pop()
        test, yes, no = skeleton[at]
        if test is None:
            continue
        answer = test.answer(table.take(rows))
        parts = [rows[answer], rows[~answer]]
        totals = [counts(part) for part in parts]
        before, after = _errors(counts(rows)), sum(_errors(total) for total in totals)
        children = _split(builder, node, table, rows, test, totals, unseen, before - after)
        waiting += zip((yes, no), children, parts, strict=True)
    return builder.build()


def _errors(counts: NDArray[np.float64]) -> float:
    return float(counts.sum() - counts.max())


def _split(
    builder: TreeBuilder, node: int, table: Table, rows: NDArray[np.intp], test: BinaryTest,
    totals: list[NDArray[np.float64]], unseen: str, score: float,
) -> list[int]:  # fmt: skip
    column = table.schema.columns[test.column]
    missing = 0 if test.missing else 1
    heavier = int(np.argmax([total.sum() for total in totals]))
    stray = {"missing": missing, "majority": heavier}.get(unseen, STOP)
    settings: dict[str, Any] = {"missing": missing, "unknown": stray, "score": score}
    if column.kind != ColumnKind.NOMINAL:
        return builder.split_interval(
            node, column.name, totals, low=test.low, high=test.high, **settings
        )
    here = np.unique(table.arrays[test.column][rows])
    codes = [int(code) for code in here if code >= 0]
    chosen = set(codes if test.codes is None else test.codes)
    groups = [
        [column.categories[code] for code in codes if code in chosen],
        [column.categories[code] for code in codes if code not in chosen],
    ]
    return builder.split_categories(node, column.name, totals, groups, **settings)


def answers_of(skeleton: Skeleton, table: Table) -> NDArray[np.intp]:
    """The leaf that each row of a table comes to."""
    node = np.zeros(table.n_rows, dtype=np.intp)
    for at, (test, yes, no) in enumerate(skeleton):  # parents come first
        if test is None:
            continue
        here = np.flatnonzero(node == at)
        node[here] = np.where(test.answer(table.take(here)), yes, no)
    return node
