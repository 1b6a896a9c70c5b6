"""Boxes and legend of a picture, and the width of text."""

import re

from explain.random_trees import random_tree
from mixedwood.data import Column, Schema
from mixedwood.plot.drawing import draw_tree, shorten, text_width, wrap
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
    builder = TreeBuilder(Schema((Column("x", "numeric"),)), range(20), range(1, 21))
    drawing = draw_tree(builder.build())
    assert [entry.name for entry in drawing.legend][-2:] == ["19", "13 other classes"]
    assert len({entry.color for entry in drawing.legend}) == 8


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
