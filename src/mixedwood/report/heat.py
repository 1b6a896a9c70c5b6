"""A table of shaded cells, such as wins, draws and losses of all pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mixedwood.plot.measure import shorten, text_width
from mixedwood.report.svg import FONT, Drawing

__all__ = ["HeatCell", "heat_map"]

_NAMES = 150.0  # most room for names of rows and columns
_HEIGHT = 25.0
_LEVELS = 3  # shades on either side of none


@dataclass(frozen=True)
class HeatCell:
    """What is written, and how it is shaded: from -1 (bad) over 0 to 1 (good); NaN for an empty."""

    text: str = ""
    shade: float = math.nan
    tip: str = ""


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[Sequence[HeatCell]],
    *,
    about: str,
    keys: Sequence[str] = (),
    least: float = 30.0,
) -> str:
    """Draw a table of cells with the names of columns upright above it.

    Parameters
    ----------
    rows, columns : sequence of str
        Names.
    cells : sequence of sequence of HeatCell
        For each row, its cells.
    about : str
        The chart in a sentence, for people who hear the page.
    keys : sequence of str, optional
        Rows with the same key light up together.
    least : float, default=30
        Least width of a cell; wider texts make all cells wider.

    Returns
    -------
    str
        An ``<svg>`` element, as wide as it needs to be.

    Examples
    --------
    >>> cells = [[HeatCell(), HeatCell("4/0/1", 0.6)], [HeatCell("1/0/4", -0.6), HeatCell()]]
    >>> svg = heat_map(["tree", "stump"], ["tree", "stump"], cells, about="Wins of all pairs")
    >>> ">4/0/1<" in svg
    True
    """
    texts = [text_width(cell.text, FONT) for row in cells for cell in row]
    cell_width = max(least, max(texts, default=0.0) + 12.0)
    left = min(_NAMES, max((text_width(name, FONT) for name in rows), default=0.0) + 2.0) + 8.0
    shown = [shorten(name, _NAMES, FONT) for name in columns]
    top = max((text_width(name, FONT) for name in shown), default=0.0) + 12.0
    drawing = Drawing(left + cell_width * len(columns) + 2.0, about)
    for place, name in enumerate(columns):
        x = left + cell_width * (place + 0.5) + 0.35 * FONT
        drawing.text(x, top - 6.0, name, "label", room=_NAMES, upright=True)
    for r, name in enumerate(rows):
        y = top + _HEIGHT * r
        with drawing.group("line", key=keys[r] if keys else None):
            drawing.rect(0, y, left - 4.0, _HEIGHT, "band", round_=3.0)
            drawing.text(
                left - 8.0, y + _HEIGHT / 2 + 0.35 * FONT, name, "label", anchor="end",
                room=left - 8.0,
            )  # fmt: skip
            for c, cell in enumerate(cells[r]):
                _draw_cell(drawing, cell, left + cell_width * c, y, cell_width)
    return drawing.render(top + _HEIGHT * len(rows) + 2.0)


def _draw_cell(drawing: Drawing, cell: HeatCell, x: float, y: float, width: float) -> None:
    if math.isnan(cell.shade):
        kind = "cell empty"
    else:
        level = round(_LEVELS * max(-1.0, min(1.0, cell.shade)))
        if level == 0 and cell.shade:
            level = int(math.copysign(1, cell.shade))  # never the shade of a draw
        kind = f"cell {'good' if level > 0 else 'bad' if level < 0 else 'even'}{abs(level)}"
    with drawing.group(kind, tip=cell.tip):
        drawing.rect(x + 1.0, y + 1.0, width - 2.0, _HEIGHT - 2.0, "shade", round_=3.0)
        if cell.text:
            drawing.text(
                x + width / 2, y + _HEIGHT / 2 + 0.35 * FONT, cell.text, "figure", anchor="middle"
            )
