"""AdaBoost of decision trees."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from mixedwood import _kinds as kinds
from mixedwood._limits import Deadline, read_time_limit
from mixedwood._parallel import show_progress
from mixedwood._params import (
    COST_MATRIX,
    CROSSED_FEATURES,
    FLAG,
    N_JOBS,
    RANDOM_STATE,
    TIME_LIMIT,
    VERBOSE,
    Constraint,
    Float,
    Int,
    OneOf,
    validate,
)
from mixedwood._random import seed_of
from mixedwood.boosting import AdaBoostPlan, adaboost
from mixedwood.data import Target
from mixedwood.estimators._conformal import SET_SCORES, PredictionSets
from mixedwood.estimators._ensemble import TreeEnsembleClassifier
from mixedwood.estimators.c45 import C45TreeClassifier
from mixedwood.estimators.forest import read_member
from mixedwood.estimators.tree import TreeClassifier
from mixedwood.grow import EncodedTable
from mixedwood.tree import Tree

__all__ = ["AdaBoostTreesClassifier"]


class AdaBoostTreesClassifier(PredictionSets, TreeEnsembleClassifier):
    """AdaBoost of decision trees with native support for categorical features.

    Each tree is grown on rows that are weighted by the errors of the trees before it; the trees
    vote with weights. Boosting ends early if a tree makes no errors or too many.

    Parameters
    ----------
    estimator : TreeClassifier, C45TreeClassifier or None, default=None
        The classifier to boost. If None,
        ``TreeClassifier(partitioner="random_order", max_depth=4, max_features=0.5, pruning=None)``.
    n_estimators : int, default=50
        Maximum number of trees.
    learning_rate : float, default=1.0
        Factor of the weight of each tree.
    variant : {"m1", "samme"}, default="m1"
        "m1" is AdaBoost.M1 [1]_: a tree must classify half of the weight correctly. "samme" [2]_:
        a tree need only be better than guessing among all classes.
    resample : bool, default=False
        Whether to draw rows in proportion to their weights, or to pass the weights to the trees.
    class_weight : mapping, "balanced" or None, default=None
        Weights of the classes.
    cost_matrix : array-like of shape (n_classes, n_classes), mapping or None, default=None
        Costs of mistakes, as in `TreeClassifier`. They are not used to fit the trees: the class of
        least expected cost is predicted.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to treat as nominal, whatever their type.
    ordinal_features : mapping of str to sequence, optional
        Ordinal columns, and their categories in order.
    crossed_features : None, "auto" or list of lists of str or int, default=None
        Columns to cross; see `TreeClassifier`.
    n_jobs : int or None, default=None
        Number of threads of predictions, -1 for all processors.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the random parts.
    verbose : int, default=0
        Whether to show a progress bar.
    time_limit : float or None, default=None
        Maximum number of seconds of `fit`. If time runs out, fewer trees are grown and a warning is
        issued.

    Attributes
    ----------
    trees_ : list of Tree
        The trees in the order in which they were grown.
    estimator_weights_ : ndarray of shape (n_trees,)
        Weight of each tree in the vote.
    n_iter_ : int
        Number of trees.
    classes_, schema_, n_features_in_, feature_names_in_
        As in `TreeClassifier`.

    See Also
    --------
    AdaBoostTreesClassifier.c45 : AdaBoost.M1 of C4.5 trees, as in WEKA.
    BoostedTreesClassifier : Gradient boosting, usually more accurate.

    References
    ----------
    .. [1] Freund and Schapire, "Experiments with a new boosting algorithm", ICML 1996.
    .. [2] Zhu, Zou, Rosset and Hastie, "Multi-class AdaBoost", Statistics and Its Interface 2009.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"color": ["red", "blue", "green", "blue"] * 5, "size": [1, 2, 3, 4] * 5}
    >>> model = mw.AdaBoostTreesClassifier(random_state=0)
    >>> model.fit(X, ["yes", "no", "yes", "no"] * 5).predict({"color": ["red"], "size": [1]})
    array(['yes'], dtype='<U3')
    """

    estimator_weights_: NDArray[np.float64]
    voting = "hard"

    _parameters: ClassVar[Mapping[str, Constraint]] = {
        "n_estimators": Int(1),
        "learning_rate": Float(0, math.inf, "neither"),
        "variant": OneOf("m1", "samme"),
        "resample": FLAG,
        "n_jobs": N_JOBS,
        "cost_matrix": COST_MATRIX,
        "random_state": RANDOM_STATE,
        "verbose": VERBOSE,
        "time_limit": TIME_LIMIT,
        "crossed_features": CROSSED_FEATURES,
    }
    _fitted: ClassVar[kinds.Fitted] = {
        "trees_": kinds.list_of(kinds.instance(Tree), 1),
        "estimator_weights_": kinds.array(np.float64, 1, kinds.NONNEGATIVE),
        **SET_SCORES,
    }
    _needs_for_sets = ""

    def _check_fitted(self) -> None:
        if len(self.estimator_weights_) != len(self.trees_):
            raise ValueError("its trees have not one weight each")
        if not self.estimator_weights_.sum() < kinds.MAX_SUM:
            raise ValueError("the weights of its trees are too large to be added")

    def __init__(
        self,
        estimator: TreeClassifier | None = None,
        n_estimators: int = 50,
        *,
        learning_rate: float = 1.0,
        variant: Literal["m1", "samme"] = "m1",
        resample: bool = False,
        class_weight: Mapping[Any, float] | str | None = None,
        cost_matrix: Any = None,
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
        crossed_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        time_limit: float | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.variant = variant
        self.resample = resample
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.crossed_features = crossed_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.time_limit = time_limit

    @classmethod
    def c45(cls, n_estimators: int = 50, **parameters: Any) -> AdaBoostTreesClassifier:
        """AdaBoost.M1 of unpruned C4.5 trees, as in WEKA.

        Parameters
        ----------
        n_estimators : int, default=50
            Maximum number of trees.
        **parameters
            Further parameters of `AdaBoostTreesClassifier`.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.AdaBoostTreesClassifier.c45().estimator
        C45TreeClassifier(pruned=False)
        """
        preset: dict[str, Any] = {
            "estimator": C45TreeClassifier(pruned=False),
            "n_estimators": n_estimators,
        }
        return cls(**{**preset, **parameters})

    def _check_parameters(self) -> None:
        validate(self)
        read_member(self._tree())

    def _tree(self) -> TreeClassifier:
        return self._default_part("estimator", None) if self.estimator is None else self.estimator

    def _default_part(self, name: str, given: Any) -> Any:
        if name != "estimator" or given is not None:
            return None
        return TreeClassifier(
            partitioner="random_order", max_depth=4, max_features=0.5, pruning=None
        )

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | float | None = None) -> Self:
        """Fit the model.

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
        AdaBoostTreesClassifier
            The fitted estimator.
        """
        self._check_parameters()
        deadline = Deadline.after(read_time_limit(self.time_limit))
        seed = seed_of(self.random_state)
        table, target = self._read_training(X, y, sample_weight)
        return self._fit_table(EncodedTable(table), target, seed, deadline.left())

    def _fit_table(self, coded: EncodedTable, target: Target, seed: int, time_limit: float) -> Self:
        plan = AdaBoostPlan(
            estimator=read_member(self._tree()),
            samme=self.variant == "samme",
            resample=bool(self.resample),
            learning_rate=float(self.learning_rate),
        )
        n_estimators = int(self.n_estimators) if target.n_classes > 1 else 1
        with show_progress(n_estimators, self.verbose, "trees") as advance:
            self.trees_, self.estimator_weights_ = adaboost(
                coded,
                target,
                plan,
                n_estimators,
                seed=seed,
                time_limit=time_limit,
                advance=advance,
            )
        self.__dict__.pop("_set_scores", None)  # of an earlier fit
        self._remember(coded.table, target)
        return self

    @property
    def n_iter_(self) -> int:
        """Number of trees."""
        check_is_fitted(self)
        return len(self.trees_)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Compute the fraction of votes of each class; of two classes, second less first."""
        votes = self.predict_proba(X)
        return votes[:, 1] - votes[:, 0] if votes.shape[1] == 2 else votes

    def _tree_weights(self) -> NDArray[np.float64]:
        return self.estimator_weights_

    def _handle_unknown(self) -> str:
        return str(self._tree().handle_unknown)

    def _impurity(self) -> Literal["gini", "entropy"]:
        return self._tree()._impurity()
