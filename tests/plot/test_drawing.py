"""Boxes and legend of a picture, and the width of text."""

import pickle
import re

import numpy as np
import pytest

import mixedwood as mw
from explain.random_trees import random_tree
from mixedwood.data import Column, Schema
from mixedwood.plot.drawing import COLORS, HISTOGRAM, OTHERS, draw_tree, shorten, text_width, wrap
from mixedwood.tree import TreeBuilder


def test_a_large_tree_is_cut_and_says_so():
    tree = random_tree(3, n_tests=200)
    boxes = draw_tree(tree).boxes
    assert 30 < len(boxes) <= 60
    left_out = [box.lines[-1] for box in boxes if box.is_cut]
    counted = sum(int(re.fullmatch(r"… (\d+) more nodes?", line)[1]) for line in left_out)
    assert counted == tree.n_nodes - len(boxes)
    assert len(draw_tree(tree, max_depth=2).boxes) == (tree.node_depth <= 2).sum()


def test_a_test_of_very_many_branches_ends_in_a_box_that_counts():
    column = Column("n", "nominal", tuple(range(500)))
    builder = TreeBuilder(Schema((column,)), ["no", "yes"], [500, 0])
    builder.split_categories(0, "n", [[1, 0]] * 500, [[v] for v in range(500)])
    boxes = draw_tree(builder.build()).boxes
    assert boxes[-1].lines == ("… 441 more nodes",)
    assert boxes[-1].x == max(box.x for box in boxes)


def test_rare_classes_share_a_color():
    builder = TreeBuilder(Schema((Column("x", "numeric"),)), range(40), range(1, 41))
    drawing = draw_tree(builder.build())
    assert [entry.name for entry in drawing.legend][-2:] == ["39", "10 other classes"]
    assert len({entry.color for entry in drawing.legend}) == 31


def test_thirty_colors_stay_apart():
    """Distances in OKLab: 0.02 is just noticeable; the first seven are those of Okabe and Ito."""
    sums = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005]]  # fmt: skip
    lab = [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
           [0.0259040371, 0.7827717662, -0.8086757660]]  # fmt: skip
    rgb = np.array([list(bytes.fromhex(color[1:])) for color in [*COLORS, OTHERS]]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    points = np.cbrt(linear @ np.array(sums).T) @ np.array(lab).T
    distances = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2)) + np.eye(len(points))
    assert len(set(COLORS)) == 30
    assert distances.min() > 0.1


def test_text_is_measured_cut_and_wrapped():
    assert text_width("iiii") < text_width("mmmm")
    assert text_width("é") == text_width("e")
    assert text_width("漢") > text_width("M")
    for width in (20.0, 60.0, 200.0):
        assert text_width(shorten("word " * 50, width)) <= width
        lines = wrap("one < two <= three or " * 9, width)
        assert len(lines) <= 3
        assert max(map(text_width, lines)) <= max(width, text_width("…"))
    assert wrap("short", 100.0) == ["short"]
    assert wrap("2 * age - 3 * pay > 0", 75.0) == ["2 * age", "- 3 * pay", "> 0"]
    assert wrap("12 < age <= 39", 75.0) == ["12 < age", "<= 39"]


def test_leaves_have_histograms_of_the_rows_that_are_given():
    rng = np.random.default_rng(0)
    X = {"x": rng.normal(size=300), "c": rng.choice(list("abc"), 300)}
    y = np.where(X["x"] > 0, 10.0, 0.0) + rng.normal(size=300)
    model = mw.TreeRegressor(max_leaf_nodes=6, pruning=None).fit(X, y)
    plain, tree = draw_tree(model.tree_), model.tree_.with_histograms(X, y, n_bins=8)
    edges = np.linspace(y.min(), y.max(), 9)
    leaf = model.apply(X)
    drawn = draw_tree(tree)
    for before, box in zip(plain.boxes, drawn.boxes, strict=True):
        is_leaf = tree.children_of(box.node).size == 0
        assert bool(box.histogram) == is_leaf
        if not is_leaf:
            continue
        counts = np.histogram(y[leaf == box.node], edges)[0]
        assert box.histogram == pytest.approx(counts / counts.max())
        assert box.height - before.height == HISTOGRAM + 2
        inside = [(x, x + width, top, top + height) for x, top, width, height, _ in box.columns()]
        assert len(inside) == (counts > 0).sum()
        assert min(x for x, *_ in inside) >= box.x - box.width / 2
        assert max(x for _, x, *_ in inside) <= box.x + box.width / 2
        assert max(end for *_, end in inside) <= min(bar[1] for bar in box.bars())
    assert tree.to_svg().count("<rect") - model.tree_.to_svg().count("<rect") == sum(
        len(list(box.columns())) for box in drawn.boxes
    )
    cut = draw_tree(tree, max_depth=1)
    below = np.histogram(y[X["x"] <= tree.high[0]], edges)[0]
    assert cut.boxes[1].histogram == pytest.approx(below / below.max())
    assert pickle.loads(pickle.dumps(tree)).histograms is None


def test_histograms_need_numbers():
    with pytest.raises(ValueError, match="has classes"):
        random_tree(3).with_histograms({}, [])
    tree = mw.TreeRegressor().fit({"x": [1, 2]}, [1.0, 2.0]).tree_
    with pytest.raises(ValueError, match="n_bins"):
        tree.with_histograms({"x": [1]}, [1.0], n_bins=0)
    with pytest.raises(ValueError, match="number of rows"):
        tree.with_histograms({"x": [1, 2]}, [1.0])
