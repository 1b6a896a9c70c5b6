"""Tables in CSV and Parquet files, and files that are written completely or not at all.

Files are read by pyarrow in record batches. A CSV file is read as text: a column whose cells are
all plain numbers is numeric, any other column is categorical. ``007`` and ``1_000`` are categories,
not numbers. The cells that count as missing are `MISSING_MARKS`.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import errno
import gzip
import io
import re
import secrets
import sys
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "MISSING_MARKS",
    "FileError",
    "Source",
    "TextColumn",
    "csv_text",
    "read_batches",
    "read_text",
    "table_bytes",
    "write_bytes",
    "write_text",
]

MISSING_MARKS = frozenset({"", "?", "NA", "N/A", "NaN", "nan", "NULL", "null", "None"})

_DELIMITERS = ",;\t|"
_GZIP, _PARQUET, _BOM = b"\x1f\x8b", b"PAR1", codecs.BOM_UTF8
_HEAD = 1 << 16  # bytes in which the first line must end
_BLOCK = 1 << 23  # bytes per batch of a CSV file; a row cannot be longer
_ROWS = 1 << 16  # rows per batch of a Parquet file

# A number in the usual notation. Without leading zeros, so that a postal code is a category.
_NUMBER = r"^[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_PADDED_NUMBER = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"


class FileError(ValueError):
    """A file cannot be read, or does not have the expected contents."""


class Source:
    """A file, the standard input for the path ``-``, or bytes; ``str`` gives its name.

    Parameters
    ----------
    path : Path
        The file to read.
    content : bytes or None, default=None
        Contents to read instead of the file.
    """

    def __init__(self, path: Path, content: bytes | None = None) -> None:
        self.path = path
        self._content = content

    def __str__(self) -> str:
        return "The standard input" if str(self.path) == "-" else str(self.path)

    @contextlib.contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open at the beginning, decompressed if it is gzipped."""
        with self._open_raw() as packed:
            is_gzip = self.path.suffix == ".gz" or packed.read(2) == _GZIP
            packed.seek(0)
            if not is_gzip:
                yield packed
                return
            with gzip.open(packed) as stream:
                yield stream  # type: ignore[misc]

    def _open_raw(self) -> BinaryIO:
        if str(self.path) == "-" and self._content is None:
            self._content = sys.stdin.buffer.read()
        return self.path.open("rb") if self._content is None else io.BytesIO(self._content)

    @cached_property
    def is_parquet(self) -> bool:
        """Whether it begins like a Parquet file, or has such a name; otherwise it is CSV."""
        with _readable(self), self._open_raw() as stream:
            return self.path.suffix == ".parquet" or stream.read(4) == _PARQUET

    def arrow(self) -> Any:
        """Import pyarrow, which reads the file."""
        try:
            import pyarrow
        except ImportError as error:
            raise FileError(
                f"{self} cannot be read: CSV and Parquet files need pyarrow, which is not "
                "installed. Install it with: pip install 'mixedwood[cli]'"
            ) from error
        return pyarrow


@contextlib.contextmanager
def _readable(source: Source) -> Iterator[None]:
    try:
        yield
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(f"{source} cannot be read: {reason}.") from error


def read_batches(source: Source) -> Iterator[Any]:
    """Read a CSV or Parquet file in pieces.

    Files that begin like Parquet are read as such, all others as CSV. The delimiter is the most
    frequent of ``,;|`` and the tab character in the first line.

    Parameters
    ----------
    source : Source
        The file.

    Yields
    ------
    pyarrow.RecordBatch
        Columns with the types of a Parquet file, or with the text of a CSV file.

    Raises
    ------
    FileError
        If the file cannot be read; the message names the file and the line.
    """
    source.arrow()
    with _readable(source), source.open() as stream:
        yield from (_parquet_batches if source.is_parquet else _csv_batches)(source, stream)


def _parquet_batches(source: Source, stream: BinaryIO) -> Iterator[Any]:
    import pyarrow
    from pyarrow.parquet import ParquetFile

    try:
        yield from ParquetFile(stream).iter_batches(batch_size=_ROWS)
    except (pyarrow.ArrowException, OSError) as error:
        raise FileError(f"{source} cannot be read as Parquet: {error}.") from error


def _csv_batches(source: Source, stream: BinaryIO) -> Iterator[Any]:
    import pyarrow
    from pyarrow import csv

    head = stream.read(_HEAD)
    stream.seek(0)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise _not_utf8(source, 0)
    first = head.removeprefix(_BOM).lstrip(b"\r\n").partition(b"\n")[0]
    delimiter = max(_DELIMITERS, key=lambda sign: first.count(sign.encode()))
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
            if not names:
                names = _header(source, [cells[0].as_py() for cells in batch.columns])
                batch = batch.slice(1)
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


def _header(source: Source, cells: list[str]) -> list[str]:
    names = [name.strip() for name in cells]
    twice = [name for name in names if names.count(name) > 1]
    if twice or "" in names:
        what = f"two columns are named {twice[0]!r}" if twice else "a column has no name"
        raise FileError(f"{source}: {what}. The first line must name every column once.")
    return names


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
        with source.open() as stream:
            while chunk := stream.read(_HEAD):
                n_pending = len(decoder.getstate()[0])
                try:
                    decoder.decode(chunk)
                except UnicodeDecodeError as error:
                    raise _not_utf8(source, place - n_pending + error.start) from error
                place += len(chunk)
    if "Empty CSV" in reason:
        with source.open() as stream:
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
        f"{source} is not UTF-8 text (byte {place}). Save it as UTF-8, or convert it with "
        "iconv -f latin1 -t utf-8."
    )


def _line_of(source: Source, number: int, text: str) -> int:
    """Find the line of a row, which has at least this number: earlier rows may have more lines."""
    first = text.encode().partition(b"\n")[0].rstrip(b"\r")
    with source.open() as stream:
        for line, content in enumerate(stream, start=1):
            if line >= number and content.rstrip(b"\r\n") == first:
                return line
    return number


def _is_open(source: Source, last: str, delimiter: str) -> bool:
    """Whether the file ends inside a quoted cell, which pyarrow accepts; `last` is this cell."""
    with source.open() as stream:
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
    """

    values: Any
    codes: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.codes)

    def numbers(self, *, padded: bool = False) -> NDArray[np.float64]:
        """Parse `values`; NaN for what is not a finite number. `padded` allows leading zeros."""
        import pyarrow
        import pyarrow.compute as pc

        matches = pc.match_substring_regex(self.values, _PADDED_NUMBER if padded else _NUMBER)
        texts = pc.if_else(matches, self.values, pyarrow.scalar(None, pyarrow.string()))
        try:
            parsed = pc.cast(pc.utf8_ltrim(texts, "+"), pyarrow.float64())
            numbers = parsed.to_numpy(zero_copy_only=False)
        except pyarrow.ArrowInvalid:  # out of the range of a double
            numbers = np.array([np.nan if t is None else float(t) for t in texts.to_pylist()])
        return np.where(np.isfinite(numbers), numbers, np.nan)

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
    table = pyarrow.Table.from_batches(read_batches(source))
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
        columns[name] = TextColumn(encoded.dictionary, places[codes])
    return columns


def write_text(path: Path, text: str) -> None:
    """Write a file completely or not at all."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file completely or not at all.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    # The name is known before the file exists, so that Ctrl-C at any moment leaves none.
    partial = path.with_name(f".mixedwood-{secrets.token_hex(8)}")
    try:
        with _create(partial) as out:
            out.write(content)
        partial.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            partial.unlink()
        if isinstance(error, OSError) and error.errno is not None:
            raise _explained(error, path) from error
        raise


def _create(path: Path) -> BinaryIO:
    return path.open("xb")


_REMEDIES = {
    (errno.ENOSPC, errno.EDQUOT): "Free some space, or write to another disk",
    (errno.EACCES, errno.EPERM, errno.EROFS): "Choose a directory that you may write to",
    (errno.ENOENT, errno.ENOTDIR): "Create the directory first, or choose another",
    (errno.EISDIR,): "This is a directory; add the name of a file",
}


def _explained(error: OSError, path: Path) -> OSError:
    remedy = next((text for codes, text in _REMEDIES.items() if error.errno in codes), None)
    reason = error.strerror or str(error)
    return OSError(error.errno, f"{reason}. {remedy}" if remedy else reason, str(path))


def table_bytes(columns: Mapping[str, Sequence[Any]], suffix: str) -> bytes:
    """Format columns as CSV or, for the suffix ``.parquet``, as Parquet.

    Parameters
    ----------
    columns : mapping of str to sequence
        Text, booleans and numbers; None is an empty cell.
    suffix : str
        The suffix of the file to be written.
    """
    if suffix == ".parquet":
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError as error:
            raise FileError(
                "Parquet files are written with pyarrow, which is not installed. Install it with: "
                "pip install 'mixedwood[cli]', or write CSV."
            ) from error
        out = io.BytesIO()
        pyarrow.parquet.write_table(pyarrow.table(dict(columns)), out)
        return out.getvalue()
    delimiter = "\t" if suffix == ".tsv" else ","
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    return csv_text(rows, delimiter).encode("utf-8", "surrogatepass")


def csv_text(rows: Iterable[Iterable[Any]], delimiter: str = ",") -> str:
    r"""Write rows as CSV that can be read back without loss.

    Examples
    --------
    >>> csv_text([["a", "b"], ["c\rd", 1]])
    'a,b\n"c\rd",1\n'
    """
    lines: list[str] = []

    class Out:
        def write(self, line: str) -> int:
            # Python up to 3.12 quotes a carriage return only if lines end in one.
            lines.append(line.removesuffix("\r\n") + "\n")
            return len(line)

    csv.writer(Out(), lineterminator="\r\n", delimiter=delimiter).writerows(rows)
    return "".join(lines)
