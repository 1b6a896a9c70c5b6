"""Claims of a paper, judged by the results.

A claim has one or more checks, each of a table. A check passes, fails, or is open: its interval
contains both. A claim is not decided unless all its checks could run, and a check cannot run while
one of its cells waits for its tasks. Then it holds if all pass; it
holds in part if some pass and some fail; it does not hold here if some fail and none passes; and it
is not decided if none fails and some are open.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from mixedwood.study import check_pairs, check_tables
from mixedwood.study.definition import Claim, StudyError, Verdict

if TYPE_CHECKING:
    from mixedwood.study.results import ResultTable

__all__ = ["CHECKS", "HOLDS", "IN_PART", "NOT_DECIDED", "NOT_HERE", "judge"]

HOLDS, IN_PART, NOT_HERE = "holds", "holds in part", "does not hold here"
NOT_DECIDED = "not decided"
NOT_CLAIMED = "nothing claimed"  # of a proposal
_SIGNS = {True: "yes", False: "no", None: "open"}

CHECKS: dict[str, Callable[..., check_pairs.Outcome]] = {
    check.__name__: check
    for check in (
        check_pairs.lower_mean,
        check_pairs.lower_rank,
        check_pairs.lower_in_rows,
        check_pairs.never_higher,
        check_pairs.similar,
        check_pairs.significantly_lower,
        check_pairs.ratio,
        check_tables.grows_less,
        check_tables.grows,
        check_tables.slope,
        check_tables.between,
        check_tables.reaches,
        check_tables.near,
        check_tables.quantile,
        check_tables.highest_mean,
        check_tables.among_first,
        check_tables.lower_than_beside,
        check_tables.different_pairs,
    )
}
"""Checks by the names that study files use."""


def judge(claim: Claim, tables: Mapping[str, ResultTable]) -> Verdict:
    """Decide whether a claim holds."""
    if not claim.checks:
        return Verdict(claim, NOT_DECIDED if claim.source == "paper" else NOT_CLAIMED, ())
    decisions, evidence, missing = [], [], 0
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
        if outcome is None or _waits(tables[name], options):
            missing += 1
            continue
        decisions.append(outcome[0])
        evidence.append(f"{_SIGNS[outcome[0]]}: {outcome[1]} ({tables[name].spec.title})")
    if missing:
        n = len(claim.checks)
        text = f"{missing} of {n} checks could not run" if decisions else "no check could run"
        return Verdict(claim, NOT_DECIDED, (*evidence, text))
    if False in decisions:
        verdict = IN_PART if True in decisions else NOT_HERE
    else:
        verdict = NOT_DECIDED if None in decisions else HOLDS
    return Verdict(claim, verdict, tuple(evidence))


def _waits(table: ResultTable, options: Mapping[str, Any]) -> bool:
    """Whether a check asks for cells whose tasks were not run, also of the tables beside it."""
    beside: list[ResultTable] = options.get("beside", [])
    of_others = ("b", "x") if beside else ()
    columns = [options[n] for n in ("a", "b", "column") if n in options and n not in of_others]
    columns += [*options.get("columns", ()), *options.get("among", ())]
    others = [options[n] for n in of_others if n in options] or columns
    rows = options.get("rows") or [options[n] for n in ("first", "last") if n in options]
    return any(
        (not rows or row in rows) and (not wanted or column in wanted)
        for one, wanted in [(table, columns), *((other, others) for other in beside)]
        for row, column in one.not_run
    )
