"""From a table to a matrix: indicators of categories, and standardized numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood import _kinds as kinds
from mixedwood.data import Column, ColumnKind, Schema, Table

__all__ = ["ColumnScale", "Design"]


_POWERS_OF_TWO = kinds.Numbers(
    "a power of two from 2^-1000 to 2^1000",
    lambda v: 2.0**-1000 <= v <= 2.0**1000 and math.frexp(v)[0] == 0.5,
)


@dataclass(frozen=True)
class ColumnScale:
    """Standardization of one column: (x / size - mean) / spread.

    Attributes
    ----------
    size : float
        A power of two near the largest absolute value. Division by it is exact, and keeps sums of
        squares from overflowing.
    mean : float
        Mean of x / size, which also replaces missing values.
    spread : float
        Standard deviation of x / size; infinite for a constant column, which becomes 0.
    """

    size: float
    mean: float
    spread: float

    _fitted: ClassVar[kinds.Fitted] = {
        "size": kinds.number(_POWERS_OF_TWO),
        "mean": kinds.REAL,
        "spread": kinds.number(kinds.Numbers("above 0", lambda v: v > 0)),
    }

    @classmethod
    def fit(cls, numbers: NDArray[np.float64], weights: NDArray[np.float64] | None) -> ColumnScale:
        """Compute the scale of a column; NaN is missing."""
        return cls(*_core.measure_column(numbers, weights))

    def without_scaling(self) -> ColumnScale:
        """Leave numbers unchanged; missing ones are still replaced by the mean."""
        return ColumnScale(1.0, self.mean * self.size, 1.0)


@dataclass(frozen=True)
class Design:
    """How the columns of a table become columns of a matrix, fitted to training rows.

    A numeric column is one standardized column of the matrix; so is an ordinal one, by the
    positions of its categories. A nominal column is one-hot encoded. Missing numbers and positions
    are replaced by the mean; the indicators of a missing value or unknown category are all 0.

    Attributes
    ----------
    schema : Schema
        The columns of the table.
    scales : tuple of ColumnScale or None
        One for each column; None for nominal ones.
    centered : bool
        Whether numbers are standardized.
    """

    schema: Schema
    scales: tuple[ColumnScale | None, ...]
    centered: bool

    _fitted: ClassVar[kinds.Fitted] = {
        "schema": kinds.instance(Schema),
        "scales": kinds.tuple_of(kinds.optional(kinds.instance(ColumnScale))),
        "centered": kinds.FLAG,
    }

    @classmethod
    def fit(
        cls, table: Table, weights: NDArray[np.float64] | None = None, *, standardize: bool = True
    ) -> Design:
        """Fit to training rows, all of positive weight.

        Examples
        --------
        >>> from mixedwood.data import read_table
        >>> table = read_table({"age": [20.0, 40.0, None], "on": ["a", "b", "a"]})
        >>> design = Design.fit(table)
        >>> design.terms
        ('age', 'on = a', 'on = b')
        >>> design.matrix(table)
        array([[-1.,  1.,  0.],
               [ 1.,  0.,  1.],
               [ 0.,  1.,  0.]])
        """
        scales: list[ColumnScale | None] = []
        for column, array in zip(table.schema, table.arrays, strict=True):
            if column.kind == ColumnKind.NOMINAL:
                scales.append(None)
                continue
            scale = ColumnScale.fit(_as_numbers(column, array), weights)
            scales.append(scale if standardize else scale.without_scaling())
        return cls(table.schema, tuple(scales), standardize)

    @property
    def terms(self) -> tuple[str, ...]:
        """Names of the columns of the matrix."""
        names: list[str] = []
        for column in self.schema:
            if column.kind == ColumnKind.NOMINAL:
                names += [
                    str(value) if column.is_combination(code) else f"{column.name} = {value}"
                    for code, value in enumerate(column.categories)
                ]
            else:
                names.append(column.name)
        return tuple(names)

    def matrix(self, table: Table) -> NDArray[np.float64]:
        """Matrix of the rows of a table; all numbers are finite."""
        widths = [1 if scale else c.n_categories for c, scale in self._columns()]
        firsts = np.cumsum([0, *widths])
        found = np.zeros((table.n_rows, int(firsts[-1])))
        columns, scales, places = [], [], []
        for (column, scale), array, first in zip(
            self._columns(), table.arrays, firsts.tolist(), strict=False
        ):
            if scale is None:
                known = np.flatnonzero(array >= 0)
                found[known, first + array[known]] = 1.0
            elif self.centered:
                columns.append(_as_numbers(column, array))
                scales.append((scale.size, scale.mean, scale.spread))
                places.append(first)
            else:
                numbers = _as_numbers(column, array)
                found[:, first] = np.where(np.isnan(numbers), scale.mean, numbers)
        _core.scale_columns(
            columns,
            np.array(scales, dtype=np.float64).reshape(-1, 3),
            np.array(places, dtype=np.int64),
            found,
        )
        return found

    def original_units(
        self, coefficients: NDArray[np.float64], intercepts: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Coefficients in original units, from those for the matrix; one row per hyperplane."""
        coefficients, intercepts = coefficients.copy(), intercepts.copy()
        first = 0
        with np.errstate(over="ignore"):  # of numbers like 1e-310
            for column, scale in self._columns():
                if scale is None:
                    first += column.n_categories
                    continue
                if self.centered:
                    coefficients[:, first] /= scale.spread
                    intercepts -= coefficients[:, first] * scale.mean
                    coefficients[:, first] /= scale.size
                first += 1
        return coefficients, intercepts

    def _columns(self) -> list[tuple[Column, ColumnScale | None]]:
        return list(zip(self.schema, self.scales, strict=True))


def _as_numbers(column: Column, array: NDArray[np.generic]) -> NDArray[np.float64]:
    if column.is_numeric:
        return array  # type: ignore[return-value]
    return np.where(array >= 0, array, np.nan)  # type: ignore[operator]
