"""Wins, ties and losses."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mixedwood.stats import win_tie_loss
from reference.stats import count_wins

TABLES = st.tuples(st.integers(1, 8), st.integers(2, 5)).flatmap(
    lambda shape: arrays(float, shape, elements=st.integers(0, 6).map(lambda n: n / 8))
)


def p_values_for(errors, seed):
    n_datasets, k = errors.shape
    p_values = np.random.default_rng(seed).choice([0.0, 0.05, 0.051, 1.0], (n_datasets, k, k))
    return np.maximum(p_values, p_values.transpose(0, 2, 1))


@given(TABLES, st.one_of(st.none(), st.integers(0, 5)))
def test_counts_by_hand(errors, seed):
    p_values = None if seed is None else p_values_for(errors, seed)
    found = win_tie_loss(errors, p_values)
    wins, losses = count_wins(errors, p_values)
    assert np.array_equal(found.wins, wins)
    assert np.array_equal(found.losses, losses)
    assert np.array_equal(found.losses, found.wins.T)
    assert np.array_equal(found.wins + found.ties + found.losses, np.full_like(wins, len(errors)))
    assert found.sentence.endswith(".")
    for i, j in np.ndindex(wins.shape):
        decided = int(wins[i, j] + losses[i, j])
        expected = scipy.stats.binomtest(int(wins[i, j]), decided).pvalue if decided else 1.0
        assert found.p_values[i, j] == pytest.approx(expected)
    assert 0.0 <= found.p_value <= 1.0


@given(TABLES, st.integers(-4, 4), st.randoms(use_true_random=False))
def test_what_does_not_matter(errors, shift, random):
    order = list(range(errors.shape[1]))
    random.shuffle(order)
    found, other = win_tie_loss(errors), win_tie_loss(errors[:, order] + shift)
    at = np.ix_(order, order)
    assert np.array_equal(other.wins, found.wins[at])
    assert np.array_equal(other.p_values, found.p_values[at])
    assert (other.statistic, other.p_value) == (found.statistic, found.p_value)


def test_the_sentence_speaks_of_the_pair_that_differs_most():
    errors = np.tile([0.3, 0.1, 0.3], (9, 1))
    errors[0] = [0.1, 0.2, 0.1 + 1e-16]
    found = win_tie_loss(errors, names=["tree", "forest", "stump"])
    assert found.statistic == 7
    assert found.p_value == pytest.approx(3 * 2 * 10 / 2**9)
    assert found.sentence == (
        "win/tie/loss: forest is better than tree on 8 of 9 datasets, no different on 0 and "
        "worse on 1 (the largest difference of all pairs); not significant by the sign test "
        "(p = 0.12)."
    )
    sure = win_tie_loss(errors[:, :2], np.zeros((9, 2, 2)), names=["tree", "forest"])
    assert sure.sentence == (
        "win/tie/loss: forest is significantly better than tree on 8 of 9 datasets, no different "
        "on 0 and worse on 1; significant by the sign test (p = 0.039)."
    )


def test_only_ties():
    found = win_tie_loss([[0.1, 0.2], [0.2, 0.1]], np.ones((2, 2, 2)))
    assert (found.statistic, found.p_value) == (0, 1.0)
    assert found.ties[0, 1] == 2
    assert "no method wins more often than it loses" in found.sentence


def test_one_data_set_is_enough():
    found = win_tie_loss([[0.1, 0.2, 0.2]], names=["a", "b", "c"])
    assert found.to_text().splitlines() == [
        "       a      b      c",
        "a      -  1/0/0  1/0/0",
        "b  0/0/1      -  0/1/0",
        "c  0/0/1  0/1/0      -",
    ]


def test_the_diagonal_is_not_looked_at():
    p_values = np.full((1, 2, 2), 0.01)
    p_values[:, [0, 1], [0, 1]] = np.nan
    assert win_tie_loss([[0.1, 0.2]], p_values).wins[0, 1] == 1


def test_results_cannot_be_changed():
    found = win_tie_loss([[0.1, 0.2]])
    for array in (found.wins, found.ties, found.losses, found.p_values):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


@pytest.mark.parametrize(
    ("p_values", "words"),
    [
        (np.ones((2, 2)), r"has the shape \(2, 2\); .*\(1, 2, 2\)"),
        (np.full((1, 2, 2), 1.5), "p_values must be from 0 to 1; got 1 to 1.5"),
        (np.full((1, 2, 2), np.nan), "p_values has 2 missing values"),
        ([[[1.0, 0.1], [0.2, 1.0]]], "the same for a pair in either order"),
        ("five_by_two", "p_values must be an array of numbers"),
    ],
)
def test_bad_p_values_are_refused(p_values, words):
    with pytest.raises(ValueError, match=words):
        win_tie_loss([[0.1, 0.2]], p_values)
