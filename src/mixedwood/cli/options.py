"""Options and small steps that several commands share."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mixedwood.cli.errors import DataError
from mixedwood.cli.printing import say

if TYPE_CHECKING:
    from mixedwood.saving import ModelFile
    from mixedwood.tree import Tree

__all__ = [
    "DATA",
    "MODEL",
    "Seconds",
    "cannot_write",
    "check_output",
    "open_model",
    "read_order",
    "read_rows",
    "same_labels",
    "told",
    "tree_of",
    "write_output",
]

DATA = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
MODEL = click.Path(exists=True, dir_okay=False, path_type=Path)

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


class Seconds(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic of late
    """A time such as 30s, 5m, 1.5h, or a number of seconds."""

    name = "time"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Turn it into seconds."""
        if isinstance(value, (int, float)):
            return float(value)
        found = re.fullmatch(r"(\d+\.?\d*|\.\d+)\s*([a-z]*)", value.strip().lower())
        if found is None or found[2] not in _UNITS:
            self.fail(f"{value!r} is not a time such as 30s, 5m or 1.5h.", param, ctx)
        seconds = float(found[1]) * _UNITS[found[2]]
        if not 0 < seconds < math.inf:
            self.fail("a time limit must be greater than 0.", param, ctx)
        return seconds


def read_order(text: str) -> tuple[str, list[str]]:
    """Read ``size:S<M<L``: a column, and its labels in order."""
    first = text.find("<")
    colon = text.rfind(":", 0, max(first, 0))
    labels = [label.strip() for label in text[colon + 1 :].split("<")]
    name = text[:colon].strip()
    if colon < 1 or not all(labels):
        raise click.UsageError(
            f"--ordinal {text!r} is not a column and its labels in order, as in "
            "--ordinal 'size:S<M<L'."
        )
    return name, labels


def check_output(path: Path | None, force: bool) -> None:
    """Say before any work that a file cannot be written."""
    if path is None or str(path) == "-":
        return
    if path.is_dir():
        raise click.UsageError(f"{path} is a directory; give the name of a file.")
    if path.exists() and not force:
        raise click.UsageError(f"{path} already exists; use --force to overwrite it.")
    if not path.parent.is_dir():
        raise click.UsageError(f"The directory {path.parent} does not exist; create it first.")


def write_output(path: Path, content: bytes) -> None:
    """Write a file as a whole, and say so."""
    from mixedwood.files import write_bytes

    try:
        write_bytes(path, content)
    except OSError as error:
        raise cannot_write(path, error) from error
    say(f"Written to {path}.", err=True)


def cannot_write(path: Path, error: OSError) -> click.ClickException:
    """Say in one line that a file cannot be written."""
    return click.ClickException(f"Cannot write {path}: {error.strerror or error}.")


def open_model(path: Path) -> ModelFile:
    """Read a model file; what is wrong with it is a data error."""
    from mixedwood.saving import ModelFileError, read_model

    try:
        return read_model(path)
    except ModelFileError as error:
        raise DataError(
            f"{error} Model files are written by mixedwood fit and mw.save_model."
        ) from error
    except OSError as error:
        raise DataError(f"Cannot read {path}: {error.strerror or error}.") from error


def read_rows(opened: ModelFile, path: Path, target: str | None, keep: tuple[str, ...]) -> Any:
    """Read rows for a model with the types that it has learned."""
    from mixedwood.data.file_tables import read_new_rows
    from mixedwood.files import FileError

    try:
        return read_new_rows(path, opened.model.schema_, target=target, keep=keep)
    except FileError as error:
        raise DataError(str(error)) from error


def same_labels(one: Any, other: Any) -> bool:
    """Whether labels are the same, or spelled the same: a CSV file has text only."""
    return (
        one == other
        or str(one) == str(other)
        or (isinstance(one, bool) and str(one).lower() == str(other).lower())
    )


def tree_of(estimator: Any, number: int | None) -> Tree:
    """The one tree of a model, or the one of many that was asked for, counted from 1."""
    if hasattr(estimator, "tree_"):
        if number not in (None, 1):
            raise click.UsageError(f"The model is a single tree; there is no tree {number}.")
        tree: Tree = estimator.tree_
        return tree
    if not hasattr(estimator, "trees_"):
        raise click.UsageError(f"{type(estimator).__name__} has no trees.")
    trees = estimator.trees_
    if number is None:
        raise click.UsageError(
            f"The model has {len(trees)} trees; choose one with --tree N (1 to {len(trees)})."
        )
    if number > len(trees):
        raise click.UsageError(f"The model has {len(trees)} trees; there is no tree {number}.")
    chosen: Tree = trees[number - 1]
    return chosen


@contextmanager
def told(path: Path, quiet: bool = False) -> Iterator[None]:
    """Say warnings on stderr in one line each, and make refused data a data error."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("default")
        try:
            yield
        except (TypeError, ValueError) as error:
            raise DataError(f"{path}: {error}") from error
    if not quiet:
        for words in dict.fromkeys(str(warning.message) for warning in heard):
            say(f"Warning: {words}", err=True)
