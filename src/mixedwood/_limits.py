"""Limits of time, and how work ends before its time: one error, one warning, one flag.

What can be used although the time was too short comes with a `TimeLimitWarning`; where there is
nothing to use, it is a `TimeLimitError`.
"""

from __future__ import annotations

import math
import os
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from mixedwood import _core

__all__ = [
    "NO_DEADLINE",
    "CancelledError",
    "Deadline",
    "StopFlag",
    "TimeLimitError",
    "read_time_limit",
    "stopped_by",
    "user_stacklevel",
    "warn_time_limit",
]

# The core's own, which is a TimeoutError: whoever catches that catches both.
TimeLimitError = _core.TimeLimitError


class CancelledError(RuntimeError):
    """The work was ended from elsewhere; there is no result."""


def read_time_limit(time_limit: float | None) -> float:
    """Seconds, with infinity for no limit."""
    if time_limit is None:
        return math.inf
    is_number = isinstance(time_limit, (int, float, np.integer, np.floating))
    if not is_number or isinstance(time_limit, bool):
        raise TypeError(
            "time_limit must be a positive number of seconds or None; "
            f"got {type(time_limit).__name__}."
        )
    seconds = float(time_limit)
    if not seconds > 0:
        raise ValueError(f"time_limit must be a positive number of seconds; got {time_limit!r}.")
    return seconds


@dataclass(frozen=True)
class Deadline:
    """A moment on the clock of this process by which work is to end.

    Examples
    --------
    >>> Deadline().left(), Deadline.after(-1.0).is_over()
    (inf, True)
    """

    moment: float = math.inf

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """Make the deadline that many seconds from now."""
        return cls(time.monotonic() + seconds)

    def left(self, at_least: float = -math.inf) -> float:
        """Give the seconds that are left; negative once it is over, unless `at_least` says more."""
        return max(self.moment - time.monotonic(), at_least)

    def is_over(self) -> bool:
        """Whether no time is left."""
        return self.left() <= 0


NO_DEADLINE = Deadline()


class StopFlag:
    """A flag that ends work in other threads; in another process it is another flag."""

    def __init__(self) -> None:
        self.native = _core.StopFlag()
        self._inside = 0  # searches of the core that watch it
        self._changed = threading.Condition()

    def set(self) -> None:
        """Request cancellation."""
        self.native.set()

    def is_set(self) -> bool:
        """Whether cancellation was requested."""
        return self.native.is_set()

    def wait(self, seconds: float) -> None:
        """Wait until no search of the core watches the flag any more."""
        with self._changed:
            self._changed.wait_for(lambda: self._inside == 0, seconds)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Count a search that watches the flag; an error after cancellation."""
        with self._changed:
            if self.is_set():
                raise CancelledError("growth was stopped")
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    def __reduce__(self) -> tuple[Any, ...]:
        # Whoever started the other processes ends them.
        return (StopFlag, ())


@contextmanager
def stopped_by(stop: StopFlag | None) -> Iterator[_core.StopFlag | None]:
    """Pass the flag to the native core, whose cancellation becomes a `CancelledError`."""
    if stop is None:
        yield None
        return
    try:
        with stop.watched():
            yield stop.native
    except RuntimeError as error:
        if str(error) == "stopped from another thread" and not isinstance(error, CancelledError):
            raise CancelledError("growth was stopped") from None
        raise


def warn_time_limit(message: str) -> None:
    """Warn that a limit was reached, naming the line that called the library."""
    from mixedwood._warnings import TimeLimitWarning

    warnings.warn(message, TimeLimitWarning, stacklevel=user_stacklevel())


def _folder(name: str) -> str:
    """Where a library is, without importing it."""
    spec = find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    return str(Path(spec.origin).parent) + os.sep


# Calls of `score` or `cross_val_score` go through scikit-learn and joblib.
_LIBRARIES = (str(Path(__file__).parent) + os.sep, _folder("sklearn"), _folder("joblib"))


def user_stacklevel() -> int:
    """Give the `stacklevel` of a warning about the first line outside of the library.

    Lines of scikit-learn and joblib are not outside. In a worker, where there is no other caller,
    it is the line that started the worker.
    """
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_LIBRARIES):
        level, frame = level + 1, frame.f_back
    return level
