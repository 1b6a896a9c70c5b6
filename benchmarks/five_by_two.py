"""Alpaydin's combined F test of two methods over five repetitions of two-fold cross-validation.

E. Alpaydin, "Combined 5x2 cv F test for comparing supervised classification learning algorithms",
Neural Computation 11, 1999.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import f as f_distribution


def combined_f_test(differences: np.ndarray) -> tuple[float, float]:
    """Statistic and p-value for differences of error rates, one row of two folds per repetition.

    Large values speak against equal error. The reference is F with 10 and 5 degrees of freedom for
    five repetitions. Without any variance inside the repetitions the statistic is infinite, unless
    all differences are 0.
    """
    differences = np.asarray(differences, float)
    if differences.ndim != 2 or differences.shape[1] != 2:
        raise ValueError(
            f"differences have the shape {differences.shape}; one row of two per repetition is "
            "needed, such as (5, 2)."
        )
    means = differences.mean(axis=1, keepdims=True)
    variances = ((differences - means) ** 2).sum()
    squares = (differences**2).sum()
    if squares == 0.0:
        return 0.0, 1.0
    if variances == 0.0:
        return float("inf"), 0.0
    repetitions = len(differences)
    statistic = float(squares / (2.0 * variances))
    return statistic, float(f_distribution.sf(statistic, 2 * repetitions, repetitions))


def verdict(ours: np.ndarray, theirs: np.ndarray, level: float = 0.05) -> str:
    """Better, worse or equal: ours by errors per fold, in the order of repetitions."""
    differences = (np.asarray(ours, float) - np.asarray(theirs, float)).reshape(-1, 2)
    if combined_f_test(differences)[1] >= level:
        return "equal"
    return "better" if differences.mean() < 0.0 else "worse"
