"""Warnings about limits that were met name the line of whoever called the library."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

__all__ = ["outside_the_library"]


def _folder(name: str) -> str:
    """Where a library is, without importing it."""
    spec = find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    return str(Path(spec.origin).parent) + os.sep


# Whoever says `score` or `cross_val_score` comes here through scikit-learn, and it through joblib.
_LIBRARIES = (str(Path(__file__).parents[1]) + os.sep, _folder("sklearn"), _folder("joblib"))


def outside_the_library() -> int:
    """Give the `stacklevel` of a warning about the first line outside of the library.

    Lines of scikit-learn and joblib are not outside. In a worker where nothing else called, it is
    the line that started the worker.
    """
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_LIBRARIES):
        level, frame = level + 1, frame.f_back
    return level
