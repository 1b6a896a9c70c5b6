"""Files out: as a whole or not at all."""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import secrets
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

from mixedwood.files.reading import FileError

__all__ = ["csv_text", "table_bytes", "write_bytes", "write_text"]


def write_text(path: Path, text: str) -> None:
    """Write a file as a whole or not at all."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file as a whole or not at all; what goes wrong is an OSError with path and remedy."""
    # The name is known before there is a file of it, so that Ctrl-C at any moment leaves none.
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
    (errno.EACCES, errno.EPERM, errno.EROFS): "Choose a folder that you may write to",
    (errno.ENOENT, errno.ENOTDIR): "Make the folder first, or choose another",
    (errno.EISDIR,): "This is a folder; add the name of a file",
}


def _explained(error: OSError, path: Path) -> OSError:
    remedy = next((words for codes, words in _REMEDIES.items() if error.errno in codes), None)
    reason = error.strerror or str(error)
    return OSError(error.errno, f"{reason}. {remedy}" if remedy else reason, str(path))


def table_bytes(columns: Mapping[str, Sequence[Any]], suffix: str) -> bytes:
    """Turn columns into CSV or, for the suffix ``.parquet``, Parquet.

    Parameters
    ----------
    columns : mapping of str to sequence
        Text, booleans and numbers; None is an empty cell.
    suffix : str
        Of the file that is to be.
    """
    if suffix == ".parquet":
        return _parquet(columns)
    separator = "\t" if suffix == ".tsv" else ","
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    return csv_text(rows, separator).encode("utf-8", "surrogatepass")


def csv_text(rows: Iterable[Iterable[Any]], separator: str = ",") -> str:
    r"""Write rows as CSV that reads back as it was.

    Python up to 3.12 quotes a carriage return only if the lines end in one, too; so they do while
    rows are written.

    Examples
    --------
    >>> csv_text([["a", "b"], ["c\rd", 1]])
    'a,b\n"c\rd",1\n'
    """
    lines: list[str] = []

    class Out:
        def write(self, line: str) -> int:
            lines.append(line.removesuffix("\r\n") + "\n")
            return len(line)

    csv.writer(Out(), lineterminator="\r\n", delimiter=separator).writerows(rows)
    return "".join(lines)


def _parquet(columns: Mapping[str, Sequence[Any]]) -> bytes:
    out = io.BytesIO()
    if find_spec("pyarrow") is not None:
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.table(dict(columns)), out)
    elif find_spec("polars") is not None:
        import polars

        polars.DataFrame(dict(columns)).write_parquet(out)
    else:
        raise FileError(
            "Parquet files are written with pyarrow or polars; neither is installed. Install one "
            "(pip install pyarrow), or write CSV."
        )
    return out.getvalue()
