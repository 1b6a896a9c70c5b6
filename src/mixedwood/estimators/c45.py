"""C4.5, and the random trees of WEKA that follow the same rules."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from mixedwood import _kinds as kinds
from mixedwood._params import (
    FLAG,
    HANDLE_UNKNOWN,
    NONE,
    RANDOM_STATE,
    TIME_LIMIT,
    Constraint,
    Float,
    Int,
    OneOf,
    RowsOrFraction,
    count_columns,
    count_rows,
    native_limit,
)
from mixedwood._parts import Partitioner
from mixedwood._random import seed_of
from mixedwood.data import Table, Target
from mixedwood.estimators.base import unknown_in_core
from mixedwood.estimators.tree import GreedyTreeClassifier
from mixedwood.grow import GrowSettings
from mixedwood.pruning.pruner import Pruner
from mixedwood.tree import Tree

__all__ = ["C45TreeClassifier", "RandomTreeClassifier"]


class C45TreeClassifier(GreedyTreeClassifier):
    """C4.5 decision tree, equal to J48 of WEKA down to its predictions.

    Nominal columns get one branch per category. Columns are chosen by gain ratio among those whose
    information gain is at least average, and the gain of a threshold is corrected for the number of
    candidates. Rows with a missing value go to all children, with weights in proportion. Trees are
    pruned by a pessimistic estimate of the error, with subtree raising.

    Parameters
    ----------
    pruned : bool, default=True
        Whether to prune the tree. Splits that do not lower the training error are undone in either
        case, as in J48.
    confidence : float, default=0.25
        Confidence level of the pessimistic error, in (0, 0.5]; smaller values prune more. Only used
        if `pruned`.
    subtree_raising : bool, default=True
        Whether pruning may replace a node by the subtree of its largest branch. Only used if
        `pruned`.
    min_samples_leaf : int or float, default=2
        Minimum weight of the rows that at least two branches of a split must have. A float in
        (0, 1) is a fraction of the training rows. A node is split if it has twice this weight.
    max_depth : int or None, default=None
        Maximum depth of the tree. If None, nodes are split until no split is accepted. C4.5 itself
        has no such limit.
    handle_unknown : {"stop", "missing", "majority", "error"}, default="stop"
        What happens to a category that a node has not seen: the row stops at the node and receives
        its class distribution; it follows missing values; it goes to the child with the largest
        weight; or categories that no training row has raise an error.
    class_weight : mapping, "balanced" or None, default=None
        Weights of the classes.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal regardless of their dtype.
    ordinal_features : mapping of str to sequence, optional
        Ordered categories of ordinal columns.
    time_limit : float or None, default=None
        Maximum number of seconds of `fit`, without reading the table. If it is reached, the tree as
        grown so far is returned with a `TimeLimitWarning`.

    Attributes
    ----------
    tree_ : Tree
        The tree. Print it, draw it with ``tree_.plot()``, or display it in a notebook.
    classes_ : ndarray
        The class labels.
    schema_ : Schema
        Names, types and categories of the columns.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    TreeClassifier : Binary splits by default, pruned by cross-validation.
    ForestClassifier.bagging_c45, AdaBoostTreesClassifier.c45 : Ensembles of C4.5 trees.

    References
    ----------
    .. [1] J. R. Quinlan, "C4.5: Programs for Machine Learning", Morgan Kaufmann, 1993.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"outlook": ["sun", "rain", "cloud", "sun"] * 3, "wind": [3.0, 9.0, 2.0, 8.0] * 3}
    >>> model = mw.C45TreeClassifier().fit(X, ["play", "stay", "play", "stay"] * 3)
    >>> print(model.tree_.to_text())
    [0] root (12)
    |   [1] wind <= 3: play (100 % of 6)
    |   [2] wind > 3: stay (100 % of 6)
    Missing values that no branch names are shared among branches by weight.
    """

    _partitioner: str | Partitioner = "multiway"  # RandomOrdinalityClassifier sets another
    _parameters: ClassVar[Mapping[str, Constraint]] = {
        "pruned": FLAG,
        "confidence": Float(0, 0.5, "right"),
        "subtree_raising": FLAG,
        "min_samples_leaf": RowsOrFraction(),
        "max_depth": Int(0) | NONE,
        "handle_unknown": HANDLE_UNKNOWN,
        "time_limit": TIME_LIMIT,
    }

    handle_missing = "fractional"
    _fitted: ClassVar[kinds.Fitted] = {"tree_": kinds.instance(Tree)}

    def __init__(
        self,
        *,
        pruned: bool = True,
        confidence: float = 0.25,
        subtree_raising: bool = True,
        min_samples_leaf: float = 2,
        max_depth: int | None = None,
        handle_unknown: Literal["stop", "missing", "majority", "error"] = "stop",
        class_weight: Mapping[Any, float] | str | None = None,
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
        time_limit: float | None = None,
    ) -> None:
        self.pruned = pruned
        self.confidence = confidence
        self.subtree_raising = subtree_raising
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.handle_unknown = handle_unknown
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.time_limit = time_limit

    def _settings(self, n_rows: int, n_columns: int) -> GrowSettings:
        min_samples_leaf = count_rows(self.min_samples_leaf, n_rows)
        return GrowSettings(
            criterion="gain_ratio",
            partitioner=self._partitioner,
            rules="c45",
            max_depth=native_limit(self.max_depth),
            min_samples_split=2 * min_samples_leaf,
            min_samples_leaf=min_samples_leaf,
            handle_missing="fractional",
            handle_unknown=unknown_in_core(self.handle_unknown),
        )

    def _pruners(self) -> tuple[Pruner, ...]:
        if not self.pruned:
            return (Pruner("collapse"),)
        options = {"confidence": self.confidence, "subtree_raising": bool(self.subtree_raising)}
        return (Pruner("collapse"), Pruner("pessimistic", **options))

    def _impurity(self) -> Literal["gini", "entropy"]:
        return "entropy"

    def _fit(self, table: Table, target: Target, kept: NDArray[np.bool_] | None) -> None:
        self.tree_ = self._fit_encoded(table, target, seed=0)


class RandomTreeClassifier(GreedyTreeClassifier):
    """Random tree as in WEKA: random columns at each node, multiway splits, no pruning.

    It is not part of the public interface: `RandomOrdinalityClassifier` and the study of the same
    name make ensembles of such trees.

    Parameters
    ----------
    max_features : None, int, float, "sqrt" or "log2", default=0
        Number of columns drawn at each node. As in WEKA, 0 stands for int(log2(columns)) + 1.
    min_samples_split, min_samples_leaf, max_depth, handle_unknown, class_weight
        As in `TreeClassifier`.
    categorical_features, ordinal_features, random_state, time_limit
        As in `TreeClassifier`.

    Examples
    --------
    >>> X, y = {"wind": [3.0, 9.0, 2.0, 8.0]}, ["play", "stay", "play", "stay"]
    >>> RandomTreeClassifier(random_state=0).fit(X, y).get_n_leaves()
    2
    """

    _partitioner: str | Partitioner = "multiway"  # RandomOrdinalityClassifier sets another
    _parameters: ClassVar[Mapping[str, Constraint]] = {
        "max_features": Int(0) | Float(0, 1, "right") | OneOf("sqrt", "log2") | NONE,
        "min_samples_split": RowsOrFraction(),
        "min_samples_leaf": RowsOrFraction(),
        "max_depth": Int(0) | NONE,
        "handle_unknown": HANDLE_UNKNOWN,
        "random_state": RANDOM_STATE,
        "time_limit": TIME_LIMIT,
    }

    handle_missing = "fractional"
    _fitted: ClassVar[kinds.Fitted] = {"tree_": kinds.instance(Tree)}

    def __init__(
        self,
        *,
        max_features: float | str | None = 0,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        max_depth: int | None = None,
        handle_unknown: Literal["stop", "missing", "majority", "error"] = "stop",
        class_weight: Mapping[Any, float] | str | None = None,
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
        random_state: Any = None,
        time_limit: float | None = None,
    ) -> None:
        self.max_features = max_features
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.handle_unknown = handle_unknown
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.random_state = random_state
        self.time_limit = time_limit

    def _settings(self, n_rows: int, n_columns: int) -> GrowSettings:
        drawn = int(math.log2(n_columns)) + 1 if self.max_features == 0 else self.max_features
        return GrowSettings(
            criterion="entropy",
            partitioner=self._partitioner,
            rules="random_tree",
            max_depth=native_limit(self.max_depth),
            min_samples_split=count_rows(self.min_samples_split, n_rows, 2),
            min_samples_leaf=count_rows(self.min_samples_leaf, n_rows),
            max_features=count_columns(drawn, n_columns),
            handle_missing="fractional",
            handle_unknown=unknown_in_core(self.handle_unknown),
        )

    def _pruners(self) -> tuple[Pruner, ...]:
        return ()

    def _impurity(self) -> Literal["gini", "entropy"]:
        return "entropy"

    def _fit(self, table: Table, target: Target, kept: NDArray[np.bool_] | None) -> None:
        self.tree_ = self._fit_encoded(table, target, seed=seed_of(self.random_state))
