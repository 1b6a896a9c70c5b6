"""How deep and how large: the budget of the fewest errors on rows that the tree has not seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from mixedwood._folds import shuffled_folds
from mixedwood._limits import Deadline, StopFlag
from mixedwood.data import Table, Target
from mixedwood.optimal.building import Skeleton, answers_of
from mixedwood.optimal.search import make_search, without_weightless
from mixedwood.optimal.settings import OptimalSettings

__all__ = ["SHARE_OF_LIMITS", "TriedBudget", "choose_budget"]

SHARE_OF_LIMITS = 0.7
"""Of time and work; the tree of all rows needs some as well."""


@dataclass(frozen=True)
class TriedBudget:
    """A budget and how trees within it did on held-out rows.

    Attributes
    ----------
    max_depth, max_nodes : int
        The budget.
    error : float
        Share of the held-out weight that was answered wrongly.
    proven : bool
        Whether the trees of all folds were proven to be the best.
    """

    max_depth: int
    max_nodes: int
    error: float
    proven: bool


@dataclass(frozen=True)
class ChosenBudget:
    """A budget, and how it was chosen.

    Attributes
    ----------
    settings : OptimalSettings
        Those given, with the budget.
    tried : list of TriedBudget
        All that were tried.
    complete, interrupted : bool
        Whether these are all there are, or Ctrl-C ended it.
    work : int
        Steps of all searches.
    """

    settings: OptimalSettings
    tried: list[TriedBudget]
    complete: bool
    interrupted: bool
    work: int


def choose_budget(
    table: Table,
    target: Target,
    settings: OptimalSettings,
    *,
    n_folds: int,
    seed: int,
    time_limit: float = inf,
    stop: StopFlag | None = None,
    tell: Callable[[str], None] = lambda words: None,
) -> ChosenBudget:
    """Choose depth and number of tests by cross-validation; the smallest of the best.

    Each fold keeps one solver for all budgets. Binary columns are made from the fold's training
    rows alone. When the time or most of the work is over, or after Ctrl-C, the choice is among the
    budgets tried in every fold.
    """
    deadline = Deadline.after(time_limit)
    table, target = without_weightless(table, target)
    folds = shuffled_folds(target.codes, n_folds, seed)
    searches = [make_search(table.take(fit), target.take(fit), settings) for fit, _ in folds]
    weights = np.ones(target.n_rows) if target.weights is None else target.weights
    tried: list[TriedBudget] = []
    complete, interrupted = True, False
    try:
        for depth, nodes in _budgets(settings, max(len(fit) for fit, _ in folds)):
            wrong, proven = 0.0, True
            tell(f"trying depth {depth} with {nodes} tests in {len(folds)} folds")
            for (fit, held_out), search in zip(folds, searches, strict=True):
                left = deadline.left()
                work_left = SHARE_OF_LIMITS * settings.work_limit - sum(s.work for s in searches)
                if min(left, work_left) <= 0 and tried:
                    break
                skeleton, proof = search.solve(
                    depth, nodes, time_limit=max(left, 0.01), work_limit=work_left, stop=stop
                )
                if proof.status == "interrupted":
                    raise KeyboardInterrupt
                proven &= proof.optimal
                labels = _labels(skeleton, table.take(fit), target.take(fit))
                guess = labels[answers_of(skeleton, table.take(held_out))]
                wrong += float(weights[held_out][guess != target.codes[held_out]].sum())
            else:
                tried.append(TriedBudget(depth, nodes, wrong / float(weights.sum()), proven))
                continue
            complete = False
            break
    except KeyboardInterrupt:
        if not tried:
            raise
        interrupted = True
    best = min(tried, key=lambda budget: budget.error)  # the first of equals is the smallest
    return ChosenBudget(
        replace(settings, max_depth=best.max_depth, max_nodes=best.max_nodes),
        tried,
        complete and not interrupted,
        interrupted,
        sum(search.work for search in searches),
    )


def _budgets(settings: OptimalSettings, n_rows: int) -> Iterator[tuple[int, int]]:
    """All budgets up to the given one, smaller first; each test divides rows."""
    yield 0, 0
    for depth in range(1, settings.max_depth + 1):
        most = min(2**depth, n_rows) - 1
        if settings.max_nodes >= 0:
            most = min(most, settings.max_nodes)
        # With fewer tests than its depth, a tree is not that deep.
        yield from ((depth, nodes) for nodes in range(depth, most + 1))


def _labels(skeleton: Skeleton, table: Table, target: Target) -> NDArray[np.int32]:
    """The class that each node answers with."""
    weights = np.ones(target.n_rows) if target.weights is None else target.weights
    counts = np.zeros((len(skeleton), target.n_classes))
    np.add.at(counts, (answers_of(skeleton, table), target.codes), weights)
    labels: NDArray[np.int32] = counts.argmax(axis=1).astype(np.int32)
    return labels
