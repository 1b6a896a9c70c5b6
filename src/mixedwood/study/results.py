"""Results of a study: metrics from a store, as tables beside the published values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from mixedwood.study.definition import Study, StudyError, TableSpec, Verdict
from mixedwood.study.grid import TaskSpec, expand, matches
from mixedwood.study.store import Store, TaskRecord

__all__ = ["Cell", "PairedCell", "PublishedValue", "ResultTable", "Results", "results"]

MAX_Z_SCORE = 2.0  # up to which a cell agrees with the published one
_ALPHA = 0.05
_KINDS_BY_SOURCE = {  # what is counted of the two values of a cell
    "paper": {"published": "published", "check": "check"},
    "fault": {"published": "fault", "check": "check"},
    "fact": {"published": "fact", "check": "check"},
    "reference": {"published": "reference", "check": "reference"},
}

Found = list[tuple[TaskSpec, Mapping[str, Any]]]  # finished tasks and their metrics


@dataclass(frozen=True)
class PublishedValue:
    """A published value and its standard error: 0 where no spread is printed."""

    value: float
    error: float = 0.0
    assumed: bool = field(default=False, compare=False)  # whether the error is not printed


@dataclass(frozen=True)
class Cell:
    """The mean of `values`, beside the published value and that of a check run, if any.

    Attributes
    ----------
    table, row, column : str
        Where the cell is.
    values : tuple of float
        The metric of each repetition or fold.
    digits : int
        Decimals of the published value.
    published, check : PublishedValue or None
        The values of others.
    judged : bool
        Whether it can be near or far: times of another computer are neither.
    repetitions : tuple of float
        The mean of each repetition; folds of one repetition share rows.
    """

    table: str
    row: str
    column: str
    values: tuple[float, ...]
    digits: int = 1
    published: PublishedValue | None = None
    check: PublishedValue | None = None
    judged: bool = True
    repetitions: tuple[float, ...] = ()

    @property
    def ours(self) -> float:
        """Mean of the values; NaN if there are none."""
        return float(np.mean(self.values)) if self.values else math.nan

    @property
    def error(self) -> float:
        """Standard error of the mean: of repetitions, or of the values if there is one of them."""
        return _spread(self.values, self.repetitions)

    @property
    def z_score(self) -> float | None:
        """Difference from the published value, in standard errors of the difference."""
        return self._z_score(self.published)

    @property
    def check_z_score(self) -> float | None:
        """Difference from the check run, likewise."""
        return self._z_score(self.check)

    @property
    def near(self) -> bool | None:
        """Whether ours is within two standard errors of the published value or the check run.

        None where there is nothing to compare with.
        """
        if not self.judged:
            return None
        scores = [z for z in (self.z_score, self.check_z_score) if z is not None]
        return any(abs(z) <= MAX_Z_SCORE for z in scores) if scores else None

    @property
    def near_published(self) -> bool | None:
        """Whether ours is near the published value, whatever the check run says."""
        z = self.z_score
        return None if z is None or not self.judged else abs(z) <= MAX_Z_SCORE

    @property
    def near_check(self) -> bool | None:
        """Whether ours is near the check run, whatever was published."""
        z = self.check_z_score
        return None if z is None or not self.judged else abs(z) <= MAX_Z_SCORE

    @property
    def exactly_published(self) -> Cell:
        """The same cell, the values of others without errors that are assumed."""
        return replace(self, published=_exact(self.published), check=_exact(self.check))

    def _z_score(self, published: PublishedValue | None) -> float | None:
        if published is None or not self.values:
            return None
        difference = self.ours - published.value
        # A printed value is rounded: what rounds to the same is no difference.
        if abs(difference) <= 0.5 * 10.0**-self.digits * (1 + 1e-9):
            return 0.0
        total = math.hypot(self.error, published.error)
        return difference / total if total > 0 else math.copysign(math.inf, difference)


def standard_error(values: Sequence[float]) -> float:
    """Standard error of the mean; 0 for a single value."""
    n = len(values)
    return float(np.std(values, ddof=1)) / math.sqrt(n) if n > 1 else 0.0


def _spread(values: Sequence[float], repetitions: Sequence[float]) -> float:
    """Standard error over repetitions; over values if nothing is repeated."""
    return standard_error(repetitions if 1 < len(repetitions) <= len(values) else values)


def _assumed(other: PublishedValue | None, error: float) -> PublishedValue | None:
    """A printed value without a spread is as uncertain as ours."""
    if other is None or other.error:
        return other
    return PublishedValue(other.value, error, assumed=True)


def _exact(other: PublishedValue | None) -> PublishedValue | None:
    return PublishedValue(other.value) if other is not None and other.assumed else other


def read_published(entry: Any, n_runs: int) -> PublishedValue | None:
    """Read a published value: a number, or its mean and standard deviation over `n_runs`."""
    if entry is None:
        return None
    if isinstance(entry, int | float):
        return PublishedValue(float(entry))
    if isinstance(entry, Sequence) and len(entry) == 2:
        mean, deviation = map(float, entry)
        return PublishedValue(mean, deviation / math.sqrt(n_runs) if n_runs else 0.0)
    raise ValueError(f"A published value is a number or [mean, deviation]; got {entry!r}.")


def relative(cells: Mapping[tuple[str, str], Cell], to: str) -> dict[tuple[str, str], Cell]:
    """Divide every row by its value in one column, ours by ours and published by published.

    The column itself is left out, and so are rows that lack it.
    """
    found = {}
    for (row, column), cell in cells.items():
        base = cells.get((row, to))
        if column == to or base is None or not base.ours:
            continue
        found[row, column] = replace(
            cell,
            values=tuple(value / base.ours for value in cell.values),
            repetitions=tuple(value / base.ours for value in cell.repetitions),
            published=_divide(cell.published, base.published),
            check=_divide(cell.check, base.check),
        )
    return found


def _divide(value: PublishedValue | None, by: PublishedValue | None) -> PublishedValue | None:
    if value is None or by is None or not by.value:
        return None
    return PublishedValue(value.value / by.value, value.error / abs(by.value))


@dataclass(frozen=True)
class PairedCell:
    """A paired t test of two cells of a row.

    Attributes
    ----------
    row : str
        The row.
    difference : float
        The mean of the first less that of the second.
    p_value : float
        Two-sided, as if all repetitions were independent.
    corrected : float
        The same, corrected for repetitions that share training rows.
    published : float or None
        The published p-value.
    """

    row: str
    difference: float
    p_value: float
    corrected: float
    published: float | None = None

    def side(self, *, corrected: bool = False) -> int:
        """-1, 0 or 1: whether the first is lower, not different, or higher, at 5 %."""
        p_value = self.corrected if corrected else self.p_value
        return 0 if not p_value < _ALPHA else -1 if self.difference < 0 else 1


def compare_pair(
    row: str,
    first: Sequence[float],
    second: Sequence[float],
    overlap: float = 0.0,
    published: float | None = None,
) -> PairedCell | None:
    """Compare two cells; None if they have different repetitions, or only one.

    `overlap` is the number of test rows for each training row if repetitions divide the same rows
    again, and 0 if each has its own rows.
    """
    from mixedwood.stats import corrected_resampled_t_test, paired_t_test

    a, b = np.array(first, dtype=float), np.array(second, dtype=float)
    if len(a) != len(b) or len(a) < 2:
        return None
    difference = float(a.mean() - b.mean())
    if np.array_equal(a, b):
        return PairedCell(row, difference, 1.0, 1.0, published)
    p_value = corrected = float(paired_t_test(a, b).p_value)
    if overlap > 0 and math.isfinite(overlap):
        corrected = float(corrected_resampled_t_test(a, b, n_train=1.0, n_test=overlap).p_value)
    return PairedCell(row, difference, p_value, corrected, published)


@dataclass(frozen=True)
class ResultTable:
    """A table with its cells; cells without results are left out.

    `pairs` are the tests of two of its columns, if the table has any. `n_done` of its `n_tasks`
    tasks have results. `not_run` are the cells whose tasks have none, by row and column; where the
    best of several tasks is shown, also those that lack some of them.
    """

    spec: TableSpec
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[str, str], Cell]
    pairs: tuple[PairedCell, ...] = ()
    n_done: int = 0
    n_tasks: int = 0
    not_run: frozenset[tuple[str, str]] = frozenset()

    @property
    def n_near(self) -> int:
        """Number of cells within two standard errors of the published value."""
        return sum(cell.near is True for cell in self.cells.values())

    @property
    def n_judged(self) -> int:
        """Number of cells that have something to be compared with."""
        return sum(cell.near is not None for cell in self.cells.values())

    def count(self, kind: str, *, exact: bool = False) -> tuple[int, int]:
        """Number of cells near one kind of value, and of all: a kind of `COUNTED`.

        With `exact`, printed values without a spread are taken as exact even if the table assumes
        that they are as uncertain as ours.
        """
        cells = list(self.cells.values())
        if exact and self.spec.same_spread:
            cells = [cell.exactly_published for cell in cells]
        kinds = _KINDS_BY_SOURCE[self.spec.source]
        found = [
            getattr(cell, f"near_{which}")
            for which, of_kind in kinds.items()
            if of_kind == kind
            for cell in cells
        ]
        return found.count(True), len(found) - found.count(None)

    def column(self, name: str) -> dict[str, Cell]:
        """Return the cells of a column by row; raises if there is no such column."""
        if name not in self.columns:
            raise StudyError(
                f"The table {self.spec.name!r} has no column {name!r}; there are "
                f"{', '.join(self.columns)}."
            )
        return {row: cell for (row, column), cell in self.cells.items() if column == name}


@dataclass(frozen=True, eq=False)
class Results:
    """The results of a study so far; `results` reads them from a store."""

    study: Study
    records: Mapping[str, TaskRecord]
    tasks: Mapping[str, tuple[TaskSpec, ...]]  # of each experiment

    @property
    def n_tasks(self) -> int:
        """Number of tasks of the study."""
        return len({task.key for tasks in self.tasks.values() for task in tasks})

    @property
    def failures(self) -> tuple[TaskRecord, ...]:
        """Tasks that failed."""
        return tuple(r for r in self.records.values() if r.metrics is None)

    @property
    def seconds(self) -> float:
        """Total time of all finished tasks."""
        return sum(record.seconds for record in self.records.values())

    @property
    def versions(self) -> tuple[str, ...]:
        """Versions of the library that the tasks were run with."""
        return tuple(sorted({record.version for record in self.records.values()}))

    @cached_property
    def _finished(self) -> dict[str, Found]:
        """Tasks of each experiment that have metrics; used for every cell of a table."""
        return {
            experiment: [
                (task, record.metrics)
                for task in tasks
                if (record := self.records.get(task.key)) is not None and record.metrics is not None
            ]
            for experiment, tasks in self.tasks.items()
        }

    def select(
        self, experiment: str, where: Mapping[str, Any], best: Mapping[str, Any] | None = None
    ) -> Found:
        """Return the finished tasks of an experiment that match `where`, and their metrics.

        Of those that differ only in the axes of `best`, only the best, the first of equals.
        """
        found = [
            (task, metrics)
            for task, metrics in self._finished[experiment]
            if all(matches(task.point[axis], value) for axis, value in where.items())
        ]
        return _only_best(found, best) if best else found

    def values(
        self,
        experiment: str,
        metric: str,
        where: Mapping[str, Any],
        best: Mapping[str, Any] | None = None,
        minus: Mapping[str, Any] | None = None,
    ) -> list[Any]:
        """Return a metric of the tasks of `select`, in their order.

        With `minus`, less that of the task that differs in its axes only.
        """
        best = {"by": metric, **best} if best else None
        found = [(t, m[metric]) for t, m in self.select(experiment, where, best) if metric in m]
        if not minus:
            return [value for _, value in found]
        ignored = {*minus, *(best["over"] if best else ())}
        partners = {
            _other_axes(task, ignored): metrics[metric]
            for task, metrics in self.select(experiment, {**where, **minus}, best)
            if metric in metrics
        }
        pairs = [(value, partners.get(_other_axes(task, ignored))) for task, value in found]
        return [_subtract(value, partner) for value, partner in pairs if partner is not None]

    def numbers(self, *args: Any, **kwargs: Any) -> list[float]:
        """Return the numbers of `values`, with lists joined into one."""
        found: list[float] = []
        for entry in self.values(*args, **kwargs):
            found += entry if isinstance(entry, list) else [entry]
        return [float(number) for number in found]

    @cached_property
    def tables(self) -> tuple[ResultTable, ...]:
        """All tables, with the results so far."""
        return tuple(self._fill(table) for table in self.study.tables)

    def table(self, name: str) -> ResultTable:
        """Return a table by name."""
        for table in self.tables:
            if table.spec.name == name:
                return table
        names = ", ".join(table.spec.name for table in self.tables)
        raise StudyError(f"There is no table {name!r}; there are {names}.")

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Whether each claim of the paper holds."""
        from mixedwood.study.claims import judge

        tables = {table.spec.name: table for table in self.tables}
        return tuple(judge(claim, tables) for claim in self.study.claims)

    def axis_values(self, experiment: str, axis: str, where: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the values of an axis that match `where`."""
        values = self.study.experiments[experiment].axes[axis]
        return tuple(v for v in values if axis not in where or matches(v, where[axis]))

    def _along(self, table: TableSpec, axis: str) -> tuple[Any, ...]:
        if axis == "metric":
            return table.metrics
        return self.axis_values(table.experiment, axis, table.where)

    def _fill(self, table: TableSpec) -> ResultTable:
        rows, columns = (self._along(table, axis) for axis in (table.rows, table.columns))
        filled = (self._cell(table, row, column) for row in rows for column in columns)
        cells = {(cell.row, cell.column): cell for cell in filled if cell.values}
        title = self.study.title_of
        titles = tuple(title(table.columns, column) for column in columns)
        if table.relative_to:
            cells = relative(cells, table.relative_to)
            titles = tuple(name for name in titles if name != table.relative_to)
        n_done, n_tasks, not_run = self._progress(table)
        return ResultTable(
            table,
            tuple(title(table.rows, row) for row in rows),
            titles,
            cells,
            tuple(self._pairs(table, cells)) if table.pairs else (),
            n_done=n_done,
            n_tasks=n_tasks,
            not_run=not_run,
        )

    def _progress(self, table: TableSpec) -> tuple[int, int, frozenset[tuple[str, str]]]:
        """How many tasks of a table are done, and the cells that lack results."""
        of_cell: dict[tuple[str, str], list[bool]] = {}
        for task in self.tasks[table.experiment]:
            if not all(matches(task.point[axis], value) for axis, value in table.where.items()):
                continue
            record = self.records.get(task.key)
            done = record is not None and record.metrics is not None
            places = (
                [self.study.title_of(axis, value) for value in self._along(table, axis)]
                if axis == "metric"
                else [self.study.title_of(axis, task.point[axis])]
                for axis in (table.rows, table.columns)
            )
            for place in itertools.product(*places):
                of_cell.setdefault((place[0], place[1]), []).append(done)
        enough = all if table.best else any
        not_run = frozenset(place for place, done in of_cell.items() if not enough(done))
        counts = [done for of_one in of_cell.values() for done in of_one]
        per_task = len(table.metrics) if "metric" in (table.rows, table.columns) else 1
        return sum(counts) // per_task, len(counts) // per_task, not_run

    def _pairs(
        self, table: TableSpec, cells: Mapping[tuple[str, str], Cell]
    ) -> Iterator[PairedCell]:
        for row in self._along(table, table.rows):
            title = self.study.title_of(table.rows, row)
            first, second = (cells.get((title, table.pairs[name])) for name in ("a", "b"))
            if first is None or second is None:
                continue
            published = table.pairs.get("published", {}).get(title)
            overlap = self._overlap(table, row)
            if pair := compare_pair(title, first.values, second.values, overlap, published):
                yield pair

    def _overlap(self, table: TableSpec, row: Any) -> float:
        """Test rows for each training row where repetitions share rows; 0 if not given."""
        if (metric := table.pairs.get("overlap")) is None:
            return 0.0
        if isinstance(metric, int | float):
            return float(metric)
        where = {**table.where, **({} if table.rows == "metric" else {table.rows: row})}
        if not (found := self.numbers(table.experiment, metric, where)):
            raise StudyError(
                f"The table {table.name!r} has pairs by {metric!r}, which is not a metric."
            )
        return float(np.mean(found))

    def _cell(self, table: TableSpec, row: Any, column: Any) -> Cell:
        where, metric = dict(table.where), table.metrics[0]
        for axis, value in ((table.rows, row), (table.columns, column)):
            if axis == "metric":
                metric = value
            else:
                where[axis] = value
        row_title = self.study.title_of(table.rows, row)
        column_title = self.study.title_of(table.columns, column)
        found = self.numbers(table.experiment, metric, where, table.best, table.minus)
        values = tuple(table.factor * v for v in found)
        tasks = self.values(table.experiment, metric, where, table.best, table.minus)
        repetitions = tuple(table.factor * float(np.mean(entry)) for entry in tasks)
        if table.summary == "largest" and values:
            values = (max(values),)
        published, check = (
            read_published(source.get(row_title, {}).get(column_title), n_runs)
            for source, n_runs in (
                (table.published, table.published_runs),
                (table.check, table.check_runs),
            )
        )
        if table.same_spread:
            error = _spread(values, repetitions)
            published, check = (_assumed(other, error) for other in (published, check))
        return Cell(
            table=table.name,
            row=row_title,
            column=column_title,
            values=values,
            digits=table.digits,
            published=published,
            check=check,
            judged=table.judged,
            repetitions=repetitions,
        )


def results(study: Study, store: Store) -> Results:
    """Read the results of a study from a store.

    Examples
    --------
    >>> from mixedwood import study
    >>> with study.Store(":memory:") as store:
    ...     found = study.results(study.read_study("random_ordinality", quick=True), store)
    >>> len(found.records)
    0
    """
    tasks = {name: tuple(expand(study, e)) for name, e in study.experiments.items()}
    keys = {task.key for of_experiment in tasks.values() for task in of_experiment}
    return Results(study, store.records(keys), tasks)


def _other_axes(task: TaskSpec, ignored: set[str]) -> tuple[Any, ...]:
    """The point of a task without some axes."""
    return tuple((axis, value) for axis, value in task.point.items() if axis not in ignored)


def _only_best(found: Found, best: Mapping[str, Any]) -> Found:
    """Of the tasks that differ only in some axes, keep the best."""
    kept: dict[tuple[Any, ...], tuple[TaskSpec, Mapping[str, Any]]] = {}
    sign = -1 if best.get("least") else 1
    for task, metrics in found:
        if best["by"] not in metrics:
            continue
        place = _other_axes(task, set(best["over"]))
        score = sign * np.mean(metrics[best["by"]])
        if place not in kept or score > sign * np.mean(kept[place][1][best["by"]]):
            kept[place] = (task, metrics)
    return list(kept.values())


def _subtract(value: Any, partner: Any) -> Any:
    if isinstance(value, list):
        return [a - b for a, b in zip(value, partner, strict=True)]
    return value - partner
