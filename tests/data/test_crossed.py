"""Crossed columns: a slow reference, missing and unknown values, pooling, errors, saving."""

import json
import pickle
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixedwood.data import MISSING, UNKNOWN, Column, Schema, Table, cross_columns, read_table
from mixedwood.data.derived import check_crossings
from support.cases import cases

CELLS = st.one_of(st.none(), st.sampled_from(["a", "b", "c & d", "it's", "1"]))
ROWS = st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=30)


def columns_of(rows, names):
    return {
        name: np.array(cells, dtype=object)
        for name, cells in zip(names, zip(*rows, strict=True), strict=True)
    }


def slow_crossing(rows, new, min_rows, max_categories):
    """Labels of new rows by counting tuples: a group for each, "other", None or "unknown"."""
    met = Counter(row for row in rows if None not in row)
    seen = [{row[i] for row in rows} for i in range(len(rows[0]))]
    ranked = sorted(met, key=lambda combination: (-met[combination], combination))
    own = {c for c in ranked[:max_categories] if met[c] >= min_rows}
    labels = []
    for row in new:
        if None in row:
            labels.append(None)
        elif any(cell not in known for cell, known in zip(row, seen, strict=True)):
            labels.append("unknown")
        else:
            labels.append(row if row in own else "other" if row in met else "unknown")
    return labels


@pytest.mark.parametrize("n_sources", [2, 3])
@given(ROWS, ROWS, st.integers(1, 4), st.integers(1, 6))
@settings(max_examples=cases(150))
def test_codes_agree_with_counted_tuples(n_sources, rows, new, min_rows, max_categories):
    names = ["p", "q", "r"]
    table = read_table(columns_of(rows, names), categorical_features="all")
    crossed = cross_columns(
        table, [names[:n_sources]], min_rows=min_rows, max_categories=max_categories
    )
    column = crossed.schema.columns[-1]
    for given_rows, found in (
        (rows, crossed),
        (new, read_table(columns_of(new, names), schema=crossed.schema)),
    ):
        wanted = slow_crossing(
            [row[:n_sources] for row in rows],
            [row[:n_sources] for row in given_rows],
            min_rows,
            max_categories,
        )
        codes = found[column.name].tolist()
        for label, code in zip(wanted, codes, strict=True):
            if label is None:
                assert code == MISSING
            elif label == "unknown":
                assert code == UNKNOWN
            elif label == "other":
                assert column.categories[code] == "other combinations"
            else:
                (combination,) = column.combinations[code]
                sources = [crossed.schema[name] for name in column.sources]
                assert label == tuple(
                    c.categories[i] for c, i in zip(sources, combination, strict=True)
                )
        assert ("unknown" in wanted) == (column.name in found.unknown)
    assert crossed.schema[column.name].n_missing == sum(None in row[:n_sources] for row in rows)


def test_wide_crossings_are_looked_up_without_a_table_of_all_combinations():
    rng = np.random.default_rng(0)
    cells = {name: [f"v{i}" for i in rng.integers(0, 900, 4000)] for name in "abc"}
    cells = {name: [*column, *column] for name, column in cells.items()}
    table = read_table(cells, crossed_features=[("a", "b", "c")])
    again = read_table(cells, schema=table.schema)
    assert again["a & b & c"].tolist() == table["a & b & c"].tolist()
    assert table.schema["a & b & c"].n_categories == 1001  # the last one is the pool
    other = read_table({"a": ["v1"], "b": ["v1"], "c": ["v1"]}, schema=table.schema)
    assert other["a & b & c"].tolist() == [UNKNOWN]


def test_labels_are_readable_and_distinct():
    cells = {"a": ["x", "x & b=1", "x", 1, "1"] * 2, "b": ["1 & b=1", "1", "1", "1", "1"] * 2}
    column = read_table(cells, crossed_features=[("a", "b")]).schema["a & b"]
    assert column.categories == (
        "a='1' & b=1",
        "a='x & b=1' & b=1",
        "a='x' & b='1 & b=1'",
        "a='x' & b=1",
        "a=1 & b=1",
    )


@pytest.mark.parametrize("frame", [dict, pd.DataFrame, pl.DataFrame])
def test_every_container_gives_the_same_table(frame):
    cells = {"a": ["x", "y", None, "x"], "b": [True, False, True, True], "n": [1.0, 2.0, 3.0, 4.0]}
    plain = read_table(cells, crossed_features=[["a", "b"]])
    table = read_table(frame(cells), crossed_features=[["a", "b"]])
    assert table.schema == plain.schema
    assert table["a & b"].tolist() == plain["a & b"].tolist() == [0, 1, -1, 0]
    new = read_table(frame(cells), schema=table.schema)
    assert new["a & b"].tolist() == [0, 1, -1, 0]
    one = read_table({"a": "x", "b": True, "n": 0.0}, schema=table.schema)
    assert one["a & b"].tolist() == [0]


def test_columns_without_names_are_crossed_by_position():
    rows = np.array([["x", "u"], ["y", "v"]] * 2)
    table = read_table(rows, crossed_features=[(0, 1)])
    assert table.schema.names == ("x0", "x1", "x0 & x1")
    assert read_table(rows[:1], schema=table.schema)["x0 & x1"].tolist() == [0]


def test_the_schema_separates_inputs_and_crossed_columns():
    cells = {"a": ["x", "y"] * 2, "b": ["u", "v"] * 2, "n": [1.0, 2.0] * 2}
    schema = read_table(cells, crossed_features=[("b", "a")]).schema
    assert schema.inputs.names == ("a", "b", "n")
    assert [column.name for column in schema.derived] == ["b & a"]
    assert schema["b & a"].sources == ("b", "a")
    assert schema["b & a"].describe().startswith("crossed, nominal, 2 categories: 'b=u & a=x'")
    plain = read_table(cells).schema
    assert plain.inputs is plain
    assert Schema.from_dict(json.loads(json.dumps(schema.to_dict()))) == schema
    assert pickle.loads(pickle.dumps(schema)) == schema
    assert all("sources" not in column for column in plain.to_dict()["columns"])


def test_tables_with_crossed_columns_are_input_too():
    cells = {"a": ["x", "y"] * 2, "b": ["u", "v"] * 2}
    table = read_table(cells, crossed_features=[("a", "b")])
    assert read_table(table, schema=table.schema) is table
    other = read_table({"a": ["y", "x"], "b": ["v", "v"]})
    assert read_table(other, schema=table.schema)["a & b"].tolist() == [1, UNKNOWN]
    part = table.take([0, 3])
    assert isinstance(part, Table)
    assert part["a & b"].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("crossed", "message"),
    [
        ([("a", "z")], "crossed_features names 'z', but X has no such column"),
        ([("a", "n")], "'n' is numeric. Only nominal and ordinal .* discretize"),
        ([("a", "a")], "names a column twice"),
        ([("a", "b"), ("b", "a")], "these columns are crossed already"),
        ([(0, 7)], "position 7, but X has 4 columns: positions go from 0 to 3"),
        ([("b", "c")], "X has a column 'b & c' already"),
    ],
)
def test_crossings_that_cannot_be_made(crossed, message):
    columns = [Column(name, "nominal", ("x",)) for name in "ab"]
    schema = Schema((*columns, Column("n", "numeric"), Column("b & c", "nominal", ("x",))))
    if crossed == [("b", "c")]:
        schema = Schema((*schema.columns, Column("c", "nominal", ("x",))))
    with pytest.raises(ValueError, match=message):
        check_crossings(crossed, schema)


def test_too_many_combinations_are_an_error():
    wide = tuple(Column(f"c{i}", "ordinal", tuple(range(2**16))) for i in range(4))
    with pytest.raises(ValueError, match="too many combinations"):
        check_crossings([range(4)], Schema(wide))


def crossed_entry(**changes):
    entry = {"name": "a & b", "kind": "nominal", "categories": ["a=x & b=u"], "n_missing": 0}
    entry |= {"sources": ["a", "b"], "combinations": [[[0, 0]]]}
    plain = {"kind": "nominal", "n_missing": 0}
    columns = [
        {"name": "a", "categories": ["x"], **plain},
        {"name": "b", "categories": ["u"], **plain},
        entry | changes,
    ]
    return {"names_generated": False, "columns": columns}


@pytest.mark.parametrize(
    "changes",
    [
        {"sources": ["a"]},
        {"sources": ["a", "a"]},
        {"sources": ["a", "q"]},
        {"sources": [1, 2]},
        {"sources": []},
        {"kind": "ordinal"},
        {"combinations": []},
        {"combinations": [[]]},
        {"combinations": [[[0, 1]]]},
        {"combinations": [[[0, -1]]]},
        {"combinations": [[[0]]]},
        {"combinations": [[[0, 0], [0, 0]]]},
        {"combinations": [[["0", 0]]]},
    ],
)
def test_malformed_crossed_columns_of_files_are_errors(changes):
    Schema.from_dict(crossed_entry())
    with pytest.raises(ValueError, match=r".*"):
        Schema.from_dict(crossed_entry(**changes))


def test_crossed_columns_come_last():
    content = crossed_entry()
    content["columns"] = content["columns"][::-1]
    with pytest.raises(ValueError, match="after all other columns"):
        Schema.from_dict(content)
