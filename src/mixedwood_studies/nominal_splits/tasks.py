"""Tasks of the study: cross-validation on the folds of the published one."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.study import TaskContext
from mixedwood.study.tasks import Metrics

__all__ = ["SEEDS", "assign_folds", "joined_columns", "published_folds"]

SEEDS = {
    # "Binary Splitting Criteria for Large Categorical Attributes in Decision Trees"
    "nominal_splits": (
        65537, 986112772, 580170418, 897083807, 1286664107, 899169460, 1728505703, 423232363,
        1576030107, 1102706565, 756372267, 1041481669, 500571641, 1196189230, 49471178, 827006267,
        1581871235, 1249719834, 1281093615, 603059048,
    ),
}  # fmt: skip
"""Seeds of the repetitions of a publication, by a short name."""


def published_folds(context: TaskContext) -> Metrics:
    """Fit and test a tree on the folds of one repetition, as a published seed gives them.

    Settings: `seeds`, one for each repetition, or a name of `SEEDS`; `folds`, the number of folds;
    `max_depth`. Axis: `repetition`. Metrics of all folds together: the accuracy, %; that of rows
    without a value that is unknown to a node on their path, %; the percentage of rows with such a
    value; mean nodes and depth of the trees; the seconds of processor time of fitting and testing.
    """
    problem = context.data
    if (depth := context.value("max_depth")) is not None:
        context = replace(context, method={**context.method, "max_depth": int(depth)})
    seeds = context.settings["seeds"]
    of_repetition = SEEDS[seeds] if isinstance(seeds, str) else seeds
    seed = int(of_repetition[int(context.point["repetition"])])
    n_folds = int(context.value("folds", 3))
    fold = assign_folds(problem.codes, n_folds, seed)
    right, unknown = np.zeros(len(fold), dtype=bool), np.zeros(len(fold), dtype=bool)
    nodes, depths, seconds = [], [], 0.0
    for number in range(n_folds):
        X, y = problem.take(np.flatnonzero(fold != number))
        X_test, y_test = problem.take(np.flatnonzero(fold == number))
        model = context.model(seed)
        started = time.process_time()
        model.fit(X, y)
        labels, stopped = predict_with_stops(model, X_test)
        seconds += time.process_time() - started
        right[fold == number] = labels == y_test
        unknown[fold == number] = stopped
        nodes.append(model.tree_.n_nodes)
        depths.append(model.tree_.depth)
    return {
        "accuracy": 100 * float(right.mean()),
        "accuracy_known": 100 * float(right[~unknown].mean()),
        "unknown": 100 * float(unknown.mean()),
        "nodes": float(np.mean(nodes)),
        "depth": float(np.mean(depths)),
        "seconds": seconds,
    }


def joined_columns(context: TaskContext) -> Metrics:
    """Return how near the root trees split on joined columns, on the folds of `published_folds`.

    Setting: `joined`, the joined columns of each dataset by its name. Metrics: `first`, the least
    depth of a split on such a column, the root being 0, a mean over the trees that have one;
    `used`, the fraction of trees that have one; `at_root`, the fraction with one at the root.
    """
    problem = context.data
    if (depth := context.value("max_depth")) is not None:
        context = replace(context, method={**context.method, "max_depth": int(depth)})
    joined = set(context.settings["joined"][context.point["dataset"]])
    seed = int(SEEDS[context.settings["seeds"]][int(context.point["repetition"])])
    n_folds = int(context.value("folds", 3))
    fold = assign_folds(problem.codes, n_folds, seed)
    firsts: list[int] = []
    for number in range(n_folds):
        model = context.model(seed)
        tree = model.fit(*problem.take(np.flatnonzero(fold != number))).tree_
        names = tree.schema.names
        depths = [
            int(tree.node_depth[node])
            for node in range(tree.n_nodes)
            if tree.column[node] >= 0 and names[tree.column[node]] in joined
        ]
        firsts += [min(depths)] if depths else []
    found: Metrics = {"used": len(firsts) / n_folds, "at_root": firsts.count(0) / n_folds}
    return found | ({"first": float(np.mean(firsts))} if firsts else {})


def predict_with_stops(model: Any, table: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the predictions of a tree, and which rows stopped above the leaves."""
    tree = model.tree_
    reached = model.apply(table)
    return model.classes_[tree.label[reached]], np.diff(tree.child_offset)[reached] > 0


def assign_folds(codes: NDArray[Any], n_folds: int, seed: int) -> NDArray[np.intp]:
    """Return the fold of each row.

    Rows are shuffled by Python's generator; then each class is divided into consecutive blocks, as
    in scikit-learn's StratifiedKFold before version 0.22.
    """
    order = list(range(len(codes)))
    random.Random(seed).shuffle(order)
    shuffled = np.array(order)
    fold = np.empty(len(codes), dtype=np.intp)
    for of_class in range(int(codes.max()) + 1):
        rows = shuffled[codes[shuffled] == of_class]
        for number, block in enumerate(np.array_split(rows, n_folds)):
            fold[block] = number
    return fold
