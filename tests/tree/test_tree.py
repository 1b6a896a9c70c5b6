import copy
import pickle
from dataclasses import fields, replace

import numpy as np
import pytest

from mixedwood.data import Column, Schema, Table, read_table
from mixedwood.tree import FRACTIONAL, STOP, SplitKind, Tree, TreeBuilder
from reference import tree as twin
from support.strategies import SCHEMA, random_rows, random_tree


def rows_of(table):
    return [[array[i] for array in table.arrays] for i in range(table.n_rows)]


@pytest.mark.parametrize("n_rows", [0, 1, 3, 1100])  # none, groups not full, several blocks
def test_routing_agrees_with_its_reference(n_rows):
    rng = np.random.default_rng(n_rows)
    for _ in range(60):
        tree, table = random_tree(rng), random_rows(rng, n_rows)
        answers = tree.apply(table)
        for row, node in zip(rows_of(table), answers, strict=True):
            assert twin.shares(tree, row) == {node: 1.0}
        np.testing.assert_array_equal(tree.predict_proba(table), tree.probabilities[answers])
        np.testing.assert_array_equal(tree.predict(table), tree.classes[tree.label[answers]])


@pytest.mark.parametrize("n_rows", [1, 3, 1100])
def test_fractional_routing_agrees_with_its_reference(n_rows):
    rng = np.random.default_rng(n_rows)
    for _ in range(60):
        tree, table = random_tree(rng, fractional=True), random_rows(rng, n_rows)
        expected = np.zeros((n_rows, 3))
        for i, row in enumerate(rows_of(table)):
            for node, share in twin.shares(tree, row).items():
                expected[i] += share * tree.probabilities[node]
        np.testing.assert_allclose(tree.predict_proba(table), expected, atol=1e-12)
        if tree.is_fractional:  # the first of equals, and sums differ in their last bits
            first = np.argmax(expected >= expected.max(axis=1, keepdims=True) - 1e-6, axis=1)
            np.testing.assert_array_equal(tree.predict(table), tree.classes[first])


def small_tree():
    builder = TreeBuilder(SCHEMA, ["no", "yes"], [6, 4])
    left, right = builder.split_categories(
        0, "colour", [[5, 1], [1, 3]], [["red"], ["blue", "green"]]
    )
    builder.split_interval(right, "age", [[1, 0], [0, 3]], high=40.0, missing=1)
    assert left == 1
    return builder.build()


def test_sizes_depths_and_parents():
    tree = small_tree()
    assert (tree.n_nodes, tree.n_leaves, tree.depth) == (5, 3, 2)
    assert tree.parent.tolist() == [-1, 0, 0, 2, 2]
    assert tree.node_depth.tolist() == [0, 1, 1, 2, 2]
    assert tree.children_of(2).tolist() == [3, 4]
    assert repr(tree) == "<Tree: 5 nodes, 3 leaves, depth 2, 4 columns, 2 classes>"


def test_depths_and_what_is_above_agree_with_walking_up():
    rng = np.random.default_rng(4)
    for n_splits in (0, 1, 2, 5, 30):
        tree = random_tree(rng, n_splits)
        marked = rng.random(tree.n_nodes) < 0.2
        above = marked.copy()
        for node in range(tree.n_nodes):
            way = [node]
            while tree.parent[way[-1]] >= 0:
                way.append(int(tree.parent[way[-1]]))
            assert tree.node_depth[node] == len(way) - 1
            above[way] |= marked[node]
        np.testing.assert_array_equal(tree.at_or_above(marked), above)


def test_a_value_that_the_node_never_saw_stops_there():
    tree = small_tree()
    X = {"colour": ["white", "mauve", "blue"], "size": ["S"] * 3, "age": [1.0, 1.0, np.nan]}
    table = read_table({**X, "income": [0.0] * 3}, schema=SCHEMA)
    assert tree.apply(table).tolist() == [0, 0, 4]
    assert tree.predict(table).tolist() == ["no", "no", "yes"]


def test_an_ordinal_column_is_split_by_its_order():
    builder = TreeBuilder(SCHEMA, [0, 1], [1, 1])
    builder.split_interval(0, "size", [[1, 0], [0, 1]], high=0.0)
    table = read_table(
        {"colour": ["red"] * 3, "size": ["S", "M", "L"], "age": [0.0] * 3, "income": [0.0] * 3},
        schema=SCHEMA,
    )
    assert builder.build().predict(table).tolist() == [0, 1, 1]


def test_a_node_without_weight_predicts_equal_probabilities():
    tree = TreeBuilder(SCHEMA, ["a", "b", "c", "d"], [0, 0, 0, 0]).build()
    assert tree.probabilities.tolist() == [[0.25] * 4]


def test_trees_are_values():
    tree = small_tree()
    for same in (pickle.loads(pickle.dumps(tree)), copy.copy(tree), copy.deepcopy(tree)):
        assert same == tree
    assert tree != replace(tree, score=tree.score + 1)
    assert tree != "tree"
    with pytest.raises(TypeError):
        hash(tree)
    with pytest.raises(ValueError, match="read-only"):
        tree.statistics[0, 0] = 7


def test_arrays_are_copied_when_a_tree_is_made():
    tree = small_tree()
    counts = np.array(tree.statistics)
    made = replace(tree, statistics=counts)
    counts[0, 0] = 99
    assert made == tree


def test_another_layout_version_is_an_error_that_says_what_to_do():
    tree = small_tree()
    state = tree.__getstate__()
    state["layout_version"] = 99
    with pytest.raises(ValueError, match=r"layout version 99.*train again"):
        Tree.__new__(Tree).__setstate__(state)


def test_cutting_gives_a_smaller_tree_that_predicts_as_the_node_did():
    rng = np.random.default_rng(0)
    for _ in range(40):
        tree, table = random_tree(rng, 8), random_rows(rng, 60)
        nodes = rng.choice(tree.n_nodes, 3, replace=False)
        cut = tree.prune_at(nodes)
        answers = tree.apply(table)
        for row, node in enumerate(answers):
            way = [int(node)]
            while tree.parent[way[-1]] >= 0:
                way.append(int(tree.parent[way[-1]]))
            stops = [n for n in reversed(way) if n in nodes] or [int(node)]
            expected = tree.probabilities[stops[0]]
            found = cut.predict_proba(table.take([row]))[0]
            np.testing.assert_array_equal(found, expected)
    assert tree.prune_at([]) == tree
    assert tree.prune_at([0]).n_nodes == 1


def test_a_table_of_another_schema_is_refused():
    tree = small_tree()
    with pytest.raises(ValueError, match="read_table"):
        tree.apply(read_table({"colour": ["red"]}))


def test_damaged_arrays_are_refused_not_crashed_on():
    tree = small_tree()
    rng = np.random.default_rng(1)
    table = random_rows(rng, 20)
    refused = 0
    for name in [f.name for f in fields(tree) if f.name not in ("schema", "classes")]:
        original = getattr(tree, name)
        for _ in range(60):
            array = np.array(original)
            if array.size and rng.random() < 0.8:
                place = rng.integers(array.size)
                array.flat[place] = rng.choice([-5, -1, 0, 1, 2, 4, 5, 99, 200]) % (
                    256 if name == "split_kind" else 2**31
                )
            else:
                array = array.ravel()[: rng.integers(0, array.size + 1)]
            try:
                damaged = replace(tree, **{name: array})
            except ValueError as error:
                refused += 1
                assert "not a tree" in str(error)
                continue
            # What passes the check must route without harm.
            if not damaged.is_fractional:
                assert (damaged.apply(table) < damaged.n_nodes).all()
            damaged.predict_proba(table)
    assert refused > 300


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"split_kind": [2, 0, 9, 0, 0]}, "unknown kind"),
        ({"column": [7, -1, 2, -1, -1]}, "column that is not there"),
        ({"column": [2, -1, 2, -1, -1]}, "nominal split on a column of numbers"),
        ({"children": [1, 2, 3, 3]}, "shares a child"),
        ({"children": [1, 2, 4, 0]}, "out of order"),
        ({"missing_child": [2, -1, 1, -1, -1]}, "no child of its own"),
        ({"label": [0, 0, 0, 0, 5]}, "label is not one of the classes"),
        ({"weighted_n_node_samples": [-1.0, 0, 0, 0, 0]}, "weight below zero"),
        ({"high": [0, 0, np.nan, 0, 0]}, "no interval"),
        ({"statistics": np.zeros((5, 3))}, "class weights per node"),
    ],
)
def test_what_is_wrong_with_a_tree_is_said(change, words):
    with pytest.raises(ValueError, match=words):
        replace(small_tree(), **change)


def test_a_very_deep_tree():
    schema = Schema((Column("x", "numeric"),))
    builder = TreeBuilder(schema, [0, 1], [1, 1])
    node = 0
    for depth in range(20_000):
        _, node = builder.split_interval(node, "x", [[1, 0], [1, 1]], high=float(depth))
    tree = builder.build()
    assert tree.depth == 20_000
    table = Table(schema, (np.array([-1.0, 12_345.5, 1e9]),))
    assert tree.node_depth[tree.apply(table)].tolist() == [1, 12_347, 20_000]
    assert pickle.loads(pickle.dumps(tree)) == tree


def test_a_node_is_split_once():
    builder = TreeBuilder(SCHEMA, [0, 1], [1, 1])
    builder.split_interval(0, "age", [[1, 0], [0, 1]], high=1.0)
    with pytest.raises(ValueError, match="is already split"):
        builder.split_interval(0, "age", [[1, 0], [0, 1]], high=1.0)


def test_a_nominal_column_of_many_values_is_looked_up_or_laid_out_alike():
    labels = tuple(f"v{i:06d}" for i in range(5000))
    schema = Schema((Column("c", "nominal", labels),))
    builder = TreeBuilder(schema, [0, 1], [1, 1])
    builder.split_categories(0, "c", [[1, 0], [0, 1]], [labels[::2], labels[1:4000:2]], unknown=1)
    tree = builder.build()
    codes = np.arange(5000, dtype=np.int32)
    few = [int(tree.apply(Table(schema, (codes[i : i + 1],)))[0]) for i in range(5000)]
    many = tree.apply(Table(schema, (np.tile(codes, 10),)))
    np.testing.assert_array_equal(np.tile(few, 10), many)
    assert tree.split_kind[0] == SplitKind.SUBSET
    assert STOP != FRACTIONAL


def many_valued_tree(rng, kinds, n_values):
    """A tree over columns of many values, some with more than four ways, some listing few."""
    labels = tuple(f"v{i:06d}" for i in range(n_values))
    columns = {
        "nominal": Column("c", "nominal", labels),
        "ordinal": Column("o", "ordinal", labels),
        "numeric": Column("x", "numeric"),
    }
    schema = Schema(tuple(columns[kind] for kind in columns))
    builder = TreeBuilder(schema, [0, 1], [5, 5])
    leaves = [0]
    for _ in range(25):
        node = leaves.pop(rng.integers(len(leaves)))
        kind = rng.choice(kinds)
        n_ways = int(rng.choice([2, 3, 4, 5, 9])) if kind == "nominal" else 2
        counts = rng.integers(0, 4, (n_ways, 2))
        ends = {
            "missing": int(rng.integers(-1, n_ways)),
            "unknown": int(rng.integers(-1, n_ways)),
        }
        low, high = np.sort(rng.choice([-np.inf, np.inf, *rng.integers(0, n_values, 2)], 2))
        if kind == "nominal":
            known = rng.choice(n_values, int(rng.choice([n_ways, 30, n_values])), replace=False)
            groups = [[labels[i] for i in known[g::n_ways]] for g in range(n_ways)]
            leaves += builder.split_categories(node, "c", counts, groups, **ends)
        elif kind == "ordinal":
            leaves += builder.split_interval(node, "o", counts, low=low, high=high, **ends)
        else:
            leaves += builder.split_interval(node, "x", counts, low=low, high=high, **ends)
    return builder.build()


@pytest.mark.parametrize("n_values", [40, 3000])  # tables, and more than tables have room for
@pytest.mark.parametrize(
    "kinds", [["nominal"], ["ordinal"], ["numeric"], ["nominal", "ordinal", "numeric"]]
)
def test_routing_agrees_with_its_reference_on_columns_of_many_values(kinds, n_values):
    rng = np.random.default_rng(n_values)
    for _ in range(8):
        tree = many_valued_tree(rng, kinds, n_values)
        codes = [rng.integers(-2, n_values, 300).astype(np.int32) for _ in range(2)]
        numbers = rng.choice([np.nan, -np.inf, np.inf, *np.arange(0, n_values, 7.5)], 300)
        table = Table(tree.schema, (*codes, numbers))
        found = [{int(node): 1.0} for node in tree.apply(table)]
        assert found == [twin.shares(tree, row) for row in rows_of(table)]


def test_codes_that_were_changed_behind_the_tables_back_are_refused_not_crashed_on():
    tree = small_tree()
    table = random_rows(np.random.default_rng(0), 50)
    table["colour"][7] = 2**31 - 1
    with pytest.raises(ValueError, match="beyond its column's values"):
        tree.apply(table)
    table["colour"][7] = -(2**31)  # below zero: never seen
    assert tree.apply(table)[7] == 0


def test_a_router_refuses_columns_that_are_not_those_of_its_tree():
    tree = small_tree()
    columns = [np.array(array) for array in random_rows(np.random.default_rng(0), 5).arrays]
    router = tree._router
    assert len(router.route(columns)) == 5
    wrong = [
        columns[:-1],
        [*columns, columns[0]],
        columns[::-1],
        [columns[0][:3], *columns[1:]],
        [columns[0].astype(np.int64), *columns[1:]],
        [np.repeat(columns[0], 2)[::2], *columns[1:]],
    ]
    for other in wrong:
        with pytest.raises(ValueError, match="column"):
            router.route(other)
        with pytest.raises(ValueError, match="column"):
            router.distribute(other, tree.probabilities)
    with pytest.raises(ValueError, match="one row of values"):
        router.distribute(columns, tree.probabilities[:-1])
    with pytest.raises(ValueError, match="not a tree"):
        type(router)(tree, columns[::-1], np.array([0, 0, 3, 5], dtype=np.int32))


@pytest.mark.parametrize("name", ["statistics", "weighted_n_node_samples"])
@pytest.mark.parametrize("odd", [np.inf, np.nan, -1.0])
def test_weights_of_a_tree_are_finite(name, odd):
    """A share of two infinite weights is no number, and would be a vote for no class."""
    tree = random_tree(np.random.default_rng(0))
    spoiled = getattr(tree, name).copy()
    spoiled.flat[-1] = odd
    with pytest.raises(ValueError, match="not a tree"):
        replace(tree, **{name: spoiled})
