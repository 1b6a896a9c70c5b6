"""Growing trees from a table and its classes or numbers."""

from mixedwood.grow.encoded import EncodedTable
from mixedwood.grow.greedy import GrowSettings, grow
from mixedwood.grow.grow_prune import GrowPruneResult, Iteration, grow_prune
from mixedwood.grow.linear import LinearSettings, linear_models, read_models
from mixedwood.grow.numbers import NUMBER_PARTITIONERS, NumberSettings, grow_numbers
from mixedwood.grow.two_classes import (
    TWO_CLASS_CRITERIA,
    TWO_CLASS_PARTITIONERS,
    grow_two_classes,
)

__all__ = [
    "NUMBER_PARTITIONERS",
    "TWO_CLASS_CRITERIA",
    "TWO_CLASS_PARTITIONERS",
    "EncodedTable",
    "GrowPruneResult",
    "GrowSettings",
    "Iteration",
    "LinearSettings",
    "NumberSettings",
    "grow",
    "grow_numbers",
    "grow_prune",
    "grow_two_classes",
    "linear_models",
    "read_models",
]
