"""A study as plain values, and the TOML file that it is read from.

A study has datasets and methods, each defined once; *experiments*, which run a task at every point
of a grid; and *tables*, *figures* and *claims*, which compare the results with published ones.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = [
    "Claim",
    "Experiment",
    "FigureSpec",
    "Study",
    "StudyError",
    "TableSpec",
    "Verdict",
    "read_study",
    "studies",
]

_FILE = "study.toml"
SPREADS = ("repetitions", "rows", "none")
SOURCES = ("paper", "ours", "tautology", "proposal")
_NOTED = ("paper", "proposal")  # may have a note in place of checks
_KINDS = ("lines", "boxes", "bars", "points")
_STUDY_KEYS = {
    "title", "paper", "about", "datasets", "methods", "experiments", "tables", "figures", "claims",
    "remarks", "published",
}  # fmt: skip


class StudyError(ValueError):
    """A study file contains a mistake, or something that it needs is not available."""


@dataclass(frozen=True)
class Experiment:
    """A task that is run at every point of a grid.

    `task` names the task; each of the `axes` lists the values of one name; `settings` are the same
    for all points. A point is skipped if it matches an entry of `exclude` in all its names; an
    entry gives one value of a name, or a list of them.
    """

    name: str
    task: str
    axes: Mapping[str, tuple[Any, ...]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    exclude: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class TableSpec:
    """Results of an experiment as rows and columns, beside the published values.

    `rows` and `columns` are names of axes, or ``"metric"`` for the `metrics` that the task returns.
    `where` selects points by the values of other axes; the mean of the remaining ones is shown.
    `pairs` names two columns, `a` and `b`, that are compared row by row, the `published` p-values,
    and as `overlap` the test rows for each training row where repetitions share rows: a number, or
    the name of a metric. If it is not `judged`, published values are only shown, for example
    the times of another computer.

    `best` names axes over which only the best point counts: ``{over = ["depth"], by = "accuracy"}``
    takes the depth with the highest accuracy, whatever metric is shown; with ``least = true`` the
    lowest. `minus` names values of axes: the metric at the same point with these values is
    subtracted, and points without such a partner are left out.

    With `relative_to`, the title of a column, every row is divided by its value there, and the
    published row by the published value. `summary` may be ``"largest"`` instead of the mean.
    With `same_spread`, published values without a spread are assumed to be as uncertain as ours.

    `spread` says what claims are judged by: intervals over ``"repetitions"``; over ``"rows"``,
    where nothing is repeated and the rows are a sample of datasets; or ``"none"`` for what is
    counted or computed exactly.

    `source` says what agreement means, and is counted apart: ``"paper"``, the methods beside what
    is printed; ``"fault"``, a fault of the published program, rebuilt, beside what is printed;
    ``"reference"``, values that an independent program computed; ``"fact"``, what is printed of the
    data, such as numbers of rows.

    `marks` prints significance below the table: ``{of = [...], against = [...], test = "5x2cv F"}``
    how some columns fare against others, with `published` wins/draws/losses; ``{worse = true}`` for
    each cell the number of columns that are significantly lower.
    """

    name: str
    title: str
    experiment: str
    metrics: tuple[str, ...]
    rows: str = "dataset"
    columns: str = "method"
    where: Mapping[str, Any] = field(default_factory=dict)
    best: Mapping[str, Any] = field(default_factory=dict)
    minus: Mapping[str, Any] = field(default_factory=dict)
    factor: float = 1.0
    digits: int = 1
    published: Mapping[str, Any] = field(default_factory=dict)
    published_runs: int = 0  # number of runs that a published standard deviation is over
    check: Mapping[str, Any] = field(default_factory=dict)
    check_runs: int = 0
    pairs: Mapping[str, Any] = field(default_factory=dict)
    judged: bool = True
    relative_to: str = ""
    summary: str = "mean"  # or "largest"
    same_spread: bool = False
    spread: str = "repetitions"  # or "rows", "none"
    marks: Mapping[str, Any] = field(default_factory=dict)
    source: str = "paper"  # or "fault", "reference", "fact"
    note: str = ""


@dataclass(frozen=True)
class FigureSpec:
    """Results of an experiment as lines: `y` over the values of the axis `x`, a line per `series`.

    Each value of `panels`, another axis, has its own panel. `x` may be ``"place"``: the places of a
    metric that is a list, such as the errors after 1, 2, ... trees. With the kind ``"points"``,
    `x` is a metric like `y`, and a line is fitted; `xs` gives a panel for each of several metrics.
    `best` and `minus` are those of a table; the latter changes `y` only.
    """

    name: str
    title: str
    experiment: str
    y: str
    x: str
    series: str = "method"
    panels: str = "dataset"
    where: Mapping[str, Any] = field(default_factory=dict)
    best: Mapping[str, Any] = field(default_factory=dict)
    minus: Mapping[str, Any] = field(default_factory=dict)
    factor: float = 1.0
    x_label: str = ""
    y_label: str = ""
    log_x: bool = False
    xs: tuple[str, ...] = ()  # of kind "points": a panel for each of these metrics
    log_y: bool = False
    kind: str = "lines"  # or "boxes", "bars", "points"
    note: str = ""


@dataclass(frozen=True)
class Claim:
    """A claim of a paper, and the checks that must pass for it to hold.

    `id` is its number in our list of claims. `source` is ``"paper"``, ``"ours"`` for an
    addition, ``"tautology"``, or ``"proposal"`` for what a paper names or does without a claim,
    which has a note in place of checks; only claims of the paper are counted.
    """

    text: str
    checks: tuple[Mapping[str, Any], ...] = ()
    note: str = ""
    id: str = ""
    source: str = "paper"


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds, and the outcomes of its checks."""

    claim: Claim
    verdict: str
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Study:
    """A study: its experiments, and what their results are compared with; see `read_study`.

    Attributes
    ----------
    name, title, paper, about : str
        Its name, title and description.
    datasets, methods : mapping of str to mapping
        Definitions by name.
    experiments : mapping of str to Experiment
        What is run.
    tables : tuple of TableSpec
    figures : tuple of FigureSpec
    claims : tuple of Claim
    remarks : mapping of str to str
        Why a cell of a table is far from the published one, by ``"table / row / column"``.
    quick : bool
        Whether it is the short version.
    folder : str
        The folder of its file, which may contain modules with tasks and methods.
    """

    name: str
    title: str
    paper: str
    about: str
    datasets: Mapping[str, Mapping[str, Any]]
    methods: Mapping[str, Mapping[str, Any]]
    experiments: Mapping[str, Experiment]
    tables: tuple[TableSpec, ...]
    figures: tuple[FigureSpec, ...]
    claims: tuple[Claim, ...]
    remarks: Mapping[str, str]
    quick: bool = False
    folder: str = ""

    def title_of(self, axis: str, value: Any) -> str:
        """Return the title of a value of an axis: of datasets and methods, their `title`."""
        known = {"dataset": self.datasets, "method": self.methods}.get(axis, {})
        return str(known.get(value, {}).get("title", value)) if known else str(value)


def studies() -> dict[str, Path]:
    """Return the names and files of the studies that are installed with the library.

    Examples
    --------
    >>> "random_ordinality" in studies()
    True
    """
    package = find_spec("mixedwood_studies")
    folders = [] if package is None else package.submodule_search_locations or []
    files = sorted(path for folder in folders for path in Path(folder).glob(f"*/{_FILE}"))
    return {path.parent.name: path for path in files}


def read_study(source: str | Path, *, quick: bool = False) -> Study:
    """Read a study by its name, or from your own file.

    Parameters
    ----------
    source : str or Path
        A name of `studies`, the path of a TOML file, or of a folder with a ``study.toml``.
    quick : bool, default=False
        Whether to read the short version, which takes minutes instead of hours.

    Returns
    -------
    Study

    Examples
    --------
    >>> study = read_study("random_ordinality", quick=True)
    >>> study.title
    'Random Ordinality Ensembles'
    """
    known = studies()
    path = known.get(str(source), Path(source))
    path = path / _FILE if path.is_dir() else path
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise StudyError(
            f"There is no study {str(source)!r}. Name one of {', '.join(known) or 'none'}, or the "
            "path of a study file."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise StudyError(f"{path} cannot be read as a study: {error}.") from error
    try:
        return _read(path, content, quick)
    except StudyError as error:
        raise StudyError(f"In the study {path}: {error}") from error


def _read(path: Path, content: dict[str, Any], quick: bool) -> Study:
    _check_keys("study", "the file", content, _STUDY_KEYS)
    if "experiments" not in content:
        raise StudyError("there are no [experiments]; a study needs at least one.")
    defined = {axis: content.get(f"{axis}s", {}) for axis in ("dataset", "method")}
    published = _read_published(path, content.get("published", {}))
    experiments = {
        name: experiment
        for name, entry in content["experiments"].items()
        if (experiment := _experiment(name, entry, defined, quick)) is not None
    }
    tables = [_table(entry, experiments, published) for entry in content.get("tables", [])]
    figures = [_figure(entry, experiments) for entry in content.get("figures", [])]
    name = path.resolve().parent.name if path.name == _FILE else path.stem
    return Study(
        name=name,
        title=str(content.get("title", name)),
        paper=str(content.get("paper", "")),
        about=str(content.get("about", "")).strip(),
        datasets=defined["dataset"],
        methods=defined["method"],
        experiments=experiments,
        tables=tuple(table for table in tables if table is not None),
        figures=tuple(figure for figure in figures if figure is not None),
        claims=tuple(_claim(entry) for entry in content.get("claims", [])),
        remarks=content.get("remarks", {}),
        quick=quick,
        folder=str(path.parent.resolve()),
    )


def _experiment(
    name: str, entry: dict[str, Any], defined: Mapping[str, Mapping[str, Any]], quick: bool
) -> Experiment | None:
    where = f"[experiments.{name}]"
    _check_keys("experiment", where, entry, _names_of(Experiment) - {"name"} | {"quick"})
    if "task" not in entry:
        raise StudyError(f"{where} names no task.")
    changes = entry.get("quick", {})
    if unknown := set(changes) - {"skip", "axes", "settings"}:
        raise StudyError(f"{where}: {sorted(unknown)[0]!r} is not a key of quick.")
    if not quick:
        changes = {}
    if changes.get("skip"):
        return None
    axes = {**entry.get("axes", {}), **changes.get("axes", {})}
    return Experiment(
        name=name,
        task=str(entry["task"]),
        axes={
            axis: _axis(f"{where}, axis {axis!r}", values, defined.get(axis))
            for axis, values in axes.items()
        },
        settings={**entry.get("settings", {}), **changes.get("settings", {})},
        exclude=tuple(entry.get("exclude", ())),
    )


def _axis(where: str, values: Any, defined: Mapping[str, Any] | None) -> tuple[Any, ...]:
    if values == "all" and defined is not None:
        return tuple(defined)
    if isinstance(values, int) and not isinstance(values, bool):
        return tuple(range(values))
    if not isinstance(values, list) or not values:
        raise StudyError(f"{where} must be a list of values, or a number of them; got {values!r}.")
    if defined is not None and (unknown := [v for v in values if v not in defined]):
        raise StudyError(
            f"{where} names {unknown[0]!r}, which is not defined. There are {', '.join(defined)}."
        )
    if len({repr(v) for v in values}) < len(values):
        raise StudyError(f"{where} has a value twice.")
    return tuple(values)


def _read_published(path: Path, files: dict[str, str]) -> dict[str, Any]:
    found = {}
    for name, file in files.items():
        try:
            found[name] = json.loads((path.parent / file).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise StudyError(f"the published values in {file} cannot be read: {error}.") from error
    return found


def _table(
    entry: dict[str, Any], experiments: Mapping[str, Experiment], published: dict[str, Any]
) -> TableSpec | None:
    where = f"table {entry.get('name', entry)!r}"
    _check_keys("table", where, entry, _names_of(TableSpec))
    if not {"name", "experiment", "metrics"} <= set(entry):
        raise StudyError(f"{where} needs a name, an experiment and metrics.")
    if entry["experiment"] not in experiments:
        return None  # left out of the short version
    entry = {"title": entry["name"], **entry, "metrics": tuple(entry["metrics"])}
    for key in ("published", "check"):
        if isinstance(address := entry.get(key), str):
            entry[key] = _look_up(where, published, address)
    if "pairs" in entry:
        entry["pairs"] = _read_pairs(where, entry["pairs"], published)
    if isinstance(address := entry.get("marks", {}).get("published"), str):
        entry["marks"] = {**entry["marks"], "published": _look_up(where, published, address)}
    table = TableSpec(**entry)
    if table.summary not in ("mean", "largest"):
        raise StudyError(f"{where}: summary must be mean or largest; got {table.summary!r}.")
    if table.source not in ("paper", "fault", "reference", "fact"):
        raise StudyError(
            f"{where}: source must be paper, fault, reference or fact; got {table.source!r}."
        )
    if table.marks and not (table.marks.get("worse") or {"of", "against"} <= set(table.marks)):
        raise StudyError(f"{where}: marks needs of and against, or worse; got {table.marks!r}.")
    if table.spread not in SPREADS:
        raise StudyError(f"{where}: spread must be {', '.join(SPREADS)}; got {table.spread!r}.")
    axes = {"rows": table.rows, "columns": table.columns}
    _check_axes(where, experiments[table.experiment], table, axes, {"metric"})
    return table


def _read_pairs(where: str, pairs: dict[str, Any], published: dict[str, Any]) -> dict[str, Any]:
    if not {"a", "b"} <= set(pairs) <= {"a", "b", "overlap", "published"}:
        raise StudyError(
            f"{where}: pairs needs a and b, the titles of two columns, and may have overlap and "
            f"published; got {', '.join(sorted(pairs)) or 'nothing'}."
        )
    if isinstance(address := pairs.get("published"), str):
        return {**pairs, "published": _look_up(where, published, address)}
    return pairs


def _figure(entry: dict[str, Any], experiments: Mapping[str, Experiment]) -> FigureSpec | None:
    where = f"figure {entry.get('name', entry)!r}"
    _check_keys("figure", where, entry, _names_of(FigureSpec))
    if not {"name", "experiment", "x", "y"} <= set(entry):
        raise StudyError(f"{where} needs a name, an experiment, x and y.")
    if entry["experiment"] not in experiments:
        return None
    figure = FigureSpec(**{"title": entry["name"], **entry})
    if figure.kind not in _KINDS:
        raise StudyError(f"{where}: kind must be {', '.join(_KINDS)}; got {figure.kind!r}.")
    axes = {"series": figure.series, "panels": figure.panels}
    axes |= {} if figure.kind == "points" else {"x": figure.x}
    _check_axes(where, experiments[figure.experiment], figure, axes, {"place", ""})
    return figure


def _claim(entry: dict[str, Any]) -> Claim:
    _check_keys("claim", f"claim {entry.get('text', '')!r}", entry, _names_of(Claim))
    claim = Claim(**{"text": "", **entry, "checks": tuple(entry.get("checks", ()))})
    if claim.source not in SOURCES:
        raise StudyError(
            f"claim {claim.text!r}: source must be {', '.join(SOURCES)}; got {claim.source!r}."
        )
    if not claim.text or not (claim.checks or (claim.note and claim.source in _NOTED)):
        raise StudyError(
            "a claim needs a text and checks, or a note that says why nothing can be checked; a "
            "proposal a text and a note."
        )
    return claim


def _look_up(where: str, published: dict[str, Any], address: str) -> Any:
    """Find ``"file.key.key"`` among the published values."""
    found: Any = published
    for key in address.split("."):
        if not isinstance(found, dict) or key not in found:
            raise StudyError(f"{where}: there is nothing published at {address!r}.")
        found = found[key]
    return found


def _check_axes(
    where: str,
    experiment: Experiment,
    spec: TableSpec | FigureSpec,
    axes: Mapping[str, str],
    others: set[str],
) -> None:
    for key, axis in axes.items():
        if axis not in experiment.axes and axis not in others:
            raise StudyError(
                f"{where}: {key} is {axis!r}, but the experiment {experiment.name!r} has the axes "
                f"{', '.join(experiment.axes)}."
            )
    best = spec.best
    if best and (not best.get("over") or not set(best) <= {"over", "by", "least"}):
        raise StudyError(f"{where}: best needs over, and may have by and least; got {best!r}.")
    named = {"where": spec.where, "best": best.get("over", ()), "minus": spec.minus}
    for key, used in named.items():
        if unknown := set(used) - set(experiment.axes):
            raise StudyError(f"{where}: {key} names {sorted(unknown)[0]!r}, which is not an axis.")


def _names_of(spec: type) -> set[str]:
    return {entry.name for entry in fields(spec)}


def _check_keys(kind: str, where: str, entry: Mapping[str, Any], known: set[str]) -> None:
    if unknown := sorted(set(entry) - known):
        raise StudyError(
            f"{where} has {unknown[0]!r}, which is not known. Known in a {kind} are "
            f"{', '.join(sorted(known))}."
        )
