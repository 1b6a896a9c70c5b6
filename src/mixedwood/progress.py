"""Signs of life of long work, on the terminal or in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["show_progress", "show_waiting"]


@contextmanager
def show_progress(
    n_members: int, verbose: int, what: str = "trees"
) -> Iterator[Callable[[int], None]]:
    """Show a bar, or lines where there is no terminal or no rich; nothing unless asked to."""
    if not verbose:
        yield lambda n_done: None
        return
    bar = _rich_bar() if sys.stderr.isatty() else None
    if bar is not None:
        with bar:
            task = bar.add_task(what, total=n_members)
            yield lambda n_done: bar.update(task, completed=n_done)
        return
    started, step = time.monotonic(), max(1, n_members // 10)
    shown = [0]

    def tell(n_done: int) -> None:
        if n_done > shown[0] and (n_done >= shown[0] + step or n_done == n_members):
            shown[0] = n_done
            seconds = time.monotonic() - started
            left = seconds * (n_members - n_done) / n_done
            rest = f", about {left:.1f} s left" if n_done < n_members else ""
            _say(f"{n_done} of {n_members} {what} in {seconds:.1f} s{rest}")

    yield tell


@contextmanager
def show_waiting(verbose: int) -> Iterator[Callable[[str], None]]:
    """Show what is being done, and for how long; nothing unless asked to.

    For work whose length nobody knows: a line that lives while it is under way, or one line for
    each thing said where there is no terminal or no rich.
    """
    if not verbose:
        yield lambda words: None
        return
    line = _rich_bar(waiting=True) if sys.stderr.isatty() else None
    if line is None:
        yield _say
        return
    with line:
        task = line.add_task("", total=None)
        yield lambda words: line.update(task, description=words)


def _say(words: str) -> None:
    sys.stderr.write(f"mixedwood: {words}\n")


def _rich_bar(*, waiting: bool = False) -> Any:
    try:
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
    except ImportError:
        return None
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    console = Console(stderr=True)
    if waiting:
        return Progress(*columns, console=console, transient=True)
    return Progress(console=console, transient=True)
