"""What the page shows of several data sets together: tables, ranks, wins and means."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mixedwood import report
from mixedwood.comparison.metrics import METRICS
from mixedwood.comparison.page_sets import metric_chart, table_cells
from mixedwood.comparison.page_view import View
from mixedwood.comparison.table import make_table, verdicts

__all__ = [
    "chart_of_each_set",
    "ranks_over_sets",
    "sums_over_sets",
    "tables_over_sets",
    "wins_over_sets",
]


def tables_over_sets(view: View, note: str) -> str:
    """Sets by methods: the first metric in sight with a note, the others folded away."""
    parts = [_table(view, view.metric), note]
    others = [name for name in view.comparison.metrics[1:] if _has_figures(view, name)]
    parts += [
        report.fold_away(view.caption(n), _table(view, n), METRICS[n].description) for n in others
    ]
    return "\n".join(parts)


def _has_figures(view: View, name: str) -> bool:
    return not np.isnan(view.comparison.means(name)).all()


def _table(view: View, name: str) -> str:
    found = view.comparison
    rows = []
    for s, facts in enumerate(found.datasets):
        cells = table_cells(view, name, s)
        rows.append(report.TableRow(facts.name, [cells[m] for m in view.order]))
    foot = []
    for title, sums in make_table(found, name, view.baseline, view.alpha).summary:
        foot.append(report.TableRow(title, [report.TableCell(sums[m].text) for m in view.order]))
    return report.make_table(
        ["data set", *(found.methods[m] for m in view.order)],
        rows,
        foot,
        about=f"{view.caption(name)} of each method on each data set",
        caption=METRICS[name].title + ": " + METRICS[name].description,
    )


def ranks_over_sets(view: View) -> str:
    """The critical-difference diagram, and what the tests say."""
    found = view.comparison
    sentences = verdicts(found, view.metric, view.alpha)
    parts = [report.bullets(sentences)]
    try:
        nemenyi = found.nemenyi_test(view.metric, alpha=view.alpha)
    except ValueError:
        return parts[0]  # the sentence says why
    groups = dict(zip(found.methods, view.groups, strict=True))
    keys = {name: view.key(m) for m, name in enumerate(found.methods)}
    parts.append(
        report.figure(
            report.rank_diagram(nemenyi, groups=groups, keys=keys),
            "Mean ranks and their critical difference",
            "Methods below the same bar are not significantly different by Nemenyi's test.",
            wide=True,
        )
    )
    return "\n".join(parts)


def wins_over_sets(view: View) -> str:
    """Wins, draws and losses of all pairs."""
    try:
        wins = view.comparison.win_tie_loss(view.metric, alpha=view.alpha)
    except ValueError as error:
        return report.paragraph(str(error))
    place = {name: i for i, name in enumerate(wins.names)}
    kept = [m for m in view.order if view.comparison.methods[m] in place]
    names = [view.comparison.methods[m] for m in kept]
    how = "significantly better" if wins.by_test else "better"
    cells: list[list[report.HeatCell]] = []
    for row in names:
        cells.append([])
        for column in names:
            i, j = place[row], place[column]
            won, drawn, lost = (int(x[i, j]) for x in (wins.wins, wins.ties, wins.losses))
            cell = report.HeatCell(
                f"{won}/{drawn}/{lost}",
                (won - lost) / wins.n_datasets,
                f"{row} is {how} than {column} on {won} of {wins.n_datasets} sets, no different on "
                f"{drawn}, worse on {lost}",
            )
            cells[-1].append(report.HeatCell() if i == j else cell)
    svg = report.heat_map(
        names, names, cells, about=wins.sentence, keys=[view.key(m) for m in kept]
    )
    about = f"On how many sets the method of the row is {how} than / no different from / worse than"
    return report.figure(
        svg, "Wins, draws and losses", f"{about} that of the column.", wide=True
    ) + report.paragraph(wins.sentence)


def chart_of_each_set(view: View) -> str:
    """The first metric on every set, as small charts of the same order."""
    return report.figures(
        metric_chart(view, view.metric, s, facts.name, view.size(facts))
        for s, facts in enumerate(view.comparison.datasets)
    )


def sums_over_sets(view: View) -> str:
    """Ranks, times and sizes over all sets, with a point for each set."""
    charts = []
    mean_ranks = view.ranks.mean(axis=0)
    if not np.isnan(mean_ranks).all():
        dots = [
            _dot(view, m, float(mean_ranks[m]), view.ranks[:, m].tolist(), "mean rank")
            for m in view.order
        ]
        charts.append(
            _figure(dots, "Mean rank", f"by {METRICS[view.metric].title}; 1 is best", "rank")
        )
    geometric = {}
    for name in ("fit_seconds", "predict_seconds", "leaves"):
        if name not in view.comparison.metrics or not _has_figures(view, name):
            continue
        means = view.comparison.means(name)
        with np.errstate(divide="ignore"):  # a time of zero
            geometric[name] = np.exp(np.log(means).mean(axis=0))
        dots = [
            _dot(view, m, float(geometric[name][m]), means[:, m].tolist(), view.caption(name))
            for m in view.order
        ]
        about = "geometric mean over the sets"
        charts.append(_figure(dots, view.caption(name), about, view.axis(name)))
    if "fit_seconds" in geometric and not np.isnan(mean_ranks).all():
        charts.append(_rank_by_time(view, mean_ranks, geometric["fit_seconds"]))
    return report.figures(charts)


def _dot(view: View, m: int, value: float, points: list[float], what: str) -> report.Dot:
    name = view.comparison.methods[m]
    tip = f"{name}: {what.lower()} {value:.3g}"
    return report.Dot(name, value, math.nan, points, view.groups[m], tip, view.key(m))


def _figure(dots: list[report.Dot], caption: str, about: str, axis: str) -> str:
    svg = report.dot_plot(
        dots,
        axis=axis,
        about=f"{caption}, {about}. " + "; ".join(dot.tip for dot in dots),
        log=axis != "rank" and report.suits_logarithm([v for d in dots for v in d.points]),
    )
    return report.figure(svg, caption, about)


def _rank_by_time(view: View, ranks: NDArray[np.float64], seconds: NDArray[np.float64]) -> str:
    spots = [
        report.Spot(
            view.comparison.methods[m], float(seconds[m]), float(ranks[m]), view.groups[m],
            f"{view.comparison.methods[m]}: mean rank {ranks[m]:.2f}, {seconds[m]:.2g} s",
            view.key(m),
        )
        for m in view.order
    ]  # fmt: skip
    caption = "Mean rank against time to fit"
    svg = report.scatter_plot(
        spots,
        x_axis="seconds, geometric mean over the sets",
        y_axis="mean rank",
        about=f"{caption}. " + "; ".join(spot.tip for spot in spots),
        log_x=report.suits_logarithm([spot.x for spot in spots]),
    )
    return report.figure(svg, caption, "left is faster, below is better")
