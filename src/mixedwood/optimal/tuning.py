"""Choosing the depth and the number of leaves by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood._folds import hold_out, shuffled_folds, splitter_folds
from mixedwood._limits import Deadline, StopFlag
from mixedwood.data import Table, Target
from mixedwood.optimal.build import apply_splits
from mixedwood.optimal.problem import OptimalSettings, drop_zero_weights
from mixedwood.optimal.solvers import make_solver
from mixedwood.tree import argmax_with_ties

__all__ = ["FRACTION_OF_LIMITS", "ChosenSize", "choose_size", "kept_folds"]

FRACTION_OF_LIMITS = 0.7
"""Of the time and work; the rest is for the tree of all rows."""

_HELD_OUT = 0.2  # of the rows, with cv="holdout"


@dataclass(frozen=True)
class ChosenSize:
    """The chosen limits, and how they were chosen.

    Attributes
    ----------
    settings : OptimalSettings
        Those given, with the limits chosen.
    cv_results : dict of str to ndarray
        All limits that were tried, and their scores.
    complete, interrupted : bool
        Whether all limits were tried, and whether Ctrl-C ended the search.
    work : int
        Steps of all searches.
    """

    settings: OptimalSettings
    cv_results: dict[str, NDArray[Any]]
    complete: bool
    interrupted: bool
    work: int


def choose_size(
    table: Table,
    target: Target,
    settings: OptimalSettings,
    *,
    cv: Any,
    seed: int,
    time_limit: float = inf,
    stop: StopFlag | None = None,
    log: Callable[[str], None] = lambda message: None,
) -> ChosenSize:
    """Choose the depth and the number of leaves with the best score; the smallest of equals.

    Each fold keeps one solver for all sizes. Binary features are made from the training rows of the
    fold only. When the time or most of the work is used up, or after Ctrl-C, the choice is among
    the sizes that were tried in every fold.
    """
    deadline = Deadline.after(time_limit)
    table, target = drop_zero_weights(table, target)
    folds = _make_folds(target.codes, cv, seed)
    solvers = [make_solver(table.take(fit), target.take(fit), settings) for fit, _ in folds]
    weights = np.ones(target.n_rows) if target.weights is None else target.weights
    total = float(sum(weights[held_out].sum() for _, held_out in folds))
    tried: list[tuple[int, int, float, bool]] = []
    complete, interrupted = True, False
    try:
        for depth, leaves in _sizes(settings, max(len(fit) for fit, _ in folds)):
            wrong, proven = 0.0, True
            log(f"trying depth {depth} with {leaves} leaves in {len(folds)} folds")
            for (fit, held_out), solver in zip(folds, solvers, strict=True):
                left = deadline.left()
                work_left = FRACTION_OF_LIMITS * settings.work_limit - sum(s.work for s in solvers)
                if min(left, work_left) <= 0 and tried:
                    break
                splits, proof = solver.solve(
                    depth, leaves, time_limit=max(left, 0.01), work_limit=work_left, stop=stop
                )
                if proof.status == "interrupted":
                    raise KeyboardInterrupt
                proven &= proof.optimal
                assert splits is not None  # there is no upper bound
                leaf_of_row = apply_splits(splits, table)
                loss = _squared_error if target.is_numeric else _misclassified
                wrong += loss(leaf_of_row, fit, held_out, target, len(splits))
            else:
                tried.append((depth, leaves, wrong / total, proven))
                continue
            complete = False
            break
    except KeyboardInterrupt:
        if not tried:
            raise
        interrupted = True
    depths, n_leaves, errors, proofs = map(np.array, zip(*tried, strict=True))
    is_loss = target.is_numeric or target.cost_matrix is not None
    best = int(np.argmin(errors))  # the first of equals is the smallest
    return ChosenSize(
        replace(settings, max_depth=int(depths[best]), max_leaf_nodes=int(n_leaves[best])),
        {
            "param_max_depth": depths,
            "param_max_leaf_nodes": n_leaves,
            "mean_test_score": -errors if is_loss else 1.0 - errors,
            "rank_test_score": 1 + (errors[:, None] > errors).sum(axis=1),
            "optimal": proofs,
        },
        complete and not interrupted,
        interrupted,
        sum(solver.work for solver in solvers),
    )


def _make_folds(
    codes: NDArray[np.int32], cv: Any, seed: int
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Training rows and held-out rows of each fold."""
    if isinstance(cv, str):  # "holdout"
        held_out = hold_out(codes, _HELD_OUT, seed)
        if held_out.any():
            return [(np.flatnonzero(~held_out), np.flatnonzero(held_out))]
        cv = 5  # every class has a single row
    if hasattr(cv, "split"):
        return [(fold.train, fold.test) for fold in splitter_folds(cv, codes)]
    if isinstance(cv, Iterable):
        return [(np.asarray(fit), np.asarray(held_out)) for fit, held_out in cv]
    return shuffled_folds(codes, cv, seed)


def kept_folds(
    folds: Iterable[tuple[Any, Any]], kept: NDArray[np.bool_]
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Rows of folds among the rows that are kept.

    Examples
    --------
    >>> kept_folds([([0, 1], [2, 3])], np.array([True, False, True, True]))
    [(array([0]), array([1, 2]))]
    """
    place = np.cumsum(kept) - 1
    return [
        (place[fit][kept[fit]], place[held_out][kept[held_out]])
        for fit, held_out in ((np.asarray(a), np.asarray(b)) for a, b in folds)
    ]


def _sizes(settings: OptimalSettings, n_rows: int) -> Iterator[tuple[int, int]]:
    """All depths and numbers of leaves up to the given ones, smaller first."""
    yield 0, 1
    for depth in range(1, settings.max_depth + 1):
        most = min(2**depth, n_rows)  # every split divides rows
        if settings.max_leaf_nodes is not None:
            most = min(most, settings.max_leaf_nodes)
        # A tree with fewer splits than its depth is not that deep.
        yield from ((depth, leaves) for leaves in range(depth + 1, most + 1))


def _squared_error(
    leaf_of_row: NDArray[np.int32],
    rows: NDArray[np.intp],
    held_out: NDArray[np.intp],
    target: Target,
    n_nodes: int,
) -> float:
    """Weighted squared error of held-out rows about the means of the others in their leaves."""
    weights = np.ones(target.n_rows) if target.weights is None else target.weights
    leaf, y = leaf_of_row[rows], target.numbers
    weight = np.bincount(leaf, weights[rows], minlength=n_nodes)
    mean = np.bincount(leaf, weights[rows] / weight[leaf] * y[rows], minlength=n_nodes)
    return float(weights[held_out] @ (y[held_out] - mean[leaf_of_row[held_out]]) ** 2)


def _misclassified(
    leaf_of_row: NDArray[np.int32],
    rows: NDArray[np.intp],
    held_out: NDArray[np.intp],
    target: Target,
    n_nodes: int,
) -> float:
    """Cost of the labels that the other rows give to held-out rows."""
    labels = _labels(leaf_of_row, rows, target, n_nodes)
    return target.take(held_out).total_cost(labels[leaf_of_row[held_out]])


def _labels(
    leaf_of_row: NDArray[np.int32], rows: NDArray[np.intp], target: Target, n_nodes: int
) -> NDArray[np.int32]:
    """The class that each leaf predicts, by its rows among those given."""
    weights = np.ones(target.n_rows) if target.weights is None else target.weights
    counts = np.zeros((n_nodes, target.n_classes))
    np.add.at(counts, (leaf_of_row[rows], target.codes[rows]), weights[rows])
    if target.cost_matrix is not None:
        return argmax_with_ties(-(counts @ target.cost_matrix))
    return argmax_with_ties(counts)
