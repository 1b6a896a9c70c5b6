"""Linear tests: planes through several columns of a node, which compete with single columns."""

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
from mixedwood.growers.coded import fill

__all__ = ["COSTS", "LinearTests", "machines", "read_machines"]

COSTS = tuple(4.0**power for power in range(-3, 4))
"""Values of C that are tried where it is tuned: 2^-6, 2^-4, ..., 2^6."""

_SUMMARIES = {
    "svm": "support vector machine with squared slacks",
    "sparse_svm": "the same with a 1-norm, so that a plane uses few columns",
    "logistic": "logistic regression",
    "fisher": "Fisher's discriminant",
}


@dataclass(frozen=True)
class LinearTests:
    """Which machines make planes at a node, and how these are compared; checked by the caller.

    The meaning of each is that of the parameter of `ModelTreeClassifier`; `machines` are as the
    native core takes them.
    """

    machines: tuple[tuple[Any, ...], ...]
    superclasses: str = "one_vs_rest"
    max_questions: int = 10
    nominal: bool = False
    max_weights: int = 256
    best_cut: bool = False
    validated: bool = False
    n_folds: int = 1
    max_tuning_rows: int = 2000
    min_rows: float = 2

    def native(self) -> _core.LinearSettings:
        """Return the settings for the native core."""
        names = {"one_vs_rest": "ovr", "every": "exhaustive"}
        return fill(
            _core.LinearSettings([_native_model(*machine) for machine in self.machines]),
            multi_class=names.get(self.superclasses, self.superclasses),
            max_groupings=self.max_questions,
            node_features="all" if self.nominal else "numeric",
            max_terms=self.max_weights,
            intercept="best" if self.best_cut else "model",
            score_on="validation" if self.validated else "train",
            node_cv=self.n_folds,
            max_tuning_rows=self.max_tuning_rows,
            min_samples_model=self.min_rows,
        )


def _native_model(kind: str, *arguments: Any) -> _core.LinearModel:
    if kind == "python":
        return _core.PythonLinearModel(*arguments)
    smoothing, costs = arguments
    return _core.make_linear_model(kind, smoothing, np.array(costs, dtype=np.float64))


def machines() -> dict[str, str]:
    """Names of the linear machines, with one line each.

    Examples
    --------
    >>> from mixedwood.growers import machines
    >>> machines()["fisher"]
    "Fisher's discriminant"
    """
    return dict(_SUMMARIES)


def read_machines(machine: Any, C: Any, alpha: float | None) -> tuple[tuple[Any, ...], ...]:
    """Turn names and classifiers, one or a list of them, into machines of the native core."""
    costs = _read_costs(C)
    if alpha is not None and not (_is_number(alpha) and 0 < alpha < math.inf):
        raise ValueError(f"smoothing must be None or a positive number; got {alpha!r}.")
    given = machine if isinstance(machine, (list, tuple)) else [machine]
    if not given:
        raise ValueError("node_model must name at least one model; got an empty list.")
    return tuple(_read_machine(one, costs, alpha) for one in given)


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


def _read_machine(machine: Any, costs: tuple[float, ...], alpha: float | None) -> tuple[Any, ...]:
    if isinstance(machine, str) and machine in _SUMMARIES:
        if machine == "sparse_svm":
            return "sparse_hinge", 0.0, costs
        if machine == "svm":
            return (
                ("squared_hinge", 0.0, costs) if alpha is None else ("smooth_hinge", alpha, costs)
            )
        return machine, 0.0, costs
    if _is_classifier(machine):
        tunable = "C" in machine.get_params(deep=False)
        return _python(FittedInPython(machine, costs if tunable else ()))
    raise ValueError(
        f"node_model must be {', '.join(map(repr, _SUMMARIES))}, a linear classifier like those of "
        f"scikit-learn, or a list of them; got {machine!r}."
    )


def _is_classifier(machine: Any) -> bool:
    """Whether this can be copied and fitted as scikit-learn's classifiers can."""
    if isinstance(machine, (str, type)):
        return False
    methods = ("fit", "get_params", "__sklearn_tags__")
    return all(hasattr(machine, name) for name in methods) and bool(is_classifier(machine))


def _python(machine: FittedInPython) -> tuple[Any, ...]:
    return "python", machine, max(1, len(machine.costs)), machine.default_setting


@dataclass(frozen=True)
class FittedInPython:
    """A linear classifier that is fitted anew at each node."""

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
    ) -> NDArray[np.float64]:
        """Give the weights of the columns, and the constant."""
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
            raise ValueError(
                f"{type(classifier).__name__} has no coef_ after fit: it is not linear."
            )
        constant = np.ravel(getattr(classifier, "intercept_", 0.0))
        return np.concatenate([np.ravel(classifier.coef_), constant])


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
