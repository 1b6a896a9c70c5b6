"""A forest and boosted trees together: the mean of its parts, their checks, and errors."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit
from sklearn.utils.estimator_checks import parametrize_with_checks

import mixedwood
from mixedwood import (
    AdaBoostTreesClassifier,
    BoostedTreesClassifier,
    EnsembleClassifier,
    ForestClassifier,
    TimeLimitWarning,
    TreeClassifier,
    UnknownCategoryWarning,
)
from mixedwood._folds import fold_numbers
from mixedwood.boosting import ClassScore, GradientPlan, probabilities
from mixedwood.boosting.gradient import BoostingState
from mixedwood.data import read_table, read_target
from mixedwood.estimators import _tuning as tuning
from mixedwood.estimators.ensemble import _smoothed
from mixedwood.grow import EncodedTable
from mixedwood.grow.gradient import BinnedTable, GradientSettings
from support.excuses import SAMPLES
from support.interrupts import interrupt
from support.problems import mixed_problem


def small(n_trees=6, n_rounds=8, **parameters):
    parts = {
        "forest": ForestClassifier(n_estimators=n_trees),
        "boosted": None
        if parameters.get("tune")
        else BoostedTreesClassifier(n_estimators=n_rounds),
        "tune": False,
        "random_state": 5,
    }
    return EnsembleClassifier(**{**parts, **parameters})


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [small(5, 5), small(5, tune=True, max_depths=(1, 3), max_iter=6, cv=2)],
    expected_failed_checks=lambda model: SAMPLES,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("share", [0.0, 0.25, 0.6, 1.0])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_prediction_is_the_weighted_mean_of_the_parts(share, n_classes):
    X, y = mixed_problem(n_classes=n_classes)
    new, _ = mixed_problem(50, seed=1, n_classes=n_classes)
    model = small(weights=(1 - share, share)).fit(X, y)
    forest = ForestClassifier(n_estimators=6, random_state=5).fit(X, y)
    boosted = BoostedTreesClassifier(n_estimators=8, random_state=6).fit(X, y)
    assert model.forest_.trees_ == forest.trees_
    assert model.boosted_.trees_ == boosted.trees_
    assert model.trees_ == [*forest.trees_, *boosted.trees_]
    want = (1 - share) * forest.predict_proba(new) + share * boosted.predict_proba(new)
    np.testing.assert_allclose(model.predict_proba(new), want, atol=1e-15)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(new)), want)
    np.testing.assert_array_equal(model.predict(new), model.classes_[want.argmax(axis=1)])
    importances = (1 - share) * forest.feature_importances_ + share * boosted.feature_importances_
    np.testing.assert_allclose(model.feature_importances_, importances)
    if share in (0.0, 1.0):
        alone = boosted if share else forest
        np.testing.assert_array_equal(model.predict_proba(new), alone.predict_proba(new))


def test_importances_add_up_to_one_though_a_part_has_no_splits():
    X, y = mixed_problem()
    model = small(boosted=BoostedTreesClassifier(n_estimators=3, max_depth=0), weights=(1, 1)).fit(
        X, y
    )
    np.testing.assert_allclose(model.feature_importances_, model.forest_.feature_importances_)
    nothing = small(forest=ForestClassifier(TreeClassifier(max_depth=0), 2), weights=(1, 0)).fit(
        X, y
    )
    assert nothing.feature_importances_.tolist() == [0.0] * 4


def test_the_default():
    X, y = mixed_problem(60)
    model = EnsembleClassifier(tune=False, random_state=0).fit(X, y)
    assert (len(model.forest_.trees_), model.boosted_.n_iter_) == (50, 200)
    assert model.weights_.tolist() == [0.4, 0.6]
    assert model.estimators_ == [model.forest_, model.boosted_]
    assert list(model.named_estimators_) == ["forest", "boosted"]
    model = EnsembleClassifier(random_state=0).fit(X, y)
    results = model.cv_results_
    names = results["param_partitioner"].tolist()
    # Others are tried at the best depth only.
    assert sorted(names) == ["auto", "random_order", *["target_statistics"] * 4]
    pairs = zip(results["param_max_depth"], names, strict=True)
    assert [depth for depth, name in pairs if name == "target_statistics"] == [2, 3, 4, 6]
    again = [
        EnsembleClassifier(forest=ForestClassifier(n_estimators=2)).fit(X, y) for _ in range(2)
    ]
    assert again[0].trees_ != again[1].trees_  # no seed: others every time


# The choice

TUNED = {"tune": True, "linear": False, "max_depths": (1, 3), "max_iter": 12, "cv": 3}
# Steps of the race are as long as those of the model, and no other way to split is tried.
PLAIN = BoostedTreesClassifier(learning_rate=0.3, max_features="sqrt")


def test_depth_rounds_and_weights_are_those_with_the_least_loss():
    X, y = mixed_problem(150)
    boosted = clone(PLAIN).set_params(n_estimators=8)
    model = small(20, boosted=boosted, **TUNED)
    with pytest.warns(UserWarning, match="^n_estimators=8 of boosted is not used"):
        model.fit(X, y)
    results = model.cv_results_
    assert results["param_max_depth"].tolist() == [1, 3]
    best = int(np.argmax(results["mean_test_score"]))
    assert results["rank_test_score"][best] == 1
    assert sorted(results["rank_test_score"]) == [1, 2]
    n_iter, depth = results["param_n_estimators"][best], results["param_max_depth"][best]
    assert (model.boosted_.max_depth, model.boosted_.n_iter_) == (depth, n_iter)
    weight = results["param_weight"][best]
    np.testing.assert_allclose(model.weights_, [1 - weight, weight])
    alone = clone(PLAIN).set_params(n_estimators=n_iter, max_depth=depth, random_state=6).fit(X, y)
    assert model.boosted_.trees_ == alone.trees_
    want = (1 - weight) * model.forest_.predict_proba(X) + weight * alone.predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X), want, atol=1e-12)
    # What was given stays as it was; the next fit knows nothing of this one.
    assert model.boosted.n_estimators == 8
    model.set_params(tune=False).fit(X, y)
    assert not hasattr(model, "cv_results_")
    assert not hasattr(model, "_set_scores")
    assert model.weights_.tolist() == [0.4, 0.6]
    assert model.boosted_.n_iter_ == 8


def test_steps_of_the_race_are_three_times_as_long():
    X, y = mixed_problem(150)
    model = small(20, **{**TUNED, "max_iter": 60, "boosted": BoostedTreesClassifier()}).fit(X, y)
    fast = BoostedTreesClassifier(learning_rate=0.3)
    raced = small(20, **{**TUNED, "max_iter": 20, "boosted": fast, "n_iter_no_change": 10})
    found, want = model.cv_results_, raced.fit(X, y).cv_results_
    np.testing.assert_array_equal(found["param_n_estimators"], 3 * want["param_n_estimators"])
    np.testing.assert_array_equal(found["mean_test_score"], want["mean_test_score"])
    assert model.boosted_.learning_rate == 0.1


NOT_USED = {
    "depth": (
        {"boosted": BoostedTreesClassifier(max_depth=2), **TUNED},
        "max_depth=2 of boosted is not used: with tune=True .* Set tune=False to",
    ),
    "both": (
        {"boosted": BoostedTreesClassifier(n_estimators=9, max_depth=None), **TUNED},
        "max_depth=None and n_estimators=9 of boosted are not used",
    ),
    "threads": (
        {"forest": ForestClassifier(n_estimators=3, n_jobs=2), "n_jobs": 1},
        "n_jobs=2 of forest is not used: set n_jobs of the ensemble",
    ),
    "all": (
        {
            "forest": ForestClassifier(n_estimators=20, verbose=1),
            "boosted": BoostedTreesClassifier(n_estimators=9, n_jobs=2),
            **TUNED,
        },
        "verbose=1 of forest .* n_jobs=2 of boosted .* n_estimators=9 of boosted",
    ),
}


@pytest.mark.parametrize("name", NOT_USED)
def test_what_is_not_used_is_said_once(name):
    X, y = mixed_problem(90)
    parameters, words = NOT_USED[name]
    model = small(20, **parameters)
    with pytest.warns(UserWarning, match=words) as caught:
        model.fit(X, y)
    assert [w.filename for w in caught] == [__file__]
    # It is said of what changes nothing: the same without it.
    parts = {"boosted__max_depth", "boosted__n_estimators"} if model.tune else set()
    parts |= {f"{part}__{name}" for part in ("forest", "boosted") for name in ("n_jobs", "verbose")}
    defaults = EnsembleClassifier(
        forest=ForestClassifier(), boosted=BoostedTreesClassifier()
    ).get_params()
    plain = clone(model).set_params(**{part: defaults[part] for part in parts}).fit(X, y)
    assert plain.trees_ == model.trees_
    assert plain.weights_.tolist() == model.weights_.tolist()


@pytest.mark.parametrize(
    "parameters",
    [
        {
            "boosted": BoostedTreesClassifier(n_estimators=200, max_depth=4, learning_rate=0.3),
            **TUNED,
        },
        {"boosted": BoostedTreesClassifier(n_estimators=9, max_depth=2), "tune": False},
        {"boosted": BoostedTreesClassifier(n_estimators=9, n_jobs=2), "tune": False, "n_jobs": 2},
        {"boosted": AdaBoostTreesClassifier.c45(4), **TUNED},  # nothing is chosen
    ],
)
def test_what_is_used_or_the_default_is_not_warned_of(parameters):
    X, y = mixed_problem(60)
    small(20, **parameters).fit(X, y)  # a warning is an error here


def test_losses_are_those_of_models_that_have_not_seen_the_rows():
    """The folds one after the other, by boosting anew; without a forest the share is 1."""
    X, y = mixed_problem(90)
    table, target = read_table(X), read_target(y)
    forest = ForestClassifier(n_estimators=3, bootstrap=False)
    model = small(forest=forest, boosted=PLAIN, **{**TUNED, "max_depths": (2,)}).fit(X, y)
    results = model.cv_results_
    assert results["param_weight"].tolist() == [1.0]
    folds = fold_numbers(target.codes, 3, 5, target.weights)
    settings = GradientSettings(
        max_depth=2,
        max_features=2,
        min_child_weight=1e-3,
        selection="adjusted",
        category_order="target_statistics",
        cat_smooth=3.0,
    )
    losses = []
    for n in range(1, 13):
        right = np.empty(90)
        for fold in range(3):
            plan = GradientPlan(settings, learning_rate=0.3)
            run = BoostingState(BinnedTable(EncodedTable(table)), target, plan, 5, folds == fold)
            for _ in range(n):
                run.iterate(60.0)
            scores = run.predictor()
            held = np.flatnonzero(folds == fold)
            assert {tree.weighted_n_node_samples[0] for tree in scores.trees} == {90 - len(held)}
            for tree, steps in zip(scores.trees, scores.values, strict=True):
                assert steps.shape == (tree.n_nodes, 3)
            again = scores.baseline + sum(
                steps[tree.apply(table.take(held))]
                for tree, steps in zip(scores.trees, scores.values, strict=True)
            )
            right[held] = probabilities(again)[np.arange(len(held)), target.codes[held]]
        losses.append(-np.log(right).mean())
    assert results["mean_test_score"].tolist() == pytest.approx([-min(losses)])
    assert results["param_n_estimators"].tolist() == [1 + int(np.argmin(losses))]


@pytest.mark.parametrize("cv", ["holdout", 2, 5])
def test_folds_hold_rows_of_every_class(cv):
    _, y = mixed_problem(200)
    weights = np.ones(200)
    weights[:50] = 0
    target = read_target(y, weights)
    folds = fold_numbers(target.codes, cv, 0, target.weights)
    assert (folds[:50] == -1).all()
    n_folds, share = (1, 0.2) if cv == "holdout" else (cv, 1 / cv)
    for fold in range(n_folds):
        inside = np.bincount(target.codes[folds == fold], minlength=3)
        everyone = np.bincount(target.codes[50:], minlength=3)
        np.testing.assert_allclose(inside, everyone * share, atol=1.01)
    if n_folds > 1:
        assert (folds[50:] >= 0).all()
    np.testing.assert_array_equal(folds, fold_numbers(target.codes, cv, 0, target.weights))
    assert (folds != fold_numbers(target.codes, cv, 1, target.weights)).any()


def test_folds_may_be_those_of_a_splitter():
    X, y = mixed_problem(90)
    splitter = KFold(3, shuffle=True, random_state=1)
    weights = np.ones(90)
    weights[:9] = 0
    folds = fold_numbers(np.zeros(90, int), splitter, 0, weights)
    assert (folds[:9] == -1).all()
    for number, (_, test) in enumerate(splitter.split(X)):
        assert (folds[test[test >= 9]] == number).all()
    with pytest.raises(ValueError, match=r"test sets of the splitter ShuffleSplit\(.* overlap"):
        fold_numbers(np.zeros(90, int), ShuffleSplit(3, test_size=0.5, random_state=0), 0)
    model = small(**{**TUNED, "cv": splitter}).fit(X, y)
    other = small(**{**TUNED, "cv": 3}).fit(X, y)
    assert (model.cv_results_["mean_test_score"] != other.cv_results_["mean_test_score"]).all()


def test_losses_are_means_over_the_weight_of_rows():
    weights = np.array([1.0, 5.0, 2.0])
    target = read_target(["ash", "birch", "birch"], weights)
    score = ClassScore(target, np.arange(3), np.array([[0.5], [0.8], [0.4]]))
    loss, alone = score.losses(score.predict(np.zeros((3, 1))))  # one half for each class
    assert alone == pytest.approx(np.log(2))
    (of_forest,) = score._last[:1]
    mixed = of_forest * np.array([0.5, 0.8, 0.4]) + (1 - of_forest) * 0.5
    assert loss == pytest.approx(-weights @ np.log(mixed) / 8)
    assert 0.5 < of_forest < 1
    assert ClassScore(target, np.arange(3), np.empty((3, 0))).losses(np.full(3, 0.5)) == (
        pytest.approx(np.log(2)),
        pytest.approx(np.log(2)),
    )


def test_predictions_out_of_bag_are_drawn_to_the_mean():
    target = read_target(["ash", "birch", "birch", "birch"])
    shares = np.array([[1.0, 0.0], [0.0, 1.0], [np.nan, np.nan], [0.5, 0.5]])
    want = [
        [37.25 / 38, 0.75 / 38],
        [0.25 / 38, 37.75 / 38],
        [0.25, 0.75],
        [18.75 / 38, 19.25 / 38],
    ]
    np.testing.assert_allclose(_smoothed(shares, target, 37), want)


def test_sizes_depend_on_rows_without_a_jump():
    sizes = [tuning.forest_size(n) for n in range(1_900, 30_000, 10)]
    trees = np.array([n for n, _ in sizes])
    assert (np.diff(trees) <= 0).all()
    assert (np.diff(trees) >= -1).all()
    assert trees[-1] >= 16
    assert tuning.forest_size(50) == tuning.forest_size(1_000) == (50, None)
    assert all(
        s is None or s < n for n, (_, s) in zip(range(1_900, 30_000, 10), sizes, strict=True)
    )
    for n_rows, n_folds in ((500, 5), (2_500, 2), (9_000, 1)):
        folds = tuning.tested_folds(read_target(np.arange(n_rows) % 3), None, 0)
        assert set(folds.tolist()) == set(range(n_folds)) | ({-1} if n_folds < 5 else set())
    assert tuning.tested_folds(read_target([0, 1]), KFold(2), 0).tolist() == [0, 1]


def test_a_single_row_of_every_class():
    X, y = {"x": np.arange(12.0)}, [f"kind {i}" for i in range(12)]
    model = small(**{**TUNED, "cv": "holdout"}).fit(X, y)
    assert model.predict_proba(X).shape == (12, 12)


def test_additive_classes_get_stumps_and_others_deep_trees():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 8))
    table = {f"x{i}": X[:, i] for i in range(8)}
    quick = PLAIN
    model = small(50, boosted=quick, tune=True, max_depths=(1, 6), max_iter=150, cv=3)
    model.fit(table, X.sum(axis=1) + rng.normal(scale=0.5, size=400) > 4)
    assert model.boosted_.max_depth == 1
    model.fit(table, X[:, :3].sum(axis=1) % 2)  # any two columns by themselves tell nothing
    assert model.boosted_.max_depth == 6
    assert model.boosted_.n_iter_ > 10


def test_the_choice_is_the_same_for_any_number_of_threads():
    X, y = mixed_problem(150)
    alone = small(**TUNED).fit(X, y)
    for n_jobs in (2, -1):
        model = small(**TUNED, n_jobs=n_jobs).fit(X, y)
        np.testing.assert_equal(model.cv_results_, alone.cv_results_)
        assert model.trees_ == alone.trees_


def test_rows_without_weight_have_no_say_in_the_choice():
    X, y = mixed_problem(160)
    weights = np.ones(160)
    weights[100:] = 0
    model, same = small(**TUNED).fit(X, y, weights), small(**TUNED).fit(X[:100], y[:100])
    np.testing.assert_equal(model.cv_results_, same.cv_results_)
    np.testing.assert_allclose(model.predict_proba(X), same.predict_proba(X))


@pytest.mark.parametrize(
    "boosted",
    [
        BoostedTreesClassifier(n_estimators=4, estimator=TreeClassifier(max_depth=2, pruning=None)),
        AdaBoostTreesClassifier.c45(4),
    ],
)
def test_nothing_is_chosen_for_trees_whose_depth_is_their_own(boosted):
    X, y = mixed_problem(60)
    model = small(boosted=boosted, **TUNED).fit(X, y)
    assert not hasattr(model, "cv_results_")
    assert model.weights_.tolist() == [0.4, 0.6]
    assert model.boosted_.get_params(deep=False) == boosted.get_params(deep=False) | {
        "estimator": model.boosted_.estimator,
        "random_state": 6,
    }
    tiny = small(**TUNED).fit(X[:9], y[:9])
    assert not hasattr(tiny, "cv_results_")


def test_an_out_of_bag_score_that_was_asked_for_is_there():
    X, y = mixed_problem(150)
    forest = ForestClassifier(n_estimators=40, oob_score=True)
    assert small(forest=forest).fit(X, y).forest_.oob_score_ > 0.5
    assert not hasattr(small().fit(X, y).forest_, "oob_score_")
    # One's own score stays one's own where the choice needs the answers out of bag.
    forest.set_params(oob_score=lambda right, said: -1.0)
    assert small(forest=forest, **TUNED).fit(X, y).forest_.oob_score_ == -1.0


def test_ways_to_split_are_tried_at_the_best_depth_and_reported_as_they_were():
    made = mixedwood.datasets.make_mixed(400, random_state=1)
    model = small(10, **{**TUNED, "max_iter": 60}).fit(made.X, made.y)
    results = model.cv_results_
    names = ["auto", "random_order", "target_statistics", "target_statistics"]
    assert sorted(results["param_partitioner"].tolist()) == names
    best = int(np.argmax(results["mean_test_score"]))
    assert results["param_partitioner"][best] == str(model.boosted_.partitioner)
    features = {"auto": None, "random_order": 0.5, "target_statistics": "auto"}
    assert model.boosted_.max_features == features[model.boosted_.partitioner]
    chosen = clone(model).set_params(boosted__partitioner="random_order", boosted__max_features=1)
    assert set(chosen.fit(made.X, made.y).cv_results_["param_partitioner"]) == {"random_order"}


# The linear model


def linear_problem(n, seed):
    rng = np.random.default_rng(seed)
    X = {f"x{i}": rng.normal(size=n) for i in range(8)} | {"c": rng.choice(list("abc"), n)}
    score = sum(X[f"x{i}"] for i in range(8)) + 2.0 * (X["c"] == "a") + rng.normal(size=n)
    return X, np.array(["ash", "birch", "cedar"])[np.digitize(score, [-1.5, 2])]


def interacting(interaction, seed):
    """Columns of four categories; the first two have effects of their own and a common one."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, (500, 3))
    X = {name: [f"v{code}" for code in codes[:, j]] for j, name in enumerate("abc")}
    score = (1 - interaction) * (codes[:, 0] - codes[:, 1])
    score = score + interaction * 3 * np.where((codes[:, 0] + codes[:, 1]) % 2, 1, -1)
    return X, np.where(score + rng.logistic(size=500) > 0, "yes", "no")


@pytest.mark.parametrize(("interaction", "crosses"), [(1.0, True), (0.25, None), (0.0, False)])
def test_columns_are_crossed_where_held_out_rows_gain(interaction, crosses):
    X, y = interacting(interaction, 1)
    small = {"forest": ForestClassifier(n_estimators=10), "max_iter": 60, "random_state": 0}
    model = EnsembleClassifier(**small).fit(X, y)
    plain = EnsembleClassifier(crossed_features=None, **small).fit(X, y)
    names = [column.name for column in model.schema_.derived]
    if crosses is not None:
        assert names == ["a & b"] * crosses
    crossed = EnsembleClassifier(crossed_features=[("a", "b")], **small).fit(X, y)
    found, without, with_it = (
        m.cv_results_["mean_test_score"].max() for m in (model, plain, crossed)
    )
    if crosses is not False:  # the search finds the pair
        assert found == max(without, with_it)
    same = crossed if names else plain
    assert np.array_equal(model.predict_proba(X), same.predict_proba(X))


def test_columns_are_crossed_as_told_if_nothing_is_tuned():
    X, y = interacting(1.0, 0)
    model = EnsembleClassifier(tune=False, boosted=BoostedTreesClassifier(n_estimators=5))
    assert [column.name for column in model.fit(X, y).schema_.derived] == ["a & b"]


def test_sums_of_numbers_get_a_linear_model(tmp_path):
    X, y = linear_problem(300, 0)
    new, truth = linear_problem(500, 1)
    model = small(30, **{**TUNED, "linear": True}).fit(X, y)
    without = small(30, **TUNED).fit(X, y)
    assert model.weights_[2] > 0.5
    assert list(model.named_estimators_) == ["forest", "boosted", "linear"]
    assert model.score(new, truth) > without.score(new, truth) + 0.03
    parts = [model.forest_, model.boosted_]
    members = [part.predict_proba(new) for part in parts]
    members.append(model.linear_.probabilities(read_table(new, schema=model.schema_)))
    want = np.tensordot(model.weights_, members, 1)
    np.testing.assert_allclose(model.predict_proba(new), want, atol=1e-12)
    why = model.explain(new, row=3)
    np.testing.assert_allclose(why.probabilities, want[3])
    np.testing.assert_allclose(
        why.linear.bias + why.linear.contributions.sum(axis=0), why.linear.total
    )
    np.testing.assert_allclose(why.linear.probabilities, members[2][3])
    assert "the sum of the linear model" in str(why)
    assert set(why.to_dict()["weights"]) == {"forest", "boosted", "linear"}
    mixedwood.save_model(model, tmp_path / "model.mw")
    again = mixedwood.load_model(tmp_path / "model.mw")
    np.testing.assert_array_equal(again.predict_proba(new), model.predict_proba(new))
    np.testing.assert_array_equal(again.predict_set(new), model.predict_set(new))
    assert mixedwood.export(model, to="json")
    assert mixedwood.export(without, to="json")


def test_a_linear_model_of_little_weight_is_left_out():
    rng = np.random.default_rng(0)
    X = {"x": rng.normal(size=1_500), "z": rng.normal(size=1_500)}
    y = (X["x"] > 0) ^ (X["z"] > 0)
    model = small(30, **{**TUNED, "linear": True, "max_iter": 40}).fit(X, y)
    assert not hasattr(model, "linear_")
    assert len(model.weights_) == 2
    wide = {"c": [f"v{i}" for i in range(1_600)] * 2}
    model = small(3, **{**TUNED, "linear": True}).fit(wide, np.arange(3_200) % 2)
    assert not hasattr(model, "linear_")


def test_weights_of_three_members_as_given():
    X, y = linear_problem(100, 0)
    model = small(weights=(1, 1, 2)).fit(X, y)
    assert model.weights_.tolist() == [0.25, 0.25, 0.5]
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert small(weights=(1, 1, 2), linear=False).fit(X, y).weights_.tolist() == [0.5, 0.5]


# What else it does


@pytest.mark.parametrize("max_samples", [None, 1.0])
def test_a_forest_whose_trees_see_all_rows_is_not_judged(max_samples):
    X, y = mixed_problem()
    forest = ForestClassifier(n_estimators=4, bootstrap=False, max_samples=max_samples)
    model = small(forest=forest, **TUNED).fit(X, y)
    assert set(model.cv_results_["param_weight"]) == {1.0}
    assert not hasattr(model.forest_, "oob_score_")


def test_copies_predict_the_same():
    X, y = mixed_problem()
    model = small().fit(X, y)
    want = model.predict_proba(X)
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), clone(model).fit(X, y)):
        np.testing.assert_array_equal(twin.predict_proba(X), want)
        assert twin.trees_ == model.trees_
    assert model.score(X, y) > 0.8
    # The parts that were given are not touched.
    assert not hasattr(model.forest, "trees_")
    assert model.forest.random_state is None


@pytest.mark.parametrize("n_jobs", [1, 2, 3, -1])
def test_threads_change_nothing(n_jobs):
    X, y = mixed_problem()
    alone, model = small().fit(X, y), small(n_jobs=n_jobs).fit(X, y)
    assert model.trees_ == alone.trees_
    np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(X))


def test_what_belongs_to_the_whole_reaches_both_parts():
    X, y = mixed_problem()
    heavy = small(class_weight={"ash": 3.0}).fit(X, y)
    weighted = small().fit(X, y, np.where(y == "ash", 3.0, 1.0))
    assert heavy.trees_ == weighted.trees_ != small().fit(X, y).trees_
    nominal = small(categorical_features=["size"]).fit(X, y)
    assert nominal.schema_["size"].kind == "nominal"
    for part in (nominal.forest_, nominal.boosted_):
        assert part.schema_ is nominal.schema_
    ordinal = small(ordinal_features={"shape": ["round", "square", "star"]}).fit(X, y)
    assert ordinal.boosted_.schema_["shape"].kind == "ordinal"


def test_rows_without_weight_do_not_count():
    X, y = mixed_problem(160)
    weights = np.ones(160)
    weights[100:] = 0
    model, same = small().fit(X, y, weights), small().fit(X[:100], y[:100])
    np.testing.assert_allclose(model.predict_proba(X), same.predict_proba(X))


def test_parts_of_any_kind():
    X, y = mixed_problem()
    model = small(
        forest=ForestClassifier.bagging_c45(4), boosted=AdaBoostTreesClassifier.c45(4)
    ).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert model.score(X, y) > 0.8


def test_parameters_of_the_parts_are_searched_from_outside():
    X, y = mixed_problem(100)
    grid = GridSearchCV(
        small(3, 3),
        {"weights": [(4, 1), (1, 4)], "boosted__max_depth": [1, 3]},
        cv=2,
        error_score="raise",
    ).fit(X, y)
    assert grid.best_score_ > 0.5


def test_values_that_no_row_had():
    X, y = mixed_problem()
    new = X[:4].assign(colour="mauve")
    with pytest.warns(UnknownCategoryWarning, match=r"column 'colour' \(4 rows\)") as caught:
        small().fit(X, y).predict(new)
    assert len(caught) == 1
    assert caught[0].filename == __file__  # where predict was called
    for strict in (
        {"boosted": BoostedTreesClassifier(n_estimators=4, handle_unknown="error")},
        {"forest": ForestClassifier(TreeClassifier(handle_unknown="error", pruning=None), 4)},
    ):
        model = small(**strict).fit(X, y)
        with pytest.raises(ValueError, match="Found unknown categories"):
            model.predict(new)


def test_one_class():
    model = small().fit({"x": [1, 2, 3]}, ["only"] * 3)
    assert model.predict_proba({"x": [5]}).tolist() == [[1.0]]


def test_a_time_limit_leaves_a_model_that_works():
    X, y = mixed_problem(3000)
    model = small(10**6, 10**6, time_limit=1.0)
    with pytest.warns(TimeLimitWarning) as caught:
        model.fit(X, y)
    said = [str(w.message) for w in caught]
    assert any("1000000 trees" in words for words in said)
    assert any("1000000 iterations" in words for words in said)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    model.set_params(boosted=None, tune=True, max_iter=10**6, n_iter_no_change=10**6)
    with pytest.warns(TimeLimitWarning) as caught:
        model.fit(X, y)
    assert any("before tuning was complete" in str(w.message) for w in caught)
    after = {w.filename for w in caught if "came after" in str(w.message)}
    assert after == {__file__}  # where fit was called
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize(
    ("stage", "trees", "rounds", "tune"),
    [
        ("trees", 10**6, 10, False),
        ("iterations", 1, 10**6, False),
        ("% of tuning", 5, 10**6, True),
    ],
)
def test_ctrl_c_leaves_the_model_unfitted(stage, trees, rounds, tune):
    """While the forest grows, while boosting goes on, and while depths are compared."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 10)), rng.integers(0, 5, 3000)
    model = EnsembleClassifier(
        forest=ForestClassifier(n_estimators=trees),
        boosted=None if tune else BoostedTreesClassifier(n_estimators=rounds),
        tune=tune, max_iter=rounds, n_iter_no_change=rounds, cv=5, n_jobs=2,
    )  # fmt: skip
    with pytest.raises(NotFittedError):
        interrupt(model, stage, X, y).predict(X)


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        (
            {"forest": BoostedTreesClassifier()},
            TypeError,
            "'forest' parameter of .* an instance of 'ForestClassifier' or None",
        ),
        (
            {"forest": ForestClassifier},
            TypeError,
            "'forest' parameter of .* an instance of 'ForestClassifier' or None",
        ),
        (
            {"boosted": RandomForestClassifier()},
            TypeError,
            "an instance of 'BoostedTreesClassifier', an instance of 'AdaBoost",
        ),
        (
            {"weights": (-0.1, 1)},
            ValueError,
            "weights' parameter of EnsembleClassifier must be two",
        ),
        ({"weights": (0, 0)}, ValueError, "weights' parameter of EnsembleClassifier must be two"),
        ({"weights": (1, np.inf)}, ValueError, "two or three non-negative numbers, not all 0"),
        ({"weights": (1, np.nan)}, ValueError, "two or three non-negative numbers, not all 0"),
        ({"weights": 0.6}, ValueError, "Got 0.6 instead"),
        ({"weights": (1, 1, 1, 1)}, ValueError, "two or three non-negative numbers, not all 0"),
        ({"weights": "ab"}, ValueError, "two or three non-negative numbers, not all 0"),
        (
            {"forest": ForestClassifier(class_weight="balanced")},
            ValueError,
            "class_weight of forest must be None: set class_weight of Ensemble",
        ),
        (
            {"boosted": BoostedTreesClassifier(random_state=0)},
            ValueError,
            "random_state of boosted must be None",
        ),
        (
            {"boosted": BoostedTreesClassifier(time_limit=5)},
            ValueError,
            "time_limit of boosted must be None",
        ),
        (
            {"boosted": BoostedTreesClassifier(l2_regularization=-1)},
            ValueError,
            "'l2_regularization' parameter of BoostedTreesClassifier must be a float",
        ),
        ({"forest": ForestClassifier(voting="plurality")}, ValueError, "'voting' parameter"),
        ({"tune": "yes"}, ValueError, "'tune' parameter of EnsembleClassifier must be a bool"),
        ({"max_depths": ()}, ValueError, "must be a sequence of ints in the range"),
        ({"max_depths": 3}, ValueError, "must be a sequence of ints in the range"),
        ({"max_depths": [2, 0]}, ValueError, "must be a sequence of ints in the range"),
        ({"max_depths": [2.5]}, ValueError, "must be a sequence of ints in the range"),
        ({"max_depths": [True]}, ValueError, "must be a sequence of ints in the range"),
        ({"max_iter": 0}, ValueError, "must be an int in the range .1, inf.. Got"),
        ({"max_iter": None}, ValueError, "must be an int in the range .1, inf.. Got"),
        ({"n_iter_no_change": 0}, ValueError, "'n_iter_no_change' parameter of Ens"),
        ({"cv": 1}, ValueError, "must be an int in the range .2, inf., a splitter, 'holdout'"),
        ({"cv": "loo"}, ValueError, "Got 'loo' instead"),
        ({"random_state": -1}, ValueError, "'random_state' parameter of Ens"),
        ({"time_limit": 0}, ValueError, "time_limit"),
        ({"class_weight": {"oak": 2}}, ValueError, "which are not in y"),
        ({"categorical_features": ["weight"]}, ValueError, "weight"),
    ],
)
def test_bad_parameters_are_refused_and_change_nothing(parameters, error, words):
    X, y = mixed_problem(30)
    model = small(2, 2).fit(X, y)
    before = model.forest_, model.boosted_
    model.set_params(**parameters)
    with pytest.raises(error, match=words):
        model.fit(X, y)
    assert (model.forest_, model.boosted_) == before
    unfitted = EnsembleClassifier(**parameters)
    with pytest.raises(error, match=words):
        unfitted.fit(X, y)
    with pytest.raises(NotFittedError):
        unfitted.predict(X)


def test_boosting_gets_its_time_beside_a_good_forest():
    """The first rounds are worth nothing beside the forest; that is no reason to give up."""
    rng = np.random.default_rng(0)
    X = {name: rng.integers(0, 5, 400).astype(str) for name in "abcd"}
    y = sum(np.array(X[name], int) for name in "abcd") > 8  # additive, which stumps learn slowly
    model = EnsembleClassifier(
        forest=ForestClassifier(n_estimators=30),
        max_depths=(1,),
        max_iter=200,
        n_iter_no_change=5,
        random_state=0,
    ).fit(X, y)
    assert model.boosted_.n_iter_ > 50


def test_nodes_are_those_of_the_forest_and_of_boosting():
    X, y = mixed_problem(60)
    model = small().fit(X, y)
    nodes = model.apply(X)
    assert nodes.shape == (60, 14)
    np.testing.assert_array_equal(nodes[:, :6], model.forest_.apply(X))
    np.testing.assert_array_equal(nodes[:, 6:], model.boosted_.apply(X))


@pytest.mark.parametrize("ask", ["predict", "predict_proba", "predict_log_proba"])
def test_the_warning_about_new_values_is_about_this_line(ask):
    model = small().fit({"colour": ["red", "blue"] * 10}, [0, 1] * 10)
    with pytest.warns(UnknownCategoryWarning) as caught:
        getattr(model, ask)({"colour": ["green"]})
    assert {warning.filename for warning in caught} == {__file__}
