"""Features and targets in CSV and Parquet files: types inferred, given, or those of a schema."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mixedwood.data.dates import DATE_PARTS, date_parts
from mixedwood.data.errors import few
from mixedwood.data.file_hints import common_unit, notation_hint, to_dates
from mixedwood.data.frames import METADATA_KEY, index_columns
from mixedwood.data.schema import Column, Schema
from mixedwood.data.target import is_quantity
from mixedwood.files import (
    FileError,
    ReadOptions,
    Source,
    TextColumn,
    read_batches,
    read_text,
    read_typed_text,
)

__all__ = [
    "FileTable",
    "NewRows",
    "read_columns",
    "read_file",
    "read_new_pieces",
    "read_new_rows",
]


def read_columns(
    path: Path | Sequence[Path],
    asked: Collection[str] = (),
    options: ReadOptions | None = None,
    *,
    numbers: bool = False,
) -> dict[str, Any]:
    """Read a file, or the standard input for ``-``.

    Parameters
    ----------
    path : Path or sequence of Path
        The file; see `read_batches`. Several Parquet or Arrow files are one table.
    asked : collection of str
        Names that are columns even if pandas has written them to a Parquet file as the index of its
        frame. Otherwise the index is left out.
    options : ReadOptions, optional
        How text is read. Columns of dates are left as they are.
    numbers : bool, default=False
        Whether columns of a CSV file that are not asked for may come as numbers.

    Returns
    -------
    dict of str to TextColumn, ndarray or pyarrow.ChunkedArray
        Text or numbers of a CSV file, typed columns of other files.
    """
    if not isinstance(path, Path):
        return _read_together(path, asked, options)
    source = Source(path, options=options)
    if source.format == "csv":
        return dict(read_typed_text(source, asked) if numbers else read_text(source))
    return _without_index(source.arrow().Table.from_batches(read_batches(source)), asked)


def _read_together(
    paths: Sequence[Path], asked: Collection[str], options: ReadOptions | None
) -> dict[str, Any]:
    """Read files with the same columns one below the other."""
    import pyarrow as pa

    tables: list[Any] = []
    for path in paths:
        source = Source(path, options=options)
        if source.format not in ("parquet", "arrow"):
            raise FileError(
                f"{source} is not a Parquet or Arrow file, whose columns have types. Only such "
                "files can be read together."
            )
        columns = _without_index(pa.Table.from_batches(read_batches(source)), asked)
        tables.append(pa.table(columns))
        if {*columns} != {*tables[0].column_names}:
            raise FileError(
                f"{source} has the columns {few(list(columns), 10)}, but {paths[0]} has "
                f"{few(tables[0].column_names, 10)}. All files must have the same columns."
            )
        try:
            pa.unify_schemas([tables[0].schema, tables[-1].schema], promote_options="permissive")
        except pa.ArrowException as error:
            raise FileError(
                f"{source}: a column has another type than in {paths[0]}: {error}. Write all files "
                "with the same types."
            ) from error
    table = pa.concat_tables(tables, promote_options="permissive")
    return dict(zip(table.column_names, table.columns, strict=True))


def _without_index(table: Any, asked: Collection[str]) -> dict[str, Any]:
    metadata = table.schema.metadata or {}
    index = index_columns(metadata.get(METADATA_KEY.encode())) - set(asked)
    pairs = zip(table.column_names, table.columns, strict=True)
    return {name: column for name, column in pairs if name not in index}


@dataclass(frozen=True, eq=False)
class FileTable:
    """The features of a file, and the class or number of each row.

    `options` has how new rows must be read, and `hints` how columns that are now categorical could
    be read as numbers or dates.
    """

    X: dict[str, Any]
    y: NDArray[Any]
    options: ReadOptions = field(default_factory=ReadOptions)
    hints: dict[str, str] = field(default_factory=dict)

    @property
    def is_numeric(self) -> bool:
        """Whether the target is a number; numbers that are classes are text or integers."""
        return bool(self.y.dtype.kind == "f")

    def take(self, rows: NDArray[np.intp]) -> FileTable:
        """Choose rows by position."""
        X = {
            name: cells[rows] if isinstance(cells, np.ndarray) else cells.take(rows)
            for name, cells in self.X.items()
        }
        return replace(self, X=X, y=self.y[rows])


@dataclass(frozen=True, eq=False)
class NewRows:
    """Rows for a fitted model.

    Attributes
    ----------
    X : dict
        The columns that the model needs.
    kept : dict
        Columns to copy to the output, as they are in the file.
    truth : list or None
        The target column, if the file has it; None where a cell is missing.
    ignored : list of str
        Columns that are not used.
    n_rows : int
        Number of rows.
    """

    X: dict[str, Any]
    kept: dict[str, list[Any]]
    truth: list[Any] | None
    ignored: list[str]
    n_rows: int


def read_file(
    path: Path | Sequence[Path],
    target: str,
    *,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    numeric: Sequence[str] = (),
    task: Literal["classification", "regression", "auto"] = "classification",
    options: ReadOptions | None = None,
    dates: bool = False,
) -> FileTable:
    """Read features and target from a file.

    Parameters
    ----------
    path : Path or sequence of Path
        A file; ``-`` is the standard input. See `read_batches`. The index that pandas stores in a
        Parquet file is not a column, unless another argument names it. Several Parquet or Arrow
        files are one table.
    target : str
        Name of the target column.
    drop : sequence of str
        Columns to leave out.
    categorical : sequence of str
        Columns whose numbers are categories.
    numeric : sequence of str
        Columns whose cells must be numbers.
    task : {"classification", "regression", "auto"}, default="classification"
        Whether the target is read as classes or as numbers. "auto" reads numbers with fractions, or
        more than 20 different whole numbers, as numbers.
    options : ReadOptions, optional
        How text is read.
    dates : bool, default=False
        Whether columns of dates become columns of their parts.

    Returns
    -------
    FileTable
        Columns by name, and classes as text, where integers and booleans of Parquet stay such; or
        float64 numbers.
    """
    options = ReadOptions() if options is None else options
    source = Source(path if isinstance(path, Path) else path[0], options=options)
    asked = {target, *drop, *categorical, *numeric}
    columns = read_columns(path, asked, options, numbers=not (dates or options.dates))
    for name in [target, *drop, *categorical, *numeric]:
        if name not in columns:
            raise FileError(_no_column(source, name, list(columns)))
    if target in [*drop, *categorical, *numeric]:
        raise FileError(f"{target!r} is the target; it cannot be dropped or typed as a feature.")
    both = [name for name in categorical if name in numeric]
    if both:
        raise FileError(f"{both[0]!r} is listed as both categorical and numeric.")
    y = _target(source, target, columns.pop(target), task)
    for name in drop:
        columns.pop(name, None)
    if not columns:
        raise FileError(f"{source} has no column besides the target {target!r}.")
    units = dict(options.units)
    hints = {}
    for name in numeric:
        if isinstance(columns[name], TextColumn) and (unit := _unit(columns[name])):
            units[name] = unit
    if dates:
        typed = {*categorical, *numeric}
        found = [n for n, cells in columns.items() if n not in typed and _is_dates(cells)]
        options = replace(options, dates=(*options.dates, *found))
        columns = _with_parts(source, columns, options.dates)
    for name, cells in columns.items():
        if name in categorical:
            columns[name] = _categories(cells)
        elif name in numeric:
            columns[name] = _numbers(source, name, cells, units.get(name, ""))
        elif isinstance(cells, TextColumn):
            numbers = cells.numbers()
            is_numeric = len(numbers) > 0 and not np.isnan(numbers).any()
            columns[name] = cells.spread(numbers, np.nan) if is_numeric else cells.to_arrow()
            if not is_numeric and (hint := notation_hint(name, cells)) is not None:
                hints[name] = hint
    return FileTable(columns, y, replace(options, units=units), hints)


def _unit(cells: TextColumn) -> str:
    """The unit of a column that is read as numbers, where not all cells are numbers without it."""
    if not np.isnan(cells.numbers(padded=True)).any():
        return ""
    return common_unit(cells.values.to_pylist())


def _is_dates(cells: Any) -> bool:
    if isinstance(cells, TextColumn) and len(cells.values) < 2:
        return False
    return to_dates(cells) is not None


def _with_parts(source: Source, columns: dict[str, Any], dates: Collection[str]) -> dict[str, Any]:
    """Replace columns of dates by columns of their parts."""
    result: dict[str, Any] = {}
    for name, cells in columns.items():
        if name not in dates:
            result[name] = cells
            continue
        found = to_dates(cells)
        if found is None:
            raise FileError(
                f"{source}: column {name!r} was a date in training, but has cells that are not. "
                "Write dates as 2024-02-29 or 2024-02-29 18:30, and leave unknown ones empty."
            )
        for part, values in date_parts(found, DATE_PARTS).items():
            result[f"{name} {part}"] = values
    return result


def read_new_rows(
    path: Path,
    schema: Schema,
    *,
    target: str | None = None,
    keep: Sequence[str] = (),
    options: ReadOptions | None = None,
) -> NewRows:
    """Read rows for a fitted model, with the types of its schema.

    Parameters
    ----------
    path : Path
        A file, as for `read_file`.
    schema : Schema
        What the columns are: a categorical column is read as text from a CSV file, a numeric column
        must contain numbers.
    target : str or None, default=None
        The target column, which may be there.
    keep : sequence of str
        Columns to copy to the output.
    options : ReadOptions, optional
        How the training data was read.

    Returns
    -------
    NewRows
        What the model needs, and what else was asked for.
    """
    options = ReadOptions() if options is None else options
    asked = {*schema.inputs.names, *keep, *([target] if target else [])}
    in_file = read_columns(path, asked, options)
    return _new_rows(Source(path, options=options), in_file, schema.inputs, target, keep)


def read_new_pieces(
    paths: Sequence[Path],
    schema: Schema,
    *,
    target: str | None = None,
    keep: Sequence[str] = (),
    options: ReadOptions | None = None,
) -> Iterator[tuple[str, NewRows]]:
    """Read rows for a fitted model piece by piece: some rows of a Parquet or Arrow file, or a file.

    Parameters
    ----------
    paths : sequence of Path
        Files.
    schema, target, keep, options
        As for `read_new_rows`.

    Yields
    ------
    str, NewRows
        The name of the piece, and its rows.
    """
    options = ReadOptions() if options is None else options
    asked = {*schema.inputs.names, *keep, *([target] if target else [])}
    for path in paths:
        source = Source(path, options=options)
        if source.format not in ("parquet", "arrow"):
            in_file = read_columns(path, asked, options)
            yield str(path), _new_rows(source, in_file, schema.inputs, target, keep)
            continue
        for number, batch in enumerate(read_batches(source, dictionaries=True)):
            if batch.num_rows:
                table = source.arrow().Table.from_batches([batch])
                in_file = _without_index(table, asked)
                rows = _new_rows(source, in_file, schema.inputs, target, keep)
                yield f"{path}, chunk {number}", rows


def _new_rows(
    source: Source,
    in_file: dict[str, Any],
    schema: Schema,
    target: str | None,
    keep: Sequence[str],
) -> NewRows:
    options = source.options
    asked = {*schema.names, *keep, *([target] if target else [])}
    columns = _with_parts(source, in_file, [name for name in options.dates if name != target])
    lost = [name for name in schema.names if name not in columns]
    if lost and schema.names_generated:
        # The model was fitted to rows without names: columns are found by position.
        names = [name for name in columns if name != target]
        if len(names) != len(schema):
            raise FileError(
                f"The model takes {len(schema)} columns without names; {source} has {len(names)}."
            )
        columns |= dict(zip(schema.names, [columns[n] for n in names], strict=True))
    elif lost:
        raise FileError(_lost_columns(source, lost, [n for n in columns if n != target]))
    for name in keep:
        if name not in in_file:
            raise FileError(_no_column(source, name, list(in_file)))
    X = {
        column.name: _numbers(
            source, column.name, columns[column.name], options.units.get(column.name, "")
        )
        if column.is_numeric
        else _known_categories(column, columns[column.name])
        for column in schema
    }
    return NewRows(
        X,
        {name: _cells(in_file[name]) for name in keep},
        _cells(in_file[target]) if target in in_file and target not in schema else None,
        [] if schema.names_generated else [name for name in columns if name not in asked],
        len(next(iter(columns.values()))),
    )


def _categories(cells: Any) -> Any:
    if isinstance(cells, TextColumn):
        return cells.to_arrow()
    return np.array([None if cell is None else str(cell) for cell in _cells(cells)], object)


def _known_categories(column: Column, cells: Any) -> Any:
    """Categories as text; those that were booleans in training are found in upper or lower case."""
    flags = {str(c).lower(): c for c in column.categories if isinstance(c, bool)}
    if not isinstance(cells, TextColumn):
        return cells
    if not flags:
        return cells.to_arrow()
    values = [flags.get(cell.lower(), cell) for cell in cells.values.to_pylist()]
    return cells.spread(np.array(values, object), None)


def _numbers(source: Source, name: str, cells: Any, unit: str = "") -> Any:
    if not isinstance(cells, TextColumn):
        return cells  # a cell that is not a number is an error when the model reads it
    numbers = cells.numbers(padded=True, unit=unit)
    if np.isnan(numbers).any():
        strange = int(np.argmax(np.isnan(numbers)))
        raise FileError(
            f"{source}: column {name!r} is numeric, but row "
            f"{int(np.argmax(cells.codes == strange)) + 1} below the header has "
            f"{cells.values[strange].as_py()!r}. Correct the cell, or leave it empty if the value "
            "is not known."
        )
    return cells.spread(numbers, np.nan)


def _cells(cells: Any) -> list[Any]:
    if isinstance(cells, TextColumn):
        return cells.to_list()
    return [None if value != value else value for value in cells.to_pylist()]


def _target(source: Source, target: str, cells: Any, task: str) -> NDArray[Any]:
    if isinstance(cells, TextColumn):
        missing = np.flatnonzero(cells.codes < 0).tolist()
        # An array of the distinct cells is made once, not a list of all cells.
        texts = np.array(cells.values.to_pylist() or [""])
        labels: Any = texts[np.maximum(cells.codes, 0)]
    else:
        labels = _cells(cells)
        missing = [i for i, label in enumerate(labels) if label is None]
    if missing:
        raise FileError(
            f"{source}: the target {target!r} is missing in {len(missing)} of {len(labels)} rows, "
            f"first in row {missing[0] + 1} below the header. Fill in these cells or remove the "
            "rows."
        )
    if task != "classification":
        quantity = _quantity(cells, labels)
        strange = np.flatnonzero(np.isnan(quantity))
        if task == "regression" and len(strange):
            raise FileError(
                f"{source}: the target {target!r} must be numbers, but row {strange[0] + 1} below "
                f"the header has {str(labels[strange[0]])!r}. Correct the cell, or use --task "
                "classification."
            )
        if task == "regression" or (not len(strange) and is_quantity(quantity)):
            return quantity
    if isinstance(cells, TextColumn):
        numbers = cells.numbers()
    else:
        numbers = np.array([label for label in labels if isinstance(label, float)])
    if not np.isnan(numbers).any() and (numbers != np.floor(numbers)).any():
        raise FileError(
            f"{source}: the target {target!r} has numbers with fractions, which are not classes. "
            "Choose another --target, or bin it into classes first."
        )
    return np.array(labels)


def _quantity(cells: Any, labels: list[Any]) -> NDArray[np.float64]:
    """Read the target as finite numbers; NaN for other cells."""
    if isinstance(cells, TextColumn):
        return np.asarray(cells.spread(cells.numbers(padded=True), np.nan), dtype=np.float64)
    numbers = np.array(
        [
            np.nan if isinstance(label, bool) or not isinstance(label, Real) else float(label)
            for label in labels
        ]
    )
    return np.where(np.isfinite(numbers), numbers, np.nan)


def _no_column(source: Source, name: str, names: list[str]) -> str:
    shown = ", ".join(repr(known) for known in names[:10]) + (", ..." if names[10:] else "")
    return f"{source} has no column {name!r}.{_meant(name, names)} It has {len(names)}: {shown}."


def _lost_columns(source: Source, lost: list[str], names: list[str]) -> str:
    if len(lost) == 1:
        return f"{_no_column(source, lost[0], names)} The model needs it."
    shown = ", ".join(map(repr, lost[:10])) + (", ..." if lost[10:] else "")
    return (
        f"{source} has no columns {shown}, which the model needs.{_meant(lost[0], names)} "
        "Does the file have the same columns as the training data, and a header?"
    )


def _meant(name: str, names: list[str]) -> str:
    lower = {known.lower(): known for known in names}
    close = difflib.get_close_matches(name.lower(), lower, n=3)
    return f" Did you mean {' or '.join(repr(lower[c]) for c in close)}?" if close else ""
