"""Model trees as estimators: what goes in and comes out, limits, pruning, company."""

import copy
import pickle
import signal
import subprocess
import sys
import textwrap
import time
import warnings

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score

from mixedwood import ForestClassifier, ModelTreeClassifier, TimeLimitWarning
from mixedwood.data import read_table, read_target
from mixedwood.pruning import Pruner
from mixedwood.tree import SplitKind
from mixedwood_studies.model_trees.methods import model_tree as published
from support.excuses import FOLDS, HELD_OUT, PURE, ROWS, checks_of
from support.problems import mixed_problem

CHECKED = [
    (ModelTreeClassifier(), FOLDS),
    (ModelTreeClassifier(pruning=None), PURE | FOLDS),  # planes are tuned on folds
    (published(), ROWS),
    (
        ModelTreeClassifier(node_features="numeric", score_on="validation", intercept="best"),
        HELD_OUT,
    ),
]


@pytest.mark.filterwarnings("ignore")
@checks_of(CHECKED)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def problem():
    return mixed_problem(240)


MODELS = {
    "default": ModelTreeClassifier(),
    "published": published(min_samples_split=10),
    "validated": ModelTreeClassifier(score_on="validation", intercept="best", node_cv=3),
    "several": ModelTreeClassifier(
        node_model=["fisher", RidgeClassifier()], pruning=None, max_depth=2
    ),
    "fractional": ModelTreeClassifier(
        handle_missing="fractional", pruning=["collapse", "pessimistic"]
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_copies_predict_the_same(name, problem):
    X, y = problem
    model = clone(MODELS[name]).fit(X, y)
    want = model.predict_proba(X)
    np.testing.assert_allclose(want.sum(axis=1), 1)
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), clone(model).fit(X, y)):
        assert twin.tree_ == model.tree_
        assert twin.min_samples_split_ == model.min_samples_split_
        np.testing.assert_array_equal(twin.predict_proba(X), want)
    with pytest.raises(NotFittedError):
        clone(model).predict(X)
    again = ModelTreeClassifier(**model.get_params(deep=False))
    assert repr(again) == repr(model)


@pytest.mark.parametrize("make", [pl.from_pandas, pa.Table.from_pandas])
def test_every_frame_gives_the_same_tree(make, problem):
    X, y = problem
    model = ModelTreeClassifier().fit(X, y)
    other = ModelTreeClassifier().fit(make(X), y)
    assert other.tree_ == model.tree_
    assert SplitKind.LINEAR in model.tree_.split_kind
    np.testing.assert_array_equal(other.predict(X), model.predict(make(X)))


def test_a_grid_of_machines(problem):
    X, y = problem
    grid = GridSearchCV(
        ModelTreeClassifier(pruning=None, max_depth=2),
        {"node_model": ["svm", "fisher"], "C": [0.1, "tune"], "node_features": ["all", "numeric"]},
        cv=3,
        error_score="raise",
    ).fit(X, y)
    assert grid.best_score_ > 0.5


def test_a_tree_of_hyperplanes_in_words_and_pictures(problem):
    X, y = problem
    model = ModelTreeClassifier(max_depth=2, pruning=None).fit(X, y)
    tree = model.tree_
    assert tree.split_kind[0] == SplitKind.LINEAR
    text = tree.to_text()
    assert "size" in text
    assert "> " in text
    assert len(model.to_rules()) == tree.n_leaves
    for row in (0, 17):
        path = model.explain(X, row)
        assert str(path)
        assert model.predict(X)[row] in str(path)
    assert tree.to_svg().startswith("<svg")
    assert tree._repr_html_()
    importance = model.feature_importances_
    assert importance.shape == (4,)
    assert importance.sum() == pytest.approx(1)
    assert importance[1] > importance[2]
    figure = pytest.importorskip("matplotlib.figure")
    assert tree.plot(ax=figure.Figure().subplots()) is not None


def test_a_hyperplane_is_printed_with_the_largest_contributions_first():
    rng = np.random.default_rng(0)
    X = {"small": rng.normal(size=300) * 1000, "large": rng.normal(size=300)}
    y = X["small"] / 1000 + 5 * X["large"] > 0
    model = ModelTreeClassifier(max_depth=1, C=1.0, pruning=None, axis_aligned=False).fit(X, y)
    terms = model.tree_.terms_of(0)
    assert [model.tree_.schema.columns[c].name for c in terms.column] == ["large", "small"]
    assert abs(terms.weight[1]) < abs(terms.weight[0]) / 1000
    text = model.tree_.to_text()
    assert text.index("large") < text.index("small")


# Limits and pruning


@pytest.mark.parametrize("partitioner", ["auto", "multiway", "one_vs_rest", "principal"])
@pytest.mark.parametrize("criterion", ["gain_ratio", "entropy", "gini"])
def test_limits_hold_with_hyperplanes(partitioner, criterion, problem):
    X, y = problem
    settings = {"criterion": criterion, "partitioner": partitioner, "pruning": None}
    tree = ModelTreeClassifier(max_depth=2, **settings).fit(X, y).tree_
    assert tree.depth == 2
    tree = ModelTreeClassifier(max_leaf_nodes=8, **settings).fit(X, y).tree_
    assert 2 <= tree.n_leaves <= 8
    tree = ModelTreeClassifier(min_samples_leaf=9, **settings).fit(X, y).tree_
    for node in np.flatnonzero(tree.split_kind != SplitKind.LEAF):
        large = tree.weighted_n_node_samples[tree.children_of(node)] >= 9
        assert large.sum() >= 2 if tree.split_kind[node] == SplitKind.MULTIWAY else large.all()
    tree = ModelTreeClassifier(min_samples_split=40, **settings).fit(X, y).tree_
    assert (tree.weighted_n_node_samples[tree.split_kind != SplitKind.LEAF] >= 40).all()
    tree = ModelTreeClassifier(min_samples_model=100, **settings).fit(X, y).tree_
    assert (tree.weighted_n_node_samples[tree.split_kind == SplitKind.LINEAR] >= 100).all()
    assert (tree.weighted_n_node_samples[tree.split_kind != SplitKind.LEAF] < 100).any()
    tree = ModelTreeClassifier(min_split_gain=0.05, **settings).fit(X, y).tree_
    assert (tree.score[tree.split_kind != SplitKind.LEAF] >= 0.05).all()


@pytest.mark.parametrize(
    "pruning",
    [
        "cost_complexity",
        Pruner("pessimistic", subtree_raising=True),
        Pruner("pessimistic", subtree_raising=False),
        "reduced_error",
        "collapse",
        "merge_equal",
        ["collapse", "pessimistic"],
    ],
    ids=str,
)
@pytest.mark.parametrize("cut", ["model", "best"])
def test_every_pruner_prunes_hyperplanes(pruning, cut):
    X, y = mixed_problem(200)
    model = ModelTreeClassifier(pruning=pruning, intercept=cut, max_depth=5).fit(X, y)
    whole = ModelTreeClassifier(pruning=None, intercept=cut, max_depth=5).fit(X, y).tree_
    assert 1 < model.tree_.n_leaves <= whole.n_leaves
    assert model.score(X, y) > 0.55
    if pruning not in ("reduced_error", "merge_equal", "collapse"):
        assert model.tree_.n_leaves < whole.n_leaves
    if pruning != "reduced_error":  # which has grown from a part of the rows
        reached = np.bincount(model.apply(X), minlength=model.tree_.n_nodes)
        leaves = model.tree_.split_kind == SplitKind.LEAF
        np.testing.assert_array_equal(reached[leaves], model.tree_.weighted_n_node_samples[leaves])


def test_the_size_of_nodes_is_tuned(problem):
    X, y = problem
    model = published().fit(X, y)
    assert model.min_samples_split_ in (2, 5, 10, 20, 40, 80)
    alone = published(min_samples_split=int(model.min_samples_split_)).fit(X, y)
    assert alone.tree_ == model.tree_
    assert alone.min_samples_split_ == model.min_samples_split_


def test_ties_go_to_larger_nodes():
    """One plane tells the classes apart: all sizes have the same errors."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = (X.sum(axis=1) > 0).astype(int)
    X[:, 0] += y * 5
    assert published().fit(X, y).min_samples_split_ == 80
    for n in (1, 2, 3):
        few = published().fit(X[:n], y[:n])
        assert few.min_samples_split_ == 80
        assert few.predict(X[:n]).shape == (n,)


def test_tuning_with_one_row_of_weight():
    X, y = np.arange(12.0)[:, None], np.arange(12) % 2
    weights = np.zeros(12)
    weights[3] = 1.0
    assert published().fit(X, y, weights).predict(X).tolist() == [1] * 12


def test_a_time_limit_leaves_a_tree_that_works():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30_000, 10)), rng.integers(0, 4, 30_000)
    for settings in ({}, {"min_samples_split": "tune"}, {"pruning": None, "C": 1.0}):
        model = ModelTreeClassifier(time_limit=0.05, **settings)
        with pytest.warns(TimeLimitWarning, match="time limit"):
            model.fit(X, y)
        assert model.tree_.weighted_n_node_samples[0] == 30_000
        assert (
            model.tree_.weighted_n_node_samples[model.tree_.split_kind == SplitKind.LEAF].sum()
            == 30_000
        )
        assert model.predict(X[:10]).shape == (10,)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_interrupts_a_long_fit():
    models = [
        "ModelTreeClassifier()",
        "ModelTreeClassifier(node_model=LogisticRegression(max_iter=20))",
    ]
    script = textwrap.dedent(f"""
        import numpy as np
        from mixedwood import *
        from sklearn.linear_model import LogisticRegression
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(200_000, 12)), rng.integers(0, 8, 200_000)
        for model in [{", ".join(models)}]:
            print("ready", flush=True)
            try:
                model.fit(X, y)
            except KeyboardInterrupt:
                print("stopped", [name for name in vars(model) if name.endswith("_")], flush=True)
    """)
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
    ) as child:
        try:
            for model in models:
                assert child.stdout.readline() == "ready\n", model
                time.sleep(0.5)  # the table is read by then
                child.send_signal(signal.SIGINT)
                assert child.stdout.readline() == "stopped []\n", model
        finally:
            child.kill()


# Weights, missing and unseen values


def test_classes_may_weigh_more(problem):
    X, y = problem
    settings = {"pruning": None, "max_depth": 2, "C": 1.0}
    weights = np.where(y == "ash", 20.0, 1.0)
    by_row = ModelTreeClassifier(**settings).fit(X, y, weights)
    by_class = ModelTreeClassifier(class_weight={"ash": 20.0}, **settings).fit(X, y)
    assert by_class.tree_ == by_row.tree_
    plain = ModelTreeClassifier(**settings).fit(X, y)
    assert (by_class.predict(X) == "ash").sum() > (plain.predict(X) == "ash").sum()
    balanced = ModelTreeClassifier(class_weight="balanced", **settings).fit(X, y).tree_
    np.testing.assert_allclose(balanced.statistics[0], len(y) / 3)


def test_rows_of_weight_zero_do_not_count(problem):
    X, y = problem
    weights = np.ones(len(y))
    weights[::3] = 0.0
    settings = {"pruning": None, "max_depth": 2, "C": 1.0}
    tree = ModelTreeClassifier(**settings).fit(X, y, weights).tree_
    kept = ModelTreeClassifier(**settings).fit(X[weights > 0], y[weights > 0]).tree_
    np.testing.assert_array_equal(tree.statistics, kept.statistics)


def separable(n=300, seed=0, gaps=True):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, n)
    X = {"a": np.array(list("pqrs"), dtype=object)[codes], "x": rng.normal(size=n)}
    y = (X["x"] + np.array([2.0, -2.0, 0.5, 0.0])[codes] > 0.3).astype(int)
    if gaps:
        X["a"][rng.random(n) < 0.1] = None
    return X, y


@pytest.mark.parametrize("gaps", [False, True])
def test_unseen_values_in_a_hyperplane_count_as_missing(gaps):
    X, y = separable(gaps=gaps)
    settings = {"axis_aligned": False, "max_depth": 1, "pruning": None, "min_split_gain": -1.0}
    for unseen in ("stop", "missing", "majority"):
        model = ModelTreeClassifier(handle_unknown=unseen, **settings).fit(X, y)
        assert model.tree_.split_kind[0] == SplitKind.LINEAR
        asked = np.linspace(-3, 3, 50)
        with pytest.warns(UserWarning, match=r"column 'a' \(50 rows\): 'new'"):
            new = model.predict({"a": ["new"] * 50, "x": asked})
        np.testing.assert_array_equal(new, model.predict({"a": [None] * 50, "x": asked}))
        assert set(new) == {0, 1}
    model = ModelTreeClassifier(handle_unknown="error", **settings).fit(X, y)
    with pytest.raises(ValueError, match=r"unknown categories in column 'a' \(1 row\)"):
        model.predict({"a": ["new"], "x": [0.0]})
    forest = ForestClassifier(ModelTreeClassifier(**settings), n_estimators=3, random_state=0)
    with pytest.warns(UserWarning, match=r"column 'a' \(1 row\)"):
        forest.fit(X, y).predict({"a": ["new"], "x": [0.0]})


def test_a_missing_number_is_the_mean_of_the_node():
    X, y = separable(gaps=False)
    X["x"][::7] = np.nan
    model = ModelTreeClassifier(axis_aligned=False, max_depth=1, pruning=None).fit(X, y)
    mean = np.nanmean(X["x"])
    for label in "pqrs":
        filled = model.apply({"a": [label], "x": [mean]})
        assert model.apply({"a": [label], "x": [np.nan]}) == filled


# Forests of model trees


def test_a_forest_of_model_trees_for_any_number_of_threads(problem):
    X, y = problem
    for tree in (
        ModelTreeClassifier(pruning=None, max_features=2),
        published(min_samples_split=20),
        ModelTreeClassifier(node_model=RidgeClassifier(), pruning=None, max_depth=1),
    ):
        settings = {"n_estimators": 6, "random_state": 3, "oob_score": True}
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*out-of-bag.*")
            one = ForestClassifier(tree, n_jobs=1, **settings).fit(X, y)
            two = ForestClassifier(tree, n_jobs=2, **settings).fit(X, y)
        assert one.trees_ == two.trees_
        assert any(SplitKind.LINEAR in member.split_kind for member in one.trees_)
        np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
        assert one.oob_score_ == two.oob_score_ > 0.4
        assert one.feature_importances_.shape == (4,)
        assert one.trees_[0] != one.trees_[1]


def test_what_grows_a_tree_goes_to_other_processes(problem):
    X, y = problem
    table, target = read_table(X), read_target(y)
    for model in MODELS.values():
        sent = pickle.loads(pickle.dumps(model))
        assert sent._fit_encoded(table, target, seed=1) == model._fit_encoded(table, target, seed=1)


def test_a_forest_judges_better_than_its_trees(problem):
    X, y = problem
    tree = ModelTreeClassifier(pruning=None, max_features=2)
    forest = ForestClassifier(tree, n_estimators=15, random_state=0)
    assert cross_val_score(forest, X, y, cv=3).mean() > 0.5


def test_the_same_seed_gives_the_same_tree(problem):
    X, y = problem
    settings = {"max_features": 2, "pruning": None}
    first = ModelTreeClassifier(random_state=1, **settings).fit(X, y).tree_
    assert ModelTreeClassifier(random_state=1, **settings).fit(X, y).tree_ == first
    others = [ModelTreeClassifier(random_state=s, **settings).fit(X, y).tree_ for s in range(2, 6)]
    assert any(other != first for other in others)
    without = ModelTreeClassifier().fit(X, y).tree_
    assert ModelTreeClassifier(random_state=0).fit(X, y).tree_ == without
