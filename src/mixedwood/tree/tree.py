"""The tree of all estimators: read-only arrays and the schema of the columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, get_args, get_type_hints

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mixedwood import _core
from mixedwood.data import (
    Column,
    ColumnKind,
    Schema,
    Table,
    check_same_length,
    read_numbers,
    read_table,
)
from mixedwood.tree.decide import LOSSES, WEKA_TOLERANCE, TargetSpec
from mixedwood.tree.node_models import NodeModel, model_columns
from mixedwood.tree.views import TreeViews

if TYPE_CHECKING:
    from mixedwood.explain import DecisionPath

__all__ = ["ARRAY_TYPES", "FRACTIONAL", "NUMBER", "STOP", "SplitKind", "Terms", "Tree"]

_ROUNDING = 1e-12  # costs that differ by less, relative to the largest, are equal
WEIGHT, VALUE, SQUARES, LOSS = range(4)
"""Columns of the statistics of a tree that predicts numbers."""

N_MOMENTS = 4

LAYOUT_VERSION = int(_core.tree_layout_version)

STOP = -1
"""In place of a child: the row stops at the node."""

FRACTIONAL = -2
"""In place of a child: the row goes to all children, with weights in proportion to theirs."""

NUMBER = -1
"""In place of the category of a term: the term weighs a number, or the rank of an ordinal value."""


class SplitKind(IntEnum):
    """The kind of split of a node; leaves have none."""

    LEAF = 0
    INTERVAL = 1
    SUBSET = 2
    MULTIWAY = 3
    LINEAR = 4


class Terms(NamedTuple):
    """The terms of one linear split; see `Tree`."""

    column: NDArray[np.int32]
    category: NDArray[np.int32]
    weight: NDArray[np.float64]
    fill: NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Tree(TreeViews):
    """A decision tree as read-only arrays, together with the schema of its columns.

    Growers make trees, and pruners return new ones. Parents come before their children, and
    node 0 is the root. Arrays have one entry per node unless stated otherwise. A split sends a row
    to one of the node's children, by *position*: 0 is the first child. The arrays are checked when
    a tree is made.

    Parameters
    ----------
    schema : Schema
        The columns that splits refer to by position.
    classes : ndarray
        Class labels, as in ``classes_`` of scikit-learn; empty for a tree that predicts numbers.
    loss : {"squared_error", "poisson", "absolute_error"} or None, default=None
        For a tree that predicts numbers, the loss that its splits lower; None for classes.
    split_kind : ndarray of uint8
        A `SplitKind`.
    column : ndarray of int32
        The column of the split; -1 for leaves and linear splits.
    low, high : ndarray of float64
        Interval splits: child 0 if low < x <= high, else child 1. For ordinal columns x is the
        rank of the category.
    child_offset, children : ndarray of int32
        The children of node i are ``children[child_offset[i]:child_offset[i + 1]]``.
    category_offset, category_code, category_child : ndarray of int32
        Subset and multiway splits: the codes of the categories that the node saw in training,
        ascending, and the position of the child for each. Other codes are unknown at this node.
    term_offset, term_column, term_category, term_weight, term_fill, intercept : ndarray
        Linear splits: child 0 if intercept + the sum of the terms > 0, else child 1. A term whose
        category is `NUMBER`, -1, adds weight * x, where x is a number or the rank of an ordinal
        category. If x is missing or unknown, ``term_fill`` replaces it; if that is NaN, the sum is
        undefined and the row goes to ``missing_child``. A term with the code of a category adds its
        weight to rows of that category and 0 to others; its fill is NaN. An infinite number
        decides alone; two of opposite signs leave the sum undefined. Terms are sorted by
        importance, the largest typical contribution first. Trees without linear splits can omit
        all of these; without ``term_category`` and ``term_fill``, terms are numbers without fills.
    missing_child, unknown_child : ndarray of int32
        Position of the child for missing values and for unknown categories, or `STOP`, or
        `FRACTIONAL`.
    weighted_n_node_samples : ndarray of float64
        Total weight of the training rows in the node.
    statistics : ndarray of float64 and shape (n_nodes, n_classes) or (n_nodes, 4)
        Class weights of the training rows in the node. For numbers: weight, predicted number (mean,
        or median for the absolute error), sum of squared deviations from the mean, and loss.
    label : ndarray of int32
        The class that the node predicts, as a position in `classes`; 0 for numbers.
    score : ndarray of float64
        The score of the node's split by the criterion; 0 for leaves.
    cost_matrix : ndarray of float64 and shape (n_classes, n_classes), or None
        Cost of predicting each class (column) for rows of each class (row); None if every mistake
        costs 1. Labels have the least expected cost.
    models : tuple of NodeModel, default=()
        Functions of several columns that are no hyperplanes. A linear split whose only term has
        the column ``len(schema) + k``, after those of the schema, reads the decision of model
        k.

    See Also
    --------
    TreeBuilder : Makes a tree node by node.
    """

    schema: Schema
    classes: NDArray[Any]
    split_kind: NDArray[np.uint8]
    column: NDArray[np.int32]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    child_offset: NDArray[np.int32]
    children: NDArray[np.int32]
    category_offset: NDArray[np.int32]
    category_code: NDArray[np.int32]
    category_child: NDArray[np.int32]
    term_offset: NDArray[np.int32] = None  # type: ignore[assignment]  # replaced when made
    term_column: NDArray[np.int32] = None  # type: ignore[assignment]
    term_category: NDArray[np.int32] = None  # type: ignore[assignment]
    term_weight: NDArray[np.float64] = None  # type: ignore[assignment]
    term_fill: NDArray[np.float64] = None  # type: ignore[assignment]
    intercept: NDArray[np.float64] = None  # type: ignore[assignment]
    missing_child: NDArray[np.int32]
    unknown_child: NDArray[np.int32]
    weighted_n_node_samples: NDArray[np.float64]
    statistics: NDArray[np.float64]
    label: NDArray[np.int32]
    score: NDArray[np.float64]
    cost_matrix: NDArray[np.float64] | None = None
    loss: str | None = None
    models: tuple[NodeModel, ...] = ()

    def __post_init__(self) -> None:
        self._fill_in_terms()
        object.__setattr__(self, "classes", _frozen(np.array(self.classes)))
        for name, dtype in ARRAY_TYPES.items():
            array = _frozen(np.array(getattr(self, name), dtype=dtype, order="C"))
            object.__setattr__(self, name, array)
        n = len(self.split_kind)
        object.__setattr__(self, "models", tuple(self.models))
        for model in self.models:
            if not isinstance(model, NodeModel):
                raise ValueError(f"not a tree: {model!r} is no model of a node.")
            model.check(self.schema)
        _core.check_tree(self, self._empty_columns, self._n_values)
        weighed = self.term_column[self.term_category == NUMBER]
        for c in np.unique(weighed):
            column = self.columns[c]
            if column.kind == ColumnKind.NOMINAL:
                raise ValueError(
                    f"not a tree: a linear split uses {column.name!r} as a number, but its "
                    "categories have no order."
                )
        self._check_statistics()
        if not np.isfinite(self.weighted_n_node_samples).all():
            raise ValueError("not a tree: the weight of a node is not finite.")
        if self.label.shape != (n,) or self.score.shape != (n,):
            raise ValueError("not a tree: its arrays differ in length.")
        if not ((self.column >= -1) & (self.column < len(self.schema))).all():
            raise ValueError("not a tree: a column is not one of the schema.")
        if n and not ((self.label >= 0) & (self.label < self.target.n_outputs)).all():
            raise ValueError("not a tree: a label is not one of the classes.")
        if self.cost_matrix is not None:
            costs, k = _frozen(np.array(self.cost_matrix, dtype=np.float64)), len(self.classes)
            if costs.shape != (k, k) or not ((costs >= 0) & (costs < np.inf)).all():
                raise ValueError("not a tree: costs must be one row and one column per class.")
            object.__setattr__(self, "cost_matrix", costs)

    def _check_statistics(self) -> None:
        statistics, n = self.statistics, len(self.split_kind)
        if self.loss is None:
            known = (statistics >= 0) & (statistics < np.inf)
            if statistics.shape != (n, len(self.classes)) or not known.all():
                raise ValueError(
                    "not a tree: statistics must be one row of class weights per node."
                )
            return
        if not isinstance(self.loss, str) or self.loss not in LOSSES:
            raise ValueError(f"not a tree: loss must be one of {', '.join(LOSSES)}, or None.")
        if len(self.classes):
            raise ValueError("not a tree: a tree that predicts numbers has no classes.")
        known = np.isfinite(statistics)
        if statistics.shape != (n, N_MOMENTS) or not known.all():
            raise ValueError(
                "not a tree: statistics of a tree that predicts numbers must be weight, number, "
                "squared deviations and loss of each node."
            )
        if (statistics[:, [WEIGHT, SQUARES, LOSS]] < 0).any():
            raise ValueError("not a tree: weights, squared deviations and losses are negative.")

    @classmethod
    def checked(
        cls,
        schema: Schema,
        classes: NDArray[Any],
        arrays: dict[str, Any],
        cost_matrix: NDArray[np.float64] | None = None,
        loss: str | None = None,
    ) -> Tree:
        """Make a tree of all arrays of the native core, which need no check and are not copied."""
        tree = object.__new__(cls)
        values = tree.__dict__
        values["schema"] = schema
        values["classes"] = _frozen(np.array(classes))
        for name in ARRAY_TYPES:
            values[name] = _frozen(arrays[name])
        values["cost_matrix"] = None if cost_matrix is None else _frozen(np.array(cost_matrix))
        values["loss"] = loss
        return tree

    def _fill_in_terms(self) -> None:
        n, n_terms = len(self.split_kind), 0 if self.term_column is None else len(self.term_column)
        left_out = {
            "term_offset": np.zeros(n + 1),
            "term_column": np.zeros(0),
            "term_category": np.full(n_terms, NUMBER),
            "term_weight": np.zeros(0),
            "term_fill": np.full(n_terms, np.nan),
            "intercept": np.zeros(n),
        }
        for name, array in left_out.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, array)

    # Sizes

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.split_kind)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.split_kind == SplitKind.LEAF))

    @cached_property
    def parent(self) -> NDArray[np.int32]:
        """Parent of each node; -1 for the root."""
        parent = np.full(self.n_nodes, -1, dtype=np.int32)
        parent[self.children] = np.repeat(
            np.arange(self.n_nodes, dtype=np.int32), np.diff(self.child_offset)
        )
        return _frozen(parent)

    @cached_property
    def node_depth(self) -> NDArray[np.int32]:
        """Depth of each node; 0 for the root."""
        return _frozen(self.path_sums(np.ones(self.n_nodes, dtype=np.int32)))

    def path_sums(self, values: NDArray[Any]) -> NDArray[Any]:
        """Sum values of nodes along the path from the root, without that of the root."""
        sums = np.array(values)
        sums[0] = 0
        for ahead in self._leaps():
            sums += sums[ahead]
        return sums

    @property
    def depth(self) -> int:
        """Depth of the tree; 0 for a single leaf."""
        return int(self.node_depth.max())

    def _leaps(self) -> Iterator[NDArray[np.int32]]:
        """For each node, its ancestor 1, 2, 4, 8, ... levels up, at most the root.

        A result for the levels up to there, combined with that of the ancestor, is the result for
        twice as many levels: few passes over all nodes, however deep the tree.
        """
        ahead = np.maximum(self.parent, 0)
        while ahead.any():
            yield ahead
            ahead = ahead[ahead]

    def at_or_above(self, nodes: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mark the marked nodes and all of their ancestors."""
        marked = np.array(nodes, dtype=bool)
        for ahead in self._leaps():
            marked[ahead[marked]] = True
        marked[0] = marked.any()
        return marked

    def children_of(self, node: int) -> NDArray[np.int32]:
        """Return the children of a node, in order."""
        return self.children[self.child_offset[node] : self.child_offset[node + 1]]

    def categories_of(self, node: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the codes of a nominal split, and the position of the child for each."""
        here = slice(self.category_offset[node], self.category_offset[node + 1])
        return self.category_code[here], self.category_child[here]

    def terms_of(self, node: int) -> Terms:
        """Return the terms of a linear split."""
        here = slice(self.term_offset[node], self.term_offset[node + 1])
        return Terms(
            self.term_column[here],
            self.term_category[here],
            self.term_weight[here],
            self.term_fill[here],
        )

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the schema, then one for the decisions of each model."""
        if not self.models:
            return self.schema.columns
        return (*self.schema.columns, *model_columns(self.schema, self.models))

    def model_of(self, node: int) -> NodeModel | None:
        """Return the model that decides a split; None for splits by columns or hyperplanes."""
        first = self.term_offset[node]
        if not self.models or self.term_offset[node + 1] == first:
            return None
        place = int(self.term_column[first]) - len(self.schema)
        return self.models[place] if place >= 0 else None

    def columns_of_split(self, node: int) -> tuple[int, ...]:
        """Return the columns of the schema that a split uses, the most important first."""
        if self.split_kind[node] != SplitKind.LINEAR:
            return (int(self.column[node]),) if self.column[node] >= 0 else ()
        if (model := self.model_of(node)) is not None:
            return model.design.columns
        terms = self.terms_of(node)
        return tuple(dict.fromkeys(terms.column[terms.weight != 0].tolist()))

    def column_of(self, node: int) -> Column:
        """Return the column of an interval, subset or multiway split."""
        return self.schema.columns[int(self.column[node])]

    # Predictions

    @cached_property
    def target(self) -> TargetSpec:
        """What the tree predicts, and how probabilities become a class."""
        if self.loss is not None:
            return TargetSpec.numbers()
        return TargetSpec(self.classes, WEKA_TOLERANCE, cost_matrix=self.cost_matrix)

    @property
    def is_numeric(self) -> bool:
        """Whether the tree predicts numbers."""
        return self.loss is not None

    @cached_property
    def value(self) -> NDArray[np.float64]:
        """What each node predicts: class probabilities, or a single number in each row."""
        if self.loss is None:
            return self.probabilities
        return _frozen(np.ascontiguousarray(self.statistics[:, VALUE : VALUE + 1]))

    @cached_property
    def deviation(self) -> NDArray[np.float64]:
        """For numbers, the standard deviation of the target in each node."""
        weight = np.maximum(self.statistics[:, WEIGHT], np.finfo(np.float64).tiny)
        return _frozen(np.sqrt(self.statistics[:, SQUARES] / weight))

    def with_values(self, values: NDArray[np.float64]) -> Tree:
        """Return a tree of numbers with the same splits that predicts other numbers."""
        statistics = np.array(self.statistics)
        statistics[:, VALUE] = values
        return replace(self, statistics=statistics)

    @property
    def formulas(self) -> tuple[str, ...]:
        """Formulas of the linear models of the nodes, for texts and drawings; empty without."""
        return tuple(self.__dict__.get("_formulas", ()))

    def with_formulas(self, formulas: Sequence[str]) -> Tree:
        """Return a tree whose leaves are shown with the formula of a linear model."""
        tree = replace(self)
        tree.__dict__["_formulas"] = tuple(formulas)
        return tree

    @property
    def histograms(self) -> NDArray[np.int64] | None:
        """Rows of each node in equal parts of the range of the target; None without."""
        found: NDArray[np.int64] | None = self.__dict__.get("_histograms")
        return found

    def with_histograms(self, X: Any, y: ArrayLike, n_bins: int = 12) -> Tree:
        """Return a tree whose pictures have a histogram of the target in each leaf.

        Parameters
        ----------
        X : table
            Rows, such as the training rows.
        y : array-like of shape (n_rows,)
            Their numbers.
        n_bins : int, default=12
            Number of equal parts of the range of `y`, which is the same in all leaves.

        Returns
        -------
        Tree
            The same tree. The histograms are neither saved nor pickled.

        Examples
        --------
        >>> import mixedwood as mw
        >>> X, y = {"x": [1, 2, 3, 4]}, [1.0, 1.5, 6.0, 7.0]
        >>> tree = mw.TreeRegressor(max_depth=1, pruning=None).fit(X, y).tree_
        >>> tree.with_histograms(X, y, n_bins=3).histograms.tolist()
        [[2, 0, 2], [2, 0, 0], [0, 0, 2]]
        """
        if self.loss is None:
            raise ValueError("Histograms are for trees that predict numbers; this one has classes.")
        if not isinstance(n_bins, (int, np.integer)) or n_bins < 1:
            raise ValueError(f"n_bins must be an int of at least 1. Got {n_bins!r} instead.")
        table = X if isinstance(X, Table) else read_table(X, schema=self.schema, estimator="Tree")
        target = read_numbers(y)
        check_same_length(table, target)
        edges = np.histogram_bin_edges(target.numbers, int(n_bins))
        part = np.clip(np.searchsorted(edges, target.numbers, side="right") - 1, 0, n_bins - 1)
        place = self.apply(table).astype(np.int64) * n_bins + part
        counts = np.bincount(place, minlength=self.n_nodes * n_bins).reshape(-1, n_bins)
        for node in range(self.n_nodes - 1, 0, -1):
            counts[self.parent[node]] += counts[node]
        tree = self.with_formulas(self.formulas)
        tree.__dict__["_histograms"] = _frozen(counts)
        return tree

    @cached_property
    def is_fractional(self) -> bool:
        """Whether some split sends rows to several children, with fractions of their weight."""
        inner = self.split_kind != SplitKind.LEAF
        sides = np.concatenate([self.missing_child[inner], self.unknown_child[inner]])
        return bool((sides == FRACTIONAL).any())

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """Class probabilities of each node; equal probabilities for nodes without weight."""
        if self.loss is not None:
            raise ValueError("This tree predicts numbers; it has no class probabilities.")
        totals = _row_sums(self.statistics)[:, None]
        empty = totals == 0
        if not empty.any():
            return _frozen(np.ascontiguousarray(self.statistics / totals))
        found = (self.statistics + empty) / np.where(empty, len(self.classes), totals)
        return _frozen(np.ascontiguousarray(found))

    def apply(self, table: Table) -> NDArray[np.int32]:
        """Find the node in which each row ends: a leaf, or an inner node where it stops."""
        return self._router.route(self._columns_of(table))

    def class_weights(
        self, table: Table, classes: NDArray[np.int32], weights: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Class weights of the rows that end in each node: shape (n_nodes, n_classes).

        Rows end in leaves, or in inner nodes where they stop. Rows that are sent to several
        children count with fractions of their weight.
        """
        given = np.empty(0) if weights is None else np.ascontiguousarray(weights, np.float64)
        return self._router.class_weights(
            self._columns_of(table), classes, given, len(self.classes)
        )

    def linear_sums(
        self, node: int, table: Table, rows: NDArray[np.int32] | None = None
    ) -> NDArray[np.float64]:
        """Compute the sum that a linear split compares with zero, for all rows or some rows.

        It is NaN where it is undefined. `apply` uses the same sums; the same terms added in
        another order may differ in the last digit.
        """
        chosen = np.arange(table.n_rows, dtype=np.int32) if rows is None else rows
        columns = self._columns_of(table, routed=False)
        if (model := self.model_of(node)) is not None:
            decisions = np.full(table.n_rows, np.nan)
            decisions[chosen] = model.decide(table.arrays, chosen)
            columns[self.term_column[self.term_offset[node]]] = decisions
        return _core.linear_sums(self, columns, self._n_values, int(node), chosen)

    def predict_proba(self, table: Table) -> NDArray[np.float64]:
        """Predict the class probabilities of each row."""
        if self.is_fractional:
            return self._router.distribute(self._columns_of(table), self.probabilities)
        return self.probabilities.take(self.apply(table), axis=0)

    def predict(self, table: Table) -> NDArray[Any]:
        """Predict the class of each row, or a number.

        A class is the label of the node in which the row ends or, for rows that are sent to several
        leaves, the most probable class; of equally probable classes (up to 1e-6), the first. With
        costs, it is the class of least expected cost.
        """
        if self.loss is not None:
            return self._predict_numbers(table)
        if not self.is_fractional:
            return np.asarray(self._node_classes[self.apply(table)])
        return self.target.labels(self.predict_proba(table))

    def _predict_numbers(self, table: Table) -> NDArray[np.float64]:
        if self.is_fractional:
            return self._router.distribute(self._columns_of(table), self.value)[:, 0]
        return np.asarray(self.value[:, 0][self.apply(table)])

    def predict_codes(self, table: Table) -> NDArray[np.int32]:
        """Predict the class of each row, as a position in `classes`."""
        if not self.is_fractional:
            return np.asarray(self.label[self.apply(table)])
        return self.target.decide(self.predict_proba(table))

    def vote_codes(self, table: Table) -> NDArray[np.int32]:
        """Find the class that the tree votes for in an ensemble, which does not depend on costs."""
        if self.cost_matrix is None:
            return self.predict_codes(table)
        if not self.is_fractional:
            return np.asarray(self._node_votes[self.apply(table)])
        return TargetSpec(self.classes, WEKA_TOLERANCE).decide(self.predict_proba(table))

    def explain(self, table: Table, row: int = 0) -> DecisionPath:
        """Explain the prediction of one row by its path; see `mixedwood.explain.explain_row`.

        Examples
        --------
        >>> from mixedwood.data import read_table
        >>> from mixedwood.tree import TreeBuilder
        >>> table = read_table({"age": [1.0, 8.0]})
        >>> builder = TreeBuilder(table.schema, ["no", "yes"], [3, 1])
        >>> _ = builder.split_interval(0, "age", [[3, 0], [0, 1]], high=5.0)
        >>> print(builder.build().explain(table, row=1))
        Row 1: yes (yes 100 %, no 0 %)
          age = 8 > 5
          -> [2] yes (100 % of 1)
        """
        from mixedwood.explain import explain_row

        return explain_row(self, table, row)

    # Costs and pruning

    def with_costs(self, cost_matrix: NDArray[np.float64] | None) -> Tree:
        """Return the tree with other costs, and labels of least expected cost.

        A node without weight keeps the label of its parent. None changes nothing.
        """
        if cost_matrix is None:
            return self
        spec = TargetSpec(self.classes, _ROUNDING, cost_matrix=cost_matrix)
        label = spec.decide(self.probabilities)
        for node in np.flatnonzero(self.weighted_n_node_samples[1:] <= 0) + 1:
            label[node] = label[self.parent[node]]
        return replace(self, cost_matrix=cost_matrix, label=label)

    @cached_property
    def node_costs(self) -> NDArray[np.float64]:
        """Training cost of each node as a leaf; without costs, the weight of its errors."""
        wrong = np.array(self.statistics)
        if self.cost_matrix is not None:
            wrong *= self.cost_matrix[:, self.label].T
        wrong[np.arange(self.n_nodes), self.label] = 0.0
        return _frozen(np.asarray(wrong.sum(axis=1)))

    def prune_at(self, nodes: Iterable[int]) -> Tree:
        """Return the tree with some nodes turned into leaves."""
        stop = np.zeros(self.n_nodes, dtype=bool)
        stop[np.asarray(nodes if isinstance(nodes, np.ndarray) else list(nodes), np.int64)] = True
        gone = stop[self.parent]  # an ancestor becomes a leaf
        gone[0] = False
        for ahead in self._leaps():
            gone |= gone[ahead]
        return self._select(~gone, stop)

    def _select(self, keep: NDArray[np.bool_], leaf: NDArray[np.bool_]) -> Tree:
        """Keep some nodes, renumbered, and turn others into leaves."""
        renumbered = np.cumsum(keep, dtype=np.int32) - 1
        nodes, inner = np.flatnonzero(keep), ~leaf[keep]
        offset, taken = _listed(self.child_offset, nodes, inner)
        return Tree(
            **copy_splits(self, nodes, inner),
            child_offset=offset,
            children=renumbered[self.children[taken]],
            weighted_n_node_samples=self.weighted_n_node_samples[keep],
            statistics=self.statistics[keep],
            label=self.label[keep],
        )

    # Equality and pickling

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return (
            self.schema == other.schema
            and np.array_equal(self.classes, other.classes)
            and np.array_equal(self.cost_matrix, other.cost_matrix)  # type: ignore[arg-type]
            and self.loss == other.loss
            and self.models == other.models
            and all(
                np.array_equal(getattr(self, n), getattr(other, n), equal_nan=n == "term_fill")
                for n in ARRAY_TYPES
            )
        )

    __hash__ = None  # type: ignore[assignment]  # arrays make no good keys

    def __getstate__(self) -> dict[str, Any]:
        state = {f.name: getattr(self, f.name) for f in fields(self)}
        return {"layout_version": LAYOUT_VERSION, "formulas": self.formulas, **state}

    def __setstate__(self, state: dict[str, Any]) -> None:
        version = state.get("layout_version")
        if version != LAYOUT_VERSION:
            raise ValueError(
                f"this tree was pickled with layout version {version}; this version of mixedwood "
                f"reads {LAYOUT_VERSION}. Load it with the version that pickled it, or train again."
            )
        for f in fields(self):
            object.__setattr__(self, f.name, state.get(f.name, f.default))
        self.__dict__["_formulas"] = tuple(map(str, state.get("formulas", ())))
        self.__post_init__()  # a damaged file is an error here, not a crash later

    def __repr__(self) -> str:
        leaves = "1 leaf" if self.n_leaves == 1 else f"{self.n_leaves} leaves"
        target = f"{len(self.classes)} classes" if self.loss is None else "predicts a number"
        return (
            f"<Tree: {self.n_nodes} nodes, {leaves}, depth {self.depth}, "
            f"{len(self.schema)} columns, {target}>"
        )

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x: auto">{self.to_svg()}</div>'

    @cached_property
    def _node_classes(self) -> NDArray[Any]:
        return np.asarray(self.classes[self.label])

    @cached_property
    def _node_votes(self) -> NDArray[np.int32]:
        """The vote for rows that end in each node, as a position in the classes.

        It is for the most probable class: ensembles apply costs once, to the votes of all trees.
        """
        if not self.is_fractional and self.cost_matrix is None:
            return self.label
        return TargetSpec(self.classes, WEKA_TOLERANCE).decide(self.probabilities)

    @property
    def _has_router(self) -> bool:
        return "_laid_out" in self.__dict__

    @property
    def _router(self) -> _core.Router:
        # Made on first use, and not pickled. The lock of cached_property is one for all trees, so
        # that threads would make routers one at a time.
        router: _core.Router | None = self.__dict__.get("_laid_out")
        if router is None:
            router = _core.Router(self, self._empty_columns, self._n_values)
            self.__dict__["_laid_out"] = router
        return router

    @cached_property
    def _n_values(self) -> NDArray[np.int32]:
        return np.array([column.n_categories for column in self.columns], dtype=np.int32)

    @cached_property
    def _empty_columns(self) -> list[Any]:
        return [np.empty(0, np.float64 if c.is_numeric else np.int32) for c in self.columns]

    def _columns_of(self, table: Table, *, routed: bool = True) -> list[Any]:
        """The arrays of a table, then the decisions of models for the rows that come to them."""
        self._check_table(table)
        decisions = [np.full(table.n_rows, np.nan) for _ in self.models]
        columns = [*table.arrays, *decisions]
        if not self.models or not routed:
            return columns
        nodes = [node for node in range(self.n_nodes) if self.model_of(node) is not None]
        for depth in sorted({int(self.node_depth[node]) for node in nodes}):
            # Above this depth all decisions are there, so that rows come where they belong.
            passed = None
            if depth and not self.is_fractional:
                passed = self._ancestors_at(depth)[self._router.route(columns)]
            for node in nodes:
                if self.node_depth[node] != depth:
                    continue
                rows = np.arange(table.n_rows) if passed is None else np.flatnonzero(passed == node)
                place = self.term_column[self.term_offset[node]]
                model = self.models[place - len(self.schema)]
                columns[place][rows] = model.decide(table.arrays, rows)
        return columns

    def _ancestors_at(self, depth: int) -> NDArray[np.int32]:
        """For each node its ancestor at a depth, or itself; -1 for nodes above it."""
        found = np.where(self.node_depth == depth, np.arange(self.n_nodes, dtype=np.int32), -1)
        for level in range(depth + 1, self.depth + 1):
            nodes = np.flatnonzero(self.node_depth == level)
            found[nodes] = found[self.parent[nodes]]
        return found

    def _check_table(self, table: Table) -> None:
        if not isinstance(table, Table):
            raise TypeError(
                f"a tree predicts rows of a Table; got {type(table).__name__}. Read it with "
                "mixedwood.data.read_table(X, schema=tree.schema), or use the estimator."
            )
        if table.schema is not self.schema and table.schema != self.schema:
            raise ValueError(
                "the table has another schema than the tree; read it with "
                "mixedwood.data.read_table(X, schema=tree.schema)."
            )


ARRAY_TYPES: dict[str, type[np.generic]] = {
    name: get_args(get_args(hint)[1])[0]
    for name, hint in get_type_hints(Tree).items()
    if name not in ("schema", "classes", "cost_matrix", "loss", "models")
}
"""The arrays of a tree and their types, read from the fields of `Tree`."""

_BLANK: dict[str, Any] = {
    "split_kind": SplitKind.LEAF,
    "column": -1,
    "low": -np.inf,
    "high": np.inf,
    "intercept": 0.0,
    "missing_child": STOP,
    "unknown_child": STOP,
    "score": 0.0,
}
"""Values of leaves."""

LISTS = {
    "category_offset": ("category_code", "category_child"),
    "term_offset": ("term_column", "term_category", "term_weight", "term_fill"),
}
"""Offsets and the arrays with several entries per node, without children."""


def copy_splits(tree: Tree, nodes: NDArray[Any], inner: NDArray[np.bool_]) -> dict[str, Any]:
    """Copy the splits of some nodes, in any order, to make another tree of them.

    Parameters
    ----------
    tree : Tree
        The tree.
    nodes : ndarray of int
        For each node of the new tree, the node whose split it gets.
    inner : ndarray of bool
        Nodes of the new tree that get one; the others are leaves.

    Returns
    -------
    dict
        Schema, classes, costs and arrays for `Tree`, without children, statistics and labels.
    """
    arrays: dict[str, Any] = {
        "schema": tree.schema,
        "classes": tree.classes,
        "cost_matrix": tree.cost_matrix,
        "loss": tree.loss,
    }
    for name, blank in _BLANK.items():
        arrays[name] = np.where(inner, getattr(tree, name)[nodes], blank)
    for offsets, names in LISTS.items():
        arrays[offsets], taken = _listed(getattr(tree, offsets), nodes, inner)
        arrays.update({name: getattr(tree, name)[taken] for name in names})
    return keep_models(arrays, len(tree.schema), tree.models)


def keep_models(
    arrays: dict[str, Any], n_columns: int, models: Sequence[NodeModel]
) -> dict[str, Any]:
    """Add the models that the splits use, numbered in their order."""
    term_column = arrays["term_column"]
    is_model = term_column >= n_columns
    used = list(dict.fromkeys((term_column[is_model] - n_columns).tolist()))
    number = np.zeros(len(models), np.int32)
    number[used] = np.arange(len(used), dtype=np.int32) + n_columns
    arrays["term_column"] = term_column.copy()
    arrays["term_column"][is_model] = number[term_column[is_model] - n_columns]
    arrays["models"] = tuple(models[i] for i in used)
    return arrays


def _listed(
    offset: NDArray[np.int32], nodes: NDArray[Any], inner: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """New offsets of the lists of some nodes, and where their entries are."""
    lengths = np.where(inner, np.diff(offset)[nodes], 0)
    ends = np.cumsum(lengths)
    taken = np.arange(ends[-1]) + np.repeat(offset[nodes] - (ends - lengths), lengths)
    return np.concatenate([[0], ends]).astype(np.int32), taken


def _row_sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    if values.shape[1] == 0 or values.shape[1] > 7:
        return np.asarray(values.sum(axis=1))
    # The same sums column by column: numpy is slow at many short rows.
    sums = values[:, 0].copy()
    for column in range(1, values.shape[1]):
        sums += values[:, column]
    return sums


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array
