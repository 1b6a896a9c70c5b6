"""A forest, boosted trees and a linear model together, for numbers."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mixedwood import _kinds as kinds
from mixedwood._limits import Deadline, read_time_limit
from mixedwood._params import (
    FLAG,
    N_JOBS,
    NONE,
    RANDOM_STATE,
    TIME_LIMIT,
    VERBOSE,
    Constraint,
    InstanceOf,
    Int,
    is_number,
)
from mixedwood._random import seed_of, seeds_of
from mixedwood.boosting import TuningResult, stacking_weights
from mixedwood.data import Table, Target
from mixedwood.estimators._conformal import conformal_quantile
from mixedwood.estimators._tuning import CV_RESULTS, cv_results, tested_folds, tune_boosted
from mixedwood.estimators.base import TableRegressor
from mixedwood.estimators.boosted_regressor import BoostedTreesRegressor
from mixedwood.estimators.ensemble import CV, MAX_DEPTHS, MAX_TERMS, BaseEnsemble, listed
from mixedwood.estimators.forest_regressor import ForestRegressor
from mixedwood.estimators.tree_regressor import TreeRegressor
from mixedwood.grow import EncodedTable
from mixedwood.linear import ALPHAS, RidgeModel, count_terms, fit_ridge

__all__ = ["EnsembleRegressor"]

Numbers = NDArray[np.float64]

_NAMES = ("forest", "boosted", "linear")
_WEIGHTS = Constraint(
    "three non-negative numbers, not all 0: the weights of the forest, of the boosted trees and of "
    "the linear model",
    test=lambda given: (
        len(found := listed(given)) == len(_NAMES)
        and all(is_number(w) and 0 <= w < math.inf for w in found)
        and any(found)
    ),
)
_MIN_ROWS = 10  # fewer are not worth cross-validation
_MIN_DIFFICULTY_ROWS = 200  # fewer say too little about where errors are large
# Rows in a leaf of the forest grow with the number of rows: of many, single ones are noise.
_ROWS_PER_LEAF_ROW, _MOST_IN_LEAF = 500, 5
_DIFFICULTY_TREES = 50
_DIFFICULTY_LEAF = 10  # rows in a leaf of the forest of absolute residuals
# Added to predicted residuals, as fractions of their mean: the larger, the more equal the widths.
_OFFSETS = (0.1, 0.3, 1.0, 3.0)
_CHOICE_COVERAGES = (0.8, 0.9, 0.95)  # at which widths of intervals are compared


class EnsembleRegressor(BaseEnsemble, TableRegressor):
    """A forest, boosted trees and a linear model, averaged: the recommended ensemble for numbers.

    The depth and the number of the boosted trees, the penalty of the linear model and the weights
    of the three are chosen by the squared error on held-out rows.

    Parameters
    ----------
    forest : ForestRegressor or None, default=None
        The forest. If None, ``ForestRegressor(keep_leaves=False)`` with 50 trees up to 300 rows;
        of more rows, fewer trees on samples of the rows, and up to five rows in a leaf. Its
        `categorical_features`, `ordinal_features`, `n_jobs`, `random_state`, `verbose` and
        `time_limit` are those of the ensemble.
    boosted : BoostedTreesRegressor or None, default=None
        The boosted trees, likewise. If None, ``BoostedTreesRegressor()``. With ``tune=True`` its
        `max_depth` and `n_estimators` are chosen; a warning is issued if they were set.
    linear : bool, default=True
        Whether there is a linear model: ridge regression on standardized numbers and one-hot
        encoded categories. It is left out if it had more than 1,500 terms.
    tune : bool, default=True
        Whether to choose sizes and weights. If False, or with fewer than ten rows, `boosted` and
        `weights` are used as given, and there are no prediction intervals.
    weights : sequence of three floats, default=(0.4, 0.6, 0.0)
        Weights of the forest, the boosted trees and the linear model, unless they are chosen.
    max_depths : sequence of int, default=(2, 4, 6)
        Candidate depths of the boosted trees.
    max_iter : int, default=500
        Maximum number of boosting iterations.
    n_iter_no_change : int, default=30
        A depth is not continued if its error has not improved for this many iterations.
    cv : int, splitter, "holdout" or None, default=None
        Number of folds, a scikit-learn splitter whose test sets do not overlap, or "holdout" for a
        single test set of a fifth of the rows. If None, there are five folds, of which so many are
        used that 600 rows are held out: all up to 600 rows, one from 3,000 rows on.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to treat as nominal, whatever their type.
    ordinal_features : mapping of str to sequence, optional
        Ordinal columns, and their categories in order.
    n_jobs : int or None, default=None
        Number of threads, -1 for all processors. The trees do not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the random parts.
    verbose : int, default=0
        Whether to show a progress bar.
    time_limit : float or None, default=None
        Maximum number of seconds of `fit`: a third each for the forest, tuning and boosting.

    Attributes
    ----------
    forest_, boosted_ : ForestRegressor, BoostedTreesRegressor
        The fitted trees.
    linear_ : RidgeModel
        The linear model. Not set if there is none.
    estimators_, named_estimators_ : list, Bunch
        The fitted members.
    weights_ : ndarray of shape (3,)
        Weights of the forest, the boosted trees and the linear model.
    n_iter_ : int
        Number of boosting iterations; 1 if the boosted trees have no weight.
    difficulty_ : ForestRegressor
        Predicts absolute residuals, by which intervals are scaled. Only set if that makes them
        narrower on average, at no usual coverage wider.
    cv_results_ : dict of ndarray
        For each candidate: "param_max_depth", "param_partitioner", the best "param_n_estimators",
        "mean_test_score" (negative root mean squared error of the ensemble) and "rank_test_score".
        Candidates that fell behind were not continued. Only set if parameters were tuned.
    schema_, n_features_in_, feature_names_in_
        As in `TreeRegressor`.

    See Also
    --------
    EnsembleClassifier : The ensemble for classes.

    Examples
    --------
    >>> import mixedwood as mw
    >>> data = mw.datasets.make_mixed_regression(n_samples=300, random_state=0)
    >>> X, y = data.X, data.y
    >>> model = mw.EnsembleRegressor(max_iter=50, random_state=0).fit(X[:200], y[:200])
    >>> low, high = model.predict_interval(X[200:], coverage=0.8).T
    >>> bool(((low <= y[200:]) & (y[200:] <= high)).mean() > 0.7)
    True
    """

    forest_: ForestRegressor
    boosted_: BoostedTreesRegressor
    linear_: RidgeModel
    difficulty_: ForestRegressor
    weights_: Numbers
    cv_results_: dict[str, NDArray[Any]]
    _scores: Numbers  # of held-out rows, ascending
    _offset: float  # added to predicted absolute residuals

    _members: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "forest": (ForestRegressor,),
        "boosted": (BoostedTreesRegressor,),
    }
    _rows_of_all_trees = 300
    _shared = ("categorical_features", "ordinal_features", "random_state", "time_limit")

    _parameters: ClassVar[Mapping[str, Constraint]] = {
        "forest": InstanceOf(ForestRegressor) | NONE,
        "boosted": InstanceOf(BoostedTreesRegressor) | NONE,
        "linear": FLAG,
        "tune": FLAG,
        "weights": _WEIGHTS,
        "max_depths": MAX_DEPTHS,
        "max_iter": Int(1),
        "n_iter_no_change": Int(1),
        "cv": CV,
        "n_jobs": N_JOBS,
        "random_state": RANDOM_STATE,
        "verbose": VERBOSE,
        "time_limit": TIME_LIMIT,
    }
    _fitted: ClassVar[kinds.Fitted] = {
        "forest_": kinds.instance(ForestRegressor),
        "boosted_": kinds.instance(BoostedTreesRegressor),
        "linear_": kinds.sometimes(kinds.instance(RidgeModel)),
        "difficulty_": kinds.sometimes(kinds.instance(ForestRegressor)),
        "weights_": kinds.array(np.float64, 1, kinds.NONNEGATIVE),
        "_scores": kinds.sometimes(kinds.array(np.float64, 1, kinds.NONNEGATIVE)),
        "_offset": kinds.sometimes(kinds.number(kinds.NONNEGATIVE)),
        "cv_results_": kinds.sometimes(kinds.arrays(CV_RESULTS)),
    }

    def _check_fitted(self) -> None:
        if len(self.weights_) != 3 or not abs(self.weights_.sum() - 1) <= kinds.ROUNDING:
            raise ValueError("the weights of its members do not add up to 1")
        if "linear_" not in vars(self):
            if self.weights_[2] > 0:
                raise ValueError("its linear model is missing")
        elif self.linear_.design.schema != self.schema_:
            raise ValueError("its linear model has other columns than the model")
        if "_scores" in vars(self) and not (np.diff(self._scores) >= 0).all():
            raise ValueError("the residuals of held-out rows are not ascending")
        if "difficulty_" in vars(self) and not {"_scores", "_offset"} <= set(vars(self)):
            raise ValueError("its scaled residuals are missing")

    def __init__(
        self,
        *,
        forest: ForestRegressor | None = None,
        boosted: BoostedTreesRegressor | None = None,
        linear: bool = True,
        tune: bool = True,
        weights: Sequence[float] = (0.4, 0.6, 0.0),
        max_depths: Sequence[int] = (2, 4, 6),
        max_iter: int = 500,
        n_iter_no_change: int = 30,
        cv: Any = None,
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        time_limit: float | None = None,
    ) -> None:
        self.forest = forest
        self.boosted = boosted
        self.linear = linear
        self.tune = tune
        self.weights = weights
        self.max_depths = max_depths
        self.max_iter = max_iter
        self.n_iter_no_change = n_iter_no_change
        self.cv = cv
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.time_limit = time_limit

    # Fitting

    def _fit(self, table: Table, target: Target, kept: NDArray[np.bool_] | None) -> None:
        deadline = Deadline.after(read_time_limit(self.time_limit))
        seed, choice_seed = seeds_of(self.random_state)
        forest: ForestRegressor = self._member("forest", seed)
        boosted: BoostedTreesRegressor = self._member("boosted", seed + 1)
        boosted._loss().check(target)
        coded = EncodedTable(table)
        fitted: dict[str, Any] = {}
        tunes = bool(self.tune) and target.n_rows >= _MIN_ROWS
        self._size_forest(forest, target.n_rows)
        if self.forest is None:
            leaf = min(_MOST_IN_LEAF, max(1, round(target.n_rows / _ROWS_PER_LEAF_ROW)))
            forest.set_params(estimator=forest._default_tree().set_params(min_samples_leaf=leaf))
        self._warn_unused_parameters(tunes)
        out_of_bag = tunes and forest._leaves_rows_out(target.n_rows)
        with warnings.catch_warnings():
            # A few rows without an out-of-bag prediction do not matter here.
            warnings.filterwarnings("ignore", ".*out-of-bag prediction", UserWarning)
            forest.set_params(oob_score=forest.oob_score or out_of_bag)
            if self.forest is None:
                forest.set_params(keep_leaves=False)
            forest._fit_table(coded, target, deadline.left() / 3)
        folds = tested_folds(target, self.cv, choice_seed) if tunes else None
        weights = np.array(listed(self.weights), dtype=np.float64)
        held_out: dict[str, Numbers] = {}
        if self.linear and (tunes or weights[2] > 0) and count_terms(table.schema) <= MAX_TERMS:
            alphas = ALPHAS if tunes else (1.0,)
            fitted["linear_"], held_out["linear"] = fit_ridge(table, target, folds, alphas)
        elif weights[2] > 0:
            weights[2] = 0.0
            weights = weights if weights.any() else np.array([0.4, 0.6, 0.0])
        weights /= weights.sum()
        if folds is not None:
            if out_of_bag:
                held_out["forest"] = forest.oob_prediction_
            tested = folds >= 0

            def stack(result: TuningResult) -> tuple[Numbers, float, Numbers]:
                of_boosted = np.full(target.n_rows, np.nan)
                of_boosted[tested] = result.predictions
                return _stack({**held_out, "boosted": of_boosted}, target)

            candidates, results = tune_boosted(
                boosted,
                coded,
                target,
                folds,
                None,
                max_depths=[int(d) for d in listed(self.max_depths)],
                max_iter=int(self.max_iter),
                n_iter_no_change=int(self.n_iter_no_change),
                seed=seed,
                n_jobs=self.n_jobs,
                verbose=self.verbose,
                deadline=Deadline.after(deadline.left() / 2),
            )
            stacked = [stack(result) for result in results]
            losses = [loss for _, loss, _ in stacked]
            best = int(np.argmin(losses))
            weights, _, average = stacked[best]
            fitted["cv_results_"] = cv_results(boosted, candidates, results, losses)
            n_iter = results[best].n_iter if weights[1] > 0 else 1
            boosted.set_params(n_estimators=n_iter, **candidates[best])
            fitted |= self._residuals(coded, target, average, seed, deadline.left() / 3)
        boosted._fit_table(coded, target, seed_of(boosted.random_state), deadline.left())
        for name in self._fitted:
            self.__dict__.pop(name, None)  # of an earlier fit
        self.forest_, self.boosted_, self.weights_ = forest, boosted, weights
        self.__dict__.update(fitted)

    def _residuals(
        self,
        coded: EncodedTable,
        target: Target,
        average: Numbers,
        seed: int,
        time_limit: float,
    ) -> dict[str, Any]:
        """Compute scores of held-out rows for intervals, scaled if that makes them narrower."""
        tested = np.flatnonzero(~np.isnan(average))
        errors = np.abs(target.numbers - average)[tested]
        plain = {"_scores": np.sort(errors)}
        if len(tested) < _MIN_DIFFICULTY_ROWS or not errors.any():
            return plain
        forest = ForestRegressor(
            TreeRegressor(max_features=0.5, min_samples_leaf=_DIFFICULTY_LEAF, pruning=None),
            n_estimators=_DIFFICULTY_TREES,
            oob_score=True,
            keep_leaves=False,
            random_state=seed,
            n_jobs=self.n_jobs,
        )
        weights = None if target.weights is None else target.weights[tested]
        of_errors = replace(target, codes=target.codes[tested], weights=weights, values=errors)
        rows = coded if len(tested) == target.n_rows else EncodedTable(coded.table.take(tested))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            forest._fit_table(rows, of_errors, time_limit)
        known = ~np.isnan(forest.oob_prediction_)
        found: dict[str, Any] = plain
        narrowest = 1.0
        usual = np.array([conformal_quantile(plain["_scores"], c) for c in _CHOICE_COVERAGES])
        for fraction in _OFFSETS:  # no interval has width 0
            offset = float(errors.mean()) * fraction
            difficulty = forest.oob_prediction_[known] + offset
            scores = np.sort(errors[known] / difficulty)
            widths = np.array([conformal_quantile(scores, c) for c in _CHOICE_COVERAGES])
            ratios = widths * difficulty.mean() / usual
            if ratios.max() <= 1.0 and ratios.mean() < narrowest:
                narrowest = float(ratios.mean())
                found = {"_scores": scores, "_offset": offset, "difficulty_": forest}
        return found

    # Predicting

    def predict(self, X: Any) -> Numbers:
        """Predict the number of each row: the weighted mean of the members.

        Parameters
        ----------
        X : table
            Rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            Numbers.
        """
        return np.asarray(self.predictor_.predict(self._new(X), self.n_jobs))

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Numbers:
        """Predict an interval for each row that contains its number with a given probability.

        Intervals are conformal: their half width is a quantile of the absolute residuals of
        held-out training rows, scaled by a prediction of the absolute residual if there is
        `difficulty_`. Coverage holds on average over rows like the training rows, whatever their
        distribution, apart from the use of the held-out rows to choose weights and sizes.

        Parameters
        ----------
        X : table
            Rows.
        coverage : float, default=0.9
            The probability, between 0 and 1.

        Returns
        -------
        ndarray of shape (n_rows, 2)
            Lower and upper limits. They are infinite if there are too few held-out rows for the
            coverage: fewer than ``coverage / (1 - coverage)``.
        """
        table = self._new(X)
        if not is_number(coverage) or not 0 < coverage < 1:
            raise ValueError(
                "The 'coverage' parameter of predict_interval must be a float in the range "
                f"(0.0, 1.0). Got {coverage!r} instead."
            )
        if "_scores" not in vars(self):
            raise ValueError(
                "predict_interval needs residuals of held-out rows: fit with tune=True and at "
                f"least {_MIN_ROWS} rows."
            )
        center = np.asarray(self.predictor_.predict(table, self.n_jobs))
        width: Any = conformal_quantile(self._scores, float(coverage))
        if "difficulty_" in vars(self):
            difficulty = self.difficulty_.predictor_.predict(table, self.n_jobs)
            width = width * (difficulty + self._offset)
        return np.column_stack([center - width, center + width])


def _stack(held_out: dict[str, Numbers], target: Target) -> tuple[Numbers, float, Numbers]:
    """Weights of the members, their root mean squared error, and the average of held-out rows."""
    names = [name for name in _NAMES if name in held_out]
    predictions = np.column_stack([held_out[name] for name in names])
    known = ~np.isnan(predictions).any(axis=1)
    if not known.any():  # no row is out of bag; it takes very few trees
        names, predictions = ["boosted"], held_out["boosted"][:, None]
        known = ~np.isnan(predictions[:, 0])
    row_weights = None if target.weights is None else target.weights[known]
    found, loss = stacking_weights(target.numbers[known, None] - predictions[known], row_weights)
    weights = np.zeros(len(_NAMES))
    weights[[_NAMES.index(name) for name in names]] = found
    average = np.full(target.n_rows, np.nan)
    average[known] = predictions[known] @ found
    return weights, loss, average
