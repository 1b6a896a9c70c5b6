"""The search for columns to cross: pairs and triples that interact, found on training rows.

The class probabilities of the combinations of some columns are compared with their additive fit:
for a pair, effects of the one column plus effects of the other, and for a triple, effects of its
three pairs. What the combinations explain beyond that is the interaction of a two-way or three-way
analysis of variance. Its mean and variance by chance are computed from the fitted probabilities and
the number of rows of each combination, also where these are few, and a chi-square distribution with
both gives the p-value. For a target of numbers, the means of the combinations are compared with
their additive fit in the same way, by the F test of an analysis of variance.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood.data.schema import ColumnKind, Table
from mixedwood.data.target import Target

__all__ = ["find_crossings"]

# Maximum number of crossings, each of which explains at least this fraction of the impurity beyond
# its parts. The level is for all tests together, one half for pairs and one for triples.
_MAX_CROSSINGS = 5
_MIN_FRACTION = 0.01
_ALPHA = 0.01

# Limits of the work: rows, columns, categories of a column, effects of a fit, triples, and cells of
# a table of counts.
_MAX_ROWS = 50_000
_MAX_COLUMNS = 100
_MAX_CATEGORIES = 100
_MAX_EFFECTS = 120
_MAX_TRIPLES = 200
_MAX_CELLS = 1_000_000
_RIDGE = 1e-7
# A table with fewer rows per combination is too sparse to say anything.
_MIN_ROWS_PER_COMBINATION = 3.0


@dataclass(frozen=True)
class _Found:
    places: tuple[int, ...]
    fraction: float


@dataclass(frozen=True)
class _Screen:
    """Codes of the columns that may be crossed, and of the classes, of training rows."""

    codes: list[NDArray[np.int64]]
    sizes: list[int]
    classes: NDArray[np.int64]
    n_classes: int
    numbers: NDArray[np.float64] | None = None  # in place of classes, around a mean of 0

    def search(self, groups: Sequence[tuple[int, ...]]) -> list[_Found]:
        """Find the groups of columns that interact, those that explain most first."""
        limit = math.log(_ALPHA / 2 / max(len(groups), 1))
        found = []
        for places in groups:
            counts = self._counts(places)
            if counts is None:
                continue
            if self.numbers is None:
                log_p, fraction = _interaction(*counts)
            else:
                log_p, fraction = _number_interaction(*self._sums(places), counts[1])
            if log_p < limit and fraction >= _MIN_FRACTION:
                found.append(_Found(places, fraction))
        return sorted(found, key=lambda one: (-one.fraction, one.places))[:_MAX_CROSSINGS]

    def _counts(
        self, places: tuple[int, ...]
    ) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]] | None:
        """Count the classes of the combinations, and number the parts of each combination."""
        sizes = [self.sizes[place] for place in places]
        n_cells = math.prod(sizes)
        parts = [(i,) for i in range(2)] if len(places) == 2 else list(combinations(range(3), 2))
        n_effects = sum(math.prod(sizes[i] for i in part) for part in parts)
        if n_cells * self.n_classes > _MAX_CELLS or n_effects > _MAX_EFFECTS:
            return None
        keys, known = self.codes[places[0]], self.codes[places[0]] >= 0
        for place in places[1:]:
            keys = keys * self.sizes[place] + self.codes[place]
            known = known & (self.codes[place] >= 0)
        keys = keys * self.n_classes + self.classes
        keys = keys if known.all() else keys[known]
        counts = np.bincount(keys, minlength=n_cells * self.n_classes)
        counts = counts.reshape(n_cells, self.n_classes)
        met = np.flatnonzero(counts.any(axis=1))
        if len(keys) < _MIN_ROWS_PER_COMBINATION * len(met):
            return None
        codes = np.unravel_index(met, sizes)
        effects = []
        for part in parts:
            number = np.zeros(len(met), dtype=np.int64)
            for i in part:
                number = number * sizes[i] + codes[i]
            effects.append(np.unique(number, return_inverse=True)[1])
        return counts[met], effects

    def _sums(self, places: tuple[int, ...]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Rows of the combinations that were met, means of their numbers, squares within."""
        assert self.numbers is not None
        keys = np.zeros(len(self.numbers), dtype=np.int64)
        known = np.ones(len(self.numbers), dtype=bool)
        for place in places:
            keys = keys * self.sizes[place] + self.codes[place]
            known = known & (self.codes[place] >= 0)
        keys, numbers = keys[known], self.numbers[known]
        n = np.bincount(keys)
        sums, met = np.bincount(keys, numbers), np.flatnonzero(n)
        means = sums[met] / n[met]
        within = np.bincount(keys, (numbers - (sums / np.maximum(n, 1))[keys]) ** 2)
        return n[met].astype(np.float64), means, within[met]


def _number_interaction(
    n: NDArray[np.float64],
    means: NDArray[np.float64],
    within: NDArray[np.float64],
    effects: list[NDArray[np.int64]],
) -> tuple[float, float]:
    """Test what means of combinations explain beyond an additive fit, by an F test.

    Returns the logarithm of the p-value, and the fraction of the variance that is explained, less
    the fraction that is expected by chance. `within` are sums of squared deviations from the means.
    """
    total = n.sum()
    design = np.concatenate([np.eye(int(number.max()) + 1)[number] for number in effects], axis=1)
    root = np.sqrt(n)
    weights, _, rank, _ = np.linalg.lstsq(design * root[:, None], means * root, rcond=1e-10)
    freedom, rest = float(len(n) - rank), float(total - len(n))
    squares = float((n * (means - (n @ means) / total) ** 2).sum() + within.sum())
    if freedom < 1 or rest < 1 or squares <= 0:
        return 0.0, 0.0
    statistic = float((n * (means - design @ weights) ** 2).sum())
    noise = float(within.sum()) / rest
    fraction = (statistic - freedom * noise) / squares
    if fraction <= 0:
        return 0.0, 0.0
    # P(F > f) is an incomplete beta function; without noise it is 0.
    from scipy.special import betainc  # here: reading a table does not load scipy

    tail = float(betainc(rest / 2, freedom / 2, rest * noise / (rest * noise + statistic)))
    return (math.log(tail) if tail > 0 else -math.inf), fraction


def _interaction(
    counts: NDArray[np.int64], effects: list[NDArray[np.int64]]
) -> tuple[float, float]:
    """Test what combinations explain beyond an additive fit.

    Returns the logarithm of the p-value, and the fraction of the Gini impurity that is explained,
    less the fraction that is expected by chance.
    """
    n = counts.sum(axis=1).astype(np.float64)
    total = n.sum()
    prior = counts.sum(axis=0) / total
    widths = [int(number.max()) + 1 for number in effects]
    numbers = [number + sum(widths[:i]) for i, number in enumerate(effects)]
    size = sum(widths)
    if len(n) <= size - len(effects) + 1:
        return 0.0, 0.0
    # Weighted least squares with one indicator for each effect.
    gram = np.zeros(size * size)
    for s, t in product(numbers, numbers):
        gram += np.bincount(s * size + t, n, size * size)
    # Effects are not determined, but the fit is; a trace of ridge costs less than a pseudo-inverse.
    inverse = np.linalg.inv(gram.reshape(size, size) + np.eye(size) * (_RIDGE * total / size))
    cells = np.concatenate(numbers)
    sums = np.stack(
        [np.bincount(cells, np.tile(column, len(numbers)), size) for column in counts.T], axis=1
    )
    weights = inverse @ sums
    fit = sum(weights[number] for number in numbers)
    leverage = n * sum(inverse[s, t] for s in numbers for t in numbers)
    free = np.clip(1 - leverage, 0, 1)
    statistic = float((n[:, None] * (counts / n[:, None] - fit) ** 2).sum())
    # Mean and variance of a cell with multinomial counts; probabilities are not taken to be 0.
    p = np.clip(fit, 0, 1)
    p = (n[:, None] * p / p.sum(axis=1, keepdims=True) + prior) / (n[:, None] + 1)
    squares, cubes = (p**2).sum(axis=1), (p**3).sum(axis=1)
    single = 4 * (cubes - squares**2)
    pairs = 2 * (squares - 2 * cubes + squares**2)
    mean = float((free * (1 - squares)).sum())
    variance = float((free * (single / n + pairs * (1 - 1 / n))).sum())
    impurity = total * (1 - (prior**2).sum())
    if mean <= 0 or variance <= 0 or statistic <= mean:
        return 0.0, 0.0
    freedom = 2 * mean**2 / variance
    log_p = float(_core.log_chi2_tail(statistic * freedom / mean, freedom))
    return log_p, float((statistic - mean) / impurity)


def find_crossings(table: Table, target: Target) -> list[tuple[str, ...]]:
    """Find pairs and triples of nominal and ordinal columns that interact.

    Parameters
    ----------
    table : Table
        Training rows. Columns of more than 100 categories are ignored; at most 50,000 rows and
        100 columns are used.
    target : Target
        Their classes or numbers. Weights do not matter.

    Returns
    -------
    list of tuple of str
        At most five sets of columns, those that explain most beyond their parts first. The
        probability to find any of them where nothing interacts is about 1 %.

    Examples
    --------
    >>> from mixedwood.data import read_table, read_target
    >>> rng = np.random.default_rng(0)
    >>> X = {name: rng.choice(list("uvw"), 200) for name in "abc"}
    >>> table = read_table(X)
    >>> find_crossings(table, read_target((X["a"] == "u") != (X["b"] == "v")))
    [('a', 'b')]
    >>> find_crossings(table, read_target(rng.choice(2, 200)))
    []
    """
    rows = slice(None)
    if table.n_rows > _MAX_ROWS:
        rows = slice(None, None, -(-table.n_rows // _MAX_ROWS))
    classes = target.codes[rows].astype(np.int64)
    columns = [
        place
        for place, column in enumerate(table.schema)
        if column.kind != ColumnKind.NUMERIC
        and not column.sources
        and 2 <= column.n_categories <= _MAX_CATEGORIES
    ]
    numbers = None
    if target.is_numeric:
        numbers = target.numbers[rows]
        largest = np.abs(numbers).max()
        numbers = numbers / largest if largest > 0 else numbers  # squares do not overflow
        numbers = numbers - numbers.mean()
    n_classes = 1 if target.is_numeric else target.n_classes
    if len(columns) < 2 or (numbers is None and n_classes < 2):
        return []
    codes = [table.arrays[place][rows].astype(np.int64) for place in columns]
    sizes = [table.schema.columns[place].n_categories for place in columns]
    if len(columns) > _MAX_COLUMNS:
        gains = [
            _gain(c, size, classes, n_classes) if numbers is None else _gain_of_numbers(c, numbers)
            for c, size in zip(codes, sizes, strict=True)
        ]
        chosen = sorted(np.argsort(-np.array(gains), kind="stable")[:_MAX_COLUMNS].tolist())
        columns, codes, sizes = ([listed[i] for i in chosen] for listed in (columns, codes, sizes))
    screen = _Screen(codes, sizes, classes, n_classes, numbers)
    pairs = screen.search(list(combinations(range(len(columns)), 2)))
    triples = screen.search(_triples(len(columns), pairs))
    found = sorted([*pairs, *triples], key=lambda one: (-one.fraction, one.places))
    names = table.schema.names
    return [tuple(names[columns[i]] for i in one.places) for one in found[:_MAX_CROSSINGS]]


def _triples(n_columns: int, pairs: Iterable[_Found]) -> list[tuple[int, ...]]:
    """Give all triples if they are few, else those that contain a pair that was found."""
    if math.comb(n_columns, 3) <= _MAX_TRIPLES:
        return list(combinations(range(n_columns), 3))
    further = [
        tuple(sorted((*pair.places, i)))
        for pair in pairs
        for i in range(n_columns)
        if i not in pair.places
    ]
    return list(dict.fromkeys(further))[:_MAX_TRIPLES]


def _gain(codes: NDArray[Any], size: int, classes: NDArray[Any], n_classes: int) -> float:
    """Give the Gini gain of a column, less about what chance gives."""
    known = codes >= 0
    counts = np.bincount(codes[known] * n_classes + classes[known], minlength=size * n_classes)
    counts = counts.reshape(size, n_classes)
    counts = counts[counts.any(axis=1)]
    prior = counts.sum(axis=0) / max(counts.sum(), 1)
    explained = (counts**2 / counts.sum(axis=1, keepdims=True)).sum() - counts.sum() * (
        prior**2
    ).sum()
    return float(explained - (len(counts) - 1) * (1 - (prior**2).sum()))


def _gain_of_numbers(codes: NDArray[Any], numbers: NDArray[np.float64]) -> float:
    """Give the sum of squares that a column explains, less about what chance gives."""
    known = codes >= 0
    codes, numbers = codes[known], numbers[known]
    if len(codes) == 0:
        return 0.0
    n, sums = np.bincount(codes), np.bincount(codes, numbers)
    met = n > 0
    explained = float((sums[met] ** 2 / n[met]).sum() - sums.sum() ** 2 / len(codes))
    return explained - (int(met.sum()) - 1) * float(numbers.var())
