"""Warnings about limits that were met name the line of whoever called the library."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["outside_the_library"]

_LIBRARY = str(Path(__file__).parents[1]) + os.sep


def outside_the_library() -> int:
    """Give the `stacklevel` of a warning that is about the first line outside of the library."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_LIBRARY):
        level, frame = level + 1, frame.f_back
    return level
