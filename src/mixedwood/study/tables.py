"""Tables of a study as text, Markdown, CSV or JSON, and its report: a page in Markdown."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from typing import Any

from mixedwood.files import csv_text
from mixedwood.study.results import Cell, PublishedValue, Results, ResultTable

__all__ = ["COUNTED", "to_markdown"]

COUNTED = {
    "published": "Published figures",
    "check": "Check run",
    "reference": "Reference program",
    "fault": "Published figures, by a rebuilt fault",
    "fact": "Facts of the data",
}
"""Kinds of values that cells are compared with, counted apart."""


def to_markdown(
    found: Results, *, command: str = "", figures: Mapping[str, str] | None = None
) -> str:
    """Write the report of a study.

    Parameters
    ----------
    found : Results
        The results.
    command : str, optional
        The command that runs the study, to be shown.
    figures : mapping of str to str, optional
        Path of the image of each figure, by the figure's name.

    Returns
    -------
    str

    Examples
    --------
    >>> from mixedwood import study
    >>> with study.Store(":memory:") as store:
    ...     found = study.results(study.read_study("random_ordinality"), store)
    >>> print(to_markdown(found).splitlines()[0])
    # Random Ordinality Ensembles
    """
    study = found.study
    lines = [f"# {study.title}", "", *_paragraph(study.paper), *_paragraph(study.about)]
    lines += [*_provenance(found, command), "", *_near_lines(found), *_verdict_lines(found), ""]
    for table in found.tables:
        lines += [f"## {table.spec.title}", "", *_paragraph(table.spec.note)]
        if table.spec.same_spread:
            lines += ["No spread is published here: it is taken to be as large as ours.", ""]
        lines += [*_table_lines(table), "", *_far_lines(found, table), *_pair_lines(table)]
        lines += _mark_lines(table)
    for figure in study.figures:
        if figures and figure.name in figures:
            lines += [f"## {figure.title}", "", *_paragraph(figure.note)]
            lines += [f"![{figure.title}]({figures[figure.name]})", ""]
    if found.failures:
        lines += ["## Failures", ""]
        lines += [f"- {record.label}: {record.error}" for record in found.failures]
    return "\n".join(lines).rstrip() + "\n"


def _paragraph(text: str) -> list[str]:
    return [text.strip(), ""] if text.strip() else []


def _provenance(found: Results, command: str) -> list[str]:
    from mixedwood import __version__

    packages = ", ".join(f"{p} {metadata.version(p)}" for p in ("numpy", "scipy", "scikit-learn"))
    minutes = found.seconds / 60
    duration = f"{found.seconds:.0f} s" if minutes < 2 else f"{minutes:.0f} min"
    lines = [f"- command: `{command}`"] if command else []
    lines.append(
        f"- {len(found.records)} of {found.n_tasks} tasks done"
        + (f", {len(found.failures)} of them failed" if found.failures else "")
        + f"; {duration} of work in all"
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


def _near_lines(found: Results) -> list[str]:
    """Count the cells that agree with the published values."""
    lines = []
    for kind, what in COUNTED.items():
        counts = {table.spec.name: table.count(kind) for table in found.tables}
        counts = {name: count for name, count in counts.items() if count[1]}
        if counts:
            n_near, n_judged = (sum(count[i] for count in counts.values()) for i in (0, 1))
            each = "; ".join(f"{name}: {near} of {n}" for name, (near, n) in counts.items())
            text = f"**{what}: {n_near} of {n_judged} within two standard errors** ({each})."
            exact = sum(table.count(kind, exact=True)[0] for table in found.tables)
            if exact != n_near:
                text += f" With printed means without a spread taken as exact: {exact}."
            lines += [text, ""]
    return lines


def _verdict_lines(found: Results) -> list[str]:
    if not found.verdicts:
        return []
    lines = []
    for title, verdicts in (
        ("what the paper says", [v for v in found.verdicts if v.claim.source == "paper"]),
        (
            "not counted: our additions, what is true by definition, and proposals",
            [v for v in found.verdicts if v.claim.source != "paper"],
        ),
    ):
        rows = []
        for verdict in verdicts:
            evidence = "; ".join(verdict.evidence) + "." if verdict.evidence else ""
            note = f" {verdict.claim.note}" if verdict.claim.note else ""
            name = f"{verdict.claim.id}. " if verdict.claim.id else ""
            rows.append([name + verdict.claim.text, f"**{verdict.verdict}**", evidence + note])
        if rows:
            header = [title, "verdict", "what was seen here"]
            lines += [*_markdown_table(header, rows, "|---|---|---|"), ""]
    return lines


def _markdown_table(header: list[str], rows: Iterable[list[str]], rule: str = "") -> list[str]:
    """A table whose first column is text, and whose other columns are numbers."""
    rule = rule or "|---|" + "---:|" * (len(header) - 1)
    return [_markdown_row(header), rule, *map(_markdown_row, rows)]


def _markdown_row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell_rows(table: ResultTable) -> list[list[str]]:
    """The rows that have results, as text."""
    rows = {row: [table.cells.get((row, column)) for column in table.columns] for row in table.rows}
    return [[row, *map(format_cell, cells)] for row, cells in rows.items() if any(cells)]


def _table_lines(table: ResultTable) -> list[str]:
    """A table in Markdown: ours, its standard error, and the published value in brackets."""
    lines = _markdown_table([_axis_title(table), *table.columns], _cell_rows(table))
    lines += ["", f"{_count_text(table)}."] if table.n_judged else []
    if table.n_done < table.n_tasks:
        lines += ["", f"Run in part: {table.n_done} of {table.n_tasks} tasks."]
    return lines


def _count_text(table: ResultTable) -> str:
    return f"{table.n_near} of {table.n_judged} cells within two standard errors"


def _axis_title(table: ResultTable) -> str:
    return "" if table.spec.rows == "metric" else table.spec.rows.replace("_", " ")


def format_cell(cell: Cell | None) -> str:
    """Ours ± its standard error (published; the difference in standard errors)."""
    if cell is None:
        return "-"
    text = f"{cell.ours:z.{cell.digits}f}"
    if cell.error:
        text += f" ± {cell.error:.{cell.digits}f}"
    others = []
    for name, value, z_score in (
        ("", cell.published, cell.z_score),
        ("check ", cell.check, cell.check_z_score),
    ):
        if value is not None and z_score is not None:
            distance = f", {_format_z_score(z_score)}" if cell.judged else ""
            others.append(f"{name}{value.value:.{cell.digits}f}{distance}")
    if others:
        text += f" ({'; '.join(others)})"
    return f"{text} !" if cell.near is False else text


def _format_z_score(z: float) -> str:
    return "same" if z == 0 else f"{z:+.1f} se" if math.isfinite(z) else "differs"


def _far_lines(found: Results, table: ResultTable) -> list[str]:
    """Cells that are far from the published value, each with its remark."""
    far = [cell for cell in table.cells.values() if cell.near is False]
    if not far:
        return []
    lines = ["Farther than two standard errors:", ""]
    for cell in far:
        remark = _remark(found.study.remarks, cell) or "No reason known."
        text = format_cell(cell).rstrip(" !")
        lines.append(f"- {cell.row}, {cell.column}: {text}. {remark}".rstrip())
    return [*lines, ""]


def _remark(remarks: Mapping[str, str], cell: Cell) -> str:
    """The remark on a cell, its row or column, or its table; the most specific."""
    for row, column in ((cell.row, cell.column), (cell.row, "*"), ("*", cell.column), ("*", "*")):
        if text := remarks.get(f"{cell.table} / {row} / {column}"):
            return text.strip()
    return ""


def _pair_lines(table: ResultTable) -> list[str]:
    """Two columns, row by row, with their tests."""
    if not table.pairs:
        return []
    a, b = table.spec.pairs["a"], table.spec.pairs["b"]
    digits = table.spec.digits + 1
    is_published = any(pair.published is not None for pair in table.pairs)
    is_corrected = any(pair.corrected != pair.p_value for pair in table.pairs)
    header = [_axis_title(table), "difference", "p"]
    header += ["corrected p"] * is_corrected + ["published p"] * is_published
    rows = []
    for pair in table.pairs:
        row = [pair.row, f"{pair.difference:+.{digits}f}", f"{pair.p_value:.2g}"]
        row += [f"{pair.corrected:.2g}"] * is_corrected
        row += ["-" if pair.published is None else f"{pair.published:.2g}"] * is_published
        rows.append(row)
    how = ", as it is and corrected for rows that repetitions share" if is_corrected else ""
    title = f"{a} less {b}, with a two-sided paired t test{how}:"
    return [title, "", *_markdown_table(header, rows), ""]


def _mark_lines(table: ResultTable) -> list[str]:
    """Marks of significance, if the table has any."""
    from mixedwood.study.marks import mark_rows, win_rows, worse_rows

    marks = table.spec.marks
    if not marks or not table.cells:
        return []
    if marks.get("worse"):
        title = "How many others are significantly worse (one-tailed paired t test, 95 %):"
        header = [_axis_title(table), *table.columns]
        return [title, "", *_markdown_table(header, worse_rows(table)), ""]
    of, against = marks["of"], marks["against"]
    title = f"Marks against {', '.join(against)}, in this order, by the test {marks.get('test')}:"
    legend = "`+` lower, `-` higher, `.` no difference."
    lines = [f"{title} {legend}", ""]
    lines += _markdown_table(
        [_axis_title(table), *of], mark_rows(table), "|---|" + "---|" * len(of)
    )
    header = ["", "against", "wins/draws/losses", "printed"]
    return [*lines, "", *_markdown_table(header, win_rows(table), "|---|---|---|---|"), ""]


# Tables alone


def _to_text(tables: Sequence[ResultTable]) -> str:
    """Tables for the terminal."""
    parts = []
    for table in tables:
        rows = [["", *table.columns], *_cell_rows(table)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines = [
            "  ".join(
                cell.ljust(width) if i == 0 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]
        lines += [_count_text(table)] if table.n_judged else []
        parts.append("\n".join([table.spec.title, *lines]))
    return "\n\n".join(parts)


def _to_markdown(tables: Sequence[ResultTable]) -> str:
    return "\n\n".join(
        "\n".join([f"## {table.spec.title}", "", *_table_lines(table)]) for table in tables
    )


def _contents(tables: Sequence[ResultTable]) -> list[dict[str, Any]]:
    """What is in each cell."""

    def number(value: PublishedValue | None) -> float | None:
        return None if value is None else value.value

    return [
        {
            "table": cell.table,
            "row": cell.row,
            "column": cell.column,
            "ours": cell.ours,
            "error": cell.error,
            "values": cell.values,
            "published": number(cell.published),
            "check": number(cell.check),
            "near": cell.near,
        }
        for table in tables
        for cell in table.cells.values()
    ]


def _to_csv(tables: Sequence[ResultTable]) -> str:
    """One line for each cell."""
    names = ["table", "row", "column", "ours", "error", "n", "published", "check", "near"]
    rows = [{**cell, "n": len(cell["values"])} for cell in _contents(tables)]
    lines = [["" if row[name] is None else row[name] for name in names] for row in rows]
    return csv_text([names, *lines])


def _to_json(tables: Sequence[ResultTable]) -> str:
    """All cells, with the value of each repetition."""
    return json.dumps(_contents(tables), indent=1)


FORMATS = {"text": _to_text, "markdown": _to_markdown, "csv": _to_csv, "json": _to_json}
"""Functions that write tables, by the name of the format."""
