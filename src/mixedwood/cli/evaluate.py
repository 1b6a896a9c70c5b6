"""`mixedwood evaluate`: the scores of a model on rows whose target is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mixedwood.cli._inputs import open_model, read_rows, reported, same_labels
from mixedwood.cli._options import DATA, MODEL, reading_options
from mixedwood.cli._output import DataError, echo, echo_data, interruptible, print_table

if TYPE_CHECKING:
    from mixedwood.evaluation import ClassEvaluation, NumberEvaluation

_MAX_CLASSES = 12  # a larger matrix does not fit into a terminal


@click.command()
@click.argument("model", type=MODEL)
@click.argument("data", type=DATA)
@click.option("--target", help="The target column, if its name differs from training.")
@click.option(
    "--quantile",
    "quantiles",
    type=click.FloatRange(0, 1),
    multiple=True,
    help="Print the pinball loss of a quantile; for forests.",
)
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--quiet", "-q", is_flag=True, help="Print errors only.")
@interruptible
def evaluate(
    model: Path,
    data: Path,
    target: str | None,
    quantiles: tuple[float, ...],
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Evaluate a model on the rows of a file whose target is known.

    Prints accuracy, balanced accuracy, AUC, log loss, Brier score, the mean cost if the model has
    costs of mistakes, precision, recall and F1 score of each class, and the confusion matrix; of a
    model that predicts numbers RMSE, MAE, R² and median error, and the pinball loss of each
    --quantile and of a model with the loss "quantile". Intervals are of 95 %.
    """
    opened = open_model(model)
    if quantiles and not getattr(opened.model, "keep_leaves", False):
        raise click.UsageError(
            f"{type(opened.model).__name__} predicts no quantiles; leave out --quantile, or fit a "
            "forest."
        )
    target = target or opened.about.get("target")
    if target is None:
        raise click.UsageError(
            f"{model} does not store the name of its target; give the column with --target."
        )
    if target in opened.model.schema_:
        raise click.UsageError(
            f"{target!r} is a feature of the model; it cannot be the target as well."
        )
    rows = read_rows(opened, data, target, (), options)
    if rows.truth is None:
        raise DataError(
            f"{data} has no target column {target!r}; give its name with --target, or use "
            "mixedwood predict."
        )
    if not hasattr(opened.model, "classes_"):
        with reported(data, quiet):
            numbers, n_left_out = measure_numbers(opened.model, rows.X, rows.truth)
            pinball = _pinball_losses(opened.model, rows.X, rows.truth, quantiles)
        if as_json:
            facts = {**_number_facts(numbers, n_left_out), "pinball": pinball}
            echo_data(json.dumps({"target": target, **facts}))
            return
        _report_left_out(n_left_out, "target", quiet)
        echo(f"{data}: {numbers.n_rows} rows, target {target!r}")
        _show_scores(numbers)
        for level, loss in pinball.items():
            echo(f"{f'pinball {level}':<12}  {loss:.6g}")
        return
    with reported(data, quiet):
        found, n_left_out = measure_classes(opened.model, rows.X, rows.truth)
    _report_left_out(n_left_out, "class", quiet)
    if as_json:
        echo_data(json.dumps({"target": target, **_class_facts(found, n_left_out)}))
    else:
        _show(found, data, target)


def measure_numbers(model: Any, X: Any, truth: list[Any]) -> tuple[NumberEvaluation, int]:
    """Evaluate a model of numbers, and count the rows without a target."""
    import numpy as np

    from mixedwood.evaluation.scores import evaluate_numbers

    if all(number is None for number in truth):
        raise ValueError("the target is missing in every row.")
    try:
        true = np.array([np.nan if number is None else float(number) for number in truth])
    except ValueError as error:
        raise ValueError(f"the target must be numbers: {error}.") from None
    return evaluate_numbers(model, X, true), int(np.isnan(true).sum())


def _pinball_losses(
    model: Any, X: Any, truth: list[Any], quantiles: tuple[float, ...]
) -> dict[str, float]:
    """The pinball loss of the quantile that a model predicts, and of those that are asked for."""
    import numpy as np

    from mixedwood.comparison.metrics import pinball_loss, quantile_of

    known = np.array([number is not None for number in truth])
    true = np.array([float(number) for number in truth if number is not None])
    found = {}
    if (own := quantile_of(model)) is not None:
        found[f"{own:g}"] = pinball_loss(true, model.predict(X)[known], own)
    if quantiles:
        predicted = model.predict(X, quantiles=list(quantiles))[known]
        for level, column in zip(quantiles, predicted.T, strict=True):
            found[f"{level:g}"] = pinball_loss(true, column, level)
    return found


def measure_classes(model: Any, X: Any, truth: list[Any]) -> tuple[ClassEvaluation, int]:
    """Evaluate a classifier, and count the rows without a class."""
    from mixedwood.evaluation.scores import evaluate_classes

    true = match_labels(model, truth)
    n_missing = true.count(None)
    if n_missing == len(true):
        raise ValueError("the class is missing in every row.")
    return evaluate_classes(model, X, true), n_missing


def match_labels(model: Any, truth: list[Any]) -> list[Any]:
    """Labels of a file as the model has them, where they are spelled the same."""
    labels = model.classes_.tolist()
    matched = {
        label: next((one for one in labels if same_labels(one, label)), label)
        for label in dict.fromkeys(truth)
    }
    return [None if label is None else matched[label] for label in truth]


def _number_facts(found: NumberEvaluation, n_left_out: int) -> dict[str, Any]:
    return {
        "rows": found.n_rows,
        "without_target": n_left_out,
        **_values(found),
        "target_mean": found.target_mean,
        "target_sd": found.target_sd,
        "intervals": _intervals(found),
    }


def _class_facts(found: ClassEvaluation, n_left_out: int) -> dict[str, Any]:
    facts = found.to_dict()
    return {
        "rows": found.n_rows,
        "without_class": n_left_out,
        **_values(found),
        "cost": _values(found).get("cost"),
        "error": 1 - found.accuracy,
        "balanced_error": 1 - found.balanced_accuracy,
        "classes": facts["classes"],
        "unknown_classes": facts["unknown_classes"],
        "confusion_matrix": facts["confusion_matrix"],
        "precision": [one["precision"]["value"] for one in facts["per_class"]],
        "recall": [one["recall"]["value"] for one in facts["per_class"]],
        "f1": [one["f1"] for one in facts["per_class"]],
        "support": [one["support"] for one in facts["per_class"]],
        "calibration": facts["calibration"],
        "intervals": _intervals(found),
    }


def _values(found: Any) -> dict[str, float | None]:
    return {name: score.to_dict()["value"] for name, score in found.scores.items()}


def _intervals(found: Any) -> dict[str, list[float | None]]:
    plain = {name: score.to_dict() for name, score in found.scores.items()}
    return {name: [one["low"], one["high"]] for name, one in plain.items()}


def _report_left_out(n: int, what: str, quiet: bool) -> None:
    if n and not quiet:
        echo(f"Left out {n} row{'s' * (n > 1)} whose {what} is missing.", err=True)


def _show_scores(found: Any) -> None:
    for line in found._lines():
        echo(line)


def _show(found: ClassEvaluation, data: Path, target: str) -> None:
    echo(f"{data}: {found.n_rows} rows, target {target!r}")
    _show_scores(found)
    names = [str(label) for label in found.classes]
    echo()
    print_table(
        "Scores of each class",
        ["class", "precision", "recall", "f1-score", "support"],
        [
            [name, _three(c.precision.value), _three(c.recall.value), _three(c.f1), str(c.support)]
            for name, c in zip(names, found.per_class, strict=True)
        ],
    )
    echo()
    if len(names) > _MAX_CLASSES:
        echo(f"The confusion matrix of {len(names)} classes is not shown; use --json.")
    else:
        print_table(
            "Confusion matrix (rows: true class, columns: predicted class)",
            ["", *names],
            [
                [name, *map(str, line)]
                for name, line in zip(names, found.confusion_matrix.tolist(), strict=True)
            ],
        )
    if found.unknown_classes:
        unknown = ", ".join(str(label) for label in found.unknown_classes)
        echo(f"Classes that are unknown to the model: {unknown}.")


def _three(score: float) -> str:
    return "" if score != score else f"{score:.3f}"
