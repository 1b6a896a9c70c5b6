"""Kinds of fitted attributes, as data.

An estimator states in a table `_fitted` what `fit` sets besides the columns and the classes. So
does a value inside of it, such as a pruning path, with its fields. Model files contain what these
tables list and nothing else; it is checked before it is written and after it was read.

A class may also have a method ``_check_fitted``, which raises a ValueError if its attributes do not
fit together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

__all__ = [
    "AT_LEAST_ONE",
    "COUNT",
    "COUNTS",
    "FINITE",
    "FLAG",
    "FRACTIONS",
    "MAX_SUM",
    "MISSING_OR_FINITE",
    "MISSING_OR_NONNEGATIVE",
    "NONNEGATIVE",
    "NOT_NAN",
    "NOT_NEGATIVE",
    "POSITIVE",
    "REAL",
    "ROUNDING",
    "TEXT",
    "TEXTS",
    "Fitted",
    "Kind",
    "Numbers",
    "array",
    "arrays",
    "instance",
    "integer",
    "list_of",
    "number",
    "optional",
    "sometimes",
    "tuple_of",
]

ROUNDING = 1e-6  # sums of weights and of probabilities are rounded
MAX_SUM = float(np.finfo(np.float64).max) / 2**20  # a million of such numbers can be added


@dataclass(frozen=True)
class Kind:
    """What a value must be.

    Attributes
    ----------
    text : str
        A description, for errors.
    accepts : callable
        Whether a value is of the kind.
    classes : tuple of type
        Classes of the library that such a value contains.
    required : bool
        Whether the attribute is always set.
    """

    text: str
    accepts: Callable[[Any], bool]
    classes: tuple[type, ...] = ()
    required: bool = True


Fitted: TypeAlias = Mapping[str, Kind]


class Numbers(NamedTuple):
    """A set of numbers: a description, and a vectorized test that is false for NaN."""

    text: str
    contains: Callable[[Any], Any]


FINITE = Numbers("finite", np.isfinite)
NOT_NAN = Numbers("not NaN", lambda v: ~np.isnan(v))
NONNEGATIVE = Numbers("finite and not negative", lambda v: np.isfinite(v) & (v >= 0))
POSITIVE = Numbers("finite and above 0", lambda v: np.isfinite(v) & (v > 0))
NOT_NEGATIVE = Numbers("not negative", lambda v: v >= 0)  # may be infinite
AT_LEAST_ONE = Numbers("1 or more", lambda v: v >= 1)
FRACTIONS = Numbers("from 0 to 1", lambda v: (v >= 0) & (v <= 1))
MISSING_OR_FINITE = Numbers("NaN or finite", lambda v: ~np.isinf(v))
MISSING_OR_NONNEGATIVE = Numbers(
    "NaN, or finite and not negative", lambda v: np.isnan(v) | (v < np.inf) & (v >= 0)
)


def number(numbers: Numbers | None = None) -> Kind:
    """Give the kind of a single number.

    Examples
    --------
    >>> number(FRACTIONS).accepts(0.5), number(FRACTIONS).accepts(True)
    (True, False)
    """

    def accepts(value: Any) -> bool:
        if type(value) not in (int, float) and not isinstance(value, np.floating):
            return False
        return numbers is None or bool(numbers.contains(float(value)))

    return Kind("a number" if numbers is None else f"a number, {numbers.text}", accepts)


def integer(low: int) -> Kind:
    """Give the kind of an int of at least `low`."""
    return Kind(f"an int of at least {low}", lambda v: type(v) is int and v >= low)


def array(dtype: Any, ndim: int = 1, numbers: Numbers | None = None) -> Kind:
    """Give the kind of an array of a type, with a number of dimensions.

    Examples
    --------
    >>> import numpy as np
    >>> array(np.float64, 1, FINITE).text
    'an array of float64 with 1 dimension, all finite'
    """
    text = f"an array of {np.dtype(dtype).name} with {ndim} dimension{'s' * (ndim > 1)}"
    return Kind(
        text if numbers is None else f"{text}, all {numbers.text}",
        lambda v: (
            isinstance(v, np.ndarray)
            and v.dtype == dtype
            and v.ndim == ndim
            and (numbers is None or bool(np.all(numbers.contains(v))))
        ),
    )


def arrays(kinds: Fitted) -> Kind:
    """Give the kind of a dict of arrays of one length; some are there only `sometimes`."""
    needed = {name for name, kind in kinds.items() if kind.required}
    listed = ", ".join(f"{name}, {kind.text}" for name, kind in kinds.items())
    return Kind(
        f"a dict with arrays of one length: {listed}",
        lambda v: (
            type(v) is dict
            and needed <= set(v) <= set(kinds)
            and all(kinds[name].accepts(one) for name, one in v.items())
            and len({len(one) for one in v.values()}) == 1
        ),
    )


def list_of(kind: Kind, min_length: int = 0) -> Kind:
    """Give the kind of a list."""
    many = f"at least {min_length}, " * bool(min_length)
    return Kind(
        f"a list ({many}each {kind.text})",
        lambda v: type(v) is list and len(v) >= min_length and all(map(kind.accepts, v)),
        kind.classes,
    )


def tuple_of(kind: Kind) -> Kind:
    """Give the kind of a tuple."""
    return Kind(
        f"a tuple (each {kind.text})",
        lambda v: type(v) is tuple and all(map(kind.accepts, v)),
        kind.classes,
    )


def instance(*classes: type) -> Kind:
    """Give the kind of an instance of one of some classes, not of a subclass."""
    names = " or ".join(one.__name__ for one in classes)
    return Kind(f"an instance of {names}", lambda v: type(v) in classes, classes)


def optional(kind: Kind) -> Kind:
    """Let a value be None."""
    return replace(
        kind, text=f"{kind.text}, or None", accepts=lambda v: v is None or kind.accepts(v)
    )


def sometimes(kind: Kind) -> Kind:
    """Let an attribute be unset."""
    return replace(kind, required=False)


TEXT = Kind("a str", lambda v: type(v) is str)
FLAG = Kind("a bool", lambda v: type(v) is bool)
COUNT = integer(0)
REAL = number(FINITE)
COUNTS = array(np.int64, 1, NONNEGATIVE)
TEXTS = Kind(
    "an array of text with 1 dimension",
    lambda v: isinstance(v, np.ndarray) and v.dtype.kind == "U" and v.ndim == 1,
)
