"""One column of any library, as numbers or as distinct labels and the position of each row's label.

The codes of a frame's own categories are not kept: they only say which rows share a label. Rules
for labels, so that the same table gives the same labels in every library:

* A label is text, a boolean, or a finite real number. Numbers are spelled canonically: ``2.0``,
  ``Decimal(2)`` and ``numpy.int8(2)`` are all the label ``2``.
* Labels equal in Python are one label. Text and numbers are never equal: ``1`` and ``"1"`` are
  two labels. Booleans beside numbers in one column are read as ``1`` and ``0``.
* Numbers (and booleans) come first, by size, then text by code point: no locale, no frame order.
* ``None``, NaN, ``pandas.NA`` and ``NaT`` are missing values, not labels.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from numbers import Real
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from mixedwood.data import errors
from mixedwood.data.schema import ColumnKind, Label, NumberArray

__all__ = [
    "Cells",
    "Factors",
    "OpenColumn",
    "clean_cells",
    "declared_kind",
    "declared_order",
    "factorize",
    "is_cell_type",
    "open_column",
    "series_to_numpy",
    "to_label",
    "to_numbers",
]

# By name, because pandas need not be installed.
_MISSING_TYPES = frozenset({"NoneType", "NAType", "NaTType"})


def to_label(value: Any, name: str) -> Label:
    """Spell one value canonically; `name` is the column's, for the error.

    Examples
    --------
    >>> to_label(2.0, "size"), to_label(np.bool_(True), "size"), to_label(np.str_("a"), "size")
    (2, True, 'a')
    """
    if isinstance(value, str):
        return str.__str__(value)  # also of subclasses such as members of a text enumeration
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if not is_number_type(type(value)):
        raise errors.unsupported_value(name, value)
    try:
        integer = int(value)
    except OverflowError:  # infinity, for which the caller raises an error
        return float(value)
    return integer if value == integer else float(value)


def is_number_type(kind: type) -> bool:
    """Whether values of a type are real numbers; booleans are not counted as such."""
    # numpy registers its scalars with `numbers`; its booleans are apart from them.
    return issubclass(kind, Real | Decimal) and not issubclass(kind, bool)


def is_cell_type(kind: type) -> bool:
    """Whether values of a type can be cells of a table, missing ones included."""
    known = issubclass(kind, str | bool | np.bool_) or is_number_type(kind)
    return known or kind.__name__ in _MISSING_TYPES


@dataclass(frozen=True)
class Cells:
    """A column of Python objects, cleaned: ``None`` is the only missing value left.

    Attributes
    ----------
    values : list
        One value per row; every other value is text, a boolean or a real number.
    types : frozenset of type
        Types of the values that are not missing.
    """

    values: list[Any]
    types: frozenset[type]

    @property
    def is_numeric(self) -> bool:
        """Whether there is a value, and all values are real numbers."""
        return bool(self.types) and all(is_number_type(kind) for kind in self.types)


def clean_cells(values: Iterable[Any], name: str) -> Cells:
    """Check the types of objects and make all missing ones ``None``.

    Works on the few distinct types, not on the many values, to be fast on long columns.

    Examples
    --------
    >>> clean_cells(["a", float("nan"), 1], "size").values
    ['a', None, 1]
    """
    values = list(values)
    types = set(map(type, values))
    absent = {kind for kind in types if kind.__name__ in _MISSING_TYPES}
    present = types - absent
    for kind in sorted(present, key=lambda kind: kind.__name__):
        if not is_cell_type(kind):
            row = next(i for i, value in enumerate(values) if type(value) is kind)
            raise errors.unsupported_value(name, values[row], row)
    if absent - {type(None)}:
        values = [None if type(value) in absent else value for value in values]
    if not all(issubclass(kind, str | int) for kind in present):
        # Some type can be NaN, the one value that differs from itself.
        values = [None if value != value else value for value in values]
        present = set(map(type, values)) - {type(None)}
    return Cells(values, frozenset(present))


OpenColumn: TypeAlias = "nw.Series[Any] | NDArray[Any] | Cells"
"""A narwhals series of a supported type, a numpy array of booleans or numbers, or objects."""

_CATEGORIES = (nw.String, nw.Boolean, nw.Categorical, nw.Enum)
_ARROW_HOLDS = (*_CATEGORIES, nw.Int8, nw.Int16, nw.Int32, nw.Int64,
                nw.UInt8, nw.UInt16, nw.UInt32, nw.UInt64)  # fmt: skip
_NUMPY_LACKS = (nw.Decimal, nw.Int128, nw.UInt128)

# Below this many rows a plain loop is as fast, and not worth importing pyarrow.
_ARROW_FROM_ROWS = 10_000


def open_column(name: str, data: nw.Series[Any] | NDArray[Any] | Sequence[Any]) -> OpenColumn:
    """Check the type of a column, and clean objects."""
    if isinstance(data, nw.Series):
        dtype = data.dtype
        if dtype == nw.Object or _has_objects(data):
            return clean_cells(data.to_list(), name)
        if dtype == nw.Unknown:
            if data.is_null().all():  # also the null type of polars and arrow
                return Cells([None] * len(data), frozenset())
            # Types that narwhals does not support, such as pandas' sparse numbers.
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


def _has_objects(series: nw.Series[Any]) -> bool:
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
    """Labels that occur in a column, and the label of each row.

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
        """First row with the label at a place."""
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
    """Find the labels of a column and the position of each row's label among them."""
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
    # True and 1 are one key, spelled as in the first row. Beside numbers, booleans are
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
    # Three to ten times as fast as a loop over Python objects. None: pyarrow is not installed,
    # or cannot hold the values (a pandas categorical may mix text and numbers).
    if "pyarrow" not in sys.modules and len(series) < _ARROW_FROM_ROWS:
        return None
    try:
        import pyarrow as pa
    except ImportError:
        return None
    try:
        # Chunks are encoded one by one: text of more than 2 GB cannot be joined.
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
    # Categories that do not occur are not labels, and may even have an unsupported type.
    if not occurs[:-1].all():
        values = [value if used else None for value, used in zip(values, occurs, strict=False)]
    values = [None if value != value else value for value in values]  # NaN as a category
    return Factors(_to_labels(values, name), places)


def series_to_numpy(series: nw.Series[Any]) -> NDArray[Any]:
    """Numbers or booleans of a series as a numpy array, without a copy if possible."""
    if series.dtype in _NUMPY_LACKS:
        series = series.cast(nw.Float64)
    return series.to_numpy()


def to_numbers(name: str, column: OpenColumn) -> NumberArray:
    """Read a column as float64 with NaN for missing; without a copy if it is that already.

    Text is parsed, so that numbers given as text or categories are read too.
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
            with np.errstate(over="ignore"):  # a long double may overflow: an error below
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
