"""What a comparison found: frozen figures, and what follows from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.comparison import formats, significance
from mixedwood.comparison.dividing import Protocol
from mixedwood.comparison.records import Failure, Notice, SetFacts
from mixedwood.comparison.significance import Difference, Test
from mixedwood.comparison.text import to_text
from mixedwood.stats import FriedmanTest, NemenyiTest, WinDrawLoss

__all__ = ["Comparison"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Methods compared on the same folds of one or more data sets; `compare` makes one.

    Attributes
    ----------
    sets : tuple of SetFacts
        The data sets.
    methods : tuple of str
        Names of the methods.
    metrics : tuple of str
        What was measured; less is better in all of it.
    protocol : Protocol
        How rows were divided.
    scores : ndarray of shape (n_sets, n_methods, n_folds, n_metrics)
        The figures, read-only. NaN where a method failed or has no such figure, and beyond the last
        fold of a set that has fewer than others.
    chosen_by : ndarray of shape (n_sets, n_methods, n_folds)
        Errors on the rows by which a model is chosen, for the protocol ``"7-set"``; else NaN.
    failures : tuple of Failure
        What failed, with its traceback.
    notices : tuple of Notice
        Warnings that methods gave.
    random_state : int
        The seed.
    settings : dict of str to str
        Each method as it was, in words.
    versions : dict of str to str
        Versions of the packages that were used.

    Examples
    --------
    >>> import mixedwood as mw
    >>> data = mw.datasets.make_categorical(200, n_features=3, random_state=0)
    >>> found = mw.compare(data.X, data.y, ["tree", "c45"], "1x3cv", metrics=["error", "leaves"])
    >>> found.scores.shape
    (1, 2, 3, 2)
    >>> [row["method"] for row in found.table()]
    ['tree', 'c45']
    """

    sets: tuple[SetFacts, ...]
    methods: tuple[str, ...]
    metrics: tuple[str, ...]
    protocol: Protocol
    scores: NDArray[np.float64]
    chosen_by: NDArray[np.float64]
    failures: tuple[Failure, ...]
    notices: tuple[Notice, ...]
    random_state: int
    settings: dict[str, str]
    versions: dict[str, str]

    def __post_init__(self) -> None:
        for name in ("scores", "chosen_by"):
            frozen = np.array(getattr(self, name), dtype=np.float64)
            frozen.setflags(write=False)
            object.__setattr__(self, name, frozen)

    # Figures

    def values(self, metric: str = "error") -> NDArray[np.float64]:
        """Give the figures that count: of shape (n_sets, n_methods, n_folds).

        With the protocol ``"7-set"`` only one fold counts for each method: the one with the least
        error on the rows that choose, the first of equals. A method that failed on a fold has no
        figure then.
        """
        values = self.scores[..., self._metric(metric)]
        if self.protocol.kind != "seven_sets":
            return values
        complete = np.all(~np.isnan(self.chosen_by), axis=2, keepdims=True)
        chosen = np.argmin(np.where(np.isnan(self.chosen_by), np.inf, self.chosen_by), axis=2)
        picked = np.take_along_axis(values, chosen[..., None], axis=2)
        return np.where(complete, picked, np.nan)

    def means(self, metric: str = "error") -> NDArray[np.float64]:
        """Give means over the folds: of shape (n_sets, n_methods); NaN where one is missing."""
        values = self.values(metric)
        return np.array(
            [
                [np.mean(values[s, m, : self.n_folds(s)]) for m in range(len(self.methods))]
                for s in range(len(self.sets))
            ]
        )

    def errors_of_means(self, metric: str = "error") -> NDArray[np.float64]:
        """Give standard errors: the deviation over the folds by the root of their number.

        Folds share rows, so that the truth is less certain than this; the tests allow for it.
        """
        values = self.values(metric)
        found = np.full(values.shape[:2], np.nan)
        for s in range(len(self.sets)):
            n = self.n_folds(s)
            if n > 1:
                found[s] = values[s, :, :n].std(axis=1, ddof=1) / np.sqrt(n)
        return found

    def n_folds(self, s: int) -> int:
        """Count the figures of a method on a set that count."""
        return 1 if self.protocol.kind == "seven_sets" else len(self.sets[s].n_test)

    def table(self) -> list[dict[str, Any]]:
        """Give means and standard errors, one row for each set and method.

        The rows are plain dicts: ``pandas.DataFrame(found.table())`` makes a frame of them.
        """
        figures = {name: (self.means(name), self.errors_of_means(name)) for name in self.metrics}
        rows = []
        for s, facts in enumerate(self.sets):
            for m, method in enumerate(self.methods):
                row: dict[str, Any] = {"set": facts.name, "method": method}
                for name, (means, errors) in figures.items():
                    row |= {name: float(means[s, m]), f"{name}_se": float(errors[s, m])}
                row["failed"] = sum(
                    f.set == facts.name and f.method == method for f in self.failures
                )
                rows.append(row)
        return rows

    def select(
        self, sets: Sequence[str] | None = None, methods: Sequence[str] | None = None
    ) -> Comparison:
        """Keep some of the sets and methods, in the order asked for."""
        names = [facts.name for facts in self.sets]
        s = [_position(name, names, "set") for name in (names if sets is None else sets)]
        wanted = self.methods if methods is None else methods
        m = [_position(name, self.methods, "method") for name in wanted]
        kept_sets = {names[i] for i in s}
        kept_methods = {self.methods[i] for i in m}
        return replace(
            self,
            sets=tuple(self.sets[i] for i in s),
            methods=tuple(self.methods[i] for i in m),
            scores=self.scores[np.ix_(s, m)],
            chosen_by=self.chosen_by[np.ix_(s, m)],
            failures=tuple(
                f for f in self.failures if f.set in kept_sets and f.method in kept_methods
            ),
            notices=tuple(
                n for n in self.notices if n.set in kept_sets and n.method in kept_methods
            ),
            settings={name: self.settings[name] for name in wanted},
        )

    # Statistics

    def tests(
        self,
        metric: str = "error",
        *,
        baseline: str | None = None,
        alpha: float = 0.05,
        test: Test = "auto",
    ) -> tuple[Difference, ...]:
        """Test every other method against one, set by set.

        The protocol ``"7-set"`` gives one figure for a set, which nothing can be tested by.

        Parameters
        ----------
        metric : str, default="error"
            What to compare.
        baseline : str, optional
            Name of the method that the others are tested against; the first if not given.
        alpha : float, default=0.05
            Level of significance.
        test : {"auto", "5x2cv_f", "5x2cv_t", "corrected_t", "paired_t"}, default="auto"
            By default the test that goes with the protocol, which is the one that marks tables:
            with 5x2cv Alpaydin's combined F test, with other repeated cross-validation, hold-out
            or a splitter the corrected resampled t test. ``"5x2cv_t"`` is Dietterich's older
            test. ``"paired_t"`` takes folds as if they shared no rows and finds differences too
            often; it is there to be set beside papers that used it.

        Returns
        -------
        tuple of Difference
            One for each set and other method, with the test and a sentence.
        """
        return significance.against_baseline(self, metric, baseline, alpha, test)

    def wins(self, metric: str = "error", *, alpha: float = 0.05) -> WinDrawLoss:
        """Count for every two methods on how many sets one is significantly better."""
        return significance.wins(self, metric, alpha)

    def friedman(self, metric: str = "error", *, alpha: float = 0.05) -> FriedmanTest:
        """Test whether any methods differ over the data sets, by their ranks.

        Methods without a figure on some set are left out; the result has the names of the others.
        """
        return significance.friedman(self, metric, alpha)

    def nemenyi(self, metric: str = "error", *, alpha: float = 0.05) -> NemenyiTest:
        """Find which methods differ over the data sets, by their mean ranks.

        Methods without a figure on some set are left out; the result has the names of the others.
        """
        return significance.nemenyi(self, metric, alpha)

    # Forms

    def to_text(
        self,
        *,
        metric: str | None = None,
        baseline: str | None = None,
        alpha: float = 0.05,
        width: int = 100,
    ) -> str:
        """Show a table for the terminal, with marks and what they mean.

        Parameters
        ----------
        metric : str, optional
            What to show: by default everything for one set, the first metric for several.
        baseline : str, optional
            Name of the method that the others are tested against; the first if not given.
        alpha : float, default=0.05
            Level of significance of the marks.
        width : int, default=100
            Characters in a line.
        """
        return to_text(self, metric=metric, baseline=baseline, alpha=alpha, width=width)

    def to_markdown(self, path: Any = None, **options: Any) -> str | None:
        """Give the table of `to_text` in Markdown, or write it; options are those of `to_text`."""
        return formats.deliver(formats.to_markdown(self, **options), path)

    def to_latex(self, path: Any = None, **options: Any) -> str | None:
        """Give the table of `to_text` in LaTeX, or write it; options are those of `to_text`."""
        return formats.deliver(formats.to_latex(self, **options), path)

    def to_csv(self, path: Any = None) -> str | None:
        """Give all figures, one line for each set, method and fold; or write them to a file."""
        return formats.deliver(formats.to_csv(self), path)

    def to_json(self, path: Any = None) -> str | None:
        """Give everything as JSON, or write it to a file; `from_json` reads it."""
        return formats.deliver(formats.to_json(self), path)

    def to_html(
        self,
        path: Any = None,
        *,
        title: str | None = None,
        baseline: str | None = None,
        alpha: float = 0.05,
        trees: Mapping[str, Any] | None = None,
    ) -> str | None:
        """Give a page with tables, charts and tests, or write it to a file.

        The page is complete in itself: it loads nothing, so that it can be opened offline, sent by
        mail and kept. The same comparison gives the same page.

        Parameters
        ----------
        path : path-like, optional
            A file to write; without it the page is returned.
        title : str, optional
            Title of the page.
        baseline : str, optional
            Name of the method that the others are tested against; the first if not given.
        alpha : float, default=0.05
            Level of significance.
        trees : mapping of str to Tree, optional
            Trees to draw at the top of the page, by their captions.

        Returns
        -------
        str or None
            The page, if there is no path.

        Examples
        --------
        >>> import mixedwood as mw
        >>> data = mw.datasets.make_categorical(200, n_features=3, random_state=0)
        >>> found = mw.compare(data.X, data.y, ["tree", "c45"], "1x3cv", metrics="error")
        >>> found.to_html(title="Two trees")[:15]
        '<!DOCTYPE html>'
        """
        from mixedwood.comparison.page import to_html

        page = to_html(self, title=title, baseline=baseline, alpha=alpha, trees=trees or {})
        return formats.deliver(page, path)

    @classmethod
    def from_json(cls, source: Any) -> Comparison:
        """Read what `to_json` gave: its text, or the path of a file."""
        return formats.from_json(source)

    def __repr__(self) -> str:
        return self.to_text()

    def _metric(self, metric: str) -> int:
        return _position(metric, self.metrics, "metric")


def _position(name: str, names: Sequence[str], what: str) -> int:
    if name not in names:
        raise ValueError(f"There is no {what} {name!r} here; there are {', '.join(names)}.")
    return list(names).index(name)
