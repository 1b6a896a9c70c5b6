"""`crossed_features` in every estimator: fits, texts, saving, pickling, errors."""

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import mixedwood as mw
from mixedwood import _catalogue
from mixedwood.estimators import UnknownCategoryWarning

SMALL = {
    "ForestClassifier": {"n_estimators": 4, "colsample_bytree": 0.7},
    "RandomOrdinalityClassifier": {"n_estimators": 4},
    "GrowPruneForestClassifier": {"n_estimators": 4},
    "BoostedTreesClassifier": {"n_estimators": 8},
    "AdaBoostTreesClassifier": {"n_estimators": 4},
    "EnsembleClassifier": {"max_iter": 10, "max_depths": [2]},
    "OptimalTreeClassifier": {"max_depth": 2},
    "ForestRegressor": {"n_estimators": 4, "colsample_bytree": 0.7},
    "RandomOrdinalityRegressor": {"n_estimators": 4},
    "BoostedTreesRegressor": {"n_estimators": 100, "max_features": None},
}
CLASSES = sorted(
    entry.class_name
    for entry in _catalogue.estimators().values()
    if "crossed_features" in inspect.signature(entry.load()).parameters
)


def problem(n_rows=240, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({name: rng.choice(list("uvwx"), n_rows) for name in ("a", "b", "c")})
    X["n"] = rng.random(n_rows)
    y = np.where(X["a"].isin(["u", "v"]) ^ X["b"].isin(["u", "w"]), "yes", "no")
    return X, y


def make(name, **parameters):
    parameters = SMALL.get(name, {}) | parameters
    model = getattr(mw, name)(**parameters)
    return model.set_params(random_state=0) if "random_state" in model.get_params() else model


@pytest.mark.parametrize("crossed", ["auto", [("a", "b")]], ids=["auto", "by hand"])
@pytest.mark.parametrize("name", CLASSES)
def test_every_estimator_crosses_columns(name, crossed, tmp_path):
    X, y = problem()
    if name.endswith("Regressor"):
        y = (y == "yes") * 3.0
    model = make(name, crossed_features=crossed).fit(X, y)
    assert model.n_features_in_ == 4
    assert model.feature_names_in_.tolist() == list(X)
    assert model.schema_.names == ("a", "b", "c", "n", "a & b")
    if name != "OptimalTreeClassifier":  # whose binary features are single categories
        assert model.score(X, y) > 0.98
    mw.save_model(model, tmp_path / "model.mw")
    for other in (mw.load_model(tmp_path / "model.mw"), pickle.loads(pickle.dumps(model))):
        assert other.schema_ == model.schema_
        assert other.n_features_in_ == 4
        assert other.predict(X).tolist() == model.predict(X).tolist()
    copy = clone(model)
    assert copy.crossed_features == crossed
    assert copy.fit(X, y).predict(X).tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("name", CLASSES)
def test_bad_crossings_are_errors_before_any_work(name):
    X, y = problem(30)
    if name.endswith("Regressor"):
        y = (y == "yes") * 3.0
    for crossed, message in (
        (("a", "b"), "'crossed_features' parameter of .* must be None, 'auto' or a list of lists"),
        ([("a",)], "two or more column names"),
        ("all", "two or more column names"),
        ([("a", "z")], "names 'z', but X has no such column"),
        ([("a", "n")], "'n' is numeric.* discretize numbers first"),
        ([("a", "b"), ["b", "a"]], "crossed already"),
    ):
        with pytest.raises(ValueError, match=message):
            make(name, crossed_features=crossed).fit(X, y)


def test_the_default_crosses_nothing():
    X, y = problem()
    model = mw.TreeClassifier().fit(X, y)
    assert model.schema_.inputs is model.schema_


def test_texts_name_the_combination():
    X, y = problem(60)
    X["b"] = np.where(X["b"].isin(["u", "w"]), "u", "v")
    y = np.where((X["a"] == "u") & (X["b"] == "v"), "yes", "no")
    model = mw.TreeClassifier(crossed_features=[("a", "b")]).fit(X[["a", "b"]], y)
    assert "a=u & b=v: yes (100 %" in model.tree_.to_text()
    assert any(str(rule).startswith("If a=u & b=v then yes") for rule in model.to_rules())
    row = int(np.flatnonzero(y == "yes")[0])
    assert "\n  a=u & b=v\n" in str(model.explain(X, row))
    assert "a=u &amp; b=v" in model.tree_.to_svg()
    assert model.feature_importances_.tolist() == [0, 0, 1]
    forest = mw.ForestClassifier(n_estimators=5, crossed_features=[("a", "b")], random_state=0)
    why = forest.fit(X[["a", "b"]], y).explain(X, row)
    assert "a=u & b=v" in str(why)
    assert "a & b" in why.columns


def test_pooled_and_long_categories_are_written_in_full():
    a, b, c, d = (letter * 50 for letter in "abcd")
    cells = {"first": [a, a, b, b] * 10 + [a, b], "second": [c, d] * 20 + ["e", "f"]}
    y = ["yes", "no", "no", "no"] * 10 + ["no", "no"]
    model = mw.TreeClassifier(crossed_features=[("first", "second")], pruning=None).fit(cells, y)
    assert model.schema_["first & second"].categories[-1] == "other combinations"
    text = model.tree_.to_text()
    assert f"first={a} & second={c}: yes" in text
    assert f"first={b} & second={d}, other combinations}}" in text
    rare = {"first": [b], "second": ["f"]}
    assert "first & second = other combinations in {" in str(model.explain(rare))


def test_unknown_combinations_are_unknown_categories():
    X, y = problem()
    seen = ~((X["a"] == "u") & (X["b"] == "w"))
    model = mw.TreeClassifier(crossed_features=[("a", "b")]).fit(X[seen], y[seen])
    new = X[~seen]
    with pytest.warns(UnknownCategoryWarning, match=r"column 'a & b' \(.*: 'a=u & b=w'\."):
        nodes = model.apply(new)
    assert set(nodes) == {0}
    strict = clone(model).set_params(handle_unknown="error").fit(X[seen], y[seen])
    with pytest.raises(ValueError, match="Found unknown categories in column 'a & b'"):
        strict.predict(new)
    missing = new.assign(a=None)
    assert len(model.predict(missing)) == len(new)  # as other missing values, without a warning


def test_rows_of_weight_zero_have_no_influence():
    X, y = problem()
    weights = np.r_[np.ones(200), np.zeros(40)]
    for crossed in ("auto", [("a", "b")]):
        model = mw.ForestClassifier(n_estimators=30, random_state=0, crossed_features=crossed)
        model.set_params(oob_score=True).fit(X, y, weights)
        part = clone(model).fit(X[:200], y[:200])
        assert model.schema_ == part.schema_
        assert model.predict(X).tolist() == part.predict(X).tolist()


def test_members_leave_crossings_to_the_ensemble():
    X, y = problem(40)
    tree = mw.TreeClassifier(crossed_features=[("a", "b")])
    with pytest.raises(ValueError, match="crossed_features of estimator must be None"):
        mw.ForestClassifier(tree).fit(X, y)
    forest = mw.ForestClassifier(crossed_features="auto")
    with pytest.raises(ValueError, match="crossed_features of forest must be None"):
        mw.EnsembleClassifier(forest=forest).fit(X, y)


def test_validation_rows_and_warm_starts_are_crossed_too():
    X, y = problem()
    model = mw.BoostedTreesClassifier(
        n_estimators=20, early_stopping=True, crossed_features="auto", random_state=0
    )
    model.fit(X[:160], y[:160], X_val=X[160:], y_val=y[160:])
    assert model.validation_loss_[-1] < 0.3
    forest = mw.ForestClassifier(
        n_estimators=3, warm_start=True, crossed_features="auto", random_state=0
    ).fit(X, y)
    assert len(forest.set_params(n_estimators=5).fit(X, y).trees_) == 5
    with pytest.raises(ValueError, match="columns, their categories or the classes have changed"):
        forest.set_params(n_estimators=6, crossed_features=None).fit(X, y)


def test_one_row_as_a_dict_and_a_table_are_read():
    X, y = problem()
    model = mw.TreeClassifier(crossed_features=[("a", "b")]).fit(X, y)
    one = {"a": "u", "b": "v", "c": "u", "n": 0.5}
    assert model.predict(one).tolist() == ["yes"]
    from mixedwood.data import read_table

    table = read_table(X, crossed_features=[("a", "b")])
    assert mw.TreeClassifier().fit(table, y).tree_ == model.tree_
