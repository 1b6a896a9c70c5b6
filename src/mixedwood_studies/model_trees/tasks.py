"""Tasks of the study: facts of the data sets, and how stable trees are."""

from __future__ import annotations

import numpy as np

from mixedwood.study import TaskContext
from mixedwood.study.tasks import Metrics

__all__ = ["bootstrap_pairs", "facts"]


def facts(context: TaskContext) -> Metrics:
    """Rows, columns of both kinds, and the error of always predicting the most common class, %."""
    problem = context.data
    numeric = sum(column.is_numeric for column in problem.X.schema)
    counts = np.bincount(problem.codes)
    return {
        "rows": float(len(problem.codes)),
        "nominal": float(problem.n_columns - numeric),
        "numeric": float(numeric),
        "majority error": 100 * float(1 - counts.max() / counts.sum()),
    }


def bootstrap_pairs(context: TaskContext) -> Metrics:
    """Fit a tree to each of two bootstrap samples, and compare the trees on the other rows.

    Axis: `repetition`. Metrics: `disagreement`, the fraction of rows in neither sample that the
    trees predict differently; `error` on these rows, the mean of both; `leaves`, the difference of
    their numbers relative to their mean.
    """
    problem = context.data
    n = len(problem.codes)
    rng = np.random.default_rng(context.seed(0))
    samples = [rng.integers(0, n, n) for _ in range(2)]
    others = np.setdiff1d(np.arange(n), np.concatenate(samples))
    X, y = problem.take(others)
    predicted, leaves = [], []
    for number, rows in enumerate(samples):
        model = context.model(context.seed(number + 1))
        model.fit(*problem.take(rows))
        predicted.append(np.asarray(model.predict(X)))
        leaves.append(model.tree_.n_leaves)
    first, second = predicted
    return {
        "disagreement": float(np.mean(first != second)),
        "error": float(np.mean([(labels != y).mean() for labels in predicted])),
        "leaves": abs(leaves[0] - leaves[1]) / float(np.mean(leaves)),
    }
