"""A tree drawn with matplotlib."""

from __future__ import annotations

from typing import Any

from mixedwood.plot.drawing import BAR, FONT, LEVEL_GAP, LINE, Box, draw_tree
from mixedwood.tree import Tree

__all__ = ["plot_tree"]

_DPI = 96.0  # pixels of the drawing per inch at full size


def plot_tree(
    tree: Tree,
    ax: Any = None,
    max_depth: int | None = None,
    max_nodes: int | None = 60,
    max_terms: int | None = 4,
) -> Any:
    """Draw a tree with matplotlib.

    Parameters
    ----------
    tree : Tree
        The tree.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. The tree fills them, and text is scaled to fit. By default, pyplot makes
        a new figure of the size that the tree needs.
    max_depth : int or None, default=None
        Maximum depth drawn. If None, there is no limit.
    max_nodes : int or None, default=60
        Maximum number of nodes drawn, those nearest to the root first. If None, there is no limit.
    max_terms : int or None, default=4
        Maximum number of terms of a linear split, most important first. If None, there is no
        limit.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the tree.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import TreeBuilder
    >>> builder = TreeBuilder(read_table({"age": [1.0]}).schema, ["no", "yes"], [3, 1])
    >>> _ = builder.split_interval(0, "age", [[3, 0], [0, 1]], high=5.0)
    >>> ax = plot_tree(builder.build(), Figure().subplots())
    >>> ax.texts[0].get_text()
    'age'
    """
    drawing = draw_tree(tree, max_depth, max_nodes, max_terms)
    width, height = drawing.width + 20.0, drawing.height + 20.0
    ax = _axes(width, height) if ax is None else ax
    ax.set_axis_off()
    ax.set_xlim(-10.0, width - 10.0)
    ax.set_ylim(height - 10.0, -10.0)
    ax.set_aspect("equal")
    pen = _Pen(ax, width, height)
    for box in drawing.boxes:
        if box.parent >= 0:
            pen.edge(drawing.boxes[box.parent], box)
    for box in drawing.boxes:
        pen.box(box)
    for entry in drawing.legend:
        pen.bar(entry.x, entry.y + 4.0, 12.0, entry.color)
        pen.text(entry.name, entry.x + 18.0, entry.y, ha="left")
    return ax


class _Pen:
    """Draws on axes whose unit is a pixel of the drawing."""

    def __init__(self, ax: Any, width: float, height: float) -> None:
        from matplotlib import rcParams

        self.ax = ax
        self.ink = rcParams["text.color"]
        frame = ax.get_window_extent()
        # points per pixel of the drawing, at the scale that the axes will have
        scale = min(frame.width / width, frame.height / height)
        self.size = FONT * scale * 72.0 / ax.figure.dpi
        self.line = scale * 72.0 / ax.figure.dpi
        # fall back to the user's font for characters that the measured font lacks
        self.family = ["DejaVu Sans", *rcParams["font.family"]]

    def text(self, line: str, x: float, top: float, **options: Any) -> None:
        options = {"ha": "center", "color": self.ink} | options
        self.ax.text(
            x, top + LINE - 4.0, line, va="baseline", fontsize=self.size, family=self.family,
            parse_math=False, **options,
        )  # fmt: skip

    def bar(self, x: float, y: float, length: float, color: str) -> None:
        from matplotlib.patches import Rectangle

        self.ax.add_patch(
            Rectangle((x, y), length, BAR, facecolor=color, edgecolor=self.ink,
                      linewidth=0.5 * self.line)
        )  # fmt: skip

    def column(self, x: float, y: float, width: float, height: float, color: str) -> None:
        from matplotlib.patches import Rectangle

        self.ax.add_patch(Rectangle((x, y), width, height, facecolor=color, linewidth=0))

    def edge(self, parent: Box, child: Box) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        top, bottom = child.level - LEVEL_GAP, child.level
        middle = (top + bottom) / 2
        points = [(parent.x, top), (parent.x, middle), (child.x, middle), (child.x, bottom)]
        codes = [Path.MOVETO, Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4, Path.LINETO]
        ends = (parent.x, parent.y + parent.height), (child.x, child.top)
        curve = Path([ends[0], *points, ends[1]], codes)
        self.ax.add_patch(
            PathPatch(curve, fill=False, edgecolor=self.ink, alpha=0.45, linewidth=self.line)
        )

    def box(self, box: Box) -> None:
        from matplotlib.patches import FancyBboxPatch

        style = f"round,pad=0,rounding_size={box.rounding}"
        self.ax.add_patch(
            FancyBboxPatch(
                (box.x - box.width / 2, box.y), box.width, box.height, boxstyle=style, fill=False,
                edgecolor=self.ink, alpha=0.6, linewidth=self.line,
                linestyle="--" if box.is_cut else "-",
            )
        )  # fmt: skip
        for line, top, bold in box.texts():
            self.text(line, box.x, top, weight="bold" if bold else "normal")
        for bar in box.bars():
            self.bar(*bar)
        for x, y, width, height, color in box.columns():
            self.column(x, y, width, height, color)


def _axes(width: float, height: float) -> Any:
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise ImportError(
            "Drawing with matplotlib needs it installed: pip install 'mixedwood[plot]'. "
            "tree.to_svg() draws without it."
        ) from None
    # Very large figures fail on screens and in some formats; text gets smaller instead.
    size = min(width / _DPI, 60.0), min(height / _DPI, 60.0)
    figure = plt.figure(figsize=size)
    return figure.add_axes((0.0, 0.0, 1.0, 1.0))
