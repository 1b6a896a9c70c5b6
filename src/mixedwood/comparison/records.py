"""Small records of a comparison: its data sets, and what went wrong."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Failure", "Notice", "SetFacts"]


@dataclass(frozen=True)
class SetFacts:
    """A data set, and how many rows of it each fold learned from and tested on."""

    name: str
    n_rows: int
    n_columns: int
    classes: tuple[str, ...]
    n_train: tuple[int, ...]
    n_test: tuple[int, ...]


@dataclass(frozen=True)
class Failure:
    """A method that failed on a fold (counted from 0), and how."""

    set: str
    method: str
    fold: int
    error: str
    traceback: str


@dataclass(frozen=True)
class Notice:
    """A kind of warning that a method gave: the first of it, and on how many folds of a set."""

    set: str
    method: str
    n_folds: int
    words: str
