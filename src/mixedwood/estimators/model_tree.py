"""A tree whose tests may be planes through several columns."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from numpy.typing import ArrayLike

from mixedwood import _kinds as kinds
from mixedwood._parts import Criterion, Partitioner
from mixedwood.data import ColumnKind, Table
from mixedwood.estimators.model_tree_learner import ModelTreeLearner, read_model_tree_parameters
from mixedwood.estimators.one_tree import OneTreeClassifier
from mixedwood.pruning import CrossValidatedPath, Pruner
from mixedwood.tree import Tree

__all__ = ["ModelTreeClassifier"]


class ModelTreeClassifier(OneTreeClassifier):
    """A decision tree in which a linear machine competes with the columns at every node.

    At each node a support vector machine, or another linear machine, separates the classes by a
    plane through the numbers and the values of nominal columns. The plane is one more test beside
    those of single columns; the best test by the criterion is taken. Such trees are small, often a
    few planes, and as accurate as a linear model where that is what the data need.

    Parameters
    ----------
    criterion : str or Criterion, default="entropy"
        How good a split is: "gini", "entropy", "gain_ratio", "twoing", "squared_gini", "chi2", or
        a subclass of `mixedwood.splits.Criterion`.
    node_model : str, classifier, or list of them, default="svm"
        What makes the planes: "svm" (support vector machine), "sparse_svm" (the same with a
        1-norm, which uses few columns), "logistic", "fisher" (Fisher's discriminant), or a linear
        classifier of scikit-learn's kind. With a list, the planes of all of them compete.
    node_features : {"all", "numeric"}, default="all"
        Columns that planes go through: numbers, ordinal columns and values of nominal ones, or
        without the nominal ones. Nominal columns of many values stay out when a plane would
        have more than 256 weights.
    C : "tune", float or list of float, default="tune"
        How much errors of the plane count beside its steepness. "tune" chooses at every node from
        2^-6, 2^-4, ..., 2^6 by rows that are left out, a list from its numbers.
    smoothing : float or None, default=None
        Smoothing of the support vector machine; None is the limit of no smoothing.
    intercept : {"model", "best"}, default="model"
        Where the plane cuts: where the machine says, or, along the plane's direction, where the
        criterion is best.
    score_on : {"train", "validation"}, default="train"
        The rows by which a plane is compared with other tests: those it was fitted to, or those
        that were left out, by planes fitted without them.
    node_cv : int, default=1
        Parts into which at most 2000 rows of a node are divided, each left out in turn, to choose
        C and for the evidence. 1 leaves a third of them out, once.
    multi_class : {"ovr", "largest", "balanced", "exhaustive"}, default="ovr"
        Which groups of more than two classes a plane separates: each class from the others, with
        at most ten planes for the most frequent ones; the most frequent class from the others; two
        groups of about the same size; or every two groups, for up to five classes.
    axis_aligned : bool, default=True
        Whether thresholds of single numbers and ordinal columns compete as well.
    min_samples_model : int, default=10
        Fewest rows of a node that is tested by a plane.
    partitioner : str or Partitioner, default="auto"
        Which groupings of a nominal column are tried; "multiway" makes one branch per value.
    selection : {"adjusted", "score", "average_gain"}, default="adjusted"
        How the split of a node is chosen: by its score less the score that chance gives to a column
        with as many categories and rows; by its score; or by its score among the splits whose
        information gain is at least average (C4.5's rule, for the gain ratio).
    max_depth : int or None, default=None
        Most tests in a row.
    min_samples_split : int, float or "tune", default=2
        Fewest rows of a node that is split; a float between 0 and 1 is a share of all rows. "tune"
        chooses from 2, 5, 10, 20, 40 and 80 by five-fold cross-validation.
    min_samples_leaf : int or float, default=1
        Fewest rows of a leaf. With "multiway", at least two branches must have as many.
    max_leaf_nodes : int or None, default=None
        Most leaves. The tree then grows best node first.
    min_split_gain : float, default=0.0
        Least score of a split, on the criterion's scale.
    max_features : None, int, float, "sqrt" or "log2", default=None
        How many columns are drawn at random at each node; planes go through those, and through
        others only where those drawn have no test.
    handle_missing : {"learned", "fractional", "category"}, default="learned"
        Rows without a value at tests of single columns, as in `TreeClassifier`. In a plane a
        missing number counts as the mean of the node, and a missing value of a nominal column as
        what such rows had there, or as the average of its values.
    handle_unknown : {"stop", "missing", "majority", "error"}, default="stop"
        What happens to a value that a test of a single column has never met. In a plane it counts
        as a missing value; with "error", values that no training row had are an error.
    pruning : None, str, Pruner or list, default="cost_complexity"
        How the grown tree is made smaller; `mixedwood.pruning.pruners` lists the names.
    class_weight : mapping, "balanced" or None, default=None
        Factors by which the rows of a class weigh more or less.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal whatever their type.
    ordinal_features : mapping of str to sequence, optional
        Columns with an order, and their labels in order.
    random_state : int, RandomState, Generator or None, default=None
        Seeds what is random: the rows left out, the folds of pruning, `max_features`, and random
        partitioners. None is the same as 0.
    time_limit : float or None, default=None
        Seconds that `fit` may take, reading the table not included.

    Attributes
    ----------
    tree_ : Tree
        The tree; print it, draw it with ``tree_.plot()``, or see it in a notebook.
    min_samples_split_ : float
        Fewest rows of a node that is split, given or chosen.
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
    ModelTreeClassifier.published : The recipe of the paper.
    SmoothSVC : The machine alone.
    TreeClassifier : Tests of single columns only.

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
    _unseen_ways: ClassVar[dict[str, str]] = {
        way: f"{words} Linear splits treat them as missing."
        for way, words in OneTreeClassifier._unseen_ways.items()
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
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
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
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.random_state = random_state
        self.time_limit = time_limit

    @classmethod
    def published(
        cls, *, min_samples_split: float | Literal["tune"] = "tune", **parameters: Any
    ) -> ModelTreeClassifier:
        """Grow as the paper on model trees for hybrid data does: one plane, multiway tests.

        The plane goes through the numbers alone and competes by gain ratio with one branch per
        value of each nominal column. There are no thresholds, tests without any gain are not
        taken, and nothing is pruned but by the size of nodes.

        Parameters
        ----------
        min_samples_split : int, float or "tune", default="tune"
            Fewest rows of a node that is split.
        **parameters
            Further parameters of `ModelTreeClassifier`.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.ModelTreeClassifier.published(min_samples_split=40).node_features
        'numeric'
        """
        recipe: dict[str, Any] = {
            "criterion": "gain_ratio",
            "node_features": "numeric",
            "axis_aligned": False,
            "min_samples_model": 2,
            "partitioner": "multiway",
            "selection": "score",
            "min_samples_split": min_samples_split,
            "min_samples_leaf": 2,
            "min_split_gain": 1e-9,  # some gain, beyond rounding
            "pruning": None,
        }
        return cls(**{**recipe, **parameters})

    def fit(
        self, X: Any, y: Any, sample_weight: ArrayLike | float | None = None
    ) -> ModelTreeClassifier:
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
        ModelTreeClassifier
            The fitted estimator itself.
        """
        learner = read_model_tree_parameters(self)
        table, target = self._read_training(
            X,
            y,
            sample_weight,
            class_weight=self.class_weight,
            categorical_features=self.categorical_features,
            ordinal_features=self.ordinal_features,
        )
        if self.node_features == "numeric":
            _warn_without_numbers(table)
        tree, path, size = learner.learn_with_choice(
            table,
            target,
            seed=learner.parameters.seed,
            choice_seed=learner.parameters.choice_seed,
        )
        self._remember(table, target)
        self.tree_, self.pruning_path_, self.min_samples_split_ = tree, path, size
        return self

    def _learner(self) -> ModelTreeLearner:
        """Give what grows such trees, with the parameters checked."""
        return read_model_tree_parameters(self)


def _warn_without_numbers(table: Table) -> None:
    if all(column.kind == ColumnKind.NOMINAL for column in table.schema):
        warnings.warn(
            "There is no numeric or ordinal column, so that node_features='numeric' leaves no "
            "plane: this is an ordinary tree of nominal tests. node_features='all' makes planes "
            "through nominal values.",
            UserWarning,
            stacklevel=3,
        )
