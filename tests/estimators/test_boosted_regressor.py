"""Gradient boosting of numbers as an estimator: losses, weights, validation rows, files."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import mixedwood as mw
from mixedwood.boosting import NUMBER_LOSSES, number_loss
from mixedwood.data import read_numbers
from support.excuses import HELD_OUT


def mixed_data(n=300, seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "color": rng.choice(["red", "blue", "green", "white"], n),
            "size": rng.normal(size=n).round(2),
            "noise": rng.choice(list("abcdefghij"), n),
        }
    )
    effect = X["color"].map({"red": 0.0, "blue": 2.0, "green": 2.0, "white": 5.0})
    y = 10 + effect + (X["size"] > 0) * 3 + rng.normal(size=n)
    for column in X:
        X.loc[rng.random(n) < missing, column] = None
    return X, np.abs(y.to_numpy())


def boosted(loss="squared_error", **parameters):
    given = {"n_estimators": 30, "random_state": 0} | parameters
    if loss == "quantile":
        given.setdefault("quantile", 0.5)
    return mw.BoostedTreesRegressor(loss=loss, **given)


def divides_rows(model):
    return HELD_OUT if model.early_stopping else {}


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        mw.BoostedTreesRegressor(n_estimators=20, random_state=0),
        boosted("absolute_error", min_samples_leaf=1),
        boosted("huber", n_estimators=10, min_samples_leaf=1),
        mw.BoostedTreesRegressor(n_estimators=20, random_state=0, early_stopping=True),
    ],
    expected_failed_checks=divides_rows,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("loss", NUMBER_LOSSES)
def test_training_loss_falls_and_new_rows_are_predicted(loss):
    X, y = mixed_data(missing=0.05)
    model = boosted(loss, n_estimators=60).fit(X, y)
    measure, target = number_loss(loss, quantile=model.quantile), read_numbers(y)
    rows = np.arange(len(y), dtype=np.int32)
    assert model.baseline_ == measure.baseline(target, rows)
    stages = [p.copy() for p in model.staged_predict(X)]
    assert len(stages) == model.n_iter_ == 60
    np.testing.assert_array_equal(stages[-1], model.predict(X))
    link = np.log if measure.link == "log" else np.asarray
    losses = [measure.value(link(p)[:, None], target, rows) for p in stages]
    assert (np.diff(losses) <= 1e-9).mean() > 0.95
    assert losses[-1] < 0.5 * losses[0]
    test, truth = mixed_data(seed=1)
    assert model.score(test, truth) > 0.75
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.feature_importances_.argmin() == 2


def test_one_iteration_without_regularization_predicts_the_means_of_leaves():
    X, y = mixed_data(missing=0.1)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    model = boosted(n_estimators=1, learning_rate=1.0, l2_regularization=0.0)
    predicted, leaves = model.fit(X, y, weights).predict(X), model.apply(X)[:, 0]
    tree = model.trees_[0]
    for leaf in np.unique(leaves):
        here = leaves == leaf
        mean = np.average(y[here], weights=weights[here])
        assert predicted[here] == pytest.approx(mean)
        assert tree.value[leaf, 0] == pytest.approx(mean)
        assert tree.weighted_n_node_samples[leaf] == pytest.approx(weights[here].sum())
    assert tree.value[0, 0] == pytest.approx(np.average(y, weights=weights))
    spread = np.sqrt(np.average((y - tree.value[0, 0]) ** 2, weights=weights))
    assert tree.deviation[0] == pytest.approx(spread)


@pytest.mark.parametrize(("loss", "center"), [("absolute_error", np.median), ("huber", None)])
def test_one_iteration_predicts_the_medians_of_leaves(loss, center):
    X, y = mixed_data()
    model = boosted(loss, n_estimators=1, learning_rate=1.0).fit(X, y)
    predicted, leaves = model.predict(X), model.apply(X)[:, 0]
    delta = np.quantile(np.abs(y - model.baseline_), 0.9, method="averaged_inverted_cdf")
    for leaf in np.unique(leaves):
        residuals = (y - model.baseline_)[leaves == leaf]
        value = np.median(residuals)
        if center is None:
            value += np.clip(residuals - value, -delta, delta).mean()
        assert predicted[leaves == leaf] == pytest.approx(model.baseline_[0] + value)


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.9])
def test_about_the_quantile_of_new_rows_lies_below_the_prediction(quantile):
    X, y = mixed_data(n=3000)
    model = boosted("quantile", quantile=quantile, min_samples_leaf=30).fit(X, y)
    test, truth = mixed_data(n=3000, seed=1)
    assert np.mean(truth <= model.predict(test)) == pytest.approx(quantile, abs=0.05)


def test_robust_losses_ignore_outliers():
    X, y = mixed_data()
    spoiled = y.copy()
    spoiled[::25] += 1000
    test, truth = mixed_data(seed=1)
    assert boosted("squared_error").fit(X, spoiled).score(test, truth) < 0
    for loss in ("absolute_error", "huber"):
        assert boosted(loss).fit(X, spoiled).score(test, truth) > 0.7


@pytest.mark.parametrize("loss", NUMBER_LOSSES)
def test_weights_are_copies_and_rows_without_weight_are_ignored(loss):
    X, y = mixed_data(n=80)
    weights = np.random.default_rng(1).integers(0, 4, len(y))
    copies = np.repeat(np.arange(len(y)), weights)
    # By target statistics, one of two equal rows may be in a later part than the other.
    how = {"partitioner": "random_order", "max_features": None}
    model = boosted(loss, n_estimators=10, min_samples_leaf=1, **how)
    weighted = clone(model).fit(X, y, weights)
    copied = clone(model).fit(X.iloc[copies], y[copies])
    np.testing.assert_allclose(weighted.predict(X), copied.predict(X))
    without = clone(model).fit(X[weights > 0], y[weights > 0], weights[weights > 0])
    np.testing.assert_array_equal(weighted.predict(X), without.predict(X))


@pytest.mark.parametrize("loss", NUMBER_LOSSES)
@pytest.mark.parametrize("number", [0.1, 7])
def test_a_constant_target_and_a_single_row(loss, number):
    X, _ = mixed_data(n=20)
    for rows in (20, 1):
        for stop in (False, True):
            model = boosted(loss, n_estimators=3, early_stopping=stop)
            found = model.fit(X[:rows], np.full(rows, number)).predict(X)
            assert found == pytest.approx(number, rel=1e-12)


@pytest.mark.parametrize("loss", NUMBER_LOSSES)
def test_the_number_of_threads_changes_nothing(loss):
    X, y = mixed_data(n=5000)
    one, three = (boosted(loss, n_estimators=5, n_jobs=n).fit(X, y) for n in (1, 3))
    np.testing.assert_array_equal(one.predict(X), three.predict(X))


@pytest.mark.parametrize("loss", NUMBER_LOSSES)
def test_early_stopping_keeps_the_best_iteration(loss):
    X, y = mixed_data(n=200)
    test, truth = mixed_data(n=200, seed=1)
    weights = np.random.default_rng(0).uniform(0.1, 2.0, 200)
    model = boosted(loss, n_estimators=200, early_stopping=True, n_iter_no_change=5)
    model.fit(X, y, X_val=test, y_val=truth, sample_weight_val=weights)
    losses = model.validation_loss_
    assert model.n_iter_ == np.argmin(losses) + 1 < 200
    measure, target = number_loss(loss, quantile=model.quantile), read_numbers(truth, weights)
    measure.baseline(read_numbers(y), np.arange(200, dtype=np.int32))  # the scale of huber
    link = np.log if measure.link == "log" else np.asarray
    rows = np.arange(200, dtype=np.int32)
    for stage, found in zip(model.staged_predict(test), losses, strict=False):
        assert measure.value(link(stage)[:, None], target, rows) == pytest.approx(found)
    held_out = boosted(loss, n_estimators=200, early_stopping=True).fit(X, y)
    assert len(held_out.validation_loss_) < 200


def test_warm_start_continues():
    X, y = mixed_data()
    for loss in ("squared_error", "huber", "poisson"):
        once = boosted(loss, n_estimators=12).fit(X, y)
        twice = boosted(loss, n_estimators=5, warm_start=True).fit(X, y)
        twice.set_params(n_estimators=12).fit(X, y)
        np.testing.assert_allclose(once.predict(X), twice.predict(X), rtol=1e-12)
    with pytest.raises(ValueError, match=r"whose loss was 'poisson'\. Got loss='gamma'"):
        twice.set_params(loss="gamma").fit(X, y)


def test_bad_input():
    X, y = mixed_data()
    with pytest.raises(ValueError, match="loss='quantile' requires the 'quantile' parameter"):
        mw.BoostedTreesRegressor(loss="quantile").fit(X, y)
    with pytest.raises(ValueError, match="'loss' parameter of BoostedTreesRegressor must be"):
        boosted("log_loss").fit(X, y)
    with pytest.raises(ValueError, match="'tweedie_variance_power' parameter"):
        boosted("tweedie", tweedie_variance_power=2.5).fit(X, y)
    with pytest.raises(ValueError, match="'partitioner' parameter") as error:
        boosted(partitioner="exact").fit(X, y)
    assert "TreeClassifier" not in str(error.value)
    for loss in ("poisson", "tweedie"):
        with pytest.raises(ValueError, match="requires non-negative y"):
            boosted(loss).fit(X, y - 100)
        with pytest.raises(ValueError, match=r"sum\(y\) > 0"):
            boosted(loss).fit(X, 0 * y)
    with pytest.raises(ValueError, match="requires strictly positive y"):
        boosted("gamma").fit(X, y - y.min())
    with pytest.raises(ValueError, match="strictly positive y_val"):
        boosted("gamma", early_stopping=True).fit(X, y, X_val=X, y_val=0 * y)
    with pytest.raises(ValueError, match="sample_weight_val without X_val"):
        boosted(early_stopping=True).fit(X, y, sample_weight_val=y)
    with pytest.raises(ValueError, match="y must be numbers"):
        boosted().fit(X, ["a"] * len(y))


def test_counts_whose_mass_lies_in_one_row_stay_finite():
    X = pd.DataFrame({"x": np.arange(2000.0)})
    y = np.zeros(2000)
    y[7] = 1e6
    for loss in ("poisson", "tweedie"):
        found = boosted(loss, n_estimators=50, learning_rate=1.0).fit(X, y).predict(X)
        assert np.isfinite(found).all()
        assert found[7] > 1e5


@pytest.mark.parametrize("loss", NUMBER_LOSSES)
def test_contributions_add_up_to_the_prediction(loss):
    X, y = mixed_data(missing=0.1)
    model = boosted(loss).fit(X, y)
    for row in (0, 1, 2):
        why = model.explain(X, row)
        total = why.bias[0] + why.contributions.sum()
        assert why.prediction == pytest.approx(model.predict(X)[row])
        is_log = loss in ("poisson", "gamma", "tweedie")
        assert why.scale == ("logarithm" if is_log else "sum")
        assert (np.exp(total) if is_log else total) == pytest.approx(why.prediction)
        assert str(why).startswith(f"Row {row}: ")


@pytest.mark.parametrize("loss", NUMBER_LOSSES)
def test_files_and_pickles(loss, tmp_path):
    X, y = mixed_data(missing=0.1)
    model = boosted(loss, n_estimators=5, early_stopping=True).fit(X, y)
    mw.save_model(model, tmp_path / "model.mw")
    for again in (mw.load_model(tmp_path / "model.mw"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        assert again.validation_loss_ == model.validation_loss_
        assert again.get_params() == model.get_params()
    changed = model.predict(X)
    model.set_params(loss="poisson")  # parameters do not change a fitted model
    np.testing.assert_array_equal(model.predict(X), changed)


def test_unknown_categories_stop_at_a_node_with_a_value_of_its_own():
    X, y = mixed_data()
    model = boosted("absolute_error", n_estimators=1, learning_rate=1.0, max_features=None)
    model.fit(X[["color"]], y)
    with pytest.warns(mw.UnknownCategoryWarning):
        found = model.predict({"color": ["purple"]})
    assert found == pytest.approx(np.median(y))
