"""Votes added up: twins, ties, margins and diversity."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mixedwood.data import read_table, read_target
from mixedwood.ensembles import (
    add_up,
    first_of_largest,
    measure_diversity,
    member_classes,
    out_of_bag_shares,
    shares_of,
    staged_shares,
    vote_margins,
)
from mixedwood.growers import GrowSettings, grow
from problems import mixed_problem
from reference import ensembles as slow


@pytest.fixture(scope="module")
def grown():
    """Trees of both kinds: with rows that go one way, and with rows shared out."""
    X, y = mixed_problem(60)
    table, target = read_table(X), read_target(y)
    settings = [
        GrowSettings(max_columns=1, missing=missing, max_depth=depth)
        for missing in ("learned", "fractional")
        for depth in (1, 2, 4)
    ]
    return [grow(table, target, s, seed=i) for i, s in enumerate(settings)], table, target


@pytest.mark.parametrize("vote", ["soft", "hard"])
def test_sums_agree_with_their_twin(vote, grown):
    trees, table, _ = grown
    assert len({tree.is_fractional for tree in trees}) == 2
    shares = shares_of(add_up(trees, table, vote))
    np.testing.assert_allclose(shares, slow.shares_of_votes(trees, table, vote), atol=1e-12)
    want = [slow.first_of_largest(row) for row in shares.tolist()]
    assert first_of_largest(shares).tolist() == want


@pytest.mark.parametrize("vote", ["soft", "hard"])
def test_stages_are_the_sums_of_the_first_trees(vote, grown):
    trees, table, _ = grown
    weights = np.arange(1.0, len(trees) + 1)
    for n, shares in enumerate(staged_shares(trees, table, vote, weights), start=1):
        np.testing.assert_array_equal(
            shares, shares_of(add_up(trees[:n], table, vote, weights[:n]))
        )
    assert n == len(trees)


@pytest.mark.parametrize("vote", ["soft", "hard"])
def test_a_weight_of_two_is_two_trees(vote, grown):
    trees, table, _ = grown
    np.testing.assert_allclose(
        add_up(trees[:2], table, vote, [2, 1]), add_up([trees[0], *trees[:2]], table, vote)
    )


def test_members_answer_as_they_do_alone(grown):
    trees, table, target = grown
    answers = target.classes[member_classes(trees, table)]
    for place, tree in enumerate(trees):
        np.testing.assert_array_equal(answers[:, place], tree.predict(table))


def test_a_tree_that_shares_rows_out_votes_as_it_answers_alone():
    # Two classes of a leaf are equal but for what rounding leaves, and the later one has more.
    table = read_table({"kind": ["a"] * 4 + ["b"] * 4 + [None]})
    target = read_target(list("ppqqqqqqq"), [1, 1, 1, 1 + 1e-8, 1, 1, 1, 1, 1e-9])
    tree = grow(table, target, GrowSettings("entropy", "multiway", missing="fractional"))
    assert tree.is_fractional
    assert tree.statistics[1, 1] > tree.statistics[1, 0]
    assert tree.predict(table)[:4].tolist() == ["p"] * 4
    assert member_classes([tree], table)[:4, 0].tolist() == [0] * 4
    assert add_up([tree], table, "hard")[:4].tolist() == [[1.0, 0.0]] * 4
    (shares,) = staged_shares([tree], table, "hard")
    np.testing.assert_array_equal(add_up([tree], table, "hard"), shares)


@pytest.mark.parametrize("vote", ["soft", "hard"])
@given(seed=st.integers(0, 1000))
@settings(max_examples=20)
def test_out_of_bag_shares_agree_with_their_twin(vote, grown, seed):
    trees, table, _ = grown
    rng = np.random.default_rng(seed)
    n_drawn = rng.integers(1, 2 * table.n_rows, len(trees))
    samples = [np.sort(rng.integers(0, table.n_rows, n)).astype(np.int32) for n in n_drawn]
    want = slow.out_of_bag(trees, [sample.tolist() for sample in samples], table, vote)
    found = out_of_bag_shares(trees, samples, table, vote)
    np.testing.assert_allclose(found, want, atol=1e-12)


def test_ties_go_to_the_first_class():
    third = 1 / 3
    shares = np.array([[0.5, 0.5], [0.0, 1.0], [0.3, 0.7]])
    assert first_of_largest(shares).tolist() == [0, 1, 1]
    assert first_of_largest(np.array([[0.1, 0.45, 0.45 + 1e-16]])).tolist() == [1]
    assert first_of_largest(np.array([[third, third, 1 - 2 * third]])).tolist() == [0]
    assert first_of_largest(np.array([[0.4, 0.6 - 1e-8, 0.6]])).tolist() == [2]


@given(
    arrays(np.int32, st.tuples(st.integers(1, 12), st.integers(2, 5)), elements=st.integers(0, 2))
)
@settings(max_examples=60, deadline=None)
def test_diversity_agrees_with_its_twin(answers):
    tree = grow(read_table({"x": [1, 2, 3]}), read_target([0, 1, 2]))
    found = measure_diversity([tree] * answers.shape[1], answers, answers[:, 0])
    disagreement, kappa = slow.disagreement_and_kappa(answers)
    assert found.disagreement == pytest.approx(disagreement, abs=1e-12)
    assert found.kappa == pytest.approx(kappa, abs=1e-9)
    assert found.member_error == pytest.approx((answers != answers[:, [0]]).mean())
    assert (found.mean_leaves, found.mean_nodes, found.mean_depth) == (3, 5, 2)
    np.testing.assert_array_equal(found.pairwise_kappa, found.pairwise_kappa.T)


def test_one_member_has_no_pairs():
    tree = grow(read_table({"x": [1, 2]}), read_target([0, 1]))
    found = measure_diversity([tree], np.zeros((4, 1), dtype=np.int32))
    assert np.isnan([found.disagreement, found.kappa]).all()
    assert found.n_members == 1
    assert found.member_error is None


@given(
    arrays(
        np.float64, st.tuples(st.integers(1, 6), st.integers(2, 4)), elements=st.floats(0.01, 1)
    ),
    st.data(),
)
@settings(max_examples=60, deadline=None)
def test_margins_agree_with_their_twin(totals, data):
    shares = shares_of(totals)
    right = st.integers(-1, shares.shape[1] - 1)  # -1: a class that no tree knows
    truth = np.array([data.draw(right) for _ in shares], dtype=np.int32)
    want = [slow.margin(row, c) for row, c in zip(shares.tolist(), truth, strict=True)]
    np.testing.assert_allclose(vote_margins(shares, truth), want)
