"""Pruners: pure functions from a tree to a smaller one."""

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
from mixedwood.pruning.reduced_error import reduced_error
from mixedwood.pruning.shrinkage import shrink

__all__ = [
    "CostComplexityPath",
    "CrossValidatedPath",
    "cost_complexity_path",
    "cross_validated_alpha",
    "merge_equal_leaves",
    "path_errors",
    "reduced_error",
    "shrink",
    "stratified_folds",
]
