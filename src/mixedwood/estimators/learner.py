"""From parameters to a tree: growth, pruning, and the time they may take.

Ensembles ask the estimator of their members for a learner and grow many trees with it, in threads
or in other processes. A learner therefore holds parameters only, and can be pickled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mixedwood._limits import Deadline, StopFlag, TimeLimitError, warn_time_limit
from mixedwood.data import Table, Target
from mixedwood.data.schema import row_index
from mixedwood.estimators.parameters import TreeParameters
from mixedwood.growers import CodedTable, grow
from mixedwood.pruning.pruner import Pruner
from mixedwood.tree import Tree

if TYPE_CHECKING:
    from mixedwood.pruning import CrossValidatedPath

__all__ = ["Learner", "TreeLearner"]

Rows = NDArray[np.int32]


class Learner(Protocol):
    """What an estimator of one tree gives to an ensemble; it can be pickled."""

    def learn(
        self,
        table: Table | CodedTable,
        target: Target,
        *,
        seed: int,
        rows: Rows | None = None,
        time_limit: float = math.inf,
        stop: StopFlag | None = None,
    ) -> Tree:
        """Learn a tree from some rows, whose numbers may repeat, or from all."""


@dataclass(frozen=True, eq=False, repr=False)
class _SampledTable(Table):
    """A table of rows drawn from another, whose parts remember which: copies are no new rows."""

    drawn: Rows = field(kw_only=True)

    @classmethod
    def of(cls, table: Table, rows: Rows) -> _SampledTable:
        taken = table.take(rows)
        return cls(taken.schema, taken.arrays, taken.unknown, drawn=rows)

    def take(self, rows: Any) -> Table:
        taken, chosen = super().take(rows), row_index(rows)
        return _SampledTable(taken.schema, taken.arrays, taken.unknown, drawn=self.drawn[chosen])


@dataclass(frozen=True)
class TreeLearner:
    """Grows and prunes trees as a `TreeClassifier` with these parameters does."""

    parameters: TreeParameters

    def learn(
        self,
        table: Table | CodedTable,
        target: Target,
        *,
        seed: int,
        rows: Rows | None = None,
        time_limit: float = math.inf,
        stop: StopFlag | None = None,
    ) -> Tree:
        """Learn a tree from some rows, whose numbers may repeat, or from all."""
        return self.learn_with_path(
            table, target, seed=seed, rows=rows, time_limit=time_limit, stop=stop
        )[0]

    def learn_with_path(
        self,
        table: Table | CodedTable,
        target: Target,
        *,
        seed: int,
        rows: Rows | None = None,
        choice_seed: int | None = None,
        time_limit: float = math.inf,
        stop: StopFlag | None = None,
    ) -> tuple[Tree, CrossValidatedPath | None]:
        """Learn a tree; the path is there where cross-validation chose on it.

        Folds of pruning have a seed of their own where what is random in a tree is to differ, and
        they are not.
        """
        folds = seed if choice_seed is None else choice_seed
        coded = table if isinstance(table, CodedTable) else CodedTable(table)
        table = coded.table
        copies_of = None
        if rows is not None and any(p.needs_rows for p in self.parameters.pruning):
            copies_of = rows
        limit = min(time_limit, self.parameters.time_limit)
        growth = _Growth(self.parameters, seed, coded, target, rows, Deadline.after(limit), stop)
        if copies_of is not None:
            table, target = _SampledTable.of(table, copies_of), target.take(copies_of)
        grow_pruned: Any = growth.grow
        path: list[CrossValidatedPath | None] = [None]
        for pruner in self.parameters.pruning:
            grow_pruned = _pruned(grow_pruned, pruner, folds, path, table, copies_of)
        try:
            return grow_pruned(table, target), path[0]
        except TimeLimitError:
            if growth.first is None:
                raise
            warn_time_limit(
                "The time limit came before the tree was pruned; it is larger than it should be."
            )
            return growth.first, None


@dataclass
class _Growth:
    """Grows the trees that one tree needs: itself, and those of cross-validated pruning."""

    parameters: TreeParameters
    seed: int
    coded: CodedTable
    target: Target  # of the whole table
    rows: Rows | None
    deadline: Deadline
    stop: StopFlag | None
    first: Tree | None = None

    def grow(self, table: Table, target: Target) -> Tree:
        if self.first is not None and self.deadline.is_over():
            raise TimeLimitError("The time limit came while trees were grown for pruning.")
        rows = self.rows
        if isinstance(table, _SampledTable):
            rows = table.drawn
            table, target = self.coded.table, self.target
        n_rows = table.n_rows if rows is None else len(rows)
        tree = grow(
            self.coded if table is self.coded.table else table,
            target,
            self.parameters.settings_for(n_rows, table.n_columns),
            seed=self.seed,
            time_limit=self.deadline.left(1e-3),
            rows=rows,
            stop=self.stop,
        )
        if self.first is None:
            self.first = tree
        return tree


def _pruned(
    grow_it: Any,
    pruner: Pruner,
    seed: int,
    path: list[Any],
    everyone: Table,
    copies_of: Rows | None,
) -> Any:
    def grow_and_prune(table: Table, target: Target) -> Tree:
        # Inside another pruner's cross-validation, rows have other numbers.
        copies = copies_of if table is everyone else None
        tree, found = pruner.prune(grow_it, table, target, seed=seed, copies_of=copies)
        path[0] = found or path[0]  # of the last pruner that has one
        return tree

    return grow_and_prune
