"""Numbers to ranges: four ways to choose where to cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from mixedwood.preprocessing.base import TableTransformer
from mixedwood.preprocessing.cutting import (
    DEFAULT_BINS,
    Cutting,
    cut_table,
    range_names,
    read_cutting,
)

__all__ = [
    "CAIMDiscretizer",
    "EqualFrequencyDiscretizer",
    "EqualWidthDiscretizer",
    "MDLPDiscretizer",
]


class _Discretizer(TableTransformer):
    """What the four have in common; each says how it cuts."""

    output: str
    cuts_: dict[str, NDArray[np.float64]]
    ranges_: dict[str, tuple[str, ...]]

    def _cutting(self) -> Cutting:
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the cut points of each numeric column.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows.
            Missing values are left out.
        y : array-like of shape (n_rows,)
            Classes; only the rules that look at them read it. Every row counts once.

        Returns
        -------
        object
            The fitted discretizer itself.
        """
        cutting = self._cutting()
        if not isinstance(self.output, str) or self.output not in ("names", "numbers"):
            raise ValueError(f"output must be 'names' or 'numbers'; got {self.output!r}.")
        table, target = self._read(X, y)
        cuts = cut_table(table, target, cutting)
        numeric = [(c.name, at) for c, at in zip(table.schema, cuts, strict=True) if c.is_numeric]
        self.cuts_ = dict(numeric)
        self.ranges_ = {name: range_names(at) for name, at in numeric}
        self._remember(table.schema)
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Replace numbers by their ranges; columns with labels stay as they are.

        Parameters
        ----------
        X : table
            Rows with the columns of `fit`.

        Returns
        -------
        ndarray of shape (n_rows, n_columns)
            Names of ranges and labels as objects, missing ones None. With ``output="numbers"``
            ranges are numbered 1, 2, ..., missing ones NaN; without columns of labels the array is
            then one of float64.
        """
        table = self._read_again(X)
        named = self.output == "names"
        plain = not named and all(column.is_numeric for column in table.schema)
        shape = table.n_rows, table.n_columns
        result: NDArray[Any] = np.empty(shape, dtype=np.float64 if plain else object)
        for place, column in enumerate(table.schema):
            if not column.is_numeric:
                result[:, place] = table.labels(column.name)
                continue
            numbers = table.arrays[place]
            ranges = np.searchsorted(self.cuts_[column.name], numbers, side="left")
            absent = np.isnan(numbers)
            if named:
                names = np.array([*self.ranges_[column.name], None], dtype=object)
                result[:, place] = names[np.where(absent, -1, ranges)]
            else:
                result[:, place] = np.where(absent, np.nan, ranges + 1.0)
        return result

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Name the columns that come out: those that go in.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names, if the table of `fit` had none.

        Returns
        -------
        ndarray of object
            Names.
        """
        return self._names_in(input_features)


class _ByClasses(_Discretizer):
    """Those that look at classes and choose the number of ranges themselves."""

    def __init__(
        self,
        *,
        output: Literal["names", "numbers"] = "names",
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
    ) -> None:
        self.output = output
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features

    def _needs_classes(self) -> bool:
        return True


class _ByNumber(_Discretizer):
    """Those that are told how many ranges to make."""

    n_bins: int | Mapping[str, int]

    def __init__(
        self,
        *,
        n_bins: int | Mapping[str, int] = DEFAULT_BINS,
        output: Literal["names", "numbers"] = "names",
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
    ) -> None:
        self.n_bins = n_bins
        self.output = output
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features


class MDLPDiscretizer(_ByClasses):
    """Ranges that save more class entropy than it costs to name them.

    Each column is cut in two where the classes are told apart best, and the halves again, as long
    as the minimal description length principle accepts the cut [1]_. A column that says nothing
    about the class alone gets no cut, and so one range: use another discretizer if columns are
    useful only together.

    Parameters
    ----------
    output : {"names", "numbers"}, default="names"
        Whether ranges come out by name, such as ``"(2.9, 5.15]"``, or numbered 1, 2, ...
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal whatever their type. They pass through.
    ordinal_features : mapping of str to sequence, optional
        Columns with an order, and their labels in order. They pass through.

    Attributes
    ----------
    cuts_ : dict of str to ndarray
        For each numeric column its cut points, ascending. A value equal to a cut is left of it.
    ranges_ : dict of str to tuple of str
        Names of the ranges, in order: what `ordinal_features` of an estimator takes.
    schema_ : Schema
        What the columns are.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    .. [1] Fayyad and Irani, "Multi-interval discretization of continuous-valued attributes for
       classification learning", IJCAI 1993. The price of a cut has log2(n - 1), as there.

    Examples
    --------
    >>> from mixedwood.datasets import load
    >>> from mixedwood.preprocessing import MDLPDiscretizer
    >>> iris = load("iris")
    >>> discretizer = MDLPDiscretizer().fit(iris.X, iris.y)
    >>> discretizer.ranges_["petal width (cm)"]
    ('<= 0.8', '(0.8, 1.75]', '> 1.75')
    >>> discretizer.transform(iris.X)[0]
    array(['<= 5.55', '> 3.35', '<= 2.45', '<= 0.8'], dtype=object)
    """

    def _cutting(self) -> Cutting:
        return Cutting("mdlp")


class CAIMDiscretizer(_ByClasses):
    """Ranges on which classes and values depend most, usually as many as there are classes.

    Cuts are added one at a time, each the one that raises the class-attribute interdependence most
    [1]_, until no cut raises it and there are as many ranges as classes.

    Parameters
    ----------
    output : {"names", "numbers"}, default="names"
        Whether ranges come out by name, such as ``"(2.9, 5.15]"``, or numbered 1, 2, ...
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal whatever their type. They pass through.
    ordinal_features : mapping of str to sequence, optional
        Columns with an order, and their labels in order. They pass through.

    Attributes
    ----------
    cuts_ : dict of str to ndarray
        For each numeric column its cut points, ascending. A value equal to a cut is left of it.
    ranges_ : dict of str to tuple of str
        Names of the ranges, in order: what `ordinal_features` of an estimator takes.
    schema_ : Schema
        What the columns are.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    .. [1] Kurgan and Cios, "CAIM discretization algorithm", IEEE Transactions on Knowledge and
       Data Engineering 16(2), 2004.

    Examples
    --------
    >>> from mixedwood.preprocessing import CAIMDiscretizer
    >>> X = {"age": [10, 20, 30, 40, 50, 60], "pet": ["cat", "dog", "dog", None, "cat", "cat"]}
    >>> CAIMDiscretizer().fit_transform(X, [0, 0, 1, 1, 1, 1])[:4]
    array([['<= 25', 'cat'],
           ['<= 25', 'dog'],
           ['> 25', 'dog'],
           ['> 25', None]], dtype=object)
    """

    def _cutting(self) -> Cutting:
        return Cutting("caim")


class EqualWidthDiscretizer(_ByNumber):
    """Ranges of equal width between the smallest and the largest value.

    A few extreme values leave most rows in one range; `EqualFrequencyDiscretizer` does not mind
    them.

    Parameters
    ----------
    n_bins : int or mapping of str to int, default=5
        Ranges of every column, or by the names of columns; columns that are not named have 5.
    output : {"names", "numbers"}, default="names"
        Whether ranges come out by name, such as ``"(2.9, 5.15]"``, or numbered 1, 2, ...
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal whatever their type. They pass through.
    ordinal_features : mapping of str to sequence, optional
        Columns with an order, and their labels in order. They pass through.

    Attributes
    ----------
    cuts_ : dict of str to ndarray
        For each numeric column its cut points, ascending. A value equal to a cut is left of it.
    ranges_ : dict of str to tuple of str
        Names of the ranges, in order: what `ordinal_features` of an estimator takes.
    schema_ : Schema
        What the columns are.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from mixedwood.preprocessing import EqualWidthDiscretizer
    >>> X = {"age": [0, 1, 2, 10], "height": [1.0, 1.2, 1.8, 1.9]}
    >>> EqualWidthDiscretizer(n_bins={"age": 2, "height": 3}).fit_transform(X)
    array([['<= 5', '<= 1.3'],
           ['<= 5', '<= 1.3'],
           ['<= 5', '> 1.6'],
           ['> 5', '> 1.6']], dtype=object)
    """

    def _cutting(self) -> Cutting:
        return read_cutting("equal_width", self.n_bins)


class EqualFrequencyDiscretizer(_ByNumber):
    """Ranges that hold equally many rows, as nearly as equal values allow.

    Equal values are never separated: a boundary inside a run of them moves to its end, and where
    that leaves nothing to separate there are fewer ranges than asked for.

    Parameters
    ----------
    n_bins : int or mapping of str to int, default=5
        Ranges of every column, or by the names of columns; columns that are not named have 5.
    output : {"names", "numbers"}, default="names"
        Whether ranges come out by name, such as ``"(2.9, 5.15]"``, or numbered 1, 2, ...
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal whatever their type. They pass through.
    ordinal_features : mapping of str to sequence, optional
        Columns with an order, and their labels in order. They pass through.

    Attributes
    ----------
    cuts_ : dict of str to ndarray
        For each numeric column its cut points, ascending. A value equal to a cut is left of it.
    ranges_ : dict of str to tuple of str
        Names of the ranges, in order: what `ordinal_features` of an estimator takes.
    schema_ : Schema
        What the columns are.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from mixedwood.preprocessing import EqualFrequencyDiscretizer
    >>> X = [[1.0], [1.0], [2.0], [3.0], [50.0], [float("nan")]]
    >>> EqualFrequencyDiscretizer(n_bins=2, output="numbers").fit_transform(X).ravel()
    array([ 1.,  1.,  2.,  2.,  2., nan])
    """

    def _cutting(self) -> Cutting:
        return read_cutting("equal_frequency", self.n_bins)
