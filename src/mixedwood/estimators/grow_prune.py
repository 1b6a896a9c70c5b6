"""A tree that is grown and pruned in turns, by two halves of the rows."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from mixedwood import _kinds as kinds
from mixedwood._limits import StopFlag, user_stacklevel, warn_time_limit
from mixedwood._parts import Criterion, Partitioner
from mixedwood.data import Table, Target
from mixedwood.estimators.learner import Rows
from mixedwood.estimators.one_tree import OneTreeClassifier
from mixedwood.estimators.parameters import GrowPruneParameters, read_grow_prune_parameters
from mixedwood.growers import CodedTable, GrowPruneResult, Iteration, grow_prune
from mixedwood.tree import Tree

__all__ = ["GrowPruneLearner", "GrowPruneTreeClassifier", "warn_of_limits"]


class GrowPruneTreeClassifier(OneTreeClassifier):
    """A decision tree grown with one half of the rows and pruned with the other, in turns.

    After each pruning the halves change places, and the tree grows on below the leaves that are
    left, until a pruning leaves it as it was; that is two to four times. Every row has its say in
    the tests and in the size of the tree, and no cross-validation is needed: it costs about a
    tenth of a tree with cost-complexity pruning. Another division of the rows gives another tree,
    which makes it a good member of an ensemble.

    Parameters
    ----------
    criterion : str or Criterion, default="gini"
        How good a split is; see `TreeClassifier`.
    partitioner : str or Partitioner, default="auto"
        Which groupings of a nominal column are tried; see `TreeClassifier`.
    min_samples_split : int or float, default=2
        Fewest rows of a node that is split, counted in the half that grows; a float between 0 and 1
        is a share of all rows.
    max_iter : int, default=20
        Most times that the tree is grown and pruned; a warning says when that was too few.
    refit_leaves : bool, default=False
        Whether the nodes of the tree get their labels and probabilities from all rows at the end.
        Otherwise they answer as the half says that made them, as published.
    handle_missing : {"learned", "category"}, default="learned"
        Rows without a value go to the side that is better for the score, or count as a value of
        their own in nominal columns; see `TreeClassifier`.
    handle_unknown : {"stop", "missing", "majority", "error"}, default="stop"
        What happens to a value that a test has never met: the node answers with its own classes;
        or it goes where missing values go; or to the heavier child; or labels that no training
        row had are an error. It matters in training, too: a node has met the values of one half.
    class_weight : mapping, "balanced" or None, default=None
        Factors by which the rows of a class weigh more or less.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal whatever their type.
    ordinal_features : mapping of str to sequence, optional
        Columns with an order, and their labels in order.
    random_state : int, RandomState, Generator or None, default=None
        Divides the rows into halves, and seeds random partitioners. None is the same as 0.
    time_limit : float or None, default=None
        Seconds that `fit` may take, reading the table not included. When it is over, the tree is
        what it is by then, and a warning says so.

    Attributes
    ----------
    tree_ : Tree
        The tree. The weights and class weights of a node are those of the half that made it.
    iterations_ : list of Iteration
        Leaves of the tree each time it was ``grown`` and ``pruned``.
    classes_ : ndarray
        The classes.
    schema_ : Schema
        What the columns are.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    GrowPruneForestClassifier : Many of them, each with its own halves.
    TreeClassifier : Grown once, pruned by cross-validation.

    References
    ----------
    .. [1] Gelfand, Ravishankar and Delp, "An Iterative Growing and Pruning Algorithm for
       Classification Tree Design", IEEE Transactions on Pattern Analysis and Machine Intelligence,
       1991. Splits that have survived a pruning are undone only when that is better: with the
       published rule, which undoes them also when it is no worse, some runs never end.

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

    iterations_: list[Iteration]

    _fitted: ClassVar[kinds.Fitted] = {
        "tree_": kinds.instance(Tree),
        "iterations_": kinds.list_of(kinds.instance(Iteration)),
    }

    def __init__(
        self,
        *,
        criterion: str | Criterion = "gini",
        partitioner: str | Partitioner = "auto",
        min_samples_split: float = 2,
        max_iter: int = 20,
        refit_leaves: bool = False,
        handle_missing: Literal["learned", "category"] = "learned",
        handle_unknown: Literal["stop", "missing", "majority", "error"] = "stop",
        class_weight: Mapping[Any, float] | str | None = None,
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
        random_state: Any = None,
        time_limit: float | None = None,
    ) -> None:
        self.criterion = criterion
        self.partitioner = partitioner
        self.min_samples_split = min_samples_split
        self.max_iter = max_iter
        self.refit_leaves = refit_leaves
        self.handle_missing = handle_missing
        self.handle_unknown = handle_unknown
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.random_state = random_state
        self.time_limit = time_limit

    def fit(
        self, X: Any, y: Any, sample_weight: ArrayLike | float | None = None
    ) -> GrowPruneTreeClassifier:
        """Grow and prune the tree.

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
        GrowPruneTreeClassifier
            The fitted estimator itself.
        """
        parameters = read_grow_prune_parameters(self)
        table, target = self._read_training(
            X,
            y,
            sample_weight,
            class_weight=self.class_weight,
            categorical_features=self.categorical_features,
            ordinal_features=self.ordinal_features,
        )
        result = GrowPruneLearner(parameters).run(table, target, seed=parameters.seed)
        warn_of_limits([result], parameters.max_iterations)
        self._remember(table, target)
        self.tree_, self.iterations_ = result.tree, list(result.iterations)
        return self

    @property
    def n_iter_(self) -> int:
        """Number of times that the tree was grown and pruned."""
        check_is_fitted(self)
        return len(self.iterations_)

    def _learner(self) -> GrowPruneLearner:
        """Give what grows such trees, with the parameters checked."""
        return GrowPruneLearner(read_grow_prune_parameters(self))


@dataclass(frozen=True)
class GrowPruneLearner:
    """Grows trees as a `GrowPruneTreeClassifier` with these parameters does."""

    parameters: GrowPruneParameters

    def run(
        self,
        table: Table | CodedTable,
        target: Target,
        *,
        seed: int,
        time_limit: float = math.inf,
        stop: StopFlag | None = None,
    ) -> GrowPruneResult:
        """Grow a tree; the result says how."""
        return grow_prune(
            table,
            target,
            self.parameters.settings_for(target.n_rows),
            seed=seed,
            max_iterations=self.parameters.max_iterations,
            relabel=self.parameters.relabel,
            time_limit=min(time_limit, self.parameters.time_limit),
            stop=stop,
        )

    def learn(
        self,
        table: Table | CodedTable,
        target: Target,
        *,
        seed: int,
        rows: Rows | None = None,
        time_limit: float = math.inf,
        stop: StopFlag | None = None,
    ) -> Tree:
        """Learn a tree from some rows, whose numbers may repeat, or from all."""
        if rows is not None:
            whole = table.table if isinstance(table, CodedTable) else table
            table, target = whole.take(rows), target.take(rows)
        result = self.run(table, target, seed=seed, time_limit=time_limit, stop=stop)
        warn_of_limits([result], self.parameters.max_iterations)
        return result.tree


def warn_of_limits(results: Sequence[GrowPruneResult], max_iterations: int) -> None:
    """Say once if trees were still changing when a limit came, and which limit it was."""
    cut_short = [result for result in results if not result.ended]
    at_limit = sum(len(result.iterations) == max_iterations for result in cut_short)
    if at_limit:
        who = f"{at_limit} of {len(results)} trees were" if len(results) > 1 else "The tree was"
        warnings.warn(
            f"{who} still growing after max_iter={max_iterations}; set it higher.",
            ConvergenceWarning,
            stacklevel=user_stacklevel(),
        )
    if at_limit < len(cut_short):
        many = f"{len(cut_short) - at_limit} of {len(results)} trees"
        warn_time_limit(
            "The time limit came before growing and pruning had come to their end; "
            f"{many if len(results) > 1 else 'the tree'} stayed as far as it was."
        )
