"""Whole numbers in place of weights: exact where they can be, and never too large."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from mixedwood.data import read_target
from mixedwood.optimal.problem import (
    MAX_TOTAL,
    ExactObjective,
    make_integer,
    round_down,
    round_nearest,
)


def integer_of(weights, ccp_alpha=0.0, max_leaves=8, **how):
    classes = np.arange(len(weights)) % 2
    costs = ExactObjective(read_target(classes, np.array(weights)), ccp_alpha)
    return costs, make_integer(costs, max_leaves, **how)


@pytest.mark.parametrize(
    ("weights", "expected", "multiples"),
    [
        ([1.0, 1.0, 1.0], [1, 1, 1], True),
        ([0.1, 0.1, 0.1], [1, 1, 1], True),
        ([5e-324, 5e-324, 1e-323], [1, 1, 2], True),
        ([0.5, 1.5, 1.0], [1, 3, 2], True),
        ([3.0, 2.0**40, 1e12], [3, 2**40, 10**12], True),
        ([1 / 3, 1 / 7, 1.0], [7, 3, 21], False),
        ([0.1, 0.2, 0.3], [1, 2, 3], False),
        ([1e300, 3e300, 7e300], [1, 3, 7], False),
    ],
)
def test_weights_with_a_common_unit_are_exact(weights, expected, multiples):
    """Of so many rows that floats are too long to be added up as they are."""
    weights, expected = weights * 100, expected * 100
    _, integer = integer_of(weights)
    numbers = [1] * 300 if integer.weights is None else integer.weights.tolist()
    assert numbers == expected
    assert (integer.exact, integer.multiples) == (True, multiples)
    units = [n * integer.scale for n in numbers]
    assert all(u <= Fraction(w) for u, w in zip(units, weights, strict=True))
    assert [float(u) for u in units] == pytest.approx(weights, rel=1e-15)
    if multiples:
        assert units == [Fraction(w) for w in weights]


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_balanced_class_weights_are_exact(n_classes):
    rng = np.random.default_rng(n_classes)
    for _ in range(20):
        sizes = rng.integers(1, 200, n_classes)
        n_rows = int(sizes.sum())
        by_class = n_rows / (n_classes * sizes)
        _, integer = integer_of(np.repeat(by_class, sizes))
        assert integer.exact
        numbers = np.ones(n_rows, int) if integer.weights is None else integer.weights
        shares = {Fraction(int(n)) * int(s) for n, s in zip(
            numbers[np.cumsum(sizes) - 1], sizes, strict=True)}  # fmt: skip
        assert len(shares) == 1  # every class weighs the same


@pytest.mark.parametrize("n_rows", [30, 1000, 20_000])
@pytest.mark.parametrize("ccp_alpha", [0.0, 0.01])
def test_rounded_weights_are_close_from_below_and_never_nothing(n_rows, ccp_alpha):
    rng = np.random.default_rng(1)
    for weights in (rng.random(n_rows), rng.random(n_rows) ** 20, np.geomspace(1e-30, 1, n_rows)):
        costs, integer = integer_of(weights, ccp_alpha)
        assert not integer.exact
        assert integer.weights.min() >= 1 and integer.weights.sum() <= 2**30
        units = integer.weights * float(integer.scale)
        assert (units[integer.weights > 1] <= weights[integer.weights > 1] * (1 + 1e-12)).all()
        assert units == pytest.approx(weights, abs=0.03)
        assert integer.leaf_penalty * integer.scale == costs.leaf


@pytest.mark.parametrize("seed", range(30))
def test_the_cost_of_a_leaf_orders_trees_as_it_was_given(seed):
    """Also where it is next to a fraction: a tenth of ten rows is a little more than one."""
    rng = np.random.default_rng(seed)
    n_rows, max_leaves = int(rng.integers(2, 40)), int(rng.integers(1, 12))
    ccp_alpha = float(rng.choice([0.01, 0.1, 0.07, 0.29, 1 / 3, 1e-7, rng.random(), 0.25]))
    target = read_target(np.arange(n_rows) % 2, None)
    costs = ExactObjective(target, ccp_alpha)
    for finest in (0, 1_000_000):
        integer = make_integer(costs, max_leaves, max_error_penalty=finest)
        assert integer.exact and (finest or integer.error_penalty <= 2 * max_leaves)
        trees = [(e, k) for e in range(n_rows) for k in range(1, max_leaves + 1)]
        given = [e + k * Fraction(ccp_alpha) * n_rows for e, k in trees]
        here = [e * integer.error_penalty + k * integer.leaf_penalty for e, k in trees]
        order = sorted(range(len(trees)), key=lambda i: given[i])
        for a, b in pairwise(order):
            assert (given[a] < given[b]) == (here[a] < here[b])
        for cost, units in zip(given, here, strict=True):
            assert integer.lower_bound_of(units) <= cost
            assert integer.upper_bound_of(cost) >= units


def test_sums_stay_within_what_solvers_add_up():
    rng = np.random.default_rng(0)
    for ccp_alpha in (1e-9, 0.01, 1.0):
        for weights in (np.full(1000, 2.0**40) + np.arange(1000), rng.random(1000)):
            costs, integer = integer_of(weights, ccp_alpha, 64, max_error_penalty=1_000_000)
            total = int(integer.weights.sum()) * integer.error_penalty
            assert total <= MAX_TOTAL and integer.leaf_penalty <= MAX_TOTAL // 4
            assert integer.leaf_penalty * (costs.n_rows + 1) <= 8 * MAX_TOTAL


def test_fractions_are_rounded_to_floats():
    third = Fraction(1, 3)
    assert round_nearest(third) == 1 / 3 and Fraction(round_down(third)) <= third
    assert round_down(third) in (1 / 3, np.nextafter(1 / 3, 0))
    assert round_nearest(Fraction(10) ** 400) == np.inf
    assert round_down(Fraction(10) ** 400) == np.finfo(float).max
