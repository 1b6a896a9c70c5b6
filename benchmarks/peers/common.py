"""What all peers are given and what they give back."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd


class MissingPeer(Exception):  # noqa: N818 - not an error: the peer is left out
    """A peer is not installed; the message says what to install."""


class Column(NamedTuple):
    """Codes of a nominal column, -1 for missing; numbers with NaN if `n_values` is 0."""

    cells: np.ndarray
    n_values: int


class Table(NamedTuple):
    """A data set with the categories of all its rows, so that none is unknown to a peer."""

    columns: list[Column]
    target: np.ndarray
    n_classes: int


class Fold(NamedTuple):
    """Rows to learn from and rows to be judged by."""

    repetition: int
    number: int
    train: np.ndarray
    test: np.ndarray

    @property
    def key(self) -> str:
        """Name in the cache."""
        return f"{self.repetition}.{self.number}"

    @property
    def seed(self) -> int:
        """For whatever a method draws at random."""
        return 2 * self.repetition + self.number


class Score(NamedTuple):
    """Share of wrong answers on the test rows, and the size of the tree."""

    error: float
    leaves: int
    nodes: int


class EnsembleScore(NamedTuple):
    """Share of wrong answers on the test rows, and the mean of -log(probability of the class)."""

    error: float
    log_loss: float


LEAST_PROBABILITY = 1e-6  # below it a probability counts as this, or one row could cost anything


def judged(
    probabilities: np.ndarray, target: np.ndarray, classes: Sequence[int], n_classes: int
) -> EnsembleScore:
    """Score probabilities, a column for each of `classes`; the most probable is the answer."""
    every = np.zeros((len(target), n_classes))  # a class without training rows has probability 0
    every[:, np.asarray(classes, int)] = probabilities
    wrong = every.argmax(axis=1) != target
    given = np.maximum(every[np.arange(len(target)), target], LEAST_PROBABILITY)
    return EnsembleScore(float(wrong.mean()), float(-np.log(given).mean()))


def nominal_names(column: Column) -> list[str]:
    """Labels that need no quotes in any language: v0, v1, ..."""
    return [f"v{code}" for code in range(column.n_categories)]


def text_cells(column: Column, missing: str) -> np.ndarray:
    """The cells of a column as text."""
    if column.n_categories:
        return np.array([*nominal_names(column), missing])[column.cells]
    return np.array([missing if x != x else repr(x) for x in column.cells.tolist()])


def category_frame(table: Table) -> pd.DataFrame:
    """Columns x0, x1, ... as pandas has them: categories with all their values, missing as NaN."""
    columns = {
        f"x{j}": pd.Categorical.from_codes(column.cells, categories=nominal_names(column))
        if column.n_categories
        else column.cells
        for j, column in enumerate(table.columns)
    }
    return pd.DataFrame(columns)


def text_frame(table: Table, missing: str) -> pd.DataFrame:
    """Columns x0, x1, ...: categories as text, with a word for missing; numbers as they are."""
    columns = {
        f"x{j}": text_cells(column, missing) if column.n_categories else column.cells
        for j, column in enumerate(table.columns)
    }
    return pd.DataFrame(columns)


def write_arff(table: Table, path: Path) -> None:
    """Write the table as WEKA's format, which also tells the categories that may occur."""
    lines = ["@relation table"]
    target = Column(table.target, table.n_classes)
    for j, column in enumerate([*table.columns, target]):
        kind = "{" + ",".join(nominal_names(column)) + "}" if column.n_categories else "numeric"
        lines.append(f"@attribute {'class' if column is target else f'x{j}'} {kind}")
    cells = [text_cells(column, "?") for column in [*table.columns, target]]
    lines += ["@data", *map(",".join, zip(*cells, strict=True))]
    path.write_text("\n".join(lines) + "\n")


def write_folds(folds: Sequence[Fold], n_rows: int, path: Path) -> None:
    """Write one line per fold: the seed, then 1 for each test row and 0 for the others."""
    lines = []
    for fold in folds:
        marks = np.zeros(n_rows, int)
        marks[fold.test] = 1
        lines.append(",".join(map(str, [fold.seed, *marks.tolist()])))
    path.write_text("\n".join(lines) + "\n")


def run_elsewhere(
    command: Sequence[str], table: Table, folds: Sequence[Fold], methods: Mapping[str, str]
) -> Iterator[tuple[str, Fold, list[float]]]:
    """Run a program of another language on all folds; yields its share of wrong answers, and more.

    It is called with the files of the table and of the folds and the methods in its own words, and
    prints a line "method, fold, wrong answers, ..." for each, both counted from 0. What follows
    the wrong answers, leaves and nodes or a log loss, is passed on as it is.
    """
    with tempfile.TemporaryDirectory() as folder:
        arff, marks = Path(folder, "table.arff"), Path(folder, "folds.csv")
        write_arff(table, arff)
        write_folds(folds, len(table.target), marks)
        words = [*command, str(arff), str(marks), *methods.values()]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed:\n{done.stderr}")
    names = list(methods)
    for line in done.stdout.splitlines():
        method, number, wrong, *more = line.split(",")
        fold = folds[int(number)]
        yield names[int(method)], fold, [int(wrong) / len(fold.test), *map(float, more)]
