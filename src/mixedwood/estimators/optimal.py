"""The optimal tree of classes within limits of depth and size, with a proof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from numpy.typing import ArrayLike

from mixedwood._params import COST_MATRIX, NONE, Constraint, Int, OneOf, RowsOrFraction
from mixedwood.estimators._optimal import InfeasibleError, OptimalTree
from mixedwood.estimators._single import SingleTreeClassifier
from mixedwood.preprocessing import FeatureBinarizer

__all__ = ["InfeasibleError", "OptimalTreeClassifier"]


class OptimalTreeClassifier(OptimalTree, SingleTreeClassifier):
    """Optimal decision tree: the smallest training error plus leaf penalty, with a proof.

    The search is over all trees within the limits whose splits are the binary features of
    `binarizer`, or any split of the raw columns. The result is an ordinary `Tree` whose splits
    refer to the original columns. A search that is stopped by a limit or by Ctrl-C returns the best
    tree found so far with a `TimeLimitWarning`, and ``gap_`` bounds its distance from the optimum.

    Parameters
    ----------
    max_depth : int, default=5
        Maximum depth of the tree, at most 30. Each further level multiplies the time by about the
        number of candidate splits.
    max_leaf_nodes : int or None, default=None
        Maximum number of leaves. If None, only the depth limits it.
    min_samples_leaf : int or float, default=1
        Minimum number of rows in a leaf, regardless of their weights. A float in (0, 1) is a
        fraction of the training rows.
    ccp_alpha : float, default=0.01
        Penalty of each leaf, as a fraction of the training weight: with 0.01, an additional leaf
        must correct at least one row in a hundred. With 0, only errors count. With `cost_matrix`,
        it is a fraction of the cost of the worst prediction for every row.
    binarizer : FeatureBinarizer, "passthrough" or None, default=None
        How columns become binary features, which are the candidate splits. If None,
        ``FeatureBinarizer()``. With ``"passthrough"`` the search is over every threshold of every
        numeric column and every subset of the categories of a nominal column.
    binarize_at : {"root", "node", "node_encoding"}, default="root"
        Where binary features are made: from all rows; from the rows of each node; or bins from all
        rows and their encoding from the rows of each node.
    min_samples_binarize : int or float, default=1
        With ``binarize_at="node"``: nodes with fewer rows use the bins of all rows. A float in
        (0, 1) is a fraction of the training rows.
    max_depth_binarize : int or None, default=None
        With ``binarize_at="node"``: nodes that are deeper use the bins of all rows. The root has
        depth 0.
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
        its class distribution; it follows missing values; it goes to the heavier child; or
        categories that no training row has raise an error.
    class_weight : mapping, "balanced" or None, default=None
        Weights of the classes.
    cost_matrix : array-like of shape (n_classes, n_classes), mapping or None, default=None
        Costs of mistakes, as in `TreeClassifier`. The tree of least total cost is found, with a
        proof. With three or more classes the search handles up to ``n_classes`` weighted copies of
        each row.
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
        Maximum number of bytes of the caches. With less memory the search takes longer; with
        ``binarizer="passthrough"``, far too little ends it early.

    Attributes
    ----------
    tree_ : Tree
        The tree. Print it, draw it with ``tree_.plot()``, or display it in a notebook.
    proof_ : Proof
        What is proven, and statistics of the search.
    optimal_ : bool
        Whether the tree is proven to be optimal for the weights given.
    objective_value_, lower_bound_, gap_ : float
        Weight or cost of the misclassified rows plus the penalty of the leaves; a lower bound for
        all trees within the limits; and the relative difference of the two.
    candidates_ : list of BinarySplit or None
        The candidate splits; None if they are not the same at all nodes.
    cv_results_ : dict of str to ndarray or None
        With `tune`, the limits that were tried: ``param_max_depth``, ``param_max_leaf_nodes``,
        ``mean_test_score`` (accuracy on all held-out rows, or the negative mean cost),
        ``rank_test_score``, and ``optimal``, whether the trees of all folds were proven to be
        optimal.
    classes_, schema_, n_features_in_, feature_names_in_
        As for every classifier.

    Notes
    -----
    Missing values are on the false side of every binary feature; a column with missing values has
    an additional feature that separates them. With ``binarizer="passthrough"`` each split sends
    missing values to the better side.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"a": [0, 0, 1, 1] * 5, "b": [0, 1, 0, 1] * 5, "c": ["x", "y", "x", "x"] * 5}
    >>> y = ["odd" if a != b else "even" for a, b in zip(X["a"], X["b"])]
    >>> model = mw.OptimalTreeClassifier(max_depth=2, ccp_alpha=0).fit(X, y)
    >>> model.optimal_, model.objective_value_
    (True, 0.0)
    >>> print(model.tree_.to_text())
    [0] root (20)
    |   [1] a > 0.5 (10)
    |   |   [5] b > 0.5: even (100 % of 5)
    |   |   [6] b <= 0.5 (or missing): odd (100 % of 5)
    |   [2] a <= 0.5 (or missing) (10)
    |   |   [3] b > 0.5: odd (100 % of 5)
    |   |   [4] b <= 0.5 (or missing): even (100 % of 5)
    """

    _parameters: ClassVar[Mapping[str, Constraint]] = {
        **OptimalTree._parameters,
        "binarize_at": OneOf("root", "node", "node_encoding"),
        "min_samples_binarize": RowsOrFraction(),
        "max_depth_binarize": Int(0) | NONE,
        "cost_matrix": COST_MATRIX,
    }

    def __init__(
        self,
        *,
        max_depth: int = 5,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: float = 1,
        ccp_alpha: float = 0.01,
        binarizer: FeatureBinarizer | Literal["passthrough"] | None = None,
        binarize_at: Literal["root", "node", "node_encoding"] = "root",
        min_samples_binarize: float = 1,
        max_depth_binarize: int | None = None,
        upper_bound: float | None = None,
        tune: bool = False,
        cv: Any = 5,
        handle_unknown: Literal["stop", "missing", "majority", "error"] = "stop",
        class_weight: Mapping[Any, float] | str | None = None,
        cost_matrix: Any = None,
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
        self.binarize_at = binarize_at
        self.min_samples_binarize = min_samples_binarize
        self.max_depth_binarize = max_depth_binarize
        self.upper_bound = upper_bound
        self.tune = tune
        self.cv = cv
        self.handle_unknown = handle_unknown
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
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
    ) -> OptimalTreeClassifier:
        """Find the optimal tree.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows.
        y : array-like of shape (n_rows,)
            Class labels: text, booleans or integers.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows; rows of weight 0 are ignored. The proof is for these weights.
            Weights that are not multiples of a common unit take two or three searches.

        Returns
        -------
        OptimalTreeClassifier
            The fitted estimator itself.

        Raises
        ------
        InfeasibleError
            If it is proven that no tree is as good as `upper_bound`.
        TimeLimitError
            A `TimeoutError`, if a limit ends the search before such a tree or that proof is found.
        """
        return super().fit(X, y, sample_weight)
