"""`mixedwood explain`: why a row gets its prediction."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from mixedwood.cli._inputs import open_model, read_rows, reported, select_tree
from mixedwood.cli._options import DATA, MODEL, reading_options
from mixedwood.cli._output import echo, echo_data, interruptible


@click.command()
@click.argument("model", type=MODEL)
@click.argument("data", type=DATA)
@click.option(
    "--row", required=True, type=click.IntRange(1), help="Number of the row, counted from 1."
)
@click.option(
    "--tree", "number", type=click.IntRange(1), metavar="N", help="Show the path in this tree only."
)
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--quiet", "-q", is_flag=True, help="Print errors only.")
@interruptible
def explain(
    model: Path,
    data: Path,
    row: int,
    number: int | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Explain the prediction for one row of a file.

    For a single tree, or --tree N of many: the decision path of the row. For many trees: the
    contribution of each column to the prediction, and the votes.
    """
    opened = open_model(model)
    estimator = opened.model
    rows = read_rows(opened, data, opened.about.get("target"), (), options)
    if row > rows.n_rows:
        raise click.UsageError(f"{data} has {rows.n_rows} rows; there is no row {row}.")
    one = {name: _one(cells, row - 1) for name, cells in rows.X.items()}
    with reported(data, quiet):
        many = hasattr(estimator, "trees_")
        facts = _contributions(estimator, one, row) if many else _prediction(estimator, one, row)
        if hasattr(estimator, "tree_") or number is not None:
            facts |= _path(estimator, one, row, number)
    if as_json:
        facts.pop("text")
        echo_data(json.dumps(facts, default=str))
        return
    echo(facts["text"])
    if many and number is None and not quiet:
        n = len(estimator.trees_)
        echo(f"Use --tree N (1 to {n}) to show the path in a single tree.", err=True)


def _one(cells: Any, place: int) -> Any:
    """Take one row of a column, as a column of the same type."""
    import narwhals as nw

    if hasattr(cells, "dtype") and hasattr(cells, "tolist") and not hasattr(cells, "to_numpy"):
        return cells[place : place + 1]  # an array
    return nw.from_native(cells, series_only=True)[place : place + 1].to_native()


def _prediction(estimator: Any, one: Any, row: int) -> dict[str, Any]:
    """Return the prediction of the model."""
    label = estimator.predict(one)[0]
    label = label.item() if hasattr(label, "item") else label
    facts: dict[str, Any] = {"row": row, "prediction": label}
    if not hasattr(estimator, "classes_"):
        return {**facts, "text": f"Row {row}: {label:g}"}
    names = [str(name) for name in estimator.classes_.tolist()]
    if hasattr(estimator, "predict_proba"):
        probabilities = estimator.predict_proba(one)[0].tolist()
        facts["probabilities"] = dict(zip(names, probabilities, strict=True))
        ordered = sorted(facts["probabilities"].items(), key=lambda pair: -pair[1])[:10]
        shown = ", ".join(f"{name} {100 * p:.0f} %" for name, p in ordered)
        facts["text"] = f"Row {row}: {label} ({shown})"
    else:
        decisions = estimator.decision_function(one)[0]
        facts["decision"] = decisions.tolist()
        facts["text"] = f"Row {row}: {label} (decision {decisions})"
    return facts


def _contributions(estimator: Any, one: Any, row: int) -> dict[str, Any]:
    """Return the prediction of many trees, and the contribution of each column."""
    why = replace(estimator.explain(one), row=row)
    facts = why.to_dict()
    return {"row": row, "prediction": facts.pop("prediction"), **facts, "text": str(why)}


def _path(estimator: Any, one: Any, row: int, number: int | None) -> dict[str, Any]:
    from mixedwood.data import read_table

    tree = select_tree(estimator, number)
    path = tree.explain(read_table(one, schema=estimator.schema_), 0)
    facts: dict[str, Any] = {
        "path": [{"node": step.node, "text": str(step)} for step in path.steps],
        "ends": [
            {"node": end.node, "fraction": end.fraction, "text": end.text} for end in path.ends
        ],
        "text": str(replace(path, row=row)),
    }
    if number is not None:
        facts["tree"] = number
        facts["text"] = f"Tree {number}:\n{facts['text']}"
    return facts
