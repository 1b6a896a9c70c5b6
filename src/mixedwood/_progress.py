"""Progress of a fit, for callbacks of estimators and the bar of the command line."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

__all__ = ["LISTENERS", "FunctionListener", "Listener", "Progress", "listening", "stage"]


@dataclass(frozen=True)
class Progress:
    """How far a fit is.

    Attributes
    ----------
    what : str
        What is counted, such as ``"trees"`` or ``"iterations"``; ``"fit"`` for the whole fit.
    done, total : int
        Number of those that are done, and of all.
    seconds : float
        Seconds since the first began.

    Examples
    --------
    >>> progress = Progress("trees", 25, 100, 2.0)
    >>> progress.seconds_left, str(progress)
    (6.0, '25 of 100 trees in 2.0 s, about 6.0 s left')
    """

    what: str
    done: int
    total: int
    seconds: float

    @property
    def seconds_left(self) -> float | None:
        """Estimate of the seconds that are left; None before anything is done."""
        return self.seconds * (self.total - self.done) / self.done if self.done else None

    def __str__(self) -> str:
        left = self.seconds_left
        rest = "" if not left else f", about {left:.1f} s left"
        return f"{self.done} of {self.total} {self.what} in {self.seconds:.1f} s{rest}"


class Listener(Protocol):
    """Receives the progress of each stage of a fit."""

    def begin(self, what: str, total: int) -> None:
        """Begin a stage."""

    def advance(self, n_done: int) -> None:
        """Report the number done so far."""

    def end(self) -> None:
        """End the stage."""


LISTENERS: ContextVar[tuple[Listener, ...]] = ContextVar("listeners", default=())


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Report all stages inside to a listener."""
    token = LISTENERS.set((*LISTENERS.get(), listener))
    try:
        yield
    finally:
        LISTENERS.reset(token)


@contextmanager
def stage(what: str, total: int) -> Iterator[Callable[[int], None] | None]:
    """Report a stage; yields a function of the number done, or None without listeners."""
    listeners = LISTENERS.get()
    if not listeners:
        yield None
        return
    lock, last = threading.Lock(), 0

    def advance(n_done: int) -> None:
        nonlocal last
        with lock:  # joblib calls it from several threads
            if n_done <= last:
                return
            last = n_done
            for listener in listeners:
                listener.advance(n_done)

    for listener in listeners:
        listener.begin(what, total)
    try:
        yield advance
    finally:
        for listener in listeners:
            listener.end()


class FunctionListener:
    """Calls a function with the progress."""

    def __init__(self, function: Callable[[Progress], object]) -> None:
        self._function = function
        self._stages: list[tuple[str, int, float]] = []

    def begin(self, what: str, total: int) -> None:
        """Begin a stage."""
        self._stages.append((what, total, time.monotonic()))
        self.advance(0)

    def advance(self, n_done: int) -> None:
        """Call the function."""
        what, total, started = self._stages[-1]
        self._function(Progress(what, n_done, total, time.monotonic() - started))

    def end(self) -> None:
        """End the stage."""
        self._stages.pop()
