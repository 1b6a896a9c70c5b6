"""A forest and boosted trees together: the recommended ensemble."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from mixedwood.data import Table
from mixedwood.ensembles import first_of_largest
from mixedwood.estimators.base import TableClassifier
from mixedwood.estimators.boosted import BoostedTreesClassifier
from mixedwood.estimators.boosting_parameters import read_boosting_parameters
from mixedwood.estimators.ensemble import columns_used
from mixedwood.estimators.forest import ForestClassifier
from mixedwood.estimators.parameters import read_number
from mixedwood.growers import CodedTable
from mixedwood.splits.search import read_seed, read_time_limit
from mixedwood.tree import Tree

__all__ = ["EnsembleClassifier"]

_OF_THE_WHOLE = ("class_weight", "categorical_features", "ordinal", "random_state", "time_limit")


class EnsembleClassifier(TableClassifier):
    """The ensemble to start with: a forest and boosted trees, their probabilities averaged.

    A forest is hard to beat where there are few rows and much noise, boosting where classes depend
    on several columns at once. Their errors differ, and the mean of both is as good as the better
    one, or nearly, on most tables.

    Parameters
    ----------
    forest : ForestClassifier or None, default=None
        The forest; 100 trees by default. Its `class_weight`, `categorical_features`, `ordinal`,
        `n_jobs`, `random_state`, `verbose` and `time_limit` are those of the ensemble.
    boosted : BoostedTreesClassifier or None, default=None
        The boosted trees, likewise; 200 rounds over random orders by default.
    share : float, default=0.6
        Weight of the boosted trees in the mean.
    class_weight : mapping, "balanced" or None, default=None
        Factors by which the rows of a class weigh more or less.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal whatever their type.
    ordinal : mapping of str to sequence, optional
        Columns with an order, and their labels in order.
    n_jobs : int or None, default=None
        Number of threads, -1 for all processors. Any number gives the same trees.
    random_state : int, RandomState, Generator or None, default=None
        Seed; None gives other trees every time.
    verbose : int, default=0
        Whether to show on the standard error how far `fit` is.
    time_limit : float or None, default=None
        Seconds that `fit` may take: half of what there is for the forest, the rest for boosting.

    Attributes
    ----------
    forest_ : ForestClassifier
        The forest, fitted.
    boosted_ : BoostedTreesClassifier
        The boosted trees, fitted.
    classes_, schema_, n_features_in_, feature_names_in_
        As in `TreeClassifier`.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"colour": ["red", "blue", "green", "blue"] * 5, "size": [1, 2, 3, 4] * 5}
    >>> model = mw.EnsembleClassifier(random_state=0).fit(X, ["yes", "no", "yes", "no"] * 5)
    >>> model.predict({"colour": ["red"], "size": [1]})
    array(['yes'], dtype='<U3')
    """

    forest_: ForestClassifier
    boosted_: BoostedTreesClassifier

    def __init__(
        self,
        forest: ForestClassifier | None = None,
        boosted: BoostedTreesClassifier | None = None,
        *,
        share: float = 0.6,
        class_weight: Mapping[Any, float] | str | None = None,
        categorical_features: Any = None,
        ordinal: Mapping[str, Sequence[Any]] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        time_limit: float | None = None,
    ) -> None:
        self.forest = forest
        self.boosted = boosted
        self.share = share
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.ordinal = ordinal
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.time_limit = time_limit

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | float | None = None) -> Self:
        """Grow the forest, then the boosted trees.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows.
        y : array-like of shape (n_rows,)
            Class of each row: text, booleans or whole numbers.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of rows; rows of weight 0 do not count.

        Returns
        -------
        EnsembleClassifier
            The fitted estimator itself.
        """
        deadline = time.monotonic() + read_time_limit(self.time_limit)
        read_number(self, "share", 0, 1)
        seed = read_seed(self.random_state)
        forest = self._part("forest", ForestClassifier, seed)
        boosted = self._part("boosted", BoostedTreesClassifier, seed + 1)
        forest._check_parameters()
        forest._member_learner()
        parameters = read_boosting_parameters(boosted)
        table, target = self._read_training(
            X,
            y,
            sample_weight,
            class_weight=self.class_weight,
            categorical_features=self.categorical_features,
            ordinal=self.ordinal,
        )
        coded = CodedTable(table)
        forest._fit_table(coded, target, (deadline - time.monotonic()) / 2)
        boosted._fit_table(coded, target, parameters, deadline - time.monotonic())
        self._remember(table, target)
        self.forest_, self.boosted_ = forest, boosted
        return self

    def _part(self, name: str, kind: Any, seed: int) -> Any:
        """A copy of one of the parts, or the default, with what belongs to the whole."""
        given = getattr(self, name)
        if given is not None and not isinstance(given, kind):
            raise TypeError(f"{name} must be None or a {kind.__name__}; got {given!r}.")
        part = kind() if given is None else clone(given)
        for parameter in _OF_THE_WHOLE:
            if getattr(part, parameter) is not None:
                raise ValueError(
                    f"{parameter} belongs to the ensemble, whose parts share one table and one "
                    f"clock: leave {parameter} of {name} at None, and set it beside {name}."
                )
        return part.set_params(random_state=seed, n_jobs=self.n_jobs, verbose=self.verbose)

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the class of each row; the first of classes with equal probability."""
        shares = self.predict_proba(X)
        return np.asarray(self.classes_[first_of_largest(shares)])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the class probabilities of each row, in the order of ``classes_``."""
        table = self._new(X)
        of_forest = self.forest_._shares(table)
        return (1 - self.share) * of_forest + self.share * self.boosted_._shares(table)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the logarithms of the class probabilities of each row."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @property
    def trees_(self) -> list[Tree]:
        """The trees of the forest, then those of boosting."""
        check_is_fitted(self)
        return [*self.forest_.trees_, *self.boosted_.trees_]

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean of what the two parts say, weighted as their answers are."""
        check_is_fitted(self)
        of_forest = self.forest_.feature_importances_
        return (1 - self.share) * of_forest + self.share * self.boosted_.feature_importances_

    def _new(self, X: Any) -> Table:
        check_is_fitted(self)
        ways = (self.forest_._unseen(), self.boosted_._unseen())
        return self._read_new(X, columns_used(self.trees_), "error" if "error" in ways else ways[0])
