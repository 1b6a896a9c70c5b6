"""Trees as text, exactly."""

import time

import pytest

from explain.random_trees import chain_tree, random_tree
from mixedwood.data import Column, Schema
from mixedwood.explain import tree_text
from mixedwood.tree import FRACTIONAL, TreeBuilder

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
    with pytest.raises(ValueError, match="max_terms must be at least 1, not 0"):
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
    with pytest.raises(ValueError, match=f"{next(iter(limits))} must be at least"):
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
    start = time.perf_counter()
    text = tree_text(tree)
    assert len(text.splitlines()) == 1000  # 999 nodes: two children at a time
    assert text.endswith("99002 of 100001 nodes left out; see max_depth and max_nodes.")
    assert max(map(len, text.splitlines())) < 200
    assert len(tree_text(tree, max_nodes=None).splitlines()) == tree.n_nodes
    assert len(tree.to_rules()) == 50_001
    assert time.perf_counter() - start < 30
