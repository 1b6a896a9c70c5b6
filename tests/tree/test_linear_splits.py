"""Linear tests of a tree: what they add up, what is refused, and that nothing loses terms."""

import math
import pickle
from dataclasses import fields, replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixedwood.data import Column, Schema, Table
from mixedwood.estimators._sampling import in_all_columns
from mixedwood.estimators.base import columns_used
from mixedwood.pruning.pessimistic import grafted
from mixedwood.tree import FRACTIONAL, NUMBER, Terms, Tree, TreeBuilder
from reference import tree as reference
from support.cases import cases
from support.strategies import SCHEMA, random_rows, random_tree

NAN, INF = math.nan, math.inf
TWO = [[5, 1], [1, 3]]
MANY = Schema(
    (
        Column("few", "nominal", ("a", "b", "c")),
        Column("many", "nominal", tuple(f"v{i:03d}" for i in range(300))),
        Column("size", "ordinal", ("S", "M", "L", "XL")),
        Column("age", "numeric"),
        Column("pay", "numeric"),
    )
)

# Sums of these are exact in any order, so that the reference's fractions must agree; or they are
# beyond what numbers hold, where only the sign is left.
exact = st.integers(-12, 12).map(lambda x: x / 4)
weight = exact | st.sampled_from([1e308, -1e308, 2e-308])
number = exact | st.sampled_from([NAN, INF, -INF, 1e308, -1e308])


@st.composite
def linear_trees(draw, side):
    """A tree of up to three linear tests, one below the other, and rows for it."""
    asked = ["age", "pay", "size", *(("size", v) for v in "SL"), *(("few", v) for v in "abc")]
    asked += [("many", f"v{i:03d}") for i in draw(st.lists(st.integers(0, 299), max_size=3))]
    builder = TreeBuilder(MANY, ["no", "yes"], [6, 4])
    node = 0
    for _ in range(draw(st.integers(1, 3))):
        keys = draw(st.lists(st.sampled_from(asked), unique=True, max_size=7))
        numbers = [key for key in keys if isinstance(key, str)]
        fill = {key: draw(exact) for key in numbers if draw(st.booleans())}
        weights = {key: draw(weight) for key in keys}
        missing = draw(side)
        children = builder.split_linear(node, weights, draw(exact), TWO, fill=fill, missing=missing)
        node = draw(st.sampled_from(children))
    rows = draw(
        st.lists(
            st.tuples(st.integers(-2, 2), st.integers(-2, 299), st.integers(-2, 3), number, number),
            max_size=8,
        )
    )
    arrays = zip(*rows, strict=True) if rows else [()] * 5
    types = [np.int32, np.int32, np.int32, np.float64, np.float64]
    table = Table(MANY, tuple(np.array(a, t) for a, t in zip(arrays, types, strict=True)))
    return builder.build(), table, [list(row) for row in rows]


def is_close(tree, row):
    """Whether rounding may decide: a part of the sum is far larger than the sum, or both are tiny.

    Products of weights and numbers count as parts: of two that cancel, 1e308 * 1e308 each, the
    other parts are lost.
    """
    for node in range(tree.n_nodes):
        total = reference.linear_total(tree, node, row)
        if total is None or total in (INF, -INF):
            continue
        parts = [abs(part) for part in reference.linear_parts(tree, node, row)]
        if not any(parts):
            continue
        largest, smallest = max(parts), min(part for part in parts if part)
        # Zero is exact unless large parts have cancelled.
        if abs(total) < largest / 10**15 and (total != 0 or largest > 1e300):
            return True
        if smallest < 1e-300 and abs(total) < Fraction(2) ** -1070:
            return True
    return False


@settings(max_examples=cases(300))
@given(linear_trees(st.sampled_from([-1, 0, 1])))
def test_routing_agrees_with_exact_sums(made):
    tree, table, rows = made
    for node, row in zip(tree.apply(table), rows, strict=True):
        if not is_close(tree, row):
            assert reference.shares(tree, row) == {node: 1.0}


@settings(max_examples=cases(150))
@given(linear_trees(st.sampled_from([FRACTIONAL, 0, 1])))
def test_rows_without_a_child_are_split_as_by_the_reference(made):
    tree, table, rows = made
    proba = tree.predict_proba(table)
    for found, row in zip(proba, rows, strict=True):
        if not is_close(tree, row):
            want = sum(s * tree.probabilities[n] for n, s in reference.shares(tree, row).items())
            np.testing.assert_allclose(found, want, atol=1e-12)


def test_an_infinite_number_of_weight_zero_leaves_a_tiny_sum_its_sign():
    builder = TreeBuilder(MANY, ["no", "yes"], [6, 4])
    builder.split_linear(0, {"age": 0.0, "pay": 2e-308}, 0.0, TWO)
    tree = builder.build()
    pay = np.array([1.0, -1.0])
    codes = (np.zeros(2, np.int32),) * 3
    table = Table(MANY, (*codes, np.full(2, INF), pay))
    assert tree.apply(table).tolist() == tree.children_of(0).tolist()
    np.testing.assert_array_equal(tree.linear_sums(0, table), 2e-308 * pay)


@settings(max_examples=cases(100))
@given(linear_trees(st.just(-1)))
def test_the_sums_are_those_that_routing_goes_by(made):
    tree, table, _ = made
    sums = tree.linear_sums(0, table)
    answers = tree.apply(table)
    np.testing.assert_array_equal(answers == 0, np.isnan(sums))
    some = np.ascontiguousarray(np.arange(table.n_rows, dtype=np.int32)[::-2])
    np.testing.assert_array_equal(tree.linear_sums(0, table, some), sums[some])
    first, second = tree.children_of(0)
    below = tree.path_sums(np.arange(tree.n_nodes) == first)[answers] > 0
    np.testing.assert_array_equal(below, sums > 0)
    assert second > first


def sums(weights, intercept=0.0, fill=None, **values):
    builder = TreeBuilder(SCHEMA, ["no", "yes"], [6, 4])
    builder.split_linear(0, weights, intercept, TWO, fill=fill)
    row = {"colour": 0, "size": 0, "age": 0.0, "income": 0.0} | values
    codes = [np.array([row[name]], np.int32) for name in ("colour", "size")]
    numbers = [np.array([row[name]], float) for name in ("age", "income")]
    return builder.build().linear_sums(0, Table(SCHEMA, (*codes, *numbers)))[0]


def test_numbers_and_places_are_filled_in():
    assert sums({"age": 2.0}, 1.0, age=3.0) == 7.0
    assert sums({"age": 2.0}, 1.0, {"age": 5.0}, age=NAN) == 11.0
    assert math.isnan(sums({"age": 2.0, "size": 1.0}, 1.0, {"size": 5.0}, age=NAN))
    assert sums({"size": 2.0}, size=2) == 4.0
    for code in (-1, -2):
        assert sums({"size": 2.0}, 1.0, {"size": 0.25}, size=code) == 1.5
        assert math.isnan(sums({"size": 2.0}, size=code))


def test_values_count_if_the_row_has_them():
    weights = {("colour", "red"): 3.0, ("colour", "blue"): 1.0, ("size", "L"): 10.0}
    assert sums(weights, colour=2) == 3.0
    assert sums(weights, colour=0, size=2) == 11.0
    assert sums(weights, colour=1) == 0.0
    assert sums(weights, colour=-1) == sums(weights, colour=-2) == 0.0


def test_infinite_numbers():
    both = {"age": 1.0, "income": -1.0}
    assert sums(both, age=INF) == INF
    assert sums(both, income=INF) == -INF
    assert sums(both, age=INF, income=-INF) == INF
    assert math.isnan(sums(both, age=INF, income=INF))
    assert math.isnan(sums(both, age=INF, income=NAN))  # missing comes first
    assert sums({"age": 0.0, "income": 2.0}, age=INF, income=3.0) == 6.0
    assert sums({"age": 1e308}, age=1e308) == INF
    assert sums({"age": 1e308, "income": -1e308}, age=1e308, income=5e307) == INF


def linear_tree():
    builder = TreeBuilder(SCHEMA, ["no", "yes"], [6, 4])
    weights = {"age": 2.0, ("colour", "red"): -1.0, "size": 0.5}
    left, right = builder.split_linear(0, weights, 0.25, TWO, fill={"age": 7.0}, missing=1)
    builder.split_linear(right, {"income": 1.0}, 0.0, TWO)
    assert (left, right) == (1, 2)
    return builder.build()


def test_trees_with_linear_tests_are_values():
    tree = linear_tree()
    assert pickle.loads(pickle.dumps(tree)) == tree  # though a fill is no number
    assert tree != replace(tree, term_fill=[NAN, NAN, NAN, NAN])
    assert tree != replace(tree, term_category=[NUMBER, 1, NUMBER, NUMBER])
    column, value, weights, fill = (list(entries) for entries in tree.terms_of(0))
    assert (column, value, weights) == ([2, 0, 1], [-1, 2, -1], [2.0, -1.0, 0.5])
    np.testing.assert_array_equal(fill, [7.0, NAN, NAN])


def test_cutting_keeps_the_terms_of_what_is_left():
    tree = linear_tree().prune_at([2])
    assert tree.term_offset.tolist() == [0, 3, 3, 3]
    assert str(tree.terms_of(0)) == str(linear_tree().terms_of(0))
    rng = np.random.default_rng(0)
    for _ in range(20):
        tree = random_tree(rng, 8)
        assert tree.prune_at([]) == tree


def test_grafting_keeps_the_terms_of_a_test_in_another_place():
    tree = linear_tree()
    # The test of node 2 at the root, and the root's below it.
    children = [[1, 2], [], [3, 4], [], []]
    moved = grafted(tree, [2, 1, 0, 3, 4], children, tree.statistics)
    assert str(moved.terms_of(0)) == str(tree.terms_of(2))
    assert str(moved.terms_of(2)) == str(tree.terms_of(0))
    assert moved.intercept[2] == 0.25


def test_a_tree_of_some_columns_is_one_of_all_columns():
    wide = Schema((Column("more", "numeric"), *SCHEMA.columns))
    moved = in_all_columns(linear_tree(), wide, np.arange(1, 5, dtype=np.int32))
    assert moved.term_column.tolist() == [3, 1, 2, 4]
    assert moved.term_category.tolist() == [-1, 2, -1, -1]
    assert columns_used([moved]) == set(SCHEMA.names)


def test_who_makes_trees_without_linear_tests_need_not_care():
    tree = random_tree(np.random.default_rng(0), 0)
    arrays = {f.name: getattr(tree, f.name) for f in fields(tree)}
    names = {"term_offset", "term_column", "term_category", "term_weight", "term_fill", "intercept"}
    plain = Tree(**{name: array for name, array in arrays.items() if name not in names})
    assert plain == tree
    assert isinstance(plain.terms_of(0), Terms)
    numbers = {"term_category", "term_fill"}
    linear = TreeBuilder(SCHEMA, ["no", "yes"], [6, 4])
    linear.split_linear(0, {"age": 1.0, "income": 2.0}, 0.0, TWO)
    arrays = {f.name: getattr(linear.build(), f.name) for f in fields(tree)}
    short = Tree(**{name: array for name, array in arrays.items() if name not in numbers})
    assert short == linear.build()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"term_weight": [2.0, NAN, 0.5, 1.0]}, "node 0 has a weight that is not finite"),
        ({"intercept": [INF, 0, 0, 0, 0]}, "node 0 has an intercept that is not finite"),
        ({"term_fill": [INF, NAN, NAN, NAN]}, "fills in a number that is not finite"),
        ({"term_fill": [NAN, 1.0, NAN, NAN]}, "fills in a number for a value"),
        ({"term_category": [3, 2, -1, -1]}, "compares a numeric column with a category"),
        ({"term_category": [-1, 4, -1, -1]}, "a category that its column does not have"),
        ({"term_category": [-1, -2, -1, -1]}, "a category that its column does not have"),
        ({"term_category": [-1, -1, -1, -1]}, "uses 'colour' as a number"),
        ({"term_column": [9, 0, 1, 3]}, "a column that is not there"),
        ({"term_column": [2, 0, 2, 3]}, "two terms for the same thing"),
        ({"term_category": [-1, 2]}, "lists differ in length"),
        ({"term_fill": [NAN]}, "lists differ in length"),
        ({"term_offset": [0, 2, 2, 2, 4, 4]}, "lists that its split does not use"),
        ({"term_offset": [0, 3, 3, 5, 5, 5]}, "term offsets do not span"),
    ],
)
def test_what_is_wrong_with_a_linear_test_is_said(change, words):
    with pytest.raises(ValueError, match=words):
        replace(linear_tree(), **change)


def test_damaged_terms_are_refused_not_crashed_on():
    rng = np.random.default_rng(1)
    tree, table = linear_tree(), random_rows(rng, 20)
    for name in ("term_offset", "term_column", "term_category", "term_weight", "term_fill"):
        for _ in range(60):
            array = np.array(getattr(tree, name))
            array[rng.integers(array.size)] = rng.choice([-5, -2, -1, 0, 1, 3, 4, 99])
            try:
                damaged = replace(tree, **{name: array[: rng.integers(1, array.size + 2)]})
            except ValueError as error:
                assert "not a tree" in str(error)
                continue
            assert (damaged.apply(table) < damaged.n_nodes).all()


def test_the_builder_says_what_it_cannot_fill_in():
    builder = TreeBuilder(SCHEMA, ["no", "yes"], [6, 4])
    weights = {"age": 1.0, ("colour", "red"): 1.0}
    for name in ("income", "colour"):
        with pytest.raises(ValueError, match=f"fill has '{name}'"):
            builder.split_linear(0, weights, 0.0, TWO, fill={"age": 1.0, name: 1.0})


def test_sums_of_rows_or_nodes_that_are_not_there_are_refused():
    tree, table = linear_tree(), random_rows(np.random.default_rng(0), 3)
    with pytest.raises(ValueError, match="a row is not one of the table"):
        tree.linear_sums(0, table, np.array([3], np.int32))
    with pytest.raises(ValueError, match="no such node"):
        tree.linear_sums(5, table)
    assert len(tree.linear_sums(0, table, np.zeros(0, np.int32))) == 0
