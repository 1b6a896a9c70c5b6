"""A tree as SVG, and in the DOT language of Graphviz.

The SVG needs no script, style sheet or network. Text and lines have the text color of the page, so
the picture suits light and dark pages. One function escapes all names and labels.
"""

from __future__ import annotations

from html import escape

from mixedwood.explain.conditions import linear_terms
from mixedwood.explain.format import format_branches, format_name, format_sum
from mixedwood.explain.text import format_left_out, format_prediction, visible_nodes
from mixedwood.plot.drawing import (
    BAR,
    FONT,
    FONTS,
    LEVEL_GAP,
    LINE,
    Box,
    draw_tree,
    is_measured,
    text_width,
)
from mixedwood.tree import SplitKind, Tree

__all__ = ["tree_dot", "tree_svg"]

_MARGIN = 10.0


def tree_svg(
    tree: Tree,
    *,
    max_depth: int | None = None,
    max_nodes: int | None = 60,
    max_terms: int | None = 4,
) -> str:
    """Draw a tree as SVG.

    Parameters
    ----------
    tree : Tree
        The tree.
    max_depth : int or None, default=None
        Maximum depth drawn. If None, there is no limit.
    max_nodes : int or None, default=60
        Maximum number of nodes drawn, those nearest to the root first. If None, there is no limit.
        Dashed boxes count the nodes that are not drawn.
    max_terms : int or None, default=4
        Maximum number of terms of a linear split, most important first. If None, there is no
        limit.

    Returns
    -------
    str
        An ``<svg>`` element, for a file or for an HTML page.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import TreeBuilder
    >>> builder = TreeBuilder(read_table({"age": [1.0]}).schema, ["no", "yes"], [3, 1])
    >>> _ = builder.split_interval(0, "age", [[3, 0], [0, 1]], high=5.0)
    >>> tree_svg(builder.build())[:42]
    '<svg xmlns="http://www.w3.org/2000/svg" ro'
    """
    drawing = draw_tree(tree, max_depth, max_nodes, max_terms)
    width, height = (int(size + 2 * _MARGIN) + 1 for size in (drawing.width, drawing.height))
    about = f"Decision tree of {tree.n_nodes} nodes and {tree.n_leaves} leaves"
    fonts = ", ".join(f"'{font}'" if " " in font else font for font in FONTS)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{_safe(about)}" '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="{fonts}" font-size="{FONT:g}" text-anchor="middle" fill="currentColor" '
        'direction="ltr" unicode-bidi="isolate">',
        f"<title>{_safe(about)}</title>",
        f'<g transform="translate({_n(_MARGIN)} {_n(_MARGIN)})">',
    ]
    parts += [_edge(drawing.boxes[box.parent], box) for box in drawing.boxes if box.parent >= 0]
    parts += [_box(box) for box in drawing.boxes]
    for entry in drawing.legend:
        parts.append(_bar(entry.x, entry.y + 4.0, 12.0, entry.color))
        parts.append(_text(entry.name, entry.x + 18.0, entry.y, anchor=' text-anchor="start"'))
    return "\n".join([*parts, "</g></svg>"])


def _box(box: Box) -> str:
    dash = ' stroke-dasharray="4 3"' if box.is_cut else ""
    texts = [_text(line, box.x, top, bold=bold) for line, top, bold in box.texts()]
    frame = (
        f'<rect x="{_n(box.x - box.width / 2)}" y="{_n(box.y)}" width="{_n(box.width)}" '
        f'height="{_n(box.height)}" rx="{box.rounding}" fill="currentColor" fill-opacity="0.04" '
        f'stroke="currentColor" stroke-opacity="0.6"{dash}/>'
    )
    n = len(box.above)
    parts = [*texts[:n], frame, *texts[n:], *(_bar(*bar) for bar in box.bars())]
    parts += [_column(*column) for column in box.columns()]
    return f"<g><title>{_safe(box.tip)}</title>{''.join(parts)}</g>"


def _bar(x: float, y: float, length: float, color: str) -> str:
    return (
        f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(length)}" height="{_n(BAR)}" fill="{color}" '
        'stroke="currentColor" stroke-opacity="0.5" stroke-width="0.5"/>'
    )


def _column(x: float, y: float, width: float, height: float, color: str) -> str:
    return (
        f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}" fill="{color}"/>'
    )


def _edge(parent: Box, child: Box) -> str:
    """A curve from the bottom of a box to the top of the text above its child."""
    top, bottom = child.level - LEVEL_GAP, child.level
    middle = (top + bottom) / 2
    x1, x2, y = _n(parent.x), _n(child.x), _n(middle)
    start, end = _n(parent.y + parent.height), _n(child.top)
    return (
        f'<path d="M{x1} {start}V{_n(top)}C{x1} {y} {x2} {y} {x2} {_n(bottom)}V{end}" '
        'fill="none" stroke="currentColor" stroke-opacity="0.45"/>'
    )


def _text(line: str, x: float, top: float, *, bold: bool = False, anchor: str = "") -> str:
    weight = ' font-weight="bold"' if bold else ""
    # The width of other scripts is estimated; textLength makes browsers keep to it.
    width = text_width(line, FONT, bold=bold)
    fit = "" if is_measured(line) else f' textLength="{_n(width)}" lengthAdjust="spacingAndGlyphs"'
    baseline = _n(top + LINE - 4.0)
    return f'<text x="{_n(x)}" y="{baseline}"{anchor}{weight}{fit}>{_safe(line)}</text>'


def _safe(text: str) -> str:
    """Escape text, and replace characters that XML forbids."""
    return escape("".join(char if char.isprintable() or char == "\n" else "�" for char in text))


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def tree_dot(tree: Tree, max_depth: int | None = None, max_nodes: int | None = 1000) -> str:
    """Format a tree in the DOT language of Graphviz.

    Parameters
    ----------
    tree : Tree
        The tree.
    max_depth : int or None, default=None
        Maximum depth. If None, there is no limit.
    max_nodes : int or None, default=1000
        Maximum number of nodes, those nearest to the root first. If None, there is no limit.

    Returns
    -------
    str
        A digraph, without a line break at the end; conditions are labels of the edges.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import TreeBuilder
    >>> builder = TreeBuilder(read_table({"age": [1.0]}).schema, ["no", "yes"], [3, 1])
    >>> _ = builder.split_interval(0, "age", [[3, 0], [0, 1]], high=5.0)
    >>> print(tree_dot(builder.build()))
    digraph tree {
      node [shape=box, style=rounded];
      0 [label="age"];
      1 [label="no (100 % of 3)"];
      2 [label="yes (100 % of 1)"];
      0 -> 1 [label="age <= 5"];
      0 -> 2 [label="age > 5"];
    }
    """
    shown = visible_nodes(tree, max_depth, max_nodes)
    nodes, branches = [], []
    for node, children in sorted(shown.children.items()):
        text = format_prediction(tree, node)
        if children:
            linear = tree.split_kind[node] == SplitKind.LINEAR
            if linear and tree.model_of(node) is not None:
                text = format_sum(linear_terms(tree, node))
            else:
                text = "linear" if linear else format_name(tree.column_of(node).name)
            texts = format_branches(tree, node)[: len(children)]
            branches += [
                f"  {node} -> {child} [label={_quoted(branch)}];"
                for child, branch in zip(children, texts, strict=True)
            ]
        if node in shown.left_out:
            text += f" ... {format_left_out(shown.left_out[node])}"
        nodes.append(f"  {node} [label={_quoted(text)}];")
    lines = ["digraph tree {", "  node [shape=box, style=rounded];", *nodes, *branches, "}"]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
