"""A single tree, grown greedily and pruned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from numpy.typing import ArrayLike
from sklearn.base import clone

from mixedwood import _kinds as kinds
from mixedwood._parts import Criterion, Partitioner, Screener
from mixedwood.estimators.learner import TreeLearner
from mixedwood.estimators.one_tree import OneTreeClassifier
from mixedwood.estimators.parameters import read_parameters
from mixedwood.pruning import CostComplexityPath, CrossValidatedPath, Pruner
from mixedwood.tree import Tree

__all__ = ["TreeClassifier"]


class TreeClassifier(OneTreeClassifier):
    """A decision tree for tables with categories and numbers.

    Nominal columns are split by groups of their values, numbers and ordinal columns by thresholds,
    all compared on one scale. Text, categories and missing values need no preparation.

    Parameters
    ----------
    criterion : str or Criterion, default="entropy"
        How good a split is: "gini", "entropy", "gain_ratio", "twoing", "squared_gini", "chi2", or
        a subclass of `mixedwood.splits.Criterion`.
    partitioner : str or Partitioner, default="auto"
        Which groupings of a nominal column are tried; `mixedwood.splits.partitioners` lists the
        names. "auto" finds the best two groups, or nearly; "multiway" makes one branch per value.
    screener : None, str, Screener or list of them, default=None
        What a nominal column must show before it is used at a node: "chi2" or "second_value".
    rules : {"parts", "c45", "random_tree"}, default="parts"
        Who makes a column's test: the parts above, or the rules of a published program, which fix
        criterion, partitioner and handle_missing. Use the recipes `c45` and `random_tree`.
    selection : {"adjusted", "score", "average_gain", "significance"}, default="adjusted"
        How the column of a split is chosen:

        - "adjusted": by its score less the score that chance gives to a column with as many
          categories and rows. Columns with many categories, such as identifiers, are not favored.
        - "score": by its score.
        - "average_gain": by its score, among the columns whose information gain is at least
          average (a guard of the gain ratio).
        - "significance": by the p-value of its dependence on the classes (conditional inference).
    alpha : float, default=1.0
        With ``selection="significance"``: a node is not split when no column reaches this p-value.
    bonferroni : bool, default=False
        With ``selection="significance"``: correct p-values for the number of columns.
    max_depth : int or None, default=None
        Most tests in a row.
    min_samples_split : int or float, default=2
        Fewest rows of a node that is split; a float between 0 and 1 is a share of all rows. Rows
        count, not their weights, except with ``handle_missing="fractional"``.
    min_samples_leaf : int or float, default=1
        Fewest rows of a leaf, likewise. With "multiway", at least two branches must have as many.
    max_leaf_nodes : int or None, default=None
        Most leaves. The tree then grows best node first.
    growth : {"auto", "depth_first", "best_first"}, default="auto"
        Which node is split next; it matters only when `max_leaf_nodes` or `time_limit` ends growth.
        "auto" is best first with `max_leaf_nodes` and depth first otherwise.
    min_split_gain : float, default=0.0
        Least score of a split, on the criterion's scale.
    max_features : None, int, float, "sqrt" or "log2", default=None
        How many columns are drawn at random at each node; more when none of them can be split.
    handle_missing : {"learned", "fractional", "category"}, default="learned"
        Rows without a value go to the side that is better for the score; or, in parts, to all
        children (C4.5); or count as a value of their own in nominal columns, which a node that has
        never met it treats as `handle_unknown` says. A node that met no such row in training sends
        them to its heavier child, unless they are a category.
    handle_unknown : {"stop", "missing", "majority", "error"}, default="stop"
        What happens to a value that a test has never met: the node answers with its own classes;
        or it goes where missing values go; or to the heavier child; or labels that no training
        row had are an error.
    pruning : None, str, Pruner or list, default="cost_complexity"
        How the grown tree is made smaller; `mixedwood.pruning.pruners` lists the names. A list is
        applied in turn.
    class_weight : mapping, "balanced" or None, default=None
        Factors by which the rows of a class weigh more or less.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal whatever their type.
    ordinal_features : mapping of str to sequence, optional
        Columns with an order, and their labels in order.
    random_state : int, RandomState, Generator or None, default=None
        Seeds what is random: the folds of cross-validated pruning, `max_features`, and random
        partitioners. None is the same as 0 for the folds: a tree without random parts is the same
        every time.
    time_limit : float or None, default=None
        Seconds that `fit` may take, reading the table not included. When it is over, the tree is
        what it is by then, and a warning says so.

    Attributes
    ----------
    tree_ : Tree
        The tree; print it, draw it with ``tree_.plot()``, or see it in a notebook.
    classes_ : ndarray
        The classes.
    schema_ : Schema
        What the columns are.
    pruning_path_ : CrossValidatedPath or None
        With cost-complexity pruning, all candidate trees and their cross-validated errors.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    TreeClassifier.c45, TreeClassifier.cart, TreeClassifier.conditional_inference,
    TreeClassifier.random_tree, TreeClassifier.nominal_splits : Recipes.

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

    pruning_path_: CrossValidatedPath | None

    _fitted: ClassVar[kinds.Fitted] = {
        "tree_": kinds.instance(Tree),
        "pruning_path_": kinds.optional(kinds.instance(CrossValidatedPath)),
    }

    def __init__(
        self,
        *,
        criterion: str | Criterion = "entropy",
        partitioner: str | Partitioner = "auto",
        screener: str | Screener | Sequence[str | Screener] | None = None,
        rules: Literal["parts", "c45", "random_tree"] = "parts",
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
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
        random_state: Any = None,
        time_limit: float | None = None,
    ) -> None:
        self.criterion = criterion
        self.partitioner = partitioner
        self.screener = screener
        self.rules = rules
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
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.random_state = random_state
        self.time_limit = time_limit

    # Recipes

    @classmethod
    def c45(
        cls, *, pruned: bool = True, confidence: float = 0.25, min_samples_leaf: float = 2,
        **parameters: Any,
    ) -> TreeClassifier:  # fmt: skip
        """C4.5 as WEKA's J48 has it, down to the predictions.

        Multiway tests, gain ratio among columns of average gain, thresholds that pay for the
        number of those tried, rows with missing values shared out, and (with `pruned`) pessimistic
        pruning with subtree raising. Unpruned trees are still collapsed, as J48's are.

        Parameters
        ----------
        pruned : bool, default=True
            Whether to prune by pessimistic error.
        confidence : float, default=0.25
            Smaller values prune more.
        min_samples_leaf : float, default=2
            Weight that at least two branches must have.
        **parameters
            Further parameters of `TreeClassifier`.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.TreeClassifier.c45(pruned=False).pruning
        'collapse'
        """
        pruning = (
            ["collapse", Pruner("pessimistic", confidence=confidence)] if pruned else "collapse"
        )
        recipe: dict[str, Any] = {
            "criterion": "gain_ratio",
            "partitioner": "multiway",
            "rules": "c45",
            "selection": "score",
            "handle_missing": "fractional",
            "min_samples_leaf": min_samples_leaf,
            "min_samples_split": 2 * min_samples_leaf,
            "pruning": pruning,
        }
        return cls(**{**recipe, **parameters})

    @classmethod
    def cart(
        cls, *, criterion: str | Criterion = "gini", se_rule: float = 1.0, cv: int = 10,
        **parameters: Any,
    ) -> TreeClassifier:  # fmt: skip
        """CART (Breiman et al. 1984): Gini or Twoing, cost-complexity pruning by cross-validation.

        Parameters
        ----------
        criterion : str, default="gini"
            "gini" or "twoing".
        se_rule : float, default=1.0
            The smallest tree within so many standard errors of the best is chosen.
        cv : int, default=10
            Folds of the cross-validation.
        **parameters
            Further parameters of `TreeClassifier`.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.TreeClassifier.cart(se_rule=0).pruning
        Pruner('cost_complexity', se_rule=0, cv=10, n_repeats=1, shrinkage=False)
        """
        pruner = Pruner("cost_complexity", se_rule=se_rule, cv=cv, n_repeats=1, shrinkage=False)
        recipe = {"criterion": criterion, "selection": "score", "pruning": pruner}
        return cls(**{**recipe, **parameters})

    @classmethod
    def conditional_inference(
        cls, *, criterion: str | Criterion = "gini", alpha: float = 0.05, bonferroni: bool = True,
        **parameters: Any,
    ) -> TreeClassifier:  # fmt: skip
        """Conditional inference: the most significant column first, stop when none is.

        The column is chosen by the p-value of its dependence on the classes, which does not favour
        columns with many values; its best split is then found by criterion and partitioner.

        Parameters
        ----------
        criterion : str, default="gini"
            Scores the splits of the column chosen.
        alpha : float, default=0.05
            A node is a leaf when no column has a p-value of at most this.
        bonferroni : bool, default=True
            Correct p-values for the number of columns tested.
        **parameters
            Further parameters of `TreeClassifier`.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.TreeClassifier.conditional_inference(alpha=0.01).selection
        'significance'
        """
        recipe: dict[str, Any] = {
            "criterion": criterion,
            "selection": "significance",
            "alpha": alpha,
            "bonferroni": bonferroni,
            "pruning": None,
        }
        return cls(**{**recipe, **parameters})

    @classmethod
    def random_tree(cls, max_features: float | str | None = 0, **parameters: Any) -> TreeClassifier:
        """Grow as WEKA's RandomTree does: a few random columns at each node, never pruned.

        Multiway tests by information gain, rows with missing values shared out. One such tree is
        weak; forests are made of them.

        Parameters
        ----------
        max_features : int, float, "sqrt" or "log2", default=0
            How many columns are drawn at each node. As in WEKA, 0 is int(log2(columns)) + 1.
        **parameters
            Further parameters of `TreeClassifier`.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.TreeClassifier.random_tree(3, random_state=0).pruning is None
        True
        """
        recipe: dict[str, Any] = {
            "criterion": "entropy",
            "partitioner": "multiway",
            "rules": "random_tree",
            "selection": "score",
            "handle_missing": "fractional",
            "max_features": max_features,
            "pruning": None,
        }
        return cls(**{**recipe, **parameters})

    @classmethod
    def nominal_splits(
        cls, criterion: str | Criterion = "gini", partitioner: str | Partitioner = "auto", *,
        max_depth: int | None = 5, **parameters: Any,
    ) -> TreeClassifier:  # fmt: skip
        """The setting in which ways to split nominal columns are compared in the literature.

        A column must pass the chi-square test at 10 % to be used at a node, and its second most
        frequent value must have 15 rows; no pruning but of splits that change no answer.

        Parameters
        ----------
        criterion, partitioner
            What is compared.
        max_depth : int or None, default=5
            5 and 16 are usual.
        **parameters
            Further parameters of `TreeClassifier`.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.TreeClassifier.nominal_splits("gini", "principal_ext").max_depth
        5
        """
        recipe: dict[str, Any] = {
            "criterion": criterion,
            "partitioner": partitioner,
            "max_depth": max_depth,
            "screener": ["chi2", "second_value"],
            "selection": "score",
            "min_split_gain": 1e-11,  # above zero, rounding set aside
            "min_samples_split": 1,
            "pruning": "merge_equal",
        }
        return cls(**{**recipe, **parameters})

    # Learning

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | float | None = None) -> TreeClassifier:
        """Grow and prune the tree.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows.
        y : array-like of shape (n_rows,)
            Class of each row: text, booleans or whole numbers.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of rows; rows of weight 0 do not count.

        Returns
        -------
        TreeClassifier
            The fitted estimator itself.
        """
        parameters = read_parameters(self)
        table, target = self._read_training(
            X,
            y,
            sample_weight,
            class_weight=self.class_weight,
            categorical_features=self.categorical_features,
            ordinal_features=self.ordinal_features,
        )
        tree, path = TreeLearner(parameters).learn_with_path(
            table, target, seed=parameters.seed, choice_seed=parameters.choice_seed
        )
        self._remember(table, target)
        self.tree_, self.pruning_path_ = tree, path
        return self

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
            Class of each row: text, booleans or whole numbers.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of rows; rows of weight 0 do not count.

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
        from mixedwood.pruning import cost_complexity_path

        unpruned = clone(self).set_params(pruning=None).fit(X, y, sample_weight)
        return cost_complexity_path(unpruned.tree_)

    def _learner(self) -> TreeLearner:
        """Give what grows such trees, with the parameters checked."""
        return TreeLearner(read_parameters(self))
