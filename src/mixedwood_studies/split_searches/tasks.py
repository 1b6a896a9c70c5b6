"""Split searches compared by the partitions that they find in random tables of counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.splits import Partitioner, best_partition, score_partition
from mixedwood.study import StudyError, Work
from mixedwood.study.tasks import Figures

__all__ = ["draw_table", "random_tables"]

_TIE = 1e-9  # impurities that are closer are equal
_HIGHEST = 8  # entries are below
_LIMITS = ("up_to_values", "up_to_classes", "up_to_cells")


def random_tables(work: Work) -> Figures:
    """Compare searches by the impurity of the partitions that they find in random tables.

    Axes: `size`, such as "n=6,k=3" for tables of six values and three classes; `impurity`, "gini"
    or "entropy"; and `part`, a number that makes the tables others. Settings: `tables`, how many
    tables a part has, and `fewer`, how many at some sizes; `searches`, by name, each with a
    `partitioner`, its options, a `criterion` if it is not the impurity, and how large a table may
    be for it (`up_to_values`, `up_to_classes`, `up_to_cells`); `pairs`, two names each.

    Figures: "A", the mean impurity that A finds, and "no split", that of the tables as they are;
    "A < B", in how many tables in a hundred A finds the purer partition; "A over B", by how much
    the impurity of A is above that of B at worst, in % of the latter. Those of searches for which
    the tables are too large are left out.
    """
    n, k = _read_size(str(work.at["size"]))
    impurity = str(work.at["impurity"])
    part = int(work.at.get("part", 0))
    n_tables = int(work.settings.get("fewer", {}).get(work.at["size"], work.settings["tables"]))
    rng = np.random.default_rng([int(work.settings.get("seed", 0)), n, k, part])
    searches = {
        name: _Search(words, impurity)
        for name, words in work.settings["searches"].items()
        if _fits(words, n, k)
    }
    found: dict[str, list[float]] = {name: [] for name in (*searches, "no split")}
    for _ in range(n_tables):
        table = draw_table(rng, n, k)
        for name, search in searches.items():
            found[name].append(search(table))
        found["no split"].append(_impurity(table.sum(axis=0), impurity))
    columns = {name: np.array(values) for name, values in found.items()}
    figures: Figures = {name: float(values.mean()) for name, values in columns.items()}
    for a, b in work.settings.get("pairs", ()):
        if a in columns and b in columns:
            figures |= _beside(a, b, columns[a], columns[b])
            figures |= _beside(b, a, columns[b], columns[a])
    return figures


def draw_table(rng: np.random.Generator, n: int, k: int) -> NDArray[np.float64]:
    """Draw entries from 0 to 7, all alike; again while a row or a column is empty."""
    while True:
        table = rng.integers(0, _HIGHEST, (n, k))
        if table.any(axis=0).all() and table.any(axis=1).all():
            return table.astype(np.float64)


class _Search:
    def __init__(self, words: Mapping[str, Any], impurity: str) -> None:
        words = {name: value for name, value in words.items() if name not in _LIMITS}
        self._impurity = impurity
        self._criterion = words.pop("criterion", impurity)
        self._partitioner = Partitioner(words.pop("partitioner"), **words)

    def __call__(self, table: NDArray[np.float64]) -> float:
        """Give the impurity of the partition found."""
        found = best_partition(table, self._criterion, self._partitioner)
        if self._criterion != self._impurity:
            found = score_partition(table, [found.left, found.right], self._impurity)
        return found.impurity


def _beside(a: str, b: str, mine: NDArray[Any], other: NDArray[Any]) -> dict[str, float]:
    """How often `a` is purer than `b`, and by how much it is less pure at worst."""
    with np.errstate(divide="ignore", invalid="ignore"):
        excess = np.nan_to_num((mine - other) / other)
    return {
        f"{a} < {b}": 100 * float((mine < other - _TIE).mean()),
        f"{a} over {b}": 100 * max(0.0, float(excess.max())),
    }


def _impurity(classes: NDArray[np.float64], name: str) -> float:
    share = classes / classes.sum()
    if name == "gini":
        return float(1 - (share**2).sum())
    return float(-(share * np.log2(share)).sum())


def _fits(words: Mapping[str, Any], n: int, k: int) -> bool:
    sizes = dict(zip(_LIMITS, (n, k, n * k), strict=True))
    return all(size <= words.get(limit, size) for limit, size in sizes.items())


def _read_size(text: str) -> tuple[int, int]:
    try:
        n, k = (int(part.split("=")[1]) for part in text.split(","))
    except (IndexError, ValueError) as error:
        raise StudyError(f"A size is written as 'n=6,k=3'; got {text!r}.") from error
    return n, k
