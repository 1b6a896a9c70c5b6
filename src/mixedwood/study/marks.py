"""Marks of significance beside a table, as papers print them: wins, draws and losses, or counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mixedwood.study.check_pairs import side
from mixedwood.study.spread import samples

if TYPE_CHECKING:
    from mixedwood.study.results import Cell, ResultTable

__all__ = ["mark_rows", "win_rows", "worse_rows"]

_MARKS = {-1: "+", 0: ".", 1: "-", None: "?"}


def mark_rows(table: ResultTable) -> list[list[str]]:
    """For each row, how each of the columns `of` fares against each of `against`.

    One mark for each of `against`: ``+`` significantly lower, ``-`` higher, ``.`` neither.
    """
    of, against, test = _read(table)
    rows = []
    for row in table.rows:
        cells = [table.cells.get((row, name)) for name in (*of, *against)]
        if all(cell is not None for cell in cells):
            mine, others = cells[: len(of)], cells[len(of) :]
            marks = ["".join(_MARKS[_side(cell, o, test)] for o in others) for cell in mine]
            rows.append([row, *marks])
    return rows


def win_rows(table: ResultTable) -> list[list[str]]:
    """Wins/draws/losses of each of `of` against each of `against`: ours, and the printed ones."""
    of, against, test = _read(table)
    printed = table.spec.marks.get("published", {})
    rows = []
    for name in of:
        first = table.column(name)
        for other in against:
            second = table.column(other)
            sides = [_side(first[row], second[row], test) for row in first if row in second]
            ours = "/".join(str(sides.count(which)) for which in (-1, 0, 1))
            rows.append([name, other, ours, printed.get(name, {}).get(other, "-")])
    return rows


def worse_rows(table: ResultTable) -> list[list[str]]:
    """For each cell, the number of other columns that are significantly worse in its row.

    By a one-tailed paired t test over repetitions at 95 %; higher values are better.
    """
    rows = []
    for row in table.rows:
        cells = {name: table.cells.get((row, name)) for name in table.columns}
        if any(cell is not None for cell in cells.values()):
            counts = [
                "-"
                if cell is None
                else str(sum(other is not None and _worse(other, cell) for other in cells.values()))
                for cell in cells.values()
            ]
            rows.append([row, *counts])
    return rows


def _read(table: ResultTable) -> tuple[list[str], list[str], str]:
    marks = table.spec.marks
    return list(marks["of"]), list(marks["against"]), str(marks.get("test", "paired t"))


def _side(first: Cell | None, second: Cell | None, test: str) -> int | None:
    return None if first is None or second is None else side(first, second, test)


def _worse(other: Cell, cell: Cell) -> bool:
    from scipy.stats import ttest_rel

    # The first repetitions are the same where one cell has more of them.
    n = min(len(samples(other)), len(samples(cell)))
    a, b = np.array(samples(other)[:n]), np.array(samples(cell)[:n])
    if n < 2 or np.array_equal(a, b):
        return False
    if np.ptp(a - b) == 0:
        return bool(a[0] < b[0])
    return bool(ttest_rel(a, b, alternative="less").pvalue < 0.05)
