"""Growers: from a table and its classes to a tree."""

from mixedwood.growers.greedy import GrowSettings, grow
from mixedwood.growers.grow_prune import GrowPruneResult, Iteration, grow_prune

__all__ = ["GrowPruneResult", "GrowSettings", "Iteration", "grow", "grow_prune"]
