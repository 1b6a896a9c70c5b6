"""Checks that compare columns of a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from mixedwood.study.checks.finding import Outcome, column_of, pairs_of
from mixedwood.study.definition import StudyError

if TYPE_CHECKING:
    from mixedwood.study.cells import Cell
    from mixedwood.study.results import FilledTable

__all__ = [
    "grows",
    "grows_less",
    "highest_mean",
    "lower_in_rows",
    "lower_mean",
    "near",
    "never_higher",
    "ratio",
    "significantly_lower",
]


def lower_mean(table: FilledTable, a: str, b: str, rows: list[str] | None = None) -> Outcome:
    """The mean of column `a` over the rows is lower than that of `b`."""
    pairs = pairs_of(table, a, b, rows)
    if not pairs:
        return None
    means = [float(np.mean([pair[i].ours for pair in pairs])) for i in (0, 1)]
    digits = table.table.digits + 1
    return means[0] < means[1], (
        f"mean over {len(pairs)} rows: {a} {means[0]:.{digits}f}, {b} {means[1]:.{digits}f}"
    )


def lower_in_rows(
    table: FilledTable, a: str, b: str, share: float = 0.5, rows: list[str] | None = None
) -> Outcome:
    """Column `a` is lower than `b` in more than a share of the rows; equal ones count half."""
    pairs = pairs_of(table, a, b, rows)
    if not pairs:
        return None
    wins = sum(first.ours < second.ours for first, second in pairs)
    ties = sum(first.ours == second.ours for first, second in pairs)
    return wins + ties / 2 > share * len(pairs), (
        f"{a} is lower than {b} in {wins} of {len(pairs)} rows"
        + (f", equal in {ties}" if ties else "")
    )


def significantly_lower(
    table: FilledTable,
    a: str,
    b: str,
    at_least: int = 1,
    at_most_worse: int | None = None,
    no_fewer_than_worse: bool = False,
    rows: list[str] | None = None,
    test: str = "paired t",
) -> Outcome:
    """Column `a` is significantly lower than `b` in so many rows.

    With `no_fewer_than_worse`, in as many as it is significantly higher in, or more. `test` is
    ``"paired t"`` or, for five times two halves, ``"5x2cv F"``.
    """
    better = worse = 0
    # Only the same repetitions can be paired.
    pairs = [(x, y) for x, y in pairs_of(table, a, b, rows) if len(x.values) == len(y.values)]
    if not pairs:
        return None
    for first, second in pairs:
        side = _significant(first, second, test)
        better, worse = better + (side < 0), worse + (side > 0)
    least = max(at_least, worse) if no_fewer_than_worse else at_least
    seen = better >= least and (at_most_worse is None or worse <= at_most_worse)
    return seen, (
        f"{a} is significantly lower than {b} in {better} of {len(pairs)} rows, higher in {worse}"
    )


def _significant(first: Cell, second: Cell, test: str) -> int:
    """-1, 0 or 1: whether the first is lower, not different, or higher, at the level of 5 %."""
    from mixedwood.stats import five_by_two_cv_f_test, paired_t_test

    a, b = np.array(first.values), np.array(second.values)
    if len(a) != len(b) or len(a) < 2 or np.array_equal(a, b):
        return 0
    if test not in ("paired t", "5x2cv F"):
        raise StudyError(f"test must be 'paired t' or '5x2cv F'; got {test!r}.")
    if test == "5x2cv F" and len(a) == 10:  # the short form has fewer
        p_value = five_by_two_cv_f_test(a.reshape(5, 2), b.reshape(5, 2)).p_value
    else:
        p_value = paired_t_test(a, b).p_value
    return 0 if p_value >= 0.05 else (-1 if a.mean() < b.mean() else 1)


def ratio(
    table: FilledTable,
    a: str,
    b: str,
    at_least: float | None = None,
    at_most: float | None = None,
    rows: list[str] | None = None,
) -> Outcome:
    """Column `b` is so many times column `a`, in the geometric mean over the rows."""
    pairs = [(x, y) for x, y in pairs_of(table, a, b, rows) if x.ours > 0 and y.ours > 0]
    if not pairs:
        return None
    found = math.exp(float(np.mean([math.log(y.ours / x.ours) for x, y in pairs])))
    seen = (at_least is None or found >= at_least) and (at_most is None or found <= at_most)
    return seen, f"{b} is {found:.2f} times {a}, over {len(pairs)} rows"


def highest_mean(
    table: FilledTable, a: str, among: list[str] | None = None, rows: list[str] | None = None
) -> Outcome:
    """Column `a` has the highest mean of all columns, over the rows that have all of them."""
    names = [a, *(table.columns if among is None else among)]
    for name in names:
        column_of(table, name)
    columns = {name: table.column(name) for name in dict.fromkeys(names)}
    wanted = [r for r in (rows or table.rows) if all(r in cells for cells in columns.values())]
    if not wanted:
        return None
    means = {n: float(np.mean([c[r].ours for r in wanted])) for n, c in columns.items()}
    order = sorted(means, key=lambda name: -means[name])
    digits = table.table.digits + 1
    first = ", ".join(f"{name} {means[name]:.{digits}f}" for name in order[:3])
    place = 1 + sum(mean > means[a] for mean in means.values())
    return place == 1, (
        f"{a} is number {place} of {len(order)} by the mean over {len(wanted)} rows, "
        f"{means[a]:.{digits}f}; the first are {first}"
    )


def never_higher(table: FilledTable, a: str, b: str, rows: list[str] | None = None) -> Outcome:
    """Column `a` is in no row higher than `b`."""
    pairs = pairs_of(table, a, b, rows)
    if not pairs:
        return None
    higher = sum(first.ours > second.ours for first, second in pairs)
    return higher == 0, f"{a} is higher than {b} in {higher} of {len(pairs)} rows"


def near(table: FilledTable, share: float = 0.9) -> Outcome:
    """So large a share of the cells is within two standard errors of what is published."""
    if not table.n_judged:
        return None
    seen = table.n_near >= share * table.n_judged
    return seen, f"{table.n_near} of {table.n_judged} cells within two standard errors"


def grows_less(table: FilledTable, a: str, b: str, first: str, last: str) -> Outcome:
    """From row `first` to row `last`, column `a` grows by less than `b`."""
    low = pairs_of(table, a, b, [first])
    high = pairs_of(table, a, b, [last])
    if not low or not high:
        return None
    growth = [high[0][i].ours - low[0][i].ours for i in (0, 1)]
    digits = table.table.digits
    by = [f"{name} grows by {g:.{digits}f}" for name, g in zip((a, b), growth, strict=True)]
    return growth[0] < growth[1], f"from {first} to {last}, {', '.join(by)}"


def grows(table: FilledTable, first: str, last: str, columns: list[str] | None = None) -> Outcome:
    """From row `first` to row `last`, every column grows."""
    found = {}
    for name in table.columns if columns is None else columns:
        low, high = (table.cells.get((row, name)) for row in (first, last))
        if low is not None and high is not None:
            found[name] = high.ours - low.ours
    if not found:
        return None
    by = [f"{name} {growth:+.{table.table.digits}f}" for name, growth in found.items()]
    return min(found.values()) > 0, f"from {first} to {last}: {', '.join(by)}"
