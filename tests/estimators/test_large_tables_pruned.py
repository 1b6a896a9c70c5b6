"""Pruning by cross-validation, and weights, of tables that are read in pieces."""

import numpy as np
import pytest

import mixedwood as mw
from estimators.test_large_tables import Scattered, assert_same_tree, shuffled, table_of
from mixedwood._random import REPETITION, spawn_seed
from mixedwood.data import Chunks, read_table
from mixedwood.data.fixed_point import ExactSums, FixedPoint
from mixedwood.data.pieces import label_hashes, row_hashes
from mixedwood.data.row_folds import RowFolds
from mixedwood.data.summary import summarize
from mixedwood.pruning import Pruner, cost_complexity

pa = pytest.importorskip("pyarrow")


def folds_of(table, y="y", n_folds=10, seed=0, n_divisions=1, weight=None, **options):
    """The folds of all rows, in the order of the table."""
    found = summarize(Chunks([table]), y, weight=weight, copies=True, **options)
    seeds = tuple(spawn_seed(seed, REPETITION, i) for i in range(n_divisions))
    folds = RowFolds.of(found, n_folds, seeds)
    piece = found.layout.read("chunk 0", table)
    return [folds.of_piece(piece, i) for i in range(n_divisions)]


def in_memory(monkeypatch, table, model, sample_weight=None, **folds):
    """Fit in memory, with the folds of pieces."""
    divisions = folds_of(table, weight=None if sample_weight is None else sample_weight, **folds)
    monkeypatch.setattr(cost_complexity, "_divisions", lambda *given: divisions)
    X = table.drop_columns(["y"] if sample_weight is None else ["y", sample_weight])
    weights = None if sample_weight is None else table[sample_weight].to_numpy()
    return model.fit(X, table["y"], sample_weight=weights)


def assert_same_path(a, b):
    assert_same_tree(a.path.full, b.path.full)
    for name in ("ccp_alphas", "n_leaves", "risks", "cut_at"):
        assert getattr(a.path, name).tolist() == getattr(b.path, name).tolist(), name
    for name in ("errors", "standard_errors"):
        assert getattr(a, name).tolist() == getattr(b, name).tolist(), name
    assert (a.best, a.chosen, a.shrinkage) == (b.best, b.chosen, b.shrinkage)


def assert_same_files(tmp_path, *models):
    contents = set()
    for model in models:
        mw.save_model(model, tmp_path / "model.mw")
        contents.add((tmp_path / "model.mw").read_bytes())
        (tmp_path / "model.mw").unlink()
    assert len(contents) == 1


@pytest.mark.parametrize("n_classes", [2, 10])
@pytest.mark.parametrize(
    ("n_folds", "options"),
    [
        (10, {"max_depth": 6}),
        (3, {"pruning": Pruner("cost_complexity", cv=3, risk="impurity", shrinkage=False)}),
        (
            4,
            {
                "pruning": ["collapse", Pruner("cost_complexity", cv=4, se_rule=1), "merge_equal"],
                "min_samples_leaf": 0.01,
                "criterion": "gini",
                "random_state": 5,
            },
        ),
        (
            10,
            {
                "max_leaf_nodes": 12,
                "handle_missing": "category",
                "max_features": 3,
                "random_state": 1,
            },
        ),
    ],
    ids=str,
)
def test_the_pruned_tree_of_pieces_is_that_of_memory(
    monkeypatch, tmp_path, n_classes, n_folds, options
):
    """With the folds of pieces. Two divisions, as memory makes of 1,500 rows."""
    table = table_of(n_classes, n=1500)
    parts = [
        mw.TreeClassifier(**options).fit(Source(shuffled(table, size, seed)), "y")
        for Source, size, seed in ((Chunks, 1500, 0), (Scattered, 211, 1))
    ]
    whole = in_memory(
        monkeypatch, table, mw.TreeClassifier(**options), n_folds=n_folds, n_divisions=2,
        seed=parts[0]._seeds()[1],
    )  # fmt: skip
    assert whole.pruning_path_.path.full.n_leaves > 5
    for model in parts:
        assert_same_path(whole.pruning_path_, model.pruning_path_)
        assert_same_tree(whole.tree_, model.tree_)
    assert_same_files(tmp_path, whole, *parts)


def test_the_default_is_pruned():
    table = table_of(2, decimals=None)
    model = mw.TreeClassifier().fit(table.to_batches(max_chunksize=1500), "y")
    full = model.pruning_path_.path.full
    assert 1 < model.tree_.n_leaves < full.n_leaves
    assert model.predict(table.drop_columns("y")).shape == (3000,)


def test_equal_rows_are_dealt_out_to_the_folds():
    """Each fold has as many copies of a row, or one more, whatever the pieces are."""
    rng = np.random.default_rng(0)
    codes = np.concatenate([rng.integers(0, 12, 3000), np.arange(100, 400)])
    x = rng.permutation(codes)
    table = pa.table({"c": x.astype(str), "y": np.array(["a", "b"])[x % 2]})
    found = []
    for batches in ([table], shuffled(table, 37), shuffled(table, 500, 3)):
        summary = summarize(Chunks(batches), "y", copies=True)
        folds = RowFolds.of(summary, 7, (11, 12))
        counts = np.zeros((2, 400, 7), dtype=int)
        for number, batch in enumerate(batches):
            batch = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
            piece = summary.layout.read(f"chunk {number}", batch)
            rows = batch["c"].to_numpy(zero_copy_only=False).astype(int)
            for division in (0, 1):
                np.add.at(counts[division], (rows, folds.of_piece(piece, division)), 1)
        found.append(counts)
    assert all((counts == found[0]).all() for counts in found)
    assert (np.ptp(found[0][:, :12], axis=2) <= 1).all()
    assert found[0][:, :12].sum() == 6000
    # Rows that come once are in folds at random, and in other ones in the other division.
    single = found[0][:, 100:]
    assert single.sum(axis=1).min() > 20
    assert (single[0] != single[1]).any()


def test_a_table_of_many_copies_is_not_pruned_away():
    """As in memory: what a tree says of frequent rows is known although some are held out."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 8, (2, 4000))
    y = np.where((a + b) % 2 == 0, "even", "odd")
    table = pa.table({"a": a.astype(str), "b": b.astype(str), "y": y})
    model = mw.TreeClassifier().fit(shuffled(table, 1000), "y")
    assert (model.predict(table.drop_columns("y")) == y).mean() > 0.99


def test_tables_that_cannot_be_divided():
    one = pa.table({"x": [1.0, 2.0, 3.0], "y": ["a", "a", "a"]})
    model = mw.TreeClassifier().fit([one], "y")
    assert model.tree_.n_leaves == 1
    assert np.isnan(model.pruning_path_.errors).all()
    tiny = pa.table({"x": [1.0, 2.0], "y": ["a", "b"]})
    assert mw.TreeClassifier().fit([tiny], "y").tree_.n_leaves in (1, 2)


def test_the_time_limit_leaves_an_unpruned_tree():
    with (
        pytest.warns(UserWarning, match="before the tree was complete"),
        pytest.warns(UserWarning, match="before the tree was pruned"),
    ):
        model = mw.TreeClassifier(time_limit=1e-9).fit(table_of(2, n=500).to_batches(), "y")
    assert model.pruning_path_ is None


def with_weights(table, weights):
    return table.append_column("w", pa.array(weights))


WEIGHTS = {
    "whole": lambda rng, n: rng.integers(0, 4, n).astype(float),
    "ones and zeros": lambda rng, n: rng.integers(0, 2, n).astype(float),
    "quarters": lambda rng, n: rng.integers(0, 9, n) / 4,
    "far apart": lambda rng, n: np.where(rng.random(n) < 0.5, 2.0**20, 2.0**-20),
}


FEW_FOLDS = Pruner("cost_complexity", cv=3, n_repeats=1)


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize(
    "options",
    [
        {"pruning": None, "min_samples_leaf": 3},
        {"pruning": FEW_FOLDS, "criterion": "gini", "class_weight": {"k": 0.5, "l": 4.0}},
    ],
    ids=str,
)
def test_weights(monkeypatch, tmp_path, kind, options):
    table = table_of(3, n=1000)
    table = with_weights(table, WEIGHTS[kind](np.random.default_rng(3), table.num_rows))
    parts = [
        mw.TreeClassifier(**options).fit(Source(shuffled(table, size)), "y", sample_weight="w")
        for Source, size in ((Chunks, 1000), (Scattered, 200))
    ]
    kept = table.filter(table["w"].to_numpy() > 0)
    whole = in_memory(monkeypatch, kept, mw.TreeClassifier(**options), "w", n_folds=3)
    for model in parts:
        assert_same_tree(whole.tree_, model.tree_)
        assert "w" not in model.schema_.names
        if whole.pruning_path_ is not None:
            assert_same_path(whole.pruning_path_, model.pruning_path_)
    assert_same_files(tmp_path, whole, *parts)


@pytest.mark.parametrize("class_weight", ["balanced", {"l": 0.0}, {"k": 0.1, "l": 0.7}])
@pytest.mark.parametrize("weighed", [False, True])
def test_class_weights(class_weight, weighed):
    """Sums are rounded once, so that only their last digits differ from those of memory."""
    table = table_of(3, n=1500)
    weights = np.random.default_rng(4).integers(0, 3, table.num_rows) if weighed else None
    options = {"pruning": None, "class_weight": class_weight, "max_depth": 5}
    whole = mw.TreeClassifier(**options).fit(
        table.drop_columns("y"), table["y"], sample_weight=weights
    )
    rows, name = (with_weights(table, weights), "w") if weighed else (table, None)
    parts = [
        mw.TreeClassifier(**options).fit(shuffled(rows, size), "y", sample_weight=name)
        for size in (3000, 130)
    ]
    assert_same_tree(parts[0].tree_, parts[1].tree_)
    # Classes that are balanced at the root may have any of their labels there.
    for field in ("split_kind", "column", "high", "missing_child", "unknown_child"):
        assert getattr(whole.tree_, field).tolist() == getattr(parts[0].tree_, field).tolist()
    assert parts[0].classes_.tolist() == ["k", "l", "m"]
    np.testing.assert_allclose(whole.tree_.statistics, parts[0].tree_.statistics, rtol=1e-12)


def test_weights_of_any_size_give_the_same_tree_in_any_order():
    """Weights that differ by 1e12, with all their bits: sums are exact, and rounded once."""
    table = table_of(2, decimals=None)
    rng = np.random.default_rng(6)
    weights = np.where(rng.random(3000) < 0.5, rng.random(3000), rng.random(3000) * 1e-12)
    table = with_weights(table, weights)
    trees = [
        mw.TreeClassifier(pruning=FEW_FOLDS)
        .fit(Source(shuffled(table, size, seed)), "y", sample_weight="w")
        .tree_
        for Source, size, seed in ((Chunks, 3000, 0), (Chunks, 101, 1), (Scattered, 400, 2))
    ]
    for tree in trees[1:]:
        assert_same_tree(trees[0], tree)
    labels = table["y"].to_numpy(zero_copy_only=False)
    exact = [float(sum_exactly(weights[labels == label])) for label in ("k", "l")]
    grown = mw.TreeClassifier(pruning=None).fit([table], "y", sample_weight="w").tree_
    assert grown.statistics[0].tolist() == exact


def sum_exactly(numbers):
    from fractions import Fraction

    return sum(map(Fraction, numbers.tolist()), Fraction(0))


def test_costs(monkeypatch, tmp_path):
    table = table_of(3, n=1500)
    costs = np.array([[0.0, 1.0, 2.0], [4.0, 0.0, 1.0], [0.5, 8.0, 0.0]])
    for options in ({"criterion": "gini", "pruning": FEW_FOLDS}, {"pruning": None}):
        options = {"cost_matrix": costs, **options}
        parts = mw.TreeClassifier(**options).fit(shuffled(table, 400), "y")
        whole = in_memory(monkeypatch, table, mw.TreeClassifier(**options), n_folds=3)
        assert_same_tree(whole.tree_, parts.tree_)
        if whole.pruning_path_ is not None:
            assert_same_path(whole.pruning_path_, parts.pruning_path_)
        assert_same_files(tmp_path, whole, parts)


def test_rows_of_weight_0_do_not_count():
    """Neither for types, categories and bins, nor for the numbers of rows; but for classes."""
    table = table_of(2, n=500)
    other = pa.table(
        {**table.slice(0, 5).to_pydict(), "letter": ["zz"] * 5, "x": [99.0] * 5, "y": ["none"] * 5},
        schema=table.schema,
    )
    rows = with_weights(pa.concat_tables([table, other]), np.repeat([1.0, 0.0], [500, 5]))
    model = mw.TreeClassifier(pruning=None).fit(shuffled(rows, 60), "y", sample_weight="w")
    assert model.classes_.tolist() == ["k", "l", "none"]
    assert "zz" not in model.schema_["letter"].categories
    whole = mw.TreeClassifier(pruning=None).fit(table.drop_columns("y"), table["y"])
    assert whole.tree_.to_text() == model.tree_.to_text()


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, -1.0], "chunk 0: the weights 'w' have -1.0 in row 1. They must be 0, or between"),
        ([1.0, None], "chunk 0: the weights 'w' have nan in row 1"),
        ([1.0, 1e200], "have 1e[+]200 in row 1"),
        (["a", "b"], "chunk 0: the weights 'w' are of type string; they must be numbers"),
        ([0.0, 0.0], "All rows have the weight 0"),
    ],
)
def test_weights_that_cannot_be_used(weights, message):
    table = pa.table({"x": [1.0, 2.0], "y": ["a", "b"], "w": weights})
    with pytest.raises(ValueError, match=message):
        mw.TreeClassifier(pruning=None).fit([table], "y", sample_weight="w")


def test_weights_are_named():
    table = table_of(2, n=100)
    with pytest.raises(TypeError, match="name of a column"):
        mw.TreeClassifier(pruning=None).fit([table], "y", sample_weight=np.ones(100))
    with pytest.raises(ValueError, match="no column 'v', the weights"):
        mw.TreeClassifier(pruning=None).fit([table], "y", sample_weight="v")
    with pytest.raises(ValueError, match="class_weight names the classes 'q'"):
        mw.TreeClassifier(pruning=None, class_weight={"q": 1}).fit([table], "y")


def test_more_rows_than_32_bits_are_counted_in_64(monkeypatch):
    """The limit is lowered: then counts are sums of whole weights of 1."""
    table = table_of(3)
    whole = mw.TreeClassifier(pruning=None).fit(table.drop_columns("y"), table["y"])
    monkeypatch.setattr("mixedwood.data.summary._MAX_ROWS", 1000)
    parts = mw.TreeClassifier(pruning=None).fit(shuffled(table, 700), "y")
    assert summarize(Chunks([table]), "y").layout.fixed is not None
    assert_same_tree(whole.tree_, parts.tree_)
    assert FixedPoint.for_numbers(1, 0, 2**40).bits == 21


@pytest.mark.parametrize("scale", [0, -300, 300])
def test_sums_are_exact_in_any_order(scale):
    rng = np.random.default_rng(8)
    numbers = np.ldexp(rng.normal(size=5000) * 10.0 ** rng.integers(-12, 1, 5000), scale)
    expected = sum_exactly(numbers)
    sums, other = ExactSums(), ExactSums()
    sums.add("a", numbers[:1234])
    other.add("a", numbers[1234:])
    sums.merge(other)
    assert sums.sum("a") == expected
    assert (np.abs(numbers) < 2.0**sums.top).all()
    assert all((x / 2.0**sums.lowest).is_integer() for x in numbers.tolist())
    fixed = FixedPoint.for_numbers(sums.top, sums.lowest, 5000)
    joined = fixed.join(fixed.split(numbers).sum(axis=0))
    # 93 bits below the largest number.
    assert abs(float(joined) - float(expected)) <= 5000 * 2.0 ** (sums.top - 93) + np.spacing(
        abs(float(expected))
    )


def hashes_by_numpy(table, seeds, hash_of):
    def mixed(x):
        x = x + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))

    found = seeds
    columns = zip(table.schema, table.arrays, hash_of, strict=True)
    for column, array, hashes in sorted(columns, key=lambda c: c[0].name):
        if column.is_numeric:
            cells = np.where(np.isnan(array), hashes[-1], (array + 0.0).view(np.uint64))
        else:
            cells = hashes[array]
        found = mixed(found ^ mixed(cells))
    return found


def test_native_hashes_are_those_of_numpy():
    arrow = table_of(3, n=700)
    table = read_table(arrow.drop_columns("y"))
    known = {}
    missing = np.uint64(0x7FF8DEADBEEF0001)
    hash_of = [np.append(label_hashes(c.categories, known), missing) for c in table.schema]
    seeds = np.arange(700, dtype=np.uint64)
    found = row_hashes(table, seeds, hash_of)
    assert found.tolist() == hashes_by_numpy(table, seeds, hash_of).tolist()


@pytest.mark.parametrize(
    ("model", "methods"),
    [
        (mw.TreeClassifier(), ["predict", "predict_proba", "predict_log_proba", "apply"]),
        (mw.ForestClassifier(n_estimators=3), ["predict", "predict_proba"]),
        (mw.BoostedTreesClassifier(n_estimators=3), ["predict", "predict_proba"]),
        (mw.C45TreeClassifier(), ["predict"]),
        (mw.TreeRegressor(), ["predict"]),
        (mw.ForestRegressor(n_estimators=3), ["predict"]),
        (mw.BoostedTreesRegressor(n_estimators=3), ["predict"]),
    ],
    ids=str,
)
def test_every_estimator_predicts_in_pieces(model, methods):
    table = table_of(2, n=300)
    X = table.drop_columns("y")
    is_classifier = hasattr(model, "predict_proba")
    model.fit(X, table["y"] if is_classifier else np.arange(300) % 7)
    batches = [table.slice(0, 0), *table.to_batches(max_chunksize=80)]
    for method in methods:
        found = np.concatenate(list(model.predict_chunks(batches, method=method)))
        assert found.tolist() == getattr(model, method)(X).tolist()
    with pytest.raises(ValueError, match="must be one of 'predict'"):
        model.predict_chunks(batches, method="fit")
    with pytest.raises(ValueError, match="chunk 1: The feature names"):
        list(model.predict_chunks([X.slice(0, 5), X.slice(0, 5).drop_columns("x")]))
