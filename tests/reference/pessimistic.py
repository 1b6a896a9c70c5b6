"""Slow twin of pessimistic pruning: recursive, one row at a time, everything computed anew.

Written from the rules of C4.5 as WEKA's J48 has them. It returns nested tuples instead of a Tree:
(test, class weights, branches), where a test is None for a leaf.
"""

import math
from statistics import NormalDist

import numpy as np

from mixedwood.tree import SplitKind
from reference.tree import linear_total

TOLERANCE = 1e-6


def single(x):
    """J48 keeps the confidence in single precision."""
    return float(np.float32(x))


def extra_errors(total, wrong, confidence):
    if wrong < 1:
        none = total * (1 - single(confidence) ** (1 / total))
        return none + wrong * (extra_errors(total, 1, confidence) - none) if wrong else none
    if wrong + 0.5 >= total:
        return max(total - wrong, 0)
    z = NormalDist().inv_cdf(float(np.float32(1) - np.float32(confidence)))
    f = (wrong + 0.5) / total
    root = math.sqrt(f / total - f**2 / total + z**2 / (4 * total**2))
    return (f + z**2 / (2 * total) + z * root) / (1 + z**2 / total) * total - wrong


class Node:
    def __init__(self, tree, number):
        self.test = number  # the test is that of this node of the tree
        self.branches = [Node(tree, child) for child in tree.children_of(number)]
        self.rows = []  # (row, weight)


class Pessimistic:
    def __init__(self, tree, table, target, confidence=0.25, subtree_raising=True):
        self.tree, self.table, self.codes = tree, table, target.codes
        self.n_classes = len(target.classes)
        self.confidence, self.raising = confidence, subtree_raising
        weights = np.ones(table.n_rows) if target.weights is None else target.weights
        self.root = Node(tree, 0)
        self.fill(self.root, list(enumerate(weights.tolist())))

    def pruned(self):
        self.prune(self.root)
        return self.told(self.root)

    # Rows

    def position(self, test, row):
        """Which branch a row goes to; None when the test cannot say."""
        tree = self.tree
        kind, missing, unseen = (
            tree.split_kind[test],
            tree.missing_child[test],
            tree.unknown_child[test],
        )
        if kind == SplitKind.LINEAR:
            total = linear_total(tree, test, [array[row] for array in self.table.arrays])
            place = missing if total is None else int(not total > 0)
            return None if place < 0 else place
        x = self.table.arrays[tree.column[test]][row]
        numeric = tree.column_of(test).is_numeric
        if math.isnan(x) or (not numeric and x < 0):
            place = missing if numeric or x == -1 else unseen
            return None if place < 0 else place
        if kind == SplitKind.INTERVAL:
            return int(not tree.low[test] < x <= tree.high[test])
        codes, places = (a.tolist() for a in tree.categories_of(test))
        if x in codes:
            return places[codes.index(x)]
        # One branch for each declared value: the value's own branch was empty so far.
        n_branches = len(tree.children_of(test))
        if codes == places and n_branches == tree.column_of(test).n_categories and unseen == -1:
            return int(x)
        return None if unseen < 0 else int(unseen)

    def deal(self, node, rows):
        places = [self.position(node.test, i) for i, _ in rows]
        parts = [[] for _ in node.branches]
        for (i, w), place in zip(rows, places, strict=True):
            if place is not None:
                parts[place].append((i, w))
        weights = [sum(w for _, w in part) for part in parts]
        total = sum(weights)
        for (i, w), place in zip(rows, places, strict=True):
            if place is None:
                for part, known in zip(parts, weights, strict=True):
                    share = known / total if total > TOLERANCE else 1 / len(parts)
                    if share > TOLERANCE:
                        part.append((i, w * share))
        return parts

    def fill(self, node, rows):
        node.rows = rows
        if node.branches:
            for branch, part in zip(node.branches, self.deal(node, rows), strict=True):
                self.fill(branch, part)

    def counts(self, rows):
        counts = [0.0] * self.n_classes
        for i, w in rows:
            counts[self.codes[i]] += w
        return counts

    # Estimates

    def as_leaf(self, rows):
        counts = self.counts(rows)
        total, wrong = sum(counts), sum(counts) - max(counts)
        return 0 if total < TOLERANCE else wrong + extra_errors(total, wrong, self.confidence)

    def as_tree(self, node):
        if not node.branches:
            return self.as_leaf(node.rows)
        return sum(self.as_tree(branch) for branch in node.branches)

    def with_rows(self, node, rows):
        """Estimated errors of a subtree if it had these rows."""
        if not node.branches:
            return self.as_leaf(rows)
        parts = self.deal(node, rows)
        return sum(self.with_rows(b, p) for b, p in zip(node.branches, parts, strict=True))

    # Pruning

    def prune(self, node):
        if not node.branches:
            return
        for branch in node.branches:
            self.prune(branch)
        largest, most = None, 0.0
        for branch in node.branches:  # the last of equals
            weight = sum(w for _, w in branch.rows)
            if weight > most - TOLERANCE:
                largest, most = branch, weight
        tree, leaf = self.as_tree(node), self.as_leaf(node.rows)
        raised = self.with_rows(largest, node.rows) if self.raising else math.inf
        slack = 0.1 + TOLERANCE
        if leaf <= tree + slack and leaf <= raised + slack:
            node.branches = []
        elif raised <= tree + slack:
            node.test, node.branches = largest.test, largest.branches
            self.fill(node, node.rows)
            self.prune(node)

    def told(self, node):
        counts = np.round(self.counts(node.rows), 9).tolist()
        test = node.test if node.branches else None
        return test, counts, [self.told(branch) for branch in node.branches]
