"""The boxes, texts and positions of a picture of a tree, and the width of text.

Widths of text are those of DejaVu Sans, which is about as wide as Verdana and wider than other
common sans-serif fonts, so text that fits here fits in a browser that falls back to another font.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from mixedwood.explain.conditions import LinearCondition, branch_conditions, linear_terms
from mixedwood.explain.format import (
    Style,
    format_condition,
    format_fraction,
    format_label,
    format_name,
    format_terms,
    format_weight,
)
from mixedwood.explain.text import (
    center_of,
    describe_number,
    format_left_out,
    format_prediction,
    visible_nodes,
)
from mixedwood.plot.layout import lay_out
from mixedwood.tree import SplitKind, Tree

FONTS = ("DejaVu Sans", "Verdana", "Geneva", "sans-serif")

# Hundredths of the font size, for the printable characters of ASCII from the space on.
_ASCII = (
    "32 40 46 84 64 95 78 27 39 39 50 84 32 36 32 34 64 64 64 64 64 64 64 64 64 64 34 34 84 84 84 "
    "53 100 68 69 70 77 63 58 77 75 29 29 66 56 86 75 79 60 79 69 63 61 73 68 99 69 61 69 39 34 "
    "39 84 50 50 61 63 55 63 62 35 63 63 28 28 58 28 97 63 61 63 63 41 52 39 63 59 82 59 59 52 64 "
    "34 64 84"
)
_WIDTHS = {chr(32 + i): int(w) / 100 for i, w in enumerate(_ASCII.split())} | {"…": 1.0}
_STICKY = frozenset({"<=", ">", "<", "=", "*", "+", "-", "or", "(or"})
_BOLD = 1.13  # the bold face is wider by about that much

FONT = 12.0
LINE = 16.0
PAD = 8.0
BAR = 9.0
HISTOGRAM = 26.0
"""Height of the tallest column of a histogram."""
LEVEL_GAP = 28.0
MAX_TEXT_WIDTH = 150.0
"""Maximum width of a line, so that one long name does not spread the whole tree."""

COLORS = (
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#690087",
    "#78000f", "#00ffd2", "#695a00", "#9678ff", "#1e1ea5", "#78c300", "#b40f69", "#694b69",
    "#ffb4ff", "#004b4b", "#b4d2a5", "#ffb4a5", "#b44bc3", "#5a4bd2", "#f04b69", "#007800",
    "#a5e1ff", "#96963c", "#f078f0", "#2d87ff", "#a55a5a", "#8778b4",
)  # fmt: skip
"""Okabe and Ito's colors, which color-blind people can distinguish, without black; then colors
that are as far as possible from these and each other in OKLab, for up to 30 classes."""

OTHERS = "#999999"

_SCALE = ("#440154", "#21918c", "#fde725")
"""Colors of the smallest, the middle and the largest number (viridis)."""

SUM = "sum"
"""Title of the box of a linear split, which lists the terms."""

_STYLE = Style(max_values=6, max_label=40, digits=6, linear_digits=3)
_TIP = Style(max_values=50, max_label=200, max_terms=50)


@dataclass(frozen=True)
class Box:
    """A node in the picture; lengths are in pixels.

    Attributes
    ----------
    node : int
        The node; -1 for a box that counts branches that are not drawn.
    parent : int
        Index of the parent among the boxes; -1 for the root.
    above : tuple of str
        Lines above the frame: the condition of the branch.
    title, lines : str, tuple of str
        Text in the frame, the title in bold; an empty title is omitted.
    fractions : tuple of (str, float)
        Colors and fractions of the bar at the bottom; empty for a node with branches.
    histogram : tuple of float
        Heights of the columns of a histogram above the bar, the tallest 1; empty without one.
    is_cut : bool
        Whether nodes below are not drawn.
    tip : str
        The text in full, for a tooltip.
    x, y, width, height : float
        Center of the top edge of the frame, and its size.
    level : float
        Top of the level. Edges bend only in the `LEVEL_GAP` above it, so they cross nothing.
    """

    node: int
    parent: int
    above: tuple[str, ...]
    title: str
    lines: tuple[str, ...]
    fractions: tuple[tuple[str, float], ...]
    is_cut: bool
    tip: str
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0
    level: float = 0.0
    histogram: tuple[float, ...] = ()

    @property
    def top(self) -> float:
        """Top of the text above the frame, or of the frame."""
        return self.y - _head(self.above)

    @property
    def rounding(self) -> int:
        """Radius of the corners."""
        return 8 if self.fractions else 3

    def texts(self) -> Iterator[tuple[str, float, bool]]:
        """Lines of text, the top of each, and whether it is bold."""
        for i, line in enumerate(self.above):
            yield line, self.top + LINE * i, False
        title = [self.title] if self.title else []
        for i, line in enumerate([*title, *self.lines]):
            yield line, self.y + PAD / 2 + LINE * i, i < len(title)

    def bars(self) -> Iterator[tuple[float, float, float, str]]:
        """Left end, top, length and color of the parts of the bar."""
        x = self.x - self.width / 2 + PAD
        y = self._below_text() + (HISTOGRAM + 2.0 if self.histogram else 0.0)
        for color, fraction in self.fractions:
            length = fraction * (self.width - 2 * PAD)
            yield x, y, length, color
            x += length

    def columns(self) -> Iterator[tuple[float, float, float, float, str]]:
        """Left end, top, width, height and color of the columns of the histogram."""
        width = (self.width - 2 * PAD) / max(len(self.histogram), 1)
        for i, part in enumerate(self.histogram):
            height = max(part * HISTOGRAM, 1.0) if part > 0 else 0.0  # rare values are seen
            x, y = self.x - self.width / 2 + PAD + i * width, self._below_text()
            if height:
                yield x, y + HISTOGRAM - height, width, height, self.fractions[0][0]

    def _below_text(self) -> float:
        return self.y + PAD / 2 + LINE * (len(self.lines) + bool(self.title)) + 3.0


@dataclass(frozen=True)
class LegendEntry:
    """A class in the legend: its color, its name and their position."""

    color: str
    name: str
    x: float
    y: float


@dataclass(frozen=True)
class TreeDrawing:
    """Boxes and legend with their positions, and the size of the picture."""

    boxes: tuple[Box, ...]
    legend: tuple[LegendEntry, ...]
    width: float
    height: float


def draw_tree(
    tree: Tree,
    max_depth: int | None = None,
    max_nodes: int | None = 60,
    max_terms: int | None = 4,
) -> TreeDrawing:
    """Lay out the nodes of a tree that are nearest to the root.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import TreeBuilder
    >>> builder = TreeBuilder(read_table({"age": [1.0]}).schema, ["no", "yes"], [3, 1])
    >>> _ = builder.split_interval(0, "age", [[3, 0], [0, 1]], high=5.0)
    >>> for box in draw_tree(builder.build()).boxes:
    ...     print(box.above, box.title, box.lines)
    () age ('4',)
    ('age <= 5',) no ('100 % of 3',)
    ('age > 5',) yes ('100 % of 1',)
    """
    shown = visible_nodes(tree, max_depth, max_nodes)
    palette = _palette(tree)
    boxes: list[Box] = []
    index = {}
    above: dict[int, tuple[str, ...]] = {0: ()}
    tips = {0: ""}
    for node, below in shown.children.items():  # parents come first
        for child, condition in zip(below, branch_conditions(tree, node), strict=False):
            name = sum_name(tree, node) if isinstance(condition, LinearCondition) else None
            text = format_condition(condition, _STYLE, name=name)
            above[child] = tuple(wrap(text, MAX_TEXT_WIDTH, FONT))
            tips[child] = format_condition(condition, _TIP) + "\n"
        index[node] = len(boxes)
        parent = index[int(tree.parent[node])] if node else -1
        n_left_out = 0 if below else shown.left_out.get(node, 0)
        content = _inner(tree, node, max_terms) if below else _leaf(tree, node, palette, n_left_out)
        tip = f"{tips[node]}node {node}: {format_prediction(tree, node)}"
        box = Box(node, parent, above[node], *content, n_left_out > 0, tip)
        if tree.histograms is not None and not below and tree.histograms[node].any():
            counts = tree.histograms[node]
            box = replace(box, histogram=tuple((counts / counts.max()).tolist()))
        boxes.append(box)
    for node, n_left_out in shown.left_out.items():
        if shown.children[node]:  # a split with very many branches, some of them drawn
            text = f"… {format_left_out(n_left_out)}"
            boxes.append(Box(-1, index[node], (), "", (text,), (), True, text))
    return _place(boxes, list(palette.values()))


Content: TypeAlias = tuple[str, tuple[str, ...], tuple[tuple[str, float], ...]]


def _inner(tree: Tree, node: int, max_terms: int | None) -> Content:
    """Title, lines and bar of a node with branches."""
    about: tuple[str, ...] = (format_weight(float(tree.weighted_n_node_samples[node])),)
    if tree.is_numeric:
        value, spread, rows = describe_number(tree, node)
        about = (f"{center_of(tree)} {value}", spread, rows)
    if tree.split_kind[node] != SplitKind.LINEAR:
        return format_name(tree.column_of(node).name, _STYLE), about, ()
    if tree.model_of(node) is not None:
        columns = [tree.schema.columns[c] for c in tree.columns_of_split(node)]
        names = [format_name(column.name, _STYLE) for column in columns[:max_terms]]
        more = [f"... and {len(columns) - len(names)} more"] * (len(names) < len(columns))
        return sum_name(tree, node), (*names, *more, *about), ()
    texts = format_terms(linear_terms(tree, node), replace(_STYLE, max_terms=max_terms))
    texts[:1] = [first.removeprefix("+ ") for first in texts[:1]]
    return SUM, (*texts, *about), ()


def sum_name(tree: Tree, node: int) -> str:
    """Name the number that a linear split compares, or the model that decides."""
    if tree.model_of(node) is None:
        return SUM
    return tree.columns[int(tree.terms_of(node).column[0])].name.partition("(")[0]


def _leaf(tree: Tree, node: int, palette: dict[int, tuple[str, str]], n_left_out: int) -> Content:
    """Title, lines and bar of a node without branches."""
    more = (f"… {format_left_out(n_left_out)}",) * bool(n_left_out)
    if tree.is_numeric:
        value, spread, rows = describe_number(tree, node)
        if tree.formulas:  # the mean of a leaf decides about its color only
            first, *terms = format_lines(tree.formulas[node])
            return first, (*terms, rows, *more), ((color_of(tree, node), 1.0),)
        return value, (spread, rows, *more), ((color_of(tree, node), 1.0),)
    place, p = int(tree.label[node]), tree.probabilities[node]
    weight = format_weight(float(tree.weighted_n_node_samples[node]))
    lines = [f"{format_fraction(float(p[place]))} of {weight}", *more]
    bar = [(color, float(p[k])) for k, (color, _) in palette.items() if k >= 0]
    bar += [(OTHERS, 1.0 - sum(length for _, length in bar))] if -1 in palette else []
    title = format_label(tree.classes[place], _STYLE)
    return title, tuple(lines), tuple(part for part in bar if part[1] > 1e-9)


def format_lines(formula: str) -> list[str]:
    """Break a formula in front of its signs, so that a box is not too wide.

    Examples
    --------
    >>> format_lines("y = 1.5 + 2 x size - 3 x [city=Rome]")
    ['y = 1.5', '+ 2 x size', '- 3 x [city=Rome]']
    """
    return re.split(r" (?=[+-] \d)", formula)


def _palette(tree: Tree) -> dict[int, tuple[str, str]]:
    """Color and name of each class that gets a color; -1 stands for all others.

    Of numbers, the smallest and the largest.
    """
    if tree.is_numeric:
        ends = (int(tree.value.argmin()), int(tree.value.argmax()))
        return {
            node: (color_of(tree, node), describe_number(tree, node)[0])
            for node in (ends if ends[0] != ends[1] else ends[:1])
        }
    order = np.argsort(-tree.statistics[0], kind="stable")[: len(COLORS)]
    chosen = sorted(order.tolist())
    palette = {
        k: (color, format_label(tree.classes[k], _STYLE))
        for k, color in zip(chosen, COLORS, strict=False)
    }
    n_others = len(tree.classes) - len(palette)
    if n_others:
        palette[-1] = (OTHERS, f"{n_others} other {'class' if n_others == 1 else 'classes'}")
    return palette


def color_of(tree: Tree, node: int) -> str:
    """Give the color of the number that a node predicts, between the smallest and the largest."""
    values = tree.value[:, 0]
    low, high = float(values.min()), float(values.max())
    place = 2 * (float(values[node]) - low) / (high - low) if high > low else 1.0
    first = min(int(place), 1)
    one, other = bytes.fromhex(_SCALE[first][1:]), bytes.fromhex(_SCALE[first + 1][1:])
    mixed = (round(a + (b - a) * (place - first)) for a, b in zip(one, other, strict=True))
    return f"#{bytes(mixed).hex()}"


def _place(boxes: list[Box], classes: list[tuple[str, str]]) -> TreeDrawing:
    """Compute sizes and positions."""
    depth = [0] * len(boxes)
    children: list[list[int]] = [[] for _ in boxes]
    heads: dict[int, float] = {}  # of each level, so that its frames are aligned
    for i, box in enumerate(boxes):
        if box.parent >= 0:
            depth[i] = depth[box.parent] + 1
            children[box.parent].append(i)
        heads[depth[i]] = max(heads.get(depth[i], 0.0), _head(box.above))
    sized = []
    for box in boxes:
        title = shorten(box.title, MAX_TEXT_WIDTH, FONT, bold=True)
        lines = tuple(shorten(line, MAX_TEXT_WIDTH, FONT) for line in box.lines)
        widths = [text_width(title, FONT, bold=True), *(text_width(line, FONT) for line in lines)]
        height = LINE * (len(lines) + bool(title)) + PAD + (BAR + 6.0 if box.fractions else 0.0)
        height += HISTOGRAM + 2.0 if box.histogram else 0.0
        width = max(*widths, 50.0) + 2 * PAD
        sized.append(replace(box, title=title, lines=lines, width=width, height=height))
    widths = [max([b.width, *(text_width(line, FONT) for line in b.above)]) for b in sized]
    heights = [heads[d] + box.height for d, box in zip(depth, sized, strict=True)]
    layout = lay_out(children, widths, heights, gap=14.0, level_gap=LEVEL_GAP)
    legend, width, height = _legend(classes, max(layout.width, 320.0), layout.height + 14.0)
    left = max(width - layout.width, 0.0) / 2  # center the tree above a wider legend
    placed = [
        replace(box, x=x + left, y=y + heads[d], level=y)
        for box, x, y, d in zip(sized, layout.x.tolist(), layout.y.tolist(), depth, strict=True)
    ]
    return TreeDrawing(tuple(placed), tuple(legend), max(width, layout.width), height)


def _head(above: tuple[str, ...]) -> float:
    return LINE * len(above) + 4.0 if above else 0.0


def _legend(
    classes: list[tuple[str, str]], max_width: float, top: float
) -> tuple[list[LegendEntry], float, float]:
    """Place the classes in rows; also gives the width of the legend and its bottom."""
    entries: list[LegendEntry] = []
    x, y, widest = 0.0, top, 0.0
    for color, name in classes:
        width = 18.0 + text_width(name, FONT)
        if x > 0 and x + width > max_width:
            x, y = 0.0, y + LINE + 2.0
        entries.append(LegendEntry(color, name, x, y))
        widest = max(widest, x + width)
        x += width + 14.0
    return entries, widest, y + LINE


@lru_cache(maxsize=4096)
def _char_width(char: str) -> float:
    width = _WIDTHS.get(char)
    if width is not None:
        return width
    if unicodedata.combining(char):
        return 0.0
    base = unicodedata.normalize("NFD", char)[0]
    if base in _WIDTHS:
        return _WIDTHS[base]  # a letter with an accent
    return 1.1 if unicodedata.east_asian_width(char) in "WF" else 0.85


def is_measured(text: str) -> bool:
    """Whether the width of a text is known rather than estimated, as for other scripts."""
    return all(char in _WIDTHS for char in unicodedata.normalize("NFD", text))


def text_width(text: str, size: float = 12.0, *, bold: bool = False) -> float:
    """Width of a line of text, in the unit of the font size.

    Examples
    --------
    >>> text_width("iii"), text_width("MMM")
    (10.08, 30.96)
    """
    width = sum(map(_char_width, text)) * size
    return round(width * _BOLD if bold else width, 2)


def shorten(text: str, max_width: float, size: float = 12.0, *, bold: bool = False) -> str:
    """Cut a line that is too wide, with an ellipsis at its end.

    Examples
    --------
    >>> shorten("a rather long name", 60.0)
    'a rather…'
    """
    if text_width(text, size, bold=bold) <= max_width:
        return text
    left = max_width / (size * (_BOLD if bold else 1.0)) - _WIDTHS["…"]
    for end, char in enumerate(text):
        left -= _char_width(char)
        if left < 0:
            return text[:end].rstrip() + "…"
    return text


def wrap(text: str, max_width: float, size: float = 12.0, max_lines: int = 3) -> list[str]:
    """Break text at spaces into lines of limited width; the last one is cut if necessary.

    An operator stays with the word that follows it.

    Examples
    --------
    >>> wrap("color in {blue, green, red}", 100.0)
    ['color in {blue,', 'green, red}']
    """
    lines: list[str] = []
    line = ""
    words: list[str] = []
    for word in text.split(" "):
        if words and (word == "*" or words[-1].rpartition(" ")[2] in _STICKY):
            words[-1] += f" {word}"
        else:
            words.append(word)
    for i, word in enumerate(words):
        longer = f"{line} {word}" if line else word
        if not line or text_width(longer, size) <= max_width:
            line = longer
        elif len(lines) + 1 == max_lines:
            line = " ".join([line, *words[i:]])
            break
        else:
            lines.append(line)
            line = word
    return [shorten(part, max_width, size) for part in [*lines, line]]
