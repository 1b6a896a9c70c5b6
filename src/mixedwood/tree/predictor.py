"""Predictions of many trees: the one description of a fitted model of trees.

Predicting, stages, explanations and files read it; estimators offer it as ``predictor_``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood.data import Schema, Table
from mixedwood.tree.decide import TargetSpec
from mixedwood.tree.tree import Tree

__all__ = [
    "Mixture",
    "Predictor",
    "add_up",
    "normalize",
    "probabilities",
]

Numbers: TypeAlias = NDArray[np.float64]
Member: TypeAlias = tuple[_core.Router, Numbers, NDArray[np.int32], int, float]
"""Router of a tree, values and labels of its nodes, its first output and its weight."""

_ROWS_PER_THREAD = 5_000  # fewer are not worth another thread
_NODES_PER_THREAD = 20_000  # likewise


@dataclass(frozen=True, eq=False)
class Predictor:
    """Trees whose values are combined to one prediction per row.

    Attributes
    ----------
    schema : Schema
        The columns of the tables to predict.
    target : TargetSpec
        What is predicted.
    trees : tuple of Tree
        Trees with this schema and these classes, in the order in which they are added up.
    weights : ndarray of shape (n_trees,), or None
        Weights of the trees; None for equal weights of 1.
    values : tuple of ndarray of shape (n_nodes, n_outputs of the tree), or None
        Values of the nodes of each tree; None for `Tree.value`: class probabilities or numbers.
    first_output : tuple of int, or None
        The first output that the values of each tree are added to; None for output 0.
    baseline : ndarray of shape (n_outputs,), or None
        Scores before the first tree; None for zeros.
    aggregate : {"mean", "vote", "sum", "label"}
        How trees are combined: the mean of their class probabilities or numbers, the fraction of
        their votes, or the sum of their values. "label" is for a single tree, which predicts the
        label or number of a leaf; its probabilities are those of the leaf.
    link : {"identity", "logistic", "softmax", "log"}
        How sums become probabilities: by division by their total, as the log odds of the second of
        two classes, or as one logarithm per class. Sums of numbers are predictions ("identity") or
        their logarithms ("log").
    stage_ends : tuple of int, or None
        Number of trees after each boosting iteration; None if each tree is a stage.

    Examples
    --------
    >>> from mixedwood.data import read_table, read_target
    >>> from mixedwood.grow import GrowSettings, grow
    >>> table, target = read_table({"x": [1, 2, 3]}), read_target(["a", "b", "b"])
    >>> trees = [grow(table, target), grow(table, target, GrowSettings(max_depth=0))]
    >>> model = Predictor.of_trees(trees, aggregate="vote")
    >>> model.scores(table).tolist()
    [[1.0, 1.0], [0.0, 2.0], [0.0, 2.0]]
    >>> model.predict(table).tolist()
    ['a', 'b', 'b']
    >>> [stage[0].tolist() for stage in model.staged_probabilities(table)]
    [[1.0, 0.0], [0.5, 0.5]]
    """

    schema: Schema
    target: TargetSpec
    trees: tuple[Tree, ...]
    weights: Numbers | None = None
    values: tuple[Numbers, ...] | None = None
    first_output: tuple[int, ...] | None = None
    baseline: Numbers | None = None
    aggregate: Literal["mean", "vote", "sum", "label"] = "mean"
    link: Literal["identity", "logistic", "softmax", "log"] = "identity"
    stage_ends: tuple[int, ...] | None = None

    @classmethod
    def of_trees(cls, trees: Sequence[Tree], **parts: Any) -> Predictor:
        """Combine trees of one schema and the same target; `parts` are further attributes."""
        first = trees[0]
        target = TargetSpec.numbers()
        if not first.is_numeric:
            target = TargetSpec(first.classes, cost_matrix=first.cost_matrix)
        return cls(first.schema, target, tuple(trees), **parts)

    @classmethod
    def of_tree(cls, tree: Tree) -> Predictor:
        """Describe a single tree, which predicts the labels of its leaves."""
        return cls(tree.schema, tree.target, (tree,), aggregate="label")

    @property
    def n_outputs(self) -> int:
        """Number of scores per row."""
        return self.target.n_outputs if self.baseline is None else len(self.baseline)

    @property
    def n_stages(self) -> int:
        """Number of stages."""
        return len(self.trees) if self.stage_ends is None else len(self.stage_ends)

    def members(self, first: int = 0, last: int | None = None) -> list[Member]:
        """Describe some trees as `add_up` takes them."""
        votes, outputs = self.aggregate == "vote", self.first_output
        return [
            (
                tree._router,
                tree.value if self.values is None else self.values[number],
                tree._node_votes if votes else tree.label,
                0 if outputs is None else outputs[number],
                1.0 if self.weights is None else float(self.weights[number]),
            )
            for number, tree in enumerate(self.trees[first:last], start=first)
        ]

    def scores(self, table: Table, n_jobs: int | None = None) -> Numbers:
        """Compute the sums over the trees for each row: shape (n_rows, n_outputs).

        Values are added in the order of the trees, for any `n_jobs`.
        """
        self._check(table)
        prepare_trees(self.trees, n_jobs)
        total = self._empty_scores(table.n_rows)
        self._add_trees(0, len(self.trees), table, total, n_jobs)
        return total

    def _add_trees(
        self, first: int, last: int, table: Table, out: Numbers, n_jobs: int | None = None
    ) -> None:
        """Add the scores of some trees; those with models of their nodes have more columns."""
        votes = self.aggregate == "vote"
        if not any(tree.models for tree in self.trees[first:last]):
            columns = list(table.arrays)
            add_up(self.members(first, last), columns, out, votes=votes, n_jobs=n_jobs)
            return
        for number in range(first, last):
            columns = self.trees[number]._columns_of(table)
            add_up(self.members(number, number + 1), columns, out, votes=votes, n_jobs=n_jobs)

    def probabilities(self, table: Table, n_jobs: int | None = None) -> Numbers:
        """Compute the class probabilities of each row: shape (n_rows, n_classes)."""
        if self.aggregate == "label":
            return self.trees[0].predict_proba(table)
        return self.link_scores(self.scores(table, n_jobs))

    def predict_codes(self, table: Table, n_jobs: int | None = None) -> NDArray[np.int32]:
        """Predict the class of each row, as a position in the classes."""
        if self.aggregate == "label":
            return self.trees[0].predict_codes(table)
        return self.target.decide(self.probabilities(table, n_jobs))

    def predict(self, table: Table, n_jobs: int | None = None) -> NDArray[Any]:
        """Predict the class of each row, of equally probable classes the first, or a number."""
        if self.target.is_numeric:
            if self.aggregate == "label":
                return self.trees[0].predict(table)
            return self.target.labels(self.link_scores(self.scores(table, n_jobs)))
        return np.asarray(self.target.classes[self.predict_codes(table, n_jobs)])

    def staged_scores(self, table: Table) -> Iterator[Numbers]:
        """Compute the scores after each stage; each array is changed by the next stage."""
        self._check(table)
        total = self._empty_scores(table.n_rows)
        ends = range(1, len(self.trees) + 1) if self.stage_ends is None else self.stage_ends
        for first, last in pairwise([0, *ends]):
            self._add_trees(first, last, table, total)
            yield total

    def staged_probabilities(self, table: Table) -> Iterator[Numbers]:
        """Compute the class probabilities after each stage."""
        return (self.link_scores(scores) for scores in self.staged_scores(table))

    def staged_numbers(self, table: Table) -> Iterator[Numbers]:
        """Predict the number of each row after each stage."""
        for stage, scores in enumerate(self.staged_scores(table)):
            last = stage + 1 if self.stage_ends is None else self.stage_ends[stage]
            yield self.link_scores(scores, last)[:, 0].copy()

    def link_scores(self, scores: Numbers, n_trees: int | None = None) -> Numbers:
        """Turn scores of the first trees, or of all, into class probabilities or numbers."""
        if self.target.is_numeric:
            if self.aggregate != "sum":
                return np.asarray(scores / self._total_weight(n_trees))
            return np.exp(scores) if self.link == "log" else scores
        return normalize(scores) if self.link == "identity" else probabilities(scores)

    def _total_weight(self, n_trees: int | None = None) -> float:
        if self.weights is None:
            return float(len(self.trees) if n_trees is None else n_trees)
        return float(self.weights[:n_trees].sum())

    def tree_codes(self, table: Table) -> NDArray[np.int32]:
        """Predict the most probable class of each row by each tree: shape (n_rows, n_trees)."""
        found = np.empty((table.n_rows, len(self.trees)), dtype=np.int32)
        for place, tree in enumerate(self.trees):
            found[:, place] = tree.vote_codes(table)
        return found

    def apply(self, table: Table) -> NDArray[np.int32]:
        """Find the leaf of each row in each tree: shape (n_rows, n_trees)."""
        found = np.empty((table.n_rows, len(self.trees)), dtype=np.int32)
        for place, tree in enumerate(self.trees):
            found[:, place] = tree.apply(table)
        return found

    def out_of_bag(self, table: Table, samples: Iterable[NDArray[np.int32]]) -> Numbers:
        """Compute each row's class probabilities, or number, from the trees grown without it.

        Parameters
        ----------
        table : Table
            All training rows.
        samples : iterable of ndarray of int32
            For each tree, the numbers of the rows that it was grown on.

        Returns
        -------
        ndarray of shape (n_rows, n_classes) or (n_rows, 1)
            Probabilities or numbers; NaN for rows that are in every sample.
        """
        total = self._empty_scores(table.n_rows)
        weight = np.zeros((table.n_rows, 1))  # of the trees without the row
        out = np.empty(table.n_rows, dtype=bool)
        for place, sample in enumerate(samples):
            out[:] = True
            out[sample] = False
            if out.any():
                weight[out] += 1.0 if self.weights is None else self.weights[place]
                total[out] += replace(
                    self,
                    trees=self.trees[place : place + 1],
                    weights=None if self.weights is None else self.weights[place : place + 1],
                ).scores(table.take(out))
        sums = weight if self.target.is_numeric else total.sum(axis=1, keepdims=True)
        return np.asarray(total / np.where(sums == 0, np.nan, sums))

    def _check(self, table: Table) -> None:
        if self.trees:
            self.trees[0]._check_table(table)

    def _empty_scores(self, n_rows: int) -> Numbers:
        total = np.zeros((n_rows, self.n_outputs))
        if self.baseline is not None:
            total[:] = self.baseline
        return total


@dataclass(frozen=True, eq=False)
class Mixture:
    """A weighted mean of the class probabilities, or numbers, of several predictors.

    Attributes
    ----------
    parts : tuple of tuple of float and Predictor
        Weights, which sum to 1, and predictors with the same columns and classes.
    """

    parts: tuple[tuple[float, Predictor], ...]

    @property
    def schema(self) -> Schema:
        """The columns of the tables to predict."""
        return self.parts[0][1].schema

    @property
    def target(self) -> TargetSpec:
        """What is predicted."""
        return self.parts[0][1].target

    def probabilities(self, table: Table, n_jobs: int | None = None) -> Numbers:
        """Compute the class probabilities of each row: shape (n_rows, n_classes)."""
        return self.average([part.probabilities(table, n_jobs) for _, part in self.parts])

    def average(self, given: Sequence[Numbers]) -> Numbers:
        """Compute the weighted sum of one array per part."""
        total = self.parts[0][0] * given[0]
        for (weight, _), array in zip(self.parts[1:], given[1:], strict=True):
            total = total + weight * array
        return np.asarray(total)

    def predict(self, table: Table, n_jobs: int | None = None) -> NDArray[Any]:
        """Predict the class of each row, of equally probable classes the first, or a number."""
        if self.target.is_numeric:
            return self.average([part.predict(table, n_jobs) for _, part in self.parts])
        return self.target.labels(self.probabilities(table, n_jobs))


def add_up(
    members: list[Member],
    columns: list[NDArray[Any]],
    out: Numbers,
    *,
    votes: bool = False,
    n_jobs: int | None = None,
) -> None:
    """Add the values of trees, or their votes, to the scores of rows, in place.

    Threads share the rows; the values of a row are added in the order of the trees.

    Parameters
    ----------
    members : list of tuple
        Router of each tree, values and labels of its nodes, first output, and weight.
    columns : list of ndarray
        The arrays of a table.
    out : ndarray of shape (n_rows, n_outputs)
        Scores.
    votes : bool, default=False
        Whether each tree adds 1 to the score of its class in place of its values.
    n_jobs : int or None, default=None
        Number of threads.
    """
    n_rows = len(out)
    n_parts = min(effective_n_jobs(n_jobs), -(-n_rows // _ROWS_PER_THREAD))
    if n_parts < 2:
        _core.add_up(members, columns, votes, 0, n_rows, out)
        return
    ends = [n_rows * part // n_parts for part in range(n_parts + 1)]
    Parallel(n_jobs=n_parts, backend="threading")(
        delayed(_core.add_up)(members, columns, votes, first, last, out)
        for first, last in pairwise(ends)
    )


def prepare_trees(trees: Sequence[Tree], n_jobs: int | None) -> None:
    """Make the routers and probabilities of trees, which they keep, in several threads."""
    new = [tree for tree in trees if not tree._has_router]
    n_nodes = sum(tree.n_nodes for tree in new)
    n_parts = min(effective_n_jobs(n_jobs), len(new), n_nodes // _NODES_PER_THREAD)
    if n_parts < 2:
        return

    def prepare(part: Sequence[Tree]) -> None:
        for tree in part:
            _ = tree._router, tree.value

    Parallel(n_jobs=n_parts, backend="threading")(
        delayed(prepare)(new[part::n_parts]) for part in range(n_parts)
    )


def normalize(totals: Numbers) -> Numbers:
    """Divide each row by its sum; rows of zeros get equal probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> normalize(np.array([[1.0, 3.0], [0.0, 0.0]])).tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    """
    sums = totals.sum(axis=1, keepdims=True)
    empty = sums == 0
    return np.asarray((totals + empty) / np.where(empty, totals.shape[1], sums))


def probabilities(scores: Numbers) -> Numbers:
    """Class probabilities of raw scores: log odds of two classes, or one logarithm per class.

    Examples
    --------
    >>> import numpy as np
    >>> probabilities(np.array([[0.0]])).tolist()
    [[0.5, 0.5]]
    """
    logs = np.hstack([np.zeros_like(scores), scores]) if scores.shape[1] == 1 else scores
    odds = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))
