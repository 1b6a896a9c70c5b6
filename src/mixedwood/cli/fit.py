"""`mixedwood fit`: fit a model to a file and save it."""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mixedwood._catalogue import CATALOGUE
from mixedwood.cli._bar import bar_after_two_seconds
from mixedwood.cli._inputs import check_classes, infer_types, print_types, read_training
from mixedwood.cli._models import (
    list_models,
    make_model,
    model_of_task,
    model_summary,
    print_summary,
)
from mixedwood.cli._options import (
    TABLE,
    Bytes,
    Seconds,
    cannot_write,
    check_output,
    column_options,
    list_files,
    read_crossings,
    read_order,
    reading,
)
from mixedwood.cli._output import DataError, NoModelError, echo, echo_data, interruptible
from mixedwood.cli._pieces import are_in_pieces, check_options, fit_in_pieces

if TYPE_CHECKING:
    from mixedwood.data.file_tables import FileTable
    from mixedwood.files import ReadOptions


def _list(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or context.resilient_parsing:
        return
    models = list_models()
    width = max(map(len, models))
    for name, line in models.items():
        echo(f"{name:<{width}}  {line}")
    context.exit()


@click.command()
@click.argument("data", type=TABLE, nargs=-1, required=True, callback=list_files)
@click.option("--target", required=True, help="The column to predict.")
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(path_type=Path),
    help="The model file to write.",
)
@click.option("--model", default="tree", show_default=True, help="The model to fit; see --list.")
@click.option(
    "--task",
    default="auto",
    show_default=True,
    type=click.Choice(["auto", "classification", "regression"]),
    help="Whether the target is classes or numbers.",
)
@click.option(
    "--param", "params", multiple=True, metavar="NAME=VALUE", help="A parameter of the model."
)
@click.option("--numeric", multiple=True, metavar="COLUMN", help="A column that must be numeric.")
@click.option(
    "--ordinal",
    multiple=True,
    metavar="'COLUMN:S<M<L'",
    help="An ordered column and its categories in order.",
)
@column_options
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
@click.option("--jobs", type=int, help="Number of parallel jobs; -1: all cores.")
@click.option("--time-limit", type=Seconds(), help="Time limit of the fit, such as 30s or 5m.")
@click.option(
    "--cross-validate",
    "n_folds",
    is_flag=False,
    flag_value=10,
    type=click.IntRange(2),
    metavar="[FOLDS]",
    help="Estimate the error by cross-validation; 10 folds unless a number is given.",
)
@click.option(
    "--in-pieces",
    is_flag=True,
    help="Read Parquet or Arrow files in pieces, once per level of the tree.",
)
@click.option(
    "--memory-limit",
    type=Bytes(),
    help="Read files in pieces only if they need more memory than this, such as 2GB.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Let the workers of a Dask scheduler read the files, as tcp://host:8786.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a summary as JSON.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("--quiet", "-q", is_flag=True, help="Print warnings and errors only.")
@click.option("--verbose", "-v", is_flag=True, help="Print all columns and all parameters.")
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list,
    help="List the models and presets, and exit.",
)
@interruptible
def fit(
    data: list[Path],
    target: str,
    output: Path,
    model: str,
    params: tuple[str, ...],
    n_folds: int | None,
    in_pieces: bool,
    memory_limit: int | None,
    scheduler: str | None,
    as_json: bool,
    force: bool,
    quiet: bool,
    verbose: bool,
    **options: Any,
) -> None:
    """Fit a model to a CSV, Parquet, Arrow, JSON lines or Excel file, and save it.

    The format is recognized by the content; - is the standard input. Several Parquet or Arrow
    files, a folder of Parquet files, or a pattern such as 'big/*.parquet' are one table. It is read
    in pieces, unless --memory-limit allows to read it at once.

    Types of columns are inferred and shown. A target of numbers with fractions, or of more than 20
    different whole numbers, is predicted as a number; --task decides otherwise. Parameters are
    those of the Python class; values are Python or JSON literals, or text: --param max_depth=5
    --param criterion=gini.
    """
    if str(output) == "-":
        raise click.UsageError(
            "A model cannot go to the standard output; give --output a file name, as model.mw."
        )
    check_output(output, force)
    orders = dict(map(read_order, options["ordinal"]))
    how = reading(options)
    entry = CATALOGUE.get(model.partition(".")[0])
    if entry is not None and entry.task == "regression" and options["task"] == "auto":
        options["task"] = "regression"
    _check_early(model, params, orders, options)
    if in_pieces or scheduler or are_in_pieces(data, memory_limit):
        # Without --task, the target of files in pieces has classes.
        task = "regression" if options["task"] == "regression" else "classification"
        estimator = _prepare(model_of_task(model, task), params, orders, options)
        check_options(estimator, data, {**options, "n_folds": n_folds})
        facts = fit_in_pieces(
            estimator, data, target, options["categorical"], quiet, scheduler=scheduler
        )
        _finish(estimator, output, facts, quiet, verbose)
    else:
        facts = _fit_whole(
            data, target, output, model, params, orders, options, how, n_folds, quiet, verbose
        )
    if as_json:
        echo_data(json.dumps(facts))


def _finish(
    estimator: Any, output: Path, facts: dict[str, Any], quiet: bool, verbose: bool
) -> None:
    """Save the model and print the summary."""
    _save(estimator, output, facts)
    facts["file"] = str(output)
    if not quiet:
        print_summary(facts, estimator, verbose)
    if facts.get("leaves", facts.get("mean_leaves")) == 1 and not hasattr(estimator, "leaf_terms_"):
        echo(
            "The model has no split: none was found that improves predictions, and all rows get "
            f"the same. Are the columns read as intended, and is {facts['target']!r} the right "
            "target?",
            err=True,
        )


def _fit_whole(
    paths: list[Path],
    target: str,
    output: Path,
    model: str,
    params: tuple[str, ...],
    orders: dict[str, list[str]],
    options: dict[str, Any],
    how: ReadOptions,
    n_folds: int | None,
    quiet: bool,
    verbose: bool,
) -> dict[str, Any]:
    """Read the table, fit, and save."""
    data = paths[0] if len(paths) == 1 else Path(f"{len(paths)} files")
    table = read_training(paths[0] if len(paths) == 1 else paths, target, options, orders, how)
    task = "regression" if table.is_numeric else "classification"
    estimator = _prepare(model_of_task(model, task), params, orders, options)
    typed = infer_types(data, table, orders)
    if not quiet:
        print_types(data, typed, target, verbose, table.hints)
    if not table.is_numeric:
        check_classes(data, target, table.y)
    started = time.perf_counter()
    caught = _fit(estimator, table, data, quiet)
    facts = model_summary(estimator, typed, table, target, data, time.perf_counter() - started)
    facts["warnings"] = caught
    if table.options.to_dict():
        facts["reading"] = table.options.to_dict()
    _finish(estimator, output, facts, quiet, verbose)
    if n_folds is not None:
        facts["cross_validation"] = _cross_validate(estimator, table, n_folds, options, quiet)
    return facts


def _check_early(
    model: str, params: tuple[str, ...], orders: dict[str, list[str]], options: dict[str, Any]
) -> None:
    """Raise errors of parameters before any file is read, unless the target decides."""
    tasks = ("classification", "regression") if options["task"] == "auto" else (options["task"],)
    errors = []
    for task in tasks:
        try:
            _prepare(model_of_task(model, task), params, orders, options, quiet=True)
        except click.UsageError as error:
            errors.append(error)
    if len(errors) == len(tasks):
        raise errors[0]


def _prepare(
    name: str,
    params: tuple[str, ...],
    orders: dict[str, list[str]],
    options: dict[str, Any],
    *,
    quiet: bool = False,
) -> Any:
    """Make the estimator and check its parameters."""
    from mixedwood.saving.writer import check_parameters

    estimator = make_model(name, params)
    given = {text.partition("=")[0].strip() for text in params}
    wanted = {
        "random_state": options["seed"],
        "n_jobs": options["jobs"],
        "time_limit": options["time_limit"],
        "ordinal_features": orders or None,
        "crossed_features": read_crossings(options["cross"]),
    }
    for parameter, value in wanted.items():
        if value is None or parameter in given:
            continue
        if parameter not in estimator.get_params(deep=False):
            if not quiet:
                echo(
                    f"{type(estimator).__name__} has no parameter {parameter!r}; option ignored.",
                    err=True,
                )
            continue
        estimator.set_params(**{parameter: value})
    try:
        check_parameters(estimator)
    except (TypeError, ValueError) as error:
        raise click.UsageError(str(error)) from error
    return estimator


def _fit(estimator: Any, table: FileTable, path: Path, quiet: bool) -> list[str]:
    """Fit, with progress on a terminal only; give the warnings."""
    is_shown = not quiet and not getattr(estimator, "verbose", 0)
    with warnings.catch_warnings(record=True) as recorded, bar_after_two_seconds("fit", is_shown):
        warnings.simplefilter("default")
        try:
            estimator.fit(table.X, table.y)
        except TimeoutError as error:
            raise NoModelError(str(error)) from error
        except (TypeError, ValueError) as error:
            # Columns and classes were checked before: this is about parameters.
            raise click.UsageError(str(error)) from error
        except MemoryError as error:
            raise click.ClickException(f"Not enough memory: {error}") from error
    if getattr(getattr(estimator, "proof_", None), "status", None) == "interrupted":
        raise KeyboardInterrupt  # the search kept its best tree, but nobody waits for it
    from mixedwood.estimators import IdentifierWarning

    categories = {str(warning.message): warning.category for warning in recorded}
    for line, category in categories.items():
        if quiet or category is not IdentifierWarning:  # printed with the table
            echo(f"Warning: {line}", err=True)
    return list(categories)


def _save(estimator: Any, output: Path, facts: dict[str, Any]) -> None:
    from mixedwood.saving import ModelFileError, save_model

    kept = (
        *("task", "target", "data", "rows", "classes", "training_error", "training_rmse"),
        "reading",
    )
    about = {name: facts[name] for name in kept if name in facts}
    try:
        save_model(estimator, output, about=about)
    except OSError as error:
        raise cannot_write(output, error) from error
    except ModelFileError as error:
        raise click.ClickException(str(error)) from error


def _cross_validate(
    estimator: Any, table: FileTable, n_folds: int, options: dict[str, Any], quiet: bool
) -> dict[str, Any]:
    """Estimate the error on new rows, with the same folds as `compare`."""
    from sklearn.base import clone

    from mixedwood.comparison import compare

    if table.is_numeric:
        return _cross_validate_numbers(estimator, table, n_folds, options, quiet)
    try:
        found = compare(
            table.X,
            table.y,
            {"model": clone(estimator)},
            cv=n_folds,
            metrics=["error"],
            random_state=options["seed"],
            n_jobs=options["jobs"],
            verbose=int(not quiet and sys.stderr.isatty()),
        )
    except (TypeError, ValueError) as error:
        raise DataError(f"Cross-validation failed: {error}") from error
    if found.failures:
        raise click.ClickException(
            f"{len(found.failures)} of {n_folds} fits of the cross-validation failed. The first "
            f"error:\n"
            f"{found.failures[0].traceback}"
        )
    mean, spread = float(found.means()[0, 0]), float(found.standard_errors()[0, 0])
    if not quiet:
        echo(
            f"{n_folds}-fold cross-validation: error {100 * mean:.2f} % "
            f"(standard error {100 * spread:.2f} %)",
            err=True,
        )
    return {"cv": found.cv.name, "error": mean, "standard_error": spread}


def _cross_validate_numbers(
    estimator: Any, table: FileTable, n_folds: int, options: dict[str, Any], quiet: bool
) -> dict[str, Any]:
    """Estimate the root mean squared error on new rows."""
    import numpy as np
    from sklearn.base import clone
    from sklearn.model_selection import KFold

    from mixedwood.explain.format import format_number

    n_rows = len(table.y)
    if n_folds > n_rows:
        raise DataError(
            f"Cross-validation failed: {n_folds} folds need as many rows; got {n_rows}."
        )
    errors = []
    for train, test in KFold(n_folds, shuffle=True, random_state=options["seed"]).split(table.y):
        rows, others = table.take(train), table.take(test)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the same as those of the fit
            predicted = clone(estimator).fit(rows.X, rows.y).predict(others.X)
        errors.append(float(np.sqrt(np.mean((predicted - others.y) ** 2))))
    mean, spread = float(np.mean(errors)), float(np.std(errors, ddof=1) / np.sqrt(n_folds))
    if not quiet:
        sd = float(table.y.std())
        echo(
            f"{n_folds}-fold cross-validation: RMSE {format_number(mean, sd)} "
            f"(standard error {format_number(spread, sd)})",
            err=True,
        )
    return {"cv": f"{n_folds}-fold", "rmse": mean, "standard_error": spread}
