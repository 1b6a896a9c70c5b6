"""What estimators of a single tree share once the tree is there: answers, and words about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mixedwood.data import Table
from mixedwood.estimators.base import TableClassifier, columns_used
from mixedwood.explain.importance import impurity_importance
from mixedwood.tree import Tree

if TYPE_CHECKING:
    from mixedwood.explain import DecisionPath, Rule

__all__ = ["OneTreeClassifier", "impurity_of"]


class OneTreeClassifier(TableClassifier):
    """A classifier with a ``tree_``, a ``criterion`` and a way with ``unseen`` values."""

    tree_: Tree
    criterion: Any
    handle_unknown: str

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the class of each row."""
        return self._fitted.predict(self._new(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the class probabilities of each row, in the order of ``classes_``."""
        return self._fitted.predict_proba(self._new(X))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the logarithms of the class probabilities of each row."""
        with np.errstate(divide="ignore"):
            return np.log(self._fitted.predict_proba(self._new(X)))

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Find the node that answers each row: a leaf, or where a value was never met."""
        return self._fitted.apply(self._new(X))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each column in the fall of impurity; see `explain.impurity_importance`."""
        return impurity_importance(self._fitted, self._impurity())

    def get_depth(self) -> int:
        """Most tests in a row."""
        return self._fitted.depth

    def get_n_leaves(self) -> int:
        """Count the leaves."""
        return self._fitted.n_leaves

    def to_rules(self) -> list[Rule]:
        """Turn the tree into rules, one for each leaf, in the words of the table."""
        return self._fitted.to_rules()

    def explain(self, X: Any, row: int = 0) -> DecisionPath:
        """Follow one row of X through the tree, in words."""
        return self._fitted.explain(self._new(X), row)

    def _impurity(self) -> Literal["gini", "entropy"]:
        """Name the impurity by which importances are measured."""
        return impurity_of(self.criterion)

    @property
    def _fitted(self) -> Tree:
        check_is_fitted(self)
        return self.tree_

    def _new(self, X: Any) -> Table:
        return self._read_new(X, lambda: columns_used([self._fitted]), self.handle_unknown)


def impurity_of(criterion: Any) -> Literal["gini", "entropy"]:
    """Name the impurity that goes with a criterion."""
    measure = getattr(criterion, "impurity", criterion)
    return "entropy" if measure in ("entropy", "gain_ratio") else "gini"
