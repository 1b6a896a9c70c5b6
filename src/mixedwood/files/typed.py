"""Files whose columns have types: Parquet, Arrow, JSON lines and Excel."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any, BinaryIO

from mixedwood.files.source import FileError, Source

__all__ = ["MISSING_MARKS", "check_names", "read_typed"]

MISSING_MARKS = frozenset({"", "?", "NA", "N/A", "NaN", "nan", "NULL", "null", "None"})
_ROWS = 1 << 16  # rows per batch of a Parquet file


def read_typed(source: Source, dictionaries: bool = False) -> Iterator[Any]:
    """Read the record batches of a file that is not CSV."""
    names = {"arrow": "Arrow", "parquet": "Parquet", "json": "JSON lines", "excel": "Excel"}
    if source.format not in names:
        raise _unreadable(source)
    pyarrow = source.arrow()
    read = {"arrow": _arrow, "parquet": _parquet, "json": _json, "excel": _excel}[source.format]
    opened = source.open_text() if source.format == "json" else source.open()
    try:
        with opened as stream:
            if dictionaries and source.format == "parquet":
                yield from _parquet(source, stream, dictionaries)
            else:
                yield from read(source, stream)
    except UnicodeError as error:
        raise FileError(f"{source} is not {source.options.encoding} text: {error}.") from error
    except (pyarrow.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the file system's
        raise FileError(f"{source} cannot be read as {names[source.format]}: {error}.") from error


def _unreadable(source: Source) -> FileError:
    if source.format == "feather1":
        return FileError(
            f"{source} is a Feather file of version 1, which is no longer in use. Write it again "
            "with a current version of pandas or pyarrow, or as Parquet."
        )
    return FileError(f"{source} is a zip archive. Extract the table from it first.")


def _parquet(source: Source, stream: BinaryIO, dictionaries: bool = False) -> Iterator[Any]:
    from pyarrow import types
    from pyarrow.parquet import ParquetFile

    file = ParquetFile(stream)
    if dictionaries:
        text = [field.name for field in file.schema_arrow if types.is_string(field.type)]
        stream.seek(0)
        file = ParquetFile(stream, read_dictionary=text)
    yield from file.iter_batches(batch_size=_ROWS)


def _arrow(source: Source, stream: BinaryIO) -> Iterator[Any]:
    """Read an Arrow or Feather file, or an Arrow stream."""
    from pyarrow import ipc

    is_file = stream.read(6) == b"ARROW1"
    stream.seek(0)
    if not is_file:
        yield from ipc.open_stream(stream)
        return
    reader = ipc.open_file(stream)
    for number in range(reader.num_record_batches):
        yield reader.get_batch(number)


def _json(source: Source, stream: BinaryIO) -> Iterator[Any]:
    """Read one object per line; a list of objects is pointed out."""
    from pyarrow import json

    if stream.read(1 << 10).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        raise FileError(
            f"{source} is a list of JSON objects. Write one object per line (JSON lines), in "
            "pandas with to_json(orient='records', lines=True)."
        )
    stream.seek(0)
    yield from json.read_json(stream).to_batches()


def _excel(source: Source, stream: BinaryIO) -> Iterator[Any]:
    """Read a sheet; a column has the type of its cells, or is text if they differ."""
    import pyarrow

    try:
        import python_calamine as calamine
    except ImportError as error:
        raise FileError(
            f"{source} is an Excel file, which needs python-calamine. Install it with: pip install "
            "'mixedwood[excel]', or save the sheet as CSV."
        ) from error
    try:
        book = calamine.load_workbook(stream)
        names = list(book.sheet_names)
        wanted = source.options.sheet or names[0]
        if wanted not in names:
            raise FileError(f"{source} has no sheet {wanted!r}. It has: {', '.join(names)}.")
        rows = book.get_sheet_by_name(wanted).to_python()
    except calamine.CalamineError as error:
        raise FileError(f"{source} cannot be read as Excel: {error}.") from error
    rows = [row for row in rows if any(cell != "" for cell in row)]
    if source.options.header:
        header, rows = (rows[0], rows[1:]) if rows else ([], [])
        titles = check_names(source, [_text(cell) for cell in header])
    else:
        titles = [f"column{i + 1}" for i in range(len(rows[0]) if rows else 0)]
    if not rows:
        raise FileError(
            f"{source}: sheet {wanted!r} has no rows{' below its header' * bool(titles)}."
        )
    columns = [_column([row[i] for row in rows]) for i in range(len(titles))]
    yield pyarrow.RecordBatch.from_arrays(columns, names=titles)


def _column(cells: list[Any]) -> Any:
    import pyarrow

    kept = [None if isinstance(c, str) and c.strip() in MISSING_MARKS else c for c in cells]
    # Midnight is a date without a time.
    kept = [
        datetime.datetime.combine(c, datetime.time()) if type(c) is datetime.date else c
        for c in kept
    ]
    kinds = {type(cell) for cell in kept if cell is not None}
    if kinds <= {int, float}:
        return pyarrow.array(kept, pyarrow.float64())
    if kinds == {bool}:
        return pyarrow.array(kept, pyarrow.bool_())
    if kinds == {datetime.datetime}:
        return pyarrow.array(kept, pyarrow.timestamp("us"))
    return pyarrow.array([None if cell is None else _text(cell) for cell in kept])


def _text(cell: Any) -> str:
    whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell) if whole else cell).strip()


def check_names(source: Source, names: list[str]) -> list[str]:
    """Check that each column of a header has a name of its own."""
    twice = [name for name in names if names.count(name) > 1]
    if twice or "" in names:
        what = f"two columns are named {twice[0]!r}" if twice else "a column has no name"
        raise FileError(
            f"{source}: {what}. The first line must name every column once; if it is data, use "
            "--no-header."
        )
    return names
