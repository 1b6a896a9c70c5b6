"""Trees as the nodes of one ONNX TreeEnsemble, whose outputs are the leaves that a row reaches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mixedwood.exports.limits import Model, branches, places, target_of

__all__ = ["SHIFT", "TreeNodes"]

SHIFT = 2
"""Added to codes: an unknown category is 0 and a missing one 1, so that sets can contain both."""

_LEQ, _EQ, _MEMBER = 0, 4, 6


@dataclass
class TreeNodes:
    """Nodes of all trees, in the arrays of the operator.

    The rules for missing and unknown values are part of the features and of the nodes: runtimes
    differ in what they do with NaN. No node has two parents, which onnxruntime refuses.
    """

    model: Model
    features: dict[tuple[Any, ...], int] = field(default_factory=dict)
    """Position of each feature: a column, and what of it.

    ``"high"`` and ``"low"`` are numbers, with plus or minus infinity for missing ones; ``"flag"``
    is 1 for missing numbers; ``"inside"`` is 1 between two numbers, with a third one for missing
    numbers; ``"code"`` is a code. ``"sum high"``, ``"sum low"`` and ``"sum flag"`` are of the sum
    of a linear split, which they name by its position in `linear`.
    """
    linear: list[dict[str, Any]] = field(default_factory=list)
    feature: list[int] = field(default_factory=list)
    split: list[float] = field(default_factory=list)
    mode: list[int] = field(default_factory=list)
    yes: list[int] = field(default_factory=list)
    yes_leaf: list[int] = field(default_factory=list)
    no: list[int] = field(default_factory=list)
    no_leaf: list[int] = field(default_factory=list)
    members: list[float] = field(default_factory=list)
    leaf_tree: list[int] = field(default_factory=list)
    leaf_node: list[int] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)

    def add(self, nodes: list[dict[str, Any]]) -> None:
        """Add a tree."""
        number = len(self.roots)
        place: list[tuple[int, int]] = [(0, 0)] * len(nodes)  # of a node or leaf, and which
        for i in range(len(nodes) - 1, -1, -1):  # children come after their parents
            node = nodes[i]
            stop = node["split"] == "leaf" or "stop" in (node["missing"], node["unknown"])
            end = (-1, -1)
            if stop:
                end = (len(self.leaf_tree), 1)
                self.leaf_tree.append(number)
                self.leaf_node.append(i)
            place[i] = end if node["split"] == "leaf" else self._split(node, place, end)
        root, is_leaf = place[0]
        if is_leaf:  # a root is a split
            root, _ = self._test(self._feature_of_any(), _LEQ, 0.0, place[0], place[0])
        self.roots.append(root)

    def _split(
        self, node: dict[str, Any], place: list[tuple[int, int]], end: tuple[int, int]
    ) -> tuple[int, int]:
        """Add the nodes of a split; `end` is where rows stop."""

        def to(side: int | str) -> tuple[int, int]:
            target = target_of(node, side)
            return end if target == -1 else place[target]

        if node["split"] == "linear":
            return self._linear(node, place, to(node["missing"]))
        column = node["column"]
        numeric = self.model["columns"][column]["kind"] == "numeric"
        if numeric:
            return self._number(node, place, to(node["missing"]))
        n_codes = len(self.model["columns"][column]["categories"])
        is_interval = node["split"] == "interval"
        lists, other = places(node, n_codes) if is_interval else branches(node)
        code = self._feature(column, "code")
        found = end if other == -1 else place[other]
        for target, codes in lists.items():
            its = end if target == -1 else place[target]
            shifted = [float(c + SHIFT) for c in codes]
            if len(shifted) == 1:
                found = self._test(code, _EQ, shifted[0], its, found)
            else:
                self.members += [*shifted, float("nan")]
                found = self._test(code, _MEMBER, 0.0, its, found)
        return found

    def _linear(
        self, node: dict[str, Any], place: list[tuple[int, int]], missing: tuple[int, int]
    ) -> tuple[int, int]:
        yes, no = (place[child] for child in node["children"][:2])
        column, number = node["terms"][0]["column"], len(self.linear)
        self.linear.append(node)
        total = self._feature(column, "sum high" if missing == yes else "sum low", number)
        found = self._test(total, _LEQ, 0.0, no, yes)
        if missing in (yes, no):
            return found
        return self._test(self._feature(column, "sum flag", number), _LEQ, 0.5, found, missing)

    def _number(
        self, node: dict[str, Any], place: list[tuple[int, int]], missing: tuple[int, int]
    ) -> tuple[int, int]:
        column, low, high = node["column"], node["low"], node["high"]
        yes, no = (place[child] for child in node["children"][:2])
        if low is not None and high is not None:
            inside = self._feature(column, "inside", low, high, float(missing == yes))
            found = self._test(inside, _LEQ, 0.5, no, yes)
        elif high is not None:
            at_top = self._feature(column, "low" if missing == yes else "high")
            found = self._test(at_top, _LEQ, high, yes, no)
        elif low is not None:
            at_top = self._feature(column, "low" if missing == no else "high")
            found = self._test(at_top, _LEQ, low, no, yes)
        elif missing == no:
            return self._test(self._feature(column, "flag"), _LEQ, 0.5, yes, no)
        else:
            found = yes
        if missing in (yes, no):
            return found
        return self._test(self._feature(column, "flag"), _LEQ, 0.5, found, missing)

    def _feature(self, column: int, what: str, *numbers: float) -> int:
        return self.features.setdefault((column, what, *numbers), len(self.features))

    def _feature_of_any(self) -> int:
        if self.features:
            return 0
        columns = self.model["columns"]
        numeric = columns[0]["kind"] == "numeric"
        return self._feature(0, "high" if numeric else "code")

    def _test(
        self, feature: int, mode: int, split: float, yes: tuple[int, int], no: tuple[int, int]
    ) -> tuple[int, int]:
        self.feature.append(feature)
        self.mode.append(mode)
        self.split.append(split)
        self.yes.append(yes[0])
        self.yes_leaf.append(yes[1])
        self.no.append(no[0])
        self.no_leaf.append(no[1])
        return len(self.feature) - 1, 0
