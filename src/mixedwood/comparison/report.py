"""The facts of a comparison's HTML report: tables, charts and texts for `comparison.html.j2`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mixedwood import report
from mixedwood._catalogue import CATALOGUE
from mixedwood._folds import cv_schemes
from mixedwood.comparison.formats import to_content
from mixedwood.comparison.metrics import METRICS, Metric
from mixedwood.comparison.pairwise import read_baseline, test_name
from mixedwood.comparison.table import is_expected, make_table, rank_table, score_cells, verdicts
from mixedwood.stats._inputs import read_alpha
from mixedwood.stats.paired import format_p_value

if TYPE_CHECKING:
    from mixedwood.comparison.pairwise import PairwiseTest
    from mixedwood.comparison.result import Comparison

__all__ = ["ReportContext", "to_html"]

_OURS, _OTHERS = 0, 1  # groups of methods, which have their own color


def to_html(
    comparison: Comparison,
    *,
    title: str | None = None,
    baseline: str | None = None,
    alpha: float = 0.05,
    trees: Mapping[str, Any] | None = None,
) -> str:
    """Make the report."""
    context = ReportContext(comparison, read_baseline(comparison, baseline), read_alpha(alpha))
    figures = [
        report.Figure(report.Svg(tree.to_svg()), caption, _tree_size(tree))
        for caption, tree in (trees or {}).items()
    ]
    facts = context.facts() | {"trees": figures}
    if title is not None:
        facts["title"] = title
    return report.render("comparison.html.j2", facts)


def _tree_size(tree: Any) -> str:
    return f"{tree.n_leaves} {'leaf' if tree.n_leaves == 1 else 'leaves'}, depth {tree.depth}"


@dataclass(frozen=True, eq=False)
class ReportContext:
    """A comparison with the baseline, significance level, order and colors of its report."""

    comparison: Comparison
    baseline: str
    alpha: float

    @property
    def metric(self) -> Metric:
        """The first metric, by which methods are ordered."""
        return METRICS[self.comparison.metrics[0]]

    @cached_property
    def tested_metric(self) -> str | None:
        """The first metric whose differences are tested."""
        return next((name for name in self.comparison.metrics if METRICS[name].tested), None)

    @cached_property
    def ranks(self) -> NDArray[np.float64]:
        """Ranks by the first metric on each dataset; NaN for methods that lack a score."""
        return rank_table(self.comparison, self.metric.name)

    @cached_property
    def order(self) -> list[int]:
        """Methods from best to worst, in the same order throughout; those without scores last."""
        if len(self.comparison.datasets) == 1:
            key = self.comparison.means(self.metric.name)[0]
        else:
            key = self.ranks.mean(axis=0)
        return [int(m) for m in np.argsort(key, kind="stable")]  # NaN comes last

    @cached_property
    def groups(self) -> list[int]:
        """The color of each method: ours or others."""
        ours = {entry.class_name for entry in CATALOGUE.values()}
        settings = (self.comparison.settings.get(name, "") for name in self.comparison.methods)
        return [_OURS if text.partition("(")[0] in ours else _OTHERS for text in settings]

    def facts(self) -> dict[str, Any]:
        """Return all variables of the template but the trees."""
        found, is_one = self.comparison, len(self.comparison.datasets) == 1
        group_names = {_OURS: "mixedwood", _OTHERS: "others"}
        return {
            "title": self._title(),
            "lead": self._lead(),
            "summary": self._dataset_summary() if is_one else self.overall_summary(),
            "methods": found.methods,
            "baseline": self.baseline,
            "test_name": test_name(found),
            "is_tested": self.tested_metric is not None,
            "level": f"{100 * self.alpha:g}",
            "groups": [(group, group_names[group]) for group in sorted(set(self.groups))],
            "datasets": [self._dataset(s, is_only=is_one) for s in range(len(found.datasets))],
            "overall": None if is_one else self._overall(),
            **self._problems(),
            "dataset_table": self._dataset_table(),
            "provenance": {
                "cross-validation": self._scheme(),
                "seed": str(found.random_state),
                "versions": ", ".join(f"{name} {v}" for name, v in found.versions.items()),
            },
            "settings": {name: found.settings.get(name, "") for name in found.methods},
            "footer": f"Made by mixedwood {found.versions.get('mixedwood', '')}. The file contains "
            "all scores as JSON and loads no external resources.",
            "data": to_content(found),
        }

    # The top of the page

    def _title(self) -> str:
        methods, datasets = self.comparison.methods, self.comparison.datasets
        what = methods[0] if len(methods) == 1 else f"{len(methods)} methods"
        return (
            f"{what} on {datasets[0].name if len(datasets) == 1 else f'{len(datasets)} datasets'}"
        )

    def _lead(self) -> str:
        found = self.comparison
        n, datasets = len(found.methods), found.datasets
        what = "One method was evaluated" if n == 1 else f"{n} methods were compared"
        if len(datasets) == 1:
            where = f"{datasets[0].name} ({datasets[0].size})"
        else:
            rows = [dataset.n_rows for dataset in datasets]
            size = f"{min(rows)} to {max(rows)}" if min(rows) < max(rows) else f"{rows[0]}"
            where = f"{len(datasets)} datasets with {size} rows"
        same = "" if n == 1 else " All methods use the same folds."
        return f"{what} on {where} by {self._scheme()}, with the seed {found.random_state}.{same}"

    def _scheme(self) -> str:
        cv = self.comparison.cv
        known = cv_schemes().get(cv.name, "").partition(";")[0]
        if not known and cv.kind == "k_fold":
            times = "" if cv.n_repeats == 1 else f"{cv.n_repeats} repetitions of "
            known = f"{times}{cv.n_splits}-fold cross-validation"
        elif not known and cv.kind == "holdout":
            known = f"{cv.n_repeats} random splits into training and test rows"
        return f"{cv.name} ({known})" if known else cv.name

    def _dataset_summary(self) -> list[tuple[str, str, str]]:
        """Cards of one dataset: the best methods by error, size and fit time."""
        titles = {"leaves": "Smallest tree", "fit_seconds": "Fastest fit"}
        cards = []
        for name in dict.fromkeys([self.metric.name, *titles]):
            if name not in self._metrics_with_scores(0):
                continue
            metric, means = METRICS[name], self.comparison.means(name)[0]
            m = int(np.nanargmin(means))
            if name == self.metric.name:
                error = self.comparison.standard_errors(name)[0, m] if metric.tested else math.nan
                note = metric.format_with_unit(means[m], error)
            else:
                first = self.metric.format_with_unit(self.comparison.means(self.metric.name)[0, m])
                note = f"{metric.format_with_unit(means[m])}; {self.metric.caption.lower()} {first}"
            title = titles.get(name, f"Lowest {metric.caption.lower()}")
            cards.append((title, self.comparison.methods[m], note))
        return cards

    def overall_summary(self) -> list[tuple[str, str, str]]:
        """Return the cards of several datasets: best rank, most wins, and Friedman's test."""
        found, cards = self.comparison, []
        ranks, means = self.ranks.mean(axis=0), found.means(self.metric.name)
        if not np.isnan(ranks).all():
            m = int(np.nanargmin(ranks))
            n_ranked = int((~np.isnan(ranks)).sum())
            cards.append(("Best mean rank", found.methods[m], f"{ranks[m]:.2f} of {n_ranked}"))
        if len(found.methods) > 1 and not np.isnan(means).all(axis=1).any():
            n_first = (means == np.nanmin(means, axis=1, keepdims=True)).sum(axis=0)
            best = [found.methods[m] for m in self.order if n_first[m] == n_first.max()]
            names = " and ".join(best) if len(best) < 3 else f"{best[0]} and {len(best) - 1} others"
            each = "each " if len(best) > 1 else ""
            note = f"{each}on {n_first.max()} of {len(found.datasets)} datasets"
            cards.append((f"Most often lowest {self.metric.caption.lower()}", names, note))
        try:
            friedman = found.friedman_test(self.metric.name, alpha=self.alpha)
        except ValueError:
            return cards
        verdict = "yes" if friedman.is_significant else "not significantly"
        note = f"Friedman test, {format_p_value(friedman.p_value)}"
        return [*cards, ("Do the methods differ?", verdict, note)]

    # One dataset

    def _dataset(self, s: int, *, is_only: bool) -> dict[str, Any]:
        dataset, names = self.comparison.datasets[s], self._metrics_with_scores(s)
        charted = [name for name in names if is_only or name != self.metric.name]
        return {
            "name": dataset.name,
            "size": dataset.size,
            "lowest": self._lowest(s),
            "table": self._dataset_scores(s),
            "charts": [*(self._metric_chart(name, s) for name in charted), *self._trade_offs(s)],
            "tests": self._tests(s),
        }

    def _metrics_with_scores(self, s: int) -> list[str]:
        names = self.comparison.metrics
        return [name for name in names if not np.isnan(self.comparison.means(name)[s]).all()]

    def _lowest(self, s: int) -> str:
        means = self.comparison.means(self.metric.name)[s]
        if np.isnan(means).all():
            return "no scores"
        m = int(np.nanargmin(means))
        value = self.metric.format_with_unit(means[m])
        return f"lowest {self.metric.caption.lower()}: {self.comparison.methods[m]}, {value}"

    def _cells(self, name: str, s: int) -> list[report.TableCell]:
        """Cells of all methods on a dataset, in the order of the methods."""
        means = self.comparison.means(name)[s]
        tooltips = {
            "+": f"significantly better than {self.baseline}",
            "-": f"significantly worse than {self.baseline}",
        }
        cells = []
        for m, cell in enumerate(score_cells(self.comparison, name, s, self.baseline, self.alpha)):
            text, _, error = cell.text.partition(" ± ")
            tooltip = tooltips.get(cell.mark, "")
            cells.append(
                report.TableCell(text, float(means[m]), error, cell.best, cell.mark, tooltip)
            )
        return cells

    def _dataset_scores(self, s: int) -> report.HtmlTable:
        """The table of methods by metrics."""
        names = self._metrics_with_scores(s)
        columns = [self._cells(name, s) for name in names]
        return report.HtmlTable(
            ["method", *(METRICS[name].title for name in names)],
            [
                report.TableRow(
                    self.comparison.methods[m],
                    [column[m] for column in columns],
                    str(m),
                    self.groups[m],
                )
                for m in self.order
            ],
            description=f"All scores on {self.comparison.datasets[s].name}",
        )

    def _metric_chart(
        self, name: str, s: int, caption: str | None = None, note: str | None = None
    ) -> report.Figure:
        """Means, standard errors and folds of all methods, and the mean of the baseline."""
        found, metric, dataset = self.comparison, METRICS[name], self.comparison.datasets[s].name
        n = found.n_folds(s)
        means, errors = found.means(name)[s], found.standard_errors(name)[s]
        folds = found.values(name)[s, :, :n]
        dots = [
            report.Dot(
                found.methods[m],
                metric.scale(means[m]),
                metric.scale(errors[m]) if metric.tested else math.nan,
                [metric.scale(value) for value in folds[m]] if n > 1 else [],
                self.groups[m],
                f"{found.methods[m]}: {metric.format_with_unit(means[m], errors[m])}",
                str(m),
                "failed" if found.failures_of(dataset, found.methods[m]) else "no value",
            )
            for m in self.order
        ]
        base = means[found.methods.index(self.baseline)]
        values = [value for dot in dots for value in [dot.value, *dot.points]]
        svg = report.dot_plot(
            dots,
            axis=metric.axis,
            description=f"{metric.caption} on {dataset}. " + _tooltips(dots),
            reference=None if math.isnan(base) or len(dots) < 2 else metric.scale(base),
            log=not metric.percent and report.needs_log_scale(values),
        )
        return report.Figure(svg, caption or metric.caption, note or metric.description)

    def _trade_offs(self, s: int) -> list[report.Figure]:
        """The first metric against fit time and the number of leaves."""
        found, metric, names = self.comparison, self.metric, self._metrics_with_scores(s)
        charts = []
        for x_name, note in (
            ("fit_seconds", "left is faster, below is better"),
            ("leaves", "single trees; left is smaller, below is better"),
        ):
            if x_name == metric.name or not {x_name, metric.name} <= set(names):
                continue
            other = METRICS[x_name]
            x, y = found.means(x_name)[s], found.means(metric.name)[s]
            points = [
                report.Point(
                    found.methods[m],
                    other.scale(x[m]),
                    metric.scale(y[m]),
                    self.groups[m],
                    f"{found.methods[m]}: {metric.format_with_unit(y[m])}, "
                    f"{other.format_with_unit(x[m])}",
                    str(m),
                )
                for m in self.order
                if not math.isnan(x[m]) and not math.isnan(y[m])
            ]
            if len(points) < 2:
                continue
            caption = f"{metric.caption} against {other.caption.lower()}"
            svg = report.scatter_plot(
                points,
                x_axis=other.axis,
                y_axis=metric.axis,
                description=f"{caption} on {found.datasets[s].name}. " + _tooltips(points),
                log_x=report.needs_log_scale([point.x for point in points]),
            )
            charts.append(report.Figure(svg, caption, note))
        return charts

    def _tests(self, s: int) -> list[PairwiseTest]:
        """Tests of all other methods against the baseline, in the order of the report."""
        found = self.comparison
        if self.tested_metric is None or len(found.methods) < 2:
            return []
        one = found.select([found.datasets[s].name])
        tests = one.pairwise_tests(self.tested_metric, baseline=self.baseline, alpha=self.alpha)
        position = {found.methods[m]: i for i, m in enumerate(self.order)}
        return sorted(tests, key=lambda test: position[test.method])

    # Several datasets

    def _overall(self) -> dict[str, Any]:
        found, name = self.comparison, self.metric.name
        others = [n for n in found.metrics[1:] if not np.isnan(found.means(n)).all()]
        wins, wins_sentence = self._wins()
        return {
            "caption": self.metric.caption,
            "table": self._overall_scores(name),
            "other_tables": [
                (METRICS[n].caption, METRICS[n].description, self._overall_scores(n))
                for n in others
            ],
            "verdicts": verdicts(found, name, self.alpha),
            "diagram": self._diagram(),
            "wins": wins,
            "wins_sentence": wins_sentence,
            "charts": self._summary_charts(),
            "chart_of_each": [
                self._metric_chart(name, s, dataset.name, dataset.size)
                for s, dataset in enumerate(found.datasets)
            ],
        }

    def _overall_scores(self, name: str) -> report.HtmlTable:
        """The table of datasets by methods."""
        found, metric = self.comparison, METRICS[name]
        rows = []
        for s, dataset in enumerate(found.datasets):
            cells = self._cells(name, s)
            rows.append(report.TableRow(dataset.name, [cells[m] for m in self.order]))
        foot = [
            report.TableRow(title, [report.TableCell(cells[m].text) for m in self.order])
            for title, cells in make_table(found, name, self.baseline, self.alpha).summary
        ]
        return report.HtmlTable(
            ["dataset", *(found.methods[m] for m in self.order)],
            rows,
            foot,
            description=f"{metric.caption} of each method on each dataset",
            caption=f"{metric.title}: {metric.description}",
        )

    def _diagram(self) -> report.Figure | None:
        found = self.comparison
        try:
            nemenyi = found.nemenyi_test(self.metric.name, alpha=self.alpha)
        except ValueError:
            return None  # the verdicts have the reason
        groups = dict(zip(found.methods, self.groups, strict=True))
        keys = {name: str(m) for m, name in enumerate(found.methods)}
        return report.Figure(
            report.rank_diagram(nemenyi, groups=groups, keys=keys),
            "Mean ranks and critical difference",
            "Methods below the same bar are not significantly different by Nemenyi's test.",
        )

    def _wins(self) -> tuple[report.Figure | None, str]:
        """Wins, ties and losses of all pairs, and a sentence."""
        found = self.comparison
        try:
            wins = found.win_tie_loss(self.metric.name, alpha=self.alpha)
        except ValueError as error:
            return None, str(error)
        position = {name: i for i, name in enumerate(wins.names)}
        kept = [m for m in self.order if found.methods[m] in position]
        names = [found.methods[m] for m in kept]
        cells: list[list[report.HeatCell]] = []
        for row in names:
            cells.append([])
            for column in names:
                i, j = position[row], position[column]
                won, tied, lost = (int(x[i, j]) for x in (wins.wins, wins.ties, wins.losses))
                cell = report.HeatCell(
                    f"{won}/{tied}/{lost}",
                    (won - lost) / wins.n_datasets,
                    f"{row} is significantly better than {column} on {won} of {wins.n_datasets} "
                    f"datasets, not different on {tied}, and worse on {lost}",
                )
                cells[-1].append(report.HeatCell() if i == j else cell)
        svg = report.heat_map(
            names, names, cells, description=wins.sentence, keys=[str(m) for m in kept]
        )
        note = (
            "Number of datasets on which the method of the row is significantly better than / not "
            "different from / worse than that of the column."
        )
        return report.Figure(svg, "Wins, ties and losses", note), wins.sentence

    def _summary_charts(self) -> list[report.Figure]:
        """Ranks, times and sizes over all datasets, with a point for each dataset."""
        found, charts = self.comparison, []
        mean_ranks = self.ranks.mean(axis=0)
        has_ranks = not np.isnan(mean_ranks).all()
        if has_ranks:
            note = f"by {self.metric.title}; 1 is best"
            charts.append(self._summary_chart("Mean rank", note, "rank", mean_ranks, self.ranks))
        fit_seconds = None
        for name in ("fit_seconds", "predict_seconds", "leaves"):
            if name not in found.metrics or np.isnan(found.means(name)).all():
                continue
            metric, means = METRICS[name], found.means(name)
            with np.errstate(divide="ignore"):  # a time of zero
                geometric = np.exp(np.log(means).mean(axis=0))
            if name == "fit_seconds":
                fit_seconds = geometric
            note = "geometric mean over the datasets"
            charts.append(self._summary_chart(metric.caption, note, metric.axis, geometric, means))
        if fit_seconds is not None and has_ranks:
            charts.append(self._rank_against_time(mean_ranks, fit_seconds))
        return charts

    def _summary_chart(
        self,
        caption: str,
        note: str,
        axis: str,
        values: NDArray[np.float64],
        points: NDArray[np.float64],
    ) -> report.Figure:
        dots = [
            report.Dot(
                self.comparison.methods[m],
                float(values[m]),
                points=points[:, m].tolist(),
                group=self.groups[m],
                tooltip=f"{self.comparison.methods[m]}: {caption.lower()} {values[m]:.3g}",
                key=str(m),
            )
            for m in self.order
        ]
        svg = report.dot_plot(
            dots,
            axis=axis,
            description=f"{caption}, {note}. " + _tooltips(dots),
            log=axis != "rank" and report.needs_log_scale([v for d in dots for v in d.points]),
        )
        return report.Figure(svg, caption, note)

    def _rank_against_time(
        self, ranks: NDArray[np.float64], seconds: NDArray[np.float64]
    ) -> report.Figure:
        names = self.comparison.methods
        points = [
            report.Point(
                names[m],
                float(seconds[m]),
                float(ranks[m]),
                self.groups[m],
                f"{names[m]}: mean rank {ranks[m]:.2f}, {seconds[m]:.2g} s",
                str(m),
            )
            for m in self.order
        ]
        caption = "Mean rank against fit time"
        svg = report.scatter_plot(
            points,
            x_axis="seconds, geometric mean over the datasets",
            y_axis="mean rank",
            description=f"{caption}. " + _tooltips(points),
            log_x=report.needs_log_scale([point.x for point in points]),
        )
        return report.Figure(svg, caption, "left is faster, below is better")

    # The end of the page

    def _problems(self) -> dict[str, Any]:
        """Failures and warnings."""
        found = self.comparison
        folds: dict[tuple[str, str, str, str], list[int]] = {}
        for f in found.failures:
            folds.setdefault((f.dataset, f.method, f.error, f.traceback), []).append(f.fold + 1)
        n_folds = {dataset.name: len(dataset.n_test) for dataset in found.datasets}
        lines = [
            (is_expected(w), f"{w.method} on {w.n_folds} folds of {w.dataset}: {w.message}")
            for w in found.warnings
        ]
        return {
            "failures": [
                {
                    "title": f"{method} on {dataset}: {error.partition(chr(10))[0]}",
                    "where": f"failed on {len(numbers)} of {n_folds[dataset]} folds",
                    "folds": numbers,
                    "traceback": traceback,
                }
                for (dataset, method, error, traceback), numbers in folds.items()
            ],
            "warnings": [line for is_usual, line in lines if not is_usual],
            "expected_warnings": [line for is_usual, line in lines if is_usual],
        }

    def _dataset_table(self) -> report.HtmlTable:
        rows = [
            report.TableRow(
                dataset.name,
                [
                    report.TableCell(str(n), float(n))
                    for n in (
                        dataset.n_rows,
                        dataset.n_columns,
                        *([len(dataset.classes)] if dataset.classes else []),
                        round(float(np.mean(dataset.n_train))),
                        round(float(np.mean(dataset.n_test))),
                    )
                ],
            )
            for dataset in self.comparison.datasets
        ]
        classes = ["classes"] if self.comparison.datasets[0].classes else []
        header = ["dataset", "rows", "columns", *classes, "training rows", "test rows"]
        return report.HtmlTable(header, rows, description="Datasets", sortable=len(rows) > 1)


def _tooltips(marks: list[report.Dot] | list[report.Point]) -> str:
    return "; ".join(mark.tooltip for mark in marks)
