"""Pieces of a drawing as SVG text. Colours and strokes come from `chart.css`, by class."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mixedwood.plot.measure import is_measured, shorten, text_width
from mixedwood.report.safe import safe

__all__ = ["FONT", "Drawing", "number"]

FONT = 11.5


class Drawing:
    """Collects shapes; all measures are in points of the drawing, from the top left."""

    def __init__(self, width: float, about: str) -> None:
        self.width = width
        self.about = about
        self._parts: list[str] = []

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        """Draw a straight line."""
        ends = f'x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"'
        self._parts.append(f'<line class="{kind}" {ends}/>')

    def path(self, steps: str, kind: str) -> None:
        """Draw a path of SVG's steps."""
        self._parts.append(f'<path class="{kind}" d="{steps}"/>')

    def rect(
        self, x: float, y: float, width: float, height: float, kind: str, *, round_: float = 0.0
    ) -> None:
        """Draw a rectangle."""
        corner = f' rx="{number(round_)}"' if round_ else ""
        self._parts.append(
            f'<rect class="{kind}" x="{number(x)}" y="{number(y)}" width="{number(width)}" '
            f'height="{number(height)}"{corner}/>'
        )

    def mark(self, x: float, y: float, group: int, size: float = 4.5) -> None:
        """Draw a value: a disc in the first group, a diamond, a square or a triangle in others."""
        at, s = f"M{number(x)} {number(y)}", size
        if group % 4 == 0:
            self._parts.append(
                f'<circle class="dot" cx="{number(x)}" cy="{number(y)}" r="{number(s)}"/>'
            )
        elif group % 4 == 1:
            w = number(s * 1.2)
            self.path(f"{at}m-{w} 0l{w} -{w}l{w} {w}l-{w} {w}z", "dot")
        elif group % 4 == 2:
            h, w = number(s * 0.9), number(s * 1.8)
            self.path(f"{at}m-{h} -{h}h{w}v{w}h-{w}z", "dot")
        else:
            h, w = number(s * 1.1), number(s * 2.2)
            self.path(f"{at}m-{h} {h}h{w}l-{h} -{w}z", "dot")

    def text(
        self,
        x: float,
        y: float,
        words: str,
        kind: str = "",
        *,
        anchor: str = "start",
        room: float | None = None,
        upright: bool = False,
    ) -> None:
        """Write a line with its baseline at y; what has no room is cut, and told when pointed at.

        An upright line is written from the bottom up.
        """
        bold = "bold" in kind.split()
        shown = words if room is None else shorten(words, room, FONT, bold=bold)
        # The width of other scripts is a guess: the browser is told to keep to it.
        fit = ""
        if not is_measured(shown):
            width = number(text_width(shown, FONT, bold=bold))
            fit = f' textLength="{width}" lengthAdjust="spacingAndGlyphs"'
        turn = f' transform="rotate(-90 {number(x)} {number(y)})"' if upright else ""
        style = f' class="{kind}"' if kind else ""
        side = "" if anchor == "start" else f' text-anchor="{anchor}"'
        tip = f"<title>{safe(words)}</title>" if shown != words else ""
        how = f'x="{number(x)}" y="{number(y)}"{style}{side}{turn}{fit}'
        self._parts.append(f"<text {how}>{tip}{safe(shown)}</text>")

    @contextmanager
    def group(self, kind: str = "", *, tip: str = "", key: str | None = None) -> Iterator[None]:
        """Put what is drawn inside together, with words to show when it is pointed at.

        Things with the same key light up together, wherever on a page they are.
        """
        style = f' class="{kind}"' if kind else ""
        known = "" if key is None else f' data-m="{safe(key)}"'
        self._parts.append(f"<g{style}{known}>" + (f"<title>{safe(tip)}</title>" if tip else ""))
        yield
        self._parts.append("</g>")

    def render(self, height: float) -> str:
        """Close the drawing."""
        size = f'width="{number(self.width)}" height="{number(height)}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" '
            f'aria-label="{safe(self.about)}" {size} '
            f'viewBox="0 0 {number(self.width)} {number(height)}" font-size="{FONT:g}">'
            + "".join(self._parts)
            + "</svg>"
        )


def number(value: float) -> str:
    """Write a measure with at most one decimal."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
