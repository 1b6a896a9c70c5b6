"""What each row weighs: weights of rows times weights of classes, checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from mixedwood.data import errors
from mixedwood.data.table import CodeArray, NumberArray

__all__ = ["read_weights"]


def read_weights(
    sample_weight: Any, class_weight: Any, classes: NDArray[Any], codes: CodeArray
) -> NumberArray | None:
    """Multiply weights of rows and classes; None if every row weighs 1."""
    weights = _read_sample_weight(sample_weight, len(codes))
    if class_weight is not None:
        factors = _read_class_weight(class_weight, classes, codes, weights)
        with np.errstate(over="ignore"):
            weights = factors[codes] if weights is None else weights * factors[codes]
        if not weights.any():
            raise ValueError(
                "sample_weight and class_weight together give every row the weight 0; give some "
                "row a positive weight."
            )
    if weights is None or np.all(weights == 1.0):
        return None
    with np.errstate(over="ignore"):
        total = weights.sum()
    if not math.isfinite(total):
        raise ValueError(
            f"The weights add up to more than {np.finfo(np.float64).max:.2g}, the largest number "
            "there is. Only their proportions matter: divide them all by the largest."
        )
    return weights


def _read_sample_weight(sample_weight: Any, n_rows: int) -> NumberArray | None:
    """Check weights of rows; None if there are none."""
    if sample_weight is None:
        return None
    native = nw.from_native(sample_weight, series_only=True, pass_through=True)
    if np.ma.is_masked(native):
        raise ValueError("sample_weight has masked entries; fill them first, e.g. with 0.")
    raw = np.asarray(native)
    try:
        if raw.dtype.kind == "c":
            raise TypeError
        weights = np.ascontiguousarray(raw, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"sample_weight must be numbers, one per row, but is {errors.few([sample_weight])}."
        ) from None
    if raw.ndim == 0:
        weights = np.full(n_rows, float(raw))
    if weights.ndim != 1:
        raise ValueError(
            f"Sample weights must be 1D array or scalar, got {weights.ndim}D array of shape "
            f"{weights.shape}. Pass one weight per row."
        )
    if len(weights) != n_rows:
        raise ValueError(
            f"sample_weight has {len(weights)} weights, but y has {n_rows} rows. Pass one weight "
            "per row."
        )
    bad = ~(np.isfinite(weights) & (weights >= 0.0))
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(
            f"sample_weight holds {weights[row].item()!r} in row {row}. Weights must be finite and "
            "not negative."
        )
    if not weights.any():
        raise ValueError("All sample weights are zero; give some row a positive weight.")
    return weights


def _read_class_weight(
    class_weight: Any, classes: NDArray[Any], codes: CodeArray, weights: NumberArray | None
) -> NumberArray:
    """Turn class weights into one factor per class."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        totals = np.bincount(codes, weights, minlength=len(classes))
        with np.errstate(divide="ignore"):
            factors = totals.sum() / (np.count_nonzero(totals) * totals)
        return np.where(totals > 0, factors, 0.0)  # a class without weight keeps none
    if not isinstance(class_weight, Mapping):
        raise ValueError(
            f"class_weight={class_weight!r} is not understood. Pass None, 'balanced', or a dict of "
            "label to weight."
        )
    known = classes.tolist()
    unknown = [label for label in class_weight if label not in known]
    if unknown:
        raise ValueError(
            f"class_weight names the classes {errors.few(unknown)}, which are not in y. y has: "
            f"{errors.few(known, 10)}."
        )
    for label, factor in class_weight.items():
        if not isinstance(factor, Real) or not 0.0 <= float(factor) < math.inf:
            raise ValueError(
                f"class_weight[{label!r}] is {factor!r}; it must be a finite number, not negative."
            )
    return np.array([float(class_weight.get(label, 1.0)) for label in known])
