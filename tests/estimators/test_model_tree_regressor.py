"""Trees with linear models: closed-form references, units, and odd inputs."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import mixedwood as mw
from mixedwood.grow.leaf_models import _PENALTIES, ridge
from support.excuses import EQUIVALENCE


# The folds and the penalties depend on the number of rows, so that weights are not copies.
@parametrize_with_checks(
    [mw.ModelTreeRegressor()],
    expected_failed_checks=lambda model: {EQUIVALENCE: "folds divide rows"},
)
def test_sklearn_checks(estimator, check):
    check(estimator)


def made(seed=0, n=300):
    rng = np.random.default_rng(seed)
    X = {
        "x": rng.normal(50, 10, n),
        "z": rng.normal(size=n),
        "c": rng.choice(list("abc"), n).tolist(),
    }
    slopes = np.where(np.array(X["c"]) == "a", 3.0, -2.0)
    return X, slopes * X["x"] + X["z"] + rng.normal(size=n) * 0.5


def test_ridge_agrees_with_the_closed_form_and_picks_the_least_gcv():
    rng = np.random.default_rng(0)
    for _ in range(30):
        n, p = rng.integers(3, 25), rng.integers(1, 40)  # more rows than terms, and fewer
        X, y, w = rng.normal(size=(n, p)), rng.normal(size=n), rng.uniform(0.2, 3, n)
        X[:, rng.random(p) < 0.2] = 1.0
        X[:, 0] += y * rng.integers(0, 3)
        beta, intercept, penalty, gcv = ridge(X, y, w)
        tried = {np.inf: (np.zeros(p), w @ y / w.sum(), n - 1.0)}
        for each in _PENALTIES * w.sum():
            A = np.column_stack([np.ones(n), X])
            G = A.T @ (A * w[:, None]) + np.diag([0.0] + [each] * p)
            found = np.linalg.solve(G, A.T @ (w * y))
            free = n - np.trace(np.linalg.solve(G, A.T @ (A * w[:, None])))
            tried[each] = (found[1:], found[0], free)
        errors = {
            each: w @ (y - X @ b - a) ** 2 * (n / free) ** 2
            for each, (b, a, free) in tried.items()
            if free > 0.5
        }
        assert gcv == pytest.approx(min(errors.values()), rel=1e-6)
        assert beta == pytest.approx(tried[penalty][0], rel=1e-5, abs=1e-8)
        assert intercept == pytest.approx(tried[penalty][1], rel=1e-5, abs=1e-8)


def test_slopes_that_differ_by_category_are_found():
    X, y = made()
    model = mw.ModelTreeRegressor().fit(X, y)
    assert model.get_n_leaves() == 2
    assert model.score(*made(1)) > 0.99
    assert "x x" in model.leaf_formula(model.apply(X)[0])


def test_units_of_columns_and_of_the_target_do_not_matter():
    X, y = made(2)
    expected = mw.ModelTreeRegressor().fit(X, y).predict(X)
    other = {**X, "x": X["x"] * 1000 - 7, "z": -3 * X["z"]}
    assert mw.ModelTreeRegressor().fit(other, y).predict(other) == pytest.approx(expected, rel=1e-6)
    scaled = mw.ModelTreeRegressor().fit(X, 8 * y + 100).predict(X)
    assert scaled == pytest.approx(8 * expected + 100, rel=1e-6)


def test_terms_add_up_to_the_prediction_and_extrapolation_is_bounded():
    X, y = made(3)
    model = mw.ModelTreeRegressor().fit(X, y)
    far = {"x": [1e9, 55.0], "z": [0.0, 1e12], "c": ["a", "b"]}
    for table, row in ((X, 5), (far, 0), (far, 1)):
        total = sum(value for _, value in model.linear_terms(table, row))
        assert model.explain(table, row).prediction == pytest.approx(model.predict(table)[row])
        assert total == pytest.approx(model.predict(table)[row], abs=1e-4)
    margin = 0.1 * (y.max() - y.min())
    assert (model.predict(far) <= y.max() + margin).all()
    assert (model.predict(far) >= y.min() - margin).all()


def test_missing_unknown_constant_and_few_rows():
    X, y = made(4, 120)
    X["x"][::7] = np.nan
    X["c"][::11] = [None] * len(X["c"][::11])
    X["one"] = np.ones(120)
    model = mw.ModelTreeRegressor().fit(X, y)
    with pytest.warns(mw.UnknownCategoryWarning):
        odd = {"x": [np.nan, 60.0], "z": [np.nan] * 2, "c": ["new", None], "one": [2.0] * 2}
        assert np.isfinite(model.predict(odd)).all()
    wide = {f"x{i}": np.random.default_rng(i).normal(size=8) for i in range(30)}
    assert np.isfinite(mw.ModelTreeRegressor().fit(wide, np.arange(8.0)).predict(wide)).all()
    assert mw.ModelTreeRegressor().fit({"x": [1.0]}, [3.0]).predict({"x": [9.0]}) == [3.0]


def test_rows_of_weight_zero_are_ignored_and_the_scale_of_weights_does_not_matter():
    X, y = made(5, 200)
    weights = np.where(np.arange(200) < 150, 1.0, 0.0)
    some = {name: column[:150] for name, column in X.items()}
    plain = mw.ModelTreeRegressor().fit(some, y[:150]).predict(some)
    zero = mw.ModelTreeRegressor().fit(X, y, sample_weight=weights).predict(some)
    large = mw.ModelTreeRegressor().fit(some, y[:150], sample_weight=np.full(150, 8.0))
    assert np.array_equal(plain, zero)
    assert large.predict(some) == pytest.approx(plain)


def test_saved_and_pickled_models_predict_the_same(tmp_path):
    X, y = made(6)
    model = mw.ModelTreeRegressor().fit(X, y)
    mw.save_model(model, tmp_path / "model.mw")
    for again in (mw.load_model(tmp_path / "model.mw"), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(again.predict(X), model.predict(X))
        assert again.to_text() == model.to_text()


def test_a_prediction_does_not_depend_on_the_other_rows():
    X, y = made(5)
    for model in (mw.ModelTreeRegressor(), mw.EnsembleRegressor(max_iter=5, random_state=0)):
        together = model.fit(X, y).predict(X)
        alone = [
            model.predict({name: values[row : row + 1] for name, values in X.items()})[0]
            for row in range(40)
        ]
        assert together[:40].tolist() == alone


def test_texts_rules_and_drawings_have_formulas():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.random(300), "c": rng.choice(["a", "b"], 300)})
    y = np.where(X["c"] == "a", 5 * X["x"], 3 - 4 * X["x"]) + rng.normal(size=300) / 20
    model = mw.ModelTreeRegressor().fit(X, y)
    assert model.get_n_leaves() > 1
    leaf = int(model.apply(X)[0])
    formula = model.leaf_formula(leaf, max_terms=6)
    for shown in (model, pickle.loads(pickle.dumps(model))):
        assert f"{formula}, " in shown.tree_.to_text()
        assert any(str(rule).count(formula) == 1 for rule in shown.to_rules())
        assert formula.split(" + ")[0].split(" - ")[0] in shown.tree_.to_svg()
    assert "rent = " in model.to_text("rent")
    assert model.tree_ == pickle.loads(pickle.dumps(model)).tree_


def test_smoothing_is_that_of_m5():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"x": rng.random(400), "z": rng.random(400)})
    y = np.sin(9 * X["x"]) * 3 + X["z"] * (X["x"] > 0.5) + rng.normal(size=400) / 10
    plain = mw.ModelTreeRegressor(cv=None, max_depth=3).fit(X, y)
    smooth = mw.ModelTreeRegressor(cv=None, max_depth=3, smoothing=15).fit(X, y)
    tree, (terms, ranges) = plain.tree_, (plain.leaf_terms_, plain.leaf_ranges_)
    assert tree.n_leaves > 3

    def own(node, row):
        here = terms["node"] == node
        x = X.iloc[row].to_numpy()[terms["column"][here]] - terms["fill"][here]
        return (
            ranges["intercept"][node] + terms["weight"][here] @ x,
            ranges["low"][node],
            (ranges["high"][node]),
        )

    for row in range(0, 400, 23):
        node = int(plain.apply(X)[row])
        found = np.array(own(node, row))
        while tree.parent[node] >= 0:
            n = tree.weighted_n_node_samples[node]
            node = int(tree.parent[node])
            found = (n * found + 15 * np.array(own(node, row))) / (n + 15)
        expected = np.clip(found[0], found[1], found[2])
        assert smooth.predict(X.iloc[[row]])[0] == pytest.approx(expected)
