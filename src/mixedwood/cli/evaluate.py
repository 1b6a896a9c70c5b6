"""`mixedwood evaluate`: how good a model is on rows whose classes are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from mixedwood.cli.errors import DataError, interruptible
from mixedwood.cli.options import DATA, MODEL, open_model, read_rows, same_labels, told
from mixedwood.cli.tables import print_table

_MOST_CLASSES = 12  # of a table that a terminal can show


@click.command()
@click.argument("model", type=MODEL)
@click.argument("data", type=DATA)
@click.option("--target", help="The column of classes, if it has another name than in training.")
@click.option("--json", "as_json", is_flag=True, help="For machines: one JSON document.")
@click.option("--quiet", "-q", is_flag=True, help="No messages but errors.")
@interruptible
def evaluate(model: Path, data: Path, target: str | None, as_json: bool, quiet: bool) -> None:
    """Measure a model on rows of a CSV or Parquet file whose classes are known.

    Error, balanced error (the mean over the classes), log loss, and how often each class was taken
    for which.
    """
    opened = open_model(model)
    target = target or opened.about.get("target")
    if target is None:
        raise click.UsageError(
            f"{model} does not say what its target was called; name the column with --target."
        )
    if target in opened.model.schema_:
        raise click.UsageError(
            f"{target!r} is a column that the model asks for; it cannot be the class as well."
        )
    rows = read_rows(opened, data, target, ())
    if rows.truth is None:
        raise DataError(
            f"{data} has no column {target!r} to compare with; name it with --target, or use "
            "mixedwood predict."
        )
    with told(data, quiet):
        facts = _measure(opened.model, rows.X, rows.truth)
    if facts["without_class"] and not quiet:
        click.echo(f"{facts['without_class']} rows without a class are left out.", err=True)
    if as_json:
        click.echo(json.dumps({"target": target, **facts}))
    else:
        _show(facts, data, target)


def _measure(model: Any, X: Any, truth: list[Any]) -> dict[str, Any]:
    import numpy as np

    known = np.array([label is not None for label in truth])
    if not known.any():
        raise ValueError("no row has a class.")
    answers = model.predict(X)
    labels = model.classes_.tolist()
    matched = {
        label: next((one for one in labels if same_labels(one, label)), label)
        for label in dict.fromkeys(truth)
        if label is not None
    }
    true = [matched[label] for label in truth if label is not None]
    given = answers[known].tolist()
    unknown = [label for label in dict.fromkeys(true) if label not in labels]
    classes = [*labels, *sorted(unknown, key=str)]
    place = {label: i for i, label in enumerate(classes)}
    matrix = np.zeros((len(classes), len(classes)), dtype=np.int64)
    np.add.at(matrix, ([place[t] for t in true], [place[g] for g in given]), 1)
    sums = matrix.sum(axis=1)
    present = sums > 0
    with np.errstate(invalid="ignore"):
        recall, precision = np.diag(matrix) / sums, np.diag(matrix) / matrix.sum(axis=0)
    facts: dict[str, Any] = {
        "rows": len(true),
        "without_class": int((~known).sum()),
        "error": 1 - float(np.trace(matrix)) / len(true),
        "balanced_error": 1 - float(recall[present].mean()),
        "log_loss": _log_loss(model, X, known, true),
        "classes": [str(label) for label in classes],
        "unknown_classes": [str(label) for label in unknown],
        "confusion": matrix.tolist(),
        "recall": [None if np.isnan(r) else float(r) for r in recall],
        "precision": [None if np.isnan(p) else float(p) for p in precision],
    }
    return facts


def _log_loss(model: Any, X: Any, known: Any, true: list[Any]) -> float | None:
    import numpy as np

    from mixedwood.comparison.scores import bounded_log_loss

    if not hasattr(model, "predict_proba"):
        return None
    return bounded_log_loss(model.predict_proba(X)[known], model.classes_, np.array(true, object))


def _show(facts: dict[str, Any], data: Path, target: str) -> None:
    click.echo(f"{data}: {facts['rows']} rows with {target}")
    click.echo(f"error           {100 * facts['error']:.2f} %")
    click.echo(f"balanced error  {100 * facts['balanced_error']:.2f} %")
    if facts["log_loss"] is not None:
        click.echo(f"log loss        {facts['log_loss']:.4f}")
    classes = facts["classes"]
    click.echo("")
    if len(classes) > _MOST_CLASSES:
        rows = [
            [name, str(sum(line)), _percent(recall), _percent(precision)]
            for name, line, recall, precision in zip(
                classes, facts["confusion"], facts["recall"], facts["precision"], strict=True
            )
        ]
        print_table("Classes", ["true", "rows", "found %", "right when said %"], rows)
        return
    rows = [
        [name, *map(str, line), _percent(recall)]
        for name, line, recall in zip(classes, facts["confusion"], facts["recall"], strict=True)
    ]
    rows.append(["right when said %", *map(_percent, facts["precision"]), ""])
    print_table("True classes, and what was said", ["true", *classes, "found %"], rows)
    if facts["unknown_classes"]:
        click.echo(f"Not known to the model: {', '.join(facts['unknown_classes'])}.")


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}"
