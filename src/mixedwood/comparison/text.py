"""A grid as plain text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mixedwood.comparison.grid import Cell, Grid, make_grid
from mixedwood.printable import printable

if TYPE_CHECKING:
    from mixedwood.comparison.results import Comparison

__all__ = ["plain_column", "to_text"]

_GAP = "  "


def to_text(
    comparison: Comparison,
    *,
    metric: str | None = None,
    baseline: str | None = None,
    alpha: float = 0.05,
    width: int = 100,
) -> str:
    """Lay out for a terminal of that width; columns that do not fit follow below."""
    grid = make_grid(comparison, metric, baseline, alpha)
    lines = [grid.title, ""]
    for block in _blocks(grid, width):
        lines += [*block, ""]
    lines += [line for note in grid.notes for line in textwrap.wrap(note, width)]
    return printable("\n".join(lines)).rstrip()


def plain_column(title: str, cells: Sequence[Cell]) -> list[str]:
    """A title and figures that end at the same place, with a place for marks behind them."""
    marks = [("*" if cell.best else "") + cell.mark for cell in cells]
    room = max(map(len, marks), default=0)
    return [
        f"{text} {mark:<{room}}" if room else text
        for text, mark in zip([title, *(cell.text for cell in cells)], ["", *marks], strict=True)
    ]


def _blocks(grid: Grid, width: int) -> Iterator[list[str]]:
    """As many columns as fit, then the others, each time after the names of the rows."""
    rows = [*grid.rows, *grid.sums]
    names = [printable(name, lines=False) for name in (grid.header[0], *(name for name, _ in rows))]
    first = max(map(len, names))
    columns = [
        plain_column(printable(title, lines=False), [cells[c] for _, cells in rows])
        for c, title in enumerate(grid.header[1:])
    ]
    widths = [max(map(len, column)) for column in columns]
    start = 0
    while start < len(columns):
        end, used = start, first
        while end < len(columns) and (end == start or used + len(_GAP) + widths[end] <= width):
            used += len(_GAP) + widths[end]
            end += 1
        yield [
            _GAP.join(
                [name.ljust(first), *(columns[c][i].rjust(widths[c]) for c in range(start, end))]
            ).rstrip()
            for i, name in enumerate(names)
        ]
        start = end
