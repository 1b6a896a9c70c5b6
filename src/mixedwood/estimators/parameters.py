"""Checks of parameters that `SmoothSVC` still uses; other classes have tables of constraints."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["check_choice", "check_flag", "is_number", "is_whole"]


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


def is_number(value: object) -> bool:
    """Whether a value is a number, and not True or False."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def is_whole(value: object) -> bool:
    """Whether a value is a whole number, and not True or False."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _either(accepted: tuple[str, ...]) -> str:
    names = [repr(a) for a in accepted]
    return f"{', '.join(names[:-1])} or {names[-1]}"
