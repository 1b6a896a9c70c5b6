"""Splits of several columns, by hyperplanes or other models, which compete with single columns."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import has_fit_parameter

from mixedwood import _core
from mixedwood.grow.encoded import fill
from mixedwood.grow.node_models import NodeModels

__all__ = ["COSTS", "LinearSettings", "linear_models", "read_models"]

COSTS = tuple(4.0**power for power in range(-3, 4))
"""Values of C that are tried where it is tuned: 2^-6, 2^-4, ..., 2^6."""

_SCORES = ("decision_function", "predict_proba")

_SUMMARIES = {
    "svm": "support vector machine with squared slacks",
    "sparse_svm": "the same with a 1-norm, so that a split uses few columns",
    "logistic": "logistic regression",
    "fisher": "Fisher's discriminant",
}


@dataclass(frozen=True)
class LinearSettings:
    """How linear splits are searched; checked by the caller.

    Each field means what the parameter of `ModelTreeClassifier` of the same name means; `models`
    are those that `read_models` returns.
    """

    models: tuple[tuple[Any, ...], ...]
    multi_class: str = "ovr"
    max_groupings: int = 10
    node_features: str = "numeric"
    max_terms: int = 256
    intercept: str = "model"
    score_on: str = "train"
    node_cv: int = 1
    max_tuning_rows: int = 2000
    min_samples_model: float = 2

    def native(self, kept: NodeModels) -> _core.LinearSettings:
        """Return the settings for the native core; it adds models of nodes to `kept`."""
        models = [_native_model(kept, *model) for model in self.models]
        return fill(_core.LinearSettings(models), self)


def _native_model(kept: NodeModels, kind: str, *arguments: Any) -> _core.LinearModel:
    if kind == "python":
        fit, *settings = arguments
        return _core.PythonLinearModel(fit, kept.decide, *settings)
    smoothing, costs = arguments
    return _core.make_linear_model(kind, smoothing, np.array(costs, dtype=np.float64))


def linear_models() -> dict[str, str]:
    """Names of the linear models, with one line each.

    Examples
    --------
    >>> from mixedwood.grow import linear_models
    >>> linear_models()["fisher"]
    "Fisher's discriminant"
    """
    return dict(_SUMMARIES)


def read_models(model: Any, C: Any, alpha: float | None) -> tuple[tuple[Any, ...], ...]:
    """Turn names and classifiers, one or a list of them, into models of the native core."""
    costs = _read_costs(C)
    if alpha is not None and not (_is_number(alpha) and 0 < alpha < math.inf):
        raise ValueError(f"smoothing must be None or a positive number; got {alpha!r}.")
    given = model if isinstance(model, (list, tuple)) else [model]
    if not given:
        raise ValueError("node_model must name at least one model; got an empty list.")
    return tuple(_read_model(one, costs, alpha) for one in given)


def _read_costs(given: Any) -> tuple[float, ...]:
    if isinstance(given, str) and given == "tune":
        return COSTS
    costs = given if isinstance(given, (Sequence, np.ndarray)) else [given]
    good = not isinstance(given, str) and len(costs) > 0
    if not good or not all(_is_number(c) and 0 < c < math.inf for c in costs):
        raise ValueError(
            f"C must be 'tune', a positive number, or a list of them to choose from; got {given!r}."
        )
    return tuple(sorted(float(c) for c in costs))


def _read_model(model: Any, costs: tuple[float, ...], alpha: float | None) -> tuple[Any, ...]:
    if isinstance(model, str) and model in _SUMMARIES:
        if model == "sparse_svm":
            return "sparse_hinge", 0.0, costs
        if model == "svm":
            return (
                ("squared_hinge", 0.0, costs) if alpha is None else ("smooth_hinge", alpha, costs)
            )
        return model, 0.0, costs
    if _is_classifier(model):
        tunable = "C" in model.get_params(deep=False)
        if not any(hasattr(model, name) for name in _SCORES):
            raise ValueError(
                f"node_model contains {model!r}, which has neither decision_function nor "
                "predict_proba: a split needs a score of each row, to compare it with a threshold. "
                "Use a classifier with one of them, or one of "
                f"{', '.join(map(repr, _SUMMARIES))}."
            )
        return _python(FittedInPython(model, costs if tunable else ()))
    raise ValueError(
        f"node_model must be {', '.join(map(repr, _SUMMARIES))}, a classifier with the interface "
        f"of scikit-learn, or a list of them; got {model!r}."
    )


def _is_classifier(model: Any) -> bool:
    """Whether this can be copied and fitted as scikit-learn's classifiers can."""
    if isinstance(model, (str, type)):
        return False
    methods = ("fit", "get_params", "__sklearn_tags__")
    return all(hasattr(model, name) for name in methods) and bool(is_classifier(model))


def _python(model: FittedInPython) -> tuple[Any, ...]:
    return "python", model, max(1, len(model.costs)), model.default_setting


@dataclass(frozen=True)
class FittedInPython:
    """A classifier that is fitted anew at each node."""

    classifier: Any
    costs: tuple[float, ...] = ()  # values of C to choose from

    @property
    def default_setting(self) -> int:
        """Place of the C that is nearest to 1."""
        return int(np.argmin(np.abs(np.log(self.costs)))) if self.costs else 0

    def __call__(
        self,
        X: NDArray[np.float64],
        signs: NDArray[np.int8],
        weights: NDArray[np.float64] | None,
        setting: int,
    ) -> Any:
        """Give the weights of the columns and the constant, or a classifier that has none."""
        classifier = clone(self.classifier)
        if self.costs:
            classifier.set_params(C=self.costs[setting])
        if getattr(classifier, "random_state", 0) is None:
            classifier.set_params(random_state=0)  # the same tree every time
        weighted = {} if weights is None else {"sample_weight": weights}
        if weighted and not has_fit_parameter(classifier, "sample_weight"):
            raise ValueError(
                f"rows have weights, but {type(classifier).__name__} takes none. Use another "
                "model, or fit without sample_weight, class_weight and handle_missing='fractional'."
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            classifier.fit(X, signs, **weighted)
        if not hasattr(classifier, "coef_"):
            return classifier
        constant = np.ravel(getattr(classifier, "intercept_", 0.0))
        return np.concatenate([np.ravel(classifier.coef_), constant])


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
