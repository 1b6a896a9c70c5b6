"""Positions of the boxes of a tree: a tidy drawing in linear time, without recursion.

Follows Buchheim, Jünger and Leipert, "Improving Walker's algorithm to run in linear time", Graph
Drawing 2002, for boxes of any width. Boxes of one level share a row that is as high as its
highest box, so two boxes can only overlap within a level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["Layout", "lay_out"]


@dataclass(frozen=True, eq=False)
class Layout:
    """Positions of boxes; y grows downwards.

    Attributes
    ----------
    x, y : ndarray of float64
        Center of the top edge of each box.
    width, height : float
        Size of the drawing, whose origin is (0, 0).
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    width: float
    height: float


def lay_out(
    children: Sequence[Sequence[int]],
    widths: Sequence[float],
    heights: Sequence[float],
    *,
    gap: float = 12.0,
    level_gap: float = 30.0,
) -> Layout:
    """Place boxes so that children are below their parent, in order, and no two overlap.

    Parameters
    ----------
    children : sequence of sequences of int
        The children of each box. Box 0 is the root; parents come before their children.
    widths, heights : sequence of float
        Size of each box.
    gap : float, default=12.0
        Minimum distance between neighboring boxes.
    level_gap : float, default=30.0
        Distance between levels.

    Returns
    -------
    Layout
        Positions with every parent midway between its first and its last child.

    Examples
    --------
    >>> layout = lay_out([[1, 2], [], []], [30, 20, 40], [10, 10, 10], gap=10, level_gap=5)
    >>> layout.x.tolist(), layout.y.tolist()
    ([30.0, 10.0, 50.0], [0.0, 15.0, 15.0])
    """
    x = _Traversal(children, widths, gap).run()
    left = min(a - w / 2 for a, w in zip(x, widths, strict=True))
    right = max(a + w / 2 for a, w in zip(x, widths, strict=True))
    depth = [0] * len(children)
    for node, below in enumerate(children):
        for child in below:
            depth[child] = depth[node] + 1
    rows = [0.0] * (max(depth) + 1)
    for d, height in zip(depth, heights, strict=True):
        rows[d] = max(rows[d], height)
    tops = np.concatenate([[0.0], np.cumsum(np.asarray(rows) + level_gap)])
    y = tops[np.asarray(depth)]
    return Layout(np.asarray(x) - left, y, right - left, float(tops[-1] - level_gap))


class _Traversal:
    """The two traversals of the algorithm; names as in the paper.

    Where the paper recurses, both loop over the boxes in their order, forwards or backwards.
    """

    def __init__(
        self, children: Sequence[Sequence[int]], widths: Sequence[float], gap: float
    ) -> None:
        n = len(children)
        self.children = children
        self.widths = [float(w) for w in widths]
        self.gap = gap
        self.parent = [-1] * n
        self.number = [0] * n  # place among the siblings
        for node, below in enumerate(children):
            for place, child in enumerate(below):
                if child <= node:
                    raise ValueError(f"box {child} comes before its parent, {node}.")
                self.parent[child], self.number[child] = node, place
        self.prelim = [0.0] * n
        self.mod = [0.0] * n
        self.shift = [0.0] * n
        self.change = [0.0] * n
        self.thread = [-1] * n
        self.ancestor = list(range(n))

    def run(self) -> list[float]:
        n = len(self.children)
        middle = [0.0] * n  # of the children
        for node in range(n - 1, -1, -1):
            below = self.children[node]
            if below:
                self._place_children(below, middle)
                middle[node] = (self.prelim[below[0]] + self.prelim[below[-1]]) / 2
        x, moved = [0.0] * n, [0.0] * n
        for node, below in enumerate(self.children):
            for child in below:
                x[child] = self.prelim[child] + moved[node]
                moved[child] = moved[node] + self.mod[child]
            if node == 0:
                x[0] = middle[0]
        return x

    def _place_children(self, below: Sequence[int], middle: list[float]) -> None:
        default = below[0]
        self.prelim[below[0]] = middle[below[0]]
        for left, child in pairwise(below):
            self.prelim[child] = self.prelim[left] + self._distance(left, child)
            self.mod[child] = self.prelim[child] - middle[child]
            default = self._apportion(left, child, below[0], default)
        shift = change = 0.0
        for child in reversed(below):
            self.prelim[child] += shift
            self.mod[child] += shift
            change += self.change[child]
            shift += self.shift[child] + change

    def _apportion(self, left: int, child: int, first: int, default: int) -> int:
        """Move a subtree to the right until its left outline is clear of what is there."""
        prelim, mod = self.prelim, self.mod
        in_right = out_right = child
        in_left, out_left = left, first
        sum_ir, sum_or, sum_il, sum_ol = mod[child], mod[child], mod[left], mod[first]
        next_left, next_right = self._next_right(in_left), self._next_left(in_right)
        while next_left >= 0 and next_right >= 0:
            in_left, in_right = next_left, next_right
            out_left, out_right = self._next_left(out_left), self._next_right(out_right)
            self.ancestor[out_right] = child
            space = (prelim[in_left] + sum_il) - (prelim[in_right] + sum_ir)
            overlap = space + self._distance(in_left, in_right)
            if overlap > 0:
                origin = self.ancestor[in_left]
                if self.parent[origin] != self.parent[child]:
                    origin = default
                self._move(origin, child, overlap)
                sum_ir += overlap
                sum_or += overlap
            sum_il += mod[in_left]
            sum_ir += mod[in_right]
            sum_ol += mod[out_left]
            sum_or += mod[out_right]
            next_left, next_right = self._next_right(in_left), self._next_left(in_right)
        if next_left >= 0 and self._next_right(out_right) < 0:
            self.thread[out_right] = next_left
            mod[out_right] += sum_il - sum_or
        if next_right >= 0 and self._next_left(out_left) < 0:
            self.thread[out_left] = next_right
            mod[out_left] += sum_ir - sum_ol
            default = child
        return default

    def _move(self, origin: int, child: int, shift: float) -> None:
        """Move a subtree, and note that those between divide the new space."""
        part = shift / (self.number[child] - self.number[origin])
        self.change[child] -= part
        self.shift[child] += shift
        self.change[origin] += part
        self.prelim[child] += shift
        self.mod[child] += shift

    def _next_left(self, node: int) -> int:
        return self.children[node][0] if self.children[node] else self.thread[node]

    def _next_right(self, node: int) -> int:
        return self.children[node][-1] if self.children[node] else self.thread[node]

    def _distance(self, left: int, right: int) -> float:
        return (self.widths[left] + self.widths[right]) / 2 + self.gap
