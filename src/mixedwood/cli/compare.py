"""`mixedwood compare`: estimators on the same folds of your own tables."""

from __future__ import annotations

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from mixedwood.cli._inputs import print_identifiers, read_costs
from mixedwood.cli._options import (
    Seconds,
    check_output,
    column_options,
    read_crossings,
    reading,
    write_output,
)
from mixedwood.cli._output import DataError, echo, echo_data, interruptible, print_table

if TYPE_CHECKING:
    from mixedwood.comparison import Comparison

_FORMATS = {
    ".txt": "text",
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
}
_NAMES = tuple(_FORMATS.values())
_FILE = click.Path(dir_okay=False, path_type=Path)


class _Command(click.Command):
    """A command whose option --methods takes several values, up to the next option or file."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the option for each value, as click expects it."""
        parsed: list[str] = []
        is_method = False
        for place, argument in enumerate(args):
            if argument.startswith("-"):
                is_method = argument == "--methods"
            elif is_method and args[place - 1] != "--methods":
                if Path(argument).exists():
                    is_method = False
                else:
                    parsed.append("--methods")
            parsed.append(argument)
        return super().parse_args(ctx, parsed)


@click.command(cls=_Command)
@click.argument(
    "data", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--target", required=True, help="The column to predict.")
@click.option(
    "--methods",
    multiple=True,
    metavar="NAME...",
    help="Methods to compare; see --list. Default: a selection of mixedwood and scikit-learn.",
)
@click.option(
    "--cv",
    default="5x2cv",
    show_default=True,
    help="Number of folds or cross-validation scheme; see --list.",
)
@click.option(
    "--task",
    default="auto",
    show_default=True,
    type=click.Choice(["auto", "classification", "regression"]),
    help="Whether the target is classes or numbers.",
)
@click.option("--metrics", default="", metavar="NAME,...", help="Metrics; see --list.")
@click.option(
    "--cost-matrix",
    metavar="FILE|JSON",
    help="Costs of mistakes, for the metric cost: JSON, or a JSON or CSV file.",
)
@click.option("--baseline", default=None, help="Method that the others are tested against.")
@click.option("--alpha", default=0.05, show_default=True, type=click.FloatRange(0, 1, True, True))
@column_options
@click.option(
    "--jobs", default=1, show_default=True, help="Number of parallel jobs; -1: all cores."
)
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
@click.option("--time-limit", type=Seconds(), help="Time limit of each fit, such as 30s or 5m.")
@click.option("--format", "form", type=click.Choice(_NAMES), help="Default: text, or by --output.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--output", "-o", type=_FILE, help="Write to a file.")
@click.option("--report", type=_FILE, help="Also write an HTML report with charts.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("--quiet", "-q", is_flag=True, help="Print no column types and no progress.")
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda *given: _list(*given),
    help="List the methods, cross-validation schemes and metrics, and exit.",
)
@interruptible
def compare(
    data: tuple[Path, ...],
    target: str,
    methods: tuple[str, ...],
    cv: str,
    metrics: str,
    task: Any,
    cost_matrix: str | None,
    seed: int,
    jobs: int,
    time_limit: float | None,
    output: Path | None,
    report: Path | None,
    force: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Compare methods by cross-validation on the same folds of CSV or Parquet files.

    Prints a table of scores that marks statistically significant differences. With several files,
    which all need the target column, the methods are also tested across datasets. A target of
    numbers with fractions, or of more than 20 different whole numbers, is predicted as a number;
    --task decides otherwise.
    """
    form = _format(options, output)
    _check_files(output, report, force)
    if form == "html" or report is not None:
        check_reports()

    from mixedwood import comparison

    named = [name for text in methods for name in text.replace(",", " ").split()]
    wanted = metrics.replace(",", " ").split() or None
    costs = None if cost_matrix is None else read_costs(cost_matrix)
    task = _check_names(named, cv, wanted, options["baseline"], costs, task)
    crossed = read_crossings(options["cross"])
    datasets = _read(data, target, task, options, crossed, quiet)
    task = _task_of(datasets, data)
    _check_names(named, cv, wanted, options["baseline"], costs, task)
    try:
        found = comparison.compare(
            datasets,
            methods=_crossing(named or None, crossed, task),
            cv=cv,
            metrics=wanted,
            task=task,
            cost_matrix=costs,
            random_state=seed,
            n_jobs=jobs,
            time_limit=time_limit,
            verbose=0 if quiet else 1,
        )
    except (TypeError, ValueError) as error:
        raise DataError(str(error)) from error
    _deliver(found, form, output, options["baseline"], options["alpha"])
    if report is not None:
        _deliver(found, "html", report, options["baseline"], options["alpha"])
    _report_failures(found)


def _crossing(methods: list[str] | None, crossed: Any, task: str) -> Any:
    """Set the columns to cross, of the methods that can cross columns."""
    if crossed is None:
        return methods
    from mixedwood.comparison.methods import read_methods

    made = read_methods(methods, task)
    for method in made.values():
        if "crossed_features" in method.get_params(deep=False):
            method.set_params(crossed_features=crossed)
    return made


def _check_files(output: Path | None, report: Path | None, force: bool) -> None:
    """Report files that cannot be written before the work, not after it."""
    for path in (output, report):
        check_output(path, force)
    if output is not None and report is not None and output.absolute() == report.absolute():
        raise click.UsageError(f"--output and --report are the same file, {report}.")


def check_reports() -> None:
    """Report that HTML reports are not installed before the work, not after it."""
    if find_spec("jinja2") is None:
        raise click.ClickException("HTML reports need jinja2: pip install 'mixedwood[cli]'.")


def _list(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or context.resilient_parsing:
        return
    from mixedwood import comparison

    for title, names in {
        "Methods": comparison.methods(),
        "Methods for numbers": comparison.methods("regression"),
        "Cross-validation schemes": comparison.cv_schemes(),
        "Metrics": comparison.metrics(),
        "Metrics for numbers": comparison.metrics("regression"),
    }.items():
        echo(f"{title}:")
        width = max(map(len, names))
        for name, line in names.items():
            echo(f"  {name:<{width}}  {line}")
        if title == "Methods":
            echo("  and presets, such as forest.bagging_c45: see mixedwood fit --list")
    context.exit()


def _format(options: dict[str, Any], output: Path | None) -> str:
    if options["as_json"]:
        if options["form"] not in (None, "json"):
            raise click.UsageError(f"--json and --format {options['form']} contradict each other.")
        return "json"
    if options["form"] is not None:
        return str(options["form"])
    return "text" if output is None else _FORMATS.get(output.suffix, "text")


def _check_names(
    methods: list[str],
    cv: str,
    metrics: list[str] | None,
    baseline: str | None,
    costs: Any,
    task: str,
) -> str:
    """Check names before any data is read, and find the task if they decide it.

    Wrong names are errors of usage; if the target decides the task, names of either are accepted.
    """
    if task == "auto":
        from mixedwood.comparison.methods import task_of

        if (stated := task_of(methods)) is not None:
            return _check_names(methods, cv, metrics, baseline, costs, stated)
        try:
            _check_names(methods, cv, metrics, baseline, costs, "classification")
        except click.UsageError:
            if not _only_numbers(methods, metrics):
                raise
            return _check_names(methods, cv, metrics, baseline, costs, "regression")
        return "auto"
    from mixedwood._params import COST_MATRIX, check_value
    from mixedwood.comparison import check_cv
    from mixedwood.comparison.methods import read_methods
    from mixedwood.comparison.metrics import read_metrics

    try:
        check_cv(cv)
        read_metrics(metrics, has_costs=costs is not None, task=task)
        check_value("compare", "cost_matrix", costs, COST_MATRIX)
        if task == "regression" and costs is not None:
            raise ValueError("--cost-matrix needs classes, but the target has numbers.")
        known = read_methods(methods or None, task)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if baseline is not None and baseline not in known:
        raise click.UsageError(
            f"--baseline {baseline} is not one of the methods: {', '.join(known)}."
        )
    return task


def _only_numbers(methods: list[str], metrics: list[str] | None) -> bool:
    """Whether a method or metric is named that only regression has."""
    from mixedwood import comparison

    named = {*methods, *(metrics or ())}
    numbers = {*comparison.methods("regression"), *comparison.metrics("regression")}
    return bool(named & (numbers - {*comparison.methods(), *comparison.metrics()}))


def _task_of(
    datasets: dict[str, tuple[Any, Any]], paths: tuple[Path, ...]
) -> Literal["classification", "regression"]:
    """Find the task by the targets, which must agree."""
    numeric = [y.dtype.kind == "f" for _, y in datasets.values()]
    if all(numeric):
        return "regression"
    if any(numeric):
        raise DataError(
            f"The target has numbers in {paths[numeric.index(True)]} and classes in "
            f"{paths[numeric.index(False)]}. Compare the files separately, or set --task."
        )
    return "classification"


def _read(
    paths: tuple[Path, ...],
    target: str,
    task: Any,
    options: dict[str, Any],
    crossed: Any,
    quiet: bool,
) -> dict[str, tuple[Any, Any]]:
    from mixedwood.data import read_table
    from mixedwood.data.file_tables import read_file
    from mixedwood.files import FileError

    datasets = {}
    how = reading(options)
    for path in paths:
        name = path.name.removesuffix(".gz").rpartition(".")[0] or path.name
        if name in datasets:
            raise click.UsageError(f"Two files have the name {name}; rename one of them.")
        try:
            table = read_file(
                path,
                target,
                drop=options["drop"],
                categorical=options["categorical"],
                task=task,
                options=how,
                dates=options["dates"],
            )
            listed = None if crossed == "auto" else crossed
            read = read_table(table.X, crossed_features=listed)
        except FileError as error:
            raise DataError(str(error)) from error
        except (TypeError, ValueError) as error:
            raise DataError(f"{path}: {error}") from error
        datasets[name] = (table.X, table.y)
        if not quiet:
            echo(f"{path}: {len(table.y)} rows, {read.schema.describe()}", err=True)
            print_identifiers(read, table.hints)
    return datasets


def _deliver(
    found: Comparison, form: str, output: Path | None, baseline: str | None, alpha: float
) -> None:
    if form == "text" and output is None and sys.stdout.isatty():
        show_comparison(found, baseline, alpha)
        return
    options = {} if form in ("csv", "json") else {"baseline": baseline, "alpha": alpha}
    text = getattr(found, f"to_{form}")(**options)
    if output is None:
        (echo if form == "text" else echo_data)(text)
        return
    write_output(output, (text if text.endswith("\n") else text + "\n").encode("utf-8"))


def show_comparison(found: Comparison, baseline: str | None = None, alpha: float = 0.05) -> None:
    """Print the table on a terminal, with lines if rich is installed."""
    from mixedwood.comparison.table import format_column, make_table

    width = max(60, shutil.get_terminal_size((80, 24)).columns)
    table = make_table(found, None, baseline, alpha)
    rows = [*table.rows, *table.summary]
    columns = [
        format_column(title, [cells[c] for _, cells in rows])
        for c, title in enumerate(table.header[1:])
    ]
    columns.insert(0, [table.header[0], *(name for name, _ in rows)])
    # Lines and spaces between columns take three characters each. A table with lines that is too
    # wide would break numbers; plain text continues below.
    if find_spec("rich") is None or sum(max(map(len, c)) + 3 for c in columns) >= width:
        echo(found.to_text(baseline=baseline, alpha=alpha, width=width))
        return
    # Padded here, because rich would align numbers without marks with the marks of others.
    padded = [[cell.rjust(max(map(len, column))) for cell in column] for column in columns[1:]]
    header, *lines = zip(columns[0], *padded, strict=True)
    print_table(table.title, header, lines, n_text=len(columns))
    for note in table.notes:
        echo(click.wrap_text(note, width))


def _report_failures(found: Comparison) -> None:
    n_folds = sum(len(dataset.n_test) for dataset in found.datasets) * len(found.methods)
    if len(found.failures) == n_folds:
        first = found.failures[0]
        raise click.ClickException(f"All fits failed. The first error:\n{first.traceback}")
    if found.failures:
        echo(f"{len(found.failures)} of {n_folds} fits failed.", err=True)
