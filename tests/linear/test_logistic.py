"""Logistic regression: the optimum, held-out rows, and classes that a fold lacks."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from mixedwood.data import read_table, read_target
from mixedwood.linear import fit_logistic


def make(n=200, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"x": rng.normal(size=n), "c": rng.choice(list("abc"), n)})
    score = X["x"] + X["c"].map({"a": 0, "b": 2, "c": -1}) + rng.normal(size=n)
    y = np.array(["ash", "birch", "cedar"])[np.digitize(score, [-0.5, 1][: n_classes - 1])]
    return X, y


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_optimum_is_that_of_scikit_learn(n_classes):
    X, y = make(n_classes=n_classes)
    weights = np.random.default_rng(1).integers(1, 4, len(y)).astype(float)
    table, target = read_table(X), read_target(y, weights)
    model, _ = fit_logistic(table, target, alphas=[2.0])
    matrix = model.design.matrix(table)
    peer = LogisticRegression(C=1 / 2.0, tol=1e-8, max_iter=1_000)
    peer.fit(matrix, y, weights / weights.mean())
    np.testing.assert_allclose(model.probabilities(table), peer.predict_proba(matrix), atol=0.02)
    assert model.probabilities(table).sum(axis=1) == pytest.approx(1)


def test_held_out_rows_are_predicted_by_models_that_have_not_seen_them():
    X, y = make()
    table, target = read_table(X), read_target(y)
    folds = np.arange(len(y)) % 4 - 1  # a quarter is in all training sets
    model, found = fit_logistic(table, target, folds, [1.0])
    assert np.isnan(found[folds < 0]).all()
    for fold in range(3):
        rows = folds == fold
        alone, _ = fit_logistic(table.take(~rows), target.take(~rows), alphas=[1.0])
        want = alone.probabilities(table.take(rows))
        np.testing.assert_allclose(found[rows], want, atol=0.03)  # other means and spreads
    assert model.alpha == 1.0


def test_the_penalty_is_that_of_the_least_loss():
    rng = np.random.default_rng(0)
    X = {f"x{i}": rng.normal(size=120) for i in range(30)}
    noise, clear = rng.permutation(np.arange(120) % 2), (X["x0"] > 0).astype(int)
    folds, table = np.arange(120) % 5, read_table(X)
    strong = fit_logistic(table, read_target(noise), folds)[0].alpha
    weak = fit_logistic(table, read_target(clear), folds)[0].alpha
    assert weak < strong


def test_a_class_that_a_fold_lacks_is_unlikely_there():
    X, y = make(60)
    y[:3] = "rare"
    folds = np.where(np.arange(60) < 3, 0, 1 + np.arange(60) % 2)
    _, found = fit_logistic(read_table(X), read_target(y), folds)
    assert np.isfinite(found).all()
    assert (found[:3, -1] < 0.1).all()


def test_by_column_adds_up():
    X, y = make()
    table = read_table(X)
    model, _ = fit_logistic(table, read_target(y), alphas=[1.0])
    bias, amounts = model.by_column(table.take([5]))
    np.testing.assert_allclose(bias + amounts.sum(axis=0), model.scores(table)[5])


def test_many_rows_are_sampled():
    X, y = make(3_000)
    table, target = read_table(X), read_target(y)
    from mixedwood.linear import logistic

    most, logistic._MAX_CELLS = logistic._MAX_CELLS, 15_000
    try:
        part, found = fit_logistic(table, target, np.arange(3_000) % 5, seed=3)
    finally:
        logistic._MAX_CELLS = most
    whole, _ = fit_logistic(table, target, alphas=[part.alpha])
    assert np.isfinite(found).all()
    assert (part.coefficients != whole.coefficients).any()
    np.testing.assert_allclose(part.probabilities(table), whole.probabilities(table), atol=0.1)


def test_no_time_leaves_no_model():
    X, y = make(60)
    folds = np.arange(60) % 3
    assert fit_logistic(read_table(X), read_target(y), folds, goes_on=lambda: False) is None
