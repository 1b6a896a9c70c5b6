"""Slow reference of trees made from splits: node by node, each split evaluated for its rows."""

import numpy as np

from mixedwood.data import ColumnKind
from mixedwood.tree import STOP, TreeBuilder


def build_tree(table, target, splits, if_true, if_false, unknown):
    """The tree of splits (None for leaves) and the children of each node."""
    weights = np.ones(target.n_rows) if target.weights is None else target.weights

    def counts(rows):
        return np.bincount(target.codes[rows], weights[rows], minlength=target.n_classes)

    def errors(totals):
        return totals.sum() - totals.max()

    all_rows = np.flatnonzero(weights > 0)
    builder = TreeBuilder(table.schema, target.classes, counts(all_rows))
    open_nodes = [(0, 0, all_rows)]
    while open_nodes:
        at, node, rows = open_nodes.pop()
        split = splits[at]
        if split is None:
            continue
        true = split.evaluate(table.take(rows))
        parts = [rows[true], rows[~true]]
        totals = [counts(part) for part in parts]
        missing = 0 if split.missing else 1
        heavier = int(np.argmax([total.sum() for total in totals]))
        settings = {
            "missing": missing,
            "unknown": {"missing": missing, "majority": heavier}.get(unknown, STOP),
            "score": errors(counts(rows)) - sum(map(errors, totals)),
        }
        column = table.schema.columns[split.column]
        if column.kind == ColumnKind.NOMINAL:
            codes = [code for code in np.unique(table.arrays[split.column][rows]) if code >= 0]
            chosen = codes if split.codes is None else split.codes
            groups = [
                [column.categories[code] for code in codes if (code in chosen) is side]
                for side in (True, False)
            ]
            children = builder.split_categories(node, column.name, totals, groups, **settings)
        else:
            children = builder.split_interval(
                node, column.name, totals, low=split.low, high=split.high, **settings
            )
        open_nodes += zip((if_true[at], if_false[at]), children, parts, strict=True)
    return builder.build()


def apply_splits(table, splits, if_true, if_false):
    """The leaf of each row."""
    leaves = np.zeros(table.n_rows, dtype=int)
    for at, split in enumerate(splits):  # parents come first
        if split is not None:
            here = np.flatnonzero(leaves == at)
            true = split.evaluate(table.take(here))
            leaves[here] = np.where(true, if_true[at], if_false[at])
    return leaves
