"""Tables of a study as text, Markdown, CSV or JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from mixedwood.files import csv_text
from mixedwood.study.page import cell_text, table_lines
from mixedwood.study.results import FilledTable

__all__ = ["to_csv", "to_json", "to_markdown", "to_text"]


def to_text(tables: Sequence[FilledTable]) -> str:
    """Tables for the terminal."""
    parts = []
    for filled in tables:
        rows = [["", *filled.columns]]
        for row in filled.rows:
            cells = [filled.cells.get((row, column)) for column in filled.columns]
            if any(cells):
                rows.append([row, *map(cell_text, cells)])
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines = [
            "  ".join(
                cell.ljust(width) if i == 0 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]
        counted = f"{filled.n_near} of {filled.n_judged} cells within two standard errors"
        parts.append("\n".join([filled.table.title, *lines, *([counted] * (filled.n_judged > 0))]))
    return "\n\n".join(parts)


def to_markdown(tables: Sequence[FilledTable]) -> str:
    """Tables in Markdown."""
    return "\n\n".join(
        "\n".join([f"## {filled.table.title}", "", *table_lines(filled)]) for filled in tables
    )


def to_csv(tables: Sequence[FilledTable]) -> str:
    """One line for each cell."""
    names = ["table", "row", "column", "ours", "error", "n", "published", "check", "near"]
    lines: list[list[Any]] = [names]
    for cell in (cell for filled in tables for cell in filled.cells.values()):
        published = "" if cell.published is None else cell.published.value
        check = "" if cell.check is None else cell.check.value
        near = "" if cell.near is None else cell.near
        figures = [cell.ours, cell.error, len(cell.values), published, check, near]
        lines.append([cell.table, cell.row, cell.column, *figures])
    return csv_text(lines)


def to_json(tables: Sequence[FilledTable]) -> str:
    """All cells, with what was found at each repetition."""
    content = [
        {
            "table": cell.table,
            "row": cell.row,
            "column": cell.column,
            "ours": cell.ours,
            "error": cell.error,
            "values": cell.values,
            "published": None if cell.published is None else cell.published.value,
            "check": None if cell.check is None else cell.check.value,
            "near": cell.near,
        }
        for filled in tables
        for cell in filled.cells.values()
    ]
    return json.dumps(content, indent=1)
