"""Nominal columns with many values: the quick search of the grower against the thorough one.

Measured: the score of the root's test of a one-column table, as a share of the score that
`best_partition` finds with partitioner "auto" for the same counts.
"""

import numpy as np
import pytest

from mixedwood.data import Column, Schema, Table, Target
from mixedwood.grow import GrowSettings, grow
from mixedwood.splits import best_partition
from reference.splits import score

FEW_VALUES, FEW_CELLS = 16, 256  # up to these the grower searches as `best_partition` does


def rows_of(counts):
    """A table of one column, and classes, with these counts (value x class)."""
    value, cls = np.nonzero(counts)
    repeats = counts[value, cls]
    codes = np.repeat(value, repeats).astype(np.int32)
    labels = tuple(f"v{i:06}" for i in range(len(counts)))
    table = Table(Schema((Column("c", "nominal", labels),)), (codes,))
    classes = np.repeat(cls, repeats).astype(np.int32)
    return table, Target(np.arange(counts.shape[1]), classes, None)


def random_counts(rng, kind, n, k):
    """Counts without structure, with some, of small samples, or nearly one class per value."""
    if kind == "uniform":
        counts = rng.integers(0, 9, (n, k))
    elif kind == "grouped":
        shares = rng.dirichlet(np.full(k, 0.5), 4)[rng.integers(0, 4, n)]
        counts = rng.poisson(shares * rng.integers(3, 40, (n, 1)))
    elif kind == "sparse":
        counts = rng.poisson(1.5 / k, (n, k))
    else:
        counts = np.zeros((n, k), int)
        counts[np.arange(n), rng.integers(0, k, n)] = rng.integers(1, 4, n)
    counts[:, 0] += counts.sum(axis=1) == 0  # every value has a row
    return counts


def share_of_auto(counts, criterion):
    table, target = rows_of(counts)
    tree = grow(table, target, GrowSettings(criterion=criterion, max_depth=1))
    best = best_partition(counts, criterion=criterion, partitioner="auto").score
    return tree.score[0] / best


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("kind", ["uniform", "grouped", "sparse", "pure"])
def test_the_quick_search_is_nearly_as_good(kind, criterion):
    rng = np.random.default_rng(0)
    shares = []
    for _ in range(25):
        k = int(rng.integers(3, 12))
        n = int(rng.integers(max(FEW_VALUES, FEW_CELLS // k) + 1, 150))
        shares.append(share_of_auto(random_counts(rng, kind, n, k), criterion))
    assert np.mean(shares) > 0.985
    assert np.mean(np.array(shares) > 0.95) > 0.9
    assert min(shares) > 0.85


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_small_tables_are_searched_as_best_partition_does(criterion):
    rng = np.random.default_rng(1)
    for _ in range(30):
        counts = random_counts(rng, "uniform", int(rng.integers(2, FEW_VALUES + 1)), 4)
        assert share_of_auto(counts, criterion) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("n_classes", [3, 20, 100])
def test_numbers_of_rows_are_halved_not_split_off_one_by_one(n_classes):
    """Each value has one row: the best test divides the classes into halves."""
    rng = np.random.default_rng(2)
    classes = rng.integers(0, n_classes, 3000)
    counts = np.zeros((3000, n_classes), int)
    counts[np.arange(3000), classes] = 1
    table, target = rows_of(counts)
    tree = grow(table, target, GrowSettings(criterion="entropy"))
    assert tree.n_leaves == n_classes  # one for each class
    assert tree.depth <= np.ceil(np.log2(n_classes)) + 1
    assert tree.score[0] > 0.9


def test_the_best_column_is_found_among_screened_ones():
    """Columns are compared by the quick search; the winner is then searched in full."""
    rng = np.random.default_rng(3)
    n, k = 2000, 6
    classes = rng.integers(0, k, n).astype(np.int32)
    codes = []
    for strength in (0.2, 0.6, 0.4):
        noise = rng.random(n) > strength
        group = np.where(noise, rng.integers(0, k, n), classes)
        codes.append((group + k * rng.integers(0, 12, n)).astype(np.int32))
    labels = tuple(f"v{i:02}" for i in range(k * 12))
    schema = Schema(tuple(Column(f"c{i}", "nominal", labels) for i in range(3)))
    target = Target(np.arange(k), classes, None)
    tree = grow(Table(schema, tuple(codes)), target, GrowSettings(criterion="gini", max_depth=1))
    assert tree.column[0] == 1
    counts = np.zeros((k * 12, k))
    np.add.at(counts, (codes[1], classes), 1)
    assert tree.score[0] > 0.9 * best_partition(counts, criterion="gini").score


@pytest.mark.parametrize("criterion", ["chi2", "squared_gini", "gini"])
def test_scores_are_true_where_sides_had_to_grow(criterion):
    """The best partition leaves too few rows on one side; missing values are a value."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        counts = random_counts(rng, "grouped", 9, 4)
        table, target = rows_of(counts)
        codes = table.arrays[0]
        codes = np.where(codes == 8, -1, codes).astype(np.int32)
        ours = GrowSettings(criterion=criterion, min_samples_leaf=0.4 * len(codes), max_depth=1)
        tree = grow(Table(table.schema, (codes,)), target, ours)
        if tree.n_nodes == 1:
            continue
        known, side = tree.categories_of(0)
        left = np.zeros(9, bool)
        left[known[side == 0]] = True
        left[8] = tree.missing_child[0] == 0
        present = counts.sum(axis=0) > 0
        want = score(counts[:, present].astype(float), left, criterion)
        assert tree.score[0] == pytest.approx(want, rel=1e-9)
        assert tree.weighted_n_node_samples[1:].min() >= 0.4 * len(codes)
