"""Monotonic constraints hold for every row whatever its other values; bad ones are errors."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier
from sklearn.metrics import r2_score

import mixedwood as mw
from mixedwood.data import read_numbers, read_table
from mixedwood.grow import NumberSettings, grow_numbers
from mixedwood.pruning.shrinkage import shrink
from mixedwood.splits import Partitioner
from mixedwood.tree import in_order

SIGNS = {"a": 1, "b": -1, "size": 1}


def table(n, seed, missing=0.08):
    """Effects that break the constraints in places, noise, and gaps."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.integers(0, 12, n).astype(float),
            "b": rng.normal(size=n).round(1),
            "free": rng.normal(size=n),
            "city": rng.choice(["Bonn", "Rome", "Oslo", "Lima", "Kiev"], n),
            "size": pd.Categorical(rng.choice(list("SML"), n), ["S", "M", "L"], ordered=True),
        }
    )
    y = np.sin(X["a"]) * 2 + X["a"] / 4 - X["b"] + X["free"] * (X["city"] == "Rome")
    y = (y + X["size"].cat.codes * rng.normal(size=n) + rng.normal(size=n)).to_numpy()
    for column in X:
        X.loc[rng.random(n) < missing, column] = None
    return X, y


def answers(model, X):
    return model.predict_proba(X)[:, 1] if is_classifier(model) else model.predict(X)


def worst_step(model, X, name, values, sign):
    """How far answers move in the wrong direction while a column goes through its range."""
    found = []
    for value in values:
        moved = X.copy()
        moved[name] = (
            pd.Categorical([value] * len(X), list("SML"), ordered=True) if name == "size" else value
        )
        found.append(answers(model, moved))
    return float((sign * np.diff(found, axis=0)).min())


def check_holds(model, seed):
    X, _ = table(60, seed + 1000, missing=0.2)
    X["city"] = X["city"].where(np.arange(len(X)) % 5 > 0, "never seen")
    for name, sign in SIGNS.items():
        values = {"a": np.r_[-1e300, np.arange(-0.5, 13, 0.5), 1e300]}.get(
            name,
            ["S", "M", "L"] if name == "size" else np.r_[-1e300, np.arange(-4, 4, 0.1), 1e300],
        )
        assert worst_step(model, X, name, values, sign) >= -1e-12


TREES = {
    "pruned": {},
    "full": {"pruning": None},
    "reduced": {"pruning": "reduced_error"},
    "random columns": {"pruning": None, "max_features": 2, "random_state": 0},
    "best first": {"max_leaf_nodes": 20, "selection": "score", "pruning": None},
    "missing is a category": {"handle_missing": "category", "handle_unknown": "majority"},
    "significance": {"selection": "significance", "alpha": 0.2, "pruning": None},
}
NUMBERS = {
    **{f"tree {name}": mw.TreeRegressor(**given) for name, given in TREES.items()},
    "tree poisson": mw.TreeRegressor(criterion="poisson", handle_unknown="missing"),
    "tree random order": mw.TreeRegressor(partitioner="random_order", pruning=None),
    "forest": mw.ForestRegressor(n_estimators=8, colsample_bytree=0.6, random_state=0),
    **{
        f"boosted {loss}": mw.BoostedTreesRegressor(
            n_estimators=12, loss=loss, quantile=0.7 if loss == "quantile" else None, random_state=0
        )
        for loss in ("squared_error", "absolute_error", "huber", "quantile", "poisson", "tweedie")
    },
    "boosted sampled": mw.BoostedTreesRegressor(
        n_estimators=12, partitioner="auto", subsample=0.7, max_features=2, colsample_bytree=0.8,
        l2_regularization=0.0, cat_l2=5.0, early_stopping=True, random_state=0,
    ),
}  # fmt: skip
CLASSES = {
    **{
        f"tree {name}": mw.TreeClassifier(**given) for name, given in TREES.items()
    },
    "tree gini": mw.TreeClassifier(criterion="gini", class_weight="balanced"),
    "tree costs": mw.TreeClassifier(cost_matrix=[[0, 1], [4, 0]]),
    "tree random subset": mw.TreeClassifier(partitioner="random_subset", pruning=None),
    "forest": mw.ForestClassifier(n_estimators=8, colsample_bytree=0.6, random_state=0),
    "forest votes": mw.ForestClassifier(n_estimators=8, voting="hard", random_state=0),
    "boosted": mw.BoostedTreesClassifier(n_estimators=12, random_state=0),
    "boosted sampled": mw.BoostedTreesClassifier(
        n_estimators=12, subsample=0.7, colsample_bytree=0.8, max_depth=6, min_samples_leaf=1,
        random_state=0,
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::mixedwood.UnknownCategoryWarning")
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_in_order(name, seed):
    X, y = table(250, seed)
    y = np.abs(y) if "poisson" in name or "tweedie" in name else y
    weights = np.random.default_rng(seed).integers(0, 3, len(y)) if seed else None
    model = NUMBERS[name].set_params(monotonic_cst=SIGNS).fit(X, y, sample_weight=weights)
    check_holds(model, seed)


@pytest.mark.filterwarnings("ignore::mixedwood.UnknownCategoryWarning")
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", CLASSES)
def test_probabilities_are_in_order(name, seed):
    X, y = table(250, seed)
    model = CLASSES[name].set_params(monotonic_cst=SIGNS)
    model.fit(X, np.where(y > np.median(y), "yes", "no"))
    check_holds(model, seed)
    assert model.classes_.tolist() == ["no", "yes"]
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


@pytest.mark.filterwarnings("ignore::mixedwood.UnknownCategoryWarning")
def test_without_constraints_the_order_is_broken():
    """The property has teeth: the same models break it without constraints."""
    X, y = table(250, 0)
    for model in (
        mw.TreeRegressor(pruning=None),
        mw.ForestRegressor(n_estimators=8, random_state=0),
        mw.BoostedTreesRegressor(n_estimators=12, random_state=0),
        mw.TreeClassifier(pruning=None),
    ):
        model.set_params(monotonic_cst=None).fit(X, y > 0 if is_classifier(model) else y)
        with pytest.raises(AssertionError):
            check_holds(model, 0)


def test_shrinkage_and_pruning_keep_the_order():
    """Every strength, and every pruned tree, on a tree whose splits alternate between columns."""
    X, y = table(300, 3)
    read = read_table(X)
    signs = np.array([1, -1, 0, 0, 1], np.int8)
    tree = grow_numbers(read, read_numbers(y), NumberSettings(monotonic_cst=signs))
    assert tree.n_leaves > 40
    rows = read_table(table(200, 4)[0], schema=read.schema)
    rng = np.random.default_rng(0)
    for strength in (0.0, 0.5, 3.0, 30.0, 1000.0):
        inner = np.flatnonzero(tree.split_kind != 0)
        pruned = tree.prune_at(rng.choice(inner, 5))
        for found in (shrink(tree, strength), shrink(pruned, strength)):
            for column, sign in ((0, 1), (1, -1)):
                moved = []
                for value in np.linspace(-5, 13, 60):
                    arrays = list(rows.arrays)
                    arrays[column] = np.full(rows.n_rows, value)
                    moved.append(found.predict(type(rows)(rows.schema, tuple(arrays))))
                assert (sign * np.diff(moved, axis=0)).min() >= -1e-12


def test_numbers_of_any_tree_are_put_in_order():
    rng = np.random.default_rng(0)
    X, y = table(300, 5)
    read = read_table(X)
    tree = grow_numbers(read, read_numbers(y), NumberSettings())
    signs = np.array([1, -1, 0, 0, 1], np.int8)
    values = in_order(tree, rng.normal(size=tree.n_nodes), signs)
    found = tree.with_values(values)
    np.testing.assert_array_equal(in_order(found, values, signs), values)
    rows = read_table(table(100, 6)[0], schema=read.schema)
    moved = []
    for value in np.linspace(-1, 13, 30):
        arrays = (np.full(rows.n_rows, value), *rows.arrays[1:])
        moved.append(found.predict(type(rows)(rows.schema, arrays)))
    assert np.diff(moved, axis=0).min() >= 0


def test_constraints_that_hold_anyway_cost_little():
    rng = np.random.default_rng(0)
    X, new = (pd.DataFrame({"a": rng.random(800), "b": rng.random(800)}) for _ in range(2))
    y = (10 * X["a"] - 5 * X["b"] ** 2 + rng.normal(size=800)).to_numpy()
    truth = 10 * new["a"] - 5 * new["b"] ** 2
    # Two constraints bound the trees of a forest, which draw columns, so much that scikit-learn's
    # and ours lose 0.12 of R².
    for model, signs in (
        (mw.TreeRegressor(), {"a": 1, "b": -1}),
        (mw.TreeRegressor(), [1, -1]),
        (mw.ForestRegressor(n_estimators=30, random_state=0), np.array([1, 0])),
        (mw.BoostedTreesRegressor(random_state=0), [1, -1]),
    ):
        plain = r2_score(truth, model.fit(X, y).predict(new))
        bound = r2_score(truth, model.set_params(monotonic_cst=signs).fit(X, y).predict(new))
        assert bound > plain - 0.02
        wrong = r2_score(truth, model.set_params(monotonic_cst=[-1, 0]).fit(X, y).predict(new))
        assert wrong < plain - 0.2


def test_no_constraint_is_the_same_tree():
    X, y = table(200, 0)
    for model in (mw.TreeRegressor(), mw.ForestRegressor(n_estimators=3, random_state=0)):
        free = model.set_params(monotonic_cst=[0] * 5).fit(X, y).predict(X)
        np.testing.assert_allclose(free, model.set_params(monotonic_cst=None).fit(X, y).predict(X))


@pytest.mark.parametrize(
    ("model", "given", "message"),
    [
        (mw.TreeRegressor(), {"city": 1}, "'city', a nominal column"),
        (mw.TreeRegressor(), {"town": 1}, "names columns that X does not have: 'town'"),
        (mw.TreeRegressor(), [1, 0], "has 2 entries, but X has 5 columns"),
        (mw.TreeRegressor(), {"a": 2}, "'monotonic_cst' parameter"),
        (mw.TreeRegressor(), "a", "'monotonic_cst' parameter"),
        (mw.TreeRegressor(criterion="absolute_error"), {"a": 1}, "absolute_error"),
        (mw.TreeRegressor(crossed_features=[("size", "city")]), {"size": 1}, "crossed column"),
        (mw.ForestRegressor(n_estimators=2), {"city": 1}, "'city', a nominal column"),
        (mw.ForestRegressor(mw.TreeRegressor(monotonic_cst={"a": 1})), None, "of the ensemble"),
        (mw.ForestRegressor(mw.TreeRegressor(criterion="absolute_error")), {"a": 1}, "absolute"),
        (mw.BoostedTreesRegressor(), {"city": -1}, "'city', a nominal column"),
        (mw.TreeClassifier(), {"a": 1}, "needs two classes"),
        (mw.ForestClassifier(n_estimators=2), {"a": 1}, "needs two classes"),
        (mw.BoostedTreesClassifier(), {"a": 1}, "needs two classes"),
        (mw.BoostedTreesClassifier(estimator=mw.TreeClassifier()), {"a": 1}, "gradient trees"),
        (mw.TreeClassifier(criterion="gain_ratio"), {"a": 1}, "'criterion' .* 'gini', 'entropy'"),
        (mw.TreeClassifier(partitioner="multiway"), {"a": 1}, "'partitioner' parameter"),
        (mw.TreeClassifier(handle_missing="fractional"), {"a": 1}, "'handle_missing' parameter"),
        (mw.TreeClassifier(screener="chi2"), {"a": 1}, "'screener' parameter"),
        (mw.ForestClassifier(mw.C45TreeClassifier()), {"a": 1}, "needs an estimator"),
    ],
)
def test_constraints_that_are_refused(model, given, message):
    X, y = table(40, 0, missing=0)
    with pytest.raises((ValueError, TypeError), match=message):
        model.set_params(monotonic_cst=given).fit(
            X,
            np.arange(40) % (2 if message == "needs an estimator" else 3)
            if is_classifier(model)
            else y,
        )


def test_one_class_and_copies():
    X, _ = table(30, 0)
    model = mw.TreeClassifier(monotonic_cst={"a": 1}).fit(X, ["only"] * 30)
    assert set(model.predict(X)) == {"only"}
    y = np.arange(30) % 2
    order = Partitioner("random_order", per="tree")
    tree = mw.TreeClassifier(monotonic_cst={"a": 1}, partitioner=order, pruning=None).fit(X, y)
    assert tree.get_n_leaves() > 2
