"""Formats found by content, notations of numbers, dates, and hints at columns that are misread."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mixedwood as mw
from cli.woods import ok, run
from mixedwood.data import read_table
from mixedwood.data.file_hints import common_unit
from mixedwood.data.file_tables import read_columns, read_file
from mixedwood.files import FileError, ReadOptions, Source, read_text

N = 60


def plants():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "seen": pd.date_range("2023-12-01 06:00", periods=N, freq="19h"),
            "height": rng.normal(1500, 700, N).round(2),
            "weight": rng.integers(1, 90, N),
            "city": rng.choice(["Köln", "Łódź", "Rom"], N),
        }
    )
    day = frame["seen"].dt.day_of_week
    frame["y"] = np.where((frame["height"] > 1500) ^ (day > 4), "yes", "no")
    return frame


WRITERS = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "feather": lambda frame, path: frame.to_feather(path),
    "parquet": lambda frame, path: frame.to_parquet(path),
    "jsonl": lambda frame, path: frame.to_json(
        path, orient="records", lines=True, date_format="iso"
    ),
}


@pytest.mark.parametrize("form", WRITERS)
@pytest.mark.parametrize("suffix", [None, ".txt"])  # the name does not matter
def test_every_format_gives_the_same_table(form, suffix, tmp_path):
    if form == "xlsx":
        pytest.importorskip("openpyxl")
        pytest.importorskip("python_calamine")
    frame = plants()
    path = tmp_path / f"t.{form}"
    WRITERS[form](frame, path)
    if suffix:
        path = path.rename(tmp_path / f"t{suffix}")
    table = read_file(path, "y", dates=True)
    dates = frame["seen"].dt
    expected = read_table(
        {
            "seen year": dates.year.to_numpy(),
            "seen month": dates.month.to_numpy(),
            "seen weekday": dates.day_name().str[:3].to_list(),
            "seen days": (frame["seen"].dt.normalize() - pd.Timestamp(0)).dt.days.to_numpy(),
            "seen hour": dates.hour.to_numpy(),
            **{name: frame[name] for name in ("height", "weight", "city")},
        }
    )
    found = read_table(table.X)
    assert found.schema == expected.schema
    for one, other in zip(found.arrays, expected.arrays, strict=True):
        np.testing.assert_array_equal(one, other)
    assert table.y.tolist() == frame["y"].tolist()
    assert table.options.dates == ("seen",)


def test_an_arrow_stream_and_gzipped_text(tmp_path):
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"a": [1, 2, 3], "y": ["p", "q", "p"]})
    with pa.ipc.new_stream(tmp_path / "t.bin", table.schema) as out:
        out.write_table(table)
    assert read_columns(tmp_path / "t.bin")["a"].to_pylist() == [1, 2, 3]
    (tmp_path / "t.gz").write_bytes(gzip.compress(b'{"a": 1, "y": "p"}\n{"a": 2, "y": "q"}\n'))
    assert read_file(tmp_path / "t.gz", "y").y.tolist() == ["p", "q"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"FEA1rest", "Feather file of version 1"),
        (b"ARROW1\0\0broken", "cannot be read as Arrow"),
        (b"PAR1broken", "cannot be read as Parquet"),
        (b'[{"a": 1}]', "list of JSON objects.*lines=True"),
        (b'{"a": 1}\n{"a": }\n', "cannot be read as JSON lines"),
        (b"PK\x03\x04broken", "cannot be read"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1broken", "cannot be read as Excel"),
        ("a,y\nä,1\n".encode("latin-1"), "not UTF-8 text.*--encoding cp1252"),
    ],
)
def test_damaged_and_other_files_are_named(content, message, tmp_path):
    if content.startswith(b"\xd0"):
        pytest.importorskip("python_calamine")
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(FileError, match=message) as found:
        read_file(path, "y")
    assert str(path) in str(found.value)


def test_a_zip_of_a_table_is_pointed_out(tmp_path):
    frame = plants()
    frame.to_csv(tmp_path / "t.csv.zip", index=False)
    with pytest.raises(FileError, match="is a zip archive"):
        read_file(tmp_path / "t.csv.zip", "y")


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8-sig"])
def test_encodings_give_the_same_text(encoding, tmp_path):
    path = tmp_path / "t.csv"
    text = "stadt;y\n" + "".join(f"Köln {i}é;ja\n" for i in range(40_000))
    path.write_bytes(text.encode(encoding))
    given_by_mark = encoding in ("utf-16", "utf-8-sig")
    options = ReadOptions() if given_by_mark else ReadOptions(encoding=encoding)
    column = read_columns(path, options=options)["stadt"]
    assert column.to_list() == [f"Köln {i}é" for i in range(40_000)]


def test_a_wrong_encoding_is_an_error(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("ä;y\n1;2\n".encode("latin-1"))
    with pytest.raises(FileError, match="is not ascii text"):
        read_file(path, "y", options=ReadOptions(encoding="ascii"))
    with pytest.raises(FileError, match="'latin-99' is not known"):
        ReadOptions(encoding="latin-99")


def text_column(cells, options):
    content = "a;y\n" + "".join(f"{cell};x\n" for cell in cells)
    return read_text(Source(Path("t.csv"), content.encode(), options))["a"]


@given(
    st.lists(st.decimals(-(10**9), 10**9, allow_nan=False, places=2), min_size=1, max_size=20),
    st.sampled_from([(".", ""), (",", ""), (",", "."), (".", ","), (",", " "), (".", "'")]),
    st.sampled_from(["", "kg", "€", "%"]),
)
def test_numbers_in_any_notation_are_parsed_as_they_were_written(numbers, signs, unit):
    decimal, thousands = signs
    swap = str.maketrans({",": thousands, ".": decimal})
    cells = [f"{number:,.2f}".translate(swap) for number in numbers]
    cells = [f"{unit} {cell}" if unit == "€" else f"{cell} {unit}" for cell in cells]
    column = text_column(cells, ReadOptions(decimal=decimal, thousands=thousands))
    parsed = column.spread(column.numbers(unit=unit), np.nan)
    assert parsed.tolist() == [float(number) for number in numbers]


@pytest.mark.parametrize("cell", ["1.5", "1,2,3", "1.234.5", "12,34.5", ",", "1,5,"])
def test_other_notations_are_not_numbers_then(cell):
    options = ReadOptions(decimal=",", thousands=".")
    column = text_column([cell, "1"], options)
    assert np.isnan(column.numbers()[0])


HINTS = [
    (["1,5", "2,25"], "--decimal ,"),
    (["1.200,5", "7,25"], "--decimal , --thousands ."),
    (["1,200", "7,250"], "--decimal , or --thousands ,"),
    (["1,200,000", "7,250.5"], "--thousands ','"),
    (["1'200", "750"], '--thousands "\'"'),
    (["12 kg", "7.5 kg"], "--numeric a"),
    (["€ 12", "€ 7"], "--numeric a"),
    (["2024-02-29", "2023-01-31 10:00"], "--dates"),
    (["12 kg", "7 g"], None),
    (["007", "012"], None),
    (["a 1", "b 2"], None),
    (["2024-02-30", "2023-01-31"], None),
    (["red", "green"], None),
    (["1-3", "4-6"], None),
    (["31.12.2023", "1.2.2024"], "--dates"),
    (["12/31/2023", "02/01/2024"], "--dates"),
    (["31.12/2023", "1.2.2024"], None),
    ([*(f"{i}.200,5" for i in range(1, 11)), "n/a"], "--decimal , --thousands ."),
    ([*(f"{i},5 kg" for i in range(9)), "12 kg", "unknown", "-"], "--numeric a"),
    ([*(f"0{i}" for i in range(10, 30)), "none"], None),
    ([*map(str, range(1, 6)), "other"], None),
]


@pytest.mark.parametrize(("cells", "option"), HINTS)
def test_hints_name_the_option_that_reads_the_cells(cells, option, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;y\n" + "".join(f"{cell};{i % 2}\n" for i, cell in enumerate(cells)), "utf-8")
    hints = read_file(path, "y").hints
    assert (hints["a"].rpartition("use: ")[2] if hints else None) == option


def test_words_among_numbers_are_named(tmp_path):
    path = tmp_path / "t.csv"
    cells = [*map(str, range(1, 20)), "unknown"]
    path.write_text("a;y\n" + "".join(f"{cell};{i % 2}\n" for i, cell in enumerate(cells)), "utf-8")
    assert read_file(path, "y").hints["a"] == (
        "Column 'a' is categorical, but apart from 'unknown' its cells look like numbers, such as "
        "'1'. If these are missing values, leave the cells empty."
    )


def test_units_are_found_once_for_all_cells():
    assert common_unit(["5 %", "7%"]) == "%"
    assert common_unit(["1 2", "3"]) == ""
    assert common_unit([]) == ""


def test_a_model_reads_new_rows_as_it_read_its_own(tmp_path):
    frame = plants()
    frame.insert(0, "id", [f"{i:03}" for i in range(N)])
    german = frame.assign(
        height=[f"{h:,.2f}".translate(str.maketrans(",.", ".,")) for h in frame["height"]],
        weight=[f"{w} kg" for w in frame["weight"]],
    )
    train, new, model = tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "m.mw"
    german.to_csv(train, sep=";", index=False, encoding="utf-16")
    german.iloc[::2].to_csv(new, sep=";", index=False, encoding="utf-16")
    plain = ok("fit", train, "--target", "y", "-o", model, "--drop", "id")
    for option in ("--dates", "--decimal , --thousands .", "--numeric weight"):
        assert option in plain.stderr
    assert "identif" not in plain.stderr  # what is only misread is not to be dropped
    reading = ["--decimal", ",", "--thousands", ".", "--numeric", "weight", "--dates"]
    found = ok("fit", train, "--target", "y", "-o", model, "--drop", "id", *reading, "--force")
    assert "look like" not in found.stderr
    assert mw.load_model(model).schema_["weight"].is_numeric
    predicted = ok("predict", model, new).stdout.split()[1:]
    frame.to_csv(tmp_path / "plain.csv", index=False)
    same, plain_csv = tmp_path / "same.mw", tmp_path / "plain.csv"
    ok("fit", plain_csv, "--target", "y", "-o", same, "--drop", "id", "--dates")
    assert ok("predict", same, plain_csv).stdout.split()[1::2] == predicted
    assert len(set(predicted)) == 2
    assert "accuracy" in ok("evaluate", model, new).stdout
    ok("explain", model, new, "--row", 3)
    wrong = run("predict", model, new, "--decimal", ".", "--thousands", ",")
    assert wrong.exit_code == 3
    assert "column 'height' is numeric" in wrong.stderr
    other = german.assign(weight=[f"{w} g" for w in frame["weight"]])
    other.to_csv(new, sep=";", index=False)
    assert "column 'weight' is numeric, but row 1" in run("predict", model, new).stderr
    german.assign(seen="soon").to_csv(new, sep=";", index=False)
    assert "column 'seen' was a date in training" in run("predict", model, new).stderr


def test_a_table_without_a_header(tmp_path):
    frame = plants()[["height", "weight", "y"]]
    frame.to_csv(tmp_path / "t.csv", index=False, header=False)
    model = tmp_path / "m.mw"
    ok("fit", tmp_path / "t.csv", "--target", "column3", "--no-header", "-o", model)
    assert mw.load_model(model).schema_.names == ("column1", "column2")
    lines = ok("predict", model, tmp_path / "t.csv").stdout.split()
    assert len(lines) == N + 1
    twice = tmp_path / "twice.csv"
    twice.write_text("1,1,2\n3,4,5\n")
    assert "use --no-header" in run("fit", twice, "--target", "1", "-o", model, "--force").stderr


def test_a_model_without_splits_says_so(tmp_path):
    path = tmp_path / "t.csv"
    rng = np.random.default_rng(0)
    lines = [f"{rng.random():.3f},{rng.choice(['p', 'q'])}" for _ in range(80)]
    path.write_text("a,y\n" + "\n".join(lines) + "\n")
    model = tmp_path / "m.mw"
    assert "The model has no split" in ok("fit", path, "--target", "y", "-o", model, "-q").stderr


def test_sheets_are_chosen_by_name(tmp_path):
    pytest.importorskip("openpyxl")
    pytest.importorskip("python_calamine")
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as book:
        plants()[["weight", "y"]].to_excel(book, sheet_name="first", index=False)
        frame = pd.DataFrame({"n": [1, "NA", 3], "t": ["a", 5, None], "b": [True, False, True]})
        frame.assign(y=["p", "q", "p"]).to_excel(book, sheet_name="second", index=False)
    columns = read_columns(path, options=ReadOptions(sheet="second"))
    assert columns["n"].to_pylist() == [1, None, 3]
    assert columns["t"].to_pylist() == ["a", "5", None]
    assert columns["b"].to_pylist() == [True, False, True]
    assert list(read_columns(path)) == ["weight", "y"]
    with pytest.raises(FileError, match=r"no sheet 'third'\. It has: first, second"):
        read_columns(path, options=ReadOptions(sheet="third"))


def test_options_of_reading_survive_a_model_file_and_nothing_else_does():
    options = ReadOptions(decimal=",", units={"a": "kg"}, dates=("b",), header=False)
    assert ReadOptions.from_dict(options.to_dict()) == options
    assert ReadOptions().to_dict() == {}
    for strange in ({"decimal": 1}, {"code": "x"}, {"units": {"a": 1}}, {"dates": [1]}):
        with pytest.raises(FileError, match="Unknown options"):
            ReadOptions.from_dict(strange)
    for wrong in ({"decimal": ";"}, {"thousands": "ab"}, {"thousands": "."}, {"thousands": "7"}):
        with pytest.raises(FileError):
            ReadOptions(**wrong)
