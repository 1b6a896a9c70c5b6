"""Trees for gradient boosting: their answers are steps down a loss."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood.data import Target
from mixedwood.growers.coded import CodedTable, fill
from mixedwood.growers.greedy import limit
from mixedwood.tree import Tree

__all__ = ["BinnedTable", "GradientSettings", "GradientTree", "grow_gradient_tree"]


@dataclass(frozen=True)
class GradientSettings:
    """What is tried at a node, and when to stop; checked by the caller.

    The meaning of each is that of the parameter of `BoostedTreesClassifier` of the same name, with
    numbers in place of shares and names; -1 stands for no limit. `order` is "sorted",
    "random_per_tree" or "random_per_node"; `adjusted` is ``selection="adjusted"``.
    """

    order: str = "random_per_node"
    max_depth: int = -1
    max_leaf_nodes: int = -1
    best_first: bool = False
    min_samples_leaf: float = 1
    min_hessian: float = 0.0
    l2: float = 1.0
    nominal_l2: float = 0.0
    smoothing: float = 0.0
    min_gain: float = 0.0
    max_columns: int = -1
    adjusted: bool = False
    unseen: str = "node"
    n_threads: int = 1


@dataclass(frozen=True)
class BinnedTable:
    """A table in which each number is one of at most `max_bins` bins of about the same weight."""

    coded: CodedTable
    max_bins: int = 255
    weights: NDArray[np.float64] | None = None  # of the rows; None: 1 each

    @cached_property
    def native(self) -> _core.BinnedTable:
        """The bins, for the native core."""
        return _core.BinnedTable(self.coded.native, self.max_bins, self.weights)


@dataclass(frozen=True)
class GradientTree:
    """A tree, the step of each of its nodes (one number per output), and the node of each row."""

    tree: Tree
    steps: NDArray[np.float64]
    node_of_row: NDArray[np.int32]


def grow_gradient_tree(
    table: BinnedTable,
    target: Target,
    gradients: NDArray[np.float64],
    hessians: NDArray[np.float64],
    settings: GradientSettings,
    *,
    rows: NDArray[np.int32],
    others: NDArray[np.int32],
    columns: NDArray[np.int32] | None = None,
    seed: int = 0,
    time_limit: float = math.inf,
) -> GradientTree:
    """Grow a tree whose splits lower the loss most, by one Newton step in each leaf.

    Parameters
    ----------
    table, target
        All rows; the classes only tell what the nodes hold.
    gradients, hessians : ndarray of shape (n_rows, n_outputs)
        First and second derivatives of the loss.
    settings : GradientSettings
        What is tried, and when to stop.
    rows, others : ndarray of int32
        Rows to learn from, and rows that are only told which node answers them.
    columns : ndarray of int32, optional
        Columns that may be used; all by default.
    seed : int, default=0
        Of what is random.
    time_limit : float, default=inf
        Seconds; nodes that are not reached by then are leaves.

    Returns
    -------
    GradientTree
        The tree and its steps.

    Examples
    --------
    >>> import numpy as np
    >>> from mixedwood.data import read_table, read_target
    >>> table = BinnedTable(CodedTable(read_table({"x": [1, 2, 3, 4]})))
    >>> down = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    >>> all_rows = np.arange(4, dtype=np.int32)
    >>> grown = grow_gradient_tree(
    ...     table, read_target([0, 0, 1, 1]), down, np.ones((4, 1)), GradientSettings(l2=0.0),
    ...     rows=all_rows, others=all_rows[:0],
    ... )
    >>> grown.steps[grown.node_of_row, 0].tolist()
    [-1.0, -1.0, 1.0, 1.0]
    """
    arrays = _core.gradient_tree(
        table.native,
        gradients,
        hessians,
        target.codes,
        target.weights,
        target.n_classes,
        rows,
        others,
        columns,
        _native_settings(settings, seed),
        time_limit,
    )
    arrays.pop("complete")
    n = len(arrays["split_kind"])
    steps = arrays.pop("values").reshape(n, -1)
    node_of_row = arrays.pop("node_of_row")
    return GradientTree(_tree(arrays, table, target), steps, node_of_row)


def _native_settings(chosen: GradientSettings, seed: int) -> _core.GradientSettings:
    return fill(
        _core.GradientSettings(),
        category_order=chosen.order,
        max_depth=limit(chosen.max_depth),
        max_leaf_nodes=limit(chosen.max_leaf_nodes),
        best_first=chosen.best_first,
        min_samples_leaf=chosen.min_samples_leaf,
        min_child_weight=chosen.min_hessian,
        l2_regularization=chosen.l2,
        cat_l2=chosen.nominal_l2,
        cat_smooth=chosen.smoothing,
        min_split_gain=chosen.min_gain,
        max_features=limit(chosen.max_columns),
        selection="adjusted" if chosen.adjusted else "score",
        handle_unknown="stop" if chosen.unseen == "node" else chosen.unseen,
        n_threads=chosen.n_threads,
        seed=seed,
    )


def _tree(arrays: dict[str, Any], table: BinnedTable, target: Target) -> Tree:
    n = len(arrays["split_kind"])
    return Tree(
        schema=table.coded.table.schema,
        classes=target.classes,
        statistics=arrays.pop("statistics").reshape(n, -1),
        **arrays,
    )
