"""`mixedwood fit`: a table in a file to a model in a file."""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mixedwood.cli.errors import DataError, TimeIsUpError, interruptible
from mixedwood.cli.models import list_models, make_model
from mixedwood.cli.options import (
    DATA,
    Seconds,
    cannot_write,
    check_output,
    read_order,
)
from mixedwood.cli.tables import print_table

if TYPE_CHECKING:
    from mixedwood.data import Table
    from mixedwood.files import FileTable

_MOST_SHOWN = 40  # columns whose types are shown, unless --verbose


def _list(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or context.resilient_parsing:
        return
    models = list_models()
    width = max(map(len, models))
    for name, line in models.items():
        click.echo(f"{name:<{width}}  {line}")
    context.exit()


@click.command()
@click.argument("data", type=DATA)
@click.option("--target", required=True, help="Name of the column of classes.")
@click.option(
    "--output", "-o", required=True, type=click.Path(path_type=Path), help="The model file."
)
@click.option("--model", default="tree", show_default=True, help="What to fit; see --list.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A parameter of it.")
@click.option("--nominal", multiple=True, metavar="COLUMN", help="A column of numbers as labels.")
@click.option("--numeric", multiple=True, metavar="COLUMN", help="A column that must be numbers.")
@click.option("--ordinal", multiple=True, metavar="'COLUMN:S<M<L'", help="Labels with an order.")
@click.option("--drop", multiple=True, metavar="COLUMN", help="A column to leave out.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
@click.option("--jobs", type=int, help="Workers; -1 for one per core.")
@click.option("--time-limit", type=Seconds(), help="Such as 30s or 5m.")
@click.option("--check", is_flag=True, help="Estimate the error by tenfold cross-validation.")
@click.option("--json", "as_json", is_flag=True, help="For machines: a summary on stdout.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@click.option("--quiet", "-q", is_flag=True, help="No types, summary and progress.")
@click.option("--verbose", "-v", is_flag=True, help="All columns, and all parameters.")
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list,
    help="Name the models and recipes, and end.",
)
@interruptible
def fit(
    data: Path,
    target: str,
    output: Path,
    model: str,
    settings: tuple[str, ...],
    check: bool,
    as_json: bool,
    force: bool,
    quiet: bool,
    verbose: bool,
    **options: Any,
) -> None:
    """Fit a model to a CSV or Parquet file, - for the standard input, and save it.

    Types of columns are inferred and shown. Parameters are those of the Python class; values are
    Python or JSON literals, or text: --set max_depth=5 --set criterion=gini.
    """
    if str(output) == "-":
        raise click.UsageError("A model goes to a file; give --output a name such as model.mw.")
    check_output(output, force)
    orders = dict(map(read_order, options["ordinal"]))
    estimator = _prepare(model, settings, orders, options)
    table = _read(data, target, options, orders)
    typed = _types(data, table, orders)
    if not quiet:
        _show_types(data, typed, target, verbose)
    _check_classes(data, target, table.y)
    started = time.perf_counter()
    heard = _learn(estimator, table, data, quiet)
    facts = _facts(estimator, typed, table, target, data, time.perf_counter() - started)
    facts["warnings"] = heard
    _save(estimator, output, facts)
    facts["file"] = str(output)
    if not quiet:
        _tell(facts, estimator, verbose)
    if check:
        facts["cross_validation"] = _cross_validate(estimator, table, options, quiet)
    if as_json:
        click.echo(json.dumps(facts))


def _prepare(
    name: str, settings: tuple[str, ...], orders: dict[str, list[str]], options: dict[str, Any]
) -> Any:
    """Make the estimator and check its parameters, before any file is read."""
    from mixedwood.saving.checks import check_parameters

    estimator = make_model(name, settings)
    given = {text.partition("=")[0].strip() for text in settings}
    wanted = {
        "random_state": options["seed"],
        "n_jobs": options["jobs"],
        "time_limit": options["time_limit"],
        "ordinal": orders or None,
    }
    for parameter, value in wanted.items():
        if value is None or parameter in given:
            continue
        if parameter not in estimator.get_params(deep=False):
            click.echo(f"{type(estimator).__name__} has no {parameter}; it is ignored.", err=True)
            continue
        estimator.set_params(**{parameter: value})
    try:
        check_parameters(estimator)
    except (TypeError, ValueError) as error:
        raise click.UsageError(str(error)) from error
    return estimator


def _read(
    path: Path, target: str, options: dict[str, Any], orders: dict[str, list[str]]
) -> FileTable:
    from mixedwood.files import FileError, read_file

    try:
        return read_file(
            path,
            target,
            drop=options["drop"],
            nominal=[*options["nominal"], *orders],
            numeric=options["numeric"],
        )
    except FileError as error:
        raise DataError(str(error)) from error


def _types(path: Path, table: FileTable, orders: dict[str, list[str]]) -> Table:
    from mixedwood.data import read_table

    try:
        return read_table(table.X, ordinal=orders or None)
    except (TypeError, ValueError) as error:
        raise DataError(f"{path}: {error}") from error


def _show_types(path: Path, table: Table, target: str, verbose: bool) -> None:
    import numpy as np

    rows = []
    shown = list(zip(table.schema, table.arrays, strict=True))
    for column, array in shown if verbose else shown[:_MOST_SHOWN]:
        if column.is_numeric:
            known = array[~np.isnan(array)]
            values = f"{known.min():g} to {known.max():g}" if len(known) else "no values"
        else:
            named = [str(value) for value in column.values[:5]]
            join = " < " if column.kind == "ordinal" else ", "
            more = f"{join}..." if column.n_values > 5 else ""
            values = f"{column.n_values}: {join.join(named)}{more}"
        if len(values) > 50:
            values = values[:47] + "..."
        rows.append([column.name, str(column.kind), values, str(column.n_missing or "")])
    title = f"{path}: {table.n_rows} rows, {table.n_columns} columns besides {target}"
    print_table(title, ["column", "type", "values", "missing"], rows, n_text=3, err=True)
    if len(rows) < len(shown):
        click.echo(f"and {len(shown) - len(rows)} more columns; --verbose shows all.", err=True)
    for column in table.schema:
        if column.n_values > 1 and column.n_values == table.n_rows:
            click.echo(
                f"Every row has another value of {column.name!r}: if that is a name or a number of "
                f"the row, leave it out with --drop {column.name}.",
                err=True,
            )


def _check_classes(path: Path, target: str, y: Any) -> None:
    import numpy as np

    labels = np.unique(y)
    if len(labels) < 2:
        raise DataError(
            f"{path}: all {len(y)} rows have the class {labels[0].item()!r} in {target!r}; there "
            "is nothing to tell apart. Two classes or more are needed."
        )
    if len(labels) > 20 and len(labels) * 2 > len(y):
        example = ", ".join(repr(label.item()) for label in labels[:3])
        raise DataError(
            f"{path}: the column {target!r} has {len(labels)} different values in {len(y)} rows "
            f"({example}, ...): an amount, or a name of the row. mixedwood tells classes apart; "
            "choose another --target, or cut it into a few classes first."
        )


def _learn(estimator: Any, table: FileTable, path: Path, quiet: bool) -> list[str]:
    """Fit, with progress on a terminal only; give what was warned of."""
    loud = not quiet and sys.stderr.isatty() and getattr(estimator, "verbose", None) == 0
    if loud:
        estimator.set_params(verbose=1)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("default")
        try:
            estimator.fit(table.X, table.y)
        except TimeoutError as error:
            raise TimeIsUpError(str(error)) from error
        except (TypeError, ValueError) as error:
            # Columns and classes are read by now: what is refused is a parameter, or does not go
            # with the table.
            raise click.UsageError(str(error)) from error
        except MemoryError as error:
            raise click.ClickException(f"The memory does not suffice: {error}") from error
    if loud:
        estimator.set_params(verbose=0)
    if getattr(getattr(estimator, "proof_", None), "status", None) == "interrupted":
        raise KeyboardInterrupt  # the search kept its best tree, but nobody waits for it
    words = list(dict.fromkeys(str(warning.message) for warning in heard))
    for line in words:
        click.echo(f"Warning: {line}", err=True)
    return words


def _facts(
    estimator: Any, typed: Table, table: FileTable, target: str, path: Path, seconds: float
) -> dict[str, Any]:
    import numpy as np

    labels, counts = np.unique(table.y, return_counts=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrong = float((estimator.predict(table.X) != table.y).mean())
    facts: dict[str, Any] = {
        "model": " ".join(repr(estimator).split()),
        "target": target,
        "data": path.name if str(path) != "-" else "standard input",
        "rows": len(table.y),
        "columns": {column.name: str(column.kind) for column in typed.schema},
        "classes": {str(k): int(n) for k, n in zip(labels.tolist(), counts, strict=True)},
        "training_error": wrong,
        "seconds": round(seconds, 3),
    }
    return facts | size_of(estimator)


def size_of(estimator: Any) -> dict[str, Any]:
    """Leaves and depth of a tree, or how many trees there are."""
    if hasattr(estimator, "tree_"):
        return {"leaves": estimator.get_n_leaves(), "depth": estimator.get_depth()}
    if hasattr(estimator, "trees_"):
        trees = estimator.trees_
        mean = sum(tree.n_leaves for tree in trees) / len(trees)
        size = {"trees": len(trees), "mean_leaves": round(mean, 2)}
        return size | _chosen(estimator)
    return {"planes": len(estimator.machines_.z)}


def _chosen(estimator: Any) -> dict[str, Any]:
    """What of an ensemble is the forest's and what is boosting's, which `fit` may have chosen."""
    if not hasattr(estimator, "boosted_"):
        return {}
    return {
        "forest_trees": len(estimator.forest_.trees_),
        "boosted_rounds": estimator.boosted_.n_rounds_,
        "boosted_depth": max(tree.depth for tree in estimator.boosted_.trees_),
        "boosted_share": estimator.share_,
    }


def size_words(facts: dict[str, Any]) -> str:
    """Say how large a model is."""
    if "leaves" in facts:
        n = facts["leaves"]
        return f"{n} {'leaf' if n == 1 else 'leaves'}, depth {facts['depth']}"
    if "boosted_share" in facts:
        share = facts["boosted_share"]
        return (
            f"{facts['trees']} trees: a forest of {facts['forest_trees']}, which counts for "
            f"{100 * (1 - share):.0f} %, and {facts['boosted_rounds']} rounds of boosting to depth "
            f"{facts['boosted_depth']}, for {100 * share:.0f} %"
        )
    if "trees" in facts:
        return f"{facts['trees']} trees of {facts['mean_leaves']:g} leaves on average"
    return f"{facts['planes']} plane{'s' * (facts['planes'] > 1)}"


def _save(estimator: Any, output: Path, facts: dict[str, Any]) -> None:
    from mixedwood.saving import ModelFileError, save

    kept = ("target", "data", "rows", "classes", "training_error")
    try:
        save(estimator, output, about={name: facts[name] for name in kept})
    except OSError as error:
        raise cannot_write(output, error) from error
    except ModelFileError as error:
        raise click.ClickException(str(error)) from error


def _tell(facts: dict[str, Any], estimator: Any, verbose: bool) -> None:
    classes = ", ".join(f"{name} {n}" for name, n in list(facts["classes"].items())[:10])
    classes += ", ..." if len(facts["classes"]) > 10 else ""
    lines = [
        f"{facts['rows']} rows, {len(facts['classes'])} classes: {classes}",
        facts["model"],
        f"{size_words(facts)}; {100 * facts['training_error']:.2f} % of the training rows wrong; "
        f"{facts['seconds']:.2f} s",
    ]
    if verbose:
        lines += [f"  {name} = {v!r}" for name, v in estimator.get_params(deep=False).items()]
    lines.append(f"Written to {facts['file']}.")
    click.echo("\n".join(lines), err=True)


def _cross_validate(
    estimator: Any, table: FileTable, options: dict[str, Any], quiet: bool
) -> dict[str, Any]:
    """Estimate the error on rows that the model has not seen; the same folds as `compare`."""
    from sklearn.base import clone

    from mixedwood.comparison import compare

    try:
        found = compare(
            table.X,
            table.y,
            {"model": clone(estimator)},
            protocol="1x10cv",
            metrics=["error"],
            random_state=options["seed"],
            n_jobs=options["jobs"],
            verbose=int(not quiet and sys.stderr.isatty()),
        )
    except (TypeError, ValueError) as error:
        raise DataError(f"The error cannot be estimated: {error}") from error
    if found.failures:
        raise click.ClickException(
            f"{len(found.failures)} of 10 fits of the cross-validation failed, the first so:\n"
            f"{found.failures[0].traceback}"
        )
    mean, spread = float(found.means()[0, 0]), float(found.errors_of_means()[0, 0])
    if not quiet:
        click.echo(
            f"Tenfold cross-validation: {100 * mean:.2f} ± {100 * spread:.2f} % of rows wrong",
            err=True,
        )
    return {"protocol": found.protocol.name, "error": mean, "standard_error": spread}
