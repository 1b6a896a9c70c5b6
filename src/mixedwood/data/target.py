"""The classes to be learned, as codes, and what each row weighs."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from mixedwood.data.columns import Factors, OpenColumn, factorize, open_column, series_to_numpy
from mixedwood.data.frames import ColumnData, frame_columns, open_vector
from mixedwood.data.labels import Cells, Label, sort_labels
from mixedwood.data.table import CodeArray, NumberArray, Table, row_index
from mixedwood.data.weights import read_weights

__all__ = ["Target", "check_same_length", "read_target", "rows_with_weight"]


@dataclass(frozen=True, eq=False)
class Target:
    """Class of every row, and its weight.

    Attributes
    ----------
    classes : ndarray
        The distinct labels, sorted.
    codes : ndarray of int32
        For each row the place of its label in `classes`.
    weights : ndarray of float64, or None
        Weight of each row, class weights included. None means that every row weighs 1.
    """

    classes: NDArray[Any]
    codes: CodeArray
    weights: NumberArray | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.codes)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    def take(self, rows: Any) -> Target:
        """Choose rows, by position or by a boolean mask; the classes stay what they are.

        Examples
        --------
        >>> part = read_target(["yes", "no", "maybe"]).take([0, 0])
        >>> part.codes.tolist(), part.classes.tolist()
        ([2, 2], ['maybe', 'no', 'yes'])
        """
        chosen = row_index(rows)
        weights = None if self.weights is None else np.ascontiguousarray(self.weights[chosen])
        return Target(self.classes, np.ascontiguousarray(self.codes[chosen]), weights)


def read_target(
    y: Any, sample_weight: Any = None, class_weight: Mapping[Any, float] | str | None = None
) -> Target:
    """Read class labels and weights.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels: text, booleans or whole numbers; a list, an array or a series. Missing labels and
        numbers with fractions are errors.
    sample_weight : array-like of shape (n_rows,) or float, optional
        Finite weights of rows, not negative, not all zero.
    class_weight : mapping of label to float, or "balanced", optional
        Factors by which the rows of a class weigh more or less; classes that are not named keep
        1. ``"balanced"`` gives all classes the same total weight. It counts rows by their
        `sample_weight`, so that a weight of 2 is the same as a repeated row.

    Returns
    -------
    Target
        Sorted classes, codes and weights.

    Examples
    --------
    >>> target = read_target(["yes", "no", "no"], class_weight="balanced")
    >>> target.classes.tolist(), target.codes.tolist(), target.weights.tolist()
    (['no', 'yes'], [1, 0, 0], [1.5, 0.75, 0.75])
    """
    classes, codes = _read_classes(_open_labels(y))
    weights = read_weights(sample_weight, class_weight, classes, codes)
    return Target(classes, codes, weights)


def rows_with_weight(target: Target) -> tuple[NDArray[np.bool_] | None, Target]:
    """Leave out rows of weight 0, and say which rows are left; None for all.

    The classes stay what they are, like those of scikit-learn: they are the labels in y.

    Examples
    --------
    >>> kept, target = rows_with_weight(read_target(["a", "b", "c"], [2, 0, 1]))
    >>> kept.tolist(), target.codes.tolist(), target.weights.tolist()
    ([True, False, True], [0, 2], [2.0, 1.0])
    """
    if target.weights is None or target.weights.all():
        return None, target
    kept = target.weights > 0
    left = target.take(kept)
    if left.weights is not None and (left.weights == 1.0).all():
        left = Target(left.classes, left.codes)
    return kept, left


def check_same_length(table: Table, target: Target) -> None:
    """Raise ValueError unless table and target have the same number of rows."""
    if table.n_rows != target.n_rows:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"[{table.n_rows}, {target.n_rows}]. X and y must have the same number of rows."
        )


def _open_labels(y: Any) -> ColumnData:
    """See one column of labels in y, with nothing said yet about what they are."""
    if y is None:
        raise ValueError(
            "y should be a 1d array, got None. A classifier requires y to be passed, but the "
            "target y is None."
        )
    native = nw.from_native(y, allow_series=True, pass_through=True)
    if isinstance(native, nw.Series):
        return native
    if isinstance(native, nw.DataFrame):
        columns = frame_columns(native)
        shape = (len(native), len(columns))
    elif isinstance(y, list | tuple) and not any(np.ndim(label) for label in y[:1]):
        return y
    else:
        array = np.asarray(y) if hasattr(y, "__array__") or isinstance(y, list | tuple) else None
        if array is None or array.ndim < 2:
            return open_vector(y, "y")
        columns, shape = list(array.T), array.shape
    if len(shape) != 2 or shape[1] != 1:
        raise ValueError(
            f"y should be a 1d array, got an array of shape {shape} instead. Pass one label per "
            "row."
        )
    _warn_column_vector()
    return columns[0]


def _warn_column_vector() -> None:
    from sklearn.exceptions import DataConversionWarning

    warnings.warn(
        "A column-vector y was passed when a 1d array was expected. Please change the shape of y "
        "to (n_samples, ), for example using ravel().",
        DataConversionWarning,
        stacklevel=4,  # the caller of read_target
    )


def _read_classes(labels: ColumnData) -> tuple[NDArray[Any], CodeArray]:
    if len(labels) == 0:
        raise ValueError("y has no rows: found 0 sample(s) while a minimum of 1 is required.")
    try:
        opened = open_column("y", labels)
    except TypeError as error:
        raise ValueError(f"Unknown label type: {error}") from None
    numbers = _as_numbers(opened)
    if numbers is not None:
        return _classes_of_numbers(numbers)
    classes, codes = _classes_of_labels(factorize("y", opened))
    is_text_array = isinstance(labels, np.ndarray) and labels.dtype.kind == "U"
    if isinstance(classes[0], str) and (is_text_array or not hasattr(labels, "dtype")):
        classes = classes.astype(np.str_)  # as numpy types a list of text
    return classes, codes


def _as_numbers(opened: OpenColumn) -> NDArray[Any] | None:
    """Booleans and numbers as an array of their own type; None if there are other labels."""
    if isinstance(opened, nw.Series):
        if not (opened.dtype.is_numeric() or opened.dtype == nw.Boolean):
            return None
        _refuse_missing(opened.is_null().to_numpy())
        return series_to_numpy(opened)
    if isinstance(opened, Cells):
        _refuse_missing(np.fromiter((value is None for value in opened.values), dtype=np.bool_))
        if any(issubclass(kind, str) for kind in opened.types):
            return None
        array = np.array(opened.values)
        return None if array.dtype == object else array  # objects: Decimal, or huge integers
    return opened


def _classes_of_numbers(array: NDArray[Any]) -> tuple[NDArray[Any], CodeArray]:
    _refuse_missing(np.isnan(array))
    if array.dtype.kind == "f":
        if np.isinf(array).any():
            raise ValueError(
                "Input y contains infinity or a value too large for dtype('float64') in row "
                f"{int(np.argmax(np.isinf(array)))}. Labels must be finite."
            )
        broken = array != np.floor(array)
        if broken.any():
            row = int(np.argmax(broken))
            raise _continuous(array[row].item(), row)
    classes, codes = np.unique(array, return_inverse=True)
    return classes, codes.astype(np.int32)


def _classes_of_labels(factors: Factors) -> tuple[NDArray[Any], CodeArray]:
    _refuse_missing(factors.absent)
    labels: dict[Label, int] = {}
    for place, label in enumerate(factors.labels):
        if label is not None:
            labels.setdefault(label, place)
    texts = [label for label in labels if isinstance(label, str)]
    if 0 < len(texts) < len(labels):
        number = next(label for label in labels if not isinstance(label, str))
        raise ValueError(
            f"Unknown label type: y mixes text and numbers, {texts[0]!r} in row "
            f"{factors.first_row(labels[texts[0]])} and {number!r} in row "
            f"{factors.first_row(labels[number])}. Make all labels one type, e.g. all text."
        )
    for label, place in labels.items():
        if isinstance(label, float):
            raise _continuous(label, factors.first_row(place))
    ordered = sort_labels(labels)
    classes = np.empty(len(ordered), dtype=object)
    classes[:] = ordered
    code_of: dict[Label | None, int] = {label: code for code, label in enumerate(ordered)}
    codes = factors.spread([code_of.get(label, -1) for label in factors.labels], -1, np.int32)
    if texts:
        return classes, codes
    return np.array(ordered), codes  # booleans and whole numbers get numpy's own type


def _refuse_missing(absent: NDArray[np.bool_]) -> None:
    if absent.any():
        raise ValueError(
            f"Input y contains NaN: {int(absent.sum())} of {len(absent)} labels are missing, the "
            f"first in row {int(np.argmax(absent))}. Drop these rows or give them a label."
        )


def _continuous(value: float, row: int) -> ValueError:
    # The first sentences are scikit-learn's, which its checks look for.
    return ValueError(
        "Unknown label type: continuous. Maybe you are trying to fit a classifier, which expects "
        "discrete classes on a regression target with continuous values. y holds "
        f"{value!r} in row {row}; pass whole numbers or text as labels."
    )
