"""A table of categories and numbers as answers yes and no."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Schema
from mixedwood.preprocessing.base import TableTransformer
from mixedwood.preprocessing.binary_test import BinaryTest
from mixedwood.preprocessing.cutting import DEFAULT_BINS, read_cutting
from mixedwood.preprocessing.encoding import ENCODINGS, binarise

__all__ = ["Binarizer", "read_encoding"]

_MOST_SUBSET_VALUES = 16


class Binarizer(TableTransformer):
    """Binary columns, each of which knows the test it stands for.

    Numbers are first cut into ranges. Booleans, and numeric columns with no more than two distinct
    numbers, are binary already: they become one column without being asked for ranges. A missing
    value answers every test with no; a column with missing values gets one more binary column,
    which asks whether the value is known, and keeps tests that would otherwise be each other's
    opposite. Values that no row had in `fit` answer no as well.
    Binary columns that are the same for all rows of `fit` are left out.

    Parameters
    ----------
    encoding : {"multi_hot", "one_hot", "thresholds", "subsets"}, default="multi_hot"
        Which sets of ranges or values become columns. ``"one_hot"``: each range alone, and one
        column in all if there are only two. ``"multi_hot"``: also all windows of neighbouring
        ranges, each way to cut out a window once, so that m > 3 ranges give m (m - 1) / 2 columns.
        ``"thresholds"``: all ranges up to one, m - 1 columns. ``"subsets"``: for a nominal column
        each way to divide its values in two, ``2 ** (m - 1) - 1`` columns; others have thresholds.
        Nominal columns have no neighbours and are one-hot unless the encoding is ``"subsets"``.
    discretizer : {"mdlp", "caim", "equal_width", "equal_frequency"} or discretizer, default="mdlp"
        How numbers are cut into ranges: a name, or one of the discretizers of this module.
    n_bins : int or mapping of str to int, default=5
        Ranges of every column, or by the names of columns (others have 5), if `discretizer` is
        ``"equal_width"`` or ``"equal_frequency"``.
    max_subset_values : int, default=8
        With ``encoding="subsets"``, nominal columns with more values are one-hot. At most 16.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal whatever their type.
    ordinal_features : mapping of str to sequence, optional
        Columns with an order, and their labels in order. They are encoded like ranges.

    Attributes
    ----------
    tests_ : list of BinaryTest
        The test of each binary column.
    schema_ : Schema
        What the columns of X are.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from mixedwood.preprocessing import Binarizer
    >>> pets, well = ["cat", "dog", "cow", "dog"], [True, True, True, False]
    >>> X = {"age": [10, 20, 30, 40], "pet": pets, "well": well}
    >>> binarizer = Binarizer(encoding="one_hot", discretizer="equal_frequency", n_bins=2)
    >>> binarizer.fit_transform(X).astype(int)
    array([[1, 1, 0, 0, 1],
           [1, 0, 0, 1, 1],
           [0, 0, 1, 0, 1],
           [0, 0, 0, 1, 0]])
    >>> binarizer.get_feature_names_out().tolist()
    ['age <= 25', 'pet = cat', 'pet = cow', 'pet = dog', 'well = True']
    """

    tests_: list[BinaryTest]

    def __init__(
        self,
        *,
        encoding: Literal["multi_hot", "one_hot", "thresholds", "subsets"] = "multi_hot",
        discretizer: Any = "mdlp",
        n_bins: int | Mapping[str, int] = DEFAULT_BINS,
        max_subset_values: int = 8,
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
    ) -> None:
        self.encoding = encoding
        self.discretizer = discretizer
        self.n_bins = n_bins
        self.max_subset_values = max_subset_values
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features

    def _needs_classes(self) -> bool:
        try:
            return read_cutting(self.discretizer, self.n_bins).needs_classes
        except ValueError:  # tags are asked for before parameters are checked
            return False

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the tests.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows.
        y : array-like of shape (n_rows,)
            Classes; read if the discretizer looks at them. Every row counts once.

        Returns
        -------
        Binarizer
            The fitted binarizer itself.
        """
        cutting = read_cutting(self.discretizer, self.n_bins)
        encoding, most = read_encoding(self.encoding, self.max_subset_values)
        table, target = self._read(X, y)
        _, self.tests_ = binarise(
            table, target, cutting=cutting, encoding=encoding, max_subset_values=most
        )
        self._remember(table.schema)
        return self

    def transform(self, X: Any) -> NDArray[np.bool_]:
        """Answer the tests.

        Parameters
        ----------
        X : table
            Rows with the columns of `fit`.

        Returns
        -------
        ndarray of bool and shape (n_rows, n_tests)
            The answers.
        """
        table = self._read_again(X)
        answers = np.empty((table.n_rows, len(self.tests_)), dtype=np.bool_)
        for place, test in enumerate(self.tests_):
            answers[:, place] = test.answer(table)
        return answers

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Say in words what each column that comes out asks.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the columns that go in, if the table of `fit` had none.

        Returns
        -------
        ndarray of object
            Words.
        """
        names = self._names_in(input_features)
        columns = zip(self.schema_, names, strict=True)
        named = Schema(tuple(replace(column, name=str(name)) for column, name in columns))
        return np.array([test.words(named) for test in self.tests_], dtype=object)


def read_encoding(encoding: Any, max_subset_values: Any) -> tuple[str, int]:
    """Check an encoding and the number of values up to which all subsets are taken."""
    if not isinstance(encoding, str) or encoding not in ENCODINGS:
        raise ValueError(
            f"encoding must be {', '.join(map(repr, ENCODINGS[:-1]))} or {ENCODINGS[-1]!r}; got "
            f"{encoding!r}."
        )
    whole = isinstance(max_subset_values, (int, np.integer))
    if not whole or not 2 <= max_subset_values <= _MOST_SUBSET_VALUES:
        raise ValueError(
            f"max_subset_values must be a whole number from 2 to {_MOST_SUBSET_VALUES}, as m "
            f"values give 2 ** (m - 1) - 1 columns; got {max_subset_values!r}."
        )
    return encoding, int(max_subset_values)
