"""Read and write a data set's csv.gz: header, class column last, only the empty field is missing.

Types come from the description beside the file. Numbers are checked for what Python would accept
but a data file should not hold: `float("2_3")` is 23.0, `float("nan")` a missing value nobody
declared.
"""

import csv
import gzip
import io
import math
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.datasets.coded import CodedTable, DatasetColumn, only_used
from mixedwood.datasets.errors import DamagedDatasetError
from mixedwood.datasets.frames import number_array
from mixedwood.files import csv_text, parse_each

# Rows turned into columns at a time: few enough that their texts stay in the processor's cache.
_CHUNK = 1024


def read_table(packed: bytes, columns: Sequence[DatasetColumn], class_name: str) -> CodedTable:
    """Read a gzipped csv whose columns, and after them the class, are described."""
    try:
        text = gzip.decompress(packed).decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise DamagedDatasetError(
            f"it is not a readable gzip file of UTF-8 text: {error}"
        ) from error
    reader = csv.reader(io.StringIO(text, newline=""))
    _check_header(next(reader, []), [column.name for column in columns] + [class_name])

    readers = [_NumberReader(c) if c.kind == "numeric" else _LabelReader(c) for c in columns]
    target = _LabelReader(DatasetColumn(class_name, "nominal"))
    for chunk in _chunks(reader, len(columns) + 1):
        for column_reader, cells in zip(chain(readers, [target]), chunk, strict=True):
            column_reader.add(cells)

    described, data = zip(*(r.finish() for r in readers), strict=True) if readers else ((), ())
    classes, codes = target.finish()
    if np.any(codes < 0):
        raise DamagedDatasetError(f"row {int(np.argmax(codes < 0)) + 1} has no class")
    return CodedTable(tuple(described), tuple(data), classes.categories, codes)


def write_table(table: CodedTable, class_name: str) -> bytes:
    """Write what `read_table` reads. The same table gives the same bytes."""
    cells = [_texts(column, data) for column, data in zip(table.columns, table.data, strict=True)]
    cells.append([table.classes[code] for code in table.target])
    header = [*(column.name for column in table.columns), class_name]
    text = csv_text([header, *zip(*cells, strict=True)])
    return gzip.compress(text.encode("utf-8"), mtime=0)


def _texts(column: DatasetColumn, data: NDArray[Any]) -> list[str]:
    if column.kind != "numeric":
        labels = [*column.categories, ""]
        return [labels[code] for code in data]
    # repr of a float reads back as the same float.
    return ["" if number != number else repr(number) for number in number_array(data).tolist()]


def _check_header(header: list[str], expected: list[str]) -> None:
    if header == expected:
        return
    lost = [name for name in expected if name not in header]
    extra = [name for name in header if name not in expected]
    differences = [f"missing {lost}"] * bool(lost) + [f"not described {extra}"] * bool(extra)
    what = ", ".join(differences) or "the same names in another order"
    raise DamagedDatasetError(f"its columns are not the described ones: {what}")


def _chunks(reader: Iterator[list[str]], width: int) -> Iterator[list[tuple[str, ...]]]:
    first = 1
    while rows := list(islice(reader, _CHUNK)):
        if set(map(len, rows)) != {width}:
            i, row = next((i, row) for i, row in enumerate(rows) if len(row) != width)
            raise DamagedDatasetError(f"row {first + i} has {len(row)} fields instead of {width}")
        yield list(zip(*rows, strict=True))
        first += len(rows)


class _LabelReader:
    """Codes of one column of labels, numbered as they appear until all rows are read."""

    def __init__(self, column: DatasetColumn) -> None:
        self._column = column
        self._index: dict[str, int] = {"": -1}
        self._parts: list[NDArray[np.int32]] = []

    def add(self, cells: Sequence[str]) -> None:
        for label in dict.fromkeys(cells):
            self._index.setdefault(label, len(self._index) - 1)
        codes = map(self._index.__getitem__, cells)
        self._parts.append(np.fromiter(codes, dtype=np.int32, count=len(cells)))

    def finish(self) -> tuple[DatasetColumn, NDArray[np.int32]]:
        column, order = self._column, self._column.natural_order
        seen = list(self._index)[1:]
        codes = np.concatenate([np.empty(0, dtype=np.int32), *self._parts])
        if order and (strange := [label for label in seen if label not in order]):
            raise DamagedDatasetError(
                f"column {column.name!r} holds {strange[:5]}, which its natural order does not name"
            )
        if column.kind == "ordinal" and order:
            # One spare place at the end: code -1 stays -1.
            renumber = np.array([*(order.index(label) for label in seen), -1], dtype=np.int32)
            return replace(column, categories=order), renumber[codes]
        values, codes = only_used(seen, codes)
        return replace(column, categories=values), codes


class _NumberReader:
    """Numbers of one column, NaN where the field is empty."""

    def __init__(self, column: DatasetColumn) -> None:
        self._column = column
        self._parts: list[NDArray[np.float64]] = []

    def add(self, cells: Sequence[str]) -> None:
        self._parts.append(parse_each(cells, self._parse))

    def _parse(self, text: str) -> float:
        if text == "":
            return math.nan
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if "_" in text or not math.isfinite(number):
            raise DamagedDatasetError(
                f"numeric column {self._column.name!r} holds {text!r}, which is not a plain "
                "number; if it is a label, the description should call the column nominal"
            )
        return number

    def finish(self) -> tuple[DatasetColumn, NDArray[np.float64]]:
        return self._column, np.concatenate([np.empty(0), *self._parts])
