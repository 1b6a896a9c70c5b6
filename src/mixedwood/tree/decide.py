"""From scores to predictions: the class of the largest score or least cost, or the number."""

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
    cost_matrix : ndarray of shape (n_classes, n_classes), or None
        Cost of predicting each class (column) for rows of each class (row). If None, every mistake
        costs 1.
    """

    classes: NDArray[Any]
    tolerance: float = SUM_TOLERANCE
    kind: Literal["classes", "numbers"] = "classes"
    cost_matrix: NDArray[np.float64] | None = None

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

        With costs, scores are class probabilities, and the class of least expected cost is found:
        of two classes, the second if its probability is above c01 / (c01 + c10).

        Examples
        --------
        >>> import numpy as np
        >>> TargetSpec(np.array(["no", "yes"])).decide(np.array([[0.5, 0.5], [0.2, 0.8]])).tolist()
        [0, 1]
        >>> costly = TargetSpec(np.array(["no", "yes"]), cost_matrix=np.array([[0, 1], [5, 0]]))
        >>> costly.decide(np.array([[0.9, 0.1], [0.8, 0.2]])).tolist()  # 1 / (1 + 5) = 0.167
        [0, 1]
        """
        if self.cost_matrix is None:
            return argmax_with_ties(scores, self.tolerance)
        expected = self.expected_costs(scores)
        return argmax_with_ties(-expected, self.tolerance * float(self.cost_matrix.max()))

    def expected_costs(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Compute the expected cost of each prediction: shape (n_rows, n_classes)."""
        if self.cost_matrix is None:
            return np.asarray(probabilities.sum(axis=1, keepdims=True) - probabilities)
        return np.asarray(probabilities @ self.cost_matrix)

    def labels(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        """Find the class label of each row of scores; a number is its own label."""
        if self.is_numeric:
            return np.ascontiguousarray(scores[:, 0])
        return np.asarray(self.classes[self.decide(scores)])
