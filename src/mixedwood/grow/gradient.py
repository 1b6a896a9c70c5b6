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
from mixedwood.data import Schema, Target
from mixedwood.grow.encoded import EncodedTable, fill
from mixedwood.tree import Tree

__all__ = [
    "BinnedTable",
    "GradientSettings",
    "GradientTree",
    "Moments",
    "gradient_tree_of_classes",
    "gradient_tree_of_numbers",
    "grow_gradient_tree",
]


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
    make_tree = partial(_tree, arrays, table, target, rows, node_of_row)
    return GradientTree(steps, node_of_row, make_tree)


def _tree(
    arrays: dict[str, Any],
    table: BinnedTable,
    target: Target,
    rows: NDArray[np.int32],
    node_of_row: NDArray[np.int32],
) -> Tree:
    schema = table.coded.table.schema
    if not target.is_numeric:
        return gradient_tree_of_classes(arrays, schema, target.classes)
    node = node_of_row if len(rows) == len(node_of_row) else node_of_row[rows]
    n, y = len(arrays["split_kind"]), target.numbers
    y = y if len(rows) == len(y) else y[rows]  # rows ascend
    weights = None if target.weights is None else target.weights[rows]
    moments = Moments(n)
    moments.add(node, y, weights)
    moments.add_deviations(node, y, weights)
    return gradient_tree_of_numbers(arrays, schema, moments)


def gradient_tree_of_classes(arrays: dict[str, Any], schema: Schema, classes: NDArray[Any]) -> Tree:
    """Make a tree of the arrays of the native core."""
    arrays["statistics"] = arrays["statistics"].reshape(-1, len(classes))
    return Tree.checked(schema, classes, arrays)


def gradient_tree_of_numbers(arrays: dict[str, Any], schema: Schema, moments: Moments) -> Tree:
    """Make a tree of the arrays of the native core and the moments of its leaves."""
    total = arrays.pop("statistics")
    parent = np.zeros(len(total), dtype=np.int32)
    parent[arrays["children"]] = np.repeat(
        np.arange(len(total), dtype=np.int32), np.diff(arrays["child_offset"])
    )
    arrays["statistics"] = moments.towards_root(total, parent)
    return Tree.checked(schema, np.empty(0), arrays, loss="squared_error")


class Moments:
    """Weight, mean and squared deviations of the numbers in each leaf, in any order of the rows.

    First all rows are added, and then all deviations.
    """

    def __init__(self, n_nodes: int) -> None:
        self.n_nodes = n_nodes
        self._sums = _core.ExactSums(n_nodes)
        self._weights = _core.ExactSums(n_nodes)
        self._squares = _core.ExactSums(n_nodes)
        self._counts = np.zeros(n_nodes)

    def add(
        self, node: NDArray[np.int32], y: NDArray[np.float64], weights: NDArray[np.float64] | None
    ) -> None:
        """Add rows that end in these nodes."""
        if weights is None:
            self._counts += np.bincount(node, minlength=self.n_nodes)
            self._sums.add(y, node)
        else:
            self._weights.add(weights, node)
            self._sums.add(weights * y, node)

    @cached_property
    def weight(self) -> NDArray[np.float64]:
        """Weight of each leaf; 0 of other nodes."""
        return np.asarray(self._counts + self._weights.values())  # one of them is 0

    @cached_property
    def mean(self) -> NDArray[np.float64]:
        """Mean of each leaf."""
        return np.asarray(self._sums.values() / np.where(self.weight > 0, self.weight, 1.0))

    def add_deviations(
        self, node: NDArray[np.int32], y: NDArray[np.float64], weights: NDArray[np.float64] | None
    ) -> None:
        """Add the squared deviations of rows that were added before."""
        off = y - self.mean[node]
        off *= off
        self._squares.add(off if weights is None else weights * off, node)

    def towards_root(
        self, total: NDArray[np.float64], parent_of: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        """Weight (as given), mean, squared deviations and loss (the same) of each node."""
        weight, mean, squares = self.weight.copy(), self.mean.copy(), self._squares.values()
        for child in range(self.n_nodes - 1, 0, -1):  # Chan, Golub and LeVeque (1983)
            parent = parent_of[child]
            both = weight[parent] + weight[child]
            if not both > 0:
                continue
            distance, part = mean[child] - mean[parent], weight[child] / both
            squares[parent] += squares[child] + distance**2 * weight[parent] * part
            mean[parent] += distance * part
            weight[parent] = both
        return np.column_stack([total, mean, squares, squares])
