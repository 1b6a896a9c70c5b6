"""Forests of tables that are read in pieces: samples depend on rows alone, trees on samples."""

import math

import numpy as np
import pytest

import mixedwood as mw
from mixedwood._random import MEMBER, spawn
from mixedwood.data import Chunks, read_table
from mixedwood.data.row_draws import RowDraws
from mixedwood.data.row_folds import RowFolds
from mixedwood.data.summary import summarize

pa = pytest.importorskip("pyarrow")


def table_of(n=1500, n_classes=3, copies=False, seed=0):
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(2, n)).round(1)
    x[rng.random(n) < 0.1] = np.nan
    letters = rng.choice(list("abcdefgh"), n)
    y = (np.nan_to_num(x) * 2 + (letters == "a") * 2 + z).astype(int) % n_classes
    table = pa.table(
        {
            "x": x,
            "letter": pa.array(letters, mask=rng.random(n) < 0.1),
            "many": rng.integers(0, 60, n).astype(str),
            "z": z,
            "w": rng.integers(0, 4, n) / 2,
            "y": np.array(list("klmnop"))[y],
        }
    )
    return table.take(rng.integers(0, n // 20, n)) if copies else table


def pieces(table, size, seed=1):
    batches = table.to_batches(max_chunksize=size)
    return [batches[i] for i in np.random.default_rng(seed).permutation(len(batches))]


def draws_of(table, model, weight=None, columns=("w",)):
    """The number of times that each row is in the sample of each tree, and the seeds."""
    known = summarize(Chunks([table]), "y", weight=weight, copies=True)
    streams = [spawn(model.random_state, MEMBER, i) for i in range(model.n_estimators)]
    seeds = [int(stream.integers(2**63)) for stream in streams]
    rows = known.layout.n_rows
    rate = 1.0 if model.max_samples is None else model._sample_size(rows) / rows
    samples = tuple(int(stream.integers(2**63)) for stream in streams)
    draws = RowDraws(RowFolds.of(known, 1, (0,)), rate, bool(model.bootstrap), samples)
    piece = known.layout.read("chunk 0", table)
    return [draws.of_piece(piece, i) for i in range(model.n_estimators)], seeds


def same_arrays(one, other):
    compared = [name for name, value in vars(one).items() if isinstance(value, np.ndarray)]
    assert len(compared) > 10
    for name in compared:
        value = getattr(one, name)
        if name != "classes":
            assert value.tobytes() == getattr(other, name).tobytes(), name


OPTIONS = {
    "default": {},
    "few rows": {"max_samples": 0.3},
    "without replacement": {"bootstrap": False, "max_samples": 0.5},
    "all rows": {"bootstrap": False},
    "deep": {"estimator": mw.TreeClassifier(pruning="collapse", min_samples_leaf=3)},
    "costs": {"class_weight": {"k": 2.0, "l": 1.0, "m": 1.0}},
}


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("copies", [False, True])
def test_each_tree_is_that_of_memory_with_the_rows_of_its_sample(name, copies):
    table = table_of(copies=copies).drop_columns("w")
    tree = mw.TreeClassifier(criterion="gini", max_features=2, max_depth=5, pruning=None)
    model = mw.ForestClassifier(
        **{"estimator": tree, "n_estimators": 4, "random_state": 7, **OPTIONS[name]}
    )
    found = model.fit(pieces(table, 400), "y")
    draws, seeds = draws_of(table, model)
    rows = [
        np.arange(table.num_rows)
        if not model.bootstrap and model.max_samples is None
        else np.repeat(np.arange(table.num_rows), times)
        for times in draws
    ]
    for grown, seed, sample in zip(found.trees_, seeds, rows, strict=True):
        part = table.take(sample)
        member = mw.TreeClassifier(**model.estimator.get_params())
        member.set_params(random_state=seed, class_weight=model.class_weight)
        # Categories that the sample lacks are known from the whole table.
        encoded = read_table(part.drop_columns("y"), schema=found.schema_)
        target = member._read_y(part["y"], None)
        same_arrays(member._fit_encoded(encoded, target, seed=seed), grown)


@pytest.mark.parametrize("copies", [False, True])
@pytest.mark.parametrize("weight", [None, "w"])
def test_pieces_change_nothing(copies, weight):
    table = table_of(copies=copies)
    table = table if weight else table.drop_columns("w")
    tree = mw.TreeClassifier(max_depth=5, max_features="sqrt", pruning=None)
    model = mw.ForestClassifier(tree, n_estimators=3, random_state=1)
    first = model.fit([table], "y", weight).trees_
    for size in (700, 201):
        assert model.fit(pieces(table, size), "y", weight).trees_ == first
    assert len({tree.n_nodes for tree in first}) > 1
    if not weight:  # rows of weight 0 may have categories of their own
        assert sum(map(len, model.predict_chunks([table]))) == table.num_rows


def test_draws_are_a_poisson_distribution_even_of_equal_rows():
    for table in (table_of(20_000), table_of(20_000).take(np.zeros(20_000, dtype=int))):
        model = mw.ForestClassifier(n_estimators=2, random_state=3)
        one, other = draws_of(table.drop_columns("w"), model)[0]
        for times in (one, other):
            found = np.bincount(times, minlength=6)[:6] / len(times)
            expected = [math.exp(-1) / math.factorial(k) for k in range(6)]
            assert np.abs(found - expected).max() < 0.015
        assert abs(np.corrcoef(one, other)[0, 1]) < 0.03
        model.set_params(bootstrap=False, max_samples=0.25)
        one, _ = draws_of(table.drop_columns("w"), model)[0]
        assert set(one) == {0, 1}
        assert abs(one.mean() - 0.25) < 0.02


def test_a_forest_of_pieces_is_as_accurate_as_that_of_memory():
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(4, 3000))
    y = np.where(numbers[0] * numbers[1] + 0.3 * rng.normal(size=3000) > 0, "k", "l")
    table = pa.table({**{f"x{i}": x.round(1) for i, x in enumerate(numbers)}, "y": y})
    train, test = table.slice(0, 2000), table.slice(2000)
    scores = []
    for X, target in ((train.drop_columns("y"), train["y"]), (train.to_batches(500), "y")):
        tree = mw.TreeClassifier(max_depth=6, max_features="sqrt", pruning=None)
        model = mw.ForestClassifier(tree, n_estimators=20, random_state=0).fit(X, target)
        scores.append(model.score(test.drop_columns("y"), test["y"].to_pylist()))
    assert min(scores) > 0.7  # half of the rows have either class
    assert abs(scores[0] - scores[1]) < 0.03


def test_files_of_models_and_very_small_tables(tmp_path):
    table = table_of(60).drop_columns("w")
    model = mw.ForestClassifier(n_estimators=2, random_state=0).fit([table], "y")
    mw.save_model(model, tmp_path / "m.mw")
    loaded = mw.load_model(tmp_path / "m.mw")
    X = table.drop_columns("y")
    assert loaded.predict(X).tolist() == model.predict(X).tolist()
    tiny = pa.table({"x": [1.0, 2.0], "y": ["a", "b"]})
    model = mw.ForestClassifier(n_estimators=30, random_state=0).fit([tiny], "y")
    assert len(model.trees_) == 30
    assert all(tree.weighted_n_node_samples[0] > 0 for tree in model.trees_)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"oob_score": True}, "oob_score cannot be used"),
        ({"colsample_bytree": 2}, "colsample_bytree cannot be used"),
        ({"estimator": mw.TreeClassifier()}, "pruning='cost_complexity' of the estimator cannot"),
        ({"estimator": mw.C45TreeClassifier()}, "has trees of TreeClassifier"),
    ],
)
def test_what_needs_rows_is_refused(options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        mw.ForestClassifier(**options).fit("no-such-file.parquet", "y")


def test_little_time_and_little_memory(monkeypatch):
    table = table_of().drop_columns("w")
    tree = mw.TreeClassifier(max_depth=4, max_features="sqrt", pruning=None)
    model = mw.ForestClassifier(tree, n_estimators=3, random_state=1)
    first = model.fit([table], "y").trees_
    monkeypatch.setattr("mixedwood.grow.counted._MEMORY", 50_000)
    assert model.fit([table], "y").trees_ == first
    with pytest.warns(mw.TimeLimitWarning):
        model.set_params(time_limit=1e-9).fit([table], "y")
    assert [tree.n_leaves for tree in model.trees_] == [1]
