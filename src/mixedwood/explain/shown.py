"""Which nodes of a large tree are shown: those nearest to the root."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from mixedwood.tree import Tree

__all__ = ["Shown", "choose_nodes"]


@dataclass(frozen=True)
class Shown:
    """The part of a tree that is shown.

    Attributes
    ----------
    children : dict of int to list of int
        The nodes shown, each with those of its children that are shown. Parents come first.
    left_out : dict of int to int
        For nodes with children that are not shown: how many nodes below it are left out.
    """

    children: dict[int, list[int]]
    left_out: dict[int, int]


def choose_nodes(tree: Tree, max_depth: int | None = None, max_nodes: int | None = None) -> Shown:
    """Choose level by level, from the root on, until a limit is reached.

    Children of one node are shown all or not at all, except where a single test has so many that
    they would fill half of `max_nodes` or more; then the first ones are shown.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import TreeBuilder
    >>> builder = TreeBuilder(read_table({"x": [1.0]}).schema, ["no", "yes"], [2, 2])
    >>> _, right = builder.split_interval(0, "x", [[2, 0], [0, 2]], high=1.0)
    >>> _ = builder.split_interval(right, "x", [[0, 1], [0, 1]], high=2.0)
    >>> choose_nodes(builder.build(), max_depth=1)
    Shown(children={0: [1, 2], 1: [], 2: []}, left_out={2: 2})
    """
    for name, limit, least in (("max_depth", max_depth, 0), ("max_nodes", max_nodes, 1)):
        if limit is not None and limit < least:
            raise ValueError(f"{name} must be at least {least}, not {limit}.")
    room = tree.n_nodes if max_nodes is None else max_nodes
    children: dict[int, list[int]] = {0: []}
    cut = []
    n_shown = 1
    waiting = deque([(0, 0)])  # node, depth
    while waiting:
        node, depth = waiting.popleft()
        below: list[int] = tree.children_of(node).tolist()
        fits = n_shown + len(below) <= room
        if max_depth is not None and depth >= max_depth:
            shown = []
        else:
            shown = below if fits or 2 * len(below) > room else []
            shown = shown[: room - n_shown]
        if len(shown) < len(below):
            cut.append(node)
        n_shown += len(shown)
        children[node] = shown
        waiting.extend((child, depth + 1) for child in shown)
    return Shown(children, _left_out(tree, children, cut))


def _left_out(tree: Tree, children: dict[int, list[int]], cut: list[int]) -> dict[int, int]:
    if not cut:
        return {}
    size = np.ones(tree.n_nodes, dtype=np.int64).tolist()
    parent = tree.parent.tolist()
    for node in range(tree.n_nodes - 1, 0, -1):  # children come after their parents
        size[parent[node]] += size[node]
    return {node: size[node] - 1 - sum(size[child] for child in children[node]) for node in cut}
