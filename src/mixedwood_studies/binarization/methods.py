"""Optimal trees with bins made once and candidate splits encoded again at every node."""

from __future__ import annotations

from typing import Any

from mixedwood._limits import read_time_limit
from mixedwood.estimators import OptimalTreeClassifier
from mixedwood.optimal.build import build_tree
from mixedwood.optimal.solvers import PerNodeSolver

__all__ = ["EncodedAtEverySplit"]


class EncodedAtEverySplit(OptimalTreeClassifier):
    """An `OptimalTreeClassifier` that encodes the bins again at every node, as the paper does.

    With ``binarize_at="node_encoding"``, `OptimalTreeClassifier` encodes the bins once, because the
    objective is the same. This class encodes the bins that are present at a node. Intervals can
    then span absent bins, so the predictions for new rows can differ.

    Examples
    --------
    >>> from mixedwood.datasets import load
    >>> from mixedwood.preprocessing import FeatureBinarizer
    >>> iris = load("iris")
    >>> binarizer = FeatureBinarizer(n_bins=4, encoding="multi_hot")
    >>> parameters = {"max_depth": 2, "ccp_alpha": 0, "binarizer": binarizer}
    >>> EncodedAtEverySplit(**parameters).fit(iris.X, iris.y).objective_value_
    17.0
    >>> OptimalTreeClassifier(**parameters).fit(iris.X, iris.y).objective_value_
    17.0
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> EncodedAtEverySplit:
        """Find the tree, as `OptimalTreeClassifier.fit` does."""
        variant = type(self)(**{**self.get_params(deep=False), "binarize_at": "node_encoding"})
        variant._check_parameters()
        table, target = self._read_training(X, y, sample_weight)
        settings = variant._settings(target.n_rows)
        splits, proof = PerNodeSolver(table, target, settings).solve(
            settings.max_depth,
            settings.max_leaf_nodes,
            time_limit=read_time_limit(variant.time_limit),
            work_limit=settings.work_limit,
        )
        assert splits is not None  # there is no upper bound
        self._remember(table, target)
        self.tree_ = build_tree(table, target, splits, settings.unknown)
        self.proof_, self.candidates_, self.cv_results_ = proof, None, None
        return self
