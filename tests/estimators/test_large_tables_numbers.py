"""Regression trees of tables that are read in pieces."""

import numpy as np
import pytest

import mixedwood as mw
from estimators.test_large_tables import Scattered, assert_same_tree, shuffled, table_of
from mixedwood._random import REPETITION, spawn_seed
from mixedwood.data import Chunks
from mixedwood.data.row_folds import RowFolds
from mixedwood.data.summary import summarize
from mixedwood.pruning import Pruner, cost_complexity

pa = pytest.importorskip("pyarrow")

STRUCTURE = ("parent", "split_kind", "column", "high", "missing_child", "unknown_child")


def numbers_of(n=1000, *, decimals=1, fractions=False):
    """Without the column of many categories: values of few rows have equal means.

    In memory, rounding decides which of them comes first; and what is expected of such a column by
    chance needs single rows.
    """
    table = table_of(3, n=n, decimals=decimals).drop_columns("many")
    rng = np.random.default_rng(0)
    x = np.nan_to_num(table["x"].to_numpy())
    is_a = table["letter"].to_numpy(zero_copy_only=False) == "a"
    y = np.round(np.exp(x / 2 + is_a) * 3 + rng.poisson(2, n))
    if fractions:
        y = y * rng.random(n) * 1e3
    return table.set_column(table.column_names.index("y"), "y", pa.array(y))


def assert_nearly_the_same(a, b):
    """Splits are equal; sums are exact in pieces, and rounded for each row in memory."""
    assert a.schema == b.schema
    assert a.loss == b.loss
    for name in STRUCTURE:
        assert getattr(a, name).tolist() == getattr(b, name).tolist(), name
    np.testing.assert_allclose(a.statistics, b.statistics, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(a.score, b.score, rtol=1e-9)


@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {"selection": "score", "min_samples_leaf": 4},
        {"max_depth": 3},
        {"criterion": "poisson", "handle_missing": "category", "min_samples_leaf": 30},
        {"selection": "significance", "alpha": 0.05, "max_depth": 4, "handle_unknown": "majority"},
        {"max_leaf_nodes": 15, "partitioner": "one_vs_rest", "selection": "score"},
    ],
    ids=str,
)
def test_the_tree_of_chunks_has_the_splits_of_memory(options, weighed):
    table = numbers_of()
    options = {"pruning": None, **options}  # small nodes have ties
    X, weights, name = table.drop_columns("y"), None, None
    if weighed:
        weights = np.random.default_rng(1).integers(0, 4, 1000).astype(float)
        table, name = table.append_column("w", pa.array(weights)), "w"
    whole = mw.TreeRegressor(**options).fit(X, table["y"], sample_weight=weights)
    assert whole.tree_.n_leaves > 4
    trees = []
    for Source, size in ((Chunks, 1000), (Chunks, 330), (Scattered, 99)):
        batches = Source(shuffled(table, size))
        parts = mw.TreeRegressor(**options).fit(batches, "y", sample_weight=name)
        assert_nearly_the_same(whole.tree_, parts.tree_)
        trees.append(parts.tree_)
    for tree in trees[1:]:
        assert_same_tree(trees[0], tree)


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_the_pruned_tree_is_that_of_memory(monkeypatch, criterion):
    table = numbers_of(800)
    pruner = Pruner("cost_complexity", cv=3, n_repeats=1)
    model = mw.TreeRegressor(criterion=criterion, max_depth=7, selection="score", pruning=pruner)
    found = summarize(Chunks([table]), "y", copies=True, loss=criterion)
    folds = RowFolds.of(found, 3, (spawn_seed(0, REPETITION, 0),))
    divisions = [folds.of_piece(found.layout.read("chunk 0", table), 0)]
    parts = [
        mw.TreeRegressor(**model.get_params()).fit(Source(shuffled(table, size)), "y")
        for Source, size in ((Chunks, 800), (Scattered, 111))
    ]
    monkeypatch.setattr(cost_complexity, "_divisions", lambda *given: divisions)
    whole = model.fit(table.drop_columns("y"), table["y"])
    assert_same_tree(parts[0].tree_, parts[1].tree_)
    assert_nearly_the_same(whole.tree_, parts[0].tree_)
    one, other = whole.pruning_path_, parts[0].pruning_path_
    assert 1 < whole.tree_.n_leaves < one.path.full.n_leaves
    for name in ("errors", "standard_errors"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-7)
    assert (one.best, one.chosen, one.shrinkage) == (other.best, other.chosen, other.shrinkage)


def test_the_default_and_numbers_with_all_digits():
    """Far from 0, with weights that differ by 1e12: the same in any order."""
    table = numbers_of(600, decimals=None, fractions=True)
    rng = np.random.default_rng(3)
    y = table["y"].to_numpy() + 1e7
    weights = np.where(rng.random(600) < 0.5, rng.random(600), rng.random(600) * 1e-12)
    table = table.set_column(table.column_names.index("y"), "y", pa.array(y))
    table = table.append_column("w", pa.array(weights))
    models = [
        mw.TreeRegressor(max_depth=4).fit(Source(shuffled(table, size)), "y", sample_weight="w")
        for Source, size in ((Chunks, 600), (Scattered, 150))
    ]
    assert_same_tree(models[0].tree_, models[1].tree_)
    root = models[0].pruning_path_.path.full.statistics[0]
    mean = np.average(y, weights=weights)
    squares = (weights * (y - mean) ** 2).sum()
    np.testing.assert_allclose(root[:2], [weights.sum(), mean], rtol=1e-14)
    np.testing.assert_allclose(root[2:], [squares, squares], rtol=1e-7)  # of 1e14 less 1e14
    predicted = np.concatenate(list(models[0].predict_chunks([table])))
    assert np.corrcoef(predicted, y)[0, 1] > 0.3


def test_equal_numbers_are_one_leaf():
    table = pa.table({"x": np.arange(10.0), "y": np.full(10, 0.1)})
    model = mw.TreeRegressor().fit(table.to_batches(max_chunksize=3), "y")
    assert model.tree_.n_leaves == 1
    assert model.predict({"x": [1.0]}).tolist() == [0.1]
    assert np.isnan(model.pruning_path_.errors).all()
    zeros = pa.table({"x": np.arange(10.0), "y": np.zeros(10)})
    poisson = mw.TreeRegressor(criterion="poisson").fit([zeros], "y")
    assert poisson.predict({"x": [1.0]}).tolist() == [0.0]


@pytest.mark.parametrize(
    ("options", "y", "message"),
    [
        ({"criterion": "absolute_error"}, [1.0, 2.0], "absolute_error', which is no sum over rows"),
        ({"monotonic_cst": {"x": 1}}, [1.0, 2.0], "monotonic_cst cannot be used"),
        ({"pruning": "reduced_error"}, [1.0, 2.0], "pruning='reduced_error' needs all rows"),
        ({"criterion": "poisson"}, [1.0, -2.0], "chunk 0: Some value"),
        ({}, ["a", "b"], "chunk 0: y must be numbers"),
        ({}, [1.0, None], "chunk 0: Input y contains NaN"),
    ],
)
def test_what_cannot_be_fitted(options, y, message):
    with pytest.raises(ValueError, match=message):
        mw.TreeRegressor(**options).fit([pa.table({"x": [1.0, 2.0], "y": y})], "y")
