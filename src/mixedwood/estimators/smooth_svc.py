"""The smooth support vector machine, for tables of categories and numbers."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from mixedwood import _kinds as kinds
from mixedwood._limits import Deadline, TimeLimitError, user_stacklevel, warn_time_limit
from mixedwood.data import Table, Target
from mixedwood.estimators.base import TableClassifier
from mixedwood.estimators.svc_parameters import SvcParameters, read_svc_parameters
from mixedwood.linear import Machines, learn_machines, tune_c

__all__ = ["SmoothSVC"]


class SmoothSVC(TableClassifier):
    """A support vector machine with squared losses, fitted by Newton's method.

    It minimises ``C/2 * sum of p(1 - y f(x))^2 + (|w|^2 + b^2) / 2`` for ``f(x) = w.x + b``: with
    p the plus function this is scikit-learn's ``LinearSVC`` with squared hinge and half the C, but
    exact to the last digits, and faster where it was measured: up to 50 columns and 100,000 rows.
    Nominal columns need no encoding, missing values no filling. For probabilities wrap it in
    ``CalibratedClassifierCV``.

    Parameters
    ----------
    C : float or "tune", default=1.0
        Weight of the losses against the size of the coefficients. "tune" tries 2^-6, 2^-4, ..., 2^6
        on two thirds of the rows, stratified, and takes the one with the fewest errors on the other
        third, the smaller of equals; 1 when there are fewer than ten rows.
    smoothing : float or None, default=None
        How sharply p(x) = x + log(1 + exp(-alpha x)) / alpha bends. None is the limit, the plus
        function max(x, 0); the authors of the method use 5.
    kernel : {"linear", "rbf"}, default="linear"
        A plane through the columns, or through Gaussian kernels of the rows.
    gamma : float or "scale", default="scale"
        With ``kernel="rbf"``: ``exp(-gamma |x - x'|^2)``; "scale" is 1 / (columns * variance).
    n_components : int, default=500
        With ``kernel="rbf"``: most training rows that get a coefficient. Of more rows as many are
        drawn at random (reduced kernel); all rows are learned from either way.
    multi_class : {"ovr", "ovo"}, default="ovr"
        With more than two classes: a machine for each class against the rest, or for each pair of
        classes, which then vote.
    standardize : bool, default=True
        Whether numbers are put on mean 0 and variance 1 first. The result depends on the scale.
    class_weight : mapping, "balanced" or None, default=None
        Factors by which the rows of a class weigh more or less.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal whatever their type.
    ordinal_features : mapping of str to sequence, optional
        Columns with an order, and their labels in order.
    tol : float, default=1e-8
        It has converged when the gradient is no longer than ``tol * (1 + |w, b|)``.
    max_iter : int, default=100
        Most steps of Newton's method. Far fewer are usual.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the rows held out to tune C, and the landmarks. None is the same as 0.
    time_limit : float or None, default=None
        Seconds that `fit` may take, reading the table not included. When it is over, the planes are
        what they are by then, and a warning says so.

    Attributes
    ----------
    coef_ : ndarray of shape (n_machines, n_terms)
        With ``kernel="linear"``: coefficients for numbers in the units they came in.
    intercept_ : ndarray of shape (n_machines,)
        With ``kernel="linear"``: offsets.
    coef_names_ : tuple of str
        What the coefficients belong to: a numeric column, or a value of a nominal one.
    dual_coef_ : ndarray of shape (n_machines, n_components)
        With ``kernel="rbf"``: coefficients of the landmarks.
    C_ : float
        The C given, or chosen.
    objective_value_ : ndarray of shape (n_machines,)
        What was minimised.
    n_iter_ : ndarray of shape (n_machines,)
        Steps of Newton's method.
    classes_, schema_, n_features_in_, feature_names_in_
        As in `TreeClassifier`.

    Notes
    -----
    Numbers that are missing count as the mean of their column, ordinal values as their place in the
    order, and a value of a nominal column is an indicator of 0 and 1; a missing or unknown value is
    none of them. With one class, the answer is that class.

    References
    ----------
    .. [1] Y.-J. Lee and O. L. Mangasarian, "SSVM: A Smooth Support Vector Machine for
       Classification", Computational Optimization and Applications 20, 2001.
    .. [2] Y.-J. Lee and O. L. Mangasarian, "RSVM: Reduced Support Vector Machines", SIAM
       International Conference on Data Mining, 2001.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"colour": ["red", "blue", "red", "blue"], "size": [1.0, 2.0, 3.0, 4.0]}
    >>> model = mw.SmoothSVC().fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict({"colour": ["red", None], "size": [0.5, 5.0]})
    array(['no', 'yes'], dtype='<U3')
    >>> dict(zip(model.coef_names_, model.coef_[0].round(3).tolist()))
    {'colour = blue': -0.239, 'colour = red': 0.239, 'size': 0.716}
    """

    _machines: Machines
    C_: float

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
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.time_limit = time_limit

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | float | None = None) -> SmoothSVC:
        """Find the planes.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows.
        y : array-like of shape (n_rows,)
            Class of each row: text, booleans or whole numbers.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of rows; C of a row is multiplied by its weight.

        Returns
        -------
        SmoothSVC
            The fitted estimator itself.
        """
        parameters = read_svc_parameters(self)
        table, target = self._read_training(
            X,
            y,
            sample_weight,
            class_weight=self.class_weight,
            categorical_features=self.categorical_features,
            ordinal_features=self.ordinal_features,
        )
        machines, c = _learn(table, target, parameters)
        self._remember(table, target)
        self._machines, self.C_ = machines, c
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the class of each row; of two classes the first where the decision is 0."""
        table = self._new(X)
        return self.classes_[self._machines.pairing.winners(self._machines.decide(table))]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Say how far each row is on the side of each class.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            With two classes w.x + b, positive for the second. With more, one column for each class:
            its own w.x + b, or with pairs of classes its votes and, less than a third of a vote,
            the sum of its decisions.
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
        """Coefficients of the terms, in original units."""
        return self._plane()[0]

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """Offsets of the planes, in original units."""
        return self._plane()[1]

    @property
    def dual_coef_(self) -> NDArray[np.float64]:
        """Coefficients of the landmarks."""
        check_is_fitted(self)
        if self._machines.features.kernel is None:
            raise AttributeError("dual_coef_ comes with kernel='rbf'; see coef_.")
        return self._machines.z[:, :-1]

    def _plane(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        check_is_fitted(self)
        machines = self._machines
        if machines.features.kernel is not None:
            raise AttributeError("coef_ and intercept_ come with kernel='linear'; see dual_coef_.")
        return machines.features.design.original_units(machines.z[:, :-1], machines.z[:, -1])

    def _check_parameters(self) -> None:
        read_svc_parameters(self)

    def _new(self, X: Any) -> Table:
        check_is_fitted(self)
        return self._read_new(X, set(self.schema_.names), "missing")


def _learn(table: Table, target: Target, parameters: SvcParameters) -> tuple[Machines, float]:
    """Learn from the rows, and say what was left undone."""
    deadline = Deadline.after(parameters.time_limit)
    c, settings, seed = parameters.c, parameters.settings, parameters.seed
    if c is None:
        # The planes of all rows need some of the time as well.
        soon = Deadline.after(0.7 * parameters.time_limit)
        c, all_tried = tune_c(
            table,
            target,
            settings,
            seed=seed,
            choice_seed=parameters.choice_seed,
            deadline=soon,
        )
        if not all_tried:
            warn_time_limit(
                f"The time limit came before C was tuned; C = {c:g} is the best so far."
            )
    try:
        machines = learn_machines(table, target, settings, c=c, seed=seed, deadline=deadline)
    except TimeLimitError:
        raise TimeLimitError(
            f"The time limit of {parameters.time_limit:g} s came before the first step of a "
            "machine; there is nothing to answer with. Give it more time, or fewer rows."
        ) from None
    _warn(machines)
    return machines, c


def _warn(machines: Machines) -> None:
    undone = int((~machines.converged).sum())
    if machines.timed_out.any():
        warn_time_limit(
            f"The time limit came before {undone} of {len(machines.z)} machines had converged; "
            "their planes are what they were by then."
        )
    elif undone:
        warnings.warn(
            f"{undone} of {len(machines.z)} machines did not converge in "
            f"{machines.iterations.max()} steps. Increase max_iter or tol, or decrease C.",
            ConvergenceWarning,
            stacklevel=user_stacklevel(),
        )
