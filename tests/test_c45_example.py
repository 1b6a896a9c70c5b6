"""The worked example of C4.5 growing: the one tree can hold what C4.5 makes of it."""

import numpy as np
import pytest

from mixedwood.data import read_table, read_target
from reference.c45 import J48

ROWS = (
    "r,s,1,n; r,t,2,n; r,s,2.5,y; g,t,3,y; g,s,3,y; g,t,4,y; b,s,4.5,n; b,t,5,y; b,s,5.5,n; "
    "b,t,6,y; r,t,6.5,n; ?,s,7,n; g,s,?,y; b,s,8,n"
)
CELLS = [[None if c == "?" else c for c in row.split(",")] for row in ROWS.split("; ")]


def columns(rows):
    colour, shape, x = zip(*[row[:3] for row in rows], strict=True)
    return {"color": colour, "shape": shape, "x": [np.nan if v is None else float(v) for v in x]}


@pytest.fixture(scope="module")
def j48():
    table = read_table(columns(CELLS))
    return J48(table, read_target([row[3] for row in CELLS]))


@pytest.mark.parametrize(
    ("column", "gain", "ratio"),
    [(0, 0.34604224, 0.18855445), (1, 0.06105378, 0.06196918), (2, 0.00464471, 0.00424208)],
)
def test_candidates_at_the_root(j48, column, gain, ratio):
    found = j48.candidate(column, [(i, 1.0) for i in range(14)])
    assert found[0] == pytest.approx(gain, abs=6e-9)
    assert found[1] == pytest.approx(ratio, abs=6e-9)
    if column == 2:
        assert found[2] == 6.25


def test_the_tree_and_its_sizes(j48):
    tree = j48.grow()
    assert (tree.n_leaves, tree.n_nodes) == (4, 6)
    full = j48.grow(collapse=False)
    assert (full.n_leaves, full.n_nodes) == (6, 10)
    assert tree.column_of(0).name == "color"
    blue, green, red = tree.children_of(0)
    np.testing.assert_allclose(tree.statistics[red], [3.308, 1], atol=6e-4)
    np.testing.assert_allclose(tree.statistics[green], [0.308, 4], atol=6e-4)
    square, triangle = tree.children_of(blue)
    np.testing.assert_allclose(tree.statistics[square], [3.385, 0], atol=6e-4)
    np.testing.assert_allclose(tree.statistics[triangle], [0, 2], atol=6e-4)


def test_predictions(j48):
    tree = j48.grow()
    assert tree.is_fractional
    assert "".join(tree.predict(j48.table)) == "nnnyyynynynnyn"
    asked = {
        ("?", "s", "?"): (0.642857, 0.357143),
        ("?", "t", "3.5"): (0.258242, 0.741758),
        ("g", "s", "9"): (0.071429, 0.928571),
        ("b", "t", "?"): (0, 1),
        ("r", "s", "?"): (0.767857, 0.232143),
    }
    rows = [[None if c == "?" else c for c in row] for row in asked]
    table = read_table(columns(rows), schema=tree.schema)
    np.testing.assert_allclose(tree.predict_proba(table), list(asked.values()), atol=6e-7)


def test_it_can_be_read(j48):
    text = str(j48.grow())
    assert "color = g" in text
    assert "shape = t" in text


def test_a_threshold_is_a_number_of_the_rows_whatever_the_rounding_of_the_midpoint():
    """As in WEKA, which compares with a tolerance here: 0.0002 is not above the midpoint."""
    numbers = [0.0001, 0.0002, 0.0003]
    assert (numbers[0] + numbers[2]) / 2 < numbers[1]
    twin = J48(read_table({"x": numbers}), read_target(["a", "b", "a"]))
    assert twin.threshold_among_rows(0, (numbers[0] + numbers[2]) / 2) == numbers[1]
