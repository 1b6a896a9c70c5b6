"""Slow twin of C4.5 trees as WEKA's J48 grows them, unpruned, with collapsing.

Straight from the specification: one row at a time, nothing reused. It makes the library's one
Tree, so it also shows that the Tree can hold what C4.5 needs: multiway tests with empty branches,
and rows with missing values shared out among the children.
"""

import math

import numpy as np

from mixedwood.tree import FRACTIONAL, STOP, SplitKind, TreeBuilder
from reference.splits import c45_groups

TOLERANCE = 1e-6


def x_log_x(v):
    return 0.0 if v < TOLERANCE else v * math.log2(v)


def entropy_sum(counts):
    """Entropy in bits times weight."""
    return x_log_x(sum(counts)) - sum(map(x_log_x, counts))


class J48:
    """Grow, then collapse. `rows` is a list of (row number, weight)."""

    def __init__(self, table, target, min_weight=2, group_values=False):
        self.table, self.min_weight = table, min_weight
        self.group_values = group_values  # as C4.5 with its option -s; J48 has none
        self.codes, self.n_classes = target.codes, len(target.classes)
        self.classes = target.classes
        weights = np.ones(table.n_rows) if target.weights is None else target.weights
        self.everyone = [(i, w) for i, w in enumerate(weights.tolist()) if w > 0]
        self.n_training = len(self.everyone)

    # Candidates

    def counts(self, rows):
        found = np.zeros(self.n_classes)
        for i, w in rows:
            found[self.codes[i]] += w
        return found

    def is_missing(self, column, i):
        x = self.table.arrays[column][i]
        return math.isnan(x) if self.table.schema.columns[column].is_numeric else x < 0

    def candidate(self, column, rows):
        """(gain, ratio, test) of a column, or None. A test is a threshold, or groups of codes."""
        known = [(i, w) for i, w in rows if not self.is_missing(column, i)]
        if self.table.schema.columns[column].is_numeric:
            return self.numeric(column, rows, known)
        return self.nominal(column, rows, known)

    def gain(self, branches, rows, known):
        total, reached = (sum(w for _, w in r) for r in (rows, known))
        saved = entropy_sum(self.counts(known)) - sum(map(entropy_sum, branches))
        saved *= reached / total
        return 0.0 if abs(saved) < TOLERANCE else saved / reached

    def split_information(self, branches, rows, known):
        total, reached = (sum(w for _, w in r) for r in (rows, known))
        parts = [sum(b) for b in branches] + [total - reached]
        return x_log_x(total) - sum(map(x_log_x, parts))  # in bits times weight

    def ratio(self, gain, branches, rows, known):
        information = self.split_information(branches, rows, known)
        total = sum(w for _, w in rows)
        return 0.0 if abs(information) < TOLERANCE else gain / (information / total)

    def nominal(self, column, rows, known):
        n_values = self.table.schema.columns[column].n_categories
        branches = [
            self.counts([(i, w) for i, w in known if self.table.arrays[column][i] == v])
            for v in range(n_values)
        ]
        groups = [[v] for v in range(n_values)]
        if self.group_values:
            met = [v for v in groups if sum(branches[v[0]]) > 0]
            A = np.array([branches[v[0]] for v in met])
            if len(A) < 2:
                return None
            missing = sum(w for _, w in rows) - sum(w for _, w in known)
            merged, _ = c45_groups(A, A.sum(1), self.min_weight - TOLERANCE, max(0.0, missing))
            groups = [[met[i][0] for i in group] for group in merged]
            branches = [sum(branches[v] for v in group) for group in groups]
        if sum(sum(b) >= self.min_weight - TOLERANCE for b in branches) < 2:
            return None
        gain = self.gain(branches, rows, known)
        return gain, self.ratio(gain, branches, rows, known), groups

    def numeric(self, column, rows, known):
        x = self.table.arrays[column]
        known = sorted(known, key=lambda r: x[r[0]])
        reached = sum(w for _, w in known)
        total = sum(w for _, w in rows)
        least = 0.1 * reached / self.n_classes
        least = self.min_weight if least <= self.min_weight + TOLERANCE else min(least, 25)
        if len(known) < 2 * least - TOLERANCE:
            return None
        best, tries = (-1.0, None, None), 0
        for t in range(1, len(known)):
            below, above = x[known[t - 1][0]], x[known[t][0]]
            if not below + 1e-5 < above:
                continue
            sides = self.counts(known[:t]), self.counts(known[t:])
            if min(map(sum, sides)) < least - TOLERANCE:
                continue
            tries += 1
            gain = self.gain(sides, rows, known)
            if gain > best[0] + TOLERANCE:
                best = gain, sides, (below + above) / 2 if (below + above) / 2 < above else below
        if not tries:
            return None
        gain = best[0] - math.log2(tries) / total
        if gain <= TOLERANCE:
            return None
        return gain, self.ratio(gain, best[1], rows, known), best[2]

    def choose(self, rows):
        """(column, test) of the best candidate, or None."""
        counts = self.counts(rows)
        if sum(counts) < 2 * self.min_weight - TOLERANCE or max(counts) >= sum(counts) - TOLERANCE:
            return None
        found = {c: self.candidate(c, rows) for c in range(self.table.n_columns)}
        found = {c: f for c, f in found.items() if f is not None}
        columns = self.table.schema.columns
        limit = 0.3 * self.n_training - TOLERANCE
        many = {
            c for c, col in enumerate(columns) if not col.is_numeric and col.n_categories >= limit
        }
        averaged = [f[0] for c, f in found.items() if c not in many or len(many) == len(columns)]
        if not averaged:
            return None
        average = sum(averaged) / len(averaged)
        best_ratio, best = 0.0, None
        for c, (gain, ratio, test) in found.items():
            if gain >= average - 1e-3 and ratio > best_ratio + TOLERANCE:
                best_ratio, best = ratio, (c, test)
        return best

    # The tree

    def grow(self, collapse=True):
        rows = self.everyone
        builder = TreeBuilder(self.table.schema, self.classes, self.counts(rows))
        waiting = [(0, rows)]
        while waiting:
            node, here = waiting.pop()
            chosen = self.choose(here)
            if chosen is None:
                continue
            column, test = chosen
            branches = self.deal(column, test, here)
            counts = [self.counts(b) for b in branches]
            spec = self.table.schema.columns[column]
            if isinstance(test, list):
                labels = [[spec.categories[v] for v in group] for group in test]
                # Values without a training row answer with this node's classes.
                for g, b in enumerate(branches):
                    if not b:
                        labels[g] = []
                children = builder.split_categories(
                    node, spec.name, counts, labels, missing=FRACTIONAL, unknown=STOP
                )
            else:
                high = self.threshold_among_rows(column, test)
                children = builder.split_interval(
                    node, spec.name, counts, high=high, missing=FRACTIONAL
                )
            waiting += list(zip(children, branches, strict=True))
        tree = builder.build()
        return self.collapsed(tree) if collapse else tree

    def threshold_among_rows(self, column, threshold):
        """The largest number of all training rows that is at most the threshold.

        J48 compares with a tolerance here, and again when it places rows: numbers that are larger
        by less than 1e-6 still go left. Row by row, since the first of near ones stays.
        """
        numbers = [x for x in self.table.arrays[column].tolist() if not math.isnan(x)]
        found = -math.inf
        for x in numbers:
            if x - found > TOLERANCE and x - threshold < TOLERANCE:
                found = x
        return max(x for x in numbers if x - found < TOLERANCE)

    def deal(self, column, test, rows):
        """Rows of each branch; a row with a missing value goes to all, in proportion."""
        x = self.table.arrays[column]
        nominal = isinstance(test, list)
        branches = [[] for _ in range(len(test) if nominal else 2)]
        known = [r for r in rows if not self.is_missing(column, r[0])]
        for i, w in known:
            if nominal:
                place = next(g for g, group in enumerate(test) if x[i] in group)
            else:
                place = int(x[i] > test)
            branches[place].append((i, w))
        reached = sum(w for _, w in known)
        shares = [sum(w for _, w in b) / reached for b in branches]
        for i, w in rows:
            if self.is_missing(column, i):
                for branch, share in zip(branches, shares, strict=True):
                    if share > TOLERANCE:
                        branch.append((i, w * share))
        return branches

    @staticmethod
    def collapsed(tree):
        """Top down, make a leaf of each node below which training errors are hardly fewer."""
        errors = tree.statistics.sum(axis=1) - tree.statistics.max(axis=1)
        below = errors.copy()
        for node in range(tree.n_nodes - 1, -1, -1):
            if tree.split_kind[node] != SplitKind.LEAF:
                below[node] = below[tree.children_of(node)].sum()
        cut, waiting = [], [0]
        while waiting:
            node = waiting.pop()
            if tree.split_kind[node] == SplitKind.LEAF:
                continue
            if below[node] >= errors[node] - 1e-3:
                cut.append(node)
            else:
                waiting += tree.children_of(node).tolist()
        return tree.prune_at(cut)
