"""Forests of trees that are grown and pruned on alternating halves of the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from mixedwood import _kinds as kinds
from mixedwood.estimators._ensemble import Vote
from mixedwood.estimators._sampling import BaggingPlan
from mixedwood.estimators.forest import BaseForestClassifier, read_member
from mixedwood.estimators.forest_regressor import BaseForestRegressor
from mixedwood.estimators.grow_prune import (
    GrowPruneTree,
    GrowPruneTreeClassifier,
    GrowPruneTreeRegressor,
    warn_of_limits,
)
from mixedwood.grow import GrowPruneResult, Iteration
from mixedwood.tree import Tree

__all__ = ["GrowPruneForestClassifier", "GrowPruneForestRegressor"]


class GrowPruneForestClassifier(BaseForestClassifier):
    """A forest of trees that are grown and pruned on alternating halves of the rows.

    All trees use all rows; they differ because the rows are divided into halves at random. Each
    tree is pruned without cross-validation. The forest is therefore small, fast in prediction, and
    takes about a tenth of the time of bagged trees with cost-complexity pruning.

    Parameters
    ----------
    estimator : GrowPruneTreeClassifier or None, default=None
        The tree, whose parameters apply to all trees of the forest; its `random_state` is not used.
        If None, a `GrowPruneTreeClassifier` with default parameters.
    n_estimators : int, default=101
        Number of trees; odd, so that two classes do not tie.
    bootstrap : bool, default=False
        Whether each tree is grown on a sample of the rows drawn with replacement.
    voting : {"soft", "hard"}, default="hard"
        Whether class probabilities of the trees are averaged, or the votes of the trees are
        counted, as published. Probabilities of a leaf are fractions of the rows in the half that
        grew it, often of one class, or, with `refit_leaves` of the tree, of all rows in the leaf.
    max_samples, colsample_bytree, oob_score, class_weight, cost_matrix, categorical_features
        As in `ForestClassifier`.
    ordinal_features, crossed_features, n_jobs, random_state, warm_start, verbose, time_limit
        As in `ForestClassifier`.

    Attributes
    ----------
    trees_, predictor_, classes_, schema_, oob_score_, oob_decision_function_
        As in `ForestClassifier`.
    iterations_ : list of tuple of Iteration
        For each tree, the numbers of leaves each time it was ``grown`` and ``pruned``.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    GrowPruneTreeClassifier : One such tree.
    ForestClassifier.bagging_cart : Bagged trees with cost-complexity pruning.

    References
    ----------
    .. [1] "Using All Data to Generate Decision Tree Ensembles", IEEE Transactions on Systems, Man,
       and Cybernetics, Part C, 2004.

    Examples
    --------
    >>> import mixedwood as mw
    >>> data = mw.datasets.make_waveform(300, random_state=0)
    >>> model = mw.GrowPruneForestClassifier(n_estimators=11, random_state=0).fit(data.X, data.y)
    >>> len(model.trees_), sum(tree.n_leaves for tree in model.trees_)
    (11, 127)
    >>> test = mw.datasets.make_waveform(1000, random_state=1)
    >>> model.staged_score(test.X, test.y)[[0, 10]].round(3).tolist()
    [0.686, 0.734]
    """

    iterations_: list[tuple[Iteration, ...]]

    _fitted: ClassVar[kinds.Fitted] = {
        **BaseForestClassifier._fitted,
        "_sampling": kinds.sometimes(BaseForestClassifier._fitted["_sampling"]),  # not in version 1
        "iterations_": kinds.list_of(kinds.tuple_of(kinds.instance(Iteration))),
    }

    def __init__(
        self,
        estimator: GrowPruneTreeClassifier | None = None,
        n_estimators: int = 101,
        *,
        bootstrap: bool = False,
        max_samples: float | None = None,
        colsample_bytree: float | str | None = None,
        voting: Vote = "hard",
        oob_score: bool | Callable[[Any, Any], float] = False,
        class_weight: Mapping[Any, float] | str | None = None,
        cost_matrix: Any = None,
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
        crossed_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        time_limit: float | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.colsample_bytree = colsample_bytree
        self.voting = voting
        self.oob_score = oob_score
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.crossed_features = crossed_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.time_limit = time_limit

    @property
    def n_iter_(self) -> int:
        """Largest number of times that a tree was grown and pruned."""
        check_is_fitted(self)
        return max(map(len, self.iterations_))

    def _default_tree(self) -> GrowPruneTreeClassifier:
        return GrowPruneTreeClassifier()

    def _grow_function(self) -> Callable[..., GrowPruneResult]:
        return _grow_function(self, GrowPruneTreeClassifier)

    def _grow(
        self, plan: BaggingPlan, numbers: range, time_limit: float
    ) -> tuple[list[Tree], dict[str, Any]]:
        return _grow(self, plan, numbers, time_limit)


class GrowPruneForestRegressor(BaseForestRegressor):
    """A forest that predicts numbers by trees grown and pruned on alternating halves of the rows.

    All trees use all rows; they differ because the rows are divided into halves at random. Each
    tree is pruned without cross-validation, so that the forest is small and fast in prediction.

    Parameters
    ----------
    estimator : GrowPruneTreeRegressor or None, default=None
        The tree, whose parameters apply to all trees of the forest; its `random_state` is not used.
        If None, a `GrowPruneTreeRegressor` with default parameters.
    n_estimators : int, default=100
        Number of trees.
    bootstrap : bool, default=False
        Whether each tree is grown on a sample of the rows drawn with replacement.
    max_samples, colsample_bytree, oob_score, keep_leaves, categorical_features, ordinal_features
        As in `ForestRegressor`.
    crossed_features, n_jobs, random_state, warm_start, verbose, time_limit
        As in `ForestRegressor`.

    Attributes
    ----------
    trees_, predictor_, schema_, oob_score_, oob_prediction_
        As in `ForestRegressor`.
    iterations_ : list of tuple of Iteration
        For each tree, the numbers of leaves each time it was ``grown`` and ``pruned``.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    GrowPruneTreeRegressor : One such tree.
    ForestRegressor : Bagging and random forests.

    Examples
    --------
    >>> import mixedwood as mw
    >>> data = mw.datasets.make_mixed_regression(300, random_state=0)
    >>> model = mw.GrowPruneForestRegressor(n_estimators=20, random_state=0).fit(data.X, data.y)
    >>> model.score(data.X, data.y) > 0.8
    True
    """

    iterations_: list[tuple[Iteration, ...]]

    _fitted: ClassVar[kinds.Fitted] = {
        **BaseForestRegressor._fitted,
        "iterations_": kinds.list_of(kinds.tuple_of(kinds.instance(Iteration))),
    }

    def __init__(
        self,
        estimator: GrowPruneTreeRegressor | None = None,
        n_estimators: int = 100,
        *,
        bootstrap: bool = False,
        max_samples: float | None = None,
        colsample_bytree: float | str | None = None,
        oob_score: bool | Callable[[Any, Any], float] = False,
        keep_leaves: bool = True,
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
        crossed_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        time_limit: float | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.colsample_bytree = colsample_bytree
        self.oob_score = oob_score
        self.keep_leaves = keep_leaves
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.crossed_features = crossed_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.time_limit = time_limit

    @property
    def n_iter_(self) -> int:
        """Largest number of times that a tree was grown and pruned."""
        check_is_fitted(self)
        return max(map(len, self.iterations_))

    def _default_tree(self) -> GrowPruneTreeRegressor:
        return GrowPruneTreeRegressor()

    def _grow_function(self) -> Callable[..., GrowPruneResult]:
        return _grow_function(self, GrowPruneTreeRegressor)

    def _grow(
        self, plan: BaggingPlan, numbers: range, time_limit: float
    ) -> tuple[list[Tree], dict[str, Any]]:
        return _grow(self, plan, numbers, time_limit)


def _grow_function(forest: Any, kind: type[GrowPruneTree]) -> Callable[..., GrowPruneResult]:
    tree = forest._member()
    if not isinstance(tree, kind):
        raise TypeError(
            f"The 'estimator' parameter of {type(forest).__name__} must be an instance of "
            f"{kind.__name__!r} or None. Got {tree!r} instead."
        )
    read_member(tree, kind)
    return tree._grow_prune


def _grow(
    forest: Any, plan: BaggingPlan, numbers: range, time_limit: float
) -> tuple[list[Tree], dict[str, Any]]:
    results: list[GrowPruneResult] = forest._grow_members(plan, numbers, time_limit)
    warn_of_limits(results, forest._member().max_iter)
    previous = forest.iterations_ if numbers.start else []
    iterations = [*previous, *(result.iterations for result in results)]
    return [result.tree for result in results], {"iterations_": iterations}
