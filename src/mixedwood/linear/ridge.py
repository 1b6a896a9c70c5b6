"""Ridge regression on a table (Hoerl and Kennard 1970), with a penalty chosen by cross-validation.

Sums of products of all columns are computed once for each fold. Those of a training set are the
total less those of the fold, and one eigendecomposition of them serves all penalties.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mixedwood import _kinds as kinds
from mixedwood.data import ColumnKind, Schema, Table, Target
from mixedwood.linear.design import Design

__all__ = ["ALPHAS", "RidgeModel", "count_terms", "fit_ridge"]

Numbers = NDArray[np.float64]

ALPHAS = tuple(float(alpha) for alpha in 10.0 ** np.arange(-2, 4.5, 0.5))
_BLOCK = 20_000  # rows of the matrix at once


@dataclass(frozen=True, eq=False)
class RidgeModel:
    """A linear model of indicators of categories and standardized numbers.

    Attributes
    ----------
    design : Design
        How a table becomes a matrix.
    coefficients : ndarray of shape (n_terms,)
        One for each column of the matrix.
    intercept : float
        The prediction where all columns of the matrix are 0.
    alpha : float
        The penalty of squared coefficients.
    """

    design: Design
    coefficients: Numbers
    intercept: float
    alpha: float

    _fitted: ClassVar[kinds.Fitted] = {
        "design": kinds.instance(Design),
        "coefficients": kinds.array(np.float64, 1, kinds.FINITE),
        "intercept": kinds.REAL,
        "alpha": kinds.number(kinds.NONNEGATIVE),
    }

    def _check_fitted(self) -> None:
        if len(self.coefficients) != count_terms(self.design.schema):
            raise ValueError("the coefficients of its linear model are not one for each term")

    def predict(self, table: Table, n_jobs: int | None = None) -> Numbers:
        """Predict the number of each row."""
        found = np.empty(table.n_rows)
        for rows in _blocks(np.arange(table.n_rows)):
            matrix = self.design.matrix(table.take(rows))
            # In order: the sums of a matrix product depend on the processor and on the other rows.
            found[rows] = sum(
                (matrix[:, j] * weight for j, weight in enumerate(self.coefficients)),
                start=np.zeros(len(matrix)),
            )
        return found + self.intercept


def count_terms(schema: Schema) -> int:
    """Count the columns of the matrix of a table.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> count_terms(read_table({"age": [20.0, 40.0], "on": ["a", "b"]}).schema)
    3
    """
    return sum(c.n_categories if c.kind == ColumnKind.NOMINAL else 1 for c in schema)


def fit_ridge(
    table: Table,
    target: Target,
    folds: NDArray[np.int64] | None = None,
    alphas: Sequence[float] = ALPHAS,
) -> tuple[RidgeModel, Numbers]:
    """Fit a linear model with the penalty whose squared error on held-out rows is least.

    Parameters
    ----------
    table, target : Table, Target
        Training data, all of positive weight.
    folds : ndarray of int, optional
        The fold of each row; rows of fold -1 are in all training sets. Without folds, the first
        penalty is used.
    alphas : sequence of float
        Penalties; of equally good ones, the first.

    Returns
    -------
    RidgeModel
        The model of all rows.
    ndarray of shape (n_rows,)
        Predictions of each row by the model that was fitted without its fold; NaN for other rows.

    Examples
    --------
    >>> from mixedwood.data import read_numbers, read_table
    >>> table = read_table({"x": [1.0, 2.0, 3.0, 4.0]})
    >>> model, _ = fit_ridge(table, read_numbers([2, 4, 6, 8]), alphas=[1e-9])
    >>> model.predict(table).round(3).tolist()
    [2.0, 4.0, 6.0, 8.0]
    """
    design = Design.fit(table, target.weights)
    y = target.numbers
    scale = float(np.abs(y).max()) or 1.0  # keeps squares from overflowing
    weights = np.ones(len(y)) if target.weights is None else target.weights
    folds = np.full(len(y), -1) if folds is None else folds
    products = {
        fold: _products(design, table, y / scale, weights, np.flatnonzero(folds == fold))
        for fold in np.unique(folds).tolist()
    }
    total = np.sum(list(products.values()), axis=0)
    out_of_fold = np.full((len(alphas), len(y)), np.nan)
    for fold, own in products.items():
        if fold < 0:
            continue
        coefficients, intercepts = _solve(total - own, alphas)
        for rows in _blocks(np.flatnonzero(folds == fold)):
            found = coefficients @ design.matrix(table.take(rows)).T
            out_of_fold[:, rows] = scale * (found + intercepts[:, None])
    best, tested = 0, folds >= 0
    if tested.any():
        residuals = (out_of_fold[:, tested] - y[tested]) / scale
        best = int(np.argmin(residuals**2 @ weights[tested]))
    coefficients, intercepts = _solve(total, alphas[best : best + 1])
    model = RidgeModel(
        design, scale * coefficients[0], float(scale * intercepts[0]), float(alphas[best])
    )
    return model, out_of_fold[best]


def _blocks(rows: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    return [rows[first : first + _BLOCK] for first in range(0, len(rows), _BLOCK)]


def _products(
    design: Design, table: Table, y: Numbers, weights: Numbers, rows: NDArray[np.int64]
) -> Numbers:
    """Weighted sums of products of the columns of the matrix, of 1 and of y."""
    n = count_terms(design.schema) + 2
    total = np.zeros((n, n))
    for part in _blocks(rows):
        columns = [design.matrix(table.take(part)), np.ones((len(part), 1)), y[part, None]]
        matrix = np.hstack(columns)
        total += matrix.T @ (weights[part, None] * matrix)
    return total


def _solve(products: Numbers, alphas: Sequence[float]) -> tuple[Numbers, Numbers]:
    """Coefficients and intercept for each penalty; the intercept has no penalty."""
    weight = products[-2, -2] or 1.0
    means, mean = products[-2, :-2] / weight, products[-2, -1] / weight
    gram = products[:-2, :-2] - weight * np.outer(means, means)
    moments = products[:-2, -1] - weight * mean * means
    values, vectors = np.linalg.eigh(gram)
    values = np.maximum(values, 0.0)  # negative ones are rounding errors
    projected = vectors.T @ moments
    damped = projected / (values + np.asarray(alphas)[:, None])
    coefficients = damped @ vectors.T
    return coefficients, mean - coefficients @ means
