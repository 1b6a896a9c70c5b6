"""Estimators with scikit-learn's manners: any frame in, classes or probabilities out."""

from mixedwood.estimators.base import IdentifierWarning, TimeLimitWarning, UnseenValueWarning
from mixedwood.estimators.blend import EnsembleClassifier
from mixedwood.estimators.boosted import BoostedTreesClassifier
from mixedwood.estimators.forest import ForestClassifier
from mixedwood.estimators.grow_prune import GrowPruneTreeClassifier
from mixedwood.estimators.grow_prune_forest import GrowPruneForestClassifier
from mixedwood.estimators.model_tree import ModelTreeClassifier
from mixedwood.estimators.optimal import NoTreeError, OptimalTreeClassifier
from mixedwood.estimators.random_ordinality import RandomOrdinalityClassifier
from mixedwood.estimators.smooth_svc import SmoothSVC
from mixedwood.estimators.tree import TreeClassifier

__all__ = [
    "BoostedTreesClassifier",
    "EnsembleClassifier",
    "ForestClassifier",
    "GrowPruneForestClassifier",
    "GrowPruneTreeClassifier",
    "IdentifierWarning",
    "ModelTreeClassifier",
    "NoTreeError",
    "OptimalTreeClassifier",
    "RandomOrdinalityClassifier",
    "SmoothSVC",
    "TimeLimitWarning",
    "TreeClassifier",
    "UnseenValueWarning",
]
