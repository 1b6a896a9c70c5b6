"""Slow twin of the search for the best tree on a 0/1 matrix: everything is tried.

A set of rows is a whole number with one bit per row. The cost of a tree is the weight of its wrong
rows plus `leaf_cost` for each leaf; `max_nodes` counts tests; a test may stand if both sides have
at least `min_leaf` rows. Rows of weight 0 are left out before anything is counted.
"""

from functools import cache

import numpy as np


class Problem:
    """Rows, columns and classes as bits, and what a leaf costs."""

    def __init__(self, matrix, classes, weights, n_classes, leaf_cost=0, min_leaf=1):
        matrix, classes = np.asarray(matrix), np.asarray(classes)
        weights = np.ones(len(classes), int) if weights is None else np.asarray(weights)
        kept = weights > 0
        matrix, classes, weights = matrix[kept], classes[kept], weights[kept]
        self.everyone = (1 << len(classes)) - 1
        self.columns = [bits(column == 1) for column in matrix.T]
        self.groups = [  # rows of equal class and weight
            (k, int(w), bits((classes == k) & (weights == w)))
            for k in range(n_classes)
            for w in np.unique(weights[classes == k])
        ]
        self.n_classes, self.leaf_cost, self.min_leaf = n_classes, leaf_cost, max(1, min_leaf)

    def counts(self, rows):
        """Weight of each class."""
        found = [0] * self.n_classes
        for k, weight, members in self.groups:
            found[k] += weight * (rows & members).bit_count()
        return found

    def leaf(self, rows):
        counts = self.counts(rows)
        return sum(counts) - max(counts) + self.leaf_cost

    def sides(self, rows, column):
        """Rows that answer yes and rows that answer no; None if the test may not stand."""
        yes = rows & self.columns[column]
        no = rows & ~self.columns[column]
        return (yes, no) if min(yes.bit_count(), no.bit_count()) >= self.min_leaf else None

    def all_sides(self, rows):
        sides = (self.sides(rows, column) for column in range(len(self.columns)))
        return {pair for pair in sides if pair is not None}


def bits(marks):
    return sum(1 << int(i) for i in np.flatnonzero(marks))


def solve_all(
    matrix, classes, weights, n_classes, max_depth, max_nodes=None, leaf_cost=0, min_leaf=1
):
    """Least cost of each budget: {(depth, nodes): cost} up to the given ones."""
    problem = Problem(matrix, classes, weights, n_classes, leaf_cost, min_leaf)
    sides = cache(problem.all_sides)
    leaf = cache(problem.leaf)

    @cache
    def least(rows, depth, nodes):
        best = leaf(rows)
        if nodes == 0 or best == leaf_cost:
            return best
        most = 2 ** (depth - 1) - 1  # nodes that fit below one side
        for yes, no in sides(rows):
            for n_yes in range(max(0, nodes - 1 - most), min(most, nodes - 1) + 1):
                cost = least(yes, depth - 1, n_yes)
                if cost < best:
                    best = min(best, cost + least(no, depth - 1, nodes - 1 - n_yes))
        return best

    found = {}
    for depth in range(max_depth + 1):
        full = 2**depth - 1
        for nodes in range((full if max_nodes is None else max_nodes) + 1):
            found[depth, nodes] = least(problem.everyone, depth, min(nodes, full))
    return found


def solve(matrix, classes, weights, n_classes, max_depth, max_nodes=None, leaf_cost=0, min_leaf=1):
    """Least cost of any tree within the budget; no `max_nodes` is as many as the depth allows."""
    full = 2**max_depth - 1
    nodes = full if max_nodes is None else min(max_nodes, full)
    depth = min(max_depth, nodes)
    budgets = solve_all(matrix, classes, weights, n_classes, depth, nodes, leaf_cost, min_leaf)
    return budgets[depth, nodes]


def check_tree(
    result,
    matrix,
    classes,
    weights,
    n_classes,
    max_depth,
    max_nodes=None,
    leaf_cost=0,
    min_leaf=1,
):
    """Walk a solver's tree from node 0, fail if it breaks a limit; the cost counted anew."""
    problem = Problem(matrix, classes, weights, n_classes, leaf_cost, min_leaf)
    tree = result.tree
    test, yes, no = tree.column.tolist(), tree.if_true.tolist(), tree.if_false.tolist()
    assert len(test) == len(yes) == len(no) > 0
    visited = []

    def walk(node, rows, depth):
        assert 0 <= node < len(test), f"node {node} is not there"
        assert node not in visited, f"node {node} is reached twice"
        visited.append(node)
        if test[node] == -1:
            return problem.leaf(rows)
        assert 0 <= test[node] < len(problem.columns), f"column {test[node]} is not there"
        assert depth < max_depth, f"deeper than {max_depth}"
        sides = problem.sides(rows, test[node])
        assert sides is not None, f"column {test[node]} leaves less than {min_leaf} rows on a side"
        cost = walk(yes[node], sides[0], depth + 1) + walk(no[node], sides[1], depth + 1)
        assert cost < problem.leaf(rows), f"node {node} is no better than a leaf"
        return cost

    cost = walk(0, problem.everyone, 0)
    assert len(visited) == len(test), "some nodes are not reached"
    n_nodes = sum(column != -1 for column in test)
    assert max_nodes is None or n_nodes <= max_nodes, f"{n_nodes} tests, more than {max_nodes}"
    assert cost == result.objective_value, f"costs {cost}, not {result.objective_value}"
    return cost


def gini(problem, rows):
    counts = problem.counts(rows)
    return sum(counts) - sum(c * c for c in counts) / sum(counts) if sum(counts) else 0.0


def greedy_cost(
    matrix, classes, weights, n_classes, max_depth, max_nodes=None, leaf_cost=0, min_leaf=1
):
    """Cost of the tree that takes the best split by Gini each time, the best of all leaves first.

    The first column wins ties. At the end tests that do not pay are taken back.
    """
    problem = Problem(matrix, classes, weights, n_classes, leaf_cost, min_leaf)
    most = 2**max_depth - 1 if max_nodes is None else max_nodes
    children = {}  # path -> paths of its two sides; a path is a tuple of answers
    rows_of = {(): problem.everyone}

    def best_split(path):
        rows, found = rows_of[path], (0.0, None)
        for column in range(len(problem.columns) if len(path) < max_depth else 0):
            if (sides := problem.sides(rows, column)) is not None:
                gain = gini(problem, rows) - sum(gini(problem, side) for side in sides)
                if gain > found[0] + 1e-9:
                    found = (gain, sides)
        return found

    splits = {(): best_split(())}
    while splits and len(children) < most:
        path = max(splits, key=lambda path: splits[path][0])
        _, sides = splits.pop(path)
        if sides is None:
            break
        children[path] = [(*path, True), (*path, False)]
        for child, rows in zip(children[path], sides, strict=True):
            rows_of[child] = rows
            splits[child] = best_split(child)

    def cost(path):
        leaf = problem.leaf(rows_of[path])
        return min(leaf, sum(map(cost, children[path]))) if path in children else leaf

    return cost(())
