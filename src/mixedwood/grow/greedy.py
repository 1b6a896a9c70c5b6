"""Greedy growth from the root down: each node gets the best split found."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood._limits import StopFlag, stopped_by, warn_time_limit
from mixedwood._parts import Criterion, Partitioner, Screener, native_criterion, takes_costs
from mixedwood.data import Schema, Table, Target, check_same_length
from mixedwood.grow.encoded import EncodedTable, fill
from mixedwood.grow.linear import LinearSettings
from mixedwood.grow.node_models import NodeModels
from mixedwood.grow.random_order import Ranks, as_subsets, draw_ranks
from mixedwood.tree import Tree
from mixedwood.tree.tree import keep_models

__all__ = [
    "GrowSettings",
    "grow",
    "native_arguments",
    "native_costs",
    "native_settings",
    "safe_weights",
    "tree_of",
    "weight_in_growth",
]

_SAFE_WEIGHT = 1e100  # squares of weights, and sums of them, must stay finite


@dataclass(frozen=True)
class GrowSettings:
    """How a tree is grown, and when to stop; checked by the caller.

    Each field means what the parameter of `TreeClassifier` of the same name means, with numbers of
    rows and columns in place of fractions and names. None is no limit.
    """

    criterion: str | Criterion = "gini"
    partitioner: str | Partitioner = "auto"
    screener: object = None
    rules: str = "parts"
    selection: str = "score"
    alpha: float = 1.0
    bonferroni: bool = False
    min_split_gain: float = 0.0
    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    max_leaf_nodes: int | None = None
    best_first: bool = False
    max_features: int | None = None
    handle_missing: str = "learned"
    handle_unknown: str = "stop"
    linear: LinearSettings | None = None
    axis_aligned: bool = True
    # 1, -1 or 0 for each column, or none; only trees of numbers, and of two classes, have them.
    monotonic_cst: NDArray[np.int8] = field(
        default_factory=lambda: np.zeros(0, dtype=np.int8), compare=False
    )


def grow(
    table: Table | EncodedTable,
    target: Target,
    settings: GrowSettings | None = None,
    *,
    seed: int = 0,
    time_limit: float = math.inf,
    rows: NDArray[np.int32] | None = None,
    stop: StopFlag | None = None,
) -> Tree:
    """Grow a tree. If the time limit is reached, open nodes become leaves, with a warning.

    Parameters
    ----------
    table, target
        Training rows; an `EncodedTable` saves work when many trees are grown.
    settings : GrowSettings, optional
        How to grow, and when to stop.
    seed : int, default=0
        Seed of random parts.
    time_limit : float, default=inf
        Seconds.
    rows : ndarray of int32, optional
        Rows to grow from; a row may come several times. All by default.
    stop : StopFlag, optional
        Once it is set, by another thread, growth ends with a `CancelledError`.

    Examples
    --------
    >>> from mixedwood.data import read_table, read_target
    >>> table = read_table({"colour": ["red", "blue", "green", "blue"]})
    >>> print(grow(table, read_target(["yes", "no", "yes", "no"])).to_text())
    [0] root (4)
    |   [1] colour = blue (or missing): no (100 % of 2)
    |   [2] colour in {green, red}: yes (100 % of 2)
    """
    given = native_arguments(table, target, settings or GrowSettings(), seed, rows)
    with stopped_by(stop) as flag:
        arrays = _core.grow(*given.arguments, time_limit, rows, None, flag)
    if not arrays.pop("complete"):
        warn_time_limit(
            "The time limit came before the tree was complete; nodes that were not reached are "
            "leaves."
        )
    if given.ranks is not None:
        as_subsets(arrays, given.ranks, len(given.schema))
    return tree_of(arrays, given, target)


class NativeArguments(NamedTuple):
    """Rows and settings for the native core, and what is needed to make a tree of its arrays."""

    arguments: tuple[_core.EncodedTable, NDArray[np.int32], Any, int, _core.GrowSettings]
    schema: Schema
    scale: float  # of the weights
    ranks: Ranks | None  # of values that were put in a random order
    models: NodeModels  # of nodes; filled by the native core


def native_arguments(
    table: Table | EncodedTable,
    target: Target,
    chosen: GrowSettings,
    seed: int,
    rows: NDArray[np.int32] | None = None,
) -> NativeArguments:
    """Turn a table, its classes and settings into what the native core takes."""
    coded = table if isinstance(table, EncodedTable) else EncodedTable(table)
    schema = coded.table.schema
    check_same_length(coded.table, target)
    weights, scale = safe_weights(target)
    partitioner = Partitioner.read(chosen.partitioner)
    ranks = None
    if partitioner.options.get("per") == "tree":
        joint = partitioner.settings()["joint"]
        weight = weight_in_growth(coded.table.n_rows, weights, rows)
        ranks = draw_ranks(coded.table, weight, seed, joint)
        coded, partitioner = coded.in_order(ranks), Partitioner("natural_order")
    costs, split_costs = native_costs(target.cost_matrix, chosen)
    models = NodeModels(coded.table.arrays)
    linear = None if chosen.linear is None else chosen.linear.native(models)
    settings = native_settings(chosen, partitioner, seed, costs, split_costs, linear)
    arguments = (coded.native, target.codes, weights, target.n_classes, settings)
    return NativeArguments(arguments, schema, scale, ranks, models)


def native_settings(
    chosen: GrowSettings,
    partitioner: Partitioner,
    seed: int,
    costs: NDArray[np.float64],
    split_costs: NDArray[np.float64],
    linear: Any = None,
) -> _core.GrowSettings:
    """Turn settings into those of the native core."""
    return fill(
        _core.GrowSettings(
            native_criterion(chosen.criterion, split_costs),
            partitioner.native(),
            [screener.native() for screener in Screener.read_all(chosen.screener)],
            linear,
        ),
        chosen,
        seed=seed,
        costs=costs,
        split_costs=split_costs,
    )


def native_costs(
    matrix: NDArray[np.float64] | None, chosen: GrowSettings
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give the costs of labels, and those of the criterion, which are symmetric.

    Of two classes, costs only scale the criterion.
    """
    none = np.empty(0)
    if matrix is None:
        return none, none
    in_splits = chosen.rules == "parts" and takes_costs(chosen.criterion) and len(matrix) > 2
    return matrix.ravel(), ((matrix + matrix.T) / 2).ravel() if in_splits else none


def tree_of(arrays: dict[str, Any], given: NativeArguments, target: Target) -> Tree:
    """Make a tree of the arrays of the native core."""
    schema, scale = given.schema, given.scale
    arrays["statistics"] = arrays["statistics"].reshape(-1, target.n_classes)
    if given.models.models:
        arrays = keep_models(arrays, len(schema), given.models.models)
    elif scale == 1.0:
        return Tree.checked(schema, target.classes, arrays, target.cost_matrix)
    # Sums of huge weights may be infinite, which the checks report.
    for name in ("statistics", "weighted_n_node_samples"):
        arrays[name] = arrays[name] * scale
    return Tree(schema=schema, classes=target.classes, cost_matrix=target.cost_matrix, **arrays)


def weight_in_growth(
    n_rows: int, weights: NDArray[np.float64] | None, rows: NDArray[np.int32] | None
) -> NDArray[np.float64]:
    """How much of each row there is, copies counted."""
    times = np.ones(n_rows, np.int64) if rows is None else np.bincount(rows, minlength=n_rows)
    return times.astype(np.float64) if weights is None else times * weights


def safe_weights(target: Target) -> tuple[np.ndarray | None, float]:
    """Weights that can be squared and added up, and what they were divided by."""
    weights = target.weights
    if weights is None:
        return None, 1.0
    largest = float(weights.max(initial=0.0))
    if 1 / _SAFE_WEIGHT < largest < _SAFE_WEIGHT:
        return weights, 1.0
    scale = 2.0 ** math.floor(math.log2(largest)) if largest > 0 else 1.0
    return weights / scale, scale
