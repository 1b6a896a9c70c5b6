"""Constraints of parameters: what they accept, and the sentence of their errors."""

import math
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
from sklearn.model_selection import KFold

from mixedwood._params import (
    CALLABLE,
    FLAG,
    N_JOBS,
    NONE,
    RANDOM_STATE,
    TIME_LIMIT,
    ColumnsOrFraction,
    Float,
    HasMethod,
    InstanceOf,
    Int,
    InvalidParameterError,
    ListOf,
    OneOf,
    PartOf,
    RowsOrFraction,
    check_value,
    count_columns,
    count_rows,
    native_limit,
    validate,
)
from mixedwood._parts import Partitioner


@pytest.mark.parametrize(
    ("constraint", "accepted", "refused"),
    [
        (Int(1), [1, np.int8(5), 10**30], [0, -1, 1.0, True, None, "1", math.nan]),
        (Int(0, 30), [0, 30], [31, -1]),
        (Int(), [-5], [0.5]),
        (Float(0, 1), [0, 1, 0.5, np.float32(1)], [-0.1, 1.1, math.nan, True, "0", None]),
        (Float(0, 1, "neither"), [0.5], [0, 1]),
        (Float(0, math.inf, "left"), [0.0, 1e300], [math.inf, -1]),
        (OneOf("a", "b"), ["a", "b"], ["c", 1, None, ["a"], np.array(["a", "b"])]),
        (FLAG, [True, False, np.True_], [0, 1, None, "True"]),
        (Int(1) | NONE, [1, None], [0, "None"]),
        (CALLABLE, [len, lambda: 0], [1, "len"]),
        (InstanceOf(dict, list), [{}, []], [(), None]),
        (HasMethod("split", "a splitter"), [KFold(2)], [1, "text", KFold]),
        (ListOf(Int(1)), [[1], (1, 2)], [[], [0], 1, "1"]),
        (
            PartOf(Partitioner),
            ["auto", Partitioner("multiway")],
            ["fastest", Partitioner, None, 1],
        ),
        (RowsOrFraction(), [1, 7, 0.2, 1.0, 2.5], [0, 0.0, -1, math.inf, math.nan, True, None]),
        (RowsOrFraction("right"), [1, 7, 0.2, 1.0], [0, 0.0, 1.5, True]),
        (ColumnsOrFraction(), [1, 99, 0.2, 1.0, "sqrt", "log2"], [0, 1.5, "auto", None, True]),
        (N_JOBS, [None, 1, -1, 8], [0, 1.0, True]),
        (RANDOM_STATE, [None, 0, 2**70, np.random.default_rng(0)], [-1, True, "0", 0.0]),
        (TIME_LIMIT, [None, 0.1, 3, math.inf], [0, -1, True, "1", math.nan]),
    ],
    ids=lambda given: str(given) if hasattr(given, "accepts") else "",
)
def test_constraints_accept_what_they_describe(constraint, accepted, refused):
    assert all(constraint.accepts(value) for value in accepted)
    assert not any(constraint.accepts(value) for value in refused)


@pytest.mark.parametrize(
    ("constraint", "text"),
    [
        (Int(1), "an int in the range [1, inf)"),
        (Int(0, 30), "an int in the range [0, 30]"),
        (Float(0, 1), "a float in the range [0.0, 1.0]"),
        (Float(0, 1, "left"), "a float in the range [0.0, 1.0)"),
        (Float(0, 1, "right"), "a float in the range (0.0, 1.0]"),
        (Float(0, 1, "neither"), "a float in the range (0.0, 1.0)"),
        (OneOf("a", "b"), "a str among {'a', 'b'}"),
        (InstanceOf(dict) | CALLABLE | NONE, "an instance of 'dict', a callable or None"),
        (RowsOrFraction(), "an int in the range [1, inf) or a float in the range (0.0, 1.0)"),
        (N_JOBS, "an int in the range [1, inf), an int in the range (-inf, -1] or None"),
    ],
)
def test_descriptions(constraint, text):
    assert str(constraint) == text


def test_the_sentence_is_that_of_scikit_learn():
    from sklearn.tree import DecisionTreeClassifier

    with pytest.raises(ValueError, match="max_features") as theirs:
        DecisionTreeClassifier(max_features=[]).fit([[0], [1]], [0, 1])
    with pytest.raises(InvalidParameterError) as ours:
        check_value("DecisionTreeClassifier", "max_features", [], ColumnsOrFraction() | NONE)
    for error in (ours, theirs):
        assert str(error.value).startswith(
            "The 'max_features' parameter of DecisionTreeClassifier must be an int in the range "
            "[1, inf), a float in the range (0.0, 1.0]"
        )
        assert str(error.value).endswith("or None. Got [] instead.")
        assert isinstance(error.value, ValueError)
        assert isinstance(error.value, TypeError)


def test_an_estimator_is_compared_with_its_table():
    class Stump(SimpleNamespace):
        _parameters: ClassVar = {
            "depth": Int(0, 1).with_hint("Use Tree.", when=lambda depth: depth == 2)
        }

    validate(Stump(depth=1))
    with pytest.raises(
        InvalidParameterError,
        match=r"^The 'depth' parameter of Stump must be an int in the range \[0, 1\]\. Got 2 "
        r"instead\. Use Tree\.$",
    ):
        validate(Stump(depth=2))
    with pytest.raises(InvalidParameterError, match=r"Got 3 instead\.$"):
        validate(Stump(depth=3))
    with pytest.raises(InvalidParameterError, match="'width' parameter of Stump"):
        validate(Stump(depth=1, width=0), {"width": Int(1)})


def test_fractions_of_rows_and_columns():
    assert count_rows(None, 10) == 10
    assert [count_rows(v, 10) for v in (1, 3, 2.5, 20, 0.01, 0.25)] == [1, 3, 2.5, 20, 1, 3]
    assert count_rows(0.01, 10, 2) == 2
    assert [count_rows(v, 10, nearest=True) for v in (1, 20, 1.0, 0.26, 0.01)] == [1, 10, 10, 3, 1]
    assert [count_columns(v, 10) for v in (None, 1, 99, 0.5, 1.0, 0.01)] == [None, 1, 10, 5, 10, 1]
    assert [count_columns("sqrt", n) for n in (1, 8, 9)] == [1, 2, 3]
    assert [count_columns("log2", n) for n in (1, 8, 15)] == [1, 3, 3]
    assert [native_limit(v) for v in (None, 0, 5, 2**40)] == [None, 0, 5, 2**31 - 1]
