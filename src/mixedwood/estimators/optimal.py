"""A single tree that is proven to be the best of its size."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from mixedwood._limits import user_stacklevel, warn_time_limit
from mixedwood._parallel import show_status
from mixedwood._warnings import TimeLimitWarning
from mixedwood.estimators.one_tree import OneTreeClassifier
from mixedwood.estimators.optimal_learner import NoTreeError, OptimalLearner
from mixedwood.estimators.optimal_parameters import read_optimal_parameters
from mixedwood.optimal import Proof, TriedBudget
from mixedwood.preprocessing import BinaryTest

__all__ = ["NoTreeError", "OptimalTreeClassifier"]


class OptimalTreeClassifier(OneTreeClassifier):
    """The tree of the least cost, errors and leaves, of all trees of its size, with a proof.

    Numbers are cut into ranges and categories become questions with the answer yes or no; among all
    trees that ask them, the best is found. The tree speaks of the original columns. Searches that
    take too long are stopped, by a limit or by Ctrl-C: the tree is then the best one found so far,
    with a `TimeLimitWarning`, and `gap_` says how far from the best it may be.

    Parameters
    ----------
    max_depth : int, default=5
        Most tests in a row. Each further level takes about as many times longer as there are
        tests to choose from.
    max_nodes : int or None, default=None
        Most tests in all.
    min_samples_leaf : int or float, default=1
        Fewest rows of a leaf; a float between 0 and 1 is a share of all rows. Rows count, not their
        weights.
    leaf_cost : float, default=0.01
        What each leaf costs, as a share of the training weight: with 0.01, a further leaf must get
        at least one row in a hundred right. With 0 only errors count, and the tree is as large as
        it may be.
    splits : {"binary", "all"}, default="binary"
        Which tests there are: the binary columns that the next parameters make, or every threshold
        of every number and every group of the values of a nominal column.
    discretizer : str or discretizer, default="equal_frequency"
        How numbers are cut into ranges: "mdlp", "caim", "equal_width", "equal_frequency", or a
        discretizer of `mixedwood.preprocessing`.
    n_bins : int or mapping of str to int, default=8
        Ranges of every column, or by the names of columns, for "equal_width" and
        "equal_frequency".
    encoding : {"thresholds", "one_hot", "multi_hot", "subsets"}, default="thresholds"
        Which sets of ranges and values are tests; see `mixedwood.preprocessing.Binarizer`.
    max_subset_values : int, default=8
        With ``encoding="subsets"``, nominal columns with more values are one-hot.
    binarize : {"once", "every_split", "encode_every_split"}, default="once"
        When binary columns are made: from all rows; from the rows of each node again; or ranges
        from all rows, and sets of those that occur from the rows of each node.
    upper_bound : float or None, default=None
        Only a tree of this cost or less is wanted, leaves included, in the unit of the weights. If
        there is none, `fit` raises a `NoTreeError`, which is a proof as well.
    tune : bool, default=False
        Choose depth and number of tests, up to those given, by cross-validation. Ctrl-C ends it
        with the best budget so far.
    n_folds : int, default=5
        Folds of the cross-validation.
    handle_unknown : {"stop", "missing", "majority", "error"}, default="stop"
        What happens to a value that a test has never met: the node answers with its own classes;
        or it goes where missing values go; or to the heavier child; or labels that no training
        row had are an error.
    class_weight : mapping, "balanced" or None, default=None
        Factors by which the rows of a class weigh more or less.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal whatever their type.
    ordinal_features : mapping of str to sequence, optional
        Columns with an order, and their labels in order.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the folds of `tune`; None is the same as 0.
    verbose : int, default=0
        Above 0, what is being searched is shown while it is.
    time_limit : float or None, default=None
        Seconds that `fit` may take, reading the table not included.
    work_limit : float or None, default=2e9
        Steps that `fit` may take; 10**9 are about a second. Unlike a time limit it ends the search
        with the same tree every time. None is no limit.
    memory_limit : int, default=2_000_000_000
        Bytes that the search may use to remember what it has proven. With less it forgets more and
        takes longer; with ``splits="all"``, far too little ends it early.

    Attributes
    ----------
    tree_ : Tree
        The tree; print it, draw it with ``tree_.plot()``, or see it in a notebook.
    proof_ : Proof
        What is proven, what the search took, and when it found its trees.
    optimal_ : bool
        Whether the tree is proven to be the best, by the weights given.
    cost_, lower_bound_, gap_ : float
        Weight that the tree gets wrong, with the cost of its leaves; what no tree goes below; the
        share between them.
    tests_ : list of BinaryTest or None
        The tests among which the tree chose; None if they were not the same everywhere.
    tried_ : list of TriedBudget or None
        With `tune`, all budgets and their errors.
    classes_, schema_, n_features_in_, feature_names_in_
        As for every classifier.

    Notes
    -----
    A missing value answers every test with no; a column with missing values offers the further
    test whether the value is known. With ``splits="all"`` each test has missing values on either
    side, whichever is better.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"a": [0, 0, 1, 1] * 5, "b": [0, 1, 0, 1] * 5, "c": ["x", "y", "x", "x"] * 5}
    >>> y = ["odd" if a != b else "even" for a, b in zip(X["a"], X["b"])]
    >>> model = mw.OptimalTreeClassifier(max_depth=2, leaf_cost=0).fit(X, y)
    >>> model.optimal_, model.cost_
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

    proof_: Proof
    tests_: list[BinaryTest] | None
    tried_: list[TriedBudget] | None

    def __init__(
        self,
        max_depth: int = 5,
        *,
        max_nodes: int | None = None,
        min_samples_leaf: float = 1,
        leaf_cost: float = 0.01,
        splits: Literal["binary", "all"] = "binary",
        discretizer: Any = "equal_frequency",
        n_bins: int | Mapping[str, int] = 8,
        encoding: Literal["thresholds", "one_hot", "multi_hot", "subsets"] = "thresholds",
        max_subset_values: int = 8,
        binarize: Literal["once", "every_split", "encode_every_split"] = "once",
        upper_bound: float | None = None,
        tune: bool = False,
        n_folds: int = 5,
        handle_unknown: Literal["stop", "missing", "majority", "error"] = "stop",
        class_weight: Mapping[Any, float] | str | None = None,
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
        random_state: Any = None,
        verbose: int = 0,
        time_limit: float | None = None,
        work_limit: float | None = 2e9,
        memory_limit: int = 2_000_000_000,
    ) -> None:
        self.max_depth = max_depth
        self.max_nodes = max_nodes
        self.min_samples_leaf = min_samples_leaf
        self.leaf_cost = leaf_cost
        self.splits = splits
        self.discretizer = discretizer
        self.n_bins = n_bins
        self.encoding = encoding
        self.max_subset_values = max_subset_values
        self.binarize = binarize
        self.upper_bound = upper_bound
        self.tune = tune
        self.n_folds = n_folds
        self.handle_unknown = handle_unknown
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.random_state = random_state
        self.verbose = verbose
        self.time_limit = time_limit
        self.work_limit = work_limit
        self.memory_limit = memory_limit

    def fit(
        self, X: Any, y: Any, sample_weight: ArrayLike | float | None = None
    ) -> OptimalTreeClassifier:
        """Find the tree.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows.
        y : array-like of shape (n_rows,)
            Class of each row: text, booleans or whole numbers.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of rows; rows of weight 0 do not count. What is proven is proven for these
            weights. Those that are not multiples of a common unit take two or three searches.

        Returns
        -------
        OptimalTreeClassifier
            The fitted estimator itself.

        Raises
        ------
        NoTreeError
            If it is proven that no tree is as good as `upper_bound` asks.
        TimeLimitError
            A `TimeoutError`: if a limit comes before either such a tree or that proof is found.
        """
        parameters = read_optimal_parameters(self)
        table, target = self._read_training(
            X,
            y,
            sample_weight,
            class_weight=self.class_weight,
            categorical_features=self.categorical_features,
            ordinal_features=self.ordinal_features,
        )
        learner = OptimalLearner(parameters)
        with show_status(self.verbose) as tell:
            found = learner.run(table, target, seed=parameters.seed, tell=tell)
        _warn_of_end(found.proof)
        if found.tried and not found.all_tried and found.proof.status != "interrupted":
            warn_time_limit(
                f"A limit came before all sizes were tried: the tree has the best of the first "
                f"{len(found.tried)}. Raise the limit, or lower max_depth."
            )
        self._remember(table, target)
        self.tree_, self.proof_, self.tests_ = found.tree, found.proof, found.tests
        self.tried_ = found.tried
        return self

    @property
    def optimal_(self) -> bool:
        """Whether the tree is proven to be the best."""
        return self._proven.optimal

    @property
    def cost_(self) -> float:
        """Weight that the tree gets wrong, with the cost of its leaves."""
        return self._proven.cost

    @property
    def lower_bound_(self) -> float:
        """What no tree of the budget goes below."""
        return self._proven.lower_bound

    @property
    def gap_(self) -> float:
        """Share of the cost that a better tree might save; 0 if the tree is the best."""
        return self._proven.gap

    @property
    def _proven(self) -> Proof:
        # An AttributeError, so that an unfitted estimator has no such attribute.
        if not hasattr(self, "proof_"):
            raise AttributeError(f"This {type(self).__name__} is not fitted yet.")
        return self.proof_

    def _impurity(self) -> Literal["gini", "entropy"]:
        return "gini"

    def _learner(self) -> OptimalLearner:
        """Give what finds such trees, with the parameters checked."""
        return OptimalLearner(read_optimal_parameters(self))


def _warn_of_end(proof: Proof) -> None:
    """Say why a tree is not proven to be the best."""
    if proof.optimal:
        return
    reasons = {
        "time_limit": "The time limit came before the search was over",
        "work_limit": "The work limit came before the search was over",
        "memory_limit": "The memory limit ended the search",
        "interrupted": "The search was interrupted",
        "rounding": "The weights are too different to be added up exactly",
    }
    limited = proof.status in ("time_limit", "work_limit")
    warnings.warn(
        f"{reasons[proof.status]}: the tree costs {proof.cost:g}, and no tree of its budget costs "
        f"less than {proof.lower_bound:g}."
        + (" Raise the limit, or ask for a smaller tree." if limited else ""),
        TimeLimitWarning if limited else ConvergenceWarning,
        stacklevel=user_stacklevel(),
    )
