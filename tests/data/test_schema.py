"""What a schema promises: fixed order of values, equality, and a way through pickle and JSON."""

import json
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixedwood.data import Column, ColumnKind, Schema
from mixedwood.data.columns import clean_cells, to_label
from mixedwood.data.schema import sort_labels

LABELS = st.one_of(
    st.text(max_size=4), st.integers(), st.floats(allow_nan=False, allow_infinity=False)
)


def make_schema():
    return Schema(
        (
            Column("colour", ColumnKind.NOMINAL, (2, 2.5, "blue", "red"), n_missing=3),
            Column("size", ColumnKind.ORDINAL, ("S", "M", "L")),
            Column("weight", ColumnKind.NUMERIC, n_missing=0),
        )
    )


@settings(deadline=None)
@given(st.lists(LABELS))
def test_order_of_labels_does_not_depend_on_the_order_they_come_in(labels):
    distinct = {to_label(label, "x") for label in labels}
    ordered = sort_labels(distinct)
    assert ordered == sort_labels(reversed(list(distinct)))
    numbers = [label for label in ordered if not isinstance(label, str)]
    texts = [label for label in ordered if isinstance(label, str)]
    assert list(ordered) == sorted(numbers) + sorted(texts)


def test_numbers_are_spelled_canonically():
    label = to_label(2.0, "x")
    assert label == 2
    assert type(label) is int
    assert to_label(0.5, "x") == 0.5
    assert to_label(True, "x") is True
    assert type(to_label(ColumnKind.NOMINAL, "x")) is str


def test_cells_of_all_missing_kinds_become_none():
    pd = pytest.importorskip("pandas")
    cells = clean_cells(["a", None, float("nan"), pd.NA, pd.NaT], "x")
    assert cells.values == ["a", None, None, None, None]
    assert cells.types == {str}


def test_codes_follow_the_values():
    column = make_schema()["size"]
    assert column.n_categories == 3
    assert [column.codes[label] for label in ("L", "S", "M")] == [2, 0, 1]


def test_equality_and_hash_ignore_how_many_were_missing_and_what_was_looked_up():
    one, other = make_schema(), make_schema()
    other["size"].codes  # noqa: B018  # builds the mapping
    assert one == other
    assert hash(one) == hash(other)
    counted = Column("weight", ColumnKind.NUMERIC, n_missing=7)
    assert counted == one["weight"]
    assert one != Schema(one.columns[:2])
    assert one != Schema(one.columns, names_generated=True)


def test_pickle_keeps_the_schema_but_not_the_lookup():
    schema = make_schema()
    plain = pickle.dumps(schema)
    assert schema["colour"].codes["red"] == 3
    assert pickle.dumps(schema) == plain
    again = pickle.loads(plain)
    assert again == schema
    assert again["colour"].n_missing == 3
    assert again["colour"].codes == schema["colour"].codes


@settings(deadline=None)
@given(st.lists(st.text(), unique=True), st.sets(LABELS), st.booleans())
def test_json_round_trip(names, labels, generated):
    values = sort_labels({to_label(label, "x") for label in labels})
    columns = tuple(Column(name, ColumnKind.NOMINAL, values, n_missing=1) for name in names)
    schema = Schema(columns, generated)
    again = Schema.from_dict(json.loads(json.dumps(schema.to_dict())))
    assert again == schema
    assert [type(label) for column in again for label in column.categories] == [
        type(label) for column in schema for label in column.categories
    ]
    assert again.to_dict() == schema.to_dict()


def test_booleans_survive_json():
    schema = Schema((Column("b", ColumnKind.NOMINAL, (False, True)),))
    again = Schema.from_dict(json.loads(json.dumps(schema.to_dict())))
    assert again["b"].categories[1] is True


def test_description_says_kind_values_order_and_missing():
    text = make_schema().describe()
    assert "3 columns" in text
    assert "nominal, 4 categories: 2, 2.5, 'blue', 'red'; 3 missing" in text
    assert "ordinal, 3 categories in order: 'S' < 'M' < 'L'" in text
    assert "numeric; none missing" in text
    assert "Ordinal columns are split in this order" in text
    assert text in repr(make_schema())


def test_description_of_many_long_values_stays_short():
    values = sort_labels(f"{i:05d}" + "x" * 500 for i in range(1000))
    text = Column("id", ColumnKind.NOMINAL, values).describe()
    assert "(995 more)" in text
    assert len(text) < 500


def test_unknown_name_is_a_key_error_that_lists_the_names():
    with pytest.raises(KeyError, match=r"No column 'wieght'.*'colour', 'size', 'weight'"):
        make_schema()["wieght"]
    assert "wieght" not in make_schema()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((1, "nominal"), TypeError, "name of a column is a str"),
        (("a", "number"), ValueError, "'number' is not a valid ColumnKind"),
        (("a", "numeric", (1,)), ValueError, "must have none"),
        (("a", "nominal", ("a", "a")), ValueError, "twice: 'a'"),
        (("a", "nominal", ("b", "a")), ValueError, "not sorted"),
        (("a", "nominal", (None,)), TypeError, "use text or numbers"),
        (("a", "nominal", (float("inf"),)), ValueError, "must be finite"),
        (("a", "nominal", (float("nan"),)), ValueError, "must be finite"),
    ],
)
def test_malformed_columns_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        Column(*arguments)


def test_repeated_names_are_refused():
    with pytest.raises(ValueError, match="distinct; these are not: 'a'"):
        Schema((Column("a", ColumnKind.NUMERIC), Column("a", ColumnKind.NUMERIC)))


@pytest.mark.parametrize(
    "content", [{}, {"columns": [{}], "names_generated": False}, {"columns": []}]
)
def test_malformed_dicts_are_refused(content):
    with pytest.raises(ValueError, match=r"Not a schema: the entry '\w+' is not there"):
        Schema.from_dict(content)
