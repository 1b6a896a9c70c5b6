"""What the rows of a report are: types, missing values, categories, and suspicious columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Column, Table, identifier_columns
from mixedwood.explain.format import format_category, format_float, format_fraction

__all__ = ["ColumnFacts", "column_facts"]

_MAX_NAMED = 4  # categories named
_LEAK = 0.98  # score of a single column from which the target may be in it
_MOSTLY = 0.9
_BINS = 200  # of a number, to look for leaks
_MAX_ROWS = 20_000  # used to look for leaks


@dataclass(frozen=True)
class ColumnFacts:
    """A column of the rows.

    Attributes
    ----------
    name, kind : str
        Name and type.
    n_missing, n_unknown : int
        Rows with missing values, and with categories that training did not have.
    n_distinct : int
        Number of distinct known values.
    values : str
        Range, or the most frequent categories.
    warnings : tuple of str
        What is suspicious.
    """

    name: str
    kind: str
    n_missing: int
    n_unknown: int
    n_distinct: int
    values: str
    warnings: tuple[str, ...]


def column_facts(table: Table, truth: NDArray[Any], *, is_numeric: bool) -> list[ColumnFacts]:
    """Describe the columns of a table; `truth` has codes of classes, or numbers."""
    identifiers = set(identifier_columns(table))
    found = []
    for column, array in zip(table.schema, table.arrays, strict=True):
        missing = np.isnan(array) if column.is_numeric else array == -1
        unknown = np.zeros(len(array), bool) if column.is_numeric else array < -1
        known = array[~missing & ~unknown]
        values, counts = np.unique(known, return_counts=True)
        warnings = []
        if column.name in identifiers or _is_numbering(column, known, values):
            warnings.append("identifies rows: nearly every value is different")
        elif int(unknown.sum()) > _MOSTLY * len(array):
            warnings.append("may identify rows: nearly every value is unknown to the model")
        elif len(values) < 2 and not unknown.any():
            warnings.append("is constant")
        leak = _alone(column, array, truth, is_numeric)
        if leak >= _LEAK and len(table.schema) > 1:
            what = "R²" if is_numeric else "balanced accuracy"
            warnings.append(f"may contain the target: alone, it predicts it with {what} {leak:.3f}")
        if int(missing.sum()) > len(array) / 2:
            warnings.append("is mostly missing")
        found.append(
            ColumnFacts(
                column.name, str(column.kind), int(missing.sum()), int(unknown.sum()), len(values),
                _describe(column, known, values, counts), tuple(warnings),
            )
        )  # fmt: skip
    return found


def _describe(
    column: Column, known: NDArray[Any], values: NDArray[Any], counts: NDArray[Any]
) -> str:
    if not len(values):
        return "no values"
    if column.is_numeric:
        low, middle, high = (format_float(float(q), 6) for q in np.quantile(known, [0, 0.5, 1]))
        return f"{low} to {high}, median {middle}"
    order = np.argsort(-counts, kind="stable")[:_MAX_NAMED]
    named = [
        f"{format_category(column, int(values[i]))} {format_fraction(counts[i] / len(known))}"
        for i in order
    ]
    return ", ".join(named) + (", ..." if len(values) > _MAX_NAMED else "")


def _is_numbering(column: Column, known: NDArray[Any], values: NDArray[Any]) -> bool:
    """Whether a numeric column has a different whole number in each row, in a dense range."""
    if not column.is_numeric or len(known) < 30 or len(values) < len(known):
        return False
    whole = bool((values == np.round(values)).all())
    return whole and float(values[-1] - values[0]) < 3 * len(values)


def _alone(column: Column, array: NDArray[Any], truth: NDArray[Any], is_numeric: bool) -> float:
    """Held-out score of the best prediction by a column alone, in bins or by category."""
    array, truth = array[:_MAX_ROWS], truth[:_MAX_ROWS]
    if len(array) < 40:
        return 0.0
    if column.is_numeric:
        known = array[~np.isnan(array)]
        if not len(known):
            return 0.0
        cuts = np.unique(known)
        n_bins = min(_BINS, len(known) // 8)
        if len(cuts) > n_bins:
            cuts = np.unique(np.quantile(known, np.linspace(0, 1, n_bins + 1)[1:-1]))
        codes = np.where(np.isnan(array), len(cuts) + 1, np.searchsorted(cuts, array))
    else:
        codes = array + 2
    fit = np.arange(len(array)) % 2 == 0
    n = int(codes.max()) + 1
    if is_numeric:
        weight = np.bincount(codes[fit], minlength=n)
        mean = truth[fit].mean()
        means = np.where(
            weight > 0,
            np.bincount(codes[fit], truth[fit], n) / np.maximum(weight, 1),
            mean,
        )
        rest = truth[~fit]
        total = float(((rest - rest.mean()) ** 2).sum())
        return 1 - float(((rest - means[codes[~fit]]) ** 2).sum()) / total if total > 0 else 0.0
    k = int(truth.max()) + 1
    counts = np.zeros((n, max(k, 1)))
    np.add.at(counts, (codes[fit], np.maximum(truth[fit], 0)), 1)
    sums = np.maximum(counts.sum(axis=0), 1)
    best = np.where(counts.sum(axis=1) > 0, (counts / sums).argmax(axis=1), -1)[codes[~fit]]
    rest = truth[~fit]
    present = [c for c in range(k) if (rest == c).any()]
    if len(present) < 2:
        return 0.0
    return float(np.mean([(best[rest == c] == c).mean() for c in present]))
