"""How commands end: 0 well, 1 failure, 2 usage, 3 data, 4 no model in time, 130 interrupted."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from mixedwood.cli.printing import say

__all__ = ["DataError", "NoModelError", "interruptible"]


class DataError(click.ClickException):
    """The data is not what the command needs."""

    exit_code = 3


class NoModelError(click.ClickException):
    """The time limit came before there was a model."""

    exit_code = 4


def interruptible(command: Callable[..., None]) -> Callable[..., None]:
    """End with code 130 on Ctrl-C, and without a traceback."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except KeyboardInterrupt:
            say("Interrupted.", err=True)
            raise click.exceptions.Exit(130) from None

    return run
