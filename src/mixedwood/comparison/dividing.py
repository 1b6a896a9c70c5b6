"""How a table is divided into rows to learn from and rows to test on, again and again.

A protocol is a value with a name. It deals rows by its seed and the classes alone, so that every
method sees the same folds. Rows are dealt class by class: in cross-validation every fold gets its
share of each class, give or take one row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mixedwood._folds import (
    Fold,
    repeated_folds,
    repeated_hold_out,
    sets_in_file_order,
    splitter_folds,
)

__all__ = ["Fold", "Protocol", "protocols", "read_protocol"]

Kind = Literal["cross_validation", "hold_out", "seven_sets", "splitter"]

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
            return splitter_folds(self.splitter, codes)
        if self.kind != "seven_sets" and counts.min() < 2:
            rare = classes[int(np.argmin(counts))].item()
            raise ValueError(
                f"Class {rare!r} has one row, which {self.name} cannot both learn from and test "
                "on. Leave the class out, put it together with another, or add rows of it."
            )
        needed = _N_SETS if self.kind == "seven_sets" else self.folds
        if needed > len(codes):
            raise ValueError(f"{self.name} needs at least {needed} rows; there are {len(codes)}.")
        folds = list(self._divide(codes, seed))
        _check_training(folds, classes, codes, self.name)
        return folds

    def _divide(self, codes: NDArray[np.intp], seed: int) -> Iterator[Fold]:
        if self.kind == "seven_sets":
            return sets_in_file_order(len(codes), _N_SETS)
        if self.kind == "cross_validation":
            return repeated_folds(codes, self.folds, self.repetitions, seed)
        return repeated_hold_out(codes, self.share, self.repetitions, seed)

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


def _check_training(folds: list[Fold], classes: Any, codes: NDArray[np.intp], name: str) -> None:
    for number, fold in enumerate(folds):
        lacking = np.bincount(codes[fold.train], minlength=len(classes)) == 0
        if lacking.any():
            rare = classes[int(np.argmax(lacking))].item()
            raise ValueError(
                f"Fold {number + 1} of {name} has no row of class {rare!r} to learn from: there "
                "are too few. Choose another protocol, leave the class out, or add rows of it."
            )
