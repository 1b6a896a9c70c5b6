"""Pessimistic pruning (Quinlan 1993, ch. 4), as J48 of the WEKA workbench 3.6 does it.

Training errors are optimistic. The estimated errors of a leaf of weight N with E training errors
are N times an upper confidence limit of its binomial error rate. Bottom up, a node keeps its
subtree, becomes a leaf, or is replaced by the subtree of its largest branch, whichever has the
fewest estimated errors; J48 prefers the simpler form unless it is worse by more than 0.1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import MISSING, Table, Target, check_same_length
from mixedwood.pruning.cost_complexity import check_same_classes
from mixedwood.tree import STOP, SplitKind, Tree, argmax_with_ties
from mixedwood.tree.tree import copy_splits

__all__ = ["pessimistic"]

EQUAL = 1e-6  # weights closer than this are equal, as in J48
_SIMPLER = 0.1  # estimated errors that a simpler tree may cost


def pessimistic(
    tree: Tree,
    table: Table,
    target: Target,
    *,
    confidence: float = 0.25,
    subtree_raising: bool = True,
) -> Tree:
    """Prune by C4.5's estimate of errors, with subtree raising.

    No rows are held out: errors are estimated from the training rows. Pass the rows that the tree
    was grown with. They are split along the tree again, and give the class weights and labels of
    the result. A row whose value at a split is missing or unknown counts in every branch, in
    proportion to its weight.

    Parameters
    ----------
    tree : Tree
        The tree to prune. C4.5 prunes after `collapse`.
    table, target : Table, Target
        The training rows, with the tree's schema and classes.
    confidence : float, default=0.25
        Above 0 and at most 0.5; smaller values prune more.
    subtree_raising : bool, default=True
        Whether the subtree of a node's largest branch may replace the node. All rows of the node
        are then split along the raised subtree, which is pruned again.

    Returns
    -------
    Tree
        The pruned tree.

    See Also
    --------
    collapse : What C4.5 does first.
    reduced_error : Pruning with held-out rows.

    Notes
    -----
    The trees are those of J48 of WEKA 3.6, including its rules for ties: of equally large branches
    the last is raised, and comparisons have a tolerance of 1e-6. The minimum number of rows of a
    leaf has no influence on pruning. Time is proportional to rows times depth; raising only visits
    nodes whose rows change.

    Examples
    --------
    >>> from mixedwood.data import read_table, read_target
    >>> from mixedwood.tree import TreeBuilder
    >>> table = read_table({"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]})
    >>> target = read_target(list("aaabbbba"))
    >>> builder = TreeBuilder(table.schema, target.classes, [4, 4])
    >>> left, right = builder.split_interval(0, "x", [[3, 0], [1, 4]], high=3.0)
    >>> _ = builder.split_interval(right, "x", [[0, 2], [1, 2]], high=5.0)
    >>> tree = builder.build()
    >>> tree.n_leaves, pessimistic(tree, table, target).n_leaves
    (3, 2)
    """
    check_same_classes(tree, target)
    if table.schema is not tree.schema and table.schema != tree.schema:
        raise ValueError("The rows have another schema than the tree.")
    check_same_length(table, target)
    if not 0 < confidence <= 0.5:
        raise ValueError(f"confidence must be in the range (0, 0.5]. Got {confidence!r} instead.")
    pruning = _Pruning(tree, table, target, _Estimate(confidence))
    pruning.prune(subtree_raising)
    return grafted(tree, pruning.split, pruning.children, pruning.counts)


class _Estimate:
    """Estimated errors of a leaf on new rows."""

    def __init__(self, confidence: float) -> None:
        # J48 stores it in single precision; equal trees need the same bits.
        self.level = float(np.float32(confidence))
        upper = float(np.float32(1) - np.float32(confidence))
        self.z = NormalDist().inv_cdf(upper) if upper < 1 else -NormalDist().inv_cdf(confidence)

    def errors(self, counts: NDArray[np.float64]) -> float:
        total = float(counts.sum())
        if total < EQUAL:
            return 0.0
        wrong = total - float(counts.max())
        return wrong + self.extra(total, wrong)

    def extra(self, total: float, wrong: float) -> float:
        """What is added to the training errors."""
        if wrong < 1:  # exact for none, then a straight line to one
            none = total * (1 - math.pow(self.level, 1 / total))
            return none if wrong == 0 else none + wrong * (self.extra(total, 1.0) - none)
        if wrong + 0.5 >= total:
            return max(total - wrong, 0.0)
        z, rate = self.z, (wrong + 0.5) / total  # normal approximation, corrected for continuity
        spread = math.sqrt(rate / total - rate * rate / total + z * z / (4 * total * total))
        limit = (rate + z * z / (2 * total) + z * spread) / (1 + z * z / total)
        return limit * total - wrong


def _no_more(a: float, b: float) -> bool:
    return a <= b + EQUAL


class _Pruning:
    """The state of pruning: nodes keep their numbers, and their splits and children change."""

    def __init__(self, tree: Tree, table: Table, target: Target, estimate: _Estimate) -> None:
        n = tree.n_nodes
        self.tree, self.splitter, self.estimate = tree, _RowSplitter(tree, table), estimate
        self.codes, self.n_classes = target.codes, target.n_classes
        self.split = list(range(n))  # the node of `tree` whose split a node has
        self.children: list[list[int]] = [tree.children_of(i).tolist() for i in range(n)]
        self.here: list[Rows | None] = [None] * n
        self.counts = np.zeros((n, self.n_classes))
        self.expected = [0.0] * n  # errors of the subtree, by the estimate
        weights = np.ones(target.n_rows) if target.weights is None else target.weights
        self.nodes = self.place(0, Rows(np.arange(target.n_rows), weights))

    def count(self, here: Rows) -> NDArray[np.float64]:
        counts = np.bincount(self.codes[here.rows], here.weights, minlength=self.n_classes)
        return np.asarray(counts, np.float64)  # without rows they are integers

    def place(self, top: int, rows: Rows) -> list[int]:
        """Assign rows to a subtree. Returns the nodes whose rows changed, parents first."""
        changed = []
        open_nodes = [(top, rows)]
        while open_nodes:
            node, here = open_nodes.pop()
            before = self.here[node]
            if node != top and before is not None and before.same_as(here):
                continue
            changed.append(node)
            self.here[node], self.counts[node] = here, self.count(here)
            if self.children[node]:
                parts = self.splitter.split(self.split[node], here)
                open_nodes += zip(self.children[node], parts, strict=True)
        for node in reversed(changed):
            self.expect(node)
        return changed

    def expect(self, node: int) -> None:
        if self.children[node]:
            self.expected[node] = sum(self.expected[child] for child in self.children[node])
        else:
            self.expected[node] = self.estimate.errors(self.counts[node])

    def prune(self, subtree_raising: bool) -> None:
        open_nodes = self.nodes
        while open_nodes:  # from the end: children before their parents
            node = open_nodes.pop()
            if not self.children[node]:
                continue
            self.expect(node)
            as_tree, as_leaf = self.expected[node], self.estimate.errors(self.counts[node])
            leaf_suffices = _no_more(as_leaf, as_tree + _SIMPLER)
            as_branch, largest = math.inf, self.largest_branch(node)
            if subtree_raising:
                # A branch with more errors than this is never chosen.
                limit = as_leaf - _SIMPLER if leaf_suffices else as_tree + _SIMPLER
                as_branch = self.errors_as_branch(largest, node, limit + 2 * EQUAL)
            if leaf_suffices and _no_more(as_leaf, as_branch + _SIMPLER):
                self.children[node], self.expected[node] = [], as_leaf
            elif _no_more(as_branch, as_tree + _SIMPLER):
                self.split[node], self.children[node] = self.split[largest], self.children[largest]
                here = self.here[node]
                assert here is not None
                # Only nodes whose rows changed can have another outcome.
                open_nodes += self.place(node, here)

    def largest_branch(self, node: int) -> int:
        largest, most = -1, 0.0
        for child in self.children[node]:
            weight = self.counts[child].sum()
            if weight > most - EQUAL:
                largest, most = child, weight
        return largest

    def errors_as_branch(self, branch: int, node: int, limit: float) -> float:
        """Estimated errors of a branch if it had all rows of the node; infinite above a limit."""
        here = self.here[node]
        assert here is not None
        errors = 0.0
        open_nodes = [(branch, here)]
        while open_nodes:
            below, here = open_nodes.pop()
            before = self.here[below]
            if before is not None and before.same_as(here):
                errors += self.expected[below]
            elif not self.children[below]:
                errors += self.estimate.errors(self.count(here))
            else:
                parts = self.splitter.split(self.split[below], here)
                open_nodes += zip(self.children[below], parts, strict=True)
            if errors > limit:
                return math.inf
        return errors


# Rows at the nodes


@dataclass(frozen=True)
class Rows:
    """Rows at a node, ascending, and their weights there."""

    rows: NDArray[np.intp]
    weights: NDArray[np.float64]

    def same_as(self, other: Rows) -> bool:
        """Whether these are the same rows with the same weights."""
        return np.array_equal(self.rows, other.rows) and np.array_equal(self.weights, other.weights)


def has_child_per_category(tree: Tree, node: int) -> bool:
    """Whether a nominal split has one child for each category of its column.

    Such a split does not list categories without training rows, but each has an empty child.
    """
    if tree.split_kind[node] not in (SplitKind.SUBSET, SplitKind.MULTIWAY):
        return False
    codes, positions = tree.categories_of(node)
    return (
        len(tree.children_of(node)) == tree.column_of(node).n_categories
        and tree.unknown_child[node] == STOP
        and np.array_equal(codes, positions)
    )


class _RowSplitter:
    """Splits the rows at a node among its children.

    A row whose value is missing or unknown goes to every child, in proportion to the weight of the
    other rows, or in equal parts if there are none. This includes rows that would stop at the node
    in prediction.
    """

    def __init__(self, tree: Tree, table: Table) -> None:
        self._tree, self._table = tree, table
        self._child_of: dict[int, NDArray[np.int32]] = {}

    def split(self, node: int, here: Rows) -> list[Rows]:
        """Give the rows of each child of a node."""
        n_children = len(self._tree.children_of(node))
        position = self._positions(node, here.rows)
        placed = position >= 0
        if placed.all():
            return _grouped(here, position, n_children)
        known = Rows(here.rows[placed], here.weights[placed])
        parts = _grouped(known, position[placed], n_children)
        reached = np.array([part.weights.sum() for part in parts])
        total = reached.sum()
        fractions = reached / total if total > EQUAL else np.full(n_children, 1 / n_children)
        lost, weights = here.rows[~placed], here.weights[~placed]
        return [
            _merged(part, lost, weights * fraction) if fraction > EQUAL else part
            for part, fraction in zip(parts, fractions, strict=True)
        ]

    def _positions(self, node: int, rows: NDArray[np.intp]) -> NDArray[np.int32]:
        """Give the position of each row's child; negative if its value is missing or unknown."""
        tree = self._tree
        missing, unknown = tree.missing_child[node], tree.unknown_child[node]
        if tree.split_kind[node] == SplitKind.LINEAR:
            sums = tree.linear_sums(node, self._table, rows.astype(np.int32))
            return _int32(np.where(np.isnan(sums), missing, sums <= 0))
        x = self._table.arrays[tree.column[node]][rows]
        if tree.split_kind[node] != SplitKind.INTERVAL:
            return _int32(self._table_of(node)[x])
        position = np.where((x > tree.low[node]) & (x <= tree.high[node]), 0, 1)
        if x.dtype == np.float64:
            return _int32(np.where(np.isnan(x), missing, position))
        coded = np.where(x == MISSING, missing, unknown)
        return _int32(np.where(x < 0, coded, position))

    def _table_of(self, node: int) -> NDArray[np.int32]:
        """Give the position of the child by code; the last two entries are for negative codes."""
        tree = self._tree
        if node not in self._child_of:
            child_of = np.full(
                tree.column_of(node).n_categories + 2, tree.unknown_child[node], np.int32
            )
            codes, positions = tree.categories_of(node)
            child_of[codes] = positions
            if has_child_per_category(tree, node):
                child_of[:-2] = np.arange(len(child_of) - 2)
            child_of[MISSING] = tree.missing_child[node]
            self._child_of[node] = child_of
        return self._child_of[node]


def _int32(positions: NDArray[Any]) -> NDArray[np.int32]:
    return np.asarray(positions, np.int32)


def _grouped(here: Rows, position: NDArray[np.int32], n_groups: int) -> list[Rows]:
    order = np.argsort(position, kind="stable")
    ends = np.cumsum(np.bincount(position, minlength=n_groups))[:-1]
    rows = np.split(here.rows[order], ends)
    weights = np.split(here.weights[order], ends)
    return [Rows(r, w) for r, w in zip(rows, weights, strict=True)]


def _merged(part: Rows, rows: NDArray[np.intp], weights: NDArray[np.float64]) -> Rows:
    all_rows = np.concatenate([part.rows, rows])
    order = np.argsort(all_rows)
    return Rows(all_rows[order], np.concatenate([part.weights, weights])[order])


# The pruned tree


def grafted(
    tree: Tree,
    splits: Sequence[int],
    children: Sequence[Sequence[int]],
    counts: NDArray[np.float64],
) -> Tree:
    """Make a tree of some nodes of another tree, numbered as there; node 0 is the root.

    `splits` names the node of the other tree whose split each node has, `children` its children
    (none for a leaf), `counts` its class weights. A node without weight has its parent's label.
    """
    order = [0]
    for node in order:  # grows on the way: parents first
        order += children[node]
    place = {node: i for i, node in enumerate(order)}
    nodes = np.array([splits[node] for node in order])
    inner = np.array([bool(children[node]) for node in order])
    categories = [
        _categories(tree, splits[n], [counts[c].sum() for c in children[n]]) for n in order
    ]
    return Tree(
        **{
            **copy_splits(tree, nodes, inner),
            "category_offset": _offsets([codes for codes, _ in categories]),
            "category_code": np.concatenate([codes for codes, _ in categories]),
            "category_child": np.concatenate([positions for _, positions in categories]),
        },
        child_offset=_offsets([children[node] for node in order]),
        children=np.array([place[c] for node in order for c in children[node]], np.int32),
        weighted_n_node_samples=counts[order].sum(axis=1),
        statistics=counts[order],
        label=_labels(order, children, counts),
    )


_NO_CATEGORIES = np.empty(0, np.int32), np.empty(0, np.int32)


def _categories(
    tree: Tree, node: int, weights: list[float]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    if not weights:
        return _NO_CATEGORIES
    if has_child_per_category(tree, node):  # those without rows are not listed
        codes = np.flatnonzero(np.array(weights) > EQUAL).astype(np.int32)
        return codes, codes
    return tree.categories_of(node)


def _labels(
    order: list[int], children: Sequence[Sequence[int]], counts: NDArray[np.float64]
) -> NDArray[np.int32]:
    totals = counts.sum(axis=1, keepdims=True)
    label = argmax_with_ties(counts, EQUAL * totals)
    for node in order:
        for child in children[node]:
            if totals[child] < EQUAL:
                label[child] = label[node]
    return np.asarray(label[order])


def _offsets(lists: Sequence[Any]) -> NDArray[np.int32]:
    return np.concatenate([[0], np.cumsum([len(entries) for entries in lists])]).astype(np.int32)
