"""HTML pages from jinja2 templates: one file without external resources, safe for any text.

All text is escaped by the templates. In addition, the content security policy of a page allows its
own style and script only, by their hashes: a name that was not escaped could neither run nor load
anything.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mixedwood.plot.page import content_policy, embed_json, read_script
from mixedwood.report.svg import Svg, escape_text, replace_unprintable

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["Figure", "HtmlTable", "TableCell", "TableRow", "render"]

_FOLDER = Path(__file__).parent


def render(
    template: str,
    facts: Mapping[str, Any],
    *,
    styles: Sequence[str | Path] = (),
    scripts: Sequence[str | Path] = (),
) -> str:
    """Render a page.

    Parameters
    ----------
    template : str
        Name of a template in ``report/templates`` that extends ``page.html.j2``.
    facts : mapping of str to object
        The variables of the template. Every page needs ``title`` and ``lead``, a text below the
        title; ``footer``, a text at the end; and ``data``, which is stored in the page as JSON for
        programs, or None. All text is escaped; an `Svg` is not.
    styles, scripts : sequence of str or Path, optional
        Further files of this package, by name, or others, by path.

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> facts = {"title": "Trees & more", "lead": "", "footer": "", "data": None}
    >>> "<title>Trees &amp; more</title>" in render("page.html.j2", facts)
    True
    """
    style = "".join(
        (_FOLDER / name).read_text("utf-8") for name in ("chart.css", "page.css", *styles)
    )
    script = "".join(read_script(_FOLDER / name) for name in ("page.js", *scripts))
    return (
        _environment()
        .get_template(template)
        .render(
            {**facts, "contents": []},  # titles of the sections
            style=Svg(style),
            script=Svg(script),
            policy=Svg(content_policy(style, script)),
        )
    )


@cache
def _environment() -> Environment:
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError:
        raise ImportError("HTML reports need jinja2: pip install 'mixedwood[report]'.") from None
    environment = Environment(
        loader=FileSystemLoader(_FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: value if hasattr(value, "__html__") else replace_unprintable(value),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"embed": _embed_json, "breakable": _breakable}
    return environment


def _embed_json(content: Any) -> Svg:
    """JSON for a script element, in which no tag and no comment can begin."""
    return Svg(embed_json(content))


def _breakable(name: str) -> Svg:
    """A name with possible line breaks after each of its parts."""
    parts = re.sub(r"([_ ,(=.-])(?=.)", "\\1\0", name.replace("\0", "\ufffd")).split("\0")
    return Svg("<wbr>".join(map(escape_text, parts)))


@dataclass(frozen=True)
class Figure:
    """A chart, its caption and a line below it."""

    svg: Svg
    caption: str
    note: str = ""


@dataclass(frozen=True)
class TableCell:
    """A cell of a table.

    Attributes
    ----------
    text : str
        The formatted number, or a text instead of it.
    value : float
        The number by which rows are sorted; NaN for none.
    error : str
        The number after ±, if there is one.
    best : bool
        Whether it is shown in bold.
    mark : {"", "+", "-"}
        Whether it is significantly better or worse.
    tooltip : str
        The meaning of the mark, for tooltips and screen readers.
    """

    text: str = ""
    value: float = math.nan
    error: str = ""
    best: bool = False
    mark: str = ""
    tooltip: str = ""

    @property
    def sort_value(self) -> str:
        """The value as text; empty for NaN."""
        return "" if math.isnan(self.value) else repr(float(self.value))

    @property
    def decimals(self) -> str:
        """The decimal point and the digits after it."""
        _, point, digits = self.text.partition(".")
        return point + digits if digits.isdigit() else ""


@dataclass(frozen=True)
class TableRow:
    """A name and its cells.

    Rows with the same key are highlighted together with charts; a group gives the name the marker
    of that group.
    """

    name: str
    cells: Sequence[TableCell]
    key: str | None = None
    group: int | None = None


@dataclass(frozen=True)
class HtmlTable:
    """A table of numbers; `foot` has rows that stay at the bottom when rows are sorted."""

    header: Sequence[str]
    rows: Sequence[TableRow]
    foot: Sequence[TableRow] = ()
    description: str = ""
    caption: str = ""
    sortable: bool = True

    @cached_property
    def columns(self) -> list[TableColumn]:
        """The layout of each column of cells."""
        return [TableColumn(column) for column in zip(*(r.cells for r in self.rows), strict=True)]


class TableColumn:
    """What the cells of a column need space for: decimals, errors and marks."""

    def __init__(self, cells: Sequence[TableCell]) -> None:
        self.error = max((cell.error for cell in cells), key=len, default="")
        self.has_marks = any(cell.mark for cell in cells)
        self._n_decimals = max((len(cell.decimals) for cell in cells), default=0)

    def padding(self, cell: TableCell) -> str:
        """Invisible digits after a number that align the decimal points of the column."""
        if math.isnan(cell.value):
            return ""
        zeros = "0" * (self._n_decimals - len(cell.decimals))
        return zeros if cell.decimals or not zeros else f".{zeros[1:]}"
