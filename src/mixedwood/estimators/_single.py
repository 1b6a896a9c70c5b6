"""Estimators of a single tree: predictions, importances, rules and explanations."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mixedwood import _kinds as kinds
from mixedwood._limits import StopFlag
from mixedwood.data import Table, Target
from mixedwood.estimators.base import (
    TableClassifier,
    TableEstimator,
    TableRegressor,
    columns_used,
)
from mixedwood.grow import EncodedTable
from mixedwood.tree import Predictor, ShapValues, Tree, shap_values

if TYPE_CHECKING:
    from mixedwood.explain import DecisionPath, Rule

__all__ = ["Rows", "SingleTree", "SingleTreeClassifier", "SingleTreeRegressor", "impurity_of"]

Rows = NDArray[np.int32]


class SingleTree(TableEstimator):
    """An estimator with a ``tree_``; it is also what ensembles fit their members with.

    Ensembles check the parameters once with `_check_parameters` and then call `_fit_encoded`, which
    changes nothing in the estimator, for each member; estimators can be pickled.
    """

    tree_: Tree
    criterion: Any
    handle_unknown: str

    _fitted: ClassVar[kinds.Fitted] = {"tree_": kinds.instance(Tree)}

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
        """Learn a tree from some rows, which may repeat, or from all.

        `choice_seed` is the seed of folds that only choose something; by default `seed`.
        """
        raise NotImplementedError

    @property
    def predictor_(self) -> Predictor:
        """The tree as the description that all models of trees have."""
        return Predictor.of_tree(self._fitted_tree)

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the node in which each row ends: a leaf, or where an unknown category stops it."""
        return self._fitted_tree.apply(self._read(X))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Importance of each column by the decrease of impurity or loss, with a sum of 1."""
        from mixedwood.explain.importance import impurity_importance

        return impurity_importance(self._fitted_tree, self._impurity())

    def get_depth(self) -> int:
        """Return the depth of the tree."""
        return self._fitted_tree.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return self._fitted_tree.n_leaves

    def to_rules(self) -> list[Rule]:
        """Return the tree as rules, one for each leaf."""
        return self._fitted_tree.to_rules()

    def explain(self, X: Any, row: int = 0) -> DecisionPath:
        """Explain the prediction of one row of X by its path through the tree."""
        return self._fitted_tree.explain(self._read(X), row)

    def shap_values(self, X: Any) -> ShapValues:
        """Compute what each column adds to each prediction, as exact SHAP values.

        A column that is not known averages over the children of its splits, in proportion to their
        training weight. Crossed columns have values of their own.

        Parameters
        ----------
        X : table
            Rows.

        Returns
        -------
        ShapValues
            Its ``values`` and ``base_values`` add up to class probabilities or numbers;
            ``to_shap()`` is for shap's plots.

        Raises
        ------
        ValueError
            If a split weighs several columns: what a single one adds is not defined then.
        """
        predictor = getattr(self, "predictor_", None)
        if predictor is None:
            raise ValueError(
                f"{type(self).__name__} has linear models in its leaves, which weigh several "
                "columns: there are no SHAP values of its trees."
            )
        return shap_values(predictor, self._read(X))

    def _impurity(self) -> Literal["gini", "entropy"]:
        """Name the impurity of the importances."""
        return impurity_of(self.criterion)

    @property
    def _fitted_tree(self) -> Tree:
        check_is_fitted(self)
        return self.tree_

    def _read(self, X: Any) -> Table:
        return self._read_new(X, lambda: columns_used([self._fitted_tree]), self.handle_unknown)


class SingleTreeClassifier(SingleTree, TableClassifier):
    """A classifier with a ``tree_``."""

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row."""
        return self._fitted_tree.predict(self._read(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the class probabilities of each row, in the order of ``classes_``."""
        return self._fitted_tree.predict_proba(self._read(X))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the logarithms of the class probabilities of each row."""
        with np.errstate(divide="ignore"):
            return np.log(self._fitted_tree.predict_proba(self._read(X)))


class SingleTreeRegressor(SingleTree, TableRegressor):
    """A regressor with a ``tree_``."""

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the number of each row."""
        return self._fitted_tree.predict(self._read(X))


def impurity_of(criterion: Any) -> Literal["gini", "entropy"]:
    """Name the impurity that belongs to a criterion."""
    measure = getattr(criterion, "impurity", criterion)
    return "entropy" if measure in ("entropy", "gain_ratio") else "gini"
