"""SVG that any reader can parse, and in which names can do no harm; DOT likewise."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from explain.random_trees import chain_tree, random_tree
from mixedwood.data import Column, Schema
from mixedwood.plot import tree_dot, tree_svg
from mixedwood.plot.drawing import draw_tree, text_width
from mixedwood.tree import TreeBuilder
from support.strategies import random_tree as small_random_tree

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "<script>alert(1)</script>",
    "\"/><image href=x onerror='alert(1)'/>",
    "]]></style></svg><script src=//evil>",
    "&amp;&lt;&#0;",
    "\x00\x01\x1f\x7f\ud800\ufffe",
    "\u202egnp.exe \u2066 שלום עולם",
    "مرحبا, بالعالم",
    "漢字" * 30,
    "x" * 10_000,
    "a b " * 2_500,
    "\n\r\t",
    "e\u0301" * 50,
    "$\\frac{1}{0$",
    "",
]


def hostile_tree():
    schema = Schema(
        (Column("<b>&name\u202e", "nominal", tuple(sorted(HOSTILE))), Column("\x00", "numeric"))
    )
    builder = TreeBuilder(schema, HOSTILE, range(1, len(HOSTILE) + 1))
    counts = [[1] * len(HOSTILE)] * len(HOSTILE)
    children = builder.split_categories(0, schema.names[0], counts, [[v] for v in HOSTILE])
    builder.split_interval(children[-1], "\x00", counts[:2], high=1.0)
    return builder.build()


def texts(svg):
    return ["".join(t.itertext()) for t in ET.fromstring(svg).iter(f"{SVG}text")]


def small_tree():
    builder = TreeBuilder(Schema((Column("age", "numeric"),)), ["no", "yes"], [3, 1])
    builder.split_interval(0, "age", [[3, 0], [0, 1]], high=5.0, missing=0)
    return builder.build()


def test_a_small_tree_shows_its_words():
    assert texts(tree_svg(small_tree())) == [
        "age", "4",
        "age <= 5 (or missing)", "no", "100 % of 3",
        "age > 5", "yes", "100 % of 1",
        "no", "yes",
    ]  # fmt: skip


def test_names_can_do_no_harm():
    svg = tree_svg(hostile_tree())
    root = ET.fromstring(svg)
    allowed = {f"{SVG}{tag}" for tag in ("svg", "g", "title", "text", "rect", "path")}
    assert {element.tag for element in root.iter()} == allowed
    names = {name for element in root.iter() for name in element.attrib}
    assert not [name for name in names if name.startswith("on") or "href" in name]
    assert "<script" not in svg
    assert "\u202e" not in svg
    assert len(svg) < 100_000


def test_nothing_is_loaded_from_elsewhere():
    html = small_tree()._repr_html_()
    assert html.startswith("<div") and html.endswith("</svg></div>")
    without_namespace = html.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|//|url\(|@import|<style|<script", without_namespace)


def test_it_has_a_name_for_readers_of_screens():
    root = ET.fromstring(tree_svg(small_tree()))
    assert root.get("role") == "img"
    assert root.get("aria-label") == root[0].text == "Decision tree of 3 nodes and 2 leaves"


@pytest.mark.parametrize("tree", [hostile_tree(), *map(random_tree, range(8))])
def test_text_stays_in_its_box_and_the_picture(tree):
    drawing = draw_tree(tree)
    for box in drawing.boxes:
        inside = [text_width(box.title, bold=True), *map(text_width, box.lines)]
        assert max(inside) <= box.width - 8
        reach = max([box.width, *map(text_width, box.above)]) / 2
        assert box.x - reach >= -1e-6
        assert box.x + reach <= drawing.width + 1e-6
        assert box.top >= -1e-6
        assert box.y + box.height <= drawing.height
        assert sum(share for _, share in box.fractions) == pytest.approx(float(bool(box.fractions)))
    for entry in drawing.legend:
        assert entry.x + 18 + text_width(entry.name) <= drawing.width + 1e-6


def test_a_chain_of_50_000_tests_is_drawn():
    ET.fromstring(tree_svg(chain_tree(50_000)))


def test_a_sum_is_reported_in_its_box_and_compared_at_its_branches():
    schema = Schema((*(Column(f"c{i}", "numeric") for i in range(8)), Column("b", "nominal", "xy")))
    builder = TreeBuilder(schema, ["no", "yes"], [3, 1])
    weights = {"c0": -0.125, ("b", "y"): 2.0} | {f"c{i}": 1.0 for i in range(1, 8)}
    builder.split_linear(0, weights, -1 / 3, [[3, 0], [0, 1]], missing=1)
    root, first, second = draw_tree(builder.build()).boxes
    assert root.title == "sum"
    assert root.lines == ("- 0.125 c0", "+ 2 [b = y]", "+ c1", "+ c2", "... and 5 more", "4")
    assert (first.above, second.above) == (("sum > 0.333",), ("sum <= 0.333", "(or missing)"))
    assert "+ c6 + c7 > 0.3333\n" in first.tip  # in full
    everything = draw_tree(builder.build(), max_terms=None).boxes[0]
    assert everything.lines[-3:] == ("+ c6", "+ c7", "4")
    assert "+ c7" in texts(builder.build().to_svg(max_terms=None))
    assert "+ c7" not in texts(builder.build().to_svg())


@pytest.mark.parametrize("seed", range(10))
def test_dot_has_every_node_and_branch_once(seed):
    tree = small_random_tree(np.random.default_rng(seed))
    text = tree_dot(tree)
    nodes = [int(n) for n in re.findall(r"^  (\d+) \[label=", text, re.MULTILINE)]
    assert nodes == list(range(tree.n_nodes))
    branches = re.findall(r"^  (\d+) -> (\d+) \[label=\".+\"\];$", text, re.MULTILINE)
    assert len(branches) == tree.n_nodes - 1
    assert all(tree.parent[int(child)] == int(node) for node, child in branches)


def test_dot_counts_what_is_left_out():
    tree = small_random_tree(np.random.default_rng(1))
    text = tree_dot(tree, max_depth=1)
    shown = len(tree.children_of(0)) + 1
    assert text.count("[label=") - text.count("->") == shown
    left = sum(int(n) for n in re.findall(r"\.\.\. (\d+) more node", text))
    assert left == tree.n_nodes - shown


def test_odd_names_stay_inside_the_quotes_of_dot():
    odd = 'a"]; b \\ \n -> "'
    builder = TreeBuilder(Schema((Column(odd, "numeric"),)), ['x"', "\\"], [1, 1])
    builder.split_interval(0, odd, [[1, 0], [0, 1]], high=0.0)
    text = tree_dot(builder.build())
    assert len(text.splitlines()) == 8
    for line in text.splitlines()[2:-1]:
        assert re.fullmatch(r'  \d+( -> \d+)? \[label="([^"\\\n]|\\.)*"\];', line), line
