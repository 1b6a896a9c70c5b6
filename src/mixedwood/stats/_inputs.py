"""Reading and checking the inputs of statistical tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Error rates come from sums and divisions. Differences below this fraction of the largest value are
# rounding errors, and no difference between methods.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Differences:
    """Differences of errors on the same folds, first minus second, without rounding errors."""

    values: NDArray[np.float64]
    mean: float
    rounding: float  # what rounding may make of a difference of 0

    @classmethod
    def of(cls, a: ArrayLike, b: ArrayLike) -> Differences:
        """Read the errors of two methods on the same folds."""
        first, second = read_values(a, "a"), read_values(b, "b")
        if first.shape != second.shape:
            raise ValueError(
                f"a has the shape {first.shape} and b has {second.shape}; both need one error for "
                "each of the same folds, in the same order."
            )
        rounding = rounding_of(np.stack([first, second]))
        values = without_rounding(first - second, rounding)
        mean = math.fsum(values.ravel()) / max(values.size, 1)
        return cls(values, mean if abs(mean) > rounding else 0.0, rounding)


def without_rounding(gaps: NDArray[np.float64], rounding: float) -> NDArray[np.float64]:
    """Differences, with 0 in place of rounding errors."""
    return np.where(np.abs(gaps) <= rounding, 0.0, gaps)


def rounding_of(values: NDArray[np.float64]) -> float:
    """Largest rounding error of a difference of equal values."""
    return _ROUNDING * float(np.abs(values).max(initial=0.0))


def mean_ranks_of(values: NDArray[np.float64], rounding: float) -> NDArray[np.float64]:
    """Ranks from 1; values that differ by rounding only get their mean rank."""
    order = np.argsort(values, kind="stable")
    group = np.cumsum(np.diff(values[order], prepend=values[order][:1]) > rounding)
    means = np.bincount(group, weights=np.arange(1.0, values.size + 1.0)) / np.bincount(group)
    ranks = np.empty(values.size)
    ranks[order] = means[group]
    return ranks


def as_numbers(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Read an array of numbers into one of its own."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} must be an array of numbers, with rows of one length; got {_short(values)}."
        ) from None


def read_values(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Read an array of finite numbers."""
    numbers = as_numbers(values, name)
    n_bad = int(np.sum(~np.isfinite(numbers)))
    if n_bad:
        raise ValueError(
            f"{name} has {n_bad} of {numbers.size} values that are missing or infinite. Leave out "
            "folds or datasets on which a method failed, for all methods, or give such a method "
            "the error of always predicting the largest class."
        )
    return numbers


def read_errors(errors: ArrayLike, name: str = "errors") -> NDArray[np.float64]:
    """Read a table of errors with one row per dataset and one column per method."""
    table = read_values(errors, name)
    if table.ndim != 2:
        raise ValueError(
            f"{name} has the shape {table.shape}; one row per dataset and one column per method "
            "are needed."
        )
    n_datasets, n_methods = table.shape
    if n_methods < 2:
        raise ValueError(f"{name} has {n_methods} columns; there is nothing to compare below 2.")
    if n_datasets < 1:
        raise ValueError(f"{name} has no rows; at least one dataset is needed.")
    return table


def read_method_names(names: Sequence[str] | None, n_methods: int) -> tuple[str, ...]:
    """Read the names of methods; by default they are numbered."""
    if names is None:
        return tuple(f"method {i + 1}" for i in range(n_methods))
    if isinstance(names, str) or len(names) != n_methods:
        raise ValueError(f"names must be a list of {n_methods} names; got {_short(names)}.")
    return tuple(str(name) for name in names)


def two_names(names: Sequence[str]) -> tuple[str, str]:
    """Read the names of two methods."""
    first, second = read_method_names(names, 2)
    return first, second


def read_alpha(alpha: float) -> float:
    """Read the probability of a false alarm that is accepted."""
    is_number = isinstance(alpha, (float, np.floating, int, np.integer))
    if not is_number or not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha must be a number between 0 and 1, such as 0.05; got {alpha!r}.")
    return float(alpha)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
