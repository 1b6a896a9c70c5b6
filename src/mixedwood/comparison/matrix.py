"""A typed table as a matrix of numbers, for classifiers that know nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import MISSING, Column, Table

__all__ = ["CodedMatrix", "OneHotMatrix"]

# Beyond so many cells the matrix of indicators is kept sparse.
_MOST_DENSE = 50_000_000
# Histogram boosting takes so many categories of a column.
_MOST_CODES = 255


class OneHotMatrix:
    """Indicators of values; medians, and indicators of gaps; learned from training rows."""

    def __init__(self, table: Table, scale: bool) -> None:
        self._columns = [
            _Indicators(column, cells) if column.kind == "nominal" else _Numbers(cells, scale)
            for column, cells in zip(table.schema, table.arrays, strict=True)
        ]
        self._width = sum(column.width for column in self._columns)

    def encode(self, table: Table) -> Any:
        """Make the matrix: dense while that is small, else sparse."""
        if table.n_rows * self._width <= _MOST_DENSE:
            return np.hstack([np.empty((table.n_rows, 0)), *self._blocks(table)])
        from scipy import sparse

        return sparse.hstack(self._blocks(table, sparse.csr_matrix), format="csr")

    def _blocks(self, table: Table, sparse: Any = None) -> list[Any]:
        pairs = zip(self._columns, table.arrays, strict=True)
        return [column.encode(cells, sparse) for column, cells in pairs]


class CodedMatrix:
    """Codes of values, and numbers; NaN where missing."""

    def __init__(self, table: Table, scale: bool) -> None:
        self.is_nominal = np.array([column.kind == "nominal" for column in table.schema], bool)
        self._codes = [
            _codes_kept(column, cells) if column.kind == "nominal" else None
            for column, cells in zip(table.schema, table.arrays, strict=True)
        ]
        self._numbers = [_Scale(_as_numbers(cells), scale) for cells in table.arrays]

    def encode(self, table: Table) -> NDArray[np.float64]:
        """Make the matrix."""
        encoded = np.empty((table.n_rows, table.n_columns))
        for place, cells in enumerate(table.arrays):
            codes = self._codes[place]
            if codes is None:
                encoded[:, place] = self._numbers[place].encode(_as_numbers(cells))
            else:
                encoded[:, place] = codes[cells]
        return encoded


def _codes_kept(column: Column, cells: NDArray[Any]) -> NDArray[np.float64]:
    """New code by old code; the two at the end are of never-seen and of missing values.

    Of more values than histogram boosting takes, the rarest share the last code.
    """
    frequency = np.bincount(cells[cells >= 0], minlength=column.n_categories)
    by_frequency = np.argsort(-frequency, kind="stable")
    codes = np.full(column.n_categories + 2, np.nan)
    codes[by_frequency] = np.minimum(np.arange(column.n_categories), _MOST_CODES - 1)
    return codes


class _Indicators:
    """A column of zeros and ones for each value, and one for missing if any was."""

    def __init__(self, column: Column, cells: NDArray[Any]) -> None:
        self._n_values = column.n_categories
        self.width = column.n_categories + bool((cells == MISSING).any())

    def encode(self, cells: NDArray[Any], sparse: Any = None) -> Any:
        places = np.where(cells == MISSING, self._n_values, cells)
        known = (places >= 0) & (places < self.width)  # a never-seen value has no indicator
        rows, places, shape = np.flatnonzero(known), places[known], (len(cells), self.width)
        if sparse is not None:
            return sparse((np.ones(len(rows)), (rows, places)), shape)
        encoded = np.zeros(shape)
        encoded[rows, places] = 1.0
        return encoded


class _Numbers:
    """A column of numbers without gaps, and one that says where they were if any was."""

    def __init__(self, cells: NDArray[Any], scale: bool) -> None:
        numbers = _as_numbers(cells)
        gaps = np.isnan(numbers)
        self._median = float(np.median(numbers[~gaps])) if not gaps.all() else 0.0
        self._scale = _Scale(np.where(gaps, self._median, numbers), scale)
        self.width = 1 + bool(gaps.any())

    def encode(self, cells: NDArray[Any], sparse: Any = None) -> Any:
        numbers = _as_numbers(cells)
        gaps = np.isnan(numbers)
        filled = self._scale.encode(np.where(gaps, self._median, numbers))
        block = np.column_stack([filled, gaps])[:, : self.width]
        return block if sparse is None else sparse(block)


class _Scale:
    """Mean 0 and variance 1, if wanted; a constant column only loses its mean."""

    def __init__(self, numbers: NDArray[np.float64], scale: bool) -> None:
        self._mean, self._deviation = 0.0, 1.0
        known = numbers[~np.isnan(numbers)]
        if scale and len(known):
            self._mean, deviation = float(known.mean()), float(known.std())
            self._deviation = deviation if deviation > 0 else 1.0

    def encode(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        return (numbers - self._mean) / self._deviation


def _as_numbers(cells: NDArray[Any]) -> NDArray[np.float64]:
    """Numbers as they are; the codes of an ordered column are places in its order."""
    if cells.dtype == np.float64:
        return cells
    return np.where(cells < 0, np.nan, cells.astype(np.float64))
