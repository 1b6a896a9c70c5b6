"""What a study found, as a page in Markdown: ours beside the published, and a verdict on claims."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping
from importlib import metadata

from mixedwood.study.cells import Cell
from mixedwood.study.results import FilledTable, Results

__all__ = ["cell_text", "summary_lines", "table_lines", "to_markdown"]


def to_markdown(
    found: Results, *, command: str = "", pictures: Mapping[str, str] | None = None
) -> str:
    """Write the page of a study.

    Parameters
    ----------
    found : Results
        What was found.
    command : str, optional
        The command that makes the page, to be shown.
    pictures : mapping of str to str, optional
        Path of the picture of each figure, by the figure's name.

    Returns
    -------
    str

    Examples
    --------
    >>> from mixedwood import study
    >>> with study.Store(":memory:") as store:
    ...     found = study.results(study.load("random_ordinality"), store)
    >>> print(to_markdown(found).splitlines()[0])
    # Random Ordinality Ensembles
    """
    study = found.study
    lines = [f"# {study.title}", ""]
    if study.paper:
        lines += [study.paper, ""]
    if study.about:
        lines += [study.about, ""]
    lines += [*_facts(found, command), "", *summary_lines(found), ""]
    for filled in found.tables:
        lines += [f"## {filled.table.title}", "", *_note(filled.table.note)]
        if filled.table.same_spread:
            lines += ["No spread is published here: it is taken to be as large as ours.", ""]
        lines += [*table_lines(filled), "", *_far_lines(found, filled), *_pair_lines(filled)]
    for figure in study.figures:
        if pictures and figure.name in pictures:
            lines += [f"## {figure.title}", "", *_note(figure.note)]
            lines += [f"![{figure.title}]({pictures[figure.name]})", ""]
    return "\n".join([*lines, *_failure_lines(found)]).rstrip() + "\n"


def summary_lines(found: Results) -> list[str]:
    """Count the cells near what is published, and judge the claims."""
    lines = []
    for what, is_published in (
        ("published cells", True),
        ("cells of which only a check run is known", False),
    ):
        judged = [t for t in found.tables if t.n_judged and bool(t.table.published) == is_published]
        if judged:
            total = sum(t.n_near for t in judged), sum(t.n_judged for t in judged)
            each = "; ".join(f"{t.table.name}: {t.n_near} of {t.n_judged}" for t in judged)
            lines += [
                f"**{total[0]} of {total[1]} {what} are within two standard errors** ({each}).",
                "",
            ]
    if found.verdicts:
        lines += ["| what the paper says | verdict | what was seen here |", "|---|---|---|"]
        for verdict in found.verdicts:
            seen = "; ".join(verdict.evidence) + "." if verdict.evidence else ""
            note = f" {verdict.claim.note}" if verdict.claim.note else ""
            lines.append(f"| {verdict.claim.text} | **{verdict.verdict}** | {seen}{note} |")
    return lines


def table_lines(filled: FilledTable) -> list[str]:
    """A table in Markdown: ours, its standard error, and the published figure in brackets."""
    header = [_axis_name(filled.table.rows), *filled.columns]
    lines = ["| " + " | ".join(header) + " |", "|---|" + "---:|" * len(filled.columns)]
    for row in filled.rows:
        cells = [filled.cells.get((row, column)) for column in filled.columns]
        if any(cells):
            lines.append("| " + " | ".join([row, *map(cell_text, cells)]) + " |")
    if filled.n_judged:
        lines += ["", f"{filled.n_near} of {filled.n_judged} cells within two standard errors."]
    return lines


def cell_text(cell: Cell | None) -> str:
    """Ours ± its standard error (published; the difference in standard errors)."""
    if cell is None:
        return "-"
    text = f"{cell.ours:z.{cell.digits}f}"
    if cell.error:
        text += f" ± {cell.error:.{cell.digits}f}"
    theirs = []
    for name, figure, gap in (
        ("", cell.published, cell.gap),
        ("check ", cell.check, cell.check_gap),
    ):
        if figure is not None and gap is not None:
            distance = f", {_gap(gap)}" if cell.judged else ""
            theirs.append(f"{name}{figure.value:.{cell.digits}f}{distance}")
    if theirs:
        text += f" ({'; '.join(theirs)})"
    return f"{text} !" if cell.near is False else text


def _gap(gap: float) -> str:
    return "same" if gap == 0 else f"{gap:+.1f} se" if math.isfinite(gap) else "differs"


def _axis_name(axis: str) -> str:
    return "" if axis == "figure" else axis.replace("_", " ")


def _facts(found: Results, command: str) -> list[str]:
    from mixedwood import __version__

    packages = ", ".join(f"{p} {metadata.version(p)}" for p in ("numpy", "scipy", "scikit-learn"))
    done = len(found.records)
    lines = [f"- command: `{command}`"] if command else []
    lines.append(
        f"- {done} of {found.n_tasks} tasks done"
        + (f", {len(found.failures)} of them failed" if found.failures else "")
        + f"; {_duration(found.seconds)} of work in all"
        + ("; the short form of the study" if found.study.quick else "")
    )
    lines.append(
        f"- mixedwood {', '.join(found.versions) or __version__}, {packages}, "
        f"Python {platform.python_version()}"
    )
    lines.append(
        "- a cell is ours ± its standard error, then in brackets the published figure (and a check "
        "run, if there is one) and the difference in standard errors; ! marks more than two"
    )
    return lines


def _duration(seconds: float) -> str:
    minutes = seconds / 60
    return f"{seconds:.0f} s" if minutes < 2 else f"{minutes:.0f} min"


def _note(note: str) -> list[str]:
    return [note.strip(), ""] if note.strip() else []


def _far_lines(found: Results, filled: FilledTable) -> list[str]:
    """Cells that are far from what is published, each with a remark if there is one."""
    far = [cell for cell in filled.cells.values() if cell.near is False]
    if not far:
        return []
    lines = ["Farther than two standard errors:", ""]
    for cell in far:
        remark = _remark(found.study.remarks, cell)
        lines.append(
            f"- {cell.row}, {cell.column}: {cell_text(cell).rstrip(' !')}. {remark}".rstrip()
        )
    return [*lines, ""]


def _pair_lines(filled: FilledTable) -> list[str]:
    """Two columns, row by row, with their tests."""
    if not filled.pairs:
        return []
    a, b = filled.table.pairs["a"], filled.table.pairs["b"]
    digits = filled.table.digits + 1
    is_published = any(pair.published is not None for pair in filled.pairs)
    is_corrected = any(pair.corrected != pair.p_value for pair in filled.pairs)
    lines = [
        f"{a} less {b}, with a two-sided paired t test"
        + (", as it is and corrected for rows that repetitions share" if is_corrected else "")
        + ":",
        "",
        f"| {_axis_name(filled.table.rows)} | difference | p |"
        + (" corrected p |" if is_corrected else "")
        + (" published p |" if is_published else ""),
        "|---|---:|---:|" + "---:|" * is_corrected + "---:|" * is_published,
    ]
    for pair in filled.pairs:
        figures = [f"{pair.difference:+.{digits}f}", f"{pair.p_value:.2g}"]
        figures += [f"{pair.corrected:.2g}"] * is_corrected
        figures += ["-" if pair.published is None else f"{pair.published:.2g}"] * is_published
        lines.append(f"| {pair.row} | {' | '.join(figures)} |")
    return [*lines, ""]


def _remark(remarks: Mapping[str, str], cell: Cell) -> str:
    """The remark on a cell, its row or column, or its table; the narrowest."""
    for row, column in ((cell.row, cell.column), (cell.row, "*"), ("*", cell.column), ("*", "*")):
        if text := remarks.get(f"{cell.table} / {row} / {column}"):
            return text.strip()
    return ""


def _failure_lines(found: Results) -> list[str]:
    if not found.failures:
        return []
    lines = ["## Failures", ""]
    return lines + [f"- {record.words}: {record.error}" for record in found.failures]
