"""The choice of a budget by cross-validation, on tables that leave little to choose."""

import numpy as np
import pytest
from sklearn.model_selection import KFold, StratifiedKFold

from mixedwood import OptimalTreeClassifier
from mixedwood.data import read_table, read_target
from mixedwood.optimal import choose_size
from mixedwood.preprocessing import FeatureBinarizer


def sizes(results):
    return list(zip(results["param_max_depth"], results["param_max_leaf_nodes"], strict=True))


def test_no_budget_has_more_tests_than_rows_to_divide():
    X = {"a": [1, 2, 3, 4, 5, 6], "b": [0, 1, 1, 0, 0, 1]}
    model = OptimalTreeClassifier(max_depth=30, tune=True, cv=3).fit(X, [0, 1, 0, 1, 1, 0])
    # Four rows of a fold: four leaves at most.
    assert sizes(model.cv_results_) == [(0, 1), (1, 2), (2, 3), (2, 4), (3, 4)]


def test_one_row_that_counts_leaves_nothing_to_choose():
    X = {"a": [1, 2, 3]}
    model = OptimalTreeClassifier(tune=True).fit(X, [0, 1, 0], sample_weight=[0, 1, 0])
    assert model.cv_results_ is None and model.predict({"a": [1]})[0] == 1


def test_held_out_rows_are_predicted_by_trees_that_have_not_seen_them():
    """Errors by hand: one tree per fold and budget, its labels by weight."""
    rng = np.random.default_rng(1)
    x, weights = rng.integers(0, 9, 40).astype(float), rng.integers(1, 4, 40).astype(float)
    y = np.where((x > 4) ^ (rng.random(40) < 0.3), "p", "q")
    model = OptimalTreeClassifier(
        max_depth=1,
        tune=True,
        cv=4,
        random_state=3,
        binarizer=FeatureBinarizer(discretizer="equal_width"),
    )
    model.fit({"x": x}, y, sample_weight=weights)
    codes = np.unique(y, return_inverse=True)[1]
    assert model.cv_results_["optimal"].all()
    depths, scores = model.cv_results_["param_max_depth"], model.cv_results_["mean_test_score"]
    for depth, score in zip(depths, scores, strict=True):
        wrong = 0.0
        for fit, out in StratifiedKFold(4, shuffle=True, random_state=3).split(codes, codes):
            part = OptimalTreeClassifier(
                max_depth=int(depth), binarizer=FeatureBinarizer(discretizer="equal_width")
            )
            part.fit({"x": x[fit]}, y[fit], sample_weight=weights[fit])
            wrong += weights[out][part.predict({"x": x[out]}) != y[out]].sum()
        assert score == pytest.approx(1 - wrong / weights.sum())


def test_the_first_budget_is_tried_however_little_time():
    settings = OptimalTreeClassifier(max_depth=2, tune=True)._settings(20)
    table, target = read_table({"x": [1, 2, 3, 4] * 5}), read_target(["a", "b", "b", "a"] * 5)
    found = choose_size(table, target, settings, cv=5, seed=0, time_limit=-1.0)
    assert not found.complete and not found.interrupted
    assert sizes(found.cv_results) == [(0, 1)]
    assert (found.settings.max_depth, found.settings.max_leaf_nodes) == (0, 1)


def test_classes_of_too_few_rows_for_all_folds():
    """Folds then take rows as they come, without a warning."""
    X = {"a": np.arange(20), "b": ["x", "y"] * 10}
    model = OptimalTreeClassifier(max_depth=2, tune=True).fit(X, ["p"] * 17 + ["q", "q", "r"])
    assert len(sizes(model.cv_results_)) == 4 and list(model.classes_) == ["p", "q", "r"]


def test_of_equal_errors_the_smallest_budget_is_taken():
    settings = OptimalTreeClassifier(max_depth=3, tune=True)._settings(20)
    table, target = read_table({"a": [0, 1] * 10}), read_target(["x", "y"] * 10)
    found = choose_size(table, target, settings, cv=5, seed=0)
    assert found.complete
    assert set(found.cv_results["mean_test_score"][1:]) == {1.0}
    assert found.cv_results["rank_test_score"].tolist()[:2] == [len(sizes(found.cv_results)), 1]
    assert (found.settings.max_depth, found.settings.max_leaf_nodes) == (1, 2)


@pytest.mark.parametrize("cv", ["holdout", KFold(3), 3])
def test_rows_are_divided_as_asked(cv):
    rng = np.random.default_rng(2)
    X, y = {"x": rng.normal(size=60)}, rng.integers(0, 2, 60)
    model = OptimalTreeClassifier(max_depth=1, tune=True, cv=cv).fit(X, y)
    if isinstance(cv, KFold):
        leaves = [OptimalTreeClassifier(max_depth=0).fit({"x": X["x"][fit]}, y[fit]).score(
            {"x": X["x"][out]}, y[out]) for fit, out in cv.split(y)]  # fmt: skip
        assert model.cv_results_["mean_test_score"][0] == pytest.approx(np.mean(leaves))
    right = model.cv_results_["mean_test_score"] * (12 if cv == "holdout" else 60)
    assert right == pytest.approx(np.rint(right))
