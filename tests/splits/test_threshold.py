"""Thresholds of numeric columns, against all midpoints tried one by one."""

from itertools import pairwise

import numpy as np
import pytest

import mixedwood as mw
from mixedwood.splits import best_threshold, count_values, score_partition
from reference import splits as twin

CRITERIA = list(mw.splits.criteria())


def slow_thresholds(x, y, criterion, weights=None, costs=None):
    """Score of each midpoint, in order; rows of weight 0 are not there."""
    weights = np.ones(len(x)) if weights is None else weights
    x, y, weights = x[weights > 0], y[weights > 0], weights[weights > 0]
    classes, distinct = np.unique(y), np.unique(x)
    scores = []
    for low, high in pairwise(distinct):
        left = x <= low
        table = np.array(
            [[weights[side & (y == c)].sum() for c in classes] for side in (left, ~left)]
        )
        scores.append(
            (low / 2 + high / 2, twin.score(table, np.array([True, False]), criterion, costs))
        )
    return scores


def check(found, scores):
    best = max(score for _, score in scores)
    assert found.score == pytest.approx(best, rel=1e-9, abs=1e-12)
    values = [value for value, score in scores if score >= best - 1e-12]
    assert found.value in values


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_best_of_all_midpoints(criterion):
    rng = np.random.default_rng(71)
    for _ in range(60):
        n, k = rng.integers(3, 30), rng.integers(2, 5)
        x = rng.integers(0, 12, n).astype(float) if rng.random() < 0.5 else rng.normal(size=n)
        y = rng.integers(0, k, n)
        if len(np.unique(x)) > 1:
            check(best_threshold(x, y, criterion), slow_thresholds(x, y, criterion))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_weights_count_rows(criterion):
    rng = np.random.default_rng(72)
    for _ in range(30):
        x, y = rng.integers(0, 9, 25).astype(float), rng.integers(0, 3, 25)
        weights = rng.integers(0, 3, 25).astype(float)
        found = best_threshold(x, y, criterion, sample_weight=weights)
        check(found, slow_thresholds(x, y, criterion, weights))
        times = weights.astype(int)
        repeated = best_threshold(np.repeat(x, times), np.repeat(y, times), criterion)
        assert found.score == pytest.approx(repeated.score, rel=1e-12, abs=1e-12)
        assert found.value == repeated.value


@pytest.mark.parametrize("criterion", ["gini", "squared_gini"])
def test_costs_weigh_errors(criterion):
    rng = np.random.default_rng(73)
    costs = np.array([[0.0, 1, 5], [1, 0, 2], [5, 2, 0]])
    for _ in range(30):
        x = rng.integers(0, 9, 25).astype(float)
        y = np.append(rng.integers(0, 3, 22), [0, 1, 2])
        found = best_threshold(x, y, criterion, cost_matrix=costs)
        check(found, slow_thresholds(x, y, criterion, costs=costs))


def test_chi_square_is_that_of_the_two_sides():
    """Not the sum over pairs of numbers, as it would be for a nominal column."""
    x = np.array([1.0, 1, 2, 3, 3, 4, 5, 5, 6, 7])
    y = np.array([0, 0, 1, 0, 1, 1, 2, 2, 1, 2])
    found = best_threshold(x, y, "chi2")
    assert (found.value, found.score) == (4.5, pytest.approx(6.875))
    assert best_threshold(x, y, "squared_gini").value == 3.5  # ties with 4.5: the first wins
    assert best_threshold(x, y, "squared_gini").score == pytest.approx(0.42)


@pytest.mark.parametrize("criterion", [c for c in CRITERIA if c != "chi2"])
def test_the_scale_is_that_of_nominal_columns(criterion):
    rng = np.random.default_rng(74)
    x, y = rng.integers(0, 6, 40), rng.integers(0, 3, 40)
    found = best_threshold(x.astype(float), y, criterion)
    counts, values, _ = count_values(x, y)
    sides = [np.flatnonzero(values <= found.value), np.flatnonzero(values > found.value)]
    same = score_partition(counts, sides, criterion)
    assert found.score == pytest.approx(same.score, rel=1e-12)
    assert found.impurity == pytest.approx(same.impurity, rel=1e-12)
    assert found.impurity_before == pytest.approx(same.impurity_before, rel=1e-12)


def test_missing_numbers_are_left_out():
    x = np.array([1.0, np.nan, 2, 3, np.nan, 4])
    y = np.array([0, 1, 0, 1, 0, 1])
    found = best_threshold(x, y)
    assert found == best_threshold([1.0, 2, 3, 4], [0, 0, 1, 1])
    assert found.value == 2.5


@pytest.mark.parametrize("criterion", CRITERIA)
def test_one_number_cannot_be_cut(criterion):
    for x in ([3.0, 3, 3], [3.0, np.nan, 3], np.full(3, np.nan)):
        found = best_threshold(x, [0, 1, 1], criterion)
        assert np.isnan(found.value)
        assert found.score == 0
        assert found.impurity == found.impurity_before


def test_numbers_without_weight_do_not_move_the_cut():
    x, y = [1.0, 2, 3, 4], [0, 0, 1, 1]
    assert best_threshold(x, y, sample_weight=[1, 0, 0, 1]).value == 2.5
    assert best_threshold([1.0, 3.9, 4], [0, 1, 1], sample_weight=[1, 0, 1]).value == 2.5


@pytest.mark.parametrize(
    "low", [1.0, 0.0, -1.0, 5e-324, -5e-324, 1e308, -1e308, 2.0**52 + 1, 0.1, 1 - 2**-53]
)
def test_neighbouring_numbers_are_kept_apart(low):
    high = np.nextafter(low, np.inf)
    for x in ([low, high], [-1.7e308, low, high, 1.7e308]):
        y = [0, 1] if len(x) == 2 else [0, 0, 1, 1]
        found = best_threshold(x, y)
        assert low <= found.value < high
        assert found.score == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("x", "value"),
    [
        ([-1e308, 1e308], 0.0),
        ([1e308, 1.7e308], 1.35e308),
        ([-1.7e308, -1e308], -1.35e308),
        ([1.0, 1.7e308], 8.5e307),
    ],
)
def test_huge_numbers_have_a_finite_midpoint(x, value):
    assert best_threshold(x, [0, 1]).value == pytest.approx(value)


@pytest.mark.parametrize("exponent", [-1010, 0, 1010])
def test_extreme_weights_give_the_same_threshold(exponent):
    rng = np.random.default_rng(75)
    x, y, weights = rng.normal(size=30), rng.integers(0, 3, 30), rng.integers(1, 5, 30)
    for criterion in CRITERIA:
        plain = best_threshold(x, y, criterion, sample_weight=weights)
        found = best_threshold(x, y, criterion, sample_weight=weights * 2.0**exponent)
        assert found.value == plain.value


@pytest.mark.parametrize("x", [["a", "b"], [True, False], ["1", "2"]])
def test_categories_are_no_numbers(x):
    with pytest.raises(
        TypeError, match=r"x must be numeric. Got a nominal column.*count_values\(x, y\)"
    ):
        best_threshold(x, [0, 1])


def test_bad_rows_are_refused():
    with pytest.raises(ValueError, match=r"\[3, 2\]"):
        best_threshold([1.0, 2, 3], [0, 1])
    with pytest.raises(ValueError, match=r"infinity.*row 1"):
        best_threshold([1.0, np.inf], [0, 1])
    with pytest.raises(ValueError, match=r"contains NaN.*row 0"):
        best_threshold([1.0, 2.0], [None, "a"])
    with pytest.raises(ValueError, match="sample_weight has 1 weights"):
        best_threshold([1.0, 2.0], [0, 1], sample_weight=[1])
    with pytest.raises(ValueError, match=r"'criterion' parameter must be .* Got 'ginny'"):
        best_threshold([1.0, 2.0], [0, 1], "ginny")
