"""Every kind of test in words."""

import pytest

from mixedwood.data import Column, Schema
from mixedwood.explain import (
    LinearCondition,
    LinearTerm,
    Style,
    format_branches,
    format_condition,
)
from mixedwood.explain.format import format_float, format_fraction, format_label, format_name
from mixedwood.tree import FRACTIONAL, TreeBuilder

INF = float("inf")
SCHEMA = Schema(
    (
        Column("colour", "nominal", ("blue", "green", "red", "teal")),
        Column("size", "ordinal", ("S", "M", "L", "XL")),
        Column("age", "numeric"),
        Column("income", "numeric"),
        Column("many", "nominal", tuple(range(21))),
        Column("both", "nominal", (1, 2.5, "1", "a")),
    )
)
TWO = [[1, 0], [0, 1]]


def words(method, *args, n=2, style=None, **kwargs):
    builder = TreeBuilder(SCHEMA, ["no", "yes"], [1, 1])
    column, *rest = args
    getattr(builder, method)(0, column, *rest, **kwargs)
    return format_branches(builder.build(), 0, style or Style())


def interval(column, low=-INF, high=INF, **kwargs):
    return words("split_interval", column, TWO, low=low, high=high, **kwargs)


def values(column, *groups, **kwargs):
    return words("split_categories", column, [[1, 1]] * len(groups), groups, **kwargs)


def linear(weights, intercept, **kwargs):
    return words("split_linear", weights, intercept, TWO, **kwargs)


@pytest.mark.parametrize(
    ("low", "high", "first", "second"),
    [
        (-INF, 39.5, "age <= 39.5", "age > 39.5"),
        (12.0, 39.5, "12 < age <= 39.5", "age <= 12 or age > 39.5"),
        (12.0, INF, "age > 12", "age <= 12"),
        (-INF, INF, "any age", "no age"),
        (5.0, 5.0, "no age", "any age"),
        (-INF, 0.1 + 0.2, "age <= 0.30000000000000004", "age > 0.30000000000000004"),
        (-INF, -0.0, "age <= 0", "age > 0"),
    ],
)
def test_an_interval_of_numbers(low, high, first, second):
    assert interval("age", low, high) == [first, second]


@pytest.mark.parametrize(
    ("low", "high", "first", "second"),
    [
        (-INF, 1, "size <= M", "size > M"),
        (-INF, 1.5, "size <= M", "size > M"),
        (-INF, 0, "size <= S", "size > S"),
        (1, INF, "size > M", "size <= M"),
        (0, 2, "size in {M, L}", "size in {S, XL}"),
        (0.5, 1.5, "size = M", "size in {S, L, XL}"),
        (-INF, 3, "any size", "no size"),
        (-INF, -0.5, "no size", "any size"),
        (0.2, 0.8, "no size", "any size"),
        (7, 9, "no size", "any size"),
    ],
)
def test_an_interval_of_an_order_is_said_in_labels(low, high, first, second):
    assert interval("size", low, high) == [first, second]


def test_an_interval_of_codes_without_order_names_them():
    assert interval("colour", high=1) == ["colour in {blue, green}", "colour in {red, teal}"]


def test_groups_of_values():
    assert values("colour", ["red", "blue"], ["green"]) == [
        "colour in {blue, red}",
        "colour = green",
    ]
    assert values("colour", ["red"], ["blue"], ["green", "teal"]) == [
        "colour = red",
        "colour = blue",
        "colour in {green, teal}",
    ]


def test_long_lists_are_counted_unless_asked_for():
    short, one = values("many", range(20), [20])
    assert short == "many in {0, 1, 2, 3, 4, 5, 6, 7, ... 12 more}"
    assert one == "many = 20"
    full, _ = values("many", range(20), [20], style=Style(max_values=None))
    assert full == "many in {" + ", ".join(map(str, range(20))) + "}"


def test_text_beside_numbers_is_quoted():
    assert values("both", [1, 2.5], ["1", "a"]) == ["both in {1, 2.5}", "both in {'1', 'a'}"]


def test_a_sum_keeps_the_order_of_its_terms():
    assert linear({"age": 0.5, "income": -2.0}, 3.0) == [
        "0.5 age - 2 income > -3",
        "0.5 age - 2 income <= -3",
    ]
    assert linear({"age": 1.0, "income": 1 / 3}, -2.5)[0] == "age + 0.3333 income > 2.5"
    assert linear({"age": -1.0, "income": 0.0}, 0.0)[1] == "-age <= 0"
    assert linear({("colour", "red"): 0.8, "size": -1.0}, 0.0)[0] == "0.8 [colour = red] - size > 0"
    assert linear({("colour", "red"): -0.8}, 0.0)[0] == "-0.8 [colour = red] > 0"
    assert linear({}, 0.0)[0] == "0 > 0"


@pytest.mark.parametrize("name", ["2nd", "a + b", "x <= 3", "[a]", "-a"])
def test_a_name_that_reads_as_a_part_of_the_sum_is_quoted(name):
    term = LinearTerm(Column(name, "numeric"), 0.5)
    assert format_condition(LinearCondition((term,), 0.0, positive=True)) == f"0.5 {name!r} > 0"


def test_a_filled_sum_goes_somewhere_with_missing_values():
    filled = linear({"age": 1.0}, 0.0, missing=1, fill={"age": 30.0})
    assert filled == ["age > 0", "age <= 0"]
    assert linear({("colour", "red"): 1.0}, 0.0, missing=1)[1] == "[colour = red] <= 0"


def test_branches_say_who_else_comes():
    assert interval("age", high=5.0, missing=0) == ["age <= 5 (or missing)", "age > 5"]
    assert interval("age", high=5.0, missing=FRACTIONAL) == ["age <= 5", "age > 5"]
    assert interval("age", high=5.0, unknown=0) == ["age <= 5", "age > 5"]  # numbers are all known
    assert interval("size", high=1, missing=1, unknown=1)[1] == "size > M (or missing or unknown)"
    assert values("colour", ["red"], ["blue"], missing=1, unknown=0) == [
        "colour = red (or unknown)",
        "colour = blue (or missing)",
    ]
    assert linear({"age": 1.0}, 0.0, missing=1) == ["age > 0", "age <= 0 (or missing)"]


def test_a_branch_for_nothing_else_says_so():
    assert values("colour", ["red", "blue"], [], missing=1) == [
        "colour in {blue, red}",
        "colour missing",
    ]
    assert values("colour", ["red"], [], missing=1, unknown=1)[1] == "colour missing or unknown"
    assert values("colour", ["red"], [])[1] == "no colour"


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("red", "red"),
        ("dark red", "dark red"),
        ("a, b", "'a, b'"),
        ("it's", '"it\'s"'),
        ("two\nlines", r"'two\nlines'"),
        ("{x}", "'{x}'"),
        ("", "''"),
        (" x", "' x'"),
        ("\u202eevil", r"'\u202eevil'"),
        ("\udc80", r"'\udc80'"),
        ("rot grün", "rot grün"),
        (True, "True"),
        (3, "3"),
        (2.5, "2.5"),
        ("x" * 100, "x" * 59 + "…"),
    ],
)
def test_labels_that_could_be_misread_are_quoted(label, expected):
    assert format_label(label, Style()) == expected


def test_names_and_numbers_and_fractions():
    assert format_name("capital gain", Style()) == "capital gain"
    assert format_name("a\tb", Style()) == r"'a\tb'"
    assert [format_float(x, 3) for x in (0.12345, 123456.7, 1e20, -2)] == [
        "0.123", "123457", "1e+20", "-2",
    ]  # fmt: skip
    shares = [0, 0.0001, 0.5, 0.9999, 1]
    assert [format_fraction(s) for s in shares] == ["0 %", "<1 %", "50 %", ">99 %", "100 %"]


def test_exact_numbers_read_back_as_themselves():
    for x in (0.1 + 0.2, 1 / 3, 1e-300, 123456789.123, 2.0**60, 5e-324):
        assert float(format_float(x)) == x


def test_rounding_never_makes_two_bounds_look_the_same():
    text = words("split_interval", "age", TWO, low=1.00001, high=1.00002, style=Style(digits=3))
    assert text[0] == "1.00001 < age <= 1.00002"
