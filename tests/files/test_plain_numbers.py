"""Columns of a CSV file that come as numbers are those that their text would give."""

import numpy as np
import pytest

from mixedwood.data import file_tables
from mixedwood.data.file_tables import read_file
from mixedwood.files import FileError, Source, TextColumn, read_text, read_typed_text, text

pa = pytest.importorskip("pyarrow")

PLAIN = [
    "0",
    "-0",
    "1.",
    ".5",
    "-.5",
    "12",
    "1e5",
    "1E-3",
    "0.0",
    "0e1",
    "-12.75",
    "3.14159265358979",
]
ODD = [
    "007", "-01", "+5", " 7", "8 ", "+-5", "1_000", "1,5", "1e400", "inf", "nan", "NA",
    "?", "", "N/A", "0x10", "e5", ".", "-", "\uff15", "1 2", "true", "00", "+0.5", "\u00a09",
    "1e", "infinity", "NaN", " ",
]  # fmt: skip


def same(one, other):
    assert list(one.X) == list(other.X)
    for name, cells in one.X.items():
        others = other.X[name]
        assert type(cells) is type(others), name
        if isinstance(cells, np.ndarray):
            assert cells.tobytes() == others.tobytes(), name
        else:
            assert cells.to_pylist() == others.to_pylist(), name
    assert one.y.tolist() == other.y.tolist()
    assert one.hints == other.hints


@pytest.mark.parametrize("seed", range(20))
def test_numbers_are_those_of_the_text(seed, tmp_path, monkeypatch):
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(text, "_HEAD", int(rng.integers(40, 400)))
    monkeypatch.setattr(text, "_BLOCK", int(rng.integers(200, 1000)))
    columns = {}
    for j in range(8):
        cells = rng.choice(PLAIN, 60)
        few = rng.choice(ODD, rng.integers(0, 3))  # in some columns only
        for cell in few:
            cells = np.where(rng.random(60) < 0.1, cell, cells)
        columns[f"x{j}"] = [f'"{c}"' if "," in c else c for c in cells.tolist()]
    columns["y"] = rng.choice(["a", "b"], 60).tolist()
    lines = [",".join(columns), *map(",".join, zip(*columns.values(), strict=True))]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    found = read_file(path, "y")
    monkeypatch.setattr(file_tables, "read_typed_text", lambda source, _: read_text(source))
    same(found, read_file(path, "y"))


@pytest.mark.parametrize("cell", [*PLAIN, *ODD])
@pytest.mark.parametrize("first", ["1", ""])
def test_each_kind_of_cell(cell, first, tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    quoted = f'"{cell}"' if "," in cell else cell
    path.write_text(f"x,y\n1,a\n{first},a\n{quoted},b\n2,b\n", "utf-8")
    found = read_file(path, "y")
    monkeypatch.setattr(file_tables, "read_typed_text", lambda source, _: read_text(source))
    same(found, read_file(path, "y"))


def test_columns_of_numbers_have_no_text(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,c,code,y\n1.5,a,007,k\n,b,008,l\n")
    columns = read_typed_text(Source(path), ["y"])
    np.testing.assert_array_equal(columns["x"], [1.5, np.nan])
    assert [name for name, cells in columns.items() if isinstance(cells, TextColumn)] == [
        "c",
        "code",
        "y",
    ]
    assert isinstance(read_typed_text(Source(path), ["x"])["x"], TextColumn)


def test_columns_that_cease_to_be_numbers_are_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "_HEAD", 30)
    names = [f"x{j}" for j in range(6)]
    lines = [",".join(names), *["1,2,3,4,5,6"] * 20, "a,b,c,d,e,6"]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines))
    readings = []
    original = text._read_columns

    def read(source, plain):
        readings.append(list(plain))
        return original(source, plain)

    monkeypatch.setattr(text, "_read_columns", read)
    columns = read_typed_text(Source(path), [])
    assert [len(plain) for plain in readings] == [6, 5, 4, 0]
    assert all(isinstance(cells, TextColumn) for cells in columns.values())
    assert columns["x0"].to_list() == ["1"] * 20 + ["a"]


def test_an_open_quotation_mark_is_found_at_the_end_of_a_long_file(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "_HEAD", 64)
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "1,a\n" * 500 + '2,"b')
    with pytest.raises(FileError, match="Close the quotation mark"):
        read_file(path, "y")
