"""Every refusal says what came, where, what is accepted and what to do about it."""

import datetime
from decimal import Decimal

import numpy as np
import pytest
from scipy import sparse

from mixedwood.data import read_table
from mixedwood.data.errors import few

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

DAY = datetime.date(2020, 1, 1)

CELLS = [
    (pd.DataFrame({"when": pd.to_datetime(["2020"])}), ["'when'", "Datetime", "the month"]),
    (pl.DataFrame({"when": [DAY]}), ["'when'", "dtype Date", "the month"]),
    (pl.DataFrame({"when": [datetime.time(1)]}), ["'when'", "dtype Time", "numbers or categories"]),
    (pd.DataFrame({"when": pd.to_timedelta([1])}), ["'when'", "Duration", "numbers or categories"]),
    (pd.DataFrame({"when": pd.period_range("2020", periods=1)}), ["Period", "row 0", "the month"]),
    ({"when": ["x", DAY]}, ["'when'", "datetime.date(2020, 1, 1)", "row 1", "the month"]),
    ({"when": [pd.Timestamp("2020")]}, ["'when'", "Timestamp", "row 0", "the month"]),
    (np.array([["2020"]], dtype="datetime64[D]"), ["'x0'", "datetime64[D]", "the month"]),
    (pl.DataFrame({"a": [[1]]}), ["'a'", "List(Int64)", "column of its own"]),
    (pl.DataFrame({"a": [{"b": 1}]}), ["'a'", "Struct", "column of its own"]),
    ({"a": ["x", {"b": 1}]}, ["'a'", "{'b': 1}", "dict", "row 1", "column of its own"]),
    ({"a": [(1, 2)]}, ["'a'", "(1, 2)", "tuple", "row 0", "column of its own"]),
    (np.array([[b"a"]]), ["'x0'", "bytes", "Decode"]),
    (pl.DataFrame({"a": [b"x"]}), ["'a'", "Binary", "Decode"]),
    ({"a": [b"x"]}, ["'a'", "b'x'", "row 0", "Decode"]),
    ({"a": ["x", pd.Interval(0, 1)]}, ["'a'", "Interval", "row 1", "str(value)"]),
    (pd.DataFrame({"a": pd.Categorical([DAY])}), ["'a'", "date", "the month"]),
]


@pytest.mark.parametrize(("X", "parts"), CELLS)
def test_types_that_are_not_read_are_named_with_a_way_out(X, parts):
    with pytest.raises(TypeError) as caught:
        read_table(X)
    for part in [*parts, "text, categories, booleans or real numbers"]:
        assert part in str(caught.value)


@pytest.mark.parametrize("X", [np.ones((2, 1)) * 1j, pd.DataFrame({"x0": [1j]}), [[1j]]])
def test_complex_numbers_are_refused(X):
    with pytest.raises(ValueError, match=r"Complex data not supported: column 'x0'.*imaginary"):
        read_table(X)


@pytest.mark.parametrize(
    ("X", "forced"),
    [
        (pd.DataFrame({"a": [1.0, np.inf]}), None),
        (pd.DataFrame({"a": [1.0, -np.inf]}), "all"),
        (pl.DataFrame({"a": [None, np.inf]}), None),
        ({"a": [1.0, np.inf]}, None),
        ({"a": ["x", -np.inf]}, None),
        ({"a": [1, 10**400]}, None),
        ({"a": pd.Categorical([1.0, np.inf])}, None),
        ({"a": np.array([1, "1e4000"], dtype=np.longdouble)}, None),
        ({"a": [1, Decimal("Infinity")]}, None),
    ],
)
def test_infinities_are_refused_with_column_and_row(X, forced):
    message = r"'a' contains infinity.*float64.* row 1\. Numbers must be finite; mark.* missing"
    with pytest.raises(ValueError, match=message):
        read_table(X, categorical_features=forced)


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_sparse_data_is_refused_with_a_way_to_densify(make):
    with pytest.raises(TypeError, match=r"Sparse data was passed.*X\.toarray\(\)"):
        read_table(make(np.eye(2)))


SHAPES = [
    (np.arange(3), r"Expected 2D array, got 1D array instead(.|\n)*Reshape your data"),
    ([1, 2], "Reshape your data"),
    (3, "Expected 2D array, got scalar array instead"),
    (None, "Expected 2D array(.|\n)*Pass a pandas, polars or pyarrow table"),
    (np.zeros((2, 2, 2)), "Found array with dim 3"),
    (pd.Series([1]), "Expected a 2-dimensional container but got .*Series"),
    (pl.Series([1]), "Pass a DataFrame"),
    (np.empty((0, 3)), r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required\."),
    (pd.DataFrame({"a": []}), r"0 sample\(s\) \(shape=\(0, 1\)\) while a minimum of 1 is required"),
    (np.empty((4, 0)), r"0 feature\(s\) \(shape=\(4, 0\)\) while a minimum of 1 is required\."),
    (pd.DataFrame(index=range(4)), r"0 feature\(s\) \(shape=\(4, 0\)\)"),
    ({}, r"0 feature\(s\)"),
    ([[1, 2], [3]], "rows of X have different lengths .1, 2.; make them equally long"),
    ({"a": [1], "b": [1, 2]}, "differ in length .'a': 1, 'b': 2.; make them equally long"),
    ({"a": np.zeros((2, 2))}, "column 'a' has 2 dimensions"),
    (pd.DataFrame(np.eye(2), columns=["a", "a"]), "'a' 2 times. Rename columns"),
]


@pytest.mark.parametrize(("X", "message"), SHAPES)
def test_shapes_that_are_no_table_are_refused(X, message):
    with pytest.raises(ValueError, match=message):
        read_table(X)


CONTAINERS = [
    ([{"a": 1}], "list of dicts.*pandas.DataFrame"),
    ({"a": "xyz"}, "column 'a' is a str; pass a list, an array or a series"),
    ({"a": {1, 2}}, "column 'a' is a set"),
    ({"a": (i for i in range(2))}, "column 'a' is a generator"),
    (pd.DataFrame(np.eye(2), columns=["a", 1]), r"only supported if all.*\['int', 'str'\]"),
]


@pytest.mark.parametrize(("X", "message"), CONTAINERS)
def test_containers_that_are_not_read_are_refused(X, message):
    with pytest.raises(TypeError, match=message):
        read_table(X)


X = pd.DataFrame({"colour": ["red", "blue", "1"], "weight": [1.5, 2.5, 3.5]})

ARGUMENTS = [
    ({"categorical_features": "colour"}, TypeError, "Pass None, 'from_dtype', 'all', or a list"),
    ({"categorical_features": 3}, TypeError, "a list of column names, of positions"),
    ({"categorical_features": ["hue"]}, ValueError, "names 'hue'.*It has: 'colour', 'weight'"),
    ({"categorical_features": [2]}, ValueError, "positions 2.*from 0 to 1"),
    ({"categorical_features": [-1]}, ValueError, "positions -1.*from 0 to 1"),
    ({"categorical_features": [True]}, ValueError, "mask of 1 booleans, but X has 2 columns"),
    (
        {"ordinal_features": {"hue": ["a"]}},
        ValueError,
        "ordinal_features names 'hue'.*It has: 'colour'",
    ),
    ({"ordinal_features": {"colour": "rgb"}}, TypeError, "must be a list of categories in order"),
    (
        {"ordinal_features": {"colour": ["red", "1"]}},
        ValueError,
        "order 'red', '1', but row 1 has 'blue'",
    ),
    (
        {"ordinal_features": {"colour": [1, 2]}},
        ValueError,
        "order 1, 2, but row 0 has 'red'. Add it",
    ),
    ({"ordinal_features": {"colour": ["red", "red"]}}, ValueError, "lists a category twice: 'red'"),
    (
        {"ordinal_features": {"weight": [1]}, "categorical_features": ["weight"]},
        ValueError,
        "'weight' are named in both",
    ),
]


@pytest.mark.parametrize(("arguments", "error", "message"), ARGUMENTS)
def test_arguments_that_do_not_fit_the_table_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        read_table(X, **arguments)


NEW_DATA = [
    (
        {"color": ["red"], "weight": [1]},
        r"unseen.*\n- color\n(.|\n)*missing:\n- colour\n.*Did you mean 'colour' instead of 'color'",
    ),
    (
        {"weight": [1]},
        r"feature names should match.*\n.*yet now missing:\n- colour\nAdd or rename the",
    ),
    ({"colour": ["red"], "weight": ["heavy"]}, "numeric in training, but row 0 has 'heavy'"),
    ({"colour": ["red"], "weight": ["nan"]}, "row 0 has 'nan', which is not a finite number"),
    (np.ones((2, 3)), "X has 3 features, but Tree is expecting 2 features as input"),
]


@pytest.mark.parametrize(("new", "message"), NEW_DATA)
def test_new_data_that_does_not_fit_the_schema_is_refused(new, message):
    with pytest.raises(ValueError, match=message):
        read_table(new, schema=read_table(X).schema, estimator="Tree")


@pytest.mark.parametrize(
    ("learned", "came", "message"),
    [
        (["a", "b"], [None, 7], "were text in training .'a', 'b'., but row 1 has a number, 7,"),
        (
            [True, False],
            [None, "yes"],
            "were numbers in training .False, True., but row 1 has text",
        ),
    ],
)
def test_labels_of_a_type_never_seen_are_refused(learned, came, message):
    schema = read_table({"a": learned}).schema
    with pytest.raises(
        ValueError, match=f"The categories of column 'a' {message}.*Convert the column"
    ):
        read_table({"a": came}, schema=schema)


def test_many_missing_columns_are_cut_short():
    schema = read_table({f"column {i}": [1] for i in range(9)}).schema
    with pytest.raises(ValueError, match=r"- column 4\n- \.\.\.\nAdd"):
        read_table({"other": [1]}, schema=schema)


def test_few_shows_the_first_values_and_counts_the_rest():
    assert few([1, "a"]) == "1, 'a'"
    assert few(range(9), 2) == "0, 1, ... (7 more)"
    assert len(few(["x" * 1000])) < 70
