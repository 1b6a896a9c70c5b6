"""Ordinal encoding of nominal columns in random orders (Ahmad and Brown 2009)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mixedwood._params import Constraint, OneOf, is_number, validate
from mixedwood._random import ORDERS, seed_of, spawn
from mixedwood.data import MISSING, ColumnKind
from mixedwood.data.schema import describe_unknown
from mixedwood.preprocessing.base import TableTransformer

__all__ = ["RandomOrdinalEncoder"]


class RandomOrdinalEncoder(TableTransformer):
    """Encode the categories of each nominal column as 1, 2, ... in a random order.

    A threshold on such a column is a split into two groups of categories. One order allows only a
    few of the groups. A Random Ordinality Ensemble gives every member its own encoder, and works
    with any classifier. For trees of the library use `RandomOrdinalityClassifier`, which needs no
    encoder for predictions.

    Parameters
    ----------
    handle_unknown : {"missing", "use_encoded_value", "error"}, default="missing"
        How `transform` treats categories that were not seen in `fit`: they become NaN, or
        `unknown_value`, or it raises an error.
    unknown_value : int or np.nan, default=-1
        The number of unknown categories. Only used if ``handle_unknown="use_encoded_value"``. It
        must be below 1, the number of the first category.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal regardless of their dtype.
    ordinal_features : mapping of str to sequence, optional
        Ordered categories of ordinal columns, which are encoded as 1, 2, ... in that order.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the orders. If None, they differ each time.

    Attributes
    ----------
    categories_ : dict of str to tuple
        Categories of each nominal column, in their random order.
    schema_ : Schema
        Names and types of the columns.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from mixedwood.preprocessing import RandomOrdinalEncoder
    >>> X = {"color": ["red", "blue", "green", None], "size": [1.5, 2.5, 3.5, 4.5]}
    >>> encoder = RandomOrdinalEncoder(random_state=0)
    >>> encoder.fit_transform(X)
    array([[1. , 1.5],
           [2. , 2.5],
           [3. , 3.5],
           [nan, 4.5]])
    >>> encoder.categories_
    {'color': ('red', 'blue', 'green')}
    """

    categories_: dict[str, tuple[Any, ...]]

    _parameters: ClassVar[dict[str, Constraint]] = {
        "handle_unknown": OneOf("missing", "use_encoded_value", "error"),
        "unknown_value": Constraint(
            "a number below 1", "np.nan", test=lambda value: is_number(value) and not value >= 1
        ),
    }

    def __init__(
        self,
        *,
        handle_unknown: Literal["missing", "use_encoded_value", "error"] = "missing",
        unknown_value: float = -1,
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
        random_state: Any = None,
    ) -> None:
        self.handle_unknown = handle_unknown
        self.unknown_value = unknown_value
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw an order for each nominal column.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows.
        y : ignored
            Present for API consistency.

        Returns
        -------
        RandomOrdinalEncoder
            The fitted encoder itself.
        """
        validate(self)
        rng = spawn(seed_of(self.random_state), ORDERS)
        table, _ = self._read(X, None)
        self.categories_ = {
            column.name: tuple(column.categories[i] for i in rng.permutation(column.n_categories))
            for column in table.schema
            if column.kind == ColumnKind.NOMINAL
        }
        self._remember(table.schema)
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Encode categories; numbers are unchanged, and missing values are NaN.

        Parameters
        ----------
        X : table
            Rows with the columns of `fit`.

        Returns
        -------
        ndarray of float64 and shape (n_rows, n_columns)
            The encoded columns.
        """
        table = self._read_again(X)
        if self.handle_unknown == "error" and (found := describe_unknown(table)):
            raise ValueError(
                f"Found unknown categories in {found}. Map them to those of the training data, "
                "or use handle_unknown='missing' or 'use_encoded_value'."
            )
        encoded = self.handle_unknown == "use_encoded_value"
        unknown = self.unknown_value if encoded else np.nan
        numbers = np.empty((table.n_rows, table.n_columns))
        for place, (column, array) in enumerate(zip(table.schema, table.arrays, strict=True)):
            if column.is_numeric:
                numbers[:, place] = array
                continue
            number = np.empty(column.n_categories + 2)  # negative codes index the end
            for label, rank in self._ranks(column.name).items():
                number[column.codes[label]] = rank
            number[MISSING] = np.nan
            number[-2] = unknown
            numbers[:, place] = number[array]
        return numbers

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Decode numbers into labels.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            The result of `transform`.

        Returns
        -------
        ndarray of object and shape (n_rows, n_columns)
            Labels and numbers. Missing values and unknown categories are None (NaN in a numeric
            column).
        """
        check_is_fitted(self)
        numbers = np.asarray(X, dtype=np.float64)
        if numbers.ndim != 2 or numbers.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X must have {self.n_features_in_} columns, as the result of transform. Got the "
                f"shape {numbers.shape} instead."
            )
        labels = np.empty(numbers.shape, dtype=object)
        for place, column in enumerate(self.schema_):
            given = numbers[:, place]
            if column.is_numeric:
                labels[:, place] = given
                continue
            known = ~np.isnan(given) & (given != self.unknown_value)
            label_of = {rank: label for label, rank in self._ranks(column.name).items()}
            for row in np.flatnonzero(known):
                if given[row] not in label_of:
                    raise ValueError(
                        f"Column {column.name!r} must have the numbers 1 to {column.n_categories}. "
                        f"Got {given[row].item()!r} in row {row} instead."
                    )
                labels[row, place] = label_of[given[row]]
        return labels

    def _ranks(self, name: str) -> dict[Any, int]:
        """Number of each label of a nominal or ordinal column."""
        order = self.categories_.get(name, self.schema_[name].categories)
        return {label: rank for rank, label in enumerate(order, start=1)}
