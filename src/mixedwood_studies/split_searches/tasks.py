"""Tasks of the study: split searches compared on random tables of counts."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.splits import Partitioner, best_partition, score_partition
from mixedwood.study import StudyError, TaskContext
from mixedwood.study.tasks import Metrics

__all__ = ["cut_weights", "draw_table", "random_tables", "search_times"]

_TIE = 1e-9  # impurities that are closer are equal
_HIGHEST = 8  # entries are below
_LIMITS = ("up_to_values", "up_to_classes", "up_to_cells")


def random_tables(context: TaskContext) -> Metrics:
    """Compare searches by the impurity of the partitions that they find in random tables.

    Axes: `size`, such as "n=6,k=3" for tables of six values and three classes; `impurity`, "gini"
    or "entropy"; and `part`, which seeds the tables. Settings: `tables`, the number of tables of a
    part, and `fewer`, the number at some sizes; `searches`, by name, each with a `partitioner`, its
    options, a `criterion` if it is not the impurity, and the maximum size of its tables
    (`up_to_values`, `up_to_classes`, `up_to_cells`); `pairs`, two names each.

    Metrics: "A", the mean impurity that A finds, and "no split", that of the tables themselves;
    "A < B", the percentage of tables in which A finds the purer partition; "A over B", the largest
    excess of the impurity of A over that of B, in % of the latter. Searches whose maximum size is
    exceeded are left out.
    """
    n, k = _read_size(str(context.point["size"]))
    impurity = str(context.point["impurity"])
    part = int(context.point.get("part", 0))
    n_tables = int(
        context.settings.get("fewer", {}).get(context.point["size"], context.settings["tables"])
    )
    rng = np.random.default_rng([int(context.settings.get("seed", 0)), n, k, part])
    searches = {
        name: _Search(entry, impurity)
        for name, entry in context.settings["searches"].items()
        if _fits(entry, n, k)
    }
    found: dict[str, list[float]] = {name: [] for name in (*searches, "no split")}
    for _ in range(n_tables):
        table = draw_table(rng, n, k)
        for name, search in searches.items():
            found[name].append(search(table))
        found["no split"].append(_impurity(table.sum(axis=0), impurity))
    columns = {name: np.array(values) for name, values in found.items()}
    metrics: Metrics = {name: float(values.mean()) for name, values in columns.items()}
    for a, b in context.settings.get("pairs", ()):
        if a in columns and b in columns:
            metrics |= _beside(a, b, columns[a], columns[b])
            metrics |= _beside(b, a, columns[b], columns[a])
    return metrics


def cut_weights(context: TaskContext) -> Metrics:
    """Weights of cuts by local search (GL) and by one rounding of the relaxation (GW), and times.

    Axes: `size`; `criterion`, whose score of two groups is the weight of the cut; `part`. Setting:
    `tables`. Metrics: `GL` and `GW`, mean weights; `GL seconds` and `GW seconds` of a cut.
    """
    n, k = _read_size(str(context.point["size"]))
    criterion = str(context.point["criterion"])
    rng = np.random.default_rng([3, n, k, int(context.point.get("part", 0))])
    searches = {
        "GL": Partitioner("max_cut"),
        "GW": Partitioner("max_cut_sdp", roundings=1, local_search=False),
    }
    found: dict[str, list[float]] = {name: [] for name in searches}
    seconds = dict.fromkeys(searches, 0.0)
    n_tables = int(context.settings["tables"])
    for number in range(n_tables):
        table = draw_table(rng, n, k)
        for name, search in searches.items():
            started = time.process_time()
            cut = best_partition(table, criterion, search, random_state=number)
            seconds[name] += time.process_time() - started
            found[name].append(cut.score)
    metrics: Metrics = {name: float(np.mean(values)) for name, values in found.items()}
    return metrics | {f"{name} seconds": spent / n_tables for name, spent in seconds.items()}


def search_times(context: TaskContext) -> Metrics:
    """Processor seconds of a search in one random table, by search.

    Axes: `size`; `part`. Settings: `searches` as in `random_tables`; `tables`, of which the mean is
    taken, and `fewer`, the number at some sizes.
    """
    n, k = _read_size(str(context.point["size"]))
    settings = context.settings
    n_tables = int(settings.get("fewer", {}).get(context.point["size"], settings["tables"]))
    rng = np.random.default_rng([4, n, k, int(context.point.get("part", 0))])
    tables = [draw_table(rng, n, k) for _ in range(n_tables)]
    metrics: Metrics = {}
    for name, entry in settings["searches"].items():
        if not _fits(entry, n, k):
            continue
        search = _Search(entry, "gini")
        started = time.process_time()
        for table in tables:
            search(table)
        metrics[name] = (time.process_time() - started) / n_tables
    return metrics


def draw_table(rng: np.random.Generator, n: int, k: int) -> NDArray[np.float64]:
    """Draw entries uniformly from 0 to 7, again while a row or a column is empty."""
    while True:
        table = rng.integers(0, _HIGHEST, (n, k))
        if table.any(axis=0).all() and table.any(axis=1).all():
            return table.astype(np.float64)


class _Search:
    def __init__(self, entry: Mapping[str, Any], impurity: str) -> None:
        options = {name: value for name, value in entry.items() if name not in _LIMITS}
        self._impurity = impurity
        self._criterion = options.pop("criterion", impurity)
        name = options.pop("partitioner")
        self._partitioner = None if name == "random" else Partitioner(name, **options)
        self._rng = np.random.default_rng(2)

    def __call__(self, table: NDArray[np.float64]) -> float:
        """Return the impurity of the partition that the search finds."""
        if self._partitioner is None:
            return score_partition(table, self._at_random(len(table)), self._impurity).impurity
        found = best_partition(table, self._criterion, self._partitioner)
        if self._criterion != self._impurity:
            found = score_partition(table, [found.left, found.right], self._impurity)
        return found.impurity

    def _at_random(self, n: int) -> list[list[int]]:
        """Two groups, neither empty: each value goes to a side with equal probability."""
        while True:
            side = self._rng.integers(0, 2, n)
            if 0 < side.sum() < n:
                return [np.flatnonzero(side == which).tolist() for which in (0, 1)]


def _beside(a: str, b: str, mine: NDArray[Any], other: NDArray[Any]) -> dict[str, float]:
    """How often `a` is purer than `b`, and the largest excess of its impurity."""
    with np.errstate(divide="ignore", invalid="ignore"):
        excess = np.nan_to_num((mine - other) / other)
    return {
        f"{a} < {b}": 100 * float((mine < other - _TIE).mean()),
        f"{a} over {b}": 100 * max(0.0, float(excess.max())),
    }


def _impurity(classes: NDArray[np.float64], name: str) -> float:
    p = classes / classes.sum()
    if name == "gini":
        return float(1 - (p**2).sum())
    return float(-(p * np.log2(p)).sum())


def _fits(entry: Mapping[str, Any], n: int, k: int) -> bool:
    sizes = dict(zip(_LIMITS, (n, k, n * k), strict=True))
    return all(size <= entry.get(limit, size) for limit, size in sizes.items())


def _read_size(text: str) -> tuple[int, int]:
    try:
        n, k = (int(part.split("=")[1]) for part in text.split(","))
    except (IndexError, ValueError) as error:
        raise StudyError(f"A size is written as 'n=6,k=3'; got {text!r}.") from error
    return n, k
