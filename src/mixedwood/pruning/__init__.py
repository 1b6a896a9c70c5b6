"""Pruners: pure functions from a tree to a smaller one."""

from mixedwood.pruning.collapse import collapse
from mixedwood.pruning.cost_complexity import CostComplexityPath, cost_complexity_path
from mixedwood.pruning.merge_equal import merge_equal_leaves
from mixedwood.pruning.pessimistic import pessimistic
from mixedwood.pruning.reduced_error import reduced_error

__all__ = [
    "CostComplexityPath",
    "collapse",
    "cost_complexity_path",
    "merge_equal_leaves",
    "pessimistic",
    "reduced_error",
]
