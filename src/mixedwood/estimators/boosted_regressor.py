"""Gradient boosting of trees that predict numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from mixedwood import _kinds as kinds
from mixedwood._params import CROSSED_FEATURES, NONE, Constraint, Float, OneOf, RowsOrFraction
from mixedwood._parts import Partitioner
from mixedwood.boosting import NUMBER_LOSSES, Huber, Loss, Quantile, number_loss
from mixedwood.data import Schema, Table, Target
from mixedwood.estimators._ensemble import TreeEnsembleRegressor
from mixedwood.estimators.boosted import GradientBoosting

__all__ = ["BoostedTreesRegressor"]


class BoostedTreesRegressor(GradientBoosting, TreeEnsembleRegressor):
    """Gradient boosting of regression trees with native support for categorical features.

    The categories of a nominal column are ordered by their gradients and split by a threshold. A
    row has no influence on the position of its own category, so a column of many categories has no
    advantage over a numeric one.

    Parameters
    ----------
    loss : str, default="squared_error"
        The loss to minimize:

        - "squared_error": predicts means.
        - "absolute_error": predicts medians, which are robust to outliers.
        - "huber": squared error of small residuals, absolute error of large ones.
        - "quantile": predicts the given `quantile`.
        - "poisson": Poisson deviance, for counts and frequencies; y must not be negative.
        - "gamma": gamma deviance, for positive numbers with a long tail; y must be positive.
        - "tweedie": Tweedie deviance, for sums with many zeros such as claims; y must not be
          negative.

        The trees of the last three add up to the logarithm of the prediction. The leaves of
        "absolute_error", "quantile" and "huber" get medians or quantiles of the residuals.
    quantile : float or None, default=None
        The quantile that ``loss="quantile"`` predicts, for which it is required. With
        ``loss="huber"``, the quantile of the absolute residuals above which they are large, 0.9 if
        None.
    tweedie_variance_power : float, default=1.5
        With ``loss="tweedie"``: the power of the mean that the variance is proportional to, from 1
        (Poisson) to 2 (gamma).
    n_estimators : int, default=200
        Maximum number of iterations.
    learning_rate : float, default=0.1
        Factor of the values of the leaves.
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
    selection : {"adjusted", "score"}, default="adjusted"
        How the split of a node is chosen among columns: by its gain less the gain that a nominal
        column of as many categories would reach by chance, or by its gain alone.
    max_depth : int or None, default=4
        Maximum depth of a tree. If None, there is no limit.
    max_leaf_nodes : int or None, default=None
        Maximum number of leaves of a tree, which then grows best-first. If None, there is no limit.
    min_samples_leaf : int, float or None, default=None
        Minimum number of rows in a leaf. A float in (0, 1) is a fraction of the training rows. If
        None, it is 10 for "absolute_error", "quantile" and "huber", since the median of very few
        rows is not robust, and 1 for the other losses.
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
        How to treat categories that did not occur in training, as in `TreeRegressor`.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to treat as nominal, whatever their type.
    ordinal_features : mapping of str to sequence, optional
        Ordinal columns, and their categories in order.
    crossed_features : None, "auto" or list of lists of str or int, default=None
        Columns to cross; see `TreeClassifier`. "auto" searches for columns that interact.
    monotonic_cst : None, dict of str to int, or array-like of int, default=None
        Monotonic constraints on numeric and ordinal columns: 1 if
        predictions must not fall while the column rises, -1 if they must
        not rise, 0 for no constraint; by column name, or one for each column.
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
    baseline_ : ndarray of shape (1,)
        The best constant prediction, to which the trees are added; its logarithm for "poisson",
        "gamma" and "tweedie".
    predictor_ : Predictor
        The trees with the values of their nodes.
    validation_loss_ : list of float
        Mean loss of the validation rows after each iteration. The squared error and deviances are
        halved. Only set if `early_stopping=True`.
    schema_, n_features_in_, feature_names_in_
        As in `TreeRegressor`.

    See Also
    --------
    BoostedTreesClassifier : The same for classes.
    TreeRegressor : A single tree.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"color": ["red", "blue", "green", "blue"] * 5, "size": [1, 2, 3, 4] * 5}
    >>> model = mw.BoostedTreesRegressor(n_estimators=50, random_state=0)
    >>> model.fit(X, [5.0, 1.0, 7.0, 1.0] * 5).predict({"color": ["red"], "size": [1]}).round(1)
    array([5.])
    """

    _loss_name: str  # of the last fit

    _parameters: ClassVar[Mapping[str, Constraint]] = {
        "loss": OneOf(*NUMBER_LOSSES),
        "crossed_features": CROSSED_FEATURES,
        "quantile": Float(0, 1, "neither") | NONE,
        "tweedie_variance_power": Float(1, 2),
        **GradientBoosting._parameters,
        "min_samples_leaf": RowsOrFraction() | NONE,
    }
    _fitted: ClassVar[kinds.Fitted] = {**GradientBoosting._fitted, "_loss_name": kinds.TEXT}

    def __init__(
        self,
        *,
        loss: Literal[
            "squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie"
        ] = "squared_error",
        quantile: float | None = None,
        tweedie_variance_power: float = 1.5,
        n_estimators: int = 200,
        learning_rate: float = 0.1,
        partitioner: str | Partitioner = "target_statistics",
        selection: Literal["adjusted", "score"] = "adjusted",
        max_depth: int | None = 4,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: float | None = None,
        min_child_weight: float = 1e-3,
        l2_regularization: float = 1.0,
        cat_l2: float = 0.0,
        cat_smooth: float = 3.0,
        min_split_gain: float = 0.0,
        max_features: float | str | None = "auto",
        colsample_bytree: float | str | None = None,
        subsample: float = 1.0,
        max_bins: int = 255,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 20,
        handle_unknown: Literal["stop", "missing", "majority", "error"] = "stop",
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
        self.loss = loss
        self.quantile = quantile
        self.tweedie_variance_power = tweedie_variance_power
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
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
        self.max_bins = max_bins
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.handle_unknown = handle_unknown
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
        if self.loss == "quantile" and self.quantile is None:
            raise ValueError(
                "loss='quantile' requires the 'quantile' parameter, a float in the range (0.0, "
                "1.0). Got None instead; use 0.5 for the median."
            )

    def _loss(self) -> Loss:
        return number_loss(
            self.loss, quantile=self.quantile, power=float(self.tweedie_variance_power)
        )

    def _min_samples_leaf(self) -> float:
        if self.min_samples_leaf is not None:
            return self.min_samples_leaf
        return 10 if isinstance(self._loss(), Huber | Quantile) else 1

    # Fitting

    def _keep(self, fitted: dict[str, Any], schema: Schema, target: Target) -> Self:
        return super()._keep({**fitted, "_loss_name": self.loss}, schema, target)

    def _check_warm_start(self, table: Table, target: Target, held_out: bool) -> None:
        super()._check_warm_start(table, target, held_out)
        if self.loss != self._loss_name:
            raise ValueError(
                f"warm_start=True continues the previous fit, whose loss was {self._loss_name!r}. "
                f"Got loss={self.loss!r}; set warm_start=False."
            )

    def _check_fitted(self) -> None:
        super()._check_fitted()
        if self._loss_name not in NUMBER_LOSSES:
            raise ValueError("its loss is not known")

    # Predicting

    def _fitted_loss(self) -> Loss:
        return number_loss(self._loss_name)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the number of each row.

        Parameters
        ----------
        X : table
            Rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            Means, medians or quantiles, depending on `loss`.
        """
        return self.predictor_.predict(self._new(X), self.n_jobs)

    def staged_predict(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Predict the number of each row after one iteration, two iterations, and so on."""
        return self.predictor_.staged_numbers(self._new(X))
