"""Rules say the same as the tree."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explain.random_trees import SCHEMA, random_table, random_tree
from mixedwood.data import Column
from mixedwood.explain import LinearCondition, RangeCondition, Rule, SetCondition, to_rules
from mixedwood.tree import SplitKind, TreeBuilder


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
        return x in condition.codes or (condition.unknown and x not in condition.refused)
    return any(low < x <= high for low, high in condition.pieces)


def fulfilled(found, table, row):
    return [r.node for r in found if all(holds(c, table, row) for c in r.conditions)]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 25))
def test_exactly_one_rule_holds_for_each_row_without_gaps(seed, n_tests):
    tree = random_tree(seed, n_tests, all_values=True)
    table = random_table(seed, 40)
    answers = tree.apply(table)
    found = to_rules(tree)
    for row in range(table.n_rows):
        assert fulfilled(found, table, row) == [answers[row]]


@settings(max_examples=60, deadline=None)
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
    builder = TreeBuilder(SCHEMA, ["no", "yes"], [40, 160])
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
    (rule,) = to_rules(TreeBuilder(SCHEMA, ["no", "yes"], [1, 3]).build())
    assert str(rule) == "Always yes (75 % of 4)"
    assert (rule.conditions, rule.describe_conditions(), rule.coverage) == ((), [], 1.0)


def test_unseen_values_stay_in_a_merged_set():
    colour = Column("colour", "nominal", ("a", "b", "c", "d"))
    first = SetCondition(colour, frozenset({0, 1}), frozenset({2}))
    second = SetCondition(colour, frozenset({0, 3}), frozenset({1}))
    both = first.merge(second)
    assert (both.codes, both.refused) == ({0, 3}, {1, 2})
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
