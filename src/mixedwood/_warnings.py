"""Warnings of the library that programs may want to tell apart.

They have a module of their own because scikit-learn is imported for them, which splitting a column
does without.
"""

from __future__ import annotations

from sklearn.exceptions import ConvergenceWarning

__all__ = ["IdentifierWarning", "TimeLimitWarning", "UnknownCategoryWarning"]


class IdentifierWarning(UserWarning):
    """A column of the training data identifies its rows."""


class TimeLimitWarning(ConvergenceWarning):  # type: ignore[misc]
    """A limit of time or work came first: the model is the best one found so far."""


class UnknownCategoryWarning(UserWarning):
    """New rows hold values of a column that no training row had."""
