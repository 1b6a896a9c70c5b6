"""Slow twin of growing and pruning in turns: nodes are objects, rows walk one by one.

Trees below leaves come from `grow`, which has a twin of its own.
"""

from dataclasses import dataclass, field

import numpy as np

from mixedwood.grow import grow
from mixedwood.tree import STOP, SplitKind


@dataclass(eq=False)
class Node:
    label: int
    counts: list
    tree: object = None  # whose node `place` has the test
    place: int = 0
    children: list = field(default_factory=list)
    inherited: bool = False

    @property
    def is_leaf(self):
        return not self.children


def as_nodes(tree, place=0):
    return Node(
        int(tree.label[place]),
        tree.statistics[place].tolist(),
        tree,
        place,
        [as_nodes(tree, int(child)) for child in tree.children_of(place)],
    )


def next_node(node, table, row):
    """The child for a row, or None where it has to stop."""
    tree, i = node.tree, node.place
    x = table.arrays[tree.column[i]][row]
    if x == -1 if np.issubdtype(type(x), np.integer) else np.isnan(x):
        child = tree.missing_child[i]
    elif tree.split_kind[i] == SplitKind.INTERVAL:
        child = 0 if tree.low[i] < x <= tree.high[i] else 1
    else:
        codes, positions = tree.categories_of(i)
        child = dict(zip(codes.tolist(), positions.tolist(), strict=True)).get(
            int(x), tree.unknown_child[i]
        )
    return None if child == STOP else node.children[child]


def deal(node, table, rows):
    """Rows of each child, and those that stop at the node."""
    dealt, stopped = [[] for _ in node.children], []
    for row in rows:
        child = next_node(node, table, row)
        (stopped if child is None else dealt[node.children.index(child)]).append(row)
    return dealt, stopped


class Twin:
    """`protect`: whether splits that have survived a pruning are cut only when that is better."""

    def __init__(self, table, target, settings=None, protect=True):
        self.table, self.target, self.settings = table, target, settings
        self.protect = protect
        self.weights = np.ones(target.n_rows) if target.weights is None else target.weights

    def grown(self, rows):
        return as_nodes(grow(self.table.take(rows), self.target.take(rows), self.settings))

    def grow_below_leaves(self, node, rows):
        if node.is_leaf:
            if rows:
                new = self.grown(rows)
                node.tree, node.place, node.children = new.tree, new.place, new.children
            return
        dealt, _ = deal(node, self.table, rows)
        for child, some in zip(node.children, dealt, strict=True):
            self.grow_below_leaves(child, some)

    def wrong(self, node, rows):
        return sum(self.weights[r] for r in rows if self.target.codes[r] != node.label)

    def prune(self, node, rows):
        """Prune below a node, then itself; return its errors."""
        own = self.wrong(node, rows)
        if node.is_leaf:
            return own
        dealt, stopped = deal(node, self.table, rows)
        below = self.wrong(node, stopped) + sum(
            self.prune(child, some) for child, some in zip(node.children, dealt, strict=True)
        )
        if own < below - 1e-9 or (own <= below + 1e-9 and not (node.inherited and self.protect)):
            node.children, node.inherited = [], False
            return own
        return below

    def run(self, halves, limit=20):
        """Return the root, the sizes (grown, pruned), and each pruned tree's tests."""
        sides = [[r for r in range(len(halves)) if halves[r] == s] for s in (0, 1)]
        sides = [[r for r in side if self.weights[r] > 0] for side in sides]
        root, sizes, shapes = None, [], []
        while len(sizes) < limit:
            if root is None:
                root = self.grown(sides[0])
            else:
                self.grow_below_leaves(root, sides[0])
            grown = n_leaves(root)
            self.prune(root, sides[1])
            sizes.append((grown, n_leaves(root)))
            shapes.append(tests(root))
            mark_inherited(root)
            if len(sizes) > 1 and sizes[-1][1] == sizes[-2][1]:
                break
            sides.reverse()
        return root, sizes, shapes


def n_leaves(node):
    return 1 if node.is_leaf else sum(map(n_leaves, node.children))


def mark_inherited(node):
    node.inherited = not node.is_leaf
    for child in node.children:
        mark_inherited(child)


def tests(node, path=()):
    """All tests of a tree with the way to them, as a set."""
    if node.is_leaf:
        return set()
    found = {(path, describe(node.tree, node.place))}
    for i, child in enumerate(node.children):
        found |= tests(child, (*path, i))
    return found


def describe(tree, i):
    codes, positions = tree.categories_of(i)
    return (
        int(tree.split_kind[i]),
        int(tree.column[i]),
        float(tree.low[i]),
        float(tree.high[i]),
        tuple(codes.tolist()),
        tuple(positions.tolist()),
        int(tree.missing_child[i]),
        int(tree.unknown_child[i]),
        float(tree.score[i]),
    )


def nested(node):
    """A twin's tree as nested tuples."""
    if node.is_leaf:
        return (node.label, tuple(node.counts))
    children = tuple(nested(child) for child in node.children)
    return (node.label, tuple(node.counts), describe(node.tree, node.place), children)


def nested_tree(tree, i=0):
    """A tree of the library likewise."""
    answer = (int(tree.label[i]), tuple(tree.statistics[i].tolist()))
    if tree.split_kind[i] == SplitKind.LEAF:
        return answer
    children = tuple(nested_tree(tree, int(child)) for child in tree.children_of(i))
    return (*answer, describe(tree, i), children)
