"""A Table in place of a frame: read once, its values known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mixedwood as mw
from mixedwood.data import read_table

COLUMNS = {"c": ["x", "y", None, "z", "y", "x"], "n": [1.0, 2.0, np.nan, 4.0, 5.0, 6.0]}
Y = ["a", "b", "a", "b", "b", "a"]


def test_a_table_stays_as_it_is():
    table = read_table(COLUMNS)
    assert read_table(table) is table
    assert read_table(table, categorical_features="from_dtype") is table
    assert read_table(table, schema=table.schema) is table


def test_a_table_cannot_be_read_in_another_way():
    table = read_table(COLUMNS)
    with pytest.raises(ValueError, match="column types are fixed"):
        read_table(table, categorical_features=["n"])
    with pytest.raises(ValueError, match="column types are fixed"):
        read_table(table, ordinal_features={"c": ["x", "y", "z"]})
    new = read_table({"c": ["w"], "n": [1.0]}, schema=table.schema)
    with pytest.raises(ValueError, match="unknown categories in c"):
        read_table(new)


def test_a_tree_learns_the_same_from_a_table():
    table = read_table(COLUMNS)
    one = mw.TreeClassifier(random_state=0).fit(COLUMNS, Y)
    two = mw.TreeClassifier(random_state=0).fit(table, Y)
    assert str(one.tree_) == str(two.tree_)
    for X in (COLUMNS, table):
        assert np.array_equal(one.predict_proba(X), two.predict_proba(X))


def test_values_of_other_rows_are_known():
    some = read_table(COLUMNS).take([0, 1, 4, 5])  # without z
    tree = mw.TreeClassifier().fit(some, [Y[i] for i in (0, 1, 4, 5)])
    assert tree.schema_["c"].categories == ("x", "y", "z")


labels = st.lists(st.sampled_from(["a", "b", "c", "d", None]), min_size=1, max_size=8)


@given(labels, labels)
def test_reading_a_table_as_another_is_reading_its_labels(old, new):
    """The quick way through codes agrees with the slow one through labels."""
    schema = read_table({"c": [*old, "a"], "n": [0.0] * (len(old) + 1)}).schema
    columns = {"c": [*new, "a"], "n": [float(i) for i in range(len(new) + 1)]}
    slow = read_table(columns, schema=schema)
    quick = read_table(read_table(columns), schema=schema)
    assert quick.schema == slow.schema
    assert all(map(np.array_equal, quick.arrays, slow.arrays))
    assert dict(quick.unknown) == dict(slow.unknown)
    # Values that were unknown before stay unknown.
    again = read_table(quick, schema=read_table({"c": ["a", "z"], "n": [0.0, 1.0]}).schema)
    assert np.array_equal(again["c"] == 0, np.array([c == "a" for c in columns["c"]]))


def test_kinds_that_differ_go_through_labels():
    numbers = read_table({"c": ["1", "2"]})
    table = read_table(read_table({"c": [1.0, 2.0]}), schema=numbers.schema)
    assert table["c"].tolist() == [0, 1]
