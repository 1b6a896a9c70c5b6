"""Boosted trees as an estimator: scikit-learn's checks, stages, warm starts, weights, errors."""

import copy
import pickle
import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from mixedwood import (
    AdaBoostTreesClassifier,
    BoostedTreesClassifier,
    C45TreeClassifier,
    TimeLimitWarning,
    TreeClassifier,
    UnknownCategoryWarning,
)
from mixedwood.boosting import probabilities
from mixedwood.explain.importance import impurity_importance
from mixedwood.splits import Partitioner
from support.excuses import HELD_OUT, PURE, SAMPLES, checks_of
from support.interrupts import interrupt
from support.problems import mixed_problem


def tree(partitioner="random_order", **parameters):
    limits = {"max_depth": 4, "max_features": 0.5, "pruning": None}
    return TreeClassifier(partitioner=partitioner, **{**limits, **parameters})


CHECKED = [
    (BoostedTreesClassifier(n_estimators=5), {}),
    (BoostedTreesClassifier(n_estimators=5, max_bins=8), {}),
    (BoostedTreesClassifier(n_estimators=3, early_stopping=True), HELD_OUT),
    (
        BoostedTreesClassifier(n_estimators=3, multi_strategy="one_output_per_tree", subsample=0.8),
        SAMPLES,
    ),
    (AdaBoostTreesClassifier(n_estimators=3, variant="samme"), PURE),
    (BoostedTreesClassifier(n_estimators=3, estimator=tree("principal_ext")), {}),
    (AdaBoostTreesClassifier.c45(3), {}),
]


@pytest.mark.filterwarnings("ignore")
@checks_of(CHECKED)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


MODELS = {
    "one": BoostedTreesClassifier(n_estimators=8),
    "per_class": BoostedTreesClassifier(
        n_estimators=8, multi_strategy="one_output_per_tree", max_depth=2
    ),
    "sorted": BoostedTreesClassifier(
        n_estimators=8, partitioner="auto", max_leaf_nodes=5, max_depth=None
    ),
    "per_tree": BoostedTreesClassifier(
        n_estimators=8, partitioner=Partitioner("random_order", per="tree")
    ),
    "samples": BoostedTreesClassifier(
        n_estimators=8, subsample=0.6, colsample_bytree=2, handle_unknown="majority"
    ),
    "other_trees": BoostedTreesClassifier(
        n_estimators=8, estimator=tree("principal_ext", max_depth=2)
    ),
    "estimator": BoostedTreesClassifier(
        n_estimators=8,
        estimator=TreeClassifier(max_depth=2, pruning=None),
        multi_strategy="one_output_per_tree",
    ),
    "adaboost_c45": AdaBoostTreesClassifier.c45(8),
    "samme": AdaBoostTreesClassifier(tree(max_depth=2), 8, variant="samme", learning_rate=0.5),
    "resample": AdaBoostTreesClassifier(n_estimators=8, resample=True),
}
GRADIENT = [name for name, model in MODELS.items() if isinstance(model, BoostedTreesClassifier)]
OF_TREES = ("max_depth", "min_samples_leaf", "selection", "handle_unknown")


def made(name, **parameters):
    if name in ("other_trees", "samme", "resample"):
        parameters = {f"estimator__{k}" if k in OF_TREES else k: v for k, v in parameters.items()}
    return clone(MODELS[name]).set_params(random_state=3, **parameters)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_models_learn_and_copies_predict_the_same(name, n_classes):
    X, y = mixed_problem(n_classes=n_classes)
    model = made(name).fit(X, y)
    assert 1 < model.n_iter_ <= 8
    assert model.score(X, y) > 0.65
    want = model.predict_proba(X[:30])
    np.testing.assert_allclose(want.sum(axis=1), 1)
    assert (want >= 0).all()
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X[:30])), want)
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), clone(model).fit(X, y)):
        np.testing.assert_array_equal(twin.predict_proba(X[:30]), want)
        assert twin.trees_ == model.trees_
        np.testing.assert_array_equal(twin.feature_importances_, model.feature_importances_)
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.feature_importances_.argmax() in (0, 1)
    other = clone(model).set_params(random_state=4).fit(X, y)
    without_chance = name in ("estimator", "adaboost_c45")
    assert (other.trees_ == model.trees_) == without_chance


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_and_probabilities_go_together(name, n_classes):
    X, y = mixed_problem(n_classes=n_classes)
    model = made(name).fit(X, y)
    scores, proba = model.decision_function(X), model.predict_proba(X)
    if name not in GRADIENT:
        want = proba[:, 1] - proba[:, 0] if n_classes == 2 else proba
        np.testing.assert_array_equal(scores, want)
    elif n_classes == 2:
        assert scores.shape == (len(y),)
        np.testing.assert_allclose(scores, np.log(proba[:, 1] / proba[:, 0]), atol=1e-12)
        np.testing.assert_array_equal(probabilities(scores[:, None]), proba)
    else:
        assert scores.shape == proba.shape
        shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(shares, proba)
    answers = model.predict(X)
    clear = np.sort(proba, axis=1)[:, -1] > np.sort(proba, axis=1)[:, -2] + 1e-6
    np.testing.assert_array_equal(answers[clear], model.classes_[proba.argmax(axis=1)][clear])


# Rounds


@pytest.mark.parametrize("name", MODELS)
def test_stages_are_the_models_of_the_first_rounds(name):
    X, y = mixed_problem(120)
    new, right = mixed_problem(80, seed=1)
    model = made(name).fit(X, y)
    errors = 1 - model.staged_score(new, right)
    stages = zip(model.staged_predict(new), model.staged_predict_proba(new), strict=True)
    for n, (answers, proba) in enumerate(stages, start=1):
        smaller = made(name, n_estimators=n).fit(X, y)
        assert smaller.trees_ == model.trees_[: len(smaller.trees_)]
        np.testing.assert_array_equal(proba, smaller.predict_proba(new))
        np.testing.assert_array_equal(answers, smaller.predict(new))
        assert errors[n - 1] == pytest.approx(1 - smaller.score(new, right))
    np.testing.assert_array_equal(proba, model.predict_proba(new))
    assert len(errors) == n == model.n_iter_


@pytest.mark.parametrize("name", GRADIENT)
def test_a_warm_start_is_the_same_as_one_go(name):
    X, y = mixed_problem(150)
    whole = made(name).fit(X, y)
    model = made(name, n_estimators=1, warm_start=True).fit(X, y)
    first = model.trees_[0]
    for n in (2, 3, 6, 6, 8):
        model.set_params(n_estimators=n).fit(X, y)
        assert model.n_iter_ == n
    assert model.trees_[0] is first
    assert model.trees_ == whole.trees_
    np.testing.assert_array_equal(model.decision_function(X), whole.decision_function(X))


def test_a_warm_start_keeps_its_own_seed():
    X, y = mixed_problem(150)
    model = BoostedTreesClassifier(n_estimators=3, warm_start=True).fit(X, y)
    seed = model._seed
    model.set_params(n_estimators=5).fit(X, y)
    assert model._seed == seed
    whole = BoostedTreesClassifier(n_estimators=5, random_state=seed).fit(X, y)
    assert model.trees_ == whole.trees_


def test_warm_starts_that_make_no_sense():
    X, y = mixed_problem(150)
    model = BoostedTreesClassifier(n_estimators=4, warm_start=True, random_state=0).fit(X, y)
    before = list(model.trees_)
    with pytest.raises(ValueError, match=r"n_estimators=3 must be larger or equal to the 4 iter"):
        model.set_params(n_estimators=3).fit(X, y)
    model.set_params(n_estimators=5)
    with pytest.raises(
        ValueError, match="the columns, their categories or the classes have changed"
    ):
        model.fit(X[["colour"]], y)
    with pytest.raises(
        ValueError, match="the columns, their categories or the classes have changed"
    ):
        model.fit(X, y == "ash")
    with pytest.raises(ValueError, match="the rows held out for early stopping have changed"):
        model.set_params(early_stopping=True).fit(X, y)
    assert model.trees_ == before
    held = BoostedTreesClassifier(
        n_estimators=4, warm_start=True, early_stopping=True, random_state=0
    ).fit(X, y)
    with pytest.raises(ValueError, match="the rows held out for early stopping have changed"):
        held.set_params(early_stopping=False, n_estimators=9).fit(X, y)


def test_early_stopping_keeps_the_best_round():
    X, y = mixed_problem(300)
    model = BoostedTreesClassifier(
        n_estimators=300, learning_rate=0.5, early_stopping=True, n_iter_no_change=5,
        validation_fraction=0.25, random_state=0,
    ).fit(X, y)  # fmt: skip
    losses = model.validation_loss_
    best = int(np.argmin(losses))
    assert model.n_iter_ == best + 1 == len(model.trees_)
    assert len(losses) == best + 1 + 5 < 300
    # Going on from there, and having less patience, end at the same round.
    again = clone(model).set_params(warm_start=True, n_estimators=best + 1).fit(X, y)
    again.set_params(n_estimators=300).fit(X, y)
    assert again.trees_ == model.trees_
    assert again.validation_loss_ == losses
    less = clone(model).set_params(n_estimators=best + 2).fit(X, y)
    assert less.trees_ == model.trees_
    # Going on where rounds were given up grows them again, and gives them up again.
    again.fit(X, y)
    assert again.trees_ == model.trees_
    assert again.validation_loss_ == losses
    # Nothing is left of it in the next fit.
    model.set_params(early_stopping=False, n_estimators=3).fit(X, y)
    assert not hasattr(model, "validation_loss_")
    assert model.n_iter_ == 3


def test_early_stopping_with_hardly_any_rows():
    model = BoostedTreesClassifier(n_estimators=5, early_stopping=True, random_state=0)
    for n in (2, 3, 5):
        X, y = {"x": list(range(n))}, [i % 2 for i in range(n)]
        assert model.fit(X, y).predict(X).shape == (n,)
    assert model.fit({"x": [1]}, ["a"]).predict({"x": [1]}).tolist() == ["a"]


def test_early_stopping_learns_classes_of_a_single_row():
    X, y = {"x": np.arange(40.0)}, np.array(["ash"] * 20 + ["birch"] * 19 + ["cedar"])
    for seed in range(8):
        model = BoostedTreesClassifier(
            n_estimators=60, early_stopping=True, validation_fraction=0.4, min_child_weight=0.0,
            l2_regularization=0.0, random_state=seed,
        ).fit(X, y)  # fmt: skip
        assert (model.trees_[0].statistics[0] > 0).all()
        assert max(model.validation_loss_) < 2
    # Where no row can be held out, all rounds are grown, and a warm start goes on with them.
    alone = BoostedTreesClassifier(
        n_estimators=5, early_stopping=True, warm_start=True, random_state=0
    )
    assert alone.fit({"x": [1, 2]}, ["ash", "birch"]).validation_loss_ == []
    assert alone.set_params(n_estimators=7).fit({"x": [1, 2]}, ["ash", "birch"]).n_iter_ == 7


# Weights


@pytest.mark.parametrize("name", MODELS)
def test_rows_without_weight_are_as_if_they_were_not_there(name):
    X, y = mixed_problem(160)
    weights = np.ones(160)
    weights[100:] = 0
    lost = np.where(weights > 0, y, "ash")
    limits = {} if name == "adaboost_c45" else {"min_samples_leaf": 0.03}
    model = made(name, **limits).fit(X, lost, weights)
    same = made(name, **limits).fit(X[:100], lost[:100])
    assert model.n_iter_ == same.n_iter_
    np.testing.assert_array_equal(model.predict_proba(X), same.predict_proba(X))
    assert all(tree.weighted_n_node_samples[0] <= 100 + 1e-9 for tree in model.trees_)


@pytest.mark.parametrize("name", [n for n in MODELS if n not in ("samples", "resample")])
def test_a_weight_of_two_is_a_row_that_comes_twice(name):
    rng = np.random.default_rng(0)
    X, y = mixed_problem(90)
    X["size"] += rng.normal(scale=1e-3, size=90)  # no two cuts are equally good
    X["noise"] = rng.normal(size=90)
    times = rng.integers(1, 4, 90)
    rows = np.repeat(np.arange(90), times)
    if name == "adaboost_c45":
        # C4.5 counts rows before it cuts numbers.
        X = X.drop(columns=["size", "noise"])
    parameters = {}
    if name == "estimator":
        # Boosting weights rows by parts, and then adjusted scores count each row once.
        parameters["estimator__selection"] = "score"
    elif name in ("other_trees", "samme"):
        parameters["selection"] = "score"
    elif getattr(made(name), "partitioner", None) == "target_statistics":
        # Of two equal rows, one may be in a later part than the other.
        parameters["partitioner"] = "random_order"
    model = made(name, **parameters).fit(X, y, times)
    twin = made(name, **parameters).fit(X.iloc[rows], y[rows])
    np.testing.assert_allclose(model.predict_proba(X), twin.predict_proba(X), atol=1e-6)


def test_class_weights_are_weights_of_rows():
    X, y = mixed_problem()
    for name in MODELS:
        heavy = made(name, class_weight={"ash": 3.0}).fit(X, y)
        weighted = made(name).fit(X, y, np.where(y == "ash", 3.0, 1.0))
        assert heavy.trees_ == weighted.trees_
        if name in GRADIENT:
            plain = made(name).fit(X, y)
            assert heavy.predict_proba(X)[:, 0].mean() > plain.predict_proba(X)[:, 0].mean() + 0.05


def test_extreme_weights():
    X, y = mixed_problem(60)
    for factor in (1e-300, 1e-30, 1e30, 1e300):
        weights = np.full(60, factor)
        proba = (
            BoostedTreesClassifier(n_estimators=5, random_state=0)
            .fit(X, y, weights)
            .predict_proba(X)
        )
        assert np.isfinite(proba).all()
        np.testing.assert_allclose(proba.sum(axis=1), 1)
    mixed = np.where(np.arange(60) % 2, 1e-200, 1e200)
    model = BoostedTreesClassifier(n_estimators=20, random_state=0).fit(X, y, mixed)
    assert np.isfinite(model.predict_proba(X)).all()
    assert model.score(X, y, mixed) > 0.8  # only every other row counts


# One tree for all classes, or one for each


def test_one_tree_for_all_classes_or_one_for_each():
    X, y = mixed_problem()
    one = made("one").fit(X, y)
    each = made("one", multi_strategy="one_output_per_tree").fit(X, y)
    assert (len(one.trees_), len(each.trees_)) == (8, 24)
    assert one.n_iter_ == each.n_iter_ == 8
    assert {s.shape[1] for s in one.predictor_.values} == {3}
    assert {s.shape[1] for s in each.predictor_.values} == {1}
    assert each.predictor_.first_output == (0, 1, 2) * 8
    # Two classes have one score, and nothing to choose.
    two = y == "ash"
    assert (
        made("one").fit(X, two).trees_
        == made("one", multi_strategy="one_output_per_tree").fit(X, two).trees_
    )


def test_trees_of_one_class_hold_all_classes():
    X, y = mixed_problem()
    model = made("estimator").fit(X, y)
    counts = np.array([(y == label).sum() for label in model.classes_])
    for tree in model.trees_:
        np.testing.assert_array_equal(tree.statistics[0], counts)
        np.testing.assert_array_equal(tree.classes, model.classes_)
        assert (tree.label == tree.statistics.argmax(axis=1)).all()


# Columns, rows, orders


def test_parameters_reach_the_trees():
    X, y = mixed_problem()
    trees = made("one", max_depth=2).fit(X, y).trees_
    assert max(tree.depth for tree in trees) == 2
    trees = made("one", max_leaf_nodes=3, max_depth=None).fit(X, y).trees_
    assert {tree.n_leaves for tree in trees} == {3}
    trees = made("one", min_samples_leaf=30).fit(X, y).trees_
    assert min(tree.weighted_n_node_samples.min() for tree in trees) >= 30
    trees = made("one", min_samples_leaf=0.2).fit(X, y).trees_
    assert min(tree.weighted_n_node_samples.min() for tree in trees) >= 40
    trees = made("one", subsample=0.5).fit(X, y).trees_
    assert {tree.weighted_n_node_samples[0] for tree in trees} == {100}
    assert len({tree.statistics[0, 0] for tree in trees}) > 1
    trees = made("one", colsample_bytree=1, n_estimators=40).fit(X, y).trees_
    used = [frozenset(tree.column[tree.column >= 0].tolist()) for tree in trees]
    assert max(len(columns) for columns in used) == 1
    assert len(set(used)) >= 4
    assert made("one", min_split_gain=1e9).fit(X, y).trees_[0].n_nodes == 1
    assert made("one", min_child_weight=1e9).fit(X, y).trees_[0].n_nodes == 1
    assert made("one", max_features=1).fit(X, y).trees_ != made("one").fit(X, y).trees_
    few = made("one", max_bins=2).fit(X, y).trees_
    assert len({tree.high[n] for tree in few for n in np.flatnonzero(tree.column == 1)}) == 1
    short = made("one", l2_regularization=1e6).fit(X, y)
    assert np.abs(short.decision_function(X) - short.baseline_).max() < 1e-3
    slow, quick = (made("one", learning_rate=rate).fit(X, y) for rate in (0.01, 1.0))
    assert slow.score(X, y) < quick.score(X, y)
    for name, value in (("cat_l2", 50.0), ("cat_smooth", 50.0)):
        base = {"partitioner": "auto", "max_features": None}
        assert (
            made("one", **base).fit(X, y).trees_
            != made("one", **base, **{name: value}).fit(X, y).trees_
        )


@pytest.mark.parametrize("partitioner", ["exact", Partitioner("principal_ext")])
def test_other_searches_are_those_of_an_estimator(partitioner):
    X, y = mixed_problem(n_classes=2)
    with pytest.raises(
        ValueError, match=r"use estimator=TreeClassifier\(partitioner=.*, max_depth=4"
    ):
        made("one", partitioner=partitioner).fit(X, y)
    model = made("one", estimator=tree(partitioner)).fit(X, y)
    assert model.score(X, y) > 0.65


@pytest.mark.parametrize("name", MODELS)
def test_threads_change_nothing(name):
    X, y = mixed_problem()
    alone = made(name).fit(X, y)
    for n_jobs in (1, 2, 3, -1):
        model = made(name, n_jobs=n_jobs).fit(X, y)
        assert model.trees_ == alone.trees_
        np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(X))


def test_values_that_no_row_had():
    X, y = mixed_problem()
    new = X[:4].assign(colour="mauve")
    for name in ("one", "other_trees", "samme"):
        model = made(name).fit(X, y)
        with pytest.warns(UnknownCategoryWarning, match=r"column 'colour' \(4 rows\)") as caught:
            model.predict(new)
        assert len(caught) == 1
        model = made(name, handle_unknown="error").fit(X, y)
        with pytest.raises(ValueError, match="Found unknown categories"):
            model.predict(new)


@pytest.mark.filterwarnings("ignore::mixedwood.UnknownCategoryWarning")  # values of such rows only
def test_a_class_of_rows_without_weight():
    X, y = mixed_problem()
    for name in MODELS:
        for classes in (["ash", "birch"], ["ash", "birch", "cedar"]):
            known = np.isin(y, classes)
            model = made(name).fit(X[known], y[known], (y != "ash")[known].astype(float))
            proba = model.predict_proba(X)
            assert model.classes_.tolist() == classes
            assert np.isfinite(proba).all()
            assert proba[:, 0].max() < 1e-6


def test_huge_steps_do_not_overflow():
    X, y = mixed_problem()
    for name in MODELS:
        model = made(name, learning_rate=1e4).fit(X, y)
        proba = model.predict_proba(X)
        assert np.isfinite(proba).all()
        np.testing.assert_allclose(proba.sum(axis=1), 1)


def test_one_class():
    X, _ = mixed_problem(30)
    for name in MODELS:
        model = made(name).fit(X, ["only"] * 30)
        assert model.n_iter_ == 1
        assert set(model.predict(X)) == {"only"}
        np.testing.assert_array_equal(model.predict_proba(X), 1)


def test_near_scikit_learn_on_numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 6))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(scale=0.3, size=800) > 0).astype(int)
    new = rng.normal(size=(2000, 6))
    right = (new[:, 0] + new[:, 1] * new[:, 2] > 0).astype(int)
    ours = BoostedTreesClassifier(n_estimators=100, max_features=None, random_state=0).fit(X, y)
    theirs = HistGradientBoostingClassifier(max_depth=4, l2_regularization=1.0).fit(X, y)
    assert ours.score(new, right) == pytest.approx(theirs.score(new, right), abs=0.02)


def test_parameters_are_searched_from_outside():
    X, y = mixed_problem()
    grid = GridSearchCV(
        BoostedTreesClassifier(n_estimators=5, random_state=0),
        {"max_depth": [1, 3], "partitioner": ["random_order", "auto"]},
        cv=2,
        error_score="raise",
    ).fit(X, y)
    assert grid.best_score_ > 0.5


def test_a_second_fit_forgets_the_first():
    X, y = mixed_problem()
    model = made("one", early_stopping=True).fit(X, y)
    model.set_params(early_stopping=False).fit(X, ["only"] * len(y))
    assert not hasattr(model, "baseline_")
    assert not hasattr(model, "validation_loss_")
    assert model.feature_importances_.tolist() == [0.0] * 4
    assert model.fit(X, y).trees_ == made("one").fit(X, y).trees_


def test_a_generator_is_asked_once():
    X, y = mixed_problem(60)
    for seed in (np.random.default_rng(0), np.random.RandomState(0)):
        model = BoostedTreesClassifier(n_estimators=2, random_state=seed).fit(X, y)
        before = pickle.dumps(seed)
        assert model.feature_importances_.sum() == pytest.approx(1)
        assert model.predict_proba(X).shape == (60, 3)
        assert pickle.dumps(seed) == before


def test_importances_are_fractions_of_the_gain():
    X, y = mixed_problem()
    model = made("one").fit(X, y)
    gains = np.zeros(4)
    for tree in model.trees_:
        for node in range(tree.n_nodes):
            if tree.column[node] >= 0:
                gains[tree.column[node]] += tree.score[node]
    np.testing.assert_allclose(model.feature_importances_, gains / gains.sum())
    constant = BoostedTreesClassifier(n_estimators=3).fit({"x": [1, 1, 1]}, ["a", "b", "a"])
    assert constant.feature_importances_.tolist() == [0.0]


@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio"])
def test_importances_of_other_trees_are_measured_by_their_criterion(criterion):
    X, y = mixed_problem()
    model = made("samme", estimator__criterion=criterion).fit(X, y)
    by = "gini" if criterion == "gini" else "entropy"
    each = [impurity_importance(member, by) for member in model.trees_]
    want = np.average(each, 0, model.estimator_weights_)
    np.testing.assert_allclose(model.feature_importances_, want / want.sum())


def test_the_default_tree_of_adaboost():
    X, y = mixed_problem()
    given = AdaBoostTreesClassifier(tree(), 5, random_state=0).fit(X, y)
    assert AdaBoostTreesClassifier(n_estimators=5, random_state=0).fit(X, y).trees_ == given.trees_
    shallow = AdaBoostTreesClassifier(n_estimators=5).set_params(estimator__max_depth=1).fit(X, y)
    assert max(member.depth for member in shallow.trees_) == 1


# Limits


@pytest.mark.parametrize("name", ["one", "per_class", "other_trees", "resample"])
def test_a_time_limit_leaves_a_model_that_works(name):
    X, y = mixed_problem(3000)
    model = made(name, n_estimators=100_000, time_limit=0.3, max_depth=1)
    if name == "resample":
        model.set_params(variant="samme", learning_rate=1e-3)  # or it stops by itself
    with pytest.warns(TimeLimitWarning) as caught:  # on a slow machine, of the last tree as well
        model.fit(X, y)
    assert re.search(r"time limit came after \d+ of 100000", str(caught[-1].message))
    assert caught[-1].filename == __file__  # where fit was called
    assert 1 <= model.n_iter_ < 100_000
    assert set(model.predict(X)) <= set(y)


def test_the_smallest_time_limit():
    X, y = mixed_problem(300)
    with pytest.warns(TimeLimitWarning, match="time limit came after 1 of 9 iterations"):
        model = BoostedTreesClassifier(n_estimators=9, time_limit=1e-9).fit(X, y)
    assert model.n_iter_ == 1
    assert model.predict(X).shape == y.shape


@pytest.mark.parametrize(
    "model",
    [
        BoostedTreesClassifier(n_estimators=10**6),
        BoostedTreesClassifier(n_estimators=10**6, n_jobs=2),
        BoostedTreesClassifier(n_estimators=10**6, estimator=TreeClassifier(pruning=None)),
        AdaBoostTreesClassifier.c45(10**6),
    ],
)
def test_ctrl_c_leaves_the_model_unfitted(model):
    rng = np.random.default_rng(0)
    X = {f"x{j}": rng.normal(size=3000) for j in range(12)}
    X["a"] = [f"v{i}" for i in rng.integers(0, 300, 3000)]
    y = rng.integers(0, 8, 3000)
    stage = "trees" if isinstance(model, AdaBoostTreesClassifier) else "iterations"
    stopped = interrupt(clone(model), stage, X, y)
    with pytest.raises(NotFittedError):
        stopped.predict(X)
    few = {name: column[:200] for name, column in X.items()}
    assert stopped.set_params(n_estimators=2).fit(few, y[:200]).predict(few).shape == (200,)


def test_progress_is_shown_on_request(capsys):
    X, y = mixed_problem(60)
    BoostedTreesClassifier(n_estimators=10, verbose=1, random_state=0).fit(X, y)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 10
    assert lines[-1].startswith("mixedwood: 10 of 10 iterations in")
    BoostedTreesClassifier(n_estimators=10, random_state=0).fit(X, y)
    assert capsys.readouterr().err == ""


# Errors

ABOVE_ZERO = r"a float in the range \(0.0, inf\)"
AMOUNT = r"a float in the range \[0.0, inf\)"
COUNT = r"an int in the range \[1, inf\)"
COLUMNS = r"an int in the range \[1, inf\), a float .* a str among {'sqrt', 'log2'} or None"
COLUMNS_OR_AUTO = COLUMNS.replace("} or None", "}.*{'auto'} or None")
SHARED = [
    ("n_estimators", 0, COUNT),
    ("learning_rate", 0, ABOVE_ZERO),
    ("learning_rate", np.inf, ABOVE_ZERO),
    ("n_jobs", 0, "an int in the range"),
    ("n_jobs", 1.5, "an int in the range"),
    ("random_state", -1, r"an int in the range \[0, inf\)"),
    ("time_limit", 0, r"a float in the range \(0.0, inf\] or None"),
]
REJECTED = {
    BoostedTreesClassifier: [
        *SHARED,
        ("n_estimators", 2.5, COUNT),
        ("n_estimators", None, COUNT),
        ("learning_rate", -0.1, ABOVE_ZERO),
        ("learning_rate", np.nan, ABOVE_ZERO),
        ("learning_rate", "0.1", ABOVE_ZERO),
        ("max_depth", -1, r"an int in the range \[0, inf\) or None"),
        ("max_leaf_nodes", 0, f"{COUNT} or None"),
        ("min_samples_leaf", 0, f"{COUNT} or a float in the range"),
        ("min_child_weight", -1, AMOUNT),
        ("l2_regularization", -1, AMOUNT),
        ("l2_regularization", np.inf, AMOUNT),
        ("cat_l2", None, AMOUNT),
        ("cat_smooth", -1, AMOUNT),
        ("min_split_gain", -1, AMOUNT),
        ("max_features", 0, COLUMNS_OR_AUTO),
        ("colsample_bytree", "half", COLUMNS),
        ("subsample", 0, r"a float in the range \(0.0, 1.0\]"),
        ("subsample", 1.5, r"a float in the range \(0.0, 1.0\]"),
        ("multi_strategy", "all", "a str among {'multi_output_tree', 'one_output_per_tree'}"),
        ("max_bins", 1, r"an int in the range \[2, 65535\]"),
        ("max_bins", None, r"an int in the range \[2, 65535\]"),
        ("max_bins", 10**6, r"an int in the range \[2, 65535\]"),
        ("early_stopping", 5, "a bool"),
        ("validation_fraction", 0, r"a float in the range \(0.0, 1.0\)"),
        ("validation_fraction", 1.0, r"a float in the range \(0.0, 1.0\)"),
        ("n_iter_no_change", 0, COUNT),
        ("n_iter_no_change", None, COUNT),
        ("handle_unknown", "ignore", "a str among"),
        ("warm_start", None, "a bool"),
    ],
    AdaBoostTreesClassifier: [
        *SHARED,
        ("variant", "gradient", "a str among {'m1', 'samme'}"),
        ("resample", "yes", "a bool"),
    ],
}
OTHER_ERRORS = {
    BoostedTreesClassifier: [
        ({"partitioner": "best"}, ValueError, "best"),
        ({"estimator": TreeClassifier}, TypeError, "got the class TreeClassifier"),
        ({"estimator": RandomForestClassifier()}, TypeError, "or a tree of mixedwood"),
        ({"estimator": C45TreeClassifier()}, ValueError, "'fractional' sends a row to several"),
        (
            {"estimator": TreeClassifier(ordinal_features={"shape": ["round"]})},
            ValueError,
            "ordinal_features of estimator must be None: set ordinal_features of the ensemble",
        ),
        (
            {"colsample_bytree": 2, "estimator": tree()},
            ValueError,
            "colsample_bytree is not supported with estimator",
        ),
        ({"class_weight": {"oak": 2}}, ValueError, "which are not in y"),
        ({"categorical_features": ["weight"]}, ValueError, "weight"),
        ({"ordinal_features": {"weight": ["a"]}}, ValueError, "weight"),
    ],
    AdaBoostTreesClassifier: [
        ({"estimator": TreeClassifier(partitioner="best")}, ValueError, "best"),
        ({"estimator": RandomForestClassifier()}, TypeError, "or a tree of mixedwood"),
    ],
}
ERRORS = [
    (kind, {name: value}, ValueError, f"{name!r} parameter of {kind.__name__} must be {accepted}")
    for kind, rejected in REJECTED.items()
    for name, value, accepted in rejected
]
ERRORS += [(kind, *case) for kind, cases in OTHER_ERRORS.items() for case in cases]


@pytest.mark.parametrize(("kind", "parameters", "error", "words"), ERRORS)
def test_bad_parameters_are_rejected_and_change_nothing(kind, parameters, error, words):
    X, y = mixed_problem(30)
    model = kind(n_estimators=2, random_state=0).fit(X, y)
    before = model.trees_
    model.set_params(**parameters)
    with pytest.raises(error, match=words):
        model.fit(X, y)
    assert model.trees_ is before
    unfitted = kind(**parameters)
    with pytest.raises(error, match=words):
        unfitted.fit(X, y)
    with pytest.raises(NotFittedError):
        unfitted.predict(X)
