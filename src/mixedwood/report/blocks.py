"""Small pieces of pages: paragraphs, lists, figures, things folded away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mixedwood.report.safe import safe

__all__ = [
    "bullets",
    "figure",
    "figures",
    "findings",
    "fold_away",
    "legend",
    "pairs",
    "paragraph",
    "tiles",
    "trace",
]

_TAGS = {"+": ("better", "better"), "-": ("worse", "worse"), "": ("no different", "none")}


def paragraph(text: str, kind: str = "") -> str:
    """Make a paragraph of plain text."""
    style = f' class="{kind}"' if kind else ""
    return f"<p{style}>{safe(text)}</p>"


def bullets(lines: Iterable[str]) -> str:
    """Make a list of plain text."""
    return "<ul>" + "".join(f"<li>{safe(line)}</li>" for line in lines) + "</ul>"


def findings(found: Iterable[tuple[str, str]]) -> str:
    """Make a list of sentences, each behind "better", "worse" or "no different".

    The first of each pair is a mark (+, -, nothing) or a word of its own.
    """
    lines = []
    for mark, sentence in found:
        word, kind = _TAGS.get(mark, (mark, "none"))
        lines.append(f'<li><span class="tag {kind}">{safe(word)}</span> {safe(sentence)}</li>')
    return f'<ul class="found">{"".join(lines)}</ul>'


def pairs(content: Mapping[str, str], *, code: bool = False) -> str:
    """Make a list of names and what is said of them."""
    tag, end = ("<code>", "</code>") if code else ("", "")
    lines = (f"<dt>{safe(k)}</dt><dd>{tag}{safe(v)}{end}</dd>" for k, v in content.items())
    return f'<dl class="pairs">{"".join(lines)}</dl>'


def tiles(content: Iterable[tuple[str, str, str]]) -> str:
    """Show a few facts in a row: what, the answer, and a line about it."""
    boxes = (
        f"<div><dt>{safe(what)}</dt><dd>{safe(answer)}</dd><dd>{safe(line)}</dd></div>"
        for what, answer, line in content
    )
    return f'<dl class="tiles">{"".join(boxes)}</dl>'


def figure(svg: str, caption: str, about: str = "", *, wide: bool = False) -> str:
    """Put a chart below its caption; a wide one keeps its size and scrolls on a small screen."""
    small = f"<small>{safe(about)}</small>" if about else ""
    above = f"<figcaption>{safe(caption)}{small}</figcaption>"
    if not wide:
        return f"<figure>{above}{svg}</figure>"
    frame = f'<div class="scroll" tabindex="0" role="region" aria-label="{safe(caption)}">'
    return f'<figure class="wide">{above}{frame}{svg}</div></figure>'


def figures(charts: Iterable[str]) -> str:
    """Put charts beside each other, as many as there is room for."""
    return f'<div class="figures">{"".join(charts)}</div>'


def legend(groups: Sequence[tuple[int, str]], others: Sequence[str] = ()) -> str:
    """Say what colours mean, and what else is drawn."""
    parts = [f'<span><span class="key c{g}"></span>{safe(name)}</span>' for g, name in groups]
    parts += [f"<span>{safe(words)}</span>" for words in others]
    return f'<p class="legend">{"".join(parts)}</p>'


def fold_away(title: str, body: str, about: str = "", *, is_open: bool = False) -> str:
    """Hide a part of a page behind its title until that is clicked."""
    small = f" <small>{safe(about)}</small>" if about else ""
    state = " open" if is_open else ""
    return f"<details{state}><summary>{safe(title)}{small}</summary>{body}</details>"


def trace(text: str) -> str:
    """Show text as a program wrote it."""
    return f"<pre>{safe(text)}</pre>"
