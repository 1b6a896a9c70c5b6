"""A forest and boosted trees together: the recommended ensemble."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from mixedwood._folds import folds_or_hold_out
from mixedwood._limits import Deadline, read_time_limit
from mixedwood._parallel import grow_members
from mixedwood._random import seed_of
from mixedwood.boosting import DepthSearch, TuningGrid
from mixedwood.data import Table, Target
from mixedwood.ensembles import first_of_largest
from mixedwood.estimators._ensemble import nodes_of
from mixedwood.estimators.base import TableClassifier, columns_used
from mixedwood.estimators.boosted import BoostedTreesClassifier
from mixedwood.estimators.boosting_parameters import BoostingParameters, read_boosting_parameters
from mixedwood.estimators.forest import ForestClassifier
from mixedwood.estimators.parameters import (
    check_flag,
    is_whole,
    read_limit,
    read_number,
    read_whole,
)
from mixedwood.estimators.parts_given import warn_of_what_is_not_used
from mixedwood.explain.explanation import EnsembleExplanation
from mixedwood.explain.walk import choose_row
from mixedwood.growers import CodedTable
from mixedwood.tree import Tree

__all__ = ["EnsembleClassifier"]

_OF_THE_WHOLE = (
    "class_weight",
    "categorical_features",
    "ordinal_features",
    "random_state",
    "time_limit",
)


# Up to so many rows are judged in turn; of more, a part tells enough.
_MANY_ROWS = 10_000
# Trees of a hundred that have not seen a row.
_OUT_OF_BAG_TREES = 37


class EnsembleClassifier(TableClassifier):
    """The ensemble to start with: boosted trees over random orders, and a forest beside them.

    How deep trees are, how many rounds there are, and how much the forest counts is chosen by
    cross-validation: additive classes get stumps and many rounds, those that hang together deep
    trees, and noisy ones few rounds or the forest.

    Parameters
    ----------
    forest : ForestClassifier or None, default=None
        The forest; 100 trees by default. Its `class_weight`, `categorical_features`,
        `ordinal_features`, `n_jobs`, `random_state`, `verbose` and `time_limit` are those of the
        ensemble.
    boosted : BoostedTreesClassifier or None, default=None
        The boosted trees, likewise; its defaults by default. With `tune` its `max_depth` and
        `n_estimators` are chosen, whatever they are here; a warning says so if they were set.
    tune : bool, default=True
        Whether to choose depth and number of rounds of the boosted trees, and `share`, by the log
        loss on rows held out. If not, `boosted` and `share` are taken as they are; so they are with
        fewer than ten rows, with AdaBoost, and with trees grown as `TreeClassifier` does.
    share : float, default=0.6
        Weight of the boosted trees in the mean of probabilities, unless it is chosen.
    depths : sequence of int, default=(2, 3, 4, 6)
        Depths to choose from.
    max_rounds : int, default=500
        Most rounds to choose.
    patience : int, default=30
        Rounds without a lower loss after which a depth is given up.
    n_folds : int or None, default=None
        Folds of the cross-validation; 1 holds out a fifth of the rows. By default 5, and 1 for
        tables of more than 10,000 rows.
    class_weight : mapping, "balanced" or None, default=None
        Factors by which the rows of a class weigh more or less.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal whatever their type.
    ordinal_features : mapping of str to sequence, optional
        Columns with an order, and their labels in order.
    n_jobs : int or None, default=None
        Number of threads, -1 for all processors. Any number gives the same trees.
    random_state : int, RandomState, Generator or None, default=None
        Seed; None gives other trees every time.
    verbose : int, default=0
        Whether to show on the standard error how far `fit` is.
    time_limit : float or None, default=None
        Seconds that `fit` may take: a third each for the forest, the choice and the boosted trees.

    Attributes
    ----------
    forest_ : ForestClassifier
        The forest, fitted.
    boosted_ : BoostedTreesClassifier
        The boosted trees, fitted.
    share_ : float
        Weight of the boosted trees.
    choices_ : list of Choice
        With `tune`: for each depth the best number of rounds and share, and their loss.
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
        tune: bool = True,
        share: float = 0.6,
        depths: Sequence[int] = (2, 3, 4, 6),
        max_rounds: int = 500,
        patience: int = 30,
        n_folds: int | None = None,
        class_weight: Mapping[Any, float] | str | None = None,
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        time_limit: float | None = None,
    ) -> None:
        self.forest = forest
        self.boosted = boosted
        self.tune = tune
        self.share = share
        self.depths = depths
        self.max_rounds = max_rounds
        self.patience = patience
        self.n_folds = n_folds
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
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
        deadline = Deadline.after(read_time_limit(self.time_limit))
        tuning = self._read_tuning()
        seed = seed_of(self.random_state)
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
            ordinal_features=self.ordinal_features,
        )
        coded = CodedTable(table)
        tunes = tuning is not None and _can_tune(parameters, target)
        warn_of_what_is_not_used(self, tunes=tunes)
        judges = tunes and forest._leaves_rows_out(target.n_rows)
        with warnings.catch_warnings():
            # A few rows without an answer out of bag do not matter here.
            warnings.filterwarnings("ignore", message=".*out-of-bag answer", category=UserWarning)
            forest.set_params(oob_score=forest.oob_score or judges)
            forest._fit_table(coded, target, deadline.left() / 3)
        share, choices = float(self.share), []
        if tuning is not None and tunes:
            out_of_bag = _smoothed(forest.oob_decision_function_, target) if judges else None
            n_folds = self._count_folds(target)
            choices = grow_members(
                DepthSearch(
                    coded, target, parameters.gradient_plan(coded.table), tuning,
                    folds_or_hold_out(target.codes, n_folds, seed, target.weights), out_of_bag,
                    seed,
                ).evaluate,
                range(len(tuning.max_depths)),
                n_jobs=self.n_jobs,
                verbose=self.verbose,
                time_limit=deadline.left() / 2,
                what="depths",
            )  # fmt: skip
            chosen = min(choices, key=lambda choice: choice.loss)
            share = chosen.share
            boosted.set_params(n_estimators=chosen.n_rounds, max_depth=chosen.depth)
        boosted._fit_table(coded, target, read_boosting_parameters(boosted), deadline.left())
        self._remember(table, target)
        self.forest_, self.boosted_, self.share_ = forest, boosted, share
        self.__dict__.pop("choices_", None)  # of an earlier fit
        if choices:
            self.choices_ = choices
        return self

    def _read_tuning(self) -> TuningGrid | None:
        check_flag(self, "tune")
        read_number(self, "share", 0, 1)
        for name in ("max_rounds", "patience"):
            read_whole(self, name, 1)
        read_limit(self, "n_folds", 1)
        depths = list(self.depths) if isinstance(self.depths, (list, tuple, np.ndarray)) else []
        if not depths or not all(is_whole(d) and d >= 1 for d in depths):
            raise ValueError(
                "depths must be one or more whole numbers of at least 1, such as (2, 4); got "
                f"{self.depths!r}."
            )
        if not self.tune:
            return None
        return TuningGrid(
            max_depths=tuple(int(d) for d in depths),
            max_iter=int(self.max_rounds),
            n_iter_no_change=int(self.patience),
        )

    def _count_folds(self, target: Target) -> int:
        if self.n_folds is None:
            return 5 if target.n_rows <= _MANY_ROWS else 1
        return int(self.n_folds)

    def _default_part(self, name: str, given: Any) -> Any:
        kinds = {"forest": ForestClassifier, "boosted": BoostedTreesClassifier}
        return kinds[name]() if name in kinds and given is None else None

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
        return (1 - self.share_) * of_forest + self.share_ * self.boosted_._shares(table)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the logarithms of the class probabilities of each row."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Find the node of each tree that answers each row: shape (n_rows, n_trees)."""
        table = self._new(X)
        return nodes_of(self.trees_, table)

    def explain(self, X: Any, row: int = 0) -> EnsembleExplanation:
        """Say why one row is answered as it is: what the two parts say, and why.

        Parameters
        ----------
        X : table
            Rows.
        row : int, default=0
            Which row, counted from 0.

        Returns
        -------
        EnsembleExplanation
            How the probabilities of the parts make those of the whole, and for each part a bias and
            a contribution of each column, which add up; print it.

        Examples
        --------
        >>> import mixedwood as mw
        >>> X = {"colour": ["red", "blue", "green", "blue"] * 5, "size": [1, 2, 3, 4] * 5}
        >>> model = mw.EnsembleClassifier(tune=False, random_state=0)
        >>> why = model.fit(X, ["yes", "no", "yes", "no"] * 5).explain(X, row=0)
        >>> why.prediction, why.share, why.forest.scale, why.boosted.scale
        ('yes', 0.6, 'probability', 'log odds')
        """
        one, row = choose_row(self._new(X), row)
        forest = replace(self.forest_._explain(one, 0), row=row)
        boosted = replace(self.boosted_._explain(one, 0), row=row)
        shares = (1 - self.share_) * forest.probabilities + self.share_ * boosted.probabilities
        label = self.classes_[first_of_largest(shares[None])][0]
        return EnsembleExplanation(
            row=row,
            prediction=label.item() if hasattr(label, "item") else label,
            classes=self.classes_,
            probabilities=shares,
            share=self.share_,
            forest=forest,
            boosted=boosted,
        )

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
        mean = (1 - self.share_) * of_forest + self.share_ * self.boosted_.feature_importances_
        total = mean.sum()  # less than 1 if a part has no splits
        return np.asarray(mean / total if total > 0 else mean)

    def _new(self, X: Any) -> Table:
        check_is_fitted(self)
        ways = (self.forest_._unseen(), self.boosted_._unseen())
        return self._read_new(X, columns_used(self.trees_), "error" if "error" in ways else ways[0])


def _can_tune(parameters: BoostingParameters, target: Target) -> bool:
    """Whether there are rounds and depths to choose, and rows to hold out."""
    several = target.n_classes > 1 and target.n_rows >= 10
    return several and parameters.model.method == "gradient" and parameters.learner is None


def _smoothed(shares: NDArray[np.float64], target: Target) -> NDArray[np.float64]:
    """Out-of-bag answers, drawn a little to the mean: few trees may all be wrong about a row."""
    prior = np.bincount(target.codes, target.weights, minlength=target.n_classes)
    prior = prior / prior.sum()
    known = np.where(np.isnan(shares), prior, shares)
    return np.asarray((_OUT_OF_BAG_TREES * known + prior) / (_OUT_OF_BAG_TREES + 1))
