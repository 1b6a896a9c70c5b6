"""Tasks of the study: gain ratios of random orders, and what the trees of an ensemble do."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np

from mixedwood._folds import check_cv
from mixedwood.data import Column, ColumnKind, Schema, Table
from mixedwood.study import StudyError, TaskContext
from mixedwood.study.tasks import Metrics

__all__ = ["concept_rows", "gain_ratios", "members"]

_SIZES = (3, 3, 2, 3, 4, 2)  # values of the columns of the Monks problems
_CONCEPTS: dict[str, Callable[[tuple[int, ...]], bool]] = {
    # Cells of a diagonal, whatever the order of the values of both columns is.
    "a1 = a2": lambda row: row[0] == row[1],
    # A box for any order: one value of each of two columns.
    "a1 = 0 or a2 = 0": lambda row: row[0] == 0 or row[1] == 0,
}


def members(context: TaskContext) -> Metrics:
    """Errors of an ensemble and of its trees, and how much the trees differ, on two halves.

    Axes: `repetition`; `dataset`, or `concept`, a rule over the 432 rows of the Monks problems.
    Metrics, one of each half: `error`; `member_error`, the mean of the trees; `disagreement`, the
    fraction of rows on which two trees differ, a mean over pairs.
    """
    if "concept" in context.point:
        table, y = concept_rows(str(context.point["concept"]))
        codes = y
    else:
        table, y, codes = context.data.X, context.data.labels, context.data.codes
    repetition = int(context.point.get("repetition", 0))
    folds = check_cv(f"{repetition + 1}x2cv").split(codes, 0)[-2:]
    found: dict[str, list[float]] = {"error": [], "member_error": [], "disagreement": []}
    for number, fold in enumerate(folds):
        model = context.model(context.seed(number))
        model.fit(table.take(fold.train), y[fold.train])
        X, truth = table.take(fold.test), y[fold.test]
        differ = model.diversity(X, truth)
        found["error"].append(float(np.mean(np.asarray(model.predict(X)) != truth)))
        found["member_error"].append(differ.member_error)
        found["disagreement"].append(differ.disagreement)
    return dict(found)


def concept_rows(concept: str) -> tuple[Table, np.ndarray]:
    """All 432 rows of the Monks problems, and 1 where a rule is met."""
    if concept not in _CONCEPTS:
        raise StudyError(f"concept must be one of {', '.join(_CONCEPTS)}; got {concept!r}.")
    rows = list(itertools.product(*(range(size) for size in _SIZES)))
    columns = tuple(
        Column(f"a{place}", ColumnKind.NOMINAL, tuple(map(str, range(size))))
        for place, size in enumerate(_SIZES, 1)
    )
    codes = np.array(rows, dtype=np.int32)
    table = Table(Schema(columns), tuple(np.ascontiguousarray(column) for column in codes.T))
    return table, np.array([int(_CONCEPTS[concept](row)) for row in rows])


def gain_ratios(context: TaskContext) -> Metrics:
    """Return mean and spread of the gain ratio over all orders and splits of a column.

    The axis `values` is the number of values, all equally frequent; half of them belong to one
    class, half to the other. A random split assigns each value to a side with equal probability;
    both sides have values.
    """
    n = int(context.point["values"])
    half = n // 2
    best = []
    for firsts in itertools.combinations(range(n), half):
        on_left = np.cumsum(np.isin(np.arange(n), firsts))[:-1]
        best.append(max(_ratio(t, int(a), n) for t, a in enumerate(on_left, 1)))
    splits = [
        (_ratio(a + b, a, n), math.comb(half, a) * math.comb(half, b))
        for a in range(half + 1)
        for b in range(half + 1)
        if 0 < a + b < n
    ]
    ratios, counts = (np.array(part) for part in zip(*splits, strict=True))
    mean = float(np.average(ratios, weights=counts))
    return {
        "ro_mean": float(np.mean(best)),
        "ro_sd": float(np.std(best)),
        "split_mean": mean,
        "split_sd": float(np.sqrt(np.average((ratios - mean) ** 2, weights=counts))),
        "multiway": 1 / math.log2(n),
    }


def _ratio(t: int, a: int, n: int) -> float:
    """Gain ratio of a cut with t of n values on its left, a of them of the first class."""
    half = n // 2
    left, right = _entropy(a, t - a), _entropy(half - a, half - (t - a))
    return (1 - t / n * left - (1 - t / n) * right) / _entropy(t, n - t)


def _entropy(a: int, b: int) -> float:
    return -sum(x / (a + b) * math.log2(x / (a + b)) for x in (a, b) if x)
