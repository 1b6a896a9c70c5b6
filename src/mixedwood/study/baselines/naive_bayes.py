"""Naive Bayes for categories and numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from mixedwood.data import Table, Target
from mixedwood.study.baselines.base import Baseline, numbers_of

__all__ = ["MixedNaiveBayes"]

_LEAST_VARIANCE = 1e-9  # of the largest variance of a column


class MixedNaiveBayes(Baseline):
    """Naive Bayes: a normal distribution for each number, frequencies for each category.

    Frequencies are counted plus one. A cell that is missing, or has a value that no training row
    has, says nothing about its row.

    Attributes
    ----------
    classes_ : ndarray
        The distinct labels, sorted.
    schema_ : Schema
        What the columns are.

    Examples
    --------
    >>> X = {"colour": ["red", "red", "blue", "blue"], "size": [1.0, 2.0, 8.0, 9.0]}
    >>> model = MixedNaiveBayes().fit(X, ["small", "small", "large", "large"])
    >>> model.predict({"colour": ["blue", "mauve"], "size": [8.0, 2.5]}).tolist()
    ['large', 'small']
    """

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _learn(self, table: Table, target: Target) -> None:
        counts = np.bincount(target.codes, minlength=target.n_classes)
        self._log_prior = np.log(counts / counts.sum())
        self._log_frequencies = [
            _log_frequencies(array, column.n_categories, target)
            for column, array in zip(table.schema, table.arrays, strict=True)
            if not column.is_numeric
        ]
        numbers = numbers_of(table)
        self._means = np.zeros((target.n_classes, numbers.shape[1]))
        self._variances = np.ones_like(self._means)
        if not numbers.shape[1]:
            return
        least = _LEAST_VARIANCE * float(_variances(numbers).max()) or _LEAST_VARIANCE
        for code in range(target.n_classes):
            rows = numbers[target.codes == code]
            known = np.maximum((~np.isnan(rows)).sum(axis=0), 1)
            self._means[code] = np.nansum(rows, axis=0) / known
            self._variances[code] = _variances(rows) + least

    def _scores(self, table: Table) -> NDArray[np.float64]:
        scores = np.tile(self._log_prior, (table.n_rows, 1))
        nominal = [a for c, a in zip(table.schema, table.arrays, strict=True) if not c.is_numeric]
        for codes, log_frequencies in zip(nominal, self._log_frequencies, strict=True):
            known = codes >= 0
            scores[known] += log_frequencies[codes[known]]
        for place, numbers in enumerate(numbers_of(table).T):
            mean, variance = self._means[:, place], self._variances[:, place]
            gaps = (numbers[:, None] - mean) ** 2 / variance + np.log(2 * np.pi * variance)
            scores -= np.nan_to_num(gaps / 2, nan=0.0)
        return scores


def _log_frequencies(codes: NDArray[Any], n_values: int, target: Target) -> NDArray[np.float64]:
    """Logarithms of the frequency of each value in each class, counted plus one."""
    counts = np.ones((n_values, target.n_classes))
    known = codes >= 0
    np.add.at(counts, (codes[known], target.codes[known]), 1.0)
    return np.asarray(np.log(counts / counts.sum(axis=0)))


def _variances(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Variance of each column over the cells that are known; 0 if there are none."""
    known = ~np.isnan(rows)
    n = np.maximum(known.sum(axis=0), 1)
    mean = np.nansum(rows, axis=0) / n
    return np.asarray(np.where(known, (rows - mean) ** 2, 0.0).sum(axis=0) / n)
