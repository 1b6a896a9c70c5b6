"""AdaBoost (Freund and Schapire 1996): misclassified rows get more weight in the next tree."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood._limits import Deadline, warn_time_limit
from mixedwood._random import ROUND, spawn
from mixedwood.data import Table, Target
from mixedwood.grow import EncodedTable
from mixedwood.tree import Tree

__all__ = ["AdaBoostPlan", "adaboost"]

_MIN_ERROR = 1e-6  # of the total weight, as in WEKA


@dataclass(frozen=True)
class AdaBoostPlan:
    """Parameters of AdaBoost, checked by the caller.

    Attributes
    ----------
    estimator : estimator of one tree
        Its `_fit_encoded` grows a tree on weighted rows.
    samme : bool
        Whether a tree need only be better than guessing among all classes (SAMME, Zhu et al.
        2009), or must classify half of the weight correctly (AdaBoost.M1).
    resample : bool
        Whether rows are drawn in proportion to their weights, or weighted.
    learning_rate : float
        Factor of the weight of each tree.
    """

    estimator: Any
    samme: bool = False
    resample: bool = False
    learning_rate: float = 1.0


def adaboost(
    table: Table | EncodedTable,
    target: Target,
    plan: AdaBoostPlan,
    n_estimators: int,
    *,
    seed: int = 0,
    time_limit: float = math.inf,
    advance: Callable[[int], None] | None = None,
) -> tuple[list[Tree], NDArray[np.float64]]:
    """Boost until there are enough trees, or a tree makes no error, or too many errors.

    The last tree is dropped if boosting ended because of its error, unless it is the only tree.

    Returns
    -------
    trees, weights
        The trees and the weight of each in the vote.

    Examples
    --------
    >>> from mixedwood.data import read_table, read_target
    >>> from mixedwood.estimators import TreeClassifier
    >>> table, target = read_table({"x": [1, 2, 3, 4]}), read_target([0, 1, 1, 0])
    >>> stump = TreeClassifier(max_depth=1, pruning=None)
    >>> trees, weights = adaboost(table, target, AdaBoostPlan(stump), 2)
    >>> weights.round(3).tolist()
    [1.099, 1.609]
    """
    deadline = Deadline.after(time_limit)
    coded = table if isinstance(table, EncodedTable) else EncodedTable(table)
    weights = np.ones(target.n_rows) if target.weights is None else target.weights
    total = weights.sum()
    max_error = 1 - 1 / target.n_classes if plan.samme else 0.5
    trees: list[Tree] = []
    tree_weights: list[float] = []
    for number in range(n_estimators):
        left = deadline.left()
        if trees and left <= 0:
            _warn_time_limit(len(trees), n_estimators)
            break
        rng = spawn(seed, ROUND, number)
        tree = _grow(coded, target, weights, plan, rng, max(left, 1e-3))
        wrong = tree.predict_codes(coded.table) != target.codes
        error = float(weights[wrong].sum() / total)
        if not _MIN_ERROR < error < max_error - _MIN_ERROR:
            if not trees:
                trees, tree_weights = [tree], [1.0]
            if deadline.is_over() and len(trees) < n_estimators:
                # With more time the tree might have been accurate enough.
                _warn_time_limit(len(trees), n_estimators)
            break
        trees.append(tree)
        odds = (1 - error) / error * (target.n_classes - 1 if plan.samme else 1)
        tree_weights.append(plan.learning_rate * math.log(odds))
        # Lowering the weights of correct rows cannot overflow. The total weight stays the same.
        weights = np.where(wrong, weights, weights * math.exp(-tree_weights[-1]))
        weights = weights * (total / weights.sum())
        if advance is not None:
            advance(len(trees))
    return trees, np.array(tree_weights)


def _warn_time_limit(n_trees: int, n_estimators: int) -> None:
    warn_time_limit(f"The time limit came after {n_trees} of {n_estimators} trees.")


def _grow(
    coded: EncodedTable,
    target: Target,
    weights: NDArray[np.float64],
    plan: AdaBoostPlan,
    rng: np.random.Generator,
    time_limit: float,
) -> Tree:
    seed = int(rng.integers(2**63))
    rows = None
    if plan.resample:
        drawn = rng.choice(target.n_rows, target.n_rows, p=weights / weights.sum())
        rows = np.sort(drawn).astype(np.int32)
    tree: Tree = plan.estimator._fit_encoded(
        coded,
        replace(target, weights=None if plan.resample else weights),
        seed=seed,
        rows=rows,
        time_limit=time_limit,
    )
    return tree
