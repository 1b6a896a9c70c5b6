"""A row of weight 0 is the same as no row, in every estimator and in all that it decides."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from mixedwood import (
    AdaBoostTreesClassifier,
    BoostedTreesClassifier,
    C45TreeClassifier,
    EnsembleClassifier,
    ForestClassifier,
    GrowPruneForestClassifier,
    GrowPruneTreeClassifier,
    ModelTreeClassifier,
    OptimalTreeClassifier,
    RandomOrdinalityClassifier,
    SmoothSVC,
    TreeClassifier,
)
from mixedwood.preprocessing import FeatureBinarizer
from mixedwood.pruning import Pruner
from mixedwood.splits import Partitioner
from mixedwood_studies.model_trees.methods import model_tree as published
from support.problems import mixed_problem

MODELS = {
    "tree": TreeClassifier(),
    "cart": TreeClassifier.cart(),
    "c45": C45TreeClassifier(),
    "conditional_inference": TreeClassifier.conditional_inference(),
    "no pruning": TreeClassifier(pruning=None, min_samples_leaf=0.05),
    "reduced error": TreeClassifier(pruning="reduced_error"),
    "pessimistic": TreeClassifier(pruning=["merge_equal", "pessimistic"]),
    "two folds": TreeClassifier(pruning=Pruner("cost_complexity", cv=2, n_repeats=2)),
    "random order": TreeClassifier(
        partitioner=Partitioner("random_order", per="tree"), random_state=0
    ),
    "some columns": TreeClassifier(max_features=1, random_state=3),
    "grow and prune": GrowPruneTreeClassifier(random_state=1),
    "model tree": ModelTreeClassifier(),
    "published model tree": published(),
    "validated model tree": ModelTreeClassifier(score_on="validation", intercept="best"),
    "forest": ForestClassifier(n_estimators=4, random_state=2),
    "forest of samples": ForestClassifier(
        n_estimators=4, bootstrap=False, max_samples=0.6, random_state=2
    ),
    "bagging of c45": ForestClassifier.bagging_c45(3, random_state=2),
    "random ordinality": RandomOrdinalityClassifier(n_estimators=3, random_state=2),
    "grow and prune forest": GrowPruneForestClassifier(n_estimators=3, random_state=2),
    "boosting": BoostedTreesClassifier(
        n_estimators=5, early_stopping=True, subsample=0.7, random_state=2
    ),
    "balanced boosting": BoostedTreesClassifier(
        n_estimators=5, class_weight="balanced", random_state=2
    ),
    "adaboost": AdaBoostTreesClassifier.c45(3, random_state=2),
    "resampled adaboost": AdaBoostTreesClassifier(n_estimators=3, resample=True, random_state=2),
    "ensemble": EnsembleClassifier(
        forest=ForestClassifier(n_estimators=4), max_depths=(1, 2), max_iter=5, cv=2, random_state=2
    ),
    "optimal": OptimalTreeClassifier(max_depth=2),
    "tuned optimal": OptimalTreeClassifier(max_depth=2, tune=True, cv=3),
    "equal width": OptimalTreeClassifier(
        max_depth=2, binarizer=FeatureBinarizer(discretizer="equal_width"), min_samples_leaf=2
    ),
    "svm": SmoothSVC(),
    "tuned svm": SmoothSVC(C="tune"),
    "kernel svm": SmoothSVC(kernel="rbf"),
}


@pytest.fixture(scope="module")
def problem():
    """Text, numbers and gaps, and rows of weight 0 with numbers and values of their own."""
    X, y = mixed_problem(150)
    X = pd.DataFrame(X)
    rng = np.random.default_rng(0)
    weights = rng.choice([0.0, 0.5, 1.0, 2.0], len(y), p=[0.3, 0.1, 0.5, 0.1])
    for name in X:
        text = not pd.api.types.is_numeric_dtype(X[name])
        rows = rng.choice(np.flatnonzero(weights == 0), 5, replace=False)
        X.loc[rows, name] = "Never" if text else 1e6
    return X, np.asarray(y), weights


def answers(model, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if hasattr(model, "predict_proba"):
            return model.predict_proba(X)
        return model.decision_function(X)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("plain", [False, True], ids=["weights", "zeros and ones"])
def test_a_row_of_weight_zero_is_no_row(problem, name, plain):
    X, y, weights = problem
    weights = (weights > 0).astype(float) if plain else weights
    kept = weights > 0
    model = clone(MODELS[name])
    with_them = answers(model.fit(X, y, weights), X)
    schema, classes = model.schema_, model.classes_.tolist()
    without = answers(model.fit(X[kept], y[kept], None if plain else weights[kept]), X)
    assert schema == model.schema_ and classes == model.classes_.tolist()
    assert np.array_equal(with_them, without)


def test_a_class_of_weightless_rows_stays_a_class():
    X, y = {"x": [0.0, 1.0, 2.0, 3.0]}, list("aabc")
    model = TreeClassifier(pruning=None).fit(X, y, [1, 1, 1, 0])
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.predict_proba(X).tolist() == [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0]]


@pytest.mark.filterwarnings("ignore")
def test_all_trees_predict_weightless_rows_out_of_bag(problem):
    X, y, weights = problem
    model = ForestClassifier(n_estimators=20, oob_score=True, random_state=0).fit(X, y, weights)
    shares, kept = model.oob_decision_function_, weights > 0
    assert shares.shape == (len(y), 3)
    assert np.array_equal(shares[~kept], model.predict_proba(X[~kept]))
    again = ForestClassifier(n_estimators=20, oob_score=True, random_state=0)
    again.fit(X[kept], y[kept], weights[kept])
    assert np.array_equal(shares[kept], again.oob_decision_function_)
    assert model.oob_score_ == again.oob_score_


@pytest.mark.parametrize("seed", range(5))
def test_reduced_error_pruning_with_one_row_that_weighs(seed):
    weights = np.zeros(12)
    weights[seed] = 1
    model = TreeClassifier(pruning="reduced_error", random_state=seed)
    model.fit({"x": np.arange(12.0)}, np.arange(12) % 2, weights)
    assert model.predict({"x": [0.0, 5.0]}).tolist() == [seed % 2] * 2
