"""Slow twin of greedy growth by parts: every test of every column is made and scored, row by row.

Nothing is counted ahead, kept or handed down. A row at a node is a pair (row, weight).
"""

import math
from dataclasses import dataclass, field
from itertools import combinations, pairwise

import numpy as np
from scipy.stats import chi2

from mixedwood.tree import FRACTIONAL, STOP, SplitKind
from reference.adjusted_score import (
    adjusted_multiway,
    adjusted_nominal,
    adjusted_threshold,
    direction,
)
from reference.splits import score as score_of_partition

TIE = 1e-8  # scores nearer than this might be told apart by rounding
RANK_TIE = 1e-4  # likewise adjusted scores, where the library looks up the normal distribution


class UnclearError(Exception):
    """Two answers are right; which one is taken is not for this twin to say."""


@dataclass(frozen=True)
class Settings:
    criterion: str = "gini"
    missing: str = "learned"
    unseen: str = "stop"
    selection: str = "score"
    alpha: float = 1.0
    bonferroni: bool = False
    multiway: bool = False
    chi2_p: float | None = None
    second_value: float | None = None
    min_gain: float = 0.0
    max_depth: float = math.inf
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    max_leaf_nodes: float = math.inf
    best_first: bool = False


@dataclass
class Test:
    __test__ = False

    column: int
    kind: SplitKind
    score: float
    child_of: dict  # code or number -> child; None is a missing value
    high: float = math.inf
    n_children: int = 2


@dataclass
class Node:
    rows: list
    depth: int
    counts: np.ndarray
    test: Test | None = None
    children: list = field(default_factory=list)
    missing_child: int = STOP
    unknown_child: int = STOP


class Greedy:
    def __init__(self, table, target, settings):
        self.s = settings
        self.columns = table.schema.columns
        self.cells = [
            [None if (math.isnan(x) if column.is_numeric else x < 0) else x for x in array.tolist()]
            for column, array in zip(self.columns, table.arrays, strict=True)
        ]
        self.codes, self.n_classes = target.codes.tolist(), target.n_classes
        weights = [1.0] * target.n_rows if target.weights is None else target.weights.tolist()
        self.everyone = [(i, w) for i, w in enumerate(weights) if w > 0]
        self.fractional = settings.missing == "fractional"
        self.whole_weights = all(w == int(w) for w in weights)

    # What is known of rows

    def counts(self, rows):
        found = np.zeros(self.n_classes)
        for i, weight in rows:
            found[self.codes[i]] += weight
        return found

    def size(self, rows):
        """Rows; their weight where it is shared out, with room for rounding."""
        return sum(w for _, w in rows) + 1e-6 if self.fractional else len(rows)

    def by_value(self, column, rows):
        """Cell -> rows, in order; without missing cells."""
        found = {}
        for i, weight in rows:
            if self.cells[column][i] is not None:
                found.setdefault(self.cells[column][i], []).append((i, weight))
        return dict(sorted(found.items()))

    def without_value(self, column, rows):
        return [(i, w) for i, w in rows if self.cells[column][i] is None]

    def score(self, groups, left):
        """Score of a partition of groups of rows; `left` marks those of the first side."""
        A = np.array([self.counts(group) for group in groups])
        A = A[:, A.sum(0) > 0]
        if A.shape[1] < 2:
            return 0.0
        return float(score_of_partition(A, np.array(left), self.s.criterion))

    # Tests of one column

    def tests(self, column, rows):
        """All tests that the settings allow, in the order in which equal ones win."""
        if self.columns[column].kind != "nominal":
            found = self.thresholds(column, rows)
        elif not self.accepted(column, rows):
            found = []
        elif self.s.multiway:
            found = self.branches(column, rows)
        else:
            found = self.partitions(column, rows)
        if self.fractional:
            known = [r for group in self.by_value(column, rows).values() for r in group]
            share = self.counts(known).sum() / self.counts(rows).sum()
            for test in found:
                test.score *= share
                test.child_of[None] = FRACTIONAL
        return [t for t in found if t.score >= self.s.min_gain - 1e-12]

    def thresholds(self, column, rows):
        values = self.by_value(column, rows)
        lost = [] if self.fractional else self.without_value(column, rows)
        numbers, found = list(values), []
        for lost_left in (False, True) if lost else (False,):
            for t in range(1, len(numbers) + 1):
                sides = [[], []]
                for number in numbers:
                    sides[numbers.index(number) >= t] += values[number]
                sides[0 if lost_left else 1] += lost
                if (
                    min(map(len, sides)) == 0
                    or min(map(self.size, sides)) < self.s.min_samples_leaf
                ):
                    continue
                child_of = {x: int(i >= t) for i, x in enumerate(numbers)}
                if lost:
                    child_of[None] = 0 if lost_left else 1
                high = math.inf
                if t < len(numbers):
                    high = (numbers[t - 1] + numbers[t]) / 2
                    if not self.columns[column].is_numeric:
                        high = numbers[t - 1]
                score = self.score(sides, [True, False])
                found.append(Test(column, SplitKind.INTERVAL, score, child_of, high))
        return found

    def groups(self, column, rows):
        """Values of a nominal column at a node; a missing one is a value, unless shared out."""
        values = self.by_value(column, rows)
        if not self.fractional and self.without_value(column, rows):
            values[None] = self.without_value(column, rows)
        return values

    def accepted(self, column, rows):
        A = np.array([self.counts(group) for group in self.groups(column, rows).values()])
        if len(A) < 2:
            return False
        if self.s.chi2_p is not None:
            A_ = A[:, A.sum(0) > 0]
            if A_.shape[1] > 1:
                p = self.chi2_sf(pearson(A_), (A_.shape[0] - 1) * (A_.shape[1] - 1))
                if abs(p - self.s.chi2_p) < TIE:
                    raise UnclearError
                if p >= self.s.chi2_p:
                    return False
        return self.s.second_value is None or sorted(A.sum(1))[-2] >= self.s.second_value

    @staticmethod
    def chi2_sf(statistic, df):
        return float(chi2.sf(statistic, df))

    def partitions(self, column, rows):
        """The best partition into two groups, of all that there are."""
        values = self.groups(column, rows)
        names = list(values)
        found = []
        for size in range(len(names) - 1):
            for with_first in combinations(names[1:], size):
                left = {names[0], *with_first}
                score = self.score(values.values(), [name in left for name in names])
                child_of = {name: int(name not in left) for name in names}
                found.append(Test(column, SplitKind.SUBSET, score, child_of))
        if not found:
            return []
        found.sort(key=lambda t: -t.score)
        if len(found) > 1 and found[0].score - found[1].score < TIE:
            raise UnclearError
        for side in (0, 1):
            rows_of_side = [r for v, c in found[0].child_of.items() if c == side for r in values[v]]
            if self.size(rows_of_side) < self.s.min_samples_leaf:
                raise UnclearError  # the search may take any other
        return found[:1]

    def branches(self, column, rows):
        values = self.groups(column, rows)
        large = [g for g in values.values() if self.size(g) >= self.s.min_samples_leaf]
        if len(large) < 2:
            return []
        A = np.array([self.counts(group) for group in values.values()])
        child_of = {name: place for place, name in enumerate(values)}
        score = multiway_score(A, self.s.criterion)
        return [Test(column, SplitKind.MULTIWAY, score, child_of, n_children=len(values))]

    # Choice

    def candidate(self, column, rows):
        best = None
        for test in self.tests(column, rows):
            if best is None or self.is_more(test.score, best.score):
                best = test
        return best

    def is_more(self, a, b):
        scale = max(abs(a), abs(b), 1e-3)
        if 1e-13 * scale < abs(a - b) < TIE * scale:
            raise UnclearError
        return a - b > TIE * scale

    def choose(self, node):
        if node.depth >= self.s.max_depth or np.count_nonzero(node.counts) < 2:
            return None
        if self.size(node.rows) < self.s.min_samples_split:
            return None
        if self.s.selection == "significance":
            return self.most_significant(node.rows)
        if self.s.selection == "adjusted":
            return self.best_adjusted(node.rows)
        best = None
        for column in range(len(self.columns)):
            test = self.candidate(column, node.rows)
            if test is not None and (best is None or self.is_more(test.score, best.score)):
                best = test
        return best

    def best_adjusted(self, rows):
        tests = [self.candidate(column, rows) for column in range(len(self.columns))]
        ranked = [(self.rank(test, rows), test) for test in tests if test is not None]
        if not ranked:
            return None
        ranked.sort(key=lambda entry: (-entry[0], entry[1].column))
        for (a, first), (b, other) in pairwise(ranked[:2]):
            same = self.cells[first.column] == self.cells[other.column]
            if not same and a - b < RANK_TIE * max(abs(a), abs(b), 1e-2):
                raise UnclearError
        return ranked[0][1]

    def n_rows(self, rows):
        """A weight of 2 is two rows, where all weights are whole."""
        if self.whole_weights:
            return sum(w for _, w in rows)
        if self.fractional:  # parts of rows
            return sum(w for _, w in rows) * len(self.everyone) / sum(w for _, w in self.everyone)
        return len(rows)

    def rank(self, test, rows):
        """What the test is compared by: its adjusted score."""
        if test.kind == SplitKind.INTERVAL:
            values = self.by_value(test.column, rows)
            sides = [[], []]
            for i, weight in rows:
                child = test.child_of.get(self.cells[test.column][i], FRACTIONAL)
                if child != FRACTIONAL:
                    sides[child].append((i, weight))
            adjusted = adjusted_threshold(
                np.array([self.counts(side) for side in sides]), self.counts(rows),
                test.score, self.s.criterion, len(values), self.n_rows(rows),
            )  # fmt: skip
            return min(test.score, adjusted)
        values = self.groups(test.column, rows)
        A = np.array([self.counts(group) for group in values.values()])
        known = [self.n_rows(group) for group in values.values()]
        if np.count_nonzero(A.sum(0)) < 2:
            return test.score
        if test.kind == SplitKind.MULTIWAY:
            return min(test.score, adjusted_multiway(A, test.score, sum(known)))
        left = np.array([test.child_of[value] == 0 for value in values])
        towards = direction(np.array([A[left].sum(0), A[~left].sum(0)]))
        if (np.abs(towards[A.sum(0) > 0]) < TIE).any():
            raise UnclearError  # a sign that is nothing but rounding
        adjusted = adjusted_nominal(A, left, test.score, self.s.criterion, known, sum(known))
        return min(test.score, adjusted)

    def p_value(self, column, rows):
        """p-value of conditional inference, by its closed form; None for a constant column."""
        values = self.by_value(column, rows)
        if len(values) < 2:
            return None
        A = np.array([self.counts(group) for group in values.values()])
        A = A[:, A.sum(0) > 0]
        n, k = A.shape
        total = A.sum()
        if k < 2:
            return 1.0
        if self.columns[column].kind == "nominal":
            return self.chi2_sf((total - 1) / total * pearson(A), (n - 1) * (k - 1))
        x = np.array(list(values), float)[:, None]
        mean = (A * x).sum() / total
        within = (A * x).sum(0) / A.sum(0)
        between = (A.sum(0) * (within - mean) ** 2).sum() / (A * (x - mean) ** 2).sum()
        return self.chi2_sf((total - 1) * between, k - 1)

    def most_significant(self, rows):
        if sum(w for _, w in rows) <= 1.5:
            raise UnclearError  # the statistic has N - 1 in it
        p_values = {c: self.p_value(c, rows) for c in range(len(self.columns))}
        p_values = {c: p for c, p in p_values.items() if p is not None}
        ordered = sorted(p_values.items(), key=lambda entry: (entry[1], entry[0]))
        for (_, a), (_, b) in pairwise(ordered):
            if abs(a - b) < TIE:
                raise UnclearError
        for column, p in ordered:
            adjusted = 1 - (1 - p) ** len(ordered) if self.s.bonferroni else p
            if abs(adjusted - self.s.alpha) < TIE < 1 - self.s.alpha:
                raise UnclearError
            if adjusted > self.s.alpha:
                return None
            test = self.candidate(column, rows)
            if test is not None:
                return test
        return None

    # Growth

    def grow(self):
        root = self.node(self.everyone, 0)
        waiting, leaves = [root] if root.test else [], 1
        while waiting and leaves < self.s.max_leaf_nodes:
            node = self.next_of(waiting)
            if leaves + node.test.n_children - 1 > self.s.max_leaf_nodes:
                node.test = None
                continue
            leaves += node.test.n_children - 1
            node.children = [self.node(rows, node.depth + 1) for rows in self.deal(node)]
            self.choose_sides(node)
            waiting += [child for child in reversed(node.children) if child.test]
        for node in waiting:
            node.test = None
        return root

    def node(self, rows, depth):
        node = Node(rows, depth, self.counts(rows))
        node.test = self.choose(node)
        return node

    def next_of(self, waiting):
        if not self.s.best_first:
            return waiting.pop()
        worth = [
            n.test.score * (1 if self.s.criterion == "chi2" else n.counts.sum()) for n in waiting
        ]
        first, *others = sorted(worth, reverse=True)
        if others and first - others[0] < TIE and self.s.max_leaf_nodes < math.inf:
            raise UnclearError
        return waiting.pop(int(np.argmax(worth)))

    def deal(self, node):
        branches = [[] for _ in range(node.test.n_children)]
        cells = self.cells[node.test.column]
        for i, weight in node.rows:
            child = node.test.child_of[cells[i]]
            if child != FRACTIONAL:
                branches[child].append((i, weight))
        reached = [sum(w for _, w in branch) for branch in branches]
        for i, weight in node.rows:
            if node.test.child_of[cells[i]] == FRACTIONAL:
                for branch, part in zip(branches, reached, strict=True):
                    if part / sum(reached) > 1e-6:
                        branch.append((i, weight * part / sum(reached)))
        return branches

    def choose_sides(self, node):
        """Children for values that the test cannot place."""
        weights = [child.counts.sum() for child in node.children]
        heavier = weights.index(max(weights))
        close = sorted(weights)[-2:]
        if close[1] - close[0] < TIE and close[0] != close[1]:
            raise UnclearError
        met = None in node.test.child_of
        node.missing_child = node.test.child_of[None] if met else heavier
        node.unknown_child = {
            "stop": STOP, "missing": node.missing_child, "majority": heavier
        }[self.s.unseen]  # fmt: skip
        if self.s.missing == "category" and not met and node.test.kind != SplitKind.INTERVAL:
            node.missing_child = node.unknown_child


def pearson(A):
    expected = np.outer(A.sum(1), A.sum(0)) / A.sum()
    return ((A - expected) ** 2 / expected).sum()


def multiway_score(A, criterion):
    def impurity(counts):
        p = counts[counts > 0] / counts.sum()
        return 1 - (p**2).sum() if criterion == "gini" else -(p * np.log2(p)).sum()

    sizes = A.sum(1)
    gain = (
        impurity(A.sum(0))
        - sum(n * impurity(row) for n, row in zip(sizes, A, strict=True)) / A.sum()
    )
    return gain / impurity(sizes) if criterion == "gain_ratio" else gain


def assert_same(tree, node, place=0):
    """The library's tree from `place` on is the twin's from `node` on."""
    np.testing.assert_allclose(tree.statistics[place], node.counts, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(tree.weighted_n_node_samples[place], node.counts.sum(), rtol=1e-9)
    assert node.counts[tree.label[place]] >= node.counts.max() - 1e-9
    if node.test is None:
        assert tree.split_kind[place] == SplitKind.LEAF
        return
    test = node.test
    assert tree.split_kind[place] == test.kind
    assert tree.column[place] == test.column
    np.testing.assert_allclose(tree.score[place], test.score, rtol=1e-9, atol=1e-11)
    # Of children that weigh the same but for the rounding of parts of rows, either is the heavier.
    weights = tree.weighted_n_node_samples[tree.children_of(place)]
    for found, wanted in (
        (tree.missing_child[place], node.missing_child),
        (tree.unknown_child[place], node.unknown_child),
    ):
        tied = min(found, wanted) >= 0 and math.isclose(
            weights[found], weights[wanted], rel_tol=1e-12
        )
        assert found == wanted or (tied and max(weights) <= weights[found] * (1 + 1e-12))
    if test.kind == SplitKind.INTERVAL:
        assert tree.low[place] == -math.inf
        assert tree.high[place] == test.high
    else:
        codes, positions = tree.categories_of(place)
        listed = dict(zip(codes.tolist(), positions.tolist(), strict=True))
        assert listed == {v: c for v, c in test.child_of.items() if v is not None}
    children = tree.children_of(place)
    assert len(children) == len(node.children)
    for child, twin in zip(children.tolist(), node.children, strict=True):
        assert_same(tree, twin, child)
