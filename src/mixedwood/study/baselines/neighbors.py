"""Nearest neighbours among categories and numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood._folds import shuffled_folds
from mixedwood._random import choice_seed_of
from mixedwood.data import Table, Target
from mixedwood.study.baselines.base import Baseline, numbers_of

__all__ = ["MixedNeighborsClassifier"]

_CANDIDATES = (1, 3, 5, 7, 9, 11, 15, 21, 31, 41)
_INNER_FOLDS = 5
_SPREADS: dict[str, Callable[..., Any]] = {"variance": np.std, "range": np.ptp}


class MixedNeighborsClassifier(Baseline):
    """Nearest neighbours: Euclidean distance of numbers, 0 or 1 for equal or other categories.

    Of equally near neighbours the first training row is taken; of classes with equally many
    neighbours the first in ``classes_``.

    Parameters
    ----------
    n_neighbors : int or "tune", default="tune"
        How many neighbours vote. "tune" takes the best of 1, 3, 5, 7, 9, 11, 15, 21, 31 and 41 by
        five-fold cross-validation of the training rows; of equally good ones the smallest.
    scale : {"variance", "range"} or None, default=None
        Whether to divide numbers by their standard deviation, or by the range of a column, so that
        they differ by at most 1, like categories. As they are, columns of large numbers decide.
    random_state : int or None, default=None
        Seeds the inner folds. None is the same as 0.

    Attributes
    ----------
    n_neighbors_ : int
        How many neighbours vote.
    classes_ : ndarray
        The distinct labels, sorted.
    schema_ : Schema
        What the columns are.

    Examples
    --------
    >>> X = {"colour": ["red", "red", "blue", "blue"], "size": [1.0, 2.0, 8.0, 9.0]}
    >>> model = MixedNeighborsClassifier(1).fit(X, ["small", "small", "large", "large"])
    >>> model.predict({"colour": ["blue", "red"], "size": [8.0, 2.5]}).tolist()
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
            raise ValueError(f"n_neighbors must be a number above 0 or 'tune'; got {wanted!r}.")
        if self.scale not in (None, *_SPREADS):
            raise ValueError(f"scale must be None, 'variance' or 'range'; got {self.scale!r}.")
        numbers = numbers_of(_complete(table))
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
        return np.zeros((table.n_rows, self._n_classes))  # no rows to answer for

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
        """Squares of the distances of rows from the training rows."""
        squares = np.zeros((table.n_rows, self._rows.n_rows))
        sides = (numbers_of(part) / self._unit for part in (table, self._rows))
        for new, known in zip(*(side.T for side in sides), strict=True):
            squares += (new[:, None] - known) ** 2
        for place, column in enumerate(table.schema):
            if not column.is_numeric:
                squares += table.arrays[place][:, None] != self._rows.arrays[place]
        return squares


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
                f"Column {column.name!r} has gaps (NaN), which have no distance from a number. "
                'Fill them first; in a study file, by missing = "most_common".'
            )
    return table
