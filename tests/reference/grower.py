"""A greedy grower of CART's kind for numeric columns, small enough to be read at a glance."""

import numpy as np

from mixedwood.tree import TreeBuilder


def gini(counts):
    total = counts.sum()
    return total - (counts**2).sum() / total if total else 0.0


def grow(table, target):
    """Split until leaves are pure or no test is left; first of equal tests; nothing is missing."""
    weights = np.ones(target.n_rows) if target.weights is None else target.weights

    def counts(rows):
        return np.bincount(target.codes[rows], weights[rows], minlength=target.n_classes)

    everything = np.flatnonzero(weights > 0)
    builder = TreeBuilder(table.schema, target.classes, counts(everything))
    waiting = [(0, everything)]
    while waiting:
        node, rows = waiting.pop()
        if np.count_nonzero(counts(rows)) < 2:
            continue
        tests = []
        for place, column in enumerate(table.arrays):
            values = np.unique(column[rows])
            for cut in (values[:-1] + values[1:]) / 2:
                left = column[rows] <= cut
                cost = gini(counts(rows[left])) + gini(counts(rows[~left]))
                tests.append((round(cost, 9), place, cut))
        if tests:
            _, place, cut = min(tests)
            left = table.arrays[place][rows] <= cut
            sides = rows[left], rows[~left]
            name = table.schema.columns[place].name
            children = builder.split_interval(
                node, name, [counts(side) for side in sides], high=cut
            )
            waiting += zip(children, sides, strict=True)
    return builder.build()
