"""A forest, boosted trees and a linear model together: the recommended ensemble."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from mixedwood import _kinds as kinds
from mixedwood._limits import Deadline, read_time_limit, user_stacklevel
from mixedwood._params import (
    COST_MATRIX,
    CROSSED_FEATURES,
    FLAG,
    N_JOBS,
    NONE,
    RANDOM_STATE,
    TIME_LIMIT,
    VERBOSE,
    Constraint,
    InstanceOf,
    Int,
    is_int,
    is_number,
    validate,
)
from mixedwood._random import seed_of, seeds_of
from mixedwood.boosting import ClassScore, mixture_loss, mixture_weights
from mixedwood.data import Table, Target
from mixedwood.estimators._conformal import SET_SCORES, PredictionSets, set_scores
from mixedwood.estimators._ensemble import python_label
from mixedwood.estimators._tuning import (
    CV_RESULTS,
    cv_results,
    forest_size,
    tested_folds,
    tune_boosted,
)
from mixedwood.estimators.adaboost import AdaBoostTreesClassifier
from mixedwood.estimators.base import TableClassifier, TableEstimator, columns_used
from mixedwood.estimators.boosted import BoostedTreesClassifier
from mixedwood.estimators.forest import ForestClassifier
from mixedwood.explain.explanation import EnsembleExplanation, explain_linear
from mixedwood.explain.path import choose_row
from mixedwood.grow import EncodedTable
from mixedwood.linear import PENALTIES, LogisticModel, count_terms, fit_logistic
from mixedwood.tree import Mixture, ShapValues, Tree, shap_values

__all__ = ["CV", "MAX_DEPTHS", "MAX_TERMS", "BaseEnsemble", "EnsembleClassifier", "listed"]

_MEMBERS: dict[str, tuple[Any, ...]] = {  # the default first
    "forest": (ForestClassifier,),
    "boosted": (BoostedTreesClassifier, AdaBoostTreesClassifier),
}
_NAMES = ("forest", "boosted", "linear")
_WEIGHTS = Constraint(
    "two or three non-negative numbers, not all 0: the weights of the forest, of the boosted trees "
    "and of the linear model",
    test=lambda given: (
        len(found := listed(given)) in (2, 3)
        and all(is_number(w) and 0 <= w < math.inf for w in found)
        and any(found)
    ),
)
MAX_DEPTHS = Constraint(
    "a sequence of ints in the range [1, inf)",
    test=lambda given: bool(found := listed(given)) and all(is_int(d) and d >= 1 for d in found),
)
CV = Constraint(
    "an int in the range [2, inf)",
    "a splitter",
    "'holdout'",
    "None",
    test=lambda given: (
        given is None
        or (given == "holdout" if isinstance(given, str) else hasattr(given, "split"))
        or (is_int(given) and given >= 2)
    ),
)
_SHARED_PARAMETERS = (
    "class_weight",
    "cost_matrix",
    "categorical_features",
    "ordinal_features",
    "crossed_features",
    "random_state",
    "time_limit",
)
MAX_TERMS = 1_500  # of a linear model
_LEAST_WEIGHT = 0.02  # of the linear model; with less it is left out


class BaseEnsemble(TableEstimator):
    """Members with parameters of their own, beside those that they share with the ensemble."""

    boosted: Any
    n_jobs: int | None
    verbose: int

    forest_: Any
    boosted_: Any
    linear_: Any  # if it has a weight
    weights_: NDArray[np.float64]

    _members: ClassVar[Mapping[str, tuple[Any, ...]]]  # classes, the default first
    _shared: ClassVar[tuple[str, ...]]  # parameters that only the ensemble may set

    def _check_parameters(self) -> None:
        """Check the parameters, and those of the members."""
        validate(self)
        for name in self._members:
            self._member(name, 0)._check_parameters()

    def _default_part(self, name: str, given: Any) -> Any:
        return self._members[name][0]() if name in self._members and given is None else None

    def _member(self, name: str, seed: int) -> Any:
        """A clone of a member, with the parameters that it shares with the ensemble."""
        given = getattr(self, name)
        member = self._members[name][0]() if given is None else clone(given)
        for parameter in self._shared:
            if getattr(member, parameter) is not None:
                raise ValueError(
                    f"{parameter} of {name} must be None: set {parameter} of "
                    f"{type(self).__name__}, which applies to all members."
                )
        return member.set_params(random_state=seed, n_jobs=self.n_jobs, verbose=self.verbose)

    _rows_of_all_trees = 1_000  # of more rows, the forest has fewer trees

    def _size_forest(self, forest: Any, n_rows: int) -> None:
        """Set the size of a forest that was not given."""
        if getattr(self, "forest", None) is None:
            n_trees, n_sampled = forest_size(n_rows, self._rows_of_all_trees)
            forest.set_params(n_estimators=n_trees, max_samples=n_sampled)

    def _warn_unused_parameters(self, tunes: bool) -> None:
        """Warn once of parameters of the members that have no effect."""
        unused = [
            f"{parameter}={value!r} of {name} is not used: set {parameter} of the ensemble."
            for name in self._members
            for parameter, value in _changed(getattr(self, name), ("n_jobs", "verbose")).items()
            if value != getattr(self, parameter)
        ]
        chosen = _changed(self.boosted, ("max_depth", "n_estimators")) if tunes else {}
        if chosen:
            given = " and ".join(f"{parameter}={value!r}" for parameter, value in chosen.items())
            unused.append(
                f"{given} of boosted {'is' if len(chosen) == 1 else 'are'} not used: with "
                "tune=True the depth is chosen from max_depths and the number of iterations up to "
                "max_iter. Set tune=False to use boosted as given."
            )
        if unused:
            warnings.warn(" ".join(unused), UserWarning, stacklevel=user_stacklevel())

    # The fitted members

    def shap_values(self, X: Any) -> dict[str, ShapValues]:
        """Compute what each column adds to each prediction, as exact SHAP values.

        Each member has values of its own, which add up to its prediction: probabilities or numbers
        for the forest, raw scores for boosted trees. A linear member has none.

        Parameters
        ----------
        X : table
            Rows.

        Returns
        -------
        dict of str to ShapValues
            SHAP values by the name of the member.

        Raises
        ------
        ValueError
            If a split weighs several columns: what a single one adds is not defined then.
        """
        table = self._new(X)
        return {
            name: shap_values(member.predictor_, table, self.n_jobs)
            for name, member in self.named_estimators_.items()
            if hasattr(member, "predictor_")
        }

    @property
    def predictor_(self) -> Mixture:
        """The members, and how their predictions are combined."""
        check_is_fitted(self)
        members: list[Any] = [self.forest_.predictor_, self.boosted_.predictor_]
        if "linear_" in vars(self):
            members.append(self.linear_)
        # A linear model that is left out may have a weight, which is 0.
        return Mixture(tuple(zip(self.weights_.tolist(), members, strict=False)))

    @property
    def estimators_(self) -> list[Any]:
        """The fitted members."""
        return list(self.named_estimators_.values())

    @property
    def named_estimators_(self) -> Bunch:
        """The fitted members by name."""
        check_is_fitted(self)
        found = Bunch(forest=self.forest_, boosted=self.boosted_)
        if "linear_" in vars(self):
            found["linear"] = self.linear_
        return found

    @property
    def n_iter_(self) -> int:
        """Number of boosting iterations."""
        check_is_fitted(self)
        return int(self.boosted_.n_iter_)

    @property
    def trees_(self) -> list[Tree]:
        """The trees of the forest, then the boosted trees."""
        check_is_fitted(self)
        return [*self.forest_.trees_, *self.boosted_.trees_]

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Weighted mean of the importances of the forest and of the boosted trees."""
        check_is_fitted(self)
        forest, boosted = self.weights_[:2] if self.weights_[:2].any() else (0.5, 0.5)
        mean = forest * self.forest_.feature_importances_
        mean = mean + boosted * self.boosted_.feature_importances_
        total = mean.sum()  # less than 1 if a member has no splits
        return np.asarray(mean / total if total > 0 else mean)

    def _new(self, X: Any) -> Table:
        check_is_fitted(self)
        handling = (self.forest_._handle_unknown(), self.boosted_._handle_unknown())
        return self._read_new(
            X, lambda: columns_used(self.trees_), "error" if "error" in handling else handling[0]
        )


@dataclass
class _Chosen:
    """Members and weights, with crossed columns or without; boosted trees are not fitted yet."""

    coded: EncodedTable
    forest: ForestClassifier
    boosted: Any
    weights: NDArray[np.float64]
    fitted: dict[str, Any] = field(default_factory=dict)
    loss: float = math.inf  # of held-out rows


class EnsembleClassifier(PredictionSets, BaseEnsemble, TableClassifier):
    """A forest, boosted trees and a linear model, averaged: the recommended ensemble.

    The depth and the number of the boosted trees, how they split columns, and the weights of the
    members are chosen on held-out rows: few splits and many iterations for additive data, deep
    trees for interactions, few iterations, the forest or the linear model for noisy data.

    Parameters
    ----------
    forest : ForestClassifier or None, default=None
        The forest. If None, ``ForestClassifier()`` with 50 trees up to 1,000 rows; of more rows,
        fewer trees on samples of the rows. Its `class_weight`, `cost_matrix`,
        `categorical_features`, `ordinal_features`, `crossed_features`, `n_jobs`, `random_state`,
        `verbose` and `time_limit` are those of the ensemble.
    boosted : BoostedTreesClassifier, AdaBoostTreesClassifier or None, default=None
        The boosted trees, likewise. If None, ``BoostedTreesClassifier()``. With ``tune=True`` its
        `max_depth` and `n_estimators` are chosen; a warning is issued if they were set. So are
        `partitioner` and `max_features`, if they have their defaults.
    linear : bool, default=True
        Whether there may be a linear model: logistic regression with an L2 penalty on standardized
        numbers and one-hot encoded categories. It is left out if its weight would be less than
        0.02, and if it had more than 1,500 terms.
    tune : bool, default=True
        Whether to choose the settings of the boosted trees, and the weights, by the log loss on
        held-out rows. If False, `boosted` and `weights` are used as given; likewise with fewer
        than ten rows, with AdaBoost, and if `boosted` has an `estimator`.
    weights : sequence of two or three floats, default=(0.4, 0.6)
        Weights of the forest, of the boosted trees and of the linear model in the average of
        probabilities, unless they are chosen.
    max_depths : sequence of int, default=(2, 3, 4, 6)
        Candidate depths of the boosted trees.
    max_iter : int, default=500
        Maximum number of boosting iterations.
    n_iter_no_change : int, default=30
        A candidate is not continued if its loss has not improved for this many iterations.
    cv : int, splitter, "holdout" or None, default=None
        Number of folds, a scikit-learn splitter whose test sets do not overlap, or "holdout" for a
        single test set of a fifth of the rows. If None, there are five folds, of which so many are
        used that 600 rows are held out: all up to 600 rows, one from 3,000 rows on.
    class_weight : mapping, "balanced" or None, default=None
        Weights of the classes.
    cost_matrix : array-like of shape (n_classes, n_classes), mapping or None, default=None
        Costs of mistakes, as in `ForestClassifier` and `BoostedTreesClassifier`. They are not used
        to choose sizes and weights: the class of least expected cost is predicted.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to treat as nominal, whatever their type.
    ordinal_features : mapping of str to sequence, optional
        Ordinal columns, and their categories in order.
    crossed_features : None, "auto" or list of lists of str or int, default="auto"
        Columns to cross; see `TreeClassifier`. By default, up to five sets of nominal columns that
        clearly interact, if there are any and held-out rows are predicted better with them.
    n_jobs : int or None, default=None
        Number of threads, -1 for all processors. The trees do not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the random parts.
    verbose : int, default=0
        Whether to show a progress bar.
    time_limit : float or None, default=None
        Maximum number of seconds of `fit`: a third each for the forest, tuning and boosting.
        Tuning begins with usual depths, and ends with the best candidate so far.

    Attributes
    ----------
    forest_, boosted_ : ForestClassifier, BoostedTreesClassifier or AdaBoostTreesClassifier
        The fitted members.
    linear_ : LogisticModel
        The linear model. Not set if there is none.
    estimators_, named_estimators_ : list, Bunch
        The fitted members, in this order.
    weights_ : ndarray of shape (2,) or (3,)
        Their weights.
    n_iter_ : int
        Number of boosting iterations.
    cv_results_ : dict of ndarray
        For each candidate: "param_max_depth", "param_partitioner", the best "param_n_estimators"
        and "param_weight" (of the boosted trees), "mean_test_score" (negative log loss of the
        ensemble on held-out rows) and "rank_test_score". Candidates that fell behind were not
        continued. Only set if parameters were tuned.
    classes_, schema_, n_features_in_, feature_names_in_
        As in `TreeClassifier`.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"color": ["red", "blue", "green", "blue"] * 5, "size": [1, 2, 3, 4] * 5}
    >>> model = mw.EnsembleClassifier(random_state=0).fit(X, ["yes", "no", "yes", "no"] * 5)
    >>> model.predict({"color": ["red"], "size": [1]})
    array(['yes'], dtype='<U3')
    """

    _members = _MEMBERS
    _shared = _SHARED_PARAMETERS

    forest_: ForestClassifier
    boosted_: BoostedTreesClassifier | AdaBoostTreesClassifier
    linear_: LogisticModel
    weights_: NDArray[np.float64]
    cv_results_: dict[str, NDArray[Any]]

    _parameters: ClassVar[Mapping[str, Constraint]] = {
        "forest": InstanceOf(*_MEMBERS["forest"]) | NONE,
        "boosted": InstanceOf(*_MEMBERS["boosted"]) | NONE,
        "linear": FLAG,
        "tune": FLAG,
        "weights": _WEIGHTS,
        "max_depths": MAX_DEPTHS,
        "max_iter": Int(1),
        "n_iter_no_change": Int(1),
        "cv": CV,
        "n_jobs": N_JOBS,
        "cost_matrix": COST_MATRIX,
        "random_state": RANDOM_STATE,
        "verbose": VERBOSE,
        "time_limit": TIME_LIMIT,
        "crossed_features": CROSSED_FEATURES,
    }
    _fitted: ClassVar[kinds.Fitted] = {
        "forest_": kinds.instance(*_MEMBERS["forest"]),
        "boosted_": kinds.instance(*_MEMBERS["boosted"]),
        "weights_": kinds.array(np.float64, 1, kinds.NONNEGATIVE),
        "linear_": kinds.sometimes(kinds.instance(LogisticModel)),
        **SET_SCORES,
        "cv_results_": kinds.sometimes(
            kinds.arrays(
                {**CV_RESULTS, "param_weight": kinds.array(np.float64, 1, kinds.FRACTIONS)}
            )
        ),
    }
    _needs_for_sets = "fit with tune=True and at least ten rows"

    def _check_fitted(self) -> None:
        n_members = 2 + ("linear_" in vars(self))
        if len(self.weights_) != n_members or not abs(self.weights_.sum() - 1) <= kinds.ROUNDING:
            raise ValueError("the weights of its members do not add up to 1")
        if "linear_" in vars(self):
            n_outputs = 1 if len(self.classes_) == 2 else len(self.classes_)
            if self.linear_.design.schema != self.schema_:
                raise ValueError("its linear model has other columns than the model")
            if len(self.linear_.intercepts) != n_outputs:
                raise ValueError("its linear model has not one score for each class")

    def __init__(
        self,
        *,
        forest: ForestClassifier | None = None,
        boosted: BoostedTreesClassifier | AdaBoostTreesClassifier | None = None,
        linear: bool = True,
        tune: bool = True,
        weights: Sequence[float] = (0.4, 0.6),
        max_depths: Sequence[int] = (2, 3, 4, 6),
        max_iter: int = 500,
        n_iter_no_change: int = 30,
        cv: Any = None,
        class_weight: Mapping[Any, float] | str | None = None,
        cost_matrix: Any = None,
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
        crossed_features: Any = "auto",
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
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.crossed_features = crossed_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.time_limit = time_limit

    # Fitting

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | float | None = None) -> Self:
        """Fit the forest, the linear model and the boosted trees.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows.
        y : array-like of shape (n_rows,)
            Class labels: text, booleans or integers.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of rows; rows of weight 0 are ignored.

        Returns
        -------
        EnsembleClassifier
            The fitted estimator.
        """
        self._check_parameters()
        deadline = Deadline.after(read_time_limit(self.time_limit))
        seed, choice_seed = seeds_of(self.random_state)
        table, target = self._read_training(X, y, sample_weight)
        boosted: BoostedTreesClassifier | AdaBoostTreesClassifier = self._member(
            "boosted", seed + 1
        )
        tunes = bool(self.tune) and target.n_classes > 1 and target.n_rows >= 10
        tunes &= isinstance(boosted, BoostedTreesClassifier) and boosted.estimator is None
        self._warn_unused_parameters(tunes)
        folds = tested_folds(target, self.cv, choice_seed) if tunes else None
        tables = [table]
        if folds is not None and isinstance(self.crossed_features, str) and table.schema.derived:
            tables.insert(0, _without_crossed(table))
        tried: list[_Chosen] = []
        for n_left, one in zip(range(len(tables), 0, -1), tables, strict=True):
            if tried and deadline.is_over():
                break
            part = Deadline.after(deadline.left() / n_left)
            tried.append(self._choose(one, target, folds, seed, part))
        best = min(tried, key=lambda chosen: chosen.loss)
        best.boosted._fit_table(
            best.coded, target, seed_of(best.boosted.random_state), deadline.left()
        )
        for name in self._fitted:
            self.__dict__.pop(name, None)  # of an earlier fit
        self._remember(best.coded.table, target)
        self.forest_, self.boosted_ = best.forest, best.boosted
        self.weights_ = best.weights / best.weights.sum()
        self.__dict__.update(best.fitted)
        return self

    def _choose(
        self,
        table: Table,
        target: Target,
        folds: NDArray[np.int64] | None,
        seed: int,
        deadline: Deadline,
    ) -> _Chosen:
        """Fit the forest and the linear model, and choose the parameters of the boosted trees."""
        forest: ForestClassifier = self._member("forest", seed)
        self._size_forest(forest, target.n_rows)
        coded = EncodedTable(table)
        of_forest = _fit_forest(forest, coded, target, deadline.left() / 3, folds is not None)
        given = listed(self.weights)
        weights = np.array([*given, 0.0][: len(_NAMES)], dtype=np.float64)
        chosen = _Chosen(coded, forest, self._member("boosted", seed + 1), weights)
        if folds is not None:
            self._tune(chosen, target, of_forest, folds, seed, deadline)
        elif weights[2] > 0:
            self._fit_linear(table, target, None, seed, deadline, chosen.fitted)
        if "linear_" not in chosen.fitted:
            two = chosen.weights[:2]
            chosen.weights = two if two.any() else np.array([0.4, 0.6])
        return chosen

    def _tune(
        self,
        chosen: _Chosen,
        target: Target,
        of_forest: NDArray[np.float64] | None,
        folds: NDArray[np.int64],
        seed: int,
        deadline: Deadline,
    ) -> None:
        """Set the parameters of the boosted trees, and find the weights of the members."""
        coded, boosted, fitted = chosen.coded, chosen.boosted, chosen.fitted
        rows = np.flatnonzero(folds >= 0)
        codes = target.codes[rows]
        others: dict[str, NDArray[np.float64]] = {}
        if of_forest is not None:
            others["forest"] = of_forest[rows, codes]
        linear = self._fit_linear(coded.table, target, folds, seed, deadline, fitted)
        if linear is not None:
            others["linear"] = linear[rows, codes]
        columns = [others[name] for name in others]
        held = np.column_stack(columns) if columns else np.empty((len(rows), 0))
        candidates, results = tune_boosted(
            boosted,
            coded,
            target,
            folds,
            lambda rows: ClassScore(target, rows, held),
            max_depths=[int(d) for d in listed(self.max_depths)],
            max_iter=int(self.max_iter),
            n_iter_no_change=int(self.n_iter_no_change),
            seed=seed,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            deadline=Deadline.after(deadline.left() / 2),
        )
        row_weights = None if target.weights is None else target.weights[rows]
        stacked = [_stack({**others, "boosted": r.predictions}, row_weights) for r in results]
        best = int(np.argmin([loss for _, loss in stacked]))
        weights, chosen.loss = stacked[best]
        chosen.weights = weights
        if weights[2] == 0:
            fitted.pop("linear_", None)
        mixed = sum(
            weight * {**others, "boosted": results[best].predictions}[name]
            for name, weight in zip(_NAMES, weights.tolist(), strict=True)
            if weight > 0
        )
        fitted["_set_scores"] = set_scores(np.asarray(mixed))
        fitted["cv_results_"] = cv_results(
            boosted,
            candidates,
            results,
            [loss for _, loss in stacked],
            param_weight=[found[1] for found, _ in stacked],
        )
        boosted.set_params(n_estimators=results[best].n_iter, **candidates[best])

    def _fit_linear(
        self,
        table: Table,
        target: Target,
        folds: NDArray[np.int64] | None,
        seed: int,
        deadline: Deadline,
        fitted: dict[str, Any],
    ) -> NDArray[np.float64] | None:
        """Fit the linear model; the probabilities of held-out rows if it was fitted."""
        if not self.linear or target.n_classes < 2:
            return None
        if count_terms(table.schema) > MAX_TERMS:
            return None
        moment = Deadline.after(deadline.left() / 10)
        alphas = PENALTIES if folds is not None else (1.0,)
        found = fit_logistic(
            table, target, folds, alphas, seed=seed, goes_on=lambda: not moment.is_over()
        )
        if found is None:
            return None
        fitted["linear_"], held_out = found
        return held_out

    # Predicting

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row; of equally probable classes, the first."""
        return self.predictor_.predict(self._new(X), self.n_jobs)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the class probabilities of each row, in the order of ``classes_``."""
        return self.predictor_.probabilities(self._new(X), self.n_jobs)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the logarithms of the class probabilities of each row."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Find the leaf of each row in each tree: shape (n_rows, n_trees)."""
        table = self._new(X)
        return np.hstack([m.predictor_.apply(table) for m in (self.forest_, self.boosted_)])

    def explain(self, X: Any, row: int = 0) -> EnsembleExplanation:
        """Explain the prediction of one row: the predictions of the members, and their reasons.

        Parameters
        ----------
        X : table
            Rows.
        row : int, default=0
            Number of the row, from 0.

        Returns
        -------
        EnsembleExplanation
            The probabilities of the members and of the ensemble and, for each member, a bias and a
            contribution of each column, which add up. Print it for a summary.

        Examples
        --------
        >>> import mixedwood as mw
        >>> X = {"color": ["red", "blue", "green", "blue"] * 5, "size": [1, 2, 3, 4] * 5}
        >>> model = mw.EnsembleClassifier(tune=False, random_state=0)
        >>> why = model.fit(X, ["yes", "no", "yes", "no"] * 5).explain(X, row=0)
        >>> why.prediction, why.weights, why.forest.scale, why.boosted.scale
        ('yes', (0.4, 0.6), 'probability', 'log odds')
        """
        one, row = choose_row(self._new(X), row)
        forest = replace(self.forest_._explain(one, 0), row=row)
        boosted = replace(self.boosted_._explain(one, 0), row=row)
        linear = None
        if "linear_" in vars(self):
            given = self.linear_.by_column(one)
            linear = replace(explain_linear(self.predictor_.target, one, *given), row=row)
        members = [m.probabilities for m in (forest, boosted, linear) if m is not None]
        average = self.predictor_.average(members)
        return EnsembleExplanation(
            row=row,
            prediction=python_label(self.predictor_.target.labels(average[None])[0]),
            classes=self.classes_,
            probabilities=average,
            weights=tuple(self.weights_.tolist()),
            forest=forest,
            boosted=boosted,
            linear=linear,
        )


def _without_crossed(table: Table) -> Table:
    inputs = table.schema.inputs
    return Table(inputs, table.arrays[: len(inputs)], table.unknown)


def listed(given: Any) -> list[Any]:
    """Give the items of a list, tuple or array; none of anything else."""
    return list(given) if isinstance(given, (list, tuple, np.ndarray)) else []


def _changed(member: Any, parameters: tuple[str, ...]) -> dict[str, Any]:
    """Those of the parameters that do not have their default."""
    if member is None:
        return {}
    default = type(member)()
    values = {parameter: getattr(member, parameter) for parameter in parameters}
    return {p: value for p, value in values.items() if value != getattr(default, p)}


def _fit_forest(
    forest: ForestClassifier,
    coded: EncodedTable,
    target: Target,
    time_limit: float,
    out_of_bag: bool,
) -> NDArray[np.float64] | None:
    """Fit the forest; its out-of-bag probabilities if they are wanted and there are any."""
    out_of_bag = out_of_bag and forest._leaves_rows_out(target.n_rows)
    with warnings.catch_warnings():
        # A few rows without an out-of-bag prediction do not matter here.
        warnings.filterwarnings("ignore", ".*out-of-bag prediction", UserWarning)
        forest.set_params(oob_score=forest.oob_score or out_of_bag)
        forest._fit_table(coded, target, time_limit)
    if not out_of_bag:
        return None
    drawn = forest._sample_size(target.n_rows) / target.n_rows
    left_out = math.exp(-drawn) if forest.bootstrap else 1 - drawn
    return _smoothed(forest.oob_decision_function_, target, left_out * len(forest.trees_))


def _smoothed(
    of_forest: NDArray[np.float64], target: Target, n_trees: float
) -> NDArray[np.float64]:
    """Out-of-bag probabilities, shrunk to the prior: few trees may all be wrong about a row."""
    prior = np.bincount(target.codes, target.weights, minlength=target.n_classes)
    prior = prior / prior.sum()
    known = np.where(np.isnan(of_forest), prior, of_forest)
    return np.asarray((n_trees * known + prior) / (n_trees + 1))


def _stack(
    of_true_class: dict[str, NDArray[np.float64]], row_weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], float]:
    """Weights of all members, and the log loss of held-out rows."""
    names = [name for name in _NAMES if name in of_true_class]
    given = np.column_stack([of_true_class[name] for name in names])
    found = mixture_weights(given, row_weights)
    if "linear" in names and found[-1] < _LEAST_WEIGHT:
        names, given = names[:-1], given[:, :-1]
        found = mixture_weights(given, row_weights)
    weights = np.zeros(len(_NAMES))
    weights[[_NAMES.index(name) for name in names]] = found
    return weights, mixture_loss(given, found, row_weights)
