"""Tests of independence of a column and the class, with p-values that never underflow."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mixedwood import _core
from mixedwood.splits.counts import read_counts


@dataclass(frozen=True)
class Significance:
    """Outcome of a test of independence.

    Attributes
    ----------
    statistic : float
        Asymptotically chi-square distributed if column and class are independent.
    degrees_of_freedom : float
        0 if there is nothing to test (one value or one class); the p-value is then 1.
    log_p : float
        Natural logarithm of the p-value. Use it to compare columns: it distinguishes p-values that
        are both rounded to 0.0.
    """

    statistic: float
    degrees_of_freedom: float
    log_p: float

    @property
    def p_value(self) -> float:
        """The p-value; 0.0 if it is too small for a float."""
        return math.exp(self.log_p)

    @property
    def log10_p(self) -> float:
        """Decimal logarithm of the p-value."""
        return self.log_p / math.log(10)


def chi2_test(counts: ArrayLike) -> Significance:
    """Pearson's chi-square test on a table of counts.

    Parameters
    ----------
    counts : array-like of shape (n_values, n_classes)
        Counts; empty rows and columns are ignored.

    Returns
    -------
    Significance
        Statistic, degrees of freedom and logarithm of the p-value.

    Examples
    --------
    >>> import mixedwood as mw
    >>> test = mw.splits.chi2_test([[10, 2, 3], [1, 8, 6], [4, 4, 9], [7, 7, 1]])
    >>> round(test.statistic, 5), test.degrees_of_freedom, round(test.p_value, 7)
    (20.19651, 6.0, 0.0025549)
    """
    matrix, _ = read_counts(counts)
    return Significance(*_core.pearson_test(matrix))


def conditional_inference_test(
    counts: ArrayLike | None = None,
    *,
    x: ArrayLike | None = None,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> Significance:
    """Conditional-inference statistic c_quad of a column and the class.

    For a nominal column it is (N-1)/N times Pearson's statistic; for a numeric one it is
    (N-1) times the fraction of the sum of squares of x that lies between the classes.

    Parameters
    ----------
    counts : array-like of shape (n_values, n_classes), optional
        Counts of a nominal column.
    x, y : array-like of shape (n_rows,), optional
        A numeric column and the classes, instead of counts; rows with NaN in x are ignored.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row of x.

    Returns
    -------
    Significance
        Statistic, degrees of freedom and logarithm of the p-value.

    Examples
    --------
    >>> import mixedwood as mw
    >>> test = mw.splits.conditional_inference_test([[10, 2, 3], [1, 8, 6], [4, 4, 9], [7, 7, 1]])
    >>> round(test.statistic, 5), round(test.p_value, 7)
    (19.87076, 0.0029199)
    >>> numbers = mw.splits.conditional_inference_test(x=[1.0, 2.0, 3.0, 4.0], y=list("aabb"))
    >>> round(numbers.statistic, 6), numbers.degrees_of_freedom
    (2.4, 1.0)
    """
    if counts is not None and x is None and y is None and sample_weight is None:
        matrix, _ = read_counts(counts)
        return Significance(*_core.conditional_test(matrix))
    if counts is not None or x is None or y is None:
        raise ValueError("Pass either counts (nominal column) or x and y (numeric column).")
    from mixedwood.data import check_same_length, read_table, read_target

    table = read_table({"x": x})
    target = read_target(y, sample_weight)
    check_same_length(table, target)
    if table.schema["x"].kind != "numeric":
        raise TypeError(
            "x must be numeric. For a nominal column pass count_values(x, y)[0] as counts."
        )
    numbers = np.ascontiguousarray(table["x"], dtype=np.float64)
    return Significance(
        *_core.conditional_test_numeric(numbers, target.codes, target.weights, len(target.classes))
    )
