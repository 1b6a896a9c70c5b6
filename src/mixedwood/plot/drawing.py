"""What a picture of a tree shows, and where: boxes of measured text, laid out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mixedwood.explain.conditions import LinearCondition, branch_conditions, linear_terms
from mixedwood.explain.linear import term_words
from mixedwood.explain.shown import choose_nodes
from mixedwood.explain.spelling import Style, label_words, name_words, share_words, weight_words
from mixedwood.explain.text import answer_words, more_words
from mixedwood.explain.words import condition_words
from mixedwood.plot.layout import lay_out
from mixedwood.plot.measure import shorten, text_width, wrap
from mixedwood.tree import SplitKind, Tree

__all__ = ["Box", "Drawing", "Entry", "draw"]

FONT = 12.0
LINE = 16.0
PAD = 8.0
BAR = 9.0
LEVEL_GAP = 28.0
LABEL_ROOM = 150.0
"""Most width of a line, so that one long name does not pull the whole tree apart."""

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442")
"""Okabe and Ito's colours, which colour-blind people can tell apart, without black."""

OTHERS = "#999999"

SUM = "sum"
"""What a linear test is called; its terms are told in its box."""

_STYLE = Style(max_values=6, max_label=40, digits=6, linear_digits=3)
_TIP = Style(max_values=50, max_label=200, max_terms=50)


@dataclass(frozen=True)
class Box:
    """A node in the picture; lengths in pixels.

    Attributes
    ----------
    node : int
        The node; -1 for what stands for branches that are not drawn.
    parent : int
        Place of the parent among the boxes; -1 for the root.
    x, y, width, height : float
        Middle of the top edge of the frame, and its size.
    level : float
        Top of the level. Edges bend only in the `LEVEL_GAP` above it, so they cross nothing.
    above : tuple of str
        Lines above the frame: what leads here.
    title, lines : str, tuple of str
        What the frame says, the title in bold; an empty title is left out.
    shares : tuple of (str, float)
        Colours and lengths of the bar at the bottom; none for a node with branches.
    is_cut : bool
        Whether there is more below that is not drawn.
    tip : str
        Everything in full words.
    """

    node: int
    parent: int
    x: float
    y: float
    width: float
    height: float
    level: float
    above: tuple[str, ...]
    title: str
    lines: tuple[str, ...]
    shares: tuple[tuple[str, float], ...]
    is_cut: bool
    tip: str

    @property
    def top(self) -> float:
        """Top of the words above the frame, or of the frame."""
        return self.y - _head(self.above)


@dataclass(frozen=True)
class Entry:
    """A class in the legend: its colour, its name and where they go."""

    colour: str
    name: str
    x: float
    y: float


@dataclass(frozen=True)
class Drawing:
    """Boxes and legend with their places, and the size of all."""

    boxes: tuple[Box, ...]
    legend: tuple[Entry, ...]
    width: float
    height: float


def draw(
    tree: Tree,
    max_depth: int | None = None,
    max_nodes: int | None = 60,
    max_terms: int | None = 4,
) -> Drawing:
    """Lay out the part of a tree that is nearest to the root.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import TreeBuilder
    >>> builder = TreeBuilder(read_table({"age": [1.0]}).schema, ["no", "yes"], [3, 1])
    >>> _ = builder.split_interval(0, "age", [[3, 0], [0, 1]], high=5.0)
    >>> for box in draw(builder.build()).boxes:
    ...     print(box.above, box.title, box.lines)
    () age ('4',)
    ('age <= 5',) no ('100 % of 3',)
    ('age > 5',) yes ('100 % of 1',)
    """
    shown = choose_nodes(tree, max_depth, max_nodes)
    palette = _palette(tree)
    parts: list[dict[str, Any]] = []
    children: list[list[int]] = []
    place = {0: 0}
    above, tips = {0: ""}, {0: ""}
    for node, below in shown.children.items():  # parents come first
        for child, condition in zip(below, branch_conditions(tree, node), strict=False):
            name = SUM if isinstance(condition, LinearCondition) else None  # told in the box above
            above[child] = condition_words(condition, _STYLE, name=name)
            tips[child] = condition_words(condition, _TIP) + "\n"
        place[node] = len(parts)
        parent = place[int(tree.parent[node])] if node else -1
        left_out = shown.left_out.get(node, 0)
        is_inner = bool(below)
        part = _inner(tree, node, max_terms) if is_inner else _leaf(tree, node, palette, left_out)
        part |= {"node": node, "parent": parent}
        part["above"] = tuple(wrap(above[node], LABEL_ROOM, FONT)) if above[node] else ()
        part["tip"] = f"{tips[node]}node {node}: {answer_words(tree, node)}"
        parts.append(part)
        children.append([])
        if parent >= 0:
            children[parent].append(place[node])
    for node, left_out in shown.left_out.items():
        if shown.children[node]:  # a test of very many branches, some of them drawn
            children[place[node]].append(len(parts))
            parts.append(_more(place[node], left_out))
            children.append([])
    return _placed(parts, children, list(palette.values()))


def _inner(tree: Tree, node: int, max_terms: int | None) -> dict[str, Any]:
    lines: tuple[str, ...] = (weight_words(float(tree.weighted_n_node_samples[node])),)
    if tree.split_kind[node] == SplitKind.LINEAR:
        terms = linear_terms(tree, node)
        title = SUM
        told = term_words(terms, replace(_STYLE, max_terms=max_terms))
        told[:1] = [first.removeprefix("+ ") for first in told[:1]]
        lines = (*told, *lines)
    else:
        title = name_words(tree.column_of(node).name, _STYLE)
    return {"title": title, "lines": lines, "shares": (), "is_cut": False}


def _leaf(
    tree: Tree, node: int, palette: dict[int, tuple[str, str]], left_out: int
) -> dict[str, Any]:
    place = int(tree.label[node])
    share = share_words(float(tree.probabilities[node, place]))
    lines = [f"{share} of {weight_words(float(tree.weighted_n_node_samples[node]))}"]
    lines += [f"… {more_words(left_out)}"] if left_out else []
    shares = [(c, float(tree.probabilities[node, k])) for k, (c, _) in palette.items() if k >= 0]
    rest = 1.0 - sum(length for _, length in shares)
    shares += [(OTHERS, rest)] if -1 in palette else []
    return {
        "title": label_words(tree.classes[place], _STYLE),
        "lines": tuple(lines),
        "shares": tuple((colour, length) for colour, length in shares if length > 1e-9),
        "is_cut": left_out > 0,
    }


def _more(parent: int, left_out: int) -> dict[str, Any]:
    words = f"… {more_words(left_out)}"
    return {
        "title": "", "lines": (words,), "shares": (), "is_cut": True, "node": -1,
        "parent": parent, "above": (), "tip": words,
    }  # fmt: skip


def _palette(tree: Tree) -> dict[int, tuple[str, str]]:
    """Colour and name of each class that gets a colour; -1 stands for all others."""
    order = np.argsort(-tree.statistics[0], kind="stable")[: len(COLOURS)]
    chosen = sorted(order.tolist())
    palette = {
        k: (colour, label_words(tree.classes[k], _STYLE))
        for k, colour in zip(chosen, COLOURS, strict=False)
    }
    n_others = len(tree.classes) - len(palette)
    if n_others:
        palette[-1] = (OTHERS, f"{n_others} other {'class' if n_others == 1 else 'classes'}")
    return palette


def _placed(
    parts: list[dict[str, Any]], children: list[list[int]], classes: list[tuple[str, str]]
) -> Drawing:
    depth = [0] * len(parts)
    heads: dict[int, float] = {}  # of each level, so that its frames stand in line
    for i, part in enumerate(parts):
        depth[i] = depth[part["parent"]] + 1 if part["parent"] >= 0 else 0
        heads[depth[i]] = max(heads.get(depth[i], 0.0), _head(part["above"]))
    frames, widths, heights = [], [], []
    for i, part in enumerate(parts):
        part["title"] = shorten(part["title"], LABEL_ROOM, FONT, bold=True)
        part["lines"] = tuple(shorten(line, LABEL_ROOM, FONT) for line in part["lines"])
        inside = max([text_width(line, FONT) for line in part["lines"]])
        inside = max(inside, text_width(part["title"], FONT, bold=True), 50.0) + 2 * PAD
        n_lines = len(part["lines"]) + bool(part["title"])
        body = LINE * n_lines + PAD + (BAR + 6.0 if part["shares"] else 0.0)
        frames.append((inside, body))
        widths.append(max([inside, *(text_width(line, FONT) for line in part["above"])]))
        heights.append(heads[depth[i]] + body)
    layout = lay_out(children, widths, heights, gap=14.0, level_gap=LEVEL_GAP)
    legend, width, height = _legend(classes, max(layout.width, 320.0), layout.height + 14.0)
    left = max(width - layout.width, 0.0) / 2  # a legend wider than the tree has it in its middle
    boxes = [
        Box(
            x=float(x) + left,
            y=float(y) + heads[d],
            width=size[0],
            height=size[1],
            level=float(y),
            **part,
        )
        for part, x, y, d, size in zip(parts, layout.x, layout.y, depth, frames, strict=True)
    ]
    return Drawing(tuple(boxes), tuple(legend), max(width, layout.width), height)


def _head(above: tuple[str, ...]) -> float:
    return LINE * len(above) + 4.0 if above else 0.0


def _legend(
    classes: list[tuple[str, str]], room: float, top: float
) -> tuple[list[Entry], float, float]:
    """Place the classes in rows; also gives the width and the bottom of the last row."""
    entries: list[Entry] = []
    x, y, widest = 0.0, top, 0.0
    for colour, name in classes:
        width = 18.0 + text_width(name, FONT)
        if x > 0 and x + width > room:
            x, y = 0.0, y + LINE + 2.0
        entries.append(Entry(colour, name, x, y))
        widest = max(widest, x + width)
        x += width + 14.0
    return entries, widest, y + LINE
