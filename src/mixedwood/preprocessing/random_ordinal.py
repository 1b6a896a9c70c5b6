"""Nominal columns as numbers, in a random order of their values (Ahmad 2014)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mixedwood._random import ORDERS, seed_of, spawn
from mixedwood.data import MISSING, ColumnKind, unknown_counts
from mixedwood.preprocessing.base import TableTransformer

__all__ = ["RandomOrdinalEncoder"]

_HANDLE_UNKNOWN = ("missing", "use_encoded_value", "error")


class RandomOrdinalEncoder(TableTransformer):
    """Replaces the values of each nominal column by 1, 2, ... in a random order.

    A classifier that splits numbers by thresholds then splits such a column by groups of values.
    One order hides most of the groups; an ensemble in which every member has its own encoder sees
    many, and that is a Random Ordinality Ensemble with any classifier. For trees of the library
    use `RandomOrdinalityClassifier`, whose trees need no encoder to answer.

    Parameters
    ----------
    handle_unknown : {"missing", "use_encoded_value", "error"}, default="missing"
        How `transform` treats categories that were not seen in `fit`: they become NaN, or
        `unknown_value`, or it raises an error.
    unknown_value : int or np.nan, default=-1
        The number of unknown categories. Only used if ``handle_unknown="use_encoded_value"``. It
        must be below 1, the number of the first category.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal whatever their type.
    ordinal_features : mapping of str to sequence, optional
        Columns with an order, and their labels in order. They become 1, 2, ... in that order.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the orders; None draws others every time.

    Attributes
    ----------
    categories_ : dict of str to tuple
        Categories of each nominal column, in the order that was drawn.
    schema_ : Schema
        What the columns are.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from mixedwood.preprocessing import RandomOrdinalEncoder
    >>> X = {"colour": ["red", "blue", "green", None], "size": [1.5, 2.5, 3.5, 4.5]}
    >>> encoder = RandomOrdinalEncoder(random_state=0)
    >>> encoder.fit_transform(X)
    array([[1. , 1.5],
           [2. , 2.5],
           [3. , 3.5],
           [nan, 4.5]])
    >>> encoder.categories_
    {'colour': ('red', 'blue', 'green')}
    """

    categories_: dict[str, tuple[Any, ...]]

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
            For pipelines.

        Returns
        -------
        RandomOrdinalEncoder
            The fitted encoder itself.
        """
        if not isinstance(self.handle_unknown, str) or self.handle_unknown not in _HANDLE_UNKNOWN:
            raise ValueError(
                "The 'handle_unknown' parameter of RandomOrdinalEncoder must be a str among "
                "{'missing', 'use_encoded_value', 'error'}. Got "
                f"{self.handle_unknown!r} instead."
            )
        unknown: Any = self.unknown_value
        if not isinstance(unknown, (int, float, np.number)) or unknown >= 1:
            raise ValueError(
                "The 'unknown_value' parameter of RandomOrdinalEncoder must be a number below 1 or "
                f"np.nan. Got {unknown!r} instead."
            )
        rng = spawn(seed_of(self.random_state), ORDERS)
        table, _ = self._read(X, None)
        orders = {
            column.name: tuple(column.categories[i] for i in rng.permutation(column.n_categories))
            for column in table.schema
            if column.kind == ColumnKind.NOMINAL
        }
        self.categories_ = orders
        self._remember(table.schema)
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Replace values by their places in the orders; numbers stay, missing values are NaN.

        Parameters
        ----------
        X : table
            Rows with the columns of `fit`.

        Returns
        -------
        ndarray of float64 and shape (n_rows, n_columns)
            Numbers.
        """
        table = self._read_again(X)
        if self.handle_unknown == "error" and (counts := unknown_counts(table)):
            found = ", ".join(
                f"column {name!r} ({n} row{'s' * (n > 1)}): {table.unknown[name][0]!r}"
                for name, n in counts.items()
            )
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
            number = np.empty(column.n_categories + 2)  # codes below zero look at the end
            for label, rank in self._ranks(column.name).items():
                number[column.codes[label]] = rank
            number[MISSING] = np.nan
            number[-2] = unknown
            numbers[:, place] = number[array]
        return numbers

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Give numbers back their labels.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            What `transform` gave.

        Returns
        -------
        ndarray of object and shape (n_rows, n_columns)
            Labels and numbers. What was missing or not seen in `fit` is None (NaN in a numeric
            column): what it was is not kept.
        """
        check_is_fitted(self)
        numbers = np.asarray(X, dtype=np.float64)
        if numbers.ndim != 2 or numbers.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has shape {numbers.shape}; it must have {self.n_features_in_} columns, as "
                "transform gives them."
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
                        f"Column {column.name!r} holds {given[row].item()!r} in row {row}; its "
                        f"values have the numbers 1 to {column.n_categories}."
                    )
                labels[row, place] = label_of[given[row]]
        return labels

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Name the columns that come out: those that go in.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names, if the table of `fit` had none.

        Returns
        -------
        ndarray of object
            Names.
        """
        return self._names_in(input_features)

    def _ranks(self, name: str) -> dict[Any, int]:
        """Number of each label of a nominal or ordinal column."""
        order = self.categories_.get(name, self.schema_[name].categories)
        return {label: rank for rank, label in enumerate(order, start=1)}
