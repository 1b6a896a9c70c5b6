"""SHAP values: what each column adds to each prediction, exactly, for trees of our kinds of splits.

A coalition is a set of columns that are known. At a split on a column that is not, the prediction
is the mean over the children, in proportion to their training weight (path-dependent TreeSHAP).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood.data import Table
from mixedwood.tree.predictor import Predictor
from mixedwood.tree.tree import SplitKind

__all__ = ["ShapValues", "shap_values"]

_ROWS = 64  # of a task, so that Ctrl-C does not wait


@dataclass(frozen=True, eq=False)
class ShapValues:
    """What each column adds to each prediction.

    ``values.sum(axis=1) + base_values`` is the prediction in the space of `output`.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_columns) or (n_rows, n_columns, n_outputs)
        SHAP values.
    base_values : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        Predictions if no column is known; the same in each row.
    data : ndarray of object of shape (n_rows, n_columns)
        The values of the columns; None if missing.
    feature_names : tuple of str
        The columns: those of the data, then crossed columns.
    output_names : tuple of str
        The classes; a single name if there is one output.
    output : {"probability", "number", "log number", "raw score"}
        What the values add up to. A raw score is the log odds of the second of two classes, or one
        logarithm per class.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"x": [1, 2, 3, 4], "z": ["u", "v", "u", "v"]}
    >>> found = mw.TreeRegressor(pruning=None).fit(X, [1.0, 1.0, 4.0, 4.0]).shap_values(X)
    >>> found.values.tolist()
    [[-1.5, 0.0], [-1.5, 0.0], [1.5, 0.0], [1.5, 0.0]]
    >>> found.base_values.tolist(), found.output
    ([2.5, 2.5, 2.5, 2.5], 'number')
    """

    values: NDArray[np.float64]
    base_values: NDArray[np.float64]
    data: NDArray[Any]
    feature_names: tuple[str, ...]
    output_names: tuple[str, ...]
    output: str

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=True if copy is None else copy)

    def to_shap(self) -> Any:
        """Return a ``shap.Explanation`` for the plots of the package shap, which must be installed.

        For several outputs, choose one for most plots: ``found.to_shap()[..., 0]``. Plots cannot
        sort None: missing numbers are NaN, and missing categories ``"(missing)"``.
        """
        import shap

        data = self.data.copy()
        for place, column in enumerate(data.T):
            if any(isinstance(value, str) for value in column):
                data[:, place] = ["(missing)" if v is None else str(v) for v in column]
            else:
                data[:, place] = [math.nan if v is None else v for v in column]
        return shap.Explanation(
            self.values,
            base_values=self.base_values,
            data=data,
            feature_names=list(self.feature_names),
            output_names=list(self.output_names) if self.values.ndim == 3 else None,
        )


def shap_values(predictor: Predictor, table: Table, n_jobs: int | None = None) -> ShapValues:
    """Compute the SHAP values of rows.

    Parameters
    ----------
    predictor : Predictor
        The trees. The values of single trees and forests add up to probabilities or numbers, those
        of boosted trees to raw scores.
    table : Table
        Rows.
    n_jobs : int or None, default=None
        Number of threads.

    Returns
    -------
    ShapValues
        The values.
    """
    columns = predictor.trees[0]._columns_of(table) if predictor.trees else list(table.arrays)
    n_outputs = predictor.n_outputs
    total = np.zeros((table.n_rows, len(table.schema.columns), n_outputs))
    base = np.zeros(n_outputs) if predictor.baseline is None else predictor.baseline.copy()
    members, output = _members(predictor)

    def add(first: int, last: int) -> NDArray[np.float64]:
        bases = np.zeros(n_outputs)
        for tree, values, place, scale in members:
            found = _core.add_shap(
                tree, columns, tree._n_values, values, scale, first, last, place, total
            )
            bases[place : place + values.shape[1]] += scale * found
        return bases

    ends = [*range(0, table.n_rows, max(_ROWS, table.n_rows // 1000)), table.n_rows]
    tasks = list(pairwise(ends)) or [(0, 0)]
    if effective_n_jobs(n_jobs) < 2 or len(tasks) < 2:
        bases = [add(0, table.n_rows)]
    else:
        bases = Parallel(n_jobs=n_jobs, backend="threading")(
            delayed(add)(first, last) for first, last in tasks
        )
    base += bases[0]
    one = n_outputs == 1
    classes = tuple(str(label) for label in predictor.target.classes.tolist())
    return ShapValues(
        total[:, :, 0] if one else total,
        np.tile(base[0] if one else base, table.n_rows if one else (table.n_rows, 1)),
        _data(table),
        table.schema.names,
        (classes[-1] if classes else output,) if one else classes,
        output,
    )


def _members(predictor: Predictor) -> tuple[list[tuple[Any, Any, int, float]], str]:
    """Trees with the values of their nodes, first output and factor; and what they add up to."""
    aggregate, target = predictor.aggregate, predictor.target
    is_sum = aggregate == "sum"
    scale = 1.0 if is_sum or aggregate == "label" else 1.0 / predictor._total_weight()
    members = []
    for number, tree in enumerate(predictor.trees):
        if (tree.split_kind == SplitKind.LINEAR).any():
            raise ValueError(
                "A split of this model weighs several columns, so that what a single column adds "
                "is not defined. SHAP values need trees whose splits test one column each."
            )
        values = tree.value if predictor.values is None else predictor.values[number]
        if aggregate == "vote":
            if tree.is_fractional:
                raise ValueError(
                    "Votes of trees that send rows to several leaves are no sum over leaves, so "
                    "that this model has no SHAP values. Fit with voting='soft', or with "
                    "handle_missing='learned'."
                )
            values = np.eye(target.n_classes)[tree._node_votes]
        weight = 1.0 if predictor.weights is None else float(predictor.weights[number])
        place = 0 if predictor.first_output is None else int(predictor.first_output[number])
        members.append((tree, np.ascontiguousarray(values), place, scale * weight))
    if target.is_numeric:
        return members, "log number" if is_sum and predictor.link == "log" else "number"
    return members, "raw score" if is_sum else "probability"


def _data(table: Table) -> NDArray[Any]:
    found = np.empty((table.n_rows, len(table.schema.columns)), dtype=object)
    for place, (column, array) in enumerate(zip(table.schema, table.arrays, strict=True)):
        if column.is_numeric:
            found[:, place] = [None if x != x else x for x in array.tolist()]
        else:
            labels = [*column.categories, "(unknown)", None]  # the codes -2 and -1
            found[:, place] = [labels[code] for code in array.tolist()]
    return found
