"""Methods of the study: WEKA's random forest."""

from __future__ import annotations

from typing import Any

from mixedwood import ForestClassifier
from mixedwood.estimators.c45 import RandomTreeClassifier

__all__ = ["weka_random_forest"]


def weka_random_forest(n_estimators: int = 50, **parameters: Any) -> ForestClassifier:
    """Make a random forest as WEKA does: random trees on int(log2(columns)) + 1 columns.

    The trees have multiway splits by information gain, divide rows with missing values among the
    children, and are not pruned.

    Parameters
    ----------
    n_estimators : int, default=50
        Number of trees.
    **parameters
        Further parameters of `ForestClassifier`.

    Examples
    --------
    >>> weka_random_forest().estimator.max_features
    0
    """
    given = {"estimator": RandomTreeClassifier(), "n_estimators": n_estimators, **parameters}
    return ForestClassifier(**given)
