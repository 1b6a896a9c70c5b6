"""The result of a comparison: scores, statistics, and output formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood import stats
from mixedwood._folds import CrossValidation
from mixedwood.comparison import formats, pairwise
from mixedwood.comparison.pairwise import PairwiseTest, Test
from mixedwood.comparison.table import to_text
from mixedwood.stats import FriedmanTest, NemenyiTest, WinTieLoss

__all__ = ["Comparison", "DatasetInfo", "Failure", "MethodWarning"]


@dataclass(frozen=True)
class DatasetInfo:
    """A dataset of a comparison, and the numbers of training and test rows of each fold.

    `classes` is empty if the target is a number.
    """

    name: str
    n_rows: int
    n_columns: int
    classes: tuple[str, ...]
    n_train: tuple[int, ...]
    n_test: tuple[int, ...]

    @property
    def size(self) -> str:
        """The size of the dataset as text."""
        target = f"{len(self.classes)} classes" if self.classes else "numeric target"
        return f"{self.n_rows} rows, {self.n_columns} columns, {target}"


@dataclass(frozen=True)
class Failure:
    """A fit that failed: dataset, method, number of the fold from 0, and the error."""

    dataset: str
    method: str
    fold: int
    error: str
    traceback: str


@dataclass(frozen=True)
class MethodWarning:
    """A category of warnings of a method: the first message, and on how many folds it occurred."""

    dataset: str
    method: str
    n_folds: int
    message: str


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Scores of methods on the same folds of one or more datasets; `compare` makes one.

    Attributes
    ----------
    datasets : tuple of DatasetInfo
        The datasets.
    methods : tuple of str
        Names of the methods.
    metrics : tuple of str
        Names of the metrics; lower is better in all of them.
    cv : CrossValidation
        The cross-validation scheme.
    scores : ndarray of shape (n_datasets, n_methods, n_folds, n_metrics)
        The scores, read-only. NaN where a fit failed, where a method has no such score, and beyond
        the last fold of a dataset that has fewer folds than others.
    failures : tuple of Failure
        Fits that failed.
    warnings : tuple of MethodWarning
        Warnings of the methods.
    random_state : int
        The seed.
    settings : dict of str to str
        The representation of each method.
    versions : dict of str to str
        Versions of the packages.

    Examples
    --------
    >>> import mixedwood as mw
    >>> data = mw.datasets.make_categorical(200, n_features=3, random_state=0)
    >>> result = mw.compare(data.X, data.y, ["tree", "c45"], cv=3, metrics=["error", "leaves"])
    >>> result.scores.shape
    (1, 2, 3, 2)
    >>> [row["method"] for row in result.table()]
    ['tree', 'c45']
    """

    datasets: tuple[DatasetInfo, ...]
    methods: tuple[str, ...]
    metrics: tuple[str, ...]
    cv: CrossValidation
    scores: NDArray[np.float64]
    failures: tuple[Failure, ...]
    warnings: tuple[MethodWarning, ...]
    random_state: int
    settings: dict[str, str]
    versions: dict[str, str]

    def __post_init__(self) -> None:
        frozen = np.array(self.scores, dtype=np.float64)
        frozen.setflags(write=False)
        object.__setattr__(self, "scores", frozen)

    # Scores

    def values(self, metric: str | None = None) -> NDArray[np.float64]:
        """Return the scores of a metric, of shape (n_datasets, n_methods, n_folds)."""
        name = self.default_metric if metric is None else metric
        return self.scores[..., _position(name, self.metrics, "metric")]

    @property
    def default_metric(self) -> str:
        """The metric of methods that are called without one: "error", or "rmse" for numbers."""
        return "error" if self.datasets[0].classes else "rmse"

    def means(self, metric: str | None = None) -> NDArray[np.float64]:
        """Return the means over folds, of shape (n_datasets, n_methods); NaN if one is missing."""
        values = self.values(metric)
        return np.array([values[s, :, : self.n_folds(s)].mean(1) for s in range(len(values))])

    def standard_errors(self, metric: str | None = None) -> NDArray[np.float64]:
        """Return the standard errors of the means, of shape (n_datasets, n_methods).

        Folds share training rows, so that these are too small; the tests correct for it.
        """
        values = self.values(metric)
        found = np.full(values.shape[:2], np.nan)
        for s in range(len(self.datasets)):
            n = self.n_folds(s)
            if n > 1:
                found[s] = values[s, :, :n].std(axis=1, ddof=1) / np.sqrt(n)
        return found

    def n_folds(self, s: int) -> int:
        """Return the number of folds of the dataset at a position."""
        return len(self.datasets[s].n_test)

    def table(self) -> list[dict[str, Any]]:
        """Return means and standard errors, one row for each dataset and method.

        The rows are dicts: ``pandas.DataFrame(result.table())`` makes a data frame.
        """
        scores = {name: (self.means(name), self.standard_errors(name)) for name in self.metrics}
        rows = []
        for s, dataset in enumerate(self.datasets):
            for m, method in enumerate(self.methods):
                row: dict[str, Any] = {"dataset": dataset.name, "method": method}
                for name, (means, errors) in scores.items():
                    row |= {name: float(means[s, m]), f"{name}_se": float(errors[s, m])}
                row["failed"] = len(self.failures_of(dataset.name, method))
                rows.append(row)
        return rows

    def failures_of(self, dataset: str, method: str) -> list[Failure]:
        """Return the failed fits of a method on a dataset."""
        return [f for f in self.failures if (f.dataset, f.method) == (dataset, method)]

    def select(
        self, datasets: Sequence[str] | None = None, methods: Sequence[str] | None = None
    ) -> Comparison:
        """Select datasets and methods, in the order given."""
        names = [dataset.name for dataset in self.datasets]
        datasets = names if datasets is None else datasets
        methods = self.methods if methods is None else methods
        s = [_position(name, names, "dataset") for name in datasets]
        m = [_position(name, self.methods, "method") for name in methods]

        def keep(entry: Failure | MethodWarning) -> bool:
            return entry.dataset in datasets and entry.method in methods

        return replace(
            self,
            datasets=tuple(self.datasets[i] for i in s),
            methods=tuple(methods),
            scores=self.scores[np.ix_(s, m)],
            failures=tuple(f for f in self.failures if keep(f)),
            warnings=tuple(w for w in self.warnings if keep(w)),
            settings={name: self.settings[name] for name in methods},
        )

    # Statistics

    def pairwise_tests(
        self,
        metric: str | None = None,
        *,
        baseline: str | None = None,
        alpha: float = 0.05,
        test: Test = "auto",
    ) -> tuple[PairwiseTest, ...]:
        """Test every other method against a baseline, on each dataset.

        Parameters
        ----------
        metric : str, optional
            Name of the metric. If None, "error" or, if the target is a number, "rmse".
        baseline : str, optional
            Name of the method that the others are tested against. If None, the first method.
        alpha : float, default=0.05
            Significance level.
        test : {"auto", "5x2cv_f", "5x2cv_t", "corrected_t", "paired_t"}, default="auto"
            By default, the test that marks tables: Alpaydin's combined F test for 5x2cv, and the
            corrected resampled t test for all other schemes. ``"5x2cv_t"`` is Dietterich's older
            test. ``"paired_t"`` ignores that folds share rows and finds too many differences; it
            is provided for comparison with publications that used it.

        Returns
        -------
        tuple of PairwiseTest
            One for each dataset and other method.
        """
        return pairwise.pairwise_tests(self, metric or self.default_metric, baseline, alpha, test)

    def win_tie_loss(self, metric: str | None = None, *, alpha: float = 0.05) -> WinTieLoss:
        """Count for each pair of methods on how many datasets one is significantly better."""
        return pairwise.count_wins(self, metric or self.default_metric, alpha)

    def friedman_test(self, metric: str | None = None, *, alpha: float = 0.05) -> FriedmanTest:
        """Test by ranks whether any methods differ over the datasets.

        Methods without a score on some dataset are left out; the result has the remaining names.
        """
        means, names = pairwise.complete_means(self, metric or self.default_metric)
        return stats.friedman_test(means, names=names, alpha=alpha)

    def nemenyi_test(self, metric: str | None = None, *, alpha: float = 0.05) -> NemenyiTest:
        """Test by mean ranks which methods differ over the datasets.

        Methods without a score on some dataset are left out; the result has the remaining names.
        """
        means, names = pairwise.complete_means(self, metric or self.default_metric)
        return stats.nemenyi_test(means, names=names, alpha=alpha)

    # Output

    def to_text(
        self,
        *,
        metric: str | None = None,
        baseline: str | None = None,
        alpha: float = 0.05,
        width: int = 100,
    ) -> str:
        """Format a table as text, with marks of significant differences.

        Parameters
        ----------
        metric : str, optional
            Name of the metric to show. If None, all metrics for one dataset, and the first metric
            for several.
        baseline : str, optional
            Name of the method that the others are tested against. If None, the first method.
        alpha : float, default=0.05
            Significance level of the marks.
        width : int, default=100
            Maximum number of characters in a line.
        """
        return to_text(self, metric=metric, baseline=baseline, alpha=alpha, width=width)

    def to_markdown(self, path: Any = None, **options: Any) -> str | None:
        """Format the table of `to_text` as Markdown; options are those of `to_text`."""
        return formats.deliver(formats.format_markdown(self, **options), path)

    def to_latex(self, path: Any = None, **options: Any) -> str | None:
        """Format the table of `to_text` as LaTeX; options are those of `to_text`."""
        return formats.deliver(formats.format_latex(self, **options), path)

    def to_csv(self, path: Any = None) -> str | None:
        """Format all scores as CSV, one line for each dataset, method and fold."""
        return formats.deliver(formats.format_csv(self), path)

    def to_json(self, path: Any = None) -> str | None:
        """Format everything as JSON, which `from_json` reads."""
        return formats.deliver(formats.format_json(self), path)

    def to_html(
        self,
        path: Any = None,
        *,
        title: str | None = None,
        baseline: str | None = None,
        alpha: float = 0.05,
        trees: Mapping[str, Any] | None = None,
    ) -> str | None:
        """Make an HTML report with tables, charts and tests.

        The report is one file without external resources, so that it works offline and can be sent
        by mail. The same comparison gives the same report.

        Parameters
        ----------
        path : path-like, optional
            File to write. If None, the report is returned.
        title : str, optional
            Title of the report.
        baseline : str, optional
            Name of the method that the others are tested against. If None, the first method.
        alpha : float, default=0.05
            Significance level.
        trees : mapping of str to Tree, optional
            Trees to draw at the top of the report, by their captions.

        Returns
        -------
        str or None
            The report, if `path` is None.

        Examples
        --------
        >>> import mixedwood as mw
        >>> data = mw.datasets.make_categorical(200, n_features=3, random_state=0)
        >>> result = mw.compare(data.X, data.y, ["tree", "c45"], cv=3, metrics="error")
        >>> result.to_html(title="Two trees")[:15]
        '<!DOCTYPE html>'
        """
        from mixedwood.comparison.report import to_html

        page = to_html(self, title=title, baseline=baseline, alpha=alpha, trees=trees or {})
        return formats.deliver(page, path)

    @classmethod
    def from_json(cls, source: Any) -> Comparison:
        """Read the output of `to_json`: the text, or the path of a file."""
        return formats.from_json(source)

    def __repr__(self) -> str:
        return self.to_text()


def _position(name: str, names: Sequence[str], what: str) -> int:
    if name not in names:
        raise ValueError(f"Unknown {what} {name!r}; the comparison has {', '.join(names)}.")
    return list(names).index(name)
