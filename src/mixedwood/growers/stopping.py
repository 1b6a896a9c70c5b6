"""A flag by which one thread ends the growth that is under way on others."""

from __future__ import annotations

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

    def set(self) -> None:
        """Ask for the end."""
        self.native.set()

    def is_set(self) -> bool:
        """Say whether the end was asked for."""
        return self.native.is_set()

    def __reduce__(self) -> tuple[Any, ...]:
        # Whoever started the other processes ends them.
        return (StopFlag, ())


@contextmanager
def stopped_by(stop: StopFlag | None) -> Iterator[_core.StopFlag | None]:
    """Give the flag to the native core; what comes of it there is a `StoppedError` here."""
    if stop is not None and stop.is_set():
        raise StoppedError("growth was stopped")
    try:
        yield None if stop is None else stop.native
    except RuntimeError as error:
        if str(error) == "stopped from another thread":
            raise StoppedError("growth was stopped") from None
        raise
