"""Growers: from a table and its classes to a tree."""

from mixedwood.growers.coded import CodedTable
from mixedwood.growers.greedy import GrowSettings, grow, grow_below

__all__ = ["CodedTable", "GrowSettings", "grow", "grow_below"]
