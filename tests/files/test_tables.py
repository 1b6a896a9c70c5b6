"""Tables in files: which cells are numbers, which are missing, and whole writes."""

import gzip

import numpy as np
import pytest

from mixedwood.files import FileError, read_file, write_text


@pytest.mark.parametrize(
    ("cells", "numeric"),
    [
        (["1", "-2.5", "+3e4", ".5", "0", "0.10", "7."], True),
        (["1", "", "?", "NA"], True),
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
    assert (column.dtype == np.float64) == numeric
    missing = np.array([cell in ("", "?", "NA") for cell in cells])
    if numeric:
        np.testing.assert_array_equal(np.isnan(column), missing)
        np.testing.assert_array_equal(
            column[~missing], [float(c) for c in cells if c[:1] not in "?N"]
        )
    else:
        want = [None if gone else cell for cell, gone in zip(cells, missing, strict=True)]
        assert column.tolist() == want


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_separators_quotes_and_spaces(mark, tmp_path):
    path = tmp_path / "t.csv.gz"
    text = f'\ufeffname{mark} y \n"a{mark}b"{mark} no\n\n"say ""hi"""{mark}yes\n'
    path.write_bytes(gzip.compress(text.encode("utf-8")))
    table = read_file(path, "y")
    assert table.X["name"].tolist() == [f"a{mark}b", 'say "hi"']
    assert table.y.tolist() == ["no", "yes"]


def test_the_class_is_not_a_column_to_drop(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,x\n", "utf-8")
    with pytest.raises(FileError, match="'y' is the class"):
        read_file(path, "y", drop=["y"])


def test_a_write_that_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "t.txt"
    write_text(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "new \ud800")
    assert path.read_text("utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]
