"""Parquet files of pandas: what it stored as an index is no column, unless asked for by name."""

import numpy as np
import pytest

import mixedwood as mw
from mixedwood.data import read_table, read_target
from mixedwood.data.file_tables import read_columns, read_file, read_new_rows

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

N = 40
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {"a": RNG.integers(0, 9, N), "b": RNG.choice(["p", "q", "r"], N), "y": ["no", "yes"] * (N // 2)}
)
SCATTERED = RNG.permutation(N) * 3
INDICES = {
    "range": pd.RangeIndex(N),
    "unnamed": pd.Index(SCATTERED),
    "named": pd.Index(SCATTERED, name="id"),
    "text": pd.Index([f"row {i}" for i in SCATTERED], name="id"),
    "dates": pd.DatetimeIndex(pd.date_range("2020-01-01", periods=N, name="when")),
    "two": pd.MultiIndex.from_arrays([SCATTERED, SCATTERED[::-1]], names=["id", None]),
    "two unnamed": pd.MultiIndex.from_arrays([SCATTERED, SCATTERED[::-1]]),
}


def written(path, index):
    frame = FRAME.set_axis(INDICES[index], axis=0)
    frame.to_parquet(path)
    return frame


@pytest.mark.parametrize("index", INDICES)
def test_a_stored_index_is_no_column(index, tmp_path):
    written(tmp_path / "t.parquet", index)
    columns = read_columns(tmp_path / "t.parquet")
    assert list(columns) == ["a", "b", "y"]
    table = read_file(tmp_path / "t.parquet", "y")
    assert list(table.X) == ["a", "b"]
    expected = mw.TreeClassifier(pruning=None).fit(FRAME[["a", "b"]], FRAME["y"])
    assert mw.TreeClassifier(pruning=None).fit(table.X, table.y).tree_ == expected.tree_
    new = read_new_rows(tmp_path / "t.parquet", expected.schema_, target="y")
    assert (list(new.X), new.ignored) == (["a", "b"], [])


def test_a_stored_index_can_be_asked_for(tmp_path):
    path = tmp_path / "t.parquet"
    frame = written(path, "text")
    schema = read_table(FRAME[["a", "b"]]).schema
    assert read_new_rows(path, schema, keep=["id"]).kept["id"] == frame.index.tolist()
    assert list(read_file(path, "y", categorical=["id"]).X) == ["a", "b", "id"]
    assert list(read_file(path, "y", drop=["id"]).X) == ["a", "b"]
    learned = read_table(frame.reset_index()[["id", "a"]]).schema
    assert list(read_new_rows(path, learned).X) == ["id", "a"]


@pytest.mark.parametrize("index", INDICES)
def test_arrow_tables_of_pandas_frames(index, tmp_path):
    """The same where a table is read by pyarrow and handed to a model."""
    written(tmp_path / "t.parquet", index)
    table = pq.read_table(tmp_path / "t.parquet")
    X, y = table.drop_columns(["y"]), table["y"]
    expected = read_table(FRAME[["a", "b"]]).schema
    assert read_table(X).schema == expected
    assert read_table(table.to_batches()[0]).schema.names == ("a", "b", "y")
    model = mw.TreeClassifier(pruning=None).fit(X, y)
    assert model.predict(X).tolist() == model.predict(FRAME[["a", "b"]]).tolist()
    only_y = table.drop_columns(["a", "b"])
    with pytest.warns(match="column-vector"):
        assert read_target(only_y).n_classes == 2


def test_an_index_of_arrow_that_is_asked_for():
    table = pa.Table.from_pandas(FRAME[["a", "b"]].set_axis(INDICES["text"], axis=0))
    assert read_table(table).schema.names == ("a", "b")
    assert read_table(table, categorical_features=["id"]).schema.names == ("a", "b", "id")
    order = {"id": sorted(INDICES["text"])}
    assert read_table(table, ordinal_features=order).schema.names == ("a", "b", "id")
    known = read_table({"id": ["row 0", "row 3"], "a": [1, 2]}).schema
    assert read_table(table, schema=known).schema == known


@pytest.mark.parametrize(
    "metadata", [b"", b"{", b"[]", b"3", b'{"index_columns": 3}', b'{"index_columns": [null, []]}']
)
def test_odd_metadata_names_no_index(metadata):
    table = pa.table({"a": [1, 2]}).replace_schema_metadata({b"pandas": metadata})
    assert read_table(table).schema.names == ("a",)


def test_types_of_a_parquet_file_are_kept(tmp_path):
    size = pa.DictionaryArray.from_arrays(
        pa.array([2, 0, None, 1] * 50_000, pa.int8()), pa.array(["S", "M", "L"]), ordered=True
    )
    table = pa.table({"size": size, "n": range(200_000), "y": ["no", "yes"] * 100_000})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=70_000)
    found = read_file(tmp_path / "t.parquet", "y", categorical=["n"])
    schema = read_table(found.X).schema
    assert schema["size"].kind == "ordinal"
    assert schema["size"].categories == ("S", "M", "L")
    assert (schema["size"].n_missing, schema["n"].n_categories) == (50_000, 200_000)


def test_the_command_line_leaves_the_index_out(tmp_path):
    from click.testing import CliRunner

    from mixedwood.cli import main

    written(tmp_path / "t.parquet", "named")
    model = tmp_path / "m.mw"
    done = CliRunner().invoke(
        main, ["fit", str(tmp_path / "t.parquet"), "--target", "y", "-o", str(model)]
    )
    assert done.exit_code == 0, done.output
    assert mw.load_model(model).schema_.names == ("a", "b")
