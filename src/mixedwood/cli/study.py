"""`mixedwood study`: list, run, show, table and figure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mixedwood.cli._options import Seconds, write_output
from mixedwood.cli._output import DataError, echo, echo_data, interruptible

if TYPE_CHECKING:
    from mixedwood.study import Results

__all__ = ["study"]

_STORE = Path("mixedwood-studies.sqlite")

_store = click.option(
    "--store",
    type=click.Path(dir_okay=False, path_type=Path),
    default=_STORE,
    show_default=True,
    help="File in which finished tasks are kept.",
)
_quick = click.option("--quick", is_flag=True, help="The short version: minutes, less precise.")
_name = click.argument("name", metavar="STUDY")


@click.group()
def study() -> None:
    """Run studies, among them those of published papers, and compare with the published results."""


@study.command("list")
@_store
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_studies(store: Path, as_json: bool) -> None:
    """List the studies of the library, and the progress of each."""
    from mixedwood.study import read_study, studies

    rows = []
    for name in studies():
        row: dict[str, Any] = {"name": name, "title": read_study(name).title}
        for form, quick in (("quick", True), ("full", False)):
            found = _results(name, quick, store, must_exist=False)
            row[form] = {"tasks": found.n_tasks, "done": len(found.records)}
        rows.append(row)
    if as_json:
        echo_data(json.dumps(rows, indent=1))
        return
    for row in rows:
        echo(f"{row['name']}: {row['title']}")
        for form in ("quick", "full"):
            echo(f"  {form}: {row[form]['done']} of {row[form]['tasks']} tasks done")


@study.command("run")
@_name
@_quick
@_store
@click.option("--jobs", type=int, default=1, show_default=True, help="Worker processes; -1: all.")
@click.option("--scheduler", help="Address of a Dask scheduler, as tcp://host:8786.")
@click.option("--only", multiple=True, metavar="AXIS=VALUE", help="Restrict, as dataset=car.")
@click.option(
    "--skip-unavailable", is_flag=True, help="Skip datasets that are not on this machine."
)
@click.option("--retry-failed", is_flag=True, help="Repeat tasks that failed before.")
@click.option(
    "--time-limit", type=Seconds(), help="Start no further task after this time, such as 2h."
)
@click.option("-q", "--quiet", is_flag=True, help="Print no progress.")
@interruptible
def run_study(
    name: str,
    quick: bool,
    store: Path,
    jobs: int,
    scheduler: str | None,
    only: tuple[str, ...],
    skip_unavailable: bool,
    retry_failed: bool,
    time_limit: float | None,
    quiet: bool,
) -> None:
    """Run the remaining tasks of STUDY: the name of a listed study, or a file of your own.

    Finished tasks are kept. You can interrupt a run at any time; the same command resumes it.
    """
    from mixedwood.study import Store, StoreError, StudyError, run

    chosen: dict[str, list[str]] = {}
    for text in only:
        axis, equals, value = text.partition("=")
        if not equals:
            raise click.UsageError(f"--only {text}: write AXIS=VALUE, as dataset=car.")
        chosen.setdefault(axis, []).append(value)
    try:
        with Store(store) as kept:
            summary = run(
                _read(name, quick),
                kept,
                only=chosen,
                n_jobs=jobs,
                scheduler=scheduler,
                retry_failed=retry_failed,
                skip_unavailable=skip_unavailable,
                time_limit=time_limit,
                verbose=0 if quiet else 1,
            )
    except StoreError as error:
        raise click.ClickException(str(error)) from error
    except StudyError as error:
        raise DataError(str(error)) from error
    echo(f"{summary} Results are in {store}.", err=True)
    if summary.failed:
        echo(
            f"Show the failures with: mixedwood study show {name}. "
            "Repeat them with --retry-failed.",
            err=True,
        )
    if summary.failed and summary.failed == summary.done:
        raise click.exceptions.Exit(1)


@study.command("show")
@_name
@_quick
@_store
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show_study(name: str, quick: bool, store: Path, as_json: bool) -> None:
    """Show the progress of STUDY, its failures, and whether the paper's claims hold."""
    from mixedwood.study.tables import COUNTED

    found = _results(name, quick, store)
    if as_json:
        content = {
            "tasks": found.n_tasks,
            "done": len(found.records),
            "seconds": found.seconds,
            "failures": [
                {"task": r.label, "error": r.error, "traceback": r.traceback}
                for r in found.failures
            ],
            "tables": {
                t.spec.name: {kind: t.count(kind) for kind in COUNTED} for t in found.tables
            },
            "claims": [
                {
                    "id": v.claim.id,
                    "source": v.claim.source,
                    "claim": v.claim.text,
                    "verdict": v.verdict,
                    "evidence": v.evidence,
                }
                for v in found.verdicts
            ],
        }
        echo_data(json.dumps(content, indent=1))
        return
    echo(f"{found.study.title}: {len(found.records)} of {found.n_tasks} tasks done")
    for experiment, tasks in found.tasks.items():
        done = sum(task.key in found.records for task in tasks)
        echo(f"  {experiment}: {done} of {len(tasks)}")
    for table in found.tables:
        if table.n_judged:
            for kind, what in COUNTED.items():
                near, n = table.count(kind)
                if n:
                    text = f"{what.lower()}, {near} of {n} within two standard errors"
                    echo(f"{table.spec.title}: {text}")
    for verdict in found.verdicts:
        name = f"{verdict.claim.id} " if verdict.claim.id else ""
        echo(f"- {name}{verdict.claim.text}: {verdict.verdict.upper()}")
        for sentence in verdict.evidence:
            echo(f"    {sentence}")
    for record in found.failures:
        echo(f"failed: {record.label}\n{record.traceback}")


@study.command("table")
@_name
@_quick
@_store
@click.option("--table", "wanted", multiple=True, help="Only this table; may be repeated.")
@click.option(
    "--format", "form", type=click.Choice(["text", "markdown", "csv", "json"]), default="text"
)
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a report in Markdown, with its figures beside it.",
)
def show_tables(
    name: str, quick: bool, store: Path, wanted: tuple[str, ...], form: str, report: Path | None
) -> None:
    """Show the tables of STUDY beside the published values."""
    from mixedwood.study import StudyError

    found = _results(name, quick, store)
    if report is not None:
        _write_report(found, report, name, quick)
        return
    try:
        tables = [found.table(table) for table in wanted] or list(found.tables)
    except StudyError as error:
        raise click.UsageError(str(error)) from error
    from mixedwood.study.tables import FORMATS

    (echo if form == "text" else echo_data)(FORMATS[form](tables).rstrip())


@study.command("figure")
@_name
@_quick
@_store
@click.option(
    "-o", "--output", type=click.Path(file_okay=False, path_type=Path), default=Path("out")
)
@click.option("--format", "form", type=click.Choice(["png", "svg", "pdf"]), default="png")
def show_figures(name: str, quick: bool, store: Path, output: Path, form: str) -> None:
    """Draw the figures of STUDY into a directory."""
    from mixedwood.study import StudyError, draw_figures

    try:
        written = draw_figures(_results(name, quick, store), output, form=form)
    except StudyError as error:
        raise click.ClickException(str(error)) from error
    if not written:
        echo("No figure has enough results yet.", err=True)
    for path in written.values():
        echo_data(str(path))


def _read(name: str, quick: bool) -> Any:
    from mixedwood.study import StudyError, read_study

    try:
        return read_study(name, quick=quick)
    except StudyError as error:
        raise click.UsageError(str(error)) from error


def _results(name: str, quick: bool, store: Path, must_exist: bool = True) -> Results:
    from mixedwood.study import Store, StoreError, results

    try:
        where = store if must_exist or store.exists() else ":memory:"
        with Store(where, create=not must_exist) as kept:
            return results(_read(name, quick), kept)
    except StoreError as error:
        first = "" if store.exists() else f" Run it first: mixedwood study run {name}"
        raise DataError(f"{error}{first}") from error


def _write_report(found: Results, path: Path, name: str, quick: bool) -> None:
    from mixedwood.study import draw_figures, to_markdown

    command = f"mixedwood study run {name}{' --quick' if quick else ''}"
    figures = {key: drawn.name for key, drawn in draw_figures(found, path.parent).items()}
    write_output(path, to_markdown(found, command=command, figures=figures).encode("utf-8"))
