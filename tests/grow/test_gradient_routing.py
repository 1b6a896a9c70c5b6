"""The node that a gradient tree gives each row while it grows is where the tree sends it later."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixedwood.data import Column, Schema, Table, Target
from mixedwood.grow import EncodedTable
from mixedwood.grow.gradient import BinnedTable, GradientSettings, grow_gradient_tree
from support.cases import cases


def random_table(rng, n):
    """All kinds of columns, with gaps, and with values that only few rows have."""
    numbers = np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n).round(1))
    return Table(
        Schema(
            (
                Column("a", "nominal", tuple(f"v{v:02}" for v in range(12))),
                Column("b", "nominal", tuple("pqr")),
                Column("c", "ordinal", ("low", "mid", "high", "top")),
                Column("d", "numeric"),
                Column("e", "numeric"),
            )
        ),
        (
            np.minimum(rng.geometric(0.3, n) - 2, 11).astype(np.int32),  # -1 is missing
            rng.integers(0, 3, n).astype(np.int32),
            rng.integers(-1, 4, n).astype(np.int32),
            numbers,
            rng.integers(0, 3, n).astype(float),
        ),
    )


@given(
    n=st.integers(1, 60),
    seed=st.integers(0, 2**32),
    order=st.sampled_from(["sorted", "random_per_tree", "random_per_node", "target_statistics"]),
    unseen=st.sampled_from(["stop", "missing", "majority"]),
    max_bins=st.sampled_from([2, 5, 255]),
    best_first=st.booleans(),
    n_outputs=st.integers(1, 3),
)
@settings(max_examples=cases(300))
def test_rows_are_where_the_tree_sends_them(
    n, seed, order, unseen, max_bins, best_first, n_outputs
):
    rng = np.random.default_rng(seed)
    table = random_table(rng, n)
    target = Target(np.array([0, 1]), rng.integers(0, 2, n).astype(np.int32))
    # Some learn, some are told, some are neither.
    shuffled = rng.permutation(n).astype(np.int32)
    n_learn = int(rng.integers(1, n + 1))
    n_told = int(rng.integers(0, n - n_learn + 1))
    rows, others = shuffled[:n_learn], shuffled[n_learn : n_learn + n_told]
    found = grow_gradient_tree(
        BinnedTable(EncodedTable(table), max_bins),
        target,
        rng.normal(size=(n, n_outputs)),
        rng.uniform(0, 1, (n, n_outputs)),
        GradientSettings(
            category_order=order, handle_unknown=unseen, best_first=best_first, max_depth=6
        ),
        rows=rows,
        others=others,
        seed=seed,
    )
    want = found.tree.apply(table)
    told = np.concatenate([rows, others])
    # By target statistics, rows to learn from may be elsewhere than new ones like them.
    new = others if order == "target_statistics" else told
    np.testing.assert_array_equal(found.node_of_row[new], want[new])
    assert (np.delete(found.node_of_row, told) == -1).all()
    assert (found.tree.split_kind[found.node_of_row[rows]] == 0).all()


@pytest.mark.parametrize(("unseen", "where"), [("stop", 0), ("missing", 2), ("majority", 1)])
def test_values_of_selected_rows_only(unseen, where):
    """Values 0, 0, 1 and missing learn; value 2 is new. Missing goes with value 1."""
    codes = np.array([0, 0, 0, 1, -1, 2], np.int32)
    table = Table(Schema((Column("a", "nominal", ("x", "y", "z")),)), (codes,))
    g = np.array([[1.0], [1.0], [1.0], [-1.0], [-1.0], [9.0]])
    found = grow_gradient_tree(
        BinnedTable(EncodedTable(table)),
        Target(np.array([0, 1]), np.zeros(6, np.int32)),
        g,
        np.ones((6, 1)),
        GradientSettings(category_order="sorted", max_depth=1, handle_unknown=unseen),
        rows=np.arange(5, dtype=np.int32),
        others=np.array([5], np.int32),
    )
    left, right = found.node_of_row[3], found.node_of_row[0]  # by steps: y before x
    assert found.node_of_row.tolist() == [right] * 3 + [left] * 2 + [
        {0: 0, 1: right, 2: left}[where]
    ]
    assert found.tree.apply(table).tolist() == found.node_of_row.tolist()
    # What the node itself answers with is the step of all its rows.
    assert found.steps[0, 0] == -(3 - 2) / (5 + 1)


def test_missing_values_that_no_row_learnt_from():
    x = np.array([1.0, 2.0, 2.0, np.nan])
    codes = np.array([0, 1, 1, -1], np.int32)
    schema = Schema((Column("x", "numeric"), Column("a", "nominal", ("p", "q"))))
    for column in (0, 1):
        table = Table(schema, (x, codes))
        found = grow_gradient_tree(
            BinnedTable(EncodedTable(table)),
            Target(np.array([0, 1]), np.zeros(4, np.int32)),
            np.array([[1.0], [-1.0], [-1.0], [5.0]]),
            np.ones((4, 1)),
            GradientSettings(max_depth=1),
            rows=np.arange(3, dtype=np.int32),
            others=np.array([3], np.int32),
            columns=np.array([column], np.int32),
        )
        assert found.tree.column[0] == column
        assert found.node_of_row[3] == found.node_of_row[1]  # with more rows
        assert found.tree.apply(table)[3] == found.node_of_row[3]
