"""Greedy growth: from the root down, the best test of each node, never taken back."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood.data import ColumnKind, Table, Target, check_same_length
from mixedwood.growers.random_order import grow_in_random_order
from mixedwood.parts import Criterion, Partitioner, read_acceptors, read_criterion, read_partitioner
from mixedwood.tree import Tree

__all__ = ["GrowSettings", "grow"]

_KINDS = {ColumnKind.NOMINAL: "c", ColumnKind.ORDINAL: "o", ColumnKind.NUMERIC: "n"}
_SAFE_WEIGHT = 1e100  # squares of weights, and sums of them, must stay finite


@dataclass(frozen=True)
class GrowSettings:
    """What is tried at a node, what is accepted, and when to stop; checked by the caller.

    The meaning of each is that of the parameter of `TreeClassifier` of the same name, with numbers
    in place of shares and names; -1 stands for no limit.
    """

    criterion: str | Criterion = "gini"
    partitioner: str | Partitioner = "auto"
    acceptor: object = None
    rules: str = "parts"
    selection: str = "score"
    max_p: float = 1.0
    bonferroni: bool = False
    min_gain: float = 0.0
    max_depth: int = -1
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    max_leaf_nodes: int = -1
    best_first: bool = False
    max_columns: int = -1
    missing: str = "learned"
    unseen: str = "node"


def grow(
    table: Table,
    target: Target,
    settings: GrowSettings | None = None,
    *,
    seed: int = 0,
    time_limit: float = math.inf,
    rows: NDArray[np.int32] | None = None,
) -> Tree:
    """Grow a tree; nodes that a time limit left unsplit are leaves, and a warning says so.

    With `rows`, whose numbers may repeat, the tree is grown on these rows of the table.

    Examples
    --------
    >>> from mixedwood.data import read_table, read_target
    >>> table = read_table({"colour": ["red", "blue", "green", "blue"]})
    >>> print(grow(table, read_target(["yes", "no", "yes", "no"])).to_text())
    [0] root (4)
    |   [1] colour = blue (or missing): no (100 % of 2)
    |   [2] colour in {green, red}: yes (100 % of 2)
    """
    chosen = settings or GrowSettings()
    check_same_length(table, target)
    if rows is not None:
        table, target = table.take(rows), target.take(rows)
    if read_partitioner(chosen.partitioner).options.get("per") == "tree":
        thresholds = replace(chosen, partitioner="natural_order")
        return grow_in_random_order(
            lambda rows, classes: grow(rows, classes, thresholds, seed=seed, time_limit=time_limit),
            table,
            target,
            seed,
        )
    weights, scale = _safe_weights(target)
    name, custom = read_criterion(chosen.criterion)
    partitioner = read_partitioner(chosen.partitioner)
    arrays = _core.grow(
        list(table.arrays),
        [column.n_values for column in table.schema],
        "".join(_KINDS[column.kind] for column in table.schema),
        target.codes,
        weights,
        target.n_classes,
        {
            "criterion": name,
            "custom": custom,
            "partitioner": partitioner.name,
            "options": partitioner._encoded(),
            "acceptors": read_acceptors(chosen.acceptor),
            "rules": chosen.rules,
            "selection": chosen.selection,
            "max_p": float(chosen.max_p),
            "bonferroni": bool(chosen.bonferroni),
            "min_gain": float(chosen.min_gain),
            "max_depth": int(chosen.max_depth),
            "min_split": float(chosen.min_samples_split),
            "min_leaf": float(chosen.min_samples_leaf),
            "max_leaves": int(chosen.max_leaf_nodes),
            "best_first": bool(chosen.best_first),
            "max_columns": int(chosen.max_columns),
            "fractional": chosen.missing == "fractional",
            "missing_is_value": chosen.missing == "category",
            "unseen": chosen.unseen,
            "seed": seed,
        },
        time_limit,
    )
    if not arrays.pop("complete"):
        warnings.warn(
            "The time limit came before the tree was complete; nodes that were not reached are "
            "leaves.",
            RuntimeWarning,
            stacklevel=2,
        )
    n = len(arrays["kind"])
    nothing = np.zeros(n + 1, dtype=np.int32)
    return Tree(
        schema=table.schema,
        classes=target.classes,
        term_offset=nothing,
        term_column=nothing[:0],
        term_weight=np.zeros(0),
        intercept=np.zeros(n),
        counts=arrays.pop("counts").reshape(n, -1) * scale,
        weight=arrays.pop("weight") * scale,
        **arrays,
    )


def _safe_weights(target: Target) -> tuple[np.ndarray | None, float]:
    """Weights that can be squared and added up, and what they were divided by."""
    weights = target.weights
    if weights is None:
        return None, 1.0
    largest = float(weights.max(initial=0.0))
    if 1 / _SAFE_WEIGHT < largest < _SAFE_WEIGHT:
        return weights, 1.0
    scale = 2.0 ** math.floor(math.log2(largest)) if largest > 0 else 1.0
    return weights / scale, scale
