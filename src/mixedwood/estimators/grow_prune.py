"""A tree that is grown and pruned alternately, with two subsets of the rows."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from mixedwood import _kinds as kinds
from mixedwood._limits import StopFlag, read_time_limit, user_stacklevel, warn_time_limit
from mixedwood._params import (
    COST_MATRIX,
    CROSSED_FEATURES,
    FLAG,
    HANDLE_UNKNOWN,
    RANDOM_STATE,
    TIME_LIMIT,
    Constraint,
    Int,
    OneOf,
    PartOf,
    RowsOrFraction,
    count_rows,
)
from mixedwood._parts import Criterion, Partitioner
from mixedwood._random import seed_of
from mixedwood.data import Table, Target
from mixedwood.estimators._single import (
    Rows,
    SingleTree,
    SingleTreeClassifier,
    SingleTreeRegressor,
)
from mixedwood.estimators.base import unknown_in_core
from mixedwood.estimators.tree import CRITERION
from mixedwood.estimators.tree_regressor import (
    NUMBER_CRITERION,
    NUMBER_PARTITIONER,
    check_number_part,
)
from mixedwood.grow import (
    NUMBER_PARTITIONERS,
    EncodedTable,
    GrowPruneResult,
    GrowSettings,
    Iteration,
    NumberSettings,
    grow_prune,
)
from mixedwood.tree import Tree

__all__ = [
    "GrowPruneTree",
    "GrowPruneTreeClassifier",
    "GrowPruneTreeRegressor",
    "warn_of_limits",
]


class GrowPruneTree(SingleTree):
    """What trees for classes and for numbers share."""

    partitioner: Any
    selection: str
    min_samples_split: float
    max_iter: int
    refit_leaves: bool
    handle_missing: str
    random_state: Any
    time_limit: float | None

    iterations_: list[Iteration]

    _parameters: ClassVar[Mapping[str, Constraint]] = {
        "selection": OneOf("adjusted", "score"),
        "min_samples_split": RowsOrFraction(),
        "max_iter": Int(1),
        "refit_leaves": FLAG,
        "handle_missing": OneOf("learned", "category").with_hint(
            "Rows that are divided among children cannot be used for pruning.",
            when=lambda value: isinstance(value, str) and value == "fractional",
        ),
        "handle_unknown": HANDLE_UNKNOWN,
        "random_state": RANDOM_STATE,
        "time_limit": TIME_LIMIT,
        "crossed_features": CROSSED_FEATURES,
    }

    _fitted: ClassVar[kinds.Fitted] = {
        "tree_": kinds.instance(Tree),
        "iterations_": kinds.list_of(kinds.instance(Iteration)),
    }

    @property
    def n_iter_(self) -> int:
        """Number of iterations."""
        check_is_fitted(self)
        return len(self.iterations_)

    def _settings(self, n_rows: int) -> GrowSettings:
        """Say how a tree for this number of rows is grown."""
        raise NotImplementedError

    def _shared_settings(self, n_rows: int) -> dict[str, Any]:
        return {
            "criterion": self.criterion,
            "partitioner": self.partitioner,
            "selection": self.selection,
            "min_samples_split": count_rows(self.min_samples_split, n_rows, 2),
            "handle_missing": self.handle_missing,
            "handle_unknown": unknown_in_core(self.handle_unknown),
        }

    def _grow_prune(
        self,
        table: Table | EncodedTable,
        target: Target,
        *,
        seed: int,
        rows: Rows | None = None,
        time_limit: float = math.inf,
        stop: StopFlag | None = None,
    ) -> GrowPruneResult:
        """Learn a tree; the result includes its sizes on the way."""
        if rows is not None:
            all_rows = table.table if isinstance(table, EncodedTable) else table
            table, target = all_rows.take(rows), target.take(rows)
        return grow_prune(
            table,
            target,
            self._settings(target.n_rows),
            seed=seed,
            max_iterations=min(int(self.max_iter), 2**31 - 1),
            relabel=bool(self.refit_leaves),
            time_limit=min(time_limit, read_time_limit(self.time_limit)),
            stop=stop,
        )

    def _fit(self, table: Table, target: Target, kept: NDArray[np.bool_] | None) -> None:
        result = self._grow_prune(table, target, seed=seed_of(self.random_state))
        warn_of_limits([result], self.max_iter)
        self.tree_, self.iterations_ = result.tree, list(result.iterations)

    def _fit_encoded(
        self,
        table: Table | EncodedTable,
        target: Target,
        *,
        seed: int,
        rows: Rows | None = None,
        choice_seed: int | None = None,
        time_limit: float = math.inf,
        stop: StopFlag | None = None,
    ) -> Tree:
        result = self._grow_prune(
            table, target, seed=seed, rows=rows, time_limit=time_limit, stop=stop
        )
        warn_of_limits([result], self.max_iter)
        return result.tree


class GrowPruneTreeClassifier(GrowPruneTree, SingleTreeClassifier):
    """Decision tree grown with one half of the rows and pruned with the other, alternately.

    After each pruning the halves are swapped and the tree is grown further below the remaining
    leaves, until a pruning does not change its size; this takes two to four iterations. All rows
    are used for growing and for pruning, and no cross-validation is needed: fitting takes about a
    tenth of the time of cost-complexity pruning. Other halves give another tree, which makes it a
    good member of an ensemble.

    Parameters
    ----------
    criterion : str or Criterion, default="gini"
        The score of a split; see `TreeClassifier`.
    partitioner : str or Partitioner, default="auto"
        The search for groups of categories; see `TreeClassifier`.
    selection : {"adjusted", "score"}, default="adjusted"
        What the columns of a node are compared by: the score of their best split, adjusted for
        chance, so that a column of identifiers does not come first; or the score alone, as
        published. See `TreeClassifier`.
    min_samples_split : int or float, default=2
        Minimum number of rows of a node that is split, counted in the half that grows the tree. A
        float in (0, 1) is a fraction of all rows.
    max_iter : int, default=20
        Maximum number of iterations. If it is reached, a `ConvergenceWarning` is raised.
    refit_leaves : bool, default=False
        Whether to compute the class distributions of the nodes from all rows at the end. Otherwise
        each node predicts the class distribution of the half that created it, as published.
    handle_missing : {"learned", "category"}, default="learned"
        Rows with a missing value go to the child with the better score, or a missing value is one
        more category of a nominal column; see `TreeClassifier`.
    handle_unknown : {"stop", "missing", "majority", "error"}, default="stop"
        What happens to a category that a node has not seen: the row stops at the node and receives
        its class distribution; it follows missing values; it goes to the child with the largest
        weight; or categories that no training row has raise an error. Pruning uses this as well,
        since a node has only seen the categories of one half.
    class_weight : mapping, "balanced" or None, default=None
        Weights of the classes.
    cost_matrix : array-like of shape (n_classes, n_classes), mapping or None, default=None
        Costs of mistakes, as in `TreeClassifier`: the tree is pruned by costs, and the class of
        least expected cost is predicted.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal regardless of their dtype.
    ordinal_features : mapping of str to sequence, optional
        Ordered categories of ordinal columns.
    crossed_features : None, "auto" or list of lists of str or int, default=None
        Columns to cross; see `TreeClassifier`.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the halves and of random partitioners. If None, every fit uses other halves.
    time_limit : float or None, default=None
        Maximum number of seconds of `fit`, without reading the table. If it is reached, the tree as
        grown so far is returned with a `TimeLimitWarning`.

    Attributes
    ----------
    tree_ : Tree
        The tree. The class weights of a node are those of the half that created it.
    iterations_ : list of Iteration
        Number of leaves after each time that the tree was ``grown`` and ``pruned``.
    classes_ : ndarray
        The class labels.
    schema_ : Schema
        Names, types and categories of the columns.
    n_iter_ : int
        Number of iterations.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    GrowPruneForestClassifier : An ensemble of such trees, each with other halves.
    TreeClassifier : Trees that are grown once and pruned by cross-validation.

    References
    ----------
    .. [1] Gelfand, Ravishankar and Delp, "An Iterative Growing and Pruning Algorithm for
       Classification Tree Design", IEEE Transactions on Pattern Analysis and Machine Intelligence,
       1991. Splits that have survived a pruning are only undone if that lowers the error; the
       published rule, which also undoes them if the error is the same, may not terminate.

    Examples
    --------
    >>> import mixedwood as mw
    >>> data = mw.datasets.make_waveform(300, random_state=0)
    >>> model = mw.GrowPruneTreeClassifier(random_state=0).fit(data.X, data.y)
    >>> [(iteration.grown, iteration.pruned) for iteration in model.iterations_]
    [(22, 10), (31, 10)]
    >>> model.get_n_leaves()
    10
    """

    _parameters: ClassVar[Mapping[str, Constraint]] = {
        "criterion": CRITERION,
        "partitioner": PartOf(Partitioner),
        **GrowPruneTree._parameters,
        "cost_matrix": COST_MATRIX,
    }

    def __init__(
        self,
        *,
        criterion: str | Criterion = "gini",
        partitioner: str | Partitioner = "auto",
        selection: Literal["adjusted", "score"] = "adjusted",
        min_samples_split: float = 2,
        max_iter: int = 20,
        refit_leaves: bool = False,
        handle_missing: Literal["learned", "category"] = "learned",
        handle_unknown: Literal["stop", "missing", "majority", "error"] = "stop",
        class_weight: Mapping[Any, float] | str | None = None,
        cost_matrix: Any = None,
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
        crossed_features: Any = None,
        random_state: Any = None,
        time_limit: float | None = None,
    ) -> None:
        self.criterion = criterion
        self.partitioner = partitioner
        self.selection = selection
        self.min_samples_split = min_samples_split
        self.max_iter = max_iter
        self.refit_leaves = refit_leaves
        self.handle_missing = handle_missing
        self.handle_unknown = handle_unknown
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.crossed_features = crossed_features
        self.random_state = random_state
        self.time_limit = time_limit

    def _settings(self, n_rows: int) -> GrowSettings:
        return GrowSettings(**self._shared_settings(n_rows))


class GrowPruneTreeRegressor(GrowPruneTree, SingleTreeRegressor):
    """Regression tree grown with one half of the rows and pruned with the other, alternately.

    After each pruning, by the loss on the other half, the halves are swapped and the tree is grown
    further below the remaining leaves, until a pruning does not change its size. All rows are used
    for growing and for pruning, and no cross-validation is needed. Other halves give another tree,
    which makes it a good member of an ensemble.

    Parameters
    ----------
    criterion : {"squared_error", "poisson", "absolute_error"}, default="squared_error"
        The loss that splits and pruning lower; see `TreeRegressor`.
    partitioner : str or Partitioner, default="mean_order"
        The search for groups of categories; see `TreeRegressor`.
    selection : {"adjusted", "score"}, default="adjusted"
        What the columns of a node are compared by: the score of their best split, adjusted for
        chance, so that a column of identifiers does not come first; or the score alone, as
        published. See `TreeRegressor`.
    min_samples_split : int or float, default=2
        Minimum number of rows of a node that is split, counted in the half that grows the tree. A
        float in (0, 1) is a fraction of all rows.
    max_iter : int, default=20
        Maximum number of iterations. If it is reached, a `ConvergenceWarning` is raised.
    refit_leaves : bool, default=False
        Whether to compute the numbers of the nodes from all rows at the end. Otherwise each node
        predicts the mean (or median) of the half that created it.
    handle_missing : {"learned", "category"}, default="learned"
        Rows with a missing value go to the child with the smaller loss, or a missing value is one
        more category of a nominal column; see `TreeRegressor`.
    handle_unknown : {"stop", "missing", "majority", "error"}, default="stop"
        What happens to a category that a node has not seen: the row stops at the node and receives
        its number; it follows missing values; it goes to the child with the largest weight; or
        categories that no training row has raise an error. Pruning uses this as well, since a node
        has only seen the categories of one half.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal regardless of their dtype.
    ordinal_features : mapping of str to sequence, optional
        Ordered categories of ordinal columns.
    crossed_features : None, "auto" or list of lists of str or int, default=None
        Columns to cross; see `TreeClassifier`.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the halves and of random partitioners. If None, every fit uses other halves.
    time_limit : float or None, default=None
        Maximum number of seconds of `fit`, without reading the table. If it is reached, the tree as
        grown so far is returned with a `TimeLimitWarning`.

    Attributes
    ----------
    tree_ : Tree
        The tree. The rows of a node are those of the half that created it.
    iterations_ : list of Iteration
        Number of leaves after each time that the tree was ``grown`` and ``pruned``.
    schema_ : Schema
        Names, types and categories of the columns.
    n_iter_ : int
        Number of iterations.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    GrowPruneForestRegressor : An ensemble of such trees, each with other halves.
    TreeRegressor : Trees that are grown once and pruned by cross-validation.

    References
    ----------
    .. [1] Gelfand, Ravishankar and Delp, "An Iterative Growing and Pruning Algorithm for
       Classification Tree Design", IEEE Transactions on Pattern Analysis and Machine Intelligence,
       1991. Its argument for termination holds for any loss that the prediction of a node minimizes
       on the rows that made the node.

    Examples
    --------
    >>> import mixedwood as mw
    >>> data = mw.datasets.make_mixed_regression(300, random_state=0)
    >>> model = mw.GrowPruneTreeRegressor(random_state=0).fit(data.X, data.y)
    >>> model.iterations_[-1].pruned == model.iterations_[-2].pruned == model.get_n_leaves()
    True
    """

    _parameters: ClassVar[Mapping[str, Constraint]] = {
        "criterion": NUMBER_CRITERION,
        "partitioner": NUMBER_PARTITIONER,
        **GrowPruneTree._parameters,
    }

    def __init__(
        self,
        *,
        criterion: Literal["squared_error", "poisson", "absolute_error"] = "squared_error",
        partitioner: str | Partitioner = "mean_order",
        selection: Literal["adjusted", "score"] = "adjusted",
        min_samples_split: float = 2,
        max_iter: int = 20,
        refit_leaves: bool = False,
        handle_missing: Literal["learned", "category"] = "learned",
        handle_unknown: Literal["stop", "missing", "majority", "error"] = "stop",
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
        crossed_features: Any = None,
        random_state: Any = None,
        time_limit: float | None = None,
    ) -> None:
        self.criterion = criterion
        self.partitioner = partitioner
        self.selection = selection
        self.min_samples_split = min_samples_split
        self.max_iter = max_iter
        self.refit_leaves = refit_leaves
        self.handle_missing = handle_missing
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.crossed_features = crossed_features
        self.random_state = random_state
        self.time_limit = time_limit

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number_part(self, "partitioner", Partitioner, NUMBER_PARTITIONERS)

    def _needs_nonnegative(self) -> bool:
        return bool(self.criterion == "poisson")

    def _settings(self, n_rows: int) -> GrowSettings:
        return NumberSettings(**self._shared_settings(n_rows))


def warn_of_limits(results: Sequence[GrowPruneResult], max_iter: int) -> None:
    """Warn once if trees were still changing when a limit was reached."""
    cut_short = [result for result in results if not result.ended]
    at_limit = sum(len(result.iterations) == max_iter for result in cut_short)
    if at_limit:
        who = f"{at_limit} of {len(results)} trees were" if len(results) > 1 else "The tree was"
        warnings.warn(
            f"{who} still changing after max_iter={max_iter} iterations. Increase max_iter.",
            ConvergenceWarning,
            stacklevel=user_stacklevel(),
        )
    if at_limit < len(cut_short):
        n_trees = len(cut_short) - at_limit
        who = f"{n_trees} of {len(results)} trees were" if len(results) > 1 else "the tree was"
        warn_time_limit(f"The time limit was reached while {who} still changing.")
