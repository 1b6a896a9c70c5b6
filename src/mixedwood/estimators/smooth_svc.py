"""Smooth support vector machine for tables with categorical and numeric columns."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from mixedwood import _kinds as kinds
from mixedwood._limits import Deadline, TimeLimitError, user_stacklevel, warn_time_limit
from mixedwood._params import (
    CROSSED_FEATURES,
    FLAG,
    NONE,
    RANDOM_STATE,
    TIME_LIMIT,
    Constraint,
    Float,
    Int,
    OneOf,
    validate,
)
from mixedwood._random import seeds_of
from mixedwood.data import Table, Target
from mixedwood.estimators.base import TableClassifier
from mixedwood.linear import Machines, SvmSettings, fit_machines, tune_c

__all__ = ["SmoothSVC"]

_POSITIVE = Float(0, math.inf, "neither")


class SmoothSVC(TableClassifier):
    """Support vector machine with squared hinge loss, fitted by Newton's method.

    It minimizes ``C/2 * sum of p(1 - y f(x))^2 + (|w|^2 + b^2) / 2`` for ``f(x) = w.x + b``. If p
    is the plus function, this is scikit-learn's ``LinearSVC`` with squared hinge loss and half the
    C, but exact to the last digits, and faster on tables of up to 50 columns and 100,000 rows.
    Categorical columns need no encoding, and missing values no imputation. For probabilities wrap
    it in ``CalibratedClassifierCV``.

    Parameters
    ----------
    C : float or "tune", default=1.0
        Inverse regularization strength. "tune" fits with 2^-6, 2^-4, ..., 2^6 to two thirds of the
        rows, stratified, and chooses the value with the fewest errors on the other third, the
        smallest in case of ties. It is 1 for fewer than ten rows.
    smoothing : float or None, default=None
        Parameter a of p(x) = x + log(1 + exp(-a x)) / a. If None, p is its limit, the plus function
        max(x, 0). The authors of the method use 5.
    kernel : {"linear", "rbf"}, default="linear"
        A hyperplane in the columns, or in Gaussian kernels of the rows.
    gamma : float or "scale", default="scale"
        Kernel coefficient of ``exp(-gamma |x - x'|^2)``. "scale" is 1 / (columns * variance). Only
        used if ``kernel="rbf"``.
    n_components : int, default=500
        Maximum number of training rows with a coefficient. If there are more rows, this many are
        drawn at random (reduced kernel); all rows are used for training. Only used if
        ``kernel="rbf"``.
    multi_class : {"ovr", "ovo"}, default="ovr"
        With more than two classes: one machine for each class against the rest, or one for each
        pair of classes, which then vote.
    standardize : bool, default=True
        Whether to standardize numbers to mean 0 and variance 1. The result depends on the scale.
    class_weight : mapping, "balanced" or None, default=None
        Weights of the classes.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal whatever their type.
    ordinal_features : mapping of str to sequence, optional
        Ordinal columns, and their labels in order.
    crossed_features : None, "auto" or list of lists of str or int, default=None
        Columns to cross; see `TreeClassifier`.
    tol : float, default=1e-8
        Fitting stops when the norm of the gradient is at most ``tol * (1 + |w, b|)``.
    max_iter : int, default=100
        Maximum number of Newton iterations. Usually far fewer are needed.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the validation rows of ``C="tune"`` and of the rows drawn for the reduced kernel. If
        None, the validation rows are always the same, and the rows of the kernel differ.
    time_limit : float or None, default=None
        Maximum number of seconds of `fit`, without reading the table. When it is reached, the
        hyperplanes of the last iteration are used, with a warning.

    Attributes
    ----------
    coef_ : ndarray of shape (n_machines, n_terms)
        Coefficients in the original units, if ``kernel="linear"``.
    intercept_ : ndarray of shape (n_machines,)
        Intercepts, if ``kernel="linear"``.
    coef_names_ : tuple of str
        Names of the coefficients: a numeric column, or a category of a nominal one.
    dual_coef_ : ndarray of shape (n_machines, n_components)
        Coefficients of the kernel's training rows, if ``kernel="rbf"``.
    C_ : float
        The C used.
    objective_value_ : ndarray of shape (n_machines,)
        Minimum of the objective.
    n_iter_ : ndarray of shape (n_machines,)
        Number of Newton iterations.
    classes_, schema_, n_features_in_, feature_names_in_
        As in `TreeClassifier`.

    Notes
    -----
    Missing numbers are replaced by the mean of their column, ordinal values by their position in
    the order. Nominal columns are one-hot encoded; the indicators of a missing value or unknown
    category are all 0. With one class, that class is predicted.

    References
    ----------
    .. [1] Y.-J. Lee and O. L. Mangasarian, "SSVM: A Smooth Support Vector Machine for
       Classification", Computational Optimization and Applications 20, 2001.
    .. [2] Y.-J. Lee and O. L. Mangasarian, "RSVM: Reduced Support Vector Machines", SIAM
       International Conference on Data Mining, 2001.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"color": ["red", "blue", "red", "blue"], "size": [1.0, 2.0, 3.0, 4.0]}
    >>> model = mw.SmoothSVC().fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict({"color": ["red", None], "size": [0.5, 5.0]})
    array(['no', 'yes'], dtype='<U3')
    >>> dict(zip(model.coef_names_, model.coef_[0].round(3).tolist()))
    {'color = blue': -0.239, 'color = red': 0.239, 'size': 0.716}
    """

    _machines: Machines
    C_: float

    _parameters: ClassVar[dict[str, Constraint]] = {
        "C": _POSITIVE | OneOf("tune"),
        "smoothing": _POSITIVE | NONE,
        "kernel": OneOf("linear", "rbf"),
        "gamma": _POSITIVE | OneOf("scale"),
        "n_components": Int(1),
        "multi_class": OneOf("ovr", "ovo"),
        "standardize": FLAG,
        "tol": _POSITIVE,
        "max_iter": Int(1),
        "random_state": RANDOM_STATE,
        "time_limit": TIME_LIMIT,
        "crossed_features": CROSSED_FEATURES,
    }
    _fitted: ClassVar[kinds.Fitted] = {
        "_machines": kinds.instance(Machines),
        "C_": kinds.number(kinds.POSITIVE),
    }

    def _check_fitted(self) -> None:
        if self._machines.features.design.schema != self.schema_:
            raise ValueError("its linear models have other columns than the model")
        if self._machines.pairing.n_classes != len(self.classes_):
            raise ValueError("its linear models have other classes than the model")

    def __init__(
        self,
        *,
        C: float | str = 1.0,
        smoothing: float | None = None,
        kernel: Literal["linear", "rbf"] = "linear",
        gamma: float | str = "scale",
        n_components: int = 500,
        multi_class: Literal["ovr", "ovo"] = "ovr",
        standardize: bool = True,
        class_weight: Mapping[Any, float] | str | None = None,
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
        crossed_features: Any = None,
        tol: float = 1e-8,
        max_iter: int = 100,
        random_state: Any = None,
        time_limit: float | None = None,
    ) -> None:
        self.C = C
        self.smoothing = smoothing
        self.kernel = kernel
        self.gamma = gamma
        self.n_components = n_components
        self.multi_class = multi_class
        self.standardize = standardize
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.crossed_features = crossed_features
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.time_limit = time_limit

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | float | None = None) -> SmoothSVC:
        """Fit the support vector machines.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows.
        y : array-like of shape (n_rows,)
            Class of each row: text, booleans or whole numbers.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows, which multiply C.

        Returns
        -------
        SmoothSVC
            The fitted estimator itself.
        """
        validate(self)
        table, target = self._read_training(X, y, sample_weight)
        machines, c = self._fit_machines(table, target)
        self._remember(table, target)
        self._machines, self.C_ = machines, c
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row; of two classes the first where the decision is 0."""
        table = self._new(X)
        return self.classes_[self._machines.pairing.winners(self._machines.decide(table))]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Compute the decision function of each row.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            With two classes w.x + b, positive for the second. With more, one column for each class:
            its w.x + b, or for pairs of classes its votes plus the sum of its decisions, mapped to
            less than a third of a vote.
        """
        table = self._new(X)
        return self._machines.pairing.scores(self._machines.decide(table))

    @property
    def coef_names_(self) -> tuple[str, ...]:
        """Names of the coefficients."""
        check_is_fitted(self)
        return self._machines.features.design.terms

    @property
    def objective_value_(self) -> NDArray[np.float64]:
        """The minimum of the objective, for each linear model."""
        check_is_fitted(self)
        return self._machines.objective

    @property
    def n_iter_(self) -> NDArray[np.int64]:
        """Number of Newton iterations, for each linear model."""
        check_is_fitted(self)
        return self._machines.iterations

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Coefficients in original units."""
        return self._hyperplanes()[0]

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """Intercepts in original units."""
        return self._hyperplanes()[1]

    @property
    def dual_coef_(self) -> NDArray[np.float64]:
        """Coefficients of the kernel's training rows."""
        check_is_fitted(self)
        if self._machines.features.kernel is None:
            raise AttributeError("dual_coef_ exists only with kernel='rbf'; see coef_.")
        return self._machines.z[:, :-1]

    def _hyperplanes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        check_is_fitted(self)
        machines = self._machines
        if machines.features.kernel is not None:
            raise AttributeError("coef_ exists only with kernel='linear'; see dual_coef_.")
        return machines.features.design.original_units(machines.z[:, :-1], machines.z[:, -1])

    def _check_parameters(self) -> None:
        validate(self)

    def _new(self, X: Any) -> Table:
        check_is_fitted(self)
        return self._read_new(X, lambda: set(self.schema_.names), "missing")

    def _fit_machines(self, table: Table, target: Target) -> tuple[Machines, float]:
        """Fit within the time limit, and warn if it was reached."""
        seconds = math.inf if self.time_limit is None else float(self.time_limit)
        deadline = Deadline.after(seconds)
        settings = SvmSettings(**{f.name: getattr(self, f.name) for f in fields(SvmSettings)})
        seed, choice_seed = seeds_of(self.random_state)
        if self.C == "tune":
            # Fitting to all rows needs some of the time as well.
            soon = Deadline.after(0.7 * seconds)
            c, complete = tune_c(
                table, target, settings, seed=seed, choice_seed=choice_seed, deadline=soon
            )
            if not complete:
                warn_time_limit(
                    f"The time limit was reached while tuning C; C = {c:g} is the best so far."
                )
        else:
            c = float(self.C)
        try:
            machines = fit_machines(table, target, settings, c=c, seed=seed, deadline=deadline)
        except TimeLimitError as error:
            raise TimeLimitError(
                f"{error} There is no model. Increase time_limit={seconds:g}, or use fewer rows."
            ) from None
        n_open = int((~machines.converged).sum())
        of_all = f"{n_open} of {len(machines.z)} support vector machines"
        if machines.timed_out.any():
            warn_time_limit(
                f"The time limit was reached before {of_all} had converged. The hyperplanes of "
                "their last iteration are used."
            )
        elif n_open:
            warnings.warn(
                f"{of_all} did not converge in {machines.iterations.max()} iterations. "
                "Increase max_iter or tol, or decrease C.",
                ConvergenceWarning,
                stacklevel=user_stacklevel(),
            )
        return machines, c
