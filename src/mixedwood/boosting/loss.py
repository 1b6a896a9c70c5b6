"""The log loss: scores, the probabilities that they stand for, and derivatives.

Two classes have one score, the log odds of the second class; more classes have one score each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood.data import Target

__all__ = ["derivatives", "first_scores", "log_loss", "probabilities"]

Numbers = NDArray[np.float64]


def first_scores(target: Target, rows: NDArray[np.int32]) -> Numbers:
    """Scores of the best answer that is the same for all rows.

    Examples
    --------
    >>> import numpy as np
    >>> from mixedwood.data import read_target
    >>> first_scores(read_target(["a", "b", "b", "b"]), np.arange(4, dtype=np.int32)).round(3)
    array([1.099])
    """
    weights = None if target.weights is None else target.weights[rows]
    counts = np.bincount(target.codes[rows], weights, minlength=target.n_classes)
    # A class without rows is unlikely, not impossible.
    logs = np.log(np.maximum(counts / counts.sum(), 1e-9))
    return np.asarray(logs[1:] - logs[:1] if target.n_classes == 2 else logs)


def probabilities(scores: Numbers) -> Numbers:
    """Class probabilities of rows of scores.

    Examples
    --------
    >>> import numpy as np
    >>> probabilities(np.array([[0.0]])).tolist()
    [[0.5, 0.5]]
    """
    logs = np.hstack([np.zeros_like(scores), scores]) if scores.shape[1] == 1 else scores
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def log_loss(scores: Numbers, target: Target, rows: NDArray[np.int32]) -> float:
    """Mean of minus the logarithm of the right class's probability.

    Examples
    --------
    >>> import numpy as np
    >>> from mixedwood.data import read_target
    >>> two = read_target(["a", "b"])
    >>> round(log_loss(np.zeros((2, 1)), two, np.arange(2, dtype=np.int32)), 3)
    0.693
    """
    right = probabilities(scores[rows])[np.arange(len(rows)), target.codes[rows]]
    weights = None if target.weights is None else target.weights[rows]
    return float(np.average(-np.log(np.maximum(right, 1e-300)), weights=weights))


def derivatives(
    scores: Numbers, target: Target, gradients: Numbers, hessians: Numbers, n_threads: int = 1
) -> None:
    """Write first and second derivatives of each row's loss into two arrays."""
    _core.log_loss_derivatives(scores, target.codes, target.weights, gradients, hessians, n_threads)
