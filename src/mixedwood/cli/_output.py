"""Everything that commands print, and how they end.

Column names, labels and file names come from users' files. Text for people never controls the
terminal; data for programs is left unchanged, unless it goes to a terminal. Exit codes: 0 success,
1 failure, 2 usage, 3 data, 4 no model within the time limit, 130 interrupted.
"""

from __future__ import annotations

import functools
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import click

from mixedwood.printable import printable

__all__ = [
    "DataError",
    "NoModelError",
    "SafeGroup",
    "echo",
    "echo_data",
    "interruptible",
    "print_table",
]


def echo(text: str = "", *, err: bool = False) -> None:
    """Print text for people."""
    click.echo(printable(text), err=err)


def echo_data(content: str | bytes) -> None:
    """Print data for programs, unchanged; on a terminal it is made safe."""
    if sys.stdout.isatty():
        text = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
        click.echo(printable(text), nl=not text.endswith("\n"))
        return
    sys.stdout.flush()
    click.echo(content, nl=isinstance(content, str) and not content.endswith("\n"))


class DataError(click.ClickException):
    """The data is not what the command needs."""

    exit_code = 3


class NoModelError(click.ClickException):
    """The time limit was reached before there was a model."""

    exit_code = 4


def interruptible(command: Callable[..., None]) -> Callable[..., None]:
    """End with code 130 on Ctrl-C, and without a traceback."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except KeyboardInterrupt:
            echo("Interrupted.", err=True)
            raise click.exceptions.Exit(130) from None

    return run


def print_table(
    title: str,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    n_text: int = 1,
    *,
    err: bool = False,
) -> None:
    """Print a table; the first `n_text` columns are text, the others numbers.

    It is drawn on a terminal only, and with `err` it goes to stderr.
    """
    header = [printable(name, lines=False) for name in header]
    rows = [[printable(cell, lines=False) for cell in row] for row in rows]
    if not (sys.stderr if err else sys.stdout).isatty():
        _print_plain(title, header, rows, n_text, err)
        return
    try:
        from rich.console import Console
        from rich.markup import escape
        from rich.table import Table
    except ImportError:
        _print_plain(title, header, rows, n_text, err)
        return
    table = Table(title=escape(printable(title)), title_justify="left", title_style="bold")
    for i, name in enumerate(header):
        table.add_column(escape(name), justify="left" if i < n_text else "right")
    for row in rows:
        table.add_row(*map(escape, row))
    Console(stderr=err).print(table)


def _print_plain(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], n_text: int, err: bool
) -> None:
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    echo(title, err=err)
    for row in [header, *rows]:
        cells = [
            cell.ljust(width) if i < n_text else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        echo("  ".join(cells).rstrip(), err=err)


class SafeGroup(click.Group):
    """Commands whose errors and warnings, click's own included, are safe to print."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run; unexpected errors end in a traceback that is safe as well."""
        before = sys.excepthook
        sys.excepthook = _show_traceback
        try:
            return super().main(*args, **kwargs)
        except SystemExit:
            sys.excepthook = before
            raise

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Parse."""
        with _safe_errors():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Call the command."""
        with _safe_errors(), _safe_warnings():
            return super().invoke(ctx)


@contextmanager
def _safe_errors() -> Iterator[None]:
    try:
        yield
    except click.ClickException as error:
        texts = {"message", "ui_filename"} & vars(error).keys()
        vars(error).update({name: printable(vars(error)[name]) for name in texts})
        raise


@contextmanager
def _safe_warnings() -> Iterator[None]:
    """Print warnings that no command collects, in one line each."""

    def show(message: Warning | str, *_: Any) -> None:
        echo(f"Warning: {message}", err=True)

    with warnings.catch_warnings():
        warnings.showwarning = show  # type: ignore[assignment]
        yield


def _show_traceback(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    echo("".join(traceback.format_exception(kind, error, trace)).rstrip(), err=True)
