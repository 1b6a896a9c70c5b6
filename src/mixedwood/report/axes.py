"""Lines behind the values of a chart, and the numbers beside them."""

from __future__ import annotations

from mixedwood.plot.measure import text_width
from mixedwood.report.scales import Scale
from mixedwood.report.svg import FONT, Drawing

__all__ = ["BOTTOM", "draw_bottom", "draw_side"]

BOTTOM = 38.0  # height of numbers and name below a chart


def draw_bottom(drawing: Drawing, scale: Scale, top: float, bottom: float, name: str) -> None:
    """Upright lines with numbers below, and the name of what they count below these."""
    for value, text in scale.ticks():
        x = scale(value)
        drawing.line(x, top, x, bottom, "grid")
        if x + text_width(text, FONT) / 2 <= drawing.width:
            drawing.text(x, bottom + 15.0, text, "tick", anchor="middle")
    drawing.line(scale.start, bottom, scale.end, bottom, "axis")
    room = scale.end - scale.start + 20.0
    drawing.text(
        (scale.start + scale.end) / 2, bottom + 32.0, name, "name", anchor="middle", room=room
    )


def draw_side(
    drawing: Drawing, scale: Scale, left: float, right: float, name: str, top: float
) -> None:
    """Level lines with numbers on the left, and the name of what they count above."""
    for value, text in scale.ticks(upright=True):
        y = scale(value)
        drawing.line(left, y, right, y, "grid")
        drawing.text(left - 7.0, y + 0.35 * FONT, text, "tick", anchor="end")
    drawing.text(4.0, top, name, "name", room=right - 8.0)
