"""Tables in files: which cells are numbers, which are missing, and whole writes."""

import gzip
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixedwood import files
from mixedwood.data.file_tables import read_file
from mixedwood.files import FileError, write_text


@pytest.mark.parametrize(
    ("cells", "numeric"),
    [
        (["1", "-2.5", "+3e4", ".5", "0", "0.10", "7."], True),
        (["1", "", "?", "NA"], True),
        (["1", "1e-999", "-0"], True),
        (["007", "1"], False),
        (["1_000"], False),
        (["1", "inf"], False),
        (["1e999"], False),
        (["0x10"], False),
        (["1", "one"], False),
        (["", "?"], False),
        (["2020-01-01"], False),
        (["."], False),
        (["1٣"], False),
    ],
)
def test_which_columns_are_numbers(cells, numeric, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n" + "".join(f"{cell},x\n" for cell in cells), "utf-8")
    column = read_file(path, "y").X["a"]
    assert isinstance(column, np.ndarray) == numeric
    missing = np.array([cell in ("", "?", "NA") for cell in cells])
    if numeric:
        np.testing.assert_array_equal(np.isnan(column), missing)
        np.testing.assert_array_equal(
            column[~missing], [float(c) for c in cells if c[:1] not in "?N"]
        )
    else:
        want = [None if gone else cell for cell, gone in zip(cells, missing, strict=True)]
        assert column.to_pylist() == want


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_separators_quotes_and_spaces(mark, tmp_path):
    path = tmp_path / "t.csv.gz"
    text = f'\ufeffname{mark} y \n"a{mark}b"{mark} no\n\n"say ""hi"""{mark}yes\n'
    path.write_bytes(gzip.compress(text.encode("utf-8")))
    table = read_file(path, "y")
    assert table.X["name"].to_pylist() == [f"a{mark}b", 'say "hi"']
    assert table.y.tolist() == ["no", "yes"]


def test_the_class_is_not_a_column_to_drop(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,x\n", "utf-8")
    with pytest.raises(FileError, match="'y' is the target"):
        read_file(path, "y", drop=["y"])


def test_a_write_that_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "t.txt"
    write_text(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "new \ud800")
    assert path.read_text("utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def error_of(path, content):
    path.write_bytes(content)
    with pytest.raises(FileError) as found:
        read_file(path, "y")
    return str(found.value)


def test_errors_name_the_file_and_the_line(tmp_path):
    path = tmp_path / "t.csv"
    ragged = b'a,y\n"two\nlines",x\n\n1,2,3\n'
    assert error_of(path, ragged).startswith(f"{path}, line 5: 3 fields, but the header has 2.")
    assert "(byte 8)" in error_of(path, b"a,y\n\xc3\xa4,x\xff\n")
    late = b"a,y\n" + b"1,x\n" * 100_000 + b"1,\xe4\n"
    assert f"(byte {4 + 400_000 + 2})" in error_of(path, late)
    assert "row 2 below the header" in error_of(path, b'a,y\n1,x\n2,"z\n3,x\n')
    assert "row 1 below the header" in error_of(path, b'a,y\n1,"x')
    assert "more than 8 MB" in error_of(path, b'a,y\n1,"x\n' + b"1,x\n" * 8_000_000)
    assert "a column has no name" in error_of(path, b"a,,y\n1,2,3\n")
    assert "is empty" in error_of(path, b"\n\n")
    assert "no rows below its header" in error_of(path, b"a,y")
    assert "cannot be read" in error_of(tmp_path / "t.csv.gz", gzip.compress(b"a,y\n" * 99)[:-9])


def test_quoted_cells_may_have_line_breaks_and_the_header_too(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b'\xef\xbb\xbf\r\n"a\r\nb",y\r\n"x\ny",no\r\n5",yes')
    table = read_file(path, "y")
    assert table.X["a\r\nb"].to_pylist() == ["x\ny", '5"']
    assert table.y.tolist() == ["no", "yes"]


def test_many_blocks_are_one_column(tmp_path, monkeypatch):
    monkeypatch.setattr(files.text, "_BLOCK", 1000)
    cells = [f"v{i % 97}" if i % 5 else " NA " for i in range(5000)]
    path = tmp_path / "t.csv"
    rows = "".join(f"{cell},{i / 7!r},{'xz'[i % 2]}\n" for i, cell in enumerate(cells))
    path.write_text("a,b,y\n" + rows, "utf-8")
    table = read_file(path, "y")
    assert table.X["a"].to_pylist() == [None if cell == " NA " else cell for cell in cells]
    np.testing.assert_array_equal(table.X["b"], np.arange(5000) / 7)


@given(st.lists(st.text("0123456789+-.eE_ infa", min_size=1, max_size=9), min_size=1, max_size=5))
def test_numbers_are_those_of_python(cells):
    """A regular expression says what a number is, and Python how large it is."""
    pattern = re.compile(r"[+-]?(0|[1-9]\d*|(?=\.\d))(\.\d*)?([eE][+-]?\d+)?")
    text = "a,y\n" + "".join(f'"{cell}",x\n' for cell in cells)
    column = files.read_text(files.Source(Path("t.csv"), text.encode()), missing=())["a"]
    expected = [
        float(cell) if pattern.fullmatch(cell) and np.isfinite(float(cell)) else np.nan
        for cell in column.values.to_pylist()
    ]
    assert set(column.values.to_pylist()) == {cell.strip() for cell in cells}
    np.testing.assert_array_equal(column.numbers(), expected)


def test_without_pyarrow_it_is_said_what_to_install(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,x\n", "utf-8")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(FileError, match=r"pip install 'mixedwood\[cli\]'"):
        read_file(path, "y")
    with pytest.raises(FileError, match=r"pip install 'mixedwood\[cli\]'"):
        files.table_bytes({"a": [1]}, ".parquet")
