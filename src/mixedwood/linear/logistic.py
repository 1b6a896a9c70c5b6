"""Logistic regression on a table, with a penalty chosen on held-out rows.

Numbers are standardized and categories one-hot encoded, without one that is left out: the penalty
makes coefficients unique, and shrinks those of rare categories to zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from mixedwood import _kinds as kinds
from mixedwood._parallel import one_blas_thread
from mixedwood._random import LINEAR, spawn
from mixedwood.data import ColumnKind, Table, Target
from mixedwood.linear.design import Design
from mixedwood.linear.ridge import count_terms
from mixedwood.tree.predictor import probabilities

__all__ = ["PENALTIES", "LogisticModel", "fit_logistic"]

Numbers = NDArray[np.float64]
Rows = NDArray[np.intp]

PENALTIES = tuple(float(alpha) for alpha in 10.0 ** np.arange(1.5, -2.5, -0.5))
_BLOCK = 20_000  # rows of the matrix at once
_MIN_GAIN = 1e-3  # in log loss, of another penalty
_MAX_CELLS = 1_000_000  # rows times terms times classes of a fit; of more rows a part is drawn
_MIN_ROWS = 1_000
_PATIENCE = 1e-4  # relative gain of the objective, for which another step is not worth it


@dataclass(frozen=True, eq=False)
class LogisticModel:
    """A linear model of the log odds of classes.

    Attributes
    ----------
    design : Design
        How a table becomes a matrix.
    coefficients : ndarray of shape (n_terms, n_outputs)
        For each column of the matrix; two classes have one output, the log odds of the second.
    intercepts : ndarray of shape (n_outputs,)
        The scores where all columns of the matrix are 0.
    means : ndarray of shape (n_terms,)
        Means of the columns of the matrix in the training rows.
    alpha : float
        The penalty of half the squared coefficients.
    """

    design: Design
    coefficients: Numbers
    intercepts: Numbers
    means: Numbers
    alpha: float

    _fitted: ClassVar[kinds.Fitted] = {
        "design": kinds.instance(Design),
        "coefficients": kinds.array(np.float64, 2, kinds.FINITE),
        "intercepts": kinds.array(np.float64, 1, kinds.FINITE),
        "means": kinds.array(np.float64, 1, kinds.FINITE),
        "alpha": kinds.number(kinds.NONNEGATIVE),
    }

    def _check_fitted(self) -> None:
        n_terms = count_terms(self.design.schema)
        if self.coefficients.shape != (n_terms, len(self.intercepts)) or n_terms != len(self.means):
            raise ValueError("the coefficients of its linear model are not one for each term")

    def scores(self, table: Table) -> Numbers:
        """Compute the log odds of the second of two classes, or one logarithm per class."""
        found = np.empty((table.n_rows, len(self.intercepts)))
        for rows in _blocks(np.arange(table.n_rows)):
            matrix, total = (
                self.design.matrix(table.take(rows)),
                np.zeros((len(rows), found.shape[1])),
            )
            # In order: the sums of a matrix product depend on the processor and on the other rows.
            for j, weights in enumerate(self.coefficients):
                total += matrix[:, j, None] * weights
            found[rows] = total
        return found + self.intercepts

    def by_column(self, one: Table) -> tuple[Numbers, Numbers]:
        """Scores of an average row, and what each column of the first row adds to them."""
        amounts = (self.design.matrix(one)[0] - self.means)[:, None] * self.coefficients
        widths = [c.n_categories if c.kind == ColumnKind.NOMINAL else 1 for c in self.design.schema]
        column = np.repeat(np.arange(len(widths)), widths)
        found = np.zeros((len(widths), len(self.intercepts)))
        np.add.at(found, column, amounts)
        return self.intercepts + self.means @ self.coefficients, found

    def probabilities(self, table: Table, n_jobs: int | None = None) -> Numbers:
        """Compute the class probabilities of each row: shape (n_rows, n_classes)."""
        return probabilities(self.scores(table))


def fit_logistic(
    table: Table,
    target: Target,
    folds: NDArray[np.int64] | None = None,
    alphas: Sequence[float] = PENALTIES,
    *,
    seed: int = 0,
    goes_on: Callable[[], bool] = lambda: True,
) -> tuple[LogisticModel, Numbers] | None:
    """Fit a linear model with the penalty whose log loss on held-out rows is least.

    Penalties are tried from the largest to smaller ones, until the loss grows.

    Parameters
    ----------
    table, target : Table, Target
        Training data, all of positive weight. Of very many rows, a part is used.
    folds : ndarray of int, optional
        The fold of each row; rows of fold -1 are in all training sets. Without folds, the first
        penalty is used.
    alphas : sequence of float
        Penalties, descending.
    seed : int, default=0
        Seed of the part of the rows.
    goes_on : callable
        Whether there is time for another fit.

    Returns
    -------
    LogisticModel
        The model of all rows.
    ndarray of shape (n_rows, n_classes)
        Class probabilities of each row by the model that was fitted without its fold; NaN for other
        rows. In place of both, None if time was too short.

    Examples
    --------
    >>> from mixedwood.data import read_table, read_target
    >>> table = read_table({"x": [1.0, 2.0, 3.0, 4.0]})
    >>> model, _ = fit_logistic(table, read_target(["a", "a", "b", "b"]), alphas=[1e-3])
    >>> model.probabilities(table).round(1)[:, 1].tolist()
    [0.0, 0.0, 1.0, 1.0]
    """
    n_outputs = 1 if target.n_classes == 2 else target.n_classes
    width = n_outputs * (count_terms(table.schema) + 1)
    most = max(_MIN_ROWS, _MAX_CELLS // width)
    folds = np.full(target.n_rows, -1) if folds is None else folds
    part = np.arange(target.n_rows)
    if target.n_rows > most:
        part = np.sort(spawn(seed, LINEAR).choice(target.n_rows, most, replace=False))
    weights = None if target.weights is None else target.weights[part]
    design = Design.fit(table.take(part), weights)
    matrix = design.matrix(table.take(part))
    problem = _Problem(matrix, target.codes[part], target.n_classes, weights)
    numbers = [fold for fold in np.unique(folds).tolist() if fold >= 0]
    training = [np.flatnonzero(folds[part] != fold) for fold in numbers]
    testing = [np.flatnonzero(folds == fold) for fold in numbers]
    tested = np.concatenate(testing) if testing else part[:0]
    fitted: list[Numbers | None] = [None] * len(numbers)
    out_of_fold = np.full((target.n_rows, target.n_classes), np.nan)
    best, least = float(alphas[0]), np.inf
    for alpha in alphas if numbers else ():
        if not goes_on():
            break
        found = np.empty_like(out_of_fold)
        for place, rows in enumerate(testing):
            fitted[place] = beta = problem.solve(training[place], float(alpha), fitted[place])
            for block in _blocks(rows):
                found[block] = problem.predict(_matrix_of(design, table, block, part, matrix), beta)
        of_truth = np.maximum(found[tested, target.codes[tested]], 1e-6)
        own = None if target.weights is None else target.weights[tested]
        loss = float(np.average(-np.log(of_truth), weights=own))
        gain = least - loss
        if gain > 0:
            best, least = float(alpha), loss
            out_of_fold[tested] = found[tested]
        if gain < _MIN_GAIN:
            break
    if numbers and np.isinf(least):
        return None
    beta = problem.solve(np.arange(len(part)), best, fitted[0] if fitted else None)
    means = np.average(matrix, axis=0, weights=weights)
    return LogisticModel(design, beta[:-1], beta[-1], np.asarray(means), best), out_of_fold


def _matrix_of(design: Design, table: Table, rows: Rows, part: Rows, matrix: Numbers) -> Numbers:
    """The matrix of some rows; it is there if all rows are in the part that is used."""
    return matrix[rows] if len(part) == table.n_rows else design.matrix(table.take(rows))


class _Problem:
    """Fits rows of a matrix; the last row of what it finds are the intercepts."""

    def __init__(
        self, matrix: Numbers, codes: NDArray[np.int32], n_classes: int, weights: Numbers | None
    ) -> None:
        self.matrix, self.codes, self.n_classes = matrix, codes, n_classes
        self.weights = np.ones(len(codes)) if weights is None else weights / weights.mean()
        self.n_outputs = 1 if n_classes == 2 else n_classes

    def predict(self, matrix: Numbers, beta: Numbers) -> Numbers:
        """Class probabilities."""
        return probabilities(matrix @ beta[:-1] + beta[-1])

    def solve(self, rows: Rows, alpha: float, start: Numbers | None) -> Numbers:
        """Minimize the log loss plus half the penalty of squares, by L-BFGS."""
        whole = len(rows) == len(self.codes)
        matrix = self.matrix if whole else self.matrix[rows]
        codes, weights = self.codes[rows], self.weights[rows]
        places = np.arange(len(rows))
        shape = (matrix.shape[1] + 1, self.n_outputs)
        if start is None:
            counts = np.bincount(codes, weights, self.n_classes) + 0.5
            logs = np.log(counts / counts.sum())
            start = np.zeros(shape)
            start[-1] = logs[1:] - logs[:1] if self.n_outputs == 1 else logs
        total = weights.sum()

        def objective(flat: Numbers) -> tuple[float, Numbers]:
            beta = flat.reshape(shape)
            fitted = self.predict(matrix, beta)
            loss = -weights @ np.log(np.maximum(fitted[places, codes], 1e-300))
            loss += alpha / 2 * (beta[:-1] ** 2).sum()
            fitted[places, codes] -= 1.0
            own = fitted[:, 1:] if self.n_outputs == 1 else fitted
            own = own * weights[:, None]
            slope = np.vstack([matrix.T @ own + alpha * beta[:-1], own.sum(axis=0)])
            return loss / total, slope.ravel() / total

        options = {"maxiter": 100, "ftol": _PATIENCE, "gtol": 1e-4}
        with one_blas_thread():
            found = minimize(objective, start.ravel(), jac=True, method="L-BFGS-B", options=options)
        return np.asarray(found.x).reshape(shape)


def _blocks(rows: Rows) -> list[Rows]:
    return [rows[first : first + _BLOCK] for first in range(0, len(rows), _BLOCK)]
