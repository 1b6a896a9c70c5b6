"""Folders of data sets: read what is described, refuse what is not as described."""

import gzip
import hashlib
import json

import numpy as np
import pytest

from mixedwood import datasets
from mixedwood.datasets.folder import DataFolder, cache_folder


@pytest.fixture
def load_from(monkeypatch):
    def load(folder, name="toy", **options):
        monkeypatch.setenv("MIXEDWOOD_DATA", str(folder))
        return datasets.load(name, frame="dict", **options)

    return load


def test_a_described_set_is_read_with_its_types(write_folder, load_from):
    data = load_from(write_folder())
    assert (data.name, data.source, data.n_samples, data.n_features) == ("toy", "folder", 4, 4)
    assert (data.nominal_features, data.ordinal_features, data.numeric_features) == (
        ("color", "code"),
        ("size",),
        ("weight",),
    )
    assert data.columns[0].categories == ("NA", "none", "red")
    assert data.columns[1].categories == ("small", "medium", "large")
    assert data.notes == "Toy. made for tests"


def test_labels_that_look_like_numbers_stay_text(write_folder, load_from):
    data = load_from(write_folder())
    assert data.columns[3].categories == ("007", "10", "2_3")


def test_only_the_empty_field_is_missing(write_folder, load_from):
    data = load_from(write_folder())
    assert data.X["color"].tolist() == ["red", "none", None, "NA"]


def test_a_nominal_column_may_have_a_natural_order(write_folder, load_from, toy):
    order = ["small", "medium", "large", "huge"]
    columns = [dict(c) for c in toy.columns]
    columns[1] = {"name": "size", "type": "nominal", "natural_order": order}
    size = load_from(write_folder(columns=columns)).columns[1]
    assert size.kind == "nominal"
    assert size.categories == ("large", "medium", "small")
    assert size.natural_order == tuple(order)


def test_many_rows_are_read_in_their_order(write_folder, load_from, toy):
    header = toy.text.splitlines()[0]
    lines = [f"c{i % 7},small,{i / 4},{i},{'yes' if i % 3 else 'no'}" for i in range(5000)]
    folder = write_folder("\n".join([header, *lines]), rows=5000, class_counts={})
    data = load_from(folder)
    assert np.array_equal(data.X["weight"], np.arange(5000) / 4)
    assert data.X["code"].tolist() == [str(i) for i in range(5000)]


def test_a_wrong_checksum_is_refused(write_folder, load_from):
    with pytest.raises(datasets.DamagedDatasetError, match=r"'toy' in .*SHA-256.*expected"):
        load_from(write_folder(sha256="0" * 64))


def test_an_absent_file_is_named(write_folder, load_from):
    folder = write_folder()
    (folder / "toy.csv.gz").unlink()
    with pytest.raises(datasets.DamagedDatasetError, match=r"toy\.csv\.gz cannot be read"):
        load_from(folder)


@pytest.mark.parametrize(
    "packed",
    [
        pytest.param(b"no gzip at all", id="other content"),
        pytest.param(gzip.compress(b"color,size\n" * 99)[:-9], id="cut short"),
    ],
)
def test_a_damaged_gzip_is_refused(write_folder, load_from, packed):
    with pytest.raises(datasets.DamagedDatasetError, match=r"toy\.csv\.gz cannot be read"):
        load_from(write_folder(packed=packed))


def test_text_that_is_not_utf8_is_refused(write_folder, load_from):
    with pytest.raises(datasets.DamagedDatasetError, match="UTF-8"):
        load_from(write_folder(packed=gzip.compress(b"color\xff\n1\n")))


def test_a_missing_column_is_named(write_folder, load_from, toy):
    text = "\n".join(line.split(",", 1)[1] for line in toy.text.splitlines())
    with pytest.raises(datasets.DamagedDatasetError, match=r"missing \['color'\]"):
        load_from(write_folder(text))


def test_columns_in_another_order_are_refused(write_folder, load_from, toy):
    text = toy.text.replace("color,size", "size,color")
    with pytest.raises(datasets.DamagedDatasetError, match="order is different"):
        load_from(write_folder(text))


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("red,small,1.5", "red,small", "line 2: 4 fields, but the header has 5"),
        ("1.5", "2_3", "'weight' has '2_3', which is not a plain number"),
        ("1.5", "nan", "'weight' has 'nan'"),
        ("1.5", "inf", "'weight' has 'inf'"),
        ("1.5", "?", r"'weight' has '\?'"),
        ("small", "tiny", "not in its natural order"),
        ("007,yes", "007,", "row 4 has no class"),
        ("007,yes", "007,no", "classes are"),
        ("NA,,3,007,yes\n", "", "3 rows instead of 4"),
    ],
)
def test_content_that_contradicts_its_description_is_refused(
    write_folder, load_from, toy, before, after, message
):
    assert toy.text.count(before) == 1
    with pytest.raises(datasets.DamagedDatasetError, match=message):
        load_from(write_folder(toy.text.replace(before, after)))


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"file": "../toy.csv.gz"}, "not a plain file name"),
        ({"columns": []}, "invalid"),
        ({"columns": [{"name": "class", "role": "class"}, {"name": "a"}]}, "lacks 'type'"),
        ({"columns": [{"name": "class", "role": "class"}, {"name": "a", "type": "date"}]}, "date"),
        (
            {"columns": [{"name": "class", "role": "class"}, {"name": "a", "type": "ordinal"}]},
            "no natural_order",
        ),
    ],
)
def test_a_description_that_cannot_be_used_says_why(write_folder, load_from, entry, message):
    with pytest.raises(datasets.DamagedDatasetError, match=message):
        load_from(write_folder(**entry))


@pytest.mark.parametrize("use", [datasets.names, lambda: datasets.load("toy")])
def test_a_folder_without_manifest_is_an_error_not_silence(write_folder, monkeypatch, use):
    monkeypatch.setenv("MIXEDWOOD_DATA", str(write_folder(manifest=False)))
    with pytest.raises(datasets.DamagedDatasetError, match="set by MIXEDWOOD_DATA, has no"):
        use()


@pytest.mark.parametrize("content", ["{", "[1]", '{"name": 1}', '[{"file": "x"}]'])
def test_a_manifest_that_is_not_one_is_named(write_folder, load_from, content):
    folder = write_folder()
    (folder / "manifest.json").write_text(content)
    with pytest.raises(datasets.DamagedDatasetError, match=r"manifest\.json is not a list"):
        load_from(folder)


def test_other_json_files_in_the_folder_do_no_harm(write_folder, load_from):
    folder = write_folder()
    (folder / "notes.json").write_text("{")
    assert load_from(folder).n_samples == 4


def test_generated_sets_do_not_look_into_the_folder(tmp_path, load_from):
    assert load_from(tmp_path / "nowhere", "monks-1").source == "generated"


def test_the_folder_is_used_before_the_cache(write_folder, load_from):
    folder = write_folder()
    table, notes = DataFolder(folder).read("toy")
    cache_folder().write("toy", table, notes=notes, origin="test")
    assert load_from(folder).source == "folder"
    assert load_from(folder, source="cache").source == "cache"


def test_what_is_written_reads_back_equal(write_folder, tmp_path):
    table, notes = DataFolder(write_folder()).read("toy")
    other = DataFolder(tmp_path / "other")
    other.write("toy", table, notes=notes, origin="test")
    again, again_notes = other.read("toy")
    assert again_notes == notes
    assert again.columns == table.columns
    assert again.classes == table.classes
    assert np.array_equal(again.target, table.target)
    for left, right in zip(again.data, table.data, strict=True):
        assert np.array_equal(left, right, equal_nan=left.dtype == np.float64)


def test_numbers_are_written_so_that_they_read_back_exactly(tmp_path):
    table = datasets.sources.SOURCES["generated"].read("waveform")[0]
    folder = DataFolder(tmp_path)
    folder.write("waveform", table, notes="", origin="test")
    again, _ = folder.read("waveform")
    assert all(np.array_equal(a, b) for a, b in zip(again.data, table.data, strict=True))


def test_writing_leaves_only_the_data_and_its_description(write_folder, tmp_path):
    table, _ = DataFolder(write_folder()).read("toy")
    for _ in range(2):
        DataFolder(tmp_path / "other").write("toy", table, notes="", origin="test")
    assert sorted(p.name for p in (tmp_path / "other").iterdir()) == ["toy.csv.gz", "toy.json"]
    assert json.loads((tmp_path / "other" / "toy.json").read_text())["rows"] == 4


def test_a_failed_write_leaves_nothing_behind(write_folder, tmp_path, monkeypatch):
    table, _ = DataFolder(write_folder()).read("toy")

    def fail(*args):
        raise OSError("disk full")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        DataFolder(tmp_path / "other").write("toy", table, notes="", origin="test")
    assert list((tmp_path / "other").iterdir()) == []


def test_the_cache_is_in_the_users_cache_directory_by_default(monkeypatch, tmp_path):
    monkeypatch.delenv("MIXEDWOOD_CACHE")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder().path == tmp_path / "mixedwood"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder().path == tmp_path / ".cache" / "mixedwood"


@pytest.fixture
def write_numbers(tmp_path):
    """A folder of a table with a number to predict, `toy`, below another folder."""

    def write(text="size,color,price\nsmall,red,1.5\nlarge,,-2\nsmall,blue,10\n", **changes):
        place = tmp_path / "numbers"
        place.mkdir(exist_ok=True)
        packed = gzip.compress(text.encode())
        (place / "toy.csv.gz").write_bytes(packed)
        entry = {
            "name": "toy",
            "task": "regression",
            "file": "toy.csv.gz",
            "sha256": hashlib.sha256(packed).hexdigest(),
            "target": "price",
            "columns": [
                {"name": "size", "type": "ordinal", "order": ["small", "large"]},
                {"name": "color", "type": "nominal"},
            ],
        }
        (place / "manifest.json").write_text(json.dumps([entry | changes]), "utf-8")
        (tmp_path / "manifest.json").write_text("[]", "utf-8")
        return place

    return write


@pytest.mark.parametrize("below", [False, True])
def test_a_table_with_a_number_to_predict_is_read(write_numbers, load_from, below):
    folder = write_numbers()
    data = load_from(folder.parent, "numbers/toy") if below else load_from(folder)
    assert data.y.tolist() == [1.5, -2.0, 10.0]
    assert data.X["color"].tolist() == ["red", None, "blue"]
    assert data.columns[0].categories == ("small", "large")
    assert "target: mean 3.167" in repr(data)
    assert datasets.names()["numbers/toy" if below else "toy"] == "folder"


@pytest.mark.parametrize(
    ("text", "changes", "message"),
    [
        ("size,color,price\nsmall,red,\n", {}, "row 1 has no number in column 'price'"),
        ("size,color,price\nsmall,red,cheap\n", {}, "'cheap'"),
        ("size,color\nsmall,red\n", {}, "price"),
        ("size,color,price\nsmall,red,1\n", {"rows": 2}, "1 rows instead of 2"),
    ],
)
def test_a_target_that_is_no_number_is_refused(write_numbers, load_from, text, changes, message):
    folder = write_numbers(text, **changes)
    with pytest.raises(datasets.DamagedDatasetError, match=message):
        load_from(folder)


@pytest.mark.parametrize("name", ["other/toy", "../numbers/toy", "numbers/none"])
def test_a_folder_that_is_not_there_has_no_tables(write_numbers, load_from, name):
    folder = write_numbers()
    with pytest.raises(datasets.DatasetNotFoundError):
        load_from(folder.parent, name)
