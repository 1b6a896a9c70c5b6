"""CSV files as text: where cells end, which are missing, and which columns are numbers."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NoReturn

import numpy as np
from numpy.typing import NDArray

from mixedwood.files.source import FileError, ReadOptions, Source, readable
from mixedwood.files.typed import MISSING_MARKS, check_names

__all__ = ["TextColumn", "csv_batches", "read_text", "read_typed_text"]

_DELIMITERS = ",;\t|"
_BOM = codecs.BOM_UTF8
_HEAD = 1 << 16  # bytes in which the first line must end
_MOST_READINGS = 3  # with columns as numbers; then everything is text
_BLOCK = 1 << 23  # bytes per batch of a CSV file; a row cannot be longer

# A number in the usual notation. Without leading zeros, so that a postal code is a category.
_NUMBER = r"^[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_PADDED_NUMBER = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"


def csv_batches(source: Source, plain: Collection[int] = ()) -> Iterator[Any]:
    """Read the record batches of a CSV file, whose cells are text.

    Columns have dictionaries of their cells, unless `plain` has their positions.
    """
    source.arrow()
    try:
        with readable(source), source.open_text() as stream:
            yield from _batches(source, stream, plain)
    except UnicodeError as error:
        raise FileError(
            f"{source} is not {source.options.encoding} text: {error}. Give its --encoding."
        ) from error


def _form(head: bytes, options: ReadOptions) -> tuple[str, int]:
    """Find the delimiter in the first lines, and the most columns that there can be."""
    first = head.removeprefix(_BOM).lstrip(b"\r\n").partition(b"\n")[0]
    # A decimal comma separates cells only if nothing else does.
    signs = _DELIMITERS if options.decimal == "." else _DELIMITERS[1:] + _DELIMITERS[:1]
    delimiter = max(signs, key=lambda sign: first.count(sign.encode()))
    if options.decimal == "," and delimiter == "," and any(s.encode() in first for s in signs[:-1]):
        delimiter = max(signs[:-1], key=lambda sign: first.count(sign.encode()))
    # If a name in the header has a line break, its columns are not all in the first line.
    n_most = (first if first.count(b'"') % 2 == 0 else head).count(delimiter.encode()) + 1
    return delimiter, n_most


def _batches(source: Source, stream: BinaryIO, plain: Collection[int]) -> Iterator[Any]:
    import pyarrow
    from pyarrow import csv

    options = source.options
    head = stream.read(_HEAD)
    stream.seek(0)
    delimiter, n_most = _form(head, options)
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
                column_types={
                    f"f{i}": pyarrow.string() if i in plain else text for i in range(n_most)
                },
                null_values=[],
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
        if isinstance(stream, io.BufferedReader) and isinstance(stream.raw, io.FileIO):
            stream.seek(max(0, stream.seek(0, io.SEEK_END) - _HEAD))
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
        texts = pc.if_else(matches, plain, _nothing())
        try:
            parsed = pc.cast(pc.utf8_ltrim(texts, "+"), pyarrow.float64())
            numbers = _as_array(parsed, np.float64, np.nan)
        except pyarrow.ArrowInvalid:  # out of the range of a double
            numbers = np.array([np.nan if t is None else float(t) for t in texts.to_pylist()])
        return np.where(np.isfinite(numbers), numbers, np.nan)

    def _plain_notation(self, unit: str) -> Any:
        """Remove unit and thousands separators, and write a point for the decimal sign."""
        import pyarrow.compute as pc

        texts, nothing = self.values, _nothing()
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

        known = np.packbits(self.codes >= 0, bitorder="little")
        buffers = [pyarrow.py_buffer(known), pyarrow.py_buffer(np.ascontiguousarray(self.codes))]
        codes = pyarrow.Array.from_buffers(pyarrow.int32(), len(self), buffers)
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
    table = source.arrow().Table.from_batches(csv_batches(source))
    return _text_columns(source, table, missing, strip=strip)


def read_typed_text(
    source: Source, as_text: Collection[str]
) -> dict[str, TextColumn | NDArray[np.float64]]:
    """Read a CSV file: columns of plain numbers as such, others as text.

    Most columns of numbers have too many different ones for a dictionary of their text to save
    anything. A column of which only the beginning is numbers is read once more.

    Parameters
    ----------
    source : Source
        The file.
    as_text : collection of str
        Columns that must be text.
    """
    plain = _columns_of_numbers(source, as_text)
    for _ in range(_MOST_READINGS):
        try:
            return _read_columns(source, plain)
        except _NotNumbersError as error:
            plain = [place for place in plain if place != error.args[0]]
    return _read_columns(source, [])


class _NotNumbersError(Exception):
    """The column at a position has other cells than numbers."""


def _read_columns(
    source: Source, plain: Collection[int]
) -> dict[str, TextColumn | NDArray[np.float64]]:
    pyarrow = source.arrow()
    numbers: dict[int, list[NDArray[np.float64]]] = {place: [] for place in plain}
    batches, names = [], []
    for batch in csv_batches(source, plain):
        names = batch.schema.names
        for place, known in numbers.items():
            found = _plain_numbers(batch.column(place), source.options)
            if found is None:
                raise _NotNumbersError(place)
            known.append(found)
        batches.append(batch.select([i for i in range(len(names)) if i not in numbers]))
    table = pyarrow.Table.from_batches(batches)
    texts = _text_columns(source, table, MISSING_MARKS, strip=True)
    return {
        name: np.concatenate(numbers[place]) if place in numbers else texts[name]
        for place, name in enumerate(names)
    }


def _columns_of_numbers(source: Source, as_text: Collection[str]) -> list[int]:
    """Find columns whose first cells are numbers, by position."""
    pyarrow = source.arrow()
    from pyarrow import csv

    options = source.options
    if options.decimal != "." or options.thousands:
        return []
    try:
        with readable(source), source.open_text() as stream:
            head = stream.read(_HEAD)
        delimiter, n_most = _form(head, options)
        table = csv.read_csv(
            pyarrow.BufferReader(head.rpartition(b"\n")[0]),
            read_options=csv.ReadOptions(autogenerate_column_names=True, use_threads=False),
            parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=csv.ConvertOptions(
                column_types={f"f{i}": pyarrow.string() for i in range(n_most)}, null_values=[]
            ),
        )
    except (pyarrow.ArrowInvalid, UnicodeError):  # such as an open quotation mark
        return []
    found = []
    for place, cells in enumerate(table.columns):
        name = cells[0].as_py().strip() if options.header else f"column{place + 1}"
        first = cells.combine_chunks()[1 if options.header else 0 :]
        numbers = None if name in as_text else _plain_numbers(first, options)
        if numbers is not None and not np.isnan(numbers).all():
            found.append(place)
    return found


def _plain_numbers(cells: Any, options: ReadOptions) -> NDArray[np.float64] | None:
    """Parse cells as `TextColumn.numbers` does; None if one is neither a number nor missing."""
    import pyarrow
    import pyarrow.compute as pc

    try:
        bounds = _as_bounds(cells)
        is_empty = bounds[1:] == bounds[:-1]
        n_empty = int(is_empty.sum())
        filled = _without(cells, is_empty) if n_empty else cells
        numbers = _as_array(pc.cast(filled, pyarrow.float64()), np.float64, np.nan)
        if int(np.isfinite(numbers).sum()) == len(cells) - n_empty and not _has_padding(cells):
            return numbers
    except pyarrow.ArrowInvalid:
        pass
    trimmed = pc.utf8_trim_whitespace(cells)
    gone = _are_marks(trimmed, MISSING_MARKS)
    numbers = TextColumn(trimmed, np.empty(0, dtype=np.int32), options).numbers()
    numbers[gone] = np.nan
    return numbers if (np.isnan(numbers) == gone).all() else None


# pyarrow imports pandas to make arrays of Python objects and numpy arrays of its own, which takes
# as long as reading a file of 50 MB. Buffers do not.


def _nothing() -> Any:
    """Make a missing cell."""
    import pyarrow

    return pyarrow.nulls(1, pyarrow.string())[0]


def _strings(texts: list[str]) -> Any:
    import pyarrow

    parts = [text.encode("utf-8", "surrogatepass") for text in texts]
    ends = np.cumsum([0, *map(len, parts)], dtype=np.int32)
    buffers = [None, pyarrow.py_buffer(ends), pyarrow.py_buffer(b"".join(parts))]
    return pyarrow.Array.from_buffers(pyarrow.string(), len(parts), buffers)


def _as_bounds(cells: Any) -> NDArray[np.int32]:
    """Give the places where cells begin and end among the bytes of all."""
    return np.frombuffer(cells.buffers()[1], np.int32)[cells.offset :][: len(cells) + 1]


def _are_marks(cells: Any, marks: Collection[str]) -> NDArray[np.bool_]:
    import pyarrow.compute as pc

    found = pc.is_in(cells, _strings(sorted(marks)))
    bits = np.frombuffer(found.buffers()[1], np.uint8)
    return np.unpackbits(bits, bitorder="little")[found.offset :][: len(found)].astype(bool)


def _as_array(cells: Any, kind: type, missing: Any) -> NDArray[Any]:
    """Make an array of numbers, with another number for missing ones."""
    if len(cells) == 0:
        return np.empty(0, dtype=kind)
    known, data = cells.buffers()
    numbers: NDArray[Any] = np.frombuffer(data, kind)[cells.offset :][: len(cells)]
    if cells.null_count == 0:
        return numbers
    bits = np.unpackbits(np.frombuffer(known, np.uint8), bitorder="little")
    is_known = bits[cells.offset :][: len(cells)].astype(bool)
    return np.where(is_known, numbers, np.array(missing, dtype=kind))


def _has_padding(cells: Any) -> bool:
    """Whether some number may begin with a zero before another digit, or with white space."""
    data = cells.buffers()[2]
    if data is None:
        return False
    bounds = _as_bounds(cells)
    starts, ends = bounds[:-1], bounds[1:]
    # Three more bytes, so that there is something behind the last cell.
    letters = np.append(np.frombuffer(data, np.uint8), np.zeros(3, np.uint8))
    first = letters[starts]
    if ((first <= ord(" ")) & (starts < ends)).any():
        return True
    starts = starts + (first == ord("-"))
    padded = (letters[starts] == ord("0")) & _is_digit(letters[starts + 1])
    return bool((padded & (starts + 1 < ends)).any())


def _is_digit(letters: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return (letters >= ord("0")) & (letters <= ord("9"))


def _without(texts: Any, gone: NDArray[np.bool_]) -> Any:
    """Make some cells missing."""
    import pyarrow
    import pyarrow.compute as pc

    packed = pyarrow.py_buffer(np.packbits(gone, bitorder="little"))
    bits = pyarrow.Array.from_buffers(pyarrow.bool_(), len(texts), [None, packed])
    return pc.if_else(bits, _nothing(), texts)


def _text_columns(
    source: Source, table: Any, missing: Collection[str], strip: bool
) -> dict[str, TextColumn]:
    import pyarrow.compute as pc

    columns = {}
    for name, cells in zip(table.column_names, table.columns, strict=True):
        chunks = cells.unify_dictionaries().chunks
        values = chunks[0].dictionary
        codes = np.concatenate([_as_array(chunk.indices, np.int32, -1) for chunk in chunks])
        unused = np.bincount(codes, minlength=len(values)) == 0  # the header is
        values = pc.utf8_trim_whitespace(values) if strip else values
        kept = _without(values, _are_marks(values, missing) | unused)
        encoded = kept.dictionary_encode()  # cells may differ in white space only
        places = _as_array(encoded.indices, np.int32, -1)
        columns[name] = TextColumn(encoded.dictionary, places[codes], source.options)
    return columns
