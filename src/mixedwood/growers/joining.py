"""Nodes as plain arrays, unchecked: what is cut and joined many times before it becomes a tree.

`Nodes` has the arrays of `Tree` by name, without those of linear tests. They may be one tree, or
several whose roots come first.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Schema
from mixedwood.tree import STOP_HERE, TestKind, Tree

__all__ = ["Nodes", "as_tree", "cut", "join", "parents", "with_terms"]

Nodes: TypeAlias = dict[str, NDArray[Any]]

# What a node asks, and what a leaf has there.
_TEST: dict[str, Any] = {
    "kind": np.uint8(TestKind.LEAF),
    "column": np.int32(-1),
    "low": -np.inf,
    "high": np.inf,
    "missing_child": np.int32(STOP_HERE),
    "unseen_child": np.int32(STOP_HERE),
    "score": 0.0,
}
_ANSWER = ("weight", "counts", "label")
_LISTS = {"child_offset": ("children",), "value_offset": ("value_code", "value_child")}
_NAMES = (*_TEST, *_ANSWER, *(name for names in _LISTS.values() for name in names))


def join(nodes: Nodes, leaves: NDArray[np.intp], below: Nodes) -> Nodes:
    """Put trees in the place of leaves, which keep their own answers."""
    n, n_leaves, n_below = len(nodes["kind"]), len(leaves), len(below["kind"])
    answer = np.concatenate([np.arange(n), np.arange(n + n_leaves, n + n_below)])
    test = answer.copy()
    test[leaves] = np.arange(n, n + n_leaves)
    place = np.arange(-n_leaves, n + n_below - n_leaves, dtype=np.int32)
    place[:n] = np.arange(n)  # of the roots nobody is the parent
    return _arranged(_stacked(nodes, below), test, answer, place)


def cut(
    nodes: Nodes, parent: NDArray[np.int32], unwanted: NDArray[np.bool_]
) -> tuple[Nodes, NDArray[np.int32]]:
    """Make leaves of some nodes; also say which node now answers for each of the old ones."""
    n = len(parent)
    ahead = np.maximum(parent, 0)
    gone = unwanted[ahead]  # something above is cut
    gone[0] = False
    upwards = ahead
    while upwards.any():
        gone |= gone[upwards]
        upwards = upwards[upwards]
    stays = ~gone
    to = np.where(gone, ahead, np.arange(n, dtype=np.int32))
    while gone[to].any():
        to = to[to]
    kept = np.flatnonzero(stays)
    place = np.cumsum(stays, dtype=np.int32) - np.int32(1)
    return _arranged(nodes, kept, kept, place, leaf=unwanted[kept]), place[to]


def parents(nodes: Nodes) -> NDArray[np.int32]:
    """Parent of each node; -1 for roots."""
    n = len(nodes["kind"])
    parent = np.full(n, -1, dtype=np.int32)
    parent[nodes["children"]] = np.repeat(np.arange(n), np.diff(nodes["child_offset"]))
    return parent


def with_terms(nodes: Nodes) -> SimpleNamespace:
    """Nodes as the core takes a tree: by attributes, with lists of linear terms, all empty."""
    n = len(nodes["kind"])
    return SimpleNamespace(
        **nodes,
        term_offset=np.zeros(n + 1, dtype=np.int32),
        term_column=np.zeros(0, dtype=np.int32),
        term_weight=np.zeros(0),
        intercept=np.zeros(n),
    )


def as_tree(nodes: Nodes, schema: Schema, classes: NDArray[Any]) -> Tree:
    """Make a tree, with all its checks, of nodes below one root."""
    return Tree(schema=schema, classes=classes, **vars(with_terms(nodes)))


def _stacked(first: Nodes, second: Nodes) -> Nodes:
    """Nodes of both, one after the other."""
    nodes = {name: np.concatenate([first[name], second[name]]) for name in _NAMES}
    nodes["children"][len(first["children"]) :] += np.int32(len(first["kind"]))
    for name in _LISTS:
        offset = second[name] + first[name][-1]
        nodes[name] = np.concatenate([first[name], offset[1:]])
    return nodes


def _arranged(
    nodes: Nodes,
    test: NDArray[np.intp],
    answer: NDArray[np.intp],
    place: NDArray[np.int32],
    leaf: NDArray[np.bool_] | None = None,
) -> Nodes:
    """Nodes that ask what the nodes `test` ask and answer what the nodes `answer` answer.

    Node i of before is node ``place[i]`` now; those marked in `leaf` ask nothing any more.
    """
    arranged = {name: nodes[name][answer] for name in _ANSWER}
    for name, blank in _TEST.items():
        arranged[name] = nodes[name][test]
        if leaf is not None:
            arranged[name][leaf] = blank
    for name, lists in _LISTS.items():
        offset = nodes[name]
        lengths = np.diff(offset)[test]
        if leaf is not None:
            lengths[leaf] = 0
        ends = np.cumsum(lengths)
        arranged[name] = np.zeros(len(test) + 1, dtype=np.int32)
        arranged[name][1:] = ends
        entries = np.arange(ends[-1]) + np.repeat(offset[test] - (ends - lengths), lengths)
        for entry in lists:
            arranged[entry] = nodes[entry][entries]
    arranged["children"] = place[arranged["children"]]
    return arranged
