"""A classifier that wants a matrix of numbers, behind an encoder, so that it takes any table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mixedwood.comparison.matrix import CodedMatrix, OneHotMatrix
from mixedwood.data import check_same_length, read_table, read_target

if TYPE_CHECKING:
    from sklearn.utils import Tags

__all__ = ["EncodedClassifier"]

_ENCODINGS: dict[str, Any] = {"one_hot": OneHotMatrix, "codes": CodedMatrix}


class EncodedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A scikit-learn classifier that takes tables of categories, numbers and gaps.

    What a person would put before it by hand: indicators or codes for categories, a number for
    gaps. All of it is learned from the training rows alone.

    Parameters
    ----------
    estimator : classifier
        Takes a matrix of numbers.
    encoding : {"one_hot", "codes"}, default="one_hot"
        With ``"one_hot"``, every value of a nominal column is a column of zeros and ones, and so
        is "missing" where a training row lacks the value; an ordinal column is its place in the
        order; a missing number is the median, beside a column that says so. With ``"codes"``,
        nominal columns are codes, named in the `categorical_features` of the estimator if it has
        this parameter, and what is missing is NaN.
    scale : bool, default=False
        Whether to bring numbers to mean 0 and variance 1.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier.
    classes_ : ndarray
        The distinct labels, sorted.
    schema_ : Schema
        What the columns are.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = {"colour": ["red", "blue", None, "red"], "size": [1.0, None, 3.0, 4.0]}
    >>> model = EncodedClassifier(DecisionTreeClassifier(random_state=0))
    >>> model.fit(X, ["yes", "no", "no", "yes"]).predict(X).tolist()
    ['yes', 'no', 'no', 'yes']
    """

    def __init__(self, estimator: Any, *, encoding: str = "one_hot", scale: bool = False) -> None:
        self.estimator = estimator
        self.encoding = encoding
        self.scale = scale

    def fit(self, X: Any, y: Any) -> EncodedClassifier:
        """Learn the encoding, then fit the classifier."""
        if self.encoding not in _ENCODINGS:
            raise ValueError(f"encoding must be 'one_hot' or 'codes'; got {self.encoding!r}.")
        table, target = read_table(X), read_target(y)
        check_same_length(table, target)
        encoder = _ENCODINGS[self.encoding](table, bool(self.scale))
        estimator = clone(self.estimator)
        if self.encoding == "codes" and "categorical_features" in estimator.get_params():
            estimator.set_params(categorical_features=encoder.is_nominal)
        estimator.fit(encoder.encode(table), target.classes[target.codes])
        self.schema_ = table.schema
        self.n_features_in_ = table.n_columns
        if not table.schema.names_generated:
            self.feature_names_in_ = np.array(table.schema.names, dtype=object)
        self.encoder_, self.estimator_ = encoder, estimator
        self.classes_ = estimator.classes_
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the class of each row."""
        encoded = self._encoded(X)
        return np.asarray(self.estimator_.predict(encoded))

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the class probabilities of each row, in the order of ``classes_``."""
        encoded = self._encoded(X)
        return np.asarray(self.estimator_.predict_proba(encoded))

    def _encoded(self, X: Any) -> Any:
        check_is_fitted(self)
        table = read_table(X, schema=self.schema_, estimator=type(self).__name__)
        return self.encoder_.encode(table)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
