"""Summaries of parts of a table merge to the summary of the table, in any order."""

import pickle

import numpy as np
import pytest

from mixedwood.data import Chunks
from mixedwood.data.summary import Look, Summary, summarize

pa = pytest.importorskip("pyarrow")


def table_of(n, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    x[rng.random(n) < 0.1] = np.nan
    return pa.table(
        {
            "x": x,
            "letter": pa.array(rng.choice(list("abcdef"), n), mask=rng.random(n) < 0.1),
            "few": rng.integers(0, 9, n).astype(float),
            "copies": rng.integers(0, 40, n) / 3,
            "y": rng.choice(["k", "l", "m"], n),
        }
    )


def pieces_of(table, n_pieces, rng):
    cuts = np.sort(rng.integers(0, table.num_rows + 1, n_pieces - 1))
    starts, ends = [0, *cuts], [*cuts, table.num_rows]
    names = table.column_names
    pieces = [table.slice(a, b - a) for a, b in zip(starts, ends, strict=True)]
    # Rows are the same whatever the order of the columns.
    return [piece.select(list(rng.permutation(names))) for piece in pieces]


def facts(table):
    columns = {
        c.name: (c, c.n_missing, None if edges is None else edges.tolist(), exact)
        for c, edges, exact in zip(table.schema, table.bins, table.exact, strict=True)
    }
    return columns, table.classes.tolist(), table.class_counts.tolist()


@pytest.mark.parametrize("seed", range(6))
def test_any_way_of_merging_gives_the_same(seed, monkeypatch):
    monkeypatch.setattr("mixedwood.data.summary._SAMPLE", 300)
    rng = np.random.default_rng(seed)
    table = table_of(2000)
    chunks = Chunks(table.to_batches(), max_bins=20)
    expected = facts(summarize(chunks, "y").layout)
    how = Look("y", 20)
    parts = []
    for i, piece in enumerate(pieces_of(table, int(rng.integers(2, 12)), rng)):
        part = Summary()
        part.add(how, f"piece {i}", piece)
        parts.append(pickle.loads(pickle.dumps(part)))
    while len(parts) > 1:
        one, other = (parts.pop(int(rng.integers(len(parts)))) for _ in range(2))
        one.merge(how, other)
        parts.append(one)
    assert facts(parts[0].layout(how)) == expected
    # The sample was cut, and a row that comes often counts as often.
    assert expected[0]["x"][3] is False
    assert expected[0]["copies"][3] is False
    assert expected[0]["few"][3] is True


@pytest.mark.parametrize("is_left", [True, False])
def test_parts_that_do_not_fit_are_named_from_either_side(is_left):
    good = pa.table({"x": [1.0, 2.0], "c": ["a", "b"], "y": ["k", "l"]})
    wrong = {
        "further column 'd'": good.append_column("d", good["x"]),
        "classes such as": good.set_column(2, "y", pa.array([1, 2])),
        "has the category|categories such as": good.set_column(1, "c", pa.array([True, False])),
        "is nominal, but|is numeric, but": good.set_column(0, "x", pa.array(["p", "q"])),
        "bad: column 'x' has no values and no type, but good": good.set_column(0, "x", pa.nulls(2)),
    }
    for message, table in wrong.items():
        one, other, how = Summary(), Summary(), Look("y")
        one.add(how, "good", good)
        other.add(how, "bad", table)
        if is_left:
            one, other = other, one
            message = message.replace("further column 'd'", "no column 'd'")
        with pytest.raises(ValueError, match=message):
            one.merge(how, other)


def test_parts_without_rows_change_nothing():
    table = table_of(50)
    one, other, how = Summary(), Summary(), Look("y")
    one.add(how, "empty", table.slice(0, 0))
    other.add(how, "rows", table)
    one.merge(how, other)
    one.merge(how, Summary())
    chunks = Chunks([table])
    assert facts(one.layout(how)) == facts(summarize(chunks, "y").layout)
    # Nothing that was merged has changed.
    assert facts(other.layout(how)) == facts(one.layout(how))
