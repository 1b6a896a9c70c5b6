"""Pruning: functions from a tree to a smaller tree, and their names for estimators."""

from mixedwood.pruning.collapse import collapse, merge_equal_leaves
from mixedwood.pruning.cost_complexity import (
    CostComplexityPath,
    CrossValidatedPath,
    cost_complexity_path,
    cross_validated_alpha,
    path_errors,
    stratified_folds,
)
from mixedwood.pruning.pessimistic import pessimistic
from mixedwood.pruning.pruner import Pruner, pruners
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
