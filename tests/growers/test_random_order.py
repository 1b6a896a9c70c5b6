"""A random order of the values, drawn once per tree, and the order of columns that tie."""

import numpy as np
import pytest

import mixedwood as mw
from mixedwood.data import read_table, read_target
from mixedwood.growers import GrowSettings, grow
from mixedwood.splits import Partitioner
from mixedwood.tree import FRACTIONAL, TestKind

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
    assert set(np.unique(tree.kind)) <= {TestKind.LEAF, TestKind.INTERVAL, TestKind.SUBSET}
    assert (tree.predict(table) == target.classes[target.codes]).all()  # it grew to the end
    for column in range(3):
        lefts = []
        for node in np.flatnonzero((tree.column == column) & (tree.kind == TestKind.SUBSET)):
            codes, children = tree.values_of(int(node))
            assert codes.tolist() == list(range(table.schema.columns[column].n_values))
            lefts.append(frozenset(codes[children == 0].tolist()))
        # Prefixes of one order are nested.
        assert all(a <= b or b <= a for a in lefts for b in lefts)
    assert any(
        (tree.column[tree.kind == TestKind.SUBSET] == column).sum() > 1 for column in range(3)
    )


def test_the_seed_makes_the_order():
    table, target = nominal_rows(0)
    trees = [
        grow(table, target, GrowSettings(partitioner=PER_TREE), seed=seed) for seed in (1, 1, 2)
    ]
    assert trees[0] == trees[1] != trees[2]


def test_c45_over_a_random_order_is_binary_and_shares_missing_rows():
    table, target = nominal_rows(3, missing=True)
    model = mw.TreeClassifier.c45(pruned=False, partitioner=PER_TREE, random_state=4)
    X = {name: table.labels(name) for name in table.schema.names}
    tree = model.fit(X, target.codes).tree_
    inner = tree.kind != TestKind.LEAF
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
            missing="fractional",
            min_samples_leaf=2,
            min_samples_split=4,
        )
    assert grow(table, read_target(y), settings).column[0] == 0
