"""Smooth support vector machines over the rows of a table.

Features are the matrix of a table or its Gaussian kernel. Several classes need several machines:
one for each class against the rest, or one for each pair of classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood import _kinds as kinds
from mixedwood._folds import hold_out_per_class
from mixedwood._limits import NO_DEADLINE, Deadline, TimeLimitError
from mixedwood._random import LANDMARKS, spawn
from mixedwood.data import ColumnKind, Table, Target
from mixedwood.data.schema import CodeArray
from mixedwood.linear.design import Design

__all__ = ["GaussianKernel", "Machines", "Pairing", "SvmSettings", "fit_machines", "tune_c"]

C_GRID = tuple(2.0**power for power in range(-6, 7, 2))
_MIN_ROWS_TO_TUNE = 10
_NO_LIMIT = 1e9
_KERNEL_CHUNK = 1024  # rows between two checks of the deadline
_CHUNK = 8192  # rows predicted at once, which limits the memory of kernels
# With a larger gamma, the kernel of a squared distance that overflows is 0, as exp(-746) is.
_MIN_GAMMA = 746.0 / np.finfo(np.float64).max

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class SvmSettings:
    """Parameters of `SmoothSVC` that concern the machines."""

    smoothing: float | None = None
    kernel: Literal["linear", "rbf"] = "linear"
    gamma: float | str = "scale"
    n_components: int = 500
    multi_class: Literal["ovr", "ovo"] = "ovr"
    standardize: bool = True
    tol: float = 1e-8
    max_iter: int = 100


@dataclass(frozen=True)
class GaussianKernel:
    """Maps a row x to exp(-gamma |x - l|^2) for each landmark l.

    With fewer landmarks than training rows this is the reduced kernel of Lee and Mangasarian
    (2001): all rows are used for training, but only the landmarks have coefficients.

    Attributes
    ----------
    landmarks : ndarray of shape (n_landmarks, n_columns)
        Distinct training rows.
    gamma : float
        Inverse squared width of the kernel.
    """

    landmarks: Matrix
    gamma: float

    _fitted: ClassVar[kinds.Fitted] = {
        "landmarks": kinds.array(np.float64, 2, kinds.FINITE),
        "gamma": kinds.number(kinds.NONNEGATIVE),
    }

    @classmethod
    def fit(
        cls,
        rows: Matrix,
        weights: Matrix | None = None,
        *,
        gamma: float | str = "scale",
        n_components: int = 500,
        seed: int = 0,
    ) -> GaussianKernel:
        """Draw the landmarks, and compute gamma if it is "scale": 1 / (columns * variance).

        Duplicates of a row are one landmark: a row twice is equivalent to a row of weight 2.

        Examples
        --------
        >>> kernel = GaussianKernel.fit(np.array([[0.0], [2.0], [2.0], [0.0]]))
        >>> kernel.gamma
        1.0
        >>> kernel.matrix(np.array([[0.0]])).round(4)
        array([[1.    , 0.0183]])
        """
        found = _inverse_variance(rows, weights) if isinstance(gamma, str) else float(gamma)
        if not _MIN_GAMMA < found < np.inf:
            raise ValueError(_gamma_error(rows, gamma, found))
        if len(rows) > n_components:
            drawn = spawn(seed, LANDMARKS).choice(len(rows), n_components, replace=False)
            rows = rows[np.sort(drawn)]
        if rows.shape[1]:
            rows = np.unique(rows, axis=0)
        return cls(np.ascontiguousarray(rows), found)

    def matrix(self, rows: Matrix, deadline: Deadline = NO_DEADLINE) -> Matrix:
        """Compute the kernel; raises `TimeLimitError` at the deadline."""
        from scipy.spatial.distance import cdist  # on first use: it takes a while to import

        found = np.ones((len(rows), len(self.landmarks)))
        if rows.shape[1] == 0:
            return found
        for begin in range(0, len(rows), _KERNEL_CHUNK):
            if deadline.is_over():
                raise TimeLimitError(_TOO_LATE)
            part = slice(begin, begin + _KERNEL_CHUNK)
            with np.errstate(over="ignore", under="ignore"):
                squares = cdist(rows[part], self.landmarks, "sqeuclidean")
                np.exp(-self.gamma * squares, out=found[part])
        return found


_TOO_LATE = "The time limit was reached before the first iteration of a support vector machine."


def _inverse_variance(rows: Matrix, weights: Matrix | None) -> float:
    """1 / (columns * variance); 1 if all numbers are equal, 0 or infinite on overflow."""
    if rows.size == 0 or rows.min() == rows.max():
        return 1.0
    fractions = np.ones(len(rows)) if weights is None else weights / weights.max()
    fractions = fractions / (fractions.sum() * rows.shape[1])
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        mean = float((fractions @ rows).sum())
        variance = (fractions @ np.square(rows - mean)).sum()
        return float(1.0 / (rows.shape[1] * variance))


def _gamma_error(rows: Matrix, gamma: float | str, found: float) -> str:
    if not isinstance(gamma, str):
        return f"gamma = {gamma:g} is too small for distances between rows. Use a larger gamma."
    size = "large" if found < 1.0 else "small"
    return (
        "gamma='scale' is 1 / (columns * variance), but the variance of the numbers of X is too "
        f"{size} for a floating-point number; the largest is {np.abs(rows).max():g}. "
        "Use standardize=True, divide X by its largest number, or give gamma."
    )


@dataclass(frozen=True)
class Pairing:
    """Which classes the machines separate.

    Attributes
    ----------
    n_classes : int
        Number of classes.
    by_pairs : bool
        Whether there is a machine for each pair of classes, or one for each class against the rest.
        Two classes, or one, have a single machine; class 1 is its positive side.
    """

    n_classes: int
    by_pairs: bool

    _fitted: ClassVar[kinds.Fitted] = {"n_classes": kinds.integer(1), "by_pairs": kinds.FLAG}

    @property
    def n_machines(self) -> int:
        """Number of machines.

        Examples
        --------
        >>> Pairing(2, False).n_machines, Pairing(4, False).n_machines, Pairing(4, True).n_machines
        (1, 4, 6)
        """
        if self.n_classes <= 2:
            return 1
        return self.n_classes * (self.n_classes - 1) // 2 if self.by_pairs else self.n_classes

    def sides(self, codes: CodeArray) -> Iterator[tuple[NDArray[np.intp] | None, NDArray[np.int8]]]:
        """For each machine its rows, None for all, and their signs."""
        if self.by_pairs and self.n_classes > 2:
            for first, second in combinations(range(self.n_classes), 2):
                rows = np.flatnonzero((codes == first) | (codes == second))
                yield rows, np.where(codes[rows] == second, 1, -1).astype(np.int8)
        else:
            for one in range(self.n_classes) if self.n_classes > 2 else [1]:
                yield None, np.where(codes == one, 1, -1).astype(np.int8)

    def scores(self, decisions: Matrix) -> Matrix:
        """One score for each class from the decisions of the machines; of two classes only one.

        Pairs of classes vote. The sum of the decisions for a class, mapped to less than a third of
        a vote, breaks ties, as in scikit-learn. With one class the score is never positive.
        """
        if self.n_classes == 1:
            return np.minimum(decisions[:, 0], 0.0)
        if self.n_classes == 2:
            return decisions[:, 0]
        if not self.by_pairs:
            return decisions
        votes = np.zeros((len(decisions), self.n_classes))
        sums = np.zeros_like(votes)
        # The sums of decisions like 1e308 stay finite.
        limit = np.finfo(np.float64).max / (4 * self.n_classes)
        decisions = np.clip(decisions, -limit, limit)
        for machine, (first, second) in enumerate(combinations(range(self.n_classes), 2)):
            decision = decisions[:, machine]
            votes[:, first] += decision <= 0
            votes[:, second] += decision > 0
            sums[:, first] -= decision
            sums[:, second] += decision
        votes += sums / (3 * (np.abs(sums) + 1))
        return votes

    def winners(self, decisions: Matrix) -> NDArray[np.intp]:
        """Position of the class of each row; a decision of 0 is on the negative side."""
        scores = self.scores(decisions)
        return (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)


@dataclass(frozen=True)
class Features:
    """How rows of a table become rows of a matrix, with or without a kernel."""

    design: Design
    kernel: GaussianKernel | None

    _fitted: ClassVar[kinds.Fitted] = {
        "design": kinds.instance(Design),
        "kernel": kinds.optional(kinds.instance(GaussianKernel)),
    }

    def _check_fitted(self) -> None:
        nominal = [column.kind == ColumnKind.NOMINAL for column in self.design.schema]
        if [scale is None for scale in self.design.scales] != nominal:
            raise ValueError("the scales of its linear models are not those of its columns")
        if self.kernel is not None and self.kernel.landmarks.shape[1] != len(self.design.terms):
            raise ValueError("its landmarks have not one number for each term")

    @classmethod
    def fit(
        cls, table: Table, target: Target, settings: SvmSettings, seed: int, deadline: Deadline
    ) -> tuple[Features, Matrix]:
        """Fit to training rows; also gives their matrix."""
        design = Design.fit(table, target.weights, standardize=settings.standardize)
        rows = design.matrix(table)
        if settings.kernel == "linear":
            return cls(design, None), rows
        gamma, n_components = settings.gamma, settings.n_components
        kernel = GaussianKernel.fit(
            rows, target.weights, gamma=gamma, n_components=n_components, seed=seed
        )
        return cls(design, kernel), kernel.matrix(rows, deadline)

    def matrix(self, table: Table) -> Matrix:
        """Matrix of the rows of a table."""
        rows = self.design.matrix(table)
        return rows if self.kernel is None else self.kernel.matrix(rows)


@dataclass(frozen=True)
class Machines:
    """Hyperplanes that separate the classes.

    Attributes
    ----------
    features : Features
        How rows become numbers.
    pairing : Pairing
        The classes that each hyperplane separates.
    z : ndarray of shape (n_machines, n_features + 1)
        Coefficients of each hyperplane, then its intercept.
    objective, iterations, converged, timed_out : ndarray
        One value for each hyperplane.
    """

    features: Features
    pairing: Pairing
    z: Matrix
    objective: Matrix
    iterations: NDArray[np.int64]
    converged: NDArray[np.bool_]
    timed_out: NDArray[np.bool_]

    _fitted: ClassVar[kinds.Fitted] = {
        "features": kinds.instance(Features),
        "pairing": kinds.instance(Pairing),
        "z": kinds.array(np.float64, 2, kinds.FINITE),
        "objective": kinds.array(np.float64, 1, kinds.NOT_NEGATIVE),
        "iterations": kinds.COUNTS,
        "converged": kinds.array(np.bool_),
        "timed_out": kinds.array(np.bool_),
    }

    def _check_fitted(self) -> None:
        kernel, design = self.features.kernel, self.features.design
        width = len(design.terms) if kernel is None else len(kernel.landmarks)
        each = (self.z, self.objective, self.iterations, self.converged, self.timed_out)
        if self.z.shape[1] != width + 1 or {len(a) for a in each} != {self.pairing.n_machines}:
            raise ValueError("its linear models have not one coefficient for each term")
        if not (np.abs(self.z).sum(axis=1) < kinds.MAX_SUM).all():
            raise ValueError("its coefficients are too large to be added")

    def decide(self, table: Table) -> Matrix:
        """Decision of each machine for each row."""
        chunks = np.split(np.arange(table.n_rows), range(_CHUNK, table.n_rows, _CHUNK))
        parts = (self.features.matrix(table.take(rows)) for rows in chunks)
        return np.concatenate([self.decide_matrix(part) for part in parts])

    def decide_matrix(self, matrix: Matrix) -> Matrix:
        """Decision of each machine for each row of a matrix."""
        return np.stack([_core.svm_decisions(matrix, z) for z in self.z], axis=1)


def fit_machines(
    table: Table,
    target: Target,
    settings: SvmSettings,
    *,
    c: float = 1.0,
    seed: int = 0,
    deadline: Deadline = NO_DEADLINE,
) -> Machines:
    """Fit to rows of positive weight.

    Parameters
    ----------
    table, target : Table, Target
        Training rows.
    settings : SvmSettings
        Parameters.
    c : float, default=1.0
        Inverse regularization strength.
    seed : int, default=0
        Seed of the landmarks of a reduced kernel.
    deadline : Deadline, optional
        Fitting stops then, and hyperplanes are those of the last iteration.

    Examples
    --------
    >>> from mixedwood.data import read_table, read_target
    >>> table = read_table({"x": [0.0, 1.0, 2.0, 3.0]})
    >>> machines = fit_machines(table, read_target([0, 0, 1, 1]), SvmSettings())
    >>> machines.pairing.winners(machines.decide(table))
    array([0, 0, 1, 1])
    """
    features, matrix = Features.fit(table, target, settings, seed, deadline)
    return _fit_hyperplanes(features, matrix, target, settings, c, deadline)


def _fit_hyperplanes(
    features: Features,
    matrix: Matrix,
    target: Target,
    settings: SvmSettings,
    c: float,
    deadline: Deadline,
    starts: Matrix | None = None,
) -> Machines:
    pairing = Pairing(target.n_classes, settings.multi_class == "ovo")
    fits = []
    for machine, (rows, signs) in enumerate(pairing.sides(target.codes)):
        weights = target.weights
        fit = _core.fit_smooth_svm(
            matrix if rows is None else matrix[rows],
            signs,
            weights if rows is None or weights is None else weights[rows],
            c,
            settings.smoothing or 0.0,  # 0 for the plus function
            settings.tol,
            min(int(settings.max_iter), 2**31 - 1),
            None if starts is None else starts[machine],
            min(_NO_LIMIT, deadline.left(0.0)),
        )
        if fit["timed_out"] and not np.any(fit["z"]):
            raise TimeLimitError(_TOO_LATE)
        if not fit["timed_out"] and not np.isfinite(fit["gradient_norm"]):
            raise ValueError(
                "The sums of the support vector machine overflow: the numbers of X, C or the "
                "weights are too large. Use standardize=True, or divide them by their largest."
            )
        fits.append(fit)
    names = ("objective", "iterations", "converged", "timed_out")
    results = {name: np.array([fit[name] for fit in fits]) for name in names}
    return Machines(features, pairing, np.stack([fit["z"] for fit in fits]), **results)


def _third(n_rows: int) -> int:
    """A third of a class; a class of a single row is not held out."""
    return min((n_rows + 1) // 3, max(n_rows - 1, 0))


def tune_c(
    table: Table,
    target: Target,
    settings: SvmSettings,
    *,
    seed: int = 0,
    choice_seed: int | None = None,
    deadline: Deadline = NO_DEADLINE,
) -> tuple[float, bool]:
    """Choose C from 2^-6, 2^-4, ..., 2^6 by the errors on a third of the rows.

    The machines are fitted to the other two thirds. Of equal errors the smaller C is chosen. C is 1
    for fewer than ten rows, or if fewer than two classes have rows in both parts. Also returns
    whether all values were evaluated; at the deadline, C is the best so far. `seed` draws the
    landmarks and, unless `choice_seed` is given, the validation rows.

    Examples
    --------
    >>> from mixedwood.data import read_table, read_target
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=60)
    >>> tune_c(read_table({"x": x}), read_target((x + rng.normal(size=60) > 0)), SvmSettings())
    (0.25, True)
    """
    if target.n_rows < _MIN_ROWS_TO_TUNE:
        return 1.0, True
    out = hold_out_per_class(target.codes, _third, seed if choice_seed is None else choice_seed)
    if len(np.intersect1d(target.codes[out], target.codes[~out])) < 2:
        return 1.0, True
    validation, train = target.take(out), target.take(~out)
    best, min_errors = 1.0, np.inf
    try:
        features, matrix = Features.fit(table.take(~out), train, settings, seed, deadline)
        validation_matrix = features.matrix(table.take(out))
        starts = None
        for c in C_GRID:
            machines = _fit_hyperplanes(features, matrix, train, settings, c, deadline, starts)
            if machines.timed_out.any():
                return best, False
            starts = machines.z
            predicted = machines.pairing.winners(machines.decide_matrix(validation_matrix))
            wrong = predicted != validation.codes
            errors = wrong.sum() if validation.weights is None else validation.weights[wrong].sum()
            if errors < min_errors:
                best, min_errors = c, float(errors)
    except TimeLimitError:
        return best, False
    return best, True
