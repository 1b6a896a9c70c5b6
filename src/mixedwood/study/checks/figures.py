"""Checks of ranges, places, pairs and other tables."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from mixedwood.study.checks.finding import Outcome, column_of

if TYPE_CHECKING:
    from mixedwood.study.results import FilledTable

__all__ = ["among_first", "between", "different_pairs", "lower_than_beside", "reaches"]


def between(
    table: FilledTable, column: str, low: float = -math.inf, high: float = math.inf
) -> Outcome:
    """All figures of a column, repetition by repetition, are in a range."""
    values = [value for cell in column_of(table, column).values() for value in cell.values]
    if not values:
        return None
    digits = table.table.digits
    return low <= min(values) and max(values) <= high, (
        f"{column} goes from {min(values):.{digits}f} to {max(values):.{digits}f}"
    )


def reaches(
    table: FilledTable, column: str, published: str | None = None, share: float = 1.0
) -> Outcome:
    """So large a share of a column is lower than published, or higher by two errors at most.

    `published` is the column whose published figures are meant, if it is another.
    """
    theirs = column_of(table, column if published is None else published)
    cells = [
        replace(cell, published=theirs[row].published)
        for row, cell in column_of(table, column).items()
        if row in theirs and theirs[row].published is not None
    ]
    if not cells:
        return None
    gaps = [cell.gap for cell in cells if cell.gap is not None]
    reached = sum(gap <= 2.0 for gap in gaps)
    digits = table.table.digits
    words = [
        f"{cell.row} {cell.ours:.{digits}f} for {cell.published.value:.{digits}f} ({gap:+.1f} se)"
        for cell, gap in zip(cells, gaps, strict=True)
        if cell.published is not None
    ]
    return reached >= share * len(cells), f"{column}: {', '.join(words)}"


def among_first(
    table: FilledTable, column: str, among: list[str], places: int = 1, share: float = 1.0
) -> Outcome:
    """In so large a share of the rows, a column is one of the lowest."""
    for name in among:
        column_of(table, name)
    rows, words, seen = 0, [], 0
    for row, cell in column_of(table, column).items():
        others = [table.cells[row, name] for name in among if (row, name) in table.cells]
        if len(others) < len(among):
            continue
        place = 1 + sum(other.ours < cell.ours for other in others)
        rows, seen = rows + 1, seen + (place <= places)
        words.append(f"{place} on {row}")
    if not rows:
        return None
    return seen >= share * rows, f"place of {column} among {len(among) + 1}: {', '.join(words)}"


def lower_than_beside(
    table: FilledTable, beside: list[FilledTable], columns: list[str], share: float = 0.5
) -> Outcome:
    """In more than a share of the cells, a table is lower than all those beside it."""
    for name in columns:
        column_of(table, name)
    seen, lost = [], []
    for (row, column), cell in table.cells.items():
        others = [other.cells.get((row, column)) for other in beside]
        found = [other.ours for other in others if other is not None]
        if column not in columns or len(found) < len(beside):
            continue
        seen.append(cell.ours < min(found))
        if not seen[-1]:
            lost.append(f"{column} on {row}")
    if not seen:
        return None
    return sum(seen) > share * len(seen), (
        f"lower in {sum(seen)} of {len(seen)} cells"
        + (f", not for {', '.join(lost)}" if lost else "")
    )


def different_pairs(
    table: FilledTable,
    lower: int = 0,
    higher: int = 0,
    same: int = 0,
    corrected: bool = False,
) -> Outcome:
    """The paired tests say "lower", "higher" and "not different" in at least so many rows."""
    if not table.pairs:
        return None
    sides = [pair.side(corrected=corrected) for pair in table.pairs]
    seen = sides.count(-1) >= lower and sides.count(1) >= higher and sides.count(0) >= same
    a, b = table.table.pairs["a"], table.table.pairs["b"]
    text = (
        f"{a} is significantly lower than {b} in {sides.count(-1)} of {len(sides)} rows, higher in "
        f"{sides.count(1)}"
    )
    return seen, text + (", by the corrected test" if corrected else "")
