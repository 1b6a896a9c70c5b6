"""The best threshold of a numeric column: the same scan, in the order of the numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mixedwood import _core
from mixedwood.parts import Criterion, read_criterion
from mixedwood.splits.counting import read_costs


@dataclass(frozen=True)
class Threshold:
    """A test ``x <= value`` and how good it is.

    Attributes
    ----------
    value : float
        Midway between the two neighbouring numbers of the column; NaN when the column has fewer
        than two different numbers.
    score : float
        The criterion's value; more is better.
    impurity, impurity_before : float
        Weighted mean impurity of the two sides, and impurity of all rows.
    """

    value: float
    score: float
    impurity: float
    impurity_before: float


def best_threshold(
    x: ArrayLike,
    y: ArrayLike,
    criterion: str | Criterion = "gini",
    *,
    sample_weight: ArrayLike | None = None,
    costs: ArrayLike | None = None,
) -> Threshold:
    """Find the best test ``x <= t`` on a numeric column.

    Parameters
    ----------
    x : array-like of shape (n_rows,)
        Numbers; rows with NaN are left out.
    y : array-like of shape (n_rows,)
        Class of each row.
    criterion : str or Criterion, default="gini"
        Scored on the same scale as nominal columns, so that the two can be compared.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row.
    costs : array-like of shape (n_classes, n_classes), optional
        Symmetric misclassification costs, for "gini" and "squared_gini".

    Returns
    -------
    Threshold
        The first best threshold.

    Examples
    --------
    >>> import mixedwood as mw
    >>> mw.splits.best_threshold([1, 1, 2, 3, 3, 4], [0, 0, 0, 1, 1, 1]).value
    2.5
    """
    from mixedwood.data import check_same_length, read_table, read_target

    name, custom = read_criterion(criterion)
    table = read_table({"x": x})
    target = read_target(y, sample_weight)
    check_same_length(table, target)
    if table.schema["x"].kind != "numeric":
        raise TypeError(
            f"x must be numbers; it holds {table.schema['x'].kind} values. "
            "For categories use best_partition(count_values(x, y)[0])."
        )
    numbers = table["x"]
    present = ~np.isnan(numbers)
    distinct, code = np.unique(numbers[present], return_inverse=True)
    n_classes = len(target.classes)
    weights = None if target.weights is None else target.weights[present]
    cells = code.astype(np.int64) * n_classes + target.codes[present]
    counts = np.bincount(cells, weights=weights, minlength=len(distinct) * n_classes)
    matrix = np.ascontiguousarray(counts.reshape(len(distinct), n_classes), dtype=np.float64)
    cost_matrix = read_costs(costs, n_classes)
    found = _core.best_split(
        matrix, name, custom, "natural_order", {}, cost_matrix, 0, True, np.inf
    )
    group = found["group"]
    value = np.nan
    if found["n_groups"] == 2:
        # Numbers of weight 0 are in no group; the cut is between the nearest that count.
        lower = distinct[np.flatnonzero(group == 0)[-1]]
        upper = distinct[np.flatnonzero(group == 1)[0]]
        value = lower / 2 + upper / 2  # halves first: the sum may overflow
        if not lower <= value < upper:
            value = lower  # neighbours so close that the midpoint rounds to the upper one
    return Threshold(float(value), found["score"], found["impurity"], found["impurity_before"])
