"""Dates as numbers and categories, as a transformer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Self

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from mixedwood._params import NONE, Constraint, InstanceOf, ListOf, OneOf, validate
from mixedwood.data.dates import DATE_PARTS, date_parts, has_dates, parse_dates
from mixedwood.data.errors import complex_column, few
from mixedwood.data.frames import OpenTable, open_table

if TYPE_CHECKING:
    from sklearn.utils import Tags

__all__ = ["DateFeatures"]


class DateFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Replace columns of dates by columns of their parts.

    Trees split numbers and categories. The parts of a date say what a split can use: the season,
    the day of the week, or how long ago it was.

    Parameters
    ----------
    columns : list of str or None, default=None
        The columns of dates. They may have text such as ``2024-02-29`` or ``2024-02-29 18:30``. If
        None, all columns with a type of dates or of dates and times.
    parts : list of {"year", "month", "weekday", "days", "hour"}, optional
        The parts; by default the first four. "weekday" is categorical (Mon, Tue, ...); "days" is
        the number of days since 1970-01-01, for trends; the others are numbers.

    Attributes
    ----------
    columns_ : list of str
        The columns of dates.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import pandas as pd
    >>> from mixedwood.preprocessing import DateFeatures
    >>> X = pd.DataFrame({"when": pd.to_datetime(["2024-02-09", "2023-12-31"]), "size": [3, 4]})
    >>> DateFeatures(parts=["month", "weekday"]).fit_transform(X)
       when month when weekday  size
    0         2.0          Fri     3
    1        12.0          Sun     4

    In a pipeline with an estimator of the library:

    >>> from sklearn.pipeline import make_pipeline
    >>> import mixedwood as mw
    >>> model = make_pipeline(DateFeatures(), mw.TreeClassifier())
    """

    columns_: list[str]
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    _parameters: ClassVar[dict[str, Constraint]] = {
        "columns": ListOf(InstanceOf(str), "a list of str") | NONE,
        "parts": ListOf(OneOf(*DATE_PARTS), f"a list of str among {', '.join(DATE_PARTS)}"),
    }

    def __init__(
        self,
        columns: Sequence[str] | None = None,
        *,
        parts: Sequence[str] = ("year", "month", "weekday", "days"),
    ) -> None:
        self.columns = columns
        self.parts = parts

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the columns of dates.

        Parameters
        ----------
        X : table
            A pandas, polars or pyarrow frame, or a dict of columns.
        y : None
            Ignored.

        Returns
        -------
        DateFeatures
            The fitted transformer itself.
        """
        validate(self)
        table = self._open(X, reset=True)
        if self.columns is None:
            found = [n for n, c in zip(table.names, table.columns, strict=True) if has_dates(c)]
        else:
            found = list(self.columns)
            if unknown := [name for name in found if name not in table.names]:
                raise ValueError(
                    f"X has no column {unknown[0]!r}, which columns= names. It has "
                    f"{few(table.names, 10)}."
                )
        self.columns_ = found
        self._names = list(table.names)
        self._parts_of(table)  # cells that are no dates are errors now
        return self

    def transform(self, X: Any) -> Any:
        """Replace the columns of dates.

        Parameters
        ----------
        X : table
            Rows with the columns of `fit`.

        Returns
        -------
        table
            A frame of the same library, a dict of columns, or an array. Parts of missing dates are
            missing.
        """
        check_is_fitted(self)
        table = self._open(X, reset=False)
        columns = self._parts_of(table)
        if isinstance(X, Mapping):
            return columns
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            return _as_frame(frame, columns)
        is_plain = all(map(_has_numbers, columns.values()))
        result = np.empty((table.n_rows, len(columns)), np.float64 if is_plain else object)
        for place, values in enumerate(columns.values()):
            result[:, place] = values
        return result

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the output columns, such as ``"when month"`` for a part of ``"when"``.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the input columns; those of `fit` by default.

        Returns
        -------
        ndarray of object
            Names.
        """
        check_is_fitted(self)
        given = self._names if input_features is None else [str(n) for n in input_features]
        if hasattr(self, "feature_names_in_") and given != self._names:
            raise ValueError("input_features is not equal to feature_names_in_")
        if len(given) != len(self._names):
            raise ValueError(
                "input_features should have length equal to number of features "
                f"({len(self._names)}), got {len(given)}"
            )
        found: list[str] = []
        for name, own in zip(given, self._names, strict=True):
            found += [f"{name} {p}" for p in self.parts] if own in self.columns_ else [name]
        return np.array(found, dtype=object)

    def _open(self, X: Any, *, reset: bool) -> OpenTable:
        table = open_table(X)
        if not isinstance(X, Mapping):
            validate_data(self, X, reset=reset, skip_check_array=True)
        for name, column in zip(table.names, table.columns, strict=True):
            if isinstance(column, np.ndarray) and column.dtype.kind == "c":
                raise complex_column(name)
        if reset:
            self.n_features_in_ = len(table.names)
            if isinstance(X, Mapping):
                self.feature_names_in_ = np.array(table.names, dtype=object)
        elif list(table.names) != self._names:
            raise ValueError(
                f"X has the columns {few(table.names, 10)}; DateFeatures was fitted to "
                f"{few(self._names, 10)}."
            )
        return table

    def _parts_of(self, table: OpenTable) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for name, column in zip(table.names, table.columns, strict=True):
            if name not in self.columns_:
                result[name] = column
                continue
            for part, values in date_parts(parse_dates(name, column), self.parts).items():
                result[f"{name} {part}"] = values
        if len(result) < len(self.get_feature_names_out()):
            raise ValueError("X has a column with the name of a part of a date. Rename it.")
        return result


def _has_numbers(values: Any) -> bool:
    array = np.asarray(values)
    return array.dtype.kind in "iufb" or all(isinstance(value, Real) for value in array.tolist())


def _as_frame(frame: nw.DataFrame[Any], columns: Mapping[str, Any]) -> Any:
    """Make a frame of the same library, with the same index."""
    made = [
        values.alias(name)
        if isinstance(values, nw.Series)
        else nw.new_series(name, values.tolist(), _dtype(values), backend=frame.implementation)
        for name, values in columns.items()
    ]
    return frame.with_columns(*made).select(*columns).to_native()


def _dtype(values: NDArray[Any]) -> Any:
    return nw.String if values.dtype.kind == "O" else nw.Float64
