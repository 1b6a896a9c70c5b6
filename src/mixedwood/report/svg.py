"""Drawing charts as SVG: shapes, scales and axes. Colors come from `chart.css`, by class."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from mixedwood.plot.drawing import is_measured, shorten, text_width

__all__ = [
    "AXIS_HEIGHT",
    "FONT_SIZE",
    "AxisScale",
    "Canvas",
    "Svg",
    "draw_x_axis",
    "draw_y_axis",
    "escape_text",
    "needs_log_scale",
    "replace_unprintable",
    "svg_number",
]

FONT_SIZE = 11.5
AXIS_HEIGHT = 38.0  # of the ticks and the label below a chart
_TICK_FONT_SIZE = 11.0
_MIN_TICK_GAP = 10.0
_ZERO = 1e-12


class Svg(str):
    """Markup of a chart, which templates do not escape."""

    __slots__ = ()

    def __html__(self) -> Svg:
        return self


def replace_unprintable(text: object) -> str:
    """Replace characters that cannot be printed, such as those that reverse the text direction."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in str(text))


def escape_text(text: object) -> str:
    """Escape text for SVG, between tags and in quoted attributes.

    Examples
    --------
    >>> escape_text('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return escape(replace_unprintable(text))


class Canvas:
    """Collects shapes; positions are in points from the top left."""

    def __init__(self, width: float, description: str) -> None:
        self.width = width
        self.description = description
        self._parts: list[str] = []

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        """Draw a straight line."""
        x1_, y1_, x2_, y2_ = map(svg_number, (x1, y1, x2, y2))
        self._parts.append(f'<line class="{kind}" x1="{x1_}" y1="{y1_}" x2="{x2_}" y2="{y2_}"/>')

    def path(self, commands: str, kind: str) -> None:
        """Draw an SVG path."""
        self._parts.append(f'<path class="{kind}" d="{commands}"/>')

    def rect(
        self, x: float, y: float, width: float, height: float, kind: str, *, radius: float = 3.0
    ) -> None:
        """Draw a rectangle with rounded corners."""
        x_, y_, width_, height_, radius_ = map(svg_number, (x, y, width, height, radius))
        self._parts.append(
            f'<rect class="{kind}" x="{x_}" y="{y_}" width="{width_}" height="{height_}" '
            f'rx="{radius_}"/>'
        )

    def marker(self, x: float, y: float, group: int, size: float = 4.5) -> None:
        """Draw a marker: a disc for group 0, a diamond, a square or a triangle for others."""
        start = f"M{svg_number(x)} {svg_number(y)}"
        if group % 4 == 0:
            x_, y_, size_ = map(svg_number, (x, y, size))
            self._parts.append(f'<circle class="dot" cx="{x_}" cy="{y_}" r="{size_}"/>')
        elif group % 4 == 1:
            w = svg_number(size * 1.2)
            self.path(f"{start}m-{w} 0l{w} -{w}l{w} {w}l-{w} {w}z", "dot")
        elif group % 4 == 2:
            h, w = svg_number(size * 0.9), svg_number(size * 1.8)
            self.path(f"{start}m-{h} -{h}h{w}v{w}h-{w}z", "dot")
        else:
            h, w = svg_number(size * 1.1), svg_number(size * 2.2)
            self.path(f"{start}m-{h} {h}h{w}l-{h} -{w}z", "dot")

    def text(
        self,
        x: float,
        y: float,
        text: str,
        kind: str,
        *,
        anchor: str = "start",
        max_width: float | None = None,
        vertical: bool = False,
    ) -> None:
        """Write a line of text with its baseline at y.

        A text that is too wide is shortened, with the whole text as its tooltip. A vertical text
        is written from the bottom up.
        """
        shown = text if max_width is None else shorten(text, max_width, FONT_SIZE)
        x_, y_ = svg_number(x), svg_number(y)
        attributes = f'x="{x_}" y="{y_}" class="{kind}"'
        if anchor != "start":
            attributes += f' text-anchor="{anchor}"'
        if vertical:
            attributes += f' transform="rotate(-90 {x_} {y_})"'
        if not is_measured(shown):  # the width of other scripts is estimated; browsers keep to it
            width = svg_number(text_width(shown, FONT_SIZE))
            attributes += f' textLength="{width}" lengthAdjust="spacingAndGlyphs"'
        title = f"<title>{escape_text(text)}</title>" if shown != text else ""
        self._parts.append(f"<text {attributes}>{title}{escape_text(shown)}</text>")

    @contextmanager
    def group(self, kind: str, *, tooltip: str = "", key: str | None = None) -> Iterator[None]:
        """Group shapes, with a tooltip; groups with the same key are highlighted together."""
        data = "" if key is None else f' data-key="{escape_text(key)}"'
        title = f"<title>{escape_text(tooltip)}</title>" if tooltip else ""
        self._parts.append(f'<g class="{kind}"{data}>{title}')
        yield
        self._parts.append("</g>")

    def render(self, height: float) -> Svg:
        """Return the markup."""
        width_, height_ = svg_number(self.width), svg_number(height)
        return Svg(
            f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" '
            f'aria-label="{escape_text(self.description)}" width="{width_}" height="{height_}" '
            f'viewBox="0 0 {width_} {height_}" font-size="{FONT_SIZE:g}">'
            + "".join(self._parts)
            + "</svg>"
        )


def svg_number(value: float) -> str:
    """Format a position with at most one decimal."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


@dataclass(frozen=True)
class AxisScale:
    """Maps values from `low` to `high` to positions from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    @classmethod
    def over(cls, values: Iterable[float], start: float, end: float, *, log: bool) -> AxisScale:
        """Make a scale for values, with a margin on either side; NaN and infinity are ignored.

        On a logarithmic scale, values that are not positive are at the edge.
        """
        known = [v for v in values if math.isfinite(v) and (v > _ZERO or not log)]
        low, high = (min(known), max(known)) if known else (1.0, 10.0)
        if log:
            factor = max((high / low) ** 0.06, 1.1)
            return cls(low / factor, high * factor, start, end, log=True)
        # Values that differ by rounding only are one value.
        margin, largest = 0.06 * (high - low), max(abs(low), abs(high))
        if margin <= max(1e-9 * largest, _ZERO):
            margin = 0.1 * largest if largest > _ZERO else 1.0
        begins_at_zero = low >= 0.0 and low - margin < 0.0
        return cls(0.0 if begins_at_zero else low - margin, high + margin, start, end)

    def __call__(self, value: float) -> float:
        """Return the position of a value; values beyond the ends are at the end."""
        value = min(max(value, self.low), self.high)
        if self.log:
            fraction = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            fraction = (value - self.low) / (self.high - self.low)
        return self.start + fraction * (self.end - self.start)

    def ticks(self, *, vertical: bool = False) -> list[tuple[float, str]]:
        """Return round values whose texts do not touch each other."""
        length = abs(self.end - self.start)
        for n in range(max(2, int(length / 42.0)), 1, -1):
            found = self._log_ticks(n) if self.log else self._linear_ticks(n)
            sizes = [
                _TICK_FONT_SIZE if vertical else text_width(text, _TICK_FONT_SIZE)
                for _, text in found
            ]
            positions = [self(value) for value, _ in found]
            pairs = pairwise(zip(positions, sizes, strict=True))
            if all(abs(a - b) >= (u + w) / 2 + _MIN_TICK_GAP for (a, u), (b, w) in pairs):
                return found
        return found[:1]

    def _linear_ticks(self, n: int) -> list[tuple[float, str]]:
        rough = (self.high - self.low) / n
        unit = 10.0 ** math.floor(math.log10(rough))
        step = unit * next(m for m in (1.0, 2.0, 5.0, 10.0) if m * unit >= rough * 0.999)
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        largest = max(abs(self.low), abs(self.high))
        if decimals <= 4 and largest < 1e6:
            form = f".{decimals}f"
        else:  # as many digits as distinguish neighbors
            form = f".{max(1, math.ceil(math.log10(largest / step)) + 1)}g"
        return [(i * step, f"{i * step:{form}}") for i in range(first, last + 1)]

    def _log_ticks(self, n: int) -> list[tuple[float, str]]:
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        for multiples in ((1, 2, 5), (1, 3), (1,)):
            candidates = [m * 10.0**d for d in range(first, last + 1) for m in multiples]
            inside = [v for v in candidates if self.low <= v <= self.high]
            if len(inside) <= n:
                break
        if len(inside) < 2:  # less than a factor of two or so
            return self._linear_ticks(n)
        every = math.ceil(len(inside) / n)
        return [(v, f"{v:g}") for v in inside[::every]]


def needs_log_scale(values: Iterable[float], factor: float = 20.0) -> bool:
    """Whether values are positive and differ by so much that a logarithmic scale is needed."""
    known = [v for v in values if math.isfinite(v)]
    return bool(known) and min(known) > 0.0 and max(known) > factor * min(known)


def draw_x_axis(canvas: Canvas, scale: AxisScale, top: float, bottom: float, label: str) -> None:
    """Draw vertical grid lines with ticks below, and the label of the axis below these."""
    for value, text in scale.ticks():
        x = scale(value)
        canvas.line(x, top, x, bottom, "grid")
        if x + text_width(text, FONT_SIZE) / 2 <= canvas.width:
            canvas.text(x, bottom + 15.0, text, "tick", anchor="middle")
    canvas.line(scale.start, bottom, scale.end, bottom, "axis")
    middle, width = (scale.start + scale.end) / 2, scale.end - scale.start + 20.0
    canvas.text(middle, bottom + 32.0, label, "name", anchor="middle", max_width=width)


def draw_y_axis(
    canvas: Canvas, scale: AxisScale, left: float, right: float, label: str, top: float
) -> None:
    """Draw horizontal grid lines with ticks on the left, and the label of the axis above."""
    for value, text in scale.ticks(vertical=True):
        y = scale(value)
        canvas.line(left, y, right, y, "grid")
        canvas.text(left - 7.0, y + 0.35 * FONT_SIZE, text, "tick", anchor="end")
    canvas.text(4.0, top, label, "name", max_width=right - 8.0)
