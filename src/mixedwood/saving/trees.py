"""Many trees in few arrays: those of trees with one schema and the same classes, end to end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Schema
from mixedwood.saving.container import ModelFileError
from mixedwood.tree import ARRAY_TYPES, Tree

__all__ = ["join_trees", "part_trees"]

# Arrays that are not one entry per node, and the offsets that say how long they are.
_OFFSETS = ("child_offset", "category_offset", "term_offset")
_LISTED = {
    "children": "child_offset",
    "category_code": "category_offset",
    "category_child": "category_offset",
    "term_column": "term_offset",
    "term_category": "term_offset",
    "term_weight": "term_offset",
    "term_fill": "term_offset",
}


def join_trees(trees: Sequence[Tree]) -> dict[str, NDArray[Any]]:
    """Put the arrays of trees end to end."""
    joined = {name: np.concatenate([getattr(tree, name) for tree in trees]) for name in ARRAY_TYPES}
    return {"n_nodes": np.array([tree.n_nodes for tree in trees], np.int64), **joined}


def part_trees(
    names: Mapping[str, Any],
    array: Callable[[str], NDArray[Any]],
    schema: Schema,
    classes: NDArray[Any],
) -> list[Tree]:
    """Make trees of arrays end to end; each tree checks its own."""
    wanted = {"n_nodes": np.int64, **ARRAY_TYPES}
    if set(names) != set(wanted):
        differ = sorted(set(names) ^ set(wanted))
        raise ModelFileError(f"its trees differ from those of this version in {', '.join(differ)}")
    arrays = {name: array(entry) for name, entry in names.items()}
    for name, dtype in wanted.items():
        if arrays[name].dtype != dtype or arrays[name].ndim != 1 + (name == "statistics"):
            raise ModelFileError(f"{name!r} of its trees has another type or shape")
    n_nodes = arrays.pop("n_nodes")
    if len(n_nodes) and n_nodes.min() < 1:
        raise ModelFileError("a tree has no nodes")
    taken = dict.fromkeys(arrays, 0)
    trees = []
    for n in n_nodes.tolist():
        parts: dict[str, NDArray[Any]] = {}
        for name in [*_OFFSETS, *(name for name in arrays if name not in _OFFSETS)]:
            length = n + 1 if name in _OFFSETS else n
            if name in _LISTED:
                length = int(parts[_LISTED[name]][-1])
            first, last = taken[name], taken[name] + length
            if not 0 <= length <= len(arrays[name]) - first:
                raise ModelFileError(f"{name!r} of its trees ends too early")
            parts[name], taken[name] = arrays[name][first:last], last
        trees.append(Tree(schema=schema, classes=classes, **parts))
    if any(taken[name] != len(arrays[name]) for name in arrays):
        raise ModelFileError("there is more in its arrays than its trees take")
    return trees
