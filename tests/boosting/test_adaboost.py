"""AdaBoost.M1 and SAMME: their slow twin with J48, by hand, stopping rules, resampling."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixedwood import (
    AdaBoostTreesClassifier,
    C45TreeClassifier,
    TimeLimitWarning,
    TreeClassifier,
    _limits,
)
from mixedwood.boosting import AdaBoostPlan, adaboost
from mixedwood.data import read_table, read_target
from mixedwood.grow import grow
from reference import adaboost as slow
from reference.c45 import J48
from reference.tree import assert_same_trees
from support.cases import cases
from support.problems import mixed_problem
from support.strategies import problems

C45 = C45TreeClassifier(pruned=False)
STUMP = TreeClassifier(criterion="gini", max_depth=1, pruning=None)


@given(problems(kinds=("nominal",), max_rows=20), st.integers(1, 6))
@settings(max_examples=cases(150))
def test_boosted_c45_agrees_with_its_reference(problem, n_rounds):
    table, target = problem

    def grow_it(weighted):
        return J48(table, weighted).grow()

    trees, votes = adaboost(table, target, AdaBoostPlan(C45), n_rounds)
    twins, want, _ = slow.adaboost(table, target, grow_it, n_rounds)
    assert len(trees) == len(twins)
    for tree, twin in zip(trees, twins, strict=True):
        assert_same_trees(tree, twin)
    np.testing.assert_allclose(votes, want, rtol=1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_the_preset_predicts_as_its_reference(seed):
    """Larger tables, where boosting goes on for some rounds; with gaps and numbers."""
    X, y = mixed_problem(60, seed=seed)
    model = AdaBoostTreesClassifier.c45(6).fit(X, y)
    table, target = read_table(X), read_target(y)

    def grow_it(weighted):
        return J48(table, weighted).grow()

    trees, votes, _ = slow.adaboost(table, target, grow_it, 6)
    assert model.n_iter_ == len(trees) > 1
    np.testing.assert_allclose(model.estimator_weights_, votes, rtol=1e-6)
    rows = [[array[i] for array in table.arrays] for i in range(60)]
    want = [slow.shares_of_classes(trees, votes, row) for row in rows]
    np.testing.assert_allclose(model.predict_proba(X), want, atol=1e-9)


@pytest.mark.parametrize("samme", [False, True])
@pytest.mark.parametrize("learning_rate", [1.0, 0.3])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_stumps_agree_with_the_reference(samme, learning_rate, n_classes):
    X, y = mixed_problem(80, n_classes=n_classes)
    table, target = read_table(X), read_target(y, np.linspace(0.5, 2, 80))
    plan = AdaBoostPlan(STUMP, samme, learning_rate=learning_rate)
    trees, votes = adaboost(table, target, plan, 10)

    def grow_it(weighted):
        return STUMP._fit_encoded(table, weighted, seed=0)

    twins, want, history = slow.adaboost(
        table, target, grow_it, 10, samme=samme, learning_rate=learning_rate
    )
    assert len(trees) == len(twins)
    assert len(trees) > 1 or (n_classes == 3 and not samme)
    np.testing.assert_allclose(votes, want, rtol=1e-7)
    for tree, twin, weights in zip(trees, twins, history, strict=True):
        assert_same_trees(tree, twin)
        assert sum(weights) == pytest.approx(target.weights.sum())
        assert tree.weighted_n_node_samples[0] == pytest.approx(target.weights.sum())


def test_two_rounds_by_hand():
    """One of four rows is wrong; then its weight is that of the other three together."""
    table = read_table({"x": [1, 2, 3, 4]})
    target = read_target([0, 0, 1, 0])
    trees, votes = adaboost(table, target, AdaBoostPlan(STUMP), 2)
    assert votes[0] == pytest.approx(math.log(3))
    # After two rounds of weights 1, 1, 1, 1 and 2/3, 2/3, 2/3 and 2.
    wrong = trees[0].predict(table) != target.classes[target.codes]
    assert wrong.sum() == 1
    weights = np.where(wrong, 2.0, 2 / 3)
    np.testing.assert_allclose(
        trees[1].statistics[0], np.bincount(target.codes, weights), rtol=1e-12
    )


def test_with_two_classes_samme_is_adaboost():
    X, y = mixed_problem(n_classes=2)
    table, target = read_table(X), read_target(y)
    one = adaboost(table, target, AdaBoostPlan(STUMP), 8)
    other = adaboost(table, target, AdaBoostPlan(STUMP, samme=True), 8)
    assert one[0] == other[0]
    np.testing.assert_allclose(one[1], other[1])


# Stopping


def test_a_first_tree_without_error_is_kept_alone():
    table, target = read_table({"a": list("pqpq")}), read_target([0, 1, 0, 1])
    trees, votes = adaboost(table, target, AdaBoostPlan(STUMP), 5)
    assert trees == [grow(table, target)]
    assert votes.tolist() == [1.0]


def test_a_first_tree_that_is_hardly_ever_right_is_kept_alone():
    table = read_table({"a": ["p"] * 6})
    target = read_target([0, 0, 1, 1, 2, 2])
    for samme in (False, True):  # two thirds are wrong: as by guessing
        plan = AdaBoostPlan(STUMP, samme)
        trees, votes = adaboost(table, target, plan, 5)
        assert len(trees) == 1
        assert votes.tolist() == [1.0]
    model = AdaBoostTreesClassifier.c45().fit({"a": ["p"] * 6}, [0, 0, 1, 1, 2, 2])
    assert model.predict_proba({"a": ["p"]}).tolist() == [[1.0, 0.0, 0.0]]


def test_a_later_tree_that_makes_no_or_too_many_errors_is_left_out():
    class Learner:
        """Gives one tree after the other, whatever the weights."""

        def __init__(self, trees):
            self.trees = list(trees)

        def _fit_encoded(self, table, target, *, seed, rows=None, time_limit=math.inf):
            return self.trees.pop(0)

    table, target = read_table({"x": [1, 2, 3, 4]}), read_target([0, 1, 0, 0])
    useful = grow(table, target).prune_at([0])  # one error in four
    right = grow(table, target)
    wrong = grow(table, read_target([1, 0, 1, 1]))
    for last in (right, wrong):
        trees, votes = adaboost(table, target, AdaBoostPlan(Learner([useful, last, useful])), 3)
        assert trees == [useful]
        assert votes.tolist() == pytest.approx([math.log(3)])
        alone, one = adaboost(table, target, AdaBoostPlan(Learner([last, useful])), 3)
        assert alone == [last]
        assert one.tolist() == [1.0]


def test_a_tree_that_the_time_limit_made_useless_does_not_end_it_in_silence(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(_limits, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    table, target = read_table({"x": [1, 2, 3, 4]}), read_target([0, 1, 0, 0])
    useful = grow(table, target).prune_at([0])
    wrong = grow(table, read_target([1, 0, 1, 1])).prune_at([0])

    class Learner:
        """Takes a second for each tree; from the second one on, trees are cut short."""

        def _fit_encoded(self, table, target, *, seed, rows=None, time_limit=math.inf):
            clock[0] += 1.0
            return useful if time_limit > 1.0 else wrong

    plan = AdaBoostPlan(Learner())
    for limit, found in ((2.0, useful), (1.0, wrong)):
        clock[0] = 0.0
        with pytest.warns(TimeLimitWarning, match="time limit came after 1 of 9 trees"):
            trees, _ = adaboost(table, target, plan, 9, time_limit=limit)
        assert trees == [found]
    clock[0] = 0.0
    assert adaboost(table, target, plan, 1, time_limit=1.0)[0] == [wrong]  # there is no other


def test_samme_need_only_beat_guessing():
    """Stumps tell two of four classes apart: half of the rows are wrong."""
    X, y = {"x": [0, 1, 2, 3] * 5}, [0, 1, 2, 3] * 5
    tree = TreeClassifier(max_depth=1, pruning=None)
    stopped = AdaBoostTreesClassifier(tree).fit(X, y)
    assert stopped.n_iter_ == 1
    model = AdaBoostTreesClassifier(tree, 20, variant="samme", random_state=0).fit(X, y)
    assert model.n_iter_ > 3
    # Later trees answer with classes that the first has not.
    assert (
        len(set(model.predict_members(X)[:, 0])) == 2 < len(set(model.predict_members(X).ravel()))
    )


# Resampling


def test_resampling_draws_rows_in_proportion_to_their_weights():
    class Learner:
        """Remembers what it was given."""

        def __init__(self, tree):
            self.tree, self.rows, self.weights = tree, [], []

        def _fit_encoded(self, table, target, *, seed, rows=None, time_limit=math.inf):
            self.rows.append(rows)
            self.weights.append(target.weights)
            return self.tree

    n = 2000
    x = np.arange(n) % 4
    table, target = read_table({"x": x}), read_target((x == 0).astype(int))
    tree = grow(table, target).prune_at([0])  # wrong for a quarter
    learner = Learner(tree)
    trees, votes = adaboost(table, target, AdaBoostPlan(learner, resample=True), 2, seed=3)
    assert len(trees) == 1  # the same tree has an error of a half the second time
    assert votes.tolist() == pytest.approx([math.log(3)])
    first, second = learner.rows
    assert learner.weights == [None, None]
    assert len(first) == len(second) == n
    assert (np.diff(first) >= 0).all()
    assert np.mean(x[first] == 0) == pytest.approx(0.25, abs=0.03)
    assert np.mean(x[second] == 0) == pytest.approx(0.5, abs=0.03)
    again = Learner(tree)
    adaboost(table, target, AdaBoostPlan(again, resample=True), 2, seed=3)
    np.testing.assert_array_equal(again.rows[1], second)
    other = Learner(tree)
    adaboost(table, target, AdaBoostPlan(other, resample=True), 2, seed=4)
    assert (other.rows[0] != first).any()


def test_errors_are_those_of_all_rows_when_trees_see_samples():
    X, y = mixed_problem(150)
    table, target = read_table(X), read_target(y)
    plan = AdaBoostPlan(C45, resample=True)
    trees, votes = adaboost(table, target, plan, 3, seed=0)
    error = np.mean(trees[0].predict(table) != y)
    assert votes[0] == pytest.approx(math.log((1 - error) / error))
    assert trees[0].weighted_n_node_samples[0] == pytest.approx(150)


def test_advance_is_called_every_tree():
    X, y = mixed_problem(60)
    told = []
    plan = AdaBoostPlan(STUMP, samme=True)
    trees, _ = adaboost(read_table(X), read_target(y), plan, 4, advance=told.append)
    assert told == list(range(1, len(trees) + 1))
