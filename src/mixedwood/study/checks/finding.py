"""Columns and cells of a table that a check looks at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mixedwood.study.definition import StudyError

if TYPE_CHECKING:
    from mixedwood.study.cells import Cell
    from mixedwood.study.results import FilledTable

__all__ = ["Outcome", "column_of", "pairs_of"]

Outcome = tuple[bool, str] | None  # whether it was seen, in a sentence; None if nothing was run


def column_of(table: FilledTable, name: str) -> dict[str, Cell]:
    """Give the cells of a column by row; an unknown one is an error."""
    if name not in table.columns:
        raise StudyError(
            f"The table {table.table.name!r} has no column {name!r}; there are "
            f"{', '.join(table.columns)}."
        )
    return table.column(name)


def pairs_of(table: FilledTable, a: str, b: str, rows: list[str] | None) -> list[tuple[Cell, Cell]]:
    """Give the cells of two columns in the rows that have both."""
    first, second = column_of(table, a), column_of(table, b)
    wanted = table.rows if rows is None else rows
    return [(first[row], second[row]) for row in wanted if row in first and row in second]
