"""Slow twin of the search over all splits: every threshold and every subset, tried recursively.

A column is (kind, values): kind "number" or "ordinal" with None for a missing value, or "nominal".
Nothing is bounded or shared, apart from subproblems with the same rows.
"""

from functools import cache
from itertools import combinations


def sides(kind, values, rows):
    """Every way a column divides rows in two, as the set of rows that answer yes."""
    known = sorted({values[r] for r in rows if values[r] is not None})
    missing = frozenset(r for r in rows if values[r] is None)
    found = set()
    if kind == "nominal":
        parts = [frozenset(r for r in rows if values[r] == v) for v in known]
        parts += [missing] if missing else []
        for size in range(1, len(parts)):
            for chosen in combinations(parts, size):
                found.add(frozenset().union(*chosen))
        return found
    for below in known[:-1]:
        yes = frozenset(r for r in rows if values[r] is not None and values[r] <= below)
        found |= {yes, yes | missing}
    if missing:
        found.add(frozenset(rows) - missing)
    return found


def best_cost(columns, classes, weights, depth, tests, leaf_cost=0, min_leaf=1):
    """Least cost of any tree: weight of wrong rows + leaf_cost x leaves."""

    @cache
    def solve(rows, depth, tests):
        totals = {}
        for r in rows:
            totals[classes[r]] = totals.get(classes[r], 0) + weights[r]
        best = sum(totals.values()) - max(totals.values()) + leaf_cost
        if depth == 0 or tests == 0:
            return best
        seen = set()
        for kind, values in columns:
            for yes in sides(kind, values, rows):
                no = rows - yes
                if not yes or not no or min(len(yes), len(no)) < min_leaf or no in seen:
                    continue
                seen.add(yes)
                for given in range(tests):
                    left = solve(yes, depth - 1, min(given, 2 ** (depth - 1) - 1))
                    right = solve(no, depth - 1, min(tests - 1 - given, 2 ** (depth - 1) - 1))
                    best = min(best, left + right)
        return best

    rows = frozenset(r for r in range(len(classes)) if weights[r] > 0)
    full = 2**depth - 1
    return solve(rows, depth, full if tests is None else min(tests, full))


def cost_of(tree, columns, classes, weights, leaf_cost, min_leaf):
    """Cost, depth and number of splits of a tree; fails where it breaks a rule."""
    splits, if_true, if_false = tree.splits(), tree.if_true, tree.if_false

    def evaluate(node, row):
        column, low, high, codes, missing = splits[node]
        value = columns[column][1][row]
        if value is None:
            return missing
        return low < value <= high if codes is None else value in codes

    def walk(node, rows):
        if splits[node] is None:
            assert len(rows) >= min(min_leaf, n_rows)
            totals = {}
            for r in rows:
                totals[classes[r]] = totals.get(classes[r], 0) + weights[r]
            return sum(totals.values()) - max(totals.values()) + leaf_cost, 0, 0
        yes = [r for r in rows if evaluate(node, r)]
        no = [r for r in rows if not evaluate(node, r)]
        assert yes and no
        a, b = walk(if_true[node], yes), walk(if_false[node], no)
        return a[0] + b[0], 1 + max(a[1], b[1]), 1 + a[2] + b[2]

    rows = [r for r in range(len(classes)) if weights[r] > 0]
    n_rows = len(rows)
    return walk(0, rows)
