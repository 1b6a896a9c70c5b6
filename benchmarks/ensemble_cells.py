"""Cells of the two ensemble papers' tables: the published figure, ours, and how far apart they are.

Used by `published_ensembles.py`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from ensemble_protocols import STAGES, Figures

PUBLISHED = json.loads((Path(__file__).parent / "published" / "ensembles.json").read_text())
ROE, IGPA = PUBLISHED["random_ordinality"], PUBLISHED["grow_and_prune"]
SIZE_RUNS = 1000  # divisions of table IV have numbers from here on: other samples than table III's


@dataclass(frozen=True)
class Cell:
    """One published figure and ours."""

    table: str
    row: str
    column: str
    ours: float
    error: float  # standard error of ours
    n: int
    published: float
    published_error: float = 0.0  # 0 where no spread is printed
    check: float | None = None
    check_error: float = 0.0

    @staticmethod
    def _gap(ours: float, error: float, theirs: float, their_error: float) -> float:
        total = math.hypot(error, their_error)
        if abs(ours - theirs) < 0.05:  # printed figures are rounded
            return 0.0 if total == 0 else (ours - theirs) / total
        return math.copysign(math.inf, ours - theirs) if total == 0 else (ours - theirs) / total

    @property
    def gap(self) -> float:
        """Distance from the published figure, in standard errors of the difference."""
        return self._gap(self.ours, self.error, self.published, self.published_error)

    @property
    def check_gap(self) -> float | None:
        """Distance from the check run, likewise."""
        if self.check is None:
            return None
        return self._gap(self.ours, self.error, self.check, self.check_error)

    @property
    def near(self) -> bool:
        """Whether ours is within two standard errors of the published figure or the check run."""
        check = self.check_gap
        return abs(self.gap) <= 2 or (check is not None and abs(check) <= 2)


def series(kept: dict[str, Figures], prefix: str, figure: str) -> list[float]:
    """A figure of all repetitions, in their order."""
    numbers = {int(key.rsplit("/", 1)[1]): f[figure] for key, f in kept.items()
               if key.rsplit("/", 1)[0] == prefix}  # fmt: skip
    return [value for number in sorted(numbers) for value in numbers[number]]


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Mean, and its standard error."""
    few = len(values) < 2
    return float(np.mean(values)), 0.0 if few else float(np.std(values, ddof=1)) / len(
        values
    ) ** 0.5


def make_cells(kept: dict[str, Figures]) -> list[Cell]:
    """All cells that were run."""
    cells = []

    def add(table: str, row: str, column: str, values: Sequence[float], *theirs: float) -> None:
        if values:
            cells.append(Cell(table, row, column, *mean_and_error(values), len(values), *theirs))

    for name, by_method in ROE["errors"].items():
        for method, published in by_method.items():
            values = series(kept, f"random_ordinality/{name}/{method}", "error")
            spread = ROE["check_sd"].get(name, {}).get(method, 0.0)
            check = ROE["check"].get(name, {}).get(method)
            add("3", name, method, values, published, 0.0, check, spread / 10**0.5)
    for name, by_figure in ROE["sizes"].items():
        for figure, published in by_figure.items():
            kind, what = figure.split()
            method = "ROE J48" if kind == "RO" else "J48"
            values = series(kept, f"random_ordinality/{name}/{method}", what)
            add("4", name, figure, values, published, 0.0, ROE["check_sizes"][name][figure])
    for name, (n_train, _) in IGPA["divisions"].items():
        prefix = f"grow_and_prune/{name} {n_train}"
        for method in ("CART", "IGPA"):
            values = first_divisions(kept, f"{prefix}/{method}", "error 1")
            mean, spread = IGPA["trees"][name][method]
            add("II", name, method, values, mean, spread / 50**0.5)
        for stage, by_method in IGPA["ensembles"][name].items():
            for method in ("bagged CART", "IGPA"):
                values = first_divisions(kept, f"{prefix}/{method}", f"error {stage}")
                mean, spread = by_method[method]
                add("III", f"{name}, {stage}", method, values, mean, spread / 50**0.5)
    for size, row in IGPA["by_size"].items():
        for method in ("bagged CART", "IGPA"):
            prefix = f"grow_and_prune/Waveform {size}/{method}"
            mean, spread = row[method]
            values = size_runs(kept, prefix, f"error {max(STAGES)}")
            add("IV", size, method, values, mean, spread / 10**0.5)
            values = size_runs(kept, prefix, "leaves")
            add("IV", size, f"{method} leaves", values, row[f"{method} leaves"])
    return cells


def first_divisions(kept: dict[str, Figures], prefix: str, figure: str) -> list[float]:
    """A figure of the divisions of tables II and III."""
    low = {k: f for k, f in kept.items() if int(k.rsplit("/", 1)[1]) < SIZE_RUNS}
    return series(low, prefix, figure)


def size_runs(kept: dict[str, Figures], prefix: str, figure: str) -> list[float]:
    """A figure of the samples of table IV."""
    high = {k: f for k, f in kept.items() if int(k.rsplit("/", 1)[1]) >= SIZE_RUNS}
    return series(high, prefix, figure)
