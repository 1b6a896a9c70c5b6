"""0/1 matrices of well-known tables, the same for all who search for the best tree.

A number becomes the tests "at most t" for five quantiles t, a category one column per value; a
missing value answers no to all of them. "8 ranges" are ranges of equal frequency, each and all
adjacent ones of them a column ("multi-hot"). Columns that are constant, repeated or the opposite
of an earlier one are dropped, since they cannot change the least cost.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mixedwood import datasets

N_THRESHOLDS = 5
RANGES = "8 ranges"  # after the name of a table

TWO_CLASSES = [
    "tic-tac-toe",
    "pima",
    "german",
    "australian",
    "ionosphere",
    "heart-statlog",
    "banknote",
    "banknote, 8 ranges",
    "breast-cancer-wisconsin-original",
    "promoters",
    "mushroom",
    "qsar-biodegradation",
    "spambase",
    "magic04",
]
MANY_CLASSES = [
    "iris",
    "iris, 8 ranges",
    "wine",
    "balance-scale",
    "car",
    "contraceptive",
    "vehicle",
    "segment",
    "waveform",
    "nursery",
    "splice",
    "poker",
]
SETS = [*TWO_CLASSES, *MANY_CLASSES]


class Matrix(NamedTuple):
    """Cells 0 and 1, and the class of each row as 0, 1, ..."""

    cells: np.ndarray
    classes: np.ndarray

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.classes.max()) + 1


def thresholds(numbers: np.ndarray) -> list[np.ndarray]:
    """The tests "at most t" for the quantiles."""
    known = numbers[~np.isnan(numbers)]
    shares = np.arange(1, N_THRESHOLDS + 1) / (N_THRESHOLDS + 1)
    return [numbers <= t for t in np.unique(np.quantile(known, shares, method="lower"))]


def ranges(numbers: np.ndarray, n_ranges: int = 8) -> list[np.ndarray]:
    """Ranges of equal frequency: each of them, and all windows of adjacent ones but the last."""
    ordered = np.sort(numbers[~np.isnan(numbers)])
    cuts: list[float] = []
    for i in range(1, n_ranges):
        value = ordered[i * len(ordered) // n_ranges - 1]  # a cut after a run of equal values
        after = ordered[ordered > value]
        cut = (value + after[0]) / 2 if len(after) else np.inf
        if np.isfinite(cut) and (not cuts or cut > cuts[-1]):
            cuts.append(cut)
    codes = np.searchsorted(cuts, numbers)
    m = len(cuts) + 1
    columns = [codes == j for j in range(m)] if m > 2 else [codes == 0]
    for length in range(2, m - 1):
        columns += [(codes >= j) & (codes < j + length) for j in range(m - length)]
    return columns


def distinct(columns: list[np.ndarray]) -> np.ndarray:
    """A matrix of columns that differ from all before, also from their opposites."""
    seen, kept = set(), []
    for column in columns:
        shape = (column ^ column[0]).tobytes()  # the same for a column and its opposite
        if column.any() and not column.all() and shape not in seen:
            seen.add(shape)
            kept.append(column)
    return np.column_stack(kept).astype(np.uint8)


def make_matrix(name: str) -> Matrix:
    """Load a table and make it 0/1."""
    table, _, how = name.partition(", ")
    if table == "waveform":
        data = datasets.make_waveform(5000, random_state=0, frame="pandas")
    else:
        data = datasets.load(table, frame="pandas")
    columns: list[np.ndarray] = []
    for column in data.columns:
        cells = data.X[column.name]
        if column.kind == "numeric":
            numbers = cells.to_numpy(float)
            columns += ranges(numbers) if how == RANGES else thresholds(numbers)
        else:
            columns += [(cells == value).to_numpy(bool) for value in column.categories]
    _, classes = np.unique(np.asarray(data.y), return_inverse=True)
    return Matrix(distinct(columns), classes.astype(np.int32))
