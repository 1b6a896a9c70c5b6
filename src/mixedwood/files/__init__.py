"""Tables in files, and files that are written completely or not at all.

The format is recognized by the first bytes: CSV, JSON lines, Parquet, Arrow and Feather, Excel;
text may be gzipped. pyarrow reads them in record batches. A CSV file is read as text: a column
whose cells are all plain numbers is numeric, any other column is categorical. ``007`` and ``1_000``
are categories, not numbers. The cells that count as missing are `MISSING_MARKS`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mixedwood.files.source import FileError, ReadOptions, Source, readable
from mixedwood.files.text import TextColumn, csv_batches, read_text, read_typed_text
from mixedwood.files.typed import MISSING_MARKS, read_typed
from mixedwood.files.writing import (
    csv_text,
    opened_to_write,
    table_bytes,
    write_bytes,
    write_text,
)

__all__ = [
    "MISSING_MARKS",
    "FileError",
    "ReadOptions",
    "Source",
    "TextColumn",
    "csv_text",
    "opened_to_write",
    "read_batches",
    "read_text",
    "read_typed_text",
    "table_bytes",
    "write_bytes",
    "write_text",
]


def read_batches(source: Source, *, dictionaries: bool = False) -> Iterator[Any]:
    """Read a file in pieces.

    The delimiter of a CSV file is the most frequent of ``,;|`` and the tab character in the first
    line.

    Parameters
    ----------
    source : Source
        The file.
    dictionaries : bool, default=False
        Whether text of a Parquet file comes as a dictionary and codes, which is quicker to read.

    Yields
    ------
    pyarrow.RecordBatch
        Columns with the types of the file, or with the text of a CSV file.

    Raises
    ------
    FileError
        If the file cannot be read; the message names the file and, in a CSV file, the line.
    """
    source.arrow()
    with readable(source):
        if source.format == "csv":
            yield from csv_batches(source)
        else:
            yield from read_typed(source, dictionaries)
