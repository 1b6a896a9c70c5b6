"""Figures of a study, drawn with matplotlib."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mixedwood.files import write_bytes
from mixedwood.study.definition import FigureSpec, StudyError
from mixedwood.study.results import Results, standard_error

__all__ = ["draw_figures"]

_STYLES = ("-", "--", "-.", ":")


def draw_figures(found: Results, folder: str | Path, *, form: str = "png") -> dict[str, Path]:
    """Draw the figures of a study into a folder; figures without results are left out.

    Parameters
    ----------
    found : Results
        The results.
    folder : str or Path
        Where to write the files; it is created if it does not exist.
    form : str, default="png"
        Format of the files, one that matplotlib supports.

    Returns
    -------
    dict of str to Path
        The file of each figure, by the figure's name.

    Examples
    --------
    >>> from mixedwood import study
    >>> with study.Store(":memory:") as store:
    ...     found = study.results(study.read_study("random_ordinality"), store)
    >>> draw_figures(found, "out")  # nothing was run yet
    {}
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise StudyError("Figures need matplotlib: pip install 'mixedwood[plot]'.") from error
    written = {}
    for figure in found.study.figures:
        panels = _panels(found, figure)
        if not panels:
            continue
        columns = 2 if len(panels) == 4 else min(3, len(panels))
        rows = -(-len(panels) // columns)
        high = 4.2 if figure.x in ("dataset", "method") else 3.2  # for names below
        size = (4.2 * columns, high * rows + 0.4) if len(panels) > 1 else (8.4, 4.4)
        canvas = Figure(figsize=size, layout="constrained")
        # A series has the same style in all panels, even if some panels lack another series.
        names = dict.fromkeys(name for lines in panels.values() for name in lines)
        styles = {name: number for number, name in enumerate(names)}
        axes = np.atleast_1d(canvas.subplots(rows, columns, squeeze=False)).ravel()
        for axis, (title, lines) in zip(axes, panels.items(), strict=False):
            _draw_panel(axis, figure, title, lines, styles)
        for axis in axes[len(panels) :]:
            axis.remove()
        if len(styles) > 1:
            _draw_legend(canvas, axes[: len(panels)], figure, styles)
        path = Path(folder) / f"{_file_name(found.study.name, figure.name)}.{form}"
        path.parent.mkdir(parents=True, exist_ok=True)
        drawn = io.BytesIO()
        canvas.savefig(drawn, dpi=110, format=form)
        write_bytes(path, drawn.getvalue())
        written[figure.name] = path
    return written


Line = tuple[list[Any], list[list[float]]]  # x, and the values found there


def _panels(found: Results, figure: FigureSpec) -> dict[str, dict[str, Line]]:
    if figure.xs:
        alone = {x: replace(figure, x=x, xs=(), panels="") for x in figure.xs}
        drawn = {x: _panels(found, one) for x, one in alone.items()}
        return {x: next(iter(of_x.values())) for x, of_x in drawn.items() if of_x}
    panels = {}
    for panel in _choices(found, figure, figure.panels):
        lines = {}
        for series in _choices(found, figure, figure.series):
            where = dict(figure.where)
            where |= {figure.panels: panel} if figure.panels else {}
            where |= {figure.series: series} if figure.series else {}
            if (line := _line(found, figure, where)) is not None:
                lines[found.study.title_of(figure.series, series)] = line
        if lines:
            title = found.study.title_of(figure.panels, panel)
            plain = isinstance(panel, int | float)
            panels[f"{figure.panels} {title}" if plain else title] = lines
    return panels


def _choices(found: Results, figure: FigureSpec, axis: str) -> Sequence[Any]:
    return found.axis_values(figure.experiment, axis, figure.where) if axis else [""]


def _line(found: Results, figure: FigureSpec, where: dict[str, Any]) -> Line | None:
    if figure.x == "place":
        given = figure.experiment, figure.y, where, figure.best, figure.minus
        rows = [v for v in found.values(*given) if isinstance(v, list)]
        if not rows:
            return None
        at_each = np.array(rows, dtype=float).T * figure.factor
        return list(range(1, len(at_each) + 1)), at_each.tolist()
    if figure.kind == "points":
        return _points(found, figure, where)
    x: list[Any] = []
    y: list[list[float]] = []
    for value in _choices(found, figure, figure.x):
        at = {**where, figure.x: value}
        numbers = found.numbers(figure.experiment, figure.y, at, figure.best, figure.minus)
        if numbers:
            named = figure.x in ("dataset", "method")
            x.append(found.study.title_of(figure.x, value) if named else value)
            y.append([figure.factor * number for number in numbers])
    return (x, y) if x else None


def _points(found: Results, figure: FigureSpec, where: dict[str, Any]) -> Line | None:
    """One point for each finished task."""
    best = {"by": figure.y, **figure.best} if figure.best else None
    x, y = [], []
    for task, metrics in found.select(figure.experiment, where, best):
        over = set(figure.best.get("over", ()))
        at = {axis: value for axis, value in task.point.items() if axis not in over}
        numbers = found.numbers(
            figure.experiment, figure.y, {**where, **at}, figure.best, figure.minus
        )
        if numbers and figure.x in metrics:
            x.append(float(np.mean(metrics[figure.x])))
            y.append([figure.factor * float(np.mean(numbers))])
    return (x, y) if x else None


def _draw_panel(
    axis: Any, figure: FigureSpec, title: str, lines: dict[str, Line], styles: dict[str, int]
) -> None:
    places: dict[Any, int] = {}
    for x, _ in lines.values():
        for value in x:
            places.setdefault(value, len(places))
    numeric = all(isinstance(value, int | float) for value in places)
    for name, (x, y) in lines.items():
        number = styles[name]
        color = f"C{number}"
        at = list(x) if numeric else [places[value] for value in x]
        means = np.array([np.mean(values) for values in y])
        errors = np.array([standard_error(values) for values in y])
        if figure.kind == "points":
            axis.scatter(at, means, label=name, s=18, alpha=0.7, color=color)
            _draw_fit(axis, np.array(at), means, log=title == "rows", color=color)
            continue
        if figure.kind == "lines":
            # Line styles differ, so that a line below another can be seen.
            style = {"marker": "o" if len(at) <= 20 else None, "markersize": 3, "color": color}
            axis.plot(at, means, _STYLES[number % len(_STYLES)], label=name, **style)
            band = means - errors, means + errors
            axis.fill_between(at, *band, alpha=0.15, linewidth=0, color=color)
            continue
        width = 0.8 / len(styles)
        shifted = [places[value] + (number - (len(styles) - 1) / 2) * width for value in x]
        if figure.kind == "boxes":
            parts = axis.boxplot(
                y, positions=shifted, widths=0.9 * width, patch_artist=True, manage_ticks=False
            )
            for box in parts["boxes"]:
                box.set(facecolor=color, alpha=0.5)
            for median in parts["medians"]:
                median.set(color="black")
            axis.plot([], [], color=color, label=name, linewidth=6, alpha=0.5)
        else:
            axis.bar(shifted, means, 0.9 * width, yerr=errors, label=name, color=color)
        numeric = False
    if not numeric:
        axis.set_xticks(list(places.values()), [str(v) for v in places], rotation=30, ha="right")
    elif len(places) <= 10 and figure.kind == "lines" and not figure.log_x:
        axis.set_xticks(sorted(places))
    axis.set_title(title, fontsize=10)
    axis.set_xlabel(title if figure.xs else figure.x_label or figure.x)
    axis.set_ylabel(figure.y_label or figure.y)
    if figure.log_x or (figure.xs and title == "rows"):
        axis.set_xscale("log")
    if figure.log_y:
        axis.set_yscale("log")
    axis.grid(alpha=0.3)


def _draw_fit(axis: Any, x: Any, y: Any, *, log: bool, color: str) -> None:
    """The line of least squares through points, over the logarithm of x if it is drawn so."""
    if len(x) < 3 or np.ptp(x) == 0:
        return
    at = np.linspace(x.min(), x.max(), 50)
    slope, offset = np.polyfit(np.log10(x) if log else x, y, 1)
    axis.plot(at, slope * (np.log10(at) if log else at) + offset, color=color, linewidth=1)


def _draw_legend(canvas: Any, axes: Any, figure: FigureSpec, styles: dict[str, int]) -> None:
    found: dict[str, Any] = {}
    for axis in axes:
        handles, labels = axis.get_legend_handles_labels()
        found |= dict(zip(labels, handles, strict=True))
    longest = max(map(len, styles))
    canvas.legend(
        [found[name] for name in styles],
        list(styles),
        loc="outside lower center",
        ncols=max(1, min(4, len(styles), int(canvas.get_figwidth() * 12 / (longest + 8)))),
        title=None if figure.series in ("method", "dataset") else figure.series.replace("_", " "),
    )


def _file_name(*parts: str) -> str:
    return "_".join("".join(c if c.isalnum() else "-" for c in part) for part in parts).lower()
