"""Trees grown one after the other, each for what those before it got wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from mixedwood._limits import Deadline
from mixedwood._parallel import show_progress
from mixedwood._parts import Criterion, Partitioner
from mixedwood.boosting import BoostedScores, adaboost, gradient_boost, probabilities
from mixedwood.data import Table, Target, read_target
from mixedwood.ensembles import add_answers
from mixedwood.estimators._ensemble import TreeEnsembleClassifier
from mixedwood.estimators.boosted_rounds import rounds_before
from mixedwood.estimators.boosting_parameters import BoostingParameters, read_boosting_parameters
from mixedwood.estimators.one_tree import impurity_of
from mixedwood.estimators.tree import TreeClassifier
from mixedwood.estimators.validation_rows import (
    check_validation_is_wanted,
    class_factors,
    read_validation,
)
from mixedwood.explain.ensemble import explain_scores
from mixedwood.explain.walk import choose_row
from mixedwood.growers import CodedTable

if TYPE_CHECKING:
    from mixedwood.explain import Explanation

__all__ = ["BoostedTreesClassifier"]


class BoostedTreesClassifier(TreeEnsembleClassifier):
    """Trees grown one after the other, each for what those before it got wrong.

    Gradient boosting of the log loss or, with `method`, AdaBoost. The values of a nominal column
    are put in a fresh random order at every node, and cut: trees stay small, and a column of many
    values has no more to choose from than one of numbers.

    Parameters
    ----------
    n_estimators : int, default=200
        Number of rounds.
    method : {"gradient", "adaboost", "samme"}, default="gradient"
        Gradient boosting; AdaBoost.M1; or its form for many classes, whose trees need only be
        better than guessing.
    learning_rate : float, default=0.1
        Part of each step that is taken; AdaBoost's is 1 in its recipe.
    partitioner : str or Partitioner, default="random_order"
        How the values of a nominal column become two groups. Gradient trees know "random_order",
        with ``per="tree"`` if the order is to be drawn once for a tree, and "auto", the two groups
        with the largest gain. With any other search of `mixedwood.splits.partitioners`, and with
        AdaBoost, trees are grown as `TreeClassifier` does, on rows weighted by how wrong their
        answers still are.
    criterion : str or Criterion, default="entropy"
        How good a split is, where trees are grown as `TreeClassifier` does.
    estimator : TreeClassifier or None, default=None
        Which trees to grow so, in place of `partitioner`, `criterion` and the limits below.
    selection : {"adjusted", "score"}, default="adjusted"
        How the split of a node is chosen among columns: by its gain less the gain that a nominal
        column of as many categories would reach by chance, or by its gain alone.
    max_depth : int or None, default=4
        Most tests in a row.
    max_leaf_nodes : int or None, default=None
        Most leaves. A tree then grows best node first.
    min_samples_leaf : int or float, default=1
        Fewest rows of a leaf; a float between 0 and 1 is a share of all rows.
    min_hessian : float, default=1e-3
        Least sum of second derivatives in a leaf: a leaf whose rows are certain takes no step.
    l2 : float, default=1.0
        Added to that sum; steps of small leaves are shorter.
    nominal_l2 : float, default=0.0
        Added as well when groups of a nominal column's values are compared.
    smoothing : float, default=0.0
        With ``partitioner="auto"``: added to a value's second derivatives before values are put in
        order, so that rare values are not at the ends.
    min_split_gain : float, default=0.0
        Least gain of a split.
    max_features : None, int, float, "sqrt" or "log2", default=0.5
        How many columns are drawn at random at each node.
    colsample_bytree : None, int, float, "sqrt" or "log2", default=None
        How many columns each tree may use.
    subsample : float, default=1.0
        Share of the rows that each round learns from.
    trees_per_round : {"one", "per_class"}, default="one"
        With more than two classes: whether one tree answers for all of them, or each has its own.
    max_bins : int, default=255
        Numbers are put in at most so many bins of about the same weight each.
    resample : bool, default=False
        With AdaBoost: whether rows are drawn in proportion to their weights, or weighted.
    early_stopping : bool, default=False
        With gradient boosting: whether to hold out rows, to stop when the loss on them has not
        fallen for `patience` rounds, and to keep the rounds up to the best. `fit` takes rows of
        your own for it, as `X_val` and `y_val`.
    validation_fraction : float, default=0.1
        Share of rows that are held out then, unless there are such.
    patience : int, default=20
        Rounds to wait then.
    handle_unknown : {"stop", "missing", "majority", "error"}, default="stop"
        What happens to a value that a test has never met, as in `TreeClassifier`.
    class_weight : mapping, "balanced" or None, default=None
        Factors by which the rows of a class weigh more or less.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal whatever their type.
    ordinal_features : mapping of str to sequence, optional
        Columns with an order, and their labels in order.
    n_jobs : int or None, default=None
        Number of threads, -1 for all processors. Any number gives the same trees.
    random_state : int, RandomState, Generator or None, default=None
        Seed; None gives other trees every time.
    warm_start : bool, default=False
        With gradient boosting: whether `fit` goes on with the rounds that are there.
    verbose : int, default=0
        Whether to show on the standard error how far `fit` is.
    time_limit : float or None, default=None
        Seconds that `fit` may take. Rounds that are not begun by then are left out, with a warning.

    Attributes
    ----------
    trees_ : list of Tree
        The trees in the order in which they were grown.
    n_iter_ : int
        Rounds that were kept.
    estimator_weights_ : ndarray
        With AdaBoost: what the vote of each tree counts.
    scores_ : BoostedScores
        With gradient boosting: the steps of the trees' nodes.
    validation_loss_ : list of float
        With `early_stopping`: the loss on the rows held out, or those given, after each round.
    classes_, schema_, n_features_in_, feature_names_in_
        As in `TreeClassifier`.

    See Also
    --------
    BoostedTreesClassifier.adaboost_c45 : AdaBoost.M1 of C4.5 trees, as in WEKA.
    EnsembleClassifier : Boosted trees and a forest together.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"colour": ["red", "blue", "green", "blue"] * 5, "size": [1, 2, 3, 4] * 5}
    >>> model = mw.BoostedTreesClassifier(n_estimators=20, random_state=0)
    >>> model.fit(X, ["yes", "no", "yes", "no"] * 5).predict({"colour": ["red"], "size": [1]})
    array(['yes'], dtype='<U3')
    """

    scores_: BoostedScores
    estimator_weights_: NDArray[np.float64]
    n_iter_: int
    voting = "hard"  # of AdaBoost's trees
    _gains_tell: bool  # whether scores of nodes are gains of the loss
    _held_out: bool  # whether a share of the rows was not learnt from

    def __init__(
        self,
        n_estimators: int = 200,
        *,
        method: Literal["gradient", "adaboost", "samme"] = "gradient",
        learning_rate: float = 0.1,
        partitioner: str | Partitioner = "random_order",
        criterion: str | Criterion = "entropy",
        estimator: TreeClassifier | None = None,
        selection: Literal["adjusted", "score"] = "adjusted",
        max_depth: int | None = 4,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: float = 1,
        min_hessian: float = 1e-3,
        l2: float = 1.0,
        nominal_l2: float = 0.0,
        smoothing: float = 0.0,
        min_split_gain: float = 0.0,
        max_features: float | str | None = 0.5,
        colsample_bytree: float | str | None = None,
        subsample: float = 1.0,
        trees_per_round: Literal["one", "per_class"] = "one",
        max_bins: int = 255,
        resample: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        patience: int = 20,
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
        self.method = method
        self.learning_rate = learning_rate
        self.partitioner = partitioner
        self.criterion = criterion
        self.estimator = estimator
        self.selection = selection
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.min_hessian = min_hessian
        self.l2 = l2
        self.nominal_l2 = nominal_l2
        self.smoothing = smoothing
        self.min_split_gain = min_split_gain
        self.max_features = max_features
        self.colsample_bytree = colsample_bytree
        self.subsample = subsample
        self.trees_per_round = trees_per_round
        self.max_bins = max_bins
        self.resample = resample
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.handle_unknown = handle_unknown
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.time_limit = time_limit

    @classmethod
    def adaboost_c45(cls, n_estimators: int = 50, **parameters: Any) -> BoostedTreesClassifier:
        """AdaBoost.M1 of unpruned C4.5 trees, as in WEKA.

        Parameters
        ----------
        n_estimators : int, default=50
            Most trees.
        **parameters
            Further parameters of `BoostedTreesClassifier`.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.BoostedTreesClassifier.adaboost_c45().estimator.rules
        'c45'
        """
        recipe: dict[str, Any] = {
            "n_estimators": n_estimators,
            "method": "adaboost",
            "learning_rate": 1.0,
            "estimator": TreeClassifier.c45(pruned=False),
        }
        return cls(**{**recipe, **parameters})

    # Learning

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | float | None = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
    ) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows.
        y : array-like of shape (n_rows,)
            Class of each row: text, booleans or whole numbers.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of rows; rows of weight 0 do not count.
        X_val, y_val : table and array-like, optional
            With `early_stopping`: rows to judge rounds by, in place of a share of X, which is then
            learnt from as a whole. They have the columns of X and classes of y, and weigh what
            `class_weight` says; unknown categories are accepted
            unless ``handle_unknown="error"``.

        Returns
        -------
        BoostedTreesClassifier
            The fitted estimator itself.
        """
        parameters = read_boosting_parameters(self)
        deadline = Deadline.after(parameters.time_limit)
        judged = check_validation_is_wanted(X_val, y_val, parameters.early_stopping)
        table, target = self._read_training(
            X,
            y,
            sample_weight,
            class_weight=self.class_weight,
            categorical_features=self.categorical_features,
            ordinal_features=self.ordinal_features,
        )
        validation = None
        if judged:
            factors = None
            if self.class_weight is not None:
                factors = class_factors(target, read_target(y, sample_weight))
            validation = read_validation(
                X_val, y_val, table.schema, target, factors, handle_unknown=self._unseen()
            )
        return self._fit_table(CodedTable(table), target, parameters, deadline.left(), validation)

    def _fit_table(
        self,
        coded: CodedTable,
        target: Target,
        parameters: BoostingParameters,
        time_limit: float,
        validation: tuple[Table, Target] | None = None,
    ) -> Self:
        held_out = parameters.early_stopping and validation is None
        with show_progress(parameters.n_rounds, self.verbose, "rounds") as advance:
            if target.n_classes == 1 or self.method != "gradient":
                trees, weights = adaboost(
                    coded,
                    target,
                    parameters.adaboost_plan,
                    parameters.n_rounds if target.n_classes > 1 else 1,
                    seed=parameters.seed,
                    time_limit=time_limit,
                    advance=advance,
                )
                self._remember(coded.table, target)
                self._forget()
                self.trees_, self.estimator_weights_, self.n_iter_ = trees, weights, len(trees)
                self._gains_tell = False
                return self
            model, scores, seed = rounds_before(self, coded.table, target, parameters, held_out)
            model = gradient_boost(
                coded,
                target,
                parameters.gradient_plan(coded.table),
                parameters.n_rounds,
                seed=seed,
                model=model,
                scores=scores,
                validation=validation,
                time_limit=time_limit,
                advance=advance,
            )
        self._remember(coded.table, target)
        self._forget()
        self.scores_, self.trees_, self._seed = model, model.trees, seed
        self.n_iter_ = len(model.rounds)
        self._gains_tell = parameters.learner is None
        self._held_out = held_out
        if parameters.early_stopping:
            self.validation_loss_ = model.validation_loss
        return self

    def _forget(self) -> None:
        """Drop what an earlier fit with another method has left."""
        for name in ("scores_", "estimator_weights_", "validation_loss_", "_held_out"):
            self.__dict__.pop(name, None)

    # Answers

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Give the scores of each row: log odds of the second of two classes, or one per class.

        With AdaBoost, the weighted votes in place of scores.
        """
        table = self._new(X)
        if not hasattr(self, "scores_"):
            shares = self._shares(table)
            return shares[:, 1] - shares[:, 0] if shares.shape[1] == 2 else shares
        scores = self._raw(table)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _raw(self, table: Table) -> NDArray[np.float64]:
        # In the order in which the scores were added up while boosting: a warm start goes on
        # with the very same numbers.
        return add_answers(
            self.scores_.members(),
            list(table.arrays),
            len(self.scores_.start),
            n_jobs=self.n_jobs,
            n_rows=table.n_rows,
            start=self.scores_.start,
        )

    def _shares(self, table: Table) -> NDArray[np.float64]:
        if not hasattr(self, "scores_"):
            return super()._shares(table)
        return probabilities(self._raw(table))

    def _explain(self, table: Table, row: int) -> Explanation:
        if not hasattr(self, "scores_"):
            return super()._explain(table, row)
        one, row = choose_row(table, row)
        scores = self._raw(one)
        shares = probabilities(scores)
        return explain_scores(
            self.scores_.start,
            self.scores_.trees,
            self.scores_.steps,
            self.scores_.first_output,
            one,
            row=row,
            prediction=self._answer(shares),
            probabilities=shares[0],
            scores=scores[0],
        )

    def _staged(self, table: Table) -> Iterator[NDArray[np.float64]]:
        if not hasattr(self, "scores_"):
            yield from super()._staged(table)
            return
        columns, n_rows = list(table.arrays), table.n_rows
        scores = np.tile(self.scores_.start, (n_rows, 1))
        for number in range(self.n_iter_):
            members = self.scores_.members(number + 1, since=number)
            scores += add_answers(members, columns, scores.shape[1], n_rows=n_rows)
            yield probabilities(scores)

    def _tree_weights(self) -> NDArray[np.float64] | None:
        return getattr(self, "estimator_weights_", None)

    def _unseen(self) -> str:
        return self.handle_unknown if self.estimator is None else str(self.estimator.handle_unknown)

    def _impurity(self) -> Literal["gini", "entropy"]:
        return impurity_of(self.criterion) if self.estimator is None else self.estimator._impurity()

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each column in what splits gained; with AdaBoost, in the fall of impurity."""
        check_is_fitted(self)
        if not self._gains_tell:
            return super().feature_importances_
        gains = np.zeros(len(self.schema_))
        for tree in self.trees_:
            inner = tree.column >= 0
            np.add.at(gains, tree.column[inner], tree.score[inner])
        total = gains.sum()
        return gains / total if total > 0 else gains
