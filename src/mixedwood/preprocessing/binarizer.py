"""Binary features of any table, each of which is a split of one column.

A column is a sequence of groups: bins of numbers, categories of an ordinal column in order, or
categories of a nominal column. An encoding chooses sets of groups, and each set is a split.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood import _kinds as kinds
from mixedwood._params import Constraint, Int, OneOf, validate
from mixedwood.data import MISSING, Column, ColumnKind, Schema, Table, Target
from mixedwood.explain.conditions import RangeCondition, SetCondition
from mixedwood.explain.format import DEFAULT, Style, format_condition, format_name
from mixedwood.preprocessing.base import TableTransformer
from mixedwood.preprocessing.discretizers import (
    Discretization,
    find_thresholds,
    read_discretizer,
)

ENCODINGS = ("one_hot", "multi_hot", "thresholds", "subsets")


@dataclass(frozen=True)
class BinarySplit:
    """A split of one column into two branches, true and false.

    It is either an interval, ``low < x <= high``, where x is a number or the position of an ordinal
    category, or a set of categories of a nominal column. An interval without ends is true for every
    value that is not missing, including unknown categories; all other splits are false for those.

    Parameters
    ----------
    column : int
        Position of the column.
    low, high : float
        Ends of the interval.
    codes : tuple of int or None
        Codes of the categories, ascending; None for an interval.
    missing : bool
        The branch of missing values.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> table = read_table({"age": [1.0, 4.0, None], "color": ["red", "blue", "green"]})
    >>> for split in (BinarySplit(0, 2.0, 5.0), BinarySplit(0), BinarySplit(1, codes=(0, 2))):
    ...     print(split.to_text(table.schema), split.evaluate(table).tolist())
    2 < age <= 5 [False, True, False]
    age is known [True, True, False]
    color in {blue, red} [True, True, False]
    """

    column: int
    low: float = -inf
    high: float = inf
    codes: tuple[int, ...] | None = None
    missing: bool = False

    _fitted: ClassVar[kinds.Fitted] = {
        "column": kinds.COUNT,
        "low": kinds.number(kinds.NOT_NAN),
        "high": kinds.number(kinds.NOT_NAN),
        "codes": kinds.optional(kinds.tuple_of(kinds.COUNT)),
        "missing": kinds.FLAG,
    }

    @property
    def is_known(self) -> bool:
        """Whether the split only separates known from missing values."""
        return self.codes is None and self.low == -inf and self.high == inf

    def to_text(self, schema: Schema, style: Style = DEFAULT) -> str:
        """Format the condition of the true branch.

        Parameters
        ----------
        schema : Schema
            Names and types of the columns.
        style : Style, optional
            Limits on the length of names and sets.

        Returns
        -------
        str
            Such as ``age <= 30`` or ``color in {red, blue}``.
        """
        column = schema.columns[self.column]
        if self.is_known:
            return f"{format_name(column.name, style)} is known"
        if self.codes is not None:
            values = SetCondition(column, frozenset(self.codes), None, self.missing)
            return format_condition(values, style)
        pieces = ((self.low, self.high),)
        return format_condition(RangeCondition(column, pieces, self.missing), style)

    def evaluate(self, table: Table) -> NDArray[np.bool_]:
        """Evaluate the condition for every row of a table.

        Parameters
        ----------
        table : Table
            Rows with the columns of the split.

        Returns
        -------
        ndarray of bool
            The branch of each row.
        """
        column, array = table.schema.columns[self.column], table.arrays[self.column]
        absent = np.isnan(array) if column.is_numeric else array == MISSING
        if self.is_known:
            true: NDArray[np.bool_] = ~absent
        elif self.codes is not None:
            listed = np.zeros(column.n_categories + 2, dtype=np.bool_)  # codes below 0 read the end
            listed[list(self.codes)] = True
            true = listed[array]
        else:
            true = (array > self.low) & (array <= self.high)
            if not column.is_numeric:
                true &= array >= 0
        return true | absent if self.missing else true


@dataclass(frozen=True)
class Binarization:
    """How a table becomes binary features: the checked parameters of a `FeatureBinarizer`."""

    discretization: Discretization
    encoding: str = "thresholds"
    max_subset_values: int = 8
    min_bins_per_side: int = 1

    def fit(
        self, table: Table, target: Target | None
    ) -> tuple[NDArray[np.uint8], list[BinarySplit]]:
        """Find the binary features of a table.

        Features that are constant are left out; equal ones stay.

        Returns
        -------
        matrix : ndarray of uint8 and shape (n_rows, n_splits)
            1 for the rows of the true branch.
        splits : list of BinarySplit
            One for each column of the matrix.

        Examples
        --------
        >>> from mixedwood.data import read_table
        >>> table = read_table({"age": [1.0, 2.0, 3.0, 4.0], "on": [True, False, True, True]})
        >>> matrix, splits = Binarization(Discretization("equal_width", 3)).fit(table, None)
        >>> [split.to_text(table.schema) for split in splits]
        ['age <= 2', 'age <= 3', 'on = True']
        >>> matrix.T.tolist()
        [[1, 1, 0, 0], [1, 1, 1, 0], [1, 0, 1, 1]]
        """
        arrays = list(table.arrays)
        values = _core.column_values(arrays)
        thresholds = find_thresholds(table, target, self.discretization)
        thresholds = _split_two_valued(thresholds, values)
        splits: list[BinarySplit] = []
        for place, column in enumerate(table.schema.columns):
            splits += self._column_splits(column, place, thresholds[place], values[place])
        cells, kept = _core.evaluate_splits(arrays, splits, varying=True)
        return cells.reshape(table.n_rows, len(kept)), [splits[place] for place in kept]

    def _column_splits(
        self, column: Column, place: int, thresholds: NDArray[np.float64], values: tuple[Any, ...]
    ) -> list[BinarySplit]:
        missing = values[0]
        if column.kind == ColumnKind.NOMINAL:
            sets = self._category_sets(column, values[1], missing)
            splits = [BinarySplit(place, codes=group) for group in sets]
        else:
            # The threshold between two ordinal categories is the position of the lower one.
            at = thresholds.tolist() if column.is_numeric else values[1][:-1]
            edges = list(pairwise([-inf, *map(float, at), inf]))
            encoding = "thresholds" if self.encoding == "subsets" else self.encoding
            m, least = len(edges), min(self.min_bins_per_side, len(edges) // 2)
            spans = [
                (a, b)
                for a, b in windows(m, encoding, missing=missing)
                if least <= b - a + 1 <= m - least
            ]
            if column.is_numeric and values == (False, 0.0, 1.0, True):
                spans = [(1, 1)]  # true where there is a 1: the column itself
            splits = [BinarySplit(place, edges[a][0], edges[b][1]) for a, b in spans]
        if missing:
            splits.append(BinarySplit(place))
        return splits

    def _category_sets(
        self, column: Column, codes: list[int], missing: bool
    ) -> list[tuple[int, ...]]:
        """Sets of categories of a nominal column, which has no order and hence no windows."""
        m = len(codes)
        if self.encoding == "subsets" and 2 < m <= self.max_subset_values:
            # Each way to divide the categories once, the last one on the false side; or both ways.
            return [
                tuple(code for bit, code in enumerate(codes) if mask >> bit & 1)
                for mask in range(1, 2**m - 1 if missing else 2 ** (m - 1))
            ]
        if m == 2 and not missing:
            is_boolean = [column.categories[code] for code in codes] == [False, True]
            return [(codes[1 if is_boolean else 0],)]  # true where a boolean is True
        return [(code,) for code in codes] if m > 1 else []


def windows(m: int, encoding: str, *, missing: bool = False) -> Iterator[tuple[int, int]]:
    """First and last of the groups on the true side, for m groups in order, counted from 0.

    A window and its complement are the same split and come once. With missing values, which are
    false on both, they are two splits and both come.

    Examples
    --------
    >>> list(windows(4, "one_hot"))
    [(0, 0), (1, 1), (2, 2), (3, 3)]
    >>> list(windows(4, "multi_hot"))
    [(0, 0), (1, 1), (2, 2), (3, 3), (0, 1), (1, 2)]
    >>> list(windows(3, "thresholds")), list(windows(3, "thresholds", missing=True))
    ([(0, 0), (0, 1)], [(0, 0), (0, 1), (1, 2), (2, 2)])
    """
    if m < 2:
        return
    if encoding == "thresholds":
        yield from ((0, last) for last in range(m - 1))
        yield from ((first, m - 1) for first in range(1, m) if missing)
        return
    yield from ((group, group) for group in range(1 if m == 2 and not missing else m))
    if encoding == "multi_hot":
        # Windows that hold the last group are complements of those before.
        for length in range(2, m if missing else m - 1):
            starts = range(m - length + (1 if missing else 0))
            yield from ((start, start + length - 1) for start in starts)


def split_two_valued_columns(
    table: Table, thresholds: list[NDArray[np.float64]]
) -> list[NDArray[np.float64]]:
    """Replace the thresholds of columns with two distinct numbers, which are binary already.

    They are separated at the middle whatever the discretizer finds.
    """
    return _split_two_valued(thresholds, _core.column_values(list(table.arrays)))


def _split_two_valued(
    thresholds: list[NDArray[np.float64]], values: list[tuple[Any, ...]]
) -> list[NDArray[np.float64]]:
    result = list(thresholds)
    for place, found in enumerate(values):
        if len(found) == 4:  # numbers
            _, low, high, only_ends = found
            if only_ends and low is not None and low < high:
                middle = low / 2 + high / 2
                result[place] = np.array([middle if low <= middle < high else low])
    return result


class FeatureBinarizer(TableTransformer):
    """Binary features from numeric, ordinal and categorical columns.

    Numeric columns are binned first. Booleans and numeric columns with at most two distinct numbers
    are binary already and become one feature. A missing value is False in every feature; a column
    with missing values has one more feature, which is True where the value is known, and keeps
    features that would otherwise be complements of others. Unknown categories are False as well.
    Features that are constant in `fit` are left out.

    Parameters
    ----------
    encoding : {"thresholds", "one_hot", "multi_hot", "subsets"}, default="thresholds"
        Which sets of bins or categories become features. ``"thresholds"``: all bins up to each one,
        m - 1 features. ``"one_hot"``: each bin alone, or one feature if there are only two.
        ``"multi_hot"``: also all windows of neighboring bins, without complements, so that m > 3
        bins give m (m - 1) / 2 features. ``"subsets"``: each way to divide the categories of a
        nominal column in two, ``2 ** (m - 1) - 1`` features; other columns have thresholds.
        Nominal columns have no order and are one-hot unless the encoding is ``"subsets"``.
    discretizer : {"equal_frequency", "equal_width", "mdlp", "caim"} or discretizer, \
            default="equal_frequency"
        How numeric columns are binned: a name, or a discretizer of this module.
    n_bins : int, mapping of str to int, or "tune", default=8
        Number of bins of every column, or of the columns listed (others have 5). With ``"tune"``
        each column has 2 to 8 bins, the number that is most informative about the classes; this
        needs `y`. Only used if `discretizer` is ``"equal_width"`` or ``"equal_frequency"``.
    min_bins_per_side : int, default=1
        Minimum number of bins, or of categories of an ordinal column, on each side of a split; half
        of the bins if there are fewer. With ``encoding="one_hot"`` only columns with at most three
        bins have features if it is larger than 1.
    max_subset_values : int, default=8
        With ``encoding="subsets"``, nominal columns with more categories are one-hot. At most 16.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal regardless of their dtype.
    ordinal_features : mapping of str to sequence, optional
        Ordered categories of ordinal columns, which are encoded like bins.

    Attributes
    ----------
    candidates_ : list of BinarySplit
        The split of each feature.
    schema_ : Schema
        Names and types of the columns of X.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from mixedwood.preprocessing import FeatureBinarizer
    >>> pets, well = ["cat", "dog", "cow", "dog"], [True, True, True, False]
    >>> X = {"age": [10, 20, 30, 40], "pet": pets, "well": well}
    >>> binarizer = FeatureBinarizer(encoding="one_hot", n_bins=2)
    >>> binarizer.fit_transform(X).astype(int)
    array([[1, 1, 0, 0, 1],
           [1, 0, 0, 1, 1],
           [0, 0, 1, 0, 1],
           [0, 0, 0, 1, 0]])
    >>> binarizer.get_feature_names_out().tolist()
    ['age <= 25', 'pet = cat', 'pet = cow', 'pet = dog', 'well = True']
    """

    candidates_: list[BinarySplit]

    _parameters: ClassVar[dict[str, Constraint]] = {
        "encoding": OneOf(*ENCODINGS),
        "min_bins_per_side": Int(1, 65_536),
        "max_subset_values": Int(2, 16).with_hint("m categories give 2 ** (m - 1) - 1 features."),
    }

    def __init__(
        self,
        *,
        encoding: Literal["thresholds", "one_hot", "multi_hot", "subsets"] = "thresholds",
        discretizer: Any = "equal_frequency",
        n_bins: int | Mapping[str, int] | Literal["tune"] = 8,
        min_bins_per_side: int = 1,
        max_subset_values: int = 8,
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
    ) -> None:
        self.encoding = encoding
        self.discretizer = discretizer
        self.n_bins = n_bins
        self.min_bins_per_side = min_bins_per_side
        self.max_subset_values = max_subset_values
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features

    def _needs_classes(self) -> bool:
        try:
            return read_discretizer(self.discretizer, self.n_bins).needs_classes
        except ValueError:  # tags are requested before parameters are checked
            return False

    def _binarization(self) -> Binarization:
        """Check the parameters."""
        validate(self)
        discretization = read_discretizer(self.discretizer, self.n_bins)
        return Binarization(
            discretization, self.encoding, int(self.max_subset_values), int(self.min_bins_per_side)
        )

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the candidate splits.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows.
        y : array-like of shape (n_rows,), optional
            Class labels, for discretizers that need them.

        Returns
        -------
        FeatureBinarizer
            The fitted binarizer itself.
        """
        binarization = self._binarization()
        table, target = self._read(X, y)
        _, self.candidates_ = binarization.fit(table, target)
        self._remember(table.schema)
        return self

    def transform(self, X: Any) -> NDArray[np.bool_]:
        """Compute the binary features.

        Parameters
        ----------
        X : table
            Rows with the columns of `fit`.

        Returns
        -------
        ndarray of bool and shape (n_rows, n_candidates)
            The features.
        """
        table = self._read_again(X)
        cells, _ = _core.evaluate_splits(list(table.arrays), self.candidates_)
        return cells.view(np.bool_).reshape(table.n_rows, len(self.candidates_))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the features: the conditions of their splits.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the input columns to use if the table of `fit` had none.

        Returns
        -------
        ndarray of object
            Names.
        """
        names = super().get_feature_names_out(input_features)
        columns = zip(self.schema_, names, strict=True)
        named = Schema(tuple(replace(c.without_sources(), name=str(name)) for c, name in columns))
        return np.array([split.to_text(named) for split in self.candidates_], dtype=object)
