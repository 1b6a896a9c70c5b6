"""Values of things, one line for each: a mark, its uncertainty, and what it is the mean of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mixedwood.plot.measure import text_width
from mixedwood.report.axes import BOTTOM, draw_bottom
from mixedwood.report.scales import Scale
from mixedwood.report.svg import FONT, Drawing, number

__all__ = ["Dot", "dot_plot"]

_ROW = 22.0
_LABELS = 128.0  # most room for labels
_LEVELS = (0.0, -3.6, 3.6, -1.8, 1.8, -5.4, 5.4)  # heights of points, so that they do not hide


@dataclass(frozen=True)
class Dot:
    """One line of a dot plot.

    Attributes
    ----------
    label : str
        What the line is about.
    value : float
        Where the mark goes; NaN for none.
    error : float
        How far the bar goes on either side; NaN for no bar.
    points : sequence of float
        What the value is the mean of, if that is to be seen.
    group : int
        Colour and shape of the mark.
    tip : str
        Words to show when the line is pointed at.
    key : str or None
        Lines with the same key light up together.
    missing : str
        What to write where there is no value.
    """

    label: str
    value: float
    error: float = math.nan
    points: Sequence[float] = ()
    group: int = 0
    tip: str = ""
    key: str | None = None
    missing: str = "no figure"


def dot_plot(
    dots: Sequence[Dot],
    *,
    axis: str,
    about: str,
    reference: float | None = None,
    log: bool = False,
    width: float = 360.0,
) -> str:
    """Draw marks with bars, in the order given.

    Parameters
    ----------
    dots : sequence of Dot
        The lines, from the top down.
    axis : str
        What is measured.
    about : str
        The chart in a sentence, for people who hear the page.
    reference : float, optional
        A value to compare with, shown as a dashed line.
    log : bool, default=False
        Whether the axis is logarithmic.
    width : float, default=360
        Width of the drawing.

    Returns
    -------
    str
        An ``<svg>`` element.

    Examples
    --------
    >>> svg = dot_plot([Dot("tree", 12.5, 0.8)], axis="error %", about="Errors")
    >>> svg.startswith("<svg") and "tree" in svg
    True
    """
    drawing = Drawing(width, about)
    room = min(_LABELS, 4.0 + max((text_width(dot.label, FONT) for dot in dots), default=0.0))
    top, bottom = 4.0, 8.0 + _ROW * len(dots)
    scale = Scale.over(_reached(dots, reference), room + 12.0, width - 14.0, log=log)
    draw_bottom(drawing, scale, top, bottom, axis)
    if reference is not None and math.isfinite(reference):
        drawing.line(scale(reference), top, scale(reference), bottom, "reference")
    for row, dot in enumerate(dots):
        y = top + 2.0 + _ROW * (row + 0.5)
        with drawing.group(f"line c{dot.group}", tip=dot.tip, key=dot.key):
            # A band that can be pointed at, and that lights up.
            drawing.rect(0, y - _ROW / 2, width, _ROW, "band", round_=3.0)
            drawing.text(room + 2.0, y + 0.35 * FONT, dot.label, "label", anchor="end", room=room)
            _draw_values(drawing, scale, dot, y)
    return drawing.render(bottom + BOTTOM)


def _reached(dots: Sequence[Dot], reference: float | None) -> list[float]:
    """All values that must be inside the chart."""
    found = [] if reference is None else [reference]
    for dot in dots:
        error = 0.0 if math.isnan(dot.error) else dot.error
        found += [dot.value - error, dot.value + error, dot.value, *dot.points]
    return found


def _draw_values(drawing: Drawing, scale: Scale, dot: Dot, y: float) -> None:
    known = [point for point in dot.points if math.isfinite(point)]
    if known:
        steps = "".join(
            f"M{number(scale(point))} {number(y + _LEVELS[i % len(_LEVELS)])}h0"
            for i, point in enumerate(known)
        )
        drawing.path(steps, "points")
    if math.isnan(dot.value):
        behind = scale(max(known, default=scale.low)) + 8.0
        fits = behind + text_width(dot.missing, FONT) <= drawing.width
        x = behind if fits else scale.start + 6.0
        drawing.text(x, y + 0.35 * FONT, dot.missing, "missing", room=drawing.width - x)
        return
    if not math.isnan(dot.error):
        low, high = scale(dot.value - dot.error), scale(dot.value + dot.error)
        drawing.line(low, y, high, y, "bar")
    drawing.mark(scale(dot.value), y, dot.group)
