"""The table of a comparison: cells, marks and notes, and its layout as text."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mixedwood.comparison.metrics import METRICS
from mixedwood.comparison.pairwise import read_baseline, test_name
from mixedwood.printable import printable
from mixedwood.stats import rank_methods

if TYPE_CHECKING:
    from mixedwood.comparison.result import Comparison, MethodWarning

__all__ = [
    "ScoreCell",
    "ScoreTable",
    "format_column",
    "is_expected",
    "make_table",
    "rank_table",
    "score_cells",
    "to_text",
    "verdicts",
]

# A fold may lack a category, and a column that identifies rows is a matter of the dataset.
_EXPECTED_WARNINGS = ("UnknownCategoryWarning", "IdentifierWarning")
_GAP = "  "


@dataclass(frozen=True)
class ScoreCell:
    """A score, whether it is the best, and its mark: "+", "-" or an empty text."""

    text: str
    best: bool = False
    mark: str = ""


Row = tuple[str, list[ScoreCell]]


@dataclass(frozen=True)
class ScoreTable:
    """Title, header, rows (a name and cells), summary rows, and notes."""

    title: str
    header: list[str]
    rows: list[Row]
    summary: list[Row]
    notes: list[str]


def make_table(
    comparison: Comparison, metric: str | None, baseline: str | None, alpha: float
) -> ScoreTable:
    """Make the table: methods by metrics for one dataset, datasets by methods for several."""
    first = read_baseline(comparison, baseline)
    if metric is not None:
        comparison.means(metric)  # an error if there is no such metric
    if len(comparison.datasets) == 1:
        shown = list(comparison.metrics) if metric is None else [metric]
        return _one_dataset(comparison, shown, first, alpha)
    name = comparison.metrics[0] if metric is None else metric
    return _several_datasets(comparison, name, first, alpha)


def _one_dataset(
    comparison: Comparison, shown: list[str], baseline: str, alpha: float
) -> ScoreTable:
    dataset = comparison.datasets[0]
    shown = [name for name in shown if not np.isnan(comparison.means(name)).all()]
    columns = [score_cells(comparison, name, 0, baseline, alpha) for name in shown]
    return ScoreTable(
        f"{comparison.cv} on {dataset.name}: {dataset.size}",
        ["method", *(METRICS[name].title for name in shown)],
        [(method, [cells[m] for cells in columns]) for m, method in enumerate(comparison.methods)],
        [],
        _notes(comparison, shown, baseline, alpha),
    )


def _several_datasets(comparison: Comparison, name: str, baseline: str, alpha: float) -> ScoreTable:
    rows = [
        (dataset.name, score_cells(comparison, name, s, baseline, alpha))
        for s, dataset in enumerate(comparison.datasets)
    ]
    return ScoreTable(
        f"{METRICS[name].title}, {comparison.cv} on {len(rows)} datasets",
        ["dataset", *comparison.methods],
        rows,
        _summary(comparison, name, rows, baseline),
        [*_notes(comparison, [name], baseline, alpha), *verdicts(comparison, name, alpha)],
    )


def _summary(comparison: Comparison, name: str, rows: list[Row], baseline: str) -> list[Row]:
    """Mean over the datasets, mean rank, and counts of better, equal and worse scores."""
    means = comparison.means(name)
    summary = [("mean", [ScoreCell(METRICS[name].format(m)) for m in means.mean(axis=0)])]
    ranks = rank_table(comparison, name).mean(axis=0)
    if not np.isnan(ranks).all():
        summary.append(
            ("mean rank", [ScoreCell("" if math.isnan(r) else f"{r:.2f}") for r in ranks])
        )
    if METRICS[name].tested:
        # A dataset on which either method has no score does not count as a tie.
        b = comparison.methods.index(baseline)
        tested = ~np.isnan(means) & ~np.isnan(means[:, [b]])
        counts = [
            Counter(cells[m].mark for s, (_, cells) in enumerate(rows) if tested[s, m])
            for m in range(means.shape[1])
        ]
        cells = [
            ScoreCell("" if m == b else f"{c['+']}/{c['']}/{c['-']}") for m, c in enumerate(counts)
        ]
        summary.append(("+/=/-", cells))
    return summary


def rank_table(comparison: Comparison, name: str) -> NDArray[np.float64]:
    """Rank the methods on each dataset; NaN for methods without a score on some dataset."""
    means = comparison.means(name)
    ranks = np.full(means.shape, np.nan)
    complete = np.flatnonzero(~np.isnan(means).any(axis=0))
    if len(complete) >= 2:
        ranks[:, complete] = rank_methods(means[:, complete])
    return ranks


def score_cells(
    comparison: Comparison, name: str, s: int, baseline: str, alpha: float
) -> list[ScoreCell]:
    """Make the cells of all methods on a dataset."""
    metric, dataset = METRICS[name], comparison.datasets[s].name
    means, errors = comparison.means(name)[s], comparison.standard_errors(name)[s]
    marks: dict[str, str] = {}
    if metric.tested:
        tests = comparison.select([dataset]).pairwise_tests(name, baseline=baseline, alpha=alpha)
        marks = {test.method: test.mark for test in tests}
    lowest = np.nanmin(means) if not np.isnan(means).all() else math.nan
    cells = []
    for m, method in enumerate(comparison.methods):
        text = metric.format(means[m])
        if not text and comparison.failures_of(dataset, method):
            text = "failed"
        elif text and metric.tested and not math.isnan(errors[m]):
            text += f" ± {metric.format(errors[m])}"
        is_best = bool(means[m] == lowest) and len(means) > 1
        cells.append(ScoreCell(text, is_best, marks.get(method, "")))
    return cells


def _notes(comparison: Comparison, names: list[str], baseline: str, alpha: float) -> list[str]:
    notes = []
    if len(comparison.methods) > 1:
        if any(METRICS[name].tested for name in names):
            notes += [
                f"* lowest mean.  + significantly better, - significantly worse than {baseline} "
                f"({test_name(comparison)}, alpha = {alpha:g}, not corrected for multiple "
                "comparisons).",
                "± is the standard error over the folds. Folds share training rows, so it is too "
                "small; the test corrects for this.",
            ]
        else:
            notes.append("* lowest mean.")
    for dataset in comparison.datasets:
        for method in comparison.methods:
            if failed := comparison.failures_of(dataset.name, method):
                notes.append(
                    f"{method} failed on {len(failed)} of {len(dataset.n_test)} folds of "
                    f"{dataset.name}: {failed[0].error.partition(chr(10))[0]}"
                )
    return notes + [
        f"{w.method} on {w.n_folds} folds of {w.dataset}: {w.message}"
        for w in comparison.warnings
        if not is_expected(w)
    ]


def is_expected(warning: MethodWarning) -> bool:
    """Whether a warning is caused by cross-validation or by the dataset, not by the method."""
    return warning.message.startswith(_EXPECTED_WARNINGS)


def verdicts(comparison: Comparison, name: str, alpha: float) -> list[str]:
    """Results of Friedman's and Nemenyi's tests, or the reason why there are none."""
    try:
        friedman = comparison.friedman_test(name, alpha=alpha)
    except ValueError as error:
        return [str(error)]
    sentences = [friedman.sentence]
    if left_out := [method for method in comparison.methods if method not in friedman.names]:
        sentences.append(f"Without {', '.join(left_out)}, which have no score on some dataset.")
    if friedman.is_significant:
        sentences.append(comparison.nemenyi_test(name, alpha=alpha).sentence)
    return sentences


def to_text(
    comparison: Comparison,
    *,
    metric: str | None = None,
    baseline: str | None = None,
    alpha: float = 0.05,
    width: int = 100,
) -> str:
    """Format the table as text of that width; columns that do not fit follow below."""
    table = make_table(comparison, metric, baseline, alpha)
    lines = [table.title, ""]
    for block in _blocks(table, width):
        lines += [*block, ""]
    lines += [line for note in table.notes for line in textwrap.wrap(note, width)]
    return printable("\n".join(lines)).rstrip()


def format_column(title: str, cells: Sequence[ScoreCell]) -> list[str]:
    """Format a title and scores, with the marks in a column of their own behind them."""
    marks = [("*" if cell.best else "") + cell.mark for cell in cells]
    width = max(map(len, marks), default=0)
    return [
        f"{text} {mark:<{width}}" if width else text
        for text, mark in zip([title, *(cell.text for cell in cells)], ["", *marks], strict=True)
    ]


def _blocks(table: ScoreTable, width: int) -> Iterator[list[str]]:
    """Blocks of as many columns as fit, each after the names of the rows."""
    rows = [*table.rows, *table.summary]
    names = [printable(name, lines=False) for name in (table.header[0], *(row[0] for row in rows))]
    first = max(map(len, names))
    columns = [
        format_column(printable(title, lines=False), [cells[c] for _, cells in rows])
        for c, title in enumerate(table.header[1:])
    ]
    widths = [max(map(len, column)) for column in columns]
    start = 0
    while start < len(columns):
        end, used = start, first
        while end < len(columns) and (end == start or used + len(_GAP) + widths[end] <= width):
            used += len(_GAP) + widths[end]
            end += 1
        yield [
            _GAP.join(
                [name.ljust(first), *(columns[c][i].rjust(widths[c]) for c in range(start, end))]
            ).rstrip()
            for i, name in enumerate(names)
        ]
        start = end
