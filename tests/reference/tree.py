"""Slow twin of routing: one row at a time, straight from the definition of each test."""

import math
from fractions import Fraction

import numpy as np

from mixedwood.tree import FRACTIONAL, STOP, SplitKind


def child_position(tree, node, row):
    """Position of the child for a row (column -> code or number), or STOP, FRACTIONAL."""
    kind = tree.split_kind[node]
    missing, unseen = tree.missing_child[node], tree.unknown_child[node]
    if kind == SplitKind.LINEAR:
        total = linear_total(tree, node, row)
        return missing if total is None else 0 if total > 0 else 1
    x = row[tree.column[node]]
    coded = not tree.column_of(node).is_numeric
    if (coded and x == -1) or (not coded and math.isnan(x)):
        return missing
    if coded and x == -2:
        return unseen
    if kind == SplitKind.INTERVAL:
        return 0 if tree.low[node] < x <= tree.high[node] else 1
    codes, positions = tree.categories_of(node)
    return dict(zip(codes.tolist(), positions.tolist(), strict=True)).get(int(x), unseen)


def linear_parts(tree, node, row):
    """Summands of a linear split, exactly: fractions, infinities, or None where one is missing."""
    parts = [Fraction(tree.intercept[node].item())]
    terms = (entries.tolist() for entries in tree.terms_of(node))
    for column, value, weight, fill in zip(*terms, strict=True):
        x = float(row[column])
        if value != -1:
            parts.append(Fraction(weight) if x == value else Fraction(0))
            continue
        if math.isnan(x) or (x < 0 and not tree.schema.columns[column].is_numeric):
            x = fill
        if math.isnan(x):
            return None
        if weight == 0:
            continue
        if math.isinf(x):
            parts.append(x if weight > 0 else -x)
        else:
            parts.append(Fraction(weight) * Fraction(x))
    return parts


def linear_total(tree, node, row):
    """What a linear split compares with zero, exactly; None if it has no value."""
    parts = linear_parts(tree, node, row)
    if parts is None:
        return None
    infinite = {part for part in parts if isinstance(part, float)}
    if infinite:
        return infinite.pop() if len(infinite) == 1 else None
    return sum(parts)


def shares(tree, row, node=0, share=1.0):
    """Answering nodes of a row, each with its share."""
    if tree.split_kind[node] == SplitKind.LEAF:
        return {node: share}
    position = child_position(tree, node, row)
    children = tree.children_of(node)
    if position == STOP:
        return {node: share}
    if position != FRACTIONAL:
        return shares(tree, row, int(children[position]), share)
    reached = tree.weighted_n_node_samples[children].sum()
    if reached == 0:
        return {node: share}
    found = {}
    for child in children:
        part = share * tree.weighted_n_node_samples[child] / reached
        if part > 0:
            found.update(shares(tree, row, int(child), part))
    return found


def assert_same_trees(tree, other, node=0, place=0):
    """Same tests and counts from the two nodes on, however the nodes are numbered."""
    np.testing.assert_allclose(tree.statistics[node], other.statistics[place], rtol=1e-9, atol=1e-9)
    assert tree.column[node] == other.column[place]
    assert (tree.split_kind[node] == SplitKind.LEAF) == (other.split_kind[place] == SplitKind.LEAF)
    if tree.split_kind[node] == SplitKind.LEAF:
        return
    assert tree.high[node] == other.high[place]
    assert tree.missing_child[node] == other.missing_child[place]
    for ours, theirs in zip(tree.categories_of(node), other.categories_of(place), strict=True):
        assert ours.tolist() == theirs.tolist()
    pairs = zip(tree.children_of(node), other.children_of(place), strict=True)
    for child, twin in pairs:
        assert_same_trees(tree, other, int(child), int(twin))
