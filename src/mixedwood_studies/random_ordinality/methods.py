"""Methods of the study: WEKA's random tree and random forest."""

from __future__ import annotations

from typing import Any

from mixedwood import ForestClassifier, TreeClassifier

__all__ = ["weka_random_forest", "weka_random_tree"]


def weka_random_tree(max_features: float | str | None = 0, **parameters: Any) -> TreeClassifier:
    """Make a tree with the rules of WEKA's RandomTree: random columns at each node, no pruning.

    Multiway splits by information gain; rows with missing values are divided among the children.

    Parameters
    ----------
    max_features : int, float, "sqrt" or "log2", default=0
        Number of columns drawn at each node. As in WEKA, 0 is int(log2(columns)) + 1.
    **parameters
        Further parameters of `TreeClassifier`.

    Examples
    --------
    >>> weka_random_tree(3, random_state=0).pruning is None
    True
    """
    preset: dict[str, Any] = {
        "criterion": "entropy",
        "partitioner": "multiway",
        "rules": "random_tree",
        "selection": "score",
        "handle_missing": "fractional",
        "max_features": max_features,
        "pruning": None,
    }
    return TreeClassifier(**{**preset, **parameters})


def weka_random_forest(n_estimators: int = 50, **parameters: Any) -> ForestClassifier:
    """Make a random forest as WEKA does: random trees on log2(columns) + 1 columns.

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
    given = {"estimator": weka_random_tree(), "n_estimators": n_estimators, **parameters}
    return ForestClassifier(**given)
