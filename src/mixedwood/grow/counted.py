"""Growth from counts, for tables in chunks: all open nodes of a level in one pass over the rows.

Rows find their node by routing through the tree so far. Counts are whole numbers, so chunks may
come in any size and order. The split of a node is chosen by the same code as in memory. Several
trees, such as those of cross-validation, are grown on the same passes.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as changed
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood._limits import NO_DEADLINE, Deadline
from mixedwood._parts import Partitioner
from mixedwood.data import ColumnKind
from mixedwood.data.fixed_point import FixedPoint
from mixedwood.data.pieces import ChunkedTable, Layout, Piece, loss_terms
from mixedwood.data.row_draws import RowDraws
from mixedwood.data.row_folds import RowFolds
from mixedwood.grow.encoded import KINDS, fill
from mixedwood.grow.greedy import GrowSettings, native_costs, native_settings
from mixedwood.tree import Tree, TreeBuilder
from mixedwood.tree.tree import STOP, SplitKind

__all__ = [
    "Grown",
    "Sample",
    "count_ends",
    "count_number_ends",
    "drawn_samples",
    "fold_samples",
    "grow_counted",
    "squared_deviations",
    "whole_sample",
]

_MEMORY = 1 << 29  # bytes of the histograms of one pass

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows that a tree is grown from: all, all but those of one fold, or a random sample.

    Attributes
    ----------
    n_rows : int
        Number of rows.
    class_weights : ndarray of float64
        Weight of the rows of each class.
    whole_weights : bool
        Whether all weights are whole numbers.
    division, without : int
        The division into folds, and the fold that is left out; -1 for none.
    sums : tuple of Fraction
        For a target of numbers: the sum of weights, weighted numbers and so on; see `Numbers`.
    draw : int
        The number of the random sample; -1 for none.
    seed : int or None
        The seed of the tree; None for that of all.
    """

    n_rows: int
    class_weights: Numbers
    whole_weights: bool
    division: int = 0
    without: int = -1
    sums: tuple[Fraction, ...] = ()
    draw: int = -1
    seed: int | None = None

    def slots(
        self, slots: NDArray[np.int32], folds: Sequence[NDArray[np.int64]]
    ) -> NDArray[np.int32]:
        """Leave out the rows that are not in the sample."""
        if self.without < 0:
            return slots
        return np.where(folds[self.division] == self.without, np.int32(-1), slots)


def whole_sample(layout: Layout) -> Sample:
    """All rows of a table."""
    sums = () if layout.numbers is None else layout.numbers.sums
    return Sample(layout.n_rows, layout.class_weights, layout.whole_weights, sums=sums)


def fold_samples(
    table: ChunkedTable, folds: RowFolds, deadline: Deadline = NO_DEADLINE
) -> list[Sample] | None:
    """For each fold with rows, all other rows; takes a pass. None if the time is over.

    If some fold has all rows, there are no samples.
    """
    layout = table.layout
    found = table.total(_FoldSums(layout, folds), deadline=deadline)
    if found is None:
        return None
    samples = []
    for division, sums in enumerate(found):
        rows = sums[..., 0].sum(axis=1)
        used = np.flatnonzero(rows)
        if len(used) < 2:
            return []
        for fold in used.tolist():
            rest = sums[np.arange(len(sums)) != fold].sum(axis=0)
            weights = _effective(layout, rest[:, :-1])
            whole = not rest[:, -1].any()
            exact = () if layout.numbers is None else layout.exact_sums(rest[0, :-1])
            n_rows = int(rest[:, 0].sum())
            samples.append(Sample(n_rows, weights, whole, division, fold, exact))
    return samples


def _effective(layout: Layout, terms: NDArray[Any]) -> Numbers:
    """Weights of sums of terms; the axis before the last has the classes."""
    weights = layout.weights(terms)
    return weights if layout.class_factors is None else weights * layout.class_factors


def drawn_samples(
    table: ChunkedTable, draws: RowDraws, seeds: Sequence[int], deadline: Deadline = NO_DEADLINE
) -> list[Sample] | None:
    """Random samples of rows, for trees with these seeds; takes a pass. None if the time is over.

    A sample without rows, of a very small table, is replaced by all rows.
    """
    layout = table.layout
    found = table.total(_DrawnSums(layout, draws), "rows of the samples", deadline)
    if found is None:
        return None
    samples = []
    for number, (terms, seed) in enumerate(zip(found, seeds, strict=True)):
        n_rows = int(terms[:, 0].sum())
        sample = Sample(
            n_rows, _effective(layout, terms), layout.whole_weights, draw=number, seed=seed
        )
        samples.append(sample if n_rows else changed(whole_sample(layout), seed=seed))
    return samples


@dataclass(frozen=True, eq=False)
class _DrawnSums:
    """Terms of the rows of each class in each random sample."""

    layout: Layout
    draws: RowDraws

    def start(self) -> NDArray[np.int64]:
        layout = self.layout
        shape = (len(self.draws.seeds), len(layout.classes), layout.n_terms)
        return np.zeros(shape, dtype=np.int64)

    def add(self, total: NDArray[np.int64], piece: Piece) -> None:
        for number, sums in enumerate(total):
            times = self.draws.of_piece(piece, number)
            np.add.at(sums, piece.classes, times[:, None] * piece.terms)


@dataclass(frozen=True, eq=False)
class _FoldSums:
    """Terms of the rows in each fold and class, and how many have weights that are not whole."""

    layout: Layout
    folds: RowFolds

    def start(self) -> NDArray[np.int64]:
        layout, folds = self.layout, self.folds
        shape = (len(folds.seeds), folds.n_folds, layout.n_groups, layout.n_terms + 1)
        return np.zeros(shape, dtype=np.int64)

    def add(self, total: NDArray[np.int64], piece: Piece) -> None:
        weights = np.ones(piece.n_rows) if piece.weights is None else piece.weights
        if self.layout.class_factors is not None:
            weights = weights * self.layout.class_factors[piece.classes]
        broken = (weights != np.floor(weights)).astype(np.int64)
        terms = np.column_stack([piece.terms, broken])
        for division, sums in enumerate(total):
            np.add.at(sums, (self.folds.of_piece(piece, division), piece.classes), terms)


class Grown(NamedTuple):
    """Trees, and whether growth came to its end."""

    trees: list[Tree]
    complete: bool


def grow_counted(
    table: ChunkedTable,
    settings: Callable[[int], GrowSettings],
    samples: Sequence[Sample] = (),
    *,
    folds: RowFolds | None = None,
    draws: RowDraws | None = None,
    cost_matrix: Numbers | None = None,
    seed: int = 0,
    deadline: Deadline = NO_DEADLINE,
) -> Grown:
    """Grow trees from a table in chunks, the same as in memory from numbers in the same bins.

    Parameters
    ----------
    table : ChunkedTable
        The rows, and what a first pass has found.
    settings : callable
        How to grow, and when to stop, given the number of rows.
    samples : sequence of Sample
        The rows of each tree; by default one tree of all rows.
    folds : RowFolds, optional
        Folds of rows, if samples leave out any.
    draws : RowDraws, optional
        Random samples of rows, if samples are such.
    cost_matrix : ndarray, optional
        Costs of mistakes.
    seed : int, default=0
        Seed of random parts.
    deadline : Deadline
        When it is over, nodes that were not looked at become leaves.
    """
    layout = table.layout
    samples = samples or [whole_sample(layout)]
    kind = _Growth if layout.numbers is None else _NumberGrowth
    growths = [kind(layout, settings(s.n_rows), s, cost_matrix, seed) for s in samples]
    level = [(g, g.root) for g in growths if g.may_be_split(g.root)]
    most = max(1, _MEMORY // max(1, _Histograms.bytes_of_node(layout)))
    number = 0
    while level:
        following = []
        for start in range(0, len(level), most):
            number += 1
            nodes = level[start : start + most]
            count = _Histograms(layout, folds, _parts(nodes), len(nodes), draws)
            histograms = table.total(count, f"rows of pass {number}", deadline)
            if histograms is None:
                return Grown([growth.finish() for growth in growths], complete=False)
            for (growth, node), histogram in zip(nodes, histograms, strict=True):
                following += [(growth, child) for child in growth.split(node, histogram)]
        reach = {growth: growth.reach() for growth, _ in following}
        level = [(growth, node) for growth, node in following if reach[growth](node)]
    return Grown([growth.finish() for growth in growths], complete=True)


def count_ends(
    table: ChunkedTable,
    trees: Sequence[Tree],
    samples: Sequence[Sample],
    folds: RowFolds,
    deadline: Deadline = NO_DEADLINE,
) -> list[Numbers] | None:
    """For each tree, the class weights of the rows left out that end in each node; takes a pass."""
    found = table.total(_Ends(table.layout, folds, list(trees), list(samples)), "", deadline)
    if found is None:
        return None
    ends = np.cumsum([tree.n_nodes for tree in trees])[:-1]
    return [_effective(table.layout, part) for part in np.split(found, ends)]


@dataclass(frozen=True, eq=False)
class _Ends:
    layout: Layout
    folds: RowFolds
    trees: list[Tree]
    samples: list[Sample]

    def start(self) -> NDArray[np.int64]:
        n_nodes = sum(tree.n_nodes for tree in self.trees)
        return np.zeros((n_nodes, self.layout.n_groups, self.layout.n_terms), dtype=np.int64)

    def add(self, total: NDArray[np.int64], piece: Piece) -> None:
        folds = _folds_of(self.folds, piece)
        first = 0
        for tree, sample in zip(self.trees, self.samples, strict=True):
            rows = np.flatnonzero(folds[sample.division] == sample.without)
            if len(rows):
                nodes = first + tree.apply(piece.table.take(rows))
                np.add.at(total, (nodes, piece.classes[rows]), piece.terms[rows])
            first += tree.n_nodes


def _folds_of(folds: RowFolds | None, piece: Piece) -> list[NDArray[np.int64]]:
    if folds is None:
        return []
    return [folds.of_piece(piece, division) for division in range(len(folds.seeds))]


def native_table(layout: Layout) -> _core.CountedTable:
    """Describe the columns to the native core."""
    schema = layout.schema
    return _core.CountedTable(
        list(layout.bins),
        np.array([column.n_categories for column in schema], dtype=np.int32),
        "".join(KINDS[column.kind] for column in schema),
        layout.n_groups,
    )


class _Part(NamedTuple):
    """Open nodes of one tree."""

    sample: Sample
    tree: Tree
    slot_of: NDArray[np.int32]  # of each node of the tree, the histogram; -1: none


def _parts(nodes: Sequence[tuple[_Growth, _Node]]) -> list[_Part]:
    parts = []
    for growth in dict.fromkeys(growth for growth, _ in nodes):
        tree = growth.tree(growth.every_split())
        slot_of = np.full(len(tree.label), -1, dtype=np.int32)
        for slot, (owner, node) in enumerate(nodes):
            if owner is growth:
                slot_of[node.number] = slot
        parts.append(_Part(growth.sample, tree, slot_of))
    return parts


@dataclass(frozen=True, eq=False)
class _Histograms:
    """Counts of values by class in the open nodes of some trees; with weights, sums of terms."""

    layout: Layout
    folds: RowFolds | None
    parts: list[_Part]
    n_slots: int
    draws: RowDraws | None = None

    @staticmethod
    def bytes_of_node(layout: Layout) -> int:
        """Bytes that the counts of a node take."""
        return native_table(layout).length * (4 if layout.n_terms == 1 else 8 * layout.n_terms)

    def start(self) -> NDArray[Any]:
        length = native_table(self.layout).length
        if self.layout.n_terms == 1:
            return np.zeros((self.n_slots, length), dtype=np.uint32)
        return np.zeros((self.n_slots, length, self.layout.n_terms), dtype=np.int64)

    def add(self, total: NDArray[Any], piece: Piece) -> None:
        native = native_table(self.layout)
        folds = _folds_of(self.folds, piece)
        for sample, tree, slot_of in self.parts:
            slots = sample.slots(slot_of[tree.apply(piece.table)], folds)
            codes, classes, rows = piece.codes, piece.classes, None
            if sample.draw >= 0 and self.draws is not None:
                times = np.where(slots < 0, 0, self.draws.of_piece(piece, sample.draw))
                rows = np.repeat(np.arange(piece.n_rows), times)
                codes = [column[rows] for column in codes]
                classes, slots = classes[rows], slots[rows]
            if self.layout.n_terms == 1:
                _core.add_counts(native, codes, classes, slots, total)
            else:
                terms = piece.terms if rows is None else piece.terms[rows]
                _core.add_sums(native, codes, classes, slots, terms, total)


@dataclass(eq=False)
class _Node:
    counts: Numbers  # weight of each class; or weight, mean, squared deviations and loss
    n_rows: int
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


class _Growth:
    """One tree."""

    def __init__(
        self,
        layout: Layout,
        settings: GrowSettings,
        sample: Sample,
        cost_matrix: Numbers | None,
        seed: int,
    ) -> None:
        self.table, self.chosen, self.sample = layout, settings, sample
        self.cost_matrix = cost_matrix
        self.native = native_table(layout)
        seed = seed if sample.seed is None else sample.seed
        self.settings = self._native_settings(seed)
        columns = np.arange(len(layout.schema), dtype=np.int32)
        self.root = _Node(self._root_counts(), sample.n_rows, seed, 0, columns)
        self.worths: list[float] = []  # the least on the way to each split

    def _native_settings(self, seed: int) -> Any:
        partitioner = Partitioner.read(self.chosen.partitioner)
        costs = native_costs(self.cost_matrix, self.chosen)
        return native_settings(self.chosen, partitioner, seed, *costs)

    def _root_counts(self) -> Numbers:
        return self.sample.class_weights

    def _counts(self, terms: NDArray[np.int64]) -> Numbers:
        """Give what nodes with these sums of terms have instead of counts."""
        return _effective(self.table, terms)

    @staticmethod
    def _weight(node: _Node) -> float:
        return float(node.counts.sum())

    def may_be_split(self, node: _Node) -> bool:
        chosen = self.chosen
        if chosen.max_depth is not None and node.depth >= chosen.max_depth:
            return False
        large = node.n_rows >= chosen.min_samples_split
        return large and int(np.count_nonzero(node.counts)) > 1

    def split(self, node: _Node, histogram: NDArray[Any]) -> list[_Node]:
        """Split a node, and give the children to be split next."""
        found = self._choose(node, histogram)
        if found["kind"] == SplitKind.LEAF:
            return []
        node.split = found
        columns = node.columns if self.chosen.max_features else found["columns"]
        terms = self._terms_of_children(found, histogram)
        counts = self._counts(terms)
        n_rows = terms[..., 0].sum(axis=1).tolist()
        node.children = [
            _Node(row, n, int(child_seed), node.depth + 1, columns)
            for row, n, child_seed in zip(counts, n_rows, found["seeds"], strict=True)
        ]
        self._choose_sides(node)
        node.least_worth = min(node.least_worth, node.worth)
        self.worths.append(node.least_worth)
        for child in node.children:
            child.least_worth = node.least_worth
        return [child for child in node.children if self.may_be_split(child)]

    def _choose(self, node: _Node, histogram: NDArray[Any]) -> dict[str, Any]:
        if not self.table.is_weighed:
            return _core.choose_split(
                self.native, self.settings, histogram, node.counts, node.seed, node.columns,
                math.inf,
            )  # fmt: skip
        terms = histogram.reshape(len(histogram), -1)
        k = self.table.n_groups
        weights = _effective(self.table, terms.reshape(-1, k, terms.shape[1])).ravel()
        return _core.choose_weighed_split(
            self.native, self.settings, weights, terms[:, 0].astype(np.float64), node.n_rows,
            self.sample.whole_weights, node.counts, node.seed, node.columns, math.inf,
        )  # fmt: skip

    def _terms_of_children(
        self, found: dict[str, Any], histogram: NDArray[Any]
    ) -> NDArray[np.int64]:
        column, k = found["column"], self.table.n_groups
        edges = self.table.bins[column]
        n_values = self.table.schema.columns[column].n_categories if edges is None else len(edges)
        start = int(self.native.offset[column])
        cells = histogram[start : start + (n_values + 1) * k].reshape(n_values + 1, k, -1)
        child_of = np.zeros(n_values + 1, dtype=np.intp)
        if found["kind"] == SplitKind.INTERVAL:
            child_of[found["last_left"] + 2 :] = 1
        else:
            child_of[found["values"] + 1] = found["children"]
        child_of[0] = max(found["missing_child"], 0)
        terms = np.zeros((found["n_children"], *cells.shape[1:]), dtype=np.int64)
        np.add.at(terms, child_of, cells.astype(np.int64))
        return terms

    def _choose_sides(self, node: _Node) -> None:
        """Where rows go that the split cannot place; as the native grower does."""
        heavier = int(np.argmax([self._weight(child) for child in node.children]))
        unmet = node.split["missing_child"] == STOP
        node.missing = heavier if unmet else node.split["missing_child"]
        node.unknown = {"stop": STOP, "missing": node.missing, "majority": heavier}[
            self.chosen.handle_unknown
        ]
        nominal = node.split["kind"] != SplitKind.INTERVAL
        if unmet and self.chosen.handle_missing == "category" and nominal:
            node.missing = node.unknown

    def reach(self) -> Callable[[_Node], bool]:
        """Tell nodes from those that growth ends before, since others come first by their worth."""
        most = self.chosen.max_leaf_nodes
        if most is None:
            return lambda node: True
        worths = np.sort(self.worths)

        def within(node: _Node) -> bool:
            before = len(worths) - np.searchsorted(worths, node.least_worth, "right")
            return bool(before < most - 1)

        return within

    def finish(self) -> Tree:
        """Make the tree that has been grown."""
        return self.tree(self.order()).with_costs(self.cost_matrix)

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
        loss = None if table.numbers is None else table.numbers.loss
        builder = TreeBuilder(table.schema, table.classes, root.counts, loss=loss)
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
                if loss is None and not child.counts.any():
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


def squared_deviations(sums: tuple[Fraction, ...]) -> float:
    """Sum of squared deviations from the mean; 0 if it is no more than products were rounded by."""
    weight, total, squares = sums[:3]
    found = squares - total * total / weight
    return float(found) if found > squares * Fraction(1, 2**50) else 0.0


class _NumberGrowth(_Growth):
    """A tree that predicts numbers."""

    chosen: GrowSettings

    def _native_settings(self, seed: int) -> Any:
        partitioner = self.chosen.partitioner
        name = partitioner.name if isinstance(partitioner, Partitioner) else partitioner
        return fill(_core.RegressSettings(), self.chosen, partitioner=name, seed=seed)

    def _root_counts(self) -> Numbers:
        return self._statistics(self.sample.sums)

    def _counts(self, terms: NDArray[np.int64]) -> Numbers:
        return np.array([self._statistics(self.table.exact_sums(row[0])) for row in terms])

    def _statistics(self, sums: tuple[Fraction, ...]) -> Numbers:
        """Weight, mean, squared deviations and loss, from exact sums."""
        assert self.table.numbers is not None
        weight, total = sums[:2]
        mean = float(total / weight)
        deviations = squared_deviations(sums)
        loss = deviations
        if self.table.numbers.loss == "poisson":
            loss = float(sums[3]) - (float(total) * math.log(mean) if mean > 0 else 0.0)
        return np.array([float(weight), mean, deviations, max(0.0, loss)])

    @staticmethod
    def _weight(node: _Node) -> float:
        return float(node.counts[0])

    def may_be_split(self, node: _Node) -> bool:
        chosen = self.chosen
        if chosen.max_depth is not None and node.depth >= chosen.max_depth:
            return False
        least = max(chosen.min_samples_split, 2 * chosen.min_samples_leaf)
        return node.n_rows >= least and bool(node.counts[2] > 0)

    def _choose(self, node: _Node, histogram: NDArray[Any]) -> dict[str, Any]:
        sums = self.table.number_sums(histogram)
        cells = np.array(
            [histogram[:, 0].astype(np.float64), self.table.weights(histogram), *sums[:2]]
        )
        weight, mean, deviations, loss = node.counts.tolist()
        total = np.array([node.n_rows, weight, weight * mean, mean, deviations, loss])
        return _core.choose_number_split(
            self.native, self.settings, cells, total, self.sample.whole_weights, node.seed,
            node.columns, math.inf,
        )  # fmt: skip


def count_number_ends(
    table: ChunkedTable,
    trees: Sequence[Tree],
    samples: Sequence[Sample],
    folds: RowFolds,
    deadline: Deadline = NO_DEADLINE,
) -> list[list[list[Fraction]]] | None:
    """For each tree and node, sums over the rows left out that end in it; takes a pass.

    The sums are those of weights, and of weights times the functions that `NodeLosses` needs.
    """
    count = _NumberEnds(table.layout, folds, list(trees), list(samples))
    found = table.total(count, "", deadline)
    if found is None:
        return None
    ends = np.cumsum([tree.n_nodes for tree in trees])[:-1]
    return [[count.sums(row) for row in part] for part in np.split(found, ends)]


@dataclass(frozen=True, eq=False)
class _NumberEnds:
    layout: Layout
    folds: RowFolds
    trees: list[Tree]
    samples: list[Sample]

    @property
    def fixed(self) -> list[FixedPoint]:
        layout = self.layout
        assert layout.numbers is not None
        weight = 1 if layout.fixed is None else layout.fixed.top
        largest = np.array([layout.numbers.largest])
        bounds = [1.0, *(float(b[0]) for b in loss_terms(layout.numbers.loss, largest, bound=True))]
        tops = [weight + math.frexp(bound)[1] for bound in bounds]
        return [FixedPoint.for_numbers(top, top - 93, layout.n_rows) for top in tops]

    def sums(self, parts: NDArray[np.int64]) -> list[Fraction]:
        """Turn the parts of a node into sums, without rounding."""
        found, start = [], 0
        for one in self.fixed:
            found.append(one.join_exactly(parts[start : start + one.n_parts]))
            start += one.n_parts
        return found

    def start(self) -> NDArray[np.int64]:
        n_nodes = sum(tree.n_nodes for tree in self.trees)
        return np.zeros((n_nodes, sum(one.n_parts for one in self.fixed)), dtype=np.int64)

    def add(self, total: NDArray[np.int64], piece: Piece) -> None:
        folds = _folds_of(self.folds, piece)
        assert piece.numbers is not None
        assert self.layout.numbers is not None
        weights = np.ones(piece.n_rows) if piece.weights is None else piece.weights
        found = [
            weights,
            *(weights * t for t in loss_terms(self.layout.numbers.loss, piece.numbers)),
        ]
        parts = [one.split(part) for one, part in zip(self.fixed, found, strict=True)]
        terms = np.concatenate(parts, axis=1)
        first = 0
        for tree, sample in zip(self.trees, self.samples, strict=True):
            rows = np.flatnonzero(folds[sample.division] == sample.without)
            if len(rows):
                np.add.at(total, first + tree.apply(piece.table.take(rows)), terms[rows])
            first += tree.n_nodes
