"""Parameters of estimators: constraints as data, one check of them, and fractions as counts.

A class states what it accepts in a table ``_parameters: dict[str, Constraint]``, and `validate`
compares an estimator with it. Constraints are combined with ``|``. The sentence of an error is
scikit-learn's, whose own constraints are private.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

__all__ = [
    "CALLABLE",
    "COST_MATRIX",
    "FLAG",
    "HANDLE_UNKNOWN",
    "MONOTONIC_CST",
    "NONE",
    "N_JOBS",
    "RANDOM_STATE",
    "TIME_LIMIT",
    "VERBOSE",
    "ColumnsOrFraction",
    "Constraint",
    "Float",
    "HasMethod",
    "InstanceOf",
    "Int",
    "InvalidParameterError",
    "ListOf",
    "OneOf",
    "PartOf",
    "RowsOrFraction",
    "check_value",
    "count_columns",
    "count_rows",
    "is_int",
    "is_number",
    "native_limit",
    "validate",
]

_INT32_MAX = 2**31 - 1
Closed: TypeAlias = Literal["both", "left", "right", "neither"]


class InvalidParameterError(ValueError, TypeError):
    """A parameter has a type or a value that is not accepted; both kinds, as in scikit-learn."""


def is_int(value: object) -> bool:
    """Whether a value is an integer, and not a bool."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Whether a value is an integer or a float, and not a bool."""
    return is_int(value) or isinstance(value, (float, np.floating))


class Constraint:
    """What a parameter accepts: descriptions of the alternatives, and a test.

    Examples
    --------
    >>> str(Int(1) | Float(0, 1) | OneOf("auto"))
    "an int in the range [1, inf), a float in the range [0.0, 1.0] or a str among {'auto'}"
    """

    def __init__(
        self, *texts: str, test: Callable[[Any], bool], hint: Callable[[Any], str] | None = None
    ) -> None:
        self.texts, self.accepts, self._hint = texts, test, hint

    def hint(self, value: object) -> str:
        """Give advice for a value that is not accepted, with a space before it."""
        return "" if self._hint is None else self._hint(value)

    def with_hint(self, text: str, when: Callable[[Any], bool] = lambda value: True) -> Constraint:
        """Add advice that follows the sentence of an error."""
        return Constraint(
            *self.texts,
            test=self.accepts,
            hint=lambda value: self.hint(value) + f" {text}" * bool(when(value)),
        )

    def __or__(self, other: Constraint) -> Constraint:
        return Constraint(
            *self.texts,
            *other.texts,
            test=lambda value: self.accepts(value) or other.accepts(value),
            hint=lambda value: self.hint(value) + other.hint(value),
        )

    def __str__(self) -> str:
        *first, last = self.texts
        return f"{', '.join(first)} or {last}" if first else last


def check_value(owner: str, name: str, value: object, constraint: Constraint) -> None:
    """Raise an `InvalidParameterError` if a value is not accepted.

    Examples
    --------
    >>> check_value("TreeClassifier", "max_depth", -1, Int(0) | NONE)
    Traceback (most recent call last):
    ...
    mixedwood._params.InvalidParameterError: The 'max_depth' parameter of TreeClassifier must be \
an int in the range [0, inf) or None. Got -1 instead.
    """
    if not constraint.accepts(value):
        raise InvalidParameterError(
            f"The {name!r} parameter of {owner} must be {constraint}. Got {value!r} instead."
            f"{constraint.hint(value)}"
        )


def validate(estimator: Any, table: Mapping[str, Constraint] | None = None) -> None:
    """Check the parameters of an estimator in the order of a table, by default its own."""
    for name, constraint in (estimator._parameters if table is None else table).items():
        check_value(type(estimator).__name__, name, getattr(estimator, name), constraint)


# Constraints


class Int(Constraint):
    """An integer from `low` to `high`, both included; not a bool."""

    def __init__(self, low: float = -math.inf, high: float = math.inf) -> None:
        left = f"[{low}" if math.isfinite(low) else "(-inf"
        right = f"{high}]" if math.isfinite(high) else "inf)"
        super().__init__(
            f"an int in the range {left}, {right}",
            test=lambda value: is_int(value) and low <= value <= high,
        )


class Float(Constraint):
    """A number from `low` to `high`, which `closed` includes; an int is accepted, NaN is not."""

    def __init__(
        self, low: float = -math.inf, high: float = math.inf, closed: Closed = "both"
    ) -> None:
        def test(value: Any) -> bool:
            if not is_number(value):
                return False
            above = low <= value if closed in ("both", "left") else low < value
            return bool(above and (value <= high if closed in ("both", "right") else value < high))

        left, right = "[("[closed in ("right", "neither")], "])"[closed in ("left", "neither")]
        super().__init__(
            f"a float in the range {left}{float(low)}, {float(high)}{right}", test=test
        )


class OneOf(Constraint):
    """One of some strings."""

    def __init__(self, *options: str) -> None:
        super().__init__(
            f"a str among {{{', '.join(map(repr, options))}}}",
            test=lambda value: isinstance(value, str) and value in options,
        )


class InstanceOf(Constraint):
    """An instance of one of some classes."""

    def __init__(self, *kinds: type) -> None:
        super().__init__(
            *(f"an instance of {kind.__name__!r}" for kind in kinds),
            test=lambda value: isinstance(value, kinds),
        )


class HasMethod(Constraint):
    """An object with a method; neither a class nor a string, which has a method `split` as well."""

    def __init__(self, method: str, text: str) -> None:
        super().__init__(
            text,
            test=lambda value: (
                not isinstance(value, (str, type)) and callable(getattr(value, method, None))
            ),
        )


class ListOf(Constraint):
    """A list or tuple of at least `low` elements, all of which are accepted."""

    def __init__(self, element: Constraint, text: str = "a list of these", low: int = 1) -> None:
        def test(value: Any) -> bool:
            is_list = isinstance(value, (list, tuple)) and len(value) >= low
            return is_list and all(map(element.accepts, value))

        super().__init__(text, test=test)


class PartOf(Constraint):
    """The name of a `Part` such as `Partitioner`, or an instance."""

    def __init__(self, kind: Any) -> None:
        either = OneOf(*kind.known()) | InstanceOf(kind)
        super().__init__(*either.texts, test=either.accepts)


class RowsOrFraction(Constraint):
    """A number of rows, or a fraction of them; see `count_rows`.

    With ``closed="right"``, 1.0 are all rows and larger floats are errors. Otherwise they are
    numbers of rows, since rows may have weights.
    """

    def __init__(self, closed: Literal["right", "neither"] = "neither") -> None:
        whole, fraction = Int(1), Float(0, 1, closed)
        number = fraction if closed == "right" else Float(0, math.inf, "neither")
        super().__init__(
            *whole.texts,
            *fraction.texts,
            test=lambda value: (whole if is_int(value) else number).accepts(value),
        )


class ColumnsOrFraction(Constraint):
    """A number of columns, a fraction of them, "sqrt" or "log2"; see `count_columns`."""

    def __init__(self) -> None:
        whole, other = Int(1), Float(0, 1, "right") | OneOf("sqrt", "log2")
        super().__init__(
            *whole.texts,
            *other.texts,
            test=lambda value: (whole if is_int(value) else other).accepts(value),
        )


def _is_crossing(value: Any) -> bool:
    named = isinstance(value, (list, tuple)) and len(value) >= 2
    return named and all(isinstance(name, str) or is_int(name) for name in value)


NONE = Constraint("None", test=lambda value: value is None)
FLAG = Constraint("a bool", test=lambda value: isinstance(value, (bool, np.bool_)))
CALLABLE = Constraint("a callable", test=callable)
CROSSED_FEATURES = Constraint(
    "None",
    "'auto'",
    "a list of lists of two or more column names or positions",
    test=lambda value: (
        value is None
        or (isinstance(value, str) and value == "auto")
        or (isinstance(value, (list, tuple)) and all(map(_is_crossing, value)))
    ),
).with_hint(
    "For one crossing, pass a list with one tuple, such as [('city', 'country')].",
    when=lambda value: isinstance(value, (list, tuple)) and _is_crossing(value),
)


def _is_monotonic(value: Any) -> bool:
    """Whether a value is None, or has signs by name or for each column."""
    if isinstance(value, Mapping):
        return all(isinstance(name, str) for name in value) and all(
            is_number(sign) and sign in (-1, 0, 1) for sign in value.values()
        )
    if value is None or isinstance(value, str):
        return value is None
    try:
        signs = np.asarray(value)
    except ValueError:
        return False
    return signs.ndim == 1 and signs.dtype.kind in "iuf" and bool(np.isin(signs, (-1, 0, 1)).all())


MONOTONIC_CST = Constraint(
    "None",
    "a dict of column names to -1, 0 or 1",
    "an array-like of -1, 0 and 1 with one entry for each column",
    test=_is_monotonic,
)
HANDLE_UNKNOWN = OneOf("stop", "missing", "majority", "error")
N_JOBS = Int(1) | Int(high=-1) | NONE
RANDOM_STATE = Int(0) | InstanceOf(np.random.Generator, np.random.RandomState) | NONE
TIME_LIMIT = Float(0, math.inf, "right") | NONE
VERBOSE = Int(0) | FLAG


_MAX_COST = 1e100  # sums of costs must stay finite


def _fault_of_costs(value: Any) -> str:
    """Say what is wrong with costs of mistakes, with a space before it; empty if nothing is."""
    if value is None:
        return ""
    if isinstance(value, Mapping):
        rows = list(value.values())
        if not all(isinstance(row, Mapping) for row in rows):
            return " Pass the costs of each true class as a mapping of predicted classes."
        numbers = [cost for row in rows for cost in row.values()]
        if not all(is_number(cost) for cost in numbers):
            return " Costs must be numbers."
        on_diagonal = [row.get(label, 0) for label, row in value.items()]
    else:
        try:
            matrix = np.asarray(value)
        except ValueError:  # rows of several lengths
            matrix = np.empty(0)
        if matrix.dtype.kind not in "iuf" or matrix.ndim != 2 or len(set(matrix.shape)) > 1:
            return " Pass one row for each true class and one column for each predicted class."
        numbers, on_diagonal = matrix.ravel().tolist(), matrix.diagonal().tolist()
    if not all(0 <= cost < math.inf for cost in numbers):
        return " Costs must be finite and not negative."
    if any(on_diagonal):
        return " The diagonal must be 0: a correct prediction costs nothing."
    if max(numbers, default=0) > _MAX_COST:
        return f" Costs must be at most {_MAX_COST:g}. Only their proportions matter."
    return ""


COST_MATRIX = Constraint(
    "an array-like of shape (n_classes, n_classes)",
    "a mapping of true to predicted classes to costs",
    "None",
    test=lambda value: not _fault_of_costs(value),
    hint=_fault_of_costs,
)


# Fractions and limits as numbers


def count_rows(value: float | None, n_rows: int, low: int = 1, *, nearest: bool = False) -> float:
    """Give the number of rows that a parameter means; None means all rows.

    A float below 1 is a fraction of the rows, rounded up and at least `low`. With `nearest`, 1.0
    are all rows, fractions are rounded to the nearest number, and there are at most `n_rows`.

    Examples
    --------
    >>> count_rows(0.25, 10), count_rows(20, 10), count_rows(0.25, 10, nearest=True)
    (3, 20, 2)
    """
    if value is None:
        return n_rows
    if nearest:
        return min(int(value), n_rows) if is_int(value) else max(low, round(float(value) * n_rows))
    return value if value >= 1 else max(float(low), math.ceil(value * n_rows))


def count_columns(value: float | str | None, n_columns: int) -> int | None:
    """Give the number of columns that a parameter means; None for all.

    Examples
    --------
    >>> count_columns("sqrt", 10), count_columns(0.5, 10), count_columns(99, 10)
    (3, 5, 10)
    """
    if value is None:
        return None
    if value == "sqrt":
        return max(1, math.isqrt(n_columns))
    if value == "log2":
        return max(1, int(math.log2(n_columns)))
    return min(int(value), n_columns) if is_int(value) else max(1, int(float(value) * n_columns))


def native_limit(value: int | None) -> int | None:
    """Give a limit for the core, to which all larger ones are the same."""
    return None if value is None else min(int(value), _INT32_MAX)
