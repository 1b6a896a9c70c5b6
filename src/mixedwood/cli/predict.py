"""`mixedwood predict`: the classes or numbers of new rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from mixedwood.cli._inputs import open_model, read_pieces, read_rows, reported, same_labels
from mixedwood.cli._options import (
    MODEL,
    TABLE,
    Bytes,
    cannot_write,
    check_output,
    list_files,
    reading_options,
    write_output,
)
from mixedwood.cli._output import echo, echo_data, interruptible
from mixedwood.cli._pieces import are_in_pieces, json_lines, write_pieces


@click.command()
@click.argument("model", type=MODEL)
@click.argument("data", type=TABLE, nargs=-1, required=True, callback=list_files)
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
@click.option(
    "--memory-limit",
    type=Bytes(),
    help="Read one file piece by piece if it needs more memory than this, such as 2GB.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document per row.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("--quiet", "-q", is_flag=True, help="Print errors only.")
@interruptible
def predict(
    model: Path,
    data: list[Path],
    output: Path | None,
    proba: bool,
    quantiles: tuple[float, ...],
    explain: bool,
    keep: tuple[str, ...],
    as_json: bool,
    force: bool,
    quiet: bool,
    memory_limit: int | None,
    **options: Any,
) -> None:
    """Predict classes or numbers of the rows of a file, - for the standard input.

    Several files, a folder of Parquet files or a pattern such as 'big/*.parquet' are predicted
    piece by piece, in the order of their names.

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
    notes = _Notes(target, hasattr(estimator, "classes_"))

    def predicted(rows: Any) -> dict[str, Any]:
        columns: dict[str, Any] = dict(rows.kept)
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
        notes.add(rows, predictions)
        return columns

    if len(data) > 1 or are_in_pieces(data, memory_limit):
        pieces = read_pieces(opened, data, target, keep, options)
        try:
            write_pieces(_predict_pieces(pieces, predicted, quiet), output, as_json)
        except OSError as error:
            if output is None:
                raise
            raise cannot_write(output, error) from error
    else:
        rows = read_rows(opened, data[0], target, keep, options)
        with reported(data[0], quiet):
            columns = predicted(rows)
        _deliver(columns, output, as_json)
    if not quiet:
        notes.show()


def _predict_pieces(
    pieces: Iterator[tuple[str, Any]], predicted: Any, quiet: bool
) -> Iterator[dict[str, Any]]:
    is_first = True
    for name, rows in pieces:
        with reported(name, quiet or not is_first):  # the others have the same to say
            columns = predicted(rows)
        is_first = False
        yield columns


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


class _Notes:
    """What is said of the rows of all pieces at the end."""

    def __init__(self, target: str | None, are_classes: bool) -> None:
        self._target, self._are_classes = target, are_classes
        self._ignored: list[str] = []
        self._has_truth = False
        self._n_known = self._n_wrong = 0

    def add(self, rows: Any, predictions: Any) -> None:
        """Take note of some rows."""
        self._ignored = list(dict.fromkeys([*self._ignored, *rows.ignored]))
        if rows.truth is None:
            return
        self._has_truth = True
        if self._are_classes:
            known = [pair for pair in zip(predictions.tolist(), rows.truth, strict=True)
                     if pair[1] is not None]  # fmt: skip
            self._n_known += len(known)
            self._n_wrong += sum(not same_labels(label, truth) for label, truth in known)

    def show(self) -> None:
        """Print the notes."""
        if self._ignored:
            shown = ", ".join(self._ignored[:5]) + (", ..." if self._ignored[5:] else "")
            echo(f"Ignored columns: {shown}.", err=True)
        if self._has_truth and not self._are_classes:
            echo(
                f"The file has the target {self._target!r}, which is not used to predict.", err=True
            )
        elif self._n_known:
            echo(
                f"The file has the target {self._target!r}, which is not used to predict: "
                f"{self._n_wrong} of {self._n_known} predictions are wrong "
                f"(error {100 * self._n_wrong / self._n_known:.2f} %).",
                err=True,
            )


def _deliver(columns: dict[str, Any], output: Path | None, as_json: bool) -> None:
    from mixedwood.files import FileError, table_bytes

    if as_json:
        content = json_lines(columns)
    else:
        try:
            content = table_bytes(columns, "" if output is None else output.suffix)
        except FileError as error:
            raise click.UsageError(str(error)) from error
    if output is None or str(output) == "-":
        echo_data(content)
    else:
        write_output(output, content)
