"""Alpaydin's combined F test of two methods over five repetitions of two-fold cross-validation."""

from __future__ import annotations

import numpy as np

from mixedwood.stats import five_by_two_cv_f_test


def combined_f_test(differences: np.ndarray) -> tuple[float, float]:
    """Statistic and p-value for differences of error rates, one row of two folds per repetition."""
    differences = np.asarray(differences, float)
    found = five_by_two_cv_f_test(differences, np.zeros_like(differences))
    return found.statistic, found.p_value


def verdict(ours: np.ndarray, theirs: np.ndarray, level: float = 0.05) -> str:
    """Better, worse or equal: ours by errors per fold, in the order of repetitions."""
    errors = [np.asarray(method, float).reshape(-1, 2) for method in (ours, theirs)]
    winner = five_by_two_cv_f_test(*errors, names=("ours", "theirs"), alpha=level).winner
    return {"ours": "better", "theirs": "worse", None: "equal"}[winner]
