"""Gradient boosting of the log loss (Friedman 2001) by Newton steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood._folds import hold_out
from mixedwood._limits import Deadline, warn_time_limit
from mixedwood._random import ROUND, spawn
from mixedwood.boosting.loss import derivatives, first_scores, log_loss
from mixedwood.boosting.newton import newton_steps, relabelled
from mixedwood.boosting.validation import Validation
from mixedwood.data import Table, Target
from mixedwood.growers import CodedTable
from mixedwood.growers.gradient import BinnedTable, GradientSettings, grow_gradient_tree
from mixedwood.tree import Tree

__all__ = ["BoostedScores", "GradientPlan", "Run", "gradient_boost"]

Numbers = NDArray[np.float64]
Rows = NDArray[np.int32]


class GrowOnWeights(Protocol):
    """Grows a classification tree on weighted rows."""

    def learn(
        self, table: CodedTable, target: Target, *, seed: int, time_limit: float = math.inf
    ) -> Tree:
        """Learn a tree."""


@dataclass(frozen=True)
class GradientPlan:
    """How to boost; checked by the caller.

    Attributes
    ----------
    settings : GradientSettings
        Of the trees.
    learner : GrowOnWeights or None
        Grows trees of another kind: on rows weighted by how wrong their answers still are.
    learning_rate : float
        Part of each Newton step that is taken.
    subsample : float
        Share of rows that each round learns from.
    n_columns : int
        Columns that each round may use; -1 for all.
    together : bool
        Whether one tree answers for all classes, or there is one tree for each.
    max_bins : int
        Bins of a column of numbers.
    patience : int or None
        Rounds without a better loss on rows held out after which to stop; None: no rows are.
    validation_fraction : float
        Share of rows that are held out.
    """

    settings: GradientSettings = field(default_factory=GradientSettings)
    learner: GrowOnWeights | None = None
    learning_rate: float = 0.1
    subsample: float = 1.0
    n_columns: int = -1
    together: bool = True
    max_bins: int = 255
    patience: int | None = None
    validation_fraction: float = 0.1


@dataclass
class BoostedScores:
    """Scores as sums over trees.

    Attributes
    ----------
    start : ndarray of shape (n_outputs,)
        What the sums begin with.
    trees : list of Tree
        In the order in which they were grown.
    steps : list of ndarray of shape (n_nodes, n_outputs of the tree)
        What a row that ends in a node gets added, learning rate included.
    first_output : list of int
        The first output that each tree adds to.
    rounds : list of int
        Trees that there are after each round.
    validation_loss : list of float
        Loss on the rows held out, after each round; empty if there are none.
    """

    start: Numbers
    trees: list[Tree] = field(default_factory=list)
    steps: list[Numbers] = field(default_factory=list)
    first_output: list[int] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)
    validation_loss: list[float] = field(default_factory=list)

    def members(self, n_rounds: int | None = None, since: int = 0) -> list[Any]:
        """Trees of some rounds, as `ensembles.add_answers` takes them."""
        first = self.rounds[since - 1] if since else 0
        last = self.rounds[n_rounds - 1] if n_rounds else len(self.trees) if n_rounds is None else 0
        return [
            (self.trees[i]._router, self.steps[i], self.trees[i].label, self.first_output[i], 1.0)
            for i in range(first, last)
        ]

    def keep(self, n_rounds: int) -> None:
        """Forget all rounds but the first ones."""
        n_trees = self.rounds[n_rounds - 1] if n_rounds else 0
        for of_trees in (self.trees, self.steps, self.first_output):
            del of_trees[n_trees:]
        del self.rounds[n_rounds:]


def gradient_boost(
    table: Table | CodedTable,
    target: Target,
    plan: GradientPlan,
    n_rounds: int,
    *,
    seed: int = 0,
    model: BoostedScores | None = None,
    scores: Numbers | None = None,
    validation: tuple[Table, Target] | None = None,
    time_limit: float = math.inf,
    advance: Callable[[int], None] | None = None,
) -> BoostedScores:
    """Boost for some rounds, or go on with a model that has some.

    Round r is made of the seed, its number and the rounds before: going on gives what one go gives.

    Parameters
    ----------
    table, target
        What to learn from; rows of weight 0 do not count.
    plan : GradientPlan
        How.
    n_rounds : int
        Rounds that there are in the end.
    seed : int, default=0
        Of what is random.
    model, scores : BoostedScores and ndarray, optional
        Where to go on, and what the model says about each row.
    validation : tuple of Table and Target, optional
        With `patience` in the plan: rows to judge rounds by, in place of a share of the others.
    time_limit : float, default=inf
        Seconds; a warning says if it came first. There is always one round.
    advance : callable, optional
        Told the number of rounds that are done.

    Returns
    -------
    BoostedScores
        The trees and their steps.
    """
    deadline = Deadline.after(time_limit)
    coded = table if isinstance(table, CodedTable) else CodedTable(table)
    held_out = None
    if plan.patience is not None and validation is None:
        held_out = hold_out(target.codes, plan.validation_fraction, seed, target.weights)
    binned = BinnedTable(coded, plan.max_bins, target.weights)
    run = Run(binned, target, plan, seed, held_out)
    model = BoostedScores(first_scores(target, run.rows)) if model is None else model
    if scores is None:
        scores = np.tile(model.start, (target.n_rows, 1))
    beside = None if validation is None else Validation(*validation, plan.settings.n_threads)
    if beside is not None:
        beside.begin(model)
    judged = beside is not None or len(run.held_out) > 0
    for number in range(len(model.rounds), n_rounds):
        left = deadline.left()
        if model.rounds and left <= 0:
            warn_time_limit(f"The time limit came after {len(model.rounds)} of {n_rounds} rounds.")
            break
        run.one_round(number, model, scores, max(left, 1e-3))
        if beside is not None:
            beside.follow(model, number)
        if advance is not None:
            advance(len(model.rounds))
        if judged and _is_over(model, plan):
            break
    if judged:
        model.keep(int(np.argmin(model.validation_loss)) + 1)
    return model


def _is_over(model: BoostedScores, plan: GradientPlan) -> bool:
    best = int(np.argmin(model.validation_loss))
    return plan.patience is not None and len(model.validation_loss) - 1 - best >= plan.patience


class Run:
    """What stays the same from round to round."""

    def __init__(
        self,
        table: BinnedTable,
        target: Target,
        plan: GradientPlan,
        seed: int,
        held_out: NDArray[np.bool_] | None = None,
    ) -> None:
        self.table, self.target, self.plan, self.seed = table, target, plan, seed
        self.coded = table.coded
        counts = (
            np.ones(target.n_rows, dtype=bool) if target.weights is None else target.weights > 0
        )
        out = np.zeros(target.n_rows, dtype=bool) if held_out is None else held_out & counts
        self.rows = np.flatnonzero(counts & ~out).astype(np.int32)
        self.held_out = np.flatnonzero(out).astype(np.int32)
        n_outputs = 1 if target.n_classes == 2 else target.n_classes
        self.gradients = np.empty((target.n_rows, n_outputs))
        self.hessians = np.empty_like(self.gradients)

    def one_round(
        self, number: int, model: BoostedScores, scores: Numbers, time_limit: float
    ) -> None:
        """Grow the trees of one round and add their steps to model and scores."""
        rng = spawn(self.seed, ROUND, number)
        n_threads = self.plan.settings.n_threads
        derivatives(scores, self.target, self.gradients, self.hessians, n_threads)
        rows, others = self._sample(rng)
        n_outputs = scores.shape[1]
        width = n_outputs if self.plan.together else 1
        for first in range(0, n_outputs, width):
            seed = int(rng.integers(2**63))
            here = slice(first, first + width)
            learner = self.plan.learner
            if learner is not None:
                tree, steps, node = self._tree_of_learner(learner, rows, here, seed, time_limit)
            else:
                tree, steps, node = self._gradient_tree(rows, others, here, rng, seed, time_limit)
            steps = np.ascontiguousarray(self.plan.learning_rate * steps)
            model.trees.append(tree)
            model.steps.append(steps)
            model.first_output.append(first)
            _core.add_steps(scores, first, steps, node)  # rows of weight 0 have no node, -1
        model.rounds.append(len(model.trees))
        if len(self.held_out):
            model.validation_loss.append(log_loss(scores, self.target, self.held_out))

    def _sample(self, rng: np.random.Generator) -> tuple[Rows, Rows]:
        if self.plan.subsample >= 1:
            return self.rows, self.held_out
        n = max(1, round(self.plan.subsample * len(self.rows)))
        drawn = np.zeros(len(self.rows), dtype=bool)
        drawn[rng.choice(len(self.rows), n, replace=False)] = True
        return self.rows[drawn], np.concatenate([self.rows[~drawn], self.held_out])

    def _gradient_tree(
        self, rows: Rows, others: Rows, here: slice, rng: np.random.Generator, seed: int,
        time_limit: float,
    ) -> tuple[Tree, Numbers, Rows]:  # fmt: skip
        columns = None
        n_columns = self.coded.table.n_columns
        if 0 < self.plan.n_columns < n_columns:
            drawn = rng.choice(n_columns, self.plan.n_columns, replace=False)
            columns = np.sort(drawn).astype(np.int32)
        grown = grow_gradient_tree(
            self.table,
            self.target,
            np.ascontiguousarray(self.gradients[:, here]),
            np.ascontiguousarray(self.hessians[:, here]),
            self.plan.settings,
            rows=rows,
            others=others,
            columns=columns,
            seed=seed,
            time_limit=time_limit,
        )
        return grown.tree, grown.steps, grown.node_of_row

    def _tree_of_learner(
        self, learner: GrowOnWeights, rows: Rows, here: slice, seed: int, time_limit: float
    ) -> tuple[Tree, Numbers, Rows]:
        """A classification tree on rows weighted by their residuals, answering by Newton steps."""
        classes, left = self._residuals(here)
        weights = np.zeros(self.target.n_rows)
        weights[rows] = left[rows]
        if not weights.any():  # every row is right beyond doubt
            weights[rows] = 1.0
        labels = self.target.classes if classes is self.target.codes else np.array([0, 1])
        target = Target(labels, classes, weights)
        tree = learner.learn(self.coded, target, seed=seed, time_limit=time_limit)
        node = tree.apply(self.coded.table)
        steps = newton_steps(
            tree, node[rows], self.gradients[rows, here], self.hessians[rows, here],
            self.plan.settings.l2,
        )  # fmt: skip
        if labels is not self.target.classes:
            tree = relabelled(tree, self.target, node, rows)
        return tree, steps, node

    def _residuals(self, here: slice) -> tuple[Rows, Numbers]:
        """The classes to tell apart, and how much is left to be said about each row."""
        if self.gradients.shape[1] == 1:
            return self.target.codes, np.abs(self.gradients[:, 0])
        if here.stop - here.start > 1:
            own = self.gradients[np.arange(self.target.n_rows), self.target.codes]
            return self.target.codes, np.abs(own)
        is_class = (self.target.codes == here.start).astype(np.int32)
        return is_class, np.abs(self.gradients[:, here.start])
