"""Columns that identify rows are named, and do no harm."""

import warnings

import numpy as np
import pandas as pd
import pytest

import mixedwood as mw
from mixedwood.data import identifier_columns, read_table

RNG = np.random.default_rng(0)
N = 300


def table(n=N):
    a = RNG.choice(list("pqrst"), n)
    b = RNG.choice(list("uvw"), n)
    y = np.where((a < "r") ^ (b == "u"), "yes", "no")
    y[RNG.random(n) < 0.1] = "no"
    return pd.DataFrame({"a": a, "b": b, "size": RNG.normal(size=n)}), y


def names(n=N):
    return [f"customer {i}" for i in RNG.permutation(n)]


@pytest.mark.parametrize("distinct, is_one", [(N, True), (int(0.95 * N), True), (N // 2, False)])
def test_nearly_every_row_has_a_value_of_its_own(distinct, is_one):
    X, _ = table()
    X["code"] = [f"v{i % distinct}" for i in range(N)]
    assert identifier_columns(read_table(X)) == (["code"] if is_one else [])


def test_rows_without_a_value_do_not_count():
    X, _ = table()
    X["code"] = [f"v{i}" if i % 3 == 0 else None for i in range(N)]
    assert identifier_columns(read_table(X)) == ["code"]
    X["code"] = [f"v{i}" if i < 20 else None for i in range(N)]
    assert identifier_columns(read_table(X)) == []  # few enough to be distinct by chance


def test_values_that_other_rows_have_do_not_count():
    X = pd.DataFrame({"code": [f"v{i}" for i in range(100)] + ["v0"] * 100})
    whole = read_table(X)
    assert identifier_columns(whole) == []
    assert identifier_columns(whole.take(np.arange(100))) == ["code"]


def test_numbers_and_small_tables_are_left_in_peace():
    assert identifier_columns(read_table({"x": np.arange(500.0)})) == []
    assert identifier_columns(read_table({"x": [f"v{i}" for i in range(29)]})) == []


MODELS = {
    "tree": mw.TreeClassifier(),
    "model tree": mw.ModelTreeClassifier(),
    "grow and prune": mw.GrowPruneTreeClassifier(random_state=0),
    "forest": mw.ForestClassifier(n_estimators=3, random_state=0),
    "boosted": mw.BoostedTreesClassifier(n_estimators=3, random_state=0),
    "ensemble": mw.EnsembleClassifier(
        forest=mw.ForestClassifier(n_estimators=3), tune=False, random_state=0
    ),
    "random ordinality": mw.RandomOrdinalityClassifier(n_estimators=3, random_state=0),
}


@pytest.mark.parametrize("name", MODELS)
def test_every_fit_names_them_once(name):
    X, y = table()
    X["customer"] = names()
    X["phone"] = names()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        MODELS[name].fit(X, y)
    heard = [w for w in heard if w.category is mw.IdentifierWarning]
    assert len(heard) == 1
    assert "'customer', 'phone' identify rows" in str(heard[0].message)
    assert heard[0].filename == __file__


@pytest.mark.filterwarnings("ignore::mixedwood.IdentifierWarning")
@pytest.mark.parametrize("distinct", [N, N // 2, N // 10])
@pytest.mark.parametrize("name", ["tree", "model tree", "forest", "grow and prune"])
def test_they_do_no_harm(name, distinct):
    """By the score alone such a column takes the root, and nothing is learned."""
    X, y = table(3 * N)
    X["noise"] = [f"v{i}" for i in RNG.integers(distinct, size=3 * N)]
    if distinct == N:
        X["noise"] = names(3 * N)
    train, test = X[:N], X[N:]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mw.UnknownCategoryWarning)
        error = np.mean(MODELS[name].fit(train, y[:N]).predict(test) != y[N:])
    assert error < 0.2


REGRESSORS = {
    "tree": mw.TreeRegressor(),
    "model tree": mw.ModelTreeRegressor(max_depth=2, cv=None),
    "forest": mw.ForestRegressor(n_estimators=10, random_state=0),
    "grow and prune": mw.GrowPruneTreeRegressor(random_state=0),
    "random ordinality": mw.RandomOrdinalityRegressor(n_estimators=10, random_state=0),
    "boosted": mw.BoostedTreesRegressor(n_estimators=50, random_state=0),
}


@pytest.mark.filterwarnings("ignore::mixedwood.IdentifierWarning")
@pytest.mark.filterwarnings("ignore::mixedwood.UnknownCategoryWarning")
@pytest.mark.parametrize("distinct", [N, N // 2, N // 10])
@pytest.mark.parametrize("name", REGRESSORS)
def test_they_do_no_harm_to_predicted_numbers(name, distinct):
    """Copies of a row in a sample do not vouch for each other, and new rows do not stop early."""
    rng = np.random.default_rng(5)
    n, n_train = 6 * N, 4 * N
    X = pd.DataFrame({"a": rng.choice(list("pqrst"), n), "x": rng.normal(size=n)})
    X["flag"], X["level"] = rng.random(n) < 0.5, rng.integers(0, 5, n)
    y = 2 * X["x"] + 3 * X["a"].isin(["p", "s"]) + rng.normal(size=n) / 2
    model = REGRESSORS[name]
    train, test = np.arange(n) < n_train, np.arange(n) >= n_train
    without = model.fit(X[train], y[train]).score(X[test], y[test])
    X["noise"] = [f"v{i}" for i in rng.integers(4 * distinct, size=n)]
    if distinct == N:
        X["noise"] = [f"v{i}" for i in rng.permutation(n)]
    assert model.fit(X[train], y[train]).score(X[test], y[test]) > without - 0.03
