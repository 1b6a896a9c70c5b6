"""Rows that no round learns from, and the loss on them after each round."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mixedwood.boosting.loss import log_loss
from mixedwood.data import Table, Target
from mixedwood.ensembles import add_answers

if TYPE_CHECKING:
    from mixedwood.boosting.gradient import BoostedScores

__all__ = ["Validation"]


class Validation:
    """Follows a model on rows beside those that it learns from.

    Parameters
    ----------
    table, target
        The rows; of the schema and the classes that the model has.
    n_threads : int, default=1
        Threads that answer; any number gives the same losses.
    """

    def __init__(self, table: Table, target: Target, n_threads: int = 1) -> None:
        self.columns, self.target, self.n_threads = list(table.arrays), target, n_threads
        counts = None if target.weights is None else target.weights > 0
        rows = np.arange(target.n_rows) if counts is None else np.flatnonzero(counts)
        self.rows = rows.astype(np.int32)
        self.scores: np.typing.NDArray[np.float64] | None = None

    def begin(self, model: BoostedScores) -> None:
        """Begin with a model, judging rounds that are there anew: they may know other rows."""
        self.scores = np.tile(model.start, (self.target.n_rows, 1))
        model.validation_loss.clear()
        for number in range(len(model.rounds)):
            self.follow(model, number)

    def follow(self, model: BoostedScores, number: int) -> None:
        """Add the answers of one round, and the loss after it to those of the model."""
        assert self.scores is not None
        self.scores = add_answers(
            model.members(number + 1, since=number),
            self.columns,
            self.scores.shape[1],
            n_jobs=self.n_threads,
            n_rows=self.target.n_rows,
            start=self.scores,
        )
        model.validation_loss.append(log_loss(self.scores, self.target, self.rows))
