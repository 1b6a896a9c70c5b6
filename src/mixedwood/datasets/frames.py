"""From a coded table to the frame a user asked for."""

import importlib
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.datasets.coded import CodedTable, DatasetColumn

# The order of preference of frame="auto"; "dict" needs nothing and always works.
FRAMES = ("pandas", "polars", "pyarrow", "dict")


def choose_frame(frame: str) -> str:
    """Resolve "auto" and refuse a frame that is unknown or not installed."""
    if frame == "auto":
        return next((name for name in FRAMES[:-1] if find_spec(name) is not None), "dict")
    if frame not in FRAMES:
        accepted = ", ".join(repr(name) for name in ("auto", *FRAMES))
        raise ValueError(f"frame={frame!r} is not known. Use one of {accepted}.")
    if frame != "dict" and find_spec(frame) is None:
        raise ImportError(
            f"frame={frame!r} needs the package {frame}, which is not installed. "
            f"Install it (pip install {frame}) or use frame='dict', which needs nothing."
        )
    return frame


def to_frame(table: CodedTable, frame: str) -> Any:
    """Make a frame of one of the kinds in `FRAMES`."""
    return _MAKERS[frame](table)


def label_array(values: tuple[str, ...], codes: NDArray[np.int32]) -> NDArray[np.object_]:
    """Labels as Python strings, None where missing. Each label is one shared object."""
    # One spare place at the end: code -1 picks None.
    labels = np.array([*values, None], dtype=object)
    return labels[codes]


def number_array(numbers: NDArray[np.float64]) -> NDArray[Any]:
    """Numbers as int64 where all are whole and none is missing, else as they are."""
    # Above 2**53 a float no longer tells neighbouring whole numbers apart.
    if np.all(np.abs(numbers) <= 2.0**53) and np.all(numbers == np.floor(numbers)):
        return numbers.astype(np.int64)
    return numbers


def _plain(column: DatasetColumn, cells: NDArray[Any]) -> NDArray[Any]:
    return (
        number_array(cells) if column.kind == "numeric" else label_array(column.categories, cells)
    )


def _to_dict(table: CodedTable) -> dict[str, NDArray[Any]]:
    pairs = zip(table.columns, table.data, strict=True)
    return {column.name: _plain(column, cells) for column, cells in pairs}


def _to_pandas(table: CodedTable) -> Any:
    pandas = importlib.import_module("pandas")

    def column_of(column: DatasetColumn, cells: NDArray[Any]) -> Any:
        if column.kind == "ordinal":
            return pandas.Categorical.from_codes(cells, categories=column.categories, ordered=True)
        return _plain(column, cells)

    pairs = zip(table.columns, table.data, strict=True)
    return pandas.DataFrame({column.name: column_of(column, cells) for column, cells in pairs})


def _to_polars(table: CodedTable) -> Any:
    polars = importlib.import_module("polars")

    def column_of(column: DatasetColumn, cells: NDArray[Any]) -> Any:
        if column.kind == "numeric":
            # polars tells NaN from null: missing is null there.
            return polars.Series(column.name, number_array(cells), nan_to_null=True)
        dtype = polars.Enum(column.categories) if column.kind == "ordinal" else polars.String
        labels = polars.Series(column.name, column.categories, dtype=polars.String)
        codes = polars.Series(column.name, cells).cast(polars.UInt32, strict=False)
        return labels.gather(codes).cast(dtype)

    pairs = zip(table.columns, table.data, strict=True)
    return polars.DataFrame([column_of(column, cells) for column, cells in pairs])


def _to_pyarrow(table: CodedTable) -> Any:
    pyarrow = importlib.import_module("pyarrow")

    def column_of(column: DatasetColumn, cells: NDArray[Any]) -> Any:
        if column.kind == "numeric":
            return pyarrow.array(number_array(cells), mask=np.isnan(cells))
        codes = pyarrow.array(cells, mask=cells < 0)
        values = pyarrow.array(column.categories, type=pyarrow.string())
        if column.kind == "ordinal":
            return pyarrow.DictionaryArray.from_arrays(codes, values, ordered=True)
        return values.take(codes)

    pairs = zip(table.columns, table.data, strict=True)
    return pyarrow.table({column.name: column_of(column, cells) for column, cells in pairs})


_MAKERS: dict[str, Callable[[CodedTable], Any]] = {
    "pandas": _to_pandas,
    "polars": _to_polars,
    "pyarrow": _to_pyarrow,
    "dict": _to_dict,
}
