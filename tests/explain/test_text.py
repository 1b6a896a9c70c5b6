"""Trees as text, exactly, and as rules that hold where the tree says so."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explain import random_trees
from explain.random_trees import chain_tree, random_table, random_tree
from mixedwood.data import Column, Schema
from mixedwood.explain import (
    LinearCondition,
    RangeCondition,
    Rule,
    SetCondition,
    to_rules,
    tree_text,
)
from mixedwood.tree import FRACTIONAL, SplitKind, TreeBuilder
from support.cases import cases

SCHEMA = Schema(
    (
        Column("colour", "nominal", ("blue", "green", "red")),
        Column("size", "ordinal", ("S", "M", "L")),
        Column("age", "numeric"),
        Column("pay", "numeric"),
    )
)


def grown():
    builder = TreeBuilder(SCHEMA, ["no", "yes"], [60, 40])
    young, old = builder.split_interval(0, "age", [[50, 10], [10, 30]], high=39.5, missing=1)
    groups = ["blue"], ["red"], ["green"]
    counts = [[30, 0], [15, 5], [5, 5]]
    _, red, _ = builder.split_categories(young, "colour", counts, groups, unknown=1)
    builder.split_linear(old, {"pay": 0.5}, -3.0, [[0, 29.5], [10, 0.5]])
    builder.split_interval(red, "size", [[15, 0], [0, 5]], high=1, missing=0)
    return builder.build()


FULL = """\
[0] root (100)
|   [1] age <= 39.5 (60)
|   |   [3] colour = blue: no (100 % of 30)
|   |   [4] colour = red (or unknown) (20)
|   |   |   [8] size <= M (or missing): no (100 % of 15)
|   |   |   [9] size > M: yes (100 % of 5)
|   |   [5] colour = green: no (50 % of 10)
|   [2] age > 39.5 (or missing) (40)
|   |   [6] 0.5 pay > 3: yes (100 % of 29.5)
|   |   [7] 0.5 pay <= 3: no (95 % of 10.5)"""


def test_a_tree_reads_like_this():
    assert tree_text(grown()) == FULL
    assert str(grown()) == FULL == grown().to_text()


def test_long_sums_are_cut_unless_all_of_them_is_asked_for():
    schema = Schema(tuple(Column(f"c{i}", "numeric") for i in range(12)))
    builder = TreeBuilder(schema, ["no", "yes"], [3, 1])
    weights = {name: 2.0**-i for i, name in enumerate(schema.names)}
    builder.split_linear(0, weights, 0.5, [[3, 0], [0, 1]], fill={"c3": 1 / 3, "c11": 4.0})
    tree = builder.build()
    first = tree.to_text(show_counts=False, max_terms=2).splitlines()[1]
    assert first == "|   [1] c0 + 0.5 c1 ... and 10 more > -0.5: no"
    assert "0.007812 c7 ... and 4 more > -0.5: no" in tree.to_text(show_counts=False)
    full = tree.to_text(show_counts=False, max_terms=None).splitlines()[1]
    assert full.endswith("+ 0.0004883 c11 > -0.5 (missing c3 as 0.3333, c11 as 4): no")
    assert "more" not in tree.to_text(max_terms=11)  # the last one is told, not counted
    with pytest.raises(ValueError, match="max_terms must be None or at least 1"):
        tree.to_text(max_terms=0)


def test_counts_can_be_left_out():
    builder = TreeBuilder(SCHEMA, ["no", "yes"], [3, 1])
    builder.split_interval(0, "age", [[3, 0], [0, 1]], high=5.0)
    text = tree_text(builder.build(), show_counts=False)
    assert text == "[0] root\n|   [1] age <= 5: no\n|   [2] age > 5: yes"


def test_a_single_leaf():
    assert tree_text(TreeBuilder(SCHEMA, [0, 1], [1, 3]).build()) == "[0] root: 1 (75 % of 4)"


def test_a_cut_by_depth_says_what_is_left_out():
    assert tree_text(grown(), max_depth=1) == (
        "[0] root (100)\n"
        "|   [1] age <= 39.5: no (83 % of 60) ... 5 more nodes\n"
        "|   [2] age > 39.5 (or missing): yes (75 % of 40) ... 2 more nodes\n"
        "7 of 10 nodes left out; see max_depth and max_nodes."
    )
    assert tree_text(grown(), max_depth=3) == FULL


def test_a_cut_by_number_keeps_what_is_nearest_to_the_root():
    text = tree_text(grown(), max_nodes=8)
    shown = [line.split("]")[0].split("[")[1] for line in text.splitlines()[:-1]]
    assert shown == ["0", "1", "3", "4", "5", "2", "6", "7"]
    assert text.endswith("\n2 of 10 nodes left out; see max_depth and max_nodes.")


def test_a_test_of_very_many_branches_is_cut_among_them():
    column = Column("n", "nominal", tuple(range(500)))
    builder = TreeBuilder(Schema((column,)), ["no", "yes"], [500, 0])
    builder.split_categories(0, "n", [[1, 0]] * 500, [[v] for v in range(500)])
    lines = tree_text(builder.build(), max_nodes=4).splitlines()
    assert lines == [
        "[0] root (500) ... 497 more nodes",
        "|   [1] n = 0: no (100 % of 1)",
        "|   [2] n = 1: no (100 % of 1)",
        "|   [3] n = 2: no (100 % of 1)",
        "497 of 501 nodes left out; see max_depth and max_nodes.",
    ]


def test_shared_rows_are_mentioned():
    builder = TreeBuilder(SCHEMA, ["no", "yes"], [3, 1])
    builder.split_interval(0, "age", [[3, 0], [0, 1]], high=5.0, missing=FRACTIONAL)
    last = tree_text(builder.build()).splitlines()[-1]
    assert last == "Missing values that no branch names are shared among branches by weight."


@pytest.mark.parametrize("limits", [{"max_depth": -1}, {"max_nodes": 0}])
def test_impossible_limits_are_refused(limits):
    with pytest.raises(ValueError, match=f"{next(iter(limits))} must be None or at least"):
        tree_text(grown(), **limits)


@pytest.mark.parametrize("seed", range(5))
def test_every_node_is_on_one_line(seed):
    tree = random_tree(seed, n_tests=30)
    lines = tree_text(tree).splitlines()
    numbers = sorted(int(line.split("[")[1].split("]")[0]) for line in lines)
    assert numbers == list(range(tree.n_nodes))
    depths = {int(line.split("[")[1].split("]")[0]): line.count("|   ") for line in lines}
    assert [depths[i] for i in range(tree.n_nodes)] == tree.node_depth.tolist()


def test_a_chain_of_50_000_tests_prints():
    tree = chain_tree(50_000)
    text = tree_text(tree)
    assert len(text.splitlines()) == 1000  # 999 nodes: two children at a time
    assert text.endswith("99002 of 100001 nodes left out; see max_depth and max_nodes.")
    assert max(map(len, text.splitlines())) < 200
    assert len(tree_text(tree, max_nodes=None).splitlines()) == tree.n_nodes
    assert len(tree.to_rules()) == 50_001


def holds(condition, table, row):
    """A slow reader of conditions that knows nothing of trees."""
    if isinstance(condition, LinearCondition):
        total = condition.intercept
        for term in condition.terms:
            x = table[term.column.name][row]
            if term.code is not None:
                total += term.weight * (x == term.code)
                continue
            if np.isnan(x) or (x < 0 and not term.column.is_numeric):
                x = term.fill
            if x is None:
                return condition.missing
            total += term.weight * float(x) if term.weight else 0.0
        return condition.missing if np.isnan(total) else (total > 0) == condition.positive
    x = table[condition.column.name][row]
    if np.isnan(x) or (not condition.column.is_numeric and x == -1):
        return condition.missing
    if not condition.column.is_numeric and x == -2:
        return condition.unknown
    if isinstance(condition, SetCondition):
        return x in condition.codes or (condition.unknown and x not in condition.excluded)
    return any(low < x <= high for low, high in condition.pieces)


def fulfilled(found, table, row):
    return [r.node for r in found if all(holds(c, table, row) for c in r.conditions)]


@settings(max_examples=cases(60))
@given(st.integers(0, 2**32 - 1), st.integers(0, 25))
def test_exactly_one_rule_holds_for_each_row_without_gaps(seed, n_tests):
    tree = random_tree(seed, n_tests, all_values=True)
    table = random_table(seed, 40)
    answers = tree.apply(table)
    found = to_rules(tree)
    for row in range(table.n_rows):
        assert fulfilled(found, table, row) == [answers[row]]


@settings(max_examples=cases(60))
@given(st.integers(0, 2**32 - 1), st.integers(0, 15))
def test_with_gaps_the_rule_of_the_leaf_holds_or_none_does(seed, n_tests):
    tree = random_tree(seed, n_tests)
    table = random_table(seed, 40, gaps=True)
    found = to_rules(tree)
    for row, node in enumerate(tree.apply(table)):
        is_leaf = tree.split_kind[node] == SplitKind.LEAF
        assert fulfilled(found, table, row) == ([node] if is_leaf else [])


@pytest.mark.parametrize("seed", range(5))
def test_a_rule_for_each_leaf_the_heaviest_first(seed):
    tree = random_tree(seed, 20)
    found = to_rules(tree)
    assert sorted(r.node for r in found) == np.flatnonzero(tree.split_kind == 0).tolist()
    assert found == sorted(found, key=lambda r: (-r.weight, r.node))
    for rule in found:
        assert rule.label == tree.classes[tree.label[rule.node]]
        assert rule.weight == tree.weighted_n_node_samples[rule.node]
        assert rule.coverage == rule.weight / tree.weighted_n_node_samples[0]
        keys = [(c.column.name, type(c)) for c in rule.conditions if hasattr(c, "column")]
        assert len(set(keys)) == len(keys)  # merged


def test_rules_read_like_this():
    builder = TreeBuilder(random_trees.SCHEMA, ["no", "yes"], [40, 160])
    a, b = builder.split_categories(
        0, "colour", [[20, 130], [20, 30]], [["red", "blue", "pink"], ["green", "teal"]], missing=0
    )
    c, _ = builder.split_interval(a, "age", [[16, 104], [4, 26]], high=39.5)
    builder.split_categories(
        c, "colour", [[16, 104], [0, 0]], [["red", "blue"], ["pink"]], missing=0
    )
    _, e = builder.split_interval(b, "age", [[20, 0], [0, 30]], low=10, high=20)
    builder.split_interval(e, "age", [[0, 20], [0, 10]], high=50)
    assert [str(rule) for rule in builder.build().to_rules()] == [
        "If colour in {blue, red} (or missing) and age <= 39.5 then yes (87 % of 120)",
        "If colour in {blue, pink, red} (or missing) and age > 39.5 then yes (87 % of 30)",
        "If colour in {green, teal} and 10 < age <= 20 then no (100 % of 20)",
        "If colour in {green, teal} and (age <= 10 or 20 < age <= 50) then yes (100 % of 20)",
        "If colour in {green, teal} and age > 50 then yes (100 % of 10)",
        "If colour = pink and age <= 39.5 then no (50 % of 0)",
    ]


def test_a_tree_without_a_test_has_one_rule():
    (rule,) = to_rules(TreeBuilder(random_trees.SCHEMA, ["no", "yes"], [1, 3]).build())
    assert str(rule) == "Always yes (75 % of 4)"
    assert (rule.conditions, rule.describe_conditions(), rule.coverage) == ((), [], 1.0)


def test_unseen_values_stay_in_a_merged_set():
    colour = Column("colour", "nominal", ("a", "b", "c", "d"))
    first = SetCondition(colour, frozenset({0, 1}), frozenset({2}))
    second = SetCondition(colour, frozenset({0, 3}), frozenset({1}))
    both = first.merge(second)
    assert (both.codes, both.excluded) == ({0, 3}, {1, 2})
    closed = SetCondition(colour, frozenset({1, 3}))
    assert first.merge(closed).codes == closed.merge(first).codes == {1, 3}
    assert not first.merge(closed).unknown


@given(*[st.lists(st.integers(-9, 9), max_size=8, unique=True).map(sorted)] * 2)
def test_merged_ranges_hold_where_both_hold(one, other):
    column = Column("x", "numeric")
    quarters = [[x / 4 for x in ends] for ends in (one, other)]
    pieces = [tuple(zip(p[::2], p[1::2], strict=False)) for p in quarters]
    merged = RangeCondition(column, pieces[0]).merge(RangeCondition(column, pieces[1]))
    for x in np.arange(-3, 3, 0.125):
        inside = [any(lo < x <= hi for lo, hi in p) for p in (*pieces, merged.pieces)]
        assert inside[2] == (inside[0] and inside[1])


def test_rules_are_frozen():
    rule = Rule(0, (), "no", 1.0, 1.0, 1.0)
    with pytest.raises(AttributeError):
        rule.label = "yes"
