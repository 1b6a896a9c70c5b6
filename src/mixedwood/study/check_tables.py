"""Checks that look at growth, at one column, or at several columns or tables; see `checks`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from mixedwood.study.check_pairs import (
    Outcome,
    Rows,
    count_text,
    differences_of,
    fraction_of_rows,
    pairs_of,
)
from mixedwood.study.spread import LEVEL, Decision, Interval, cell_interval, count, mean_interval

if TYPE_CHECKING:
    from mixedwood.study.results import ResultTable

__all__ = [
    "among_first",
    "between",
    "different_pairs",
    "grows",
    "grows_less",
    "highest_mean",
    "lower_than_beside",
    "near",
    "quantile",
    "reaches",
    "slope",
]


# Growth from row to row

_DRAWS = 2000  # of a bootstrap


def grows_less(table: ResultTable, a: str, b: str, first: str, last: str) -> Outcome:
    """From row `first` to row `last`, column `a` grows by less than `b`."""
    low, high = (pairs_of(table, a, b, [row]) for row in (first, last))
    if not low or not high:
        return None
    cells = (*low[0], *high[0])
    interval = cell_interval(table.spec.spread, cells, lambda x, y, z, w: (z - x) - (w - y))
    if interval is None:
        return None
    digits = table.spec.digits + 1
    growth = [high[0][i].ours - low[0][i].ours for i in (0, 1)]
    by = [f"{name} grows by {g:.{digits}f}" for name, g in zip((a, b), growth, strict=True)]
    text = f"from {first} to {last}, {', '.join(by)}, difference {interval.text(digits)}"
    return interval.below(), text


def grows(table: ResultTable, first: str, last: str, columns: list[str] | None = None) -> Outcome:
    """From row `first` to row `last`, every column grows."""
    found: dict[str, Interval | None] = {}
    for name in table.columns if columns is None else columns:
        low, high = (table.cells.get((row, name)) for row in (first, last))
        if low is not None and high is not None:
            found[name] = cell_interval(table.spec.spread, (high, low), np.subtract)
    intervals = [interval for interval in found.values() if interval is not None]
    if not intervals or len(intervals) < len(found):
        return None
    digits = table.spec.digits + 1
    by = [f"{name} {i.text(digits)}" for name, i in zip(found, intervals, strict=True)]
    decisions = [interval.above() for interval in intervals]
    return count(decisions, len(decisions)), f"from {first} to {last}: {', '.join(by)}"


def slope(
    table: ResultTable,
    column: str,
    beside: list[ResultTable],
    x: str,
    rises: bool = True,
    log: bool = False,
) -> Outcome:
    """Over the rows, the fitted line of a column against column `x` of another table rises."""
    from scipy.stats import linregress, t

    xs = beside[0].column(x)
    cells = {row: cell for row, cell in table.column(column).items() if row in xs}
    n = len(cells)
    at = np.array([xs[row].ours for row in cells])
    at = np.log10(at) if log else at
    if n < 3 or np.ptp(at) == 0:
        return None
    line = linregress(at, [cell.ours for cell in cells.values()])
    half = float(t.ppf((1 + LEVEL) / 2, n - 2) * line.stderr)
    interval = Interval(float(line.slope) - half, float(line.slope) + half)
    decision = interval.above() if rises else interval.below()
    per = f"tenfold {x}" if log else x
    return decision, f"{column}: {interval.text(3)} for each {per}, over {n} rows"


# One column


def between(
    table: ResultTable,
    column: str,
    low: float = -math.inf,
    high: float = math.inf,
    every: bool = False,
    mean: bool = False,
    rows: Rows = None,
) -> Outcome:
    """The mean of a column is in a range in all rows; with `every`, so is each value seen.

    With `mean`, the mean over the rows is.
    """
    cells = [c for row, c in table.column(column).items() if rows is None or row in rows]
    if not cells:
        return None
    digits = table.spec.digits
    if mean:
        interval = mean_interval(table.spec.spread, [(cell,) for cell in cells], lambda x: x)
        if interval is None:
            return None
        text = (
            f"{column}: mean over {len(cells)} rows {np.mean([c.ours for c in cells]):.{digits}f}"
        )
        return interval.within(low, high), f"{text}, {interval.text(digits + 1)}"
    if every:
        values = [value for cell in cells for value in cell.values]
        passed = low <= min(values) and max(values) <= high
        ends = f"{min(values):.{digits}f} to {max(values):.{digits}f}"
        return passed, f"{column}: all {len(values)} values are from {ends}"
    found = [cell_interval(table.spec.spread, (cell,), lambda x: x) for cell in cells]
    intervals = [interval for interval in found if interval is not None]
    if len(intervals) < len(found):
        return None
    decisions = [interval.within(low, high) for interval in intervals]
    each = [f"{c.row} {i.text(digits + 1)}" for c, i in zip(cells, intervals, strict=True)]
    return count(decisions, len(decisions)), f"{column}: {', '.join(each)}"


def reaches(
    table: ResultTable,
    column: str,
    margin: float,
    published: str | None = None,
    fraction: float = 1.0,
) -> Outcome:
    """In a fraction of the rows, a column is lower than published, or higher by at most a margin.

    The whole interval of ours is, widened by the published standard error. `published` is the
    column whose published values are compared with, if it is another.
    """
    others = table.column(column if published is None else published)
    decisions, found = [], []
    digits = table.spec.digits
    for row, cell in table.column(column).items():
        theirs = others[row].published if row in others else None
        if theirs is None:
            continue
        interval = cell_interval(table.spec.spread, (cell,), lambda x: x)
        if interval is None:
            return None
        center = (interval.low + interval.high) / 2 - theirs.value
        half = math.hypot((interval.high - interval.low) / 2, 2 * theirs.error)
        gap = Interval(center - half, center + half)
        decisions.append(gap.below(margin))
        found.append(
            f"{row} {cell.ours:.{digits}f} for {theirs.value:.{digits}f}, {gap.text(digits)}"
        )
    if not decisions:
        return None
    needed = fraction_of_rows("fraction", fraction) * len(decisions)
    return count(decisions, needed), f"{column}: {'; '.join(found)}"


def near(table: ResultTable, fraction: float = 0.9) -> Outcome:
    """A fraction of the cells is within two standard errors of the published values."""
    if not table.n_judged:
        return None
    passed = table.n_near >= fraction_of_rows("fraction", fraction) * table.n_judged
    return passed, f"{table.n_near} of {table.n_judged} cells within two standard errors"


def quantile(
    table: ResultTable,
    a: str,
    b: str,
    q: float,
    margin: float | None = None,
    rows: Rows = None,
    beside: list[ResultTable] | None = None,
) -> Outcome:
    """A quantile of column `a` over the rows is lower than that of `b`, or similar up to a margin.

    `b` is a column of the table `beside`, if there is one. The interval is that of a bootstrap of
    the rows, which are the sample.
    """
    others = (beside[0] if beside else table).column(b)
    firsts = {r: c for r, c in table.column(a).items() if rows is None or r in rows}
    pairs = [(cell, others[row]) for row, cell in firsts.items() if row in others]
    if len(pairs) < 3:
        return None
    values = np.array([[first.ours, second.ours] for first, second in pairs])
    drawn = np.random.default_rng(0).integers(0, len(pairs), (_DRAWS, len(pairs)))
    ends = np.quantile(values[drawn], q, axis=1)
    low, high = np.quantile(ends[:, 0] - ends[:, 1], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    interval = Interval(float(low), float(high))
    digits = table.spec.digits + 1
    found = np.quantile(values, q, axis=0)
    decision = interval.below() if margin is None else interval.within(-margin, margin)
    b += f" ({beside[0].spec.title})" if beside else ""
    return decision, (
        f"{q:g} quantile over {len(pairs)} rows: {a} {found[0]:.{digits}f}, {b} "
        f"{found[1]:.{digits}f}, difference {interval.text(digits)}"
    )


# Among several columns or tables


def highest_mean(
    table: ResultTable, a: str, among: list[str] | None = None, rows: Rows = None
) -> Outcome:
    """Column `a` has the highest mean of all columns, over the rows that have all of them."""
    names = dict.fromkeys([a, *(table.columns if among is None else among)])
    columns = {name: table.column(name) for name in names}
    wanted = [r for r in (rows or table.rows) if all(r in cells for cells in columns.values())]
    others = [name for name in names if name != a]
    if not wanted or not others:
        return None
    intervals = {}
    for name in others:
        pairs = [(columns[a][row], columns[name][row]) for row in wanted]
        interval = mean_interval(table.spec.spread, pairs, np.subtract)
        if interval is None:
            return None
        intervals[name] = interval
    means = {n: float(np.mean([c[r].ours for r in wanted])) for n, c in columns.items()}
    place = 1 + sum(mean > means[a] for mean in means.values())
    digits = table.spec.digits + 1
    nearest = min(intervals, key=lambda name: intervals[name].low)
    beaten = any(interval.high < 0 for interval in intervals.values())
    first = all(interval.low >= 0 for interval in intervals.values())
    return False if beaten else True if first else None, (
        f"{a} is number {place} of {len(means)} by the mean over {len(wanted)} rows, "
        f"{means[a]:.{digits}f}; less {nearest}, {intervals[nearest].text(digits)}"
    )


def among_first(
    table: ResultTable, column: str, among: list[str], places: int = 1, fraction: float = 1.0
) -> Outcome:
    """In a fraction of the rows, a column is one of the lowest."""
    others = [table.column(name) for name in among]
    decisions, text = [], []
    for row, cell in table.column(column).items():
        if not all(row in cells for cells in others):
            continue
        differences = differences_of(table, [(cells[row], cell) for cells in others])
        if differences is None:
            return None
        ahead = [interval.below() for interval in differences]
        place = Interval(1 + ahead.count(True), 1 + ahead.count(True) + ahead.count(None))
        decisions.append(place.within(0, places))
        ends = f"{place.low}" if place.low == place.high else f"{place.low} to {place.high}"
        text.append(f"{ends} on {row}")
    if not decisions:
        return None
    needed = fraction_of_rows("fraction", fraction) * len(decisions)
    return count(decisions, needed), (
        f"place of {column} among {len(among) + 1}: {', '.join(text)}"
    )


def lower_than_beside(
    table: ResultTable,
    beside: list[ResultTable],
    columns: list[str],
    fraction: float = 0.5,
    rows: Rows = None,
) -> Outcome:
    """In more than a fraction of the cells, a table is lower than all those beside it."""
    for name in columns:
        table.column(name)
    decisions: list[Decision] = []
    lost = []
    for (row, column), cell in table.cells.items():
        found = [other.cells[row, column] for other in beside if (row, column) in other.cells]
        wanted = column in columns and (rows is None or row in rows)
        if not wanted or len(found) < len(beside):
            continue
        differences = differences_of(table, [(cell, other) for other in found])
        if differences is None:
            return None
        each = [interval.below() for interval in differences]
        decisions.append(count(each, len(each)))
        if decisions[-1] is False:
            lost.append(f"{column} on {row}")
    if not decisions:
        return None
    yes, undecided = decisions.count(True), decisions.count(None)
    needed = fraction_of_rows("fraction", fraction) * len(decisions)
    decision = True if yes > needed else False if yes + undecided <= needed else None
    return decision, (
        f"lower {count_text(yes, len(decisions), undecided, 'cells')}"
        + (f", not for {', '.join(lost)}" if lost else "")
    )


def different_pairs(
    table: ResultTable, lower: float = 0.0, higher: float = 0.0, corrected: bool = False
) -> Outcome:
    """The paired tests find "lower" and "higher" in fractions of the rows."""
    if not table.pairs:
        return None
    sides = [pair.side(corrected=corrected) for pair in table.pairs]
    wanted = {-1: ("lower", lower), 1: ("higher", higher)}
    passed = all(
        sides.count(which) >= fraction_of_rows(*threshold) * len(sides)
        for which, threshold in wanted.items()
    )
    a, b = table.spec.pairs["a"], table.spec.pairs["b"]
    text = (
        f"{a} is significantly lower than {b} in {sides.count(-1)} of {len(sides)} rows, higher in "
        f"{sides.count(1)}"
    )
    return passed, text + (", by the corrected test" if corrected else "")
