"""The log loss: raw scores, their probabilities, and derivatives.

Two classes have one raw score, the log odds of the second class; more classes have one score each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood.data import Target
from mixedwood.tree.predictor import probabilities

__all__ = ["baseline", "derivatives", "log_loss", "probabilities"]

Numbers = NDArray[np.float64]


def baseline(target: Target, rows: NDArray[np.int32]) -> Numbers:
    """Raw scores of the best constant prediction.

    Examples
    --------
    >>> import numpy as np
    >>> from mixedwood.data import read_target
    >>> baseline(read_target(["a", "b", "b", "b"]), np.arange(4, dtype=np.int32)).round(3)
    array([1.099])
    """
    weights = None if target.weights is None else target.weights[rows]
    counts = np.bincount(target.codes[rows], weights, minlength=target.n_classes)
    # A class without rows is unlikely, not impossible.
    logs = np.log(np.maximum(counts / counts.sum(), 1e-9))
    return np.asarray(logs[1:] - logs[:1] if target.n_classes == 2 else logs)


def log_loss(scores: Numbers, target: Target, rows: NDArray[np.int32]) -> float:
    """Mean negative logarithm of the probability of the true class.

    Examples
    --------
    >>> import numpy as np
    >>> from mixedwood.data import read_target
    >>> two = read_target(["a", "b"])
    >>> round(log_loss(np.zeros((2, 1)), two, np.arange(2, dtype=np.int32)), 3)
    0.693
    """
    true = probabilities(scores[rows])[np.arange(len(rows)), target.codes[rows]]
    weights = None if target.weights is None else target.weights[rows]
    return float(np.average(-np.log(np.maximum(true, 1e-300)), weights=weights))


def derivatives(
    scores: Numbers, target: Target, gradients: Numbers, hessians: Numbers, n_threads: int = 1
) -> None:
    """Write the first and second derivatives of the loss of each row into two arrays."""
    _core.log_loss_derivatives(scores, target.codes, target.weights, gradients, hessians, n_threads)
