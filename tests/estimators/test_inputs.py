"""Odd and bad input: the right tree, or an error that says what came and what to do."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.inspection import permutation_importance
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline

from mixedwood import C45TreeClassifier, TreeClassifier
from mixedwood.estimators import UnknownCategoryWarning
from mixedwood.estimators.c45 import RandomTreeClassifier
from mixedwood.splits import Criterion
from mixedwood_studies.nominal_splits.methods import nominal_splits

X = np.arange(12.0).reshape(6, 2)
Y = [0, 0, 0, 1, 1, 1]
PRUNERS = [None, "cost_complexity", "pessimistic", "collapse", "merge_equal", "reduced_error"]
RECIPES = [
    TreeClassifier,
    C45TreeClassifier,
    TreeClassifier.cart,
    TreeClassifier.conditional_inference,
    RandomTreeClassifier,
    nominal_splits,
]


# Tables


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.zeros((0, 2)), "0 sample"),
        (np.zeros((6, 0)), "no columns"),
        ({}, "no columns"),
        (pd.DataFrame(index=range(6)), "no columns"),
        ([1.0, 2.0, 3.0], "Expected 2D array"),
        (np.array([[1.0], [np.inf]] * 3), "infinity .* in row 1"),
        (pd.DataFrame(X, columns=["a", "a"]), "unique column names"),
        ([["x"], ["y"], [{"z"}]] * 2, "x0"),
    ],
)
def test_tables_that_are_refused(table, message):
    labels = Y[: len(table)] if isinstance(table, np.ndarray) else Y
    with pytest.raises((ValueError, TypeError), match=message):
        TreeClassifier().fit(table, labels)


@pytest.mark.parametrize("make", RECIPES)
def test_tables_without_anything_to_learn(make):
    for table, labels in [
        ([[1.0, 2.0]], ["only"]),
        (X, [1] * 6),
        (np.ones((6, 1)), Y),
        (np.full((6, 1), np.nan), Y),
        ({"a": [None] * 6}, Y),
        ({"a": ["same"] * 6}, Y),
    ]:
        model = make().fit(table, labels)
        assert model.get_n_leaves() == 1
        assert model.predict(table).tolist() == [min(labels)] * len(labels)
        np.testing.assert_allclose(model.predict_proba(table).sum(axis=1), 1)
        np.testing.assert_array_equal(model.feature_importances_, np.zeros(model.n_features_in_))


def test_missing_in_training_only_or_later_only():
    model = TreeClassifier(pruning=None).fit({"a": [None] * 6, "b": X[:, 0]}, Y)
    assert model.predict({"a": ["new"] * 6, "b": X[:, 0]}).tolist() == Y  # a is not asked
    assert model.predict({"a": [None], "b": [None]}).tolist() == [0]  # the first of equal children
    known = TreeClassifier(pruning=None).fit({"b": [1, 1, 2, np.nan, np.nan]}, [0, 0, 0, 1, 1])
    assert known.tree_.high[0] == np.inf
    assert known.predict({"b": [np.nan, -5, 99]}).tolist() == [1, 0, 0]


def test_mixed_types_in_a_column():
    table = {"a": [1, "x", 2.5, "y", None, "x"]}
    model = TreeClassifier(pruning=None).fit(table, [0, 1, 0, 1, 1, 1])
    assert model.schema_["a"].kind == "nominal"
    assert model.predict(table).tolist() == [0, 1, 0, 1, 1, 1]


def test_sparse_input():
    for call in (
        lambda: TreeClassifier().fit(sparse.csr_matrix(X), Y),
        lambda: TreeClassifier().fit(X, Y).predict(sparse.csr_matrix(X)),
    ):
        with pytest.raises(TypeError, match="toarray"):
            call()


@pytest.mark.parametrize(
    ("ordinal", "message"),
    [
        (3, "must be a dict of column name"),
        ({"zz": ["a"]}, "no such columns"),
        ({"x0": "abc"}, "list of categories"),
    ],
)
def test_orders_that_are_refused(ordinal, message):
    with pytest.raises((ValueError, TypeError), match=message):
        TreeClassifier(ordinal_features=ordinal).fit(X, Y)


def test_orders_and_categories_are_used():
    sizes = {"size": ["S", "M", "L", "XL", "S", "L"]}
    model = TreeClassifier(pruning=None, ordinal_features={"size": ["S", "M", "L", "XL"]})
    tree = model.fit(sizes, [0, 0, 1, 1, 0, 1]).tree_
    assert tree.n_leaves == 2
    assert tree.high[0] == 1
    codes = {"code": [1, 2, 3, 1, 2, 3]}
    model = TreeClassifier(pruning=None, categorical_features=["code"]).fit(
        codes, [0, 1, 0, 0, 1, 0]
    )
    assert model.get_n_leaves() == 2


# Labels


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0.5, 1, 0.5, 1, 1, 1], "continuous"),
        ([np.nan, 1, 0, 1, 1, 1], "NaN"),
        ([None, "a", "b", "a", "a", "b"], "missing"),
        ([0, 1, "a", 1, 0, 1], "mixes text and numbers"),
        (np.array([Y, Y]).T, "1d array"),
        ([0, 1], "inconsistent"),
        ([], "0 sample"),
        (None, "requires y"),
    ],
)
def test_labels_that_are_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        TreeClassifier().fit(X, labels)


@pytest.mark.parametrize(
    "labels",
    [
        ["no"] * 3 + ["yes"] * 3,
        [False] * 3 + [True] * 3,
        [1.0] * 3 + [2.0] * 3,
        [-5] * 3 + [10**12] * 3,
        pd.Categorical(["b"] * 3 + ["a"] * 3),
    ],
)
def test_labels_come_back_as_they_were(labels):
    model = TreeClassifier(pruning=None).fit(X, labels)
    assert model.predict(X).tolist() == list(labels)
    assert type(model.predict(X).tolist()[0]) is type(next(iter(labels)))


# Weights


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([-1, 1, 1, 1, 1, 1], "not negative"),
        ([np.nan, 1, 1, 1, 1, 1], "has nan in row 0"),
        ([np.inf, 1, 1, 1, 1, 1], "has inf in row 0"),
        ([0] * 6, "All sample weights are zero"),
        ([1, 2], "One weight per row|one weight per row"),
        ([1.7e308] * 6, "add up to more"),
        (["a"] * 6, "must be numbers"),
    ],
)
def test_weights_that_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        TreeClassifier().fit(X, Y, weights)


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({7: 1}, "not in y"),
        ("equal", "not understood"),
        ({0: -1}, "not negative"),
        ({0: 0, 1: 0}, "every row the weight 0"),
    ],
)
def test_class_weights_that_are_refused(class_weight, message):
    with pytest.raises(ValueError, match=message):
        TreeClassifier(class_weight=class_weight).fit(X, Y)
    with pytest.raises(ValueError, match="add up to more"):
        TreeClassifier(class_weight={0: 1e300}).fit(X, Y, [1e300] * 6)


@pytest.mark.parametrize("pruning", PRUNERS)
@pytest.mark.parametrize("scale", [1e300, 1e-300, 1e-320])
def test_extreme_weights(pruning, scale):
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(60, 2)), np.repeat([0, 1], 30)
    rows[:, 0] += 4 * labels
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = TreeClassifier(pruning=pruning).fit(rows, labels, np.full(60, scale))
        proba = model.predict_proba(rows)
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    n = 40 if pruning == "reduced_error" else 60  # a third is kept aside
    np.testing.assert_allclose(
        model.tree_.weighted_n_node_samples[0] / scale, n, rtol=1e-2
    )  # few digits at 1e-320
    np.testing.assert_allclose(model.tree_.statistics[0] / scale, [n / 2, n / 2], rtol=1e-2)
    if pruning in (None, "merge_equal", "reduced_error", "cost_complexity"):
        assert model.score(rows, labels) > 0.9


def test_weights_of_all_sizes_at_once():
    weights = [1e300, 1, 1e-300, 1, 1, 1e-10]
    model = TreeClassifier(pruning=None).fit(X, Y, weights)
    assert np.isfinite(model.predict_proba(X)).all()
    assert model.predict(X).tolist()[0] == 0


def test_rows_and_classes_of_weight_zero():
    model = TreeClassifier(pruning=None).fit(X, Y, [0, 0, 0, 0, 1, 1])
    assert model.tree_.statistics.tolist() == [[0, 2]]
    assert model.classes_.tolist() == [0, 1]
    model = TreeClassifier(class_weight={0: 0}).fit(X, Y)
    assert model.predict(X).tolist() == [1] * 6


# New rows


@pytest.fixture
def model():
    table = {"a": [1, 2, 3, 4, 5, 6.0], "b": list("ppqqrr"), "c": list("ssttuu")}
    return TreeClassifier(pruning=None, max_depth=3).fit(pd.DataFrame(table), [0, 0, 1, 1, 2, 2])


def test_columns_of_new_rows(model):
    rows = pd.DataFrame({"a": [1.0, 5.0], "b": ["p", "r"], "c": ["s", "u"]})
    for given in (rows, rows[["c", "b", "a"]], rows.assign(more=1), rows.to_numpy(dtype=object)):
        assert model.predict(given).tolist() == [0, 2]
    for given, message in [
        (rows[["a"]], "(?s)now missing.*b.*c.*Add or rename"),
        (rows.rename(columns={"b": "B"}), "(?s)unseen at fit time.*B.*now missing.*b"),
        (rows.to_numpy(dtype=object)[:, :2], "X has 2 features, but TreeClassifier is expecting 3"),
        (rows.assign(a=["x", "y"]), "numeric in training"),
        (rows.assign(b=[3.5, 1.0]), "were text in training"),
        (rows.assign(a=[np.inf, 1.0]), "infinity"),
        (rows[:0], "0 sample"),
        ([1.0, 2.0, 3.0], "Expected 2D array"),
    ]:
        for method in (model.predict, model.predict_proba, model.apply, model.explain):
            with pytest.raises(ValueError, match=message):
                method(given)


def test_nothing_works_before_fit():
    for call in ("predict", "predict_proba", "predict_log_proba", "apply", "explain"):
        with pytest.raises(NotFittedError):
            getattr(TreeClassifier(), call)(X)
    for call in ("get_depth", "get_n_leaves", "to_rules"):
        with pytest.raises(NotFittedError):
            getattr(TreeClassifier(), call)()
    with pytest.raises(NotFittedError):
        _ = TreeClassifier().feature_importances_


TABLE = {"b": list("ppqqqrrrr"), "z": list("uvuvuvuvu")}
LABELS = [0, 0, 1, 1, 1, 2, 2, 2, 2]
NEW = {"b": ["new", "p", "older", "new"], "z": ["never"] * 4}


def asked(way):
    model = TreeClassifier(pruning=None, handle_unknown=way).fit(TABLE, LABELS)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        proba = model.predict_proba(NEW)
    return model, proba, caught


@pytest.mark.parametrize(
    "ask",
    [
        lambda model: model.fit(TABLE, LABELS).score(NEW, LABELS[: len(NEW["b"])]),
        lambda model: make_pipeline("passthrough", model).fit(TABLE, LABELS).predict(NEW),
        lambda model: cross_val_score(
            model, pd.DataFrame({"b": list("uvwx")}), [0, 0, 1, 1], cv=KFold(4)
        ),
        lambda model: permutation_importance(
            model.fit(TABLE, LABELS), pd.DataFrame(NEW), LABELS[: len(NEW["b"])], n_repeats=1
        ),
    ],
    ids=["score", "pipeline", "cross_val_score", "permutation_importance"],
)
def test_a_warning_is_about_the_first_line_outside_scikit_learn(ask):
    with pytest.warns(UnknownCategoryWarning) as caught:
        ask(TreeClassifier(pruning=None))
    assert {w.filename for w in caught if w.category is UnknownCategoryWarning} == {__file__}


@pytest.mark.parametrize("way", ["stop", "missing", "majority"])
def test_unseen_values_are_reported_once(way):
    model, proba, caught = asked(way)
    assert [w.category for w in caught] == [UnknownCategoryWarning]
    message = str(caught[0].message)
    assert "column 'b' (3 rows): 'new', 'older'." in message
    assert "'z'" not in message  # no test asks for it
    assert caught[0].filename == __file__
    tree = model.tree_
    root = tree.probabilities[0]
    assert proba[1].tolist() == [1, 0, 0]
    heavier = tree.children_of(0)[tree.weighted_n_node_samples[tree.children_of(0)].argmax()]
    while way != "stop" and tree.split_kind[heavier] != 0:
        below = tree.children_of(heavier)
        heavier = below[tree.weighted_n_node_samples[below].argmax()]
    want = root if way == "stop" else tree.probabilities[heavier]
    np.testing.assert_allclose(proba[[0, 2, 3]], [want] * 3)


def test_unseen_values_go_where_missing_ones_were_learned_to_go():
    """Missing values of training are with the smaller child."""
    table = {"b": ["p"] * 6 + [None] * 3 + ["q"]}
    for way, want in (("missing", 1), ("majority", 0), ("stop", 0)):
        model = TreeClassifier(pruning=None, handle_unknown=way, max_depth=1)
        model.fit(table, [0] * 6 + [1] * 4)
        with pytest.warns(UnknownCategoryWarning):
            assert model.predict({"b": ["new"]}).tolist() == [want]
        assert model.predict({"b": [None]}).tolist() == [1]


def test_unseen_values_as_an_error():
    model = TreeClassifier(pruning=None, handle_unknown="error").fit(TABLE, LABELS)
    with pytest.raises(ValueError, match=r"column 'b' \(3 rows\).*Map them to categories"):
        model.predict(NEW)
    fine = {"b": ["p", None], "z": ["never", "never"]}
    assert model.predict(fine).shape == (2,)


def test_very_many_unseen_values_make_a_short_message():
    model = TreeClassifier(pruning=None).fit(TABLE, LABELS)
    new = {"b": [f"n{i}" for i in range(5000)], "z": ["u"] * 5000}
    with pytest.warns(UnknownCategoryWarning) as caught:
        model.predict(new)
    assert "5000 rows" in str(caught[0].message)
    assert len(str(caught[0].message)) < 500


def test_a_missing_value_that_no_training_row_had():
    for way, want in (("learned", 1), ("category", None)):
        model = TreeClassifier(pruning=None, handle_missing=way).fit(TABLE, LABELS)
        proba = model.predict_proba({"b": [None], "z": ["u"]})
        if want is None:  # one more category, which the root has never met
            np.testing.assert_allclose(proba[0], np.bincount(LABELS) / 9)
        else:
            assert proba[0].argmax() == want
    model = TreeClassifier(pruning=None, handle_missing="fractional").fit(TABLE, LABELS)
    proba = model.predict_proba({"b": [None], "z": ["u"]})
    np.testing.assert_allclose(proba[0], np.bincount(LABELS) / 9)


# Parameters


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"criterion": "x"}, "must be a str among {'gini'"),
        ({"criterion": 3}, "must be a str among"),
        ({"criterion": Criterion}, "Pass an instance"),
        ({"partitioner": "x"}, "must be a str among {'auto'"),
        ({"partitioner": None}, "must be a str among"),
        ({"screener": "x"}, "must be a str among {'chi2'"),
        ({"screener": 3}, "must be a str among"),
        ({"screener": ["chi2", 3]}, "must be a str among"),
        ({"pruning": "x"}, "must be a str among {'cost_complexity'"),
        ({"pruning": 3}, "must be a str among"),
        ({"pruning": ["collapse", 3]}, "must be a str among"),
        ({"selection": "x"}, "'average_gain', 'significance'}. Got 'x'"),
        ({"growth": "x"}, "'best_first'}. Got 'x'"),
        ({"handle_missing": None}, "'category'}. Got None"),
        ({"handle_unknown": ["stop"]}, r"'error'}. Got \['stop'\]"),
        ({"partitioner": "multiway", "criterion": "twoing"}, "scores two groups"),
        ({"max_depth": -1}, r"an int in the range \[0, inf\) or None. Got -1"),
        ({"max_depth": 1.5}, "an int in the range"),
        ({"max_depth": True}, "an int in the range"),
        ({"max_depth": "3"}, "an int in the range"),
        ({"max_leaf_nodes": 0}, r"an int in the range \[1, inf\) or None. Got 0"),
        ({"max_leaf_nodes": 2.5}, "an int in the range"),
        ({"min_samples_leaf": 0}, r"\[1, inf\) or a float in the range \(0.0, 1.0\)"),
        ({"min_samples_leaf": -0.1}, r"\[1, inf\) or a float in the range \(0.0, 1.0\)"),
        ({"min_samples_leaf": np.nan}, r"\[1, inf\) or a float in the range \(0.0, 1.0\)"),
        ({"min_samples_leaf": np.inf}, r"\[1, inf\) or a float in the range \(0.0, 1.0\)"),
        ({"min_samples_leaf": "1"}, r"\[1, inf\) or a float in the range \(0.0, 1.0\)"),
        ({"min_samples_split": 0}, r"\[1, inf\) or a float in the range \(0.0, 1.0\)"),
        ({"min_samples_split": True}, r"\[1, inf\) or a float in the range \(0.0, 1.0\)"),
        ({"min_split_gain": "x"}, "must be a float"),
        ({"min_split_gain": np.nan}, "must be a float"),
        ({"min_split_gain": None}, "must be a float"),
        ({"max_features": 0}, "'sqrt', 'log2'} or None. Got 0"),
        ({"max_features": 1.5}, "'sqrt', 'log2'} or None. Got 1.5"),
        ({"max_features": "x"}, "'sqrt', 'log2'} or None. Got 'x'"),
        ({"max_features": True}, "'sqrt', 'log2'} or None. Got True"),
        ({"alpha": -0.1}, r"a float in the range \[0.0, 1.0\]"),
        ({"alpha": 2}, r"a float in the range \[0.0, 1.0\]"),
        ({"alpha": None}, r"a float in the range \[0.0, 1.0\]"),
        ({"bonferroni": 1}, "a bool"),
        ({"time_limit": 0}, r"a float in the range \(0.0, inf\] or None"),
        ({"time_limit": -1}, r"a float in the range \(0.0, inf\] or None"),
        ({"time_limit": np.nan}, r"a float in the range \(0.0, inf\] or None"),
        ({"time_limit": "x"}, r"a float in the range \(0.0, inf\] or None"),
        ({"random_state": "x"}, r"an int in the range \[0, inf\), an instance of"),
        ({"random_state": -1}, r"an int in the range \[0, inf\)"),
        ({"categorical_features": ["zz"]}, "no such columns"),
        ({"categorical_features": [5]}, "positions go from 0 to 1"),
    ],
)
def test_parameters_that_are_refused(parameters, message):
    with pytest.raises((ValueError, TypeError), match=message):
        TreeClassifier(**parameters).fit(X, Y)


@pytest.mark.parametrize(
    ("parameters", "n_leaves"),
    [
        ({"max_depth": 0}, 1),
        ({"max_depth": np.int64(1)}, 2),
        ({"max_leaf_nodes": 1}, 1),
        ({"min_split_gain": np.inf}, 1),
        ({"min_samples_leaf": 0.6}, 1),
        ({"min_samples_leaf": 1.0}, 2),
        ({"min_samples_split": 7}, 1),
        ({"max_features": 100}, 2),
        ({"random_state": 2**70}, 2),
        ({"random_state": np.random.default_rng(0)}, 2),
        ({"random_state": np.random.RandomState(0)}, 2),
    ],
)
def test_parameters_at_their_limits(parameters, n_leaves):
    assert TreeClassifier(pruning=None, **parameters).fit(X, Y).get_n_leaves() == n_leaves


def test_two_class_order_with_three_classes():
    table, labels = {"a": list("abcabc")}, [0, 1, 2, 2, 1, 0]
    model = TreeClassifier(partitioner="two_class_order", pruning=None)
    with pytest.raises(ValueError, match=r"3 classes are present.*Use partitioner='auto'"):
        model.fit(table, labels)
    assert model.fit(table, np.array(labels) > 0).get_n_leaves() > 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"pruned": "no"}, "'pruned' parameter of C45TreeClassifier must be a bool. Got 'no'"),
        ({"confidence": 0}, r"a float in the range \(0.0, 0.5\]. Got 0 instead"),
        ({"confidence": 0.6}, r"a float in the range \(0.0, 0.5\]. Got 0.6 instead"),
        ({"subtree_raising": 1}, "a bool. Got 1"),
        ({"min_samples_leaf": 0}, r"\[1, inf\) or a float in the range \(0.0, 1.0\)"),
        ({"max_depth": -1}, r"an int in the range \[0, inf\) or None"),
        ({"handle_unknown": "node"}, "a str among {'stop', 'missing', 'majority', 'error'}"),
        ({"time_limit": 0}, r"a float in the range \(0.0, inf\] or None"),
    ],
)
def test_parameters_of_c45_that_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        C45TreeClassifier(**parameters).fit(X, Y)


def test_a_criterion_written_in_python():
    class Accuracy(Criterion):
        convex = True
        many_groups = True

        def score(self, groups):
            return (groups.max(axis=1).sum() - groups.sum(axis=0).max()) / groups.sum()

    rng = np.random.default_rng(0)
    table = {"a": rng.normal(size=80), "b": np.array(list("pqrs"))[rng.integers(0, 4, 80)]}
    labels = (table["a"] > 0.2).astype(int) + (table["b"] == "q")
    for partitioner in ("auto", "multiway"):
        model = TreeClassifier(criterion=Accuracy(), partitioner=partitioner, pruning=None)
        assert model.fit(table, labels).score(table, labels) > 0.95

    class Broken(Accuracy):
        def score(self, groups):
            raise ZeroDivisionError("in the score")

    with pytest.raises(ZeroDivisionError, match="in the score"):
        TreeClassifier(criterion=Broken()).fit(table, labels)
