"""Growers: from a table and its classes to a tree."""

from mixedwood.growers.coded import CodedTable
from mixedwood.growers.greedy import GrowSettings, grow
from mixedwood.growers.grow_prune import GrowPruneResult, Iteration, grow_prune
from mixedwood.growers.linear_tests import LinearTests, machines, read_machines

__all__ = [
    "CodedTable",
    "GrowPruneResult",
    "GrowSettings",
    "Iteration",
    "LinearTests",
    "grow",
    "grow_prune",
    "machines",
    "read_machines",
]
