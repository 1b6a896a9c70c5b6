"""Checks of two columns: each says yes, no or open, with a sentence of values.

Intervals are those of `spread`. A check of several rows counts those that are certain: it is
open while the rows that are open decide. Thresholds are fractions of the rows, so that the short
version is judged by the same rule.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from mixedwood.study.definition import StudyError
from mixedwood.study.spread import (
    LEVEL,
    Decision,
    Interval,
    cell_interval,
    count,
    mean_interval,
    samples,
    t_interval,
)

if TYPE_CHECKING:
    from mixedwood.study.results import Cell, ResultTable

__all__ = [
    "Outcome",
    "Rows",
    "count_text",
    "differences_of",
    "fraction_of_rows",
    "lower_in_rows",
    "lower_mean",
    "lower_rank",
    "never_higher",
    "pairs_of",
    "ratio",
    "side",
    "significantly_lower",
    "similar",
]

Outcome = tuple[Decision, str] | None
"""The decision in a sentence; None without results, or without the repetitions that it needs."""
Rows = list[str] | None


def pairs_of(table: ResultTable, a: str, b: str, rows: Rows) -> list[tuple[Cell, Cell]]:
    """Return the cells of two columns in the rows that have both."""
    first, second = table.column(a), table.column(b)
    wanted = table.rows if rows is None else rows
    return [(first[row], second[row]) for row in wanted if row in first and row in second]


def differences_of(table: ResultTable, pairs: list[tuple[Cell, Cell]]) -> list[Interval] | None:
    """The interval of the difference of each pair; None unless all have one."""
    found = [cell_interval(table.spec.spread, pair, np.subtract) for pair in pairs]
    known = [interval for interval in found if interval is not None]
    return known if len(known) == len(found) and known else None


def fraction_of_rows(name: str, value: float) -> float:
    """Check a threshold: a number of rows would mean something else in the short version."""
    if not 0 <= value <= 1:
        raise StudyError(f"{name} must be a fraction of the rows, from 0 to 1; got {value!r}.")
    return value


def count_text(yes: int, n: int, open_: int, what: str = "rows") -> str:
    return f"in {yes} of {n} {what}" + (f" ({open_} open)" if open_ else "")


# Two columns


def lower_mean(
    table: ResultTable, a: str, b: str, rows: Rows = None, margin: float = 0.0
) -> Outcome:
    """The mean of column `a` over the rows is below that of `b` plus a margin."""
    pairs = pairs_of(table, a, b, rows)
    interval = mean_interval(table.spec.spread, pairs, np.subtract) if pairs else None
    if interval is None:
        return None
    digits = table.spec.digits + 1
    means = [float(np.mean([pair[i].ours for pair in pairs])) for i in (0, 1)]
    where = f"mean over {len(pairs)} rows" if len(pairs) > 1 else f"on {pairs[0][0].row}"
    text = f"{where}: {a} {means[0]:.{digits}f}, {b} {means[1]:.{digits}f}"
    if table.spec.spread != "none":
        text += f", difference {interval.text(digits)}"
    return interval.below(margin), text + (f", margin {margin:g}" if margin else "")


def lower_rank(table: ResultTable, a: str, among: list[str], rows: Rows = None) -> Outcome:
    """The mean rank of column `a` is lower than those of the others; the rows are the sample."""
    from scipy.stats import rankdata

    columns = [table.column(name) for name in (a, *among)]
    wanted = [r for r in (rows or table.rows) if all(r in cells for cells in columns)]
    if len(wanted) < 2:
        return None
    ranks = rankdata([[cells[row].ours for cells in columns] for row in wanted], axis=1)
    means = ", ".join(f"{n} {r:.2f}" for n, r in zip((a, *among), ranks.mean(axis=0), strict=True))
    decisions, text = [], []
    for place, name in enumerate(among, 1):
        interval = t_interval(ranks[:, 0] - ranks[:, place])
        assert interval is not None  # two rows or more
        decisions.append(interval.below())
        text.append(f"less {name} {interval.text(2)}")
    where = f"mean ranks over {len(wanted)} rows: {means}"
    return count(decisions, len(decisions)), f"{where}; {', '.join(text)}"


def lower_in_rows(
    table: ResultTable, a: str, b: str, fraction: float = 0.5, rows: Rows = None
) -> Outcome:
    """Column `a` is lower than `b` in more than a fraction of the rows; equal ones count half.

    Where rows are the sample, the interval is that of the fraction, by Clopper and Pearson.
    """
    pairs = pairs_of(table, a, b, rows)
    fraction_of_rows("fraction", fraction)
    if not pairs:
        return None
    if table.spec.spread == "rows":
        return _lower_in_sample(pairs, a, b, fraction)
    differences = differences_of(table, pairs)
    if differences is None:
        return None
    decisions = [interval.below() for interval in differences]
    ties = sum(interval == Interval(0.0, 0.0) for interval in differences)
    yes, undecided = decisions.count(True), decisions.count(None)
    needed = fraction * len(pairs)
    decision: Decision = None
    if yes + ties / 2 > needed:
        decision = True
    elif yes + undecided + ties / 2 <= needed:
        decision = False
    text = f"{a} is lower than {b} {count_text(yes, len(pairs), undecided)}"
    if len(pairs) <= 6 and table.spec.spread != "none":
        digits = table.spec.digits + 1
        each = zip(pairs, differences, strict=True)
        text += "; " + ", ".join(f"{p[0].row} {i.text(digits)}" for p, i in each)
    return decision, text + (f", equal in {ties}" if ties else "")


def _lower_in_sample(
    pairs: list[tuple[Cell, Cell]], a: str, b: str, fraction: float
) -> tuple[Decision, str]:
    from scipy.stats import binomtest

    wins = sum(first.ours < second.ours for first, second in pairs)
    ties = sum(first.ours == second.ours for first, second in pairs)
    text = f"{a} is lower than {b} in {wins} of {len(pairs)} rows"
    text += f", equal in {ties}" if ties else ""
    if ties == len(pairs):
        return False, text
    low, high = binomtest(wins, len(pairs) - ties).proportion_ci(LEVEL)
    decision = Interval(float(low), float(high)).above(fraction)
    return decision, f"{text}; the fraction is {low:.2f} to {high:.2f}"


def never_higher(table: ResultTable, a: str, b: str, rows: Rows = None) -> Outcome:
    """Column `a` is in no row higher than `b`: all intervals end at zero or below."""
    pairs = pairs_of(table, a, b, rows)
    differences = differences_of(table, pairs) if pairs else None
    if differences is None:
        return None
    decisions = [_opposite(interval.above()) for interval in differences]
    higher, undecided = decisions.count(False), decisions.count(None)
    text = f"{a} is higher than {b} {count_text(higher, len(pairs), undecided)}"
    return count(decisions, len(decisions)), text


def _opposite(decision: Decision) -> Decision:
    return None if decision is None else not decision


def similar(
    table: ResultTable, a: str, b: str, margin: float, fraction: float = 1.0, rows: Rows = None
) -> Outcome:
    """In a fraction of the rows, the interval of the difference is within a margin.

    That no test finds a difference is not enough: few repetitions find none.
    """
    pairs = pairs_of(table, a, b, rows)
    differences = differences_of(table, pairs) if pairs else None
    if differences is None:
        return None
    if margin <= 0:
        raise StudyError(f"margin must be above 0; got {margin!r}.")
    decisions = [interval.within(-margin, margin) for interval in differences]
    digits = table.spec.digits + 1
    each = ", ".join(
        f"{pair[0].row} {interval.text(digits)}"
        for pair, interval in zip(pairs, differences, strict=True)
    )
    text = f"{a} less {b}, within {margin:g}: {each}"
    return count(decisions, fraction_of_rows("fraction", fraction) * len(pairs)), text


def significantly_lower(
    table: ResultTable,
    a: str,
    b: str,
    at_least: float,
    at_most_worse: float | None = None,
    no_fewer_than_worse: bool = False,
    rows: Rows = None,
    test: str = "paired t",
) -> Outcome:
    """Column `a` is significantly lower than `b` in at least a fraction `at_least` of the rows.

    It is significantly higher in at most a fraction `at_most_worse`. `at_least` has no default, so
    that a check that passes without a single win says so. With `no_fewer_than_worse`, also in at
    least as many as it is significantly higher in. `test` is ``"paired t"``, over repetitions, or
    ``"5x2cv F"``, which needs all five times two halves.
    """
    if test not in ("paired t", "5x2cv F"):
        raise StudyError(f"test must be 'paired t' or '5x2cv F'; got {test!r}.")
    # Only the same repetitions can be paired.
    pairs = [(x, y) for x, y in pairs_of(table, a, b, rows) if len(x.values) == len(y.values)]
    sides = [side(first, second, test) for first, second in pairs]
    n = len(sides)
    if not sides or None in sides:
        return None
    better, worse = sides.count(-1), sides.count(1)
    passed = better >= fraction_of_rows("at_least", at_least) * n
    passed &= at_most_worse is None or worse <= fraction_of_rows("at_most_worse", at_most_worse) * n
    passed &= not no_fewer_than_worse or better >= worse
    return passed, f"{a} is significantly lower than {b} in {better} of {n} rows, higher in {worse}"


def side(first: Cell, second: Cell, test: str = "paired t") -> int | None:
    """-1, 0 or 1: whether the first is lower, not different, or higher, at the level of 5 %.

    None if there are not the repetitions that the test needs.
    """
    from mixedwood.stats import five_by_two_cv_f_test, paired_t_test

    if test == "5x2cv F":
        a, b = np.array(first.values), np.array(second.values)
        if len(a) != 10 or len(b) != 10:
            return None
    else:
        a, b = np.array(samples(first)), np.array(samples(second))
        if len(a) != len(b) or len(a) < 2:
            return None
    if np.array_equal(a, b):
        return 0
    if test == "5x2cv F":
        p_value = five_by_two_cv_f_test(a.reshape(5, 2), b.reshape(5, 2)).p_value
    else:
        p_value = paired_t_test(a, b).p_value
    return 0 if not p_value < 0.05 else (-1 if a.mean() < b.mean() else 1)


def ratio(
    table: ResultTable,
    a: str,
    b: str,
    at_least: float | None = None,
    at_most: float | None = None,
    rows: Rows = None,
) -> Outcome:
    """The ratio of column `b` to column `a`, a geometric mean over the rows, is in a range."""
    pairs = [
        (x, y)
        for x, y in pairs_of(table, a, b, rows)
        if min(*samples(x), *samples(y), x.ours, y.ours) > 0
    ]

    def log_ratio(x: Any, y: Any) -> Any:
        return np.log(y / x)

    interval = mean_interval(table.spec.spread, pairs, log_ratio) if pairs else None
    if interval is None:
        return None
    low, high = math.exp(interval.low), math.exp(interval.high)
    found = math.exp(float(np.mean([math.log(y.ours / x.ours) for x, y in pairs])))
    decision = Interval(low, high).within(
        -math.inf if at_least is None else at_least * (1 - 1e-12),
        math.inf if at_most is None else at_most * (1 + 1e-12),
    )
    text = f"{b} is {found:.4g} times {a}, over {len(pairs)} rows"
    return decision, text + ("" if low == high else f", {low:.4g} to {high:.4g}")
