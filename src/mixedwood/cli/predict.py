"""`mixedwood predict`: the classes or numbers of new rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from mixedwood.cli._inputs import open_model, read_rows, reported, same_labels
from mixedwood.cli._options import DATA, MODEL, check_output, reading_options, write_output
from mixedwood.cli._output import echo, echo_data, interruptible


@click.command()
@click.argument("model", type=MODEL)
@click.argument("data", type=DATA)
@click.option("--output", "-o", type=click.Path(path_type=Path), help="CSV, or Parquet by ending.")
@click.option("--proba", is_flag=True, help="Add the probability of each class.")
@click.option(
    "--quantile",
    "quantiles",
    multiple=True,
    type=click.FloatRange(0, 1),
    help="Add a quantile of the number; for forests.",
)
@click.option(
    "--explain", is_flag=True, help="Add the decision path of each row; for single trees."
)
@click.option("--keep", multiple=True, metavar="COLUMN", help="A column to copy to the output.")
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document per row.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("--quiet", "-q", is_flag=True, help="Print errors only.")
@interruptible
def predict(
    model: Path,
    data: Path,
    output: Path | None,
    proba: bool,
    quantiles: tuple[float, ...],
    explain: bool,
    keep: tuple[str, ...],
    as_json: bool,
    force: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Predict classes or numbers of the rows of a file, - for the standard input.

    The file is read like the training data, unless an option says otherwise. Columns are matched by
    name, in any order, and read with the types of the training data. The result is CSV on the
    standard output, or a file with --output.
    """
    check_output(output, force)
    opened = open_model(model)
    estimator = opened.model
    if proba and not hasattr(estimator, "predict_proba"):
        raise click.UsageError(
            f"{type(estimator).__name__} has no predict_proba; leave out --proba."
        )
    if quantiles and not hasattr(estimator, "keep_leaves"):
        raise click.UsageError(
            f"{type(estimator).__name__} predicts no quantiles; leave out --quantile, or fit a "
            "forest to a numeric target."
        )
    if explain and not hasattr(estimator, "tree_"):
        raise click.UsageError(
            f"--explain needs a single tree, and {type(estimator).__name__} is not one; use "
            "mixedwood explain for one row."
        )
    target = opened.about.get("target")
    rows = read_rows(opened, data, target, keep, options)
    columns: dict[str, Any] = dict(rows.kept)
    with reported(data, quiet):
        predictions = estimator.predict(rows.X)
        columns[_free("prediction", columns)] = predictions.tolist()
        if quantiles:
            found = estimator.predict(rows.X, quantiles=list(quantiles))
            for place, level in enumerate(quantiles):
                columns[_free(f"quantile_{level:g}", columns)] = found[:, place].tolist()
        if proba:
            probabilities = estimator.predict_proba(rows.X)
            for place, label in enumerate(estimator.classes_.tolist()):
                columns[_free(f"probability_{label}", columns)] = probabilities[:, place].tolist()
        if explain:
            columns[_free("decision_path", columns)] = _decision_paths(estimator, rows.X)
    if not quiet:
        _print_notes(rows, predictions, target, hasattr(estimator, "classes_"))
    _deliver(columns, output, as_json)


def _free(name: str, taken: dict[str, Any]) -> str:
    """Avoid the names of columns that are copied."""
    while name in taken:
        name += "_"
    return name


def _decision_paths(estimator: Any, X: Any) -> list[str]:
    from mixedwood.data import read_table

    table = read_table(X, schema=estimator.schema_)
    tree = estimator.tree_
    return [
        "; ".join(map(str, tree.explain(table, row).steps)) or "always"
        for row in range(table.n_rows)
    ]


def _print_notes(rows: Any, predictions: Any, target: str | None, are_classes: bool) -> None:
    if rows.ignored:
        shown = ", ".join(rows.ignored[:5]) + (", ..." if rows.ignored[5:] else "")
        echo(f"Ignored columns: {shown}.", err=True)
    if rows.truth is not None and not are_classes:
        echo(f"The file has the target {target!r}, which is not used to predict.", err=True)
    elif rows.truth is not None:
        right = [same_labels(a, t) for a, t in zip(predictions.tolist(), rows.truth, strict=True)]
        known = [r for r, t in zip(right, rows.truth, strict=True) if t is not None]
        if known:
            wrong = len(known) - sum(known)
            echo(
                f"The file has the target {target!r}, which is not used to predict: {wrong} of "
                f"{len(known)} predictions are wrong (error {100 * wrong / len(known):.2f} %).",
                err=True,
            )


def _deliver(columns: dict[str, Any], output: Path | None, as_json: bool) -> None:
    from mixedwood.files import FileError, table_bytes

    if as_json:
        lines = (
            json.dumps(dict(zip(columns, row, strict=True)), default=str)
            for row in zip(*columns.values(), strict=True)
        )
        content = "".join(f"{line}\n" for line in lines).encode("utf-8")
    else:
        try:
            content = table_bytes(columns, "" if output is None else output.suffix)
        except FileError as error:
            raise click.UsageError(str(error)) from error
    if output is None or str(output) == "-":
        echo_data(content)
    else:
        write_output(output, content)
