"""The Gaussian kernel, over all training rows or over a few of them drawn at random."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mixedwood import _kinds as kinds
from mixedwood._limits import NO_DEADLINE, Deadline
from mixedwood._random import LANDMARKS, spawn

__all__ = ["GaussianKernel"]

_CHUNK = 1024  # rows between two looks at the clock
# With a larger gamma, a squared distance that overflows means a kernel of 0: exp(-746) is 0.
_SMALLEST = 746.0 / np.finfo(np.float64).max


@dataclass(frozen=True)
class GaussianKernel:
    """Turns a row x into exp(-gamma |x - l|^2) for each landmark l.

    With fewer landmarks than training rows this is the reduced kernel of the reduced support vector
    machine (Lee and Mangasarian 2001): all rows are learned from, but only the landmarks have
    coefficients.

    Attributes
    ----------
    landmarks : ndarray of shape (n_landmarks, n_columns)
        Training rows, each once.
    gamma : float
        How fast the kernel falls.
    """

    landmarks: NDArray[np.float64]
    gamma: float

    _fitted: ClassVar[kinds.Fitted] = {
        "landmarks": kinds.array(np.float64, 2, kinds.FINITE),
        "gamma": kinds.number(kinds.NONNEGATIVE),
    }

    @classmethod
    def learn(
        cls,
        rows: NDArray[np.float64],
        weights: NDArray[np.float64] | None = None,
        *,
        gamma: float | str = "scale",
        n_landmarks: int = 500,
        seed: int = 0,
    ) -> GaussianKernel:
        """Draw the landmarks, and find gamma if it is "scale": 1 / (columns * variance).

        Copies of a row are one landmark: a row twice is the same as a row of weight 2.

        Examples
        --------
        >>> kernel = GaussianKernel.learn(np.array([[0.0], [2.0], [2.0], [0.0]]))
        >>> kernel.gamma
        1.0
        >>> kernel.matrix(np.array([[0.0]])).round(4)
        array([[1.    , 0.0183]])
        """
        found = _inverse_variance(rows, weights) if isinstance(gamma, str) else float(gamma)
        if not _SMALLEST < found < np.inf:
            raise ValueError(_why_not(rows, gamma, found))
        if len(rows) > n_landmarks:
            drawn = spawn(seed, LANDMARKS).choice(len(rows), n_landmarks, replace=False)
            rows = rows[np.sort(drawn)]
        if rows.shape[1]:
            rows = np.unique(rows, axis=0)
        return cls(np.ascontiguousarray(rows), found)

    def matrix(
        self, rows: NDArray[np.float64], deadline: Deadline = NO_DEADLINE
    ) -> NDArray[np.float64] | None:
        """One row of the kernel for each row; None when the deadline comes first."""
        from scipy.spatial.distance import cdist  # on first use: it takes a while to import

        found = np.ones((len(rows), len(self.landmarks)))
        if rows.shape[1] == 0:
            return found
        for begin in range(0, len(rows), _CHUNK):
            if deadline.is_over():
                return None
            part = slice(begin, begin + _CHUNK)
            with np.errstate(over="ignore", under="ignore"):
                squares = cdist(rows[part], self.landmarks, "sqeuclidean")
                np.exp(-self.gamma * squares, out=found[part])
        return found


def _inverse_variance(rows: NDArray[np.float64], weights: NDArray[np.float64] | None) -> float:
    """1 / (columns * variance); 1 if all numbers are the same, 0 or infinite if that overflows."""
    if rows.size == 0 or rows.min() == rows.max():
        return 1.0
    shares = np.ones(len(rows)) if weights is None else weights / weights.max()
    shares = shares / (shares.sum() * rows.shape[1])
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        mean = float((shares @ rows).sum())
        variance = (shares @ np.square(rows - mean)).sum()
        return float(1.0 / (rows.shape[1] * variance))


def _why_not(rows: NDArray[np.float64], gamma: float | str, found: float) -> str:
    if not isinstance(gamma, str):
        return f"gamma = {gamma:g} is too small for distances between rows. Use a larger gamma."
    size = "large" if found < 1.0 else "small"
    return (
        "gamma='scale' is 1 / (columns * variance), but the variance of the numbers of X is too "
        f"{size} for a floating-point number; the largest is {np.abs(rows).max():g}. "
        "Use standardize=True, divide X by its largest number, or give gamma."
    )
