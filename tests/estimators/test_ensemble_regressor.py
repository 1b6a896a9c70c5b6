"""EnsembleRegressor: stacking, ridge, intervals and saving against slow references."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import mixedwood as mw
from mixedwood.boosting import stacking_weights
from mixedwood.data import read_numbers, read_table
from mixedwood.linear import fit_ridge


def make(n, seed=0, spread=1.0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"x": rng.normal(size=n), "z": rng.normal(size=n)})
    X["c"] = rng.choice(list("abcde"), n)
    level = X["c"].map(dict(zip("abcde", [0, 3, -2, 1, 5], strict=True)))
    noise = rng.normal(size=n) * (1 + spread * (X["x"] > 0))
    return X, (2 * X["x"] + np.sin(3 * X["z"]) + level + noise).to_numpy()


def quick(**parameters):
    parameters = {"max_depths": (2, 4), "max_iter": 60, "random_state": 0, **parameters}
    return mw.EnsembleRegressor(forest=mw.ForestRegressor(n_estimators=30), **parameters)


SAMPLES = {
    "check_sample_weight_equivalence_on_dense_data": (
        "a row of weight 2 is drawn or not, of two equal rows one may be"
    )
}


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        mw.EnsembleRegressor(
            forest=mw.ForestRegressor(n_estimators=5),
            max_depths=(1, 3),
            max_iter=6,
            cv=2,
            random_state=5,
        )
    ],
    expected_failed_checks=lambda model: SAMPLES,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("seed", range(20))
def test_stacking_weights_equal_a_grid(seed):
    rng = np.random.default_rng(seed)
    residuals = rng.normal(size=(30, 3)) * rng.uniform(0.2, 2, 3) + rng.normal(size=(30, 1))
    rows = rng.uniform(0.1, 1, 30) if seed % 2 else None
    found, loss = stacking_weights(residuals, rows)
    steps = 40
    grid = [
        (a / steps, b / steps, 1 - (a + b) / steps)
        for a, b in itertools.product(range(steps + 1), repeat=2)
        if a + b <= steps
    ]
    losses = [np.average((residuals @ w) ** 2, weights=rows) for w in grid]
    nearest = grid[int(np.argmin(losses))]
    assert found.min() >= 0 and found.sum() == pytest.approx(1)
    loss = loss**2
    assert loss == pytest.approx(np.average((residuals @ found) ** 2, weights=rows))
    assert loss <= min(losses) + 1e-12
    # The loss is convex: no point of the grid is better, and the best one is close in loss.
    near = np.average((residuals @ np.array(nearest)) ** 2, weights=rows)
    assert near - loss <= 2 / steps * np.abs(residuals).max() ** 2


def test_equal_members_get_some_weights():
    residuals = np.tile(np.arange(5.0)[:, None], (1, 3))
    found, loss = stacking_weights(residuals)
    assert found.sum() == pytest.approx(1)
    assert loss == pytest.approx(6.0**0.5)


@pytest.mark.parametrize("weighted", [False, True])
def test_linear_member_is_ridge_of_scikit_learn(weighted):
    X, y = make(120)
    weights = np.random.default_rng(1).uniform(0.5, 2, 120) if weighted else None
    folds = np.arange(120) % 3
    alphas = (0.1, 1.0, 30.0)
    table = read_table(X)
    model, out_of_fold = fit_ridge(table, read_numbers(y, weights), folds, alphas)

    scaled = X.copy()
    for name in ("x", "z"):
        fitted = StandardScaler().fit(X[[name]], sample_weight=weights)
        scaled[name] = fitted.transform(X[[name]])[:, 0]
    encode = make_column_transformer((OneHotEncoder(), ["c"]), remainder="passthrough")
    errors = []
    for alpha in alphas:
        predicted = np.empty(120)
        for fold in range(3):
            train = folds != fold
            ridge = make_pipeline(encode, Ridge(alpha=alpha))
            given = {} if weights is None else {"ridge__sample_weight": weights[train]}
            ridge.fit(scaled[train], y[train], **given)
            predicted[~train] = ridge.predict(scaled[~train])
        errors.append((np.average((y - predicted) ** 2, weights=weights), predicted))
    best = int(np.argmin([error for error, _ in errors]))
    assert model.alpha == alphas[best]
    np.testing.assert_allclose(out_of_fold, errors[best][1], rtol=1e-7, atol=1e-8)
    given = {} if weights is None else {"ridge__sample_weight": weights}
    ridge = make_pipeline(encode, Ridge(alpha=model.alpha)).fit(scaled, y, **given)
    np.testing.assert_allclose(model.predict(table), ridge.predict(scaled), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("spread", [0.0, 4.0])
def test_intervals_cover(spread):
    levels, n_tables = (0.8, 0.9, 0.95), 4
    covered, widths = np.zeros(len(levels)), np.zeros(len(levels))
    for table in range(n_tables):
        X, y = make(600, seed=2 * table, spread=spread)
        new, truth = make(2_000, seed=2 * table + 1, spread=spread)
        model = quick().fit(X, y)
        for place, level in enumerate(levels):
            low, high = model.predict_interval(new, level).T
            covered[place] += ((low <= truth) & (truth <= high)).mean() / n_tables
            widths[place] += (high - low).mean()
    for level, found in zip(levels, covered, strict=True):
        # Two standard errors, of the 600 residuals and of the 2,000 new rows of each table.
        allowed = 2 * np.sqrt(level * (1 - level) * (1 / 600 + 1 / 2_000) / n_tables)
        assert abs(found - level) <= max(0.02, allowed)
    assert (np.diff(widths) > 0).all()
    if spread:  # half of the rows are much harder
        low, high = model.predict_interval(new).T
        hard = (new["x"] > 0).to_numpy()
        assert (high - low)[hard].mean() > 1.5 * (high - low)[~hard].mean()


def test_linear_data_get_a_linear_model_and_steps_do_not():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 4)), columns=list("abcd"))
    noise = rng.normal(size=300)
    line = quick().fit(X, X.sum(axis=1) * 3 + noise)
    steps = quick().fit(X, 5.0 * ((X["a"] > 0) ^ (X["b"] > 0)) + 0.1 * noise)
    assert line.weights_[2] > 0.8
    assert steps.weights_[2] < 0.1


def test_prediction_is_the_weighted_mean_of_members():
    X, y = make(150)
    model = quick().fit(X, y)
    table = read_table(X)
    parts = [model.forest_.predict(X), model.boosted_.predict(X), model.linear_.predict(table)]
    np.testing.assert_allclose(model.predict(X), model.weights_ @ np.array(parts))
    assert list(model.named_estimators_) == ["forest", "boosted", "linear"]
    assert model.feature_importances_.sum() == pytest.approx(1)
    best = int(np.argmin(model.cv_results_["rank_test_score"]))
    assert model.boosted_.max_depth == model.cv_results_["param_max_depth"][best]
    assert model.n_iter_ == model.cv_results_["param_n_estimators"][best]


def test_round_trip(tmp_path):
    X, y = make(300, spread=4.0)
    model = quick().fit(X, y)
    mw.save_model(model, tmp_path / "model.mw")
    again = mw.load_model(tmp_path / "model.mw")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.predict_interval(X, 0.8), model.predict_interval(X, 0.8))


def test_same_seed_same_predictions_for_any_number_of_threads():
    X, y = make(150)
    one, two = (quick(n_jobs=n).fit(X, y).predict(X) for n in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_few_rows_and_bad_input():
    X, y = make(8)
    model = quick().fit(X, y)
    np.testing.assert_array_equal(model.weights_, [0.4, 0.6, 0.0])
    with pytest.raises(ValueError, match="tune=True and at least 10 rows"):
        model.predict_interval(X)
    X, y = make(40)
    model = quick().fit(X, y)
    with pytest.raises(ValueError, match="'coverage' parameter of predict_interval"):
        model.predict_interval(X, coverage=1)
    assert np.isinf(model.predict_interval(X, coverage=0.99)).all()
    with pytest.raises(ValueError, match="three non-negative numbers"):
        quick(weights=(1, 1)).fit(X, y)
    with pytest.raises(ValueError, match="which applies to all members"):
        mw.EnsembleRegressor(boosted=mw.BoostedTreesRegressor(random_state=1)).fit(X, y)


def test_constant_target_and_many_categories():
    X, _ = make(60)
    model = quick().fit(X, np.full(60, 7.0))
    np.testing.assert_allclose(model.predict(X), 7.0)
    rng = np.random.default_rng(0)
    wide = pd.DataFrame({"c": [f"v{i}" for i in rng.permutation(1_600)] * 2})
    model = quick(max_iter=5).fit(wide, rng.normal(size=3_200))
    assert model.weights_[2] == 0 and not hasattr(model, "linear_")
