"""Prediction sets: the classes that a row may have, with a stated probability to be right."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mixedwood import _kinds as kinds
from mixedwood._params import is_number
from mixedwood.data import read_target

__all__ = ["SET_SCORES", "PredictionSets", "conformal_quantile", "set_scores"]

Numbers = NDArray[np.float64]

SET_SCORES = {"_set_scores": kinds.sometimes(kinds.array(np.float64, 1, kinds.FRACTIONS))}
_ROUNDING = 1e-12


class PredictionSets:
    """Predicts sets of classes, if there were rows that the model was not fitted on.

    A subclass has `predict_proba` and `classes_`, lists `SET_SCORES` among its fitted attributes
    and, if `fit` has such rows, sets `_set_scores` to what `set_scores` gives.
    """

    _set_scores: Numbers
    # What to do so that `fit` has such rows; empty if it never has.
    _needs_for_sets: ClassVar[str]

    def predict_set(self, X: Any, coverage: float = 0.9) -> NDArray[np.bool_]:
        """Predict a set of classes for each row that contains its class with a given probability.

        Sets are conformal: a class is in the set if its probability is at least that of the true
        class in all but the least ``1 - coverage`` of the training rows, each predicted without
        having been seen. These are the smallest sets on average for a given coverage. The
        predicted class is always in the set, so that no set is empty; where the model is right
        more often than `coverage`, sets of a single class cover more.

        Coverage holds on average over rows like the training rows, whatever their distribution. It
        may be larger for some classes or groups of rows, and smaller for others. Where many
        probabilities are 0, as in forests of unpruned trees on noisy data, sets cover more: set
        `min_samples_leaf` of their trees.

        Parameters
        ----------
        X : table
            Rows.
        coverage : float, default=0.9
            The probability, between 0 and 1.

        Returns
        -------
        ndarray of bool and shape (n_rows, n_classes)
            Whether each class, in the order of ``classes_``, is in the set. All are if there are
            too few rows for the coverage: fewer than ``coverage / (1 - coverage)``.

        Examples
        --------
        >>> import mixedwood as mw
        >>> X = {"size": list(range(40))}
        >>> model = mw.ForestClassifier(oob_score=True, random_state=0)
        >>> model.fit(X, ["small"] * 20 + ["large"] * 20).predict_set({"size": [0, 20]})
        array([[False,  True],
               [ True, False]])
        """
        if not is_number(coverage) or not 0 < coverage < 1:
            raise ValueError(
                "The 'coverage' parameter of predict_set must be a float in the range (0.0, 1.0). "
                f"Got {coverage!r} instead."
            )
        probabilities = np.asarray(self.predict_proba(X))  # type: ignore[attr-defined]
        if "_set_scores" not in vars(self):
            needs = f"{self._needs_for_sets}, or " if self._needs_for_sets else ""
            raise ValueError(
                "predict_set needs rows that the model was not fitted on: "
                f"{needs}pass such rows to calibrate_sets."
            )
        limit = conformal_quantile(self._set_scores, float(coverage))
        found = 1 - probabilities <= limit + _ROUNDING
        found[np.arange(len(found)), probabilities.argmax(axis=1)] = True
        return np.asarray(found)

    def calibrate_sets(self, X: Any, y: Any) -> Self:
        """Take other rows than the training rows to find the limit of prediction sets.

        `predict_set` then has the stated coverage over rows like these. Another call, or another
        fit, replaces them.

        Parameters
        ----------
        X : table
            Rows that the model was not fitted on.
        y : array-like of shape (n_rows,)
            Their classes.

        Returns
        -------
        estimator
            The estimator itself.

        Examples
        --------
        >>> import mixedwood as mw
        >>> X = {"size": list(range(40))}
        >>> y = ["small"] * 20 + ["large"] * 20
        >>> model = mw.AdaBoostTreesClassifier(random_state=0).fit(X, y)
        >>> held_out = {"size": [i + 0.5 for i in range(39)]}
        >>> model.calibrate_sets(held_out, y[1:]).predict_set({"size": [0, 30]})
        array([[False,  True],
               [ True, False]])
        """
        probabilities = np.asarray(self.predict_proba(X))  # type: ignore[attr-defined]
        truth = read_target(y)
        if truth.n_rows != len(probabilities):
            raise ValueError(
                "X and y of calibrate_sets must have the same number of rows; got "
                f"{len(probabilities)} and {truth.n_rows}."
            )
        place = {label: code for code, label in enumerate(self.classes_.tolist())}  # type: ignore[attr-defined]
        codes = np.array([place.get(label, -1) for label in truth.classes.tolist()])[truth.codes]
        # No set contains a class that the model does not know.
        of_truth = np.where(codes >= 0, probabilities[np.arange(len(codes)), codes], 0.0)
        self._set_scores = set_scores(of_truth)
        return self


def set_scores(of_true_class: Numbers) -> Numbers:
    """Give the scores of held-out rows, ascending: 1 less the probability of their class.

    Examples
    --------
    >>> import numpy as np
    >>> set_scores(np.array([1.0, 0.5, np.nan, 0.75]))
    array([0.  , 0.25, 0.5 ])
    """
    known = of_true_class[~np.isnan(of_true_class)]
    return np.sort(np.clip(1 - known, 0.0, 1.0))


def conformal_quantile(ascending: Numbers, coverage: float) -> float:
    """Give the conformal quantile of n scores: that of rank (n + 1) * coverage, rounded up.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.arange(1.0, 10.0)
    >>> conformal_quantile(scores, 0.9), conformal_quantile(scores, 0.95)
    (9.0, inf)
    """
    rank = math.ceil((len(ascending) + 1) * coverage - 1e-9)
    return float(ascending[rank - 1]) if rank <= len(ascending) else math.inf
