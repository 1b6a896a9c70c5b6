"""How a table is divided into rows to learn from and rows to test on, again and again.

A protocol is a value with a name. It deals rows by its seed and the classes alone, so that every
method sees the same folds. Rows are dealt class by class: in cross-validation every fold gets its
share of each class, give or take one row.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mixedwood._random import REPETITION, spawn

__all__ = ["Fold", "Protocol", "protocols", "read_protocol"]

Kind = Literal["cross_validation", "hold_out", "seven_sets", "splitter"]
Rows = NDArray[np.intp]

_NAMED = {
    "5x2cv": "5 repetitions of 2-fold cross-validation; compared by Alpaydin's combined F test",
    "10x10cv": "10 repetitions of 10-fold cross-validation; compared by the corrected t test",
    "4x10cv": "4 repetitions of 10-fold cross-validation; compared by the corrected t test",
    "20x3cv": "20 repetitions of 3-fold cross-validation; compared by the corrected t test",
    "hold-out": "the same as 30x1/3: 30 random splits with a third of the rows for testing",
    "7-set": "rows in seven sets by file order: five for training, one to choose a model, one to "
    "test it",
}
_HOLD_OUT = "30x1/3"
_N_SETS = 7


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows to learn from and rows to test on; `choose` are those a model is chosen by, if any."""

    train: Rows
    test: Rows
    choose: Rows | None = None


@dataclass(frozen=True)
class Protocol:
    """A way to divide rows for testing, with a name; `read_protocol` makes one.

    Attributes
    ----------
    name : str
        What it is called.
    kind : {"cross_validation", "hold_out", "seven_sets", "splitter"}
        What it does.
    repetitions : int
        How often all rows are dealt anew; 1 for a splitter.
    folds : int
        Tests of a method in each repetition; 0 where only the splitter knows.
    share : Fraction
        Share of the rows that a hold-out leaves out.
    splitter : object or None
        The scikit-learn splitter that divides the rows, if one does.
    """

    name: str
    kind: Kind
    repetitions: int
    folds: int
    share: Fraction = Fraction(0)
    splitter: Any = field(default=None, compare=False)

    def split(self, y: Any, seed: int = 0) -> list[Fold]:
        """Divide rows with the classes `y`; an error says what a class lacks."""
        classes, codes = np.unique(np.asarray(y), return_inverse=True)
        counts = np.bincount(codes)
        if len(classes) < 2:
            raise ValueError(
                f"All {len(codes)} rows are of one class, {classes.tolist()[0]!r}; there is "
                "nothing to tell apart. Two classes or more are needed."
                if len(codes)
                else "There are no rows to divide."
            )
        if self.kind == "splitter":
            return _by_splitter(self.splitter, codes)
        if self.kind != "seven_sets" and counts.min() < 2:
            rare = classes[int(np.argmin(counts))].item()
            raise ValueError(
                f"Class {rare!r} has one row, which {self.name} cannot both learn from and test "
                "on. Leave the class out, put it together with another, or add rows of it."
            )
        needed = _N_SETS if self.kind == "seven_sets" else self.folds
        if needed > len(codes):
            raise ValueError(f"{self.name} needs at least {needed} rows; there are {len(codes)}.")
        folds = list(self._deal(codes, seed))
        _check_training(folds, classes, codes, self.name)
        return folds

    def _deal(self, codes: Rows, seed: int) -> Iterator[Fold]:
        if self.kind == "seven_sets":
            yield from _seven_sets(len(codes))
            return
        for repetition in range(self.repetitions):
            rng = spawn(seed, REPETITION, repetition)
            order = _by_class(codes, rng)
            if self.kind == "cross_validation":
                # Dealt like cards, class after class: no fold has more than one card too many.
                for fold in range(self.folds):
                    yield _fold(len(codes), order[fold :: self.folds])
            else:
                yield _fold(len(codes), _systematic(order, self.share, rng))

    def __str__(self) -> str:
        return self.name


def protocols() -> dict[str, str]:
    """Name the protocols, with a line about each.

    Examples
    --------
    >>> protocols()["5x2cv"]
    "5 repetitions of 2-fold cross-validation; compared by Alpaydin's combined F test"
    """
    return dict(_NAMED)


def read_protocol(protocol: Any) -> Protocol:
    """Make a protocol of a name or of a scikit-learn splitter.

    Parameters
    ----------
    protocol : str, scikit-learn splitter or Protocol
        A name of `protocols()`, or one of the same form: ``"3x5cv"`` is three times fivefold
        cross-validation, ``"50x1/4"`` leaves a quarter of the rows out, fifty times.

    Returns
    -------
    Protocol
        The protocol; one that was made before stays what it is.

    Examples
    --------
    >>> folds = read_protocol("5x2cv").split(["yes"] * 4 + ["no"] * 6, seed=0)
    >>> len(folds), len(folds[0].train), len(folds[0].test)
    (10, 5, 5)
    >>> from sklearn.model_selection import LeaveOneOut
    >>> read_protocol(LeaveOneOut()).name
    'LeaveOneOut()'
    """
    if isinstance(protocol, Protocol):
        return protocol
    if isinstance(protocol, str):
        return _parse(protocol)
    if hasattr(protocol, "split") and hasattr(protocol, "get_n_splits"):
        name = " ".join(repr(protocol).split())
        return Protocol(name, "splitter", 1, 0, splitter=protocol)
    raise TypeError(
        f"protocol must be a name or a scikit-learn splitter; got {type(protocol).__name__}. "
        f"Names are {', '.join(_NAMED)}."
    )


def _parse(name: str) -> Protocol:
    if name == "7-set":
        return Protocol(name, "seven_sets", 1, _N_SETS - 1)
    text = _HOLD_OUT if name == "hold-out" else name
    if found := re.fullmatch(r"(\d+)x(\d+)cv", text):
        repetitions, folds = map(int, found.groups())
        if repetitions >= 1 and folds >= 2:
            return Protocol(name, "cross_validation", repetitions, folds)
    if found := re.fullmatch(r"(\d+)x(\d+/\d+|0?\.\d+)", text):
        repetitions, digits = int(found[1]), found[2]
        share = Fraction(0) if digits.endswith("/0") else Fraction(digits)
        if repetitions >= 1 and 0 < share < 1:
            return Protocol(name, "hold_out", repetitions, 1, share)
    raise ValueError(
        f"protocol={name!r} is not known. Use one of {', '.join(_NAMED)}; or repetitions and folds "
        "as in '3x5cv'; or repetitions and the share of rows left out as in '50x1/4'."
    )


def _by_class(codes: Rows, rng: np.random.Generator) -> Rows:
    """Rows sorted by class, in random order within each."""
    shuffled = rng.permutation(len(codes))
    return np.asarray(shuffled[np.argsort(codes[shuffled], kind="stable")])


def _systematic(order: Rows, share: Fraction, rng: np.random.Generator) -> Rows:
    """Every so many rows from a random start: each class gives its share, give or take one row."""
    n_rows = len(order)
    # A half is rounded down: up to a half left out, no two neighbours are, and so no whole class.
    n_test = min(max(1, math.ceil(share * n_rows - Fraction(1, 2))), n_rows - 1)
    places = np.floor((np.arange(n_test) + rng.random()) * (n_rows / n_test))
    return np.asarray(order[np.minimum(places.astype(np.intp), n_rows - 1)])


def _fold(n_rows: int, test: Rows) -> Fold:
    tested = np.zeros(n_rows, dtype=bool)
    tested[test] = True
    return Fold(np.flatnonzero(~tested), np.flatnonzero(tested))


def _seven_sets(n_rows: int) -> Iterator[Fold]:
    number = np.arange(n_rows) % _N_SETS
    test = np.flatnonzero(number == _N_SETS - 1)
    for chosen_by in range(_N_SETS - 1):
        train = np.flatnonzero((number != chosen_by) & (number != _N_SETS - 1))
        yield Fold(train, test, np.flatnonzero(number == chosen_by))


def _by_splitter(splitter: Any, codes: Rows) -> list[Fold]:
    columns = np.zeros((len(codes), 1))
    folds = [
        Fold(np.asarray(train, np.intp), np.asarray(test, np.intp))
        for train, test in splitter.split(columns, codes)
    ]
    if not folds:
        raise ValueError(f"The splitter {splitter!r} made no folds.")
    return folds


def _check_training(folds: list[Fold], classes: Any, codes: Rows, name: str) -> None:
    for number, fold in enumerate(folds):
        lacking = np.bincount(codes[fold.train], minlength=len(classes)) == 0
        if lacking.any():
            rare = classes[int(np.argmax(lacking))].item()
            raise ValueError(
                f"Fold {number + 1} of {name} has no row of class {rare!r} to learn from: there "
                "are too few. Choose another protocol, leave the class out, or add rows of it."
            )
