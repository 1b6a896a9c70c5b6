"""Claims of a paper, judged by the results.

A claim has one or more checks, each of a table. Each returns whether it passes, and a sentence with
the values. A claim is not decided unless all its checks could run. If all pass, the claim holds; if
some do, in part; if none does, it does not hold here. Thresholds on rows are fractions, so that the
short version is judged by the same rule.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from mixedwood.study.definition import Claim, StudyError

if TYPE_CHECKING:
    from mixedwood.study.results import Cell, ResultTable

__all__ = ["CHECKS", "Verdict", "judge"]

HOLDS, IN_PART, NOT_HERE = "holds", "holds in part", "does not hold here"
NOT_DECIDED = "not decided"
_LEVEL = 0.95  # of intervals

Outcome = tuple[bool, str] | None  # whether a check passes, in a sentence; None without results
Rows = list[str] | None


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds, and the outcomes of its checks."""

    claim: Claim
    verdict: str
    evidence: tuple[str, ...]


def judge(claim: Claim, tables: Mapping[str, ResultTable]) -> Verdict:
    """Decide whether a claim holds."""
    passed, evidence, missing = [], [], 0
    for check in claim.checks:
        options = dict(check)
        kind, name = str(options.pop("check", "")), str(options.pop("table", ""))
        if kind not in CHECKS:
            raise StudyError(f"There is no check {kind!r}; there are {', '.join(CHECKS)}.")
        beside = options.get("beside", [])
        if any(other not in tables for other in (name, *beside)):
            missing += 1  # left out of the short version
            continue
        if beside:
            options["beside"] = [tables[other] for other in beside]
        outcome = CHECKS[kind](tables[name], **options)
        if outcome is None:
            missing += 1
            continue
        passed.append(outcome[0])
        evidence.append(f"{outcome[1]} ({tables[name].spec.title})")
    if missing:
        n = len(claim.checks)
        text = f"{missing} of {n} checks could not run" if passed else "no check could run"
        return Verdict(claim, NOT_DECIDED, (*evidence, text))
    verdict = HOLDS if all(passed) else IN_PART if any(passed) else NOT_HERE
    return Verdict(claim, verdict, tuple(evidence))


def _pairs(table: ResultTable, a: str, b: str, rows: Rows) -> list[tuple[Cell, Cell]]:
    """Return the cells of two columns in the rows that have both."""
    first, second = table.column(a), table.column(b)
    wanted = table.rows if rows is None else rows
    return [(first[row], second[row]) for row in wanted if row in first and row in second]


# Checks that compare columns


def lower_mean(table: ResultTable, a: str, b: str, rows: Rows = None) -> Outcome:
    """The mean of column `a` over the rows is lower than that of `b`.

    The whole 95 % interval of the difference must be below 0. Its spread is that of repetitions; a
    single repetition has no interval, so the check cannot run, unless the table is `exact`.
    """
    pairs = _pairs(table, a, b, rows)
    if not pairs:
        return None
    means = [float(np.mean([pair[i].ours for pair in pairs])) for i in (0, 1)]
    digits = table.spec.digits + 1
    text = f"mean over {len(pairs)} rows: {a} {means[0]:.{digits}f}, {b} {means[1]:.{digits}f}"
    if table.spec.exact:
        return means[0] < means[1], text
    interval = _interval(pairs)
    if interval is None:
        return None
    low, high = interval
    return high < 0, f"{text}, difference from {low:+.{digits}f} to {high:+.{digits}f}"


def _interval(pairs: list[tuple[Cell, Cell]]) -> tuple[float, float] | None:
    """95 % interval of the mean difference of pairs, from repetitions; None for fewer than two."""
    from scipy.stats import t

    columns = [[cell.repetitions or cell.values for cell in pair] for pair in pairs]
    n = min(len(values) for pair in columns for values in pair)
    if n < 2 or any(len(values) != n for pair in columns for values in pair):
        return None
    differences = np.mean([np.subtract(a, b) for a, b in columns], axis=0)
    half = t.ppf((1 + _LEVEL) / 2, n - 1) * np.std(differences, ddof=1) / math.sqrt(n)
    return float(differences.mean() - half), float(differences.mean() + half)


def lower_in_rows(
    table: ResultTable, a: str, b: str, fraction: float = 0.5, rows: Rows = None
) -> Outcome:
    """Column `a` is lower than `b` in more than a fraction of the rows; equal ones count half."""
    pairs = _pairs(table, a, b, rows)
    if not pairs:
        return None
    wins = sum(first.ours < second.ours for first, second in pairs)
    ties = sum(first.ours == second.ours for first, second in pairs)
    return wins + ties / 2 > fraction * len(pairs), (
        f"{a} is lower than {b} in {wins} of {len(pairs)} rows"
        + (f", equal in {ties}" if ties else "")
    )


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
    that a check that passes without a single win says so.

    With `no_fewer_than_worse`, also in at least as many as it is significantly higher in. `test` is
    ``"paired t"`` or, for five times two halves, ``"5x2cv F"``.
    """
    # Only the same repetitions can be paired.
    pairs = [(x, y) for x, y in _pairs(table, a, b, rows) if len(x.values) == len(y.values)]
    if not pairs:
        return None
    sides = [_significant(first, second, test) for first, second in pairs]
    better, worse = sides.count(-1), sides.count(1)
    n = len(pairs)
    passed = better >= _fraction("at_least", at_least) * n
    passed &= at_most_worse is None or worse <= _fraction("at_most_worse", at_most_worse) * n
    passed &= not no_fewer_than_worse or better >= worse
    return passed, (
        f"{a} is significantly lower than {b} in {better} of {len(pairs)} rows, higher in {worse}"
    )


def _fraction(name: str, value: float) -> float:
    """Check a threshold: a number of rows would mean something else in the short version."""
    if not 0 <= value <= 1:
        raise StudyError(f"{name} must be a fraction of the rows, from 0 to 1; got {value!r}.")
    return value


def _significant(first: Cell, second: Cell, test: str) -> int:
    """-1, 0 or 1: whether the first is lower, not different, or higher, at the level of 5 %."""
    from mixedwood.stats import five_by_two_cv_f_test, paired_t_test

    a, b = np.array(first.values), np.array(second.values)
    if len(a) != len(b) or len(a) < 2 or np.array_equal(a, b):
        return 0
    if test not in ("paired t", "5x2cv F"):
        raise StudyError(f"test must be 'paired t' or '5x2cv F'; got {test!r}.")
    if test == "5x2cv F" and len(a) == 10:  # the short version has fewer
        p_value = five_by_two_cv_f_test(a.reshape(5, 2), b.reshape(5, 2)).p_value
    else:
        p_value = paired_t_test(a, b).p_value
    return 0 if p_value >= 0.05 else (-1 if a.mean() < b.mean() else 1)


def ratio(
    table: ResultTable,
    a: str,
    b: str,
    at_least: float | None = None,
    at_most: float | None = None,
    rows: Rows = None,
) -> Outcome:
    """The ratio of column `b` to column `a`, a geometric mean over the rows, is in a range."""
    pairs = [(x, y) for x, y in _pairs(table, a, b, rows) if x.ours > 0 and y.ours > 0]
    if not pairs:
        return None
    found = math.exp(float(np.mean([math.log(y.ours / x.ours) for x, y in pairs])))
    passed = (at_least is None or found >= at_least) and (at_most is None or found <= at_most)
    return passed, f"{b} is {found:.2f} times {a}, over {len(pairs)} rows"


def highest_mean(
    table: ResultTable, a: str, among: list[str] | None = None, rows: Rows = None
) -> Outcome:
    """Column `a` has the highest mean of all columns, over the rows that have all of them."""
    names = dict.fromkeys([a, *(table.columns if among is None else among)])
    columns = {name: table.column(name) for name in names}
    wanted = [r for r in (rows or table.rows) if all(r in cells for cells in columns.values())]
    if not wanted:
        return None
    means = {n: float(np.mean([c[r].ours for r in wanted])) for n, c in columns.items()}
    order = sorted(means, key=lambda name: -means[name])
    digits = table.spec.digits + 1
    first = ", ".join(f"{name} {means[name]:.{digits}f}" for name in order[:3])
    place = 1 + sum(mean > means[a] for mean in means.values())
    return place == 1, (
        f"{a} is number {place} of {len(order)} by the mean over {len(wanted)} rows, "
        f"{means[a]:.{digits}f}; the first are {first}"
    )


def never_higher(table: ResultTable, a: str, b: str, rows: Rows = None) -> Outcome:
    """Column `a` is in no row higher than `b`."""
    pairs = _pairs(table, a, b, rows)
    if not pairs:
        return None
    higher = sum(first.ours > second.ours for first, second in pairs)
    return higher == 0, f"{a} is higher than {b} in {higher} of {len(pairs)} rows"


def near(table: ResultTable, fraction: float = 0.9) -> Outcome:
    """A fraction of the cells is within two standard errors of the published values."""
    if not table.n_judged:
        return None
    passed = table.n_near >= fraction * table.n_judged
    return passed, f"{table.n_near} of {table.n_judged} cells within two standard errors"


def grows_less(table: ResultTable, a: str, b: str, first: str, last: str) -> Outcome:
    """From row `first` to row `last`, column `a` grows by less than `b`, by the means."""
    low = _pairs(table, a, b, [first])
    high = _pairs(table, a, b, [last])
    if not low or not high:
        return None
    growth = [high[0][i].ours - low[0][i].ours for i in (0, 1)]
    digits = table.spec.digits
    by = [f"{name} grows by {g:.{digits}f}" for name, g in zip((a, b), growth, strict=True)]
    return growth[0] < growth[1], f"from {first} to {last}, {', '.join(by)}"


def grows(table: ResultTable, first: str, last: str, columns: list[str] | None = None) -> Outcome:
    """From row `first` to row `last`, every column grows."""
    found = {}
    for name in table.columns if columns is None else columns:
        low, high = (table.cells.get((row, name)) for row in (first, last))
        if low is not None and high is not None:
            found[name] = high.ours - low.ours
    if not found:
        return None
    by = [f"{name} {growth:+.{table.spec.digits}f}" for name, growth in found.items()]
    return min(found.values()) > 0, f"from {first} to {last}: {', '.join(by)}"


# Checks of ranges, ranks, pairs and other tables


def between(
    table: ResultTable, column: str, low: float = -math.inf, high: float = math.inf
) -> Outcome:
    """All values of a column, repetition by repetition, are in a range."""
    values = [value for cell in table.column(column).values() for value in cell.values]
    if not values:
        return None
    digits = table.spec.digits
    return low <= min(values) and max(values) <= high, (
        f"{column} goes from {min(values):.{digits}f} to {max(values):.{digits}f}"
    )


def reaches(
    table: ResultTable, column: str, published: str | None = None, fraction: float = 1.0
) -> Outcome:
    """A fraction of a column is lower than published, or higher by at most two standard errors.

    `published` is the column whose published values are compared with, if it is another.
    """
    others = table.column(column if published is None else published)
    cells = [
        replace(cell, published=others[row].published)
        for row, cell in table.column(column).items()
        if row in others and others[row].published is not None
    ]
    if not cells:
        return None
    scores = [cell.z_score for cell in cells if cell.z_score is not None]
    reached = sum(z <= 2.0 for z in scores)
    digits = table.spec.digits
    found = [
        f"{cell.row} {cell.ours:.{digits}f} for {cell.published.value:.{digits}f} ({z:+.1f} se)"
        for cell, z in zip(cells, scores, strict=True)
        if cell.published is not None
    ]
    return reached >= fraction * len(cells), f"{column}: {', '.join(found)}"


def among_first(
    table: ResultTable, column: str, among: list[str], places: int = 1, fraction: float = 1.0
) -> Outcome:
    """In a fraction of the rows, a column is one of the lowest."""
    others = [table.column(name) for name in among]
    found = {
        row: 1 + sum(cells[row].ours < cell.ours for cells in others)
        for row, cell in table.column(column).items()
        if all(row in cells for cells in others)
    }
    if not found:
        return None
    passed = sum(place <= places for place in found.values()) >= fraction * len(found)
    text = ", ".join(f"{place} on {row}" for row, place in found.items())
    return passed, f"place of {column} among {len(among) + 1}: {text}"


def lower_than_beside(
    table: ResultTable, beside: list[ResultTable], columns: list[str], fraction: float = 0.5
) -> Outcome:
    """In more than a fraction of the cells, a table is lower than all those beside it."""
    for name in columns:
        table.column(name)
    lower, lost = [], []
    for (row, column), cell in table.cells.items():
        found = [other.cells[row, column].ours for other in beside if (row, column) in other.cells]
        if column not in columns or len(found) < len(beside):
            continue
        lower.append(cell.ours < min(found))
        if not lower[-1]:
            lost.append(f"{column} on {row}")
    if not lower:
        return None
    return sum(lower) > fraction * len(lower), (
        f"lower in {sum(lower)} of {len(lower)} cells"
        + (f", not for {', '.join(lost)}" if lost else "")
    )


def different_pairs(
    table: ResultTable,
    lower: float = 0.0,
    higher: float = 0.0,
    same: float = 0.0,
    corrected: bool = False,
) -> Outcome:
    """The paired tests find "lower", "higher" and "not different" in fractions of the rows."""
    if not table.pairs:
        return None
    sides = [pair.side(corrected=corrected) for pair in table.pairs]
    wanted = {-1: ("lower", lower), 1: ("higher", higher), 0: ("same", same)}
    passed = all(
        sides.count(side) >= _fraction(*threshold) * len(sides)
        for side, threshold in wanted.items()
    )
    a, b = table.spec.pairs["a"], table.spec.pairs["b"]
    text = (
        f"{a} is significantly lower than {b} in {sides.count(-1)} of {len(sides)} rows, higher in "
        f"{sides.count(1)}"
    )
    return passed, text + (", by the corrected test" if corrected else "")


CHECKS: dict[str, Callable[..., Outcome]] = {
    check.__name__: check
    for check in (
        lower_mean, lower_in_rows, significantly_lower, ratio, highest_mean, never_higher, near,
        grows_less, grows, between, reaches, among_first, lower_than_beside, different_pairs,
    )
}  # fmt: skip
"""The checks of a claim, by name."""
