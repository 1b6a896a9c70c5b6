"""Exported models predict as the models do: random models, hostile names, missing and unknown."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import mixedwood as mw
from exports.compilers import run_c, run_clang
from exports.databases import run_duckdb, run_postgresql, run_sqlite, stop_server
from exports.json_reader import Model
from exports.runtimes import run_onnx, run_treelite
from mixedwood.data import read_table
from mixedwood.exports import ExportError
from mixedwood.exports.describe import describe
from mixedwood.tree import STOP, Predictor, TreeBuilder

HOSTILE = ["a\"b'; --", "x y\n*/ \\", "%s {0} é\u2028"]
MAKERS = {
    "tree": lambda s: mw.TreeClassifier(random_state=s),
    "costs": lambda s: mw.TreeClassifier(
        random_state=s, cost_matrix=[[0, 5, 1], [1, 0, 1], [1, 2, 0]]
    ),
    "c45": lambda s: mw.C45TreeClassifier(),
    "grow_prune": lambda s: mw.GrowPruneTreeClassifier(random_state=s),
    "optimal": lambda s: mw.OptimalTreeClassifier(max_depth=2, random_state=s),
    "model_tree": lambda s: mw.ModelTreeClassifier(random_state=s),
    "forest": lambda s: mw.ForestClassifier(n_estimators=7, random_state=s),
    "hard": lambda s: mw.ForestClassifier(n_estimators=7, voting="hard", random_state=s),
    "crossed": lambda s: mw.ForestClassifier(
        n_estimators=5, random_state=s, crossed_features=[(0, 1)]
    ),
    "boosted": lambda s: mw.BoostedTreesClassifier(n_estimators=5, random_state=s),
    "adaboost": lambda s: mw.AdaBoostTreesClassifier(n_estimators=5, random_state=s),
    "ensemble": lambda s: mw.EnsembleClassifier(
        forest=mw.ForestClassifier(n_estimators=5),
        boosted=mw.BoostedTreesClassifier(n_estimators=5),
        linear=False,
        tune=False,
        random_state=s,
    ),
    "linear_ensemble": lambda s: mw.EnsembleClassifier(
        forest=mw.ForestClassifier(n_estimators=5),
        boosted=mw.BoostedTreesClassifier(n_estimators=5),
        tune=False,
        weights=(0.3, 0.3, 0.4),
        random_state=s,
    ),
    "costly_ensemble": lambda s: mw.EnsembleClassifier(
        forest=mw.ForestClassifier(n_estimators=5),
        boosted=mw.AdaBoostTreesClassifier(n_estimators=5),
        tune=False,
        weights=(0.3, 0.3, 0.4),
        cost_matrix=[[0, 5, 1], [1, 0, 1], [1, 2, 0]],
        random_state=s,
    ),
    "tree_number": lambda s: mw.TreeRegressor(random_state=s),
    "grow_prune_number": lambda s: mw.GrowPruneForestRegressor(n_estimators=3, random_state=s),
    "optimal_number": lambda s: mw.OptimalTreeRegressor(max_depth=2, random_state=s),
    "forest_number": lambda s: mw.ForestRegressor(n_estimators=5, random_state=s),
    "boosted_number": lambda s: mw.BoostedTreesRegressor(n_estimators=5, random_state=s),
    "boosted_poisson": lambda s: mw.BoostedTreesRegressor(
        n_estimators=5, loss="poisson", random_state=s
    ),
    "ensemble_number": lambda s: mw.EnsembleRegressor(
        forest=mw.ForestRegressor(n_estimators=5),
        boosted=mw.BoostedTreesRegressor(n_estimators=5),
        tune=False,
        weights=(0.3, 0.3, 0.4),
        random_state=s,
    ),
    "model_tree_number": lambda s: mw.ModelTreeRegressor(
        cv=None if s % 2 else 5, smoothing=None if s % 3 else 15.0, random_state=s
    ),
}


def random_rows(rng, n, wide, unknown=False):
    labels = [*HOSTILE, "", "plain", *(f"v{i}" for i in range(wide - 5))]
    more = ["never seen", "'"] if unknown else []

    def some(values):
        return [None if rng.random() < 0.1 else values[rng.integers(len(values))] for _ in range(n)]

    return {
        HOSTILE[0]: some([*labels, *more]),
        HOSTILE[1]: some([*HOSTILE, "z", *more]),
        HOSTILE[2]: some([1, 2, 5, *([77] if unknown else [])]),
        "number": [np.nan if rng.random() < 0.1 else float(x) for x in rng.normal(size=n).round(2)],
        "plain": rng.integers(0, 9, n).astype(float).tolist(),
    }


def random_model(name, seed, wide=8, n=150):
    rng = np.random.default_rng(seed)
    X = random_rows(rng, n, wide)
    signal = np.array(
        [len(a or "") + 3 * (b == "z") for a, b in zip(X[HOSTILE[0]], X[HOSTILE[1]], strict=False)]
    )
    signal = signal + np.nan_to_num(X["number"]) * 3 + rng.normal(size=n)
    model = MAKERS[name](seed)
    y = np.abs(signal)
    if hasattr(model, "predict_proba"):
        y = np.array([*HOSTILE])[np.digitize(signal, np.quantile(signal, [0.3, 0.7]))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.set_params(**({"categorical_features": [0, 1, 2]})).fit(X, y)
    return model, at_bounds(model, random_rows(rng, 200, wide, unknown=True), rng)


def at_bounds(model, X, rng):
    """Put a fifth of the numbers at bounds of intervals, where "<" and "<=" differ."""
    described = describe(model)
    columns = described["columns"]
    bounds = {c["name"]: [] for c in columns if c["kind"] == "numeric"}
    for part in described["parts"]:
        for tree in part["trees"]:
            for node in tree["nodes"]:
                if node["split"] == "interval" and columns[node["column"]]["kind"] == "numeric":
                    ends = (node["low"], node["high"])
                    bounds[columns[node["column"]]["name"]] += [x for x in ends if x is not None]
    for name, its in bounds.items():
        n = len(X[name]) if its else 0
        for i in rng.choice(n, n // 5, replace=False) if n else ():
            X[name][i] = its[rng.integers(len(its))]
    return X


def expected(model, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        proba = model.predict_proba(X) if hasattr(model, "predict_proba") else None
        return model.predict(X), proba


def parts_of(model):
    predictor = getattr(model, "predictor_", None)  # model trees of numbers have none
    parts = getattr(predictor, "parts", ((1.0, predictor),))
    return [part for _, part in parts if part is not None]


def has_exp(model):
    return any(
        getattr(part, "link", "identity") != "identity" or hasattr(part, "intercepts")
        for part in parts_of(model)
    )


def check(model, X, labels, values, slack=0.0):
    """Exact, except where an exponential of another library may differ in the last digit."""
    wanted, proba = expected(model, X)
    found = np.array(values)
    if proba is None:
        rtol = max(slack, 1e-14 if has_exp(model) else 0)
        np.testing.assert_allclose(found[:, 0], wanted, rtol=rtol)
        return
    atol = max(slack, 1e-14 if has_exp(model) else 0)
    np.testing.assert_allclose(found, proba, rtol=0, atol=atol)
    assert labels == wanted.tolist()


def run_python(model, X):
    space = {"__builtins__": dict(vars(__import__("builtins")).items())}
    space["__builtins__"]["__import__"] = None
    exec(mw.export(model, to="python"), space)
    rows = [dict(zip(X, row, strict=False)) for row in zip(*X.values(), strict=False)]
    return [space["predict"](row) for row in rows], [
        space["run"](space["_MODEL"], row)[0] for row in rows
    ]


def run_json(model, X):
    reader = Model(mw.export(model, to="json"))
    found = [
        reader.predict(dict(zip(X, row, strict=False))) for row in zip(*X.values(), strict=False)
    ]
    return [label for label, _ in found], [values for _, values in found]


RUNNERS = {
    "python": run_python,
    "json": run_json,
    "duckdb": run_duckdb,
    "sqlite": run_sqlite,
    "postgresql": run_postgresql,
    "gcc": run_c,
    "clang": run_clang,
    "onnx": run_onnx,
    "treelite": run_treelite,
}
# Doubles that are added in another order; treelite's softmax has single precision.
SLACK = {"json": 1e-13, "onnx": 1e-12, "treelite": 1e-6}


@pytest.fixture(scope="module", autouse=True)
def one_server():
    yield
    stop_server()


def cannot_say(name, to, model):
    trees = [tree for part in parts_of(model) for tree in getattr(part, "trees", ())]
    fractional = any(tree.is_fractional for tree in trees)
    assert fractional == (name == "c45")
    linear = any((tree.split_kind == 4).any() for tree in trees) or hasattr(model, "leaf_terms_")
    if to == "treelite" and (linear or len(parts_of(model)) > 1):
        return True
    return to not in ("python", "json") and fractional


@pytest.mark.parametrize("to", RUNNERS)
@pytest.mark.parametrize("name", MAKERS)
def test_predicts_as_the_model(name, to):
    model, X = random_model(name, 0)
    if cannot_say(name, to, model):
        with pytest.raises(
            ExportError, match=r"handle_missing='learned'|use to='onnx'|Use to='onnx'"
        ):
            RUNNERS[to](model, X)
        return
    check(model, X, *RUNNERS[to](model, X), SLACK.get(to, 0.0))


@pytest.mark.parametrize("to", RUNNERS)
@pytest.mark.parametrize("wide", [100, 1500])
def test_wide_subsets(wide, to):
    model, X = random_model("tree", 1, wide, n=wide * 4)
    check(model, X, *RUNNERS[to](model, X), SLACK.get(to, 0.0))


@pytest.mark.parametrize("to", ["python", "json", "duckdb", "sqlite", "gcc", "onnx"])
@pytest.mark.parametrize("missing", [0, 1, STOP])
def test_sums_without_a_value_for_missing_numbers(missing, to):
    X = {
        "number": [1.0, -1.0, float("nan"), float("nan"), 0.5, 2.0],
        "text": ["a", "b", "a", "b", None, "new"],
    }
    schema = read_table(rows_of(X, 4)).schema
    builder = TreeBuilder(schema, ["no", "yes"], [5, 6])
    weights = {"number": 1.0, ("text", "a"): -1.0}
    builder.split_linear(0, weights, 0.0, [[1, 5], [4, 1]], missing=missing)
    predictor = Predictor.of_tree(builder.build())
    table = read_table(X, schema=schema)
    model = SimpleNamespace(
        predictor_=predictor,
        schema_=schema,
        classes_=predictor.target.classes,
        predict=lambda X: predictor.predict(table),
        predict_proba=lambda X: predictor.probabilities(table),
    )
    check(model, X, *RUNNERS[to](model, X))


def rows_of(X, n):
    return {name: values[:n] for name, values in X.items()}


@pytest.mark.parametrize("to", [to for to in RUNNERS if to != "treelite"])
def test_intervals_with_two_ends(to):
    rng = np.random.default_rng(0)
    X = random_rows(rng, 300, 8)
    x = np.nan_to_num(X["number"])
    y = np.where((x > -0.5) & (x <= 0.5), "inside", "outside")
    binarizer = mw.preprocessing.FeatureBinarizer(encoding="multi_hot")
    model = mw.OptimalTreeClassifier(
        max_depth=2, binarizer=binarizer, categorical_features=[0, 1, 2], random_state=0
    ).fit(X, y)
    assert (np.isfinite(model.tree_.low) & np.isfinite(model.tree_.high)).any()
    X = at_bounds(model, random_rows(rng, 300, 8, unknown=True), rng)
    check(model, X, *RUNNERS[to](model, X), SLACK.get(to, 0.0))


@pytest.mark.parametrize("to", ["python", "json", "duckdb", "sqlite", "gcc", "onnx"])
@pytest.mark.parametrize("name", ["linear_ensemble", "ensemble_number", "model_tree_number"])
def test_linear_models_of_ordinal_and_extreme_columns(name, to):
    rng = np.random.default_rng(0)
    X = {
        "grade": [None if x == 3 else ["low", "mid", "high"][x] for x in rng.integers(0, 4, 200)],
        "tiny": (rng.normal(size=200) * 1e-300).tolist(),  # a large number is far outside
        "big": (rng.normal(size=200) * 1e300).tolist(),
        "plain": rng.normal(size=200).tolist(),  # predictions of leaves are cut off at their range
        "same": [1.0] * 200,
    }
    steps = np.array([1.0 if g == "high" else 0.0 for g in X["grade"]]) + np.array(X["plain"])
    steps += np.array(X["tiny"]) * 1e300
    model = MAKERS[name](1).set_params(ordinal_features={"grade": ["low", "mid", "high"]})
    y = steps + rng.normal(size=200) * 0.1
    if hasattr(model, "predict_proba"):
        y = np.array(["a", "b", "c"])[np.digitize(y, [0.0, 1.0])]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    rows = {name: values[:50] for name, values in X.items()}
    rows["grade"] = ["new", *rows["grade"][1:]]
    rows["tiny"] = [1e9, -1e9, float("nan"), *rows["tiny"][3:]]
    rows["plain"] = [1e6, -1e6, float("nan"), *rows["plain"][3:]]
    rows["same"] = [5.0, float("nan"), *rows["same"][2:]]
    labels, values = RUNNERS[to](model, rows)
    check(model, rows, labels, values, SLACK.get(to, 0.0))
    if name == "ensemble_number" and to == "json":  # the standardized number is cut off at 1e100
        linear = np.array([term["limit"] for term in describe(model)["parts"][2]["terms"]])
        assert (linear == 1e100).all()
        assert abs(values[0][0]) > 1e90


@pytest.mark.long
@pytest.mark.parametrize("to", RUNNERS)
@pytest.mark.parametrize("name", MAKERS)
def test_many_models(name, to):
    for seed in range(100, 120):
        model, _ = random_model(name, seed)
        rng = np.random.default_rng(seed)
        X = at_bounds(model, random_rows(rng, 5000, 8, unknown=True), rng)
        if not cannot_say(name, to, model):
            check(model, X, *RUNNERS[to](model, X), SLACK.get(to, 0.0))


def test_unknown_categories_are_not_refused():
    X = {"c": ["a", "a", "b", "b"] * 5, "x": [0.0, 1, 2, 3] * 5}
    y = [0, 0, 1, 1] * 5
    stop = mw.TreeClassifier(categorical_features=["c"]).fit(X, y)
    error = mw.TreeClassifier(categorical_features=["c"], handle_unknown="error").fit(X, y)
    assert mw.export(error, to="python") == mw.export(stop, to="python")


def test_format_from_ending(tmp_path):
    model, _ = random_model("tree", 0)
    mw.export(model, tmp_path / "m.py")
    assert (tmp_path / "m.py").read_text("utf-8") == mw.export(model, to="python")
    with pytest.raises(ValueError, match="'to' must be one of"):
        mw.export(model, tmp_path / "m.xyz")


def test_what_cannot_be_exported_writes_nothing(tmp_path):
    X = {"x": [0.0, 1, 2, 3] * 5}
    model = mw.SmoothSVC().fit(X, ["a", "a", "b", "b"] * 5)
    with pytest.raises(ExportError, match="no trees to export"):
        mw.export(model, tmp_path / "m.json")
    assert not list(tmp_path.iterdir())
