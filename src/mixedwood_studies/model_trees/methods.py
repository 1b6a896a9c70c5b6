"""Methods of the study: the paper's model tree, and the baselines that it compares with.

The baselines accept tables with categorical and numeric columns.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from mixedwood import C45TreeClassifier, ModelTreeClassifier
from mixedwood._folds import shuffled_folds
from mixedwood._random import choice_seed_of
from mixedwood.data import Table, Target, check_same_length, read_table, read_target

__all__ = ["MixedNaiveBayes", "MixedNeighborsClassifier", "TunedC45Classifier", "model_tree"]

_MIN_VARIANCE = 1e-9  # of the largest variance of a column
_CANDIDATES = (1, 3, 5, 7, 9, 11, 15, 21, 31, 41)
_INNER_FOLDS = 5
_CONFIDENCES = (0.05, 0.1, 0.25, 0.5)
_LEAVES = (2, 5, 10, 20)
_SPREADS: dict[str, Callable[..., Any]] = {"variance": np.std, "range": np.ptp}


def model_tree(
    *, min_samples_split: float | Literal["tune"] = "tune", **parameters: Any
) -> ModelTreeClassifier:
    """Make a model tree as the paper describes it: one hyperplane, multiway splits.

    The hyperplane uses the numeric columns only and competes by gain ratio with one branch per
    value of each nominal column. There are no thresholds, splits without any gain are not made,
    and only the size of nodes limits growth.

    Parameters
    ----------
    min_samples_split : int, float or "tune", default="tune"
        Minimum number of rows of a node that is split.
    **parameters
        Further parameters of `ModelTreeClassifier`.

    Examples
    --------
    >>> model_tree(min_samples_split=40).node_features
    'numeric'
    """
    preset: dict[str, Any] = {
        "criterion": "gain_ratio",
        "node_features": "numeric",
        "axis_aligned": False,
        "min_samples_model": 2,
        "partitioner": "multiway",
        "selection": "score",
        "min_samples_split": min_samples_split,
        "min_samples_leaf": 2,
        "min_split_gain": 1e-9,  # above zero, up to rounding
        "pruning": None,
    }
    return ModelTreeClassifier(**{**preset, **parameters})


class _Baseline(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of the baselines; subclasses implement `_learn` and `_scores`."""

    def fit(self, X: Any, y: Any) -> _Baseline:
        """Fit the classifier."""
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
        """Predict the class of each row; ties are resolved in favor of the first class."""
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


def _numeric_matrix(table: Table) -> NDArray[np.float64]:
    """Return the numeric columns as a matrix."""
    columns = [array for c, array in zip(table.schema, table.arrays, strict=True) if c.is_numeric]
    return np.array(columns, dtype=float).reshape(len(columns), table.n_rows).T


class MixedNaiveBayes(_Baseline):
    """Naive Bayes with normal distributions of numeric and frequencies of categorical columns.

    Frequencies are smoothed by adding one. Missing values and unknown categories are ignored.

    Attributes
    ----------
    classes_ : ndarray
        The distinct labels, sorted.
    schema_ : Schema
        The columns.

    Examples
    --------
    >>> X = {"color": ["red", "red", "blue", "blue"], "size": [1.0, 2.0, 8.0, 9.0]}
    >>> model = MixedNaiveBayes().fit(X, ["small", "small", "large", "large"])
    >>> model.predict({"color": ["blue", "mauve"], "size": [8.0, 2.5]}).tolist()
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
        numbers = _numeric_matrix(table)
        self._means = np.zeros((target.n_classes, numbers.shape[1]))
        self._variances = np.ones_like(self._means)
        if not numbers.shape[1]:
            return
        smallest = _MIN_VARIANCE * float(_variances(numbers).max()) or _MIN_VARIANCE
        for code in range(target.n_classes):
            rows = numbers[target.codes == code]
            known = np.maximum((~np.isnan(rows)).sum(axis=0), 1)
            self._means[code] = np.nansum(rows, axis=0) / known
            self._variances[code] = _variances(rows) + smallest

    def _scores(self, table: Table) -> NDArray[np.float64]:
        scores = np.tile(self._log_prior, (table.n_rows, 1))
        nominal = [a for c, a in zip(table.schema, table.arrays, strict=True) if not c.is_numeric]
        for codes, log_frequencies in zip(nominal, self._log_frequencies, strict=True):
            known = codes >= 0
            scores[known] += log_frequencies[codes[known]]
        for place, numbers in enumerate(_numeric_matrix(table).T):
            mean, variance = self._means[:, place], self._variances[:, place]
            distances = (numbers[:, None] - mean) ** 2 / variance + np.log(2 * np.pi * variance)
            scores -= np.nan_to_num(distances / 2, nan=0.0)
        return scores


def _log_frequencies(codes: NDArray[Any], n_values: int, target: Target) -> NDArray[np.float64]:
    """Logarithms of the smoothed frequency of each category in each class."""
    counts = np.ones((n_values, target.n_classes))
    known = codes >= 0
    np.add.at(counts, (codes[known], target.codes[known]), 1.0)
    return np.asarray(np.log(counts / counts.sum(axis=0)))


def _variances(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Variance of each column, ignoring missing values; 0 if all are missing."""
    known = ~np.isnan(rows)
    n = np.maximum(known.sum(axis=0), 1)
    mean = np.nansum(rows, axis=0) / n
    return np.asarray(np.where(known, (rows - mean) ** 2, 0.0).sum(axis=0) / n)


class MixedNeighborsClassifier(_Baseline):
    """Nearest neighbors with Euclidean distances, where different categories have distance 1.

    Ties between neighbors are resolved in favor of the first training row, ties between classes in
    favor of the first in ``classes_``.

    Parameters
    ----------
    n_neighbors : int or "tune", default="tune"
        Number of neighbors. "tune" chooses among 1, 3, 5, 7, 9, 11, 15, 21, 31 and 41 by 5-fold
        cross-validation on the training rows; the smallest one in case of ties.
    scale : {"variance", "range"} or None, default=None
        Whether to divide numeric columns by their standard deviation or their range. If None, they
        are not scaled, and columns with large numbers dominate.
    random_state : int or None, default=None
        Seed of the inner folds. None is equivalent to 0.

    Attributes
    ----------
    n_neighbors_ : int
        Number of neighbors.
    classes_ : ndarray
        The distinct labels, sorted.
    schema_ : Schema
        The columns.

    Examples
    --------
    >>> X = {"color": ["red", "red", "blue", "blue"], "size": [1.0, 2.0, 8.0, 9.0]}
    >>> model = MixedNeighborsClassifier(1).fit(X, ["small", "small", "large", "large"])
    >>> model.predict({"color": ["blue", "red"], "size": [8.0, 2.5]}).tolist()
    ['large', 'small']
    """

    def __init__(
        self,
        n_neighbors: int | str = "tune",
        *,
        scale: str | None = None,
        random_state: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.scale = scale
        self.random_state = random_state

    def _learn(self, table: Table, target: Target) -> None:
        wanted = self.n_neighbors
        is_count = isinstance(wanted, int | np.integer) and not isinstance(wanted, bool)
        if wanted != "tune" and not (is_count and int(wanted) >= 1):
            raise ValueError(f"n_neighbors must be an int >= 1 or 'tune'. Got {wanted!r} instead.")
        if self.scale not in (None, *_SPREADS):
            raise ValueError(
                f"scale must be None, 'variance' or 'range'. Got {self.scale!r} instead."
            )
        numbers = _numeric_matrix(_complete(table))
        spread = np.ones(numbers.shape[1])
        if self.scale is not None:
            spread = _SPREADS[self.scale](numbers, axis=0)
        self._unit = np.where(spread > 0, spread, 1.0)
        self._rows, self._codes, self._n_classes = table, target.codes, target.n_classes
        self.n_neighbors_ = self._tuned() if wanted == "tune" else min(int(wanted), table.n_rows)

    def _scores(self, table: Table) -> NDArray[np.float64]:
        squares = self._squares(_complete(table))
        votes = _votes(squares, self._codes, self._n_classes)
        for n, counted in enumerate(votes, 1):
            if n == self.n_neighbors_:
                return counted
        return np.zeros((table.n_rows, self._n_classes))  # no rows

    def _tuned(self) -> int:
        smallest = int(np.bincount(self._codes).min())
        folds = min(_INNER_FOLDS, smallest)
        if folds < 2:
            return 1
        squares = self._squares(self._rows)
        seed = choice_seed_of(self.random_state)
        right = dict.fromkeys(_CANDIDATES, 0)
        for train, test in shuffled_folds(self._codes, folds, seed):
            votes = _votes(squares[np.ix_(test, train)], self._codes[train], self._n_classes)
            for n, counted in enumerate(votes, 1):
                if n in right:
                    right[n] += int((counted.argmax(axis=1) == self._codes[test]).sum())
                if n == max(_CANDIDATES):
                    break
        return max(right, key=lambda n: (right[n], -n))

    def _squares(self, table: Table) -> NDArray[np.float64]:
        """Squared distances of rows from the training rows."""
        squares = np.zeros((table.n_rows, self._rows.n_rows))
        sides = (_numeric_matrix(part) / self._unit for part in (table, self._rows))
        for new, known in zip(*(side.T for side in sides), strict=True):
            squares += (new[:, None] - known) ** 2
        for place, column in enumerate(table.schema):
            if not column.is_numeric:
                squares += table.arrays[place][:, None] != self._rows.arrays[place]
        return squares


class TunedC45Classifier(_Baseline):
    """C4.5 with its confidence and its least leaf chosen on the training rows.

    Confidences of 0.05, 0.1, 0.25 and 0.5 and leaves of at least 2, 5, 10 and 20 rows, by 5-fold
    cross-validation; of equally good ones the lowest confidence, then the largest leaf.

    Parameters
    ----------
    random_state : int or None, default=None
        Seed of the inner folds. None is equivalent to 0.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    confidence_, min_samples_leaf_ : float, int
        What was chosen.
    classes_ : ndarray
        The distinct labels, sorted.
    schema_ : Schema
        The columns.

    Examples
    --------
    >>> X = {"color": ["red", "blue"] * 10}
    >>> model = TunedC45Classifier().fit(X, ["small", "large"] * 10)
    >>> model.predict({"color": ["blue"]}).tolist()
    ['large']
    """

    def __init__(self, *, random_state: int | None = None) -> None:
        self.random_state = random_state

    def _learn(self, table: Table, target: Target) -> None:
        seed = choice_seed_of(self.random_state)
        folds = min(_INNER_FOLDS, int(np.bincount(target.codes).min()))
        divided = list(shuffled_folds(target.codes, folds, seed)) if folds > 1 else []
        labels = np.asarray(target.classes)[target.codes]
        found = {}
        for confidence, leaf in itertools.product(_CONFIDENCES, _LEAVES):
            model = C45TreeClassifier(confidence=confidence, min_samples_leaf=leaf)
            found[confidence, leaf] = sum(
                int(np.sum(model.fit(table.take(train), labels[train]).predict(table.take(test))
                           == labels[test]))
                for train, test in divided
            )  # fmt: skip
        chosen = max(found, key=lambda pair: (found[pair], -pair[0], pair[1]))
        self.confidence_, self.min_samples_leaf_ = chosen
        model = C45TreeClassifier(confidence=chosen[0], min_samples_leaf=chosen[1])
        self._model = model.fit(table, labels)
        self.tree_ = self._model.tree_

    def _scores(self, table: Table) -> NDArray[np.float64]:
        return np.asarray(self._model.predict_proba(table))


def _votes(
    squares: NDArray[np.float64], codes: NDArray[np.int32], n_classes: int
) -> Iterator[NDArray[np.float64]]:
    """Votes for each class of the nearest row, the two nearest rows, and so on."""
    order = np.argsort(squares, axis=1, kind="stable")
    counted = np.zeros((len(squares), n_classes))
    rows: Any = np.arange(len(squares))
    for n in range(squares.shape[1]):
        counted[rows, codes[order[:, n]]] += 1
        yield counted


def _complete(table: Table) -> Table:
    for column, array in zip(table.schema, table.arrays, strict=True):
        if column.is_numeric and np.isnan(array).any():
            raise ValueError(
                f"Column {column.name!r} has missing values (NaN), which are not supported. Impute "
                'them first; in a study file, with missing = "most_common".'
            )
    return table
