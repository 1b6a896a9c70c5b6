"""Discretizers: bins of numeric columns by four rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood._params import Constraint, Int, OneOf, check_value, validate
from mixedwood.data import Schema, Table, Target
from mixedwood.explain.format import format_float
from mixedwood.preprocessing.base import TableTransformer

RULES = ("mdlp", "caim", "equal_width", "equal_frequency")
_DEFAULT_BINS = 5
_MAX_TUNED_BINS = 8
_N_BINS = Int(2, 65_536)
_DISCRETIZER = OneOf(*RULES) | Constraint(
    "a discretizer of mixedwood.preprocessing", test=lambda value: isinstance(value, _Discretizer)
)
_N_BINS_BY_COLUMN = Constraint(
    "a mapping of column names to such ints",
    test=lambda value: isinstance(value, Mapping) and all(map(_N_BINS.accepts, value.values())),
)


@dataclass(frozen=True)
class Discretization:
    """A rule that bins numbers, with the number of bins where the rule needs it.

    Parameters
    ----------
    rule : {"mdlp", "caim", "equal_width", "equal_frequency"}
        The rule. The first two look at the classes and choose the number of bins.
    n_bins : int, mapping of str to int, or "tune", default=5
        Number of bins of every column, or of the columns listed; others have 5. "tune" needs
        `tuned` before the number of bins of a column is known.
    """

    rule: str
    n_bins: int | Mapping[str, int] | str = _DEFAULT_BINS

    @property
    def by_classes(self) -> bool:
        """Whether the rule looks at the classes."""
        return self.rule in ("mdlp", "caim")

    @property
    def needs_classes(self) -> bool:
        """Whether the rule, or the choice of the number of bins, looks at the classes."""
        return self.by_classes or isinstance(self.n_bins, str)

    def n_bins_of(self, name: str) -> int:
        """Number of bins of a column."""
        given = self.n_bins
        return int(given.get(name, _DEFAULT_BINS) if isinstance(given, Mapping) else given)

    def tuned(self, table: Table, target: Target | None) -> Discretization:
        """Choose the number of bins of each column, if it is to be tuned.

        It maximizes the information about the classes, in nats and over all rows, less
        (bins - 1) (classes - 1), as in Akaike's criterion. Of equals, the fewest bins.

        Examples
        --------
        >>> from mixedwood.data import read_table, read_target
        >>> steps = np.arange(200.0)
        >>> table = read_table({"steps": steps})
        >>> target = read_target((steps // 50).astype(int))
        >>> Discretization("equal_width", "tune").tuned(table, target).n_bins["steps"]
        4
        """
        if self.by_classes or not isinstance(self.n_bins, str):
            return replace(self, n_bins=_DEFAULT_BINS) if self.by_classes else self
        target = self._require(target)
        chosen: dict[str, int] = {}
        for column, array in zip(table.schema, table.arrays, strict=True):
            if not column.is_numeric:
                continue
            numbers = np.asarray(array, dtype=np.float64)
            known = ~np.isnan(numbers)
            best = -np.inf
            for n_bins in range(2, _MAX_TUNED_BINS + 1):
                at = _core.cut_points(numbers, None, 1, self.rule, n_bins)
                counts = np.zeros((len(at) + 1, target.n_classes))
                bins = np.searchsorted(at, numbers[known], side="left")
                np.add.at(counts, (bins, target.codes[known]), 1)
                worth = _information(counts) - _degrees_of_freedom(counts)
                if worth > best + 1e-9:
                    best, chosen[column.name] = worth, n_bins
        return replace(self, n_bins=chosen)

    def _require(self, target: Target | None) -> Target:
        if target is not None:
            return target
        if self.by_classes:
            raise ValueError(
                f"The rule {self.rule!r} needs the classes. Pass y, or use 'equal_width' or "
                "'equal_frequency'."
            )
        raise ValueError("n_bins='tune' needs the classes. Pass y, or set the number of bins.")

    def check_names(self, schema: Schema) -> None:
        """Raise ValueError if `n_bins` lists columns that do not exist or are not numeric."""
        if not isinstance(self.n_bins, Mapping):
            return
        for name in self.n_bins:
            if name not in schema:
                known = ", ".join(repr(c.name) for c in schema if c.is_numeric)
                raise ValueError(
                    f"n_bins lists the column {name!r}, which X does not have. Its numeric columns "
                    f"are: {known or 'none'}."
                )
            if not schema[name].is_numeric:
                raise ValueError(
                    f"n_bins lists the column {name!r}, which is {schema[name].kind}; only numeric "
                    "columns are binned."
                )


def read_discretizer(
    discretizer: Any, n_bins: Any = _DEFAULT_BINS, *, owner: str = "FeatureBinarizer"
) -> Discretization:
    """Read the name of a rule, or a discretizer; `owner` is named in errors.

    Examples
    --------
    >>> read_discretizer("equal_width", {"age": 3}).n_bins_of("age")
    3
    """
    check_value(owner, "discretizer", discretizer, _DISCRETIZER)
    if isinstance(discretizer, _Discretizer):
        return discretizer._discretization()
    check_value(owner, "n_bins", n_bins, _N_BINS | _N_BINS_BY_COLUMN | OneOf("tune"))
    return Discretization(discretizer, n_bins)


def find_thresholds(
    table: Table, target: Target | None, discretization: Discretization
) -> list[NDArray[np.float64]]:
    """Find the thresholds between the bins of each column; only numeric columns have any."""
    discretization.check_names(table.schema)
    discretization = discretization.tuned(table, target)
    rule, found = discretization.rule, []
    for column, array in zip(table.schema, table.arrays, strict=True):
        if not column.is_numeric:
            found.append(np.empty(0))
            continue
        numbers = np.asarray(array, dtype=np.float64)
        if not discretization.by_classes:
            n_bins = discretization.n_bins_of(column.name)
            # numpy sorts numbers with the processor's wide registers.
            found.append(_core.cut_points(np.sort(numbers), None, 1, rule, n_bins))
            continue
        classes = discretization._require(target)
        codes, n_classes = classes.codes, classes.n_classes
        found.append(_core.cut_points(numbers, codes, n_classes, rule, _DEFAULT_BINS))
    return found


def _information(counts: NDArray[np.float64]) -> float:
    """Mutual information of rows and columns in nats, times the number of rows of the data."""
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(1.0, counts.sum())
    met = counts > 0
    return float(np.sum(counts[met] * np.log(counts[met] / expected[met])))


def _degrees_of_freedom(counts: NDArray[np.float64]) -> float:
    bins, classes = (int((counts.sum(axis=axis) > 0).sum()) for axis in (1, 0))
    return max(0, bins - 1) * max(0, classes - 1)


def bin_names(thresholds: NDArray[np.float64]) -> tuple[str, ...]:
    """Name the bins between thresholds, in order.

    Thresholds have six digits, or all of them if two would look the same.

    Examples
    --------
    >>> bin_names(np.array([2.9000000000000004, 5.15]))
    ('<= 2.9', '(2.9, 5.15]', '> 5.15')
    >>> bin_names(np.array([]))
    ('any',)
    """
    if len(thresholds) == 0:
        return ("any",)
    texts = [format_float(threshold, 6) for threshold in thresholds.tolist()]
    if len(set(texts)) < len(texts):
        texts = [format_float(threshold) for threshold in thresholds.tolist()]
    between = [f"({low}, {high}]" for low, high in pairwise(texts)]
    return (f"<= {texts[0]}", *between, f"> {texts[-1]}")


class _Discretizer(TableTransformer):
    """What the four discretizers share; each has its own rule."""

    _rule: ClassVar[str]
    _parameters: ClassVar[dict[str, Constraint]] = {"encode": OneOf("names", "ordinal")}

    n_bins: int | Mapping[str, int] | Literal["tune"] = _DEFAULT_BINS
    encode: str
    bin_thresholds_: dict[str, NDArray[np.float64]]
    bin_names_: dict[str, tuple[str, ...]]

    def _discretization(self) -> Discretization:
        return read_discretizer(self._rule, self.n_bins, owner=type(self).__name__)

    def _needs_classes(self) -> bool:
        return Discretization(self._rule, self.n_bins).needs_classes

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the thresholds of each numeric column.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows.
            Missing values are ignored.
        y : array-like of shape (n_rows,)
            Class labels. Ignored by the discretizers that do not look at the classes.

        Returns
        -------
        object
            The fitted discretizer itself.
        """
        discretization = self._discretization()
        validate(self)
        table, target = self._read(X, y)
        thresholds = find_thresholds(table, target, discretization)
        by_column = zip(table.schema, thresholds, strict=True)
        self.bin_thresholds_ = {c.name: found for c, found in by_column if c.is_numeric}
        self.bin_names_ = {name: bin_names(at) for name, at in self.bin_thresholds_.items()}
        self._remember(table.schema)
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Replace numbers by their bins; other columns pass through.

        Parameters
        ----------
        X : table
            Rows with the columns of `fit`.

        Returns
        -------
        ndarray of shape (n_rows, n_columns)
            Names of bins and categories as objects, missing values None. With
            ``encode="ordinal"`` bins are numbered 1, 2, ..., missing values are NaN, and the dtype
            is float64 if all columns are numeric.
        """
        table = self._read_again(X)
        named = self.encode == "names"
        plain = not named and all(column.is_numeric for column in table.schema)
        shape = table.n_rows, table.n_columns
        result: NDArray[Any] = np.empty(shape, dtype=np.float64 if plain else object)
        for place, column in enumerate(table.schema):
            if not column.is_numeric:
                result[:, place] = table.labels(column.name)
                continue
            numbers = table.arrays[place]
            bins = np.searchsorted(self.bin_thresholds_[column.name], numbers, side="left")
            absent = np.isnan(numbers)
            if named:
                names = np.array([*self.bin_names_[column.name], None], dtype=object)
                result[:, place] = names[np.where(absent, -1, bins)]
            else:
                result[:, place] = np.where(absent, np.nan, bins + 1.0)
        return result


class _ByClasses(_Discretizer):
    """Discretizers that look at the classes and choose the number of bins."""

    def __init__(
        self,
        *,
        encode: Literal["names", "ordinal"] = "names",
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
    ) -> None:
        self.encode = encode
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features


class _ByNumber(_Discretizer):
    """Discretizers with a given number of bins."""

    def __init__(
        self,
        *,
        n_bins: int | Mapping[str, int] | Literal["tune"] = _DEFAULT_BINS,
        encode: Literal["names", "ordinal"] = "names",
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
    ) -> None:
        self.n_bins = n_bins
        self.encode = encode
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features


class MDLPDiscretizer(_ByClasses):
    """Bins by the minimal description length principle of Fayyad and Irani.

    Each column is divided at the threshold of the least class entropy, and both parts again, as
    long as the principle accepts the threshold [1]_. A column that is not related to the class on
    its own has a single bin: use another discretizer if columns are useful only together.

    Parameters
    ----------
    encode : {"names", "ordinal"}, default="names"
        Whether bins are encoded by name, such as ``"(2.9, 5.15]"``, or as the numbers 1, 2, ...
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal regardless of their dtype. They pass through.
    ordinal_features : mapping of str to sequence, optional
        Ordered categories of ordinal columns. They pass through.

    Attributes
    ----------
    bin_thresholds_ : dict of str to ndarray
        Thresholds of each numeric column, ascending. A value equal to one is in the bin below it.
    bin_names_ : dict of str to tuple of str
        Names of the bins in order, as `ordinal_features` of an estimator takes them.
    schema_ : Schema
        Names and types of the columns.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    .. [1] Fayyad and Irani, "Multi-interval discretization of continuous-valued attributes for
       classification learning", IJCAI 1993. The cost of a threshold is log2(n - 1), as there.

    Examples
    --------
    >>> from mixedwood.datasets import load
    >>> from mixedwood.preprocessing import MDLPDiscretizer
    >>> iris = load("iris")
    >>> discretizer = MDLPDiscretizer().fit(iris.X, iris.y)
    >>> discretizer.bin_names_["petal width (cm)"]
    ('<= 0.8', '(0.8, 1.75]', '> 1.75')
    >>> discretizer.transform(iris.X)[0]
    array(['<= 5.55', '> 3.35', '<= 2.45', '<= 0.8'], dtype=object)
    """

    _rule = "mdlp"


class CAIMDiscretizer(_ByClasses):
    """Bins of the greatest class-attribute interdependence, usually as many as classes.

    Thresholds are added one at a time, each the one that increases the interdependence most [1]_,
    until none increases it and there are at least as many bins as classes.

    Parameters
    ----------
    encode : {"names", "ordinal"}, default="names"
        Whether bins are encoded by name, such as ``"(2.9, 5.15]"``, or as the numbers 1, 2, ...
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal regardless of their dtype. They pass through.
    ordinal_features : mapping of str to sequence, optional
        Ordered categories of ordinal columns. They pass through.

    Attributes
    ----------
    bin_thresholds_ : dict of str to ndarray
        Thresholds of each numeric column, ascending. A value equal to one is in the bin below it.
    bin_names_ : dict of str to tuple of str
        Names of the bins in order, as `ordinal_features` of an estimator takes them.
    schema_ : Schema
        Names and types of the columns.
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

    _rule = "caim"


class EqualWidthDiscretizer(_ByNumber):
    """Bins of equal width between the smallest and the largest value.

    A few extreme values put most rows into one bin; `EqualFrequencyDiscretizer` is robust to them.

    Parameters
    ----------
    n_bins : int, mapping of str to int, or "tune", default=5
        Number of bins of every column, or of the columns listed; others have 5. With "tune" each
        column has 2 to 8 bins: the number that is most informative about the classes, after a
        correction for chance. This needs `y`.
    encode : {"names", "ordinal"}, default="names"
        Whether bins are encoded by name, such as ``"(2.9, 5.15]"``, or as the numbers 1, 2, ...
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal regardless of their dtype. They pass through.
    ordinal_features : mapping of str to sequence, optional
        Ordered categories of ordinal columns. They pass through.

    Attributes
    ----------
    bin_thresholds_ : dict of str to ndarray
        Thresholds of each numeric column, ascending. A value equal to one is in the bin below it.
    bin_names_ : dict of str to tuple of str
        Names of the bins in order, as `ordinal_features` of an estimator takes them.
    schema_ : Schema
        Names and types of the columns.
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

    _rule = "equal_width"


class EqualFrequencyDiscretizer(_ByNumber):
    """Bins with the same number of rows, as far as equal values allow.

    Equal values are never separated: a threshold that would fall between equal values moves to
    their end, so that there may be fewer bins than `n_bins`.

    Parameters
    ----------
    n_bins : int, mapping of str to int, or "tune", default=5
        Number of bins of every column, or of the columns listed; others have 5. With "tune" each
        column has 2 to 8 bins: the number that is most informative about the classes, after a
        correction for chance. This needs `y`.
    encode : {"names", "ordinal"}, default="names"
        Whether bins are encoded by name, such as ``"(2.9, 5.15]"``, or as the numbers 1, 2, ...
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal regardless of their dtype. They pass through.
    ordinal_features : mapping of str to sequence, optional
        Ordered categories of ordinal columns. They pass through.

    Attributes
    ----------
    bin_thresholds_ : dict of str to ndarray
        Thresholds of each numeric column, ascending. A value equal to one is in the bin below it.
    bin_names_ : dict of str to tuple of str
        Names of the bins in order, as `ordinal_features` of an estimator takes them.
    schema_ : Schema
        Names and types of the columns.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from mixedwood.preprocessing import EqualFrequencyDiscretizer
    >>> X = [[1.0], [1.0], [2.0], [3.0], [50.0], [float("nan")]]
    >>> EqualFrequencyDiscretizer(n_bins=2, encode="ordinal").fit_transform(X).ravel()
    array([ 1.,  1.,  2.,  2.,  2., nan])
    """

    _rule = "equal_frequency"
