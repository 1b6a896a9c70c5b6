"""Errors that say what came, where, what is accepted and what to do about it.

All functions return an exception for the caller to raise, so that the reader of the calling code
sees where its path ends. Rows are counted from 0.
"""

from __future__ import annotations

import datetime
import difflib
from collections.abc import Sequence

__all__ = [
    "complex_column",
    "differing_orders",
    "few",
    "infinite",
    "missing_columns",
    "not_a_number",
    "outside_order",
    "retyped",
    "unsupported_dtype",
    "unsupported_value",
]

_ACCEPTED = "Columns hold text, categories, booleans or real numbers."
_DATE = (
    "Turn dates and times into numbers or categories first, e.g. the month, or the number of days "
    "since a fixed day."
)
_BYTES = "Decode bytes into text first, e.g. value.decode()."
_NESTED = "Give each part a column of its own."
_OTHER = "Turn it into text or numbers first, e.g. with str(value)."

# Words found in the names of types by numpy, narwhals and pandas, and what to do about them.
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
    """Refuse a whole column of a type that is not read."""
    return TypeError(f"Column {name!r} has dtype {dtype}. {_ACCEPTED} {_hint(str(dtype))}")


def unsupported_value(name: str, value: object, row: int | None = None) -> Exception:
    """Refuse a cell that holds neither text nor a number."""
    if isinstance(value, complex):
        return complex_column(name)
    # Timestamps of pandas and others are dates by inheritance, not by name.
    dated = isinstance(value, datetime.date | datetime.time | datetime.timedelta)
    hint = _DATE if dated else _hint(type(value).__name__)
    where = "" if row is None else f" in row {row}"
    return TypeError(
        f"Column {name!r} holds {_shorten(repr(value))} of type {type(value).__name__}{where}. "
        f"{_ACCEPTED} {hint}"
    )


def complex_column(name: str) -> ValueError:
    """Refuse a column of complex numbers."""
    return ValueError(
        f"Complex data not supported: column {name!r} holds complex numbers. {_ACCEPTED} "
        "Give the real and the imaginary part a column each."
    )


def infinite(name: str, row: int) -> ValueError:
    """Refuse a number that is infinite, or too large for a double."""
    return ValueError(
        f"Column {name!r} contains infinity or a value too large for dtype('float64') in row "
        f"{row}. Numbers must be finite; mark unknown ones as missing (NaN) instead."
    )


def not_a_number(name: str, value: object, row: int) -> ValueError:
    """Refuse what is not a number in a column learned as numbers."""
    return ValueError(
        f"Column {name!r} was learned as numeric, but row {row} holds {_shorten(repr(value))}, "
        "which is not a finite number. Convert the column to numbers as in training, mark unknown "
        "values as missing, or fit again."
    )


def retyped(name: str, value: object, row: int, known: Sequence[object]) -> ValueError:
    """Refuse a label of another type than all learned ones, and spelled like none of them."""
    came, learned = ("text", "numbers") if isinstance(value, str) else ("a number", "text")
    return ValueError(
        f"Column {name!r} was learned with {learned} as values ({few(known, 3)}), but row {row} "
        f"holds {came}, {_shorten(repr(value))}, and no learned value is spelled like it. "
        "Convert the column to the type it had in training, or fit again."
    )


def outside_order(name: str, value: object, row: int, order: Sequence[object]) -> ValueError:
    """Refuse a value of an ordinal column that its order does not name."""
    return ValueError(
        f"Column {name!r} is ordinal with the order {few(order, 10)}, but row {row} holds "
        f"{_shorten(repr(value))}. Add it to the order, or mark it as missing."
    )


def differing_orders(name: str, orders: Sequence[Sequence[object]]) -> ValueError:
    """Refuse an ordered column whose pieces leave open what the order of all labels is."""
    shown = "; ".join(few(order, 10) for order in orders[:3]) + ("; ..." if orders[3:] else "")
    return ValueError(
        f"Column {name!r} is ordered, but its chunks differ in the order of labels ({shown}), and "
        f"no single order follows. Give it, e.g. ordinal_features={{{name!r}: [...]}}, or read the "
        "column as unordered with categorical_features."
    )


def missing_columns(missing: Sequence[str], others: Sequence[str]) -> ValueError:
    """Refuse data without columns seen in training; `others` are the unknown ones that came."""
    # The first lines are scikit-learn's own words, which its checks and other tools look for.
    text = "The feature names should match those that were passed during fit.\n"
    if others:
        text += "Feature names unseen at fit time:\n" + _bullets(others)
    text += "Feature names seen at fit time, yet now missing:\n" + _bullets(missing)
    text += "Add or rename the missing columns; order and further columns do not matter."
    for name in sorted(missing)[:5]:
        close = difflib.get_close_matches(name, others, n=1)
        text += f" Did you mean {name!r} instead of {close[0]!r}?" if close else ""
    return ValueError(text)


def _bullets(names: Sequence[str], limit: int = 5) -> str:
    shown = [f"- {name}\n" for name in sorted(names)[:limit]]
    return "".join(shown) + ("- ...\n" if len(names) > limit else "")
