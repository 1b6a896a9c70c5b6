"""Trees for gradient boosting, whose leaves hold Newton steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood.data import Target
from mixedwood.grow.encoded import EncodedTable, fill
from mixedwood.tree import Tree

__all__ = ["BinnedTable", "GradientSettings", "GradientTree", "grow_gradient_tree"]


@dataclass(frozen=True)
class GradientSettings:
    """How a gradient tree is grown, and when to stop; checked by the caller.

    Each field means what the parameter of `BoostedTreesClassifier` of the same name means, with
    numbers of rows and columns in place of fractions and names. None is no limit.
    `category_order` is "sorted", "random_per_tree", "random_per_node" or "target_statistics".
    `monotonic_cst` has a sign for each column, or none. `dispersion` is the variance of the
    gradients over the hessians, which is 1 for the log loss.
    """

    category_order: str = "random_per_node"
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    best_first: bool = False
    min_samples_leaf: float = 1
    min_child_weight: float = 0.0
    l2_regularization: float = 1.0
    cat_l2: float = 0.0
    cat_smooth: float = 0.0
    min_split_gain: float = 0.0
    max_features: int | None = None
    half_of_others: bool = False
    selection: str = "score"
    dispersion: float = 1.0
    handle_unknown: str = "stop"
    n_threads: int = 1
    monotonic_cst: NDArray[np.int8] = field(
        default_factory=lambda: np.zeros(0, dtype=np.int8), compare=False
    )


@dataclass(frozen=True)
class BinnedTable:
    """A table in which each number is one of at most `max_bins` bins of about the same weight."""

    coded: EncodedTable
    max_bins: int = 255
    weights: NDArray[np.float64] | None = None  # of the rows; None: 1 each

    @cached_property
    def native(self) -> _core.BinnedTable:
        """The bins, for the native core."""
        return _core.BinnedTable(self.coded.native, self.max_bins, self.weights)


@dataclass
class GradientTree:
    """A tree, the step of each of its nodes (one number per output), and the node of each row.

    With target statistics, training rows may be in another node than the tree sends new rows to.
    The tree is made when it is asked for: where sizes are chosen, only the steps are.
    """

    steps: NDArray[np.float64]
    node_of_row: NDArray[np.int32]
    make_tree: Callable[[], Tree]

    @cached_property
    def tree(self) -> Tree:
        """The tree."""
        return self.make_tree()


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
    steps_only: bool = False,
) -> GradientTree:
    """Grow a tree whose splits lower the loss most, by one Newton step in each leaf.

    Parameters
    ----------
    table, target
        All rows; classes or numbers are only used for the statistics of the nodes.
    gradients, hessians : ndarray of shape (n_rows, n_outputs)
        First and second derivatives of the loss.
    settings : GradientSettings
        How to grow, and when to stop.
    rows, others : ndarray of int32
        Training rows, and rows that are only routed to their node.
    columns : ndarray of int32, optional
        Columns that may be used; all by default.
    seed : int, default=0
        Seed of random parts.
    time_limit : float, default=inf
        Seconds; nodes that are not reached by then are leaves.
    steps_only : bool, default=False
        Whether the tree itself will not be asked for.

    Returns
    -------
    GradientTree
        The tree and its steps.

    Examples
    --------
    >>> import numpy as np
    >>> from mixedwood.data import read_table, read_target
    >>> table = BinnedTable(EncodedTable(read_table({"x": [1, 2, 3, 4]})))
    >>> down = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    >>> all_rows = np.arange(4, dtype=np.int32)
    >>> grown = grow_gradient_tree(
    ...     table, read_target([0, 0, 1, 1]), down, np.ones((4, 1)),
    ...     GradientSettings(l2_regularization=0.0), rows=all_rows, others=all_rows[:0],
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
        target.n_classes or 1,
        target.numbers if target.is_numeric and not steps_only else None,
        rows,
        others,
        columns,
        fill(_core.GradientSettings(), settings, seed=seed),
        time_limit,
    )
    arrays.pop("complete")
    n = len(arrays["split_kind"])
    steps = arrays.pop("values").reshape(n, -1)
    node_of_row = arrays.pop("node_of_row")
    make_tree = partial(_tree, arrays, table, target)
    return GradientTree(steps, node_of_row, make_tree)


def _tree(arrays: dict[str, Any], table: BinnedTable, target: Target) -> Tree:
    if not target.is_numeric:
        arrays["statistics"] = arrays["statistics"].reshape(-1, target.n_classes)
        return Tree.checked(table.coded.table.schema, target.classes, arrays)
    arrays["statistics"] = arrays["statistics"].reshape(-1, 4)
    schema = table.coded.table.schema
    return Tree.checked(schema, target.classes, arrays, loss="squared_error")
