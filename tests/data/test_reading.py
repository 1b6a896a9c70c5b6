"""Reading: the same table gives the same codes, whatever library and order it comes in."""

import datetime
import importlib.util
import pickle
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mixedwood.data import ColumnKind, columns, read_table, unknown_counts
from support.cases import cases

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

TEXT = st.text(max_size=3)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=32)


@st.composite
def plain_columns(draw):
    """One table as a dict of lists: text, numbers and booleans, with None for missing."""
    n_rows = draw(st.integers(1, 12))

    def column(values):
        return st.lists(st.one_of(st.none(), values), min_size=n_rows, max_size=n_rows)

    return {
        "text": draw(column(TEXT)),
        "few": draw(column(st.sampled_from(["a", "b", "B", "10", "9", ""]))),
        "flag": draw(st.lists(st.booleans(), min_size=n_rows, max_size=n_rows)),
        "number": draw(column(NUMBERS)),
        "count": draw(st.lists(st.integers(-99, 99), min_size=n_rows, max_size=n_rows)),
    }


def in_every_library(content):
    """The same table in many hands; categories in odd orders, some of them unused."""
    rows = list(zip(*content.values(), strict=True))
    number = pa.array(content["number"], pa.float64())
    arrow = {
        "text": pa.array(content["text"], pa.string()),
        "few": pa.array(content["few"], pa.string()),
        "flag": pa.array(content["flag"]),
        "number": number,
        "count": pa.array(content["count"]),
    }
    frame = pd.DataFrame({**content, "number": number.to_pandas()})
    few = pd.Categorical(content["few"], categories=["unused", "b", "a", "B", "9", "10", ""])
    polar = pl.DataFrame(content, schema_overrides={"text": pl.String, "few": pl.String})
    polar = polar.with_columns(pl.col("number").cast(pl.Float64))
    chunked = pa.concat_tables([pa.table(arrow).slice(i, 1) for i in range(len(rows))])
    return {
        "dict": {**content, "number": np.array(content["number"], dtype=float)},
        "pandas": frame,
        "pandas strings": frame.astype({"text": "string", "few": "string", "flag": "boolean"}),
        "pandas objects": frame.astype({"text": object, "few": object, "flag": object}),
        "pandas category": frame.assign(few=few, text=frame["text"].astype("category")),
        "polars": polar,
        "polars category": polar.with_columns(pl.col("text", "few").cast(pl.Categorical)),
        "pyarrow": pa.table(arrow),
        "pyarrow dictionary": pa.table({**arrow, "few": arrow["few"].dictionary_encode()}),
        "pyarrow chunks": chunked,
    }


def slow_codes(values):
    """Slow twin of the encoding of a nominal column: sort by a written key, search by a loop."""
    labels = []
    for value in values:
        if value is not None and value not in labels:
            labels.append(value)
    labels.sort(key=lambda label: (isinstance(label, str), label))
    return labels, [-1 if value is None else labels.index(value) for value in values]


@given(plain_columns())
@settings(max_examples=cases(60))
def test_every_library_gives_the_same_table(content):
    assume(any(value is not None for value in content["number"]))
    for library, X in in_every_library(content).items():
        table = read_table(X)
        assert table.schema.names == tuple(content), library
        for name in ("text", "few", "flag"):
            labels, codes = slow_codes(content[name])
            assert list(table.schema[name].categories) == labels, library
            assert table[name].tolist() == codes, library
        for name in ("number", "count"):
            assert table.schema[name].kind is ColumnKind.NUMERIC, library
            np.testing.assert_array_equal(table[name], np.array(content[name], dtype=float))


@given(plain_columns(), st.sampled_from(["text", "few", "number", "count"]))
@settings(max_examples=40, deadline=None)
def test_a_table_can_be_read_with_the_schema_of_any_other_library(content, forced):
    assume(any(value is not None for value in content["number"]))
    tables = in_every_library(content)
    learned = read_table(tables["dict"], categorical_features=[forced])
    assert learned[forced].tolist() == slow_codes(content[forced])[1]
    for X in tables.values():
        again = read_table(X, schema=learned.schema)
        assert unknown_counts(again) == {}
        for mine, theirs in zip(learned.arrays, again.arrays, strict=True):
            np.testing.assert_array_equal(mine, theirs)
        assert read_table(X, categorical_features=[forced]).schema == learned.schema


@settings(deadline=None)
@given(st.lists(st.one_of(st.none(), TEXT, st.integers(-3, 3), st.booleans(), NUMBERS), min_size=1))
def test_mixed_objects_are_encoded_as_the_reference_does(values):
    table = read_table({"a": values}, categorical_features="all")
    numbers_too = any(type(value) in (int, float) for value in values)
    plain = [int(v) if numbers_too and isinstance(v, bool) else v for v in values]
    labels, codes = slow_codes(plain)
    assert list(table.schema["a"].categories) == labels
    assert table["a"].tolist() == codes
    assert table.labels("a").tolist() == plain


@settings(deadline=None)
@given(
    st.lists(st.one_of(st.none(), TEXT, st.integers(-2, 2), st.booleans()), min_size=1), st.data()
)
def test_the_schema_does_not_depend_on_the_order_of_rows(values, data):
    shuffled = data.draw(st.permutations(values))
    one, other = (read_table({"a": v}).schema for v in (values, shuffled))
    assert one == other
    assert [type(v) for v in one["a"].categories] == [type(v) for v in other["a"].categories]


def test_numbers_of_any_spelling_are_one_label_and_text_is_another():
    table = read_table({"a": [1, 1.0, Decimal(1), np.int8(1), True, "1"]})
    assert table.schema["a"].categories == (1, "1")
    assert type(table.schema["a"].categories[0]) is int
    assert table["a"].tolist() == [0, 0, 0, 0, 0, 1]


KINDS = [
    (pd.Series(["a", None]), "nominal"),
    (pd.Series(["a", 1], dtype=object), "nominal"),
    (pd.Series([1, None], dtype="Int64"), "numeric"),
    (pd.Series([True, None], dtype="boolean"), "nominal"),
    (pd.Series(["a", None], dtype="string[pyarrow]"), "nominal"),
    (pd.Series([1, 2.5, Decimal("0.5"), None], dtype=object), "numeric"),
    (pd.Series([True, None], dtype=object), "nominal"),
    (pd.Series([None, None], dtype=object), "nominal"),
    (pd.Series([np.nan, np.nan]), "numeric"),
    (pd.Series(pd.Categorical([1, 2])), "nominal"),
    (pd.Series(pd.Categorical([1, 2], ordered=True)), "ordinal"),
    (pd.Series(pd.arrays.SparseArray([0, 1])), "numeric"),
    (pl.Series([None, None]), "nominal"),
    (pl.Series([None, None], dtype=pl.Float64), "numeric"),
    (pl.Series(["a"], dtype=pl.Categorical), "nominal"),
    (pl.Series(["a"], dtype=pl.Enum(["b", "a"])), "ordinal"),
    (pl.Series([Decimal("1.5"), None]), "numeric"),
    (pl.Series([1, None], dtype=pl.Int128), "numeric"),
    (pl.Series([True, None]), "nominal"),
    (pa.chunked_array([pa.nulls(2)]), "nominal"),
    (pa.chunked_array([pa.array(["a", None]).dictionary_encode()]), "nominal"),
    (pa.chunked_array([pa.array([3, None]).dictionary_encode()]), "nominal"),
    (pa.chunked_array([pa.array(["a", None], pa.string_view())]), "nominal"),
    (pa.array(["a", None]), "nominal"),
    (np.array(["a", "b"]), "nominal"),
    (np.array([True, False]), "nominal"),
    (np.array([1, 2], dtype=np.uint8), "numeric"),
    (np.array([1, 2], dtype=np.float16), "numeric"),
    (pd.Categorical(["a", "b"]), "nominal"),
    (range(3), "numeric"),
]


@pytest.mark.parametrize(("data", "kind"), KINDS)
def test_kind_follows_from_the_type(data, kind):
    assert read_table({"a": data}).schema["a"].kind == kind


def test_all_rows_of_objects_count_for_the_kind_not_only_the_first():
    late = {"number": [None] * 200 + [1.5], "label": ["a"] * 200 + [1]}
    table = read_table(pd.DataFrame(late, dtype=object))
    assert table.schema["number"].kind is ColumnKind.NUMERIC
    assert table.schema["label"].categories == (1, "a")


def test_missing_values_of_all_libraries_are_missing():
    mixed = ["x", None, float("nan"), pd.NA, pd.NaT]
    assert read_table({"a": mixed})["a"].tolist() == [0, -1, -1, -1, -1]
    numbers = read_table({"a": [1.5, None, float("nan"), pd.NA, Decimal("NaN")]})["a"]
    assert np.isnan(numbers).tolist() == [False, True, True, True, True]
    with_null = pa.DictionaryArray.from_arrays(pa.array([0, 1, None]), pa.array(["q", None]))
    assert read_table(pa.table({"a": with_null}))["a"].tolist() == [0, -1, -1]


def test_masked_numbers_are_missing():
    X = np.ma.array([[1, 2], [3, 4]], mask=[[False, True], [False, False]])
    np.testing.assert_array_equal(read_table(X)["x1"], [np.nan, 4.0])


def test_masked_objects_are_missing():
    X = np.ma.array([["a"], ["b"]], mask=[[False], [True]])
    table = read_table(X)
    assert table.schema["x0"].categories == ("a",)
    assert table["x0"].tolist() == [0, -1]


def test_declared_order_is_kept_with_all_its_values():
    order = ["L", "M", "S"]
    enum = pl.DataFrame({"size": pl.Series(["S", "L", None], dtype=pl.Enum(order))})
    ordered = pd.DataFrame({"size": pd.Categorical(["S", "L", None], order, ordered=True)})
    dictionary = pa.DictionaryArray.from_arrays(
        pa.array([2, 0, None]), pa.array(order), ordered=True
    )
    for X in (enum, ordered, pa.table({"size": dictionary})):
        table = read_table(X)
        assert table.schema["size"].kind is ColumnKind.ORDINAL
        assert table.schema["size"].categories == ("L", "M", "S")
        assert table["size"].tolist() == [2, 0, -1]
        assert "ordinal, 3 categories in order: 'L' < 'M' < 'S'" in table.schema.describe()


def test_an_ordered_categorical_can_be_read_as_nominal():
    X = pd.DataFrame({"size": pd.Categorical(["S", "L"], ["S", "M", "L"], ordered=True)})
    column = read_table(X, categorical_features=["size"]).schema["size"]
    assert column.kind is ColumnKind.NOMINAL
    assert column.categories == ("L", "S")


def test_order_can_be_given_for_any_column():
    orders = {"a": ["lo", "hi"], "b": [3, 2, 1]}
    table = read_table({"a": ["lo", "hi"], "b": [3, 1]}, ordinal_features=orders)
    assert table["a"].tolist() == [0, 1]
    assert table["b"].tolist() == [0, 2]
    assert table.schema["b"].categories == (3, 2, 1)


@pytest.mark.parametrize(
    ("spec", "nominal"),
    [
        (None, ["t"]),
        ("from_dtype", ["t"]),
        ([], ["t"]),
        ("all", ["t", "i", "f"]),
        (["i"], ["t", "i"]),
        (np.array(["i", "f"], dtype=object), ["t", "i", "f"]),
        ([2], ["t", "f"]),
        ([False, True, False], ["t", "i"]),
    ],
)
def test_categorical_features_names_positions_or_masks(spec, nominal):
    X = pd.DataFrame({"t": ["a", "b"], "i": [7, 8], "f": [0.5, np.nan]})
    schema = read_table(X, categorical_features=spec).schema
    assert [column.name for column in schema if column.kind == "nominal"] == nominal


def test_generated_names_can_be_named():
    assert read_table(np.ones((2, 2)), categorical_features=["x1"]).schema["x1"].categories == (1,)


def test_large_integers_stay_apart_as_categories():
    big = [2**53, 2**53 + 1, None]
    for X in (pl.DataFrame({"a": big}), pa.table({"a": big}), {"a": big}):
        schema = read_table(X, categorical_features=["a"]).schema
        assert schema["a"].categories == (2**53, 2**53 + 1)
    frame = pd.DataFrame({"a": pd.Categorical(big)})
    assert read_table(frame).schema["a"].categories == (2**53, 2**53 + 1)


@pytest.mark.parametrize(
    "X",
    [
        np.array([["a", 1.5], [None, 2]], dtype=object),
        [["a", 1.5], [None, 2]],
        [("a", 1.5), (None, 2)],
        pd.DataFrame([["a", 1.5], [None, 2]]),
    ],
)
def test_columns_without_names_are_named_by_position(X):
    table = read_table(X)
    assert table.schema.names == ("x0", "x1")
    assert table.schema.names_generated
    assert table["x0"].tolist() == [0, -1]
    assert table["x1"].tolist() == [1.5, 2.0]


def test_structured_arrays_and_record_batches_have_names():
    structured = np.array([(1, "a"), (2, "b")], dtype=[("n", "i4"), ("s", "U1")])
    assert read_table(structured).schema.names == ("n", "s")
    assert read_table(pa.RecordBatch.from_pydict({"s": ["a"]})).schema.names == ("s",)


def test_columns_are_found_by_name_in_any_order_and_extra_ones_ignored():
    schema = read_table({"a": ["x", "y"], "b": [1, 2]}).schema
    table = read_table(pl.DataFrame({"z": [0], "b": [5], "a": ["y"]}), schema=schema)
    assert table.schema is schema
    assert table["a"].tolist() == [1]
    assert table["b"].tolist() == [5.0]


def test_unnamed_data_is_matched_by_position():
    named = read_table({"a": ["x", "y"], "b": [1, 2]}).schema
    assert read_table(np.array([["y", 3]], dtype=object), schema=named)["a"].tolist() == [1]
    unnamed = read_table(np.array([[1.0, 2.0]])).schema
    assert read_table(pd.DataFrame({"p": [3], "q": [4]}), schema=unnamed)["x1"].tolist() == [4.0]
    assert read_table(pd.DataFrame({"x1": [3], "x0": [4]}), schema=unnamed)["x1"].tolist() == [3.0]


def test_new_labels_are_unseen_and_nothing_else_changes():
    schema = read_table({"a": ["x", "y", "x"]}).schema
    before = pickle.dumps(schema)
    table = read_table({"a": ["z", None, "y"]}, schema=schema)
    assert table["a"].tolist() == [-2, -1, 1]
    assert pickle.dumps(schema) == before


def test_a_column_that_was_all_missing_knows_no_value():
    schema = read_table({"a": [None, None]}).schema
    assert schema["a"].categories == ()
    assert schema["a"].describe() == "nominal, 0 categories; 2 missing"
    assert read_table({"a": [1, "x", None]}, schema=schema)["a"].tolist() == [-2, -2, -1]


@pytest.mark.parametrize(
    ("learned", "came", "codes"),
    [
        (["1", "2"], [2, 1.0, None], [1, 0, -1]),
        (["True", "no"], [True, True, True], [0, 0, 0]),
        (["0.5", "x"], [0.5, None, 0.5], [0, -1, 0]),
        ([1, "x"], ["x", 1.0, "1"], [1, 0, -2]),
        ([True, False], [0, 1.0, 7], [0, 1, -2]),
        ([True, False], ["False", "True", None], [0, 1, -1]),
    ],
)
def test_retyped_labels_are_found_by_spelling_or_value(learned, came, codes):
    schema = read_table({"a": learned}).schema
    assert read_table({"a": came}, schema=schema)["a"].tolist() == codes


@pytest.mark.parametrize("came", [["1.5", " 2 ", None], pd.Categorical([1.5, 2, None])])
def test_numbers_that_come_as_text_or_categories_are_parsed(came):
    schema = read_table({"a": [0.5, 1.0]}).schema
    np.testing.assert_array_equal(read_table({"a": came}, schema=schema)["a"], [1.5, 2.0, np.nan])


@pytest.mark.parametrize("came", [[None, None], [np.nan, np.nan], pl.Series([None, None])])
@pytest.mark.parametrize("learned", [["x", "y"], [1.5, 2.5]])
def test_a_column_of_missing_values_suits_every_schema(learned, came):
    table = read_table({"a": came}, schema=read_table({"a": learned}).schema)
    assert table.labels("a").tolist() == [None] * 2 or np.isnan(table["a"]).all()


@pytest.mark.parametrize("make", [list, pd.Series, pl.Series, np.array])
def test_hundreds_of_thousands_of_categories_are_read(make):
    n = 300_000
    order = np.random.default_rng(0).permutation(n)
    table = read_table({"id": make([f"id{i:06d}" for i in order.tolist()])})
    assert table.schema["id"].n_categories == n
    np.testing.assert_array_equal(table["id"], order)


@pytest.mark.parametrize("data", [data for data, _ in KINDS])
def test_results_are_the_same_without_pyarrow(data, monkeypatch):
    with_arrow = read_table({"a": data}, categorical_features="all")
    monkeypatch.setattr(columns, "_factorize_by_arrow", lambda name, series: None)
    without = read_table({"a": data}, categorical_features="all")
    assert without.schema == with_arrow.schema
    assert without["a"].tolist() == with_arrow["a"].tolist()


def test_long_columns_are_read_without_pyarrow_too(monkeypatch):
    monkeypatch.setitem(columns.sys.modules, "pyarrow", None)
    values = ["b", "a"] * columns._ARROW_FROM_ROWS
    assert read_table({"a": pl.Series(values)})["a"].tolist() == [1, 0] * columns._ARROW_FROM_ROWS


def test_short_columns_do_not_import_pyarrow(monkeypatch):
    monkeypatch.delitem(columns.sys.modules, "pyarrow")
    series = columns.nw.from_native(pl.Series(["a"]), series_only=True)
    assert columns._factorize_by_arrow("a", series) is None


def test_a_lone_surrogate_is_a_label_too():
    frame = pd.DataFrame({"a": pd.Series(["\ud800", "z"], dtype=object)})
    assert read_table(frame)["a"].tolist() == [1, 0]


def test_dates_hidden_in_unused_categories_do_no_harm():
    categories = pd.Categorical(["a"], categories=["a", datetime.date(2020, 1, 1)])
    assert read_table(pd.DataFrame({"a": categories})).schema["a"].categories == ("a",)


def test_lazy_frames_and_relations_are_collected():
    frame = pl.DataFrame({"a": ["x", "y", "x"], "n": [1, 2, 3]})
    expected = read_table(frame)
    lazy = [frame.lazy()]
    if importlib.util.find_spec("duckdb"):
        import duckdb

        lazy.append(duckdb.connect().from_arrow(frame.to_arrow()))
    for X in lazy:
        found = read_table(X)
        assert found.schema == expected.schema
        for one, other in zip(found.arrays, expected.arrays, strict=True):
            np.testing.assert_array_equal(one, other)
