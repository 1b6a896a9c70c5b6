"""From scores to predictions: the class of the largest score, or the number itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["LOSSES", "SUM_TOLERANCE", "WEKA_TOLERANCE", "TargetSpec", "argmax_with_ties"]

LOSSES = ("squared_error", "poisson", "absolute_error")
"""Losses of trees that predict numbers."""

WEKA_TOLERANCE = 1e-6
"""Probabilities of a single tree that differ by less are equal, as in WEKA's C4.5."""

SUM_TOLERANCE = 1e-9
"""Sums over trees that differ by less are equal: the order of addition changes the last digits."""


def argmax_with_ties(
    scores: NDArray[np.float64], tol: float | NDArray[np.float64] = 0.0
) -> NDArray[np.int32]:
    """Find the position of the largest score in each row; of equal scores, the first.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_scores)
        Scores.
    tol : float or ndarray of shape (n_rows, 1), default=0.0
        Scores that are smaller than the largest by at most this are equal to it.

    Returns
    -------
    ndarray of int32 and shape (n_rows,)
        Positions.

    Examples
    --------
    >>> import numpy as np
    >>> argmax_with_ties(np.array([[0.2, 0.4, 0.4], [0.1, 0.1, 0.8]])).tolist()
    [1, 2]
    >>> argmax_with_ties(np.array([[0.5, 0.5 + 1e-9], [0.4, 0.6]]), 1e-6).tolist()
    [0, 1]
    """
    near = scores >= scores.max(axis=1, keepdims=True) - tol
    return np.asarray(np.argmax(near, axis=1), np.int32)


@dataclass(frozen=True, eq=False)
class TargetSpec:
    """What a model predicts, and how scores become predictions.

    Attributes
    ----------
    classes : ndarray
        Class labels, as in ``classes_`` of scikit-learn; empty if numbers are predicted.
    tolerance : float
        Scores that differ by at most this are equal; the first of equal classes is predicted.
    kind : {"classes", "numbers"}
        The kind of target.
    """

    classes: NDArray[Any]
    tolerance: float = SUM_TOLERANCE
    kind: Literal["classes", "numbers"] = "classes"

    @classmethod
    def numbers(cls) -> TargetSpec:
        """Describe a target of numbers.

        Examples
        --------
        >>> TargetSpec.numbers().labels(np.array([[1.5], [2.0]])).tolist()
        [1.5, 2.0]
        """
        return cls(np.empty(0), kind="numbers")

    @property
    def is_numeric(self) -> bool:
        """Whether numbers are predicted."""
        return self.kind == "numbers"

    @property
    def n_outputs(self) -> int:
        """Number of values per row: one per class, or a single number."""
        return 1 if self.is_numeric else len(self.classes)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    def decide(self, scores: NDArray[np.float64]) -> NDArray[np.int32]:
        """Find the class of each row of scores, as positions in `classes`.

        Examples
        --------
        >>> import numpy as np
        >>> TargetSpec(np.array(["no", "yes"])).decide(np.array([[0.5, 0.5], [0.2, 0.8]])).tolist()
        [0, 1]
        """
        return argmax_with_ties(scores, self.tolerance)

    def labels(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        """Find the class label of each row of scores; a number is its own label."""
        if self.is_numeric:
            return np.ascontiguousarray(scores[:, 0])
        return np.asarray(self.classes[self.decide(scores)])
