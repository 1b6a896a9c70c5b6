"""Partial dependence, and what would change the prediction of a row."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Column, Table
from mixedwood.explain.format import format_category, format_float, format_name

__all__ = ["Change", "Effect", "Grid", "changes_of", "effect_of", "grid_of"]

Predict = Callable[[Table], NDArray[np.float64]]

_MAX_CHANGES = 5
_MAX_IN_PAIRS = 4  # columns that are changed in pairs


@dataclass(frozen=True)
class Grid:
    """Values of a column to try: encoded, and as text."""

    column: Column
    place: int
    values: NDArray[Any]
    texts: tuple[str, ...]
    spread: float


@dataclass(frozen=True)
class Effect:
    """Predictions with one column set to each value of its grid.

    Attributes
    ----------
    grid : Grid
        The values.
    each : ndarray of shape (n_rows, n_values, n_outputs)
        Predictions of each row (individual conditional expectation).
    mean : ndarray of shape (n_values, n_outputs)
        Their mean (partial dependence).
    """

    grid: Grid
    each: NDArray[np.float64]
    mean: NDArray[np.float64]


@dataclass(frozen=True)
class Change:
    """Other values of one or two columns, and the prediction with them."""

    values: tuple[str, ...]
    prediction: str
    size: float


def grid_of(table: Table, place: int, size: int = 16) -> Grid | None:
    """Values of a column: quantiles of numbers, or the most frequent categories; None for one."""
    column, array = table.schema.columns[place], table.arrays[place]
    if column.is_numeric:
        known = array[~np.isnan(array)]
        if not len(known):
            return None
        distinct = np.unique(known)
        if len(distinct) > size:
            distinct = np.unique(np.quantile(known, np.linspace(0, 1, size), method="nearest"))
        texts = tuple(format_float(float(v), 6) for v in distinct)
        found = Grid(column, place, distinct, texts, float(known.std()) or 1.0)
    else:
        codes, counts = np.unique(array[array >= 0], return_counts=True)
        chosen = codes[np.sort(np.argsort(-counts, kind="stable")[:size])].astype(np.int32)
        names = tuple(format_category(column, int(code)) for code in chosen)
        found = Grid(column, place, chosen, names, 1.0)
    return found if len(found.values) > 1 else None


def effect_of(table: Table, grid: Grid, predict: Predict) -> Effect:
    """Predict every row with every value of a grid."""
    n, k = table.n_rows, len(grid.values)
    arrays: list[NDArray[Any]] = [np.repeat(array, k) for array in table.arrays]
    arrays[grid.place] = np.ascontiguousarray(np.tile(grid.values, n))
    each = predict(Table(table.schema, tuple(arrays), table.unknown)).reshape(n, k, -1)
    return Effect(grid, each, each.mean(axis=0))


def _try(table: Table, row: int, grids: Sequence[Grid], predict: Predict) -> NDArray[np.float64]:
    """Predict a row with every combination of values of some columns."""
    mesh = np.meshgrid(*(np.arange(len(g.values)) for g in grids), indexing="ij")
    n = mesh[0].size
    arrays: list[NDArray[Any]] = [np.repeat(a[row : row + 1], n) for a in table.arrays]
    for grid, positions in zip(grids, mesh, strict=True):
        arrays[grid.place] = np.ascontiguousarray(grid.values[positions.ravel()])
    return predict(Table(table.schema, tuple(arrays), table.unknown))


def _distance(grid: Grid, value: Any) -> NDArray[np.float64]:
    if not grid.column.is_numeric:
        return np.asarray(grid.values != value, dtype=np.float64)
    if math.isnan(value):
        return np.ones(len(grid.values))
    return np.asarray(np.abs(grid.values - value) / grid.spread)


def changes_of(
    table: Table,
    row: int,
    grids: Sequence[Grid],
    predict: Predict,
    decide: Callable[[NDArray[np.float64]], NDArray[Any]] | None,
    describe: Callable[[NDArray[np.float64]], str],
) -> list[Change]:
    """Find small changes of one row that change its prediction.

    For classes, `decide` gives the class of outputs: changes of one column that lead to another
    class come first, the smallest in front; if there are none, changes of two columns. For numbers
    (`decide` is None), the changes of single columns with the largest effects.
    """
    before = predict(table.take([row]))
    chosen = None if decide is None else decide(before)[0]
    found: list[Change] = []
    shifts: list[tuple[float, Grid]] = []
    for grid in grids:
        after = _try(table, row, [grid], predict)
        shift = np.abs(after - before).max(axis=1)
        distance = _distance(grid, table.arrays[grid.place][row])
        shifts.append((float(shift.max()), grid))
        if decide is None:
            best = int(shift.argmax())
            if shift[best] > 0:
                found.append(_change([(grid, best)], after[best], -float(shift[best]), describe))
            continue
        flips = np.flatnonzero((decide(after) != chosen) & (distance > 0))
        if len(flips):
            best = int(flips[np.argmin(distance[flips])])
            found.append(_change([(grid, best)], after[best], float(distance[best]), describe))
    if decide is not None and not found:
        largest = sorted(shifts, key=lambda pair: -pair[0])[:_MAX_IN_PAIRS]
        for (_, one), (_, other) in combinations(largest, 2):
            after = _try(table, row, [one, other], predict)
            distance = np.add.outer(
                _distance(one, table.arrays[one.place][row]),
                _distance(other, table.arrays[other.place][row]),
            ).ravel()
            flips = np.flatnonzero(decide(after) != chosen)
            if len(flips):
                best = int(flips[np.argmin(distance[flips])])
                i, j = divmod(best, len(other.values))
                found.append(
                    _change([(one, i), (other, j)], after[best], float(distance[best]), describe)
                )
    return sorted(found, key=lambda change: change.size)[:_MAX_CHANGES]


def _change(
    values: Sequence[tuple[Grid, int]],
    output: NDArray[np.float64],
    size: float,
    describe: Callable[[NDArray[np.float64]], str],
) -> Change:
    texts = tuple(f"{format_name(g.column.name)} = {g.texts[i]}" for g, i in values)
    return Change(texts, describe(output), size)
