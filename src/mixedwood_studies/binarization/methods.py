"""Optimal trees whose ranges are made once, and whose tests are made anew at every node."""

from __future__ import annotations

from typing import Any

from mixedwood.estimators import OptimalTreeClassifier
from mixedwood.estimators.optimal_parameters import read_optimal_parameters
from mixedwood.optimal.building import build_tree
from mixedwood.optimal.rebinarised import RebinarisedSearch

__all__ = ["EncodedAtEverySplit"]


class EncodedAtEverySplit(OptimalTreeClassifier):
    """An `OptimalTreeClassifier` with ``binarize="encode_every_split"`` that takes it literally.

    The estimator of the library knows that such trees cost what those with tests made once cost,
    and looks for the latter. This one makes the tests at every node, from the ranges that are left
    there: windows reach over ranges that no row of the node has, and new rows may go elsewhere.

    Examples
    --------
    >>> from mixedwood.datasets import load
    >>> iris = load("iris")
    >>> asked = {"max_depth": 2, "leaf_cost": 0, "n_bins": 4, "encoding": "multi_hot"}
    >>> EncodedAtEverySplit(**asked).fit(iris.X, iris.y).cost_
    17.0
    >>> OptimalTreeClassifier(**asked).fit(iris.X, iris.y).cost_
    17.0
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> EncodedAtEverySplit:
        """Find the tree, as `OptimalTreeClassifier.fit` does."""
        asked = type(self)(**{**self.get_params(), "binarize": "encode_every_split"})
        parameters = read_optimal_parameters(asked)
        table, target = self._read_training(
            X,
            y,
            sample_weight,
            class_weight=self.class_weight,
            categorical_features=self.categorical_features,
            ordinal_features=self.ordinal_features,
        )
        settings = parameters.settings_for(target.n_rows)
        search = RebinarisedSearch(table, target, settings)
        skeleton, proof = search.solve(
            settings.max_depth,
            settings.max_nodes,
            time_limit=parameters.time_limit,
            work_limit=settings.work_limit,
        )
        tree = build_tree(table, target, skeleton, settings.unseen)
        self._remember(table, target)
        self.tree_, self.proof_, self.tests_, self.tried_ = tree, proof, None, None
        return self
