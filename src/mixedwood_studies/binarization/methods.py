"""Optimal trees whose ranges are made once, and whose tests are made anew at every node."""

from __future__ import annotations

from typing import Any

from mixedwood._limits import read_time_limit
from mixedwood.estimators import OptimalTreeClassifier
from mixedwood.optimal.build import build_tree
from mixedwood.optimal.solvers import PerNodeSolver

__all__ = ["EncodedAtEverySplit"]


class EncodedAtEverySplit(OptimalTreeClassifier):
    """An `OptimalTreeClassifier` with ``binarize_at="node_encoding"`` that takes it literally.

    The estimator of the library knows that such trees cost what those with tests made once cost,
    and looks for the latter. This one makes the tests at every node, from the ranges that are left
    there: windows reach over ranges that no row of the node has, and new rows may go elsewhere.

    Examples
    --------
    >>> from mixedwood.datasets import load
    >>> from mixedwood.preprocessing import FeatureBinarizer
    >>> iris = load("iris")
    >>> binarizer = FeatureBinarizer(n_bins=4, encoding="multi_hot")
    >>> asked = {"max_depth": 2, "ccp_alpha": 0, "binarizer": binarizer}
    >>> EncodedAtEverySplit(**asked).fit(iris.X, iris.y).objective_value_
    17.0
    >>> OptimalTreeClassifier(**asked).fit(iris.X, iris.y).objective_value_
    17.0
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> EncodedAtEverySplit:
        """Find the tree, as `OptimalTreeClassifier.fit` does."""
        asked = type(self)(**{**self.get_params(deep=False), "binarize_at": "node_encoding"})
        asked._check_parameters()
        table, target = self._read_training(
            X,
            y,
            sample_weight,
            class_weight=self.class_weight,
            categorical_features=self.categorical_features,
            ordinal_features=self.ordinal_features,
        )
        settings = asked._settings(target.n_rows)
        splits, proof = PerNodeSolver(table, target, settings).solve(
            settings.max_depth,
            settings.max_leaf_nodes,
            time_limit=read_time_limit(asked.time_limit),
            work_limit=settings.work_limit,
        )
        self._remember(table, target)
        self.tree_ = build_tree(table, target, splits, settings.unknown)
        self.proof_, self.candidates_, self.cv_results_ = proof, None, None
        return self
