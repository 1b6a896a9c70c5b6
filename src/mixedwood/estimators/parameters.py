"""Checks of parameters that classes without a table of constraints still use."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = [
    "HANDLE_UNKNOWN",
    "check_choice",
    "check_flag",
    "check_jobs",
    "count_columns",
    "count_share_of_rows",
    "is_number",
    "is_whole",
    "read_limit",
    "read_number",
    "read_rows_or_share",
    "read_whole",
]

HANDLE_UNKNOWN = ("stop", "missing", "majority", "error")


def count_columns(max_features: Any, n_columns: int, name: str = "max_features") -> int:
    """Turn a number, a share or a name into a number of columns; -1 for all."""
    if max_features is None:
        return -1
    if isinstance(max_features, str):
        if max_features == "sqrt":
            return max(1, math.isqrt(n_columns))
        if max_features == "log2":
            return max(1, int(math.log2(n_columns)))
    elif is_whole(max_features) and max_features >= 1:
        return min(int(max_features), n_columns)
    elif is_number(max_features) and not is_whole(max_features) and 0 < max_features <= 1:
        return max(1, int(max_features * n_columns))
    raise ValueError(
        f"{name} must be None, a whole number of at least 1, a share above 0 and at most 1.0, "
        f"'sqrt' or 'log2'; got {max_features!r}."
    )


def check_choice(model: Any, name: str, accepted: tuple[str, ...]) -> None:
    """Refuse what is not one of the words accepted."""
    value = getattr(model, name)
    if not isinstance(value, str) or value not in accepted:
        raise ValueError(f"{name} must be {_either(accepted)}; got {value!r}.")


def check_flag(model: Any, name: str) -> None:
    """Refuse what is neither True nor False."""
    value = getattr(model, name)
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False; got {value!r}.")


def check_jobs(model: Any) -> None:
    """Refuse what is not a number of workers, in words that joblib does not have."""
    value = model.n_jobs
    if value is not None and not (is_whole(value) and value != 0):
        raise ValueError(
            "n_jobs must be None, -1 for all processors, or a number of workers of at least 1; "
            f"got {value!r}."
        )


def is_number(value: object) -> bool:
    """Whether a value is a number, and not True or False."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def is_whole(value: object) -> bool:
    """Whether a value is a whole number, and not True or False."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _either(accepted: tuple[str, ...]) -> str:
    names = [repr(a) for a in accepted]
    return f"{', '.join(names[:-1])} or {names[-1]}"


def read_number(model: Any, name: str, least: float, most: float) -> float:
    """Read a number within limits."""
    value = getattr(model, name)
    if not is_number(value) or not least <= value <= most:
        limits = f" from {least:g} to {most:g}" if math.isfinite(most) else ""
        raise ValueError(f"{name} must be a number{limits}; got {value!r}.")
    return float(value)


def read_limit(model: Any, name: str, least: int) -> int:
    """Read a whole number; -1 where there is no limit."""
    value = getattr(model, name)
    if value is None:
        return -1
    if not is_whole(value) or value < least:
        raise ValueError(
            f"{name} must be None or a whole number of at least {least}; got {value!r}."
        )
    return min(int(value), 2**31 - 1)


def read_whole(model: Any, name: str, least: int) -> int:
    """Read a whole number that has to be there."""
    value = getattr(model, name)
    if not is_whole(value) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}; got {value!r}.")
    return min(int(value), 2**31 - 1)


def read_rows_or_share(model: Any, name: str) -> float:
    """Read a number of rows, or a share of them."""
    value = getattr(model, name)
    if not is_number(value) or not 0 < value < math.inf or (is_whole(value) and value < 1):
        raise ValueError(
            f"{name} must be a number of rows, at least 1, or a share of them between 0.0 and 1.0; "
            f"got {value!r}."
        )
    return value if is_whole(value) or value >= 1 else float(value)


def count_share_of_rows(value: float, n_rows: int, least: int) -> float:
    """Turn a share of rows into a number of them; numbers stay."""
    if value >= 1:
        return value
    return max(float(least), math.ceil(value * n_rows))
