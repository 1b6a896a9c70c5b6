"""Growing from some of the rows, several trees at once, and being stopped."""

import math
import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixedwood import _core
from mixedwood._limits import StopFlag
from mixedwood.data import read_table, read_target
from mixedwood.grow import EncodedTable, GrowSettings, grow
from mixedwood.grow.greedy import native_arguments
from mixedwood.splits import Partitioner
from mixedwood.tree import Tree

SETTINGS = {
    "gini": GrowSettings(),
    "some columns": GrowSettings("entropy", max_features=1),
    "c45": GrowSettings(
        "gain_ratio", partitioner="multiway", rules="c45", handle_missing="fractional",
        min_samples_leaf=2, min_samples_split=4,
    ),
    "random order": GrowSettings(partitioner=Partitioner("random_order", per="tree")),
}  # fmt: skip


def make_table(seed, n=60):
    rng = np.random.default_rng(seed)
    colour = np.array(["a", "b", "c", "d", "e", None], dtype=object)[rng.integers(0, 6, n)]
    table = read_table({"colour": colour, "size": rng.normal(size=n).round(1)})
    return table, read_target(rng.integers(0, 3, n))


@pytest.mark.parametrize("name", SETTINGS)
@given(seed=st.integers(0, 10**6))
def test_growing_from_rows_is_growing_from_the_table_of_them(name, seed):
    table, target = make_table(seed)
    rows = np.random.default_rng(seed).integers(0, 60, 50).astype(np.int32)
    coded = EncodedTable(table)
    some = grow(coded, target, SETTINGS[name], seed=seed, rows=rows)
    taken = grow(table.take(rows), target.take(rows), SETTINGS[name], seed=seed)
    # Rows in parts add up in another order.
    np.testing.assert_allclose(some.score, taken.score, atol=1e-12)
    assert replace(some, score=taken.score) == taken
    assert grow(coded, target, SETTINGS[name], seed=seed) == grow(
        table, target, SETTINGS[name], seed=seed
    )


def grow_side_by_side(table, target, rows, starts):
    """Trees of ``rows[starts[t]:starts[t + 1]]``, as growing and pruning in turns makes them."""
    given = native_arguments(table, target, GrowSettings(), 1, rows)
    arrays = _core.grow(*given.arguments, math.inf, rows, np.array(starts), None)
    assert arrays.pop("complete")
    arrays["statistics"] = arrays["statistics"].reshape(len(arrays["split_kind"]), -1) * given.scale
    return arrays


@given(seed=st.integers(0, 10**6))
def test_trees_side_by_side_are_those_grown_alone(seed):
    table, target = make_table(seed)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(60).astype(np.int32)
    starts = np.array([0, 0, *np.sort(rng.integers(0, 60, 2)), 60])
    arrays = grow_side_by_side(table, target, rows, starts)
    assert not arrays["statistics"][0].any()  # no row, no tree
    for t in range(1, 4):
        mine = rows[starts[t] : starts[t + 1]]
        if len(mine) == 0:
            continue
        alone = grow(table, target, seed=1, rows=mine)
        assert nodes_below(arrays, t) == nodes_below(
            {name: getattr(alone, name) for name in arrays}, 0
        )


def nodes_below(arrays, root):
    """A tree as nested tuples."""
    first, last = arrays["child_offset"][root : root + 2]
    values = slice(*arrays["category_offset"][root : root + 2])
    return (
        int(arrays["column"][root]),
        float(arrays["high"][root]),
        arrays["category_code"][values].tolist(),
        arrays["statistics"][root].tolist(),
        [nodes_below(arrays, int(c)) for c in arrays["children"][first:last]],
    )


def test_rows_and_starts_are_checked():
    table, target = make_table(0)
    for rows in ([60], [-1]):
        with pytest.raises(ValueError, match="a row is not one of the table"):
            grow(table, target, rows=np.array(rows, np.int32))
    rows = np.arange(3, dtype=np.int32)
    for starts in ([0, 2], [1, 3], [0, 2, 1, 3], [0]):
        with pytest.raises(ValueError, match="starts must rise from 0 to the number of rows"):
            grow_side_by_side(table, target, rows, starts)


def test_growth_is_stopped_from_another_thread():
    rng = np.random.default_rng(0)
    table = read_table({"x": rng.normal(size=200_000), "z": rng.normal(size=200_000)})
    target = read_target(rng.integers(0, 2, 200_000))
    stop = StopFlag()
    timer = threading.Timer(0.1, stop.set)
    timer.start()
    with pytest.raises(RuntimeError, match="growth was stopped"):
        for _ in range(1000):
            grow(table, target, stop=stop)
    timer.join()
    assert stop.is_set()
    assert isinstance(grow(table, target, GrowSettings(max_depth=1)), Tree)
