"""All checks of claims, by the names that study files use."""

from __future__ import annotations

from collections.abc import Callable

from mixedwood.study import check_pairs, check_tables

__all__ = ["CHECKS"]

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
