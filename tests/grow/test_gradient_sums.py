"""Sums of gradients in whole numbers: threads, row order and extremes change nothing or little."""

import numpy as np
import pytest

from mixedwood.data import Column, Schema, Table, Target
from mixedwood.grow import EncodedTable
from mixedwood.grow.gradient import BinnedTable, GradientSettings, grow_gradient_tree

NONE = np.zeros(0, np.int32)


def nominal(name, codes, n_values):
    values = tuple(f"v{v:06}" for v in range(n_values))
    return Column(name, "nominal", values), np.asarray(codes, np.int32)


def number(name, x):
    return Column(name, "numeric"), np.asarray(x, np.float64)


def table_of(*columns):
    schema = Schema(tuple(column for column, _ in columns))
    return Table(schema, tuple(array for _, array in columns))


def grown(table, g, h, how=None, rows=None, others=NONE, seed=0, max_bins=255, columns=None):
    n = len(g)
    target = Target(np.array([0, 1]), (np.arange(n) % 2).astype(np.int32))
    rows = np.arange(n, dtype=np.int32) if rows is None else rows
    how = GradientSettings() if how is None else how
    binned = BinnedTable(EncodedTable(table), max_bins)
    return grow_gradient_tree(
        binned, target, g, h, how, rows=rows, others=others, columns=columns, seed=seed
    )


@pytest.fixture(scope="module", params=[1, 3])
def large(request):
    """So many additions that a second and a third thread are worth their while."""
    rng = np.random.default_rng(0)
    n = 60_000
    columns = [number(f"x{i}", rng.normal(size=n).round(2)) for i in range(6)]
    columns += [nominal(f"a{i}", rng.integers(-1, 20, n), 20) for i in range(6)]
    g = rng.normal(size=(n, request.param)) * rng.exponential(size=(n, 1))
    return table_of(*columns), g, rng.uniform(0, 1, size=(n, request.param))


@pytest.mark.parametrize("order", ["sorted", "random_per_node", "target_statistics"])
def test_threads_change_nothing(large, order):
    one, *more = (
        grown(*large, GradientSettings(category_order=order, max_depth=5, n_threads=n))
        for n in (1, 2, 3)
    )
    assert one.tree.n_leaves > 20
    for other in more:
        assert other.tree == one.tree
        np.testing.assert_array_equal(other.steps, one.steps)
        np.testing.assert_array_equal(other.node_of_row, one.node_of_row)


@pytest.mark.parametrize("order", ["sorted", "random_per_tree", "target_statistics"])
def test_the_order_of_rows_changes_nothing(large, order):
    """Sums of floats would differ in their last digits, and the trees at ties."""
    how = GradientSettings(category_order=order, max_depth=5)
    one = grown(*large, how)
    for seed in range(3):
        rows = np.random.default_rng(seed).permutation(len(large[1])).astype(np.int32)
        other = grown(*large, how, rows=rows)
        assert other.tree == one.tree
        np.testing.assert_array_equal(other.steps, one.steps)
        np.testing.assert_array_equal(other.node_of_row, one.node_of_row)


@pytest.mark.parametrize("order", ["sorted", "random_per_node", "target_statistics"])
@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("n_values", [800, 100_000])
def test_sums_are_made_in_another_way_for_small_nodes(order, n_outputs, n_values):
    """A column that may not be used has so many values that nodes are small beside it."""
    rng = np.random.default_rng(n_values)
    n = 1_500
    columns = [number(f"x{i}", np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)))
               for i in range(2)]  # fmt: skip
    columns += [nominal(f"a{i}", rng.integers(-1, 30, n), 30) for i in range(3)]
    columns.append(nominal("few", rng.integers(0, 3, n), 3))
    g = rng.normal(size=(n, n_outputs)) + (columns[2][1] % 3)[:, None]
    h = rng.uniform(0.1, 1, size=(n, n_outputs))
    rows = np.flatnonzero(rng.random(n) < 0.9).astype(np.int32)
    others = np.setdiff1d(np.arange(n, dtype=np.int32), rows)
    how = GradientSettings(category_order=order, max_depth=7, cat_smooth=3.0)
    used = np.arange(len(columns), dtype=np.int32)
    wide = [*columns, nominal("unused", rng.integers(0, n_values, n), n_values)]
    one, other = (
        grown(table_of(*some), g, h, how, rows=rows, others=others, columns=used)
        for some in (columns, wide)
    )
    assert one.tree.n_leaves > 30
    for name in ("column", "score", "high", "children", "category_code", "category_child"):
        np.testing.assert_array_equal(getattr(other.tree, name), getattr(one.tree, name))
    np.testing.assert_array_equal(other.steps, one.steps)
    np.testing.assert_array_equal(other.node_of_row, one.node_of_row)


@pytest.mark.parametrize("factor", [1e-300, 1e-160, 1e-20, 1e20, 1e160, 1e300])
def test_the_scale_does_not_matter(factor):
    """Loss and penalty times a factor: the same tree and the same steps."""
    rng = np.random.default_rng(1)
    n = 200
    table = table_of(number("x", rng.normal(size=n)), nominal("a", rng.integers(0, 5, n), 5))
    g, h = rng.normal(size=(n, 2)), rng.uniform(0.1, 1, (n, 2))
    how = GradientSettings(category_order="sorted", max_depth=4, l2_regularization=0.5)
    one = grown(table, g, h, how)
    other = grown(
        table,
        g * factor,
        h * factor,
        GradientSettings("sorted", max_depth=4, l2_regularization=0.5 * factor),
    )
    assert one.tree.n_leaves > 8
    np.testing.assert_array_equal(other.node_of_row, one.node_of_row)
    np.testing.assert_allclose(other.steps, one.steps, rtol=1e-5)


def test_tiny_and_huge_together():
    n = 64
    x = np.arange(n, dtype=float)
    g = np.where(x < 32, 1.0, -1.0)[:, None] * np.logspace(-300, 300, n)[:, None]
    h = np.abs(g)
    found = grown(
        table_of(number("x", x)), g, h, GradientSettings(l2_regularization=0.0, max_depth=3)
    )
    assert np.isfinite(found.steps).all()
    assert np.isfinite(found.tree.score).all()
    # Steps of whole leaves are means of +1 and -1; rows that vanish beside the rest do not matter.
    assert (np.abs(found.steps) <= 1 + 1e-6).all()


def test_subnormal_derivatives():
    x = np.arange(4.0)
    tiny = np.array([[5e-324], [5e-324], [-5e-324], [-5e-324]])
    found = grown(table_of(number("x", x)), tiny, np.abs(tiny))
    assert np.isfinite(found.steps).all()


@pytest.mark.parametrize("order", ["sorted", "random_per_tree", "random_per_node"])
def test_without_curvature(order):
    """Steps are gradients over the penalty; without one there is no step at all."""
    table = table_of(number("x", [1, 2, 3, 4]), nominal("a", [0, 1, 0, 1], 2))
    g, h = np.array([[1.0], [1.0], [-1.0], [-1.0]]), np.zeros((4, 1))
    found = grown(table, g, h, GradientSettings(category_order=order, l2_regularization=2.0))
    assert found.tree.column[0] == 0
    assert found.steps[found.node_of_row, 0].tolist() == [-1.0, -1.0, 1.0, 1.0]
    still = grown(table, g, h, GradientSettings(category_order=order, l2_regularization=0.0))
    assert (still.tree.n_nodes, still.steps.tolist()) == (1, [[0.0]])
    held = grown(table, g, h, GradientSettings(category_order=order, min_child_weight=1e-3))
    assert held.tree.n_nodes == 1


def test_without_gradients_there_is_nothing_to_gain():
    table = table_of(number("x", [1, 2, 3, 4]), nominal("a", [0, 1, 0, 1], 2))
    found = grown(table, np.zeros((4, 1)), np.ones((4, 1)))
    assert (found.tree.n_nodes, found.steps.tolist()) == (1, [[0.0]])


def test_tables_that_cannot_be_split():
    g, h = np.array([[1.0], [-2.0], [4.0]]), np.ones((3, 1))
    nan = np.full(3, np.nan)
    for table in (
        table_of(number("x", [2, 2, 2]), nominal("a", [1, 1, 1], 3)),
        table_of(number("x", nan), nominal("a", [-1, -1, -1], 3)),
        table_of(nominal("a", [0, 0, 0], 1)),
    ):
        found = grown(table, g, h)
        assert found.tree.n_nodes == 1
        assert found.steps.tolist() == [[-3 / 4]]
        assert found.node_of_row.tolist() == [0, 0, 0]


def test_one_row():
    table = table_of(number("x", [1, 2, 3]), nominal("a", [0, 1, 2], 3))
    g, h = np.array([[1.0], [-2.0], [4.0]]), np.ones((3, 1))
    found = grown(table, g, h, rows=np.array([1], np.int32), others=np.array([0, 2], np.int32))
    assert found.steps.tolist() == [[1.0]]
    assert found.node_of_row.tolist() == [0, 0, 0]
    assert found.tree.statistics.tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize("n_values", [254, 255, 256, 257, 65_535, 65_536, 70_000])
@pytest.mark.parametrize("kind", ["nominal", "number"])
def test_more_values_than_a_byte_or_two_can_tell_apart(n_values, kind):
    """Each value has one row; the last and the first are as far from others as can be."""
    codes = np.arange(n_values)
    rng = np.random.default_rng(0)
    column = nominal("a", codes, n_values) if kind == "nominal" else number("x", codes)
    table = table_of(column, number("y", np.zeros(n_values)))
    g = rng.normal(size=(n_values, 1)) * 0.01
    g[-1] = 50.0
    g[0] = -50.0
    how = GradientSettings(
        category_order="sorted", l2_regularization=0.0, max_leaf_nodes=3, best_first=True
    )
    found = grown(table, g, np.ones((n_values, 1)), how, max_bins=n_values + 5)
    steps = found.steps[found.node_of_row, 0]
    assert (steps[0], steps[-1]) == (50.0, -50.0)
    np.testing.assert_allclose(steps[1:-1], -g[1:-1].mean(), rtol=1e-6)
    np.testing.assert_array_equal(found.node_of_row, found.tree.apply(table))
