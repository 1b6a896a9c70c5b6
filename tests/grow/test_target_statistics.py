"""Cuts by target statistics: their slow twin, and that no row has a say in its own place."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mixedwood.data import Column, Schema, Table, Target
from mixedwood.grow import EncodedTable
from mixedwood.grow.gradient import BinnedTable, GradientSettings, grow_gradient_tree
from reference.target_statistics import AGREEMENT, ROWS_PER_CATEGORY, StatisticsTwin, parts_of_rows
from support.cases import cases

NONE = np.zeros(0, np.int32)


def table_of(n_values, *columns):
    names = tuple(f"v{v:03}" for v in range(n_values))
    schema = Schema(tuple(Column(f"c{i}", "nominal", names) for i in range(len(columns))))
    return Table(schema, tuple(np.asarray(c, np.int32) for c in columns))


def grown(table, g, h, how, seed=0, rows=None):
    n = table.n_rows
    target = Target(np.array([0, 1]), np.zeros(n, np.int32))
    rows = np.arange(n, dtype=np.int32) if rows is None else rows
    binned = BinnedTable(EncodedTable(table))
    return grow_gradient_tree(binned, target, g, h, how, rows=rows, others=NONE, seed=seed)


def rows_below(tree, node_of_row):
    """Training rows that passed each node."""
    below = [set() for _ in range(tree.n_nodes)]
    for row, node in enumerate(node_of_row):
        while node >= 0:
            below[node].add(row)
            node = tree.parent[node]
    return below


def categories_of(tree, node, place):
    """Categories that new rows take to a child."""
    values, children = tree.categories_of(node)
    return set(values[children == place].tolist())


@given(
    n=st.integers(20, 90),
    n_values=st.integers(5, 9),
    n_outputs=st.integers(1, 3),
    smooth=st.sampled_from([0.0, 0.5, 3.0]),
    effect=st.sampled_from([0.5, 1.5]),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=cases(150))
def test_agrees_with_its_reference(n, n_values, n_outputs, smooth, effect, seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(-(n % 2), n_values, n)  # with and without missing values
    g = rng.normal(size=(n, n_outputs)) + effect * rng.normal(size=(n_values + 1, n_outputs))[codes]
    h = rng.uniform(0.1, 1, (n, n_outputs))
    how = GradientSettings(
        category_order="target_statistics", cat_smooth=smooth, max_depth=2, selection="score"
    )
    found = grown(table_of(n_values, codes), g, h, how, seed=seed)
    parts = parts_of_rows(n, seed)
    tree, below = found.tree, rows_below(found.tree, found.node_of_row)
    for node in range(tree.n_nodes):
        if len(below[node]) < 2 or tree.parent[node] > 0:  # at most two deep
            continue
        twin = StatisticsTwin(codes, parts, g, h, below[node], how)
        assume(abs(twin.agreement - AGREEMENT) > 1e-6)
        children = np.flatnonzero(tree.parent == node)
        if twin.agreement < AGREEMENT:  # a random order: categories stay together
            of_node = {codes[i] for i in below[node]}
            if len(below[node]) < ROWS_PER_CATEGORY * len(of_node):
                assert not len(children)
            if len(children):
                left, right = ({codes[i] for i in below[c]} for c in children)
                assert not left & right
            continue
        cuts = list(twin.cuts())
        best = max(cuts, default=None, key=lambda cut: cut[0])
        usable = best is not None and 0 < len(best[2]) < len(best[3])
        if not usable or best[0] <= 1e-9:
            assert not len(children)
            continue
        assert tree.score[node] == pytest.approx(best[0], rel=1e-6)
        same = [cut for cut in cuts if cut[0] > best[0] * (1 - 1e-6)]
        assert below[children[0]] in [cut[1] for cut in same]
        named = categories_of(tree, node, 0)
        if -1 in codes and -1 in best[3] and tree.missing_child[node] == 0:
            named.add(-1)
        assert named in [cut[2] for cut in same]


def test_a_row_has_no_say_in_its_own_place():
    """What a row says changes where later rows go, and not where it goes itself."""
    rng = np.random.default_rng(0)
    n, seed = 200, 5
    codes = rng.integers(0, 10, n)
    g = rng.normal(size=(n, 1)) + 2 * rng.normal(size=(10, 1))[codes]
    how = GradientSettings(category_order="target_statistics", cat_smooth=1.0)
    parts = parts_of_rows(n, seed)
    everything = range(n)
    twin = StatisticsTwin(codes, parts, g, np.ones((n, 1)), everything, how)
    step = twin.node_step(0)
    for row in range(0, n, 20):
        other = g.copy()
        other[row] += 1.0
        other[np.arange(n) != row] -= 1.0 / (n - 1)  # the step of the node stays
        moved = StatisticsTwin(codes, parts, other, np.ones((n, 1)), everything, how)
        assert moved.node_step(0) == pytest.approx(step)
        own = moved.of_training_row(row) - twin.of_training_row(row)
        assert abs(own) <= 1.0 / (n - 1) + 1e-12  # only by what the others were moved


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_names_of_rows_say_nothing(n_outputs):
    rng = np.random.default_rng(1)
    n = 300
    names, pairs = np.arange(n), rng.permutation(n) // 2
    weak = rng.integers(0, 3, n)
    chosen = []
    for seed in range(60):
        g = rng.normal(size=(n, n_outputs)) + 0.3 * (weak[:, None] - 1)
        how = GradientSettings(
            category_order="target_statistics", cat_smooth=3.0, max_depth=1, selection="adjusted"
        )
        found = grown(table_of(n, names, pairs, weak), g, np.ones((n, n_outputs)), how, seed)
        chosen.append(int(found.tree.column[0]))
    assert chosen.count(2) >= 50


def test_the_parts_are_those_of_the_training_rows():
    """Rows that are left out change nothing for the others."""
    rng = np.random.default_rng(2)
    n = 400
    codes = rng.integers(0, 20, n)
    g = rng.normal(size=(n, 1)) + rng.normal(size=(20, 1))[codes]
    how = GradientSettings(category_order="target_statistics", cat_smooth=1.0, max_depth=3)
    some = np.flatnonzero(rng.random(n) < 0.7).astype(np.int32)
    within = grown(table_of(20, codes), g, np.ones((n, 1)), how, seed=3, rows=some)
    alone = grown(table_of(20, codes[some]), g[some], np.ones((len(some), 1)), how, seed=3)
    assert within.tree == alone.tree
    np.testing.assert_array_equal(within.node_of_row[some], alone.node_of_row)
