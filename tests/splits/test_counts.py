"""Counting a column, against a plain loop."""

from collections import defaultdict

import numpy as np
import pandas as pd
import polars as pl
import pytest

from mixedwood.splits import best_partition, count_values


def slow_counts(column, y, weights=None):
    counts = defaultdict(float)
    weights = [1.0] * len(y) if weights is None else weights
    for value, cls, weight in zip(column, y, weights, strict=True):
        if value is not None and value == value:
            counts[value, cls] += weight
    return counts


def check(found, column, y, weights=None):
    counts, values, classes = found
    expected = slow_counts(column, y, weights)
    assert values.tolist() == sorted({v for v in column if v is not None and v == v})
    assert classes.tolist() == sorted(set(y))
    assert counts.shape == (len(values), len(classes))
    assert counts.dtype == np.float64
    for i, value in enumerate(values.tolist()):
        for j, cls in enumerate(classes.tolist()):
            assert counts[i, j] == pytest.approx(expected[value, cls])


@pytest.mark.parametrize("weighted", [False, True])
def test_counts_are_those_of_a_plain_loop(weighted):
    rng = np.random.default_rng(81)
    for _ in range(40):
        n = rng.integers(1, 60)
        column = rng.choice(["red", "green", "blue", "ünï", ""], n).tolist()
        y = rng.choice(["no", "yes", "maybe"], n).tolist()
        weights = (rng.integers(0, 4, n) + 0.25).tolist() if weighted else None
        check(count_values(column, y, weights), column, y, weights)


def test_whole_numbers_and_truth_values_are_categories():
    check(count_values([3, 1, 3, 2], [1, 0, 1, 1]), [3, 1, 3, 2], [1, 0, 1, 1])
    counts, values, classes = count_values([True, False, True], [False, True, True])
    assert counts.tolist() == [[0, 1], [1, 1]]
    assert values.tolist() == classes.tolist() == [False, True]


@pytest.mark.parametrize(
    "column",
    [
        ["a", None, "b", "a", None],
        ["a", float("nan"), "b", "a", float("nan")],
        np.array(["a", None, "b", "a", None], dtype=object),
        pd.Series(["a", None, "b", "a", None]),
        pd.Series(["a", None, "b", "a", None], dtype="category"),
        pl.Series(["a", None, "b", "a", None]),
    ],
    ids=["None", "NaN", "objects", "pandas", "pandas category", "polars"],
)
def test_missing_values_are_left_out_and_their_classes_stay(column):
    counts, values, classes = count_values(column, ["x", "z", "x", "y", "z"])
    assert values.tolist() == ["a", "b"]
    assert classes.tolist() == ["x", "y", "z"]
    assert counts.tolist() == [[1, 1, 0], [1, 0, 0]]


def test_the_weights_of_missing_values_are_left_out_with_them():
    column, y, weights = ["a", None, "b", "a", None], [0, 1, 1, 1, 0], [1, 20, 3, 4, 50]
    check(count_values(column, y, weights), column, y, weights)


def test_nothing_but_missing_values():
    counts, values, classes = count_values([None, None], [0, 1])
    assert counts.shape == (0, 2)
    assert len(values) == 0
    assert classes.tolist() == [0, 1]


def test_rows_of_weight_zero_leave_their_value_without_weight():
    counts, values, _ = count_values(["a", "b", "c"], [0, 1, 0], sample_weight=[1, 0, 2.5])
    assert counts.tolist() == [[1, 0], [0, 0], [2.5, 0]]
    assert values.tolist() == ["a", "b", "c"]
    assert best_partition(counts).group.tolist() == [0, -1, 1]


def test_lengths_must_agree():
    with pytest.raises(ValueError, match=r"\[3, 2\].*same number of rows"):
        count_values(["a", "b", "c"], [0, 1])
    with pytest.raises(ValueError, match="sample_weight has 3 weights, but y has 2 rows"):
        count_values(["a", "b"], [0, 1], sample_weight=[1, 1, 1])


def test_bad_weights_and_missing_classes_are_refused():
    with pytest.raises(ValueError, match=r"-1\.0 in row 1.*not negative"):
        count_values(["a", "b"], [0, 1], sample_weight=[1, -1])
    with pytest.raises(ValueError, match=r"contains NaN.*row 1"):
        count_values(["a", "b"], ["x", None])


def test_the_counts_go_straight_into_a_search():
    column, y = ["a", "b", "c", "a", "b", "c"], [0, 1, 1, 0, 1, 1]
    counts, values, _ = count_values(column, y)
    assert best_partition(counts).labels(values) == (("a",), ("b", "c"))
