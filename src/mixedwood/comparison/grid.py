"""The table that a reader sees, before it is text, Markdown or LaTeX: cells, marks and notes."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mixedwood.comparison.records import Notice
from mixedwood.comparison.scores import METRICS, Metric
from mixedwood.comparison.significance import name_of_test

if TYPE_CHECKING:
    from mixedwood.comparison.results import Comparison

__all__ = [
    "Cell",
    "Grid",
    "cells_of",
    "check_baseline",
    "expected",
    "figure_in_words",
    "make_grid",
    "sentences_over_sets",
]

# A fold may well lack a value, and a column that identifies rows is no matter of a method.
_EXPECTED = ("UnknownCategoryWarning", "IdentifierWarning")


@dataclass(frozen=True)
class Cell:
    """A figure, whether it is the best, and its mark: "+", "-" or nothing."""

    text: str
    best: bool = False
    mark: str = ""


@dataclass(frozen=True)
class Grid:
    """Title, names of columns, rows (first a name, then cells), rows of sums, and notes."""

    title: str
    header: list[str]
    rows: list[tuple[str, list[Cell]]]
    sums: list[tuple[str, list[Cell]]]
    notes: list[str]


def make_grid(
    comparison: Comparison, metric: str | None, baseline: str | None, alpha: float
) -> Grid:
    """Lay a comparison out: methods by metrics for one set, sets by methods for several."""
    first = check_baseline(comparison, baseline)
    if metric is not None:
        comparison.means(metric)  # an error if there is no such metric
    if len(comparison.sets) == 1:
        shown = list(comparison.metrics) if metric is None else [metric]
        return _of_one_set(comparison, shown, first, alpha)
    return _of_sets(comparison, comparison.metrics[0] if metric is None else metric, first, alpha)


def check_baseline(comparison: Comparison, baseline: str | None) -> str:
    """Give the name of the method that others are tested against: the first if not given."""
    first = comparison.methods[0] if baseline is None else baseline
    if first not in comparison.methods:
        raise ValueError(
            f"baseline={first!r} is not one of the methods: {', '.join(comparison.methods)}."
        )
    return first


def _of_one_set(comparison: Comparison, shown: list[str], baseline: str, alpha: float) -> Grid:
    facts = comparison.sets[0]
    columns = [
        (name, cells_of(comparison, name, 0, baseline, alpha))
        for name in shown
        if not np.isnan(comparison.means(name)).all()
    ]
    rows = [
        (method, [cells[m] for _, cells in columns]) for m, method in enumerate(comparison.methods)
    ]
    size = f"{facts.n_rows} rows, {facts.n_columns} columns, {len(facts.classes)} classes"
    return Grid(
        f"{comparison.protocol} on {facts.name}: {size}",
        ["method", *(METRICS[name].title for name, _ in columns)],
        rows,
        [],
        _notes(comparison, [name for name, _ in columns], baseline, alpha),
    )


def _of_sets(comparison: Comparison, name: str, baseline: str, alpha: float) -> Grid:
    rows = [
        (facts.name, cells_of(comparison, name, s, baseline, alpha))
        for s, facts in enumerate(comparison.sets)
    ]
    return Grid(
        f"{METRICS[name].title}, {comparison.protocol} on {len(comparison.sets)} datasets",
        ["dataset", *comparison.methods],
        rows,
        _sums(comparison, name, rows, baseline),
        _notes(comparison, [name], baseline, alpha) + sentences_over_sets(comparison, name, alpha),
    )


def _sums(
    comparison: Comparison, name: str, rows: list[tuple[str, list[Cell]]], baseline: str
) -> list[tuple[str, list[Cell]]]:
    """Mean over the sets, mean rank, and how often a method is better, equal and worse."""
    means = comparison.means(name)
    sums = [("mean", [Cell(figure_in_words(m, METRICS[name])) for m in means.mean(axis=0)])]
    complete = np.flatnonzero(~np.isnan(means).any(axis=0))
    if len(complete) >= 2:
        from mixedwood.stats import rank_methods

        ranks = np.full(means.shape[1], np.nan)
        ranks[complete] = rank_methods(means[:, complete]).mean(axis=0)
        sums.append(("mean rank", [Cell("" if math.isnan(r) else f"{r:.2f}") for r in ranks]))
    if name_of_test(comparison) and METRICS[name].tested:
        # A set on which either has no figure is no draw: it does not count.
        b = comparison.methods.index(baseline)
        tested = ~np.isnan(means) & ~np.isnan(means[:, [b]])
        counts = [
            Counter(cells[m].mark for s, (_, cells) in enumerate(rows) if tested[s, m])
            for m in range(means.shape[1])
        ]
        sums.append(
            (
                "+/=/-",
                [
                    Cell("" if method == baseline else f"{c['+']}/{c['']}/{c['-']}")
                    for method, c in zip(comparison.methods, counts, strict=True)
                ],
            )
        )
    return sums


def cells_of(comparison: Comparison, name: str, s: int, baseline: str, alpha: float) -> list[Cell]:
    """One cell for each method."""
    metric = METRICS[name]
    means = comparison.means(name)[s]
    errors = comparison.errors_of_means(name)[s]
    marks: dict[str, str] = {}
    if metric.tested:
        one = comparison.select([comparison.sets[s].name])
        marks = {d.method: d.mark for d in one.tests(name, baseline=baseline, alpha=alpha)}
    lowest = np.nanmin(means) if not np.isnan(means).all() else math.nan
    return [
        Cell(
            _figure(comparison, name, s, m, means, errors),
            best=bool(means[m] == lowest) and len(means) > 1,
            mark=marks.get(method, ""),
        )
        for m, method in enumerate(comparison.methods)
    ]


def _figure(
    comparison: Comparison,
    name: str,
    s: int,
    m: int,
    means: NDArray[np.float64],
    errors: NDArray[np.float64],
) -> str:
    metric = METRICS[name]
    if math.isnan(means[m]):
        set_name, method = comparison.sets[s].name, comparison.methods[m]
        failed = any(f.set == set_name and f.method == method for f in comparison.failures)
        return "failed" if failed else ""
    if math.isnan(errors[m]) or not metric.tested:
        return figure_in_words(means[m], metric)
    return f"{figure_in_words(means[m], metric)} ± {figure_in_words(errors[m], metric)}"


def figure_in_words(value: float, metric: Metric) -> str:
    """Write a figure as tables show it; nothing for NaN."""
    if math.isnan(value):
        return ""
    if metric.percent:
        return f"{100 * value:.1f}"
    if metric.name == "leaves":
        return f"{value:.1f}"
    if metric.name == "log_loss":
        return f"{value:.3f}"
    return f"{value:.2g}" if value < 99 else f"{value:.0f}"


def _notes(comparison: Comparison, names: list[str], baseline: str, alpha: float) -> list[str]:
    notes = []
    tested = any(METRICS[name].tested for name in names) and len(comparison.methods) > 1
    test = name_of_test(comparison)
    if tested and test:
        notes.append(
            f"* lowest mean.  + significantly better, - significantly worse than {baseline} "
            f"({test.removeprefix('the ')}, alpha = {alpha:g}, not corrected for multiple "
            "comparisons)."
        )
    elif len(comparison.methods) > 1:
        notes.append("* lowest mean.")
    if comparison.protocol.kind == "seven_sets":
        notes.append(
            "Each figure is of one model, on the rows of set 7: the one of six with the least "
            "error on the set left out for choosing. One figure cannot be tested."
        )
    elif tested:
        notes.append(
            "± is the standard error over the folds. Folds share training rows, so it is too "
            "small; the test corrects for this."
        )
    return notes + _troubles(comparison)


def _troubles(comparison: Comparison) -> list[str]:
    notes = []
    for facts in comparison.sets:
        for method in comparison.methods:
            failed = [f for f in comparison.failures if f.set == facts.name and f.method == method]
            if failed:
                first = failed[0].error.partition("\n")[0]
                notes.append(
                    f"{method} failed on {len(failed)} of {len(facts.n_test)} folds of "
                    f"{facts.name}: {first}"
                )
    notes += [
        f"{n.method} on {n.n_folds} folds of {n.set}: {n.words}"
        for n in comparison.notices
        if not expected(n)
    ]
    return notes


def expected(notice: Notice) -> bool:
    """Whether a warning is of a kind that folds bring about by themselves."""
    return notice.words.startswith(_EXPECTED)


def sentences_over_sets(comparison: Comparison, name: str, alpha: float) -> list[str]:
    """What Friedman's and Nemenyi's tests say, or why they cannot be made."""
    try:
        friedman = comparison.friedman(name, alpha=alpha)
    except ValueError as error:
        return [str(error)]
    notes = [friedman.sentence]
    if len(friedman.names) < len(comparison.methods):
        out = [method for method in comparison.methods if method not in friedman.names]
        notes.append(f"Without {', '.join(out)}, which have no score on some dataset.")
    if friedman.is_significant:
        notes.append(comparison.nemenyi(name, alpha=alpha).sentence)
    return notes
