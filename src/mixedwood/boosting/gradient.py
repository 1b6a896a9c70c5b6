"""Gradient boosting of the log loss (Friedman 2001) with Newton steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood import _kinds as kinds
from mixedwood._folds import hold_out
from mixedwood._limits import Deadline, warn_time_limit
from mixedwood._random import ROUND, spawn
from mixedwood.boosting.losses import baseline, derivatives, log_loss
from mixedwood.data import Table, Target
from mixedwood.ensembles import add_answers
from mixedwood.growers import CodedTable
from mixedwood.growers.gradient import BinnedTable, GradientSettings, grow_gradient_tree
from mixedwood.tree import Tree

__all__ = ["BoostedScores", "BoostingState", "GradientPlan", "gradient_boost"]

Numbers = NDArray[np.float64]
Rows = NDArray[np.int32]


class GrowOnWeights(Protocol):
    """Grows a classification tree on weighted rows."""

    def learn(
        self, table: CodedTable, target: Target, *, seed: int, time_limit: float = math.inf
    ) -> Tree:
        """Grow a tree."""


@dataclass(frozen=True)
class GradientPlan:
    """Parameters of gradient boosting, checked by the caller.

    Attributes
    ----------
    settings : GradientSettings
        Settings of the trees.
    learner : GrowOnWeights or None
        Grows classification trees on rows weighted by their residuals, in place of gradient trees.
    learning_rate : float
        Factor of each Newton step.
    subsample : float
        Fraction of the rows that each iteration learns from.
    n_columns : int
        Number of columns drawn for each tree; -1 for all.
    multi_output : bool
        Whether one tree predicts the scores of all classes, or each class has its own tree.
    max_bins : int
        Maximum number of bins of a numeric column.
    n_iter_no_change : int or None
        Stop if the validation loss has not improved for this many iterations; None: no early
        stopping.
    validation_fraction : float
        Fraction of the rows held out for early stopping.
    """

    settings: GradientSettings = field(default_factory=GradientSettings)
    learner: GrowOnWeights | None = None
    learning_rate: float = 0.1
    subsample: float = 1.0
    n_columns: int = -1
    multi_output: bool = True
    max_bins: int = 255
    n_iter_no_change: int | None = None
    validation_fraction: float = 0.1


@dataclass
class BoostedScores:
    """Raw scores as sums over trees.

    Attributes
    ----------
    start : ndarray of shape (n_outputs,)
        Raw scores before the first tree.
    trees : list of Tree
        The trees in the order in which they were grown.
    steps : list of ndarray of shape (n_nodes, n_outputs of the tree)
        Values of the nodes, multiplied by the learning rate.
    first_output : list of int
        The first output that each tree adds to.
    rounds : list of int
        Number of trees after each iteration.
    validation_loss : list of float
        Loss on the validation rows after each iteration; empty if there are none.
    """

    start: Numbers
    trees: list[Tree] = field(default_factory=list)
    steps: list[Numbers] = field(default_factory=list)
    first_output: list[int] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)
    validation_loss: list[float] = field(default_factory=list)

    _fitted: ClassVar[kinds.Fitted] = {
        "start": kinds.array(np.float64, 1, kinds.FINITE),
        "trees": kinds.list_of(kinds.instance(Tree), 1),
        "steps": kinds.list_of(kinds.array(np.float64, 2, kinds.FINITE)),
        "first_output": kinds.list_of(kinds.COUNT),
        "rounds": kinds.list_of(kinds.COUNT),
        "validation_loss": kinds.list_of(kinds.REAL),
    }

    def members(self, n_rounds: int | None = None, since: int = 0) -> list[Any]:
        """Trees of some iterations, as `ensembles.add_answers` takes them."""
        first = self.rounds[since - 1] if since else 0
        last = self.rounds[n_rounds - 1] if n_rounds else len(self.trees) if n_rounds is None else 0
        return [
            (self.trees[i]._router, self.steps[i], self.trees[i].label, self.first_output[i], 1.0)
            for i in range(first, last)
        ]

    def keep(self, n_rounds: int) -> None:
        """Remove all iterations but the first ones."""
        n_trees = self.rounds[n_rounds - 1] if n_rounds else 0
        for of_trees in (self.trees, self.steps, self.first_output):
            del of_trees[n_trees:]
        del self.rounds[n_rounds:]


def gradient_boost(
    table: Table | CodedTable,
    target: Target,
    plan: GradientPlan,
    n_iter: int,
    *,
    seed: int = 0,
    model: BoostedScores | None = None,
    scores: Numbers | None = None,
    validation: tuple[Table, Target] | None = None,
    time_limit: float = math.inf,
    advance: Callable[[int], None] | None = None,
) -> BoostedScores:
    """Boost up to a number of iterations, from the start or from a model with fewer iterations.

    Iteration i depends on the seed, on i and on the iterations before it, so continuing a model
    gives the same trees as one call.

    Parameters
    ----------
    table, target
        Training data; rows of weight 0 are ignored.
    plan : GradientPlan
        Parameters of boosting.
    n_iter : int
        Number of iterations in the end.
    seed : int, default=0
        Seed of the random parts.
    model, scores : BoostedScores and ndarray, optional
        A model to continue, and its raw scores of each row.
    validation : tuple of Table and Target, optional
        Rows for early stopping, in place of a fraction of the training rows.
    time_limit : float, default=inf
        Seconds. If time runs out, a warning is issued; there is always one iteration.
    advance : callable, optional
        Called with the number of iterations done.

    Returns
    -------
    BoostedScores
        The trees and the values of their nodes.
    """
    deadline = Deadline.after(time_limit)
    coded = table if isinstance(table, CodedTable) else CodedTable(table)
    held_out = None
    if plan.n_iter_no_change is not None and validation is None:
        held_out = hold_out(target.codes, plan.validation_fraction, seed, target.weights)
    binned = BinnedTable(coded, plan.max_bins, target.weights)
    state = BoostingState(binned, target, plan, seed, held_out)
    model = BoostedScores(baseline(target, state.rows)) if model is None else model
    if scores is None:
        scores = np.tile(model.start, (target.n_rows, 1))
    given = None
    if validation is not None:
        given = _ValidationScores(*validation, model, plan.settings.n_threads)
    has_validation = given is not None or len(state.validation_rows) > 0
    for number in range(len(model.rounds), n_iter):
        left = deadline.left()
        if model.rounds and left <= 0:
            warn_time_limit(f"The time limit came after {len(model.rounds)} of {n_iter} rounds.")
            break
        state.iterate(number, model, scores, max(left, 1e-3))
        if given is not None:
            given.update(model, number)
        if advance is not None:
            advance(len(model.rounds))
        if has_validation and _should_stop(model, plan):
            break
    if has_validation:
        model.keep(int(np.argmin(model.validation_loss)) + 1)
    return model


def _should_stop(model: BoostedScores, plan: GradientPlan) -> bool:
    if plan.n_iter_no_change is None:
        return False
    best = int(np.argmin(model.validation_loss))
    return len(model.validation_loss) - 1 - best >= plan.n_iter_no_change


class _ValidationScores:
    """Raw scores of validation rows given by the user, updated after each iteration."""

    def __init__(
        self, table: Table, target: Target, model: BoostedScores, n_threads: int = 1
    ) -> None:
        self.columns, self.target, self.n_threads = list(table.arrays), target, n_threads
        weights = np.ones(target.n_rows) if target.weights is None else target.weights
        self.rows = np.flatnonzero(weights).astype(np.int32)
        self.scores = np.tile(model.start, (target.n_rows, 1))
        # A model that is continued may have been grown with other validation rows.
        model.validation_loss.clear()
        for number in range(len(model.rounds)):
            self.update(model, number)

    def update(self, model: BoostedScores, number: int) -> None:
        """Add the trees of one iteration, and append the loss to those of the model."""
        self.scores = add_answers(
            model.members(number + 1, since=number),
            self.columns,
            self.scores.shape[1],
            n_jobs=self.n_threads,
            n_rows=self.target.n_rows,
            start=self.scores,
        )
        model.validation_loss.append(log_loss(self.scores, self.target, self.rows))


class BoostingState:
    """Training data, validation rows and buffers that all iterations share."""

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
        weighted = (
            np.ones(target.n_rows, dtype=bool) if target.weights is None else target.weights > 0
        )
        out = np.zeros(target.n_rows, dtype=bool) if held_out is None else held_out & weighted
        self.rows = np.flatnonzero(weighted & ~out).astype(np.int32)
        self.validation_rows = np.flatnonzero(out).astype(np.int32)
        n_outputs = 1 if target.n_classes == 2 else target.n_classes
        self.gradients = np.empty((target.n_rows, n_outputs))
        self.hessians = np.empty_like(self.gradients)

    def iterate(
        self, number: int, model: BoostedScores, scores: Numbers, time_limit: float
    ) -> None:
        """Grow the trees of one iteration, and add them to the model and to the scores."""
        rng = spawn(self.seed, ROUND, number)
        n_threads = self.plan.settings.n_threads
        derivatives(scores, self.target, self.gradients, self.hessians, n_threads)
        rows, others = self._sample(rng)
        n_outputs = scores.shape[1]
        width = n_outputs if self.plan.multi_output else 1
        for first in range(0, n_outputs, width):
            seed = int(rng.integers(2**63))
            outputs = slice(first, first + width)
            if self.plan.learner is not None:
                tree, steps, node = self._classification_tree(
                    self.plan.learner, rows, outputs, seed, time_limit
                )
            else:
                tree, steps, node = self._gradient_tree(
                    rows, others, outputs, rng, seed, time_limit
                )
            steps = np.ascontiguousarray(self.plan.learning_rate * steps)
            model.trees.append(tree)
            model.steps.append(steps)
            model.first_output.append(first)
            _core.add_steps(scores, first, steps, node)  # rows of weight 0 have no node, -1
        model.rounds.append(len(model.trees))
        if len(self.validation_rows):
            model.validation_loss.append(log_loss(scores, self.target, self.validation_rows))

    def _sample(self, rng: np.random.Generator) -> tuple[Rows, Rows]:
        """Draw the rows of an iteration; the others only get their scores."""
        if self.plan.subsample >= 1:
            return self.rows, self.validation_rows
        n = max(1, round(self.plan.subsample * len(self.rows)))
        drawn = np.zeros(len(self.rows), dtype=bool)
        drawn[rng.choice(len(self.rows), n, replace=False)] = True
        return self.rows[drawn], np.concatenate([self.rows[~drawn], self.validation_rows])

    def _gradient_tree(
        self, rows: Rows, others: Rows, outputs: slice, rng: np.random.Generator, seed: int,
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
            np.ascontiguousarray(self.gradients[:, outputs]),
            np.ascontiguousarray(self.hessians[:, outputs]),
            self.plan.settings,
            rows=rows,
            others=others,
            columns=columns,
            seed=seed,
            time_limit=time_limit,
        )
        return grown.tree, grown.steps, grown.node_of_row

    def _classification_tree(
        self, learner: GrowOnWeights, rows: Rows, outputs: slice, seed: int, time_limit: float
    ) -> tuple[Tree, Numbers, Rows]:
        """Grow a classification tree on rows weighted by their residuals, with Newton steps."""
        classes, residuals = self._residuals(outputs)
        weights = np.zeros(self.target.n_rows)
        weights[rows] = residuals[rows]
        if not weights.any():  # all probabilities are 0 or 1, and right
            weights[rows] = 1.0
        labels = self.target.classes if classes is self.target.codes else np.array([0, 1])
        tree = learner.learn(
            self.coded, Target(labels, classes, weights), seed=seed, time_limit=time_limit
        )
        node = tree.apply(self.coded.table)
        curvature = _sum_by_node(tree, node[rows], self.hessians[rows, outputs])
        curvature += self.plan.settings.l2
        steps = -_sum_by_node(tree, node[rows], self.gradients[rows, outputs])
        steps /= np.where(curvature > 0, curvature, 1.0)
        if labels is not self.target.classes:
            tree = self._with_all_classes(tree, node, rows)
        return tree, steps, node

    def _residuals(self, outputs: slice) -> tuple[Rows, Numbers]:
        """The classes that a tree is to separate, and the residual of each row."""
        if self.gradients.shape[1] == 1:
            return self.target.codes, np.abs(self.gradients[:, 0])
        if outputs.stop - outputs.start > 1:
            own = self.gradients[np.arange(self.target.n_rows), self.target.codes]
            return self.target.codes, np.abs(own)
        is_class = (self.target.codes == outputs.start).astype(np.int32)
        return is_class, np.abs(self.gradients[:, outputs.start])

    def _with_all_classes(self, tree: Tree, node: Rows, rows: Rows) -> Tree:
        """The tree with the weights of all classes, in place of one class and the rest."""
        target = self.target
        one_hot = np.zeros((len(rows), target.n_classes))
        one_hot[np.arange(len(rows)), target.codes[rows]] = (
            1.0 if target.weights is None else target.weights[rows]
        )
        counts = _sum_by_node(tree, node[rows], one_hot)
        return replace(
            tree, classes=target.classes, statistics=counts, label=np.argmax(counts, axis=1)
        )


def _sum_by_node(tree: Tree, node: Rows, values: Numbers) -> Numbers:
    """Sum the values of the rows below each node."""
    sums = np.zeros((tree.n_nodes, values.shape[1]))
    np.add.at(sums, node, values)
    for child in range(tree.n_nodes - 1, 0, -1):
        sums[tree.parent[child]] += sums[child]
    return sums
