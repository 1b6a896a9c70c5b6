"""What stands at the top of the page: a title, what was done, and the answers at a glance."""

from __future__ import annotations

import math

import numpy as np

from mixedwood._folds import cv_schemes
from mixedwood.comparison.metrics import METRICS
from mixedwood.comparison.page_view import View
from mixedwood.stats.paired import format_p_value

__all__ = [
    "glance_at_set",
    "glance_at_sets",
    "lead_of",
    "lowest_on",
    "protocol_in_words",
    "title_of",
]


def title_of(view: View) -> str:
    """Name the methods and the sets, in few words."""
    n = len(view.comparison.methods)
    who = view.comparison.methods[0] if n == 1 else f"{n} methods"
    sets = view.comparison.datasets
    return f"{who} on {sets[0].name if len(sets) == 1 else f'{len(sets)} data sets'}"


def lead_of(view: View) -> str:
    """Say what was measured, and how."""
    found = view.comparison
    n, sets = len(found.methods), found.datasets
    who = "One method was" if n == 1 else f"{n} methods were"
    if len(sets) == 1:
        where = f"{sets[0].name} ({view.size(sets[0])})"
    else:
        rows = [facts.n_rows for facts in sets]
        size = f"{min(rows)} to {max(rows)}" if min(rows) < max(rows) else f"{rows[0]}"
        where = f"{len(sets)} data sets of {size} rows"
    same = "" if n == 1 else " All methods saw the same folds."
    how = f"{protocol_in_words(view)}, with the seed {found.random_state}"
    return f"{who} measured on {where} by {how}.{same}"


def protocol_in_words(view: View) -> str:
    """Name the protocol, with what it does if that is known."""
    protocol = view.comparison.cv
    known = cv_schemes().get(protocol.name, "").partition(";")[0]
    if not known and protocol.kind == "k_fold":
        times = "" if protocol.n_repeats == 1 else f"{protocol.n_repeats} times "
        known = f"{times}{protocol.n_splits}-fold cross-validation"
    elif not known and protocol.kind == "holdout":
        known = f"a share of the rows left out for testing, {protocol.n_repeats} times"
    return f"{protocol.name} ({known})" if known else protocol.name


def lowest_on(view: View, s: int) -> str:
    """Which method is first on a set."""
    means = view.comparison.means(view.metric)[s]
    if np.isnan(means).all():
        return "no figures"
    m = int(np.nanargmin(means))
    what = view.caption(view.metric).lower()
    return f"lowest {what}: {view.comparison.methods[m]}, {view.words(view.metric, means[m])}"


def glance_at_set(view: View) -> list[tuple[str, str, str]]:
    """Give the tiles of one set: title, answer, a line about it."""
    found = view.comparison
    titles = {"leaves": "Smallest single tree", "fit_seconds": "Fastest to fit"}
    tiles = []
    for name in dict.fromkeys([view.metric, "leaves", "fit_seconds"]):
        if name not in view.metrics_of(0):
            continue
        means, errors = found.means(name)[0], found.standard_errors(name)[0]
        m = int(np.nanargmin(means))
        is_first = name == view.metric
        error = errors[m] if METRICS[name].tested and is_first else math.nan
        line = view.words(name, means[m], error) + (" leaves" if name == "leaves" else "")
        if not is_first:
            first = view.words(view.metric, found.means(view.metric)[0, m])
            line += f"; {view.caption(view.metric).lower()} {first}"
        title = titles.get(name, f"Lowest {view.caption(name).lower()}")
        tiles.append((title, found.methods[m], line))
    return tiles


def glance_at_sets(view: View) -> list[tuple[str, str, str]]:
    """Give the tiles of several sets."""
    found, tiles = view.comparison, []
    ranks = view.ranks.mean(axis=0)
    n_sets, what = len(found.datasets), view.caption(view.metric).lower()
    if not np.isnan(ranks).all():
        m = int(np.nanargmin(ranks))
        ranked = int((~np.isnan(ranks)).sum())
        tiles.append(("Best mean rank", found.methods[m], f"{ranks[m]:.2f} of {ranked}"))
    means = found.means(view.metric)
    if len(found.methods) > 1 and not np.isnan(means).all(axis=1).any():
        firsts = (means == np.nanmin(means, axis=1, keepdims=True)).sum(axis=0)
        most = int(firsts.max())
        who = _few([found.methods[m] for m in view.order if firsts[m] == most])
        each = "each " if (firsts == most).sum() > 1 else ""
        tiles.append((f"Most often lowest {what}", who, f"{each}on {most} of {n_sets} sets"))
    try:
        friedman = found.friedman_test(view.metric, alpha=view.alpha)
    except ValueError:
        return tiles
    answer = "yes" if friedman.is_significant else "not by more than luck"
    tiles.append(
        ("Do the methods differ?", answer, f"Friedman test, {format_p_value(friedman.p_value)}")
    )
    return tiles


def _few(names: list[str]) -> str:
    """Name two at most."""
    if len(names) < 3:
        return " and ".join(names)
    return f"{names[0]} and {len(names) - 1} others"
