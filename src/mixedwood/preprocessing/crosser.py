"""Crossed columns as a transformer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from mixedwood._params import CROSSED_FEATURES, Constraint, Int, OneOf, validate
from mixedwood.data import cross_columns, find_crossings
from mixedwood.data.derived import MAX_CATEGORIES, MIN_ROWS
from mixedwood.data.schema import describe_unknown
from mixedwood.preprocessing.base import TableTransformer

__all__ = ["FeatureCrosser"]


class FeatureCrosser(TableTransformer):
    """Append columns of the combinations of categorical columns.

    A crossing of the columns buying and maint is a nominal column with categories such as
    ``buying=high & maint=low``, one for each combination of training rows. Splits and linear
    models can use it where the effect of a column depends on the other. For estimators of the
    library use their parameter `crossed_features`, which needs no transformer.

    Parameters
    ----------
    columns : "auto", None or list of lists of str or int, default="auto"
        Columns to cross, by name or position; they must be nominal or ordinal. "auto" finds up to
        five pairs and triples of columns that interact, which needs the classes. None crosses
        nothing.
    min_frequency : int, default=2
        Combinations of fewer rows are pooled into the category "other combinations".
    max_categories : int, default=1000
        Maximum number of combinations with a category of their own: the most frequent ones. The
        others are pooled as well.
    handle_unknown : {"missing", "error"}, default="missing"
        How `transform` treats combinations that `fit` did not see: they become missing values, or
        it raises an error. A missing value in a column makes the combination missing.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal regardless of their dtype.
    ordinal_features : mapping of str to sequence, optional
        Ordered categories of ordinal columns.

    Attributes
    ----------
    columns_ : list of tuple of str
        The columns of each crossing.
    schema_ : Schema
        Names, types and categories of all columns; the crossed ones come last.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from mixedwood.preprocessing import FeatureCrosser
    >>> X = {"buying": ["low", "high"] * 2, "maint": ["low", "low"] * 2, "doors": [2, 4, 4, 2]}
    >>> crosser = FeatureCrosser(columns=[("buying", "maint")]).fit(X)
    >>> crosser.transform({"buying": ["high"], "maint": ["low"], "doors": [2]})
    array([['high', 'low', 2.0, 'buying=high & maint=low']], dtype=object)
    >>> crosser.get_feature_names_out().tolist()
    ['buying', 'maint', 'doors', 'buying & maint']
    """

    columns_: list[tuple[str, ...]]

    _without_classes = "Pass the classes, or the columns to cross."
    _parameters: ClassVar[dict[str, Constraint]] = {
        "columns": CROSSED_FEATURES,
        "min_frequency": Int(1),
        "max_categories": Int(1),
        "handle_unknown": OneOf("missing", "error"),
    }

    def __init__(
        self,
        columns: Any = "auto",
        *,
        min_frequency: int = MIN_ROWS,
        max_categories: int = MAX_CATEGORIES,
        handle_unknown: Literal["missing", "error"] = "missing",
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
    ) -> None:
        self.columns = columns
        self.min_frequency = min_frequency
        self.max_categories = max_categories
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features

    def _needs_classes(self) -> bool:
        return isinstance(self.columns, str)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the combinations of the columns.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows.
        y : array-like of shape (n_rows,), optional
            Class labels. Only used if ``columns="auto"``.

        Returns
        -------
        FeatureCrosser
            The fitted transformer itself.
        """
        validate(self)
        table, target = self._read(X, y)
        columns = self.columns or []
        if target is not None:
            columns = find_crossings(table, target)
        crossed = cross_columns(
            table,
            columns,
            min_rows=int(self.min_frequency),
            max_categories=int(self.max_categories),
        )
        self._remember(crossed.schema)
        n_before = len(table.schema.derived)  # of a Table with crossed columns
        self.columns_ = [column.sources for column in crossed.schema.derived[n_before:]]
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Append the crossed columns.

        Parameters
        ----------
        X : table
            Rows with the columns of `fit`.

        Returns
        -------
        ndarray of shape (n_rows, n_columns)
            The columns of X, then the crossed ones, as objects; missing values are None (NaN in a
            numeric column). The dtype is float64 if all columns are numeric.
        """
        table = self._read_again(X)
        if self.handle_unknown == "error" and (found := describe_unknown(table)):
            raise ValueError(
                f"Found unknown categories in {found}. Map them to those of the training data, or "
                "use handle_unknown='missing'."
            )
        plain = all(column.is_numeric for column in table.schema)
        result: NDArray[Any] = np.empty(
            (table.n_rows, table.n_columns), dtype=np.float64 if plain else object
        )
        for place, name in enumerate(table.schema.names):
            result[:, place] = table.labels(name)
        return result
