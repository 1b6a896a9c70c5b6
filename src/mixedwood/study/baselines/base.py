"""What the baselines share: any table in, classes as codes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from mixedwood.data import Table, Target, check_same_length, read_table, read_target

__all__ = ["Baseline", "numbers_of"]


class Baseline(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Reads tables for a classifier; `_learn` and `_scores` are its own."""

    def fit(self, X: Any, y: Any) -> Baseline:
        """Learn from a table and the class of each row."""
        table, target = read_table(X), read_target(y)
        check_same_length(table, target)
        self._learn(table, target)
        self.schema_ = table.schema
        self.classes_ = target.classes
        self.n_features_in_ = table.n_columns
        if not table.schema.names_generated:
            self.feature_names_in_ = np.array(table.schema.names, dtype=object)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the class of each row; of equally good ones the first."""
        check_is_fitted(self)
        table = read_table(X, schema=self.schema_, estimator=type(self).__name__)
        return np.asarray(self.classes_[self._scores(table).argmax(axis=1)])

    def _learn(self, table: Table, target: Target) -> None:
        raise NotImplementedError

    def _scores(self, table: Table) -> NDArray[np.float64]:
        raise NotImplementedError

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def numbers_of(table: Table) -> NDArray[np.float64]:
    """Give the numeric columns as a matrix."""
    columns = [array for c, array in zip(table.schema, table.arrays, strict=True) if c.is_numeric]
    return np.array(columns, dtype=float).reshape(len(columns), table.n_rows).T
