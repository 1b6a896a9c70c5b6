"""A comparison as its page shows it: in which order, in which colours, in which units."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mixedwood._catalogue import CATALOGUE
from mixedwood.comparison.metrics import METRICS
from mixedwood.comparison.pairwise import read_baseline
from mixedwood.comparison.result import DatasetInfo
from mixedwood.stats import rank_methods

if TYPE_CHECKING:
    from mixedwood.comparison.result import Comparison

__all__ = ["OURS", "View"]

OURS, OTHERS = 0, 1
_CAPTIONS = {"fit_seconds": "Time to fit", "predict_seconds": "Time to predict"}
_AXES = {"fit_seconds": "seconds", "predict_seconds": "seconds"}


@dataclass(frozen=True, eq=False)
class View:
    """What all parts of the page must agree on."""

    comparison: Comparison
    baseline: str
    alpha: float

    @classmethod
    def of(cls, comparison: Comparison, baseline: str | None, alpha: float) -> View:
        """Check what was asked for."""
        from mixedwood.stats._inputs import read_alpha

        return cls(comparison, read_baseline(comparison, baseline), read_alpha(alpha))

    @property
    def metric(self) -> str:
        """The metric that comes first."""
        return self.comparison.metrics[0]

    @cached_property
    def tested(self) -> str | None:
        """The first metric whose differences are tested."""
        names = (name for name in self.comparison.metrics if METRICS[name].tested)
        return next(names, None)

    @cached_property
    def ranks(self) -> NDArray[np.float64]:
        """Ranks by the first metric on each set; NaN for methods that lack a figure somewhere."""
        means = self.comparison.means(self.metric)
        found = np.full(means.shape, np.nan)
        complete = np.flatnonzero(~np.isnan(means).any(axis=0))
        if len(complete) >= 2:
            found[:, complete] = rank_methods(means[:, complete])
        return found

    @cached_property
    def order(self) -> list[int]:
        """Methods from best to worst by mean rank, or on one set by the mean; those without last.

        The page has one order throughout, so that a method is found at the same place everywhere.
        """
        if len(self.comparison.datasets) == 1:
            found = self.comparison.means(self.metric)[0]
        else:
            found = self.ranks.mean(axis=0)
        return [int(m) for m in np.argsort(found, kind="stable")]  # NaN comes last

    @cached_property
    def groups(self) -> list[int]:
        """Colour of each method: ours or others'."""
        ours = {entry.class_name for entry in CATALOGUE.values()}
        settings = (self.comparison.settings.get(name, "") for name in self.comparison.methods)
        return [OURS if words.partition("(")[0] in ours else OTHERS for words in settings]

    @property
    def legend(self) -> list[tuple[int, str]]:
        """The colours that occur, and what they mean."""
        names = {OURS: "of this library", OTHERS: "others"}
        return [(group, names[group]) for group in sorted(set(self.groups))]

    def key(self, m: int) -> str:
        """What a method is known by in all charts and tables."""
        return str(m)

    def metrics_of(self, s: int) -> list[str]:
        """Metrics of which some method has a figure on a set."""
        names = self.comparison.metrics
        return [name for name in names if not np.isnan(self.comparison.means(name)[s]).all()]

    def caption(self, name: str) -> str:
        """A metric as a title."""
        plain = METRICS[name].title.removesuffix(" %")
        return _CAPTIONS.get(name, plain[:1].upper() + plain[1:])

    def axis(self, name: str) -> str:
        """A metric as it stands beside numbers."""
        return _AXES.get(name, METRICS[name].title)

    def shown(self, name: str, value: float) -> float:
        """A figure in the unit in which it is shown."""
        return 100.0 * float(value) if METRICS[name].percent else float(value)

    def words(self, name: str, value: float, error: float = math.nan) -> str:
        """A figure with its unit."""
        text = METRICS[name].format(value)
        if not text:
            return "no figure"
        if not math.isnan(error):
            text += f" ± {METRICS[name].format(error)}"
        if METRICS[name].percent:
            return f"{text} %"
        return f"{text} s" if name.endswith("_seconds") else text

    def size(self, facts: DatasetInfo) -> str:
        """How large a set is."""
        return f"{facts.n_rows} rows, {facts.n_columns} columns, {len(facts.classes)} classes"
