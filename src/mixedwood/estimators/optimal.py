"""The optimal tree within limits of depth and size, with a proof."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from mixedwood import _kinds as kinds
from mixedwood._limits import (
    Deadline,
    StopFlag,
    TimeLimitError,
    read_time_limit,
    user_stacklevel,
    warn_time_limit,
)
from mixedwood._parallel import show_status
from mixedwood._params import (
    FLAG,
    HANDLE_UNKNOWN,
    NONE,
    RANDOM_STATE,
    TIME_LIMIT,
    VERBOSE,
    Constraint,
    Float,
    HasMethod,
    InstanceOf,
    Int,
    OneOf,
    RowsOrFraction,
    count_rows,
    native_limit,
)
from mixedwood._random import choice_seed_of
from mixedwood._warnings import TimeLimitWarning
from mixedwood.data import Table, Target
from mixedwood.estimators._single import Rows, SingleTreeClassifier
from mixedwood.estimators.base import unknown_in_core
from mixedwood.grow import EncodedTable
from mixedwood.optimal import (
    FRACTION_OF_LIMITS,
    OptimalSettings,
    Proof,
    choose_size,
    find_best_tree,
    kept_folds,
)
from mixedwood.preprocessing import BinarySplit, FeatureBinarizer
from mixedwood.preprocessing.binarizer import Binarization
from mixedwood.tree import Tree

__all__ = ["InfeasibleError", "OptimalTreeClassifier"]

_MAX_DEPTH = 30
_FOLDS = Constraint(
    "an iterable", test=lambda value: isinstance(value, Iterable) and not isinstance(value, str)
)


class InfeasibleError(ValueError):
    """It is proven that no tree within the limits has an objective as small as `upper_bound`."""


class OptimalTreeClassifier(SingleTreeClassifier):
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
        must correct at least one row in a hundred. With 0, only errors count.
    binarizer : FeatureBinarizer, "passthrough" or None, default=None
        How columns become binary features, which are the candidate splits. If None,
        ``FeatureBinarizer()``. With ``"passthrough"`` the search is over every threshold of every
        numeric column and every subset of the categories of a nominal column.
    binarize_at : {"root", "node", "node_encoding"}, default="root"
        Where binary features are made: from all rows; from the rows of each node; or bins from all
        rows and their encoding from the rows of each node.
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
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal regardless of their dtype.
    ordinal_features : mapping of str to sequence, optional
        Ordered categories of ordinal columns.
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
        Weight of the misclassified rows plus the penalty of the leaves; a lower bound for all
        trees within the limits; and the relative difference of the two.
    candidates_ : list of BinarySplit or None
        The candidate splits; None if they are not the same at all nodes.
    cv_results_ : dict of str to ndarray or None
        With `tune`, the limits that were tried: ``param_max_depth``, ``param_max_leaf_nodes``,
        ``mean_test_score`` (accuracy on all held-out rows), ``rank_test_score``, and ``optimal``,
        whether the trees of all folds were proven to be optimal.
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
        "max_depth": Int(0, _MAX_DEPTH).with_hint(
            "For trees of unlimited depth use TreeClassifier."
        ),
        "max_leaf_nodes": Int(1) | NONE,
        "min_samples_leaf": RowsOrFraction(),
        "ccp_alpha": Float(0, 1),
        "binarizer": InstanceOf(FeatureBinarizer) | OneOf("passthrough") | NONE,
        "binarize_at": OneOf("root", "node", "node_encoding"),
        "upper_bound": Float(0) | NONE,
        "tune": FLAG,
        "cv": Int(2) | HasMethod("split", "a splitter") | _FOLDS | OneOf("holdout"),
        "handle_unknown": HANDLE_UNKNOWN,
        "random_state": RANDOM_STATE,
        "verbose": VERBOSE,
        "time_limit": TIME_LIMIT,
        "work_limit": Float(1) | NONE,
        "memory_limit": Int(1),
    }

    _fitted: ClassVar[kinds.Fitted] = {
        "tree_": kinds.instance(Tree),
        "proof_": kinds.instance(Proof),
        "candidates_": kinds.optional(kinds.list_of(kinds.instance(BinarySplit))),
        "cv_results_": kinds.optional(
            kinds.arrays(
                {
                    "param_max_depth": kinds.COUNTS,
                    "param_max_leaf_nodes": kinds.COUNTS,
                    "mean_test_score": kinds.array(np.float64, 1, kinds.FRACTIONS),
                    "rank_test_score": kinds.COUNTS,
                    "optimal": kinds.array(np.bool_),
                }
            )
        ),
    }

    proof_: Proof
    candidates_: list[BinarySplit] | None
    cv_results_: dict[str, NDArray[Any]] | None

    def __init__(
        self,
        *,
        max_depth: int = 5,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: float = 1,
        ccp_alpha: float = 0.01,
        binarizer: FeatureBinarizer | Literal["passthrough"] | None = None,
        binarize_at: Literal["root", "node", "node_encoding"] = "root",
        upper_bound: float | None = None,
        tune: bool = False,
        cv: Any = 5,
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
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.ccp_alpha = ccp_alpha
        self.binarizer = binarizer
        self.binarize_at = binarize_at
        self.upper_bound = upper_bound
        self.tune = tune
        self.cv = cv
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

    def _fit(self, table: Table, target: Target, kept: NDArray[np.bool_] | None) -> None:
        cv = self.cv if self.tune else None
        if kept is not None and not isinstance(cv, str) and isinstance(cv, Iterable):
            cv = kept_folds(cv, kept)
        seed = choice_seed_of(self.random_state)
        with show_status(self.verbose) as log:
            found = self._search(table, target, cv, seed=seed, log=log)
        _warn_of_end(found.proof)
        if found.cv_results and not found.all_tried and found.proof.status != "interrupted":
            n_tried = len(found.cv_results["mean_test_score"])
            warn_time_limit(
                f"A limit ended the search before all sizes were tried: the tree has the best of "
                f"the first {n_tried}. Raise the limit, or lower max_depth."
            )
        self.tree_, self.proof_, self.candidates_ = found.tree, found.proof, found.candidates
        self.cv_results_ = found.cv_results

    @property
    def optimal_(self) -> bool:
        """Whether the tree is proven to be optimal."""
        return self._proven.optimal

    @property
    def objective_value_(self) -> float:
        """Weight of the misclassified rows plus the penalty of the leaves."""
        return self._proven.objective_value

    @property
    def lower_bound_(self) -> float:
        """Lower bound of the objective of all trees within the limits."""
        return self._proven.lower_bound

    @property
    def gap_(self) -> float:
        """Relative optimality gap; 0 if the tree is proven to be optimal."""
        return self._proven.gap

    @property
    def _proven(self) -> Proof:
        # An AttributeError, so that an unfitted estimator has no such attribute.
        if not hasattr(self, "proof_"):
            raise AttributeError(f"This {type(self).__name__} is not fitted yet.")
        return self.proof_

    def _impurity(self) -> Literal["gini", "entropy"]:
        return "gini"

    def _default_part(self, name: str, given: Any) -> Any:
        return FeatureBinarizer() if name == "binarizer" and given is None else None

    def _check_fitted(self) -> None:
        for split in self.candidates_ or ():
            if split.column >= len(self.schema_):
                raise ValueError("a candidate split has a column that does not exist")
            codes, n = split.codes or (), self.schema_.columns[split.column].n_categories
            ascending = list(codes) == sorted(set(codes)) and all(code < n for code in codes)
            if not ascending or not split.low < split.high:
                raise ValueError("a candidate split has categories that its column does not have")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._binarization()

    def _settings(self, n_rows: int) -> OptimalSettings:
        """Give the settings of the search for a table of this size."""
        return OptimalSettings(
            max_depth=int(self.max_depth),
            max_leaf_nodes=native_limit(self.max_leaf_nodes),
            min_samples_leaf=math.ceil(count_rows(self.min_samples_leaf, n_rows)),
            ccp_alpha=float(self.ccp_alpha),
            binarization=self._binarization(),
            binarize_at=self.binarize_at,
            upper_bound=math.inf if self.upper_bound is None else float(self.upper_bound),
            memory_limit=int(self.memory_limit),
            work_limit=math.inf if self.work_limit is None else float(self.work_limit),
            unknown=unknown_in_core(self.handle_unknown),
        )

    def _binarization(self) -> Binarization | None:
        binarizer = self.binarizer
        if isinstance(binarizer, str) and binarizer == "passthrough":
            if self.binarize_at != "root":
                raise ValueError(
                    "binarizer='passthrough' makes no binary features, so "
                    f"binarize_at={self.binarize_at!r} cannot be used with it. Set "
                    "binarize_at='root', or set a binarizer."
                )
            return None
        if binarizer is None:
            binarizer = FeatureBinarizer()
        for name in ("categorical_features", "ordinal_features"):
            if getattr(binarizer, name) is not None:
                raise ValueError(
                    f"The binarizer of {type(self).__name__} must not set {name!r}, since the "
                    f"estimator reads the table. Set {name!r} of {type(self).__name__} instead."
                )
        return binarizer._binarization()

    def _search(
        self,
        table: Table,
        target: Target,
        cv: Any,
        *,
        seed: int,
        time_limit: float = math.inf,
        stop: StopFlag | None = None,
        log: Callable[[str], None] = lambda message: None,
    ) -> _Found:
        """Find a tree and its proof; the size is chosen by `cv` unless it is None."""
        limit = min(time_limit, read_time_limit(self.time_limit))
        deadline = Deadline.after(limit)
        settings = self._settings(target.n_rows)
        cv_results, all_tried, interrupted, work = None, True, False, 0
        n_rows = target.n_rows if target.weights is None else np.count_nonzero(target.weights)
        if cv is not None and n_rows > 1:
            chosen = choose_size(
                table,
                target,
                settings,
                cv=cv,
                seed=seed % 2**32,
                time_limit=limit * FRACTION_OF_LIMITS,
                stop=stop,
                log=log,
            )
            settings, cv_results, all_tried = chosen.settings, chosen.cv_results, chosen.complete
            interrupted, work = chosen.interrupted, chosen.work
        left = deadline.left(0.05)
        if interrupted:  # a tree of the best size so far, but soon
            left = min(left, 0.5)
        log(f"searching the best tree of depth {settings.max_depth}")
        tree, proof, candidates = find_best_tree(
            table, target, settings, time_limit=left, work_done=work, stop=stop
        )
        if interrupted:
            proof = replace(proof, status="interrupted")
        log(f"objective {proof.objective_value:g}, lower bound {proof.lower_bound:g} "
            f"({proof.status})")  # fmt: skip
        if tree is None:
            raise _without_tree(settings, proof)
        return _Found(tree, proof, candidates, cv_results, all_tried)

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
        plain = table.table if isinstance(table, EncodedTable) else table
        if rows is not None:
            plain, target = plain.take(rows), target.take(rows)
        found = self._search(
            plain,
            target,
            self.cv if self.tune else None,
            seed=seed if choice_seed is None else choice_seed,
            time_limit=time_limit,
            stop=stop,
        )
        if found.proof.status == "interrupted":  # ensembles stop as well
            raise KeyboardInterrupt
        return found.tree


@dataclass(frozen=True)
class _Found:
    """The result of a search."""

    tree: Tree
    proof: Proof
    candidates: list[BinarySplit] | None
    cv_results: dict[str, NDArray[Any]] | None
    all_tried: bool  # no limit ended the choice of the size


def _without_tree(settings: OptimalSettings, proof: Proof) -> BaseException:
    """The exception if there is no tree; only a completed search has proven anything."""
    wanted = f"an objective of {settings.upper_bound:g} or less"
    if proof.status == "infeasible":
        return InfeasibleError(
            f"No tree of depth {settings.max_depth} has {wanted}: {proof.lower_bound:g} is a lower "
            "bound. Raise upper_bound or max_depth, or offer more candidate splits."
        )
    if proof.status == "interrupted":
        return KeyboardInterrupt()
    if proof.status == "rounding":
        return ValueError(
            f"The sample weights differ too much to decide whether a tree has {wanted}: the lower "
            f"bound is {proof.lower_bound:g}. Raise upper_bound a little, or set it to None."
        )
    limit = proof.status.replace("_", " ")
    return TimeLimitError(
        f"The {limit} ended the search before a tree with {wanted} was found. There may be one: "
        f"the lower bound is {proof.lower_bound:g}. Raise the limit or upper_bound."
    )


def _warn_of_end(proof: Proof) -> None:
    """Warn if a tree is not proven to be optimal."""
    if proof.optimal:
        return
    reasons = {
        "time_limit": "The time limit ended the search",
        "work_limit": "The work limit ended the search",
        "memory_limit": "The memory limit ended the search",
        "interrupted": "The search was interrupted",
        "rounding": "The sample weights differ too much to be added exactly",
    }
    limited = proof.status in ("time_limit", "work_limit")
    warnings.warn(
        f"{reasons[proof.status]}: the objective of the tree is {proof.objective_value:g}, and the "
        f"lower bound is {proof.lower_bound:g}."
        + (" Raise the limit, or lower max_depth or max_leaf_nodes." if limited else ""),
        TimeLimitWarning if limited else ConvergenceWarning,
        stacklevel=user_stacklevel(),
    )
