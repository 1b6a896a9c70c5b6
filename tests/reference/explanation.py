"""Slow twin of explanations: one tree after the other, from the definition of each test."""

from collections import defaultdict

import numpy as np

from mixedwood.tree import FRACTIONAL, STOP, SplitKind
from reference.tree import child_position, shares


def row_of(table, row):
    """A row as the twin of routing takes it: column -> code or number."""
    return {place: array[row].item() for place, array in enumerate(table.arrays)}


def columns_asked(tree, node):
    """The column of a test, or the columns that a linear test weighs."""
    if tree.split_kind[node] != SplitKind.LINEAR:
        return (int(tree.column[node]),)
    terms = tree.terms_of(node)
    pairs = zip(terms.column.tolist(), terms.weight.tolist(), strict=True)
    return tuple(sorted({column for column, weight in pairs if weight != 0}))


def credit(tree, row, answers, found, node=0):
    """What the part of the tree below a node answers; changes are noted in `found`, whole row."""
    if tree.split_kind[node] == SplitKind.LEAF:
        return
    position, children = child_position(tree, node, row), tree.children_of(node)
    if position == STOP:
        return
    if position == FRACTIONAL:
        weights = tree.weighted_n_node_samples[children]
        if weights.sum() == 0:
            return
        parts = weights / weights.sum()
    else:
        parts = np.eye(len(children))[position]
    mean = sum(part * answers[child] for part, child in zip(parts, children, strict=True))
    found[columns_asked(tree, node)] += mean - answers[node]
    for part, child in zip(parts, children, strict=True):
        if part > 0:
            below = defaultdict(float)
            credit(tree, row, answers, below, int(child))
            for columns, change in below.items():
                found[columns] += part * change


def sum_of(members, row):
    """Bias and credits of trees with answers and weights."""
    bias, found = 0.0, defaultdict(float)
    for tree, answers, weight in members:
        alone = defaultdict(float)
        credit(tree, row, answers, alone)
        bias = bias + weight * answers[0]
        for columns, change in alone.items():
            found[columns] += weight * change
    return bias, dict(found)


def answer(tree, row, answers):
    """What the tree answers: nodes' answers by their shares of the row."""
    return sum(share * answers[node] for node, share in shares(tree, row).items())
