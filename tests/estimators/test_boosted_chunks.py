"""Boosting of tables that are read in pieces: the models of memory, and no files left behind."""

import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone
from tests.support.cases import cases
from tests.support.interrupts import interrupt

import mixedwood as mw
from mixedwood import _core
from mixedwood.data import Chunks
from mixedwood.data.spool import Spool
from mixedwood.data.target import exact_sums
from mixedwood.files import FileError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Tables of a few hundred rows have several blocks, and the last one is not full."""
    monkeypatch.setattr(Spool, "block_rows", 211)


def table_of(n_classes=2, *, n=1000, seed=0, decimals=1):
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(2, n))
    if decimals is not None:
        x, z = x.round(decimals), z.round(decimals)
    x[rng.random(n) < 0.1] = np.nan
    letters = rng.choice(list("abcdefgh"), n)
    number = np.nan_to_num(x) * 2 + (letters == "a") * 2 + z
    weight = rng.choice([0.0, 0.7, 1.0, 1.3, 2.9], n)
    return pa.table(
        {
            "x": x,
            "letter": pa.array(letters, mask=rng.random(n) < 0.1),
            "many": rng.integers(0, 60, n).astype(str),
            "flag": rng.random(n) < 0.3,
            "z": z,
            "w": weight,
            "number": number,
            "class": np.array(list("klmnopqrst"))[number.astype(int) % n_classes],
        }
    )


def pieces_of(table, *left_out, size):
    return table.drop_columns(list(left_out)).to_batches(max_chunksize=size)


def content(model, folder):
    path = Path(folder) / "model.mw"
    mw.save_model(model, path)
    found = path.read_bytes()
    path.unlink()
    return found


def fit_both(model, table, target, folder, *, sizes, weight=None, **given):
    """Models of memory and of pieces, which must be equal byte by byte."""
    other = "number" if target == "class" else "class"
    unused = [other] + ([] if weight else ["w"])
    X = table.drop_columns([target, *unused] + (["w"] if weight else []))
    weights = None if weight is None else table[weight].to_numpy()
    whole = model.fit(X, table[target], sample_weight=weights, **given)
    expected = content(whole, folder)
    trees = whole.trees_
    for size in sizes:
        parts = clone(model)
        parts.fit(pieces_of(table, *unused, size=size), target, sample_weight=weight, **given)
        assert content(parts, folder) == expected
        if "validation_loss_" in vars(whole):
            assert parts.validation_loss_ == whole.validation_loss_
    return trees


OPTIONS = [
    {},
    {"max_leaf_nodes": 6, "max_depth": None},
    {"partitioner": "auto", "max_depth": 6, "handle_unknown": "majority"},
    {"partitioner": "random_order", "subsample": 0.7, "colsample_bytree": 2},
    {"subsample": 0.5, "early_stopping": True, "n_iter_no_change": 2, "learning_rate": 1.0},
    {"selection": "score", "max_features": 2, "min_samples_leaf": 0.02, "n_jobs": 2},
]


@pytest.mark.parametrize("n_classes", [2, 10])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_classes_in_pieces_give_the_model_of_memory(tmp_path, n_classes, options):
    model = mw.BoostedTreesClassifier(**{"n_estimators": 4, "random_state": 0, **options})
    trees = fit_both(model, table_of(n_classes), "class", tmp_path, sizes=(1000, 97))
    assert sum(tree.n_leaves for tree in trees) > 2 * len(trees)


@pytest.mark.parametrize("loss", ["squared_error", "poisson", "gamma", "tweedie"])
@pytest.mark.parametrize("options", OPTIONS[: cases(5)], ids=str)
def test_numbers_in_pieces_give_the_model_of_memory(tmp_path, loss, options):
    table = table_of()
    numbers = table["number"].to_numpy()
    if loss != "squared_error":
        numbers = np.abs(numbers) + (0.1 if loss == "gamma" else 0.0)
    table = table.set_column(6, "number", pa.array(numbers))
    model = mw.BoostedTreesRegressor(
        **{"loss": loss, "n_estimators": 4, "random_state": 0, **options}
    )
    weight = "w" if options.get("subsample") else None
    trees = fit_both(model, table, "number", tmp_path, sizes=(1000, 97), weight=weight)
    assert trees[0].n_leaves > 2


@pytest.mark.parametrize("class_weight", [None, "balanced", {"k": 0, "m": 2.5}])
def test_weights_of_rows_and_classes(tmp_path, class_weight):
    """Rows of weight 0 have no influence, not even on categories, but their class is known."""
    table = table_of(3)
    rows = np.flatnonzero(table["w"].to_numpy() == 0)[:5]
    many, labels = table["many"].to_pylist(), table["class"].to_pylist()
    for row in rows:
        many[row], labels[row] = "only without weight", "zz"
    table = table.set_column(2, "many", pa.array(many)).set_column(7, "class", pa.array(labels))
    model = mw.BoostedTreesClassifier(
        n_estimators=4,
        random_state=0,
        class_weight=class_weight,
        multi_strategy="one_output_per_tree",
    )
    fit_both(model, table, "class", tmp_path, sizes=(1000, 97), weight="w")
    assert "zz" in model.classes_
    assert "only without weight" not in model.schema_["many"].categories


def test_pieces_of_one_row(tmp_path):
    model = mw.BoostedTreesClassifier(n_estimators=3, random_state=0)
    fit_both(model, table_of(3, n=60), "class", tmp_path, sizes=(1,))
    model = mw.BoostedTreesRegressor(n_estimators=3, random_state=0)
    fit_both(model, table_of(n=60), "number", tmp_path, sizes=(1,), weight="w")


@pytest.mark.parametrize("target", ["class", "number"])
def test_the_order_of_rows_matters_to_target_statistics_only(tmp_path, target):
    table = table_of()
    shuffled = table.take(np.random.default_rng(1).permutation(len(table)))
    other = "number" if target == "class" else "class"
    make = mw.BoostedTreesClassifier if target == "class" else mw.BoostedTreesRegressor
    found = []
    for rows in (table, shuffled):
        model = make(n_estimators=4, random_state=0, partitioner="auto", learning_rate=0.3)
        model.fit(pieces_of(rows, other, size=130), target, sample_weight="w")
        found.append(content(model, tmp_path))
    assert found[0] == found[1]


def test_bins_of_many_numbers_give_the_model_of_binned_numbers():
    """In memory each number is replaced by the largest of its bin; only thresholds differ."""
    table = table_of(decimals=None)
    model = mw.BoostedTreesClassifier(n_estimators=4, random_state=0, max_bins=20)
    pieces = pieces_of(table, "number", "w", size=300)
    parts = clone(model).fit(pieces, "class")
    same = clone(model)
    same.fit(Chunks(pieces_of(table, "number", "w", size=77), max_bins=300), "class")
    coarse = clone(model).set_params(max_bins=255)
    coarse.fit(Chunks(pieces, max_bins=20), "class")
    X = table.drop_columns(["number", "w", "class"])
    for name in ("x", "z"):
        numbers = table[name].to_numpy().copy()
        known = np.sort(numbers[~np.isnan(numbers)])
        edges = np.unique(np.quantile(known, np.arange(1, 20) / 20, method="inverted_cdf"))
        edges = np.append(edges[edges < known[-1]], known[-1])
        binned = edges[np.minimum(np.searchsorted(edges, numbers), len(edges) - 1)]
        binned[np.isnan(numbers)] = np.nan
        X = X.set_column(X.column_names.index(name), name, pa.array(binned))
    whole = model.fit(X, table["class"])
    for found in (parts, same, coarse):
        for a, b in zip(whole.trees_, found.trees_, strict=True):
            assert a.column.tolist() == b.column.tolist()
            assert a.statistics.tolist() == b.statistics.tolist()
            assert a.score.tolist() == b.score.tolist()
    rows = table.drop_columns(["number", "w", "class"])
    # Rows end in the leaves where they were counted, but for target statistics.
    np.testing.assert_allclose(whole.predict_proba(X), parts.predict_proba(rows))


def test_held_out_rows_and_validation_rows(tmp_path):
    table, more = table_of(3), table_of(3, seed=1, n=300)
    X_val = more.drop_columns(["w", "number", "class"])
    options = {"early_stopping": True, "n_estimators": 6, "random_state": 0, "learning_rate": 0.5}
    model = mw.BoostedTreesClassifier(class_weight="balanced", **options)
    fit_both(
        model, table, "class", tmp_path, sizes=(97,), weight="w", X_val=X_val, y_val=more["class"]
    )
    assert model.predict_set(X_val).any(axis=1).all()
    model = mw.BoostedTreesRegressor(**options)
    fit_both(model, table, "number", tmp_path, sizes=(97,), X_val=X_val, y_val=more["number"])
    with pytest.raises(TypeError, match="X_val and y_val must be in memory"):
        mw.BoostedTreesClassifier(**options).fit([table], "class", X_val=more, y_val="class")


def test_constraints_and_columns_with_an_order(tmp_path):
    table = table_of()
    model = mw.BoostedTreesRegressor(
        n_estimators=4,
        random_state=0,
        monotonic_cst={"z": 1},
        ordinal_features={"letter": list("hgfedcba")},
    )
    fit_both(model, table, "number", tmp_path, sizes=(97,))


def test_one_class_and_one_that_is_in_one_piece(tmp_path):
    table = table_of(3)
    labels = np.array(["a"] * 700 + ["b"] * 297 + ["rare"] * 3)
    mixed = table.set_column(7, "class", pa.array(labels))
    model = mw.BoostedTreesClassifier(n_estimators=3, random_state=0)
    fit_both(model, mixed, "class", tmp_path, sizes=(97,))
    assert model.classes_.tolist() == ["a", "b", "rare"]
    only = table.set_column(7, "class", pa.array(["a"] * 1000))
    fit_both(mw.BoostedTreesClassifier(random_state=0), only, "class", tmp_path, sizes=(97,))
    fit_both(
        mw.BoostedTreesClassifier(random_state=0), only, "class", tmp_path, sizes=(97,), weight="w"
    )


def test_little_memory_takes_more_passes_for_the_same_model(tmp_path, monkeypatch):
    monkeypatch.setattr("mixedwood.boosting.chunked._MEMORY", 60_000)
    passes = []
    model = mw.BoostedTreesClassifier(n_estimators=2, random_state=0, max_depth=5)
    fit_both(model, table_of(3), "class", tmp_path, sizes=(97,))
    model.set_callbacks(lambda step: passes.append(step.what))
    model.fit(pieces_of(table_of(3), "number", "w", size=97), "class")
    assert "rows of the copy" in passes
    assert "rows of iteration 1, pass 9" in passes
    assert "rows of iteration 2, leaves" in passes


def test_files_predictions_and_cut_off_files(tmp_path):
    table = table_of().drop_columns(["number", "w"])
    for i in range(4):
        pq.write_table(table.slice(250 * i, 250), tmp_path / f"{i}.parquet")
    model = mw.BoostedTreesClassifier(n_estimators=3, random_state=0)
    whole = model.fit(table.drop_columns("class"), table["class"])
    expected = whole.predict(table.drop_columns("class")).tolist()
    parts = mw.BoostedTreesClassifier(n_estimators=3, random_state=0)
    parts.fit(str(tmp_path / "*.parquet"), "class")
    assert np.concatenate(list(parts.predict_chunks(tmp_path))).tolist() == expected
    last = tmp_path / "3.parquet"
    last.write_bytes(last.read_bytes()[:2000])
    with pytest.raises(FileError, match=r"3\.parquet cannot be read as Parquet"):
        parts.fit(tmp_path, "class")


def open_files():
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0


@pytest.mark.parametrize("stage", ["rows of the copy", "rows of iteration 2, pass 2"])
def test_interrupted_fits_leave_no_files(tmp_path, stage):
    table = table_of(n=3000)
    before = open_files()
    chunks = Chunks(pieces_of(table, "number", "w", size=500), temp_folder=tmp_path)
    model = mw.BoostedTreesClassifier(n_estimators=50, random_state=0)
    interrupt(model, stage, chunks, "class")
    assert list(tmp_path.iterdir()) == []
    assert open_files() == before
    assert not hasattr(model, "trees_")


def test_an_error_in_the_middle_leaves_no_files(tmp_path):
    class Changing:
        passes = 0

        def __iter__(self):
            self.passes += 1
            yield from pieces_of(table_of(n=500 * self.passes), "number", "w", size=200)

    with pytest.raises(ValueError, match="the table has changed"):
        mw.BoostedTreesClassifier().fit(Chunks(Changing(), temp_folder=tmp_path), "class")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_room(tmp_path, monkeypatch):
    pieces = pieces_of(table_of(), "number", "w", size=500)
    with pytest.raises(OSError, match=r"cannot be written to .*nowhere.*temp_folder="):
        mw.BoostedTreesClassifier().fit(Chunks(pieces, temp_folder=tmp_path / "nowhere"), "class")
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1000))
    with pytest.raises(OSError, match=r"bytes for each of 1,000 rows.*0\.0 GB free.*temp_folder="):
        mw.BoostedTreesClassifier().fit(Chunks(pieces, temp_folder=tmp_path), "class")


@pytest.mark.filterwarnings("ignore::mixedwood.TimeLimitWarning")
def test_the_time_limit_leaves_an_iteration():
    pieces = pieces_of(table_of(), "number", "w", size=500)
    model = mw.BoostedTreesClassifier(n_estimators=50, time_limit=1e-9).fit(pieces, "class")
    assert model.n_iter_ == 1
    assert model.predict(table_of().drop_columns(["class"])).shape == (1000,)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (mw.BoostedTreesRegressor(loss="absolute_error"), "loss='absolute_error' needs all rows"),
        (mw.BoostedTreesRegressor(loss="huber"), "loss='huber' needs all rows of a leaf"),
        (mw.BoostedTreesClassifier(max_bins=2000), "max_bins=2000 is too large"),
        (mw.BoostedTreesClassifier(crossed_features="auto"), "crossed_features cannot be used"),
        (
            mw.BoostedTreesClassifier(estimator=mw.TreeClassifier(pruning=None)),
            "estimator cannot be used",
        ),
    ],
    ids=str,
)
def test_what_needs_all_rows_is_refused_before_reading(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit("no-such-file.parquet", "y")


GOOD = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "w": [1.0, 0, 2, 1], "y": [0.5, 1, 2, 3]})


@pytest.mark.parametrize(
    ("second", "options", "message"),
    [
        (GOOD.drop_columns("x"), {}, "chunk 1 has no column 'x'"),
        (GOOD.drop_columns("w"), {}, "chunk 1 has no column 'w', the weights"),
        (GOOD.set_column(1, "w", pa.array([1.0, -1, 2, 1])), {}, "chunk 1: .* have -1.0 in row 1"),
        (GOOD.set_column(1, "w", pa.array([1.0, None, 2, 1])), {}, "chunk 1: .* have nan in row 1"),
        (GOOD.set_column(2, "y", pa.array(list("abcd"))), {}, "chunk 1: y must be numbers"),
        (GOOD.set_column(2, "y", pa.array([-1.0, 0, 1, 2])), {"loss": "poisson"}, ": loss="),
    ],
)
def test_pieces_that_do_not_fit_are_named(second, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        mw.BoostedTreesRegressor(**options).fit([GOOD, second], "y", sample_weight="w")


def test_weights_that_are_all_zero_or_no_name():
    none = GOOD.set_column(1, "w", pa.array([0.0] * 4))
    with pytest.raises(ValueError, match="All rows have the weight 0"):
        mw.BoostedTreesRegressor().fit([none], "y", sample_weight="w")
    with pytest.raises(TypeError, match="sample_weight must be the name of a column"):
        mw.BoostedTreesRegressor().fit([GOOD], "y", sample_weight=[1, 2, 3, 4])


def test_a_fit_is_not_continued_in_pieces():
    model = mw.BoostedTreesRegressor(n_estimators=2, warm_start=True)
    model.fit([GOOD], "y")
    with pytest.raises(ValueError, match="warm_start=True after a fit cannot be used"):
        model.set_params(n_estimators=3).fit([GOOD], "y")


@pytest.mark.parametrize("seed", range(cases(25)))
def test_sums_are_exact_in_any_order(seed):
    rng = np.random.default_rng(seed)
    spread = rng.choice([1, 20, 290])
    x = rng.normal(size=200) * 10.0 ** rng.integers(-spread, spread, size=200)
    x = np.concatenate([x, -x[: rng.integers(200)], [5e-324, 0.0, -0.0]])
    which = rng.integers(0, 3, len(x)).astype(np.int32)
    rng.shuffle(x)
    expected = [math.fsum(x[which == i]) for i in range(3)]
    assert exact_sums(x, which, 3).tolist() == expected
    assert exact_sums(x)[0] == math.fsum(x)
    assert np.isnan(exact_sums(np.array([np.inf, -np.inf]))[0])


def test_the_native_core_checks_blocks():
    def grower(thresholds):
        return _core.BlockGrower(
            np.array([3], np.int32), [np.array(thresholds)], _core.GradientSettings(),
            1, 2, 1.0, 1.0, 1.0, None, 1000,
        )  # fmt: skip

    bins, nodes, one = [np.array([1, 2], np.uint8)], np.zeros(2, np.int32), np.ones((2, 1))
    good = grower([0.0, 1.0])
    assert good.begin_pass()
    good.add(bins, None, nodes, one, one)
    good.end_pass(1.0)
    for given in [
        ([np.array([1, 3], np.uint8)], None, nodes, one, one),
        ([np.array([1, 2], np.int32)], None, nodes, one, one),
        ([], None, nodes, one, one),
        (bins, None, nodes + 1, one, one),
        (bins, np.ones(3, np.uint8), nodes, one, one),
        (bins, None, nodes, one[:1], one),
    ]:
        bad = grower([0.0, 1.0])
        bad.begin_pass()
        with pytest.raises(ValueError, match=r".+"):
            bad.add(*given)
    with pytest.raises(ValueError, match="thresholds"):
        grower([0.0])
