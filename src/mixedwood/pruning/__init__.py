"""Pruners: pure functions from a tree to a smaller one, and their names for estimators."""

from mixedwood.pruning.collapse import collapse
from mixedwood.pruning.cost_complexity import (
    CostComplexityPath,
    cost_complexity_path,
    path_errors,
)
from mixedwood.pruning.cross_validation import (
    CrossValidatedPath,
    cross_validated_alpha,
    stratified_folds,
)
from mixedwood.pruning.merge_equal import merge_equal_leaves
from mixedwood.pruning.pessimistic import pessimistic
from mixedwood.pruning.plan import Pruner, pruners
from mixedwood.pruning.reduced_error import reduced_error
from mixedwood.pruning.shrinkage import shrink

__all__ = [
    "CostComplexityPath",
    "CrossValidatedPath",
    "Pruner",
    "collapse",
    "cost_complexity_path",
    "cross_validated_alpha",
    "merge_equal_leaves",
    "path_errors",
    "pessimistic",
    "pruners",
    "reduced_error",
    "shrink",
    "stratified_folds",
]
