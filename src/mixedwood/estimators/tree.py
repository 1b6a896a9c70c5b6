"""A single tree, grown greedily and pruned."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from mixedwood import _kinds as kinds
from mixedwood._limits import (
    Deadline,
    StopFlag,
    TimeLimitError,
    read_time_limit,
    warn_time_limit,
)
from mixedwood._params import (
    COST_MATRIX,
    CROSSED_FEATURES,
    FLAG,
    HANDLE_UNKNOWN,
    MONOTONIC_CST,
    NONE,
    RANDOM_STATE,
    TIME_LIMIT,
    ColumnsOrFraction,
    Constraint,
    Float,
    InstanceOf,
    Int,
    ListOf,
    OneOf,
    PartOf,
    RowsOrFraction,
    count_columns,
    count_rows,
    native_limit,
)
from mixedwood._parts import Criterion, Partitioner, Screener, criteria
from mixedwood._random import seeds_of
from mixedwood.data import Table, Target
from mixedwood.data.monotonic import monotonic_signs
from mixedwood.data.schema import row_index
from mixedwood.estimators._single import Rows, SingleTree, SingleTreeClassifier
from mixedwood.estimators.base import unknown_in_core
from mixedwood.grow import (
    TWO_CLASS_CRITERIA,
    TWO_CLASS_PARTITIONERS,
    EncodedTable,
    GrowSettings,
    grow,
    grow_two_classes,
)
from mixedwood.pruning import CostComplexityPath, CrossValidatedPath, cost_complexity_path
from mixedwood.pruning.pruner import Pruned, Pruner, grow_and_prune
from mixedwood.tree import Tree

__all__ = [
    "CRITERION",
    "GREEDY_PARAMETERS",
    "GreedyTree",
    "GreedyTreeClassifier",
    "TreeClassifier",
]

_RANDOM_PARTITIONERS = ("max_cut_sdp", "random_order", "random_subset")

CRITERION = (OneOf(*criteria()) | InstanceOf(Criterion)).with_hint(
    "Pass an instance of the class.",
    when=lambda value: isinstance(value, type) and issubclass(value, Criterion),
)

GREEDY_PARAMETERS: dict[str, Constraint] = {
    "criterion": CRITERION,
    "partitioner": PartOf(Partitioner),
    "max_depth": Int(0) | NONE,
    "min_samples_split": RowsOrFraction(),
    "min_samples_leaf": RowsOrFraction(),
    "max_leaf_nodes": Int(1) | NONE,
    "min_split_gain": Float(),
    "max_features": ColumnsOrFraction() | NONE,
    "handle_missing": OneOf("learned", "fractional", "category"),
    "handle_unknown": HANDLE_UNKNOWN,
    "pruning": PartOf(Pruner) | ListOf(PartOf(Pruner), low=0) | NONE,
    "random_state": RANDOM_STATE,
    "time_limit": TIME_LIMIT,
}


class GreedyTree(SingleTree):
    """A tree that is grown from the root down and then pruned.

    Subclasses have the parameters in `GREEDY_PARAMETERS`, or override `_settings`, `_pruners` and
    `_seeds`.
    """

    _shares_codes = True
    """Whether folds of pruning grow from rows of one encoded table."""

    partitioner: Any
    selection: str
    max_depth: int | None
    min_samples_split: Any
    min_samples_leaf: float
    max_leaf_nodes: int | None
    min_split_gain: float
    max_features: float | str | None
    handle_missing: str
    pruning: Any
    random_state: Any
    time_limit: float | None
    monotonic_cst: Any = None  # a parameter of some

    def _settings(self, n_rows: int, n_columns: int) -> GrowSettings:
        """Give the settings of growth for a table of this size."""
        return GrowSettings(
            criterion=self.criterion,
            partitioner=self.partitioner,
            selection=self.selection,
            min_split_gain=float(self.min_split_gain),
            max_depth=native_limit(self.max_depth),
            min_samples_split=count_rows(self.min_samples_split, n_rows, 2),
            min_samples_leaf=count_rows(self.min_samples_leaf, n_rows),
            max_leaf_nodes=native_limit(self.max_leaf_nodes),
            best_first=self.max_leaf_nodes is not None,
            max_features=count_columns(self.max_features, n_columns),
            handle_missing=self.handle_missing,
            handle_unknown=unknown_in_core(self.handle_unknown),
        )

    def _grow(self, *given: Any, **limits: Any) -> Tree:
        """Grow a tree; see `grow`."""
        return grow(*given, **limits)

    def _pruners(self) -> tuple[Pruner, ...]:
        return Pruner.read_all(self.pruning)

    def _seeds(self) -> tuple[int, int]:
        """Give the seed of growth, and that of folds, which is 0 if `random_state` is None."""
        seed, choice_seed = seeds_of(self.random_state)
        is_random = self.max_features is not None
        is_random |= Partitioner.read(self.partitioner).name in _RANDOM_PARTITIONERS
        return seed if is_random else choice_seed, choice_seed

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
        return self._grow_and_prune(
            table,
            target,
            seed=seed,
            rows=rows,
            choice_seed=choice_seed,
            time_limit=time_limit,
            stop=stop,
        ).tree

    def _grow_and_prune(
        self,
        table: Table | EncodedTable,
        target: Target,
        *,
        seed: int,
        rows: Rows | None = None,
        choice_seed: int | None = None,
        time_limit: float = math.inf,
        stop: StopFlag | None = None,
    ) -> Pruned:
        """Learn a tree as `_fit_encoded` does; the result includes the path of pruning."""
        coded = table if isinstance(table, EncodedTable) else EncodedTable(table)
        deadline = Deadline.after(min(time_limit, read_time_limit(self.time_limit)))
        growth = _Growth(self, seed, coded, target, rows, deadline, stop)
        pruners, table, copies_of = self._pruners(), coded.table, None
        shared = rows is not None or self._shares_codes
        if shared and any(pruner.needs_rows for pruner in pruners):
            # Folds then grow from rows of the encoded table, whose numbers are ranked only once.
            if rows is not None:
                copies_of, target = rows, target.take(rows)
            table = _SampledTable.of(table, rows)
        folds = seed if choice_seed is None else choice_seed
        try:
            return grow_and_prune(
                growth.grow, pruners, table, target, seed=folds, copies_of=copies_of
            )
        except TimeLimitError:
            if growth.first is None:
                raise
            warn_time_limit("The time limit was reached before the tree was pruned.")
            return Pruned(growth.first)


class GreedyTreeClassifier(GreedyTree, SingleTreeClassifier):
    """A classifier whose tree is grown from the root down and then pruned."""


@dataclass(frozen=True, eq=False, repr=False)
class _SampledTable(Table):
    """Rows drawn from a table; parts of it keep the row numbers of that table."""

    drawn: Rows = field(kw_only=True)

    @classmethod
    def of(cls, table: Table, rows: Rows | None) -> _SampledTable:
        taken = table if rows is None else table.take(rows)
        drawn = np.arange(table.n_rows, dtype=np.int32) if rows is None else rows
        return cls(taken.schema, taken.arrays, taken.unknown, drawn=drawn)

    def take(self, rows: Any) -> Table:
        taken, chosen = super().take(rows), row_index(rows)
        return _SampledTable(taken.schema, taken.arrays, taken.unknown, drawn=self.drawn[chosen])


@dataclass
class _Growth:
    """Grows the trees that a fit needs: the tree itself, and those of cross-validated pruning."""

    model: GreedyTree
    seed: int
    coded: EncodedTable
    target: Target  # of all rows
    rows: Rows | None
    deadline: Deadline
    stop: StopFlag | None
    first: Tree | None = None

    def grow(self, table: Table, target: Target) -> Tree:
        if self.first is not None and self.deadline.is_over():
            raise TimeLimitError("The time limit was reached while trees were grown for pruning.")
        rows = self.rows
        if isinstance(table, _SampledTable):
            rows = None if rows is None and table.n_rows == len(self.target.codes) else table.drawn
            table, target = self.coded.table, self.target
        n_rows = table.n_rows if rows is None else len(rows)
        settings = self.model._settings(n_rows, table.n_columns)
        if self.model.monotonic_cst is not None:
            signs = monotonic_signs(self.model.monotonic_cst, table.schema)
            settings = replace(settings, monotonic_cst=signs)
        tree = self.model._grow(
            self.coded if table is self.coded.table else table,
            target,
            settings,
            seed=self.seed,
            time_limit=self.deadline.left(1e-3),
            rows=rows,
            stop=self.stop,
        )
        if self.first is None:
            self.first = tree
        return tree


class TreeClassifier(GreedyTreeClassifier):
    """Decision tree for tables with categorical and numeric columns.

    Nominal columns are split into groups of categories, numeric and ordinal columns at thresholds,
    and all splits are compared on one scale. Text, categories and missing values need no encoding.

    Parameters
    ----------
    criterion : str or Criterion, default="entropy"
        The score of a split: "gini", "entropy", "gain_ratio", "twoing", "squared_gini", "chi2",
        "pearson_chi2", or an instance of a subclass of `mixedwood.splits.Criterion`.
    partitioner : str or Partitioner, default="auto"
        The search for groups of categories; `mixedwood.splits.partitioners` lists the names.
        "auto" finds the best two groups, or nearly; "multiway" makes one branch per category;
        "c45_groups" makes any number of groups.
    screener : None, str, Screener or list of them, default=None
        A condition that a nominal column must meet before it is split at a node: "chi2" or
        "second_value".
    selection : {"adjusted", "score", "average_gain", "significance"}, default="adjusted"
        How the column of a split is chosen:

        - "adjusted": by its score less the score that chance gives to a column with as many
          categories and rows. Columns with many categories, such as identifiers, are not favored.
        - "score": by its score.
        - "average_gain": by its score, among the columns whose information gain is at least
          average (a guard of the gain ratio).
        - "significance": by the p-value of its dependence on the classes (conditional inference).
    alpha : float, default=1.0
        Significance level. A node is only split if the p-value of a column is at most `alpha`. Only
        used if ``selection="significance"``.
    bonferroni : bool, default=False
        Whether to correct p-values for the number of columns. Only used if
        ``selection="significance"``.
    max_depth : int or None, default=None
        Maximum depth of the tree. If None, nodes are split until no split is accepted.
    min_samples_split : int or float, default=2
        Minimum number of rows of a node that is split. A float in (0, 1) is a fraction of the
        training rows. Weights do not matter, except with ``handle_missing="fractional"``.
    min_samples_leaf : int or float, default=1
        Minimum number of rows in a leaf. A float in (0, 1) is a fraction of the training rows. With
        "multiway" and "c45_groups", at least two branches must have this many rows.
    max_leaf_nodes : int or None, default=None
        Maximum number of leaves. If not None, the tree is grown best first.
    growth : {"auto", "depth_first", "best_first"}, default="auto"
        Order in which nodes are split, which only matters if `max_leaf_nodes` or `time_limit` ends
        growth. "auto" is "best_first" if `max_leaf_nodes` is set and "depth_first" otherwise.
    min_split_gain : float, default=0.0
        Minimum score of a split, on the scale of the criterion.
    max_features : None, int, float, "sqrt" or "log2", default=None
        Number of columns drawn at random at each node; more are drawn if none of them can be split.
        A float in (0, 1] is a fraction of the columns. If None, all columns are used.
    handle_missing : {"learned", "fractional", "category"}, default="learned"
        How rows with a missing value are split:

        - "learned": they go to the child with the better score; if there are none in training, to
          the child with the largest weight.
        - "fractional": they go to all children, with weights in proportion (C4.5).
        - "category": a missing value is one more category of a nominal column. A node without such
          rows in training treats it as an unknown category.
    handle_unknown : {"stop", "missing", "majority", "error"}, default="stop"
        What happens to a category that a node has not seen: the row stops at the node and receives
        its class distribution; it follows missing values; it goes to the child with the largest
        weight; or categories that no training row has raise an error.
    pruning : None, str, Pruner or list, default="cost_complexity"
        How the tree is pruned; `mixedwood.pruning.pruners` lists the names. Pruners in a list are
        applied one after the other. If None, the tree is not pruned.
    class_weight : mapping, "balanced" or None, default=None
        Weights of the classes.
    cost_matrix : array-like of shape (n_classes, n_classes), mapping or None, default=None
        ``cost_matrix[i, j]`` is the cost of predicting ``classes_[j]`` if ``classes_[i]`` is true;
        as a mapping, ``cost_matrix[true][predicted]``. If None, every mistake costs 1. The class of
        least expected cost is predicted, and pruning minimizes costs (pessimistic pruning counts
        errors). Of the criteria, "gini" and "squared_gini" use costs; class weights do not change.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal regardless of their dtype.
    ordinal_features : mapping of str to sequence, optional
        Ordered categories of ordinal columns.
    crossed_features : None, "auto" or list of lists of str or int, default=None
        Columns to cross, by name or position. Each list adds a nominal column of the combinations
        that training rows have, such as ``buying=high & maint=low``. Combinations of a single row,
        and all but the 1,000 most frequent, are pooled into "other combinations". "auto" adds up to
        five pairs and triples of columns that interact: together they explain significantly more of
        the classes than the sum of their effects. The default is None, since it is not known
        whether "auto" pays on average: a study on tables that were not used to design it would have
        to show a smaller error without a loss of more than two standard errors on any of them.
    monotonic_cst : None, dict of str to int, or array-like of int, default=None
        Monotonic constraints on numeric and ordinal columns, for two classes: 1 if the probability
        of the second class must not fall while the column rises, -1 if it must not rise, 0 for no
        constraint; by column name, or one for each column. They hold for all rows, whatever the
        other columns are; rows with a missing value are not part of the order. Needs the criterion
        "gini" or "entropy".
    random_state : int, RandomState, Generator or None, default=None
        Seed of the folds of cross-validated pruning, of `max_features` and of random partitioners.
        With None the folds are the same in every fit, so that a tree without random parts is, too.
    time_limit : float or None, default=None
        Maximum number of seconds of `fit`, without reading the table. If it is reached, the tree as
        grown so far is returned with a `TimeLimitWarning`.

    Attributes
    ----------
    tree_ : Tree
        The tree. Print it, draw it with ``tree_.plot()``, or display it in a notebook.
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
    TreeClassifier.cart, TreeClassifier.conditional_inference : Presets.
    C45TreeClassifier : C4.5.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"outlook": ["sun", "rain", "cloud", "sun"], "wind": [3.0, 9.0, 2.0, 8.0]}
    >>> model = mw.TreeClassifier(pruning=None).fit(X, ["play", "stay", "play", "stay"])
    >>> print(model.tree_.to_text())
    [0] root (4)
    |   [1] wind <= 5.5 (or missing): play (100 % of 2)
    |   [2] wind > 5.5: stay (100 % of 2)
    >>> model.predict({"outlook": ["rain"], "wind": [1.0]})
    array(['play'], dtype='<U4')
    """

    _parameters: ClassVar[Mapping[str, Constraint]] = {
        **GREEDY_PARAMETERS,
        "cost_matrix": COST_MATRIX,
        "crossed_features": CROSSED_FEATURES,
        "monotonic_cst": MONOTONIC_CST,
        "screener": PartOf(Screener) | ListOf(PartOf(Screener), low=0) | NONE,
        "selection": OneOf("adjusted", "score", "average_gain", "significance"),
        "alpha": Float(0, 1),
        "bonferroni": FLAG,
        "growth": OneOf("auto", "depth_first", "best_first"),
    }

    _fitted: ClassVar[kinds.Fitted] = {
        "tree_": kinds.instance(Tree),
        "pruning_path_": kinds.optional(kinds.instance(CrossValidatedPath)),
    }

    _fits_in_pieces = True

    pruning_path_: CrossValidatedPath | None

    def __init__(
        self,
        *,
        criterion: str | Criterion = "entropy",
        partitioner: str | Partitioner = "auto",
        screener: str | Screener | Sequence[str | Screener] | None = None,
        selection: Literal["adjusted", "score", "average_gain", "significance"] = "adjusted",
        alpha: float = 1.0,
        bonferroni: bool = False,
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        max_leaf_nodes: int | None = None,
        growth: Literal["auto", "depth_first", "best_first"] = "auto",
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
        monotonic_cst: Any = None,
        random_state: Any = None,
        time_limit: float | None = None,
    ) -> None:
        self.criterion = criterion
        self.partitioner = partitioner
        self.screener = screener
        self.selection = selection
        self.alpha = alpha
        self.bonferroni = bonferroni
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.growth = growth
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
        self.monotonic_cst = monotonic_cst
        self.random_state = random_state
        self.time_limit = time_limit

    # Presets

    @classmethod
    def cart(
        cls, *, criterion: str | Criterion = "gini", se_rule: float = 1.0, cv: int = 10,
        **parameters: Any,
    ) -> TreeClassifier:  # fmt: skip
        """CART (Breiman et al. 1984): Gini or twoing, cost-complexity pruning by cross-validation.

        Parameters
        ----------
        criterion : str, default="gini"
            "gini" or "twoing".
        se_rule : float, default=1.0
            The smallest tree whose error is within this many standard errors of the best is chosen.
        cv : int, default=10
            Number of folds of the cross-validation.
        **parameters
            Further parameters of `TreeClassifier`.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.TreeClassifier.cart(se_rule=0).pruning
        Pruner('cost_complexity', se_rule=0, cv=10, n_repeats=1, shrinkage=False)
        """
        pruner = Pruner("cost_complexity", se_rule=se_rule, cv=cv, n_repeats=1, shrinkage=False)
        preset = {"criterion": criterion, "selection": "score", "pruning": pruner}
        return cls(**{**preset, **parameters})

    @classmethod
    def random_subsets(cls, **parameters: Any) -> TreeClassifier:
        """Baseline: nominal columns are split into two random groups of categories; no pruning.

        The column of a node is still chosen by the score of its random split, and thresholds of
        numeric and ordinal columns are searched. Extremely randomized trees (Geurts et al. 2006)
        draw nominal splits in this way. Compare with it to see what the search for groups gains.

        Parameters
        ----------
        **parameters
            Further parameters of `TreeClassifier`.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.TreeClassifier.random_subsets(max_depth=5)
        TreeClassifier(max_depth=5, partitioner='random_subset', pruning=None)
        """
        return cls(**{"partitioner": "random_subset", "pruning": None, **parameters})

    @classmethod
    def conditional_inference(
        cls, *, criterion: str | Criterion = "gini", alpha: float = 0.05, bonferroni: bool = True,
        **parameters: Any,
    ) -> TreeClassifier:  # fmt: skip
        """Conditional inference: split the most significant column, stop if none is significant.

        The column is chosen by the p-value of its dependence on the classes, which does not favor
        columns with many categories. Its split is then found by criterion and partitioner.

        Parameters
        ----------
        criterion : str, default="gini"
            Score of the splits of the chosen column.
        alpha : float, default=0.05
            Significance level: a node is only split if the p-value of a column is at most `alpha`.
        bonferroni : bool, default=True
            Whether to correct p-values for the number of columns.
        **parameters
            Further parameters of `TreeClassifier`.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.TreeClassifier.conditional_inference(alpha=0.01).selection
        'significance'
        """
        preset: dict[str, Any] = {
            "criterion": criterion,
            "selection": "significance",
            "alpha": alpha,
            "bonferroni": bonferroni,
            "pruning": None,
        }
        return cls(**{**preset, **parameters})

    # Learning

    def cost_complexity_pruning_path(
        self, X: Any, y: Any, sample_weight: ArrayLike | float | None = None
    ) -> CostComplexityPath:
        """Compute the nested trees of minimal cost-complexity pruning of the unpruned tree.

        The estimator itself is not fitted. With ``pruning="cost_complexity"`` (the default),
        `fit` chooses one of these trees by cross-validation.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows.
        y : array-like of shape (n_rows,)
            Class labels: text, booleans or integers.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows; rows of weight 0 are ignored.

        Returns
        -------
        CostComplexityPath
            The effective alphas (``ccp_alphas``), and the risk and the number of leaves of the
            tree at each of them.

        Examples
        --------
        >>> import mixedwood as mw
        >>> X, y = {"x": [1, 2, 3, 4, 5, 6]}, ["a", "a", "b", "a", "b", "b"]
        >>> path = mw.TreeClassifier().cost_complexity_pruning_path(X, y)
        >>> path.n_leaves.tolist(), path.ccp_alphas.round(3).tolist()
        ([4, 2, 1], [0.0, 0.083, 0.333])
        """
        unpruned = clone(self).set_params(pruning=None).fit(X, y, sample_weight)
        return cost_complexity_path(unpruned.tree_)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.monotonic_cst is None:
            return
        for name, known in (
            ("criterion", TWO_CLASS_CRITERIA),
            ("partitioner", TWO_CLASS_PARTITIONERS),
            ("handle_missing", ("learned", "category")),
            ("selection", ("adjusted", "score", "significance")),
            ("screener", (None,)),
        ):
            given = getattr(self, name)
            if getattr(given, "name", given) not in known:
                raise ValueError(
                    f"The {name!r} parameter of {type(self).__name__} must be one of "
                    f"{', '.join(map(repr, known))} if monotonic_cst is set. Got {given!r} instead."
                )

    def _grow(self, *given: Any, **limits: Any) -> Tree:
        constrained = self.monotonic_cst is not None
        return (grow_two_classes if constrained else grow)(*given, **limits)

    def _settings(self, n_rows: int, n_columns: int) -> GrowSettings:
        settings = super()._settings(n_rows, n_columns)
        return replace(
            settings,
            screener=self.screener,
            alpha=float(self.alpha),
            bonferroni=bool(self.bonferroni),
            best_first=self.growth == "best_first"
            or (self.growth == "auto" and settings.best_first),
        )

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | float | str | None = None) -> Self:
        """Fit the tree to a table.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows.
            A table that does not fit into memory is a path of Parquet or Arrow files, a folder, a
            list of paths, a dataset of pyarrow, a relation of DuckDB, record batches that can be
            iterated again, or `mixedwood.data.Chunks`.
        y : array-like of shape (n_rows,), or str
            Class labels: text, booleans or integers. With a str, X is read in pieces, and has the
            labels in the column of this name.
        sample_weight : array-like of shape (n_rows,), or str, optional
            Weights of the rows; rows of weight 0 are ignored. If X is read in pieces, the name of
            the column that has them.

        Returns
        -------
        estimator
            The fitted estimator itself.
        """
        if isinstance(y, str):
            from mixedwood.estimators._chunked import fit_chunks

            layout, costs = fit_chunks(self, X, y, sample_weight)
            self._remember_columns(layout.schema, layout.classes, costs)
            return self
        return self._fit_rows(X, y, sample_weight)

    def _fit(self, table: Table, target: Target, kept: NDArray[np.bool_] | None) -> None:
        seed, choice_seed = self._seeds()
        self.tree_, self.pruning_path_ = self._grow_and_prune(
            table, target, seed=seed, choice_seed=choice_seed
        )
