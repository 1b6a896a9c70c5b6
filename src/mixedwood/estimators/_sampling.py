"""The sample of rows and columns of each tree of a forest."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood._limits import StopFlag
from mixedwood._random import MEMBER, spawn
from mixedwood.data import Schema, Table, Target
from mixedwood.grow import EncodedTable
from mixedwood.tree import Tree

__all__ = ["BaggingPlan", "Sample"]


@dataclass(frozen=True)
class Sample:
    """Seed, columns and rows of one tree; None for all columns or rows."""

    seed: int
    columns: NDArray[np.int32] | None
    rows: NDArray[np.int32] | None


@dataclass(frozen=True)
class BaggingPlan:
    """Grows the trees of a forest by number; it can be pickled.

    Attributes
    ----------
    coded : EncodedTable
        All rows.
    target : Target
        Their classes.
    grow : callable
        Grows a tree, given table, target, seed, rows, time limit and stop flag. It returns a
        `Tree`, or a dataclass with a field `tree`.
    seed : int
        Seed of the forest.
    n_columns : int
        Number of columns drawn for each tree; -1 for all.
    bootstrap : bool
        Whether rows are drawn with replacement.
    n_rows : int or None
        Number of rows drawn for each tree; None for all rows, without drawing.
    kept : ndarray of bool, or None
        The rows with positive weight among the rows given by the user; None if these are all.
    """

    coded: EncodedTable
    target: Target
    grow: Callable[..., Any]
    seed: int
    n_columns: int | None = None
    bootstrap: bool = False
    n_rows: int | None = None
    kept: NDArray[np.bool_] | None = None

    def __call__(self, number: int, time_limit: float, stop: StopFlag) -> Any:
        """Grow the tree of that number."""
        sample = self.sample(number)
        columns = sample.columns
        grown = self.grow(
            self.coded if columns is None else self.coded.select(columns),
            self.target,
            seed=sample.seed,
            rows=sample.rows,
            time_limit=time_limit,
            stop=stop,
        )
        if columns is None:
            return grown
        if isinstance(grown, Tree):
            return in_all_columns(grown, self.table.schema, columns)
        return replace(grown, tree=in_all_columns(grown.tree, self.table.schema, columns))

    @property
    def table(self) -> Table:
        """All rows."""
        return self.coded.table

    def sample(self, number: int) -> Sample:
        """Draw the sample of a tree, which depends on the forest's seed and the number alone."""
        rng = spawn(self.seed, MEMBER, number)
        seed = int(rng.integers(2**63))
        columns = None
        if self.n_columns is not None and self.n_columns < self.table.n_columns:
            chosen = rng.choice(self.table.n_columns, self.n_columns, replace=False)
            columns = np.sort(chosen).astype(np.int32)
        return Sample(seed, columns, self._draw_rows(rng))

    def rows_of(self, number: int) -> NDArray[np.int32]:
        """Rows in the sample of a tree."""
        rows = self.sample(number).rows
        return np.arange(self.table.n_rows, dtype=np.int32) if rows is None else rows

    @property
    def sampling(self) -> tuple[Any, ...]:
        """Values that, with the seed, determine all samples."""
        # A digest in place of the mask: it is compared, and stored in model files.
        kept = None
        if self.kept is not None:
            kept = hashlib.sha256(np.packbits(self.kept).tobytes()).hexdigest()
        return self.table.n_rows, self.n_rows, self.bootstrap, self.n_columns, kept

    def _draw_rows(self, rng: np.random.Generator) -> NDArray[np.int32] | None:
        if self.n_rows is None:
            return None
        n = self.table.n_rows
        if self.bootstrap:
            times = np.bincount(rng.integers(0, n, self.n_rows), minlength=n)
            return np.repeat(np.arange(n, dtype=np.int32), times)
        return np.sort(rng.choice(n, self.n_rows, replace=False)).astype(np.int32)


def in_all_columns(tree: Tree, schema: Schema, columns: NDArray[np.int32]) -> Tree:
    """Renumber the columns of a tree that was grown on some columns of a table."""
    column = np.where(tree.column >= 0, columns[tree.column], -1)
    behind = len(schema) + np.arange(len(tree.models), dtype=np.int32)  # decisions of models
    return replace(
        tree,
        schema=schema,
        column=column,
        term_column=np.concatenate([columns, behind])[tree.term_column],
        models=tuple(model.in_columns(columns) for model in tree.models),
    )
