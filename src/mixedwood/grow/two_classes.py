"""Trees for two classes with monotonic constraints, grown as trees of one number.

The number is the probability of the second class. Gini and entropy are losses of it, so that the
grower of numbers finds the same splits, and can bound the probabilities of nodes.
"""

from __future__ import annotations

import math
from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from mixedwood._limits import StopFlag
from mixedwood._parts import Partitioner
from mixedwood.data import Table, Target
from mixedwood.grow.encoded import EncodedTable
from mixedwood.grow.greedy import GrowSettings
from mixedwood.grow.numbers import NumberSettings, number_arguments
from mixedwood.tree import TargetSpec, Tree

__all__ = ["TWO_CLASS_CRITERIA", "TWO_CLASS_PARTITIONERS", "grow_two_classes"]

TWO_CLASS_CRITERIA = ("gini", "entropy")
"""Criteria that are losses of a probability."""

_EXACT = ("auto", "exact", "two_class_order")  # the best two groups of two classes
TWO_CLASS_PARTITIONERS = (*_EXACT, "random_order", "random_subset")
"""Searches for groups of categories that trees of one number have, too."""


def grow_two_classes(
    table: Table | EncodedTable,
    target: Target,
    settings: GrowSettings,
    *,
    seed: int = 0,
    time_limit: float = math.inf,
    rows: NDArray[np.int32] | None = None,
    stop: StopFlag | None = None,
) -> Tree:
    """Grow a tree for two classes by ``settings.monotonic_cst``; see `grow`.

    Examples
    --------
    >>> from mixedwood.data import read_table, read_target
    >>> table = read_table({"x": [1.0, 2.0, 3.0, 4.0]})
    >>> rising = GrowSettings(monotonic_cst=np.array([1], dtype=np.int8))
    >>> tree = grow_two_classes(table, read_target([1, 0, 0, 1]), rising)
    >>> tree.probabilities[tree.apply(table), 1].round(2).tolist()
    [0.33, 0.33, 0.33, 1.0]
    """
    partitioner = settings.partitioner
    if getattr(partitioner, "name", partitioner) in _EXACT:
        partitioner = "mean_order"
    elif not isinstance(partitioner, Partitioner):
        partitioner = Partitioner.read(partitioner)
    chosen = {field.name: getattr(settings, field.name) for field in fields(settings)}
    numbers = replace(
        target,
        classes=np.empty(0),
        cost_matrix=None,
        values=np.asarray(target.codes == 1, dtype=np.float64),
    )
    given = number_arguments(
        table, numbers, NumberSettings(**chosen | {"partitioner": partitioner}), seed, rows
    )
    arrays = given.grow(time_limit, rows, stop)
    given.finish(arrays)
    second = arrays["statistics"][:, 1]
    probabilities = np.column_stack([1.0 - second, second])[:, : target.n_classes]
    arrays["statistics"] = probabilities * arrays["weighted_n_node_samples"][:, None]
    arrays["label"] = TargetSpec(target.classes, cost_matrix=target.cost_matrix).decide(
        probabilities
    )
    return Tree.checked(given.schema, target.classes, arrays, target.cost_matrix)
