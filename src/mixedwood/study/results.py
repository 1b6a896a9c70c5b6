"""What a study found: figures from a store, as tables beside the published ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from mixedwood.study.cells import Cell, Theirs, read_theirs, relative
from mixedwood.study.claims import Verdict, judge
from mixedwood.study.definition import Study, StudyError, Table
from mixedwood.study.points import Point, agrees, points
from mixedwood.study.store import Record, Store

__all__ = ["FilledTable", "Results", "results"]


@dataclass(frozen=True)
class FilledTable:
    """A table with its cells, row by row; cells that were not run are left out."""

    table: Table
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[str, str], Cell]

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

    def values(self, run: str, figure: str, where: Mapping[str, Any]) -> list[Any]:
        """Give a figure at all finished points of a run that agree with `where`, in their order."""
        found: list[Any] = []
        for point in self.points[run]:
            record = self.records.get(point.key)
            if record is None or record.figures is None or figure not in record.figures:
                continue
            if all(agrees(point.at[axis], value) for axis, value in where.items()):
                found.append(record.figures[figure])
        return found

    def flat(self, run: str, figure: str, where: Mapping[str, Any]) -> list[float]:
        """Give the numbers of `values`: those of lists one after the other."""
        found: list[float] = []
        for entry in self.values(run, figure, where):
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
        )

    def _cell(self, table: Table, row: Any, column: Any) -> Cell:
        where, figure = dict(table.where), table.figures[0]
        for axis, value in ((table.rows, row), (table.columns, column)):
            if axis == "figure":
                figure = value
            else:
                where[axis] = value
        row_title = self.study.title_of(table.rows, row)
        column_title = self.study.title_of(table.columns, column)
        values = tuple(table.factor * v for v in self.flat(table.run, figure, where))
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
