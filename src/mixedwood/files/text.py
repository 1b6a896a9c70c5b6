"""CSV files as text: where cells end, which are missing, and which columns are numbers."""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NoReturn

import numpy as np
from numpy.typing import NDArray

from mixedwood.files.source import FileError, ReadOptions, Source, readable
from mixedwood.files.typed import MISSING_MARKS, check_names

__all__ = ["TextColumn", "csv_batches", "read_text"]

_DELIMITERS = ",;\t|"
_BOM = codecs.BOM_UTF8
_HEAD = 1 << 16  # bytes in which the first line must end
_BLOCK = 1 << 23  # bytes per batch of a CSV file; a row cannot be longer

# A number in the usual notation. Without leading zeros, so that a postal code is a category.
_NUMBER = r"^[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_PADDED_NUMBER = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"


def csv_batches(source: Source) -> Iterator[Any]:
    """Read the record batches of a CSV file, whose cells are text."""
    source.arrow()
    try:
        with readable(source), source.open_text() as stream:
            yield from _batches(source, stream)
    except UnicodeError as error:
        raise FileError(
            f"{source} is not {source.options.encoding} text: {error}. Give its --encoding."
        ) from error


def _batches(source: Source, stream: BinaryIO) -> Iterator[Any]:
    import pyarrow
    from pyarrow import csv

    options = source.options
    head = stream.read(_HEAD)
    stream.seek(0)
    first = head.removeprefix(_BOM).lstrip(b"\r\n").partition(b"\n")[0]
    # A decimal comma separates cells only if nothing else does.
    signs = _DELIMITERS if options.decimal == "." else _DELIMITERS[1:] + _DELIMITERS[:1]
    delimiter = max(signs, key=lambda sign: first.count(sign.encode()))
    if options.decimal == "," and delimiter == "," and any(s.encode() in first for s in signs[:-1]):
        delimiter = max(signs[:-1], key=lambda sign: first.count(sign.encode()))
    # If a name in the header has a line break, its columns are not all in the first line.
    n_most = (first if first.count(b'"') % 2 == 0 else head).count(delimiter.encode()) + 1
    text = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    invalid: list[Any] = []

    def keep(row: Any) -> str:
        invalid.append(row)
        return "error"

    names: list[str] = []
    n_rows, last = 0, None
    try:
        for batch in csv.open_csv(
            stream,
            # Without threads, so that the numbers of invalid rows are known.
            read_options=csv.ReadOptions(
                autogenerate_column_names=True, block_size=_BLOCK, use_threads=False
            ),
            parse_options=csv.ParseOptions(
                delimiter=delimiter, newlines_in_values=True, invalid_row_handler=keep
            ),
            convert_options=csv.ConvertOptions(
                column_types={f"f{i}": text for i in range(n_most)}, null_values=[]
            ),
        ):
            if not names and options.header:
                first_cells = [cells[0].as_py() for cells in batch.columns]
                names = check_names(source, [name.strip() for name in first_cells])
                batch = batch.slice(1)
            names = names or [f"column{i + 1}" for i in range(batch.num_columns)]
            if batch.num_rows:
                n_rows, last = n_rows + batch.num_rows, batch.columns[-1][-1].as_py()
                yield pyarrow.RecordBatch.from_arrays(batch.columns, names=names)
    except pyarrow.ArrowInvalid as error:
        _raise_invalid(source, delimiter, invalid, str(error))
    if not n_rows:
        raise FileError(f"{source} has no rows below its header.")
    if _is_open(source, str(last), delimiter):
        raise FileError(
            f'{source}, row {n_rows} below the header: a cell begins with " and does not end with '
            "it. Close the quotation mark."
        )


def _raise_invalid(source: Source, delimiter: str, rows: list[Any], reason: str) -> NoReturn:
    if rows:
        row = rows[0]
        raise FileError(
            f"{source}, line {_line_of(source, row.number, row.text)}: {row.actual_columns} "
            f"field{'s' * (row.actual_columns != 1)}, but the header has {row.expected_columns}. "
            f"Put quotation marks around cells that contain {delimiter!r}."
        )
    if "UTF8" in reason:
        decoder, place = codecs.getincrementaldecoder("utf-8")(), 0
        with source.open_text() as stream:
            while chunk := stream.read(_HEAD):
                n_pending = len(decoder.getstate()[0])
                try:
                    decoder.decode(chunk)
                except UnicodeDecodeError as error:
                    raise _not_utf8(source, place - n_pending + error.start) from error
                place += len(chunk)
    if "Empty CSV" in reason:
        with source.open_text() as stream:
            if stream.read(_HEAD).removeprefix(_BOM).strip():
                raise FileError(f"{source} has no rows below its header.")
        raise FileError(f"{source} is empty: it has no header.")
    if "straddling" in reason:
        raise FileError(
            f"{source} has a row of more than {_BLOCK >> 20} MB. Is a quotation mark not closed?"
        )
    raise FileError(f"{source} cannot be read as CSV: {reason}.")


def _not_utf8(source: Source, place: int) -> FileError:
    return FileError(
        f"{source} is not UTF-8 text (byte {place}). Give its encoding, such as --encoding cp1252 "
        "for files from Windows, or save it as UTF-8."
    )


def _line_of(source: Source, number: int, text: str) -> int:
    """Find the line of a row, which has at least this number: earlier rows may have more lines."""
    first = text.encode().partition(b"\n")[0].rstrip(b"\r")
    with source.open_text() as stream:
        for line, content in enumerate(stream, start=1):
            if line >= number and content.rstrip(b"\r\n") == first:
                return line
    return number


def _is_open(source: Source, last: str, delimiter: str) -> bool:
    """Whether the file ends inside a quoted cell, which pyarrow accepts; `last` is this cell."""
    with source.open_text() as stream:
        tail = b""
        while chunk := stream.read(_BLOCK):
            tail = (tail + chunk)[-_HEAD:]
    if "\n" in last:
        return not tail.rstrip(b"\r\n").endswith(b'"')
    line = tail.rstrip(b"\r\n").rpartition(b"\n")[2]
    return re.search(rb'(^|%s)"[^"]*$' % re.escape(delimiter.encode()), line) is not None


@dataclass(frozen=True, eq=False)
class TextColumn:
    """A column of text.

    Attributes
    ----------
    values : pyarrow.StringArray
        The distinct cells, in the order in which they appear.
    codes : ndarray of int32
        For each row the position of its cell in `values`, -1 if it is missing.
    options : ReadOptions
        How numbers are written.
    """

    values: Any
    codes: NDArray[np.int32]
    options: ReadOptions = field(default_factory=ReadOptions)

    def __len__(self) -> int:
        return len(self.codes)

    def numbers(self, *, padded: bool = False, unit: str = "") -> NDArray[np.float64]:
        """Parse `values`; NaN for what is not a finite number.

        `padded` allows leading zeros, and `unit` is removed in front of numbers and behind them.
        """
        import pyarrow
        import pyarrow.compute as pc

        plain = self._plain_notation(unit)
        matches = pc.match_substring_regex(plain, _PADDED_NUMBER if padded else _NUMBER)
        texts = pc.if_else(matches, plain, pyarrow.scalar(None, pyarrow.string()))
        try:
            parsed = pc.cast(pc.utf8_ltrim(texts, "+"), pyarrow.float64())
            numbers = parsed.to_numpy(zero_copy_only=False)
        except pyarrow.ArrowInvalid:  # out of the range of a double
            numbers = np.array([np.nan if t is None else float(t) for t in texts.to_pylist()])
        return np.where(np.isfinite(numbers), numbers, np.nan)

    def _plain_notation(self, unit: str) -> Any:
        """Remove unit and thousands separators, and write a point for the decimal sign."""
        import pyarrow
        import pyarrow.compute as pc

        texts, nothing = self.values, pyarrow.scalar(None, pyarrow.string())
        if unit:
            sign = re.escape(unit)
            texts = pc.replace_substring_regex(texts, rf"^{sign}\s*|\s*{sign}$", "")
        thousands, decimal = self.options.thousands, self.options.decimal
        if thousands:
            group = "[ \u00a0\u202f]" if thousands == " " else re.escape(thousands)
            form = rf"^[+-]?[0-9]{{1,3}}({group}[0-9]{{3}})+($|[eE]|{re.escape(decimal)})"
            grouped = pc.match_substring_regex(texts, form)
            texts = pc.if_else(grouped, pc.replace_substring_regex(texts, group, ""), texts)
        if decimal != ".":
            other = pc.match_substring(texts, ".")
            texts = pc.if_else(other, nothing, pc.replace_substring(texts, decimal, "."))
        return texts

    def spread(self, of_value: NDArray[Any], missing: Any) -> NDArray[Any]:
        """Map each row to the element of its cell, or to `missing`."""
        spread: NDArray[Any] = np.append(of_value, missing)[self.codes]
        return spread

    def to_list(self) -> list[str | None]:
        """Return the cells of all rows; None where they are missing."""
        values = [*self.values.to_pylist(), None]
        return [values[code] for code in self.codes.tolist()]

    def to_arrow(self) -> Any:
        """Return the column as unordered categories."""
        import pyarrow

        codes = pyarrow.array(self.codes, mask=self.codes < 0)
        return pyarrow.chunked_array([pyarrow.DictionaryArray.from_arrays(codes, self.values)])


def read_text(
    source: Source, *, missing: Collection[str] = MISSING_MARKS, strip: bool = True
) -> dict[str, TextColumn]:
    """Read the columns of a CSV file as text.

    Parameters
    ----------
    source : Source
        The file.
    missing : collection of str
        Cells that are missing.
    strip : bool, default=True
        Whether to remove white space around cells.

    Returns
    -------
    dict of str to TextColumn
        The columns by name.
    """
    pyarrow = source.arrow()
    import pyarrow.compute as pc

    marks = pyarrow.array(sorted(missing), pyarrow.string())
    table = pyarrow.Table.from_batches(csv_batches(source))
    columns = {}
    for name, cells in zip(table.column_names, table.columns, strict=True):
        chunks = cells.unify_dictionaries().chunks
        values = chunks[0].dictionary
        codes = np.concatenate([chunk.indices.to_numpy() for chunk in chunks])
        unused = np.bincount(codes, minlength=len(values)) == 0  # the header is
        values = pc.utf8_trim_whitespace(values) if strip else values
        gone = pc.or_(pc.is_in(values, marks), pyarrow.array(unused))
        values = pc.if_else(gone, pyarrow.scalar(None, values.type), values)
        encoded = values.dictionary_encode()  # cells may differ in white space only
        places = encoded.indices.fill_null(-1).to_numpy()
        columns[name] = TextColumn(encoded.dictionary, places[codes], source.options)
    return columns
