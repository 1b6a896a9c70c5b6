"""What a claim can ask of a table, by name: each check says whether it was seen, in a sentence."""

from __future__ import annotations

from collections.abc import Callable

from mixedwood.study.checks import columns, figures
from mixedwood.study.checks.finding import Outcome

__all__ = ["CHECKS", "Outcome"]

CHECKS: dict[str, Callable[..., Outcome]] = {
    "lower_mean": columns.lower_mean,
    "lower_in_rows": columns.lower_in_rows,
    "significantly_lower": columns.significantly_lower,
    "ratio": columns.ratio,
    "highest_mean": columns.highest_mean,
    "never_higher": columns.never_higher,
    "near": columns.near,
    "grows_less": columns.grows_less,
    "grows": columns.grows,
    "between": figures.between,
    "reaches": figures.reaches,
    "among_first": figures.among_first,
    "lower_than_beside": figures.lower_than_beside,
    "different_pairs": figures.different_pairs,
}
