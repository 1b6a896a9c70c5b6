"""Any container of columns, opened as names and raw data, one piece for each column."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from mixedwood.data import errors

__all__ = [
    "METADATA_KEY",
    "ColumnData",
    "OpenTable",
    "check_lengths",
    "frame_columns",
    "index_columns",
    "open_table",
    "open_vector",
    "read_names",
    "rows_to_array",
    "series_of",
    "take_rows",
    "without_views",
]

ColumnData: TypeAlias = "nw.Series[Any] | NDArray[Any] | Sequence[Any]"

METADATA_KEY = "pandas"

_ACCEPTED = (
    "Pass a pandas, polars or pyarrow table, a dict of columns, or a two-dimensional numpy array."
)


@dataclass(frozen=True)
class OpenTable:
    """Names and raw columns of a table.

    Attributes
    ----------
    names : tuple of str
        Distinct names of the columns.
    names_generated : bool
        Whether the container had no names, so that they were generated.
    columns : list
        Data of each column.
    n_rows : int
        Length of each column.
    """

    names: tuple[str, ...]
    names_generated: bool
    columns: list[ColumnData]
    n_rows: int

    def __post_init__(self) -> None:
        # The text is scikit-learn's, which its checks and other tools look for.
        shape = f"(shape=({self.n_rows}, {len(self.names)})) while a minimum of 1 is required."
        if self.names and self.n_rows == 0:
            raise ValueError(f"Found array with 0 sample(s) {shape} The table has no rows.")
        if not self.names:
            raise ValueError(f"Found array with 0 feature(s) {shape} The table has no columns.")

    def take(self, rows: NDArray[np.bool_]) -> OpenTable:
        """Keep the rows that a mask selects."""
        if len(rows) != self.n_rows:
            raise ValueError(f"The mask has {len(rows)} entries, but X has {self.n_rows} rows.")
        columns = [take_rows(column, rows) for column in self.columns]
        return replace(self, columns=columns, n_rows=int(rows.sum()))


def open_table(X: Any, asked: Collection[str] = ()) -> OpenTable:
    """Open names and columns of any supported container, without copying.

    The pandas index that an Arrow table keeps is not a column, unless `asked` names it.
    """
    _check_dense(X)
    try:
        native = nw.from_native(X, allow_series=True, pass_through=True)
        if isinstance(native, nw.LazyFrame):
            native = _collect(native, X)
        if isinstance(native, nw.DataFrame):
            return _open_frame(native, asked)
    except DuplicateError as error:
        raise ValueError(f"{error}. Rename columns so that each name is used once.") from None
    if isinstance(native, nw.Series):
        raise ValueError(
            f"Expected a 2-dimensional container but got {type(X)} instead. Pass a DataFrame "
            "containing a single row (i.e. single sample) or a single column (i.e. single "
            "feature) instead."
        )
    if isinstance(X, Mapping):
        return _open_mapping(X)
    if hasattr(X, "__arrow_c_stream__"):
        return _open_frame(nw.from_arrow(X, backend="pyarrow"), asked)
    return _open_array(X)


def _check_dense(X: Any) -> None:
    # If scipy.sparse was never imported, nobody can have made a sparse matrix.
    sparse = sys.modules.get("scipy.sparse")
    if sparse is not None and sparse.issparse(X):
        raise TypeError(
            f"Sparse data was passed ({type(X).__name__}), but dense data is required. {_ACCEPTED} "
            "Use X.toarray() to convert to a dense numpy array."
        )


def read_names(names: Sequence[Any]) -> tuple[tuple[str, ...], bool]:
    """Give the names of columns, and whether they had to be generated."""
    # As in scikit-learn: names count if all are text; if none is, columns go by position.
    textual = [isinstance(name, str) for name in names]
    if names and all(textual):
        return tuple(str(name) for name in names), False
    if any(textual):
        types = sorted({type(name).__name__ for name in names})
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your "
            f"input has {types} as feature name / column name types. If you want feature names to "
            "be stored and validated, you must convert them all to strings, by using "
            "X.columns = X.columns.astype(str) for example."
        )
    return tuple(f"x{i}" for i in range(len(names))), True


def _open_frame(frame: nw.DataFrame[Any], asked: Collection[str]) -> OpenTable:
    columns = frame_columns(frame, asked)
    names, generated = read_names([column.name for column in columns])
    return OpenTable(names, generated, [*columns], len(frame))


def frame_columns(frame: nw.DataFrame[Any], asked: Collection[str] = ()) -> list[nw.Series[Any]]:
    """List the columns of a frame, without a stored pandas index that `asked` does not name."""
    columns = list(frame.iter_columns())
    if not frame.implementation.is_pyarrow():
        return columns
    metadata = frame.to_native().schema.metadata or {}
    index = index_columns(metadata.get(METADATA_KEY.encode())) - set(asked)
    return [column for column in columns if column.name not in index]


def index_columns(metadata: str | bytes | None) -> frozenset[str]:
    """Name the columns that pandas has stored as an index, by the metadata under `METADATA_KEY`.

    Arrow and Parquet keep the index among the columns; pandas restores it, and so it must not
    become a feature if another library reads the data. Metadata that pandas did not write names
    none.

    Examples
    --------
    >>> sorted(index_columns('{"index_columns": ["id", {"kind": "range"}]}'))
    ['id']
    >>> index_columns(None)
    frozenset()
    """
    try:
        listed = json.loads(metadata)["index_columns"] if metadata else []
    except (ValueError, TypeError, KeyError, RecursionError):
        return frozenset()
    # An index that only counts is described by a mapping and takes no column.
    listed = listed if isinstance(listed, list) else []
    return frozenset(name for name in listed if isinstance(name, str))


def _collect(lazy: nw.LazyFrame[Any], X: Any) -> nw.DataFrame[Any]:
    """Read the rows of a lazy frame of polars or a relation of DuckDB."""
    if lazy.implementation.is_polars():
        return lazy.collect()
    if lazy.implementation.is_duckdb():
        return lazy.collect("pyarrow")
    raise TypeError(
        f"X is a lazy frame ({type(X).__name__}), which has no rows yet. Call .compute() or "
        ".collect() first and pass the result."
    )


def _open_mapping(columns: Mapping[Any, Any]) -> OpenTable:
    names, generated = read_names(list(columns))
    opened = [open_vector(data, f"column {name!r}") for name, data in columns.items()]
    return OpenTable(names, generated, opened, check_lengths(names, opened))


def check_lengths(names: Sequence[str], columns: Sequence[Any]) -> int:
    """Give the length that all columns have."""
    lengths = list(map(len, columns))
    if len(set(lengths)) > 1:
        pairs = dict(zip(names, lengths, strict=True))
        shown = ", ".join(f"{name!r}: {n}" for name, n in list(pairs.items())[:10])
        raise ValueError(f"The columns of X differ in length ({shown}); make them equally long.")
    return lengths[0] if lengths else 0


def series_of(data: Any) -> nw.Series[Any]:
    """Wrap a series of any library."""
    return nw.from_native(data, series_only=True)


def take_rows(column: ColumnData, rows: NDArray[np.bool_]) -> ColumnData:
    """Keep the rows of a column that a mask selects."""
    if isinstance(column, nw.Series):
        native = column.to_native()
        if hasattr(native, "combine_chunks"):
            column = series_of(without_views(native))
        return column.filter(rows.tolist())
    if isinstance(column, np.ndarray):
        return column[rows]
    return [column[row] for row in np.flatnonzero(rows).tolist()]


def without_views(column: Any) -> Any:
    """Turn a string view of pyarrow, of which it cannot select rows, into a string."""
    return column.cast("string") if str(column.type) == "string_view" else column


def open_vector(data: Any, what: str) -> ColumnData:
    """Open one column given as a series, an array or a sequence; `what` names it in errors."""
    native = nw.from_native(data, series_only=True, pass_through=True)
    if isinstance(native, nw.Series):
        return native
    if isinstance(data, list | tuple | range):
        return data
    if hasattr(data, "to_pylist"):  # arrow's plain array, which narwhals does not support
        return list(data.to_pylist())
    is_iterator = isinstance(data, Iterable) and not hasattr(data, "__array__")
    if isinstance(data, str | bytes | Mapping) or is_iterator:
        raise TypeError(f"{what} is a {type(data).__name__}; pass a list, an array or a series.")
    array = _fill_masked(data) if isinstance(data, np.ma.MaskedArray) else np.asarray(data)
    if array.ndim != 1:
        raise ValueError(
            f"{what} has {array.ndim} dimensions (shape={array.shape}); it must have one."
        )
    return array


def _fill_masked(array: np.ma.MaskedArray[Any, Any]) -> NDArray[Any]:
    # Masked means missing; plain conversion would use the values below the mask.
    numeric = array.dtype.kind in "iuf"
    filled: NDArray[Any] = array.data.astype(np.float64 if numeric else object)
    filled[np.ma.getmaskarray(array)] = np.nan if numeric else None
    return filled


def _open_array(X: Any) -> OpenTable:
    if isinstance(X, np.ma.MaskedArray):
        array = _fill_masked(X)
    elif isinstance(X, list | tuple):
        # As objects: numpy would turn the numbers of a mixed list into text.
        array = rows_to_array(X)
    else:
        array = np.asarray(X)
    if array.ndim == 1 and array.dtype.names:  # a structured array has named columns
        return _open_mapping({name: array[name] for name in array.dtype.names})
    if array.ndim == 0:
        raise ValueError(
            f"Expected 2D array, got scalar array instead:\narray={array}.\n{_ACCEPTED}"
        )
    if array.ndim == 1:
        raise ValueError(
            f"Expected 2D array, got 1D array instead:\narray={array}.\nReshape your data either "
            "using array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) "
            "if it contains a single sample."
        )
    if array.ndim > 2:
        raise ValueError(
            f"Found array with dim {array.ndim}, while dim <= 2 is required. {_ACCEPTED}"
        )
    n_rows, n_columns = array.shape
    names, generated = read_names(range(n_columns))
    if array.dtype.kind in "iuf":  # at once: half the time of one column after the other
        columns = list(np.ascontiguousarray(array.T))
    else:
        columns = [array[:, j] for j in range(n_columns)]
    return OpenTable(names, generated, columns, n_rows)


def rows_to_array(rows: Sequence[Any]) -> NDArray[Any]:
    """Make an array of objects from a list of rows."""
    if rows and isinstance(rows[0], Mapping):
        raise TypeError(
            "X is a list of dicts. Pass a table made of it instead, e.g. pandas.DataFrame(X)."
        )
    lengths = {len(row) for row in rows if isinstance(row, list | tuple)}
    if len(lengths) > 1:
        raise ValueError(
            f"The rows of X have different lengths ({errors.few(sorted(lengths))}); make them "
            "equally long and mark missing values as None."
        )
    return np.array(rows, dtype=object)
