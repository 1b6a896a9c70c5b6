"""The best threshold of a numeric column, by a scan of its numbers in order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mixedwood import _core
from mixedwood._parts import Criterion, Partitioner, read_criterion
from mixedwood.splits.counts import read_class_costs, tally


@dataclass(frozen=True)
class Threshold:
    """A split ``x <= value``, and its score.

    Attributes
    ----------
    value : float
        Midway between two neighboring numbers of the column; NaN if the column has fewer than two
        distinct numbers.
    score : float
        The score by the criterion; higher is better.
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
    cost_matrix: ArrayLike | None = None,
) -> Threshold:
    """Find the best split ``x <= t`` of a numeric column.

    Parameters
    ----------
    x : array-like of shape (n_rows,)
        Numbers; rows with NaN are ignored.
    y : array-like of shape (n_rows,)
        Class of each row.
    criterion : str or Criterion, default="gini"
        How thresholds are scored, on the same scale as partitions of nominal columns.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row.
    cost_matrix : array-like of shape (n_classes, n_classes), optional
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
    column = table.schema["x"]
    if not column.is_numeric and column.n_categories:
        raise TypeError(
            f"x must be numeric. Got a {column.kind} column instead; for categories use "
            "best_partition(count_values(x, y)[0])."
        )
    # A list without any number in it is read as nominal; here it is a column of missing numbers.
    numbers = table["x"] if column.is_numeric else np.full(table.n_rows, np.nan)
    present = ~np.isnan(numbers)
    distinct, places = np.unique(numbers[present], return_inverse=True)
    codes = np.zeros(table.n_rows, dtype=np.int64)
    codes[present] = places
    matrix = tally(codes, present, len(distinct), target)
    scan = Partitioner("natural_order").native()
    costs = read_class_costs(cost_matrix, target.n_classes)
    found = _core.best_split(matrix, name, custom, scan, costs, 0, True, np.inf)
    group = found["group"]
    value = np.nan
    if found["n_groups"] == 2:
        # Numbers of weight 0 are in no group; the threshold is between the nearest others.
        lower = distinct[np.flatnonzero(group == 0)[-1]]
        upper = distinct[np.flatnonzero(group == 1)[0]]
        value = lower / 2 + upper / 2  # halves first: the sum may overflow
        if not lower <= value < upper:
            value = lower  # neighbors so close that the midpoint rounds to the upper one
    return Threshold(float(value), found["score"], found["impurity"], found["impurity_before"])
