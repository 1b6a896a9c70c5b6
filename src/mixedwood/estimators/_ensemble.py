"""What all ensembles of trees do the same way: one answer of many trees, and what they are like."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mixedwood.data import Table, check_same_length, read_target
from mixedwood.ensembles import (
    Diversity,
    add_up,
    first_of_largest,
    measure_diversity,
    member_classes,
    shares_of,
    staged_shares,
    vote_margins,
)
from mixedwood.ensembles.votes import Vote
from mixedwood.estimators.base import TableClassifier, columns_used
from mixedwood.explain.ensemble import explain_votes
from mixedwood.explain.importance import impurity_importance
from mixedwood.explain.walk import choose_row
from mixedwood.tree import Tree

if TYPE_CHECKING:
    from mixedwood.explain import Explanation

__all__ = ["TreeEnsembleClassifier", "nodes_of"]


class TreeEnsembleClassifier(TableClassifier):
    """Answers by the vote of `trees_`; subclasses grow them.

    A subclass sets `trees_` in `fit`, has a parameter or an attribute `voting`, and may say with
    `_tree_weights` what each tree counts, with `_unseen` what happens to values that no training
    row had, and with `_impurity` by what importances are measured.
    """

    trees_: list[Tree]
    voting: Vote

    # Answers

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the class of each row; the first of classes with equal shares."""
        shares = self._shares(self._new(X))
        return np.asarray(self.classes_[first_of_largest(shares)])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the class probabilities of each row, in the order of ``classes_``.

        The mean of what the trees say or, with ``voting="hard"``, the shares of their votes.
        """
        return self._shares(self._new(X))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the logarithms of the class probabilities of each row."""
        with np.errstate(divide="ignore"):
            return np.log(self._shares(self._new(X)))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Give the classes after one tree, two trees, and so on, without fitting again."""
        return (self.classes_[first_of_largest(shares)] for shares in self._staged(self._new(X)))

    def staged_predict_proba(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Give the class probabilities after one tree, two trees, and so on."""
        return self._staged(self._new(X))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> NDArray[np.float64]:
        """Compute the accuracy after one tree, two trees, and so on, without fitting again.

        Gradient boosting may grow several trees per iteration; it is scored after each iteration.

        Parameters
        ----------
        X : table
            Rows.
        y : array-like of shape (n_rows,)
            Their classes.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of rows.

        Returns
        -------
        ndarray of shape (n_stages,)
            The fraction of rows, or of their weight, that the first trees classify correctly.
        """
        table, truth, weights = self._new_with_classes(X, y, sample_weight)
        right = (first_of_largest(shares) == truth for shares in self._staged(table))
        return np.array([np.average(r, weights=weights) for r in right])

    def explain(self, X: Any, row: int = 0) -> Explanation:
        """Say why one row is answered as it is: what each column adds to the answer.

        On the row's way through each tree, what a test changes in the tree's answer is credited to
        the column that it asks for.

        Parameters
        ----------
        X : table
            Rows.
        row : int, default=0
            Which row, counted from 0.

        Returns
        -------
        Explanation
            A bias and a contribution of each column to each class, which add up to the class
            probabilities of the row or, with gradient boosting, to its scores; print it.

        Examples
        --------
        >>> import mixedwood as mw
        >>> X = {"colour": ["red", "blue", "green", "blue"] * 5, "size": [1, 2, 3, 4] * 5}
        >>> model = mw.GrowPruneForestClassifier(n_estimators=11, random_state=0)
        >>> why = model.fit(X, ["yes", "no", "yes", "no"] * 5).explain(X, row=0)
        >>> print(why)
        Row 0: yes (yes 100 %, no 0 %)
        Share of yes in the votes of 11 trees
           0.500  base value
          +0.500  colour = red
          +0.000  as each tree votes for one class
           1.000  total
        Votes of 11 trees: yes 11
        """
        return self._explain(self._new(X), row)

    def _explain(self, table: Table, row: int) -> Explanation:
        one, row = choose_row(table, row)
        shares = self._shares(one)
        return explain_votes(
            self.trees_,
            one,
            row=row,
            prediction=self._answer(shares),
            probabilities=shares[0],
            answers=member_classes(self.trees_, one)[0],
            vote=self.voting,
            weights=self._tree_weights(),
        )

    def _answer(self, shares: NDArray[np.float64]) -> Any:
        """The class of a single row, as Python has it."""
        label = self.classes_[first_of_largest(shares)][0]
        return label.item() if hasattr(label, "item") else label

    # What the members are like

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Find the node of each tree that answers each row.

        Parameters
        ----------
        X : table
            Rows.

        Returns
        -------
        ndarray of int32 and shape (n_rows, n_trees)
            Numbers of nodes, as ``trees_`` shows them: leaves, or where a value was never met.
        """
        return nodes_of(self.trees_, self._new(X))

    def predict_members(self, X: Any) -> NDArray[Any]:
        """Give the class of each row by each tree, as an array of shape (n_rows, n_trees)."""
        table = self._new(X)
        return np.asarray(self.classes_[member_classes(self.trees_, table)])

    def margins(self, X: Any, y: Any) -> NDArray[np.float64]:
        """Say how far each row is from being misclassified.

        Parameters
        ----------
        X : table
            Rows.
        y : array-like of shape (n_rows,)
            Their classes.

        Returns
        -------
        ndarray of shape (n_rows,)
            The share of the right class in the vote less the largest share of another class:
            from 1, all trees are right, to -1, all are wrong in the same way.
        """
        table, truth, _ = self._new_with_classes(X, y)
        return vote_margins(self._shares(table), truth)

    def diversity(self, X: Any, y: Any = None) -> Diversity:
        """Measure how much the trees differ in their answers, and how large they are.

        Parameters
        ----------
        X : table
            Rows, best such that the trees have not seen.
        y : array-like of shape (n_rows,), optional
            Their classes, for the mean error of single trees.

        Returns
        -------
        Diversity
            Disagreement and kappa of pairs, and mean sizes.
        """
        if y is None:
            table, truth = self._new(X), None
        else:
            table, truth, _ = self._new_with_classes(X, y)
        return measure_diversity(self.trees_, member_classes(self.trees_, table), truth)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean over the trees of each column's share in the fall of impurity."""
        check_is_fitted(self)
        measure = partial(impurity_importance, impurity=self._impurity())
        mean = np.average([measure(tree) for tree in self.trees_], 0, self._tree_weights())
        total = mean.sum()
        return np.asarray(mean / total if total > 0 else mean)

    # What subclasses may say

    def _tree_weights(self) -> NDArray[np.float64] | None:
        """Give the weight of each tree in the vote; None if all are equal."""
        return None

    def _unseen(self) -> str:
        """Name what happens to values that no training row had."""
        return "stop"

    def _impurity(self) -> Literal["gini", "entropy"]:
        """Name the impurity by which importances are measured."""
        return "gini"

    # Tables and shares

    def _shares(self, table: Table) -> NDArray[np.float64]:
        n_jobs = getattr(self, "n_jobs", None)
        return shares_of(add_up(self.trees_, table, self.voting, self._tree_weights(), n_jobs))

    def _staged(self, table: Table) -> Iterator[NDArray[np.float64]]:
        return staged_shares(self.trees_, table, self.voting, self._tree_weights())

    def _new(self, X: Any) -> Table:
        check_is_fitted(self)
        return self._read_new(X, lambda: columns_used(self.trees_), self._unseen())

    def _new_with_classes(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> tuple[Table, NDArray[np.int32], NDArray[np.float64] | None]:
        """Read rows and their classes, as positions in ``classes_``; -1 for one not known."""
        check_is_fitted(self)
        target = read_target(y, sample_weight)
        table = self._read_new(X, lambda: columns_used(self.trees_), self._unseen())
        check_same_length(table, target)
        place = {label: i for i, label in enumerate(self.classes_.tolist())}
        known = np.array([place.get(label, -1) for label in target.classes.tolist()], np.int32)
        return table, known[target.codes], target.weights


def nodes_of(trees: list[Tree], table: Table) -> NDArray[np.int32]:
    """Find the node of each tree that answers each row, one column per tree."""
    found = np.empty((table.n_rows, len(trees)), dtype=np.int32)
    for place, tree in enumerate(trees):
        found[:, place] = tree.apply(table)
    return found
