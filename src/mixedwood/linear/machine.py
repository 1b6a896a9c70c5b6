"""Smooth support vector machines over the rows of a table: learned, and asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood import _kinds as kinds
from mixedwood._limits import NO_DEADLINE, Deadline, TimeLimitError
from mixedwood.data import ColumnKind, Table, Target
from mixedwood.linear.classes import Pairing
from mixedwood.linear.design import Design
from mixedwood.linear.kernel import GaussianKernel

__all__ = ["Machines", "SvmSettings", "learn_machines"]

_NO_LIMIT = 1e9
_CHUNK = 8192  # rows that are asked together: kernels take room


@dataclass(frozen=True)
class SvmSettings:
    """Parameters of the machines, read.

    Attributes
    ----------
    alpha : float
        Smoothing; 0 for the limit form.
    gaussian : bool
        Whether there is a Gaussian kernel.
    gamma : float or "scale"
        Of the kernel.
    n_landmarks : int
        Most rows that have a coefficient in the kernel machine.
    by_pairs : bool
        Whether many classes are told apart in pairs.
    standardize : bool
        Whether numbers are put on a common scale.
    tolerance, max_iterations
        When the method ends.
    """

    alpha: float = 0.0
    gaussian: bool = False
    gamma: float | str = "scale"
    n_landmarks: int = 500
    by_pairs: bool = False
    standardize: bool = True
    tolerance: float = 1e-8
    max_iterations: int = 100


@dataclass(frozen=True)
class Features:
    """How rows of a table become rows of a matrix, kernel included."""

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

    def matrix(self, table: Table) -> NDArray[np.float64]:
        """Turn rows into numbers."""
        rows = self.design.matrix(table)
        if self.kernel is None:
            return rows
        found = self.kernel.matrix(rows)
        assert found is not None  # there is no deadline
        return found


@dataclass(frozen=True)
class Machines:
    """Planes that tell the classes apart.

    Attributes
    ----------
    features : Features
        How rows become numbers.
    pairing : Pairing
        Which sides each plane tells apart.
    z : ndarray of shape (n_machines, n_numbers + 1)
        Coefficients of each plane, then its offset.
    objective, iterations, converged, timed_out : ndarray
        One for each plane.
    """

    features: Features
    pairing: Pairing
    z: NDArray[np.float64]
    objective: NDArray[np.float64]
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

    def decide(self, table: Table) -> NDArray[np.float64]:
        """Decision of each machine for each row."""
        if table.n_rows <= _CHUNK:
            return self.decide_matrix(self.features.matrix(table))
        rows = np.arange(table.n_rows)
        return np.concatenate(
            [
                self.decide(table.take(rows[begin : begin + _CHUNK]))
                for begin in range(0, table.n_rows, _CHUNK)
            ]
        )

    def decide_matrix(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        """Decide for rows that are numbers already."""
        return np.stack([_core.svm_decisions(matrix, z) for z in self.z], axis=1)


def learn_features(
    table: Table,
    target: Target,
    settings: SvmSettings,
    *,
    seed: int,
    deadline: Deadline = NO_DEADLINE,
) -> tuple[Features, NDArray[np.float64]]:
    """Learn how rows become numbers, and what the training rows become."""
    design = Design.learn(table, target.weights, standardize=settings.standardize)
    rows = design.matrix(table)
    if not settings.gaussian:
        return Features(design, None), rows
    kernel = GaussianKernel.learn(
        rows,
        target.weights,
        gamma=settings.gamma,
        n_landmarks=settings.n_landmarks,
        seed=seed,
    )
    matrix = kernel.matrix(rows, deadline)
    if matrix is None:
        raise TimeLimitError("The time limit came before the first step of a machine.")
    return Features(design, kernel), matrix


def learn_machines(
    table: Table,
    target: Target,
    settings: SvmSettings,
    *,
    c: float = 1.0,
    seed: int = 0,
    deadline: Deadline = NO_DEADLINE,
) -> Machines:
    """Learn from rows of positive weight.

    Parameters
    ----------
    table, target : Table, Target
        Training rows.
    settings : SvmSettings
        Parameters.
    c : float, default=1.0
        Weight of the losses against the size of the coefficients.
    seed : int, default=0
        Draws the landmarks of a reduced kernel.
    deadline : Deadline, optional
        Planes that are not done by then are what they are.

    Examples
    --------
    >>> from mixedwood.data import read_table, read_target
    >>> table = read_table({"x": [0.0, 1.0, 2.0, 3.0]})
    >>> machines = learn_machines(table, read_target([0, 0, 1, 1]), SvmSettings())
    >>> machines.pairing.winners(machines.decide(table))
    array([0, 0, 1, 1])
    """
    features, matrix = learn_features(table, target, settings, seed=seed, deadline=deadline)
    return fit_planes(features, matrix, target, settings, c=c, deadline=deadline)


def fit_planes(
    features: Features,
    matrix: NDArray[np.float64],
    target: Target,
    settings: SvmSettings,
    *,
    c: float,
    deadline: Deadline,
    starts: NDArray[np.float64] | None = None,
) -> Machines:
    """Fit the planes to rows that are numbers already."""
    pairing = Pairing(target.n_classes, settings.by_pairs)
    fits = []
    for machine, (rows, signs) in enumerate(pairing.sides(target.codes)):
        weights = target.weights
        if rows is not None and weights is not None:
            weights = weights[rows]
        fit = _core.fit_smooth_svm(
            matrix if rows is None else matrix[rows],
            signs,
            weights,
            c,
            settings.alpha,
            settings.tolerance,
            settings.max_iterations,
            None if starts is None else starts[machine],
            min(_NO_LIMIT, deadline.left(0.0)),
        )
        if fit["timed_out"] and not np.any(fit["z"]):
            raise TimeLimitError("The time limit came before the first step of a machine.")
        if not fit["timed_out"] and not np.isfinite(fit["gradient_norm"]):
            raise ValueError(
                "The sums of the support vector machine overflow: the numbers of X, C or the "
                "weights are too large. Use standardize=True, or divide them by their largest."
            )
        fits.append(fit)
    return Machines(
        features,
        pairing,
        z=np.stack([fit["z"] for fit in fits]),
        objective=np.array([fit["objective"] for fit in fits]),
        iterations=np.array([fit["iterations"] for fit in fits]),
        converged=np.array([fit["converged"] for fit in fits]),
        timed_out=np.array([fit["timed_out"] for fit in fits]),
    )
