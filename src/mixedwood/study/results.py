"""What a study found: figures from a store, as tables beside the published ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from mixedwood.study.cells import Cell, Theirs, read_theirs, relative
from mixedwood.study.claims import Verdict, judge
from mixedwood.study.definition import Study, StudyError, Table
from mixedwood.study.pairs import Pair, compare_pair
from mixedwood.study.points import Point, agrees, points
from mixedwood.study.store import Record, Store

__all__ = ["FilledTable", "Results", "results"]


@dataclass(frozen=True)
class FilledTable:
    """A table with its cells, row by row; cells that were not run are left out.

    `pairs` are the tests of two of its columns, if the table asks for them.
    """

    table: Table
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[str, str], Cell]
    pairs: tuple[Pair, ...] = ()

    @property
    def n_near(self) -> int:
        """Count the cells within two standard errors of what is published."""
        return sum(cell.near is True for cell in self.cells.values())

    @property
    def n_judged(self) -> int:
        """Count the cells that have something to be compared with."""
        return sum(cell.near is not None for cell in self.cells.values())

    def column(self, name: str) -> dict[str, Cell]:
        """Give the cells of a column by row."""
        return {row: cell for (row, column), cell in self.cells.items() if column == name}


@dataclass(frozen=True, eq=False)
class Results:
    """What a study found so far; `results` reads it from a store."""

    study: Study
    records: Mapping[str, Record]
    points: Mapping[str, tuple[Point, ...]]  # of each run

    @property
    def n_tasks(self) -> int:
        """Count all tasks of the study."""
        return len({point.key for of_run in self.points.values() for point in of_run})

    @property
    def failures(self) -> tuple[Record, ...]:
        """Tasks that failed."""
        return tuple(r for r in self.records.values() if r.figures is None)

    @property
    def seconds(self) -> float:
        """Time that all finished tasks took together."""
        return sum(record.seconds for record in self.records.values())

    @property
    def versions(self) -> tuple[str, ...]:
        """Versions of the library that the tasks were done with."""
        return tuple(sorted({record.version for record in self.records.values()}))

    @cached_property
    def _finished(self) -> dict[str, list[tuple[Point, Mapping[str, Any]]]]:
        """Points of each run that have figures, found once: a table asks for each of its cells."""
        found: dict[str, list[tuple[Point, Mapping[str, Any]]]] = {name: [] for name in self.points}
        for run, of_run in self.points.items():
            for point in of_run:
                record = self.records.get(point.key)
                if record is not None and record.figures is not None:
                    found[run].append((point, record.figures))
        return found

    def found_at(
        self, run: str, where: Mapping[str, Any], best: Mapping[str, Any] | None = None
    ) -> list[tuple[Point, Mapping[str, Any]]]:
        """Give the finished points of a run that agree with `where`, and what was found there.

        Of those that differ only in the axes of `best`, the best one alone, the first of equals.
        """
        found = [
            (point, figures)
            for point, figures in self._finished[run]
            if all(agrees(point.at[axis], value) for axis, value in where.items())
        ]
        return _only_best(found, best) if best else found

    def values(
        self,
        run: str,
        figure: str,
        where: Mapping[str, Any],
        best: Mapping[str, Any] | None = None,
        minus: Mapping[str, Any] | None = None,
    ) -> list[Any]:
        """Give a figure at the points of `found_at`, in their order.

        With `minus`, less that of the point that differs in its axes only.
        """
        best = {"by": figure, **best} if best else None
        found = [(p, f[figure]) for p, f in self.found_at(run, where, best) if figure in f]
        if not minus:
            return [value for _, value in found]
        apart = {*minus, *(best["over"] if best else ())}
        partners = {
            _place(p, apart): f[figure]
            for p, f in self.found_at(run, {**where, **minus}, best)
            if figure in f
        }
        both = [(value, partners.get(_place(p, apart))) for p, value in found]
        return [_less(value, partner) for value, partner in both if partner is not None]

    def flat(self, *asked: Any, **more: Any) -> list[float]:
        """Give the numbers of `values`: those of lists one after the other."""
        found: list[float] = []
        for entry in self.values(*asked, **more):
            found += entry if isinstance(entry, list) else [entry]
        return [float(number) for number in found]

    @cached_property
    def tables(self) -> tuple[FilledTable, ...]:
        """All tables, with what was found so far."""
        return tuple(self._fill(table) for table in self.study.tables)

    def table(self, name: str) -> FilledTable:
        """Give a table by name."""
        for filled in self.tables:
            if filled.table.name == name:
                return filled
        names = ", ".join(t.table.name for t in self.tables)
        raise StudyError(f"There is no table {name!r}; there are {names}.")

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What became of each claim of the paper."""
        tables = {filled.table.name: filled for filled in self.tables}
        return tuple(judge(claim, tables) for claim in self.study.claims)

    def axis_values(self, run: str, axis: str, table: Table | None = None) -> tuple[Any, ...]:
        """Give the values of an axis; ``"figure"`` is the figures of a table."""
        if axis == "figure":
            return table.figures if table is not None else ()
        chosen = None if table is None else table.where.get(axis)
        values = self.study.runs[run].axes[axis]
        if chosen is None:
            return tuple(values)
        return tuple(value for value in values if agrees(value, chosen))

    def _fill(self, table: Table) -> FilledTable:
        rows = self.axis_values(table.run, table.rows, table)
        columns = self.axis_values(table.run, table.columns, table)
        cells = {}
        for row in rows:
            for column in columns:
                cell = self._cell(table, row, column)
                if cell.values:
                    cells[cell.row, cell.column] = cell
        title = self.study.title_of
        titles = tuple(title(table.columns, column) for column in columns)
        if table.relative_to:
            cells = relative(cells, table.relative_to)
            titles = tuple(name for name in titles if name != table.relative_to)
        return FilledTable(
            table,
            tuple(title(table.rows, row) for row in rows),
            titles,
            cells,
            tuple(self._pairs(table, cells)) if table.pairs else (),
        )

    def _pairs(self, table: Table, cells: Mapping[tuple[str, str], Cell]) -> Iterator[Pair]:
        words = table.pairs
        for row in self.axis_values(table.run, table.rows, table):
            title = self.study.title_of(table.rows, row)
            first, second = (cells.get((title, words[name])) for name in ("a", "b"))
            if first is None or second is None:
                continue
            theirs = words.get("published", {}).get(title)
            overlap = self._overlap(table, row)
            if pair := compare_pair(title, first.values, second.values, overlap, theirs):
                yield pair

    def _overlap(self, table: Table, row: Any) -> float:
        """How far the repetitions of a row share rows; 0 if nothing is said about it."""
        if (figure := table.pairs.get("overlap")) is None:
            return 0.0
        if isinstance(figure, int | float):
            return float(figure)
        where = {**table.where, **({} if table.rows == "figure" else {table.rows: row})}
        if not (found := self.flat(table.run, figure, where)):
            raise StudyError(
                f"The table {table.name!r} has pairs by {figure!r}, which is no figure."
            )
        return float(np.mean(found))

    def _cell(self, table: Table, row: Any, column: Any) -> Cell:
        where, figure = dict(table.where), table.figures[0]
        for axis, value in ((table.rows, row), (table.columns, column)):
            if axis == "figure":
                figure = value
            else:
                where[axis] = value
        row_title = self.study.title_of(table.rows, row)
        column_title = self.study.title_of(table.columns, column)
        found = self.flat(table.run, figure, where, table.best, table.minus)
        values = tuple(table.factor * v for v in found)
        if table.summary == "largest" and values:
            values = (max(values),)
        cell = Cell(
            table=table.name,
            row=row_title,
            column=column_title,
            values=values,
            digits=table.digits,
            published=read_theirs(
                table.published.get(row_title, {}).get(column_title), table.published_runs
            ),
            check=read_theirs(table.check.get(row_title, {}).get(column_title), table.check_runs),
            judged=table.judged,
        )
        if table.same_spread and cell.published is not None and not cell.published.error:
            cell = replace(cell, published=Theirs(cell.published.value, cell.error))
        return cell


def results(study: Study, store: Store) -> Results:
    """Read what a store has of a study.

    Examples
    --------
    >>> from mixedwood import study
    >>> with study.Store(":memory:") as store:
    ...     found = study.results(study.load("random_ordinality", quick=True), store)
    >>> len(found.records)
    0
    """
    spread = {name: tuple(points(study, run)) for name, run in study.runs.items()}
    keys = {point.key for of_run in spread.values() for point in of_run}
    return Results(study, store.records(keys), spread)


def _place(point: Point, apart: set[str]) -> tuple[Any, ...]:
    """Where a point is on all axes but some."""
    return tuple((axis, value) for axis, value in point.at.items() if axis not in apart)


def _only_best(
    found: list[tuple[Point, Mapping[str, Any]]], best: Mapping[str, Any]
) -> list[tuple[Point, Mapping[str, Any]]]:
    """Of the points that differ only in some axes, keep the best."""
    kept: dict[tuple[Any, ...], tuple[Point, Mapping[str, Any]]] = {}
    sign = -1 if best.get("least") else 1
    for point, figures in found:
        if best["by"] not in figures:
            continue
        place = _place(point, set(best["over"]))
        score = sign * np.mean(figures[best["by"]])
        if place not in kept or score > sign * np.mean(kept[place][1][best["by"]]):
            kept[place] = (point, figures)
    return list(kept.values())


def _less(value: Any, partner: Any) -> Any:
    if isinstance(value, list):
        return [a - b for a, b in zip(value, partner, strict=True)]
    return value - partner
