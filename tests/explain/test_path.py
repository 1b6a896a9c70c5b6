"""The way of one row agrees with the tree's answer and reads well."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explain.random_trees import SCHEMA, random_table, random_tree
from mixedwood.data import Table, read_table
from mixedwood.explain import explain_row
from mixedwood.tree import FRACTIONAL, STOP, TreeBuilder

NAN = float("nan")


def one_row(colour=0, size=0, age=0.0, income=0.0):
    codes = [np.array([code], dtype=np.int32) for code in (colour, size)]
    return Table(SCHEMA, (*codes, np.array([float(age)]), np.array([float(income)])))


def steps(method, *args, row, **kwargs):
    builder = TreeBuilder(SCHEMA, ["no", "yes"], [1, 1])
    getattr(builder, method)(0, *args, **kwargs)
    return [str(step) for step in explain_row(builder.build(), row).steps]


def interval(column, low, high, row, **kwargs):
    return steps("split_interval", column, [[1, 0], [0, 1]], low=low, high=high, row=row, **kwargs)


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        (31.0, "12 < age = 31 <= 39.5"),
        (50.0, "age = 50 > 39.5"),
        (12.0, "age = 12 <= 12"),
    ],
)
def test_a_number_says_which_side_it_is_on(age, expected):
    assert interval("age", 12.0, 39.5, one_row(age=age)) == [expected]


def test_labels():
    assert interval("size", -np.inf, 1, one_row(size=0)) == ["size = S <= M"]
    assert interval("size", 0, 2, one_row(size=2)) == ["size = L in {M, L}"]
    assert interval("size", -np.inf, 9, one_row(size=2)) == ["size = L"]

    def values(code, **kwargs):
        groups = [["blue", "green"], ["red"]]
        row = one_row(colour=code)
        return steps("split_categories", "colour", [[1, 1]] * 2, groups, row=row, **kwargs)

    assert values(0) == ["colour = blue in {blue, green}"]
    assert values(3) == ["colour = red"]
    assert values(2) == ["colour = pink, unknown at this node, stops here"]
    assert values(-2, unknown=0) == ["colour unknown, goes with colour in {blue, green}"]
    assert values(-1, missing=1, unknown=1) == ["colour missing, goes with colour = red"]


def weighed(row, intercept=3.0, fill=None, **weights):
    builder = TreeBuilder(SCHEMA, ["no", "yes"], [1, 1])
    weights = weights or {"age": 0.5, "income": -2.0}
    builder.split_linear(0, weights, intercept, [[1, 0], [0, 1]], missing=1, fill=fill)
    return str(explain_row(builder.build(), row)).splitlines()[1:-1]


def test_a_sum_lists_what_counts_most_for_the_row_first():
    assert weighed(one_row(age=31, income=4)) == [
        "  0.5 age - 2 income = 7.5 > -3",
        "    +15.5  age = 31, times 0.5",
        "       -8  income = 4, times -2",
    ]
    assert weighed(one_row(age=1, income=4)) == [
        "  0.5 age - 2 income = -7.5 <= -3",
        "      -8  income = 4, times -2",
        "    +0.5  age = 1, times 0.5",
    ]


def test_a_sum_says_what_stood_in_for_missing_values():
    builder = TreeBuilder(SCHEMA, ["no", "yes"], [1, 1])
    weights = {"age": 0.5, ("colour", "red"): 3.0, ("colour", "teal"): 1.0, "size": 4.0}
    fill = {"age": 40.0, "size": 1.25}
    builder.split_linear(0, weights, -20.0, [[1, 0], [0, 1]], fill=fill)
    path = explain_row(builder.build(), one_row(age=NAN, colour=-2, size=-2))
    assert str(path).splitlines()[1:-1] == [
        "  0.5 age + 3 [colour = red] + [colour = teal] + 4 size = 25 > 20",
        "    +20  age missing, taken as 40, times 0.5",
        "     +5  size unknown, taken as 1.25, times 4",
        "      0  colour unknown, counts for nothing",
    ]
    (step,) = path.steps
    assert (step.child, step.value, step.total) == (0, "known", 25.0)
    assert [part.value for part in step.contributions] == ["missing", "unknown", "unknown"]
    known = explain_row(builder.build(), one_row(colour=3, size=2)).steps[0]
    words = [part.text for part in known.contributions]
    assert words == ["size = L, place 2, times 4", "colour = red", "age = 0, times 0.5"]
    missing = explain_row(builder.build(), one_row(colour=-1)).steps[0].contributions
    assert "colour missing, counts for nothing" in [part.text for part in missing]


def test_a_sum_without_a_result_says_why():
    assert weighed(one_row(age=1, income=NAN)) == [
        "  income missing, goes with 0.5 age - 2 income <= -3",
        "     nan  income missing",
        "    +0.5  age = 1, times 0.5",
    ]
    inf = float("inf")
    assert weighed(one_row(age=inf, income=inf))[0] == (
        "  age = inf, times 0.5 and income = inf, times -2 pull to opposite sides, goes with "
        "0.5 age - 2 income <= -3"
    )
    assert weighed(one_row(age=inf, income=4))[0] == "  0.5 age - 2 income = inf > -3"
    assert weighed(one_row(age=inf), age=0.0)[0] == "  0 = 0 > -3"


def test_a_total_near_the_threshold_has_digits_enough():
    assert weighed(one_row(age=3.00001), -3.0, age=1.0)[0] == "  age = 3.00001 > 3"
    assert weighed(one_row(age=3.00001), -3.00002, age=1.0)[0] == "  age = 3.00001 <= 3.00002"
    assert weighed(one_row(age=3), -3.0, age=1.0)[0] == "  age = 3 <= 3"
    huge = weighed(one_row(age=1e308, income=1e308), 1.0, age=8.0, income=-7.0)
    assert huge[0] == "  8 age - 7 income = 1e+308 > -1"  # though it overflows on the way


def test_a_shared_row_lists_the_leaves_it_reached():
    builder = TreeBuilder(SCHEMA, ["no", "yes"], [60, 40])
    young, _ = builder.split_interval(0, "age", [[60, 15], [0, 25]], high=39.5, missing=FRACTIONAL)
    builder.split_interval(young, "size", [[50, 0], [10, 15]], high=1)
    path = builder.build().explain(one_row(size=3, age=NAN))
    assert str(path) == (
        "Row 0: yes (yes 70 %, no 30 %)\n"
        "  age missing, goes to all branches by weight\n"
        "  (75 %) size = XL > M\n"
        "  -> (75 %) [4] yes (60 % of 25)\n"
        "  -> (25 %) [2] yes (100 % of 25)"
    )


def test_a_row_that_stops_is_predicted_there():
    builder = TreeBuilder(SCHEMA, ["no", "yes"], [3, 1])
    builder.split_interval(0, "age", [[3, 0], [0, 1]], high=5.0)
    path = builder.build().explain(one_row(age=NAN))
    assert str(path).splitlines() == [
        "Row 0: no (no 75 %, yes 25 %)",
        "  age missing, stops here",
        "  -> [0] no (75 % of 4)",
    ]
    assert path.steps[0].child == STOP
    assert path.steps[0].value == "missing"


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_the_path_ends_where_the_tree_predicts(seed, fractional):
    tree = random_tree(seed, 12, fractional=fractional)
    table = random_table(seed, 12, gaps=True)
    proba, labels = tree.predict_proba(table), tree.predict(table)
    for row in range(table.n_rows):
        path = explain_row(tree, table, row)
        assert path.prediction == labels[row]
        assert sum(e.fraction for e in path.ends) == pytest.approx(1)
        mixed = sum(e.fraction * tree.probabilities[e.node] for e in path.ends)
        np.testing.assert_allclose(mixed, proba[row], atol=1e-12)
        if not tree.is_fractional:
            assert [e.node for e in path.ends] == tree.apply(table.take([row])).tolist()
        assert str(path)


def test_rows_and_tables_that_do_not_fit_are_refused():
    tree = random_tree(0)
    table = random_table(0, 3)
    assert explain_row(tree, table, -1).row == 2
    with pytest.raises(IndexError, match="no row 3; the table has 3 rows"):
        explain_row(tree, table, 3)
    with pytest.raises(ValueError, match="another schema"):
        explain_row(tree, read_table({"x": [1.0]}))
