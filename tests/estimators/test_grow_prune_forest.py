"""Forests of trees grown and pruned in turns: halves, votes, workers, warm starts, limits."""

import copy
import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from mixedwood import (
    ForestClassifier,
    GrowPruneForestClassifier,
    GrowPruneTreeClassifier,
    TimeLimitWarning,
    TreeClassifier,
    UnknownCategoryWarning,
)
from mixedwood._random import MEMBER, spawn
from mixedwood.data import read_table, read_target
from mixedwood.datasets import make_waveform
from mixedwood.grow import grow_prune
from support.excuses import HALVES, PURE


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [GrowPruneForestClassifier(n_estimators=5)], expected_failed_checks=lambda model: HALVES | PURE
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def waves():
    return make_waveform(200, random_state=0), make_waveform(1000, random_state=1)


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(0)
    n = 240
    y = rng.integers(0, 3, n)
    colour = np.array(["red", "green", "blue", "white"], dtype=object)[
        (y + rng.integers(0, 2, n)) % 4
    ]
    colour[rng.random(n) < 0.05] = None
    X = pd.DataFrame({"colour": colour, "size": rng.normal(y, 1.0)})
    X.loc[rng.random(n) < 0.05, "size"] = np.nan
    return X, np.array(["ash", "birch", "cedar"])[y]


def test_every_tree_has_its_own_halves_of_all_rows(waves):
    data, _ = waves
    model = GrowPruneForestClassifier(n_estimators=8, random_state=5).fit(data.X, data.y)
    table, target = read_table(data.X), read_target(data.y)
    for number, tree in enumerate(model.trees_):
        seed = int(spawn(5, MEMBER, number).integers(2**63))
        alone = grow_prune(table, target, seed=seed)
        assert alone.tree == tree
        assert alone.iterations == model.iterations_[number]
    assert all(
        tree.weighted_n_node_samples[0] == 100 for tree in model.trees_
    )  # a half grows the root
    assert len({str(tree) for tree in model.trees_}) == 8
    assert [i[-1].pruned for i in model.iterations_] == [t.n_leaves for t in model.trees_]


def test_the_majority_decides_and_ties_go_to_the_first_class(waves):
    data, test = waves
    model = GrowPruneForestClassifier(n_estimators=4, random_state=0).fit(data.X, data.y)
    votes = model.predict_members(test.X)
    counts = np.array([(votes == c).sum(axis=1) for c in model.classes_]).T
    np.testing.assert_array_equal(model.predict(test.X), model.classes_[counts.argmax(axis=1)])
    np.testing.assert_allclose(model.predict_proba(test.X), counts / 4)
    assert (np.sort(counts, axis=1)[:, -1] == np.sort(counts, axis=1)[:, -2]).any()  # some ties


@pytest.mark.parametrize("relabel", [False, True])
def test_probabilities_of_the_trees_may_be_averaged(waves, relabel):
    data, test = waves
    tree = GrowPruneTreeClassifier(refit_leaves=relabel)
    voting = GrowPruneForestClassifier(tree, 9, random_state=0).fit(data.X, data.y)
    model = clone(voting).set_params(voting="soft").fit(data.X, data.y)
    assert model.trees_ == voting.trees_  # the vote is counted otherwise, nothing else
    table, truth = read_table(data.X), read_target(data.y).codes
    new = read_table(test.X)
    want = np.mean([tree.probabilities[tree.apply(new)] for tree in model.trees_], axis=0)
    np.testing.assert_allclose(model.predict_proba(test.X), want, atol=1e-12)
    assert np.abs(want - voting.predict_proba(test.X)).max() > 0.1
    *_, last = model.staged_predict_proba(test.X)
    np.testing.assert_allclose(last, want, atol=1e-12)
    # What the shares of a leaf are shares of: with relabel, all rows that come to it.
    for tree in model.trees_:
        nodes = tree.apply(table)
        of_all = np.zeros((tree.n_nodes, 3))
        np.add.at(of_all, (nodes, truth), 1)
        leaves = tree.split_kind == 0
        assert (tree.statistics[leaves] == of_all[leaves]).all() == relabel
        assert (tree.statistics[leaves] <= of_all[leaves]).all()


def test_a_vote_that_is_none():
    with pytest.raises(ValueError, match="'voting' parameter of GrowPruneForestClassifier must"):
        GrowPruneForestClassifier(n_estimators=3, voting="plurality").fit({"x": [1, 2]}, [0, 1])


def test_many_trees_are_better_than_one(waves):
    data, test = waves
    model = GrowPruneForestClassifier(n_estimators=51, random_state=0).fit(data.X, data.y)
    errors = 1 - model.staged_score(test.X, test.y)
    assert errors.shape == (51,)
    assert errors[-1] == pytest.approx(1 - model.score(test.X, test.y))
    assert errors[-1] < errors[0] - 0.03
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.diversity(test.X).mean_leaves == pytest.approx(
        np.mean([tree.n_leaves for tree in model.trees_])
    )


@pytest.mark.parametrize("n_jobs", [2, 4, -1])
def test_any_number_of_threads_gives_the_same_forest(n_jobs, mixed):
    one = GrowPruneForestClassifier(n_estimators=12, random_state=1).fit(*mixed)
    many = GrowPruneForestClassifier(n_estimators=12, random_state=1, n_jobs=n_jobs).fit(*mixed)
    assert many.trees_ == one.trees_
    assert many.iterations_ == one.iterations_


def test_other_processes_give_the_same_forest(mixed):
    one = GrowPruneForestClassifier(n_estimators=4, random_state=1).fit(*mixed)
    with joblib.parallel_config("loky", n_jobs=2):
        many = GrowPruneForestClassifier(n_estimators=4, random_state=1).fit(*mixed)
    assert many.trees_ == one.trees_
    assert all(tree.schema is many.schema_ for tree in many.trees_)


def test_warm_start_adds_the_trees_that_one_fit_would_have(mixed):
    whole = GrowPruneForestClassifier(n_estimators=9, random_state=2).fit(*mixed)
    model = GrowPruneForestClassifier(n_estimators=4, random_state=2, warm_start=True).fit(*mixed)
    assert model.trees_ == whole.trees_[:4]
    model.set_params(n_estimators=9).fit(*mixed)
    assert model.trees_ == whole.trees_
    assert model.iterations_ == whole.iterations_
    with pytest.raises(ValueError, match="n_estimators=3 must be larger or equal to the 9 trees"):
        model.set_params(n_estimators=3).fit(*mixed)
    assert model.trees_ == whole.trees_


def test_seeds(mixed):
    first = GrowPruneForestClassifier(n_estimators=3, random_state=0).fit(*mixed)
    assert (
        GrowPruneForestClassifier(n_estimators=3, random_state=0).fit(*mixed).trees_ == first.trees_
    )
    assert (
        GrowPruneForestClassifier(n_estimators=3, random_state=1).fit(*mixed).trees_ != first.trees_
    )
    fresh = [GrowPruneForestClassifier(n_estimators=3).fit(*mixed) for _ in range(2)]
    assert fresh[0].trees_ != fresh[1].trees_


def test_copies_predict_the_same(mixed):
    X, y = mixed
    model = GrowPruneForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), clone(model).fit(X, y)):
        np.testing.assert_array_equal(twin.predict_proba(X), model.predict_proba(X))
        assert twin.iterations_ == model.iterations_
    assert repr(model) == "GrowPruneForestClassifier(n_estimators=5, random_state=0)"


def test_missing_and_unseen_values(mixed):
    X, y = mixed
    model = GrowPruneForestClassifier(n_estimators=7, random_state=0).fit(X, y)
    new = pd.DataFrame({"colour": ["mauve", None], "size": [np.nan, 1.0]})
    with pytest.warns(UnknownCategoryWarning, match="'mauve'") as caught:
        assert set(model.predict(new)) <= set(y)
    assert len(caught) == 1
    model.set_params(estimator__handle_unknown="error").fit(X, y)
    with pytest.raises(ValueError, match="'mauve'"):
        model.predict(new)


def test_weights(mixed):
    X, y = mixed
    plain = GrowPruneForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    heavy = GrowPruneForestClassifier(n_estimators=5, random_state=0).fit(
        X, y, np.where(y == "ash", 50.0, 1.0)
    )
    by_class = GrowPruneForestClassifier(
        n_estimators=5, random_state=0, class_weight={"ash": 50.0}
    ).fit(X, y)
    assert by_class.trees_ == heavy.trees_
    assert (heavy.predict(X) == "ash").sum() > (plain.predict(X) == "ash").sum()
    kept = np.arange(len(y)) % 3 > 0
    some = GrowPruneForestClassifier(n_estimators=5, random_state=0).fit(X, y, kept.astype(float))
    assert all(tree.weighted_n_node_samples[0] == 80 for tree in some.trees_)


def test_limits_are_said_once():
    X = np.arange(1.0, 401)[:, None]
    y = (X[:, 0].astype(int) // 5) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        GrowPruneForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="5 of 5 trees were still changing") as caught:
        tree = GrowPruneTreeClassifier(max_iter=1)
        short = GrowPruneForestClassifier(tree, 5, random_state=0).fit(X, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert [len(iterations) for iterations in short.iterations_] == [1] * 5


def test_a_time_limit_leaves_a_forest_that_works(waves):
    data, test = waves
    with pytest.warns(TimeLimitWarning, match="time limit"):
        model = GrowPruneForestClassifier(n_estimators=500, time_limit=0.02, random_state=0).fit(
            data.X, data.y
        )
    assert 1 <= len(model.trees_) < 500
    assert len(model.iterations_) == len(model.trees_)
    assert model.predict(test.X).shape == (1000,)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, "'n_estimators' parameter .* must be an int in the range"),
        ({"estimator": TreeClassifier()}, "must be an instance of 'GrowPruneTreeClassifier'"),
        ({"estimator__criterion": "accuracy"}, "'criterion' parameter .*must be .* Got 'accuracy'"),
        ({"estimator__handle_missing": "fractional"}, "'learned'.*'category'"),
        ({"estimator__max_iter": 0}, "max_iter"),
        ({"warm_start": 1}, "'warm_start' parameter .* must be a bool. Got 1 instead"),
        ({"n_jobs": 0.5}, "'n_jobs' parameter .* Got 0.5 instead"),
        ({"time_limit": 0}, "time_limit"),
    ],
)
def test_parameters_that_are_refused(parameters, message, mixed):
    model = GrowPruneForestClassifier().set_params(**parameters)
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(*mixed)
    with pytest.raises(NotFittedError):
        model.predict(mixed[0])


def test_such_trees_in_any_forest(mixed):
    X, y = mixed
    inside = GrowPruneTreeClassifier()
    whole = ForestClassifier(inside, 6, bootstrap=False, voting="hard", random_state=3)
    own = GrowPruneForestClassifier(n_estimators=6, random_state=3).fit(X, y)
    assert whole.fit(X, y).trees_ == own.trees_
    drawn = {"bootstrap": True, "colsample_bytree": 1, "random_state": 3}
    samples = GrowPruneForestClassifier(n_estimators=6, **drawn).fit(X, y)
    assert samples.trees_ == ForestClassifier(inside, 6, **drawn).fit(X, y).trees_
    assert [i[-1].pruned for i in samples.iterations_] == [t.n_leaves for t in samples.trees_]
    bagged = ForestClassifier(inside, 6, oob_score=True, random_state=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # rows that every tree has seen
        assert bagged.fit(X, y).oob_score_ > 0.4
