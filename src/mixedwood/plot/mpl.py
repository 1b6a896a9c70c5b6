"""The same picture of a tree with matplotlib, for papers and notebooks that use it."""

from __future__ import annotations

from typing import Any

from mixedwood.plot.drawing import BAR, FONT, LEVEL_GAP, LINE, PAD, Box, draw
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
        Where to draw. The tree fills it, text is scaled to fit. By default a new figure of the
        size that the tree needs is made with pyplot.
    max_depth : int or None, default=None
        Deepest level drawn, counted in tests. None means no limit.
    max_nodes : int or None, default=60
        Most nodes drawn; those nearest to the root come first. None means no limit.
    max_terms : int or None, default=4
        Most terms drawn of a linear test, the most important first. None means no limit.

    Returns
    -------
    matplotlib.axes.Axes
        Where the tree was drawn.

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
    drawing = draw(tree, max_depth, max_nodes, max_terms)
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
        pen.bar(entry.x, entry.y + 4.0, 12.0, entry.colour)
        pen.text(entry.name, entry.x + 18.0, entry.y, ha="left")
    return ax


class _Pen:
    """Draws on axes whose unit is a pixel of the drawing."""

    def __init__(self, ax: Any, width: float, height: float) -> None:
        from matplotlib import rcParams

        self.ax = ax
        self.ink = rcParams["text.color"]
        frame = ax.get_window_extent()
        # points of type per pixel of the drawing, at the scale that the axes will have
        scale = min(frame.width / width, frame.height / height)
        self.size = FONT * scale * 72.0 / ax.figure.dpi
        self.line = scale * 72.0 / ax.figure.dpi
        # characters that the measured font lacks are looked for in the user's own
        self.family = ["DejaVu Sans", *rcParams["font.family"]]

    def text(self, line: str, x: float, top: float, **options: Any) -> None:
        options = {"ha": "center", "color": self.ink} | options
        self.ax.text(
            x, top + LINE - 4.0, line, va="baseline", fontsize=self.size, family=self.family,
            parse_math=False, **options,
        )  # fmt: skip

    def bar(self, x: float, y: float, length: float, colour: str) -> None:
        from matplotlib.patches import Rectangle

        self.ax.add_patch(
            Rectangle((x, y), length, BAR, facecolor=colour, edgecolor=self.ink,
                      linewidth=0.5 * self.line)
        )  # fmt: skip

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

        left = box.x - box.width / 2
        style = f"round,pad=0,rounding_size={8 if box.shares else 3}"
        self.ax.add_patch(
            FancyBboxPatch(
                (left, box.y), box.width, box.height, boxstyle=style, fill=False,
                edgecolor=self.ink, alpha=0.6, linewidth=self.line,
                linestyle="--" if box.is_cut else "-",
            )
        )  # fmt: skip
        for i, line in enumerate(box.above):
            self.text(line, box.x, box.top + LINE * i)
        y = box.y + PAD / 2
        if box.title:
            self.text(box.title, box.x, y, weight="bold")
            y += LINE
        for line in box.lines:
            self.text(line, box.x, y)
            y += LINE
        x = left + PAD
        for colour, share in box.shares:
            length = share * (box.width - 2 * PAD)
            self.bar(x, y + 3.0, length, colour)
            x += length


def _axes(width: float, height: float) -> Any:
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise ImportError(
            "Drawing with matplotlib needs it installed: pip install 'mixedwood[plot]'. "
            "tree.to_svg() draws without it."
        ) from None
    # Beyond some size screens and formats give up; text gets smaller instead.
    size = min(width / _DPI, 60.0), min(height / _DPI, 60.0)
    figure = plt.figure(figsize=size)
    return figure.add_axes((0.0, 0.0, 1.0, 1.0))
