"""Estimators with scikit-learn's manners: any frame in, classes or probabilities out."""

from mixedwood.estimators.base import UnseenValueWarning
from mixedwood.estimators.forest import ForestClassifier
from mixedwood.estimators.random_ordinality import RandomOrdinalityClassifier
from mixedwood.estimators.tree import TreeClassifier

__all__ = [
    "ForestClassifier",
    "RandomOrdinalityClassifier",
    "TreeClassifier",
    "UnseenValueWarning",
]
