"""Slow twin of model trees: a plane through the numbers of a node beside one branch per value.

Growth follows the description of the paper step by step, for two classes: a support vector machine
over the columns scaled in the node, gain ratio, no thresholds, columns used up by a nominal test.
Where rounding may decide, a node says so, and the comparison ends there.
"""

from dataclasses import dataclass, field

import numpy as np

from reference import smooth_svm

NEAR = 1e-9  # scores as close as this are equal
ON_THE_PLANE = 1e-4  # distances as small as this may have either sign


@dataclass
class Node:
    counts: np.ndarray
    rows: np.ndarray
    label: int
    test: object = None  # "plane", or the place of a nominal column
    score: float = 0.0
    values: list = field(default_factory=list)  # of a nominal test, one for each child
    children: list = field(default_factory=list)
    sure: bool = True  # no rounding decides what is done here


def entropy(counts):
    shares = counts[counts > 0] / counts.sum()
    return -np.sum(shares * np.log2(shares))


def gain(groups):
    """Information gain of groups of class weights, in bits."""
    groups = np.asarray(groups, float)
    sizes = groups.sum(axis=1)
    after = sum(size * entropy(group) for size, group in zip(sizes, groups, strict=True) if size)
    return entropy(groups.sum(axis=0)) - after / sizes.sum()


def gain_ratio(groups):
    return gain(groups) / entropy(np.asarray(groups, float).sum(axis=1))


def scaled(X, weights):
    """Columns of mean 0 and variance 1, with what was taken off and divided by; constant ones 0."""
    mean = np.average(X, axis=0, weights=weights)
    deviation = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weights))
    varies = deviation > 1e-12 * np.abs(X).max(axis=0)
    divisor = np.where(varies, deviation, 1.0)
    return np.where(varies, (X - mean) / divisor, 0.0), mean, divisor


def svm_distances(X, signs, weights, cost):
    """Distances of rows from the plane of a node."""
    Z, _, _ = scaled(X, weights)
    z, _, _ = smooth_svm.fit(Z, signs, cost, None, weights)
    return Z @ z[:-1] + z[-1]


def counts_of(y, weights, rows):
    return np.bincount(y[rows], weights[rows], minlength=2)


def grow(numbers, nominal, y, weights=None, *, cost=1.0, min_instances=2, fewest=2):
    """Grow a tree from a matrix of numbers, a list of arrays of codes, and classes 0 and 1."""
    weights = np.ones(len(y)) if weights is None else weights
    everything = np.flatnonzero(weights > 0)
    return _grow(numbers, nominal, y, weights, everything, cost, min_instances, fewest)


def _grow(numbers, nominal, y, weights, rows, cost, min_instances, fewest):
    counts = counts_of(y, weights, rows)
    node = Node(counts, rows, int(np.argmax(counts)))
    if len(rows) < min_instances or (counts > 0).sum() < 2:
        return node
    found = []  # score, test, values, rows of the branches; nominal columns first
    for place, codes in enumerate(nominal):
        values = np.unique(codes[rows])
        branches = [rows[codes[rows] == value] for value in values]
        found.append((place, values.tolist(), branches))
    if numbers.shape[1]:
        signs = np.where(y[rows] == 1, 1.0, -1.0)
        distances = svm_distances(numbers[rows], signs, weights[rows], cost)
        node.sure &= bool(np.abs(distances).min() > ON_THE_PLANE)
        found.append(("plane", [], [rows[distances > 0], rows[distances <= 0]]))
    scored = []
    for test, values, branches in found:
        if sum(len(branch) >= fewest for branch in branches) < 2:
            continue
        groups = [counts_of(y, weights, branch) for branch in branches]
        if gain(groups) > NEAR:
            scored.append((gain_ratio(groups), test, values, branches))
    if not scored:
        return node
    best = max(score for score, *_ in scored)
    near = [one for one in scored if one[0] > best - NEAR]
    # Equal but for rounding: sure only where the counts are the same, since then so are the scores.
    node.sure &= all(one[0] > best - 1e-12 for one in near)
    node.score, node.test, node.values, branches = near[0]
    node.children = [
        _grow(numbers, nominal, y, weights, branch, cost, min_instances, fewest)
        for branch in branches
    ]
    return node


def one_hot(codes):
    """Zeros and ones of each value present, in order of the codes; -1 is a value too."""
    return (codes[:, None] == np.unique(codes)[None, :]).astype(float)


def mixed_plane(numbers, nominal, signs, weights, cost):
    """Weights of scaled numbers, weights of the values of each nominal column, and the constant.

    One machine over the scaled numbers and a column of zeros and ones for each value; every weight
    is penalised, the constant too.
    """
    Z, mean, deviation = scaled(numbers, weights)
    blocks = [one_hot(codes) for codes in nominal]
    z, _, _ = smooth_svm.fit(np.column_stack([Z, *blocks]), signs, cost, None, weights)
    ends = np.cumsum([Z.shape[1], *(block.shape[1] for block in blocks)])
    parts = np.split(z[:-1], ends[:-1])
    return parts[0], parts[1:], z[-1], mean, deviation
