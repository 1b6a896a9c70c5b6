"""Charts of a fitted model as SVG: lines with points, and histograms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mixedwood.plot.drawing import text_width
from mixedwood.report.svg import (
    AXIS_HEIGHT,
    AxisScale,
    Canvas,
    Svg,
    draw_x_axis,
    draw_y_axis,
    svg_number,
)

__all__ = ["Line", "histogram", "line_chart"]

_WIDTH, _HEIGHT, _TOP = 360.0, 270.0, 24.0


@dataclass(frozen=True)
class Line:
    """A line through points, or points alone.

    Attributes
    ----------
    x, y : sequence of float
        Positions.
    group : int
        Color.
    kind : {"line", "faint", "points", "reference"}
        A thick line with a label at the end, a thin line, points, or a dashed line.
    low, high : sequence of float
        Ends of vertical error bars; empty for none.
    tooltip : str
        Tooltip of the line.
    """

    x: Sequence[float]
    y: Sequence[float]
    group: int = 0
    kind: str = "line"
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    tooltip: str = ""


def line_chart(
    lines: Sequence[Line],
    *,
    x_axis: str,
    y_axis: str,
    description: str,
    unit_square: bool = False,
) -> Svg:
    """Draw lines and points.

    Parameters
    ----------
    lines : sequence of Line
        The lines, from the bottom up.
    x_axis, y_axis : str
        Labels of the axes.
    description : str
        A description of the chart for screen readers.
    unit_square : bool, default=False
        Whether both axes go from 0 to 1.

    Returns
    -------
    Svg
        An ``<svg>`` element.

    Examples
    --------
    >>> svg = line_chart([Line([1, 2], [3, 5])], x_axis="age", y_axis="rent", description="Rent")
    >>> svg.startswith("<svg") and ">age<" in svg
    True
    """
    canvas, bottom = Canvas(_WIDTH, description), _HEIGHT - AXIS_HEIGHT
    ys = [v for line in lines for v in (*line.y, *line.low, *line.high)]
    y_scale = AxisScale.over(ys, bottom - 4.0, _TOP + 8.0, log=False)
    if unit_square:
        y_scale = AxisScale(0.0, 1.0, bottom - 2.0, _TOP + 6.0)
    ticks = y_scale.ticks(vertical=True)
    left = 14.0 + max((text_width(text, 11.5) for _, text in ticks), default=0.0)
    x_scale = AxisScale.over(
        [v for line in lines for v in line.x], left + 2, _WIDTH - 12, log=False
    )
    if unit_square:
        x_scale = AxisScale(0.0, 1.0, left + 2, _WIDTH - 12)
    draw_y_axis(canvas, y_scale, left, _WIDTH - 6.0, y_axis, 12.0)
    draw_x_axis(canvas, x_scale, _TOP, bottom, x_axis)
    for line in lines:
        _draw(canvas, line, x_scale, y_scale)
    return canvas.render(_HEIGHT)


def _draw(canvas: Canvas, line: Line, x_scale: AxisScale, y_scale: AxisScale) -> None:
    known = [
        (x_scale(x), y_scale(y))
        for x, y in zip(line.x, line.y, strict=True)
        if math.isfinite(x) and math.isfinite(y)
    ]
    if not known:
        return
    with canvas.group(f"curve c{line.group} {line.kind}", tooltip=line.tooltip):
        if line.kind == "points":
            spots = "".join(f"M{svg_number(x)} {svg_number(y)}h0" for x, y in known)
            canvas.path(spots, "points")
            return
        for x, low, high in zip(line.x, line.low, line.high, strict=bool(line.low)):
            canvas.line(x_scale(x), y_scale(low), x_scale(x), y_scale(high), "bar")
        path = "L".join(f"{svg_number(x)} {svg_number(y)}" for x, y in known)
        canvas.path(f"M{path}", "stroke")
        if line.kind == "line" and len(known) <= 30:
            for x, y in known:
                canvas.marker(x, y, line.group, 3.0)


def histogram(edges: Sequence[float], counts: Sequence[int], *, axis: str, description: str) -> Svg:
    """Draw a histogram.

    Examples
    --------
    >>> histogram([0, 1, 2], [3, 5], axis="residual", description="Residuals").count("own")
    2
    """
    canvas, bottom = Canvas(_WIDTH, description), _HEIGHT - AXIS_HEIGHT
    y_scale = AxisScale(0.0, max(1.0, 1.05 * max(counts)), bottom, _TOP + 6.0)
    ticks = y_scale.ticks(vertical=True)
    left = 14.0 + max((text_width(text, 11.5) for _, text in ticks), default=0.0)
    x_scale = AxisScale(edges[0], edges[-1], left + 4.0, _WIDTH - 12.0)
    draw_y_axis(canvas, y_scale, left, _WIDTH - 6.0, "rows", 12.0)
    with canvas.group("c0"):
        for low, high, n in zip(edges[:-1], edges[1:], counts, strict=True):
            x, y = x_scale(low), y_scale(n)
            with canvas.group("bin", tooltip=f"{n} rows from {low:.6g} to {high:.6g}"):
                width = max(0.5, x_scale(high) - x - 1)
                canvas.rect(x, y, width, bottom - y, "own", radius=1.0)
    draw_x_axis(canvas, x_scale, bottom, bottom, axis)
    return canvas.render(_HEIGHT)
