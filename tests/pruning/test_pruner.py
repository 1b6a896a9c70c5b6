"""Pruners as values: what they accept, how they compare, and what they do with the rows."""

import copy
import pickle

import numpy as np
import pytest

from mixedwood import TreeClassifier
from mixedwood.data import read_table, read_target
from mixedwood.grow import grow
from mixedwood.pruning import Pruner, merge_equal_leaves, pruners, reduced_error
from support.problems import mixed_problem


@pytest.mark.parametrize("name", pruners())
def test_every_pruner_is_a_value(name):
    one, same = Pruner(name), Pruner(name)
    assert one == same
    assert hash(one) == hash(same)
    assert repr(one) == f"Pruner({name!r})"
    for twin in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one)):
        assert twin == one
    assert one != Pruner("collapse" if name != "collapse" else "merge_equal")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("x", {}, "must be a str among {'cost_complexity'"),
        ("collapse", {"n_folds": 3}, "no option 'n_folds'. It has none"),
        ("pessimistic", {"n_folds": 3}, "It has 'confidence', 'subtree_raising'"),
        ("cost_complexity", {"cv": 1}, r"in the range \[2, inf\). Got 1"),
        ("cost_complexity", {"cv": 2.5}, "an int"),
        ("cost_complexity", {"cv": "many"}, "among {'auto'} or an int"),
        ("cost_complexity", {"n_repeats": 0}, r"in the range \[1, inf\). Got 0"),
        ("cost_complexity", {"se_rule": -1}, r"in the range \[0, inf\)"),
        ("cost_complexity", {"se_rule": np.inf}, r"in the range \[0, inf\)"),
        ("cost_complexity", {"risk": "price"}, "'error', 'impurity'"),
        ("cost_complexity", {"risk": np.array([1, 2])}, "'error', 'impurity'"),
        ("cost_complexity", {"shrinkage": 1}, "a bool"),
        ("pessimistic", {"confidence": 0.6}, r"in the range \(0, 0.5\]"),
        ("pessimistic", {"confidence": 0}, r"in the range \(0, 0.5\]"),
        ("pessimistic", {"subtree_raising": "no"}, "a bool"),
        ("reduced_error", {"validation_fraction": 1}, r"in the range \(0, 1\)"),
        ("reduced_error", {"validation_fraction": True}, r"in the range \(0, 1\)"),
    ],
)
def test_options_that_are_refused(name, options, message):
    with pytest.raises(ValueError, match=message):
        Pruner(name, **options)


def test_reading():
    assert Pruner.read_all(None) == ()
    assert Pruner.read_all("collapse") == (Pruner("collapse"),)
    assert Pruner.read_all(["collapse", Pruner("merge_equal")]) == (
        Pruner("collapse"),
        Pruner("merge_equal"),
    )


def problem(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] + rng.normal(size=n) > 1)
    return read_table(X), read_target(y)


def test_reduced_error_keeps_a_fraction_of_each_class():
    table, target = problem()
    sizes = []

    def growing(rows, classes):
        sizes.append(np.bincount(classes.codes, minlength=3))
        return grow(rows, classes)

    pruner = Pruner("reduced_error", validation_fraction=0.25)
    tree, path = pruner.prune(growing, table, target, seed=0)
    assert path is None
    assert len(sizes) == 1
    whole = np.bincount(target.codes)
    np.testing.assert_array_equal(sizes[0], whole - np.round(whole / 4))
    again, _ = Pruner("reduced_error", validation_fraction=0.25).prune(grow, table, target, seed=0)
    assert tree == again
    full = grow(table, target)
    assert tree.n_leaves < full.n_leaves


def test_reduced_error_with_too_few_rows_to_keep_aside():
    table, target = read_table([[1.0], [2.0]]), read_target([0, 1])
    tree, _ = Pruner("reduced_error", validation_fraction=0.1).prune(grow, table, target, seed=0)
    assert tree.n_leaves == 2


@pytest.mark.parametrize(
    ("n", "folds", "repeats"),
    [(100, 10, 3), (3000, 10, 2), (10_000, 10, 1), (50_000, 5, 1), (200_000, 3, 1)],
)
def test_folds_for_the_size_of_the_table(n, folds, repeats):
    from mixedwood.data import Column, Schema, Table, Target

    table = Table(Schema((Column("x", "numeric"),)), (np.arange(float(n)),))
    target = Target(np.arange(2), (np.arange(n) % 2).astype(np.int32), None)
    trees = []

    def stump(rows, classes):
        trees.append(rows.n_rows)
        return grow(rows.take(np.arange(5)), classes.take(np.arange(5)))

    Pruner("cost_complexity").prune(stump, table, target, seed=0)
    assert trees[0] == n
    assert len(trees) == 1 + folds * repeats


def test_pruners_are_applied_in_turn():
    table, target = problem()
    X = np.column_stack(table.arrays)
    y = target.classes[target.codes]
    one = TreeClassifier(pruning="reduced_error").fit(X, y).tree_
    both = TreeClassifier(pruning=["reduced_error", "merge_equal"]).fit(X, y).tree_
    assert both == merge_equal_leaves(one)
    # Cross-validation prunes trees that the first pruner has been at.
    path = TreeClassifier(pruning=["collapse", "cost_complexity"]).fit(X, y).pruning_path_
    assert path.path.full == TreeClassifier(pruning="collapse").fit(X, y).tree_
    rest = table.take(np.arange(0, 300, 3)), target.take(np.arange(0, 300, 3))
    assert reduced_error(grow(table, target), *rest).n_leaves <= grow(table, target).n_leaves


@pytest.mark.parametrize("pruning", ["reduced_error", ["reduced_error", "pessimistic"]])
def test_reduced_error_pruning_of_rows_that_are_divided(pruning):
    X, y = mixed_problem(120)
    model = TreeClassifier(pruning=pruning, handle_missing="fractional").fit(X, y)
    assert model.tree_.is_fractional
    full = TreeClassifier(pruning=None, handle_missing="fractional").fit(X, y)
    assert 1 < model.get_n_leaves() < full.get_n_leaves()
