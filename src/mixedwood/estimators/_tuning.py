"""How ensembles choose sizes: of their forest by a rule, of their boosted trees by a race."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from mixedwood import _kinds as kinds
from mixedwood._folds import fold_numbers
from mixedwood._limits import Deadline, warn_time_limit
from mixedwood._parallel import show_progress
from mixedwood.boosting import NumberScore, Race, TuningResult, count_folds
from mixedwood.boosting.tuning import PlanScore
from mixedwood.data import ColumnKind, Table, Target
from mixedwood.grow import EncodedTable
from mixedwood.grow.gradient import BinnedTable

__all__ = ["CV_RESULTS", "cv_results", "forest_size", "tested_folds", "tune_boosted"]

Candidate = dict[str, Any]

CV_RESULTS = {
    "param_max_depth": kinds.COUNTS,
    "param_n_estimators": kinds.COUNTS,
    "param_partitioner": kinds.sometimes(kinds.TEXTS),
    "mean_test_score": kinds.array(np.float64, 1, kinds.FINITE),
    "rank_test_score": kinds.COUNTS,
}

_MAX_TREES, _MIN_TREES = 50, 16
# Samples grow with the square root of the number of rows beyond these.
_ROWS_OF_WHOLE_SAMPLES = 2_000
_TYPICAL_DEPTH = 4.0
_FASTER = 3.0
# Tried at the best depth. With all values of all columns, groups of values and interactions of few
# columns are found sooner, and noise as well; random orders of half of them find less of both.
_SEARCHED: Candidate = {"partitioner": "auto", "max_features": None}
_RANDOM: Candidate = {"partitioner": "random_order", "max_features": 0.5}


def forest_size(n_rows: int, rows_of_all_trees: int = 1_000) -> tuple[int, int | None]:
    """Choose the number of trees of an ensemble's forest, and of rows in the sample of each.

    Few rows deserve many trees, of all rows. Of many, trees on samples are as good beside boosting,
    and the time of the forest grows no faster than the number of rows.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    rows_of_all_trees : int, default=1000
        Number of rows from which on there are fewer than 50 trees.

    Returns
    -------
    int
        Number of trees: 50, then falling with the square root of the rows, to 16.
    int or None
        Rows in a sample: None for all, from 2,000 rows on growing with their square root.

    Examples
    --------
    >>> [forest_size(n) for n in (500, 4_000, 100_000)]
    [(50, None), (25, 2828), (16, 14142)]
    """
    n_trees = max(_MIN_TREES, round(_MAX_TREES * min(1.0, math.sqrt(rows_of_all_trees / n_rows))))
    if n_rows <= _ROWS_OF_WHOLE_SAMPLES:
        return n_trees, None
    return n_trees, round(math.sqrt(_ROWS_OF_WHOLE_SAMPLES * n_rows))


def tested_folds(target: Target, cv: Any, seed: int) -> NDArray[np.int64] | None:
    """Give the fold of each row, -1 for rows that are not tested; None if no row is.

    With ``cv=None``, there are five folds. Of those only so many are tested that they have 600 rows
    together.
    """
    folds = fold_numbers(target.codes, 5 if cv is None else cv, seed, target.weights)
    if cv is None:
        folds = np.where(folds < count_folds(target.n_rows), folds, -1)
    numbers = np.unique(folds[folds >= 0])
    if not len(numbers):
        return None
    return np.asarray(np.where(folds >= 0, np.searchsorted(numbers, folds), -1))


def tune_boosted(
    boosted: Any,
    coded: EncodedTable,
    target: Target,
    folds: NDArray[np.int64],
    make_score: Callable[[NDArray[np.intp]], PlanScore] | None,
    *,
    max_depths: Sequence[int],
    max_iter: int,
    n_iter_no_change: int,
    seed: int,
    n_jobs: int | None,
    verbose: int,
    deadline: Deadline,
) -> tuple[list[Candidate], list[TuningResult]]:
    """Let depths compete, then ways to split columns at the best depth.

    Parameters
    ----------
    boosted : BoostedTreesClassifier or BoostedTreesRegressor
        The boosted trees, with parameters as given.
    coded, target : EncodedTable, Target
        Training data.
    folds : ndarray of int
        As `tested_folds` gives them.
    make_score : callable, optional
        Makes the score of tested rows; that of numbers by default.
    max_depths, max_iter, n_iter_no_change
        As in `EnsembleClassifier`.
    seed, n_jobs, verbose
        Seed, threads, and whether to show progress.
    deadline : Deadline
        When the race ends.

    Returns
    -------
    list of dict
        Parameters of the candidates that were tried.
    list of TuningResult
        Their results.
    """
    rows = np.flatnonzero(folds >= 0)
    candidates: list[Candidate] = [{"max_depth": depth} for depth in dict.fromkeys(max_depths)]

    def plan(candidate: Candidate) -> Any:
        return _with(boosted, candidate)._plan(coded.table.n_rows, coded.table.schema)

    # If time is short, depths that are far from the usual one have none.
    candidates.sort(key=lambda c: abs(math.log(c["max_depth"] / _TYPICAL_DEPTH)))
    plans = [plan(candidate) for candidate in candidates]
    score = NumberScore.of(plans[0], target, rows) if make_score is None else make_score(rows)
    with show_progress(100, verbose, "% of tuning") as advance:
        race = Race(
            BinnedTable(coded, plans[0].max_bins, target.weights),
            target,
            folds,
            score,
            max_iter,
            n_iter_no_change,
            seed,
            effective_n_jobs(n_jobs),
            _FASTER,
            advance,
        )
        results = race.run(plans, deadline)
        best = min(results, key=lambda result: result.loss)
        depth = candidates[best.candidate]["max_depth"]
        others = [{"max_depth": depth, **ways} for ways in _ways(boosted, coded.table)]
        if others and not deadline.is_over():
            results += race.run([plan(o) for o in others], deadline, best, len(candidates))
            candidates += others
        advance(100)
    if deadline.is_over():
        warn_time_limit(
            "The time limit came before tuning was complete; the best candidate so far is used."
        )
    return [candidates[result.candidate] for result in results], results


def _with(boosted: Any, candidate: Candidate) -> Any:
    """Give boosted trees other parameters; `clone` takes longer than a tree of a small table."""
    model = copy(boosted)
    vars(model).update(candidate)
    return model


def _ways(boosted: Any, table: Table) -> list[Candidate]:
    """Further ways to split columns, unless the user chose one."""
    default = type(boosted)()
    if any(getattr(boosted, name) != getattr(default, name) for name in _SEARCHED):
        return []
    if any(c.kind == ColumnKind.NOMINAL and c.n_categories > 2 for c in table.schema):
        return [_SEARCHED, _RANDOM]
    return [{"max_features": None}] if table.n_columns > 1 else []


def cv_results(
    boosted: Any,
    candidates: list[Candidate],
    results: list[TuningResult],
    losses: list[float],
    **further: list[float],
) -> dict[str, NDArray[Any]]:
    """Describe the candidates in the order of their depths, with the losses of the ensemble."""
    order = sorted(range(len(results)), key=lambda i: (candidates[i]["max_depth"], i))
    tried = [_with(boosted, candidates[i]) for i in order]
    values = np.array([losses[i] for i in order])
    return {
        "param_max_depth": np.array([model.max_depth for model in tried]),
        "param_n_estimators": np.array([results[i].n_iter for i in order]),
        "param_partitioner": np.array([str(model.partitioner) for model in tried]),
        **{name: np.array([given[i] for i in order]) for name, given in further.items()},
        "mean_test_score": -values,
        "rank_test_score": 1 + (values[:, None] > values).sum(axis=1),
    }
