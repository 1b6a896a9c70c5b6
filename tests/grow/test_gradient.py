"""Trees for gradient boosting: their slow twin, the sorted order, random orders, limits."""

from collections import Counter
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixedwood.data import Column, Schema, Table, Target, read_numbers, read_table
from mixedwood.grow import EncodedTable
from mixedwood.grow.gradient import BinnedTable, GradientSettings, grow_gradient_tree
from reference.gradient_tree import GradientTwin, all_cuts_of, rows_of_nodes
from support.cases import cases
from support.strategies import problems

NONE = np.zeros(0, np.int32)


def grown(table, g, h, how, rows=None, target=None, **options):
    n = table.n_rows
    target = Target(np.array([0, 1]), np.zeros(n, np.int32)) if target is None else target
    rows = np.arange(n, dtype=np.int32) if rows is None else rows
    binned = BinnedTable(EncodedTable(table), options.pop("max_bins", 255))
    others = options.pop("others", NONE)
    return grow_gradient_tree(binned, target, g, h, how, rows=rows, others=others, **options)


def nominal(*columns, n_values=None):
    """A table of columns of codes."""
    n_values = n_values or 1 + max(int(np.max(c)) for c in columns)
    names = tuple(f"v{v:03}" for v in range(n_values))
    schema = Schema(tuple(Column(f"c{i}", "nominal", names) for i in range(len(columns))))
    return Table(schema, tuple(np.asarray(c, np.int32) for c in columns))


def numbers(*columns):
    schema = Schema(tuple(Column(f"c{i}", "numeric") for i in range(len(columns))))
    return Table(schema, tuple(np.asarray(c, np.float64) for c in columns))


LIMITS = st.builds(
    GradientSettings,
    category_order=st.just("sorted"),
    max_depth=st.sampled_from([None, 0, 1, 2, 3]),
    max_leaf_nodes=st.sampled_from([None, None, 1, 2, 4]),
    best_first=st.just(True),
    min_samples_leaf=st.sampled_from([1, 1, 2, 3]),
    min_child_weight=st.sampled_from([0.0, 0.0, 0.7, 1.5]),
    l2_regularization=st.sampled_from([0.0, 0.3, 1.0]),
    cat_l2=st.sampled_from([0.0, 0.5]),
    cat_smooth=st.sampled_from([0.0, 0.4]),
    min_split_gain=st.sampled_from([0.0, 0.0, 0.8]),
    selection=st.sampled_from(["score", "adjusted"]),
)


@given(problems(), LIMITS, st.integers(1, 3), st.integers(0, 2**32))
@settings(max_examples=cases(300))
def test_agrees_with_its_reference(problem, how, n_outputs, seed):
    """Derivatives are drawn such that no two cuts have the same gain but by the same rows."""
    table, _ = problem
    rng = np.random.default_rng(seed)
    g, h = rng.normal(size=(2, table.n_rows, n_outputs))
    h = np.abs(h) + 0.05
    if how.max_leaf_nodes is None:
        how = replace(how, best_first=bool(seed % 2))
    found = grown(table, g, h, how)
    twin = GradientTwin(table, g, h, how)
    everyone = range(table.n_rows)
    through = rows_of_nodes(found.tree, table, list(everyone))
    leaves = {r for r, kind in zip(through, found.tree.split_kind, strict=True) if kind == 0}
    assert leaves == twin.leaves(everyone)
    for node, rows in enumerate(through):
        np.testing.assert_allclose(found.steps[node], twin.step(rows), rtol=1e-8, atol=1e-10)
        if found.tree.split_kind[node] != 0:
            left = through[found.tree.children_of(node)[0]]
            gain = twin.gain(found.tree.column[node], left, rows)
            assert found.tree.score[node] == pytest.approx(gain, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("order", ["random_per_node", "random_per_tree"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_names_of_rows_are_chosen_less_often_beside_a_weak_column(order, n_classes):
    """The first tree of the log loss. The scale of weights changes nothing."""
    rng = np.random.default_rng(n_classes)
    n = 120
    fooled = Counter()
    for seed in range(150):
        y = rng.integers(0, n_classes, n)
        weak = np.where(rng.random(n) < 0.25, y, rng.integers(0, 3, n)) % 3
        table = nominal(rng.permutation(n), weak, n_values=n)
        shares = np.bincount(y, minlength=n_classes) / n
        g, h = shares - np.eye(n_classes)[y], np.tile(shares * (1 - shares), (n, 1))
        if n_classes == 2:
            g, h = g[:, 1:].copy(), h[:, 1:].copy()
        how = GradientSettings(category_order=order, max_depth=1)
        fooled["score"] += grown(table, g, h, how, seed=seed).tree.column[0] == 0
        for weight in (1.0, 1e-4, 12345.5):  # whole ones would be numbers of rows
            target = Target(np.arange(n_classes), y.astype(np.int32), np.full(n, weight))
            adjusted = replace(
                how, selection="adjusted", l2_regularization=how.l2_regularization * weight
            )
            tree = grown(table, weight * g, weight * h, adjusted, target=target, seed=seed).tree
            fooled[weight] += tree.column[0] == 0
    assert fooled[1.0] == fooled[1e-4] == fooled[12345.5]
    assert fooled[1.0] < fooled["score"]


@pytest.mark.parametrize("max_leaf_nodes", [3, 4, 6])
@pytest.mark.parametrize("seed", range(5))
def test_the_node_with_the_largest_gain_is_split_first(max_leaf_nodes, seed):
    rng = np.random.default_rng(seed)
    table = numbers(*rng.normal(size=(2, 24)))
    g, h = rng.normal(size=(24, 2)), rng.uniform(0.1, 1, (24, 2))
    how = GradientSettings(max_leaf_nodes=max_leaf_nodes, best_first=True)
    tree = grown(table, g, h, how).tree
    through = rows_of_nodes(tree, table, list(range(24)))
    leaves = {r for r, kind in zip(through, tree.split_kind, strict=True) if kind == 0}
    assert len(leaves) == max_leaf_nodes
    assert leaves == GradientTwin(table, g, h, how).leaves(range(24))


@given(problems(), LIMITS, st.integers(1, 3), st.data())
@settings(max_examples=cases(200))
def test_among_equal_gains_one_of_the_largest_is_chosen(problem, how, n_outputs, data):
    """Small whole derivatives: many ties, rows without curvature, nothing to gain."""
    table, _ = problem
    shape = (table.n_rows, n_outputs)
    size = table.n_rows * n_outputs
    g = data.draw(st.lists(st.integers(-2, 2), min_size=size, max_size=size))
    h = data.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    g, h = np.array(g, float).reshape(shape), np.array(h, float).reshape(shape)
    how = replace(how, max_leaf_nodes=None, selection="score")
    tree = grown(table, g, h, how).tree
    twin = GradientTwin(table, g, h, how)
    through = rows_of_nodes(tree, table, list(range(table.n_rows)))
    for node, rows in enumerate(through):
        if not twin.may_be_split(rows, tree.node_depth[node]):
            assert tree.split_kind[node] == 0
            continue
        known = list(twin.candidates(rows))
        most = max((gain for gain, _, _ in known), default=0.0)
        if tree.split_kind[node] == 0:
            assert most <= max(how.min_split_gain, 0.0) + 1e-9
            continue
        left = through[tree.children_of(node)[0]]
        cuts = {(c, side) for _, c, rows_left in known for side in (rows_left, rows - rows_left)}
        assert (tree.column[node], left) in cuts
        assert twin.gain(tree.column[node], left, rows) == pytest.approx(most, abs=1e-8)
        assert most > how.min_split_gain


@given(st.integers(2, 8), st.integers(0, 2**32), st.booleans())
@settings(max_examples=cases(150))
def test_no_other_two_groups_gain_more_than_the_sorted_order(n_values, seed, missing):
    """Fisher's theorem: with one output, all 2^(n-1) - 1 pairs of groups against n - 1 cuts."""
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(n_values), rng.integers(0, n_values, 12)])
    table = nominal(codes - 1 if missing else codes, n_values=n_values)
    g = rng.normal(size=(len(codes), 1))
    h = rng.uniform(0.05, 2, size=(len(codes), 1))
    how = GradientSettings(category_order="sorted", l2_regularization=0.0, max_depth=1)
    twin = GradientTwin(table, g, h, how)
    rows = frozenset(range(len(codes)))
    groups = list(twin.rows_of_values(0, rows).values())
    most = max(twin.gain(0, left, rows) for left in all_cuts_of(groups))
    assert grown(table, g, h, how).tree.score[0] == pytest.approx(most, rel=1e-8)


def test_the_order_of_classes_does_not_matter():
    """One tree for all outputs: whatever is asked of a child is asked of all of them together."""
    rng = np.random.default_rng(0)
    table = nominal(rng.integers(0, 5, 60), rng.integers(0, 4, 60))
    g, h = rng.normal(size=(60, 3)), rng.uniform(0, 1, (60, 3))
    h[:, 0] = 1e-9  # the first class is certain, the others are not
    how = GradientSettings(category_order="sorted", min_child_weight=1.0, max_depth=3)
    one = grown(table, g, h, how)
    other = grown(table, g[:, ::-1].copy(), h[:, ::-1].copy(), how)
    assert one.tree.n_leaves > 2
    # The same leaves, though an order may run the other way.
    turned = other.steps[other.node_of_row][:, ::-1]
    np.testing.assert_allclose(one.steps[one.node_of_row], turned, rtol=1e-9)


# Random orders

THREE = nominal([0, 1, 2])
PULL = np.array([[1.0], [-1.2], [0.01]])  # any value alone gains something


def before_and_after(tree, node):
    """Values that the test of a node sends left, and right."""
    here = slice(tree.category_offset[node], tree.category_offset[node + 1])
    codes, child = tree.category_code[here], tree.category_child[here]
    return set(codes[child == 0].tolist()), set(codes[child == 1].tolist())


def order_behind(tree, column=0):
    """The order that all tests of a column agree with, or None if there is none."""
    inner = [n for n in range(tree.n_nodes) if tree.column[n] == column]
    sides = [before_and_after(tree, node) for node in inner]
    earlier = {(a, b) for left, right in sides for a in left for b in right}
    values = sorted({v for pair in earlier for v in pair})
    for order in permutations(values):
        place = {v: i for i, v in enumerate(order)}
        if all(place[a] < place[b] for a, b in earlier):
            return order
    return None


def test_every_order_is_as_likely():
    how = GradientSettings(category_order="random_per_tree", l2_regularization=0.0)
    orders = Counter(
        order_behind(grown(THREE, PULL, np.ones((3, 1)), how, seed=s).tree) for s in range(3000)
    )
    assert set(orders) == set(permutations(range(3)))
    # Chi-squared with 5 degrees of freedom is above 20.5 in one of a thousand.
    assert sum((n - 500) ** 2 / 500 for n in orders.values()) < 20.5


def test_every_order_is_as_likely_at_every_node():
    how = GradientSettings(category_order="random_per_node", l2_regularization=0.0)
    trees = [grown(THREE, PULL, np.ones((3, 1)), how, seed=s).tree for s in range(3000)]
    first = Counter(tuple(map(tuple, before_and_after(tree, 0))) for tree in trees)
    # The value that gains most alone, unless it is in the middle.
    likely = {((1,), (0, 2)): 1000, ((0, 2), (1,)): 1000, ((0,), (1, 2)): 500, ((1, 2), (0,)): 500}
    assert set(first) == set(likely)
    # 3 degrees of freedom.
    assert sum((first[cut] - n) ** 2 / n for cut, n in likely.items()) < 16.3
    # Below it the order is drawn again: as often as not the other way round.
    second = [1 if before_and_after(tree, 0)[0] == {1} else 2 for tree in trees]
    again = [before_and_after(t, n) for t, n in zip(trees, second, strict=True) if t.split_kind[n]]
    turned = Counter(left == {0} for left, right in again if left | right == {0, 2})
    assert turned[True] == pytest.approx(turned[False], rel=0.2)


@pytest.mark.parametrize("order", ["random_per_tree", "random_per_node"])
@pytest.mark.parametrize("n_outputs", [1, 2])
def test_a_cut_is_the_best_of_a_random_order(order, n_outputs):
    rng = np.random.default_rng(1)
    table = nominal(np.tile(np.arange(5) - 1, 3), n_values=4)  # missing is one of five
    g, h = rng.normal(size=(15, n_outputs)), rng.uniform(0.1, 1, (15, n_outputs))
    how = GradientSettings(category_order=order, max_depth=1)
    twin = GradientTwin(table, g, h, how)
    rows = frozenset(range(15))
    groups = list(twin.rows_of_values(0, rows).values())
    possible = set()
    for perm in permutations(groups):
        cuts = [frozenset().union(*perm[:n]) for n in range(1, 5)]
        possible.add(max((twin.gain(0, left, rows), tuple(sorted(left))) for left in cuts)[1])
    seen = set()
    for seed in range(400):
        found = grown(table, g, h, how, seed=seed)
        left = tuple(np.flatnonzero(found.node_of_row == found.tree.children_of(0)[0]).tolist())
        assert left in possible
        seen.add(left)
    assert seen == possible


def test_all_nodes_of_a_tree_have_one_order_or_each_its_own():
    rng = np.random.default_rng(2)
    n = 200
    table = nominal(rng.integers(0, 6, n), rng.integers(0, 6, n))
    g, h = rng.normal(size=(n, 2)), np.ones((n, 2))
    shared = 0
    for seed in range(20):
        how = GradientSettings(category_order="random_per_tree", max_depth=6)
        tree = grown(table, g, h, how, seed=seed).tree
        assert tree.n_leaves > 10
        assert order_behind(tree, 0) is not None
        assert order_behind(tree, 1) is not None
        tree = grown(table, g, h, replace(how, category_order="random_per_node"), seed=seed).tree
        shared += None not in (order_behind(tree, 0), order_behind(tree, 1))
    assert shared < 5


@pytest.mark.parametrize("order", ["random_per_tree", "random_per_node"])
def test_the_same_seed_gives_the_same_tree(order):
    rng = np.random.default_rng(3)
    table = nominal(rng.integers(0, 9, 100), rng.integers(0, 9, 100))
    g, h = rng.normal(size=(100, 1)), np.ones((100, 1))
    how = GradientSettings(category_order=order, max_depth=4, max_features=1)
    trees = [grown(table, g, h, how, seed=s).tree for s in (1, 1, 2, 3)]
    assert trees[0] == trees[1]
    assert len({tree.n_nodes for tree in trees} | {tree.score[0] for tree in trees}) > 3


# Columns and bins


def test_columns_are_drawn_at_every_node():
    rng = np.random.default_rng(4)
    x = rng.integers(0, 2, 200)
    table = nominal(x, rng.integers(0, 2, 200), rng.integers(0, 2, 200))
    g, h = (2.0 * x - 1 + 0.3 * rng.normal(size=200))[:, None], np.ones((200, 1))
    how = GradientSettings(max_depth=1, max_features=1)
    roots = Counter(int(grown(table, g, h, how, seed=s).tree.column[0]) for s in range(600))
    assert min(roots.values()) > 160  # a third each, good or not
    two = replace(how, max_features=2)
    roots = Counter(int(grown(table, g, h, two, seed=s).tree.column[0]) for s in range(600))
    assert roots[0] == pytest.approx(400, abs=45)  # whenever it is among the two
    # Not once for the whole tree.
    many = numbers(*rng.normal(size=(3, 200)))  # any can be split again and again
    trees = [grown(many, g, h, replace(how, max_depth=2), seed=s).tree for s in range(50)]
    assert sum(len(set(tree.column[tree.column >= 0].tolist())) > 1 for tree in trees) > 30
    for columns in ([1], [1, 2]):
        tree = grown(table, g, h, GradientSettings(), columns=np.array(columns, np.int32)).tree
        assert set(tree.column[tree.column >= 0].tolist()) == set(columns)


def test_more_columns_are_looked_at_when_those_drawn_cannot_be_split():
    constant = np.zeros(6, int)
    table = nominal(constant, constant, [0, 0, 0, 1, 1, 1], constant, n_values=2)
    g, h = np.array([1.0, 1, 1, -1, -1, -1])[:, None], np.ones((6, 1))
    for seed in range(20):
        tree = grown(table, g, h, GradientSettings(max_features=1), seed=seed).tree
        assert tree.column[0] == 2


def test_numbers_are_cut_between_bins_of_about_as_many_rows():
    rng = np.random.default_rng(5)
    x = rng.normal(size=1000)
    g, h = rng.normal(size=(1000, 1)), np.ones((1000, 1))
    for max_bins in (2, 4, 7):
        tree = grown(numbers(x), g, h, GradientSettings(), max_bins=max_bins).tree
        cuts = np.unique(tree.high[tree.column >= 0])
        assert len(cuts) == max_bins - 1
        rows = np.diff(np.searchsorted(np.sort(x), [-9, *cuts, 9]))
        assert rows.max() - rows.min() <= 2
    few = np.repeat([1.0, 2.0, 10.0], [98, 1, 1])
    tree = grown(
        numbers(few), g[:100], h[:100], GradientSettings(l2_regularization=0.0), max_bins=3
    ).tree
    assert set(tree.high[tree.column >= 0].tolist()) == {1.5, 6.0}


def test_a_cut_is_halfway_and_says_where_missing_values_go():
    x = np.array([1.0, 3.0, np.nan, np.nan, 3.0])
    g, h = np.array([[-1.0], [1], [-1], [-1], [1]]), np.ones((5, 1))
    tree = grown(numbers(x), g, h, GradientSettings(max_depth=1)).tree
    assert (tree.high[0], tree.missing_child[0]) == (2.0, 0)
    tree = grown(numbers(x), g * [[1], [1], [-1], [-1], [1]], h, GradientSettings(max_depth=1)).tree
    assert (tree.high[0], tree.missing_child[0]) == (2.0, 1)
    # No row tells: missing values go with more rows.
    tree = grown(numbers([1.0, 3.0, 3.0]), g[[0, 1, 4]], h[:3], GradientSettings()).tree
    assert (tree.high[0], tree.missing_child[0]) == (2.0, 1)


def test_nodes_hold_the_weights_of_their_classes():
    rng = np.random.default_rng(6)
    codes = rng.integers(0, 3, 50).astype(np.int32)
    weights = rng.uniform(0.5, 2, 50)
    table = read_table({"x": rng.normal(size=50)})
    target = Target(np.array(["a", "b", "c"]), codes, weights)
    g, h = rng.normal(size=(50, 1)), np.ones((50, 1))
    found = grown(table, g, h, GradientSettings(max_depth=3), target=target)
    want = np.zeros((found.tree.n_nodes, 3))
    for node, rows in enumerate(rows_of_nodes(found.tree, table, list(range(50)))):
        np.add.at(want[node], codes[list(rows)], weights[list(rows)])
    np.testing.assert_allclose(found.tree.statistics, want)
    np.testing.assert_array_equal(found.tree.label, want.argmax(axis=1))
    np.testing.assert_allclose(found.tree.weighted_n_node_samples, want.sum(axis=1))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rows": NONE}, "no row to learn from"),
        ({"rows": np.array([0, 0], np.int32)}, "a row comes twice"),
        ({"others": np.array([1], np.int32)}, "a row comes twice"),
        ({"rows": np.array([4], np.int32)}, "not one of the table"),
        ({"rows": np.array([-1], np.int32)}, "not one of the table"),
        ({"g": np.full((4, 1), np.nan)}, "must be finite"),
        ({"g": np.full((4, 1), -np.inf)}, "must be finite"),
        ({"h": np.full((4, 1), -1.0)}, "zero or more"),
        ({"h": np.full((4, 1), np.inf)}, "must be finite"),
        ({"h": np.full((4, 1), np.nan)}, "must be finite"),
        ({"g": np.ones((3, 1))}, "one gradient and one hessian"),
        ({"h": np.ones((4, 2))}, "one gradient and one hessian"),
        ({"columns": np.array([1], np.int32)}, "no such column"),
        ({"target": Target(np.array([0]), np.ones(4, np.int32))}, "class is out of range"),
        ({"target": Target(np.array([0]), np.zeros(3, np.int32))}, "one class is needed"),
        ({"how": GradientSettings(category_order="random")}, "order"),
        ({"how": GradientSettings(handle_unknown="error")}, "handle_unknown"),
        ({"max_bins": 1}, "at least two bins"),
    ],
)
def test_bad_arguments_are_refused(change, words):
    asked = {"g": np.ones((4, 1)), "h": np.ones((4, 1)), "how": GradientSettings()} | change
    with pytest.raises(ValueError, match=words):
        grown(numbers([1.0, 2.0, 3.0, 4.0]), **asked)


@given(problems(), st.integers(0, 2**32))
@settings(max_examples=cases(100))
def test_nodes_hold_the_moments_of_their_numbers(problem, seed):
    """Weight, mean and squared deviations of the training rows below each node."""
    table, _ = problem
    rng = np.random.default_rng(seed)
    n = table.n_rows
    weights = None if seed % 2 else rng.integers(1, 4, n) * rng.choice([0.1, 1.0, 1e6])
    y = rng.normal(rng.choice([0.0, 1e7]), 1, n)
    target = read_numbers(y, weights)
    rows = np.flatnonzero(rng.random(n) < 0.8).astype(np.int32)
    if not len(rows):
        return
    g, h = rng.normal(size=(n, 1)), np.ones((n, 1))
    others = np.setdiff1d(np.arange(n), rows).astype(np.int32)
    how = GradientSettings(max_depth=4)
    found = grown(table, g, h, how, rows=rows, target=target, others=others)
    below = [[] for _ in range(found.tree.n_nodes)]
    for row in rows:
        node = found.node_of_row[row]
        while node >= 0:
            below[node].append(row)
            node = found.tree.parent[node]
    w = np.ones(n) if target.weights is None else target.weights
    for node, here in enumerate(below):
        mean = np.average(y[here], weights=w[here])
        squares = np.sum(w[here] * (y[here] - mean) ** 2)
        assert found.tree.statistics[node] == pytest.approx(
            [w[here].sum(), mean, squares, squares], rel=1e-7, abs=1e-7 * w[here].sum()
        )
