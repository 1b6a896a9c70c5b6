"""Slow twin of AdaBoost.M1 (Freund and Schapire 1996) as WEKA has it, and of SAMME (Zhu 2009)."""

import math

import numpy as np

from mixedwood.data import Target
from reference.tree import shares

TOLERANCE = 1e-6


def answer(tree, row):
    """The class of one row: largest share, the first of equals."""
    found = np.zeros(len(tree.classes))
    for node, share in shares(tree, row).items():
        counts = tree.statistics[node]
        found += share * (counts / counts.sum())
    if not tree.is_fractional:
        (node,) = shares(tree, row)
        return int(tree.label[node])
    return next(k for k, f in enumerate(found) if f >= max(found) - 1e-6)


def adaboost(table, target, grow, n_rounds, samme=False, learning_rate=1.0):
    """Trees, votes and the weights that each tree was grown with."""
    n, n_classes = table.n_rows, target.n_classes
    rows = [[array[i] for array in table.arrays] for i in range(n)]
    weights = [1.0] * n if target.weights is None else target.weights.tolist()
    total = sum(weights)
    guessing = (n_classes - 1) / n_classes if samme else 0.5
    trees, votes, history = [], [], []
    while len(trees) < n_rounds:
        tree = grow(Target(target.classes, target.codes, np.array(weights)))
        wrong = [answer(tree, row) != c for row, c in zip(rows, target.codes, strict=True)]
        error = sum(w for w, is_wrong in zip(weights, wrong, strict=True) if is_wrong) / total
        if error <= TOLERANCE or error >= guessing - TOLERANCE:
            if not trees:
                trees, votes = [tree], [1.0]
                history.append(weights)
            break
        history.append(weights)
        vote = math.log((1 - error) / error)
        if samme:
            vote += math.log(n_classes - 1)
        vote *= learning_rate
        trees.append(tree)
        votes.append(vote)
        raised = [w * math.exp(vote) if x else w for w, x in zip(weights, wrong, strict=True)]
        weights = [w * total / sum(raised) for w in raised]
    return trees, votes, history


def shares_of_classes(trees, votes, row):
    found = np.zeros(len(trees[0].classes))
    for tree, vote in zip(trees, votes, strict=True):
        found[answer(tree, row)] += vote
    return found / found.sum()
