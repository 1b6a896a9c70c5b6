"""A random order of the values, drawn once per tree, and the order of columns that tie."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

import mixedwood as mw
from mixedwood.data import Target, read_table, read_target
from mixedwood.grow import GrowSettings, grow
from mixedwood.grow.random_order import _draw_orders
from mixedwood.splits import Partitioner
from mixedwood.tree import FRACTIONAL, SplitKind

PER_TREE = Partitioner("random_order", per="tree")


def nominal_rows(seed, n_rows=120, missing=False):
    rng = np.random.default_rng(seed)
    values = np.array([f"v{i}" for i in range(7)], dtype=object)
    X = {name: values[rng.integers(0, 7, n_rows)] for name in "abc"}
    y = (X["a"] < "v3") ^ (X["b"] > "v4") ^ (rng.random(n_rows) < 0.1)
    if missing:
        X["a"][rng.random(n_rows) < 0.2] = None
    return read_table({**X, "x": rng.normal(size=n_rows)}), read_target(y.astype(int))


@pytest.mark.parametrize("seed", range(5))
def test_all_subsets_of_a_column_come_from_one_order(seed):
    table, target = nominal_rows(seed)
    tree = grow(table, target, GrowSettings(partitioner=PER_TREE), seed=seed)
    assert tree.schema == table.schema
    assert set(np.unique(tree.split_kind)) <= {SplitKind.LEAF, SplitKind.INTERVAL, SplitKind.SUBSET}
    assert (tree.predict(table) == target.classes[target.codes]).all()  # it grew to the end
    for column in range(3):
        lefts = []
        for node in np.flatnonzero((tree.column == column) & (tree.split_kind == SplitKind.SUBSET)):
            codes, children = tree.categories_of(int(node))
            assert codes.tolist() == list(range(table.schema.columns[column].n_categories))
            lefts.append(frozenset(codes[children == 0].tolist()))
        # Prefixes of one order are nested.
        assert all(a <= b or b <= a for a in lefts for b in lefts)
    assert any(
        (tree.column[tree.split_kind == SplitKind.SUBSET] == column).sum() > 1
        for column in range(3)
    )


def test_the_seed_makes_the_order():
    table, target = nominal_rows(0)
    trees = [
        grow(table, target, GrowSettings(partitioner=PER_TREE), seed=seed) for seed in (1, 1, 2)
    ]
    assert trees[0] == trees[1] != trees[2]


def test_c45_over_a_random_order_is_binary_and_shares_missing_rows():
    table, target = nominal_rows(3, missing=True)
    model = mw.C45TreeClassifier(pruned=False)
    model._partitioner = PER_TREE
    tree = model._fit_encoded(table, target, seed=4)
    inner = tree.split_kind != SplitKind.LEAF
    assert inner.any()
    assert (np.diff(tree.child_offset)[inner] == 2).all()
    assert (tree.missing_child[inner] == FRACTIONAL).all()
    assert "in {" in tree.to_text()


@pytest.mark.parametrize("rules", ["parts", "c45"])
def test_the_first_of_equal_columns_wins_whatever_it_costs_to_search(rules):
    # A column with many numbers, which is searched last, and one with two that splits the same.
    rng = np.random.default_rng(0)
    x = rng.permutation(4000).astype(float)
    y = (x >= 2000).astype(int)
    table = read_table({"many": x + 0.5, "two": np.where(x < 2000, 1.0, 2.0)})
    settings = GrowSettings(max_depth=1)
    if rules == "c45":
        # C4.5 charges for the number of thresholds, so here the columns must be the same.
        table = read_table({"many": x + 0.5, "copy": x + 0.5, "two": np.ones(4000)})
        settings = GrowSettings(
            criterion="gain_ratio",
            partitioner="multiway",
            rules="c45",
            handle_missing="fractional",
            min_samples_leaf=2,
            min_samples_split=4,
        )
    assert grow(table, read_target(y), settings).column[0] == 0


# Orders drawn jointly


def joint_orders(table, target, seed, joint=True):
    weight = np.ones(table.n_rows) if target.weights is None else target.weights
    return _draw_orders(table, weight, np.random.default_rng(seed), joint)


def slow_joint_orders(table, weights, seed):
    """One number per row; each value's sum over its rows, divided by the root of their weight."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal(table.n_rows)
    orders = {}
    for place, column in enumerate(table.schema):
        if column.is_numeric:
            continue
        spare = rng.standard_normal(column.n_categories)
        scores = []
        for value in range(column.n_categories):
            rows = [r for r in range(table.n_rows) if table.arrays[place][r] == value]
            total = sum(weights[r] for r in rows)
            if total == 0:
                scores.append(spare[value])
            else:
                scores.append(sum(z[r] * weights[r] ** 0.5 for r in rows) / total**0.5)
        orders[place] = sorted(range(column.n_categories), key=scores.__getitem__)
    return orders


@pytest.mark.parametrize("seed", range(4))
def test_joint_orders_agree_with_their_reference(seed):
    table, target = nominal_rows(seed, n_rows=60, missing=True)
    weights = np.random.default_rng(seed).integers(0, 3, 60).astype(float)
    weights[table["b"] == 2] = 0  # a value without weight
    target = Target(target.classes, target.codes, weights)
    found = joint_orders(table, target, seed)
    assert {p: o.tolist() for p, o in found.items()} == slow_joint_orders(table, weights, seed)


def test_each_joint_order_alone_is_uniformly_random():
    rng = np.random.default_rng(0)
    a = rng.choice(3, 200, p=[0.8, 0.15, 0.05])
    table = read_table({"a": [f"v{i}" for i in a], "b": [f"w{i}" for i in a % 2]})
    target = read_target(rng.integers(0, 2, 200))
    seen = Counter(tuple(joint_orders(table, target, seed)[0].tolist()) for seed in range(3000))
    assert len(seen) == 6
    assert chisquare(list(seen.values())).pvalue > 0.01


def test_values_that_occur_together_get_near_places():
    rng = np.random.default_rng(1)
    a = rng.integers(0, 6, 3000)
    b = np.where(rng.random(3000) < 0.8, a, rng.integers(0, 6, 3000))  # mostly the same
    free = rng.integers(0, 6, 3000)
    table = read_table({n: [f"{n}{i}" for i in v] for n, v in {"a": a, "b": b, "f": free}.items()})
    target = read_target(np.arange(3000) % 2)
    place = np.argsort([list(joint_orders(table, target, s).values()) for s in range(300)], axis=2)
    alike = [np.corrcoef(p[0], p[1])[0, 1] for p in place]
    apart = [np.corrcoef(p[0], p[2])[0, 1] for p in place]
    assert np.mean(alike) > 0.6
    assert abs(np.mean(apart)) < 0.08


def test_groups_of_columns_share_orders_and_others_do_not():
    rng = np.random.default_rng(2)
    a = rng.integers(0, 9, 500)
    table = read_table({n: [f"{n}{i}" for i in a] for n in "abcd"})  # copies of one column
    target = read_target(np.arange(500) % 2)
    orders = joint_orders(table, target, 0, (("a", "c"), ("b", "d")))
    assert orders[0].tolist() == orders[2].tolist()
    assert orders[1].tolist() == orders[3].tolist()
    assert orders[0].tolist() != orders[1].tolist()
    some = joint_orders(table, target, 0, (("a", "c", "gone"),))  # a tree without that column
    assert some[0].tolist() == some[2].tolist()
    assert len({tuple(o.tolist()) for o in some.values()}) == 3


def test_a_tree_over_joint_orders_grows_like_any_other():
    table, target = nominal_rows(5)
    settings = GrowSettings(partitioner=Partitioner("random_order", per="tree", joint=True))
    tree = grow(table, target, settings, seed=3)
    assert (tree.predict(table) == target.classes[target.codes]).all()
    assert tree == grow(table, target, settings, seed=3)
    assert tree != grow(table, target, GrowSettings(partitioner=PER_TREE), seed=3)
