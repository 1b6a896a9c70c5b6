"""A file of a table: how it is opened, which format it has, and how its text is read."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import re
import sys
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeAlias

__all__ = ["FileError", "FileFormat", "ReadOptions", "Source", "readable"]

FileFormat: TypeAlias = Literal["csv", "json", "parquet", "arrow", "feather1", "excel", "archive"]

_GZIP = b"\x1f\x8b"
_ZIP, _OLD_EXCEL = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BEGINNINGS: dict[bytes, FileFormat] = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",
    b"FEA1": "feather1",
    _OLD_EXCEL: "excel",
}
_WITHOUT_BEGINNING: dict[str, FileFormat] = {".parquet": "parquet"}  # an empty file, say
_JSON = re.compile(rb'(\[\s*)?\{\s*["}]')
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class FileError(ValueError):
    """A file cannot be read, or does not have the expected contents."""


@dataclass(frozen=True)
class ReadOptions:
    """How the text of a file is read; files with types ignore what they do not need.

    Parameters
    ----------
    encoding : str, default="utf-8"
        The encoding of a CSV or JSON file. UTF-16 is recognized by its byte order mark.
    decimal : {".", ","}, default="."
        The decimal sign of numbers.
    thousands : str, default=""
        The character between groups of three digits, such as ``,`` in 1,200.
    header : bool, default=True
        Whether the first row of a CSV or Excel file has the names of the columns. Without one they
        are column1, column2, ...
    sheet : str, default=""
        The sheet of an Excel file; by default the first one.
    units : mapping of str to str
        Columns whose numbers are followed or preceded by a unit, and the unit.
    dates : tuple of str
        Columns of dates, which are read as their parts.
    """

    encoding: str = "utf-8"
    decimal: str = "."
    thousands: str = ""
    header: bool = True
    sheet: str = ""
    units: Mapping[str, str] = field(default_factory=dict)
    dates: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        try:
            codecs.lookup(self.encoding)
        except LookupError:
            raise FileError(
                f"The encoding {self.encoding!r} is not known. Use a name such as utf-8, latin-1 "
                "or cp1252."
            ) from None
        if self.decimal not in (".", ","):
            raise FileError(f"The decimal sign must be '.' or ','. Got {self.decimal!r} instead.")
        if len(self.thousands) > 1 or self.thousands.isalnum() or self.thousands == self.decimal:
            raise FileError(
                "The thousands separator must be one character that is not a letter, a digit or "
                f"the decimal sign. Got {self.thousands!r} instead."
            )

    def to_dict(self) -> dict[str, Any]:
        """Give what differs from the defaults, for a model file."""
        default = asdict(ReadOptions())
        changed = {name: value for name, value in asdict(self).items() if value != default[name]}
        return {name: list(v) if isinstance(v, tuple) else v for name, v in changed.items()}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> ReadOptions:
        """Make options of what `to_dict` gave; anything else is an error."""
        kinds = {name: type(value) for name, value in asdict(cls()).items()} | {"dates": list}
        wrong = [n for n, v in given.items() if n not in kinds or not isinstance(v, kinds[n])]
        if not wrong:
            units = dict(given.get("units", {}))
            texts = [*units, *units.values(), *given.get("dates", [])]
            wrong = [str(text) for text in texts if not isinstance(text, str)]
        if wrong:
            raise FileError(f"Unknown options of reading: {', '.join(sorted(wrong))}.")
        return cls(**{**given, "dates": tuple(given.get("dates", ()))})


class Source:
    """A file, the standard input for the path ``-``, or bytes; ``str`` gives its name.

    Parameters
    ----------
    path : Path
        The file to read.
    content : bytes or None, default=None
        Contents to read instead of the file.
    options : ReadOptions, optional
        How text is read.
    """

    def __init__(
        self, path: Path, content: bytes | None = None, options: ReadOptions | None = None
    ) -> None:
        self.path = path
        self.options = ReadOptions() if options is None else options
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

    @contextlib.contextmanager
    def open_text(self) -> Iterator[BinaryIO]:
        """Open like `open`, with the text in UTF-8 whatever the encoding of the file."""
        with self.open() as stream:
            encoding = self.options.encoding
            if stream.read(2) in _UTF16:
                encoding = "utf-16"
            stream.seek(0)
            if codecs.lookup(encoding).name == "utf-8":
                yield stream
            else:
                yield io.BufferedReader(_Recoded(stream, encoding))

    def _open_raw(self) -> BinaryIO:
        if str(self.path) == "-" and self._content is None:
            self._content = sys.stdin.buffer.read()
        return self.path.open("rb") if self._content is None else io.BytesIO(self._content)

    @cached_property
    def format(self) -> FileFormat:
        """The format, by the first bytes of the file; text is JSON if it begins like it."""
        with readable(self), self._open_raw() as stream:
            head = stream.read(8)
        if head.startswith(_ZIP):
            return self._zip_format()
        for beginning, kind in _BEGINNINGS.items():
            if head.startswith(beginning):
                return kind
        if self.path.suffix in _WITHOUT_BEGINNING:
            return _WITHOUT_BEGINNING[self.path.suffix]
        with readable(self), self.open_text() as text:
            try:
                start = text.read(1 << 10).removeprefix(codecs.BOM_UTF8).lstrip()
            except UnicodeError:
                return "csv"  # the reader says where
        return "json" if _JSON.match(start) else "csv"

    def _zip_format(self) -> FileFormat:
        import zipfile

        with readable(self), self._open_raw() as stream:
            try:
                names = zipfile.ZipFile(stream).namelist()
            except zipfile.BadZipFile as error:
                raise FileError(f"{self} cannot be read: {error}.") from error
        is_sheet = any(n.startswith("xl/") or n == "content.xml" for n in names)
        return "excel" if is_sheet else "archive"

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


class _Recoded(io.RawIOBase):
    """Text of any encoding, read as UTF-8."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self._stream, self._encoding = stream, encoding
        self._start()

    def _start(self) -> None:
        self._decoder = codecs.getincrementaldecoder(self._encoding)()
        self._rest, self._place = b"", 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go back to the beginning, or stay: nothing else is needed."""
        if whence == 0 and offset == 0:
            self._stream.seek(0)
            self._start()
        elif (offset, whence) not in ((0, 1), (self._place, 0)):
            raise io.UnsupportedOperation("seek to a place inside the text")
        return self._place

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            chunk = self._stream.read(1 << 16)
            self._rest = self._decoder.decode(chunk, final=not chunk).encode("utf-8")
            if not chunk:
                break
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        self._place += size
        return size


@contextlib.contextmanager
def readable(source: Source) -> Iterator[None]:
    """Turn errors of the file system into a `FileError` that names the file."""
    try:
        yield
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(f"{source} cannot be read: {reason}.") from error
