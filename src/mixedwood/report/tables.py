"""Tables of figures as HTML: aligned at the point, sorted by a click, with headers read aloud."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from mixedwood.report.safe import safe

__all__ = ["TableCell", "TableRow", "make_table"]

_SIGNS = {"+": "+", "-": "\u2212"}
_KINDS = {"+": "better", "-": "worse"}


@dataclass(frozen=True)
class TableCell:
    """A figure of a table.

    Attributes
    ----------
    text : str
        The figure as it is shown, or a word in its place.
    value : float
        The figure by which rows are sorted; NaN for none.
    error : str
        The figure behind ±, if there is one.
    best : bool
        Whether it is shown in bold.
    mark : {"", "+", "-"}
        Whether it is significantly better or worse than what it is compared with.
    tip : str
        What the mark means, told when pointed at and read aloud.
    """

    text: str = ""
    value: float = math.nan
    error: str = ""
    best: bool = False
    mark: str = ""
    tip: str = ""


@dataclass(frozen=True)
class TableRow:
    """A name and its cells; rows with the same key light up together with charts.

    A group gives the name the coloured sign that the things of that group have in charts.
    """

    name: str
    cells: Sequence[TableCell]
    key: str | None = None
    group: int | None = None


def make_table(
    header: Sequence[str],
    rows: Sequence[TableRow],
    foot: Sequence[TableRow] = (),
    *,
    about: str,
    caption: str = "",
    sortable: bool = True,
) -> str:
    """Lay a table out, inside a frame that scrolls where the table is wider than the page.

    Parameters
    ----------
    header : sequence of str
        Names of the columns, that of the names of rows first.
    rows : sequence of TableRow
        The rows.
    foot : sequence of TableRow, optional
        Sums, which stay below when rows are sorted.
    about : str
        What the table shows, for people who hear the page.
    caption : str, default=""
        A line above the table.
    sortable : bool, default=True
        Whether a click on the name of a column sorts.

    Returns
    -------
    str
        A ``<div>`` with a ``<table>``.

    Examples
    --------
    >>> row = TableRow("tree", [TableCell("12.5", 12.5, "0.8", best=True)])
    >>> html = make_table(["method", "error %"], [row], about="Errors")
    >>> "<b>12.5</b>" in html
    True
    """
    shapes = [_Shape(column) for column in zip(*(row.cells for row in rows), strict=True)]
    kind = ' class="sortable"' if sortable else ""
    parts = [f'<div class="scroll" tabindex="0" role="region" aria-label="{safe(about)}">']
    parts.append(f"<table{kind}>")
    if caption:
        parts.append(f"<caption>{safe(caption)}</caption>")
    names = "".join(f'<th scope="col"{_full(name)}>{_head(name)}</th>' for name in header)
    parts.append(f"<thead><tr>{names}</tr></thead>")
    parts.append("<tbody>" + "\n".join(_row(row, shapes) for row in rows) + "</tbody>")
    if foot:
        parts.append("<tfoot>" + "\n".join(_row(row, shapes) for row in foot) + "</tfoot>")
    return "\n".join([*parts, "</table></div>"])


class _Shape:
    """What a column needs room for: decimals, errors and marks."""

    def __init__(self, cells: Sequence[TableCell]) -> None:
        self.decimals = max((len(_decimals(c.text)) for c in cells), default=0)
        self.error = max((c.error for c in cells), key=len, default="")
        self.has_marks = any(c.mark for c in cells)

    def missing_decimals(self, cell: TableCell) -> str:
        """Signs to leave room for behind a figure, so that points are below each other."""
        if math.isnan(cell.value):
            return ""
        there = _decimals(cell.text)
        lacking = "0" * (self.decimals - len(there))  # a sum below may have more than the others
        return lacking if there or not lacking else f".{lacking[1:]}"


def _decimals(text: str) -> str:
    """What follows the point, with the point."""
    _, point, decimals = text.partition(".")
    return point + decimals if decimals.isdigit() else ""


def _row(row: TableRow, shapes: Sequence[_Shape]) -> str:
    key = "" if row.key is None else f' data-m="{safe(row.key)}"'
    sign = "" if row.group is None else f'<span class="key c{row.group}"></span>'
    cells = "".join(map(_cell, row.cells, shapes))
    return f'<tr{key}><th scope="row"{_full(row.name)}>{sign}{safe(row.name)}</th>{cells}</tr>'


def _head(name: str) -> str:
    """A name that may go on in the next line behind each of its parts."""
    words = re.sub(r"([_ ,(=.-])(?=.)", "\\1\0", name)
    return f'<span class="head">{"<wbr>".join(map(safe, words.split(chr(0))))}</span>'


def _full(name: str) -> str:
    """The whole of a name that may be cut for lack of room."""
    return f' title="{safe(name)}"' if len(name) > 14 else ""


def _cell(cell: TableCell, shape: _Shape) -> str:
    value = "" if math.isnan(cell.value) else repr(float(cell.value))
    text = f"<b>{safe(cell.text)}</b>" if cell.best else safe(cell.text)
    pad = shape.missing_decimals(cell)
    parts = [f'<span data-pad="{pad}">{text}</span>' if pad else text]
    if cell.error:
        parts.append(f'<span class="se">± {safe(cell.error)}</span>')
    elif shape.error and cell.text:
        parts.append(f'<span class="se" data-pad="± {safe(shape.error)}"></span>')
    if shape.has_marks:
        parts.append(_mark(cell))
    return f'<td data-v="{value}">{"".join(parts)}</td>'


def _mark(cell: TableCell) -> str:
    if not cell.mark:
        return '<span class="mark"></span>'
    heard = f'<span class="heard"> {safe(cell.tip)}</span>' if cell.tip else ""
    return (
        f'<span class="mark {_KINDS[cell.mark]}" title="{safe(cell.tip)}">'
        f"{_SIGNS[cell.mark]}{heard}</span>"
    )
