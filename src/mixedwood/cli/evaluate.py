"""`mixedwood evaluate`: the scores of a model on rows whose target is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from mixedwood.cli._inputs import open_model, read_rows, reported, same_labels
from mixedwood.cli._options import DATA, MODEL
from mixedwood.cli._output import DataError, echo, echo_data, interruptible, print_table

_MAX_CLASSES = 12  # a larger matrix does not fit into a terminal


@click.command()
@click.argument("model", type=MODEL)
@click.argument("data", type=DATA)
@click.option("--target", help="The target column, if its name differs from training.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--quiet", "-q", is_flag=True, help="Print errors only.")
@interruptible
def evaluate(model: Path, data: Path, target: str | None, as_json: bool, quiet: bool) -> None:
    """Evaluate a model on rows of a CSV or Parquet file whose target is known.

    Prints accuracy, balanced accuracy, log loss, the mean cost if the model has costs of mistakes,
    precision, recall and F1 score of each class, and the confusion matrix; of a model that predicts
    numbers RMSE, MAE, R² and median error.
    """
    opened = open_model(model)
    target = target or opened.about.get("target")
    if target is None:
        raise click.UsageError(
            f"{model} does not store the name of its target; give the column with --target."
        )
    if target in opened.model.schema_:
        raise click.UsageError(
            f"{target!r} is a feature of the model; it cannot be the target as well."
        )
    rows = read_rows(opened, data, target, ())
    if rows.truth is None:
        raise DataError(
            f"{data} has no target column {target!r}; give its name with --target, or use "
            "mixedwood predict."
        )
    if not hasattr(opened.model, "classes_"):
        with reported(data, quiet):
            numbers = _measure_numbers(opened.model, rows.X, rows.truth)
        if as_json:
            echo_data(json.dumps({"target": target, **numbers}))
        else:
            _show_numbers(numbers, data, target, quiet)
        return
    with reported(data, quiet):
        facts = _measure(opened.model, rows.X, rows.truth)
    if facts["without_class"] and not quiet:
        n = facts["without_class"]
        echo(f"Left out {n} row{'s' * (n > 1)} whose class is missing.", err=True)
    if as_json:
        echo_data(json.dumps({"target": target, **facts}))
    else:
        _show(facts, data, target)


def _measure_numbers(model: Any, X: Any, truth: list[Any]) -> dict[str, Any]:
    import numpy as np

    known = np.array([number is not None for number in truth])
    if not known.any():
        raise ValueError("the target is missing in every row.")
    given = [number for number in truth if number is not None]
    try:
        true = np.array([float(number) for number in given])
    except ValueError as error:
        raise ValueError(f"the target must be numbers: {error}.") from None
    errors = model.predict(X)[known] - true
    total = float(((true - true.mean()) ** 2).sum())
    return {
        "rows": len(true),
        "without_target": int((~known).sum()),
        "rmse": float(np.sqrt(np.mean(errors**2))),
        "mae": float(np.abs(errors).mean()),
        "r2": 1 - float((errors**2).sum()) / total if total > 0 else None,
        "median_error": float(np.median(np.abs(errors))),
        "target_mean": float(true.mean()),
        "target_sd": float(true.std()),
    }


def _show_numbers(facts: dict[str, Any], data: Path, target: str, quiet: bool) -> None:
    if facts["without_target"] and not quiet:
        n = facts["without_target"]
        echo(f"Left out {n} row{'s' * (n > 1)} whose target is missing.", err=True)
    echo(f"{data}: {facts['rows']} rows, target {target!r}")
    echo(f"RMSE          {facts['rmse']:.6g}")
    echo(f"MAE           {facts['mae']:.6g}")
    echo(f"median error  {facts['median_error']:.6g}")
    echo(f"R²            {'undefined' if facts['r2'] is None else format(facts['r2'], '.4f')}")


def _measure(model: Any, X: Any, truth: list[Any]) -> dict[str, Any]:
    import numpy as np

    known = np.array([label is not None for label in truth])
    if not known.any():
        raise ValueError("the class is missing in every row.")
    predictions = model.predict(X)
    labels = model.classes_.tolist()
    matched = {
        label: next((one for one in labels if same_labels(one, label)), label)
        for label in dict.fromkeys(truth)
        if label is not None
    }
    true = [matched[label] for label in truth if label is not None]
    given = predictions[known].tolist()
    unknown = [label for label in dict.fromkeys(true) if label not in labels]
    classes = [*labels, *sorted(unknown, key=str)]
    place = {label: i for i, label in enumerate(classes)}
    matrix = np.zeros((len(classes), len(classes)), dtype=np.int64)
    np.add.at(matrix, ([place[t] for t in true], [place[g] for g in given]), 1)
    sums = matrix.sum(axis=1)
    present = sums > 0
    with np.errstate(invalid="ignore"):
        recall, precision = np.diag(matrix) / sums, np.diag(matrix) / matrix.sum(axis=0)
        f1 = 2 * np.diag(matrix) / (sums + matrix.sum(axis=0))
    accuracy, balanced = float(np.trace(matrix)) / len(true), float(recall[present].mean())
    facts: dict[str, Any] = {
        "rows": len(true),
        "without_class": int((~known).sum()),
        "accuracy": accuracy,
        "balanced_accuracy": balanced,
        "error": 1 - accuracy,
        "balanced_error": 1 - balanced,
        "log_loss": _log_loss(model, X, known, true),
        "cost": _cost(model, true, given, unknown),
        "classes": [str(label) for label in classes],
        "unknown_classes": [str(label) for label in unknown],
        "confusion_matrix": matrix.tolist(),
        "precision": _with_none(precision),
        "recall": _with_none(recall),
        "f1": _with_none(f1),
        "support": sums.tolist(),
    }
    return facts


def _log_loss(model: Any, X: Any, known: Any, true: list[Any]) -> float | None:
    import numpy as np

    from mixedwood.comparison.metrics import bounded_log_loss

    if not hasattr(model, "predict_proba"):
        return None
    return bounded_log_loss(model.predict_proba(X)[known], model.classes_, np.array(true, object))


def _cost(model: Any, true: list[Any], given: list[Any], unknown: list[Any]) -> float | None:
    """The mean cost; None without costs, and for classes that have none."""
    import numpy as np

    from mixedwood.comparison.metrics import mean_cost

    if getattr(model, "_costs", None) is None or unknown:
        return None
    return mean_cost(model.classes_, model._costs, np.array(true, object), np.array(given, object))


def _with_none(scores: Any) -> list[float | None]:
    """Scores with None where there is nothing to divide by."""
    return [None if score != score else score for score in scores.tolist()]


def _show(facts: dict[str, Any], data: Path, target: str) -> None:
    echo(f"{data}: {facts['rows']} rows, target {target!r}")
    echo(f"accuracy           {facts['accuracy']:.4f}")
    echo(f"balanced accuracy  {facts['balanced_accuracy']:.4f}")
    if facts["log_loss"] is not None:
        echo(f"log loss           {facts['log_loss']:.4f}")
    if facts["cost"] is not None:
        echo(f"mean cost          {facts['cost']:.4f}")
    classes = facts["classes"]
    scores = [[_three(score) for score in facts[name]] for name in ("precision", "recall", "f1")]
    support = [str(n) for n in facts["support"]]
    echo()
    print_table(
        "Scores of each class",
        ["class", "precision", "recall", "f1-score", "support"],
        list(zip(classes, *scores, support, strict=True)),
    )
    echo()
    if len(classes) > _MAX_CLASSES:
        echo(f"The confusion matrix of {len(classes)} classes is not shown; use --json.")
    else:
        print_table(
            "Confusion matrix (rows: true class, columns: predicted class)",
            ["", *classes],
            [
                [name, *map(str, line)]
                for name, line in zip(classes, facts["confusion_matrix"], strict=True)
            ],
        )
    if facts["unknown_classes"]:
        echo(f"Classes that are unknown to the model: {', '.join(facts['unknown_classes'])}.")


def _three(score: float | None) -> str:
    return "" if score is None else f"{score:.3f}"
