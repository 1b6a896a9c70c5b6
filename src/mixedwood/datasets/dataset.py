"""`Dataset`, and `RawTable`, the common format of all sources of datasets.

In a `RawTable`, numeric columns are float64 with NaN for missing values. Categorical columns are
int32 codes into a tuple of labels, with -1 for missing values.
"""

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from mixedwood.data.schema import Schema


class DatasetError(Exception):
    """A dataset could not be loaded."""


class DatasetNotFoundError(DatasetError, LookupError):
    """No source has a dataset of this name, or OpenML could not be reached."""


class DamagedDatasetError(DatasetError, ValueError):
    """A stored or downloaded dataset does not match its description."""


Kind = Literal["nominal", "ordinal", "numeric"]
KINDS: tuple[Kind, ...] = ("nominal", "ordinal", "numeric")


@dataclass(frozen=True)
class DatasetColumn:
    """Name and type of a column, as declared by its source.

    Attributes
    ----------
    name : str
    kind : {"nominal", "ordinal", "numeric"}
    categories : tuple of str
        For an ordinal column all categories, lowest first; for a nominal column those that occur,
        sorted as text; empty for a numeric column.
    natural_order : tuple of str or None
        The categories in their natural order, lowest first, if they have one. A nominal column
        can have one too.
    """

    name: str
    kind: Kind
    categories: tuple[str, ...] = ()
    natural_order: tuple[str, ...] | None = None


@dataclass(frozen=True, eq=False)
class RawTable:
    """Columns with their data, and the class or number of each row.

    `data[j]` is float64 for a numeric column, else int32 codes into `columns[j].categories`.
    The class is never missing. With `numbers` to predict there are no classes, and `target` is 0.
    """

    columns: tuple[DatasetColumn, ...]
    data: tuple[NDArray[Any], ...]
    classes: tuple[str, ...]
    target: NDArray[np.int32]
    numbers: NDArray[np.float64] | None = None

    @property
    def n_rows(self) -> int:
        return len(self.target)

    def map(self, function: Callable[[DatasetColumn, NDArray[Any]], Any]) -> dict[str, Any]:
        """Apply a function to each column and its data."""
        pairs = zip(self.columns, self.data, strict=True)
        return {column.name: function(column, cells) for column, cells in pairs}

    def class_counts(self) -> dict[str, int]:
        """Number of rows of each class, in the order of `classes`."""
        counts = np.bincount(self.target, minlength=len(self.classes))
        return dict(zip(self.classes, counts.tolist(), strict=True))

    def missing(self) -> NDArray[np.bool_]:
        """Whether each row has a missing value."""
        rows = np.zeros(self.n_rows, dtype=bool)
        for column, data in zip(self.columns, self.data, strict=True):
            rows |= np.isnan(data) if column.kind == "numeric" else data < 0
        return rows

    def take(self, keep: NDArray[np.bool_]) -> "RawTable":
        """Select rows, and keep only the categories that still occur."""
        columns, data = [], []
        for column, cells in zip(self.columns, self.data, strict=True):
            if column.kind != "nominal":
                columns.append(column)
                data.append(cells[keep])
                continue
            values, codes = keep_used(column.categories, cells[keep])
            columns.append(replace(column, categories=values))
            data.append(codes)
        if self.numbers is not None:
            rows = self.target[keep]
            return RawTable(tuple(columns), tuple(data), (), rows, self.numbers[keep])
        classes, target = keep_used(self.classes, self.target[keep])
        return RawTable(tuple(columns), tuple(data), classes, target)


def keep_used(
    values: Sequence[str], codes: NDArray[np.int32]
) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Keep the categories that occur, sorted as text, and renumber the codes."""
    used = sorted(np.unique(codes[codes >= 0]).tolist(), key=values.__getitem__)
    # The additional last element keeps code -1.
    renumber = np.full(len(values) + 1, -1, dtype=np.int32)
    renumber[used] = np.arange(len(used), dtype=np.int32)
    return tuple(values[i] for i in used), renumber[codes]


def encode_labels(
    cells: Sequence[str | None], order: Sequence[str] | None = None
) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Encode labels, None as -1. The categories are those of `order`, or sorted if it is None."""
    present = dict.fromkeys(cell for cell in cells if cell is not None)
    values = tuple(sorted(present)) if order is None else tuple(order)
    index: dict[str | None, int] = {value: code for code, value in enumerate(values)}
    index[None] = -1
    return values, np.fromiter(map(index.__getitem__, cells), dtype=np.int32, count=len(cells))


def categorical_table(
    cells: Mapping[str, Sequence[str]],
    target: Sequence[str],
    *,
    kind: Kind = "nominal",
    order: Sequence[str] | None = None,
) -> RawTable:
    """Make a table of categorical columns from labels."""
    columns, data = [], []
    for name, labels in cells.items():
        values, codes = encode_labels(labels, order)
        natural = None if order is None else tuple(order)
        columns.append(DatasetColumn(name, kind, values, natural))
        data.append(codes)
    classes, target_codes = encode_labels(target)
    return RawTable(tuple(columns), tuple(data), classes, target_codes)


def numeric_table(
    names: Sequence[str], numbers: NDArray[np.float64], target: Sequence[str]
) -> RawTable:
    """Make a table of numeric columns from a matrix."""
    classes, target_codes = encode_labels(target)
    columns = tuple(DatasetColumn(name, "numeric") for name in names)
    data = tuple(np.ascontiguousarray(column, dtype=np.float64) for column in numbers.T)
    return RawTable(columns, data, classes, target_codes)


# In the order of preference of frame="auto"; "dict" needs no other package.
FRAMES = ("pandas", "polars", "pyarrow", "dict")


def choose_frame(frame: str) -> str:
    """Resolve "auto", and raise if the library is unknown or not installed."""
    if frame == "auto":
        return next((name for name in FRAMES[:-1] if find_spec(name) is not None), "dict")
    if frame not in FRAMES:
        accepted = ", ".join(repr(name) for name in ("auto", *FRAMES))
        raise ValueError(f"The 'frame' parameter must be one of {accepted}. Got {frame!r} instead.")
    if frame != "dict" and find_spec(frame) is None:
        raise ImportError(
            f"frame={frame!r} needs the package {frame}, which is not installed. "
            f"Install it (pip install {frame}) or use frame='dict'."
        )
    return frame


def to_frame(table: RawTable, frame: str) -> Any:
    """Convert a table to one of `FRAMES`."""
    return _MAKERS[frame](table)


def label_array(values: tuple[str, ...], codes: NDArray[np.int32]) -> NDArray[np.object_]:
    """Decode labels as Python strings, None where missing. Equal labels are one object."""
    # Code -1 selects the last element, None.
    labels = np.array([*values, None], dtype=object)
    return labels[codes]


def number_array(numbers: NDArray[np.float64]) -> NDArray[Any]:
    """Convert to int64 if all numbers are integers and none is missing."""
    # Above 2**53, floats do not represent every integer.
    if np.all(np.abs(numbers) <= 2.0**53) and np.all(numbers == np.floor(numbers)):
        return numbers.astype(np.int64)
    return numbers


def _plain(column: DatasetColumn, cells: NDArray[Any]) -> NDArray[Any]:
    return (
        number_array(cells) if column.kind == "numeric" else label_array(column.categories, cells)
    )


def _to_dict(table: RawTable) -> dict[str, NDArray[Any]]:
    return table.map(_plain)


def _to_pandas(table: RawTable) -> Any:
    pandas = importlib.import_module("pandas")

    def column_of(column: DatasetColumn, cells: NDArray[Any]) -> Any:
        if column.kind == "ordinal":
            return pandas.Categorical.from_codes(cells, categories=column.categories, ordered=True)
        return _plain(column, cells)

    return pandas.DataFrame(table.map(column_of))


def _to_polars(table: RawTable) -> Any:
    polars = importlib.import_module("polars")

    def column_of(column: DatasetColumn, cells: NDArray[Any]) -> Any:
        if column.kind == "numeric":
            # In polars, NaN is not missing; null is.
            return polars.Series(column.name, number_array(cells), nan_to_null=True)
        dtype = polars.Enum(column.categories) if column.kind == "ordinal" else polars.String
        labels = polars.Series(column.name, column.categories, dtype=polars.String)
        codes = polars.Series(column.name, cells).cast(polars.UInt32, strict=False)
        return labels.gather(codes).cast(dtype)

    return polars.DataFrame(table.map(column_of))


def _to_pyarrow(table: RawTable) -> Any:
    pyarrow = importlib.import_module("pyarrow")

    def column_of(column: DatasetColumn, cells: NDArray[Any]) -> Any:
        if column.kind == "numeric":
            return pyarrow.array(number_array(cells), mask=np.isnan(cells))
        codes = pyarrow.array(cells, mask=cells < 0)
        values = pyarrow.array(column.categories, type=pyarrow.string())
        if column.kind == "ordinal":
            return pyarrow.DictionaryArray.from_arrays(codes, values, ordered=True)
        return values.take(codes)

    return pyarrow.table(table.map(column_of))


_MAKERS: dict[str, Callable[[RawTable], Any]] = {
    "pandas": _to_pandas,
    "polars": _to_polars,
    "pyarrow": _to_pyarrow,
    "dict": _to_dict,
}


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table with class labels or numbers to predict, and column types.

    Attributes
    ----------
    name : str
        The name, followed by a slash and the variant if there is one.
    X : pandas.DataFrame, polars.DataFrame, pyarrow.Table or dict of str to ndarray
        The columns without the target. Nominal columns contain strings, ordinal columns ordered
        categoricals (strings in a dict), numeric columns int64 or float64.
    y : ndarray of str or float64, shape (n_samples,)
        The class or number of each row. Always a numpy array, so `y[rows]` selects by position.
    columns : tuple of DatasetColumn
        Name, kind and categories of each column, as documented by the source.
    source : str
        One of "generated", "scikit-learn", "folder", "cache" or "openml".
    notes : str
        Remarks on the data.

    Examples
    --------
    >>> from mixedwood import datasets
    >>> balance = datasets.load("balance-scale")
    >>> balance
    Dataset 'balance-scale': 625 rows, 4 columns (4 ordinal), source: generated
    classes: B 49, L 288, R 288
    >>> balance.columns[0].categories
    ('1', '2', '3', '4', '5')
    """

    name: str
    X: Any
    y: NDArray[Any]
    columns: tuple[DatasetColumn, ...]
    source: str
    notes: str = ""

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return len(self.y)

    @property
    def n_features(self) -> int:
        """Number of columns, not counting the target."""
        return len(self.columns)

    @property
    def nominal_features(self) -> tuple[str, ...]:
        """Names of the nominal columns."""
        return self._names_of("nominal")

    @property
    def ordinal_features(self) -> tuple[str, ...]:
        """Names of the ordinal columns."""
        return self._names_of("ordinal")

    @property
    def numeric_features(self) -> tuple[str, ...]:
        """Names of the numeric columns."""
        return self._names_of("numeric")

    @property
    def class_counts(self) -> dict[str, int]:
        """Number of rows of each class, sorted by class."""
        classes, counts = np.unique(self.y, return_counts=True)
        return dict(zip(classes.tolist(), counts.tolist(), strict=True))

    @property
    def schema(self) -> "Schema":
        """The schema of the columns, as used by the estimators."""
        # Imported on first use: datasets do not need the rest of the library.
        from mixedwood.data.schema import Column, ColumnKind, Schema

        return Schema(tuple(Column(c.name, ColumnKind(c.kind), c.categories) for c in self.columns))

    def _names_of(self, kind: str) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.kind == kind)

    def __repr__(self) -> str:
        sizes = {kind: len(self._names_of(kind)) for kind in KINDS}
        parts = ", ".join(f"{n} {kind}" for kind, n in sizes.items() if n)
        if self.y.dtype.kind == "f":
            target = f"target: mean {self.y.mean():.4g}, sd {self.y.std():.4g}"
        else:
            counts = [f"{label} {count}" for label, count in self.class_counts.items()]
            more = f", and {len(counts) - 6} more" if counts[6:] else ""
            target = f"classes: {', '.join(counts[:6])}{more}"
        return (
            f"Dataset {self.name!r}: {self.n_samples} rows, {self.n_features} columns ({parts}), "
            f"source: {self.source}\n{target}"
        )


def make_dataset(
    table: RawTable, *, name: str, source: str, notes: str = "", frame: str = "auto"
) -> Dataset:
    """Convert a raw table to a dataset."""
    labels = np.array(table.classes, dtype=np.str_)
    return Dataset(
        name=name,
        X=to_frame(table, choose_frame(frame)),
        y=labels[table.target] if table.numbers is None else table.numbers,
        columns=table.columns,
        source=source,
        notes=notes,
    )
