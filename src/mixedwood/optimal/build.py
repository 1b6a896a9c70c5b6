"""From the splits that a solver found to a `Tree`."""

from __future__ import annotations

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
    """Make the tree, with the class weights of the rows that reach each node.

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
        target.n_classes,
        "stop" if unknown == "node" else unknown,
    )
    arrays["statistics"] = arrays["statistics"].reshape(-1, target.n_classes)
    tree = Tree.checked(table.schema, target.classes, arrays)
    return tree.with_costs(target.cost_matrix)


def apply_splits(splits: SplitTree, table: Table) -> NDArray[np.int32]:
    """The leaf of each row of a table."""
    return splits.apply(list(table.arrays), kinds_of(table))
