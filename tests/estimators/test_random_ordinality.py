"""Random Ordinality ensembles: the paper's two recipes against their slow twins, joint orders."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from mixedwood import (
    ForestClassifier,
    RandomOrdinalityClassifier,
    TreeClassifier,
    UnknownCategoryWarning,
)
from mixedwood.data import read_table, read_target
from mixedwood.estimators.c45 import RandomTreeClassifier
from mixedwood.preprocessing import RandomOrdinalEncoder
from mixedwood.splits import Partitioner
from mixedwood.tree import FRACTIONAL, SplitKind
from reference.c45 import J48
from reference.ensembles import bootstrap_of, first_of_largest
from support.excuses import PURE, SAMPLES, checks_of
from support.problems import mixed_problem

PRESETS = [RandomOrdinalityClassifier.c45, RandomOrdinalityClassifier.random_tree]
CHECKED = [
    (RandomOrdinalityClassifier(n_estimators=3), SAMPLES | PURE),
    (RandomOrdinalityClassifier.c45(3), {}),
    (RandomOrdinalityClassifier.random_tree(3), {}),
    (
        RandomOrdinalityClassifier(
            TreeClassifier(pruning=None),
            3,
            partitioner=Partitioner("random_order", per="tree", joint=True),
            bootstrap=False,
        ),
        PURE,
    ),
]


@pytest.mark.filterwarnings("ignore")
@checks_of(CHECKED)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def plurality(answers, classes):
    """Classes of most votes; of equals the first."""
    shares = [[(row == label).mean() for label in classes] for row in answers]
    return classes[[first_of_largest(row) for row in shares]]


def twin_answers(grow, X, y, new, seed, n_members):
    """Each member: its own random numbers for the values, a tree of numbers, its answers."""
    answers = []
    for number in range(n_members):
        tree_seed, _ = bootstrap_of(seed, number, len(y), 1)
        encoder = RandomOrdinalEncoder(random_state=tree_seed).fit(X)
        train, asked = encoder.transform(X), encoder.transform(new)
        names = [f"x{i}" for i in range(train.shape[1])]
        answers.append(grow(tree_seed, pd.DataFrame(train, columns=names), y)(
            pd.DataFrame(asked, columns=names)
        ))  # fmt: skip
    return np.array(answers).T


def j48(_, X, y):
    table = read_table(X)
    tree = J48(table, read_target(y)).grow()
    return lambda new: tree.predict(read_table(new))


def random_tree(seed, X, y):
    return RandomTreeClassifier(max_features=0.5, random_state=seed).fit(X, y).predict


@pytest.mark.parametrize("data_seed", range(3))
@pytest.mark.parametrize(("base", "grow"), [("c45", j48), ("random_tree", random_tree)])
def test_both_recipes_are_encodings_trees_and_a_vote(base, grow, data_seed):
    X, y = mixed_problem(70, seed=data_seed)
    new, _ = mixed_problem(60, seed=data_seed + 10)
    model = getattr(RandomOrdinalityClassifier, base)(9, random_state=data_seed).fit(X, y)
    answers = twin_answers(grow, X, y, new, data_seed, 9)
    np.testing.assert_array_equal(model.predict_members(new), answers)
    np.testing.assert_array_equal(model.predict(new), plurality(answers, model.classes_))


def test_what_the_recipes_are():
    X, y = mixed_problem(100)
    model = RandomOrdinalityClassifier.c45().fit(X, y)
    assert (model.estimator, model.voting, model.bootstrap) == (None, "hard", False)
    assert len(model.trees_) == 50
    for preset in PRESETS:
        model = preset(10, random_state=0).fit(X, y)
        for tree in model.trees_:
            inner = tree.split_kind != SplitKind.LEAF
            assert tree.weighted_n_node_samples[0] == 100  # all rows
            assert (np.diff(tree.child_offset)[inner] == 2).all()
            assert not (tree.split_kind == SplitKind.MULTIWAY).any()
            assert (tree.missing_child[inner] == FRACTIONAL).all()
            assert (tree.unknown_child[inner] == FRACTIONAL).all()
    assert "colour in {" in model.trees_[0].to_text()  # readable in the original values


def test_the_default_is_a_forest_with_an_order_at_each_node():
    X, y = mixed_problem(100)
    model = RandomOrdinalityClassifier(random_state=0).fit(X, y)
    tree = TreeClassifier(
        partitioner="random_order", max_features=0.5, min_samples_leaf=2, pruning=None
    ).set_params(criterion="gini")
    same = ForestClassifier(tree, 100, random_state=0).fit(X, y)
    assert model.trees_ == same.trees_
    np.testing.assert_array_equal(model.predict_proba(X), same.predict_proba(X))


@pytest.mark.parametrize(("n_columns", "half"), [(1, 1), (2, 1), (5, 2), (6, 3)])
def test_half_of_the_columns_is_rounded_down(n_columns, half):
    model = RandomOrdinalityClassifier.random_tree()
    assert model._member()._settings(10, n_columns).max_features == half


def test_a_label_that_no_row_had_is_a_missing_value():
    X, y = mixed_problem(120)
    for preset in PRESETS:
        model = preset(7, random_state=0, voting="soft").fit(X, y)
        gone = model.predict_proba(X[:20].assign(colour=None))
        with pytest.warns(UnknownCategoryWarning):
            unseen = model.predict_proba(X[:20].assign(colour="mauve"))
        np.testing.assert_array_equal(unseen, gone)


def test_own_trees_get_a_random_order():
    X, y = mixed_problem(120)
    own = TreeClassifier(max_depth=3, pruning=None, min_samples_leaf=4)
    model = RandomOrdinalityClassifier(own, 5, random_state=0).fit(X, y)
    per_tree = clone(own).set_params(partitioner=Partitioner("random_order", per="tree"))
    assert model.trees_ == RandomOrdinalityClassifier(per_tree, 5, random_state=0).fit(X, y).trees_
    assert own.partitioner == "auto"  # the user's own tree is not touched
    per_node = clone(own).set_params(partitioner="random_order")
    other = RandomOrdinalityClassifier(per_node, 5, random_state=0).fit(X, y)
    assert other.trees_ != model.trees_
    assert model.feature_importances_.sum() == pytest.approx(1)


def test_samples_votes_and_out_of_bag_predictions_go_with_orders():
    X, y = mixed_problem(200)
    model = RandomOrdinalityClassifier.random_tree(
        40, bootstrap=True, oob_score=True, voting="soft", colsample_bytree=3, random_state=0
    ).fit(X, y)
    assert 0.4 < model.oob_score_ < model.score(X, y)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X)
    )


def orders_of(model, X, y, column):
    """Orders of a column's values as far as the trees show them: nested groups."""
    place = list(X).index(column)
    found = []
    for tree in model.trees_:
        nodes = np.flatnonzero((tree.column == place) & (tree.split_kind == SplitKind.SUBSET))
        groups = []
        for node in nodes:
            codes, children = tree.categories_of(int(node))
            groups.append(frozenset(codes[children == 0].tolist()))
        found.append(groups)
    return found


def test_joint_orders_put_copies_of_a_column_in_the_same_order():
    rng = np.random.default_rng(0)
    city = rng.integers(0, 8, 400)
    other = rng.integers(0, 8, 400)
    X = pd.DataFrame({
        "city": [f"c{v}" for v in city],
        "copy": [f"k{v}" for v in city],  # the same under other names
        "other": [f"o{v}" for v in other],
    })  # fmt: skip
    y = rng.integers(0, 2, 400)
    for joint, nested in ((True, True), ([["city", "copy"]], True), (False, False)):
        order = Partitioner("random_order", per="tree", joint=joint)
        tree = RandomTreeClassifier(max_features=1)
        model = RandomOrdinalityClassifier(tree, 12, partitioner=order, random_state=0).fit(X, y)
        pairs = zip(orders_of(model, X, y, "city"), orders_of(model, X, y, "copy"), strict=True)
        together = [a + b for a, b in pairs]
        agree = [all(a <= b or b <= a for a in groups for b in groups) for groups in together]
        assert all(agree) if nested else not any(agree)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"estimator": "cart"}, "'random_tree' or None. Got 'cart' instead"),
        ({"estimator": TreeClassifier}, "must be an instance of 'TreeClassifier' or"),
        (
            {"estimator": TreeClassifier(partitioner="one_vs_rest")},
            "must be 'auto', 'multiway' or 'random_order'. Got 'one_vs_rest' instead",
        ),
        (
            {"estimator": TreeClassifier(class_weight="balanced")},
            "class_weight of estimator must be None",
        ),
        ({"partitioner": "one_vs_rest"}, "must be 'random_order', .* Got 'one_vs_rest' instead"),
        (
            {"partitioner": Partitioner("random_order", per="tree", joint=[["colour", "size"]])},
            "contains 'size', but the nominal columns are 'colour'",
        ),
    ],
)
def test_bad_parameters_are_errors(parameters, message):
    model = RandomOrdinalityClassifier(n_estimators=2, **parameters)
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(*mixed_problem(30))
    assert not hasattr(model, "trees_")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"joint": "all"}, "must be a bool or a list of groups of column names"),
        ({"joint": ["colour", "shape"]}, "must be a bool or a list of groups of column names"),
        ({"joint": 1}, "must be a bool or a list of groups of column names"),
        ({"joint": [["colour", "shape"], ["shape"]]}, "contains the column 'shape' twice"),
        ({"joint": True, "per": "node"}, "needs orders that are drawn once per tree"),
    ],
)
def test_bad_joint_options_are_errors(options, message):
    with pytest.raises(ValueError, match=message):
        Partitioner("random_order", **{"per": "tree", **options})
