"""Slow twin of trees for gradient boosting: every cut of every column, added up from its rows.

Plain numbers and sets of rows; nothing is kept from one cut to the next.
"""

import math

import numpy as np

ROUNDING = 1e-9


class GradientTwin:
    """Grows by the settings of `GradientSettings`; orders of nominal columns are "sorted".

    Every row weighs 1.
    """

    def __init__(self, table, gradients, hessians, settings):
        self.table, self.g, self.h, self.settings = table, gradients, hessians, settings

    def worth(self, rows, l2):
        """What one Newton step of all the rows together gains, twice."""
        total = 0.0
        for d in range(self.g.shape[1]):
            g = sum(self.g[i, d] for i in rows)
            curvature = sum(self.h[i, d] for i in rows) + l2
            total += g * g / curvature if curvature > 0 else 0.0
        return total

    def step(self, rows):
        """The Newton step of each output."""
        g = [sum(self.g[i, d] for i in rows) for d in range(self.g.shape[1])]
        l2 = self.settings.l2_regularization
        h = [sum(self.h[i, d] for i in rows) + l2 for d in range(self.g.shape[1])]
        return [-a / b if b > 0 else 0.0 for a, b in zip(g, h, strict=True)]

    def gain(self, column, left, rows):
        """What two steps gain over one."""
        l2 = self.settings.l2_regularization
        if self.is_nominal(column):
            l2 += self.settings.cat_l2
        right = rows - left
        return self.worth(left, l2) + self.worth(right, l2) - self.worth(rows, l2)

    def is_nominal(self, column):
        return self.table.schema.columns[column].kind == "nominal"

    def value(self, column, row):
        """The value of a row, or None where it is missing."""
        x = self.table.arrays[column][row]
        if self.table.schema.columns[column].kind == "numeric":
            return None if math.isnan(x) else float(x)
        return None if x < 0 else int(x)

    def rows_of_values(self, column, rows):
        found = {}
        for i in rows:
            found.setdefault(self.value(column, i), set()).add(i)
        return found

    def orders(self, column, rows):
        """Lists of groups of rows; each is cut everywhere."""
        groups = self.rows_of_values(column, rows)
        if self.is_nominal(column):
            # Missing is a value like others, and the first where steps are equal.
            values = sorted(groups, key=lambda v: -1 if v is None else v)
            for d in range(self.g.shape[1]):

                def step(value, d=d):
                    g = sum(self.g[i, d] for i in groups[value])
                    h = sum(self.h[i, d] for i in groups[value]) + self.settings.cat_smooth
                    return g / h if h > 0 else 0.0

                yield [groups[v] for v in sorted(values, key=step)], set()
            return
        missing = groups.pop(None, set())
        yield [groups[v] for v in sorted(groups)], missing
        if missing:
            yield [groups[v] for v in sorted(groups)], set()

    def candidates(self, rows):
        """(gain, column, left rows) of all cuts that are allowed."""
        for column in range(self.table.n_columns):
            for groups, with_left in self.orders(column, rows):
                for n in range(1, len(groups)):
                    left = frozenset(set().union(*groups[:n]) | with_left)
                    if self.allowed(left) and self.allowed(rows - left):
                        yield self.gain(column, left, rows), column, left

    def allowed(self, rows):
        hessian = sum(float(self.h[i].sum()) for i in rows)
        return (
            len(rows) >= self.settings.min_samples_leaf
            and hessian >= self.settings.min_child_weight
        )

    def may_be_split(self, rows, depth):
        s = self.settings
        deep = s.max_depth is not None and depth >= s.max_depth
        return len(rows) >= max(2, 2 * s.min_samples_leaf) and not deep

    def best(self, rows, depth):
        """The cut with the largest gain, or None."""
        if not self.may_be_split(rows, depth):
            return None
        worth = self.worth(rows, self.settings.l2_regularization)
        least = max(self.settings.min_split_gain, ROUNDING * worth)
        found = [c for c in self.candidates(rows) if c[0] > least]
        return max(found, default=None, key=lambda c: self.rank(c, rows))

    def rank(self, candidate, rows):
        """What cuts are compared by."""
        gain, column, _ = candidate
        return gain - self.chance(column, rows)

    def chance(self, column, rows):
        """What noise gains by the choice of a cut, as far as the column may be noise."""
        if self.settings.selection != "adjusted" or not self.is_nominal(column):
            return 0.0
        groups = list(self.rows_of_values(column, rows).values())
        spread = freedom = 0.0
        for d in range(self.g.shape[1]):
            for sign, group in [*((1, group) for group in groups), (-1, rows)]:
                g, h = sum(self.g[i, d] for i in group), sum(self.h[i, d] for i in group)
                if h > 0:
                    spread, freedom = spread + sign * g * g / h, freedom + sign
        if freedom <= 0:
            return 0.0
        doubt = min(1.0, max(0.0, 1 - (spread - freedom) / math.sqrt(2 * freedom)))
        x = math.log(max(1, len(groups) - 1))
        by_cuts = 0.45 * x / (1 + 0.045 * x) * max(1, self.g.shape[1] - 1) ** 0.45
        return doubt * max(by_cuts, 2 / math.pi * (len(groups) - 2))

    def leaves(self, rows):
        """Sets of rows; the best cut first, and so the same as any order without a limit."""
        leaves = [(frozenset(rows), 0)]
        while self.settings.max_leaf_nodes is None or len(leaves) < self.settings.max_leaf_nodes:
            best = [(self.best(r, depth), r, depth) for r, depth in leaves]
            best = [b for b in best if b[0] is not None]
            if not best:
                break
            (_, _, left), here, depth = max(best, key=lambda b: self.rank(b[0], b[1]))
            leaves.remove((here, depth))
            leaves += [(left, depth + 1), (here - left, depth + 1)]
        return {r for r, _ in leaves}


def rows_of_nodes(tree, table, rows):
    """The rows that pass through each node."""
    through = [set() for _ in range(tree.n_nodes)]
    for i, node in zip(rows, tree.apply(table.take(np.array(rows))), strict=True):
        while node >= 0:
            through[node].add(int(i))
            node = tree.parent[node]
    return [frozenset(t) for t in through]


def all_cuts_of(groups):
    """Every division of groups of rows in two."""
    first, *rest = groups
    for chosen in range(2 ** len(rest) - 1):
        yield frozenset(first).union(*(r for i, r in enumerate(rest) if chosen >> i & 1))
