"""Types of options, and files to write."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mixedwood.cli._output import echo

if TYPE_CHECKING:
    from mixedwood.files import ReadOptions

__all__ = [
    "DATA",
    "MODEL",
    "TABLE",
    "Bytes",
    "Seconds",
    "cannot_write",
    "check_output",
    "column_options",
    "list_files",
    "read_crossings",
    "read_order",
    "reading",
    "reading_options",
    "write_output",
]

DATA = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
TABLE = click.Path(allow_dash=True, path_type=Path)  # also a folder or a pattern
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


_SIZES = {"": 1, "b": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


class Bytes(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A size such as 500MB, 2GB, 1.5GiB, or a number of bytes."""

    name = "size"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        """Turn it into bytes."""
        found = re.fullmatch(r"(\d+\.?\d*|\.\d+)\s*([kmgt]?)(i?)b?", str(value).strip().lower())
        if found is None or (found[3] and not found[2]):
            self.fail(f"{value!r} is not a size such as 500MB, 2GB or 1.5GiB.", param, ctx)
        unit = _SIZES[found[2]]
        if found[3]:
            unit = 1 << round(math.log(unit, 1000)) * 10
        size = int(float(found[1]) * unit)
        if size < 1_000_000:
            self.fail(f"a memory limit must be at least 1MB; got {value!r}.", param, ctx)
        return size


def list_files(_: click.Context, __: click.Parameter, paths: Sequence[Path]) -> list[Path]:
    """List the files of folders and patterns, and other files as they are; for an argument."""
    from mixedwood.data.chunks import find_files
    from mixedwood.files import FileError

    found: list[Path] = []
    for path in paths:
        try:
            found += [path] if str(path) == "-" else find_files(path)
        except FileError as error:
            raise click.UsageError(str(error)) from error
    if len(found) > 1 and Path("-") in found:
        raise click.UsageError("The standard input cannot be read together with files.")
    return found


_READING = (
    click.option("--encoding", help="Encoding of a CSV or JSON file; by default UTF-8."),
    click.option(
        "--decimal",
        type=click.Choice([".", ","]),
        help="Decimal sign of a CSV file; by default a point.",
    ),
    click.option(
        "--thousands", metavar="CHARACTER", help="Character between groups of three digits."
    ),
    click.option(
        "--no-header",
        is_flag=True,
        help="The first row has data; columns are column1, column2, ...",
    ),
    click.option("--sheet", help="Sheet of an Excel file; by default the first one."),
)


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of how text is read."""
    for option in reversed(_READING):
        command = option(command)
    return command


_COLUMNS = (
    click.option(
        "--categorical",
        multiple=True,
        metavar="COLUMN",
        help="A numeric column to treat as categorical.",
    ),
    click.option(
        "--cross",
        multiple=True,
        metavar="COLUMN,COLUMN",
        help="Categorical columns to cross, or auto to search for them.",
    ),
    click.option("--drop", multiple=True, metavar="COLUMN", help="A column to leave out."),
    click.option(
        "--dates", is_flag=True, help="Read the parts of dates: year, month, weekday, ..."
    ),
    reading_options,
)


def column_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of how training data are read: its columns, and its text."""
    for option in reversed(_COLUMNS):
        command = option(command)
    return command


def reading(options: dict[str, Any], stored: Mapping[str, Any] | None = None) -> ReadOptions:
    """Take the options of `reading_options` out; what is not given is as stored in a model."""
    from mixedwood.files import FileError, ReadOptions

    given = {name: options.pop(name) for name in ("encoding", "decimal", "thousands", "sheet")}
    given["header"] = False if options.pop("no_header") else None
    known = {name: value for name, value in given.items() if value is not None}
    try:
        return ReadOptions.from_dict({**(stored or {}), **known})
    except FileError as error:
        raise click.UsageError(str(error)) from error


def read_order(text: str) -> tuple[str, list[str]]:
    """Read ``size:S<M<L``: a column, and its categories in order."""
    first = text.find("<")
    colon = text.rfind(":", 0, max(first, 0))
    labels = [label.strip() for label in text[colon + 1 :].split("<")]
    name = text[:colon].strip()
    if colon < 1 or not all(labels):
        raise click.UsageError(
            f"--ordinal {text!r} is not a column and its categories in order, as in "
            "--ordinal 'size:S<M<L'."
        )
    return name, labels


def read_crossings(texts: Sequence[str]) -> str | list[list[str]] | None:
    """Read ``buying,maint``: columns to cross, or ``auto``; several may be given.

    Examples
    --------
    >>> read_crossings(["buying, maint", "doors,persons"]), read_crossings(["auto"])
    ([['buying', 'maint'], ['doors', 'persons']], 'auto')
    """
    if not texts:
        return None
    if list(texts) == ["auto"]:
        return "auto"
    crossings = [[name.strip() for name in text.split(",")] for text in texts]
    for text, names in zip(texts, crossings, strict=True):
        if len(names) < 2 or not all(names):
            raise click.UsageError(
                f"--cross {text!r} is not two or more columns, as in --cross buying,maint, or "
                "a single --cross auto."
            )
    return crossings


def check_output(path: Path | None, force: bool) -> None:
    """Check before any work that a file can be written."""
    if path is None or str(path) == "-":
        return
    if path.is_dir():
        raise click.UsageError(f"{path} is a directory; give the name of a file.")
    if path.exists() and not force:
        raise click.UsageError(f"{path} already exists; use --force to overwrite it.")
    if not path.parent.is_dir():
        raise click.UsageError(f"The directory {path.parent} does not exist; create it first.")


def write_output(path: Path, content: bytes) -> None:
    """Write a file completely or not at all, and print its name."""
    from mixedwood.files import write_bytes

    try:
        write_bytes(path, content)
    except OSError as error:
        raise cannot_write(path, error) from error
    echo(f"Written to {path}.", err=True)


def cannot_write(path: Path, error: OSError) -> click.ClickException:
    """Make the error for a file that cannot be written."""
    return click.ClickException(f"Cannot write {path}: {error.strerror or error}.")
