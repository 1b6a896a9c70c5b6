"""Figures of the same things from two or more sources, beside each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mixedwood.plot.measure import text_width
from mixedwood.report.axes import BOTTOM, draw_bottom
from mixedwood.report.scales import Scale
from mixedwood.report.svg import FONT, Drawing

__all__ = ["Bars", "bar_chart"]

_BAR = 13.0
_GAP = 9.0
_LABELS = 128.0


@dataclass(frozen=True)
class Bars:
    """One thing: a figure for each source, NaN for none, and how far their whiskers go."""

    label: str
    values: Sequence[float]
    errors: Sequence[float] = ()
    tip: str = ""
    key: str | None = None


def bar_chart(
    rows: Sequence[Bars],
    sources: Sequence[str],
    *,
    axis: str,
    about: str,
    groups: Sequence[int] | None = None,
    decimals: int = 1,
    width: float = 360.0,
) -> str:
    """Draw level bars, such as ours and the published, from zero.

    Parameters
    ----------
    rows : sequence of Bars
        The things, from the top down.
    sources : sequence of str
        Whose figures the bars are; named in a line above.
    axis : str
        What is measured.
    about : str
        The chart in a sentence, for people who hear the page.
    groups : sequence of int, optional
        Colours of the sources; 0, 1 and so on if not given.
    decimals : int, default=1
        Decimals of the figures at the ends of the bars.
    width : float, default=360
        Width of the drawing.

    Returns
    -------
    str
        An ``<svg>`` element.

    Examples
    --------
    >>> rows = [Bars("german", [25.1, 24.0], [0.7, math.nan])]
    >>> svg = bar_chart(rows, ["ours", "published"], axis="error %", about="Errors")
    >>> ">25.1<" in svg
    True
    """
    colours = list(range(len(sources))) if groups is None else list(groups)
    drawing = Drawing(width, about)
    room = min(_LABELS, 4.0 + max((text_width(row.label, FONT) for row in rows), default=0.0))
    texts = [f"{v:.{decimals}f}" for row in rows for v in row.values if math.isfinite(v)]
    figures = max((text_width(text, FONT) for text in texts), default=0.0) + 8.0
    each = _BAR * len(sources) + _GAP
    top = 24.0
    bottom = top + each * len(rows) + 4.0
    reached = [v + e for row in rows for v, e in zip(row.values, _errors(row), strict=True)]
    scale = Scale.over(reached, room + 10.0, width - figures - 4.0, from_zero=True)
    draw_bottom(drawing, scale, top, bottom, axis)
    _draw_sources(drawing, sources, colours, room + 10.0)
    for place, row in enumerate(rows):
        y = top + _GAP / 2 + 2.0 + each * place
        with drawing.group("line", tip=row.tip, key=row.key):
            drawing.rect(0, y - _GAP / 2, width, each, "band", round_=3.0)
            middle = y + _BAR * len(sources) / 2 + 0.35 * FONT
            drawing.text(room + 2.0, middle, row.label, "label", anchor="end", room=room)
            for i, (value, error) in enumerate(zip(row.values, _errors(row), strict=True)):
                if math.isfinite(value):
                    with drawing.group(f"c{colours[i]}"):
                        _draw_bar(drawing, scale, y + _BAR * i, value, error, decimals)
    return drawing.render(bottom + BOTTOM)


def _errors(row: Bars) -> list[float]:
    given = row.errors or [0.0] * len(row.values)
    return [e if math.isfinite(e) else 0.0 for e in given]


def _draw_bar(
    drawing: Drawing, scale: Scale, y: float, value: float, error: float, decimals: int
) -> None:
    zero, end = sorted((scale(0.0), scale(value)))
    drawing.rect(zero, y + 0.75, max(end - zero, 0.8), _BAR - 1.5, "fill", round_=1.5)
    tip = max(end, scale(value + error))
    if error > 0.0:
        middle = y + _BAR / 2
        drawing.line(scale(value - error), middle, scale(value + error), middle, "whisker")
    drawing.text(tip + 5.0, y + _BAR / 2 + 0.33 * FONT, f"{value:.{decimals}f}", "tick")


def _draw_sources(
    drawing: Drawing, sources: Sequence[str], colours: Sequence[int], left: float
) -> None:
    """A coloured square and a name for each."""
    x = left
    share = (drawing.width - left) / max(len(sources), 1)
    for name, colour in zip(sources, colours, strict=True):
        with drawing.group(f"c{colour}"):
            drawing.rect(x, 5.0, 9.0, 9.0, "fill", round_=1.5)
            drawing.text(x + 14.0, 13.5, name, "label", room=share - 24.0)
        x += min(share, text_width(name, FONT) + 30.0)
