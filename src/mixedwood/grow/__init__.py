"""Growing trees from a table and its classes."""

from mixedwood.grow.encoded import EncodedTable
from mixedwood.grow.greedy import GrowSettings, grow
from mixedwood.grow.grow_prune import GrowPruneResult, Iteration, grow_prune
from mixedwood.grow.linear import LinearSettings, linear_models, read_models

__all__ = [
    "EncodedTable",
    "GrowPruneResult",
    "GrowSettings",
    "Iteration",
    "LinearSettings",
    "grow",
    "grow_prune",
    "linear_models",
    "read_models",
]
