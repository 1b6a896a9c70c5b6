"""Shapley values by their definition: all coalitions of columns, one row, one tree."""

from itertools import combinations
from math import factorial

import numpy as np

from mixedwood.explain.path import _find_child
from mixedwood.tree import FRACTIONAL, STOP, SplitKind


def prediction(tree, values, one, known, node=0):
    """What a tree predicts for a row of which some columns are known."""
    if tree.split_kind[node] == SplitKind.LEAF:
        return values[node]
    children = tree.children_of(node).tolist()
    weights = tree.weighted_n_node_samples[children]
    below = [prediction(tree, values, one, known, child) for child in children]
    mean = values[node]
    if weights.sum() > 0:
        mean = sum(w * b for w, b in zip(weights, below, strict=True)) / weights.sum()
    if int(tree.column[node]) not in known:
        return mean
    side = _find_child(tree, one, node)[1]
    if side == STOP:
        return values[node]
    return mean if side == FRACTIONAL else below[side]


def shapley(tree, values, one):
    """Value of each column (columns x outputs), and the prediction if none is known."""
    columns = range(len(tree.schema.columns))
    n = len(columns)
    found = np.zeros((n, values.shape[1]))
    for i in columns:
        others = [j for j in columns if j != i]
        for size in range(n):
            weight = factorial(size) * factorial(n - size - 1) / factorial(n)
            for chosen in combinations(others, size):
                without = prediction(tree, values, one, set(chosen))
                found[i] += weight * (prediction(tree, values, one, {*chosen, i}) - without)
    return found, prediction(tree, values, one, set())
