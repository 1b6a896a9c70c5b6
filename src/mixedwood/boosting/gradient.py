"""Gradient boosting (Friedman 2001) with Newton steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood._folds import hold_out
from mixedwood._limits import Deadline, warn_time_limit
from mixedwood._random import ROUND, spawn
from mixedwood.boosting.losses import LogLoss, Loss
from mixedwood.data import (
    Schema,
    Table,
    Target,
    read_numbers,
    read_table,
    read_target,
    unknown_counts,
)
from mixedwood.grow import EncodedTable
from mixedwood.grow.gradient import BinnedTable, GradientSettings, grow_gradient_tree
from mixedwood.tree import Predictor, TargetSpec, Tree, argmax_with_ties, in_order
from mixedwood.tree.predictor import add_up

__all__ = ["BoostingState", "GradientPlan", "gradient_boost", "link_of", "read_validation"]

Numbers = NDArray[np.float64]
Rows = NDArray[np.int32]
Read = TypeVar("Read")


class GrowOnWeights(Protocol):
    """Grows a classification tree on weighted rows."""

    def _fit_encoded(
        self, table: EncodedTable, target: Target, *, seed: int, time_limit: float = math.inf
    ) -> Tree:
        """Grow a tree."""


@dataclass(frozen=True)
class GradientPlan:
    """Parameters of gradient boosting, checked by the caller.

    Attributes
    ----------
    settings : GradientSettings
        Settings of the trees.
    estimator : GrowOnWeights or None
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
    loss : Loss
        The loss to minimize.
    """

    settings: GradientSettings = field(default_factory=GradientSettings)
    estimator: GrowOnWeights | None = None
    learning_rate: float = 0.1
    subsample: float = 1.0
    n_columns: int | None = None
    multi_output: bool = True
    max_bins: int = 255
    n_iter_no_change: int | None = None
    validation_fraction: float = 0.1
    loss: Loss = field(default_factory=LogLoss)


def gradient_boost(
    table: Table | EncodedTable,
    target: Target,
    plan: GradientPlan,
    n_iter: int,
    *,
    seed: int = 0,
    previous: Predictor | None = None,
    validation_loss: Sequence[float] = (),
    validation: tuple[Table, Target] | None = None,
    time_limit: float = math.inf,
    advance: Callable[[int], None] | None = None,
) -> tuple[Predictor, list[float]]:
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
    previous : Predictor, optional
        A model to continue.
    validation_loss : sequence of float, optional
        The losses of its iterations on the rows that were held out.
    validation : tuple of Table and Target, optional
        Rows for early stopping, in place of a fraction of the training rows.
    time_limit : float, default=inf
        Seconds. If time runs out, a warning is issued; there is always one iteration.
    advance : callable, optional
        Called with the number of iterations done.

    Returns
    -------
    Predictor
        The model: up to the best iteration if there are validation rows.
    list of float
        Loss on the validation rows after each iteration; empty if there are none.
    """
    deadline = Deadline.after(time_limit)
    coded = table if isinstance(table, EncodedTable) else EncodedTable(table)
    held_out = None
    if plan.n_iter_no_change is not None and validation is None:
        held_out = hold_out(target.codes, plan.validation_fraction, seed, target.weights)
    binned = BinnedTable(coded, plan.max_bins, target.weights)
    state = BoostingState(binned, target, plan, seed, held_out, previous)
    state.validation_loss += validation_loss
    given = None if validation is None else _ValidationRows(*validation, state)
    while state.n_iter < n_iter:
        left = deadline.left()
        if state.n_iter and left <= 0:
            warn_time_limit(f"The time limit came after {state.n_iter} of {n_iter} iterations.")
            break
        state.iterate(max(left, 1e-3))
        if given is not None:
            given.evaluate(state)
        if advance is not None:
            advance(state.n_iter)
        if state.validation_loss and plan.n_iter_no_change is not None:
            best = int(np.argmin(state.validation_loss))
            if len(state.validation_loss) - 1 - best >= plan.n_iter_no_change:
                break
    if not state.validation_loss:
        return state.predictor(), []
    return state.predictor(int(np.argmin(state.validation_loss)) + 1), state.validation_loss


def read_validation(
    X_val: Any,
    y_val: Any,
    schema: Schema,
    target: Target,
    *,
    sample_weight: Any = None,
    plain: Target | None = None,
    handle_unknown: str = "stop",
) -> tuple[Table, Target]:
    """Read validation rows with the columns and classes of the training rows.

    Parameters
    ----------
    X_val, y_val : table and array-like
        The rows and their classes or numbers.
    schema, target : Schema, Target
        Columns and classes of the training rows.
    sample_weight : array-like, optional
        Weights of the rows.
    plain : Target, optional
        The training target without the weights of classes, if there are such weights. The
        validation rows get them too.
    handle_unknown : str, default="stop"
        "error" raises an error if there are unknown categories.
    """
    table = _named("X", lambda: read_table(X_val, schema=schema, estimator="the model"))
    read = read_numbers if target.is_numeric else read_target
    given = _named("y", lambda: read(y_val, sample_weight))
    if table.n_rows != given.n_rows:
        raise ValueError(
            "X_val and y_val must have the same number of rows; got "
            f"{table.n_rows} and {given.n_rows}."
        )
    if handle_unknown == "error" and (counts := unknown_counts(table)):
        found = ", ".join(
            f"column {column!r} ({n} row{'s' * (n > 1)})" for column, n in counts.items()
        )
        raise ValueError(
            f"Found unknown categories in X_val, {found}. Map them to categories of the training "
            "data, or use handle_unknown='stop', 'missing' or 'majority'."
        )
    if target.is_numeric:
        return table, given
    place = {label: code for code, label in enumerate(target.classes.tolist())}
    unknown = [label for label in given.classes.tolist() if label not in place]
    if unknown:
        raise ValueError(
            f"y_val contains classes that are not in y: {', '.join(map(repr, unknown[:5]))}. The "
            f"classes are {', '.join(map(repr, list(place)[:5]))}{', ...' * (len(place) > 5)}."
        )
    codes = np.array([place[label] for label in given.classes.tolist()], np.int32)[given.codes]
    weights = given.weights
    if plain is not None:
        total, without = (
            np.bincount(t.codes, t.weights, minlength=t.n_classes).astype(np.float64)
            for t in (target, plain)
        )
        factors = np.divide(total, without, np.ones_like(without), where=without > 0)
        weights = np.ascontiguousarray(factors[codes] * (1.0 if weights is None else weights))
        if not weights.any():
            raise ValueError(
                "class_weight gives all rows of X_val weight 0. Use a positive weight for a class "
                "that X_val contains."
            )
    return table, Target(target.classes, codes, weights)


def _named(name: str, read: Callable[[], Read]) -> Read:
    """Read, with errors that name the validation data."""
    try:
        return read()
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name}_val cannot be read like {name}: {error}") from error


class _ValidationRows:
    """Validation rows given by the user, with their raw scores."""

    def __init__(self, table: Table, target: Target, state: BoostingState) -> None:
        self.columns, self.target = list(table.arrays), target
        weights = np.ones(target.n_rows) if target.weights is None else target.weights
        self.rows = np.flatnonzero(weights).astype(np.int32)
        self.scores = np.tile(state.baseline, (target.n_rows, 1))
        # A model that is continued may have been grown with other validation rows.
        state.validation_loss.clear()
        self.evaluate(state)

    def evaluate(self, state: BoostingState) -> None:
        """Append the losses of new iterations to those of the state."""
        ends = [0, *state.stage_ends]
        for first, last in list(pairwise(ends))[len(state.validation_loss) :]:
            members = state.predictor().members(first, last)
            add_up(members, self.columns, self.scores, n_jobs=state.plan.settings.n_threads)
            state.validation_loss.append(state.loss.value(self.scores, self.target, self.rows))


class BoostingState:
    """The trees so far, raw scores of the training rows, and buffers that iterations share.

    Parameters
    ----------
    table, target : BinnedTable, Target
        Training data.
    plan : GradientPlan
        Parameters of boosting.
    seed : int
        Seed of the random parts.
    held_out : ndarray of bool, optional
        Rows that are only used for validation.
    previous : Predictor, optional
        A model to continue.
    keep_trees : bool, default=True
        Whether there will be a model. If not, only the scores are computed.
    """

    def __init__(
        self,
        table: BinnedTable,
        target: Target,
        plan: GradientPlan,
        seed: int,
        held_out: NDArray[np.bool_] | None = None,
        previous: Predictor | None = None,
        *,
        keep_trees: bool = True,
    ) -> None:
        self.keep_trees = keep_trees
        self.table, self.target, self.plan, self.seed = table, target, plan, seed
        self.coded = table.coded
        weighted = (
            np.ones(target.n_rows, dtype=bool) if target.weights is None else target.weights > 0
        )
        out = np.zeros(target.n_rows, dtype=bool) if held_out is None else held_out & weighted
        self.rows = np.flatnonzero(weighted & ~out).astype(np.int32)
        self.validation_rows = np.flatnonzero(out).astype(np.int32)
        self.trees: list[Tree] = []
        self.values: list[Numbers] = []
        self.first_output: list[int] = []
        self.stage_ends: list[int] = []
        self.validation_loss: list[float] = []
        self.loss = copy(plan.loss)  # it may hold a scale of these rows
        self.baseline = self.loss.baseline(target, self.rows)
        if previous is None:
            self.scores = np.tile(self.baseline, (target.n_rows, 1))
        else:
            self.baseline = np.asarray(previous.baseline)
            self.scores = self._training_scores(previous, held_out)
            self.trees += previous.trees
            self.values += previous.values or ()
            self.first_output += previous.first_output or ()
            self.stage_ends += previous.stage_ends or ()
        self.gradients = np.empty_like(self.scores)
        self.hessians = np.empty_like(self.scores)

    def _training_scores(self, previous: Predictor, held_out: NDArray[np.bool_] | None) -> Numbers:
        """Raw scores of the training rows after the iterations of a model to continue.

        With target statistics, a training row may be in another leaf than a new row with the same
        values. Its scores are then those of doing the iterations again, if that gives the same
        model; with other training data, rows are treated as new.
        """
        columns = self.coded.table.schema.columns
        if self.plan.settings.category_order == "target_statistics" and any(
            column.kind == "nominal" for column in columns
        ):
            again = BoostingState(self.table, self.target, self.plan, self.seed, held_out)
            values = previous.values or ()
            for end in previous.stage_ends or ():
                again.iterate(math.inf)
                if again.stage_ends[-1] != end or not np.array_equal(
                    again.values[-1], values[end - 1]
                ):
                    break
            else:
                return again.scores
        return previous.scores(self.coded.table, self.plan.settings.n_threads)

    @property
    def n_iter(self) -> int:
        """Number of iterations done."""
        return len(self.stage_ends)

    def predictor(self, n_iter: int | None = None) -> Predictor:
        """The model of the first iterations; of all by default."""
        ends = self.stage_ends[:n_iter]
        n_trees = ends[-1] if ends else 0
        return Predictor(
            self.coded.table.schema,
            TargetSpec.numbers() if self.target.is_numeric else TargetSpec(self.target.classes),
            tuple(self.trees[:n_trees]),
            values=tuple(self.values[:n_trees]),
            first_output=tuple(self.first_output[:n_trees]),
            baseline=self.baseline,
            aggregate="sum",
            link=link_of(self.loss, len(self.baseline)),
            stage_ends=tuple(ends),
        )

    def iterate(self, time_limit: float, *, validate: bool = True) -> None:
        """Grow the trees of one iteration, and add their values to the scores."""
        rng = spawn(self.seed, ROUND, self.n_iter)
        n_threads = self.plan.settings.n_threads
        self.loss.derivatives(
            self.scores, self.target, self.rows, self.gradients, self.hessians, n_threads
        )
        rows, others = self._sample(rng)
        n_outputs = self.scores.shape[1]
        width = n_outputs if self.plan.multi_output else 1
        for first in range(0, n_outputs, width):
            seed = int(rng.integers(2**63))
            outputs = slice(first, first + width)
            tree: Tree | None
            if self.plan.estimator is not None:
                tree, values, node = self._classification_tree(
                    self.plan.estimator, rows, outputs, seed, time_limit
                )
            else:
                tree, values, node = self._gradient_tree(
                    rows, others, outputs, rng, seed, time_limit
                )
            values = np.ascontiguousarray(self.plan.learning_rate * values)
            if tree is not None:
                self.trees.append(tree)
                self.values.append(values)
                self.first_output.append(first)
            _core.add_steps(self.scores, first, values, node)  # rows of weight 0 have no node, -1
        self.stage_ends.append(len(self.trees))
        if validate and len(self.validation_rows):
            loss = self.loss.value(self.scores, self.target, self.validation_rows)
            self.validation_loss.append(loss)

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
    ) -> tuple[Tree | None, Numbers, Rows]:  # fmt: skip
        columns = None
        n_columns = self.coded.table.n_columns
        if self.plan.n_columns is not None and self.plan.n_columns < n_columns:
            drawn = rng.choice(n_columns, self.plan.n_columns, replace=False)
            columns = np.sort(drawn).astype(np.int32)
        settings = self.plan.settings
        if self.target.is_numeric:
            settings = replace(settings, dispersion=self._dispersion())
        # Losses whose leaves are not Newton steps look at the tree.
        steps_only = (
            not self.keep_trees
            and type(self.loss).leaf_values is Loss.leaf_values
            and not len(settings.monotonic_cst)
        )
        grown = grow_gradient_tree(
            self.table,
            self.target,
            np.ascontiguousarray(self.gradients[:, outputs]),
            np.ascontiguousarray(self.hessians[:, outputs]),
            settings,
            rows=rows,
            others=others,
            columns=columns,
            seed=seed,
            time_limit=time_limit,
            steps_only=steps_only,
        )
        node = grown.node_of_row
        if steps_only:
            return None, grown.steps, node
        values = self.loss.leaf_values(
            grown.steps, grown.tree, node, self.scores, self.target, rows
        )
        if len(settings.monotonic_cst):  # medians and quantiles of leaves are not in order
            values = in_order(grown.tree, values[:, 0], settings.monotonic_cst)[:, None]
        return grown.tree if self.keep_trees else None, values, node

    def _dispersion(self) -> float:
        """Variance of the gradients over the mean of the hessians, of rows of weight 1."""
        weights = 1.0 if self.target.weights is None else self.target.weights[self.rows]
        with np.errstate(over="ignore", invalid="ignore"):
            gradients, hessians = self.gradients[:, 0], self.hessians[:, 0]
            if len(self.rows) < len(gradients):
                gradients, hessians = gradients[self.rows], hessians[self.rows]
            squares = float(np.sum(gradients**2 / weights))
            found = squares / float(hessians.sum() or 1.0)
        return found if math.isfinite(found) else 1.0

    def _classification_tree(
        self, estimator: GrowOnWeights, rows: Rows, outputs: slice, seed: int, time_limit: float
    ) -> tuple[Tree, Numbers, Rows]:
        """Grow a classification tree on rows weighted by their residuals, with Newton steps."""
        classes, residuals = self._residuals(outputs)
        weights = np.zeros(self.target.n_rows)
        weights[rows] = residuals[rows]
        if not weights.any():  # all probabilities are 0 or 1, and right
            weights[rows] = 1.0
        labels = self.target.classes if classes is self.target.codes else np.array([0, 1])
        tree = estimator._fit_encoded(
            self.coded, Target(labels, classes, weights), seed=seed, time_limit=time_limit
        )
        node = tree.apply(self.coded.table)
        curvature = _sum_by_node(tree, node[rows], self.hessians[rows, outputs])
        curvature += self.plan.settings.l2_regularization
        values = -_sum_by_node(tree, node[rows], self.gradients[rows, outputs])
        values /= np.where(curvature > 0, curvature, 1.0)
        if labels is not self.target.classes:
            tree = self._with_all_classes(tree, node, rows)
        return tree, values, node

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
            tree, classes=target.classes, statistics=counts, label=argmax_with_ties(counts)
        )


def link_of(loss: Loss, n_outputs: int) -> Literal["identity", "logistic", "softmax", "log"]:
    """Name the link of the raw scores of a loss.

    Examples
    --------
    >>> link_of(LogLoss(), 3)
    'softmax'
    """
    if loss.link != "classes":
        return loss.link
    return "logistic" if n_outputs == 1 else "softmax"


def _sum_by_node(tree: Tree, node: Rows, values: Numbers) -> Numbers:
    """Sum the values of the rows below each node."""
    sums = np.zeros((tree.n_nodes, values.shape[1]))
    np.add.at(sums, node, values)
    for child in range(tree.n_nodes - 1, 0, -1):
        sums[tree.parent[child]] += sums[child]
    return sums
