"""Make a tree from another one's tests, in other places and with other rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.pruning.dealing import EQUAL, has_branch_per_value
from mixedwood.tree import Tree
from mixedwood.tree.tree import copy_splits

__all__ = ["grafted"]


def grafted(
    tree: Tree,
    test: Sequence[int],
    children: Sequence[Sequence[int]],
    counts: NDArray[np.float64],
) -> Tree:
    """Make a tree of some nodes of another one, numbered as there; node 0 is the root.

    `test` says whose test a node has, `children` where it leads to (nowhere: a leaf), `counts`
    its class weights. A node without weight answers with its parent's label.
    """
    order = [0]
    for node in order:  # grows on the way: parents first
        order += children[node]
    place = {node: i for i, node in enumerate(order)}
    tests = np.array([test[node] for node in order])
    inner = np.array([bool(children[node]) for node in order])
    categories = [_categories(tree, test[n], [counts[c].sum() for c in children[n]]) for n in order]
    return Tree(
        **{
            **copy_splits(tree, tests, inner),
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
    tree: Tree, test: int, weights: list[float]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    if not weights:
        return _NO_CATEGORIES
    if has_branch_per_value(tree, test):  # values without a row are not listed, and stop
        codes = np.flatnonzero(np.array(weights) > EQUAL).astype(np.int32)
        return codes, codes
    return tree.categories_of(test)


def _labels(
    order: list[int], children: Sequence[Sequence[int]], counts: NDArray[np.float64]
) -> NDArray[np.int32]:
    totals = counts.sum(axis=1, keepdims=True)
    near = counts >= counts.max(axis=1, keepdims=True) - EQUAL * totals  # the first of equals
    label: NDArray[np.int32] = np.argmax(near, axis=1).astype(np.int32)
    for node in order:
        for child in children[node]:
            if totals[child] < EQUAL:
                label[child] = label[node]
    return np.asarray(label[order])


def _offsets(lists: Sequence[Any]) -> NDArray[np.int32]:
    return np.concatenate([[0], np.cumsum([len(entries) for entries in lists])]).astype(np.int32)
