"""Common code of ensembles of trees: predictions, explanations, and the diversity of the trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mixedwood._params import OneOf, check_value
from mixedwood.data import Table, check_same_length, read_target
from mixedwood.estimators.base import (
    TableClassifier,
    TableEstimator,
    TableRegressor,
    columns_used,
)
from mixedwood.tree import Predictor, ShapValues, Tree, shap_values

if TYPE_CHECKING:
    from mixedwood.explain import Explanation

__all__ = [
    "Diversity",
    "TreeEnsemble",
    "TreeEnsembleClassifier",
    "TreeEnsembleRegressor",
    "measure_diversity",
    "vote_margins",
]

Vote: TypeAlias = Literal["soft", "hard"]
VOTING = OneOf("soft", "hard")


class TreeEnsemble(TableEstimator):
    """Has trees in `trees_`; subclasses grow them and combine their predictions.

    A subclass sets `trees_` in `fit` and defines `predictor_`. It may override the weights of
    trees, the handling of unknown categories, and the impurity of importances.
    """

    trees_: list[Tree]
    n_jobs: int | None

    @property
    def predictor_(self) -> Predictor:
        """The trees, and how their predictions are combined."""
        raise NotImplementedError

    def explain(self, X: Any, row: int = 0) -> Explanation:
        """Explain the prediction of one row by contributions of the columns.

        Along the row's path in each tree, the change of the tree's prediction from node to child
        is attributed to the column of the split.

        Parameters
        ----------
        X : table
            Rows.
        row : int, default=0
            Number of the row, from 0.

        Returns
        -------
        Explanation
            A bias and a contribution of each column to each class, which add up to the class
            probabilities of the row or, with gradient boosting, to its scores; or to the predicted
            number. Print it.

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
        from mixedwood.explain.explanation import explain_prediction

        return explain_prediction(self.predictor_, table, row)

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
            Its ``values`` and ``base_values`` add up to class probabilities or numbers or, for
            boosted trees, to raw scores; ``to_shap()`` is for shap's plots.

        Raises
        ------
        ValueError
            If a split weighs several columns: what a single one adds is not defined then.
        """
        return shap_values(self.predictor_, self._new(X), self.n_jobs)

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Find the leaf of each row in each tree.

        Parameters
        ----------
        X : table
            Rows.

        Returns
        -------
        ndarray of int32 and shape (n_rows, n_trees)
            Numbers of nodes as in ``trees_``. A row with an unknown category may stop at an inner
            node.
        """
        return self.predictor_.apply(self._new(X))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean over the trees of the fraction of each column in the decrease of impurity."""
        from mixedwood.explain.importance import impurity_importance

        check_is_fitted(self)
        measure = partial(impurity_importance, impurity=self._impurity())
        mean = np.average([measure(tree) for tree in self.trees_], 0, self._tree_weights())
        total = mean.sum()
        return np.asarray(mean / total if total > 0 else mean)

    # What subclasses may override

    def _tree_weights(self) -> NDArray[np.float64] | None:
        """Weights of the trees; None if all are equal."""
        return None

    def _handle_unknown(self) -> str:
        """Handling of categories that are not in the training data."""
        return "stop"

    def _impurity(self) -> Literal["gini", "entropy"]:
        """The impurity of feature importances."""
        return "gini"

    # Tables

    def _new(self, X: Any) -> Table:
        check_is_fitted(self)
        return self._read_new(X, lambda: columns_used(self.trees_), self._handle_unknown())


class TreeEnsembleClassifier(TreeEnsemble, TableClassifier):
    """Predicts classes with the trees in `trees_`.

    A subclass has a parameter or an attribute `voting`.
    """

    voting: Vote

    # Predictions

    @property
    def predictor_(self) -> Predictor:
        """The trees, and how their predictions are combined."""
        check_is_fitted(self)
        check_value(type(self).__name__, "voting", self.voting, VOTING)
        return Predictor(
            self.schema_,
            self._target_spec,
            tuple(self.trees_),
            weights=self._tree_weights(),
            aggregate="vote" if self.voting == "hard" else "mean",
        )

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row; of equally probable classes, the first.

        Parameters
        ----------
        X : table
            Rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            Class labels.
        """
        return self.predictor_.predict(self._new(X), self.n_jobs)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the class probabilities of each row, in the order of ``classes_``.

        They are the mean of the probabilities of the trees or, with ``voting="hard"``, the
        fractions of their votes.

        Parameters
        ----------
        X : table
            Rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Probabilities.
        """
        return self.predictor_.probabilities(self._new(X), self.n_jobs)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the logarithms of the class probabilities of each row."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Predict the classes after one tree, two trees, and so on."""
        return map(self.predictor_.target.labels, self.staged_predict_proba(X))

    def staged_predict_proba(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Predict the class probabilities after one tree, two trees, and so on."""
        return self.predictor_.staged_probabilities(self._new(X))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> NDArray[np.float64]:
        """Compute the accuracy after one tree, two trees, and so on.

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
        predictor = self.predictor_
        stages = map(predictor.target.decide, predictor.staged_probabilities(table))
        return np.array([np.average(codes == truth, weights=weights) for codes in stages])

    def predict_members(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row by each tree: shape (n_rows, n_trees)."""
        return np.asarray(self.classes_[self.predictor_.tree_codes(self._new(X))])

    def margins(self, X: Any, y: Any) -> NDArray[np.float64]:
        """Compute the margin of each row (Schapire et al. 1998).

        Parameters
        ----------
        X : table
            Rows.
        y : array-like of shape (n_rows,)
            Their classes.

        Returns
        -------
        ndarray of shape (n_rows,)
            Probability of the true class less the largest probability of another class: 1 if all
            trees are right, -1 if all are wrong in the same way.
        """
        table, truth, _ = self._new_with_classes(X, y)
        return vote_margins(self.predictor_.probabilities(table, self.n_jobs), truth)

    def diversity(self, X: Any, y: Any = None) -> Diversity:
        """Measure how much the predictions of the trees differ, and the sizes of the trees.

        Parameters
        ----------
        X : table
            Rows, preferably other than the training rows.
        y : array-like of shape (n_rows,), optional
            Their classes, for the mean error of the trees.

        Returns
        -------
        Diversity
            Disagreement and kappa of pairs of trees, and mean sizes.
        """
        if y is None:
            table, truth = self._new(X), None
        else:
            table, truth, _ = self._new_with_classes(X, y)
        return measure_diversity(self.trees_, self.predictor_.tree_codes(table), truth)

    def _new_with_classes(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> tuple[Table, NDArray[np.int32], NDArray[np.float64] | None]:
        """Read rows and their classes, as positions in ``classes_``; -1 for other classes."""
        check_is_fitted(self)
        target = read_target(y, sample_weight)
        table = self._new(X)
        check_same_length(table, target)
        place = {label: i for i, label in enumerate(self.classes_.tolist())}
        known = np.array([place.get(label, -1) for label in target.classes.tolist()], np.int32)
        return table, known[target.codes], target.weights


class TreeEnsembleRegressor(TreeEnsemble, TableRegressor):
    """Predicts numbers with the trees in `trees_`."""

    @property
    def predictor_(self) -> Predictor:
        """The trees, whose predictions are averaged."""
        check_is_fitted(self)
        return Predictor(
            self.schema_, self._target_spec, tuple(self.trees_), weights=self._tree_weights()
        )

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the number of each row: the mean over the trees.

        Parameters
        ----------
        X : table
            Rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            Numbers.
        """
        return self.predictor_.predict(self._new(X), self.n_jobs)

    def staged_predict(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Predict the number of each row after one tree, two trees, and so on."""
        return self.predictor_.staged_numbers(self._new(X))

    def predict_members(self, X: Any) -> NDArray[np.float64]:
        """Predict the number of each row by each tree: shape (n_rows, n_trees)."""
        table = self._new(X)
        return np.column_stack([tree.predict(table) for tree in self.predictor_.trees])


def python_label(label: Any) -> Any:
    """Convert a class label from NumPy's type to Python's."""
    return label.item() if hasattr(label, "item") else label


@dataclass(frozen=True)
class Diversity:
    """How much the predictions of the trees of an ensemble differ, and the sizes of the trees.

    Disagreement of two trees is the fraction of rows for which they predict different classes.
    Kappa (Cohen 1960; for ensembles Dietterich 2000) is their agreement beyond what two trees with
    the same class frequencies would have by chance: 1 for trees that always agree, 0 for chance.

    Attributes
    ----------
    n_members : int
        Number of trees.
    disagreement : float
        Mean disagreement over all pairs of trees; NaN for a single tree.
    kappa : float
        Mean kappa over all pairs of trees; NaN for a single tree.
    mean_leaves, mean_nodes, mean_depth : float
        Mean size of the trees.
    member_error : float or None
        Mean error of single trees, if the classes were given.
    pairwise_disagreement, pairwise_kappa : ndarray of shape (n_members, n_members)
        Disagreement and kappa of each pair.
    """

    n_members: int
    disagreement: float
    kappa: float
    mean_leaves: float
    mean_nodes: float
    mean_depth: float
    member_error: float | None
    pairwise_disagreement: NDArray[np.float64] = field(repr=False, compare=False)
    pairwise_kappa: NDArray[np.float64] = field(repr=False, compare=False)


def measure_diversity(
    trees: Sequence[Tree], codes: NDArray[np.int32], truth: NDArray[np.int32] | None = None
) -> Diversity:
    """Compare the predictions of trees.

    Parameters
    ----------
    trees : sequence of Tree
        The trees.
    codes : ndarray of int32 and shape (n_rows, n_trees)
        The class that each tree predicts for each row.
    truth : ndarray of int32 and shape (n_rows,), optional
        The true classes; -1 for a class that is not in the training data.

    Examples
    --------
    >>> import numpy as np
    >>> from mixedwood.data import read_table, read_target
    >>> from mixedwood.grow import grow
    >>> tree = grow(read_table({"x": [1, 2]}), read_target(["a", "b"]))
    >>> found = measure_diversity([tree, tree], np.array([[0, 0], [0, 1], [1, 1], [1, 1]]))
    >>> found.disagreement, found.kappa, found.mean_leaves
    (0.25, 0.5, 2.0)
    """
    n_rows, n_trees = codes.shape
    agreement = np.zeros((n_trees, n_trees))
    by_chance = np.zeros((n_trees, n_trees))
    for code in np.unique(codes):
        chosen = (codes == code).astype(np.float64)
        agreement += chosen.T @ chosen / n_rows
        frequency = chosen.mean(axis=0)
        by_chance += np.outer(frequency, frequency)
    agreement = np.clip(agreement, 0.0, 1.0)
    beyond = 1 - by_chance
    certain = beyond <= 1e-12  # both always predict the same class
    kappa = np.where(certain, 1.0, (agreement - by_chance) / np.where(certain, 1.0, beyond))
    pairs = np.triu_indices(n_trees, k=1)
    several = n_trees > 1
    return Diversity(
        n_members=n_trees,
        disagreement=float((1 - agreement)[pairs].mean()) if several else np.nan,
        kappa=float(kappa[pairs].mean()) if several else np.nan,
        mean_leaves=float(np.mean([tree.n_leaves for tree in trees])),
        mean_nodes=float(np.mean([tree.n_nodes for tree in trees])),
        mean_depth=float(np.mean([tree.depth for tree in trees])),
        member_error=None if truth is None else float((codes != truth[:, None]).mean()),
        pairwise_disagreement=1 - agreement,
        pairwise_kappa=kappa,
    )


def vote_margins(
    probabilities: NDArray[np.float64], truth: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Probability of the true class less the largest probability of another class.

    A true class of -1, which is not in the training data, has probability 0.

    Examples
    --------
    >>> import numpy as np
    >>> vote_margins(np.array([[0.75, 0.25, 0.0]] * 3), np.array([0, 1, -1])).tolist()
    [0.5, -0.5, -0.75]
    """
    rows = np.arange(len(probabilities))
    known = truth >= 0
    true = np.where(known, probabilities[rows, truth], 0.0)
    others = probabilities.copy()
    others[rows[known], truth[known]] = 0.0
    return np.asarray(true - others.max(axis=1))
