"""A flag by which one thread ends the growth that is under way on others."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mixedwood import _core

__all__ = ["StopFlag", "StoppedError", "stopped_by"]


class StoppedError(RuntimeError):
    """Growth was ended from elsewhere; there is no tree."""


class StopFlag:
    """A flag that ends growth in other threads; in another process it is another flag."""

    def __init__(self) -> None:
        self.native = _core.StopFlag()
        self._inside = 0  # searches of the core that watch it
        self._changed = threading.Condition()

    def set(self) -> None:
        """Ask for the end."""
        self.native.set()

    def is_set(self) -> bool:
        """Say whether the end was asked for."""
        return self.native.is_set()

    def wait(self, seconds: float) -> None:
        """Wait until no search of the core watches the flag any more."""
        with self._changed:
            self._changed.wait_for(lambda: self._inside == 0, seconds)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Count a search that watches the flag; an error if the end was asked for."""
        with self._changed:
            if self.is_set():
                raise StoppedError("growth was stopped")
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
    """Give the flag to the native core; what comes of it there is a `StoppedError` here."""
    if stop is None:
        yield None
        return
    try:
        with stop.watched():
            yield stop.native
    except RuntimeError as error:
        if str(error) == "stopped from another thread" and not isinstance(error, StoppedError):
            raise StoppedError("growth was stopped") from None
        raise
