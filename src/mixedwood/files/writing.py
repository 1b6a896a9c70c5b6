"""Files that are written completely or not at all, and tables as CSV or Parquet."""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from mixedwood.files.source import FileError

__all__ = ["csv_text", "opened_to_write", "table_bytes", "write_bytes", "write_text"]


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
    with opened_to_write(path) as out:
        out.write(content)


@contextlib.contextmanager
def opened_to_write(path: Path) -> Iterator[BinaryIO]:
    """Open a file that replaces `path` if all goes well, and is removed if not."""
    # The name is known before the file exists, so that Ctrl-C at any moment leaves none.
    partial = path.with_name(f".mixedwood-{secrets.token_hex(8)}")
    try:
        with _create(partial) as out:
            yield out
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
