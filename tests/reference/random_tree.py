"""Slow twin of WEKA's RandomTree with all columns drawn."""

import itertools
import math

import numpy as np

from mixedwood.tree import FRACTIONAL, TreeBuilder
from reference.greedy import UnclearError

TOLERANCE = 1e-6


def entropy(counts):
    p = counts[counts > TOLERANCE] / counts.sum()
    return -(p * np.log2(p)).sum()


class RandomTree:
    """`rows` is a list of (row number, weight)."""

    def __init__(self, table, target):
        self.table, self.target = table, target
        weights = np.ones(table.n_rows) if target.weights is None else target.weights
        self.everyone = [(i, w) for i, w in enumerate(weights.tolist()) if w > 0]

    def counts(self, rows):
        found = np.zeros(self.target.n_classes)
        for i, weight in rows:
            found[self.target.codes[i]] += weight
        return found

    def is_missing(self, column, i):
        x = self.table.arrays[column][i]
        return math.isnan(x) if self.table.schema.columns[column].is_numeric else x < 0

    def deal(self, column, threshold, rows):
        """Rows of each branch; a row with a missing value goes to all, in proportion."""
        x, spec = self.table.arrays[column], self.table.schema.columns[column]
        branches = [[] for _ in range(2 if spec.is_numeric else spec.n_categories)]
        for i, weight in rows:
            if not self.is_missing(column, i):
                place = int(not x[i] < threshold) if spec.is_numeric else x[i]
                branches[place].append((i, weight))
        reached = [sum(w for _, w in branch) for branch in branches]
        for i, weight in rows:
            if self.is_missing(column, i):
                for branch, part in zip(branches, reached, strict=True):
                    if part / sum(reached) > TOLERANCE:
                        branch.append((i, weight * part / sum(reached)))
        return branches

    def gain(self, branches, rows):
        parts = [self.counts(b) for b in branches if b]
        total = sum(p.sum() for p in parts)
        return entropy(self.counts(rows)) - sum(p.sum() * entropy(p) for p in parts) / total

    def candidate(self, column, rows):
        """(gain, threshold); the threshold is chosen by the rows that have a number."""
        known = [(i, w) for i, w in rows if not self.is_missing(column, i)]
        if not known:
            return None
        if not self.table.schema.columns[column].is_numeric:
            return self.gain(self.deal(column, None, rows), rows), None
        numbers = sorted({self.table.arrays[column][i] for i, _ in known})
        best = None
        for below, above in itertools.pairwise(numbers):
            threshold = (below + above) / 2
            gain = self.gain(self.deal(column, threshold, known), known)
            if best is None or gain > best[0] + 1e-12:
                if best and gain < best[0] + 1e-9:
                    raise UnclearError
                best = gain, threshold
        if best is None:
            return None
        return self.gain(self.deal(column, best[1], rows), rows), best[1]

    def choose(self, rows):
        counts = self.counts(rows)
        if counts.sum() < 2 - TOLERANCE or np.count_nonzero(counts) < 2:
            return None
        best = None
        for column in range(self.table.n_columns):
            found = self.candidate(column, rows)
            if found is None:
                continue
            if abs(found[0] - TOLERANCE) < 1e-9:
                raise UnclearError
            if found[0] > TOLERANCE and (best is None or found[0] > best[1] + 1e-12):
                if best and found[0] < best[1] + 1e-8:
                    raise UnclearError
                best = column, *found
        return best

    def grow(self):
        builder = TreeBuilder(self.table.schema, self.target.classes, self.counts(self.everyone))
        waiting = [(0, self.everyone)]
        while waiting:
            node, rows = waiting.pop(0)
            chosen = self.choose(rows)
            if chosen is None:
                continue
            column, gain, threshold = chosen
            branches = self.deal(column, threshold, rows)
            counts = [self.counts(b) for b in branches]
            spec = self.table.schema.columns[column]
            if spec.is_numeric:
                high = np.nextafter(threshold, -np.inf)
                children = builder.split_interval(
                    node, spec.name, counts, high=high, missing=FRACTIONAL, score=gain
                )
            else:
                labels = [[v] if b else [] for v, b in zip(spec.categories, branches, strict=True)]
                children = builder.split_categories(
                    node, spec.name, counts, labels, missing=FRACTIONAL, score=gain
                )
            waiting += zip(children, branches, strict=True)
        return builder.build()
