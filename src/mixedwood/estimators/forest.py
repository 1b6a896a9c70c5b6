"""Forests: bagging, random forests, and the code that all forests share."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from mixedwood import _kinds as kinds
from mixedwood._limits import Deadline, read_time_limit, user_stacklevel
from mixedwood._parallel import grow_members
from mixedwood._params import (
    CALLABLE,
    COST_MATRIX,
    CROSSED_FEATURES,
    FLAG,
    MONOTONIC_CST,
    N_JOBS,
    NONE,
    TIME_LIMIT,
    VERBOSE,
    ColumnsOrFraction,
    Constraint,
    Int,
    RowsOrFraction,
    count_columns,
    count_rows,
    validate,
)
from mixedwood._random import seed_of
from mixedwood.data import Table, Target, read_table
from mixedwood.data.monotonic import monotonic_signs
from mixedwood.estimators._conformal import SET_SCORES, PredictionSets, set_scores
from mixedwood.estimators._ensemble import VOTING, TreeEnsemble, TreeEnsembleClassifier, Vote
from mixedwood.estimators._sampling import BaggingPlan
from mixedwood.estimators._single import SingleTree, SingleTreeClassifier
from mixedwood.estimators.c45 import C45TreeClassifier
from mixedwood.estimators.tree import TreeClassifier
from mixedwood.grow import EncodedTable
from mixedwood.tree import Predictor, TargetSpec, Tree

__all__ = ["BaseForest", "BaseForestClassifier", "ForestClassifier", "default_tree", "read_member"]


class OutOfBag:
    """An attribute that only a fit with `oob_score` sets; otherwise an error that says so."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, model: BaseForest | None, owner: type) -> Any:
        if model is None:
            return self
        also = "" if model.bootstrap or model.max_samples is not None else " and bootstrap=True"
        fitted = "was fitted without it" if "trees_" in vars(model) else "is not fitted yet"
        raise AttributeError(
            f"{self.name} is set by a fit with oob_score=True{also}; this {owner.__name__} "
            f"{fitted}.",
            name=self.name,
            obj=model,
        )


class BaseForest(TreeEnsemble):
    """Trees grown on samples of rows and columns; subclasses choose the tree and the defaults.

    A subclass defines `_default_tree`, how out-of-bag predictions are made and scored, and a name
    for them.
    """

    estimator: Any
    n_estimators: int
    bootstrap: bool
    max_samples: float | None
    colsample_bytree: float | str | None
    oob_score: bool | Callable[[Any, Any], float]
    random_state: Any
    warm_start: bool
    verbose: int
    time_limit: float | None
    monotonic_cst: Any = None  # a parameter of some

    oob_score_: Any = OutOfBag()
    _seed: int
    _sampling: tuple[Any, ...]

    _member_class: ClassVar[type[SingleTree]]
    _oob_name: ClassVar[str]
    # Attributes that a fit may or may not set.
    _optional: ClassVar[tuple[str, ...]]

    _fitted: ClassVar[kinds.Fitted] = {
        "trees_": kinds.list_of(kinds.instance(Tree), 1),
        "_seed": kinds.COUNT,
        "_sampling": kinds.tuple_of(
            kinds.Kind(
                "an int, bool, str or None", lambda v: type(v) in (int, bool, str, type(None))
            )
        ),
        "oob_score_": kinds.sometimes(kinds.number()),
    }

    _parameters: ClassVar[dict[str, Constraint]] = {
        "n_estimators": Int(1),
        "bootstrap": FLAG,
        "max_samples": RowsOrFraction("right") | NONE,
        "colsample_bytree": ColumnsOrFraction() | NONE,
        "oob_score": FLAG | CALLABLE,
        "n_jobs": N_JOBS,
        "warm_start": FLAG,
        "verbose": VERBOSE,
        "time_limit": TIME_LIMIT,
    }

    # What subclasses define

    def _default_tree(self) -> Any:
        """Make the tree that ``estimator=None`` stands for."""
        raise NotImplementedError

    def _member(self) -> Any:
        """Return the estimator of the trees."""
        return self._default_tree() if self.estimator is None else self.estimator

    def _grow_function(self) -> Callable[..., Any]:
        """Return what grows a tree of a sample; see `BaggingPlan`."""
        return read_member(self._member(), self._member_class)._fit_encoded

    def _constrained(self, table: Table) -> Callable[..., Any]:
        """Return what grows a tree, with the monotonic constraints of the forest."""
        if self.monotonic_cst is None:
            return self._grow_function()
        tree = clone(self._member())
        if "monotonic_cst" not in tree.get_params(deep=False):
            raise TypeError(
                f"monotonic_cst needs an estimator with constraints, such as TreeClassifier or "
                f"TreeRegressor. Got {tree!r} instead."
            )
        # By name: a tree may see a part of the columns.
        signs = monotonic_signs(self.monotonic_cst, table.schema).tolist()
        tree.set_params(monotonic_cst=dict(zip(table.schema.names, signs, strict=True)))
        tree._check_parameters()
        return cast("Callable[..., Any]", tree._fit_encoded)

    def _grow(
        self, plan: BaggingPlan, numbers: range, time_limit: float
    ) -> tuple[list[Tree], dict[str, Any]]:
        """Grow trees; the dict has further attributes that `fit` sets."""
        return self._grow_members(plan, numbers, time_limit), {}

    def _grow_members(self, plan: BaggingPlan, numbers: range, time_limit: float) -> list[Any]:
        return grow_members(
            plan, numbers, n_jobs=self.n_jobs, verbose=self.verbose, time_limit=time_limit
        )

    def _further(self, plan: BaggingPlan, trees: list[Tree]) -> dict[str, Any]:
        """Compute attributes from all trees and their samples."""
        return _out_of_bag(self, plan, trees) if self.oob_score else {}

    def _out_of_bag_predictor(self, trees: list[Tree]) -> Predictor:
        return Predictor.of_trees(trees)

    def _training_samples(self, table: Table) -> list[NDArray[np.int32]]:
        """Draw the rows of each tree again, given the columns of the training rows."""
        known = getattr(self, "_sampling", None)
        if known is None or known[0] != table.n_rows or known[4] is not None:
            raise ValueError(
                "Out-of-bag rows need the training rows, in the same order and without rows of "
                f"weight 0. X has {table.n_rows} rows"
                + (f", training had {known[0]}." if known else "; the model file is too old.")
            )
        n_rows, n_drawn, bootstrap, n_columns, _ = known
        if n_drawn is None or (not bootstrap and n_drawn >= n_rows):
            raise ValueError("Every tree was grown on all rows, so there are no out-of-bag rows.")
        full = read_table(table, schema=self.schema_)
        plan = BaggingPlan(
            EncodedTable(full), Target(np.empty(0), np.empty(0, np.int32)), self._grow_function(),
            self._seed, n_columns, bootstrap, n_drawn,
        )  # fmt: skip
        return [plan.rows_of(number) for number in range(len(self.trees_))]

    def _score_out_of_bag(self, plan: BaggingPlan, predicted: Any, known: Any) -> Any:
        """Score out-of-bag predictions of the rows that have one."""
        raise NotImplementedError

    def _default_part(self, name: str, given: Any) -> Any:
        return self._default_tree() if name == "estimator" and given is None else None

    def _handle_unknown(self) -> str:
        return str(getattr(self._member(), "handle_unknown", "stop"))

    def _impurity(self) -> Literal["gini", "entropy"]:
        measure = getattr(self._member(), "_impurity", None)
        return "gini" if measure is None else measure()

    # Fitting

    def _fit_rows(self, X: Any, y: Any, sample_weight: ArrayLike | float | None) -> Self:
        self._check_parameters()
        deadline = Deadline.after(read_time_limit(self.time_limit))
        table, target, kept = self._read_kept(X, y, sample_weight)
        self._fit_table(EncodedTable(table), target, deadline.left(), kept)
        if self.oob_score and kept is not None:
            # Rows of weight 0 are in no sample, so that all trees predict them.
            others = read_table(X, schema=self.schema_).take(~kept)
            found = vars(self)[self._oob_name]
            of_all = np.empty((len(kept), *found.shape[1:]))
            of_all[kept], of_all[~kept] = found, self._predict_others(others)
            setattr(self, self._oob_name, of_all)
        return self

    def _predict_others(self, table: Table) -> NDArray[np.float64]:
        """Predict rows that no tree was grown on."""
        raise NotImplementedError

    def _fit_table(
        self,
        coded: EncodedTable,
        target: Target,
        time_limit: float,
        kept: NDArray[np.bool_] | None = None,
    ) -> Self:
        self._check_parameters()
        table = coded.table
        self._check_table(table)
        warm = self.warm_start and hasattr(self, "trees_")
        trees: list[Tree] = list(self.trees_) if warm else []
        draws = bool(self.bootstrap) or self.max_samples is not None
        plan = BaggingPlan(
            coded=coded,
            target=target,
            grow=self._constrained(table),
            seed=self._seed if warm else seed_of(self.random_state),
            n_columns=count_columns(self.colsample_bytree, table.n_columns),
            bootstrap=bool(self.bootstrap),
            n_rows=self._sample_size(table.n_rows) if draws else None,
            kept=kept,
        )
        if warm:
            self._check_warm_start(table, target, plan.sampling)
        grown, further = self._grow(plan, range(len(trees), self.n_estimators), time_limit)
        trees += grown
        for tree in trees:  # trees from other processes have copies of the schema
            if tree.schema is not table.schema:
                object.__setattr__(tree, "schema", table.schema)
                object.__setattr__(tree, "classes", trees[0].classes)
        further |= self._further(plan, trees)
        self._remember(table, target)
        for name in self._optional:
            self.__dict__.pop(name, None)  # of an earlier fit
        self.trees_, self._seed, self._sampling = trees, plan.seed, plan.sampling
        for name, value in further.items():
            setattr(self, name, value)
        return self

    # Checks

    def _check_parameters(self) -> None:
        validate(self)
        if self.max_samples is None:
            self._check_out_of_bag(1)
        self._grow_function()

    def _check_table(self, table: Table) -> None:
        """Check parameters that depend on the table."""
        self._check_out_of_bag(table.n_rows)

    def _sample_size(self, n_rows: int) -> int:
        return int(count_rows(self.max_samples, n_rows, nearest=True))

    def _leaves_rows_out(self, n_rows: int) -> bool:
        """Whether a sample from this number of rows may leave rows out."""
        return bool(self.bootstrap) or self._sample_size(n_rows) < n_rows

    def _check_out_of_bag(self, n_rows: int) -> None:
        if self.oob_score and not self._leaves_rows_out(n_rows):
            raise ValueError(
                "oob_score needs samples that leave rows out: set bootstrap=True, or max_samples "
                f"to less than all rows. Got bootstrap=False and max_samples={self.max_samples!r}."
            )

    def _check_warm_start(self, table: Table, target: Target, sampling: Any) -> None:
        n_previous = len(self.trees_)
        if self.n_estimators < n_previous:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to the {n_previous} "
                "trees of the previous fit when warm_start=True."
            )
        if self.n_estimators == n_previous:
            warnings.warn(
                "Warm-start fitting without increasing n_estimators does not fit new trees.",
                UserWarning,
                stacklevel=user_stacklevel(),
            )
        classes = getattr(self, "classes_", target.classes)
        if table.schema != self.schema_ or not np.array_equal(target.classes, classes):
            raise ValueError(
                "warm_start=True continues the previous fit, but the columns, their categories or "
                "the classes have changed. Fit the same data, or set warm_start=False."
            )
        # Model files of the first versions may not have _sampling.
        if self.oob_score and getattr(self, "_sampling", None) != sampling:
            raise ValueError(
                "oob_score needs the samples of the previous fit, but the number of rows or their "
                "sampling has changed. Set oob_score=False, or warm_start=False."
            )


class BaseForestClassifier(PredictionSets, BaseForest, TreeEnsembleClassifier):
    """A forest that predicts classes.

    A subclass has the parameters of `ForestClassifier` and defines `_default_tree`.
    """

    voting: Vote

    oob_decision_function_: Any = OutOfBag()

    _member_class = SingleTreeClassifier
    _oob_name = "oob_decision_function_"
    _optional = ("oob_score_", "oob_decision_function_", "_set_scores")
    _needs_for_sets = "fit with oob_score=True, and bootstrap=True or max_samples below 1"

    _fitted: ClassVar[kinds.Fitted] = {
        **BaseForest._fitted,
        "oob_decision_function_": kinds.sometimes(kinds.array(np.float64, 2)),
        **SET_SCORES,
    }

    _parameters: ClassVar[dict[str, Constraint]] = {
        **BaseForest._parameters,
        "voting": VOTING,
        "cost_matrix": COST_MATRIX,
        "crossed_features": CROSSED_FEATURES,
    }

    def _further(self, plan: BaggingPlan, trees: list[Tree]) -> dict[str, Any]:
        found = super()._further(plan, trees)
        if self._oob_name in found:
            codes = plan.target.codes
            of_truth = found[self._oob_name][np.arange(len(codes)), codes]
            found["_set_scores"] = set_scores(of_truth)
        return found

    def _predict_others(self, table: Table) -> NDArray[np.float64]:
        return self.predictor_.probabilities(table, self.n_jobs)

    def _out_of_bag_predictor(self, trees: list[Tree]) -> Predictor:
        return Predictor.of_trees(trees, aggregate="vote" if self.voting == "hard" else "mean")

    def _score_out_of_bag(self, plan: BaggingPlan, predicted: Any, known: Any) -> Any:
        spec = TargetSpec(plan.target.classes, cost_matrix=plan.target.cost_matrix)
        true, chosen = plan.target.codes[known], spec.decide(predicted)
        if callable(self.oob_score):
            classes = plan.target.classes
            return self.oob_score(classes[true], classes[chosen])
        return (chosen == true).mean()

    def _check_fitted(self) -> None:
        decisions = vars(self).get("oob_decision_function_")
        if decisions is None:
            return
        if decisions.shape[1] != len(self.classes_):
            raise ValueError("its out-of-bag probabilities are not one for each class")
        known = decisions[~np.isnan(decisions).all(axis=1)]
        off = np.abs(known.sum(axis=1, keepdims=True) - 1)
        if not ((known >= 0) & (off <= kinds.ROUNDING)).all():
            raise ValueError("its out-of-bag probabilities do not add up to 1")


def read_member(estimator: Any, kind: type[SingleTree] = SingleTreeClassifier) -> SingleTree:
    """Check the estimator of the trees of an ensemble."""
    if not isinstance(estimator, kind):
        example = "TreeClassifier" if kind is SingleTreeClassifier else "TreeRegressor"
        came = f"the class {estimator.__name__}" if isinstance(estimator, type) else repr(estimator)
        number = isinstance(estimator, (int, np.integer))
        hint = f" For {came} trees, pass n_estimators={came}." if number else ""
        raise TypeError(
            f"estimator must be None or a tree of mixedwood, such as {example}(max_depth=5); "
            f"got {came}.{hint}"
        )
    of_ensemble = ("class_weight", "cost_matrix", "categorical_features", "ordinal_features")
    for name in (*of_ensemble, "crossed_features", "monotonic_cst"):
        if getattr(estimator, name, None) is not None:
            raise ValueError(
                f"{name} of estimator must be None: set {name} of the ensemble, which reads the "
                "data once for all trees."
            )
    estimator._check_parameters()
    return estimator


def _out_of_bag(model: BaseForest, plan: BaggingPlan, trees: list[Tree]) -> dict[str, Any]:
    """Predict each row with the trees that were grown without it, and score the predictions."""
    predictor = model._out_of_bag_predictor(trees)
    samples: Iterator[NDArray[np.int32]] = map(plan.rows_of, range(len(trees)))
    decisions = predictor.out_of_bag(plan.table, samples)
    known = ~np.isnan(decisions[:, 0])
    if not known.all():
        warnings.warn(
            f"{int((~known).sum())} of {len(known)} rows are in the sample of every tree and have "
            "no out-of-bag prediction; grow more trees.",
            UserWarning,
            stacklevel=user_stacklevel(),
        )
    score: Any = math.nan
    if known.any():
        score = model._score_out_of_bag(plan, decisions[known], known)
    if not isinstance(score, (int, float, np.integer, np.floating)):
        what = "numbers" if predictor.target.is_numeric else "classes"
        raise TypeError(
            f"oob_score must be a function that returns a number, given true and predicted {what}; "
            f"{model.oob_score!r} returned {score!r}."
        )
    numeric = predictor.target.is_numeric
    return {"oob_score_": float(score), model._oob_name: decisions[:, 0] if numeric else decisions}


def default_tree() -> TreeClassifier:
    """Make the tree of a random forest."""
    return TreeClassifier(criterion="gini", max_features="sqrt", pruning=None)


class ForestClassifier(BaseForestClassifier):
    """A forest: trees grown on random samples of rows and columns, whose predictions are averaged.

    Bagging and random forests with any tree of this library; see the presets.

    Parameters
    ----------
    estimator : tree classifier or None, default=None
        The tree, whose parameters apply to all trees of the forest; its `random_state` is not used.
        If None, an unpruned tree that draws the square root of the number of columns at each node.
    n_estimators : int, default=100
        Number of trees.
    bootstrap : bool, default=True
        Whether each tree is grown on a sample of the rows drawn with replacement.
    max_samples : int, float or None, default=None
        Number of rows in each sample, or a fraction of the rows. If None, as many as there are.
        With ``bootstrap=False``, rows are drawn without replacement.
    colsample_bytree : int, float, "sqrt", "log2" or None, default=None
        Number or fraction of the columns that are drawn for each tree. If None, all columns. The
        `max_features` of the estimator draws columns at each node.
    voting : {"soft", "hard"}, default="soft"
        Whether class probabilities of the trees are averaged, or the votes of the trees are
        counted. Of equally probable classes, the first in ``classes_`` is predicted.
    oob_score : bool or callable, default=False
        Whether to score the forest on out-of-bag rows: by accuracy if True, or by a function of
        true and predicted classes, such as `sklearn.metrics.f1_score`.
    class_weight : mapping, "balanced" or None, default=None
        Weights of the classes. They have no effect on leaves with rows of one class; set
        `min_samples_leaf` or `pruning` of the estimator, too.
    cost_matrix : array-like of shape (n_classes, n_classes), mapping or None, default=None
        Costs of mistakes, as in `TreeClassifier`: trees are grown and pruned as the estimator
        does, and the class of least expected cost is predicted. Trees vote for the most probable
        class, so that class probabilities do not depend on costs.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal whatever their type.
    ordinal_features : mapping of str to sequence, optional
        Ordinal columns, and their categories in order.
    crossed_features : None, "auto" or list of lists of str or int, default=None
        Columns to cross; see `TreeClassifier`.
    monotonic_cst : None, dict of str to int, or array-like of int, default=None
        Monotonic constraints of all trees; see `TreeClassifier`.
    n_jobs : int or None, default=None
        Number of threads, -1 for all processors. Results do not depend on it. Use
        ``joblib.parallel_config`` around `fit` for other backends of joblib.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the forest. If None, each fit gives another forest.
    warm_start : bool, default=False
        Whether `fit` keeps the trees of the previous fit and adds trees up to `n_estimators`. The
        result is the same as that of one fit.
    verbose : int, default=0
        Whether to show progress on standard error.
    time_limit : float or None, default=None
        Time limit of `fit` in seconds. Trees that are not begun by then are left out, with a
        warning, and those in progress stop growing; there is always one tree.

    Attributes
    ----------
    trees_ : list of Tree
        The trees.
    predictor_ : Predictor
        The trees, and how their predictions are combined.
    classes_ : ndarray
        The classes.
    schema_ : Schema
        Names, types and categories of the columns.
    oob_score_ : float
        With `oob_score`: score of the out-of-bag predictions.
    oob_decision_function_ : ndarray of shape (n_rows, n_classes)
        With `oob_score`: class probabilities of each row from the trees that were grown without it;
        NaN for rows that are in every sample.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    ForestClassifier.random_forest, ForestClassifier.bagging_c45, ForestClassifier.bagging_cart :
        Presets.
    ForestClassifier.random_subsets : Baseline with random groups of categories.
    RandomOrdinalityClassifier : Trees with random orders of the categories.
    GrowPruneForestClassifier : Trees grown and pruned on alternating halves of the rows.

    Notes
    -----
    A tree depends on the seed and on its number alone: it is the same for any `n_jobs`, in any
    larger forest, and when `warm_start` adds it.

    If `fit` is interrupted, the forest stays unfitted, or as the previous fit left it.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"colour": ["red", "blue", "green", "blue"] * 5, "size": [1, 2, 3, 4] * 5}
    >>> model = mw.ForestClassifier(n_estimators=10, random_state=0)
    >>> model.fit(X, ["yes", "no", "yes", "no"] * 5).predict({"colour": ["red"], "size": [1]})
    array(['yes'], dtype='<U3')
    """

    _fits_in_pieces = True

    _parameters: ClassVar[dict[str, Constraint]] = {
        **BaseForestClassifier._parameters,
        "monotonic_cst": MONOTONIC_CST,
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 100,
        *,
        bootstrap: bool = True,
        max_samples: float | None = None,
        colsample_bytree: float | str | None = None,
        voting: Vote = "soft",
        oob_score: bool | Callable[[Any, Any], float] = False,
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
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.colsample_bytree = colsample_bytree
        self.voting = voting
        self.oob_score = oob_score
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.crossed_features = crossed_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.time_limit = time_limit
        self.monotonic_cst = monotonic_cst

    def _default_tree(self) -> TreeClassifier:
        return default_tree()

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | float | str | None = None) -> Self:
        """Fit the forest to a table.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows;
            or a table that is read in pieces, as for `TreeClassifier.fit`.
        y : array-like of shape (n_rows,), or str
            Class labels: text, booleans or integers. With a str, X is read in pieces, and has the
            labels in the column of this name.
        sample_weight : array-like of shape (n_rows,), or str, optional
            Weights of the rows; rows of weight 0 are ignored. Pieces have them in a column.

        Returns
        -------
        estimator
            The fitted estimator itself.
        """
        if isinstance(y, str):
            from mixedwood.estimators._chunked import fit_forest_chunks

            layout, costs = fit_forest_chunks(self, X, y, sample_weight)
            self._remember_columns(layout.schema, layout.classes, costs)
            return self
        return self._fit_rows(X, y, sample_weight)

    # Presets

    @classmethod
    def random_forest(cls, n_estimators: int = 100, **parameters: Any) -> ForestClassifier:
        """Random forest (Breiman 2001) with searched groups of categories: the default.

        Parameters
        ----------
        n_estimators : int, default=100
            Number of trees.
        **parameters
            Further parameters of `ForestClassifier`.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.ForestClassifier.random_forest().estimator.max_features
        'sqrt'
        """
        return cls(**{"estimator": default_tree(), "n_estimators": n_estimators, **parameters})

    @classmethod
    def random_subsets(cls, n_estimators: int = 100, **parameters: Any) -> ForestClassifier:
        """Baseline: a random forest that splits nominal columns into random groups of categories.

        Parameters
        ----------
        n_estimators : int, default=100
            Number of trees.
        **parameters
            Further parameters of `ForestClassifier`.

        See Also
        --------
        TreeClassifier.random_subsets : A single tree of this kind.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.ForestClassifier.random_subsets().estimator.partitioner
        'random_subset'
        """
        tree = default_tree().set_params(partitioner="random_subset")
        return cls(**{"estimator": tree, "n_estimators": n_estimators, **parameters})

    @classmethod
    def bagging_c45(cls, n_estimators: int = 50, **parameters: Any) -> ForestClassifier:
        """Bagging (Breiman 1996) of unpruned C4.5 trees with averaged probabilities, as in WEKA.

        Parameters
        ----------
        n_estimators : int, default=50
            Number of trees.
        **parameters
            Further parameters of `ForestClassifier`.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.ForestClassifier.bagging_c45().estimator
        C45TreeClassifier(pruned=False)
        """
        tree = C45TreeClassifier(pruned=False)
        return cls(**{"estimator": tree, "n_estimators": n_estimators, **parameters})

    @classmethod
    def bagging_cart(
        cls, n_estimators: int = 50, *, se_rule: float = 1.0, cv: int = 10, **parameters: Any
    ) -> ForestClassifier:
        """Bagging of CART trees, each pruned by cross-validation on its own sample; hard voting.

        The copies of a row in a sample are kept in one fold. If they were in several folds, pruned
        trees would be several times too large.

        Parameters
        ----------
        n_estimators : int, default=50
            Number of trees.
        se_rule, cv
            As in `TreeClassifier.cart`.
        **parameters
            Further parameters of `ForestClassifier`.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.ForestClassifier.bagging_cart().estimator.pruning.options["cv"]
        10
        """
        preset: dict[str, Any] = {
            "estimator": TreeClassifier.cart(se_rule=se_rule, cv=cv),
            "n_estimators": n_estimators,
            "voting": "hard",
        }
        return cls(**{**preset, **parameters})
