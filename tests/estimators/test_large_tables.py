"""Trees of tables that are read in pieces: the same as in memory, whatever the pieces."""

import dataclasses
import pickle

import numpy as np
import pytest

import mixedwood as mw
from mixedwood import _core
from mixedwood.data import Chunks, read_table
from mixedwood.data.summary import summarize
from mixedwood.files import FileError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def table_of(n_classes, *, n=3000, seed=0, decimals=1):
    """Numbers with few or many different values, categories, flags and missing values."""
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(2, n))
    if decimals is not None:
        x, z = x.round(decimals), z.round(decimals)
    x[rng.random(n) < 0.1] = np.nan
    letters = rng.choice(list("abcdefgh"), n)
    flag = rng.random(n) < 0.3
    y = (np.nan_to_num(x) * 2 + (letters == "a") * 2 + flag + z).astype(int) % n_classes
    return pa.table(
        {
            "x": x,
            "letter": pa.array(letters, mask=rng.random(n) < 0.1),
            "many": rng.integers(0, 200, n).astype(str),
            "flag": flag,
            "z": z,
            "y": np.array(list("klmnopqrst"))[y],
        }
    )


def shuffled(table, size, seed=1):
    batches = table.to_batches(max_chunksize=size)
    return [batches[i] for i in np.random.default_rng(seed).permutation(len(batches))]


def assert_same_tree(a, b, but=()):
    assert a.schema == b.schema
    assert a.classes.tolist() == b.classes.tolist()
    assert a.classes.dtype == b.classes.dtype
    for field in dataclasses.fields(a):
        one, other = getattr(a, field.name), getattr(b, field.name)
        if isinstance(one, np.ndarray) and field.name not in {*but, "classes"}:
            assert one.dtype == other.dtype, field.name
            assert one.tobytes() == other.tobytes(), field.name


@pytest.mark.parametrize("n_classes", [2, 10])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"criterion": "gini", "selection": "score", "handle_missing": "category"},
        {"max_depth": 4, "min_samples_leaf": 0.01, "handle_unknown": "majority"},
        {"criterion": "gini", "selection": "significance", "alpha": 0.05, "bonferroni": True},
        {"max_features": 2, "random_state": 3, "max_depth": 6},
        {"criterion": "gini", "partitioner": "multiway", "handle_unknown": "missing"},
        {"pruning": "collapse"},
        {"max_leaf_nodes": 20},
        {"max_leaf_nodes": 9, "criterion": "gini", "partitioner": "multiway"},
        {"growth": "best_first", "max_depth": 6},
    ],
    ids=str,
)
def test_the_tree_of_chunks_is_the_tree_of_memory(tmp_path, n_classes, options):
    table = table_of(n_classes)
    options = {"pruning": None, **options}
    whole = mw.TreeClassifier(**options).fit(table.drop_columns("y"), table["y"])
    assert whole.tree_.n_leaves > 2
    files = []
    for size in (3000, 700, 97):
        parts = mw.TreeClassifier(**options).fit(shuffled(table, size), "y")
        assert_same_tree(whole.tree_, parts.tree_)
        assert [c.n_missing for c in parts.schema_] == [c.n_missing for c in whole.schema_]
        mw.save_model(parts, tmp_path / "model.mw")
        files.append((tmp_path / "model.mw").read_bytes())
        (tmp_path / "model.mw").unlink()
    mw.save_model(whole, tmp_path / "model.mw")
    files.append((tmp_path / "model.mw").read_bytes())
    assert len(set(files)) == 1


@pytest.mark.parametrize("n_classes", [2, 10])
def test_bins_of_many_numbers_give_the_tree_of_binned_numbers(n_classes):
    """In memory each number is replaced by the largest of its bin; only thresholds differ."""
    table = table_of(n_classes, decimals=None)
    options = {"pruning": None, "max_depth": 7}
    found = [
        mw.TreeClassifier(**options).fit(Chunks(shuffled(table, size), max_bins=40), "y")
        for size in (3000, 700, 97)
    ]
    known = summarize(Chunks(table.to_batches(), max_bins=40), "y").layout
    frame = table.drop_columns("y")
    for name in ("x", "z"):
        edges = known.bins[known.schema.position(name)]
        assert 30 <= len(edges) <= 40
        numbers = table[name].to_numpy()
        binned = edges[np.minimum(np.searchsorted(edges, numbers), len(edges) - 1)]
        binned[np.isnan(numbers)] = np.nan
        frame = frame.set_column(frame.column_names.index(name), name, pa.array(binned))
    whole = mw.TreeClassifier(**options).fit(frame, table["y"])
    for model in found:
        assert_same_tree(whole.tree_, model.tree_, but={"high"})
        assert_same_tree(found[0].tree_, model.tree_)
        # Training rows end in the nodes where they were counted.
        ends = model.tree_.apply(read_table(table.drop_columns("y"), schema=model.schema_))
        sizes = np.bincount(ends, minlength=len(model.tree_.label))
        leaves = model.tree_.split_kind == 0
        assert sizes[leaves].tolist() == model.tree_.weighted_n_node_samples[leaves].tolist()


def test_bins_are_quantiles_of_rows_in_any_order():
    rng = np.random.default_rng(5)
    x = np.concatenate([rng.normal(size=200_000), np.zeros(100_000)])
    table = pa.table({"x": x, "y": rng.integers(0, 2, len(x))})
    edges = [
        summarize(Chunks(shuffled(table, size), max_bins=50), "y").layout.bins[0]
        for size in (300_000, 8192)
    ]
    assert edges[0].tolist() == edges[1].tolist()
    assert edges[0][-1] == x.max()
    shares = np.diff(np.searchsorted(np.sort(x), edges[0], side="right")) / len(x)
    assert np.sort(shares)[-1] > 1 / 3  # the zeros
    assert np.sort(shares)[-2] < 0.025


@pytest.mark.parametrize("how", ["folder", "pattern", "files", "dataset", "relation", "arrow"])
def test_files_datasets_and_relations(tmp_path, how):
    table = table_of(2, n=1000)
    (tmp_path / "parts").mkdir()
    for i in range(4):
        pq.write_table(table.slice(250 * i, 250), tmp_path / "parts" / f"{i}.parquet")
    if how == "dataset":
        source = pytest.importorskip("pyarrow.dataset").dataset(tmp_path / "parts")
    elif how == "relation":
        source = pytest.importorskip("duckdb").from_parquet(str(tmp_path / "parts" / "*.parquet"))
    elif how == "arrow":
        source = tmp_path / "one.arrow"
        with pa.ipc.new_file(source, table.schema) as writer:
            writer.write_table(table, 300)
    else:
        source = {
            "folder": tmp_path / "parts",
            "pattern": str(tmp_path / "parts" / "*.parquet"),
            "files": [tmp_path / "parts" / f"{i}.parquet" for i in (2, 0, 3, 1)],
        }[how]
    whole = mw.TreeClassifier(pruning=None).fit(table.drop_columns("y"), table["y"])
    parts = mw.TreeClassifier(pruning=None).fit(source, "y")
    assert_same_tree(whole.tree_, parts.tree_)
    if how != "files":
        predicted = np.concatenate(list(parts.predict_chunks(source)))
        assert predicted.tolist() == whole.predict(table.drop_columns("y")).tolist()


def test_the_index_of_pandas_is_no_column(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4], "y": list("aabb")}, index=list("pqrs"))
    frame.to_parquet(tmp_path / "a.parquet")
    model = mw.TreeClassifier(pruning=None).fit(tmp_path / "a.parquet", "y")
    assert model.schema_.names == ("x",)


def test_empty_chunks_and_a_class_of_one_chunk():
    table = table_of(2, n=600)
    rare = pa.table({**table.slice(0, 3).to_pydict(), "y": ["zz"] * 3}, schema=table.schema)
    model = mw.TreeClassifier(pruning=None).fit([table.slice(0, 0), table, rare], "y")
    assert model.classes_.tolist() == ["k", "l", "zz"]
    whole = pa.concat_tables([table, rare])
    expected = mw.TreeClassifier(pruning=None).fit(whole.drop_columns("y"), whole["y"])
    assert_same_tree(expected.tree_, model.tree_)


GOOD = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "c": list("aabb"), "y": list("klkl")})


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (GOOD.drop_columns("c"), "chunk 1 has no column 'c'. All chunks must have the same"),
        (GOOD.append_column("d", GOOD["x"]), "chunk 1 has the further column 'd'"),
        (GOOD.drop_columns("y"), "chunk 1 has no column 'y', the target"),
        (
            GOOD.set_column(0, "x", pa.array(list("pqrs"))),
            "chunk 1: column 'x' is nominal, but chunk 0 has it as numeric",
        ),
        (
            GOOD.set_column(1, "c", pa.array([True, False] * 2)),
            "chunk 1: column 'c' has the category False, but categories such as",
        ),
        (GOOD.set_column(0, "x", pa.nulls(4)), "chunk 1: column 'x' has no values and no type"),
        (GOOD.set_column(2, "y", pa.array([1, 2, 1, 2])), "chunk 1: the target 'y' has classes"),
        (GOOD.set_column(2, "y", pa.array(["k", None, "k", "l"])), "chunk 1: "),
        (GOOD.set_column(0, "x", pa.array([1.0, np.inf, 2.0, 3.0])), "chunk 1: .*inf"),
    ],
)
def test_chunks_that_do_not_fit_are_named(second, message):
    with pytest.raises((TypeError, ValueError), match=message):
        mw.TreeClassifier(pruning=None).fit([GOOD, second], "y")


def test_a_source_that_can_be_read_once_is_refused():
    with pytest.raises(TypeError, match="iterated only once"):
        mw.TreeClassifier(pruning=None).fit(iter([GOOD]), "y")
    with pytest.raises(TypeError, match="must be a path"):
        mw.TreeClassifier(pruning=None).fit({"x": [1, 2]}, "y")
    with pytest.raises(TypeError, match=r"chunk 0 is of type dict"):
        mw.TreeClassifier(pruning=None).fit([{"x": [1]}], "y")


def test_other_estimators_say_that_they_need_the_table(tmp_path):
    message = "Only TreeClassifier, TreeRegressor, ForestClassifier, BoostedTreesClassifier and"
    with pytest.raises(TypeError, match=message):
        mw.GrowPruneForestClassifier().fit(tmp_path, "y")
    with pytest.raises(TypeError, match=r"X is the path .* needs a table"):
        mw.TreeClassifier().fit(tmp_path, ["a", "b"])


def test_a_table_that_changes_is_noticed():
    class Growing:
        passes = 0

        def __iter__(self):
            self.passes += 1
            yield from [GOOD] * self.passes

    with pytest.raises(ValueError, match="had 4 rows, and now 8: the table has changed"):
        mw.TreeClassifier(pruning=None).fit(Growing(), "y")


def test_files_that_cannot_be_read(tmp_path):
    fit = mw.TreeClassifier(pruning=None).fit
    with pytest.raises(FileError, match="no such file"):
        fit(tmp_path / "none.parquet", "y")
    with pytest.raises(FileError, match="no Parquet file in it"):
        fit(tmp_path, "y")
    (tmp_path / "a.csv").write_text("x,y\n1,a\n")
    with pytest.raises(FileError, match=r"a\.csv is not a Parquet or Arrow file"):
        fit(tmp_path / "a.csv", "y")
    pq.write_table(GOOD, tmp_path / "a.parquet")
    content = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "b.parquet").write_bytes(content[: len(content) // 2])
    with pytest.raises(FileError, match=r"b\.parquet cannot be read as Parquet"):
        fit(str(tmp_path / "*.parquet"), "y")
    with pytest.raises(ValueError, match="no rows"):
        fit([GOOD.slice(0, 0)], "y")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pruning": "pessimistic"}, "pruning='pessimistic' needs all rows at once"),
        ({"crossed_features": [["a", "b"]]}, "crossed_features cannot be used"),
        ({"pruning": None, "handle_missing": "fractional"}, "handle_missing='fractional' cannot"),
        (
            {"pruning": None, "max_leaf_nodes": 5, "growth": "depth_first"},
            "max_leaf_nodes with growth='depth_first' cannot be used",
        ),
    ],
)
def test_what_needs_all_rows_is_refused_before_reading(options, message):
    with pytest.raises(ValueError, match=message):
        mw.TreeClassifier(**options).fit("no-such-file.parquet", "y")


def test_the_time_limit_leaves_a_smaller_tree():
    table = table_of(2, n=500)
    with pytest.warns(UserWarning, match="time limit"):
        model = mw.TreeClassifier(pruning=None, time_limit=1e-9).fit(table.to_batches(), "y")
    assert model.tree_.n_leaves == 1


def test_progress_of_each_pass_is_reported():
    table = table_of(2, n=500)
    seen = []
    model = mw.TreeClassifier(pruning=None, max_depth=2)
    model._functions = (seen.append,)
    model.fit(table.to_batches(max_chunksize=100), "y")
    passes = [p for p in seen if p.what.startswith("rows of pass")]
    assert {p.what for p in passes} == {"rows of pass 1", "rows of pass 2"}
    assert max(p.done for p in passes) == 500


@pytest.mark.parametrize("n_edges", [0, 1, 2, 3, 7, 40, 255, 1024])
def test_native_bins_are_those_of_searchsorted(n_edges):
    rng = np.random.default_rng(n_edges)
    edges = np.unique(rng.normal(size=n_edges))
    numbers = np.concatenate([rng.normal(size=1001), edges, [np.nan, 1e300, -1e300, -0.0]])
    expected = np.where(np.isnan(numbers), -1, np.searchsorted(edges, numbers))
    assert _core.find_bins(edges, numbers).tolist() == expected.tolist()


def test_the_native_core_checks_what_it_counts():
    table = _core.CountedTable([np.array([1.0, 2.0]), None], np.array([0, 2], np.int32), "nc", 2)
    histograms = np.zeros((1, table.length), np.uint32)
    good = np.zeros(3, np.int32)
    _core.add_counts(table, [good, good], good, good, histograms)
    assert histograms.sum() == 6
    for codes, classes, slots in [
        ([good, good + 2], good, good),
        ([good - 2, good], good, good),
        ([good, good], good + 2, good),
        ([good, good], good, good + 1),
        ([good], good, good),
        ([good, good[:2]], good, good),
    ]:
        with pytest.raises(ValueError, match=r".+"):
            _core.add_counts(table, codes, classes, slots, histograms)
    with pytest.raises(ValueError, match="at most 1024 bins"):
        _core.CountedTable([np.arange(2000.0)], np.zeros(1, np.int32), "n", 2)
    with pytest.raises(ValueError, match="must differ"):
        _core.CountedTable([np.zeros(3)], np.zeros(1, np.int32), "n", 2)


def test_little_memory_takes_more_passes_for_the_same_tree(monkeypatch):
    table = table_of(2, n=1000)
    whole = mw.TreeClassifier(pruning=None).fit(table.drop_columns("y"), table["y"])
    monkeypatch.setattr("mixedwood.grow.counted._MEMORY", 50_000)
    parts = mw.TreeClassifier(pruning=None).fit(table.to_batches(max_chunksize=300), "y")
    assert_same_tree(whole.tree_, parts.tree_)


def test_few_leaves_take_few_passes():
    """Nodes that come too late, best first, are not looked at."""
    table = table_of(2, n=3000)
    seen = []
    model = mw.TreeClassifier(pruning=None, max_leaf_nodes=4)
    model._functions = (seen.append,)
    model.fit(table.to_batches(), "y")
    assert model.tree_.n_leaves == 4
    assert 2 <= len({p.what for p in seen if p.what.startswith("rows of pass")}) <= 4


class Scattered(Chunks):
    """As a cluster does it: a copy of the job for every piece, and results merged in pairs."""

    def run(self, job, what="", n_rows=0, deadline=None):
        sent = pickle.dumps(job)
        states = []
        for name, frame in self:
            job = pickle.loads(sent)
            states.append(pickle.loads(pickle.dumps(job.add(job.start(), name, frame))))
        while len(states) > 1:
            pairs = zip(states[::2], states[1::2], strict=False)
            last = states[len(states) & ~1 :]
            states = [job.merge(*pair) for pair in pairs] + last
        return states[0]


@pytest.mark.parametrize("decimals", [1, None])
def test_pieces_that_are_counted_apart_give_the_same_tree(decimals):
    table = table_of(3, decimals=decimals)
    batches = [table.slice(0, 0), *shuffled(table, 170)]
    options = {"pruning": None, "max_depth": 5}
    one = mw.TreeClassifier(**options).fit(Chunks(batches, max_bins=40), "y")
    apart = mw.TreeClassifier(**options).fit(Scattered(batches[::-1], max_bins=40), "y")
    assert_same_tree(one.tree_, apart.tree_)


@pytest.mark.parametrize(
    "second", [GOOD.drop_columns("c"), GOOD.set_column(0, "x", pa.array(list("pqrs")))]
)
def test_pieces_that_are_counted_apart_must_fit_together(second):
    with pytest.raises(ValueError, match="chunk 1"):
        mw.TreeClassifier(pruning=None).fit(Scattered([GOOD, second]), "y")
