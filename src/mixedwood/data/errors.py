"""Errors of input data: what was given and where, what is accepted, and what to do.

Each function returns an exception for the caller to raise. Rows are counted from 0.
"""

from __future__ import annotations

import datetime
import difflib
from collections.abc import Mapping, Sequence

__all__ = [
    "complex_column",
    "differing_orders",
    "few",
    "infinite",
    "missing_columns",
    "missing_entries",
    "not_a_number",
    "outside_order",
    "retyped",
    "unsupported_dtype",
    "unsupported_value",
]

_ACCEPTED = "Columns may contain text, categories, booleans or real numbers."
_DATE = (
    "Turn dates and times into numbers or categories first: mixedwood.preprocessing.DateFeatures, "
    "or --dates on the command line, gives the month, the weekday and more."
)
_BYTES = "Decode bytes into text first, e.g. value.decode()."
_NESTED = "Give each part a column of its own."
_OTHER = "Turn it into text or numbers first, e.g. with str(value)."

# Parts of the names of types in numpy, narwhals and pandas, and what to do about them.
_HINTS = (
    (("date", "time", "duration", "period"), _DATE),
    (("bytes", "binary"), _BYTES),
    (("list", "array", "struct", "tuple", "dict", "set", "void"), _NESTED),
)


def few(values: Sequence[object], limit: int = 5) -> str:
    """Show the first few values, and how many more there are."""
    shown = ", ".join(_shorten(repr(value)) for value in values[:limit])
    left = len(values) - limit
    return shown if left <= 0 else f"{shown}, ... ({left} more)"


def _shorten(text: str, limit: int = 60) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _hint(type_name: str) -> str:
    lowered = type_name.lower()
    for words, hint in _HINTS:
        if any(word in lowered for word in words):
            return hint
    return _OTHER


def unsupported_dtype(name: str, dtype: object) -> TypeError:
    """Make the error for a column of an unsupported type."""
    return TypeError(f"Column {name!r} has dtype {dtype}. {_ACCEPTED} {_hint(str(dtype))}")


def unsupported_value(name: str, value: object, row: int | None = None) -> Exception:
    """Make the error for a cell that is neither text nor a number."""
    if isinstance(value, complex):
        return complex_column(name)
    # Timestamps of pandas and others are dates by inheritance, not by name.
    dated = isinstance(value, datetime.date | datetime.time | datetime.timedelta)
    hint = _DATE if dated else _hint(type(value).__name__)
    where = "" if row is None else f" in row {row}"
    return TypeError(
        f"Column {name!r} has {_shorten(repr(value))} of type {type(value).__name__}{where}. "
        f"{_ACCEPTED} {hint}"
    )


def complex_column(name: str) -> ValueError:
    """Make the error for a column of complex numbers."""
    return ValueError(
        f"Complex data not supported: column {name!r} has complex numbers. {_ACCEPTED} "
        "Give the real and the imaginary part a column each."
    )


def infinite(name: str, row: int) -> ValueError:
    """Make the error for a number that is infinite or too large for a double."""
    return ValueError(
        f"Column {name!r} contains infinity or a value too large for dtype('float64') in row "
        f"{row}. Numbers must be finite; mark unknown ones as missing (NaN) instead."
    )


def not_a_number(name: str, value: object, row: int) -> ValueError:
    """Make the error for a cell that is not a number in a numeric column."""
    return ValueError(
        f"Column {name!r} was numeric in training, but row {row} has {_shorten(repr(value))}, "
        "which is not a finite number. Convert the column to numbers as in training, mark values "
        "that are not known as missing, or fit again."
    )


def retyped(name: str, value: object, row: int, known: Sequence[object]) -> ValueError:
    """Make the error for a label whose type and spelling differ from those of all categories."""
    given, learned = ("text", "numbers") if isinstance(value, str) else ("a number", "text")
    return ValueError(
        f"The categories of column {name!r} were {learned} in training ({few(known, 3)}), but row "
        f"{row} has {given}, {_shorten(repr(value))}, which is spelled like none of them. Convert "
        "the column to the type it had in training, or fit again."
    )


def outside_order(name: str, value: object, row: int, order: Sequence[object]) -> ValueError:
    """Make the error for a category that the order of an ordinal column does not list."""
    return ValueError(
        f"Column {name!r} is ordinal with the order {few(order, 10)}, but row {row} has "
        f"{_shorten(repr(value))}. Add it to the order, or mark it as missing."
    )


def differing_orders(name: str, orders: Sequence[Sequence[object]]) -> ValueError:
    """Make the error for an ordered column whose chunks do not give one order of all labels."""
    shown = "; ".join(few(order, 10) for order in orders[:3]) + ("; ..." if orders[3:] else "")
    return ValueError(
        f"Column {name!r} is ordered, but its chunks have different orders ({shown}), which "
        "cannot be combined into one. Give the order, e.g. "
        f"ordinal_features={{{name!r}: [...]}}, or read the column as unordered with "
        "categorical_features."
    )


def missing_columns(missing: Sequence[str], others: Sequence[str]) -> ValueError:
    """Make the error for columns that are missing; `others` are columns that are not expected."""
    # The first lines are scikit-learn's, which its checks and other tools look for.
    text = "The feature names should match those that were passed during fit.\n"
    if others:
        text += "Feature names unseen at fit time:\n" + _bullets(others)
    text += "Feature names seen at fit time, yet now missing:\n" + _bullets(missing)
    text += "Add or rename the missing columns; order and further columns do not matter."
    for name in sorted(missing)[:5]:
        close = difflib.get_close_matches(name, others, n=1)
        text += f" Did you mean {name!r} instead of {close[0]!r}?" if close else ""
    return ValueError(text)


def missing_entries(names: Sequence[str], rows: Sequence[Mapping[str, object]]) -> ValueError:
    """Make the error for a row, in a list of dicts, without an entry for some column."""
    row, lost = next(
        (row, lost)
        for row, cells in enumerate(rows)
        if (lost := [name for name in names if name not in cells])
    )
    return ValueError(
        f"Row {row} of X has no entry for {few(lost)}. Give every row all columns, and mark "
        "missing values as None."
    )


def _bullets(names: Sequence[str], limit: int = 5) -> str:
    shown = [f"- {name}\n" for name in sorted(names)[:limit]]
    return "".join(shown) + ("- ...\n" if len(names) > limit else "")
