"""What a table promises: typed contiguous arrays, borrowed when possible, labels back."""

import pickle

import numpy as np
import pytest

from mixedwood.data import (
    MISSING,
    UNKNOWN,
    Column,
    ColumnKind,
    Schema,
    Table,
    read_table,
    unknown_counts,
)

ROWS = {"colour": ["red", None, "blue", "red"], "weight": [1.5, 2.0, float("nan"), 4.0]}


def test_columns_are_typed_and_contiguous():
    table = read_table(ROWS)
    assert (table.n_rows, table.n_columns, len(table)) == (4, 2, 4)
    assert table["colour"].dtype == np.int32
    assert table["weight"].dtype == np.float64
    assert all(array.flags.c_contiguous for array in table.arrays)
    assert table["colour"].tolist() == [1, MISSING, 0, 1]


def test_labels_come_back():
    table = read_table(ROWS)
    assert table.labels("colour").tolist() == ROWS["colour"]
    np.testing.assert_array_equal(table.labels("weight"), ROWS["weight"])


def test_labels_of_mixed_types_keep_their_types():
    table = read_table({"a": ["1", 1, 2.5, None]})
    assert table.labels("a").tolist() == ["1", 1, 2.5, None]
    assert [type(label) for label in table.labels("a")[:3]] == [str, int, float]


@pytest.mark.parametrize("rows", [[2, 0], np.array([2, 0]), (2, 0)])
def test_take_chooses_rows_by_position(rows):
    table = read_table(ROWS)
    part = table.take(rows)
    assert part.schema is table.schema
    assert part.labels("colour").tolist() == ["blue", "red"]


@pytest.mark.parametrize("rows", [[], np.zeros(4, dtype=bool)])
def test_taking_no_rows_gives_an_empty_table(rows):
    part = read_table(ROWS).take(rows)
    assert part.n_rows == 0
    assert part["colour"].dtype == np.int32


def test_take_understands_a_mask():
    part = read_table(ROWS).take(np.array([True, False, False, True]))
    assert part["weight"].tolist() == [1.5, 4.0]


def make_borrowable(library):
    column = np.array([1.0, 2.0, 3.0])
    if library == "numpy":
        X = np.asfortranarray(np.column_stack([column, column]))
        return X, X[:, 0]
    if library == "dict":
        return {"x0": column}, column
    module = pytest.importorskip(library)
    if library == "pyarrow":
        array = module.array(column)
        return module.table({"x0": array}), array.to_numpy()
    X = module.DataFrame({"x0": column})
    return X, X["x0"].to_numpy()


@pytest.mark.parametrize("library", ["numpy", "dict", "pandas", "polars", "pyarrow"])
def test_float64_columns_are_borrowed_not_copied(library):
    X, source = make_borrowable(library)
    assert np.shares_memory(read_table(X)["x0"], source)
    assert np.shares_memory(read_table(X, schema=read_table(X).schema)["x0"], source)


def test_strided_columns_are_copied_into_contiguous_ones():
    X = np.arange(12.0).reshape(4, 3)
    table = read_table(X)
    assert all(array.flags.c_contiguous for array in table.arrays)
    assert table["x1"].tolist() == [1.0, 4.0, 7.0, 10.0]


def test_unseen_values_are_counted_and_named():
    schema = read_table(ROWS).schema
    table = read_table({"colour": ["pink", "red", "mauve"], "weight": [1, 2, 3]}, schema=schema)
    assert table["colour"].tolist() == [UNKNOWN, 1, UNKNOWN]
    assert unknown_counts(table) == {"colour": 2}
    assert table.unknown == {"colour": ("mauve", "pink")}
    assert table.labels("colour").tolist() == [None, "red", None]
    assert unknown_counts(read_table(ROWS)) == {}


def test_repr_says_size_and_columns():
    text = repr(read_table(ROWS))
    assert text.startswith("Table of 4 rows and 2 columns")
    assert "nominal, 2 categories: 'blue', 'red'; 1 missing" in text


def test_tables_can_be_pickled():
    table = pickle.loads(pickle.dumps(read_table(ROWS)))
    assert table.labels("colour").tolist() == ROWS["colour"]


SCHEMA = Schema((Column("a", ColumnKind.NOMINAL, ("x",)), Column("b", ColumnKind.NUMERIC)))
CODES = np.array([0, -1], dtype=np.int32)
NUMBERS = np.array([0.5, 1.5])


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ((CODES,), "schema has 2 columns, but 1 arrays are given"),
        ((CODES.astype(np.int64), NUMBERS), "needs an array of int32"),
        ((CODES, NUMBERS.astype(np.float32)), "needs an array of float64"),
        ((CODES, [0.5, 1.5]), "not list"),
        ((CODES, NUMBERS[:1]), r"shape \(2,\), not float64 and shape \(1,\)"),
        ((CODES, np.arange(4.0)[::2]), "not contiguous"),
        ((CODES + np.int32(1), NUMBERS), "has 1 categories, but codes from 0 to 1"),
        ((CODES - np.int32(2), NUMBERS), "codes from -3 to -2"),
    ],
)
def test_arrays_that_would_mislead_the_native_core_are_refused(arrays, message):
    with pytest.raises(ValueError, match=message):
        Table(SCHEMA, arrays)
