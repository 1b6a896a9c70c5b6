"""Weights of the members of an ensemble, from predictions of rows that they were not fitted on."""

from __future__ import annotations

import math
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray

__all__ = ["MIN_PROBABILITY", "mixture_loss", "mixture_weights", "stacking_weights"]

Numbers = NDArray[np.float64]

MIN_PROBABILITY = 1e-6  # a single confident error must not dominate
_PRIOR_ROWS = 10.0  # rows that the weights before any row are worth


def mixture_weights(
    of_true_class: Numbers,
    weights: Numbers | None = None,
    *,
    start: Numbers | None = None,
    max_iter: int = 200,
    tol: float = 1e-5,
) -> Numbers:
    """Find the weights, not negative and of sum 1, of the greatest likelihood of a mixture.

    The log likelihood is concave. Steps of the expectation-maximization algorithm never lower it,
    and the largest derivative bounds what is left to gain, which is when they end. Ten further rows
    for which all members are equally good keep the weights of a few rows from being extreme.

    Parameters
    ----------
    of_true_class : ndarray of shape (n_rows, n_members)
        The probability of each row's class by each member.
    weights : ndarray of shape (n_rows,), optional
        Weights of rows.
    start : ndarray of shape (n_members,), optional
        Weights to start with; equal ones by default.
    max_iter : int, default=200
        Maximum number of steps.
    tol : float, default=1e-5
        The gain in mean log likelihood that is not worth another step.

    Examples
    --------
    >>> import numpy as np
    >>> half = np.array([[0.9, 0.2], [0.2, 0.9]] * 50)
    >>> mixture_weights(half).round(2).tolist()
    [0.5, 0.5]
    >>> mixture_weights(np.array([[0.9, 0.2]] * 500)).round(2).tolist()
    [0.99, 0.01]
    """
    given = np.maximum(of_true_class, MIN_PROBABILITY)
    n_members = given.shape[1]
    rows = np.ones(len(given)) if weights is None else np.asarray(weights, np.float64)
    total = float(rows.sum())
    prior = _PRIOR_ROWS / n_members
    found = np.full(n_members, 1 / n_members) if start is None else np.maximum(start, 1e-9)
    found = found / found.sum()
    rows = rows * (len(given) / total)  # weights of rows have no scale
    for _ in range(max_iter):
        # The fraction of each row that each member accounts for, over its weight.
        fractions = (rows / (given @ found)) @ given
        slope = (fractions + prior / found) / (len(given) + _PRIOR_ROWS)
        found = found * slope
        found /= found.sum()
        if slope.max() <= 1 + tol:
            break
    return np.asarray(found)


def mixture_loss(of_true_class: Numbers, found: Numbers, weights: Numbers | None = None) -> float:
    """Compute the log loss of a mixture.

    Examples
    --------
    >>> import numpy as np
    >>> round(mixture_loss(np.array([[1.0, 0.5]]), np.array([0.5, 0.5])), 4)
    0.2877
    """
    mixed = np.maximum(of_true_class, MIN_PROBABILITY) @ found
    return float(np.average(-np.log(mixed), weights=weights))


def stacking_weights(residuals: Numbers, weights: Numbers | None = None) -> tuple[Numbers, float]:
    """Find the weights, not negative and of sum 1, of the least squared error of an average.

    The minimum is exact: for each set of members the best weights of sum 1 have a closed form, and
    the best of those without negative weights is the solution.

    Parameters
    ----------
    residuals : ndarray of shape (n_rows, n_members)
        Numbers less the predictions of each member.
    weights : ndarray of shape (n_rows,), optional
        Weights of rows.

    Returns
    -------
    ndarray of shape (n_members,)
        The weights.
    float
        The root mean squared error of the average: the squares of large numbers may overflow.

    Examples
    --------
    >>> import numpy as np
    >>> stacking_weights(np.array([[1.0, -1.0], [2.0, -2.0]]))[0]
    array([0.5, 0.5])
    """
    n_rows, n_members = residuals.shape
    scale = float(np.abs(residuals).max(initial=0.0)) or 1.0
    scaled = residuals / scale
    row_weights = np.ones(n_rows) if weights is None else weights
    gram = scaled.T @ (row_weights[:, None] * scaled) / row_weights.sum()
    best, least = np.zeros(n_members), math.inf
    sets = chain.from_iterable(
        combinations(range(n_members), size) for size in range(1, n_members + 1)
    )
    for chosen in sets:
        size = len(chosen)
        system = np.zeros((size + 1, size + 1))  # of the Lagrangian
        system[:size, :size] = gram[np.ix_(chosen, chosen)]
        system[:size, size] = system[size, :size] = 1.0
        solution = np.linalg.lstsq(system, np.eye(size + 1)[size], rcond=None)[0][:size]
        if not (solution >= -1e-12).all():
            continue
        found = np.zeros(n_members)
        found[list(chosen)] = np.maximum(solution, 0.0)
        found /= found.sum()
        loss = float(found @ gram @ found)
        if loss < least - 1e-12 * gram.max():
            best, least = found, loss
    return best, math.sqrt(max(0.0, least)) * scale
