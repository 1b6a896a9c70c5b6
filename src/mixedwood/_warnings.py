"""Warning categories.

This module imports scikit-learn, which `mixedwood.splits` does not need.
"""

from __future__ import annotations

from sklearn.exceptions import ConvergenceWarning

__all__ = ["IdentifierWarning", "TimeLimitWarning", "UnknownCategoryWarning"]


class IdentifierWarning(UserWarning):
    """A categorical column has a different value in nearly every row."""


class TimeLimitWarning(ConvergenceWarning):  # type: ignore[misc]
    """A time or work limit was reached; the model is the best one found so far."""


class UnknownCategoryWarning(UserWarning):
    """New rows contain categories that did not occur in training."""
