"""The paper's ensemble, whose trees compare columns by the score alone."""

from __future__ import annotations

from typing import Any

from mixedwood import GrowPruneForestClassifier, GrowPruneTreeClassifier

__all__ = ["igpa"]


def igpa(n_estimators: int = 101, **parameters: Any) -> GrowPruneForestClassifier:
    """Make an ensemble of the trees that the paper describes.

    Parameters
    ----------
    n_estimators : int, default=101
        Number of trees.
    **parameters
        Further parameters of `GrowPruneForestClassifier`.

    Examples
    --------
    >>> igpa().estimator
    GrowPruneTreeClassifier(selection='score')
    """
    tree = GrowPruneTreeClassifier(selection="score")
    return GrowPruneForestClassifier(tree, n_estimators, **parameters)
