"""Two figures of each thing against each other, with names beside the marks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mixedwood.plot.measure import shorten, text_width
from mixedwood.report.axes import BOTTOM, draw_bottom, draw_side
from mixedwood.report.scales import Scale
from mixedwood.report.svg import FONT, Drawing

__all__ = ["Spot", "scatter_plot"]

_TOP = 24.0
_RADIUS = 6.0  # of a mark with a little air around it
_MOST = 118.0  # room of a name

Box = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True)
class Spot:
    """A thing and its two figures; one that lacks a figure is not drawn."""

    label: str
    x: float
    y: float
    group: int = 0
    tip: str = ""
    key: str | None = None


def scatter_plot(
    spots: Sequence[Spot],
    *,
    x_axis: str,
    y_axis: str,
    about: str,
    log_x: bool = False,
    log_y: bool = False,
    width: float = 360.0,
    height: float = 300.0,
) -> str:
    """Draw marks with names that never lie over each other.

    A name that finds no room is written below the chart, and all are told when a mark is pointed
    at.

    Parameters
    ----------
    spots : sequence of Spot
        The things.
    x_axis, y_axis : str
        What the figures are.
    about : str
        The chart in a sentence, for people who hear the page.
    log_x, log_y : bool, default=False
        Which axes are logarithmic.
    width, height : float
        Size of the drawing.

    Returns
    -------
    str
        An ``<svg>`` element.

    Examples
    --------
    >>> spots = [Spot("tree", 0.1, 12.5), Spot("forest", 3.0, 9.0, group=1)]
    >>> svg = scatter_plot(spots, x_axis="seconds", y_axis="error %", about="Errors by time")
    >>> ">forest<" in svg
    True
    """
    known = [spot for spot in spots if math.isfinite(spot.x) and math.isfinite(spot.y)]
    drawing = Drawing(width, about)
    bottom = height - BOTTOM
    y_scale = Scale.over([spot.y for spot in known], bottom - 8.0, _TOP + 8.0, log=log_y)
    ticks = y_scale.ticks(upright=True)
    left = 14.0 + max((text_width(text, FONT) for _, text in ticks), default=0.0)
    x_scale = Scale.over([spot.x for spot in known], left + 6.0, width - 14.0, log=log_x)
    draw_side(drawing, y_scale, left, width - 6.0, y_axis, 12.0)
    draw_bottom(drawing, x_scale, _TOP, bottom, x_axis)
    places = [(x_scale(spot.x), y_scale(spot.y)) for spot in known]
    names = [shorten(spot.label, _MOST, FONT) for spot in known]
    labels = _place(names, places, (left, _TOP, width, bottom))
    for spot, (x, y), name, label in zip(known, places, names, labels, strict=True):
        with drawing.group(f"spot c{spot.group}", tip=spot.tip or spot.label, key=spot.key):
            if label is not None:
                near = min(max(x, label[0]), label[2]), min(max(y, label[1]), label[3])
                if math.dist(near, (x, y)) > 1.5 * _RADIUS:
                    drawing.line(x, y, *near, "leader")
                middle = (label[1] + label[3]) / 2
                drawing.text(label[0] + 1.0, middle + 0.35 * FONT, name, "label")
            drawing.mark(x, y, spot.group)
    unnamed = [spot.label for spot, label in zip(known, labels, strict=True) if label is None]
    if unnamed:
        drawing.text(4.0, height + 12.0, f"without a name: {', '.join(unnamed)}", "name",
                     room=width - 8.0)  # fmt: skip
        height += 20.0
    return drawing.render(height)


def _place(names: list[str], places: list[tuple[float, float]], inside: Box) -> list[Box | None]:
    """Find a box for each name, near its mark, that touches no other name and no mark.

    A name beside the mark of another would be read as that one's, so that wide air around marks is
    tried first.
    """
    found: list[Box | None] = [None] * len(names)
    # Those in a crowd choose first.
    crowd = [sum(math.dist(a, b) < 70.0 for b in places) for a in places]
    for i in sorted(range(len(names)), key=lambda i: (-crowd[i], places[i])):
        taken = [box for box in found if box is not None]
        others = [place for j, place in enumerate(places) if j != i]
        free = [
            box
            for box in _candidates(places[i], text_width(names[i], FONT) + 2.0)
            if _within(box, inside) and not any(_touch(box, other) for other in taken)
        ]
        for air in (3.0 * _RADIUS, 2.0 * _RADIUS, _RADIUS):
            marks = [(x - air, y - _RADIUS, x + air, y + _RADIUS) for x, y in others]
            clear = (box for box in free if not any(_touch(box, mark) for mark in marks))
            if (box := next(clear, None)) is not None:
                found[i] = box
                break
    return found


def _candidates(place: tuple[float, float], width: float) -> Iterator[Box]:
    """Boxes around a mark, from near to far: right, left, above, below, and between."""
    x, y = place
    height = FONT + 3.0
    for away in (_RADIUS + 1.0, 16.0, 26.0, 38.0, 52.0, 68.0):
        slant = 0.75 * away
        for left, middle in (
            (x + away, y),
            (x - away - width, y),
            (x - width / 2, y - away - height / 2),
            (x - width / 2, y + away + height / 2),
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
