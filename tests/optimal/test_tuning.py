"""The choice of a budget by cross-validation, on tables that leave little to choose."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from mixedwood import OptimalTreeClassifier
from mixedwood.data import read_table, read_target
from mixedwood.estimators.optimal_parameters import read_optimal_parameters
from mixedwood.optimal import choose_budget


def test_no_budget_has_more_tests_than_rows_to_divide():
    X = {"a": [1, 2, 3, 4, 5, 6], "b": [0, 1, 1, 0, 0, 1]}
    model = OptimalTreeClassifier(30, tune=True, n_folds=3).fit(X, [0, 1, 0, 1, 1, 0])
    # Four rows of a fold: three tests at most.
    budgets = [(tried.max_depth, tried.max_nodes) for tried in model.tried_]
    assert budgets == [(0, 0), (1, 1), (2, 2), (2, 3), (3, 3)]


def test_one_row_that_counts_leaves_nothing_to_choose():
    X = {"a": [1, 2, 3]}
    model = OptimalTreeClassifier(tune=True).fit(X, [0, 1, 0], sample_weight=[0, 1, 0])
    assert model.tried_ is None and model.predict({"a": [1]})[0] == 1


def test_held_out_rows_are_answered_by_trees_that_have_not_seen_them():
    """Errors by hand: one tree per fold and budget, its labels by weight."""
    rng = np.random.default_rng(1)
    x, weights = rng.integers(0, 9, 40).astype(float), rng.integers(1, 4, 40).astype(float)
    y = np.where((x > 4) ^ (rng.random(40) < 0.3), "p", "q")
    model = OptimalTreeClassifier(
        1, tune=True, n_folds=4, random_state=3, discretizer="equal_width"
    )
    model.fit({"x": x}, y, sample_weight=weights)
    codes = np.unique(y, return_inverse=True)[1]
    for tried in model.tried_:
        wrong = 0.0
        for fit, out in StratifiedKFold(4, shuffle=True, random_state=3).split(codes, codes):
            part = OptimalTreeClassifier(tried.max_depth, discretizer="equal_width")
            part.fit({"x": x[fit]}, y[fit], sample_weight=weights[fit])
            wrong += weights[out][part.predict({"x": x[out]}) != y[out]].sum()
        assert tried.error == pytest.approx(wrong / weights.sum())
        assert tried.proven


def test_the_first_budget_is_tried_however_little_time():
    parameters = read_optimal_parameters(OptimalTreeClassifier(2, tune=True))
    table, target = read_table({"x": [1, 2, 3, 4] * 5}), read_target(["a", "b", "b", "a"] * 5)
    settings = parameters.settings_for(20)
    found = choose_budget(table, target, settings, n_folds=5, seed=0, time_limit=-1.0)
    chosen, tried = found.settings, found.tried
    assert not found.complete and not found.interrupted
    assert [(t.max_depth, t.max_nodes) for t in tried] == [(0, 0)]
    assert (chosen.max_depth, chosen.max_nodes) == (0, 0)


def test_classes_of_too_few_rows_for_all_folds():
    """Folds then take rows as they come, without a warning."""
    X = {"a": np.arange(20), "b": ["x", "y"] * 10}
    model = OptimalTreeClassifier(2, tune=True).fit(X, ["p"] * 17 + ["q", "q", "r"])
    assert len(model.tried_) == 4 and list(model.classes_) == ["p", "q", "r"]


def test_of_equal_errors_the_smallest_budget_is_taken():
    parameters = read_optimal_parameters(OptimalTreeClassifier(3, tune=True))
    table, target = read_table({"a": [0, 1] * 10}), read_target(["x", "y"] * 10)
    settings = parameters.settings_for(20)
    found = choose_budget(table, target, settings, n_folds=5, seed=0)
    chosen, tried = found.settings, found.tried
    assert found.complete
    assert {budget.error for budget in tried[1:]} == {0.0}
    assert (chosen.max_depth, chosen.max_nodes) == (1, 1)
