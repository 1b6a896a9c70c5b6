"""What one tree of an ensemble is made of, and what chance decides about it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood._limits import StopFlag
from mixedwood._random import MEMBER, spawn
from mixedwood.data import Schema, Table, Target
from mixedwood.estimators._single import SingleTreeClassifier
from mixedwood.growers import CodedTable
from mixedwood.tree import Tree

__all__ = ["MemberPlan", "count_rows"]


@dataclass(frozen=True)
class Draw:
    """What chance decides about one tree."""

    seed: int
    columns: NDArray[np.int32] | None
    rows: NDArray[np.int32] | None


@dataclass(frozen=True)
class MemberPlan:
    """All that a member is made of, besides its number.

    Attributes
    ----------
    coded : CodedTable
        All rows, made ready once for all members.
    target : Target
        Their classes.
    learner : SingleTreeClassifier
        Makes a tree of a sample.
    seed : int
        Of the ensemble.
    n_columns : int
        Columns that each tree may use; -1 for all.
    bootstrap : bool
        Whether rows are drawn with replacement.
    n_rows : int or None
        How many rows are drawn; None for all, as they are.
    kept : ndarray of bool, or None
        Which rows of the table that was given are these; None for all.
    """

    coded: CodedTable
    target: Target
    learner: SingleTreeClassifier
    seed: int
    n_columns: int = -1
    bootstrap: bool = False
    n_rows: int | None = None
    kept: NDArray[np.bool_] | None = None

    def __call__(self, number: int, time_limit: float, stop: StopFlag) -> Tree:
        """Grow the tree of that number."""
        draw = self.draw(number)
        table = self.coded if draw.columns is None else self.coded.select(draw.columns)
        tree = self.learner._fit_encoded(
            table, self.target, seed=draw.seed, rows=draw.rows, time_limit=time_limit, stop=stop
        )
        if draw.columns is None:
            return tree
        return _in_all_columns(tree, self.table.schema, draw.columns)

    @property
    def table(self) -> Table:
        """All rows."""
        return self.coded.table

    def draw(self, number: int) -> Draw:
        """Draw what chance decides about a tree; the same every time."""
        rng = spawn(self.seed, MEMBER, number)
        seed = int(rng.integers(2**63))
        columns = None
        if 0 < self.n_columns < self.table.n_columns:
            chosen = rng.choice(self.table.n_columns, self.n_columns, replace=False)
            columns = np.sort(chosen).astype(np.int32)
        return Draw(seed, columns, self._draw_rows(rng))

    @property
    def sampling(self) -> tuple[Any, ...]:
        """All that decides which rows a member of a given seed and number sees."""
        # A digest, not the rows: it is compared, and kept in model files, which hold no bytes.
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


def _in_all_columns(tree: Tree, schema: Schema, columns: NDArray[np.int32]) -> Tree:
    """Number the columns of a tree that saw only some of them as in the whole table."""
    column = np.where(tree.column >= 0, columns[tree.column], -1)
    return replace(tree, schema=schema, column=column, term_column=columns[tree.term_column])


def count_rows(max_samples: Any, n_rows: int) -> int:
    """Turn a number of rows or a share of them into a number of rows."""
    if max_samples is None:
        return n_rows
    is_number = isinstance(max_samples, (int, float, np.integer, np.floating))
    if is_number and not isinstance(max_samples, bool):
        if isinstance(max_samples, (int, np.integer)) and max_samples >= 1:
            return min(int(max_samples), n_rows)
        if not isinstance(max_samples, (int, np.integer)) and 0 < max_samples <= 1:
            return max(1, round(float(max_samples) * n_rows))
    raise ValueError(
        "max_samples must be None, a whole number of at least 1, or a share above 0 and at most "
        f"1.0; got {max_samples!r}."
    )
