"""What the page shows of one data set: a table, charts, and tests against the baseline."""

from __future__ import annotations

import math

from mixedwood import report
from mixedwood.comparison.metrics import METRICS
from mixedwood.comparison.page_view import View
from mixedwood.comparison.table import score_cells

__all__ = [
    "charts_of_set",
    "metric_chart",
    "table_cells",
    "table_of_set",
    "tests_of_set",
    "trade_offs",
]


def table_cells(view: View, name: str, s: int) -> list[report.TableCell]:
    """Cells of all methods on a set, in the order of the methods."""
    means = view.comparison.means(name)[s]
    told = {"+": f"significantly better than {view.baseline}",
            "-": f"significantly worse than {view.baseline}"}  # fmt: skip
    found = []
    for m, cell in enumerate(score_cells(view.comparison, name, s, view.baseline, view.alpha)):
        text, _, error = cell.text.partition(" ± ")
        value = float(means[m])
        tip = told.get(cell.mark, "")
        found.append(report.TableCell(text, value, error, cell.best, cell.mark, tip))
    return found


def table_of_set(view: View, s: int) -> str:
    """Methods by metrics."""
    names = view.metrics_of(s)
    columns = [table_cells(view, name, s) for name in names]
    rows = [
        report.TableRow(
            view.comparison.methods[m], [column[m] for column in columns], view.key(m),
            view.groups[m],
        )
        for m in view.order
    ]  # fmt: skip
    header = ["method", *(METRICS[name].title for name in names)]
    about = f"All figures on {view.comparison.datasets[s].name}"
    return report.make_table(header, rows, about=about)


def metric_chart(view: View, name: str, s: int, caption: str = "", about: str = "") -> str:
    """A metric of all methods on a set: means, standard errors, folds, and the baseline's mean."""
    found, metric = view.comparison, METRICS[name]
    means, errors = found.means(name)[s], found.standard_errors(name)[s]
    n = found.n_folds(s)
    folds = found.values(name)[s, :, :n]
    failed = {f.method for f in found.failures if f.dataset == found.datasets[s].name}
    dots = [
        report.Dot(
            found.methods[m],
            view.shown(name, means[m]),
            view.shown(name, errors[m]) if metric.tested else math.nan,
            [view.shown(name, v) for v in folds[m]] if n > 1 else [],
            view.groups[m],
            f"{found.methods[m]}: {view.words(name, means[m], errors[m])}",
            view.key(m),
            "failed" if found.methods[m] in failed else "no figure",
        )
        for m in view.order
    ]
    base = means[found.methods.index(view.baseline)]
    svg = report.dot_plot(
        dots,
        axis=view.axis(name),
        about=f"{view.caption(name)} on {found.datasets[s].name}. "
        + "; ".join(dot.tip for dot in dots),
        reference=None if math.isnan(base) or len(dots) < 2 else view.shown(name, base),
        log=not metric.percent
        and report.suits_logarithm([v for d in dots for v in [d.value, *d.points]]),
    )
    return report.figure(svg, caption or view.caption(name), about or metric.description)


def trade_offs(view: View, s: int) -> list[str]:
    """The first metric against time to fit and size of the tree."""
    y_name = view.metric
    charts = []
    for x_name, about in (
        ("fit_seconds", "left is faster, below is better"),
        ("leaves", "of single trees; left is smaller, below is better"),
    ):
        names = view.metrics_of(s)
        if x_name == y_name or x_name not in names or y_name not in names:
            continue
        x, y = view.comparison.means(x_name)[s], view.comparison.means(y_name)[s]
        spots = [
            report.Spot(
                view.comparison.methods[m], view.shown(x_name, x[m]), view.shown(y_name, y[m]),
                view.groups[m],
                f"{view.comparison.methods[m]}: {view.words(y_name, y[m])}, "
                f"{view.words(x_name, x[m])}{' leaves' if x_name == 'leaves' else ''}",
                view.key(m),
            )
            for m in view.order
            if not math.isnan(x[m]) and not math.isnan(y[m])
        ]  # fmt: skip
        if len(spots) < 2:
            continue
        caption = f"{view.caption(y_name)} against {view.caption(x_name).lower()}"
        svg = report.scatter_plot(
            spots,
            x_axis=view.axis(x_name),
            y_axis=view.axis(y_name),
            about=f"{caption} on {view.comparison.datasets[s].name}. "
            + "; ".join(spot.tip for spot in spots),
            log_x=report.suits_logarithm([spot.x for spot in spots]),
        )
        charts.append(report.figure(svg, caption, about))
    return charts


def charts_of_set(view: View, s: int, *, without_first: bool = False) -> str:
    """All charts of a set, beside each other."""
    names = view.metrics_of(s)
    names = [name for name in names if not without_first or name != view.metric]
    return report.figures([*(metric_chart(view, name, s) for name in names), *trade_offs(view, s)])


def tests_of_set(view: View, s: int) -> str:
    """Every other method against the baseline, in sentences."""
    if view.tested is None or len(view.comparison.methods) < 2:
        return ""
    one = view.comparison.select([view.comparison.datasets[s].name])
    tests = {
        d.method: d
        for d in one.pairwise_tests(view.tested, baseline=view.baseline, alpha=view.alpha)
    }
    ordered = [tests[view.comparison.methods[m]] for m in view.order
               if view.comparison.methods[m] != view.baseline]  # fmt: skip
    return report.findings(("no test" if d.test is None else d.mark, d.sentence) for d in ordered)
