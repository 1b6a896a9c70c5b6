"""Every division of rows: folds, halves, and training and test rows; cross-validation schemes.

All divisions are stratified unless the target is a number: each part has the class frequencies of
the whole, give or take one row. They take the class of each row as codes from 0 and depend on the
seed and the classes alone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mixedwood._random import FOLDS, HALVES, REPETITION, VALIDATION, spawn

__all__ = [
    "CrossValidation",
    "Fold",
    "check_cv",
    "cv_schemes",
    "fold_numbers",
    "halves",
    "hold_out",
    "hold_out_per_class",
    "random_train_test",
    "repeated_folds",
    "repeated_hold_out",
    "shuffled_folds",
    "splitter_folds",
    "stratified_folds",
]

Codes = NDArray[Any]
Rows = NDArray[np.intp]
Weights = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Fold:
    """The row numbers of a training set and of its test set."""

    train: Rows
    test: Rows


def _by_class(codes: Codes, rng: np.random.Generator, weights: Weights | None = None) -> Rows:
    """Rows with weight sorted by class, in random order within each."""
    rows = np.arange(len(codes)) if weights is None else np.flatnonzero(weights)
    shuffled = rng.permutation(rows)
    return np.asarray(shuffled[np.argsort(codes[shuffled], kind="stable")])


def _assign(n_rows: int, order: Rows, n_folds: int) -> NDArray[np.int64]:
    """Assign rows to folds in turn; -1 for rows that are not in `order`."""
    folds = np.full(n_rows, -1, dtype=np.int64)
    folds[order] = np.arange(len(order)) % n_folds
    return folds


def _distinct(copies_of: ArrayLike) -> tuple[Rows, Rows]:
    """One row of each group of copies, and which of them each row is a copy of."""
    _, first, place = np.unique(np.asarray(copies_of), return_index=True, return_inverse=True)
    return first, place


def stratified_folds(
    codes: Codes,
    n_folds: int,
    rng: np.random.Generator,
    *,
    weights: Weights | None = None,
    copies_of: ArrayLike | None = None,
) -> NDArray[np.int64]:
    """Give the fold of each row; rows of weight 0 come last, and copies stay together.

    There are never more folds than rows with weight.

    Examples
    --------
    >>> folds = stratified_folds(np.array([0, 0, 1, 1]), 2, np.random.default_rng(0))
    >>> sorted(folds[:2].tolist()), sorted(folds[2:].tolist())
    ([0, 1], [0, 1])
    """
    if n_folds < 2:
        raise ValueError(f"n_folds must be at least 2; got {n_folds!r}.")
    if copies_of is not None:
        first, place = _distinct(copies_of)
        kept = None if weights is None else weights[first]
        return stratified_folds(codes[first], n_folds, rng, weights=kept)[place]
    n_rows = n_weighing = len(codes)
    strata = codes
    if weights is not None:
        strata = np.where(weights == 0, codes.max(initial=-1) + 1, codes)
        n_weighing = int(np.count_nonzero(weights))
    order = np.lexsort((rng.random(n_rows), strata))  # shuffled within each stratum
    return _assign(n_rows, order, max(1, min(int(n_folds), n_weighing)))


def fold_numbers(
    codes: Codes, cv: Any, seed: int, weights: Weights | None = None
) -> NDArray[np.int64]:
    """Give the fold that tests each row; -1 for rows that are in no test set.

    `cv` is a number of folds, "holdout" for a single test set of a fifth of the rows, or a
    scikit-learn splitter whose test sets do not overlap. Rows of weight 0 are in no test set.

    Examples
    --------
    >>> fold_numbers(np.array([0, 0, 0, 0, 0]), "holdout", seed=0).tolist().count(0)
    1
    """
    if hasattr(cv, "split") and not isinstance(cv, str):
        folds = np.full(len(codes), -1, dtype=np.int64)
        for number, fold in enumerate(splitter_folds(cv, codes)):
            if (folds[fold.test] >= 0).any():
                raise ValueError(f"The test sets of the splitter {cv!r} overlap.")
            folds[fold.test] = number
        return folds if weights is None else np.where(weights > 0, folds, -1)
    if cv == "holdout":
        held_out = hold_out(codes, 0.2, seed, weights)
        if held_out.any():
            return np.where(held_out, 0, -1)
        cv = 5  # every class has a single row, and all rows have to be tried
    return _assign(len(codes), _by_class(codes, spawn(seed, FOLDS), weights), int(cv))


def halves(codes: Codes, seed: int, weights: Weights | None = None) -> NDArray[np.int8]:
    """Give the half of each row, 0 or 1.

    Rows of weight 0 are in neither half and have -1.

    Examples
    --------
    >>> found = halves(np.array([0, 0, 0, 1, 1, 1]), seed=0)
    >>> sorted(zip("aaabbb", found.tolist()))
    [('a', 0), ('a', 0), ('a', 1), ('b', 0), ('b', 1), ('b', 1)]
    """
    order = _by_class(codes, spawn(seed, HALVES), weights)
    return _assign(len(codes), order, 2).astype(np.int8)


def hold_out(
    codes: Codes, fraction: float, seed: int, weights: Weights | None = None
) -> NDArray[np.bool_]:
    """Mark a fraction of the rows of each class for validation; at least one of each remains.

    At least one row is marked, unless every class has a single row. Rows of weight 0 never are.

    Examples
    --------
    >>> held_out = hold_out(np.array([0] * 8 + [1] * 4), 0.25, seed=0)
    >>> int(held_out[:8].sum()), int(held_out[8:].sum())
    (2, 1)
    """
    by_class = _by_class(codes, spawn(seed, VALIDATION), weights)
    n_rows = len(by_class)
    n = max(1, min(round(fraction * n_rows), n_rows - 1))
    # Evenly over rows that are sorted by class.
    marked = np.zeros(n_rows, dtype=bool)
    marked[(2 * np.arange(n) + 1) * n_rows // (2 * n)] = True
    # Without a training row, the loss of a class would dominate all others.
    _, first, sizes = np.unique(codes[by_class], return_index=True, return_counts=True)
    n_marked = np.add.reduceat(marked, first, dtype=np.intp)
    marked[first[n_marked == sizes]] = False
    if not marked.any() and sizes.max() > 1:
        marked[first[np.argmax(sizes)]] = True
    held_out = np.zeros(len(codes), dtype=bool)
    held_out[by_class[marked]] = True
    return held_out


def hold_out_per_class(
    codes: Codes,
    count: Callable[[int], int],
    seed: int,
    *,
    copies_of: ArrayLike | None = None,
) -> NDArray[np.bool_]:
    """Mark `count(size)` rows of each class for validation; copies stay together.

    Examples
    --------
    >>> out = hold_out_per_class(np.array([0] * 6 + [1] * 3), lambda n: n // 3, seed=0)
    >>> int(out[:6].sum()), int(out[6:].sum())
    (2, 1)
    """
    if copies_of is not None:
        first, place = _distinct(copies_of)
        return hold_out_per_class(codes[first], count, seed)[place]
    rng = spawn(seed, FOLDS)
    out = np.zeros(len(codes), dtype=np.bool_)
    for one in range(int(codes.max(initial=-1)) + 1):
        rows = rng.permutation(np.flatnonzero(codes == one))
        out[rows[: count(len(rows))]] = True
    return out


def shuffled_folds(codes: Codes, n_folds: int, seed: int) -> list[tuple[Rows, Rows]]:
    """Split with scikit-learn, stratified if each class has a row for every fold.

    Gives training and test rows; `seed` has 32 bits.

    Examples
    --------
    >>> [test.tolist() for _, test in shuffled_folds(np.array([0, 0, 1, 1]), 2, seed=1)]
    [[0, 2], [1, 3]]
    """
    from sklearn.model_selection import KFold, StratifiedKFold

    n_folds = min(n_folds, len(codes))
    kind = StratifiedKFold if np.bincount(codes).min() >= n_folds else KFold
    return list(kind(n_folds, shuffle=True, random_state=seed).split(codes, codes))


def random_train_test(n_rows: int, n_train: int, n_test: int, seed: int) -> tuple[Rows, Rows]:
    """Draw training and test rows, whatever their classes.

    Examples
    --------
    >>> train, test = random_train_test(10, 6, 2, seed=0)
    >>> len(train), len(test), len({*train, *test})
    (6, 2, 8)
    """
    order = spawn(seed, FOLDS).permutation(n_rows)
    return order[:n_train], order[n_train : n_train + n_test]


def repeated_folds(codes: Codes, n_folds: int, repetitions: int, seed: int) -> Iterator[Fold]:
    """Split all rows into folds, repeatedly.

    Examples
    --------
    >>> [len(fold.test) for fold in repeated_folds(np.array([0, 0, 1, 1, 1]), 2, 1, seed=0)]
    [3, 2]
    """
    for repetition in range(repetitions):
        order = _by_class(codes, spawn(seed, REPETITION, repetition))
        # In turn, class after class: the sizes of folds differ by one row at most.
        for fold in range(n_folds):
            yield _fold(len(codes), order[fold::n_folds])


def repeated_hold_out(
    codes: Codes, fraction: Fraction, repetitions: int, seed: int
) -> Iterator[Fold]:
    """Split into training rows and a fraction of test rows of each class, repeatedly.

    Examples
    --------
    >>> [len(fold.test) for fold in repeated_hold_out(np.zeros(9, int), Fraction(1, 3), 2, seed=0)]
    [3, 3]
    """
    for repetition in range(repetitions):
        rng = spawn(seed, REPETITION, repetition)
        yield _fold(len(codes), _systematic(_by_class(codes, rng), fraction, rng))


def splitter_folds(splitter: Any, codes: Codes) -> list[Fold]:
    """Split with a scikit-learn splitter.

    Examples
    --------
    >>> from sklearn.model_selection import LeaveOneOut
    >>> len(splitter_folds(LeaveOneOut(), np.array([0, 1, 0])))
    3
    """
    columns = np.zeros((len(codes), 1))
    folds = [
        Fold(np.asarray(train, np.intp), np.asarray(test, np.intp))
        for train, test in splitter.split(columns, codes)
    ]
    if not folds:
        raise ValueError(f"The splitter {splitter!r} yields no splits.")
    return folds


def _systematic(order: Rows, fraction: Fraction, rng: np.random.Generator) -> Rows:
    """Rows at regular intervals of rows sorted by class, from a random start."""
    n_rows = len(order)
    # A half is rounded down: up to a half left out, no two neighbours are, and so no whole class.
    n_test = min(max(1, math.ceil(fraction * n_rows - Fraction(1, 2))), n_rows - 1)
    places = np.floor((np.arange(n_test) + rng.random()) * (n_rows / n_test))
    return np.asarray(order[np.minimum(places.astype(np.intp), n_rows - 1)])


def _fold(n_rows: int, test: Rows) -> Fold:
    tested = np.zeros(n_rows, dtype=bool)
    tested[test] = True
    return Fold(np.flatnonzero(~tested), np.flatnonzero(tested))


# Cross-validation schemes by name

_SCHEMES = {
    "5x2cv": "5 repetitions of 2-fold cross-validation; compared by Alpaydin's combined F test",
    "10x10cv": "10 repetitions of 10-fold cross-validation; compared by the corrected t test",
    "4x10cv": "4 repetitions of 10-fold cross-validation; compared by the corrected t test",
    "20x3cv": "20 repetitions of 3-fold cross-validation; compared by the corrected t test",
    "holdout": "the same as 30x1/3: 30 random splits with a third of the rows for testing",
}
_HOLDOUT = "30x1/3"


@dataclass(frozen=True)
class CrossValidation:
    """A named scheme for splitting rows into training and test sets; `check_cv` makes one.

    Attributes
    ----------
    name : str
        The name of the scheme.
    kind : {"k_fold", "holdout", "splitter"}
        Whether rows are split into folds, into one training and one test set, or by a
        scikit-learn splitter.
    n_repeats : int
        How often all rows are split anew; 1 for a splitter.
    n_splits : int
        Number of test sets in each repetition; 0 for a splitter.
    test_size : Fraction
        Fraction of the rows in a test set, for `kind` ``"holdout"``.
    splitter : object or None
        The scikit-learn splitter, for `kind` ``"splitter"``.
    """

    name: str
    kind: Literal["k_fold", "holdout", "splitter"]
    n_repeats: int
    n_splits: int
    test_size: Fraction = Fraction(0)
    splitter: Any = field(default=None, compare=False)

    def split(self, y: Any, seed: int = 0, *, stratify: bool = True) -> list[Fold]:
        """Split rows with the class labels `y`; the same seed gives the same folds.

        With ``stratify=False``, `y` has numbers, which do not matter unless a splitter uses them.
        """
        if not stratify:
            return self._split_numbers(np.asarray(y), seed)
        classes, codes = np.unique(np.asarray(y), return_inverse=True)
        if not len(codes):
            raise ValueError("y is empty: there are no rows to split.")
        if len(classes) < 2:
            raise ValueError(
                f"y has only one class, {classes.tolist()[0]!r}; at least two classes are required."
            )
        if self.kind == "splitter":
            return splitter_folds(self.splitter, codes)
        counts = np.bincount(codes)
        if counts.min() < 2:
            rare = classes[int(np.argmin(counts))].item()
            raise ValueError(
                f"Class {rare!r} has only one row, but {self.name} needs at least two rows of each "
                "class. Remove the class, merge it with another one, or add rows."
            )
        if self.n_splits > len(codes):
            raise ValueError(
                f"{self.name} needs at least {self.n_splits} rows; y has {len(codes)}."
            )
        if self.kind == "k_fold":
            folds = list(repeated_folds(codes, self.n_splits, self.n_repeats, seed))
        else:
            folds = list(repeated_hold_out(codes, self.test_size, self.n_repeats, seed))
        self._check_training(folds, classes, codes)
        return folds

    def _split_numbers(self, y: NDArray[Any], seed: int) -> list[Fold]:
        if self.kind == "splitter":
            return splitter_folds(self.splitter, y)
        if len(y) < max(2, self.n_splits):
            raise ValueError(
                f"{self.name} needs at least {max(2, self.n_splits)} rows; y has {len(y)}."
            )
        codes = np.zeros(len(y), dtype=np.int64)
        if self.kind == "k_fold":
            return list(repeated_folds(codes, self.n_splits, self.n_repeats, seed))
        return list(repeated_hold_out(codes, self.test_size, self.n_repeats, seed))

    def _check_training(self, folds: list[Fold], classes: NDArray[Any], codes: Codes) -> None:
        for number, fold in enumerate(folds):
            lacking = np.bincount(codes[fold.train], minlength=len(classes)) == 0
            if lacking.any():
                rare = classes[int(np.argmax(lacking))].item()
                raise ValueError(
                    f"The training set of split {number + 1} of {self.name} has no row of class "
                    f"{rare!r}. Use another scheme, remove the class, or add rows."
                )

    def __str__(self) -> str:
        return self.name


def cv_schemes() -> dict[str, str]:
    """Give the named cross-validation schemes with a description of each.

    Examples
    --------
    >>> cv_schemes()["5x2cv"]
    "5 repetitions of 2-fold cross-validation; compared by Alpaydin's combined F test"
    """
    return dict(_SCHEMES)


def check_cv(cv: Any) -> CrossValidation:
    """Make a cross-validation scheme from a number of folds, a name or a scikit-learn splitter.

    Parameters
    ----------
    cv : int, str, scikit-learn splitter or CrossValidation
        A number of folds, a name of `cv_schemes()`, or a name of the same form: ``"3x5cv"`` is
        3 repetitions of 5-fold cross-validation, ``"50x1/4"`` is 50 random splits with a quarter
        of the rows for testing. An int k is the same as ``"1xkcv"``.

    Returns
    -------
    CrossValidation
        The scheme. A `CrossValidation` is returned unchanged.

    Examples
    --------
    >>> folds = check_cv("5x2cv").split(["yes"] * 4 + ["no"] * 6, seed=0)
    >>> len(folds), len(folds[0].train), len(folds[0].test)
    (10, 5, 5)
    >>> from sklearn.model_selection import LeaveOneOut
    >>> check_cv(LeaveOneOut()).name
    'LeaveOneOut()'
    """
    if isinstance(cv, CrossValidation):
        return cv
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        cv = f"1x{cv}cv"
    if isinstance(cv, str):
        return _parse_scheme(cv)
    if hasattr(cv, "split") and hasattr(cv, "get_n_splits"):
        return CrossValidation(" ".join(repr(cv).split()), "splitter", 1, 0, splitter=cv)
    raise TypeError(
        "cv must be a number of folds, a name or a scikit-learn splitter; "
        f"got {type(cv).__name__}. Names are {', '.join(_SCHEMES)}."
    )


def _parse_scheme(name: str) -> CrossValidation:
    text = _HOLDOUT if name == "holdout" else f"1x{name}cv" if name.isdecimal() else name
    if found := re.fullmatch(r"(\d+)x(\d+)cv", text):
        n_repeats, n_splits = map(int, found.groups())
        if n_repeats >= 1 and n_splits >= 2:
            return CrossValidation(
                text if name.isdecimal() else name, "k_fold", n_repeats, n_splits
            )
    if found := re.fullmatch(r"(\d+)x(\d+/\d+|0?\.\d+)", text):
        n_repeats, size = int(found[1]), found[2]
        test_size = Fraction(0) if size.endswith("/0") else Fraction(size)
        if n_repeats >= 1 and 0 < test_size < 1:
            return CrossValidation(name, "holdout", n_repeats, 1, test_size)
    raise ValueError(
        f"cv={name!r} is not a known scheme. Use one of {', '.join(_SCHEMES)}; a number of folds; "
        "repetitions and folds as in '3x5cv'; or repetitions and the fraction of test rows as in "
        "'50x1/4'."
    )
