"""Model trees and difficult tables: a right result or a clear error, before any long work."""

import math
import warnings

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from mixedwood import ModelTreeClassifier, TreeClassifier
from mixedwood.splits import Partitioner
from mixedwood.tree import SplitKind
from mixedwood_studies.model_trees.methods import model_tree as published


class NotOfScikitLearn:
    def fit(self, X, y):
        return self


MACHINES = ["svm", "sparse_svm", "logistic", "fisher"]


def slanted(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, (X[:, 0] - X[:, 1] > 0).astype(int)


# Columns


def test_no_numeric_column_is_an_ordinary_tree_and_said_once():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, (3, 300))
    X = {name: np.array(list("pqrs"))[row] for name, row in zip("abc", codes, strict=True)}
    y = codes.sum(axis=0) > 4
    model = ModelTreeClassifier(node_features="numeric", min_samples_split="tune")
    with pytest.warns(UserWarning, match="no numeric or ordinal column") as said:
        tree = model.fit(X, y).tree_
    assert len(said) == 1
    assert said[0].filename == __file__
    settings = {"criterion": "entropy", "min_samples_split": int(model.min_samples_split_)}
    assert tree == TreeClassifier(**settings).fit(X, y).tree_
    assert ModelTreeClassifier().fit(X, y).tree_.split_kind[0] == SplitKind.LINEAR


def test_an_ordinal_column_is_a_number_of_hyperplanes():
    rng = np.random.default_rng(0)
    places, x = rng.integers(0, 3, 200), rng.normal(size=200)
    X = {"size": np.array(["S", "M", "L"])[places], "x": x}
    y = (places + x > 1).astype(int)
    model = published(ordinal_features={"size": ["S", "M", "L"]}, min_samples_split=2)
    tree = model.fit(X, y).tree_
    assert tree.split_kind[0] == SplitKind.LINEAR
    assert set(tree.terms_of(0).column.tolist()) == {0, 1}
    assert (tree.terms_of(0).category == -1).all()
    assert model.score(X, y) > 0.95


def test_no_nominal_column():
    X, y = slanted()
    for model in (ModelTreeClassifier(), published()):
        assert model.fit(X, y).score(X, y) > 0.95


@pytest.mark.parametrize("machine", MACHINES)
def test_constant_and_collinear_columns(machine):
    X, y = slanted()
    settings = {"node_model": machine, "C": 1.0, "max_depth": 1, "pruning": None}
    plain = ModelTreeClassifier(**settings).fit(X, y)
    constant = np.full((len(y), 1), 0.1)
    missing = np.full((len(y), 1), np.nan)
    once = np.where(np.arange(len(y)) == 5, 7.0, np.nan)[:, None]
    more = np.hstack([constant, X, missing, 1e9 * constant, np.zeros_like(constant), once])
    tree = ModelTreeClassifier(**settings).fit(more, y).tree_
    assert set(tree.term_column.tolist()) == {1, 2}
    np.testing.assert_array_equal(tree.term_weight, plain.tree_.term_weight)
    np.testing.assert_array_equal(tree.statistics, plain.tree_.statistics)
    twice = np.hstack([X, X, -3 * X + 8, X.sum(axis=1, keepdims=True)])
    model = ModelTreeClassifier(**settings).fit(twice, y)
    assert model.tree_.split_kind[0] == SplitKind.LINEAR
    assert np.isfinite(model.tree_.term_weight).all()
    assert model.score(twice, y) > 0.95


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("scales", [(1e-300, 1e-300), (1e300, 1e300), (1e-300, 1e300), (1e-150, 1)])
def test_numbers_of_any_size(machine, scales):
    X, y = slanted()
    settings = {"node_model": machine, "C": 1.0, "max_depth": 1, "pruning": None}
    plain = ModelTreeClassifier(**settings).fit(X, y)
    for cut in ("model", "best"):
        model = ModelTreeClassifier(intercept=cut, **settings).fit(X * scales, y)
        assert model.tree_.split_kind[0] == SplitKind.LINEAR
        assert model.score(X * scales, y) > 0.95
        assert model.tree_.to_text()
        if cut == "model":
            np.testing.assert_array_equal(model.apply(X * scales), plain.apply(X))


@pytest.mark.parametrize("largest", [5e-324, 1e-320, 1e-310, 1.7e308])
def test_the_smallest_and_the_largest_numbers(largest):
    """Planes may leave such columns out, but never break."""
    X, y = slanted()
    X = X / np.abs(X).max() * largest
    model = ModelTreeClassifier(pruning=None).fit(X, y)
    assert np.isfinite(model.tree_.term_weight).all()
    assert np.isfinite(model.tree_.intercept).all()
    leaves = model.tree_.split_kind == SplitKind.LEAF
    counts = np.zeros_like(model.tree_.statistics)
    np.add.at(counts, (model.apply(X), y), 1)
    np.testing.assert_array_equal(counts[leaves], model.tree_.statistics[leaves])
    both = np.hstack([X, slanted()[0]])
    assert ModelTreeClassifier(max_depth=1, pruning=None).fit(both, y).score(both, y) > 0.95


@pytest.mark.parametrize("bad", [math.inf, -math.inf])
def test_infinity_is_refused(bad):
    X, y = slanted()
    model = ModelTreeClassifier().fit(X, y)
    X[3, 1] = bad
    with pytest.raises(ValueError, match=r"'x1' contains infinity .* in row 3\. Numbers must"):
        model.predict(X)
    fresh = ModelTreeClassifier()
    with pytest.raises(ValueError, match="'x1' contains infinity"):
        fresh.fit(X, y)
    assert not hasattr(fresh, "tree_")


def test_gaps_everywhere():
    X, y = slanted()
    rng = np.random.default_rng(1)
    X[rng.random(X.shape) < 0.3] = np.nan
    for missing in ("learned", "fractional", "category"):
        model = ModelTreeClassifier(handle_missing=missing, pruning=None, max_depth=3).fit(X, y)
        assert SplitKind.LINEAR in model.tree_.split_kind
        assert model.score(X, y) > 0.7
        assert np.isfinite(model.predict_proba([[np.nan, np.nan]])).all()


def test_a_column_of_very_many_values_stays_out_of_hyperplanes():
    rng = np.random.default_rng(0)
    X, y = slanted(6000)
    names = np.array([f"v{i:04}" for i in range(5000)])
    table = {"x": X[:, 0], "z": X[:, 1], "name": np.append(names, names[:1000])}
    table["few"] = np.array(list("pq"))[rng.integers(0, 2, 6000)]
    model = ModelTreeClassifier(axis_aligned=False, pruning=None, max_depth=2, C=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = model.set_params(partitioner="one_vs_rest").fit(table, y).tree_
    assert tree.split_kind[0] == SplitKind.LINEAR
    asked = {tree.schema.columns[c].name for c in tree.terms_of(0).column}
    assert asked == {"x", "z", "few"}


def test_values_enter_hyperplanes_while_there_is_room():
    """At most 256 weights, the constant one of them; columns of fewer values come first."""
    rng = np.random.default_rng(0)
    X, y = slanted(3000)
    table = {"x": X[:, 0], "z": X[:, 1]}
    for name, size in (("large", 200), ("small", 40), ("middle", 100)):
        codes = np.append(np.arange(size), rng.integers(0, size, 3000 - size))
        table[name] = np.array([f"{c:03}" for c in codes])
    settings = {"axis_aligned": False, "pruning": None, "max_depth": 1, "C": 1.0}
    tree = ModelTreeClassifier(partitioner="one_vs_rest", **settings).fit(table, y).tree_
    assert tree.split_kind[0] == SplitKind.LINEAR
    asked = {tree.schema.columns[c].name for c in tree.terms_of(0).column}
    assert asked == {"x", "z", "small", "middle"}


# Rows


@pytest.mark.parametrize("model", [ModelTreeClassifier(), published()])
def test_few_rows(model):
    assert model.fit([[1.0, 2.0]], ["a"]).predict([[5.0, 5.0]]).tolist() == ["a"]
    two = model.fit([[1.0, 2.0], [2.0, 1.0]], ["a", "b"])
    assert two.predict_proba([[1.0, 2.0]]).shape == (1, 2)
    with pytest.raises(ValueError, match="0 sample"):
        model.fit(np.empty((0, 2)), [])
    with pytest.raises(ValueError, match="0 sample"):
        two.predict(np.empty((0, 2)))


def test_two_rows_are_distinguished_by_a_hyperplane_where_that_is_wanted():
    settings = {"min_samples_model": 2, "pruning": None, "axis_aligned": False, "C": 10.0}
    model = ModelTreeClassifier(**settings).fit([[1.0, 2.0], [2.0, 1.0]], ["a", "b"])
    assert model.tree_.split_kind[0] == SplitKind.LINEAR
    assert model.predict([[1.0, 2.0], [2.0, 1.0]]).tolist() == ["a", "b"]


def test_one_class():
    X, _ = slanted(50)
    for model in (ModelTreeClassifier(), published()):
        assert model.fit(X, np.zeros(50, int)).tree_.n_nodes == 1
        assert model.predict_proba(X).tolist() == [[1.0]] * 50


def test_equal_rows_of_different_classes():
    X = np.ones((40, 3))
    y = np.arange(40) % 2
    assert ModelTreeClassifier(pruning=None).fit(X, y).tree_.n_nodes == 1
    assert published().fit(X, y).predict(X).tolist() == [0] * 40


def test_weights_that_leave_nothing_are_refused():
    X, y = slanted(20)
    with pytest.raises(ValueError, match=r"[Ww]eight"):
        ModelTreeClassifier().fit(X, y, np.zeros(20))
    with pytest.raises(ValueError, match=r"[Ww]eight"):
        ModelTreeClassifier().fit(X, y, np.full(20, -1.0))


def test_a_failed_fit_changes_nothing():
    X, y = slanted()
    model = ModelTreeClassifier(max_depth=2).fit(X, y)
    before = model.tree_
    with pytest.raises(ValueError, match="node_model must be"):
        model.set_params(node_model="neural").fit(X[:, :1], y)
    assert model.tree_ is before
    assert model.n_features_in_ == 2


# Parameters


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"criterion": "accuracy"}, "accuracy"),
        ({"node_model": "neural"}, "'sparse_svm'.*a classifier with.*got 'neural'"),
        ({"node_model": None}, "node_model must be 'svm'.*got None"),
        ({"node_model": LogisticRegression}, "node_model must be .*got <class"),
        ({"node_model": LinearRegression()}, "node_model must be .*got LinearRegression()"),
        ({"node_model": NotOfScikitLearn()}, "node_model must be .*got <.*NotOfScikitLearn object"),
        ({"node_model": []}, "at least one model; got an empty list"),
        ({"node_model": ["svm", 3]}, "node_model must be .*got 3"),
        (
            {"node_features": "nominal"},
            "'node_features' parameter of ModelTreeClassifier must be .*{'all', .*Got 'nominal'",
        ),
        ({"node_features": None}, "'node_features' parameter .* Got None"),
        ({"C": 0.0}, "C must be 'tune', a positive number, or a list .*got 0.0"),
        ({"C": -1}, "C must be .*got -1"),
        ({"C": math.nan}, "C must be .*got nan"),
        ({"C": math.inf}, "C must be .*got inf"),
        ({"C": []}, r"C must be .*got \[\]"),
        ({"C": [1.0, "2"]}, "C must be .*got"),
        ({"C": "best"}, "C must be .*got 'best'"),
        ({"C": None}, "C must be .*got None"),
        ({"C": True}, "C must be .*got True"),
        ({"C": np.ones((2, 2))}, "C must be .*got"),
        ({"smoothing": 0.0}, "smoothing must be None or a positive number; got 0.0"),
        ({"smoothing": "5"}, "smoothing must be .*got '5'"),
        ({"intercept": "middle"}, "'intercept' parameter .*{'model', 'best'}. Got 'middle'"),
        ({"score_on": "test"}, "'score_on' parameter .*{'train', 'validation'}. Got 'test'"),
        (
            {"node_cv": 0},
            r"'node_cv' parameter .* an int in the range \[1, inf\). Got 0 instead. 1 holds out",
        ),
        ({"node_cv": 2.5}, "'node_cv' parameter .* Got 2.5"),
        ({"node_cv": True}, "'node_cv' parameter .* Got True"),
        ({"multi_class": "ovo"}, "'multi_class' parameter .*{'ovr', .* Got 'ovo'"),
        ({"axis_aligned": 1}, "'axis_aligned' parameter .* must be a bool. Got 1"),
        (
            {"min_samples_model": 1},
            r"'min_samples_model' parameter .* an int in the range \[2, inf\). Got 1",
        ),
        ({"min_samples_model": 0.1}, "'min_samples_model' parameter .* Got 0.1"),
        ({"partitioner": "halves"}, "halves"),
        (
            {"selection": "significance"},
            "'selection' parameter .*{'adjusted', 'score', 'average_gain'}. Got 'sig",
        ),
        ({"max_depth": -1}, "'max_depth' parameter .* Got -1"),
        ({"min_samples_split": 0}, "'min_samples_split' parameter .*{'tune'}. Got 0"),
        ({"min_samples_split": "many"}, "'min_samples_split' parameter .*{'tune'}. Got 'many'"),
        ({"min_samples_split": None}, "'min_samples_split' parameter .*{'tune'}. Got None"),
        ({"min_samples_leaf": 0}, "'min_samples_leaf' parameter .* Got 0"),
        ({"max_leaf_nodes": 0}, "'max_leaf_nodes' parameter .* Got 0"),
        ({"min_split_gain": math.nan}, "'min_split_gain' parameter .* must be a float .*Got nan"),
        ({"max_features": 0}, "'max_features' parameter .* Got 0"),
        ({"handle_missing": "drop"}, "'handle_missing' parameter .* Got 'drop'"),
        ({"handle_unknown": "guess"}, "'handle_unknown' parameter .* Got 'guess'"),
        ({"pruning": "hedge"}, "hedge"),
        ({"class_weight": "equal"}, "class_weight.*'equal'"),
        ({"random_state": "seed"}, "random_state|seed"),
        ({"time_limit": 0}, "time_limit"),
        ({"ordinal_features": {"x9": ["a"]}}, "x9"),
        ({"categorical_features": ["x9"]}, "x9"),
        (
            {"partitioner": "random_order"},
            r"per='tree'\) replaces by their ranks. Use Partitioner",
        ),
    ],
    ids=lambda value: str(value)[:40] if isinstance(value, dict) else "",
)
def test_a_wrong_parameter_says_what_came_and_what_is_accepted(settings, words):
    X, y = slanted(30)
    if settings.get("partitioner") == "random_order":
        settings = {"partitioner": Partitioner("random_order", per="tree")}
    model = ModelTreeClassifier(**settings)
    with pytest.raises((ValueError, TypeError), match=words):
        model.fit(X, y)
    assert not hasattr(model, "tree_")


def test_multiway_needs_a_criterion_for_many_groups():
    with pytest.raises(ValueError, match="Use a criterion for many groups"):
        ModelTreeClassifier(criterion="twoing", partitioner="multiway").fit(*slanted(30))


def test_a_random_order_at_each_node_goes_with_hyperplanes():
    rng = np.random.default_rng(0)
    X = {"a": np.array(list("pqrs"))[rng.integers(0, 4, 80)], "x": rng.normal(size=80)}
    y = rng.integers(0, 3, 80)
    partitioner = Partitioner("random_order", per="node")
    model = ModelTreeClassifier(partitioner=partitioner, pruning=None, max_depth=3)
    assert model.fit(X, y).tree_.n_leaves > 1
