"""Charts as SVG: dot plots, scatter plots, heat maps and the critical-difference diagram."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from mixedwood.plot.drawing import shorten, text_width
from mixedwood.report.svg import (
    AXIS_HEIGHT,
    FONT_SIZE,
    AxisScale,
    Canvas,
    Svg,
    draw_x_axis,
    draw_y_axis,
    svg_number,
)
from mixedwood.stats import NemenyiTest
from mixedwood.stats.diagram import Anchor, DiagramLayout, LineKind, MethodLabel

__all__ = ["Dot", "HeatCell", "Point", "dot_plot", "heat_map", "rank_diagram", "scatter_plot"]

_WIDTH = 360.0  # of dot plots and scatter plots
_HEIGHT = 300.0  # of scatter plots
_ROW_HEIGHT = 22.0  # of a dot plot
_MIN_LEFT = 40.0  # of a dot plot: half of the widest tick label
_MAX_LABEL = 128.0  # width of a label of a dot plot
_OFFSETS = (0.0, -3.6, 3.6, -1.8, 1.8, -5.4, 5.4)  # of small points, so that they stay visible
_TOP = 24.0  # of a scatter plot
_RADIUS = 6.0  # of a marker with a small margin
_MAX_POINT_LABEL = 118.0
_MAX_NAME = 150.0  # width of a name in heat maps and diagrams
_CELL_HEIGHT = 25.0
_MIN_CELL_WIDTH = 30.0
_SHADES = 3  # on either side of zero

Box = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True)
class Dot:
    """One row of a dot plot.

    Attributes
    ----------
    label : str
        Label of the row.
    value : float
        Position of the marker; NaN for none.
    error : float
        Length of the error bar on either side; NaN for none.
    points : sequence of float
        Single values to show as small points.
    group : int
        Color and shape of the marker.
    tooltip : str
        Tooltip of the row.
    key : str or None
        Rows with the same key are highlighted together.
    missing : str
        Text to show if there is no value.
    """

    label: str
    value: float
    error: float = math.nan
    points: Sequence[float] = ()
    group: int = 0
    tooltip: str = ""
    key: str | None = None
    missing: str = "no value"


def dot_plot(
    dots: Sequence[Dot],
    *,
    axis: str,
    description: str,
    reference: float | None = None,
    log: bool = False,
) -> Svg:
    """Draw values with error bars, one row each.

    Parameters
    ----------
    dots : sequence of Dot
        The rows, from the top down.
    axis : str
        Label of the axis.
    description : str
        A description of the chart for screen readers.
    reference : float, optional
        A value to compare with, shown as a dashed line.
    log : bool, default=False
        Whether the axis is logarithmic.

    Returns
    -------
    Svg
        An ``<svg>`` element.

    Examples
    --------
    >>> svg = dot_plot([Dot("tree", 12.5, 0.8)], axis="error %", description="Errors")
    >>> svg.startswith("<svg") and "tree" in svg
    True
    """
    canvas = Canvas(_WIDTH, description)
    widest = max((text_width(dot.label, FONT_SIZE) for dot in dots), default=0.0)
    label_width = min(_MAX_LABEL, 4.0 + widest)
    top, bottom = 4.0, 8.0 + _ROW_HEIGHT * len(dots)
    left = max(label_width + 12.0, _MIN_LEFT)
    scale = AxisScale.over(_shown_values(dots, reference), left, _WIDTH - 14.0, log=log)
    draw_x_axis(canvas, scale, top, bottom, axis)
    if reference is not None and math.isfinite(reference):
        canvas.line(scale(reference), top, scale(reference), bottom, "reference")
    for row, dot in enumerate(dots):
        y = top + 2.0 + _ROW_HEIGHT * (row + 0.5)
        with canvas.group(f"line c{dot.group}", tooltip=dot.tooltip, key=dot.key):
            # An invisible band, which reacts to the pointer and is highlighted.
            canvas.rect(0, y - _ROW_HEIGHT / 2, _WIDTH, _ROW_HEIGHT, "band")
            canvas.text(
                label_width + 2.0,
                y + 0.35 * FONT_SIZE,
                dot.label,
                "label",
                anchor="end",
                max_width=label_width,
            )
            _draw_values(canvas, scale, dot, y)
    return canvas.render(bottom + AXIS_HEIGHT)


def _shown_values(dots: Sequence[Dot], reference: float | None) -> list[float]:
    """All values that must be inside the chart."""
    found = [] if reference is None else [reference]
    for dot in dots:
        error = 0.0 if math.isnan(dot.error) else dot.error
        found += [dot.value - error, dot.value + error, dot.value, *dot.points]
    return found


def _draw_values(canvas: Canvas, scale: AxisScale, dot: Dot, y: float) -> None:
    known = [point for point in dot.points if math.isfinite(point)]
    if known:
        commands = "".join(
            f"M{svg_number(scale(point))} {svg_number(y + _OFFSETS[i % len(_OFFSETS)])}h0"
            for i, point in enumerate(known)
        )
        canvas.path(commands, "points")
    if math.isnan(dot.value):
        behind = scale(max(known, default=scale.low)) + 8.0
        fits = behind + text_width(dot.missing, FONT_SIZE) <= canvas.width
        x = behind if fits else scale.start + 6.0
        canvas.text(x, y + 0.35 * FONT_SIZE, dot.missing, "missing", max_width=canvas.width - x)
        return
    if not math.isnan(dot.error):
        low, high = scale(dot.value - dot.error), scale(dot.value + dot.error)
        canvas.line(low, y, high, y, "bar")
    canvas.marker(scale(dot.value), y, dot.group)


@dataclass(frozen=True)
class Point:
    """A point of a scatter plot; points with NaN are not drawn."""

    label: str
    x: float
    y: float
    group: int = 0
    tooltip: str = ""
    key: str | None = None


def scatter_plot(
    points: Sequence[Point],
    *,
    x_axis: str,
    y_axis: str,
    description: str,
    log_x: bool = False,
) -> Svg:
    """Draw points with labels that do not overlap.

    Labels that do not fit are listed below the chart. Every point has a tooltip.

    Parameters
    ----------
    points : sequence of Point
        The points.
    x_axis, y_axis : str
        Labels of the axes.
    description : str
        A description of the chart for screen readers.
    log_x : bool, default=False
        Whether the x axis is logarithmic.

    Returns
    -------
    Svg
        An ``<svg>`` element.

    Examples
    --------
    >>> points = [Point("tree", 0.1, 12.5), Point("forest", 3.0, 9.0, group=1)]
    >>> svg = scatter_plot(points, x_axis="seconds", y_axis="error %", description="Errors by time")
    >>> ">forest<" in svg
    True
    """
    known = [point for point in points if math.isfinite(point.x) and math.isfinite(point.y)]
    canvas, height = Canvas(_WIDTH, description), _HEIGHT
    bottom = height - AXIS_HEIGHT
    y_scale = AxisScale.over([point.y for point in known], bottom - 8.0, _TOP + 8.0, log=False)
    ticks = y_scale.ticks(vertical=True)
    left = 14.0 + max((text_width(text, FONT_SIZE) for _, text in ticks), default=0.0)
    x_scale = AxisScale.over([point.x for point in known], left + 6.0, _WIDTH - 14.0, log=log_x)
    draw_y_axis(canvas, y_scale, left, _WIDTH - 6.0, y_axis, 12.0)
    draw_x_axis(canvas, x_scale, _TOP, bottom, x_axis)
    places = [(x_scale(point.x), y_scale(point.y)) for point in known]
    names = [shorten(point.label, _MAX_POINT_LABEL, FONT_SIZE) for point in known]
    labels = _place(names, places, (left, _TOP, _WIDTH, bottom))
    for point, (x, y), name, label in zip(known, places, names, labels, strict=True):
        tooltip = point.tooltip or point.label
        with canvas.group(f"spot c{point.group}", tooltip=tooltip, key=point.key):
            if label is not None:
                near = min(max(x, label[0]), label[2]), min(max(y, label[1]), label[3])
                if math.dist(near, (x, y)) > 1.5 * _RADIUS:
                    canvas.line(x, y, *near, "leader")
                middle = (label[1] + label[3]) / 2
                canvas.text(label[0] + 1.0, middle + 0.35 * FONT_SIZE, name, "label")
            canvas.marker(x, y, point.group)
    unnamed = [point.label for point, label in zip(known, labels, strict=True) if label is None]
    if unnamed:
        text = f"without a label: {', '.join(unnamed)}"
        canvas.text(4.0, height + 12.0, text, "name", max_width=_WIDTH - 8.0)
        height += 20.0
    return canvas.render(height)


def _place(names: list[str], places: list[tuple[float, float]], inside: Box) -> list[Box | None]:
    """Find a box for each label, near its marker, that touches no other label and no marker.

    A label beside another's marker could be mistaken, so that wide gaps are tried first.
    """
    found: list[Box | None] = [None] * len(names)
    # Points with many neighbors come first.
    n_near = [sum(math.dist(a, b) < 70.0 for b in places) for a in places]
    for i in sorted(range(len(names)), key=lambda i: (-n_near[i], places[i])):
        taken = [box for box in found if box is not None]
        others = [place for j, place in enumerate(places) if j != i]
        free = [
            box
            for box in _candidates(places[i], text_width(names[i], FONT_SIZE) + 2.0)
            if _within(box, inside) and not any(_touch(box, other) for other in taken)
        ]
        for gap in (3.0 * _RADIUS, 2.0 * _RADIUS, _RADIUS):
            marks = [(x - gap, y - _RADIUS, x + gap, y + _RADIUS) for x, y in others]
            clear = (box for box in free if not any(_touch(box, mark) for mark in marks))
            if (box := next(clear, None)) is not None:
                found[i] = box
                break
    return found


def _candidates(place: tuple[float, float], width: float) -> Iterator[Box]:
    """Boxes around a marker, from near to far: right, left, above, below, and diagonal."""
    x, y = place
    height = FONT_SIZE + 3.0
    for distance in (_RADIUS + 1.0, 16.0, 26.0, 38.0, 52.0, 68.0):
        slant = 0.75 * distance
        for left, middle in (
            (x + distance, y),
            (x - distance - width, y),
            (x - width / 2, y - distance - height / 2),
            (x - width / 2, y + distance + height / 2),
            (x + slant, y - slant - height / 3),
            (x + slant, y + slant + height / 3),
            (x - slant - width, y - slant - height / 3),
            (x - slant - width, y + slant + height / 3),
        ):
            yield left, middle - height / 2, left + width, middle + height / 2


def _within(box: Box, frame: Box) -> bool:
    is_beside = box[0] >= frame[0] and box[2] <= frame[2]
    return is_beside and box[1] >= frame[1] and box[3] <= frame[3]


def _touch(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


@dataclass(frozen=True)
class HeatCell:
    """A cell of a heat map; its shade is from -1 (bad) to 1 (good), and NaN for an empty cell."""

    text: str = ""
    shade: float = math.nan
    tooltip: str = ""


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[Sequence[HeatCell]],
    *,
    description: str,
    keys: Sequence[str] = (),
) -> Svg:
    """Draw a matrix of shaded cells.

    Parameters
    ----------
    rows, columns : sequence of str
        Names of the rows and columns.
    cells : sequence of sequence of HeatCell
        The cells of each row.
    description : str
        A description of the chart for screen readers.
    keys : sequence of str, optional
        Rows with the same key are highlighted together.

    Returns
    -------
    Svg
        An ``<svg>`` element.

    Examples
    --------
    >>> cells = [[HeatCell(), HeatCell("4/0/1", 0.6)], [HeatCell("1/0/4", -0.6), HeatCell()]]
    >>> svg = heat_map(["tree", "stump"], ["tree", "stump"], cells, description="Wins")
    >>> ">4/0/1<" in svg
    True
    """
    texts = [text_width(cell.text, FONT_SIZE) for row in cells for cell in row]
    cell_width = max(_MIN_CELL_WIDTH, max(texts, default=0.0) + 12.0)
    widest = max((text_width(name, FONT_SIZE) for name in rows), default=0.0)
    left = min(_MAX_NAME, widest + 2.0) + 8.0
    shown = [shorten(name, _MAX_NAME, FONT_SIZE) for name in columns]
    top = max((text_width(name, FONT_SIZE) for name in shown), default=0.0) + 12.0
    canvas = Canvas(left + cell_width * len(columns) + 2.0, description)
    for place, name in enumerate(columns):
        x = left + cell_width * (place + 0.5) + 0.35 * FONT_SIZE
        canvas.text(x, top - 6.0, name, "label", max_width=_MAX_NAME, vertical=True)
    for r, name in enumerate(rows):
        y = top + _CELL_HEIGHT * r
        with canvas.group("line", key=keys[r] if keys else None):
            canvas.rect(0, y, left - 4.0, _CELL_HEIGHT, "band")
            baseline = y + _CELL_HEIGHT / 2 + 0.35 * FONT_SIZE
            canvas.text(left - 8.0, baseline, name, "label", anchor="end", max_width=left - 8.0)
            for c, cell in enumerate(cells[r]):
                _draw_cell(canvas, cell, left + cell_width * c, y, cell_width)
    return canvas.render(top + _CELL_HEIGHT * len(rows) + 2.0)


def _draw_cell(canvas: Canvas, cell: HeatCell, x: float, y: float, width: float) -> None:
    if math.isnan(cell.shade):
        kind = "cell empty"
    else:
        level = round(_SHADES * max(-1.0, min(1.0, cell.shade)))
        if level == 0 and cell.shade:
            level = int(math.copysign(1, cell.shade))  # never the shade of a tie
        kind = f"cell {'good' if level > 0 else 'bad' if level < 0 else 'even'}{abs(level)}"
    with canvas.group(kind, tooltip=cell.tooltip):
        canvas.rect(x + 1.0, y + 1.0, width - 2.0, _CELL_HEIGHT - 2.0, "shade")
        if cell.text:
            baseline = y + _CELL_HEIGHT / 2 + 0.35 * FONT_SIZE
            canvas.text(x + width / 2, baseline, cell.text, "figure", anchor="middle")


def rank_diagram(
    result: NemenyiTest,
    *,
    groups: Mapping[str, int] | None = None,
    keys: Mapping[str, str] | None = None,
) -> Svg:
    """Draw the critical-difference diagram of mean ranks.

    Parameters
    ----------
    result : NemenyiTest
        The result of `mixedwood.stats.nemenyi_test`.
    groups : mapping of str to int, optional
        Color and shape of the marker of each method.
    keys : mapping of str to str, optional
        Methods with the same key are highlighted together.

    Returns
    -------
    Svg
        An ``<svg>`` element.

    Examples
    --------
    >>> import mixedwood as mw
    >>> errors = [[0.10, 0.12, 0.15], [0.20, 0.21, 0.25], [0.05, 0.07, 0.06], [0.30, 0.31, 0.35]]
    >>> result = mw.stats.nemenyi_test(errors, names=["forest", "tree", "stump"])
    >>> ">forest  1.00<" in rank_diagram(result)
    True
    """
    layout = DiagramLayout.of(
        result,
        lambda text: text_width(text, FONT_SIZE),
        lambda name: shorten(name, _MAX_NAME, FONT_SIZE),
    )
    description = "Critical-difference diagram. " + "; ".join(
        f"{result.names[i]} has mean rank {result.mean_ranks[i]:.2f}" for i in result.order
    )
    pen = _SvgPen(Canvas(layout.width, description), groups or {}, keys or {})
    layout.draw(pen)
    return pen.canvas.render(layout.height)


@dataclass(frozen=True)
class _SvgPen:
    """Draws the critical-difference diagram."""

    canvas: Canvas
    groups: Mapping[str, int]
    keys: Mapping[str, str]

    def line(self, points: Sequence[tuple[float, float]], kind: LineKind) -> None:
        if kind == "leader":
            commands = "L".join(f"{svg_number(x)} {svg_number(y)}" for x, y in points)
            self.canvas.path(f"M{commands}", "elbow")
        else:
            self.canvas.line(*points[0], *points[1], "tie" if kind == "bar" else kind)

    def text(self, text: str, x: float, y: float, anchor: Anchor, kind: str) -> None:
        self.canvas.text(x, y, text, kind, anchor=anchor)

    @contextmanager
    def method(self, label: MethodLabel) -> Iterator[None]:
        group = self.groups.get(label.name, 0)
        key = self.keys.get(label.name)
        with self.canvas.group(f"rank c{group}", tooltip=label.name, key=key):
            yield
            self.canvas.marker(label.x, label.axis_y, group, 3.2)
