"""A progress bar with the time left for commands that take more than two seconds."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mixedwood._progress import listening

__all__ = ["bar_after_two_seconds"]

_PATIENCE = 2.0


@contextmanager
def bar_after_two_seconds(what: str, is_shown: bool = True) -> Iterator[None]:
    """Show a bar on a terminal if the work inside takes more than two seconds; silent below."""
    if not is_shown or not sys.stderr.isatty():
        yield
        return
    try:
        bar = _Bar(what)
    except ImportError:  # no rich
        yield
        return
    with listening(bar):
        timer = threading.Timer(_PATIENCE, bar.start)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            bar.stop()


class _Bar:
    """A bar of rich for each stage; before the first, and without any, a spinner."""

    def __init__(self, what: str) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            SpinnerColumn,
            TaskProgressColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        self._progress = Progress(
            SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(),
            TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(),
            console=Console(stderr=True), transient=True,
        )  # fmt: skip
        self._tasks: list[Any] = [self._progress.add_task(what, total=None)]
        self._lock, self._is_over = threading.Lock(), False

    def start(self) -> None:
        """Show the bar, unless the work is over."""
        with self._lock:
            if not self._is_over:
                self._progress.start()

    def stop(self) -> None:
        """Remove the bar."""
        with self._lock:
            self._is_over = True
            self._progress.stop()

    def begin(self, what: str, total: int) -> None:
        """Begin a stage."""
        self._tasks.append(self._progress.add_task(what, total=total))

    def advance(self, n_done: int) -> None:
        """So many are done."""
        self._progress.update(self._tasks[-1], completed=n_done)

    def end(self) -> None:
        """End the stage."""
        self._progress.remove_task(self._tasks.pop())
