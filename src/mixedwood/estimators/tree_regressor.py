"""A single tree that predicts a number, grown greedily and pruned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from mixedwood import _kinds as kinds
from mixedwood._params import (
    CROSSED_FEATURES,
    FLAG,
    MONOTONIC_CST,
    NONE,
    Constraint,
    Float,
    InstanceOf,
    OneOf,
    validate,
)
from mixedwood._parts import Partitioner
from mixedwood._random import seeds_of
from mixedwood.data import Table, Target
from mixedwood.estimators._single import SingleTreeRegressor
from mixedwood.estimators.tree import GREEDY_PARAMETERS, GreedyTree
from mixedwood.grow import NUMBER_PARTITIONERS, GrowSettings, NumberSettings, grow_numbers
from mixedwood.pruning import CostComplexityPath, CrossValidatedPath, cost_complexity_path
from mixedwood.pruning.pruner import Pruner
from mixedwood.tree import Tree
from mixedwood.tree.decide import LOSSES

__all__ = ["NUMBER_CRITERION", "NUMBER_PARTITIONER", "TreeRegressor", "check_number_part"]

_PRUNERS = ("cost_complexity", "reduced_error")


def _needs_classes(kind: Any, known: Sequence[str]) -> Any:
    return lambda value: isinstance(value, str) and value in kind.known() and value not in known


NUMBER_CRITERION = OneOf(*LOSSES)
NUMBER_PARTITIONER = (OneOf(*NUMBER_PARTITIONERS) | InstanceOf(Partitioner)).with_hint(
    "This partitioner needs classes, for a classifier.",
    when=_needs_classes(Partitioner, NUMBER_PARTITIONERS),
)


def check_number_part(estimator: Any, name: str, kind: Any, known: Sequence[str]) -> None:
    """Check a part given as an object: a name that is known for numbers, and its options."""
    given = getattr(estimator, name)
    if not isinstance(given, kind):
        return
    if given.name not in known:
        raise ValueError(
            f"The {name!r} parameter of {type(estimator).__name__} must be one of "
            f"{', '.join(map(repr, known))}. Got {given!r} instead, which needs classes."
        )
    given.settings()


class TreeRegressor(GreedyTree, SingleTreeRegressor):
    """Regression tree for tables with categorical and numeric columns.

    Nominal columns are split into groups of categories, numeric and ordinal columns at thresholds,
    and all splits are compared on one scale. Text, categories and missing values need no encoding.
    With the squared error and the Poisson deviance, the best two groups are found exactly: ordered
    by the mean of the target, categories of one group are adjacent (Fisher 1958).

    Parameters
    ----------
    criterion : {"squared_error", "poisson", "absolute_error"}, default="squared_error"
        The loss that splits lower. Leaves predict the mean of the target, with "absolute_error" the
        median. "poisson" is half the Poisson deviance, for counts and frequencies.
    partitioner : str or Partitioner, default="mean_order"
        The search for groups of categories:

        - "mean_order": the best threshold in the order of the means (medians for
          "absolute_error").
        - "one_vs_rest": one category against all others.
        - "random_order": the best threshold in a random order; with
          ``Partitioner("random_order", per="tree")`` one order for the whole tree.
        - "random_subset": a random group.
        - "exact": all groups of up to 12 categories; more categories are ordered by their means.
    selection : {"adjusted", "score", "significance"}, default="adjusted"
        How the column of a split is chosen:

        - "adjusted": by its decrease of the loss, less the decrease that chance gives to a column
          with as many categories and rows. Columns with many categories, such as identifiers, are
          not favored.
        - "score": by its decrease of the loss.
        - "significance": by the p-value of its dependence on the target (conditional inference).
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
        training rows.
    min_samples_leaf : int or float, default=1
        Minimum number of rows in a leaf. A float in (0, 1) is a fraction of the training rows.
    max_leaf_nodes : int or None, default=None
        Maximum number of leaves. If not None, the tree is grown best first.
    growth : {"auto", "depth_first", "best_first"}, default="auto"
        Order in which nodes are split, which only matters if `max_leaf_nodes` or `time_limit` ends
        growth. "auto" is "best_first" if `max_leaf_nodes` is set and "depth_first" otherwise.
    min_split_gain : float, default=0.0
        Minimum decrease of the mean loss of the rows of a node.
    max_features : None, int, float, "sqrt" or "log2", default=None
        Number of columns drawn at random at each node; more are drawn if none of them can be split.
        A float in (0, 1] is a fraction of the columns. If None, all columns are used.
    handle_missing : {"learned", "category"}, default="learned"
        How rows with a missing value are split:

        - "learned": they go to the child with the smaller loss; if there are none in training, to
          the child with the largest weight.
        - "category": a missing value is one more category of a nominal column. A node without such
          rows in training treats it as an unknown category.
    handle_unknown : {"stop", "missing", "majority", "error"}, default="stop"
        What happens to a category that a node has not seen: the row stops at the node and receives
        its prediction; it follows missing values; it goes to the child with the largest weight; or
        categories that no training row has raise an error.
    pruning : None, {"cost_complexity", "reduced_error"} or Pruner, default="cost_complexity"
        How the tree is pruned. "cost_complexity" chooses the size of the tree, and how much leaves
        are shrunk towards the nodes above them, by cross-validation. If None, the tree is not
        pruned.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal regardless of their dtype.
    ordinal_features : mapping of str to sequence, optional
        Ordered categories of ordinal columns.
    crossed_features : None, "auto" or list of lists of str or int, default=None
        Columns to cross; see `TreeClassifier`. "auto" searches for columns that interact.
    monotonic_cst : None, dict of str to int, or array-like of int, default=None
        Monotonic constraints on numeric and ordinal columns: 1 if predictions must not fall while
        the column rises, -1 if they must not rise, 0 for no constraint; by column name, or one for
        each column. They hold for all rows, whatever the other columns are; rows with a missing
        value are not part of the order. Not for "absolute_error".
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
    schema_ : Schema
        Names, types and categories of the columns.
    pruning_path_ : CrossValidatedPath or None
        With cost-complexity pruning, the candidate trees and their cross-validated losses.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    TreeRegressor.cart, TreeRegressor.conditional_inference : Presets.
    TreeClassifier : Trees for classes.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"city": ["Bonn", "Rome", "Oslo", "Rome"], "rooms": [2, 3, 2, 5]}
    >>> model = mw.TreeRegressor(pruning=None).fit(X, [900.0, 1500.0, 1000.0, 1900.0])
    >>> print(model.tree_.to_text())
    [0] root (4)
    |   [1] rooms <= 2.5 (or missing) (2)
    |   |   [3] city = Bonn (or missing): mean 900, sd 0, 1 row
    |   |   [4] city = Oslo: mean 1000, sd 0, 1 row
    |   [2] rooms > 2.5 (2)
    |   |   [5] rooms <= 4 (or missing): mean 1500, sd 0, 1 row
    |   |   [6] rooms > 4: mean 1900, sd 0, 1 row
    >>> model.predict({"city": ["Oslo"], "rooms": [2]})
    array([1000.])
    """

    criterion: str

    _parameters: ClassVar[Mapping[str, Constraint]] = {
        **GREEDY_PARAMETERS,
        "crossed_features": CROSSED_FEATURES,
        "monotonic_cst": MONOTONIC_CST,
        "criterion": NUMBER_CRITERION,
        "partitioner": NUMBER_PARTITIONER,
        "selection": OneOf("adjusted", "score", "significance"),
        "alpha": Float(0, 1),
        "bonferroni": FLAG,
        "growth": OneOf("auto", "depth_first", "best_first"),
        "handle_missing": OneOf("learned", "category"),
        "pruning": (OneOf(*_PRUNERS) | InstanceOf(Pruner) | NONE).with_hint(
            "This pruner needs classes, for a classifier.", when=_needs_classes(Pruner, _PRUNERS)
        ),
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
        criterion: Literal["squared_error", "poisson", "absolute_error"] = "squared_error",
        partitioner: str | Partitioner = "mean_order",
        selection: Literal["adjusted", "score", "significance"] = "adjusted",
        alpha: float = 1.0,
        bonferroni: bool = False,
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        max_leaf_nodes: int | None = None,
        growth: Literal["auto", "depth_first", "best_first"] = "auto",
        min_split_gain: float = 0.0,
        max_features: float | str | None = None,
        handle_missing: Literal["learned", "category"] = "learned",
        handle_unknown: Literal["stop", "missing", "majority", "error"] = "stop",
        pruning: str | Pruner | None = "cost_complexity",
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
        crossed_features: Any = None,
        monotonic_cst: Any = None,
        random_state: Any = None,
        time_limit: float | None = None,
    ) -> None:
        self.criterion = criterion
        self.partitioner = partitioner
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
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.crossed_features = crossed_features
        self.monotonic_cst = monotonic_cst
        self.random_state = random_state
        self.time_limit = time_limit

    # Presets

    @classmethod
    def cart(cls, *, se_rule: float = 1.0, cv: int = 10, **parameters: Any) -> TreeRegressor:
        """CART (Breiman et al. 1984): cost-complexity pruning by cross-validation, no shrinkage.

        Parameters
        ----------
        se_rule : float, default=1.0
            The smallest tree whose loss is within this many standard errors of the best is chosen.
        cv : int, default=10
            Number of folds of the cross-validation.
        **parameters
            Further parameters of `TreeRegressor`.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.TreeRegressor.cart(se_rule=0).pruning
        Pruner('cost_complexity', se_rule=0, cv=10, n_repeats=1, shrinkage=False)
        """
        pruner = Pruner("cost_complexity", se_rule=se_rule, cv=cv, n_repeats=1, shrinkage=False)
        preset: dict[str, Any] = {"selection": "score", "pruning": pruner}
        return cls(**{**preset, **parameters})

    @classmethod
    def conditional_inference(
        cls, *, alpha: float = 0.05, bonferroni: bool = True, **parameters: Any
    ) -> TreeRegressor:
        """Conditional inference: split the most significant column, stop if none is significant.

        The column is chosen by the p-value of its association with the target under permutation,
        in closed form, which does not favor columns with many categories.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level: a node is only split if the p-value of a column is at most `alpha`.
        bonferroni : bool, default=True
            Whether to correct p-values for the number of columns.
        **parameters
            Further parameters of `TreeRegressor`.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.TreeRegressor.conditional_inference(alpha=0.01).selection
        'significance'
        """
        preset: dict[str, Any] = {
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

        The estimator itself is not fitted.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows.
        y : array-like of shape (n_rows,)
            Finite numbers.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows; rows of weight 0 are ignored.

        Returns
        -------
        CostComplexityPath
            The effective alphas (``ccp_alphas``), and the mean loss and the number of leaves of the
            tree at each of them.

        Examples
        --------
        >>> import mixedwood as mw
        >>> X, y = {"x": [1, 2, 3, 4]}, [1.0, 1.0, 3.0, 5.0]
        >>> path = mw.TreeRegressor().cost_complexity_pruning_path(X, y)
        >>> path.n_leaves.tolist(), path.ccp_alphas.tolist()
        ([3, 2, 1], [0.0, 0.5, 2.25])
        """
        unpruned = clone(self).set_params(pruning=None).fit(X, y, sample_weight)
        return cost_complexity_path(unpruned.tree_)

    def _check_parameters(self) -> None:
        validate(self)
        check_number_part(self, "partitioner", Partitioner, NUMBER_PARTITIONERS)
        check_number_part(self, "pruning", Pruner, _PRUNERS)
        if self.monotonic_cst is not None and self.criterion == "absolute_error":
            raise ValueError(
                "monotonic_cst is not supported with criterion='absolute_error'. Use "
                "'squared_error' or 'poisson'."
            )

    def _needs_nonnegative(self) -> bool:
        return self.criterion == "poisson"

    def _grow(self, *given: Any, **limits: Any) -> Tree:
        return grow_numbers(*given, **limits)

    def _settings(self, n_rows: int, n_columns: int) -> GrowSettings:
        shared = super()._settings(n_rows, n_columns)
        settings = {f.name: getattr(shared, f.name) for f in fields(shared)}
        best_first = self.growth == "best_first" or (self.growth == "auto" and shared.best_first)
        return NumberSettings(
            **settings
            | {
                "alpha": float(self.alpha),
                "bonferroni": bool(self.bonferroni),
                "best_first": best_first,
            }
        )

    def _seeds(self) -> tuple[int, int]:
        seed, choice_seed = seeds_of(self.random_state)
        name = getattr(self.partitioner, "name", self.partitioner)
        is_random = self.max_features is not None or str(name).startswith("random")
        return seed if is_random else choice_seed, choice_seed

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | float | str | None = None) -> Self:
        """Fit the tree to a table.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows;
            or a table that is read in pieces, as for `TreeClassifier.fit`.
        y : array-like of shape (n_rows,), or str
            Finite numbers. With a str, X is read in pieces, and has them in the column of this
            name.
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

            layout, _ = fit_chunks(self, X, y, sample_weight)
            self._remember_columns(layout.schema, layout.classes)
            return self
        return self._fit_rows(X, y, sample_weight)

    def _fit(self, table: Table, target: Target, kept: NDArray[np.bool_] | None) -> None:
        seed, choice_seed = self._seeds()
        self.tree_, self.pruning_path_ = self._grow_and_prune(
            table, target, seed=seed, choice_seed=choice_seed
        )
