"""One column of any library, seen as numbers or as distinct labels and their places.

The frame's own codes are never kept: where a library holds a dictionary of categories, its codes
only say which rows share a label, and the labels are mapped by the caller.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from mixedwood.data import errors
from mixedwood.data.labels import Cells, Label, clean_cells, is_number_type, to_label
from mixedwood.data.schema import ColumnKind
from mixedwood.data.table import NumberArray

__all__ = [
    "Factors",
    "OpenColumn",
    "declared_kind",
    "declared_order",
    "factorize",
    "open_column",
    "series_to_numpy",
    "to_numbers",
]

OpenColumn: TypeAlias = "nw.Series[Any] | NDArray[Any] | Cells"
"""A narwhals series of a supported type, a numpy array of booleans or numbers, or objects."""

_CATEGORIES = (nw.String, nw.Boolean, nw.Categorical, nw.Enum)
_ARROW_HOLDS = (*_CATEGORIES, nw.Int8, nw.Int16, nw.Int32, nw.Int64,
                nw.UInt8, nw.UInt16, nw.UInt32, nw.UInt64)  # fmt: skip
_NUMPY_LACKS = (nw.Decimal, nw.Int128, nw.UInt128)

# Below this many rows a plain loop is as quick, and not worth importing pyarrow for.
_ARROW_FROM_ROWS = 10_000


def open_column(name: str, data: nw.Series[Any] | NDArray[Any] | Sequence[Any]) -> OpenColumn:
    """Refuse what cannot be read, and bring objects into one form."""
    if isinstance(data, nw.Series):
        dtype = data.dtype
        if dtype == nw.Object or _holds_objects(data):
            return clean_cells(data.to_list(), name)
        if dtype == nw.Unknown:
            if data.is_null().all():  # also the null type of polars and arrow
                return Cells([None] * len(data), frozenset())
            # Types narwhals has no word for, such as pandas' sparse numbers, are seen as numpy's.
            return open_column(name, data.to_numpy())
        if not (dtype.is_numeric() or dtype in _CATEGORIES):
            raise errors.unsupported_dtype(name, dtype)
        return data
    if not isinstance(data, np.ndarray):
        return clean_cells(data, name)
    if data.dtype.kind in "biuf":
        return data
    if data.dtype.kind in "OUT":  # objects and both kinds of text
        return clean_cells(data.tolist(), name)
    if data.dtype.kind == "c":
        raise errors.complex_column(name)
    dtype_name = "bytes" if data.dtype.kind == "S" else data.dtype
    raise errors.unsupported_dtype(name, dtype_name)


def _holds_objects(series: nw.Series[Any]) -> bool:
    # narwhals calls objects of pandas text if the first hundred of them are.
    dtype = getattr(series.to_native(), "dtype", None)
    return isinstance(dtype, np.dtype) and dtype.kind == "O"


def declared_kind(column: OpenColumn) -> ColumnKind:
    """Read the kind of a column off its type."""
    if isinstance(column, Cells):
        return ColumnKind.NUMERIC if column.is_numeric else ColumnKind.NOMINAL
    if isinstance(column, np.ndarray):
        return ColumnKind.NOMINAL if column.dtype.kind == "b" else ColumnKind.NUMERIC
    dtype = column.dtype
    if dtype.is_numeric():
        return ColumnKind.NUMERIC
    if isinstance(dtype, nw.Enum):  # also what narwhals calls an ordered categorical of pandas
        return ColumnKind.ORDINAL
    if _is_arrow_dictionary(column) and column.to_native().type.ordered:
        return ColumnKind.ORDINAL
    return ColumnKind.NOMINAL


def declared_order(name: str, column: OpenColumn) -> tuple[Any, ...]:
    """Read the order of an ordinal column off its type."""
    assert isinstance(column, nw.Series)
    if isinstance(column.dtype, nw.Enum):
        return tuple(column.dtype.categories)
    orders: list[list[Any]] = []
    for chunk in column.to_native().chunks:
        known = [value for value in chunk.dictionary.to_pylist() if value is not None]
        if known and known not in orders:
            orders.append(list(dict.fromkeys(known)))
    return _one_order(name, orders)


def _one_order(name: str, orders: list[list[Any]]) -> tuple[Any, ...]:
    """Join orders of some of the labels into one of all, if only one agrees with each of them."""
    if len(orders) < 2:
        return tuple(orders[0]) if orders else ()
    sorter: TopologicalSorter[Any] = TopologicalSorter()
    for order in orders:
        for first, second in pairwise([order[0], *order]):
            sorter.add(second, *([first] if first is not second else []))
    joined: list[Any] = []
    try:
        sorter.prepare()
    except CycleError:
        raise errors.differing_orders(name, orders) from None
    while sorter.is_active():
        ready = sorter.get_ready()
        if len(ready) > 1:
            raise errors.differing_orders(name, orders)
        joined += ready
        sorter.done(*ready)
    return tuple(joined)


def _is_arrow_dictionary(column: nw.Series[Any]) -> bool:
    return column.dtype == nw.Categorical and column.implementation.is_pyarrow()


@dataclass(frozen=True)
class Factors:
    """Labels that occur in a column, and which of them each row holds.

    Attributes
    ----------
    labels : list
        Labels in any order, one or more times; None stands for a missing value.
    places : ndarray of int
        For each row a place in `labels`, or -1 for a missing value.
    """

    labels: list[Label | None]
    places: NDArray[np.signedinteger[Any]]

    def first_row(self, place: int) -> int:
        """First row that holds the label at a place."""
        return int(np.argmax(self.places == place))

    @property
    def absent(self) -> NDArray[np.bool_]:
        """Whether each row's value is missing."""
        return self.spread([label is None for label in self.labels], True, np.bool_)

    def spread(self, images: list[Any], missing: Any, dtype: Any) -> NDArray[Any]:
        """Give each row the image of its label; `images` has one for each of `labels`."""
        table: NDArray[Any] = np.array([*images, missing], dtype=dtype)
        return np.take(table, self.places)  # -1 reads the last


def factorize(name: str, column: OpenColumn) -> Factors:
    """Find the labels of a column and the place of each row's label among them."""
    if isinstance(column, nw.Series):
        if column.dtype in _ARROW_HOLDS:
            factors = _factorize_by_arrow(name, column)
        elif column.dtype.is_float() or column.dtype == nw.Decimal:
            factors = _factorize_array(series_to_numpy(column))
        else:
            factors = None
        if factors is None:
            factors = _factorize_cells(name, clean_cells(column.to_list(), name))
    elif isinstance(column, np.ndarray):
        factors = _factorize_array(column)
    else:
        factors = _factorize_cells(name, column)
    for place, label in enumerate(factors.labels):
        if type(label) is float and math.isinf(label):
            raise errors.infinite(name, factors.first_row(place))
    return factors


def _factorize_cells(name: str, cells: Cells) -> Factors:
    places_of: dict[Any, int] = {None: 0}
    places = np.fromiter(
        (places_of.setdefault(value, len(places_of)) for value in cells.values),
        dtype=np.int64,
        count=len(cells.values),
    )
    # True and 1 are one key, spelled as in the row that came first. Beside numbers, booleans are
    # therefore always written as numbers: labels must not depend on the order of rows.
    labels = _to_labels(places_of, name)
    if any(is_number_type(kind) for kind in cells.types):
        labels = [int(label) if isinstance(label, bool) else label for label in labels]
    return Factors(labels, places)


def _to_labels(values: Iterable[Any], name: str) -> list[Label | None]:
    # Text is taken as it is, without a call per label: there may be a million of them.
    return [
        value if type(value) is str or value is None else to_label(value, name) for value in values
    ]


def _factorize_array(array: NDArray[Any]) -> Factors:
    absent = np.isnan(array)
    distinct, inverse = np.unique(array[~absent], return_inverse=True)
    places = np.full(len(array), -1, dtype=np.int64)
    places[~absent] = inverse
    return Factors([to_label(value, "") for value in distinct.tolist()], places)


def _factorize_by_arrow(name: str, series: nw.Series[Any]) -> Factors | None:
    # Three to ten times as quick as a loop over Python objects. None: pyarrow is not installed,
    # or cannot hold the values (a pandas categorical may mix text and numbers).
    if "pyarrow" not in sys.modules and len(series) < _ARROW_FROM_ROWS:
        return None
    try:
        import pyarrow as pa
    except ImportError:
        return None
    try:
        # What comes in chunks is not joined before it is encoded: text of more than 2 GB cannot be.
        native = series.to_native()
        array = native if isinstance(native, pa.ChunkedArray) else series.to_arrow()
        if not pa.types.is_dictionary(array.type):
            array = array.dictionary_encode()
    except (pa.ArrowException, UnicodeEncodeError):  # the latter: a lone surrogate
        return None
    chunks = array.chunks if isinstance(array, pa.ChunkedArray) else [array]
    # Each chunk may have a dictionary of its own; one that was met just before is not read again.
    values: list[Any] = []
    places = np.empty(len(array), dtype=np.int64)
    last, first_place, first_row = None, 0, 0
    for chunk in chunks:
        if last is None or not chunk.dictionary.equals(last):
            last, first_place = chunk.dictionary, len(values)
            values += last.to_pylist()
        # Codes of a small unsigned type have no room for -1.
        codes = chunk.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
        here = places[first_row : first_row + len(chunk)]
        np.add(codes, first_place, out=here)
        here[codes < 0] = -1
        first_row += len(chunk)
    occurs = np.zeros(len(values) + 1, dtype=np.bool_)
    occurs[places] = True
    # Categories that no row holds are not labels, and may even be of a type that is refused.
    if not occurs[:-1].all():
        values = [value if used else None for value, used in zip(values, occurs, strict=False)]
    values = [None if value != value else value for value in values]  # NaN as a category
    return Factors(_to_labels(values, name), places)


def series_to_numpy(series: nw.Series[Any]) -> NDArray[Any]:
    """Numbers or booleans of a series as numpy holds them, borrowed where possible."""
    if series.dtype in _NUMPY_LACKS:
        series = series.cast(nw.Float64)
    return series.to_numpy()


def to_numbers(name: str, column: OpenColumn) -> NumberArray:
    """Read a column as float64 with NaN for missing; borrowed where it is that already.

    Text is parsed, so that numbers which come as text or categories are read too.
    """
    if declared_kind(column) != ColumnKind.NUMERIC:
        return _parse_numbers(name, factorize(name, column))
    if isinstance(column, Cells):
        # float() of a Python integer beyond the largest double raises instead of rounding.
        numbers = np.array([_to_float(value) for value in column.values], dtype=np.float64)
    else:
        raw = series_to_numpy(column) if isinstance(column, nw.Series) else column
        if raw.dtype == np.float64:
            numbers = np.ascontiguousarray(raw)
        else:
            with np.errstate(over="ignore"):  # a long double may overflow: refused below
                numbers = np.ascontiguousarray(raw, dtype=np.float64)
    infinite = np.isinf(numbers)
    if infinite.any():
        raise errors.infinite(name, int(np.argmax(infinite)))
    return numbers


def _to_float(value: Any) -> float:
    try:
        return math.nan if value is None else float(value)
    except OverflowError:
        return math.inf


def _parse_numbers(name: str, factors: Factors) -> NumberArray:
    numbers = []
    for place, label in enumerate(factors.labels):
        try:
            number = math.nan if label is None else float(label)
        except (ValueError, OverflowError):
            number = math.inf
        if label is not None and not math.isfinite(number):
            raise errors.not_a_number(name, label, factors.first_row(place))
        numbers.append(number)
    return factors.spread(numbers, math.nan, np.float64)
