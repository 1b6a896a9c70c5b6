"""Model trees whose splits are made by classifiers that are not linear."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, NuSVC
from sklearn.tree import DecisionTreeClassifier

import mixedwood as mw
from mixedwood import ModelTreeClassifier
from mixedwood.data import read_table
from mixedwood.exports import ExportError
from mixedwood.saving import ModelFileError
from mixedwood.tree import SplitKind, Tree
from support.cases import cases

KERNELS = {
    kernel: SVC(kernel=kernel, gamma=gamma, degree=2, coef0=coef0)
    for kernel, gamma, coef0 in (("rbf", 0.3, 0.0), ("poly", 0.3, 0.5), ("sigmoid", 0.05, -0.1))
}
NETWORKS = {
    activation: MLPClassifier(
        (8,) if activation == "logistic" else (5, 3),
        activation=activation,
        max_iter=80,
        learning_rate_init=0.05,
        random_state=0,
    )
    for activation in ("identity", "logistic", "tanh", "relu")
}
PLAIN = {**KERNELS, **NETWORKS, "nu": NuSVC(nu=0.02)}
KEPT = {
    "bayes": GaussianNB(),
    "neighbors": KNeighborsClassifier(3),
    "pipeline": make_pipeline(StandardScaler(), SVC()),
}


def ring(n=160, seed=0, missing=0.1):
    """A class inside of a circle, the radius of which depends on a category; with gaps."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, n)) * [[1.0], [100.0]]
    c = rng.choice(list("xyz"), n).astype(object)
    y = np.where((a + 0.8) ** 2 + (b / 100) ** 2 + 0.3 * (c == "x") < 1.6, "in", "out")
    a[rng.random(n) < missing], c[rng.random(n) < missing] = np.nan, None
    return {"a": a, "b": b, "c": c}, y


def fitted(node_model, X, y, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        given = {"C": 1.0, "pruning": None, "max_depth": 2, "axis_aligned": False} | settings
        return ModelTreeClassifier(node_model=node_model, **given).fit(X, y)


def slow_matrix(X, y):
    """Standardized numbers and indicators, cell by cell, as documented."""
    rows = []
    known = [a for a in X["a"] if not np.isnan(a)]
    for a, b, c in zip(X["a"], X["b"], X["c"], strict=True):
        row = [0.0 if np.isnan(a) else (a - np.mean(known)) / np.std(known)]
        row.append((b - np.mean(X["b"])) / np.std(X["b"]))
        row += [float(c == value) for value in (None, "x", "y", "z")]  # None was met in training
        rows.append(row)
    return np.array(rows)


@pytest.mark.parametrize("name", [*PLAIN, *KEPT])
def test_the_decision_of_the_root_is_that_of_the_classifier(name):
    X, y = ring()
    classifier = {**PLAIN, **KEPT}[name]
    tree = fitted(classifier, X, y, max_depth=1).tree_
    assert tree.split_kind.tolist() == [SplitKind.LINEAR, SplitKind.LEAF, SplitKind.LEAF]
    Z = slow_matrix(X, y)
    signs = np.where(y == "out", 1, -1)  # the rarer class in `classes_` order decides no sign
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        alone = clone(classifier)
        if "random_state" in alone.get_params():
            alone.set_params(random_state=0)
        alone.fit(Z, signs)
    if hasattr(alone, "decision_function"):
        expected = alone.decision_function(Z)
    else:
        chance = alone.predict_proba(Z)[:, 1]
        expected = chance - 0.5
        if name in NETWORKS:
            expected = np.log(chance / (1 - chance))
    found = tree.linear_sums(0, read_table(X, schema=tree.schema))
    same = np.allclose(found, expected, rtol=1e-6, atol=1e-6)
    assert same or np.allclose(found, -expected, rtol=1e-6, atol=1e-6)


def slow_node(tree, table, row, node=0):
    """Follow a row by the decisions of its own table, one node at a time."""
    if tree.split_kind[node] == SplitKind.LEAF:
        return node
    one = table.take([row])
    if tree.split_kind[node] == SplitKind.LINEAR:
        model = tree.model_of(node)
        total = float(tree.linear_sums(node, one)[0])
        if model is not None:
            assert total == model.decide(one.arrays, np.arange(1))[0] + tree.intercept[node]
        position = 0 if total > 0 else 1
    else:
        codes, positions = tree.categories_of(node)
        found = np.flatnonzero(codes == one.arrays[tree.column[node]][0])
        position = positions[found[0]] if len(found) else tree.missing_child[node]
    return slow_node(tree, table, row, int(tree.children_of(node)[position]))


@pytest.mark.parametrize("name", [*PLAIN, "bayes"])
@pytest.mark.parametrize("seed", range(cases(3)))
def test_rows_go_where_the_decisions_send_them(name, seed):
    X, y = ring(120, seed)
    tree = fitted({**PLAIN, **KEPT}[name], X, y, max_depth=3, min_samples_model=5).tree_
    new, _ = ring(60, seed + 100)
    for rows in (X, new):
        table = read_table(rows, schema=tree.schema)
        found = tree.apply(table)
        assert found.tolist() == [slow_node(tree, table, row) for row in range(table.n_rows)]
    # Training rows are where growing put them.
    ends = tree.class_weights(read_table(X, schema=tree.schema), np.zeros(120, np.int32))
    leaves = tree.split_kind == SplitKind.LEAF
    weights = tree.weighted_n_node_samples
    np.testing.assert_allclose(ends.sum(axis=1)[leaves], weights[leaves])


def test_missing_and_new_categories_are_the_average_of_a_node_without_missing_ones():
    X, y = ring(missing=0.0)
    tree = fitted(KERNELS["rbf"], X, y, max_depth=1).tree_
    design = tree.models[0].design
    with pytest.warns(mw.UnknownCategoryWarning):
        fitted(KERNELS["rbf"], X, y, max_depth=1).predict({"a": [0.0], "b": [0.0], "c": ["new"]})
    table = read_table({"a": [None], "b": [1e300], "c": [None]}, schema=tree.schema)
    row = design.matrix(table.arrays, np.arange(1))[0]
    assert row[0] == 0.0 and 1e3 < row[1] < np.inf
    np.testing.assert_allclose(row[2:], [np.mean(X["c"] == value) for value in "xyz"])


@pytest.mark.parametrize("name", [*PLAIN, *KEPT])
def test_pickled_printed_drawn_explained(name):
    X, y = ring()
    model = fitted({**PLAIN, **KEPT}[name], X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    tree, title = model.tree_, type(model.node_model).__name__
    assert f"{title}_1(a, b, c) > 0" in tree.to_text()
    assert f"{title}_1(a, b, c)" in " ".join(map(str, model.to_rules()))
    assert f"{title}_1" in tree.to_svg() and f"{title}_1" in tree.to_dot()
    assert "from a = " in str(model.explain(X, 1))
    equal = fitted(model.node_model, X, y, max_depth=1).feature_importances_
    np.testing.assert_allclose(equal, [1 / 3] * 3)
    assert (tree == again.tree_) or name in KEPT
    with pytest.raises(ExportError, match="no format can express"):
        mw.export(model, to="json")


@pytest.mark.parametrize("name", PLAIN)
def test_saved_without_code(name, tmp_path):
    X, y = ring()
    model = fitted(PLAIN[name], X, y)
    mw.save_model(model, tmp_path / "m.mw")
    again = mw.load_model(tmp_path / "m.mw")
    assert again.tree_ == model.tree_
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.node_model.get_params() == model.node_model.get_params()


@pytest.mark.parametrize("name", KEPT)
def test_what_cannot_be_saved_says_so(name, tmp_path):
    X, y = ring()
    model = fitted(KEPT[name], X, y)
    with pytest.raises(ModelFileError, match=r"node_model is a .*no code.*SVC.*joblib"):
        mw.save_model(model, tmp_path / "m.mw")
    model.set_params(node_model="svm")  # the tree alone still has objects in its nodes
    with pytest.raises(ModelFileError, match=r"a model of a node is a .*no code.*joblib"):
        mw.save_model(model, tmp_path / "m.mw")


def test_pruned_trees_keep_the_models_that_they_use():
    X, y = ring(300)
    y = np.where(np.random.default_rng(1).random(300) < 0.2, "out", y)  # no tree is ready soon
    tree = fitted(SVC(C=0.5), X, y, max_depth=4, min_samples_model=5).tree_
    table = read_table(X, schema=tree.schema)
    assert len(tree.models) > 1
    for node in np.flatnonzero(tree.split_kind != SplitKind.LEAF)[1:].tolist():
        pruned = tree.prune_at([node])
        used = [pruned.model_of(n) for n in range(pruned.n_nodes)]
        assert [m for m in used if m is not None] == list(pruned.models)
        assert len(pruned.models) < len(tree.models) or tree.model_of(node) is None
        ends = np.bincount(pruned.apply(table), minlength=pruned.n_nodes)
        leaves = pruned.split_kind == SplitKind.LEAF
        np.testing.assert_allclose(ends[leaves], pruned.weighted_n_node_samples[leaves])


def test_several_classes_and_models_compete():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 2))
    y = np.digitize(np.hypot(*X.T), [0.8, 1.5])
    for multi_class in ("ovr", "largest", "balanced", "exhaustive"):
        model = fitted(["fisher", SVC()], X, y, multi_class=multi_class, max_depth=3)
        assert model.score(X, y) > 0.85
        assert model.tree_.models
    best = fitted(SVC(), X, y, intercept="best", max_depth=1).tree_
    assert best.score[0] >= fitted(SVC(), X, y, max_depth=1).tree_.score[0]
    assert fitted(SVC(), X, y, C="tune", score_on="validation", node_cv=3).score(X, y) > 0.8


def test_in_forests_with_some_of_the_columns(tmp_path):
    X, y = ring()
    member = ModelTreeClassifier(node_model=SVC(), C=1.0, pruning=None, max_depth=3)
    forests = [
        mw.ForestClassifier(member, 4, colsample_bytree=2, random_state=0, n_jobs=jobs).fit(X, y)
        for jobs in (1, 2)
    ]
    shares = [forest.predict_proba(X) for forest in forests]
    np.testing.assert_array_equal(*shares)
    trees = [tree.predict_proba(read_table(X, schema=tree.schema)) for tree in forests[0].trees_]
    np.testing.assert_allclose(shares[0], np.mean(trees, axis=0))
    mw.save_model(forests[0], tmp_path / "f.mw")
    again = mw.load_model(tmp_path / "f.mw")
    np.testing.assert_array_equal(again.predict_proba(X), shares[0])


def test_rows_that_are_divided():
    X, y = ring()
    model = fitted(SVC(), X, y, handle_missing="fractional", axis_aligned=True, max_depth=3)
    assert model.tree_.models
    p = model.predict_proba(X)
    for row in range(0, 160, 10):
        one = {name: values[row : row + 1] for name, values in X.items()}
        np.testing.assert_allclose(model.predict_proba(one)[0], p[row])


class Counting(SVC):
    fits = 0

    def fit(self, X, y, sample_weight=None):
        Counting.fits += 1
        return super().fit(X, y, sample_weight)


def test_a_model_without_scores_is_an_error_before_any_work():
    X, y = ring()
    voters = VotingClassifier([("a", Counting()), ("b", LogisticRegression())])  # by votes
    before = Counting.fits
    with pytest.raises(
        ValueError, match=r"VotingClassifier.*neither decision_function nor predict_proba"
    ):
        ModelTreeClassifier(node_model=["svm", voters]).fit(X, y)
    assert Counting.fits == before


def test_a_damaged_model_is_an_error():
    X, y = ring()
    tree = fitted(SVC(), X, y, max_depth=1).tree_
    (model,) = tree.models
    state = tree.__getstate__()
    for change in ({"support": model.support[:-1]}, {"kernel": "magic"}, {"weights": None}):
        broken = pickle.loads(pickle.dumps(model))
        for name, value in change.items():
            object.__setattr__(broken, name, value)
        with pytest.raises(ValueError, match="not a tree"):
            Tree.__new__(Tree).__setstate__({**state, "models": (broken,)})
    with pytest.raises(ValueError, match="not a tree"):
        Tree.__new__(Tree).__setstate__({**state, "models": ()})
    with pytest.raises(ValueError, match="is no model of a node"):
        Tree.__new__(Tree).__setstate__({**state, "models": (DecisionTreeClassifier(),)})
