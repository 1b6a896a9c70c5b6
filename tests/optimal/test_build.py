"""Trees made from splits: the same arrays and leaves as the slow reference, on random splits."""

import numpy as np
import pytest

from mixedwood import _core
from mixedwood.data import Column, Schema, Table, Target
from mixedwood.optimal.build import apply_splits, build_tree, choose_candidates
from mixedwood.preprocessing import BinarySplit
from mixedwood.tree import Tree
from reference import optimal_build as reference


def random_table(rng):
    n, columns, arrays = int(rng.integers(1, 60)), [], []
    for place, kind in enumerate(rng.choice(["numeric", "nominal", "ordinal"], rng.integers(1, 5))):
        missing = rng.random(n) < rng.choice([0.0, 0.3, 1.0], p=[0.5, 0.4, 0.1])
        if kind == "numeric":
            array = rng.choice([-np.inf, -1.0, 0.0, 0.5, 2.0, np.inf], n)
            array[missing] = np.nan
            columns.append(Column(f"c{place}", kind))
        else:
            categories = tuple("abcdef"[: rng.integers(1, 7)])
            array = rng.integers(0, len(categories), n).astype(np.int32)
            array[missing] = -1
            columns.append(Column(f"c{place}", str(kind), categories))
        arrays.append(array)
    n_classes = int(rng.integers(1, 5))
    weights = rng.integers(0, 4, n) / 8 if rng.random() < 0.5 else None
    if weights is not None:
        weights[0] = 0.5
    target = Target(np.arange(n_classes), rng.integers(0, n_classes, n).astype(np.int32), weights)
    return Table(Schema(tuple(columns)), tuple(arrays)), target


def random_split(rng, schema):
    place = int(rng.integers(len(schema)))
    column, missing = schema.columns[place], bool(rng.random() < 0.5)
    if rng.random() < 0.2:
        return BinarySplit(place, missing=missing)
    if column.kind == "nominal":
        codes = np.flatnonzero(rng.random(column.n_categories) < 0.5)
        return BinarySplit(place, codes=tuple(codes.tolist()), missing=missing)
    low, high = rng.choice([-np.inf, -1.0, 0.0, 1.0, 2.5, np.inf], 2).tolist()
    return BinarySplit(place, low, high, missing=missing)


def random_splits(rng, schema):
    """Splits in any order in which parents come first."""
    splits, if_true, if_false, leaves = [None], [-1], [-1], [0]
    for _ in range(rng.integers(0, 8)):
        leaf = leaves.pop(rng.integers(len(leaves)))
        splits[leaf] = random_split(rng, schema)
        if_true[leaf], if_false[leaf] = rng.permutation([len(splits), len(splits) + 1]).tolist()
        leaves += [len(splits), len(splits) + 1]
        for array, value in ((splits, None), (if_true, -1), (if_false, -1)):
            array += [value, value]
    return splits, np.array(if_true, np.int32), np.array(if_false, np.int32)


@pytest.mark.parametrize("seed", range(300))
def test_random_splits_give_the_tree_and_the_leaves_of_the_reference(seed):
    rng = np.random.default_rng(seed)
    table, target = random_table(rng)
    given = random_splits(rng, table.schema)
    splits = _core.SplitTree(*given)
    assert [None if s is None else BinarySplit(*s) for s in splits.splits()] == given[0]
    assert (len(splits), splits.n_leaves) == (len(given[0]), given[0].count(None))
    assert apply_splits(splits, table).tolist() == reference.apply_splits(table, *given).tolist()
    for unknown in ("node", "missing", "majority"):
        tree = build_tree(table, target, splits, unknown)
        want = reference.build_tree(table, target, *given, unknown)
        for name in Tree.__dataclass_fields__:
            if isinstance(getattr(want, name), np.ndarray):
                np.testing.assert_array_equal(getattr(tree, name), getattr(want, name), name)


def test_candidates_take_the_place_of_columns_of_a_matrix():
    matrix, classes = np.array([[0, 1], [0, 0]], np.uint8), np.array([0, 1], np.int32)
    limits = _core.SearchLimits()
    limits.max_depth = 1
    found = _core.binary_solver(matrix, classes, None, 2).solve(limits).tree
    candidates = [BinarySplit(3), BinarySplit(5, codes=(1, 4), missing=True)]
    made = choose_candidates(found, candidates)
    assert made.splits() == [(5, -np.inf, np.inf, (1, 4), True), None, None]


@pytest.mark.parametrize(
    ("if_true", "if_false", "message"),
    [
        ([1, -1, -1], [1, -1, -1], "each once"),
        ([0, -1, -1], [1, -1, -1], "after their parent"),
        ([1, -1, -1], [3, -1, -1], "after their parent"),
        ([1, -1], [2, -1], "two children"),
    ],
)
def test_children_that_make_no_tree_are_an_error(if_true, if_false, message):
    children = np.array(if_true, np.int32), np.array(if_false, np.int32)
    with pytest.raises(ValueError, match=message):
        _core.SplitTree([BinarySplit(0), None, None], *children)


def test_splits_that_do_not_fit_the_table_are_an_error():
    children = np.array([1, -1, -1], np.int32), np.array([2, -1, -1], np.int32)
    numbers, codes = np.array([1.0, 2.0]), np.array([0, 1], np.int32)
    beyond = _core.SplitTree([BinarySplit(1), None, None], *children)
    subset = _core.SplitTree([BinarySplit(0, codes=(0,)), None, None], *children)
    with pytest.raises(ValueError, match="column that the table does not have"):
        beyond.apply([numbers], "n")
    with pytest.raises(ValueError, match="no subsets"):
        subset.apply([numbers], "n")
    with pytest.raises(ValueError, match="contiguous int32 codes or float64"):
        subset.apply([numbers], "c")
    with pytest.raises(ValueError, match="class is not below"):
        subset.build([codes], "c", np.array([0, 2], np.int32), None, 2, "stop")
    with pytest.raises(ValueError, match="each row a class"):
        subset.build([codes], "c", np.array([0], np.int32), None, 2, "stop")
