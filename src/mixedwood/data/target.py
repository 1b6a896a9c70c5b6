"""Target and weights: classes as codes, or numbers, and the weight of each row."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood._params import COST_MATRIX, check_value
from mixedwood.data import errors
from mixedwood.data.batches import CATEGORIES, raw_vector
from mixedwood.data.columns import (
    Cells,
    Factors,
    OpenColumn,
    factorize,
    open_column,
    series_to_numpy,
)
from mixedwood.data.frames import ColumnData, frame_columns, open_vector
from mixedwood.data.schema import CodeArray, Label, NumberArray, Table, row_index, sort_labels

__all__ = [
    "Target",
    "check_same_length",
    "exact_sums",
    "is_quantity",
    "read_class_weight",
    "read_cost_matrix",
    "read_numbers",
    "read_target",
    "rows_with_weight",
]

_MAX_CLASSES = 20  # more different whole numbers are a quantity
_MAX_NUMBER = 1e150  # squares must be finite


@dataclass(frozen=True, eq=False)
class Target:
    """Class or number of every row, and its weight.

    Attributes
    ----------
    classes : ndarray
        The distinct labels, sorted; empty for a target of numbers.
    codes : ndarray of int32
        The position of each row's label in `classes`; zeros for numbers.
    weights : ndarray of float64, or None
        Weight of each row, class weights included. If None, all weights are 1.
    cost_matrix : ndarray of float64 and shape (n_classes, n_classes), or None
        Cost of predicting each class (column) for rows of each class (row). If None, every mistake
        costs 1.
    values : ndarray of float64, or None
        The numbers; None for classes.
    """

    classes: NDArray[Any]
    codes: CodeArray
    weights: NumberArray | None = None
    cost_matrix: NumberArray | None = None
    values: NumberArray | None = None

    @property
    def is_numeric(self) -> bool:
        """Whether the target is a number."""
        return self.values is not None

    @property
    def numbers(self) -> NumberArray:
        """The numbers of a target that has them."""
        if self.values is None:
            raise ValueError("The target has classes, not numbers.")
        return self.values

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.codes)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    def take(self, rows: Any) -> Target:
        """Choose rows, by position or by a boolean mask; the classes stay the same.

        Examples
        --------
        >>> part = read_target(["yes", "no", "maybe"]).take([0, 0])
        >>> part.codes.tolist(), part.classes.tolist()
        ([2, 2], ['maybe', 'no', 'yes'])
        """
        chosen = row_index(rows)
        weights = None if self.weights is None else np.ascontiguousarray(self.weights[chosen])
        codes = np.ascontiguousarray(self.codes[chosen])
        values = None if self.values is None else np.ascontiguousarray(self.values[chosen])
        return replace(self, codes=codes, weights=weights, values=values)

    def total_cost(self, predicted: CodeArray, cost_matrix: NumberArray | None = None) -> float:
        """Add up the costs of predictions, given as positions in `classes`, times the weights.

        Without costs it is the weight of the misclassified rows. `cost_matrix` replaces that of
        the target.

        Examples
        --------
        >>> target = read_target(["a", "b", "b"], cost_matrix=[[0, 1], [5, 0]])
        >>> target.total_cost(np.array([1, 0, 1]))
        6.0
        """
        costs = self.cost_matrix if cost_matrix is None else cost_matrix
        weights = np.ones(self.n_rows) if self.weights is None else self.weights
        if costs is None:
            return float(weights[predicted != self.codes].sum())
        return float((weights * costs[self.codes, predicted]).sum())


def read_target(
    y: Any,
    sample_weight: Any = None,
    class_weight: Mapping[Any, float] | str | None = None,
    cost_matrix: Any = None,
) -> Target:
    """Read class labels and weights.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels: text, booleans or integers; a list, an array or a series. Missing labels and
        numbers with fractions are errors.
    sample_weight : array-like of shape (n_rows,) or float, optional
        Finite weights of rows, not negative, not all zero.
    class_weight : mapping of label to float, or "balanced", optional
        Factors for the weights of the rows of a class; the default factor is 1. ``"balanced"``
        gives all classes the same total weight. It counts rows by their `sample_weight`, so that a
        weight of 2 is the same as a repeated row.
    cost_matrix : array-like of shape (n_classes, n_classes), or mapping of mappings, optional
        Costs of mistakes; see `read_cost_matrix`.

    Returns
    -------
    Target
        Sorted classes, codes, weights and costs.

    Examples
    --------
    >>> target = read_target(["yes", "no", "no"], class_weight="balanced")
    >>> target.classes.tolist(), target.codes.tolist(), target.weights.tolist()
    (['no', 'yes'], [1, 0, 0], [1.5, 0.75, 0.75])
    """
    classes, codes = _plain_classes(y) or _read_classes(_open_labels(y))
    weights = _read_weights(sample_weight, class_weight, classes, codes)
    return Target(classes, codes, weights, read_cost_matrix(cost_matrix, classes))


def read_cost_matrix(cost_matrix: Any, classes: NDArray[Any]) -> NumberArray | None:
    """Read the costs of mistakes as a matrix in the order of the classes.

    Parameters
    ----------
    cost_matrix : array-like of shape (n_classes, n_classes), mapping of mappings, or None
        ``cost_matrix[i, j]`` is the cost of predicting ``classes[j]`` for a row of class
        ``classes[i]``: finite and not negative, with zeros on the diagonal. In a mapping
        ``cost_matrix[true][predicted]``, with the labels of all classes, the diagonal may be left
        out.
    classes : ndarray
        The classes, in order.

    Returns
    -------
    ndarray of float64 and shape (n_classes, n_classes), or None
        The matrix; None if every mistake costs 1.

    Examples
    --------
    >>> classes = np.array(["bad", "good"])
    >>> read_cost_matrix({"bad": {"good": 5}, "good": {"bad": 1}}, classes).tolist()
    [[0.0, 5.0], [1.0, 0.0]]
    """
    if cost_matrix is None:
        return None
    check_value("read_cost_matrix", "cost_matrix", cost_matrix, COST_MATRIX)
    n, known = len(classes), classes.tolist()
    if not isinstance(cost_matrix, Mapping):
        matrix = np.array(cost_matrix, dtype=np.float64)
        if matrix.shape != (n, n):
            raise ValueError(
                f"cost_matrix has shape {matrix.shape}, but y has {n} classes, "
                f"{errors.few(known, 10)}. Pass one row and one column for each class, in this "
                "order."
            )
        return matrix
    # Keys of JSON are text, also those of numbers.
    place = {str(label): i for i, label in enumerate(known)} | {v: i for i, v in enumerate(known)}
    matrix = np.full((n, n), np.nan)
    np.fill_diagonal(matrix, 0.0)
    for true, row in cost_matrix.items():
        for predicted, cost in row.items():
            unknown = [label for label in (true, predicted) if label not in place]
            if unknown:
                raise ValueError(
                    f"cost_matrix names the class {unknown[0]!r}, which is not in y. y has: "
                    f"{errors.few(known, 10)}."
                )
            matrix[place[true], place[predicted]] = cost
    if np.isnan(matrix).any():
        i, j = np.argwhere(np.isnan(matrix))[0].tolist()
        raise ValueError(
            f"cost_matrix has no cost of predicting {known[j]!r} if {known[i]!r} is true. Pass "
            "the cost of each pair of classes."
        )
    return matrix


def read_numbers(y: Any, sample_weight: Any = None, *, nonnegative: bool = False) -> Target:
    """Read a target of numbers, and weights.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Finite numbers: a list, an array or a series. Missing and infinite numbers, text and complex
        numbers are errors.
    sample_weight : array-like of shape (n_rows,) or float, optional
        Finite weights of rows, not negative, not all zero.
    nonnegative : bool, default=False
        Whether negative numbers are errors, as for counts; rows of weight 0 do not count.

    Returns
    -------
    Target
        Numbers and weights.

    Examples
    --------
    >>> target = read_numbers([1, 2.5, 3], sample_weight=[1, 2, 1])
    >>> target.values.tolist(), target.weights.tolist()
    ([1.0, 2.5, 3.0], [1.0, 2.0, 1.0])
    """
    given = _open_labels(y, "regressor")
    if len(given) == 0:
        raise ValueError("y has no rows: found 0 sample(s) while a minimum of 1 is required.")
    values = _finite_numbers(given)
    codes = np.zeros(len(values), dtype=np.int32)
    weights = _read_weights(sample_weight, None, np.empty(0), codes)
    negative = values < 0 if weights is None else (values < 0) & (weights > 0)
    if nonnegative and negative.any():
        row = int(np.argmax(negative))
        raise ValueError(
            f"Some value(s) of y are negative, which is not allowed for criterion='poisson': "
            f"{values[row].item()!r} in row {row}. Use criterion='squared_error'."
        )
    return Target(np.empty(0), codes, weights, values=values)


def is_quantity(y: Any) -> bool:
    """Whether a target is more likely a quantity than classes.

    It is if it has numbers with fractions, or more than 20 different whole numbers.

    Examples
    --------
    >>> is_quantity([1.5, 2.0]), is_quantity([1, 2, 3]), is_quantity(range(21))
    (True, False, True)
    """
    try:
        given = _open_labels(y, "regressor")
        numbers = _finite_numbers(given) if len(given) else np.empty(0)
    except (TypeError, ValueError):  # text, or an error that reading the target will state
        return False
    has_fractions = bool((numbers != np.floor(numbers)).any())
    return has_fractions or len(np.unique(numbers)) > _MAX_CLASSES


def _finite_numbers(given: ColumnData) -> NumberArray:
    try:
        opened = open_column("y", given)
        raw = _as_numbers(opened, "numbers")
    except TypeError as error:
        raise ValueError(f"y must be numbers: {error}") from None
    if raw is None and not isinstance(opened, nw.Series):
        raw = _numbers_in_objects(given)
    if raw is None or raw.dtype.kind not in "biuf":
        found = next((v for v in list(given) if not isinstance(v, Real)), None)
        raise ValueError(
            f"y must be numbers, one per row. Got {found!r} instead. Convert y to float, or use a "
            "classifier for classes."
        )
    values = np.ascontiguousarray(raw, dtype=np.float64)
    _check_no_missing(np.isnan(values), "numbers")
    large = ~(np.abs(values) <= _MAX_NUMBER)
    if large.any():
        row = int(np.argmax(large))
        raise ValueError(
            "Input y contains infinity or a value too large for dtype('float64'): "
            f"{values[row].item()!r} in row {row}. Numbers must be between -1e150 and 1e150, so "
            "that their squares are finite."
        )
    return values


def _numbers_in_objects(given: ColumnData) -> NDArray[Any] | None:
    """Numbers of several types, such as Decimal; None if there is anything else."""
    items = list(given)
    if any(isinstance(item, str | bytes | complex) or item is None for item in items):
        return None
    try:
        return np.array([float(item) for item in items])
    except (TypeError, ValueError, OverflowError):
        return None


def rows_with_weight(target: Target) -> tuple[NDArray[np.bool_] | None, Target]:
    """Drop rows of weight 0; also give a mask of the rows that are kept, or None for all.

    The classes stay the same, as in scikit-learn: they are the labels in y.

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
        left = replace(left, weights=None)
    return kept, left


def check_same_length(table: Table, target: Target) -> None:
    """Raise ValueError unless table and target have the same number of rows."""
    if table.n_rows != target.n_rows:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"[{table.n_rows}, {target.n_rows}]. X and y must have the same number of rows."
        )


def _plain_classes(y: Any) -> tuple[NDArray[Any], CodeArray] | None:
    """Read text, or an array of integers or booleans, in one native call; None for all else."""
    raw = raw_vector(y)
    found = None if raw is None else raw.read([CATEGORIES])[0]
    if found is None or found[2] > 0:
        return None
    codes, labels, _ = found
    if type(y) is np.ndarray and y.dtype.kind in "biu":
        return np.array(labels, dtype=y.dtype), codes
    if type(labels[0]) is not str:
        return None
    classes = np.empty(len(labels), dtype=object)
    classes[:] = labels
    if isinstance(y, list | tuple) or (type(y) is np.ndarray and y.dtype.kind == "U"):
        classes = classes.astype(np.str_)  # as numpy types a list of text
    return classes, codes


def _open_labels(y: Any, estimator: str = "classifier") -> ColumnData:
    """Open y as one column of labels."""
    if y is None:
        raise ValueError(
            f"y should be a 1d array, got None. A {estimator} requires y to be passed, but the "
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
            f"y should be a 1d array, got an array of shape {shape} instead. Pass one "
            f"{'label' if estimator == 'classifier' else 'number'} per row."
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


def _as_numbers(opened: OpenColumn, what: str = "labels") -> NDArray[Any] | None:
    """Booleans and numbers as an array of their own type; None if there are other labels."""
    if isinstance(opened, nw.Series):
        if not (opened.dtype.is_numeric() or opened.dtype == nw.Boolean):
            return None
        _check_no_missing(opened.is_null().to_numpy(), what)
        return series_to_numpy(opened)
    if isinstance(opened, Cells):
        absent = np.fromiter((value is None for value in opened.values), dtype=np.bool_)
        _check_no_missing(absent, what)
        if any(issubclass(kind, str) for kind in opened.types):
            return None
        array = np.array(opened.values)
        return None if array.dtype == object else array  # objects: Decimal, or huge integers
    return opened


def _classes_of_numbers(array: NDArray[Any]) -> tuple[NDArray[Any], CodeArray]:
    _check_no_missing(np.isnan(array))
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
    _check_no_missing(factors.absent)
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
    return np.array(ordered), codes  # booleans and integers get numpy's own type


def _check_no_missing(absent: NDArray[np.bool_], what: str = "labels") -> None:
    if absent.any():
        raise ValueError(
            f"Input y contains NaN: {int(absent.sum())} of {len(absent)} {what} are missing, the "
            f"first in row {int(np.argmax(absent))}. Drop these rows or give them a "
            f"{what.removesuffix('s')}."
        )


def _continuous(value: float, row: int) -> ValueError:
    # The first sentences are scikit-learn's, which its checks look for.
    return ValueError(
        "Unknown label type: continuous. Maybe you are trying to fit a classifier, which expects "
        "discrete classes on a regression target with continuous values. y has "
        f"{value!r} in row {row}; pass integers or text as labels."
    )


def _read_weights(
    sample_weight: Any, class_weight: Any, classes: NDArray[Any], codes: CodeArray
) -> NumberArray | None:
    """Multiply sample and class weights; None if all are 1."""
    weights = _read_sample_weight(sample_weight, len(codes))
    if class_weight is not None:
        factors = read_class_weight(class_weight, classes, codes, weights)
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
            f"The weights add up to more than {np.finfo(np.float64).max:.2g}, the largest "
            "double. Only their proportions matter: divide all of them by the largest."
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
            f"sample_weight has {weights[row].item()!r} in row {row}. Weights must be finite and "
            "not negative."
        )
    if not weights.any():
        raise ValueError("All sample weights are zero; give some row a positive weight.")
    return weights


def exact_sums(values: NumberArray, which: CodeArray | None = None, n_sums: int = 1) -> NumberArray:
    """Add up numbers without rounding, so that their order changes nothing.

    Parameters
    ----------
    values : ndarray of float64
        The numbers.
    which : ndarray of int32, optional
        The sum that each number belongs to, if there are several.
    n_sums : int, default=1
        The number of sums.

    Examples
    --------
    >>> exact_sums(np.array([1e20, 1.0, -1e20])).tolist()
    [1.0]
    """
    values = np.ascontiguousarray(values, dtype=np.float64)
    if which is None:
        return np.array([_core.exact_sum(values)])
    sums = _core.ExactSums(n_sums)
    sums.add(values, which)
    return sums.values()


def read_class_weight(
    class_weight: Any, classes: NDArray[Any], codes: CodeArray, weights: NumberArray | None
) -> NumberArray:
    """Turn class weights into one factor per class.

    Examples
    --------
    >>> read_class_weight("balanced", np.array(["a", "b"]), np.array([0, 0, 1], np.int32), None)
    array([0.75, 1.5 ])
    """
    if isinstance(class_weight, str) and class_weight == "balanced":
        if weights is None:
            totals = np.bincount(codes, minlength=len(classes)).astype(np.float64)
        else:
            totals = exact_sums(weights, codes, len(classes))
        with np.errstate(divide="ignore"):
            factors = totals.sum() / (np.count_nonzero(totals) * totals)
        return np.where(totals > 0, factors, 0.0)  # a class without weight keeps weight 0
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
