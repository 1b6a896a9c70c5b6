"""The optimal tree of numbers within limits of depth and size, with a proof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mixedwood._params import Constraint
from mixedwood.estimators._optimal import OptimalTree
from mixedwood.estimators._single import SingleTreeRegressor
from mixedwood.preprocessing import FeatureBinarizer
from mixedwood.preprocessing.binarizer import Binarization

__all__ = ["OptimalTreeRegressor"]


class OptimalTreeRegressor(OptimalTree, SingleTreeRegressor):
    """Optimal regression tree: the smallest squared error plus leaf penalty, with a proof.

    The search is over all trees within the limits whose splits are the binary features of
    `binarizer`, or any split of the raw columns. The result is an ordinary `Tree` whose splits
    refer to the original columns, and whose leaves predict means. A search that is stopped by a
    limit or by Ctrl-C returns the best tree found so far with a `TimeLimitWarning`, and ``gap_``
    bounds its distance from the optimum.

    Parameters
    ----------
    max_depth : int, default=4
        Maximum depth of the tree, at most 30. Each further level multiplies the time by about the
        number of candidate splits.
    max_leaf_nodes : int or None, default=None
        Maximum number of leaves. If None, only the depth limits it.
    min_samples_leaf : int or float, default=1
        Minimum number of rows in a leaf, regardless of their weights. A float in (0, 1) is a
        fraction of the training rows.
    ccp_alpha : float, default=0.005
        Penalty of each leaf, as a fraction of the squared error of a tree without splits: with
        0.005, an additional leaf must raise R² by half a percent. With 0, only the squared error
        counts.
    binarizer : FeatureBinarizer, "passthrough" or None, default=None
        How columns become binary features, which are the candidate splits. If None,
        ``FeatureBinarizer()``. With ``"passthrough"`` the search is over every threshold of every
        numeric column and every subset of the categories of a nominal column. It is meant for small
        tables and depths: above the last splits of the tree each of the ``2 ** (m - 1) - 1``
        divisions of m categories may be the best.
    upper_bound : float or None, default=None
        Only accept a tree whose ``objective_value_`` is at most this. If there is none, `fit`
        raises an `InfeasibleError`.
    tune : bool, default=False
        Whether to choose the depth and the number of leaves, up to the limits given, by
        cross-validation. After Ctrl-C the best size so far is used.
    cv : int, splitter, iterable or "holdout", default=5
        Number of folds for `tune`, a scikit-learn splitter, an iterable of training and test rows,
        or ``"holdout"`` for a single division with a fifth of the rows held out.
    handle_unknown : {"stop", "missing", "majority", "error"}, default="stop"
        What happens to a category that a node has not seen: the row stops at the node and receives
        its prediction; it follows missing values; it goes to the heavier child; or categories that
        no training row has raise an error.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal regardless of their dtype.
    ordinal_features : mapping of str to sequence, optional
        Ordered categories of ordinal columns.
    crossed_features : None, "auto" or list of lists of str or int, default=None
        Columns to cross; see `TreeClassifier`.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the folds of `tune`; None is the same as 0.
    verbose : int, default=0
        If positive, show the progress of the search.
    time_limit : float or None, default=None
        Maximum number of seconds of `fit`, without reading the table.
    work_limit : float or None, default=2e9
        Maximum number of steps of `fit`; 10**9 take about a second. Unlike a time limit it always
        ends the search with the same tree. If None, there is no limit.
    memory_limit : int, default=2_000_000_000
        Maximum number of bytes of the caches. With less memory the search takes longer; far too
        little ends it early.

    Attributes
    ----------
    tree_ : Tree
        The tree. Print it, draw it with ``tree_.plot()``, or display it in a notebook.
    proof_ : Proof
        What is proven, and statistics of the search.
    optimal_ : bool
        Whether the tree is proven to be optimal for the numbers and weights given, up to the
        rounding of sums; see the notes.
    objective_value_, lower_bound_, gap_ : float
        Weighted sum of squared errors plus the penalty of the leaves; a lower bound for all trees
        within the limits; and the relative difference of the two.
    candidates_ : list of BinarySplit or None
        The candidate splits; None for all splits of the raw columns.
    cv_results_ : dict of str to ndarray or None
        With `tune`, the limits that were tried: ``param_max_depth``, ``param_max_leaf_nodes``,
        ``mean_test_score`` (the negative mean squared error on all held-out rows),
        ``rank_test_score``, and ``optimal``, whether the trees of all folds were proven to be
        optimal.
    schema_, n_features_in_, feature_names_in_
        As for every regressor.

    See Also
    --------
    OptimalTreeClassifier : Optimal trees for classes.
    TreeRegressor : Greedy trees for numbers.

    Notes
    -----
    Missing values are on the false side of every binary feature; a column with missing values has
    an additional feature that separates them. With ``binarizer="passthrough"`` each split sends
    missing values to the better side.

    The search adds numbers in fixed point, and what rounding can hide is subtracted from
    ``lower_bound_``. ``optimal_`` is true if no tree is better by more than 1e-9 of the squared
    error about the mean; ``gap_`` is then not always 0, but as small as that. The objective of the
    tree is computed in exact fractions.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"a": [0, 0, 1, 1] * 5, "b": [0, 1, 0, 1] * 5, "c": ["x", "y", "x", "x"] * 5}
    >>> y = [10.0 if a != b else 2.0 + a for a, b in zip(X["a"], X["b"])]
    >>> model = mw.OptimalTreeRegressor(max_depth=2, ccp_alpha=0).fit(X, y)
    >>> model.optimal_, model.objective_value_
    (True, 0.0)
    >>> print(model.tree_.to_text())
    [0] root (20)
    |   [1] a > 0.5 (10)
    |   |   [5] b > 0.5: mean 3.0, sd 0.0, 5 rows
    |   |   [6] b <= 0.5 (or missing): mean 10.0, sd 0.0, 5 rows
    |   [2] a <= 0.5 (or missing) (10)
    |   |   [3] b > 0.5: mean 10.0, sd 0.0, 5 rows
    |   |   [4] b <= 0.5 (or missing): mean 2.0, sd 0.0, 5 rows
    """

    _parameters: ClassVar[Mapping[str, Constraint]] = OptimalTree._parameters

    def __init__(
        self,
        *,
        max_depth: int = 4,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: float = 1,
        ccp_alpha: float = 0.005,
        binarizer: FeatureBinarizer | Literal["passthrough"] | None = None,
        upper_bound: float | None = None,
        tune: bool = False,
        cv: Any = 5,
        handle_unknown: Literal["stop", "missing", "majority", "error"] = "stop",
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
        crossed_features: Any = None,
        random_state: Any = None,
        verbose: int = 0,
        time_limit: float | None = None,
        work_limit: float | None = 2e9,
        memory_limit: int = 2_000_000_000,
    ) -> None:
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.ccp_alpha = ccp_alpha
        self.binarizer = binarizer
        self.upper_bound = upper_bound
        self.tune = tune
        self.cv = cv
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.crossed_features = crossed_features
        self.random_state = random_state
        self.verbose = verbose
        self.time_limit = time_limit
        self.work_limit = work_limit
        self.memory_limit = memory_limit

    def fit(
        self, X: Any, y: Any, sample_weight: ArrayLike | float | None = None
    ) -> OptimalTreeRegressor:
        """Find the optimal tree.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows.
        y : array-like of shape (n_rows,)
            Finite numbers.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows; rows of weight 0 are ignored. The proof is for these weights.

        Returns
        -------
        OptimalTreeRegressor
            The fitted estimator itself.

        Raises
        ------
        InfeasibleError
            If it is proven that no tree is as good as `upper_bound`.
        TimeLimitError
            A `TimeoutError`, if a limit ends the search before such a tree or that proof is found.
        """
        return super().fit(X, y, sample_weight)

    def _binarization(self) -> Binarization | None:
        found = super()._binarization()
        if found is not None and found.discretization.needs_classes:
            raise ValueError(
                "The binarizer of OptimalTreeRegressor has a discretizer that needs classes: "
                f"{self.binarizer!r}. Use discretizer='equal_frequency' or 'equal_width' with a "
                "number of n_bins."
            )
        return found

    def _check_scores(self, scores: NDArray[np.float64]) -> None:
        if (scores > 0).any():
            raise ValueError("mean_test_score of cv_results_ is positive")
