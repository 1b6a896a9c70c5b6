"""How a figure changes with another: lines with marks, bars and names at their ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mixedwood.plot.measure import text_width
from mixedwood.report.axes import BOTTOM, draw_bottom, draw_side
from mixedwood.report.scales import Scale
from mixedwood.report.svg import FONT, Drawing, number

__all__ = ["Series", "line_plot"]

_TOP = 24.0
_NAMES = 120.0  # most room for names at the ends of the lines
_LINE = FONT + 3.5


@dataclass(frozen=True)
class Series:
    """A line: places from left to right, and how far their bars go; NaN makes a gap."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    errors: Sequence[float] = ()
    group: int = 0
    dashed: bool = False
    key: str | None = None


def line_plot(
    series: Sequence[Series],
    *,
    x_axis: str,
    y_axis: str,
    about: str,
    log_x: bool = False,
    log_y: bool = False,
    width: float = 360.0,
    height: float = 280.0,
) -> str:
    """Draw lines, each with its name at the end.

    Parameters
    ----------
    series : sequence of Series
        The lines.
    x_axis, y_axis : str
        What the figures are.
    about : str
        The chart in a sentence, for people who hear the page.
    log_x, log_y : bool, default=False
        Which axes are logarithmic.
    width, height : float
        Size of the drawing; it grows if the names need that.

    Returns
    -------
    str
        An ``<svg>`` element.

    Examples
    --------
    >>> ours = Series("ours", [1, 2, 3], [9.0, 7.0, 6.5], [0.5, 0.4, 0.4])
    >>> svg = line_plot([ours], x_axis="depth", y_axis="error %", about="Errors by depth")
    >>> ">ours<" in svg
    True
    """
    height = max(height, _TOP + BOTTOM + _LINE * len(series) + 8.0)
    drawing = Drawing(width, about)
    bottom = height - BOTTOM
    y_scale = Scale.over(_reached(series), bottom - 6.0, _TOP + 6.0, log=log_y)
    ticks = y_scale.ticks(upright=True)
    left = 14.0 + max((text_width(text, FONT) for _, text in ticks), default=0.0)
    names = min(_NAMES, max((text_width(line.label, FONT) for line in series), default=0.0) + 2.0)
    right = width - names - 22.0
    every = [x for line in series for x in line.x]
    x_scale = Scale.over(every, left + 6.0, right, log=log_x)
    draw_side(drawing, y_scale, left, right + 4.0, y_axis, 12.0)
    draw_bottom(drawing, x_scale, _TOP, bottom, x_axis)
    ends = [_end(line, y_scale) for line in series]
    spread = _spread([end if end is not None else bottom for end in ends], _TOP + 8.0, bottom)
    for line, end, y in zip(series, ends, spread, strict=True):
        with drawing.group(f"series c{line.group}", tip=line.label, key=line.key):
            _draw_line(drawing, line, x_scale, y_scale)
            if end is not None:
                drawing.path(f"M{number(right + 5)} {number(end)}L{number(right + 15)} {number(y)}",
                             "leader")  # fmt: skip
            drawing.text(right + 18.0, y + 0.35 * FONT, line.label, "label own", room=names)
    return drawing.render(height)


def _reached(series: Sequence[Series]) -> list[float]:
    found = []
    for line in series:
        errors = line.errors or [0.0] * len(line.y)
        for y, error in zip(line.y, errors, strict=True):
            bar = 0.0 if math.isnan(error) else error
            found += [y - bar, y + bar]
    return found


def _end(line: Series, scale: Scale) -> float | None:
    """Height at which a line ends."""
    known = [scale(y) for y in line.y if math.isfinite(y)]
    return known[-1] if known else None


def _draw_line(drawing: Drawing, line: Series, x_scale: Scale, y_scale: Scale) -> None:
    errors = line.errors or [math.nan] * len(line.y)
    steps, pen_down = "", False
    for x, y in zip(line.x, line.y, strict=True):
        if math.isfinite(y):
            steps += f"{'L' if pen_down else 'M'}{number(x_scale(x))} {number(y_scale(y))}"
        pen_down = math.isfinite(y)
    drawing.path(steps, "stroke dashed" if line.dashed else "stroke")
    for x, y, error in zip(line.x, line.y, errors, strict=True):
        if not math.isfinite(y):
            continue
        if math.isfinite(error):
            at = x_scale(x)
            drawing.line(at, y_scale(y - error), at, y_scale(y + error), "whisker")
        drawing.mark(x_scale(x), y_scale(y), line.group, 3.2)


def _spread(wanted: list[float], top: float, bottom: float) -> list[float]:
    """Move heights apart, as little as is needed, and keep them inside."""
    order = sorted(range(len(wanted)), key=lambda i: (wanted[i], i))
    placed = list(wanted)
    last = top - _LINE
    for i in order:
        placed[i] = last = max(placed[i], last + _LINE)
    floor = bottom
    for i in reversed(order):
        placed[i] = min(placed[i], floor)
        floor = placed[i] - _LINE
    return placed
