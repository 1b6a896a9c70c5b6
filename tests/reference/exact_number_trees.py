"""Squared errors of all trees by brute force, in exact fractions."""

from fractions import Fraction
from functools import cache


def squared_error(rows, values, weights):
    """Weighted squares about the mean."""
    w = sum(weights[i] for i in rows)
    mean = sum(weights[i] * values[i] for i in rows) / w
    return sum(weights[i] * (values[i] - mean) ** 2 for i in rows)


def least(divide, values, weights, depth, splits, leaf, min_leaf):
    """The least objective of all trees; `divide` gives the true sides of the splits of rows."""

    @cache
    def best(rows, depth, splits):
        found = squared_error(rows, values, weights) + leaf
        if depth == 0 or splits == 0:
            return found
        for yes in divide(rows):
            no = rows - yes
            if min(len(yes), len(no)) < max(1, min_leaf):
                continue
            for share in range(splits):
                cost = best(yes, depth - 1, share) + best(no, depth - 1, splits - 1 - share)
                found = min(found, cost)
        return found

    rows = frozenset(i for i, w in enumerate(weights) if w > 0)
    return best(rows, depth, min(splits, len(rows)))


def objective(leaf_of_row, values, weights, leaf):
    """The objective of a tree by the leaf of each row."""
    total = Fraction(0)
    for node in set(leaf_of_row):
        rows = [i for i, at in enumerate(leaf_of_row) if at == node and weights[i] > 0]
        if rows:
            total += squared_error(rows, values, weights) + leaf
    return total
