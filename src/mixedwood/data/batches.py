"""Columns of the usual containers, read in batches by type: one native call for each type.

What is not plain is left out, and read column by column (`mixedwood.data.columns`), which also
reports what is wrong: nothing here raises an error. Both ways give the same table.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood.data.frames import (
    METADATA_KEY,
    ColumnData,
    check_lengths,
    index_columns,
    open_vector,
    read_names,
    rows_to_array,
    series_of,
    take_rows,
    without_views,
)

__all__ = [
    "BY_TYPE",
    "CATEGORIES",
    "NOTHING",
    "RawTable",
    "missing_objects",
    "raw_table",
    "raw_vector",
]

# What is wanted of a column: what its type says, categories whatever its type, or nothing. Known
# columns want `NUMBERS` or a tuple; see `Column.wanted`.
BY_TYPE, CATEGORIES, NOTHING = 0, 1, 3


@dataclass(frozen=True)
class _Categories:
    """Codes of labels, such as a categorical of pandas."""

    codes: NDArray[Any]
    labels: list[Any]
    ordered: bool


@dataclass(frozen=True)
class _Masked:
    """Booleans or numbers, and which of them are missing."""

    data: NDArray[Any]
    missing: NDArray[np.bool_]


@dataclass(frozen=True)
class _Arrow:
    """A column with Arrow's C stream."""

    source: Any
    order: tuple[str, ...] | None = None


@dataclass(frozen=True)
class RawTable:
    """Names and raw columns of a table, without a look at its cells.

    Attributes
    ----------
    names : tuple of str
        Distinct names of the columns.
    names_generated : bool
        Whether the container had no names, so that they were generated.
    n_rows : int
        Length of each column.
    columns : list
        An array, a list of objects, one of the classes above, or None if only the generic way can
        read the column.
    stream : object or None
        Holds all columns as one Arrow stream.
    open : callable
        Opens a column, by position, for the generic way.
    """

    names: tuple[str, ...]
    names_generated: bool
    n_rows: int
    columns: list[Any]
    stream: Any
    open: Callable[[int], ColumnData]

    def declared_order(self, place: int) -> tuple[Any, ...] | None:
        """Give the order of an ordinal column that its type declares, if it is a plain one."""
        column = self.columns[place]
        if isinstance(column, _Categories) and column.ordered:
            return tuple(column.labels)
        return column.order if isinstance(column, _Arrow) else None

    def take(self, rows: NDArray[np.bool_]) -> RawTable:
        """Keep the rows that a mask selects."""
        if len(rows) != self.n_rows:
            raise ValueError(f"The mask has {len(rows)} entries, but X has {self.n_rows} rows.")
        return replace(
            self,
            n_rows=int(np.count_nonzero(rows)),
            columns=[_taken(column, rows) for column in self.columns],
            stream=None if self.stream is None else _filtered(self.stream, rows),
            open=lambda place: take_rows(self.open(place), rows),
        )

    def read(self, wanted: list[Any]) -> list[Any]:
        """Read all columns; what is wanted of each is one of the values above.

        Returns
        -------
        list of tuple or None
            Array, categories (None for numbers) and number of missing values of a column that is
            learned; array and unknown labels (None for none) of a known one. None: the column is
            left out.
        """
        found: list[Any] = [None] * len(self.columns)
        if self.stream is not None:
            return _read_stream(self.stream, wanted)
        arrays, masks, codes, labels, objects = [], [], [], [], []
        streams: list[Any] = []
        places: tuple[list[int], ...] = ([], [], [], [])
        for place, column in enumerate(self.columns):
            if column is None or wanted[place] is NOTHING:
                continue
            kind = type(column)
            if kind is np.ndarray or kind is _Masked:
                places[0].append(place)
                arrays.append(column.data if kind is _Masked else column)
                masks.append(column.missing if kind is _Masked else None)
            elif kind is _Categories:
                if column.ordered and wanted[place] is BY_TYPE:
                    continue
                places[1].append(place)
                codes.append(column.codes)
                labels.append(column.labels)
            elif kind is _Arrow:
                places[2].append(place)
                streams.append(column.source)
            else:
                places[3].append(place)
                objects.append(column)
        wishes = [[wanted[place] for place in group] for group in places]
        read: list[list[Any]] = [[], [], [], []]
        if arrays:
            read[0] = _core.read_arrays(arrays, masks, wishes[0])
        if codes:
            read[1] = _core.read_dictionaries(codes, labels, wishes[1])
        if streams:
            read[2] = _read_streams(streams, wishes[2])
        if objects:
            read[3] = _core.read_objects(objects, wishes[3], missing_objects())
        for group, results in zip(places, read, strict=True):
            for place, result in zip(group, results, strict=True):
                found[place] = result
        return found


def _taken(column: Any, rows: NDArray[np.bool_]) -> Any:
    kind = type(column)
    if column is None or (kind is _Arrow and column.source is None):
        return column
    if kind is np.ndarray:
        return column[rows]
    if kind is _Masked:
        return _Masked(column.data[rows], column.missing[rows])
    if kind is _Categories:
        return replace(column, codes=column.codes[rows])
    if kind is _Arrow:
        return replace(column, source=_filtered(column.source, rows))
    return list(compress(column, rows.tolist()))


def _filtered(source: Any, rows: NDArray[np.bool_]) -> Any:
    """Rows of a frame or a column of polars or pyarrow."""
    arrow = sys.modules.get("pyarrow")
    if arrow is not None and isinstance(source, arrow.Table):
        columns = [without_views(column) for column in source.columns]
        return arrow.table(columns, source.column_names).filter(arrow.array(rows))
    if arrow is not None and isinstance(source, arrow.ChunkedArray):
        return without_views(source).filter(arrow.array(rows))
    return source.filter(rows)


def missing_objects() -> tuple[Any, ...]:
    """Give the objects that stand for missing values, besides None and NaN."""
    pandas = sys.modules.get("pandas")
    absent = (getattr(pandas, "NA", None), getattr(pandas, "NaT", None))
    return tuple(value for value in absent if value is not None)


def _read_stream(source: Any, wanted: list[Any]) -> list[Any]:
    return _core.read_arrow(source.__arrow_c_stream__(), wanted)


def _read_streams(sources: list[Any], wanted: list[Any]) -> list[Any]:
    arrow = sys.modules.get("pyarrow")
    if (
        len(sources) > 1
        and arrow is not None
        and all(type(s) is arrow.ChunkedArray for s in sources)
    ):
        # As one table: one call, whatever the chunks of each column.
        names = [str(i) for i in range(len(sources))]
        return _read_stream(sys.modules["pyarrow"].Table.from_arrays(sources, names), wanted)
    return [_read_stream(source, [wish])[0] for source, wish in zip(sources, wanted, strict=True)]


def raw_table(X: Any, asked: Collection[str] = ()) -> RawTable | None:
    """Take the columns out of a usual container; None for containers that are not.

    The errors of a table without rows or columns, or with bad names, are left to `open_table`.
    """
    kind = type(X)
    if kind is dict:
        return _raw_mapping(X)
    if kind is np.ndarray:
        return _raw_array(X)
    if kind is list or kind is tuple:
        return _raw_array(rows_to_array(X))
    library = kind.__module__.partition(".")[0]
    module = sys.modules.get(library)
    if library == "pandas" and kind is getattr(module, "DataFrame", None):
        return _raw_pandas(X)
    if library == "polars" and kind is getattr(module, "DataFrame", None):
        return _raw_polars(X, module)
    if library == "pyarrow" and kind in (
        getattr(module, "Table", None),
        getattr(module, "RecordBatch", None),
    ):
        return _raw_arrow(X, asked)
    return None


def raw_vector(data: Any) -> RawTable | None:
    """Take one column of a usual type; None for others."""
    column, _ = _raw_column(data)
    if column is None or len(data) == 0:
        return None
    return RawTable(("y",), False, len(data), [column], None, lambda _: open_vector(data, "y"))


def _named(names: Sequence[Any]) -> tuple[tuple[str, ...], bool] | None:
    if len(set(names)) < len(names):
        return None
    textual = set(map(type, names)) == {str}
    return (tuple(names), False) if textual else read_names(names)


def _raw_pandas(X: Any) -> RawTable | None:
    if X.columns.nlevels > 1 or 0 in X.shape:
        return None
    named = _named(X.columns.tolist())
    if named is None:
        return None
    # Without a series for each column, where pandas offers it.
    each = getattr(X, "_iter_column_arrays", None)
    arrays = each() if each is not None else (_pandas_values(series) for _, series in X.items())
    columns = [_of_values(values) for values in arrays]
    return RawTable(*named, len(X), columns, None, lambda place: series_of(X.iloc[:, place]))


def _pandas_values(series: Any) -> Any:
    return series.to_numpy() if isinstance(series.dtype, np.dtype) else series.array


def _raw_polars(X: Any, polars: Any) -> RawTable | None:
    types = X.dtypes
    if polars.Object in types or 0 in X.shape:
        return None
    columns = [
        _Arrow(None, tuple(dtype.categories) if type(dtype) is polars.Enum else None)
        for dtype in types
    ]
    return RawTable(
        tuple(X.columns), False, X.height, columns, X, lambda place: series_of(X.to_series(place))
    )


def _raw_arrow(X: Any, asked: Collection[str]) -> RawTable | None:
    metadata = X.schema.metadata or {}
    if index_columns(metadata.get(METADATA_KEY.encode())) - set(asked) or 0 in X.shape:
        return None
    named = _named(X.schema.names)
    if named is None:
        return None
    columns = [_Arrow(None)] * X.num_columns
    chunked = sys.modules["pyarrow"].chunked_array

    def open_place(place: int) -> ColumnData:
        column = X.column(place)
        return series_of(column if hasattr(column, "chunks") else chunked([column]))

    # The stream of a record batch would be that of a single array.
    stream = X if hasattr(X, "to_batches") else sys.modules["pyarrow"].Table.from_batches([X])
    return RawTable(*named, X.num_rows, columns, stream, open_place)


def _raw_array(array: NDArray[Any]) -> RawTable | None:
    kind = array.dtype.kind
    if array.ndim != 2 or 0 in array.shape or kind not in "biufOU":
        return None
    if kind == "O":
        columns: list[Any] = array.T.tolist()
    elif kind == "U":
        columns = [_of_text(column) for column in array.T]
    else:  # at once: half the time of one column after the other
        columns = list(np.ascontiguousarray(array.T))
        columns = columns if _is_plain(columns[0]) else [None] * len(columns)
    names, generated = read_names(range(array.shape[1]))
    return RawTable(names, generated, len(array), columns, None, lambda place: array[:, place])


def _raw_mapping(X: dict[Any, Any]) -> RawTable | None:
    if not X:
        return None
    names, generated = read_names(list(X))
    columns, sources = [], []
    for name, data in X.items():
        column, source = _raw_column(data)
        columns.append(column)
        sources.append(open_vector(data, f"column {name!r}") if source is None else source)
    n_rows = check_lengths(names, sources)
    if n_rows == 0:
        return None
    values = sources
    return RawTable(
        names, generated, n_rows, columns, None, lambda place: open_vector(values[place], "")
    )


def _raw_column(data: Any) -> tuple[Any, Any]:
    """Take one column, and what can be opened for the generic way; None for other types."""
    kind = type(data)
    if kind is list or kind is tuple:
        return data, data
    if kind is np.ndarray and data.ndim == 1:
        return _of_values(data), data
    library = kind.__module__.partition(".")[0]
    module = sys.modules.get(library)
    if library == "pandas" and kind is getattr(module, "Series", None):
        return _of_values(_pandas_values(data)), data
    if library == "polars" and kind is getattr(module, "Series", None):
        return _of_polars(data, module), data
    if library == "pyarrow" and kind is getattr(module, "ChunkedArray", None):
        return _Arrow(data), data
    return None, None


def _of_polars(series: Any, polars: Any) -> _Arrow | None:
    dtype = series.dtype
    if dtype == polars.Object:
        return None
    return _Arrow(series, tuple(dtype.categories) if type(dtype) is polars.Enum else None)


def _of_text(values: NDArray[Any]) -> _Categories:
    """Number the texts of an array by their bytes, without an object for each row."""
    cells = np.ascontiguousarray(values)
    width = cells.dtype.itemsize
    places, first = _core.read_distinct(cells.view(np.uint8).reshape(len(cells), width))
    return _Categories(places, cells[first].tolist(), ordered=False)


def _is_plain(array: NDArray[Any]) -> bool:
    dtype = array.dtype
    return (dtype.kind in "biu" or (dtype.kind == "f" and dtype.itemsize in (4, 8))) and (
        dtype.isnative and array.flags.aligned and array.strides[0] % dtype.itemsize == 0
    )


def _of_values(values: Any) -> Any:
    """Classify an array of numpy or an extension array of pandas."""
    if type(values) is np.ndarray:
        if values.dtype.kind == "O":
            return values.tolist()
        if values.dtype.kind == "U":
            return _of_text(values)
        return values if _is_plain(values) else None
    name = type(values).__name__
    if name == "Categorical":
        return _Categories(values.codes, values.categories.tolist(), values.ordered)
    if name in ("BooleanArray", "IntegerArray", "FloatingArray"):
        data, missing = getattr(values, "_data", None), getattr(values, "_mask", None)
        if type(data) is not np.ndarray or type(missing) is not np.ndarray or not _is_plain(data):
            return None
        return _Masked(data, np.ascontiguousarray(missing))
    if name in ("ArrowStringArray", "ArrowExtensionArray"):
        column = values.__arrow_array__()
        return _Arrow(column) if hasattr(column, "chunks") else None
    if getattr(values.dtype, "storage", None) == "python":  # text as objects
        return values.tolist()
    return None
