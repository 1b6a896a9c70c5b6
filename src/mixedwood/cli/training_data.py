"""The table that `mixedwood fit` learns from: read, typed, shown and checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mixedwood.cli.errors import DataError
from mixedwood.cli.printing import say
from mixedwood.cli.tables import print_table

if TYPE_CHECKING:
    from mixedwood.data import Table
    from mixedwood.data.file_tables import FileTable

__all__ = ["check_classes", "read_training", "say_identifiers", "show_types", "types_of"]

_MOST_SHOWN = 40  # columns whose types are shown, unless --verbose


def read_training(
    path: Path, target: str, options: dict[str, Any], orders: dict[str, list[str]]
) -> FileTable:
    """Read the file, with columns as the options say."""
    from mixedwood.data.file_tables import read_file
    from mixedwood.files import FileError

    try:
        return read_file(
            path,
            target,
            drop=options["drop"],
            categorical=[*options["categorical"], *orders],
            numeric=options["numeric"],
        )
    except FileError as error:
        raise DataError(str(error)) from error


def types_of(path: Path, table: FileTable, orders: dict[str, list[str]]) -> Table:
    """Infer the types of the columns."""
    from mixedwood.data import read_table

    try:
        return read_table(table.X, ordinal_features=orders or None)
    except (TypeError, ValueError) as error:
        raise DataError(f"{path}: {error}") from error


def show_types(path: Path, table: Table, target: str, verbose: bool) -> None:
    """Show on stderr what each column was taken for."""
    import numpy as np

    rows = []
    shown = list(zip(table.schema, table.arrays, strict=True))
    for column, array in shown if verbose else shown[:_MOST_SHOWN]:
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
        say(f"... and {len(shown) - len(rows)} more columns; use --verbose to show all.", err=True)
    say_identifiers(table)


def say_identifiers(table: Table) -> None:
    """Name the columns that identify rows, and the option that leaves them out."""
    from mixedwood.data import identifier_columns

    for name in identifier_columns(table):
        say(
            f"Column {name!r} has a different value in nearly every row. If it is an identifier, "
            f"leave it out with --drop {name}.",
            err=True,
        )


def check_classes(path: Path, target: str, y: Any) -> None:
    """Refuse a target that is no column of classes."""
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
