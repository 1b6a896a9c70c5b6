"""Rows in temporary files, block by block, for fits that need them many times.

Bins are written once and take a byte or two each, so that later passes cost far less than reading
Parquet. Files have no name where the system allows it, so that nothing is left even of a process
that is killed.
"""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from mixedwood._progress import stage

__all__ = ["BlockFile", "Spool", "smallest_unsigned"]


def smallest_unsigned(n_values: int) -> np.dtype[Any]:
    """Give the smallest type with room for 0 up to, and without, a number.

    Examples
    --------
    >>> smallest_unsigned(256), smallest_unsigned(257)
    (dtype('uint8'), dtype('uint16'))
    """
    return np.min_scalar_type(max(n_values - 1, 0))


class Spool:
    """Arrays with an entry for each row, in temporary files that are gone in the end.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    folder : path or None
        Where the files are; None for the folder for temporary files of the system.

    Examples
    --------
    >>> with Spool(3) as spool:
    ...     codes = spool.arrays([np.uint8, np.uint16])
    ...     codes.write(0, [np.array([1, 2, 3]), np.array([4, 5, 6])])
    ...     [block.tolist() for block in codes.read(0)]
    [[1, 2, 3], [4, 5, 6]]
    """

    block_rows = 1 << 16

    def __init__(self, n_rows: int, folder: Any = None) -> None:
        self.n_rows = n_rows
        self.folder = Path(tempfile.gettempdir() if folder is None else folder)
        self._files = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._files.close()

    def check_room(self, bytes_per_row: int) -> None:
        """Raise an error unless the folder has room for the rows."""
        needed = bytes_per_row * self.n_rows
        try:
            free = shutil.disk_usage(self.folder).free
        except OSError as error:
            raise self.write_error(error) from error
        if needed > free:
            raise OSError(
                errno.ENOSPC,
                f"The fit needs {needed / 1e9:.1f} GB of temporary files ({bytes_per_row} bytes "
                f"for each of {self.n_rows:,} rows), but {str(self.folder)!r} has "
                f"{free / 1e9:.1f} GB free. Name another folder: Chunks(..., temp_folder=...).",
            )

    def arrays(self, dtypes: Sequence[DTypeLike], width: int = 0) -> BlockFile:
        """Open a file of arrays, with so many numbers for each row, or one."""
        try:
            file = self._files.enter_context(
                tempfile.TemporaryFile(dir=self.folder, buffering=0)  # noqa: SIM115
            )
        except OSError as error:
            raise self.write_error(error) from error
        return BlockFile(file, [np.dtype(kind) for kind in dtypes], width, self)

    def blocks(self, what: str = "") -> Iterator[int]:
        """Number of each block; listeners are told how many rows are done, unless it is empty."""
        with stage(what, self.n_rows) if what else nullcontext() as advance:
            for block in range(-(-self.n_rows // self.block_rows)):
                yield block
                if advance is not None:
                    advance(self.rows(block).stop)

    def rows(self, block: int) -> slice:
        """The rows of a block."""
        return slice(block * self.block_rows, min((block + 1) * self.block_rows, self.n_rows))

    def write_error(self, error: OSError) -> OSError:
        return OSError(
            error.errno,
            f"The temporary files of the fit cannot be written to {str(self.folder)!r}: "
            f"{error.strerror}. Name another folder: Chunks(..., temp_folder=...).",
        )


class BlockFile:
    """Arrays of one type each, block after block."""

    def __init__(self, file: Any, dtypes: list[np.dtype[Any]], width: int, spool: Spool) -> None:
        self._file, self._spool = file, spool
        self.dtypes, self._width = dtypes, width
        # The widest come first, so that numbers lie at multiples of their size.
        self._order = sorted(range(len(dtypes)), key=lambda i: -dtypes[i].itemsize)
        self._bytes = sum(kind.itemsize for kind in dtypes) * max(1, width)
        self._content = memoryview(bytearray(self._n_rows(0) * self._bytes))

    def write(self, block: int, arrays: Sequence[NDArray[Any]]) -> None:
        """Write a block."""
        content = b"".join(
            np.ascontiguousarray(arrays[i], dtype=self.dtypes[i]).tobytes() for i in self._order
        )
        try:
            self._file.seek(self._spool.rows(block).start * self._bytes)
            left = memoryview(content)
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            raise self._spool.write_error(error) from error

    def _n_rows(self, block: int) -> int:
        rows = self._spool.rows(block)
        return int(rows.stop - rows.start)

    def read(self, block: int) -> list[NDArray[Any]]:
        """Read a block. The arrays are those of the next block once it is read."""
        n = self._n_rows(block)
        content = self._content[: n * self._bytes]
        self._file.seek(self._spool.rows(block).start * self._bytes)
        left = content
        while left:
            n_read = self._file.readinto(left)
            if not n_read:
                raise OSError(errno.EIO, "A temporary file of the fit has lost rows.")
            left = left[n_read:]
        found: list[NDArray[Any]] = [np.empty(0)] * len(self.dtypes)
        start, each = 0, n * max(1, self._width)
        for i in self._order:
            array = np.frombuffer(content, self.dtypes[i], each, start)
            found[i] = array.reshape(n, self._width) if self._width else array
            start += each * self.dtypes[i].itemsize
        return found
