"""Growers: from a table and its classes to a tree."""

from mixedwood.growers.greedy import GrowSettings, grow

__all__ = ["GrowSettings", "grow"]
