"""A page that is complete in itself: no network, no library, works as a file and without script.

The page forbids itself everything but its own style and script, which the browser knows by their
hashes. So even a name that slipped through unescaped could run nothing and load nothing.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mixedwood.report.safe import safe, safe_json

__all__ = ["Section", "make_page"]


@dataclass(frozen=True)
class Section:
    """A part of a page: its title, and its body as HTML made by the functions of this room."""

    title: str
    body: str


def make_page(
    title: str,
    sections: Sequence[Section],
    *,
    lead: str = "",
    opening: str = "",
    footer: str = "",
    data: Any = None,
) -> str:
    """Put a page together.

    Parameters
    ----------
    title : str
        Title, as plain text.
    sections : sequence of Section
        The parts, in order; they are listed above if there are more than three.
    lead : str, default=""
        What the page is about, as plain text.
    opening : str, default=""
        What comes before the first section, as HTML.
    footer : str, default=""
        A line at the end, as plain text.
    data : object, optional
        Figures to keep inside the page as JSON, for programs that read it: in the script element
        ``#figures``.

    Returns
    -------
    str
        The whole page.

    Examples
    --------
    >>> page = make_page("Trees & more", [Section("First", "<p>Words.</p>")])
    >>> "<title>Trees &amp; more</title>" in page
    True
    """
    style, script = _file("chart.css") + _file("page.css"), _file("page.js")
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    named = [(f"part-{i + 1}", section) for i, section in enumerate(sections)]
    figures = ""
    if data is not None:
        figures = f'<script type="application/json" id="figures">{safe_json(data)}</script>\n'
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>{safe(title)}</title>",
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            f"<header>\n<h1>{safe(title)}</h1>",
            f'<p class="lead">{safe(lead)}</p>' if lead else "",
            _contents(named) if len(named) > 3 else "",
            "</header>",
            f"<main>\n{opening}",
            *(
                f'<section id="{ident}" aria-labelledby="{ident}-title">'
                f'<h2 id="{ident}-title">{safe(section.title)}</h2>\n{section.body}\n</section>'
                for ident, section in named
            ),
            "</main>",
            f"<footer>{safe(footer)}</footer>" if footer else "",
            f"{figures}<script>{script}</script>",
            "</body>",
            "</html>\n",
        ]
    )


def _contents(named: Sequence[tuple[str, Section]]) -> str:
    links = (f'<li><a href="#{i}">{safe(section.title)}</a></li>' for i, section in named)
    return f'<nav aria-label="On this page"><ul>{"".join(links)}</ul></nav>'


@cache
def _file(name: str) -> str:
    """A file of this room, without what only its editors need."""
    text = Path(__file__).with_name(name).read_text("utf-8")
    return re.sub(r"(?m)^\s*(//.*)?\n?", "", text) if name.endswith(".js") else text


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
    return f"'sha256-{digest}'"
