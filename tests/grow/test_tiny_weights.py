"""Weights that differ by many orders of magnitude: the best test of a column, by exact fractions.

`python tests/grow/test_tiny_weights.py 3000` tries as many tables of each kind.
"""

import sys
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from mixedwood.data import read_table, read_target
from mixedwood.grow import GrowSettings, grow
from mixedwood.splits import criteria
from mixedwood.tree import SplitKind
from support.cases import cases

CRITERIA = list(criteria())
KINDS = ["numeric", "nominal"]
DIGITS = 80
CLOSE = Fraction(1, 10**11)  # of the node's weight, as far as scores depend on it


def weights_of(entries, rows):
    """Class weights of some rows, exactly."""
    return [sum((entries[row][k] for row in rows), Fraction(0)) for k in range(len(entries[0]))]


def entropy(u):
    """Entropy of a group, times its weight."""
    total = sum(u)
    terms = (c * logarithm(c / total) for c in u if c > 0)
    return -sum(terms, Fraction(0))


def logarithm(x):
    with localcontext() as context:
        context.prec = DIGITS
        ratio = (Decimal(x.numerator) / Decimal(x.denominator)).ln() / Decimal(2).ln()
    return Fraction(ratio)


def gini(u):
    total = sum(u)
    return total - sum(c * c for c in u) / total


def pearson(rows):
    total = sum(map(sum, rows))
    of_class = [sum(column) for column in zip(*rows, strict=True)]
    return sum(
        (row[k] - sum(row) * of_class[k] / total) ** 2 / (sum(row) * of_class[k] / total)
        for row in rows
        for k in range(len(of_class))
        if of_class[k] > 0
    )


def exact_score(entries, left, right, criterion, nominal):
    """Score of a division of values, each with its class weights."""
    u, v = weights_of(entries, left), weights_of(entries, right)
    node, total = [a + b for a, b in zip(u, v, strict=True)], sum(u) + sum(v)
    if criterion in ("gini", "entropy"):
        impurity = gini if criterion == "gini" else entropy
        return (impurity(node) - impurity(u) - impurity(v)) / total
    if criterion == "gain_ratio":
        return (entropy(node) - entropy(u) - entropy(v)) / entropy([sum(u), sum(v)])
    if criterion == "twoing":
        gap = sum(abs(a / sum(u) - b / sum(v)) for a, b in zip(u, v, strict=True))
        return sum(u) * sum(v) / total**2 / 4 * gap**2
    if criterion == "squared_gini":
        return 2 * (sum(u) * sum(v) - sum(a * b for a, b in zip(u, v, strict=True))) / total**2
    if not nominal or criterion == "pearson_chi2":
        return pearson([u, v])
    pairs = sum(pearson([entries[i], entries[j]]) for i in left for j in right)
    return pairs / (len(entries) - 1)


def divisions(n_values, nominal):
    """All ways to divide values that a test may have."""
    if not nominal:
        return [(range(cut), range(cut, n_values)) for cut in range(1, n_values)]
    codes = range(1, 2**n_values - 1, 2)
    return [
        tuple([i for i in range(n_values) if code >> i & 1 == s] for s in (1, 0)) for code in codes
    ]


def lost(seed, criterion, kind):
    """How much the best division of a random column scores above the one that is grown."""
    rng = np.random.default_rng(seed)
    n_values, n_classes = int(rng.integers(3, 7)), int(rng.integers(2, 4))
    n = n_values + int(rng.integers(0, 6))
    x = np.concatenate([np.arange(n_values), rng.integers(0, n_values, n - n_values)])
    y = np.concatenate([[0, 1], rng.integers(0, n_classes, n - 2)])
    weights = rng.choice([0.1, 0.3, 0.7, 1.0, 3.0], n)
    for row in rng.choice(n, int(rng.integers(1, 3)), replace=False):
        weights[row] = 10.0 ** rng.uniform(-24, -4)
    nominal = kind == "nominal"
    column = np.array(list("abcdefg"), dtype=object)[x] if nominal else x.astype(float)
    tree = grow(
        read_table({"x": column}),
        read_target(y, weights),
        GrowSettings(criterion=criterion, max_depth=1, partitioner="exact" if nominal else "auto"),
    )
    classes = np.unique(y)
    entries = [[Fraction(0)] * len(classes) for _ in range(n_values)]
    for value, label, weight in zip(x, y, weights, strict=True):
        entries[value][int(np.searchsorted(classes, label))] += Fraction(weight)
    scores = [
        exact_score(entries, *sides, criterion, nominal) for sides in divisions(n_values, nominal)
    ]
    if tree.split_kind[0] == SplitKind.LEAF:
        found = Fraction(0)
    elif nominal:
        codes, children = tree.categories_of(0)
        sides = [codes[children == child].tolist() for child in (0, 1)]
        found = exact_score(entries, *sides, criterion, nominal)
    else:
        cut = int(np.ceil(tree.high[0]))
        found = exact_score(entries, range(cut), range(cut, n_values), criterion, nominal)
    scale = Fraction(float(weights.sum())) if "chi2" in criterion else Fraction(1)
    return (max(scores) - found) / scale


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_best_division_is_found_whatever_rows_weigh(criterion, kind):
    assert [seed for seed in range(cases(60)) if lost(seed, criterion, kind) > CLOSE] == []


def test_a_side_that_hardly_weighs_anything_is_no_pure_group():
    table = read_table({"x": [0.0, 1.0, 2.0, 3.0]})
    target = read_target([0, 0, 1, 0], [0.3, 0.3, 0.3, 1e-18])
    assert grow(table, target, GrowSettings(criterion="gini", max_depth=1)).high[0] == 1.5


if __name__ == "__main__":
    count = int(sys.argv[1])
    for criterion in CRITERIA:
        for kind in KINDS:
            losses = [lost(seed, criterion, kind) for seed in range(count)]
            wrong = sum(loss > CLOSE for loss in losses)
            print(
                f"{criterion:12} {kind:8} wrong {wrong} of {count}, most {float(max(losses)):.1e}"
            )
