"""A tree whose splits may be hyperplanes through several columns."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from mixedwood import _kinds as kinds
from mixedwood._limits import (
    Deadline,
    StopFlag,
    read_time_limit,
    user_stacklevel,
    warn_time_limit,
)
from mixedwood._params import COST_MATRIX, CROSSED_FEATURES, FLAG, Constraint, Int, OneOf
from mixedwood._parts import Criterion, Partitioner
from mixedwood.data import ColumnKind, Table, Target
from mixedwood.estimators._single import Rows, SingleTreeClassifier
from mixedwood.estimators.tree import GREEDY_PARAMETERS, GreedyTreeClassifier
from mixedwood.grow import EncodedTable, GrowSettings, LinearSettings, read_models
from mixedwood.pruning import CrossValidatedPath, stratified_folds
from mixedwood.pruning.pruner import Pruned, Pruner
from mixedwood.tree import Tree

__all__ = ["ModelTreeClassifier"]

_MIN_SAMPLES_SPLIT = (2, 5, 10, 20, 40, 80)  # candidates of min_samples_split="tune"
_N_FOLDS = 5


class ModelTreeClassifier(GreedyTreeClassifier):
    """Decision tree in which linear models compete with splits of single columns at every node.

    At each node a support vector machine or another linear model separates the classes by a
    hyperplane through numeric columns and categories. The hyperplane is a candidate split beside
    those of single columns, and the best split by the criterion is used. Such trees are small, and
    as accurate as a linear model on data for which that is sufficient.

    Parameters
    ----------
    criterion : str or Criterion, default="entropy"
        The score of a split: "gini", "entropy", "gain_ratio", "twoing", "squared_gini", "chi2",
        "pearson_chi2", or an instance of a subclass of `mixedwood.splits.Criterion`.
    node_model : str, classifier, or list of them, default="svm"
        The model of a node: "svm" (linear support vector machine), "sparse_svm" (with a 1-norm,
        which uses few columns), "logistic", "fisher" (Fisher's discriminant), or a classifier with
        scikit-learn's interface and `decision_function` or `predict_proba`. With a list, all of
        them compete. A classifier without ``coef_``, such as ``SVC(kernel="rbf")`` or
        `MLPClassifier`, decides by the sign of its score instead of a hyperplane; except for
        `SVC`, `NuSVC` and `MLPClassifier`, `save_model` cannot store such trees.
    node_features : {"all", "numeric"}, default="all"
        Columns of the linear models: all, or without nominal columns. Nominal columns with many
        categories are left out if a model would have more than 256 coefficients.
    C : "tune", float or list of float, default="tune"
        Inverse regularization strength of the linear model. "tune" chooses from 2^-6, 2^-4, ...,
        2^6 at every node by held-out rows; a list gives other candidates.
    smoothing : float or None, default=None
        Smoothing of the hinge loss of the support vector machine. If None, it is not smoothed.
    intercept : {"model", "best"}, default="model"
        The intercept of the hyperplane: that of the model, or the one with the best score.
    score_on : {"train", "validation"}, default="train"
        Rows that give the score of a hyperplane: those that the model was fitted to, or held-out
        rows, with models fitted to the others.
    node_cv : int, default=1
        Number of folds, of at most 2000 rows of a node, to choose `C` and for
        ``score_on="validation"``. 1 holds out a third of the rows once.
    multi_class : {"ovr", "largest", "balanced", "exhaustive"}, default="ovr"
        Groups of more than two classes that a hyperplane separates: each of the ten most frequent
        classes from the others; the most frequent class from the others; two groups of about the
        same size; or all pairs of groups, for up to five classes.
    axis_aligned : bool, default=True
        Whether thresholds of single numeric and ordinal columns are candidates as well.
    min_samples_model : int, default=10
        Minimum number of rows of a node to which linear models are fitted.
    partitioner : str or Partitioner, default="auto"
        The search for groups of categories; "multiway" makes one branch per category.
    selection : {"adjusted", "score", "average_gain"}, default="adjusted"
        How the split of a node is chosen: by its score less the score that chance gives to a column
        with as many categories and rows; by its score; or by its score among the splits whose
        information gain is at least average (C4.5's rule, for the gain ratio).
    max_depth : int or None, default=None
        Maximum depth of the tree. If None, nodes are split until no split is accepted.
    min_samples_split : int, float or "tune", default=2
        Minimum number of rows of a node that is split. A float in (0, 1) is a fraction of the
        training rows. "tune" chooses from 2, 5, 10, 20, 40 and 80 by 5-fold cross-validation.
    min_samples_leaf : int or float, default=1
        Minimum number of rows in a leaf. A float in (0, 1) is a fraction of the training rows. With
        "multiway" and "c45_groups", at least two branches must have this many rows.
    max_leaf_nodes : int or None, default=None
        Maximum number of leaves. If not None, the tree is grown best first.
    min_split_gain : float, default=0.0
        Minimum score of a split, on the scale of the criterion.
    max_features : None, int, float, "sqrt" or "log2", default=None
        Number of columns drawn at random at each node, for linear models as well; more are drawn if
        none of them can be split. A float in (0, 1] is a fraction of the columns.
    handle_missing : {"learned", "fractional", "category"}, default="learned"
        How rows with a missing value are split by single columns; see `TreeClassifier`. In a linear
        model, a missing number is replaced by the mean of the node; a missing category has its own
        coefficient, or the mean of the column if there are none in training.
    handle_unknown : {"stop", "missing", "majority", "error"}, default="stop"
        What happens to a category that a split of a single column has not seen; see
        `TreeClassifier`. Linear models treat it as missing.
    pruning : None, str, Pruner or list, default="cost_complexity"
        How the tree is pruned; `mixedwood.pruning.pruners` lists the names. If None, it is not
        pruned.
    class_weight : mapping, "balanced" or None, default=None
        Weights of the classes.
    cost_matrix : array-like of shape (n_classes, n_classes), mapping or None, default=None
        Costs of mistakes, as in `TreeClassifier`. The models of the nodes do not use them.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal regardless of their dtype.
    ordinal_features : mapping of str to sequence, optional
        Ordered categories of ordinal columns.
    crossed_features : None, "auto" or list of lists of str or int, default=None
        Columns to cross; see `TreeClassifier`.
    random_state : int, RandomState, Generator or None, default=None
        Seed of held-out rows, of the folds of pruning, of `max_features` and of random
        partitioners. With None the folds and held-out rows are the same in every fit.
    time_limit : float or None, default=None
        Maximum number of seconds of `fit`, without reading the table.

    Attributes
    ----------
    tree_ : Tree
        The tree. Print it, draw it with ``tree_.plot()``, or display it in a notebook.
    min_samples_split_ : float
        The `min_samples_split` that was used, given or tuned.
    classes_ : ndarray
        The class labels.
    schema_ : Schema
        Names, types and categories of the columns.
    pruning_path_ : CrossValidatedPath or None
        With cost-complexity pruning, the candidate trees and their cross-validated errors.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    SmoothSVC : A support vector machine alone.
    TreeClassifier : Splits of single columns only.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"length": [1.0, 2.0, 3.0, 4.0, 5.0] * 4, "width": [1.5, 1.0, 4.0, 3.0, 6.5] * 4}
    >>> y = ["long" if a > b else "wide" for a, b in zip(X["length"], X["width"])]
    >>> model = mw.ModelTreeClassifier().fit(X, y)
    >>> model.get_depth()
    1
    >>> model.predict({"length": [2.5], "width": [2.0]})
    array(['long'], dtype='<U4')
    """

    min_samples_split_: float
    pruning_path_: CrossValidatedPath | None

    _fitted: ClassVar[kinds.Fitted] = {
        "tree_": kinds.instance(Tree),
        "pruning_path_": kinds.optional(kinds.instance(CrossValidatedPath)),
        "min_samples_split_": kinds.number(kinds.NONNEGATIVE),
    }
    _unknown_texts: ClassVar[dict[str, str]] = {
        option: f"{text} Linear splits treat them as missing."
        for option, text in SingleTreeClassifier._unknown_texts.items()
    }
    # Rows that a node holds out to choose C depend on the numbers of rows in the table of the fold.
    _shares_codes = False
    _parameters: ClassVar[Mapping[str, Constraint]] = {
        **GREEDY_PARAMETERS,
        "cost_matrix": COST_MATRIX,
        "crossed_features": CROSSED_FEATURES,
        "min_samples_split": GREEDY_PARAMETERS["min_samples_split"] | OneOf("tune"),
        "node_features": OneOf("all", "numeric"),
        "intercept": OneOf("model", "best"),
        "score_on": OneOf("train", "validation"),
        "node_cv": Int(1).with_hint("1 holds out a third of the rows once."),
        "multi_class": OneOf("ovr", "largest", "balanced", "exhaustive"),
        "axis_aligned": FLAG,
        "min_samples_model": Int(2),
        "selection": OneOf("adjusted", "score", "average_gain"),
    }

    def __init__(
        self,
        *,
        criterion: str | Criterion = "entropy",
        node_model: Any = "svm",
        node_features: Literal["all", "numeric"] = "all",
        C: Literal["tune"] | float | Sequence[float] = "tune",
        smoothing: float | None = None,
        intercept: Literal["model", "best"] = "model",
        score_on: Literal["train", "validation"] = "train",
        node_cv: int = 1,
        multi_class: Literal["ovr", "largest", "balanced", "exhaustive"] = "ovr",
        axis_aligned: bool = True,
        min_samples_model: int = 10,
        partitioner: str | Partitioner = "auto",
        selection: Literal["adjusted", "score", "average_gain"] = "adjusted",
        max_depth: int | None = None,
        min_samples_split: float | Literal["tune"] = 2,
        min_samples_leaf: float = 1,
        max_leaf_nodes: int | None = None,
        min_split_gain: float = 0.0,
        max_features: float | str | None = None,
        handle_missing: Literal["learned", "fractional", "category"] = "learned",
        handle_unknown: Literal["stop", "missing", "majority", "error"] = "stop",
        pruning: str | Pruner | Sequence[str | Pruner] | None = "cost_complexity",
        class_weight: Mapping[Any, float] | str | None = None,
        cost_matrix: Any = None,
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
        crossed_features: Any = None,
        random_state: Any = None,
        time_limit: float | None = None,
    ) -> None:
        self.criterion = criterion
        self.node_model = node_model
        self.node_features = node_features
        self.C = C
        self.smoothing = smoothing
        self.intercept = intercept
        self.score_on = score_on
        self.node_cv = node_cv
        self.multi_class = multi_class
        self.axis_aligned = axis_aligned
        self.min_samples_model = min_samples_model
        self.partitioner = partitioner
        self.selection = selection
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_split_gain = min_split_gain
        self.max_features = max_features
        self.handle_missing = handle_missing
        self.handle_unknown = handle_unknown
        self.pruning = pruning
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.crossed_features = crossed_features
        self.random_state = random_state
        self.time_limit = time_limit

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._linear()
        if Partitioner.read(self.partitioner).options.get("per") == "tree":
            raise ValueError(
                "Linear models use the categories of a column, which "
                "Partitioner('random_order', per='tree') replaces by their ranks. Use "
                "Partitioner('random_order', per='node')."
            )

    def _linear(self) -> LinearSettings:
        return LinearSettings(
            models=read_models(self.node_model, self.C, self.smoothing),
            multi_class=self.multi_class,
            node_features=self.node_features,
            intercept=self.intercept,
            score_on=self.score_on,
            node_cv=int(self.node_cv),
            min_samples_model=float(self.min_samples_model),
        )

    def _settings(self, n_rows: int, n_columns: int) -> GrowSettings:
        settings = super()._settings(n_rows, n_columns)
        return replace(settings, linear=self._linear(), axis_aligned=bool(self.axis_aligned))

    def _fit(self, table: Table, target: Target, kept: NDArray[np.bool_] | None) -> None:
        if self.node_features == "numeric" and all(
            column.kind == ColumnKind.NOMINAL for column in table.schema
        ):
            warnings.warn(
                "There are no numeric or ordinal columns, so node_features='numeric' leaves no "
                "linear splits. Use node_features='all' for linear models of categories.",
                UserWarning,
                stacklevel=user_stacklevel(),
            )
        seed, choice_seed = self._seeds()
        found = self._grow_tuned(table, target, seed=seed, choice_seed=choice_seed)
        (self.tree_, self.pruning_path_), self.min_samples_split_ = found

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
        pruned, _ = self._grow_tuned(
            table,
            target,
            seed=seed,
            rows=rows,
            choice_seed=choice_seed,
            time_limit=time_limit,
            stop=stop,
        )
        return pruned.tree

    def _grow_tuned(
        self,
        table: Table | EncodedTable,
        target: Target,
        *,
        seed: int,
        rows: Rows | None = None,
        choice_seed: int | None = None,
        time_limit: float = math.inf,
        stop: StopFlag | None = None,
    ) -> tuple[Pruned, float]:
        """Learn a tree; the result includes the `min_samples_split` that was used."""
        deadline = Deadline.after(min(time_limit, read_time_limit(self.time_limit)))
        model = self
        if isinstance(self.min_samples_split, str):
            coded = table if isinstance(table, EncodedTable) else EncodedTable(table)
            folds = seed if choice_seed is None else choice_seed
            model = self._with_size(self._tune_size(coded, target, folds, rows, deadline, stop))
        pruned = model._grow_and_prune(
            table,
            target,
            seed=seed,
            rows=rows,
            choice_seed=choice_seed,
            time_limit=deadline.left(1e-3),
            stop=stop,
        )
        return pruned, model.min_samples_split

    def _with_size(self, min_samples_split: float) -> ModelTreeClassifier:
        sized = copy(self)
        sized.min_samples_split = min_samples_split
        return sized

    def _tune_size(
        self,
        coded: EncodedTable,
        target: Target,
        seed: int,
        rows: Rows | None,
        deadline: Deadline,
        stop: StopFlag | None,
    ) -> float:
        """Choose `min_samples_split` by cross-validation; the largest of the best."""
        drawn = np.arange(target.n_rows, dtype=np.int32) if rows is None else rows
        table, sampled = coded.table.take(drawn), target.take(drawn)
        folds = stratified_folds(sampled, _N_FOLDS, random_state=seed, copies_of=rows)
        weights = np.ones(len(drawn)) if sampled.weights is None else sampled.weights
        best, least = float(_MIN_SAMPLES_SPLIT[-1]), math.inf
        for size in reversed(_MIN_SAMPLES_SPLIT):
            model = self._with_size(size)
            wrong = 0.0
            for fold in np.unique(folds):
                left = deadline.left()
                if left <= 0:
                    warn_time_limit(
                        "The time limit was reached while min_samples_split was tuned; the best "
                        "value so far is used."
                    )
                    return best
                out = folds == fold
                if not weights[~out].any():
                    continue
                tree = model._fit_encoded(
                    coded, target, rows=drawn[~out], seed=seed, time_limit=left, stop=stop
                )
                wrong += sampled.take(out).total_cost(tree.predict_codes(table.take(out)))
            if wrong < least:
                best, least = float(size), wrong
        return best
