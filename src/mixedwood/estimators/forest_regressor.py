"""Forests that predict numbers: means, out-of-bag predictions and quantiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.metrics import r2_score

from mixedwood import _kinds as kinds
from mixedwood._params import CROSSED_FEATURES, FLAG, MONOTONIC_CST, Constraint
from mixedwood._parts import Partitioner
from mixedwood.data import Table
from mixedwood.estimators._ensemble import TreeEnsembleRegressor
from mixedwood.estimators._sampling import BaggingPlan
from mixedwood.estimators._single import SingleTreeRegressor
from mixedwood.estimators.forest import BaseForest, OutOfBag
from mixedwood.estimators.tree_regressor import TreeRegressor
from mixedwood.tree import SplitKind, Tree

__all__ = ["BaseForestRegressor", "ForestRegressor", "RandomOrdinalityRegressor"]

Numbers = NDArray[np.float64]

_ENTRIES = 2_000_000  # of weighted training rows that are sorted at once
_ROUNDING = 1e-9  # of cumulative weights


class BaseForestRegressor(BaseForest, TreeEnsembleRegressor):
    """A forest that predicts numbers.

    A subclass has the parameters of `ForestRegressor` and defines `_default_tree`.
    """

    keep_leaves: bool

    oob_prediction_: Any = OutOfBag()
    _leaves: NDArray[np.int32]
    _row_weights: Numbers
    _targets: Numbers

    _member_class = SingleTreeRegressor
    _oob_name = "oob_prediction_"
    _optional = ("oob_score_", "oob_prediction_", "_leaves", "_row_weights", "_targets")

    _fitted: ClassVar[kinds.Fitted] = {
        **BaseForest._fitted,
        "oob_prediction_": kinds.sometimes(kinds.array(np.float64, 1, kinds.MISSING_OR_FINITE)),
        "_leaves": kinds.sometimes(kinds.array(np.int32, 2)),
        "_row_weights": kinds.sometimes(kinds.array(np.float64, 2, kinds.NONNEGATIVE)),
        "_targets": kinds.sometimes(kinds.array(np.float64, 1, kinds.FINITE)),
    }

    _parameters: ClassVar[dict[str, Constraint]] = {
        **BaseForest._parameters,
        "crossed_features": CROSSED_FEATURES,
        "keep_leaves": FLAG,
    }

    def predict(self, X: Any, quantiles: ArrayLike | None = None) -> Numbers:
        """Predict the number of each row: the mean over the trees, or quantiles.

        Quantiles are those of the training rows in the leaves of a row (Meinshausen 2006): each
        tree divides a weight of 1 equally among the training rows of its leaf, in proportion to
        their sample weights.

        Parameters
        ----------
        X : table
            Rows.
        quantiles : array-like of shape (n_quantiles,), optional
            Probabilities from 0 to 1. Without them, means are predicted.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_quantiles)
            Means, or quantiles: the smallest training target whose cumulative weight is at least
            the probability.

        Examples
        --------
        >>> import mixedwood as mw
        >>> X, y = {"x": [1, 1, 1, 1, 2, 2, 2, 2]}, [1, 2, 3, 4, 10, 20, 30, 40]
        >>> model = mw.ForestRegressor(n_estimators=20, bootstrap=False, random_state=0).fit(X, y)
        >>> model.predict({"x": [1, 2]}).tolist()
        [2.5, 25.0]
        >>> model.predict({"x": [1, 2]}, quantiles=[0.25, 0.75]).tolist()
        [[1.0, 3.0], [10.0, 30.0]]
        """
        if quantiles is None:
            return super().predict(X)
        table = self._new(X)
        levels = np.asarray(quantiles, dtype=np.float64)
        if levels.ndim != 1 or not ((levels >= 0) & (levels <= 1)).all():
            raise ValueError(
                "quantiles must be a list of numbers in the range [0.0, 1.0]. Got "
                f"{quantiles!r} instead."
            )
        if "_leaves" not in vars(self):
            raise ValueError(
                "predict with quantiles needs the leaves of the training rows: fit with "
                "keep_leaves=True, and without warm_start on other rows."
            )
        return self._quantiles(table, levels)

    def _quantiles(self, table: Table, levels: Numbers) -> Numbers:
        order = np.argsort(self._targets, kind="stable")
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        ends = self.predictor_.apply(table)
        leaves = [
            _LeafRows(tree, self._leaves[:, i], self._row_weights[:, i], ends[:, i])
            for i, tree in enumerate(self.trees_)
        ]
        sizes = np.sum([one.lengths for one in leaves], axis=0)
        found = np.empty((table.n_rows, len(levels)))
        begin = 0
        while begin < table.n_rows:
            end = begin + max(1, int(np.searchsorted(np.cumsum(sizes[begin:]), _ENTRIES)))
            row, place, weight = (
                np.concatenate(parts)
                for parts in zip(*(one.entries(begin, end) for one in leaves), strict=True)
            )
            by_target = np.argsort(row * len(rank) + rank[place], kind="stable")
            place, sums = place[by_target], np.cumsum(weight[by_target])
            bounds = np.searchsorted(row[by_target], np.arange(end - begin + 1))
            before = np.append(0.0, sums)[bounds[:-1]]
            for column, level in enumerate(levels):
                wanted = before + (level - _ROUNDING) * len(leaves)
                at = np.clip(np.searchsorted(sums, wanted), bounds[:-1], bounds[1:] - 1)
                found[begin:end, column] = self._targets[place[at]]
            begin = end
        return found

    def _further(self, plan: BaggingPlan, trees: list[Tree]) -> dict[str, Any]:
        further = super()._further(plan, trees)
        if self.keep_leaves and self._is_same_sampling(plan):
            weights = np.ones(plan.table.n_rows)
            if plan.target.weights is not None:
                weights = plan.target.weights / plan.target.weights.max()
            copies = [
                np.bincount(plan.rows_of(i), minlength=len(weights)) for i in range(len(trees))
            ]
            further["_row_weights"] = np.column_stack([times * weights for times in copies])
            further["_leaves"] = np.column_stack([tree.apply(plan.table) for tree in trees])
            further["_targets"] = np.array(plan.target.numbers)
        return further

    def _is_same_sampling(self, plan: BaggingPlan) -> bool:
        warm = self.warm_start and hasattr(self, "trees_")
        return not warm or getattr(self, "_sampling", None) == plan.sampling

    def _predict_others(self, table: Table) -> Numbers:
        return self.predictor_.predict(table, self.n_jobs)

    def _score_out_of_bag(self, plan: BaggingPlan, predicted: Any, known: Any) -> Any:
        true = plan.target.numbers[known]
        if callable(self.oob_score):
            return self.oob_score(true, predicted[:, 0])
        return r2_score(true, predicted[:, 0]) if len(true) > 1 else np.nan

    def _needs_nonnegative(self) -> bool:
        return getattr(self.estimator, "criterion", None) == "poisson"

    def _check_fitted(self) -> None:
        if "_leaves" not in vars(self):
            return
        shape = (len(self._targets), len(self.trees_))
        if self._leaves.shape != shape or self._row_weights.shape != shape:
            raise ValueError("the leaves of its training rows are not one for each row and tree")
        n_nodes = np.array([tree.n_nodes for tree in self.trees_])
        if not ((self._leaves >= 0) & (self._leaves < n_nodes)).all():
            raise ValueError("a training row is in a leaf that its tree does not have")


class _LeafRows:
    """The training rows in the nodes of a tree where other rows end.

    A row may end in an inner node, or in a leaf without training rows: then the training rows below
    the node count, or below the nearest node above it that has some.
    """

    def __init__(
        self, tree: Tree, leaf: NDArray[np.int32], weight: Numbers, ends: NDArray[np.int32]
    ) -> None:
        used = np.flatnonzero(weight > 0)
        rows = used[np.argsort(leaf[used], kind="stable")]
        nodes, inverse = np.unique(ends, return_inverse=True)
        first = np.searchsorted(leaf[rows], nodes)
        last = np.searchsorted(leaf[rows], nodes, side="right")
        parts, n_rows = [rows], len(rows)
        odd = (tree.split_kind[nodes] != SplitKind.LEAF) | (first == last)
        for place in np.flatnonzero(odd):
            node, below = int(nodes[place]), np.empty(0, dtype=rows.dtype)
            while len(below) == 0 and node >= 0:
                marked = np.arange(tree.n_nodes) == node
                for ahead in tree._leaps():
                    marked |= marked[ahead]
                below, node = rows[marked[leaf[rows]]], int(tree.parent[node])
            first[place], last[place] = n_rows, n_rows + len(below)
            parts.append(below)
            n_rows += len(below)
        self.rows = np.concatenate(parts)
        sums = np.append(0.0, np.cumsum(weight[self.rows]))
        total = sums[last] - sums[first]
        self.first, self.lengths = first[inverse], (last - first)[inverse]
        self.weight, self.total = weight[self.rows], total[inverse]

    def entries(self, begin: int, end: int) -> tuple[NDArray[Any], NDArray[Any], Numbers]:
        """List the training rows for some rows: number of the row, training row, weight."""
        first, lengths = self.first[begin:end], self.lengths[begin:end]
        row = np.repeat(np.arange(end - begin), lengths)
        starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
        place = np.repeat(first, lengths) + np.arange(len(row)) - starts
        weight = self.weight[place] / np.repeat(self.total[begin:end], lengths)
        return row, self.rows[place], weight


class ForestRegressor(BaseForestRegressor):
    """A forest that predicts numbers: the mean of trees grown on random samples of the rows.

    Bagging and random forests with any regression tree of this library; see the presets.

    Parameters
    ----------
    estimator : tree regressor or None, default=None
        The tree, whose parameters apply to all trees of the forest; its `random_state` is not used.
        If None, an unpruned tree that draws half of the columns at each node.
    n_estimators : int, default=100
        Number of trees.
    bootstrap : bool, default=True
        Whether each tree is grown on a sample of the rows drawn with replacement.
    max_samples : int, float or None, default=None
        Number of rows in each sample, or a fraction of the rows. If None, as many as there are.
        With ``bootstrap=False``, rows are drawn without replacement.
    colsample_bytree : int, float, "sqrt", "log2" or None, default=None
        Number or fraction of the columns that are drawn for each tree. If None, all columns. The
        `max_features` of the estimator draws columns at each node.
    oob_score : bool or callable, default=False
        Whether to score the forest on out-of-bag rows: by R² if True, or by a function of true and
        predicted numbers, such as `sklearn.metrics.mean_absolute_error`.
    keep_leaves : bool, default=True
        Whether to keep the targets and the leaves of the training rows, so that `predict` can give
        quantiles. They take 12 bytes for each row and tree.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal whatever their type.
    ordinal_features : mapping of str to sequence, optional
        Ordinal columns, and their categories in order.
    crossed_features : None, "auto" or list of lists of str or int, default=None
        Columns to cross; see `TreeClassifier`. "auto" searches for columns that interact.
    monotonic_cst : None, dict of str to int, or array-like of int, default=None
        Monotonic constraints of all trees; see `TreeRegressor`.
        They hold for means, not for quantiles.
    n_jobs : int or None, default=None
        Number of threads, -1 for all processors. Results do not depend on it. Use
        ``joblib.parallel_config`` around `fit` for other backends of joblib.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the forest. If None, each fit gives another forest.
    warm_start : bool, default=False
        Whether `fit` keeps the trees of the previous fit and adds trees up to `n_estimators`. The
        result is the same as that of one fit.
    verbose : int, default=0
        Whether to show progress on standard error.
    time_limit : float or None, default=None
        Time limit of `fit` in seconds. Trees that are not begun by then are left out, with a
        warning, and those in progress stop growing; there is always one tree.

    Attributes
    ----------
    trees_ : list of Tree
        The trees.
    predictor_ : Predictor
        The trees, and how their predictions are combined.
    schema_ : Schema
        Names, types and categories of the columns.
    oob_score_ : float
        With `oob_score`: score of the out-of-bag predictions.
    oob_prediction_ : ndarray of shape (n_rows,)
        With `oob_score`: prediction of each row by the trees that were grown without it; NaN for
        rows that are in every sample.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    ForestRegressor.random_forest, ForestRegressor.bagging : Presets.
    RandomOrdinalityRegressor : Trees with random orders of the categories.

    Notes
    -----
    A tree depends on the seed and on its number alone: it is the same for any `n_jobs`, in any
    larger forest, and when `warm_start` adds it.

    References
    ----------
    .. [1] N. Meinshausen, "Quantile Regression Forests", 2006.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"city": ["Bonn", "Rome", "Oslo", "Rome"] * 5, "rooms": [2, 3, 2, 5] * 5}
    >>> model = mw.ForestRegressor(n_estimators=10, random_state=0)
    >>> model.fit(X, [900.0, 1500.0, 1000.0, 1900.0] * 5).predict({"city": ["Rome"], "rooms": [5]})
    array([1900.])
    """

    _parameters: ClassVar[dict[str, Constraint]] = {
        **BaseForestRegressor._parameters,
        "monotonic_cst": MONOTONIC_CST,
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 100,
        *,
        bootstrap: bool = True,
        max_samples: float | None = None,
        colsample_bytree: float | str | None = None,
        oob_score: bool | Callable[[Any, Any], float] = False,
        keep_leaves: bool = True,
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
        crossed_features: Any = None,
        monotonic_cst: Any = None,
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
        self.monotonic_cst = monotonic_cst

    def _default_tree(self) -> TreeRegressor:
        return TreeRegressor(max_features=0.5, pruning=None)

    # Presets

    @classmethod
    def random_forest(cls, n_estimators: int = 100, **parameters: Any) -> ForestRegressor:
        """Random forest (Breiman 2001) that draws a third of the columns at each node.

        Parameters
        ----------
        n_estimators : int, default=100
            Number of trees.
        **parameters
            Further parameters of `ForestRegressor`.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.ForestRegressor.random_forest().estimator.min_samples_leaf
        5
        """
        tree = TreeRegressor(
            selection="score", max_features=1 / 3, min_samples_leaf=5, pruning=None
        )
        return cls(**{"estimator": tree, "n_estimators": n_estimators, **parameters})

    @classmethod
    def bagging(cls, n_estimators: int = 100, **parameters: Any) -> ForestRegressor:
        """Bagging (Breiman 1996) of unpruned trees with all columns at each node.

        Parameters
        ----------
        n_estimators : int, default=100
            Number of trees.
        **parameters
            Further parameters of `ForestRegressor`.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.ForestRegressor.bagging().estimator
        TreeRegressor(pruning=None, selection='score')
        """
        tree = TreeRegressor(selection="score", pruning=None)
        return cls(**{"estimator": tree, "n_estimators": n_estimators, **parameters})


class RandomOrdinalityRegressor(BaseForestRegressor):
    """A forest whose trees see the categories of nominal columns in random orders, for numbers.

    For each tree and each nominal column, a random order of the categories is drawn, and the column
    is then split by thresholds. All trees are grown on all rows; they differ by the orders. It is
    Random Ordinality (Ahmad and Brown 2009) with regression trees.

    Parameters
    ----------
    estimator : TreeRegressor or None, default=None
        The tree, whose partitioner is replaced. If None, an unpruned tree.
    n_estimators : int, default=50
        Number of trees.
    partitioner : str, Partitioner or None, default=None
        The random order: "random_order", which draws orders at each node, or
        ``Partitioner("random_order", per="tree")``, which None stands for. With the option
        ``joint=True``, orders of columns are drawn together.
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
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    RandomOrdinalityClassifier : The published method.

    References
    ----------
    .. [1] A. Ahmad and G. Brown, "Random Ordinality Ensembles", MCS 2009.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"shape": list("abcdef") * 4, "size": [1, 2, 3, 4] * 6}
    >>> model = mw.RandomOrdinalityRegressor(random_state=0).fit(X, [1, 5, 2, 9, 3, 7] * 4)
    >>> model.predict({"shape": ["d", "e"], "size": [4, 1]}).tolist()
    [9.0, 3.0]
    """

    def __init__(
        self,
        estimator: TreeRegressor | None = None,
        n_estimators: int = 50,
        *,
        partitioner: str | Partitioner | None = None,
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
        self.partitioner = partitioner

    def _default_tree(self) -> TreeRegressor:
        return TreeRegressor(pruning=None, handle_unknown="missing")

    def _member(self) -> Any:
        given = self._default_tree() if self.estimator is None else self.estimator
        if not isinstance(given, TreeRegressor):
            raise TypeError(
                "The 'estimator' parameter of RandomOrdinalityRegressor must be an instance of "
                f"'TreeRegressor' or None. Got {given!r} instead."
            )
        order = Partitioner("random_order", per="tree")
        if self.partitioner is not None:
            order = Partitioner.read(self.partitioner)
        if order.name != "random_order":
            raise ValueError(
                "The 'partitioner' parameter of RandomOrdinalityRegressor must be 'random_order', "
                f"a Partitioner('random_order') or None. Got {self.partitioner!r} instead."
            )
        return clone(given).set_params(partitioner=order)
