"""The one way of all output: what commands print passes through `say` or `deliver`.

Names of columns, labels and file names come from users' files. What is printed for people never
controls the terminal; data for programs is left as it is, unless it goes to a terminal.
"""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import click

from mixedwood.printable import printable

__all__ = ["SafeGroup", "deliver", "say"]


def say(text: str = "", *, err: bool = False) -> None:
    """Print lines for people."""
    click.echo(printable(text), err=err)


def deliver(content: str | bytes) -> None:
    """Print data for programs, to the byte; on a terminal as safe as all else."""
    if sys.stdout.isatty():
        text = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
        click.echo(printable(text), nl=not text.endswith("\n"))
        return
    sys.stdout.flush()
    click.echo(content, nl=isinstance(content, str) and not content.endswith("\n"))


class SafeGroup(click.Group):
    """Commands whose errors and warnings, click's own included, are safe to print."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run; what nobody expected ends in a traceback that is safe as well."""
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
    """Print warnings that no command collects in one line each."""

    def show(message: Warning | str, *_: Any) -> None:
        say(f"Warning: {message}", err=True)

    with warnings.catch_warnings():
        warnings.showwarning = show  # type: ignore[assignment]
        yield


def _show_traceback(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    say("".join(traceback.format_exception(kind, error, trace)).rstrip(), err=True)
