"""Growers: from a table and its classes to a tree."""

from mixedwood._core import StopFlag
from mixedwood.growers.coded import CodedTable
from mixedwood.growers.greedy import GrowSettings, grow, grow_below
from mixedwood.growers.grow_prune import GrowPruneResult, Iteration, grow_prune

__all__ = [
    "CodedTable",
    "GrowPruneResult",
    "GrowSettings",
    "Iteration",
    "StopFlag",
    "grow",
    "grow_below",
    "grow_prune",
]
