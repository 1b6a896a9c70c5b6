"""Tables of counts (value x class): checking them, and counting a column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from mixedwood.data import Target

Counts = NDArray[np.float64]

_MAX_COST = 1e100  # products with weights must not overflow


def read_counts(counts: Any) -> tuple[Counts, tuple[Any, ...] | None]:
    """Read a table of numbers as a float64 matrix; the index of a frame gives names."""
    # Only a pandas-like frame has an index to take names from; a list has a method of that name.
    names = tuple(counts.index) if hasattr(counts, "index") and hasattr(counts, "columns") else None
    try:
        matrix = _to_numbers(counts)
    except (TypeError, ValueError) as error:
        raise TypeError(
            "counts must be a table of numbers, one row per value and one column per class; "
            f"got {type(counts).__name__} ({error}). To count a column use "
            "mixedwood.splits.count_values(column, y)."
        ) from None
    if matrix.ndim != 2:
        raise ValueError(
            "counts must have two dimensions, one row per value and one column per class; "
            f"got {np.ndim(counts)}. To count a column use "
            "mixedwood.splits.count_values(column, y)."
        )
    if 0 in matrix.shape:
        raise ValueError(
            f"counts has shape {matrix.shape}; at least one value and one class are needed."
        )
    return matrix, names


def _to_numbers(entries: Any) -> Counts:
    """Convert to float64; text, dates and complex numbers are errors, unlike in numpy."""
    if np.ma.is_masked(entries):
        raise TypeError("some entries are masked; fill them first, e.g. with 0")
    raw = np.asarray(entries)
    if raw.dtype.kind not in "biufO":
        raise TypeError(f"its entries are of type {raw.dtype}")
    return np.ascontiguousarray(raw, dtype=np.float64)


def read_class_costs(costs: ArrayLike | None, n_classes: int) -> Counts | None:
    """Check a matrix of misclassification costs."""
    if costs is None:
        return None
    try:
        matrix = _to_numbers(costs)
    except (TypeError, ValueError) as error:
        raise TypeError(
            "cost_matrix must be a table of numbers, one row and one column per class; "
            f"got {type(costs).__name__} ({error})."
        ) from None
    if matrix.shape != (n_classes, n_classes):
        raise ValueError(
            "cost_matrix must have one row and one column per class, shape "
            f"{(n_classes, n_classes)}; got {matrix.shape}."
        )
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        raise ValueError("cost_matrix must be finite and zero or more.")
    if matrix.max() > _MAX_COST:
        raise ValueError(
            f"cost_matrix has entries up to {matrix.max():g}; only their proportions matter, so "
            "divide them all."
        )
    if np.diagonal(matrix).any():
        raise ValueError("cost_matrix must be 0 on the diagonal: correct predictions cost nothing.")
    if not np.allclose(matrix, matrix.T, rtol=1e-12, atol=0.0):
        x, y = np.argwhere(~np.isclose(matrix, matrix.T, rtol=1e-12, atol=0.0))[0]
        raise ValueError(
            f"cost_matrix must be symmetric: entry [{x}, {y}] is {matrix[x, y]:g} but "
            f"[{y}, {x}] is {matrix[y, x]:g}. Use (costs + costs.T) / 2."
        )
    return matrix


def count_values(
    column: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
) -> tuple[Counts, NDArray[Any], NDArray[Any]]:
    """Count the classes of each value of a column.

    Parameters
    ----------
    column : array-like of shape (n_rows,)
        Values of a nominal column; rows with a missing value (None or NaN) are ignored.
    y : array-like of shape (n_rows,)
        Class of each row.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row. If None, all weights are 1.

    Returns
    -------
    counts : ndarray of shape (n_values, n_classes)
        Weight of the rows with each value and class.
    values, classes : ndarray
        Labels of the rows and of the columns of the counts, sorted.

    Examples
    --------
    >>> import mixedwood as mw
    >>> counts, values, classes = mw.splits.count_values(
    ...     ["red", "blue", "red", "green"], ["yes", "no", "no", "yes"])
    >>> values.tolist(), classes.tolist()
    (['blue', 'green', 'red'], ['no', 'yes'])
    >>> counts.tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    """
    from mixedwood.data import MISSING, check_same_length, read_table, read_target

    if np.ndim(column) > 1:
        raise ValueError(
            f"column has {np.ndim(column)} dimensions; pass one column, such as df['color']."
        )
    table = read_table({"column": column}, categorical_features=["column"])
    target = read_target(y, sample_weight)
    check_same_length(table, target)
    codes = table["column"]
    values = table.schema["column"].categories
    counts = tally(codes, codes != MISSING, len(values), target)
    return counts, _array_of_labels(values), target.classes


def tally(codes: NDArray[Any], present: NDArray[np.bool_], n_values: int, target: Target) -> Counts:
    """Weight of the rows with each value and class; rows that are not present are ignored."""
    n_classes = target.n_classes
    cells = codes[present].astype(np.int64) * n_classes + target.codes[present]
    weights = None if target.weights is None else target.weights[present]
    flat = np.bincount(cells, weights=weights, minlength=n_values * n_classes)
    return np.ascontiguousarray(flat.reshape(n_values, n_classes), dtype=np.float64)


def _array_of_labels(labels: tuple[Any, ...]) -> NDArray[Any]:
    """An array of the labels with their types: numpy would convert mixed ones to one type."""
    if len({type(label) for label in labels}) == 1:
        same = np.array(labels)
        if same.tolist() == list(labels):  # numpy rounds large numbers and drops trailing NULs
            return same
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array
