"""What a paper says, judged by what was found.

A claim has checks. Each looks at one table and says whether it was seen, in a sentence with its
figures. All of them: the claim holds; some: in part; none: it does not hold here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mixedwood.study.checks import CHECKS
from mixedwood.study.definition import Claim, StudyError

if TYPE_CHECKING:
    from mixedwood.study.results import FilledTable

__all__ = ["Verdict", "judge"]

HOLDS, IN_PART, NOT_HERE, NOT_YET = "holds", "holds in part", "does not hold here", "not run"


@dataclass(frozen=True)
class Verdict:
    """What became of a claim, and what was seen."""

    claim: Claim
    verdict: str
    evidence: tuple[str, ...]


def judge(claim: Claim, tables: Mapping[str, FilledTable]) -> Verdict:
    """Say whether a claim holds."""
    seen, evidence = [], []
    for check in claim.checks:
        words = dict(check)
        kind, name = str(words.pop("check", "")), str(words.pop("table", ""))
        if kind not in CHECKS:
            raise StudyError(f"There is no check {kind!r}; there are {', '.join(CHECKS)}.")
        if name not in tables:
            continue  # left out of the short form
        if "beside" in words:
            if any(other not in tables for other in words["beside"]):
                continue
            words["beside"] = [tables[other] for other in words["beside"]]
        outcome = CHECKS[kind](tables[name], **words)
        if outcome is not None:
            seen.append(outcome[0])
            evidence.append(f"{outcome[1]} ({tables[name].table.title})")
    if not seen:
        return Verdict(claim, NOT_YET, ())
    verdict = HOLDS if all(seen) else IN_PART if any(seen) else NOT_HERE
    return Verdict(claim, verdict, tuple(evidence))
