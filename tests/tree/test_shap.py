"""SHAP values: all coalitions by brute force, sums, spaces, refusals."""

import warnings

import numpy as np
import pytest

import mixedwood as mw
from exports.test_export import MAKERS, random_model
from mixedwood.data import read_table
from reference.shap import shapley

# Ensembles have values for each member, and model trees none.
NAMES = [name for name in MAKERS if "ensemble" not in name and "model_tree" not in name]


def rows_of(X, n):
    return {name: values[:n] for name, values in X.items()}


def trees_of(predictor):
    for i, tree in enumerate(predictor.trees):
        values = tree.value if predictor.values is None else predictor.values[i]
        if predictor.aggregate == "vote":
            values = np.eye(len(tree.classes))[tree._node_votes]
        yield i, tree, values


def brute_force(model, X):
    predictor = model.predictor_
    table = read_table(X, schema=model.schema_)
    n_outputs = predictor.n_outputs
    total = np.zeros((table.n_rows, len(model.schema_.columns), n_outputs))
    base = np.zeros(n_outputs) if predictor.baseline is None else predictor.baseline.copy()
    whole = 1.0
    if predictor.aggregate in ("mean", "vote"):
        whole = len(predictor.trees) if predictor.weights is None else predictor.weights.sum()
    for i, tree, values in trees_of(predictor):
        weight = (1.0 if predictor.weights is None else predictor.weights[i]) / whole
        first = 0 if predictor.first_output is None else predictor.first_output[i]
        outputs = slice(first, first + values.shape[1])
        for row in range(table.n_rows):
            found, mean = shapley(tree, values, table.take([row]))
            total[row, :, outputs] += weight * found
        base[outputs] += weight * mean
    return total, base


@pytest.mark.parametrize("name", NAMES)
def test_equal_to_all_coalitions(name):
    warnings.simplefilter("ignore")
    model, X = random_model(name, 3, n=60)
    X = rows_of(X, 4)
    found = model.shap_values(X)
    total, base = brute_force(model, X)
    if total.shape[2] == 1:
        total = total[:, :, 0]
    np.testing.assert_allclose(found.values, total, rtol=0, atol=1e-11)
    np.testing.assert_allclose(found.base_values[0], base if base.size > 1 else base[0], atol=1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_sums_are_predictions(name):
    warnings.simplefilter("ignore")
    model, X = random_model(name, 5)
    found = model.shap_values(X)
    sums = found.values.sum(axis=1) + found.base_values
    predictor = model.predictor_
    if found.output == "probability":
        wanted = model.predict_proba(X)
    elif found.output == "number":
        wanted = model.predict(X)
    else:
        wanted = predictor.scores(read_table(X, schema=model.schema_))
        wanted = wanted[:, 0] if wanted.shape[1] == 1 else wanted
    np.testing.assert_allclose(sums, wanted, rtol=0, atol=1e-10)
    assert found.feature_names == model.schema_.names
    assert found.data.shape == found.values.shape[:2]


def test_threads_change_nothing():
    warnings.simplefilter("ignore")
    model, X = random_model("forest", 1)
    one = model.set_params(n_jobs=1).shap_values(X).values
    assert np.array_equal(model.set_params(n_jobs=2).shap_values(X).values, one)


def test_members_of_an_ensemble():
    warnings.simplefilter("ignore")
    model, X = random_model("ensemble", 0)
    found = model.shap_values(rows_of(X, 5))
    assert {name: its.output for name, its in found.items()} == {
        "forest": "probability",
        "boosted": "raw score",
    }


def test_many_columns_on_a_path():
    rng = np.random.default_rng(0)
    X = {f"x{i}": rng.normal(size=400).tolist() for i in range(30)}
    y = sum(np.array(X[f"x{i}"]) for i in range(30))
    model = mw.TreeRegressor(pruning=None, min_samples_leaf=1).fit(X, y)
    found = model.shap_values(X)
    sums = found.values.sum(axis=1) + found.base_values
    np.testing.assert_allclose(sums, model.predict(X), rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.base_values[0], y.mean(), atol=1e-10)


def test_splits_that_weigh_several_columns_are_refused():
    rng = np.random.default_rng(0)
    X = {"x": rng.normal(size=200).tolist(), "z": rng.normal(size=200).tolist()}
    y = np.where(np.array(X["x"]) + np.array(X["z"]) > 0, "a", "b")
    model = mw.ModelTreeClassifier(random_state=0).fit(X, y)
    assert (model.tree_.split_kind == 4).any()
    with pytest.raises(ValueError, match="weighs several columns"):
        model.shap_values(X)
    numbers = mw.ModelTreeRegressor(random_state=0).fit(X, np.array(X["x"]))
    with pytest.raises(ValueError, match=r"linear models in its leaves|weighs several"):
        numbers.shap_values(X)


def explanation_of_a_table_with_gaps():
    X = {"x": [1.0, 2, None, 4] * 5, "z": ["u", None, "w", "u"] * 5, "k": [1, 2, None, 7] * 5}
    model = mw.TreeRegressor(categorical_features=["z", "k"]).fit(X, [1.0, 1, 4, 4] * 5)
    return model.shap_values({**X, "z": ["u", None, "new", "u"] * 5})


def test_missing_values_of_plots_can_be_sorted(monkeypatch):
    import sys
    from types import SimpleNamespace

    given = {}
    module = SimpleNamespace(Explanation=lambda values, **parts: given.update(parts))
    monkeypatch.setitem(sys.modules, "shap", module)
    found = explanation_of_a_table_with_gaps()
    found.to_shap()
    x, z, k = given["data"].T
    assert np.array_equal(x.astype(float)[:4], [1.0, 2.0, np.nan, 4.0], equal_nan=True)
    assert z[:4].tolist() == ["u", "(missing)", "(unknown)", "u"]
    assert np.array_equal(k.astype(float)[:4], [1.0, 2.0, np.nan, 7.0], equal_nan=True)
    assert found.data[1].tolist() == [2.0, None, 2]


def test_an_object_for_plots():
    shap = pytest.importorskip("shap")
    plt = pytest.importorskip("matplotlib.pyplot")
    shown = explanation_of_a_table_with_gaps().to_shap()
    assert isinstance(shown, shap.Explanation)
    assert shown.feature_names == ["x", "z", "k"]
    for name in ("x", "z", "k"):
        shap.plots.scatter(shown[:, name], show=False)
    shap.plots.beeswarm(shown, show=False)
    shap.plots.waterfall(shown[1], show=False)
    plt.close("all")
