"""The tables that methods are compared on, as they came, and rows of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Table, check_same_length, read_table, read_target
from mixedwood.datasets import Dataset

__all__ = ["Problem", "read_problems"]

_ONLY = "data"  # the name of a set that came without one


@dataclass(frozen=True, eq=False)
class Problem:
    """A table and its classes: methods get rows of it in the form in which it came."""

    name: str
    X: Any
    classes: NDArray[Any]
    codes: NDArray[np.int32]
    n_columns: int

    def take(self, rows: NDArray[np.intp]) -> tuple[Any, NDArray[Any]]:
        """Give some rows and their classes."""
        return _take(self.X, rows), self.classes[self.codes[rows]]

    @property
    def labels(self) -> NDArray[Any]:
        """Class of each row."""
        return np.asarray(self.classes[self.codes])


def read_problems(X: Any, y: Any) -> list[Problem]:
    """Read one table and its classes or, without `y`, several by name."""
    if y is not None:
        return [_problem(_ONLY, X, y)]
    if isinstance(X, Dataset):
        X = [X]
    if isinstance(X, Mapping):
        pairs = [(str(name), entry) for name, entry in X.items()]
    elif isinstance(X, list | tuple):
        if strange := [entry for entry in X if not isinstance(entry, Dataset)]:
            raise TypeError(
                "Without y, X must be a dict of name to (X, y), or a list of data sets of "
                f"mixedwood.datasets; the list holds {type(strange[0]).__name__}."
            )
        pairs = [(entry.name, entry) for entry in X]
    else:
        raise TypeError(
            f"y is missing, and X is {type(X).__name__}. Pass the classes as y; or several sets, "
            "as a dict of name to (X, y) or a list of data sets of mixedwood.datasets."
        )
    if not pairs:
        raise ValueError("X is empty: there is no data set to compare methods on.")
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("Two data sets have the same name; pass a dict with names of your own.")
    return [_problem(name, *_pair(name, entry)) for name, entry in pairs]


def _pair(name: str, entry: Any) -> tuple[Any, Any]:
    if isinstance(entry, Dataset):
        return entry.X, entry.y
    if isinstance(entry, tuple) and len(entry) == 2:
        return entry
    raise TypeError(
        f"X[{name!r}] is {type(entry).__name__}. If X is one table, pass its classes as y; if it "
        "is a dict of sets, each must be a pair (X, y)."
    )


def _problem(name: str, X: Any, y: Any) -> Problem:
    try:
        table, target = read_table(X), read_target(y)
        check_same_length(table, target)
    except (TypeError, ValueError) as error:
        if name == _ONLY:
            raise
        raise type(error)(f"In {name}: {error}") from error
    return Problem(name, _indexable(X), target.classes, target.codes, table.n_columns)


def _indexable(X: Any) -> Any:
    """Make a table whose rows can be taken."""
    if isinstance(X, Table):
        return X
    if isinstance(X, Mapping):
        return {name: _column(cells) for name, cells in X.items()}
    native = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(native, nw.DataFrame):
        return _without_views(X) if native.implementation.is_pyarrow() else X
    if isinstance(X, np.ndarray):
        return X
    return np.array(X, dtype=object) if isinstance(X, list | tuple) else X


def _without_views(X: Any) -> Any:
    """The same arrow table without string views, whose rows arrow cannot take."""
    import pyarrow as pa

    for place, field in enumerate(X.schema):
        if field.type == pa.string_view():
            X = X.set_column(place, field.name, X[field.name].cast(pa.large_string()))
    return X


def _column(cells: Any) -> NDArray[Any]:
    """An array of a column; a list may hold text, numbers and None side by side."""
    series = nw.from_native(cells, series_only=True, pass_through=True)
    if isinstance(series, nw.Series) and series.dtype in (nw.Categorical, nw.Enum):
        cells = series.to_list()  # numpy would get the codes of arrow's dictionaries
    if hasattr(cells, "__array__"):
        return np.asarray(cells)
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    return column


def _take(X: Any, rows: NDArray[np.intp]) -> Any:
    if isinstance(X, Table):
        return X.take(rows)
    if isinstance(X, dict):
        return {name: cells[rows] for name, cells in X.items()}
    if isinstance(X, np.ndarray):
        return X[rows]
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return frame[rows].to_native()
    return X[rows]
