"""Growth by the rules of published programs, against twins written from their descriptions."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mixedwood.data import Column, Schema, Table, Target
from mixedwood.grow import GrowSettings, grow
from mixedwood.pruning import collapse
from mixedwood.tree import SplitKind
from reference.c45 import J48
from reference.greedy import UnclearError
from reference.random_tree import RandomTree
from reference.tree import assert_same_trees, shares
from support.cases import cases
from support.strategies import problems


def c45(table, target, min_weight=2, partitioner="multiway"):
    settings = GrowSettings(
        criterion="gain_ratio",
        partitioner=partitioner,
        rules="c45",
        handle_missing="fractional",
        min_samples_leaf=min_weight,
        min_samples_split=2 * min_weight,
    )
    return grow(table, target, settings)


def random_tree(table, target):
    settings = GrowSettings(
        criterion="entropy",
        partitioner="multiway",
        rules="random_tree",
        handle_missing="fractional",
    )
    return grow(table, target, settings)


def large_problem(seed, n=120, missing=0.1, weights=False):
    """Numbers with and without ties, labels, and three classes that depend on them."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, 3, n).astype(np.int32)
    fine, coarse = rng.normal(classes, 1.5), np.round(rng.normal(classes, 2), 1)
    few = ((classes + rng.integers(0, 3, n)) % 4).astype(np.int32)
    many = ((classes + 3 * rng.integers(0, 15, n)) % 45).astype(np.int32)
    for cells in (fine, coarse):
        cells[rng.random(n) < missing] = np.nan
    for cells in (few, many):
        cells[rng.random(n) < missing] = -1
    schema = Schema(
        (
            Column("fine", "numeric"),
            Column("many", "nominal", tuple(f"v{i:02}" for i in range(45))),
            Column("coarse", "numeric"),
            Column("few", "nominal", tuple("abcd")),
        )
    )
    target = Target(np.array(list("xyz")), classes, rng.uniform(0.3, 3, n) if weights else None)
    return Table(schema, (fine, many, coarse, few)), target


@settings(max_examples=cases(250))
@given(problems(kinds=("nominal", "numeric"), max_rows=25), st.sampled_from([1, 2, 3]))
def test_c45_on_small_tables(problem, min_weight):
    table, target = problem
    twin = J48(table, target, min_weight)
    tree = c45(table, target, min_weight)
    assert_same_trees(tree, twin.grow(collapse=False))
    assert_same_trees(collapse(tree), twin.grow())


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_c45_on_larger_tables(seed, weights, missing):
    table, target = large_problem(seed, missing=missing, weights=weights)
    twin = J48(table, target)
    tree = c45(table, target)
    assert tree.n_nodes > 20
    assert_same_trees(tree, twin.grow(collapse=False))
    assert_same_trees(collapse(tree), twin.grow())


@settings(max_examples=cases(250))
@given(problems(kinds=("nominal", "numeric"), max_rows=25), st.sampled_from([1, 2, 3]))
def test_c45_with_groups_of_values_on_small_tables(problem, min_weight):
    table, target = problem
    twin = J48(table, target, min_weight, group_values=True)
    tree = c45(table, target, min_weight, "c45_groups")
    assert_same_trees(tree, twin.grow(collapse=False))


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("seed", range(cases(2)))
def test_c45_with_groups_of_values_on_larger_tables(seed, weights, missing):
    table, target = large_problem(seed, missing=missing, weights=weights)
    many = table.arrays[1]  # its groups would separate the classes without an error
    many[::3] = np.random.default_rng(seed).permutation(many[::3])
    tree = c45(table, target, partitioner="c45_groups")
    assert tree.n_nodes > 10
    assert (tree.split_kind == SplitKind.MULTIWAY).any()
    assert_same_trees(tree, J48(table, target, group_values=True).grow(collapse=False))


@settings(max_examples=cases(250))
@given(problems(kinds=("nominal", "numeric"), max_rows=20))
def test_random_tree_on_small_tables(problem):
    table, target = problem
    try:
        twin = RandomTree(table, target).grow()
    except UnclearError:
        assume(False)
    tree = random_tree(table, target)
    assert_same_trees(tree, twin)


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_random_tree_on_larger_tables(seed, weights, missing):
    table, target = large_problem(seed, n=100, missing=missing, weights=weights)
    tree = random_tree(table, target)
    twin = RandomTree(table, target).grow()
    assert_same_trees(tree, twin)
    np.testing.assert_allclose(np.sort(tree.score), np.sort(twin.score), rtol=1e-9, atol=1e-12)


def test_random_tree_predicts_as_the_parent_where_no_row_came():
    table, target = large_problem(0)
    tree = random_tree(table, target)
    empty = np.flatnonzero(tree.weighted_n_node_samples == 0)
    assert len(empty)
    assert (tree.label[empty] == tree.label[tree.parent[empty]]).all()
    rows = [[array[i].item() for array in table.arrays] for i in range(table.n_rows)]
    reached = {leaf for row in rows for leaf in shares(tree, row)}
    assert not reached & set(empty.tolist())


def test_random_tree_prefers_the_larger_gain_however_little_larger():
    """WEKA compares gains exactly; only the question whether there is a gain has a tolerance."""
    n = 400
    classes = np.repeat(np.int32([0, 1]), n // 2)
    a = classes.copy()
    a[:80] = 1
    b = a.copy()
    b[0] = 0  # one more is right, a row of hardly any weight
    weights = np.ones(n)
    weights[0] = 1e-5
    schema = Schema((Column("a", "nominal", ("p", "q")), Column("b", "nominal", ("p", "q"))))
    table, target = Table(schema, (a, b)), Target(np.arange(2), classes, weights)
    twin = RandomTree(table, target)
    gains = [twin.candidate(c, twin.everyone)[0] for c in (0, 1)]
    assert 0 < gains[1] - gains[0] < 1e-6
    assert random_tree(table, target).column_of(0).name == "b"


def test_a_branch_of_hardly_any_weight_gets_no_part_of_a_row():
    schema = Schema((Column("c", "nominal", ("p", "q", "r")),))
    table = Table(schema, (np.int32([0, 1, 2, -1]),))
    target = Target(np.arange(2), np.int32([0, 1, 1, 0]), np.array([5.0, 5.0, 5e-6, 2.0]))
    tree = random_tree(table, target)
    np.testing.assert_allclose(tree.statistics[1:], [[6, 0], [1, 5], [0, 5e-6]], rtol=1e-5)
    assert tree.statistics[3, 0] == 0


def test_random_tree_takes_the_first_of_equal_thresholds():
    """Both cuts leave the same entropy, but for rounding."""
    x = np.repeat([-1.5, 0.0, 0.25], [6, 4, 6])
    classes = np.repeat(np.int32([0, 1, 0, 2]), [6, 4, 1, 5])
    table = Table(Schema((Column("x", "numeric"),)), (x,))
    tree = random_tree(table, Target(np.arange(3), classes, None))
    assert tree.high[0] == pytest.approx(-0.75)
