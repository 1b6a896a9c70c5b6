"""Tidy layouts: nothing overlaps, parents are in the middle, children in order."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixedwood.plot import lay_out
from support.cases import cases

GAP, LEVEL_GAP = 5.0, 9.0


@st.composite
def trees(draw, max_nodes=60):
    """Children of each node, parents first; and sizes, some of them extreme."""
    n = draw(st.integers(1, max_nodes))
    children = [[] for _ in range(n)]
    for node in range(1, n):
        children[draw(st.integers(max(0, node - 12), node - 1))].append(node)
    size = st.one_of(st.integers(1, 30), st.sampled_from([0.5, 300.0]))
    sizes = [draw(st.lists(size, min_size=n, max_size=n)) for _ in range(2)]
    return children, *sizes


def depths(children):
    depth = [0] * len(children)
    for node, below in enumerate(children):
        for child in below:
            depth[child] = depth[node] + 1
    return depth


@settings(max_examples=cases(300))
@given(trees())
def test_a_layout_is_tidy(tree):
    children, widths, heights = tree
    layout = lay_out(children, widths, heights, gap=GAP, level_gap=LEVEL_GAP)
    x, y = layout.x, layout.y
    w, h = np.array(widths, float), np.array(heights, float)
    left, right = x - w / 2, x + w / 2
    for node, below in enumerate(children):
        if below:
            assert x[node] == pytest.approx((x[below[0]] + x[below[-1]]) / 2)
            assert (np.diff(x[below]) > 0).all()
            assert (y[below] >= y[node] + h[node] + LEVEL_GAP - 1e-9).all()
    levels = {}
    for node, depth in enumerate(depths(children)):
        levels.setdefault(depth, []).append(node)
    bottom = -np.inf
    for _, nodes in sorted(levels.items()):
        assert len({y[node] for node in nodes}) == 1
        assert y[nodes[0]] > bottom
        bottom = max(y[node] + h[node] for node in nodes)
        ordered = sorted(nodes, key=lambda node: x[node])
        for a, b in pairwise(ordered):
            assert left[b] >= right[a] + GAP - 1e-6
    assert left.min() == pytest.approx(0, abs=1e-9)
    assert right.max() == pytest.approx(layout.width)
    assert (y + h).max() == pytest.approx(layout.height)


def test_the_mirror_image_of_a_tree_is_as_wide():
    children = [[1, 2], [3, 4, 5], [], [], [6, 7], [], [], []]
    mirrored = [below[::-1] for below in children]
    widths = [20, 10, 50, 5, 20, 10, 30, 10]
    sizes = [10] * 8
    assert lay_out(children, widths, sizes).width == pytest.approx(
        lay_out(mirrored, widths, sizes).width
    )


def test_small_siblings_spread_between_large_ones():
    # two deep wide subtrees at the ends, leaves between them
    children = [[1, 2, 3, 4, 5], [6, 7], [], [], [], [8, 9], [], [], [], []]
    x = lay_out(children, [10] * 6 + [60] * 4, [10] * 10, gap=0).x
    assert np.diff(x[[1, 2, 3, 4, 5]]) == pytest.approx([30] * 4)


def test_siblings_before_large_ones_stay_close():
    children = [[1, 2, 3, 4], [], [5, 6], [], [7, 8], [], [], [], []]
    x = lay_out(children, [10] * 5 + [60] * 4, [10] * 9, gap=0).x
    assert np.diff(x[[1, 2, 3, 4]]) == pytest.approx([10, 60, 60])


@pytest.mark.parametrize("side", [0, 1])
def test_a_chain_of_50_000_levels_is_laid_out(side):
    n = 100_001
    children = [[] for _ in range(n)]
    node = 0
    for first in range(1, n, 2):
        children[node] = [first, first + 1]
        node = first + side
    layout = lay_out(children, [10.0] * n, [10.0] * n)
    assert np.isfinite(layout.x).all()


def test_a_wide_and_deep_tree_takes_linear_time():
    """Two combs side by side: outlines are long, but each is walked along once."""
    n = 60_001
    children = [[] for _ in range(n)]
    children[0] = [1, 2, 3]
    for node in range(1, n - 3):
        children[node].append(node + 3)
    layout = lay_out(children, [10.0] * n, [10.0] * n, gap=2.0)
    assert layout.width == pytest.approx(34.0)


def test_children_before_their_parents_are_refused():
    with pytest.raises(ValueError, match="box 0 comes before its parent, 1"):
        lay_out([[1], [0]], [1, 1], [1, 1])
