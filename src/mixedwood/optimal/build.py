"""From the splits that a solver found to a `Tree`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood._core import SplitTree
from mixedwood.data import ColumnKind, Table, Target
from mixedwood.preprocessing import BinarySplit
from mixedwood.tree import Tree

__all__ = ["SplitTree", "apply_splits", "build_tree", "choose_candidates", "kinds_of"]

_KINDS = {ColumnKind.NOMINAL: "c", ColumnKind.ORDINAL: "o", ColumnKind.NUMERIC: "n"}


def kinds_of(table: Table) -> str:
    """One letter for the kind of each column, for the native core."""
    return "".join(_KINDS[column.kind] for column in table.schema)


def choose_candidates(tree: SplitTree, candidates: list[BinarySplit]) -> SplitTree:
    """Replace the columns of a binary matrix by the splits that they stand for."""
    splits = [None if at < 0 else candidates[at] for at in tree.column.tolist()]
    return SplitTree(splits, tree.if_true, tree.if_false)


def build_tree(table: Table, target: Target, splits: SplitTree, unknown: str) -> Tree:
    """Make the tree, with the statistics of the rows that reach each node.

    Parameters
    ----------
    table, target
        The training rows.
    splits : SplitTree
        Splits and children.
    unknown : {"stop", "missing", "majority"}
        What happens to categories that no row of a node has.
    """
    arrays = splits.build(
        list(table.arrays),
        kinds_of(table),
        target.codes,
        target.weights,
        1 if target.is_numeric else target.n_classes,
        "stop" if unknown == "node" else unknown,
    )
    if target.is_numeric:
        return _with_numbers(table, target, arrays)
    arrays["statistics"] = arrays["statistics"].reshape(-1, target.n_classes)
    tree = Tree.checked(table.schema, target.classes, arrays)
    return tree.with_costs(target.cost_matrix)


def _with_numbers(table: Table, target: Target, arrays: dict[str, Any]) -> Tree:
    """Make a tree of the least squared error, with the moments of the rows of each node."""
    weight = arrays["weighted_n_node_samples"]
    n = len(weight)
    arrays.pop("complete")
    arrays["statistics"] = np.column_stack([weight, np.zeros((n, 3))])
    tree = Tree(schema=table.schema, classes=np.empty(0), loss="squared_error", **arrays)
    leaf = tree.apply(table)
    rows = np.ones(target.n_rows) if target.weights is None else target.weights
    # From the leaves up; deviations from means, so that squares of large numbers do not cancel.
    own = np.bincount(leaf, rows, minlength=n)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = rows / own[leaf]
    mean = np.bincount(leaf, share * target.numbers, minlength=n)
    mean += np.bincount(leaf, share * (target.numbers - mean[leaf]), minlength=n)  # of rounding
    squares = np.bincount(leaf, rows * (target.numbers - mean[leaf]) ** 2, minlength=n)
    score = np.zeros(n)
    for node in reversed(range(n)):
        children = tree.children_of(node)
        if len(children) == 0:
            continue
        parts = weight[children] / weight[children].sum()
        mean[node] = parts @ mean[children]
        between = weight[children] @ (mean[children] - mean[node]) ** 2
        squares[node] = squares[children].sum() + between
        score[node] = between / weight[node]
    moments = np.column_stack([weight, mean, squares, squares])
    return replace(tree, statistics=moments, score=score)


def apply_splits(splits: SplitTree, table: Table) -> NDArray[np.int32]:
    """The leaf of each row of a table."""
    return splits.apply(list(table.arrays), kinds_of(table))
