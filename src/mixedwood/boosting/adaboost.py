"""AdaBoost (Freund and Schapire 1996): rows that trees get wrong weigh more for the next tree."""

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
from mixedwood.ensembles.votes import classes_of
from mixedwood.growers import CodedTable
from mixedwood.tree import Tree

__all__ = ["AdaBoostPlan", "adaboost"]

_NO_ERROR = 1e-6  # as in WEKA: of the whole weight


@dataclass(frozen=True)
class AdaBoostPlan:
    """How to boost.

    Attributes
    ----------
    learner : Learner
        Grows one tree on weighted rows.
    many_classes : bool
        Whether a tree need only be better than guessing among all classes (SAMME, Zhu et al.
        2009), or right for half of the weight (AdaBoost.M1).
    resample : bool
        Whether rows are drawn in proportion to their weights, or weighted.
    learning_rate : float
        Factor of the logarithms of the odds by which trees are weighted.
    """

    learner: Any
    many_classes: bool = False
    resample: bool = False
    learning_rate: float = 1.0


def adaboost(
    table: Table | CodedTable,
    target: Target,
    plan: AdaBoostPlan,
    n_rounds: int,
    *,
    seed: int = 0,
    time_limit: float = math.inf,
    advance: Callable[[int], None] | None = None,
) -> tuple[list[Tree], NDArray[np.float64]]:
    """Boost until there are so many trees, or a tree makes no error, or too many.

    Such a last tree is left out, unless it is the only one.

    Returns
    -------
    trees, weights
        The trees, and what the vote of each counts.

    Examples
    --------
    >>> from mixedwood.data import read_table, read_target
    >>> from mixedwood.estimators import TreeClassifier
    >>> table, target = read_table({"x": [1, 2, 3, 4]}), read_target([0, 1, 1, 0])
    >>> stump = TreeClassifier(max_depth=1, pruning=None)._learner()
    >>> trees, weights = adaboost(table, target, AdaBoostPlan(stump), 2)
    >>> weights.round(3).tolist()
    [1.099, 1.609]
    """
    deadline = Deadline.after(time_limit)
    coded = table if isinstance(table, CodedTable) else CodedTable(table)
    weights = np.ones(target.n_rows) if target.weights is None else target.weights
    total = weights.sum()
    most = 1 - 1 / target.n_classes if plan.many_classes else 0.5
    trees: list[Tree] = []
    votes: list[float] = []
    for number in range(n_rounds):
        left = deadline.left()
        if trees and left <= 0:
            _warn_of_limit(len(trees), n_rounds)
            break
        rng = spawn(seed, ROUND, number)
        tree = _grow(coded, target, weights, plan, rng, max(left, 1e-3))
        wrong = classes_of(tree, coded.table) != target.codes
        error = float(weights[wrong].sum() / total)
        if not _NO_ERROR < error < most - _NO_ERROR:
            if not trees:
                trees, votes = [tree], [1.0]
            if deadline.is_over() and len(trees) < n_rounds:
                _warn_of_limit(len(trees), n_rounds)  # cut short, the tree may have been useful
            break
        trees.append(tree)
        # The odds of being right; with many classes, against guessing.
        odds = (1 - error) / error * (target.n_classes - 1 if plan.many_classes else 1)
        votes.append(plan.learning_rate * math.log(odds))
        # Rows that are right weigh less, which cannot overflow, and all rows as much as before.
        weights = np.where(wrong, weights, weights * math.exp(-votes[-1]))
        weights = weights * (total / weights.sum())
        if advance is not None:
            advance(len(trees))
    return trees, np.array(votes)


def _warn_of_limit(n_trees: int, n_rounds: int) -> None:
    warn_time_limit(f"The time limit came after {n_trees} of {n_rounds} trees.")


def _grow(
    coded: CodedTable,
    target: Target,
    weights: NDArray[np.float64],
    plan: AdaBoostPlan,
    rng: np.random.Generator,
    time_limit: float,
) -> Tree:
    seed = int(rng.integers(2**63))
    if not plan.resample:
        tree: Tree = plan.learner.learn(
            coded, replace(target, weights=weights), seed=seed, time_limit=time_limit
        )
        return tree
    drawn = rng.choice(target.n_rows, target.n_rows, p=weights / weights.sum())
    rows = np.sort(drawn).astype(np.int32)
    sampled: Tree = plan.learner.learn(
        coded, replace(target, weights=None), seed=seed, rows=rows, time_limit=time_limit
    )
    return sampled
