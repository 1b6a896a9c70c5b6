"""Regression trees and forests grown and pruned in turns: checks, seeds, weights, text, limits."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import r2_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import mixedwood as mw
from mixedwood.splits import Partitioner
from support.excuses import HALVES


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        mw.GrowPruneTreeRegressor(),
        mw.GrowPruneTreeRegressor(criterion="absolute_error", refit_leaves=True),
        mw.GrowPruneForestRegressor(n_estimators=3, random_state=0),
    ],
    expected_failed_checks=lambda model: HALVES,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def mixed_data(n=400, seed=0):
    rng = np.random.default_rng(seed)
    city = rng.choice(["Bonn", "Rome", "Oslo", "Lima"], n).astype(object)
    size = rng.normal(size=n)
    y = 20 + 5.0 * np.isin(city, ["Bonn", "Oslo"]) + 3.0 * (size > 0) + rng.normal(size=n)
    city[rng.random(n) < 0.05] = None
    size[rng.random(n) < 0.05] = np.nan
    return pd.DataFrame({"city": city, "size": size, "noise": rng.normal(size=n)}), y


def test_what_a_fit_leaves():
    X, y = mixed_data()
    model = mw.GrowPruneTreeRegressor(random_state=0).fit(X, y)
    assert model.get_n_leaves() == model.iterations_[-1].pruned == model.iterations_[-2].pruned
    assert model.n_iter_ == len(model.iterations_) > 1
    assert 4 <= model.get_n_leaves() < 40
    assert model.feature_importances_.argmin() == 2
    text = model.tree_.to_text()
    assert "mean" in text
    assert "city" in text
    assert "mean" in str(model.to_rules()[0])
    assert "mean" in str(model.explain(X, row=3))
    assert model.tree_.to_svg().startswith("<svg")
    new, truth = mixed_data(seed=1)
    assert model.score(new, truth) > 0.7


def test_a_forest_is_the_mean_of_its_trees_and_has_quantiles():
    X, y = mixed_data()
    forest = mw.GrowPruneForestRegressor(n_estimators=15, random_state=0).fit(X, y)
    members = forest.predict_members(X)
    np.testing.assert_allclose(forest.predict(X), members.mean(axis=1))
    assert len(forest.iterations_) == 15
    assert forest.n_iter_ == max(map(len, forest.iterations_))
    new, truth = mixed_data(seed=1)
    alone = mw.GrowPruneTreeRegressor(random_state=0).fit(X, y).predict(new)
    assert r2_score(truth, forest.predict(new)) > r2_score(truth, alone)
    found = forest.predict(new, quantiles=[0.1, 0.5, 0.9])
    assert (np.diff(found, axis=1) >= 0).all()
    more = clone(forest).set_params(warm_start=True, n_estimators=5).fit(X, y)
    more.set_params(n_estimators=15).fit(X, y)
    assert more.trees_ == forest.trees_
    assert more.iterations_ == forest.iterations_


def test_seeds_copies_and_threads():
    X, y = mixed_data(200)
    model = mw.GrowPruneTreeRegressor(random_state=3).fit(X, y)
    for twin in (pickle.loads(pickle.dumps(model)), clone(model).fit(X, y)):
        assert twin.tree_ == model.tree_
        assert twin.iterations_ == model.iterations_
    others = [mw.GrowPruneTreeRegressor(random_state=s).fit(X, y).tree_ for s in range(4)]
    assert any(other != model.tree_ for other in others[:3])
    one = mw.GrowPruneForestRegressor(n_estimators=6, random_state=0, n_jobs=1).fit(X, y)
    two = mw.GrowPruneForestRegressor(n_estimators=6, random_state=0, n_jobs=2).fit(X, y)
    assert one.trees_ == two.trees_


def test_rows_of_weight_zero_and_huge_weights():
    X, y = mixed_data(240)
    weights = np.where(np.arange(240) % 3 == 0, 0.0, 1.0)
    kept = weights > 0
    found = mw.GrowPruneTreeRegressor(random_state=0).fit(X, y, weights)
    want = mw.GrowPruneTreeRegressor(random_state=0).fit(X[kept], y[kept])
    np.testing.assert_array_equal(found.predict(X), want.predict(X))
    plain = mw.GrowPruneTreeRegressor(random_state=0).fit(X, y)
    for scale in (1e300, 1e-300):
        extreme = mw.GrowPruneTreeRegressor(random_state=0).fit(X, y, np.full(240, scale))
        np.testing.assert_allclose(extreme.predict(X), plain.predict(X))


@pytest.mark.filterwarnings("ignore::mixedwood.IdentifierWarning")
@pytest.mark.filterwarnings("ignore::mixedwood.UnknownCategoryWarning")
def test_identifiers_and_unknown_categories():
    X = pd.DataFrame({"name": [f"n{i:03}" for i in range(120)], "x": np.arange(120) % 12})
    y = (X["x"] > 5) * 10.0 + np.sin(np.arange(120))
    for handle in ("stop", "missing", "majority"):
        model = mw.GrowPruneTreeRegressor(handle_unknown=handle, random_state=0).fit(X, y)
        assert r2_score(y, model.predict(X.assign(name="never seen"))) > 0.6


def test_limits_warn():
    x = np.arange(400.0)[:, None]
    y = (x[:, 0] // 5) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = mw.GrowPruneTreeRegressor(random_state=0).fit(x, y)
    assert whole.n_iter_ > 1
    with pytest.warns(ConvergenceWarning, match="max_iter=1 iterations"):
        mw.GrowPruneTreeRegressor(max_iter=1, random_state=0).fit(x, y)
    with pytest.warns(mw.TimeLimitWarning):
        mw.GrowPruneTreeRegressor(time_limit=1e-9).fit(*mixed_data(3000))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"criterion": "gini"}, "'criterion' parameter of GrowPruneTreeRegressor"),
        ({"partitioner": "twoing"}, "needs classes"),
        ({"partitioner": Partitioner("flip_flop")}, "needs classes"),
        ({"handle_missing": "fractional"}, "cannot be used for pruning"),
        ({"max_iter": 0}, "'max_iter' parameter"),
    ],
)
def test_parameters_that_are_refused(parameters, message):
    X, y = mixed_data(40)
    with pytest.raises((ValueError, TypeError), match=message):
        mw.GrowPruneTreeRegressor(**parameters).fit(X, y)


def test_wrong_members_and_targets():
    X, y = mixed_data(40)
    with pytest.raises(TypeError, match="instance of 'GrowPruneTreeRegressor'"):
        mw.GrowPruneForestRegressor(mw.TreeRegressor(), 2).fit(X, y)
    with pytest.raises(ValueError, match="negative"):
        mw.GrowPruneTreeRegressor(criterion="poisson").fit(X, -y)
    assert mw.GrowPruneTreeRegressor().fit(X, np.full(40, 3.0)).predict(X).tolist() == [3.0] * 40
