"""Files that are read in pieces: whether they must be, fitting, and predicting."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO

import click

from mixedwood.cli._bar import bar_after_two_seconds
from mixedwood.cli._models import model_size
from mixedwood.cli._output import DataError, echo, echo_data

__all__ = ["are_in_pieces", "check_options", "fit_in_pieces", "json_lines", "write_pieces"]

_NEED_ALL_ROWS = {
    "numeric": "--numeric",
    "drop": "--drop",
    "dates": "--dates",
    "n_folds": "--cross-validate",
}
_BYTES_PER_CELL = 28  # at the peak of a fit in memory; see docs/results/chunks.md
_BYTES_PER_BYTE = 10  # of a text file
_ROWS_OF_A_TASK = 1 << 20


def are_in_pieces(paths: list[Path], memory_limit: int | None) -> bool:
    """Whether a table needs more than the limit; without one, several files are in pieces."""
    if memory_limit is None:
        return len(paths) > 1
    needed = sum(map(_memory_of, paths))
    if needed <= memory_limit:
        return False
    _check_typed(paths, f"need about {needed / 1e9:.2g} GB in memory, more than --memory-limit")
    return True


def _memory_of(path: Path) -> int:
    """Estimate the bytes of a fit in memory."""
    from mixedwood.files import Source

    if str(path) == "-":
        return 0
    source = Source(path)
    if source.format == "parquet":
        metadata = _metadata(path)
        return int(metadata.num_rows * metadata.num_columns * _BYTES_PER_CELL)
    return path.stat().st_size * _BYTES_PER_BYTE


def _metadata(path: Path) -> Any:
    import pyarrow
    from pyarrow import parquet

    try:
        return parquet.read_metadata(path)
    except (OSError, pyarrow.ArrowException) as error:
        raise DataError(f"{path} cannot be read as Parquet: {error}.") from error


def _check_typed(paths: list[Path], what: str) -> None:
    from mixedwood.files import Source

    for path in paths:
        if Source(path).format not in ("parquet", "arrow"):
            raise click.UsageError(
                f"The files {what}, and can only be read in pieces if they are Parquet or Arrow "
                f"files, which {path} is not. Convert it first."
            )


def check_options(estimator: Any, paths: list[Path], options: dict[str, Any]) -> None:
    """Raise errors of options and models that need the whole table."""
    named = [flag for name, flag in _NEED_ALL_ROWS.items() if options.get(name)]
    if named:
        raise click.UsageError(
            f"{' and '.join(named)} cannot be used with files that are read in pieces."
        )
    if any(str(path) == "-" for path in paths):
        raise click.UsageError("The standard input can be read only once, and not in pieces.")
    if not getattr(estimator, "_fits_in_pieces", False):
        raise click.UsageError(
            f"{type(estimator).__name__} cannot be fitted to files that are read in pieces; "
            "--model tree, forest and boosted can. If the files fit into memory, give a larger "
            "--memory-limit."
        )


def fit_in_pieces(
    estimator: Any,
    paths: list[Path],
    target: str,
    categorical: tuple[str, ...],
    quiet: bool,
    *,
    scheduler: str | None = None,
) -> dict[str, Any]:
    """Fit with a bar for each pass, and give what is printed and saved with the model."""
    from mixedwood.files import FileError

    if categorical:
        estimator.set_params(categorical_features=list(categorical))
    started = time.perf_counter()
    with (
        _cluster(scheduler) if scheduler else nullcontext(),
        warnings.catch_warnings(record=True) as caught,
        bar_after_two_seconds("fit", not quiet),
    ):
        warnings.simplefilter("default")
        try:
            estimator.fit(_partitions(paths) if scheduler else paths, target)
        except (FileError, ConnectionError) as error:
            raise DataError(str(error)) from error
        except (TypeError, ValueError) as error:
            raise click.UsageError(str(error)) from error
    lines = list({str(warning.message): None for warning in caught})
    for line in lines:
        echo(f"Warning: {line}", err=True)
    facts: dict[str, Any] = {
        "model": " ".join(repr(estimator).split()),
        "target": target,
        "data": paths[0].name if len(paths) == 1 else f"{len(paths)} files",
        **(
            _facts_of_classes(estimator, paths, target)
            if hasattr(estimator, "classes_")
            else _facts_of_numbers(estimator, paths, target)
        ),
        "columns": {column.name: str(column.kind) for column in estimator.schema_},
        "seconds": round(time.perf_counter() - started, 3),
    }
    return facts | model_size(estimator) | {"warnings": lines}


def _facts_of_numbers(estimator: Any, paths: list[Path], target: str) -> dict[str, Any]:
    """What one more pass finds out about the numbers and the error of the model."""
    from mixedwood.data import Chunks

    n, total, squares, errors = 0, 0.0, 0.0, 0.0
    for _, frame in Chunks(paths):
        if frame.num_rows == 0:
            continue
        y = frame.column(target).to_numpy().astype(float)
        n, total = n + len(y), total + float(y.sum())
        squares += float((y**2).sum())
        errors += float(((estimator.predict(frame) - y) ** 2).sum())
    mean = total / n
    return {
        "task": "regression",
        "rows": n,
        "target_mean": mean,
        "target_sd": max(squares / n - mean**2, 0.0) ** 0.5,
        "training_rmse": (errors / n) ** 0.5,
    }


def _facts_of_classes(estimator: Any, paths: list[Path], target: str) -> dict[str, Any]:
    import numpy as np

    if hasattr(estimator, "tree_"):
        tree = estimator.tree_
        path = getattr(estimator, "pruning_path_", None)
        # Shrinkage changes the statistics of nodes, and maybe the labels.
        counted = tree if path is None else path.path.tree(path.ccp_alpha)
        counts = counted.statistics[0]
        leaves = counted.split_kind == 0
        right = counted.statistics[leaves, tree.label[leaves]].sum()
        error = 1.0 - right / counts.sum()
    else:  # the trees of a forest have seen samples: one more pass
        from mixedwood.data import Chunks

        counts, wrong = np.zeros(len(estimator.classes_)), 0
        for _, frame in Chunks(paths):
            truth = np.array(frame.column(target).to_pylist())
            counts += (truth[:, None] == estimator.classes_).sum(axis=0)
            wrong += int((estimator.predict(frame) != truth).sum())
        error = wrong / counts.sum()
    labels = estimator.classes_.tolist()
    return {
        "rows": int(counts.sum()),
        "classes": {str(label): int(n) for label, n in zip(labels, counts, strict=True)},
        "training_error": float(error),
    }


@contextmanager
def _cluster(address: str) -> Iterator[None]:
    """Let a Dask cluster do the work."""
    try:
        from distributed import Client
    except ImportError as error:
        raise click.UsageError(
            "--scheduler needs the package distributed: pip install 'dask[distributed]'."
        ) from error
    try:
        client = Client(address, timeout="20s")  # type: ignore[no-untyped-call, unused-ignore]
    except (OSError, TimeoutError, ValueError) as error:
        raise click.UsageError(f"There is no Dask scheduler at {address}: {error}.") from error
    with client:
        yield


def _partitions(paths: list[Path]) -> list[Any]:
    """Divide files into parts of about a million rows, for workers that see the same files."""
    from dask.delayed import delayed

    from mixedwood.data.chunks import read_groups

    _check_typed(paths, "are read by the workers")
    parts = []
    for path in paths:
        sizes = _sizes_of_groups(path)
        first = n_rows = 0
        for group, size in enumerate(sizes):
            n_rows += size
            if n_rows >= _ROWS_OF_A_TASK or group == len(sizes) - 1:
                parts.append(delayed(read_groups)(str(path.resolve()), first, group + 1))
                first, n_rows = group + 1, 0
    return parts


def _sizes_of_groups(path: Path) -> list[int]:
    """Give the rows of each row group; an Arrow file is read as a whole."""
    from mixedwood.files import Source

    if Source(path).format != "parquet":
        return [0]
    metadata = _metadata(path)
    return [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)] or [0]


def write_pieces(pieces: Iterator[dict[str, Any]], output: Path | None, as_json: bool) -> None:
    """Write columns piece by piece: a file is complete or does not exist."""
    from mixedwood.files import opened_to_write

    if output is None or str(output) == "-":
        _write(pieces, echo_data, "", as_json)
        return
    with opened_to_write(output) as out:
        if output.suffix == ".parquet" and not as_json:
            _write_parquet(pieces, out)
        else:
            _write(pieces, out.write, output.suffix, as_json)
    echo(f"Written to {output}.", err=True)


def _write(
    pieces: Iterator[dict[str, Any]], write: Callable[[bytes], Any], suffix: str, as_json: bool
) -> None:
    from mixedwood.files import table_bytes

    for number, columns in enumerate(pieces):
        if as_json:
            write(json_lines(columns))
            continue
        content = table_bytes(columns, suffix)
        if number:  # only the first piece has a header
            content = content[len(table_bytes({name: [] for name in columns}, suffix)) :]
        write(content)


def _write_parquet(pieces: Iterator[dict[str, Any]], out: BinaryIO) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    writer = None
    try:
        for columns in pieces:
            table = pa.table(columns, schema=None if writer is None else writer.schema)
            if writer is None:
                writer = parquet.ParquetWriter(out, table.schema)
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()


def json_lines(columns: dict[str, Any]) -> bytes:
    """Write one JSON document per row."""
    lines = (
        json.dumps(dict(zip(columns, row, strict=True)), default=str)
        for row in zip(*columns.values(), strict=True)
    )
    return "".join(f"{line}\n" for line in lines).encode("utf-8")
