"""Tables that are read in pieces, several times: files, datasets, relations, lists of batches."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any, TypeVar

from mixedwood._limits import NO_DEADLINE, Deadline
from mixedwood._params import Int, check_value
from mixedwood._progress import stage
from mixedwood.data.partitions import Partitions, is_dask
from mixedwood.data.pieces import Job

__all__ = ["Chunks", "find_files", "read_groups"]

State = TypeVar("State")

_ROWS = 1 << 16
_TYPED = ("parquet", "arrow")


class Chunks:
    """A table that does not fit into memory, to be read in pieces as often as a fit needs it.

    Parameters
    ----------
    source : path, list of paths, pyarrow.dataset.Dataset, DuckDB relation, Dask frame or iterable
        A Parquet or Arrow file, a folder of Parquet files, a pattern such as ``"big/*.parquet"``,
        or a list of files; or an iterable of record batches or tables of pyarrow that can be
        iterated more than once, such as a list. A frame of Dask, or a list of delayed partitions or
        futures, is read by the workers of Dask.
    max_bins : int, default=255
        Most bins of a numeric column, up to 1,024. A column with at most as many different numbers
        is read exactly.
    temp_folder : path, optional
        Where boosting keeps the bins of the rows during a fit, in files that are removed in the
        end. By default the folder for temporary files of the system.

    Examples
    --------
    >>> import pyarrow as pa
    >>> batches = [pa.table({"x": [1.0, 2.0], "y": ["a", "b"]})] * 2
    >>> [(name, frame.num_rows) for name, frame in Chunks(batches)]
    [('chunk 0', 2), ('chunk 1', 2)]
    """

    def __init__(self, source: Any, *, max_bins: int = 255, temp_folder: Any = None) -> None:
        check_value("Chunks", "max_bins", max_bins, Int(2, 1024))
        self.source = source
        self.max_bins = max_bins
        self.temp_folder = temp_folder
        self._paths: list[Path] | None = None
        self._partitions: Partitions | None = None
        if is_dask(source):
            self._partitions = Partitions(source)
        elif isinstance(source, str | os.PathLike):
            self._paths = find_files(Path(source))
        elif isinstance(source, list | tuple) and source and all(map(_is_path, source)):
            self._paths = [file for path in source for file in find_files(Path(path))]
        elif not (_is_dataset(source) or _is_relation(source)):
            _check_iterable(source)

    @classmethod
    def of(cls, source: Any) -> Chunks:
        """Give chunks as they are, and anything else with the defaults."""
        return source if isinstance(source, Chunks) else cls(source)

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        """Yield each piece with its name for messages."""
        if self._partitions is not None:
            yield from self._partitions
            return
        if self._paths is not None:
            for path in self._paths:
                yield from _file_chunks(path)
            return
        import pyarrow as pa

        for number, batch in enumerate(self._batches()):
            if isinstance(batch, pa.RecordBatch):
                batch = pa.Table.from_batches([batch])
            if not isinstance(batch, pa.Table):
                raise TypeError(
                    f"chunk {number} is of type {type(batch).__name__}; chunks must be record "
                    "batches or tables of pyarrow."
                )
            yield f"chunk {number}", batch

    def run(
        self, job: Job[State], what: str = "", n_rows: int = 0, deadline: Deadline = NO_DEADLINE
    ) -> State | None:
        """Run a job over all pieces, one after the other or where Dask has them; see `Source`."""
        if self._partitions is not None:
            return self._partitions.run(job, what, n_rows, deadline)
        state, done = job.start(), 0
        with stage(what, n_rows) if what else nullcontext() as advance:
            for name, frame in self:
                if deadline.is_over():
                    return None
                state = job.add(state, name, frame)
                done += frame.num_rows
                if advance is not None:
                    advance(done)
        return state

    def _batches(self) -> Iterable[Any]:
        if _is_dataset(self.source):
            batches: Iterable[Any] = self.source.to_batches(batch_size=_ROWS)
            return batches
        if _is_relation(self.source):
            read = getattr(self.source, "to_arrow_reader", None) or self.source.fetch_arrow_reader
            reader: Iterable[Any] = read(_ROWS)
            return reader
        given: Iterable[Any] = self.source
        return given


def _is_path(given: Any) -> bool:
    return isinstance(given, str | os.PathLike)


def _is_dataset(given: Any) -> bool:
    return type(given).__module__.startswith("pyarrow._dataset")


def _is_relation(given: Any) -> bool:
    return type(given).__name__ == "DuckDBPyRelation"


def _check_iterable(source: Any) -> None:
    try:
        once = iter(source) is source
    except TypeError:
        once = None
    # Frames are iterable, over their columns.
    if once is None or isinstance(source, dict) or hasattr(source, "columns"):
        raise TypeError(
            "A table that is read in pieces must be a path, a list of paths, a dataset of pyarrow, "
            "a relation of DuckDB, a frame of Dask, or an iterable of record batches. Got "
            f"{type(source).__name__} instead. For a table in memory, pass the labels as y."
        )
    if once:
        raise TypeError(
            f"The chunks come from an object of type {type(source).__name__} that can be iterated "
            "only once, but a fit reads the table several times. Pass a list, or an object whose "
            "__iter__ starts from the beginning each time."
        )


def find_files(path: Path) -> list[Path]:
    """List the files that a path stands for: itself, those of a folder, or those of a pattern."""
    if path.is_dir():
        found = sorted(path.rglob("*.parquet"))
    elif path.exists():
        return [path]
    else:
        found = sorted(map(Path, glob.glob(str(path), recursive=True)))  # noqa: PTH207
    if not found:
        from mixedwood.files import FileError

        what = "no Parquet file in it" if path.is_dir() else "no such file"
        raise FileError(f"{path} cannot be read: {what}.")
    return found


def _file_chunks(path: Path) -> Iterator[tuple[str, Any]]:
    from mixedwood.files import FileError, Source, read_batches

    source = Source(path)
    if source.format not in _TYPED:
        raise FileError(
            f"{path} is not a Parquet or Arrow file, whose columns have types. Convert it "
            f'first, or pass pyarrow.dataset.dataset(path, format="csv") for a CSV file.'
        )
    pa = source.arrow()
    for number, batch in enumerate(read_batches(source, dictionaries=True)):
        yield f"{path}, chunk {number}", pa.Table.from_batches([batch])


def read_groups(path: str, first: int, end: int) -> Any:
    """Read row groups of a Parquet file, or all of an Arrow file, without the index of pandas."""
    from mixedwood.files import FileError, Source

    source = Source(Path(path))
    pa = source.arrow()
    if source.format != "parquet":
        return pa.concat_tables([frame for _, frame in _file_chunks(Path(path))])
    from pyarrow import parquet, types

    try:
        file = parquet.ParquetFile(path)
        text = [field.name for field in file.schema_arrow if types.is_string(field.type)]
        file = parquet.ParquetFile(path, read_dictionary=text)
        return file.read_row_groups(list(range(first, min(end, file.num_row_groups))))
    except (OSError, pa.ArrowException) as error:
        raise FileError(f"{path} cannot be read as Parquet: {error}.") from error
