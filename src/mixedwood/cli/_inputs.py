"""Models and tables that commands read, and their errors and warnings."""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mixedwood.cli._options import reading
from mixedwood.cli._output import DataError, echo, print_table

if TYPE_CHECKING:
    from mixedwood.data import Table
    from mixedwood.data.file_tables import FileTable, NewRows
    from mixedwood.files import ReadOptions
    from mixedwood.saving import ModelFile
    from mixedwood.tree import Tree

__all__ = [
    "check_classes",
    "infer_types",
    "open_model",
    "print_identifiers",
    "print_types",
    "read_costs",
    "read_pieces",
    "read_rows",
    "read_training",
    "reported",
    "same_labels",
    "select_tree",
]

_MAX_SHOWN = 40  # columns whose types are shown, unless --verbose


def read_training(
    path: Path | list[Path],
    target: str,
    options: dict[str, Any],
    orders: dict[str, list[str]],
    how: ReadOptions,
) -> FileTable:
    """Read features and target, with the types that the options give."""
    from mixedwood.data.file_tables import read_file
    from mixedwood.files import FileError

    try:
        return read_file(
            path,
            target,
            drop=options["drop"],
            categorical=[*options["categorical"], *orders],
            numeric=options["numeric"],
            task=options.get("task", "classification"),
            options=how,
            dates=options["dates"],
        )
    except FileError as error:
        raise DataError(str(error)) from error


def read_costs(text: str) -> Any:
    """Read costs of mistakes: JSON, or a file with JSON or comma-separated values.

    A file of comma-separated values has the predicted classes in its first line and the true class
    in front of each other line.

    Examples
    --------
    >>> read_costs('{"bad": {"good": 5}, "good": {"bad": 1}}')
    {'bad': {'good': 5}, 'good': {'bad': 1}}
    """
    if text.lstrip().startswith(("[", "{")):
        content, where = text, "--cost-matrix"
    else:
        where = f"--cost-matrix {text}"
        try:
            content = Path(text).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise click.UsageError(
                f"{where} is neither JSON nor a readable file: {error}"
            ) from None
        if not content.lstrip().startswith(("[", "{")):
            return _costs_of_lines(content, where)
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"{where} is not JSON: {error}") from None


def _costs_of_lines(content: str, where: str) -> dict[str, dict[str, float]]:
    lines = [line for line in csv.reader(content.splitlines()) if line]
    costs: dict[str, dict[str, float]] = {}
    for line in lines[1:]:
        if len(line) != len(lines[0]):
            raise click.UsageError(f"{where}: a line has not one cost for each predicted class.")
        try:
            numbers = [float(cell) for cell in line[1:]]
        except ValueError as error:
            raise click.UsageError(f"{where}: {error}.") from None
        costs[line[0].strip()] = {
            label.strip(): cost for label, cost in zip(lines[0][1:], numbers, strict=True)
        }
    return costs


def infer_types(path: Path, table: FileTable, orders: dict[str, list[str]]) -> Table:
    """Infer the types of the columns."""
    from mixedwood.data import read_table

    try:
        return read_table(table.X, ordinal_features=orders or None)
    except (TypeError, ValueError) as error:
        raise DataError(f"{path}: {error}") from error


def print_types(
    path: Path, table: Table, target: str, verbose: bool, hints: Mapping[str, str] | None = None
) -> None:
    """Print the types of the columns to stderr, and hints at columns that may be misread."""
    import numpy as np

    rows = []
    shown = list(zip(table.schema, table.arrays, strict=True))
    for column, array in shown if verbose else shown[:_MAX_SHOWN]:
        if column.is_numeric:
            known = array[~np.isnan(array)]
            values = f"{known.min():g} to {known.max():g}" if len(known) else "no values"
        else:
            named = [str(value) for value in column.categories[:5]]
            join = " < " if column.kind == "ordinal" else ", "
            more = f"{join}..." if column.n_categories > 5 else ""
            values = f"{column.n_categories}: {join.join(named)}{more}"
        if len(values) > 50:
            values = values[:47] + "..."
        rows.append([column.name, str(column.kind), values, str(column.n_missing or "")])
    features = f"{table.n_columns} feature{'s' * (table.n_columns != 1)}"
    title = f"{path}: {table.n_rows} rows, {features}, target {target!r}"
    print_table(title, ["column", "type", "values", "missing"], rows, n_text=3, err=True)
    if len(rows) < len(shown):
        echo(f"... and {len(shown) - len(rows)} more columns; use --verbose to show all.", err=True)
    print_identifiers(table, hints)


def print_identifiers(table: Table, hints: Mapping[str, str] | None = None) -> None:
    """Print which columns identify rows, and hints at columns that may be misread."""
    from mixedwood.data import identifier_columns

    hints = hints or {}
    for hint in hints.values():
        echo(hint, err=True)
    for name in identifier_columns(table):
        if name in hints:
            continue
        echo(
            f"Column {name!r} has a different value in nearly every row. If it is an identifier, "
            f"leave it out with --drop {name}.",
            err=True,
        )


def check_classes(path: Path, target: str, y: Any) -> None:
    """Check that the target is a column of classes."""
    import numpy as np

    labels = np.unique(y)
    if len(labels) < 2:
        raise DataError(
            f"{path}: all {len(y)} rows have the class {labels[0].item()!r} in {target!r}; a "
            "classifier needs at least two classes."
        )
    if len(labels) > 20 and len(labels) * 2 > len(y):
        example = ", ".join(repr(label.item()) for label in labels[:3])
        raise DataError(
            f"{path}: the column {target!r} has {len(labels)} different values in {len(y)} rows "
            f"({example}, ...): it looks like a quantity or an identifier, not like classes. "
            "Choose another --target, or bin it into a few classes first."
        )


def open_model(path: Path) -> ModelFile:
    """Read a model file; problems are data errors."""
    from mixedwood.saving import ModelFileError, read_model

    try:
        return read_model(path)
    except ModelFileError as error:
        raise DataError(
            f"{error} Model files are written by mixedwood fit and mw.save_model."
        ) from error
    except OSError as error:
        raise DataError(f"Cannot read {path}: {error.strerror or error}.") from error


def read_rows(
    opened: ModelFile,
    path: Path,
    target: str | None,
    keep: tuple[str, ...],
    options: dict[str, Any] | None = None,
) -> NewRows:
    """Read rows for a model, with the types of its schema, and text as in training."""
    from mixedwood.data.file_tables import read_new_rows
    from mixedwood.files import FileError, ReadOptions

    stored = opened.about.get("reading")
    try:
        how = ReadOptions.from_dict(stored or {}) if options is None else reading(options, stored)
        return read_new_rows(path, opened.model.schema_, target=target, keep=keep, options=how)
    except FileError as error:
        raise DataError(str(error)) from error


def read_pieces(
    opened: ModelFile,
    paths: Sequence[Path],
    target: str | None,
    keep: tuple[str, ...],
    options: dict[str, Any],
) -> Iterator[tuple[str, NewRows]]:
    """Read rows for a model piece by piece; see `read_rows`."""
    from mixedwood.data.file_tables import read_new_pieces
    from mixedwood.files import FileError

    how = reading(options, opened.about.get("reading"))
    try:
        yield from read_new_pieces(
            paths, opened.model.schema_, target=target, keep=keep, options=how
        )
    except FileError as error:
        raise DataError(str(error)) from error


def same_labels(one: Any, other: Any) -> bool:
    """Whether labels are the same, or spelled the same: a CSV file has text only."""
    return (
        one == other
        or str(one) == str(other)
        or (isinstance(one, bool) and str(one).lower() == str(other).lower())
    )


def select_tree(estimator: Any, number: int | None) -> Tree:
    """Get the tree of a model, or one of many by its number, counted from 1."""
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
def reported(path: Path | str, quiet: bool = False) -> Iterator[None]:
    """Print warnings to stderr in one line each, and turn errors of the data into data errors."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            yield
        except (TypeError, ValueError) as error:
            raise DataError(f"{path}: {error}") from error
    if not quiet:
        for message in dict.fromkeys(str(warning.message) for warning in caught):
            echo(f"Warning: {message}", err=True)
