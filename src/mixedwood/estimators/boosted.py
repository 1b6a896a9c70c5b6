"""Gradient boosting of decision trees."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from mixedwood import _kinds as kinds
from mixedwood._folds import hold_out
from mixedwood._limits import Deadline, read_time_limit
from mixedwood._parallel import show_progress
from mixedwood._params import (
    COST_MATRIX,
    CROSSED_FEATURES,
    FLAG,
    HANDLE_UNKNOWN,
    MONOTONIC_CST,
    N_JOBS,
    NONE,
    RANDOM_STATE,
    TIME_LIMIT,
    VERBOSE,
    ColumnsOrFraction,
    Constraint,
    Float,
    Int,
    OneOf,
    RowsOrFraction,
    count_columns,
    count_rows,
    native_limit,
    validate,
)
from mixedwood._parts import Partitioner
from mixedwood._random import seed_of
from mixedwood.boosting import (
    GradientPlan,
    LogLoss,
    Loss,
    gradient_boost,
    link_of,
    read_validation,
)
from mixedwood.data import Schema, Table, Target, read_target
from mixedwood.data.monotonic import monotonic_signs
from mixedwood.data.target import exact_sums, read_class_weight
from mixedwood.estimators._conformal import SET_SCORES, PredictionSets, set_scores
from mixedwood.estimators._ensemble import (
    TreeEnsemble,
    TreeEnsembleClassifier,
)
from mixedwood.estimators.base import unknown_in_core
from mixedwood.estimators.forest import read_member
from mixedwood.estimators.tree import TreeClassifier
from mixedwood.grow import EncodedTable
from mixedwood.grow.gradient import GradientSettings
from mixedwood.tree import Predictor, Tree, TreeBuilder

__all__ = ["BoostedTreesClassifier", "GradientBoosting"]


# Searches of gradient trees by the order of categories in the core; a random order has options.
_ORDERS = {"target_statistics": "target_statistics", "auto": "sorted"}


def _partitioner(hint: Callable[[Any], str] | None = None) -> Constraint:
    return Constraint(
        "'random_order'",
        *map(repr, _ORDERS),
        test=lambda given: (
            (isinstance(given, str) and given in _ORDERS)
            or Partitioner.read(given).name in ("random_order", "auto")
        ),
        hint=hint,
    )


def _category_order(partitioner: str | Partitioner) -> str:
    name = partitioner if isinstance(partitioner, str) else partitioner.name
    if name in _ORDERS:
        return _ORDERS[name]
    per_tree = Partitioner.read(partitioner).options.get("per") == "tree"
    return "random_per_tree" if per_tree else "random_per_node"


_AMOUNT = Float(0, math.inf, "left")


class GradientBoosting(TreeEnsemble):
    """Common code of gradient boosting: parameters, validation rows, warm start, predictions."""

    _fits_in_pieces = True

    n_estimators: int
    learning_rate: float
    partitioner: str | Partitioner
    selection: Literal["adjusted", "score"]
    max_depth: int | None
    max_leaf_nodes: int | None
    min_samples_leaf: float | None
    min_child_weight: float
    l2_regularization: float
    cat_l2: float
    cat_smooth: float
    min_split_gain: float
    max_features: float | str | None
    monotonic_cst: Any
    colsample_bytree: float | str | None
    subsample: float
    max_bins: int
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    handle_unknown: Literal["stop", "missing", "majority", "error"]
    categorical_features: Any
    ordinal_features: Mapping[str, Sequence[Any]] | None
    random_state: Any
    warm_start: bool
    verbose: int
    time_limit: float | None

    # Parameters that only classifiers have.
    estimator: TreeClassifier | None = None
    multi_strategy: str = "multi_output_tree"
    class_weight: Any = None

    baseline_: NDArray[np.float64]
    validation_loss_: list[float]
    _values: list[NDArray[np.float64]]  # of the nodes of each tree
    _first_output: list[int]
    _stage_ends: list[int]
    _seed: int
    _gain_importances: bool  # whether scores of nodes are gains of the loss
    _held_out: bool  # whether a fraction of the rows was held out

    _parameters: ClassVar[Mapping[str, Constraint]] = {
        "n_estimators": Int(1),
        "learning_rate": Float(0, math.inf, "neither"),
        "partitioner": _partitioner(),
        "selection": OneOf("adjusted", "score"),
        "max_depth": Int(0) | NONE,
        "max_leaf_nodes": Int(1) | NONE,
        "min_samples_leaf": RowsOrFraction(),
        "min_child_weight": _AMOUNT,
        "l2_regularization": _AMOUNT,
        "cat_l2": _AMOUNT,
        "cat_smooth": _AMOUNT,
        "min_split_gain": _AMOUNT,
        "monotonic_cst": MONOTONIC_CST,
        "max_features": ColumnsOrFraction() | OneOf("auto") | NONE,
        "colsample_bytree": ColumnsOrFraction() | NONE,
        "subsample": Float(0, 1, "right"),
        "max_bins": Int(2, 65_535),
        "early_stopping": FLAG,
        "validation_fraction": Float(0, 1, "neither"),
        "n_iter_no_change": Int(1),
        "handle_unknown": HANDLE_UNKNOWN,
        "n_jobs": N_JOBS,
        "random_state": RANDOM_STATE,
        "warm_start": FLAG,
        "verbose": VERBOSE,
        "time_limit": TIME_LIMIT,
    }
    _fitted: ClassVar[kinds.Fitted] = {
        "trees_": kinds.list_of(kinds.instance(Tree), 1),
        "baseline_": kinds.sometimes(kinds.array(np.float64, 1, kinds.FINITE)),
        "_values": kinds.sometimes(kinds.list_of(kinds.array(np.float64, 2, kinds.FINITE))),
        "_first_output": kinds.sometimes(kinds.list_of(kinds.COUNT)),
        "_stage_ends": kinds.sometimes(kinds.list_of(kinds.COUNT)),
        "validation_loss_": kinds.sometimes(kinds.list_of(kinds.REAL)),
        "_seed": kinds.sometimes(kinds.COUNT),
        "_gain_importances": kinds.FLAG,
        "_held_out": kinds.sometimes(kinds.FLAG),
    }

    # Parameters

    def _check_parameters(self) -> None:
        validate(self)
        options = getattr(self.partitioner, "options", {})
        if self.estimator is None and options.get("joint"):
            raise ValueError(
                "The 'joint' option of partitioner is not supported by gradient trees. Got "
                f"partitioner={self.partitioner!r}."
            )
        if self.monotonic_cst is not None and self.estimator is not None:
            raise ValueError(
                "monotonic_cst needs gradient trees; leave estimator=None. Got "
                f"estimator={self.estimator!r}."
            )

    def _loss(self) -> Loss:
        """Make the loss to minimize."""
        raise NotImplementedError

    def _min_samples_leaf(self) -> float:
        """Minimum number or fraction of rows in a leaf."""
        assert self.min_samples_leaf is not None
        return self.min_samples_leaf

    def _plan(self, n_rows: int, schema: Schema) -> GradientPlan:
        order = _category_order(self.partitioner)
        every_other = self.max_features == "auto"
        settings = GradientSettings(
            category_order=order,
            max_depth=native_limit(self.max_depth),
            max_leaf_nodes=native_limit(self.max_leaf_nodes),
            best_first=self.max_leaf_nodes is not None,
            min_samples_leaf=count_rows(self._min_samples_leaf(), n_rows),
            min_child_weight=float(self.min_child_weight),
            l2_regularization=float(self.l2_regularization),
            cat_l2=float(self.cat_l2),
            cat_smooth=float(self.cat_smooth),
            min_split_gain=float(self.min_split_gain),
            max_features=None if every_other else count_columns(self.max_features, len(schema)),
            half_of_others=every_other,
            selection=self.selection,
            handle_unknown=unknown_in_core(self.handle_unknown),
            n_threads=effective_n_jobs(self.n_jobs),
            monotonic_cst=monotonic_signs(self.monotonic_cst, schema),
        )
        return GradientPlan(
            settings=settings,
            estimator=None if self.estimator is None else read_member(self.estimator),
            learning_rate=float(self.learning_rate),
            subsample=float(self.subsample),
            n_columns=count_columns(self.colsample_bytree, len(schema)),
            multi_output=self.multi_strategy == "multi_output_tree",
            max_bins=int(self.max_bins),
            n_iter_no_change=int(self.n_iter_no_change) if self.early_stopping else None,
            validation_fraction=float(self.validation_fraction),
            loss=self._loss(),
        )

    # Fitting

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | float | None = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: ArrayLike | float | None = None,
    ) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows.
            A table that does not fit into memory is a path of Parquet or Arrow files, a folder, a
            list of paths, a dataset of pyarrow, a relation of DuckDB, record batches that can be
            iterated again, or `mixedwood.data.Chunks`.
        y : array-like of shape (n_rows,), or str
            Class labels (text, booleans or integers) or, for a regressor, finite numbers. With a
            str, X is read in pieces, and has the labels or numbers in the column of this name.
        sample_weight : array-like of shape (n_rows,) or str, optional
            Weights of rows; rows of weight 0 are ignored. A table in pieces has them in a column,
            which is named.
        X_val, y_val : table and array-like, optional
            Validation rows for early stopping, in place of a fraction of X. They have the columns
            of X and classes of y, and get the weights of `class_weight`.
        sample_weight_val : array-like, optional
            Weights of the validation rows.

        Returns
        -------
        estimator
            The fitted estimator itself.
        """
        self._check_parameters()
        deadline = Deadline.after(read_time_limit(self.time_limit))
        _check_validation(X_val, y_val, sample_weight_val, bool(self.early_stopping))
        if isinstance(y, str):
            from mixedwood.estimators._boosted_chunks import fit_boosted_chunks

            return self._keep(
                *fit_boosted_chunks(self, X, y, sample_weight, X_val, y_val, sample_weight_val)
            )
        seed = seed_of(self.random_state)
        table, target = self._read_training(X, y, sample_weight)
        self._loss().check(target)
        validation = None
        if X_val is not None:
            factors = None
            if self.class_weight is not None:
                plain = read_target(y, sample_weight)
                factors = read_class_weight(
                    self.class_weight, plain.classes, plain.codes, plain.weights
                )
            validation = read_validation(
                X_val,
                y_val,
                table.schema,
                target,
                sample_weight=sample_weight_val,
                factors=factors,
                handle_unknown=self._handle_unknown(),
            )
            self._loss().check(validation[1], "y_val")
        return self._fit_table(EncodedTable(table), target, seed, deadline.left(), validation)

    def _fit_table(
        self,
        coded: EncodedTable,
        target: Target,
        seed: int,
        time_limit: float,
        validation: tuple[Table, Target] | None = None,
    ) -> Self:
        held_out = bool(self.early_stopping) and validation is None
        fitted: dict[str, Any] = {"_gain_importances": False}
        if target.n_classes == 1:
            weight = target.n_rows if target.weights is None else exact_sums(target.weights)[0]
            leaf = TreeBuilder(coded.table.schema, target.classes, np.array([float(weight)]))
            fitted["trees_"] = [leaf.build()]
        else:
            previous = None
            if self.warm_start and hasattr(self, "baseline_"):
                self._check_warm_start(coded.table, target, held_out)
                previous, seed = self.predictor_, self._seed
            with show_progress(int(self.n_estimators), self.verbose, "iterations") as advance:
                model, losses = gradient_boost(
                    coded,
                    target,
                    self._plan(target.n_rows, coded.table.schema),
                    int(self.n_estimators),
                    seed=seed,
                    previous=previous,
                    validation_loss=self.validation_loss_[: self.n_iter_]
                    if previous is not None and held_out
                    else (),
                    validation=validation,
                    time_limit=time_limit,
                    advance=advance,
                )
            fitted = self._fitted_rounds(model, losses, seed, held_out)
        return self._keep(fitted, coded.table.schema, target)

    def _fitted_rounds(
        self, model: Predictor, losses: list[float], seed: int, held_out: bool
    ) -> dict[str, Any]:
        fitted = {
            "trees_": list(model.trees),
            "baseline_": model.baseline,
            "_values": list(model.values or ()),
            "_first_output": list(model.first_output or ()),
            "_stage_ends": list(model.stage_ends or ()),
            "_seed": seed,
            "_gain_importances": self.estimator is None,
            "_held_out": held_out,
        }
        return fitted | ({"validation_loss_": losses} if self.early_stopping else {})

    def _keep(self, fitted: dict[str, Any], schema: Schema, target: Target) -> Self:
        for name in self._fitted:
            self.__dict__.pop(name, None)  # of an earlier fit
        self._remember_columns(schema, target.classes, target.cost_matrix)
        self.__dict__.update(fitted)
        return self

    def _check_warm_start(self, table: Table, target: Target, held_out: bool) -> None:
        if self.n_estimators < self.n_iter_:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to the {self.n_iter_} "
                "iterations of the previous fit when warm_start=True."
            )
        if table.schema != self.schema_ or not np.array_equal(
            target.classes, getattr(self, "classes_", target.classes)
        ):
            raise ValueError(
                "warm_start=True continues the previous fit, but the columns, their categories or "
                "the classes have changed. Fit the same data, or set warm_start=False."
            )
        if held_out != self._held_out:
            raise ValueError(
                "warm_start=True continues the previous fit, but the rows held out for early "
                "stopping have changed. Keep early_stopping and X_val as they were, or set "
                "warm_start=False."
            )

    def _check_fitted(self) -> None:
        n_outputs, n_trees = len(self.baseline_), len(self.trees_)
        if n_outputs != self._n_scores():
            raise ValueError("it has not one score for each class")
        if not len(self._values) == len(self._first_output) == n_trees:
            raise ValueError("its trees have not one table of values each")
        for tree, values, first in zip(self.trees_, self._values, self._first_output, strict=True):
            if len(values) != tree.n_nodes or first > n_outputs - values.shape[1]:
                raise ValueError("the values of a tree do not fit its nodes or the classes")
        sizes = [np.abs(values).max(initial=0.0) for values in (self.baseline_, *self._values)]
        if not sum(sizes) < kinds.MAX_SUM:
            raise ValueError("the values of its nodes are too large to be added")
        ends = [0, *self._stage_ends]
        if sorted(ends) != ends or ends[-1] != n_trees:
            raise ValueError("its iterations are not numbers of trees, ascending")

    def _n_scores(self) -> int:
        """Number of raw scores."""
        return 1

    # Predicting

    @property
    def n_iter_(self) -> int:
        """Number of iterations kept."""
        return self.predictor_.n_stages

    @property
    def predictor_(self) -> Predictor:
        """The trees with the values of their nodes."""
        check_is_fitted(self)
        return Predictor(
            self.schema_,
            self._target_spec,
            tuple(self.trees_),
            values=tuple(self._values),
            first_output=tuple(self._first_output),
            baseline=self.baseline_,
            aggregate="sum",
            link=link_of(self._fitted_loss(), len(self.baseline_)),
            stage_ends=tuple(self._stage_ends),
        )

    def _fitted_loss(self) -> Loss:
        """The loss of the last fit."""
        return self._loss()

    def _handle_unknown(self) -> str:
        return self.handle_unknown

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Fraction of each column in the total gain of all splits."""
        check_is_fitted(self)
        if not self._gain_importances:
            return super().feature_importances_
        gains = np.zeros(len(self.schema_))
        for tree in self.trees_:
            inner = tree.column >= 0
            np.add.at(gains, tree.column[inner], tree.score[inner])
        total = gains.sum()
        return gains / total if total > 0 else gains


class BoostedTreesClassifier(PredictionSets, GradientBoosting, TreeEnsembleClassifier):
    """Gradient boosting of decision trees with native support for categorical features.

    Minimizes the log loss. The categories of a nominal column are ordered by their gradients and
    split by a threshold. A row has no influence on the position of its own category, so a column of
    many categories has no advantage over a numeric one.

    Parameters
    ----------
    n_estimators : int, default=200
        Maximum number of iterations.
    learning_rate : float, default=0.1
        Factor of the values of the leaves.
    estimator : TreeClassifier or None, default=None
        If given, each tree is a clone of this classifier, fitted on rows weighted by their
        residuals, and its leaves get Newton steps as values. `partitioner`, `selection`,
        `max_bins` and the limits of trees below are then not used.
    partitioner : {"target_statistics", "random_order", "auto"} or Partitioner, \
            default="target_statistics"
        How the categories of a nominal column become two groups:

        - "target_statistics": by a threshold on the mean gradient of each category, which a row
          gets from other rows of its category only, so that rare categories and names of rows
          cannot be overfitted. Columns of at most four categories are split as with "auto", and
          columns about which the rows do not agree as with "random_order".
        - "random_order": by a threshold in a random order, drawn for each node or, with
          ``Partitioner("random_order", per="tree")``, for each tree.
        - "auto": the two groups with the largest gain.

        Other searches are options of `estimator`.
    selection : {"adjusted", "score"}, default="adjusted"
        How the split of a node is chosen among columns: by its gain less the gain that a nominal
        column of as many categories would reach by chance, or by its gain alone.
    max_depth : int or None, default=4
        Maximum depth of a tree. If None, there is no limit.
    max_leaf_nodes : int or None, default=None
        Maximum number of leaves of a tree, which then grows best-first. If None, there is no limit.
    min_samples_leaf : int or float, default=1
        Minimum number of rows in a leaf. A float in (0, 1) is a fraction of the training rows.
    min_child_weight : float, default=1e-3
        Minimum sum of hessians in a leaf.
    l2_regularization : float, default=1.0
        Added to the sum of hessians of a leaf; shrinks the values of small leaves.
    cat_l2 : float, default=0.0
        Additional L2 regularization in the gain of splits of nominal columns.
    cat_smooth : float, default=3.0
        Added to the sum of hessians of each category before categories are ordered by their
        gradients, so that rare ones are not at the ends. Not used by random orders.
    min_split_gain : float, default=0.0
        Minimum gain of a split.
    max_features : None, int, float, "sqrt", "log2" or "auto", default="auto"
        Number of columns drawn at random for each node. If None, all columns are used. If "auto",
        all columns that have target statistics and half of the others.
    colsample_bytree : None, int, float, "sqrt" or "log2", default=None
        Number of columns drawn at random for each tree. If None, all columns are used.
    subsample : float, default=1.0
        Fraction of the rows drawn at random for each iteration.
    multi_strategy : {"multi_output_tree", "one_output_per_tree"}, default="multi_output_tree"
        With more than two classes: whether each iteration grows one tree with a value for every
        class, or one tree for each class.
    max_bins : int, default=255
        Maximum number of bins of a numeric column. Bins have about the same weight.
    early_stopping : bool, default=False
        Whether to stop if the loss on validation rows no longer improves, and to keep the
        iterations up to the best one.
    validation_fraction : float, default=0.1
        Fraction of the training rows held out for early stopping, unless `fit` gets `X_val`.
    n_iter_no_change : int, default=20
        Stop if the validation loss has not improved for this many iterations. Only used if
        `early_stopping=True`.
    handle_unknown : {"stop", "missing", "majority", "error"}, default="stop"
        How to treat categories that did not occur in training, as in `TreeClassifier`.
    class_weight : mapping, "balanced" or None, default=None
        Weights of the classes.
    cost_matrix : array-like of shape (n_classes, n_classes), mapping or None, default=None
        Costs of mistakes, as in `TreeClassifier`. They are not used to fit the trees: the class of
        least expected cost is predicted.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to treat as nominal, whatever their type.
    ordinal_features : mapping of str to sequence, optional
        Ordinal columns, and their categories in order.
    crossed_features : None, "auto" or list of lists of str or int, default=None
        Columns to cross; see `TreeClassifier`.
    monotonic_cst : None, dict of str to int, or array-like of int, default=None
        Monotonic constraints on numeric and ordinal columns, for two classes: 1 if
        the probability of the second class must not fall while the column rises, -1 if it must
        not rise, 0 for no constraint; by column name, or one for each column. Not with
        `estimator`.
    n_jobs : int or None, default=None
        Number of threads, -1 for all processors. The trees do not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the random parts.
    warm_start : bool, default=False
        Whether `fit` adds iterations to those of the previous fit. With target statistics, the
        previous iterations are done again to find the leaves of the training rows.
    verbose : int, default=0
        Whether to show a progress bar.
    time_limit : float or None, default=None
        Maximum number of seconds of `fit`. If time runs out, fewer iterations are done and a
        warning is issued.

    Attributes
    ----------
    trees_ : list of Tree
        The trees in the order in which they were grown.
    n_iter_ : int
        Number of iterations kept.
    baseline_ : ndarray of shape (n_outputs,)
        Raw scores before the first tree: the log odds of the second of two classes, or one score
        per class. Not set if there is a single class.
    predictor_ : Predictor
        The trees with the values of their nodes.
    validation_loss_ : list of float
        Loss on the validation rows after each iteration. Only set if `early_stopping=True`.
    classes_, schema_, n_features_in_, feature_names_in_
        As in `TreeClassifier`.

    See Also
    --------
    AdaBoostTreesClassifier : Boosting by weights of rows.
    EnsembleClassifier : Boosted trees and a forest together.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"color": ["red", "blue", "green", "blue"] * 5, "size": [1, 2, 3, 4] * 5}
    >>> model = mw.BoostedTreesClassifier(n_estimators=20, random_state=0)
    >>> model.fit(X, ["yes", "no", "yes", "no"] * 5).predict({"color": ["red"], "size": [1]})
    array(['yes'], dtype='<U3')
    """

    voting = "hard"  # of the only tree, if there is a single class
    _needs_for_sets = "fit with early_stopping=True"
    _fitted: ClassVar[kinds.Fitted] = {**GradientBoosting._fitted, **SET_SCORES}

    _parameters: ClassVar[Mapping[str, Constraint]] = {
        **GradientBoosting._parameters,
        "partitioner": _partitioner(
            lambda given: (
                " For another search use estimator="
                f"TreeClassifier(partitioner={given!r}, max_depth=4, pruning=None)."
            )
        ),
        "multi_strategy": OneOf("multi_output_tree", "one_output_per_tree"),
        "cost_matrix": COST_MATRIX,
        "crossed_features": CROSSED_FEATURES,
    }

    def __init__(
        self,
        *,
        n_estimators: int = 200,
        learning_rate: float = 0.1,
        estimator: TreeClassifier | None = None,
        partitioner: str | Partitioner = "target_statistics",
        selection: Literal["adjusted", "score"] = "adjusted",
        max_depth: int | None = 4,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: float = 1,
        min_child_weight: float = 1e-3,
        l2_regularization: float = 1.0,
        cat_l2: float = 0.0,
        cat_smooth: float = 3.0,
        min_split_gain: float = 0.0,
        max_features: float | str | None = "auto",
        colsample_bytree: float | str | None = None,
        subsample: float = 1.0,
        multi_strategy: Literal["multi_output_tree", "one_output_per_tree"] = "multi_output_tree",
        max_bins: int = 255,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 20,
        handle_unknown: Literal["stop", "missing", "majority", "error"] = "stop",
        class_weight: Mapping[Any, float] | str | None = None,
        cost_matrix: Any = None,
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
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.estimator = estimator
        self.partitioner = partitioner
        self.selection = selection
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.min_child_weight = min_child_weight
        self.l2_regularization = l2_regularization
        self.cat_l2 = cat_l2
        self.cat_smooth = cat_smooth
        self.min_split_gain = min_split_gain
        self.max_features = max_features
        self.colsample_bytree = colsample_bytree
        self.subsample = subsample
        self.multi_strategy = multi_strategy
        self.max_bins = max_bins
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.handle_unknown = handle_unknown
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.crossed_features = crossed_features
        self.monotonic_cst = monotonic_cst
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.time_limit = time_limit

    # Parameters

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.estimator is None:
            return
        read_member(self.estimator)
        if getattr(self.estimator, "handle_missing", "") == "fractional":
            raise ValueError(
                "estimator with handle_missing='fractional' sends a row to several leaves, which "
                "gradient boosting does not support. Use handle_missing='learned' or 'category', "
                "or AdaBoostTreesClassifier."
            )
        if self.colsample_bytree is not None:
            raise ValueError(
                "colsample_bytree is not supported with estimator; got "
                f"{self.colsample_bytree!r}. Use max_features of estimator, which draws columns at "
                "each node."
            )

    def _loss(self) -> Loss:
        return LogLoss()

    # Fitting

    def _fit_table(
        self,
        coded: EncodedTable,
        target: Target,
        seed: int,
        time_limit: float,
        validation: tuple[Table, Target] | None = None,
    ) -> Self:
        super()._fit_table(coded, target, seed, time_limit, validation)
        if not self.early_stopping or not hasattr(self, "baseline_"):
            return self
        if validation is not None:
            rows, truth = validation
        else:
            held = hold_out(target.codes, self.validation_fraction, self._seed, target.weights)
            rows, truth = coded.table.take(held), target.take(held)
        known = np.ones(truth.n_rows, bool) if truth.weights is None else truth.weights > 0
        of_truth = self.predictor_.probabilities(rows)[np.arange(truth.n_rows), truth.codes]
        if known.any():
            self._set_scores = set_scores(of_truth[known])
        return self

    def _check_fitted(self) -> None:
        if hasattr(self, "baseline_"):
            super()._check_fitted()
        elif len(self.classes_) > 1 or len(self.trees_) != 1:
            raise ValueError("it has no baseline")

    def _n_scores(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    # Predicting

    @property
    def predictor_(self) -> Predictor:
        """The trees with the values of their nodes."""
        if hasattr(self, "baseline_") or not hasattr(self, "trees_"):
            return super().predictor_
        return super(GradientBoosting, self).predictor_  # of a single class

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Compute raw scores: the log odds of the second of two classes, or one score per class."""
        table = self._new(X)
        if not hasattr(self, "baseline_"):
            return self.predictor_.probabilities(table)
        scores = self.predictor_.scores(table, self.n_jobs)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _handle_unknown(self) -> str:
        return self.handle_unknown if self.estimator is None else str(self.estimator.handle_unknown)

    def _impurity(self) -> Literal["gini", "entropy"]:
        return "entropy" if self.estimator is None else self.estimator._impurity()


def _check_validation(X_val: Any, y_val: Any, sample_weight_val: Any, early_stopping: bool) -> None:
    if (X_val is None) != (y_val is None):
        given, other = ("X_val", "y_val") if y_val is None else ("y_val", "X_val")
        raise ValueError(f"fit got {given} without {other}. Pass both or neither.")
    if X_val is None and sample_weight_val is not None:
        raise ValueError("fit got sample_weight_val without X_val. Pass both or neither.")
    if X_val is not None and not early_stopping:
        raise ValueError(
            "X_val and y_val are only used if early_stopping=True; got early_stopping=False. Use "
            "staged_predict or staged_predict_proba to evaluate each iteration after fit."
        )
