"""Trees grown and pruned in turns, each with its own halves of the rows, and their vote."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from mixedwood import _kinds as kinds
from mixedwood._limits import Deadline, StopFlag
from mixedwood._parallel import grow_members
from mixedwood._parts import Criterion, Partitioner
from mixedwood._random import MEMBER, seed_of, spawn
from mixedwood.data import Target
from mixedwood.ensembles.votes import Vote
from mixedwood.estimators.grow_prune import GrowPruneLearner, warn_of_limits
from mixedwood.estimators.one_tree import impurity_of
from mixedwood.estimators.parameters import read_grow_prune_parameters
from mixedwood.estimators.sampled import SampledTreesClassifier, share_schema
from mixedwood.growers import CodedTable, GrowPruneResult, Iteration
from mixedwood.tree import Tree

__all__ = ["GrowPruneForestClassifier"]


class GrowPruneForestClassifier(SampledTreesClassifier):
    """Trees grown and pruned in turns, each with its own halves of the rows; the majority decides.

    Every tree uses all rows; trees differ because the rows are divided into halves at random. Each
    is pruned to its right size without cross-validation, so that the ensemble is small and quick
    to answer, and takes about a tenth of the time of bagged trees with cost-complexity pruning.

    Parameters
    ----------
    n_estimators : int, default=101
        Number of trees; odd, so that two classes do not tie.
    criterion : str or Criterion, default="gini"
        How good a split is; see `TreeClassifier`.
    partitioner : str or Partitioner, default="auto"
        Which groupings of a nominal column are tried; see `TreeClassifier`.
    min_samples_split, max_iter, refit_leaves, handle_missing, handle_unknown
        As in `GrowPruneTreeClassifier`.
    voting : {"hard", "soft"}, default="hard"
        Whether each tree has one vote, as published, or class probabilities of the trees are
        averaged. Those of a leaf are shares of the classes among the rows of the half that grew it,
        which are often of one class; with `refit_leaves`, among all rows that come to it.
    class_weight : mapping, "balanced" or None, default=None
        Factors by which the rows of a class weigh more or less.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal whatever their type.
    ordinal_features : mapping of str to sequence, optional
        Columns with an order, and their labels in order.
    n_jobs : int or None, default=None
        Number of threads, -1 for all processors. Any number gives the same forest. Other backends
        of joblib are chosen around `fit` with ``joblib.parallel_config``.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the forest; None gives another forest every time.
    warm_start : bool, default=False
        Whether `fit` keeps the trees that are there and grows only those that are missing. The
        result is the same as that of one fit.
    verbose : int, default=0
        Whether to show on the standard error how far `fit` is.
    time_limit : float or None, default=None
        Seconds that `fit` may take. Trees that are not begun by then are left out, and those that
        are being grown stay as they are, with a warning; there is always one.

    Attributes
    ----------
    trees_ : list of Tree
        The trees; print or draw them.
    iterations_ : list of tuple of Iteration
        For each tree its leaves each time it was ``grown`` and ``pruned``.
    classes_ : ndarray
        The classes.
    schema_ : Schema
        What the columns are.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    GrowPruneTreeClassifier : One such tree.
    ForestClassifier.bagging_cart : Bagged trees with cost-complexity pruning.

    Notes
    -----
    Tree number i is made of the seed and its number alone: it is the same for any `n_jobs`, in any
    larger forest, and when it is added by `warm_start`. Of classes with equal shares of the vote
    the first in ``classes_`` wins.

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
        "trees_": kinds.list_of(kinds.instance(Tree), 1),
        "_seed": kinds.COUNT,
        "iterations_": kinds.list_of(kinds.tuple_of(kinds.instance(Iteration))),
    }

    # What the trees see is not a matter of choice: all rows and all columns.
    bootstrap: bool = False
    max_samples: float | None = None
    colsample_bytree: float | str | None = None
    oob_score: bool = False

    def __init__(
        self,
        n_estimators: int = 101,
        *,
        criterion: str | Criterion = "gini",
        partitioner: str | Partitioner = "auto",
        min_samples_split: float = 2,
        max_iter: int = 20,
        refit_leaves: bool = False,
        voting: Vote = "hard",
        handle_missing: Literal["learned", "category"] = "learned",
        handle_unknown: Literal["stop", "missing", "majority", "error"] = "stop",
        class_weight: Mapping[Any, float] | str | None = None,
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        time_limit: float | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.partitioner = partitioner
        self.min_samples_split = min_samples_split
        self.max_iter = max_iter
        self.refit_leaves = refit_leaves
        self.voting = voting
        self.handle_missing = handle_missing
        self.handle_unknown = handle_unknown
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.time_limit = time_limit

    def fit(
        self, X: Any, y: Any, sample_weight: ArrayLike | float | None = None
    ) -> GrowPruneForestClassifier:
        """Grow the trees.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows.
        y : array-like of shape (n_rows,)
            Class of each row: text, booleans or whole numbers.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of rows, in growing and in pruning; rows of weight 0 do not count.

        Returns
        -------
        GrowPruneForestClassifier
            The fitted estimator itself.
        """
        self._check_parameters()
        parameters = read_grow_prune_parameters(self)
        deadline = Deadline.after(parameters.time_limit)
        seed = seed_of(self.random_state)
        table, target = self._read_training(
            X,
            y,
            sample_weight,
            class_weight=self.class_weight,
            categorical_features=self.categorical_features,
            ordinal_features=self.ordinal_features,
        )
        trees: list[Tree] = []
        iterations: list[tuple[Iteration, ...]] = []
        if self.warm_start and hasattr(self, "trees_"):
            self._check_warm_start(table, target)
            trees, iterations, seed = list(self.trees_), list(self.iterations_), self._seed
        learner = GrowPruneLearner(replace(parameters, time_limit=math.inf))
        results = grow_members(
            _MakeTree(CodedTable(table), target, learner, seed),
            range(len(trees), self.n_estimators),
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            time_limit=deadline.left(),
        )
        warn_of_limits(results, parameters.max_iterations)
        trees += [result.tree for result in results]
        share_schema(trees, table)
        self._remember(table, target)
        self.trees_, self._seed = trees, seed
        self.iterations_ = iterations + [result.iterations for result in results]
        return self

    @property
    def n_iter_(self) -> int:
        """Largest number of times that a tree was grown and pruned."""
        check_is_fitted(self)
        return max(map(len, self.iterations_))

    def _member_learner(self) -> GrowPruneLearner:
        return GrowPruneLearner(read_grow_prune_parameters(self))

    def _unseen(self) -> str:
        return self.handle_unknown

    def _impurity(self) -> Literal["gini", "entropy"]:
        return impurity_of(self.criterion)


@dataclass(frozen=True)
class _MakeTree:
    """Makes the trees of a forest, by number; it can be pickled."""

    table: CodedTable
    target: Target
    learner: GrowPruneLearner
    seed: int

    def __call__(self, number: int, time_limit: float, stop: StopFlag) -> GrowPruneResult:
        seed = int(spawn(self.seed, MEMBER, number).integers(2**63))
        return self.learner.run(
            self.table, self.target, seed=seed, time_limit=time_limit, stop=stop
        )
