"""Growth from counts, for tables in chunks: all open nodes of a level in one pass over the rows.

Rows find their node by routing through the tree so far. Counts are whole numbers, so chunks may
come in any size and order. The split of a node is chosen by the same code as in memory.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field
from dataclasses import replace as changed
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood._limits import Deadline, warn_time_limit
from mixedwood._parts import Partitioner
from mixedwood.data import ColumnKind
from mixedwood.data.pieces import ChunkedTable, Layout, Piece
from mixedwood.grow.encoded import KINDS
from mixedwood.grow.greedy import GrowSettings, native_settings
from mixedwood.tree import Tree, TreeBuilder
from mixedwood.tree.tree import STOP, SplitKind

__all__ = ["grow_counted"]

_MEMORY = 1 << 29  # bytes of the histograms of one pass


@dataclass(eq=False)
class _Node:
    counts: NDArray[np.int64]
    seed: int
    depth: int
    columns: NDArray[np.int32]
    split: dict[str, Any] = field(default_factory=dict)
    children: list[_Node] = field(default_factory=list)
    missing: int = STOP
    unknown: int = STOP
    least_worth: float = math.inf  # of the splits from the root down to here
    number: int = 0  # in the tree made last

    @property
    def worth(self) -> float:
        return float(self.split["worth"])


def grow_counted(
    table: ChunkedTable,
    settings: GrowSettings,
    *,
    seed: int = 0,
    time_limit: float = math.inf,
) -> Tree:
    """Grow a tree from a table in chunks, the same as in memory from numbers in the same bins.

    Parameters
    ----------
    table : ChunkedTable
        The rows, and what a first pass has found.
    settings : GrowSettings
        How to grow, and when to stop.
    seed : int, default=0
        Seed of random parts.
    time_limit : float, default=inf
        Seconds. If it is reached, nodes that were not looked at become leaves, with a warning.
    """
    deadline = Deadline.after(time_limit)
    growth = _Growth(table, settings, seed)
    level = [node for node in [growth.root] if growth.may_be_split(node)]
    number = 0
    while level:
        following = []
        most = max(1, _MEMORY // max(1, 4 * growth.native.length))
        for start in range(0, len(level), most):
            number += 1
            nodes = level[start : start + most]
            histograms = growth.count(nodes, number, deadline)
            if histograms is None:
                warn_time_limit(
                    "The time limit came before the tree was complete; nodes that were not "
                    "reached are leaves."
                )
                return growth.tree(growth.order())
            for node, histogram in zip(nodes, histograms, strict=True):
                following += growth.split(node, histogram)
        level = growth.within_reach(following)
    return growth.tree(growth.order())


def native_table(layout: Layout) -> _core.CountedTable:
    """Describe the columns to the native core."""
    schema = layout.schema
    return _core.CountedTable(
        list(layout.bins),
        np.array([column.n_categories for column in schema], dtype=np.int32),
        "".join(KINDS[column.kind] for column in schema),
        len(layout.classes),
    )


@dataclass(frozen=True, eq=False)
class _Histograms:
    """Counts of values by class in the open nodes of a tree."""

    layout: Layout
    tree: Tree
    slot_of: NDArray[np.int32]  # of each node of the tree, the histogram; -1: none
    n_slots: int

    def start(self) -> NDArray[np.uint32]:
        length = native_table(self.layout).length
        return np.zeros((self.n_slots, length), dtype=np.uint32)

    def add(self, total: NDArray[np.uint32], piece: Piece) -> None:
        slots = self.slot_of[self.tree.apply(piece.table)]
        _core.add_counts(native_table(self.layout), piece.codes, piece.classes, slots, total)


class _Growth:
    def __init__(self, table: ChunkedTable, settings: GrowSettings, seed: int) -> None:
        self.source, self.table, self.chosen = table, table.layout, settings
        schema = self.table.schema
        self.native = native_table(self.table)
        none = np.empty(0)
        partitioner = Partitioner.read(settings.partitioner)
        self.settings = native_settings(settings, partitioner, seed, none, none)
        columns = np.arange(len(schema), dtype=np.int32)
        self.root = _Node(self.table.class_counts, seed, 0, columns)
        self.worths: list[float] = []  # the least on the way to each split

    def may_be_split(self, node: _Node) -> bool:
        chosen = self.chosen
        if chosen.max_depth is not None and node.depth >= chosen.max_depth:
            return False
        return bool(
            node.counts.sum() >= chosen.min_samples_split and np.count_nonzero(node.counts) > 1
        )

    def count(
        self, nodes: list[_Node], number: int, deadline: Deadline
    ) -> NDArray[np.uint32] | None:
        """Histograms of nodes by one pass over all rows; None if there is no time left."""
        tree = self.tree(self.every_split())
        slot_of = np.full(len(tree.label), -1, dtype=np.int32)
        for slot, node in enumerate(nodes):
            slot_of[node.number] = slot
        count = _Histograms(self.table, tree, slot_of, len(nodes))
        return self.source.total(count, f"rows of pass {number}", deadline)

    def split(self, node: _Node, histogram: NDArray[np.uint32]) -> list[_Node]:
        """Split a node, and give the children to be split next."""
        found = _core.choose_split(
            self.native, self.settings, histogram, node.counts.astype(np.float64), node.seed,
            node.columns, math.inf,
        )  # fmt: skip
        if found["kind"] == SplitKind.LEAF:
            return []
        node.split = found
        columns = node.columns if self.chosen.max_features else found["columns"]
        counts = self._counts_of_children(found, histogram)
        node.children = [
            _Node(row, int(child_seed), node.depth + 1, columns)
            for row, child_seed in zip(counts, found["seeds"], strict=True)
        ]
        self._choose_sides(node)
        node.least_worth = min(node.least_worth, node.worth)
        self.worths.append(node.least_worth)
        for child in node.children:
            child.least_worth = node.least_worth
        return [child for child in node.children if self.may_be_split(child)]

    def _counts_of_children(
        self, found: dict[str, Any], histogram: NDArray[np.uint32]
    ) -> NDArray[np.int64]:
        column, k = found["column"], len(self.table.classes)
        edges = self.table.bins[column]
        n_values = self.table.schema.columns[column].n_categories if edges is None else len(edges)
        start = int(self.native.offset[column])
        cells = histogram[start : start + (n_values + 1) * k].reshape(-1, k).astype(np.int64)
        child_of = np.zeros(n_values + 1, dtype=np.intp)
        if found["kind"] == SplitKind.INTERVAL:
            child_of[found["last_left"] + 2 :] = 1
        else:
            child_of[found["values"] + 1] = found["children"]
        child_of[0] = max(found["missing_child"], 0)
        counts = np.zeros((found["n_children"], k), dtype=np.int64)
        np.add.at(counts, child_of, cells)
        return counts

    def _choose_sides(self, node: _Node) -> None:
        """Where rows go that the split cannot place; as the native grower does."""
        heavier = int(np.argmax([child.counts.sum() for child in node.children]))
        unmet = node.split["missing_child"] == STOP
        node.missing = heavier if unmet else node.split["missing_child"]
        node.unknown = {"stop": STOP, "missing": node.missing, "majority": heavier}[
            self.chosen.handle_unknown
        ]
        nominal = node.split["kind"] != SplitKind.INTERVAL
        if unmet and self.chosen.handle_missing == "category" and nominal:
            node.missing = node.unknown

    def within_reach(self, nodes: list[_Node]) -> list[_Node]:
        """Leave out nodes that growth ends before, since others come first by their worth."""
        most = self.chosen.max_leaf_nodes
        if most is None:
            return nodes
        worths = np.sort(self.worths)
        before = len(worths) - np.searchsorted(worths, [n.least_worth for n in nodes], "right")
        return [node for node, n in zip(nodes, before, strict=True) if n < most - 1]

    def order(self) -> list[_Node]:
        """Nodes in the order in which the native grower splits them, as far as it does."""
        most, best_first = self.chosen.max_leaf_nodes, self.chosen.best_first
        open_nodes = [(0.0, 0, self.root)] if self.root.children else []
        split, n_nodes, n_leaves = [], 1, 1
        while open_nodes and (most is None or n_leaves < most):
            node = heapq.heappop(open_nodes)[2] if best_first else open_nodes.pop()[2]
            if most is not None and n_leaves + len(node.children) - 1 > most:
                continue
            split.append(node)
            n_leaves += len(node.children) - 1
            following = [
                (-child.worth, number, child)
                for number, child in enumerate(node.children, n_nodes)
                if child.children
            ]
            n_nodes += len(node.children)
            for entry in reversed(following):
                heapq.heappush(open_nodes, entry) if best_first else open_nodes.append(entry)
        return split

    def every_split(self) -> list[_Node]:
        """All nodes that are split so far, parents first."""
        split = [self.root] if self.root.children else []
        for node in split:  # which grows
            split += [child for child in node.children if child.children]
        return split

    def tree(self, split: list[_Node]) -> Tree:
        """Make a tree of nodes that are split, in the order of their children's numbers."""
        table, root = self.table, self.root
        builder = TreeBuilder(table.schema, table.classes, root.counts)
        root.number = 0
        for node in split:
            for child, number in zip(node.children, self._split(builder, node), strict=True):
                child.number = number
        tree = builder.build()
        label, kind = tree.label.copy(), tree.split_kind.copy()
        for node in split:
            # Also two branches of one category each are a multiway split.
            kind[node.number] = node.split["kind"]
            for child in node.children:
                if not child.counts.any():
                    label[child.number] = label[node.number]
        return changed(tree, label=label, split_kind=kind)

    def _split(self, builder: TreeBuilder, node: _Node) -> list[int]:
        found = node.split
        column = self.table.schema.columns[found["column"]]
        counts = [child.counts for child in node.children]
        others = {"missing": node.missing, "unknown": node.unknown, "score": found["score"]}
        if found["kind"] == SplitKind.INTERVAL:
            high = found["high"]
            edges = self.table.bins[found["column"]]
            if column.kind == ColumnKind.NUMERIC and not self.table.exact[found["column"]]:
                assert edges is not None
                high = float(edges[found["last_left"]])
            return builder.split_interval(node.number, column.name, counts, high=high, **others)
        groups: list[list[Any]] = [[] for _ in node.children]
        pairs = zip(found["values"].tolist(), found["children"].tolist(), strict=True)
        for value, child in pairs:
            groups[child].append(column.categories[value])
        return builder.split_categories(node.number, column.name, counts, groups, **others)
