"""Cross-validation on the very folds of a published study."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.study import Work
from mixedwood.study.tasks import Figures

__all__ = ["SEEDS", "deal", "published_folds"]

SEEDS = {
    # "Binary Splitting Criteria for Large Categorical Attributes in Decision Trees"
    "nominal_splits": (
        65537, 986112772, 580170418, 897083807, 1286664107, 899169460, 1728505703, 423232363,
        1576030107, 1102706565, 756372267, 1041481669, 500571641, 1196189230, 49471178, 827006267,
        1581871235, 1249719834, 1281093615, 603059048,
    ),
}  # fmt: skip
"""Seeds of the repetitions of a published work, by a short name."""


def published_folds(work: Work) -> Figures:
    """Fit and test a tree on the folds of one repetition, dealt from a published seed.

    Settings: `seeds`, one for each repetition, or a name of `SEEDS`; `folds`, how many;
    `max_depth`, most tests in a row. Axis: `repetition`. Figures of all folds together: the
    accuracy, %; that of the rows which met no value that is strange to a node, %; the share of
    those that did, %; mean nodes and depth of the trees; the seconds of learning and testing.
    """
    problem = work.data
    if (depth := work.value("max_depth")) is not None:
        work = replace(work, method={**work.method, "max_depth": int(depth)})
    seeds = work.settings["seeds"]
    seed = int((SEEDS[seeds] if isinstance(seeds, str) else seeds)[int(work.at["repetition"])])
    n_folds = int(work.value("folds", 3))
    fold = deal(problem.codes, n_folds, seed)
    right, strange = np.zeros(len(fold), dtype=bool), np.zeros(len(fold), dtype=bool)
    nodes, depths, seconds = [], [], 0.0
    for number in range(n_folds):
        X, y = problem.take(np.flatnonzero(fold != number))
        new, answers = problem.take(np.flatnonzero(fold == number))
        model = work.model(seed)
        started = time.perf_counter()
        model.fit(X, y)
        labels, stopped = answer(model, new)
        seconds += time.perf_counter() - started
        right[fold == number] = labels == answers
        strange[fold == number] = stopped
        nodes.append(model.tree_.n_nodes)
        depths.append(model.tree_.depth)
    return {
        "accuracy": 100 * float(right.mean()),
        "accuracy_known": 100 * float(right[~strange].mean()),
        "unknown": 100 * float(strange.mean()),
        "nodes": float(np.mean(nodes)),
        "depth": float(np.mean(depths)),
        "seconds": seconds,
    }


def answer(model: Any, table: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Give the answers of a tree, and which rows stopped above the leaves."""
    tree = model.tree_
    reached = model.apply(table)
    return model.classes_[tree.label[reached]], np.diff(tree.child_offset)[reached] > 0


def deal(codes: NDArray[Any], n_folds: int, seed: int) -> NDArray[np.intp]:
    """Give each row its fold.

    Rows are shuffled by Python's generator; then each class is cut into runs, as scikit-learn's
    StratifiedKFold did it until version 0.21.
    """
    order = list(range(len(codes)))
    random.Random(seed).shuffle(order)
    shuffled = np.array(order)
    fold = np.empty(len(codes), dtype=np.intp)
    for of_class in range(int(codes.max()) + 1):
        rows = shuffled[codes[shuffled] == of_class]
        for number, run in enumerate(np.array_split(rows, n_folds)):
            fold[run] = number
    return fold
