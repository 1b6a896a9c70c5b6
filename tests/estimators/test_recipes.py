"""Recipes against the worked examples and tests they are named after."""

import numpy as np
import pytest

from mixedwood import C45TreeClassifier, TreeClassifier
from mixedwood.data import read_table, read_target
from mixedwood.estimators.c45 import RandomTreeClassifier
from mixedwood.grow import grow
from mixedwood.pruning import Pruner, cost_complexity_path
from mixedwood.splits import chi2_test, conditional_inference_test
from mixedwood_studies.nominal_splits.methods import nominal_splits
from reference.tree import assert_same_trees
from test_c45_example import CELLS, columns


@pytest.fixture(scope="module")
def c45():
    labels = [row[3] for row in CELLS]
    return C45TreeClassifier(pruned=False).fit(columns(CELLS), labels)


def test_c45_worked_example_sizes(c45):
    """Spec of J48, section 2.8: 4 leaves and size 6, without collapsing 6 and 10."""
    tree = c45.tree_
    assert (tree.n_leaves, tree.n_nodes) == (4, 6)
    labels = [row[3] for row in CELLS]
    table, target = read_table(columns(CELLS)), read_target(labels)
    full = grow(table, target, c45._settings(table.n_rows, table.n_columns))
    assert (full.n_leaves, full.n_nodes) == (6, 10)
    assert full.score[0] == pytest.approx(0.18855445, abs=6e-9)
    assert tree.column_of(0).name == "color"
    blue, green, red = tree.children_of(0)
    np.testing.assert_allclose(tree.statistics[red], [3.308, 1], atol=6e-4)
    np.testing.assert_allclose(tree.statistics[green], [0.308, 4], atol=6e-4)
    square, triangle = tree.children_of(blue)
    np.testing.assert_allclose(tree.statistics[square], [3.385, 0], atol=6e-4)
    np.testing.assert_allclose(tree.statistics[triangle], [0, 2], atol=6e-4)


def test_c45_worked_example_predictions(c45):
    assert "".join(c45.predict(columns(CELLS))) == "nnnyyynynynnyn"
    asked = {
        ("?", "s", "?"): (0.642857, 0.357143),
        ("?", "t", "3.5"): (0.258242, 0.741758),
        ("g", "s", "9"): (0.071429, 0.928571),
        ("b", "t", "?"): (0, 1),
        ("r", "s", "?"): (0.767857, 0.232143),
    }
    rows = [[None if c == "?" else c for c in row] for row in asked]
    proba = c45.predict_proba(columns(rows))
    np.testing.assert_allclose(proba, list(asked.values()), atol=6e-7)


COSTS = [0, 0, 0, 1, 0, 0, 1, 1, 1, 0, 1, 1]


@pytest.mark.parametrize("criterion", ["gini", "entropy", "twoing"])
def test_cart_worked_example(criterion):
    X = np.arange(1.0, 13.0)[:, None]
    full = TreeClassifier.cart(criterion=criterion, pruning=None).fit(X, COSTS).tree_
    cuts = sorted(full.high[full.split_kind != 0].tolist())
    assert cuts == [3.5, 4.5, 6.5, 9.5, 10.5]
    assert full.high[0] == 6.5
    assert full.n_leaves == 6
    path = cost_complexity_path(full)
    assert path.n_leaves.tolist() == [6, 2, 1]
    np.testing.assert_allclose(path.ccp_alphas, [0, 1 / 24, 1 / 3])
    np.testing.assert_allclose(path.risks * 12, [0, 2, 6], atol=1e-12)
    impurity = cost_complexity_path(full, "impurity")
    np.testing.assert_allclose(impurity.ccp_alphas, [0, 0.0694, 0.2222], atol=6e-5)


def test_cart_chooses_a_tree_of_its_path():
    X = np.arange(1.0, 13.0)[:, None]
    model = TreeClassifier.cart(random_state=1).fit(X, COSTS)
    found = model.pruning_path_
    assert found.path.n_leaves.tolist() == [6, 2, 1]
    assert model.get_n_leaves() == found.path.n_leaves[found.chosen]
    sizes = [
        TreeClassifier.cart(se_rule=rule, random_state=1).fit(X, COSTS).get_n_leaves()
        for rule in (0, 1, 100)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1


def test_the_path_survives_a_further_pruner():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    y = (X[:, 0] + rng.normal(size=150) > 0).astype(int)
    alone = TreeClassifier(pruning="cost_complexity").fit(X, y)
    both = TreeClassifier(pruning=["cost_complexity", "merge_equal"]).fit(X, y)
    assert both.pruning_path_ is not None
    np.testing.assert_array_equal(both.pruning_path_.errors, alone.pruning_path_.errors)
    np.testing.assert_array_equal(both.predict(X), alone.predict(X))


def mixed(seed, n=200):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    hint = np.where(rng.random(n) < 0.3, y, rng.integers(0, 3, n))
    X = {
        "noise": np.array(list("abcdefgh"))[rng.integers(0, 8, n)],
        "labels": np.array(list("pqr"))[hint],
        "number": rng.normal(y, 2.0),
        "many": np.array([f"v{i:02}" for i in rng.integers(0, 40, n)]),
    }
    return X, y


def counted(x, y):
    values, classes = np.unique(x, return_inverse=True)[1], np.unique(y, return_inverse=True)[1]
    counts = np.zeros((values.max() + 1, classes.max() + 1))
    np.add.at(counts, (values, classes), 1)
    return counts


def significance(x, y):
    if x.dtype.kind == "f":
        return conditional_inference_test(x=x, y=y)
    return conditional_inference_test(counted(x, y))


@pytest.mark.parametrize("seed", range(6))
def test_conditional_inference_takes_the_most_significant_column(seed):
    X, y = mixed(seed)
    model = TreeClassifier.conditional_inference(alpha=1.0).fit(X, y)
    log_p = [significance(X[name], y).log_p for name in X]
    assert model.tree_.column[0] == int(np.argmin(log_p))


@pytest.mark.parametrize("seed", range(4))
def test_conditional_inference_stops_where_nothing_is_significant(seed):
    _X, y = mixed(seed)
    rng = np.random.default_rng(seed)
    nothing = {"a": rng.normal(size=200), "b": np.array(list("pqrs"))[rng.integers(0, 4, 200)]}
    p = min(significance(nothing[name], y).p_value for name in nothing)
    for limit, grows in ((p * 0.99, False), (p * 1.01, True)):
        model = TreeClassifier.conditional_inference(alpha=limit, bonferroni=False).fit(nothing, y)
        assert (model.get_n_leaves() > 1) == grows
    corrected = 1 - (1 - p) ** 2
    for limit, grows in ((corrected * 0.99, False), (min(1, corrected * 1.01), True)):
        model = TreeClassifier.conditional_inference(alpha=limit).fit(nothing, y)
        assert (model.get_n_leaves() > 1) == grows


def test_nominal_splits_filters_columns():
    """p < 10 % by the chi-square test, and 15 rows of the second value; numbers are not asked."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 300)
    rare = np.where((np.arange(300) < 14) & (y == 1), "rare", "usual")
    noise = np.array(list("abcd"))[rng.integers(0, 4, 300)]
    assert chi2_test(counted(noise, y)).p_value >= 0.1
    assert nominal_splits().fit({"r": rare, "n": noise}, y).get_n_leaves() == 1
    hint = np.where(rng.random(300) < 0.8, y, 1 - y).astype(str)
    model = nominal_splits().fit({"r": rare, "n": noise, "h": hint}, y)
    assert model.tree_.column[0] == 2
    # A test without any gain is not made: in the first, no side is better than the other.
    same = {"x": [1.0, 1.0, 2.0, 2.0]}
    assert nominal_splits(pruning=None).fit(same, [0, 1, 0, 1]).get_n_leaves() == 1
    assert TreeClassifier(pruning=None).fit(same, [0, 1, 0, 1]).get_n_leaves() == 2


def test_depth_of_nominal_splits():
    X, y = mixed(0, 3000)
    assert nominal_splits(max_depth=2).fit(X, y).get_depth() <= 2
    deep = nominal_splits(max_depth=None).fit(X, y)
    assert deep.get_depth() > 5


def test_random_tree_draws_columns():
    X, y = mixed(1)
    trees = [RandomTreeClassifier(max_features=1, random_state=s).fit(X, y).tree_ for s in range(8)]
    assert len({int(t.column[0]) for t in trees}) > 1
    again = RandomTreeClassifier(max_features=1, random_state=0).fit(X, y).tree_
    assert_same_trees(trees[0], again)
    for all_of_them in (None, 4, 1.0):
        model = RandomTreeClassifier(max_features=all_of_them, random_state=0).fit(X, y)
        assert_same_trees(model.tree_, RandomTreeClassifier(max_features=None).fit(X, y).tree_)


@pytest.mark.parametrize(
    ("max_features", "expected"),
    [("log2", 3), ("sqrt", 3), (2, 2), (0.5, 5), (0.01, 1), (99, 10), (None, None)],
)
def test_how_many_columns_are_drawn(max_features, expected):
    assert TreeClassifier(max_features=max_features)._settings(9, 10).max_features == expected


def test_fractions_of_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    by_share = TreeClassifier(pruning=None, min_samples_leaf=0.1).fit(X, y).tree_
    assert by_share == TreeClassifier(pruning=None, min_samples_leaf=20).fit(X, y).tree_
    by_share = TreeClassifier(pruning=None, min_samples_split=0.3).fit(X, y).tree_
    assert by_share == TreeClassifier(pruning=None, min_samples_split=60).fit(X, y).tree_


def test_pruners_leave_fewer_leaves():
    X, y = mixed(2, 400)
    full = TreeClassifier(pruning=None).fit(X, y).get_n_leaves()
    for pruning in ("cost_complexity", "reduced_error", "pessimistic",
                    Pruner("cost_complexity", shrinkage=False, risk="impurity", cv=3),
                    ["collapse", "pessimistic", "merge_equal"]):  # fmt: skip
        assert 1 <= TreeClassifier(pruning=pruning).fit(X, y).get_n_leaves() < full
    for pruning in ("collapse", "merge_equal"):  # leaves are pure: there is nothing to undo
        assert TreeClassifier(pruning=pruning).fit(X, y).get_n_leaves() == full
