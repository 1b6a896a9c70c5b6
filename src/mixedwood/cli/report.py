"""`mixedwood report`: a page about a model, and a model card."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mixedwood.cli._bar import bar_after_two_seconds
from mixedwood.cli._inputs import open_model, read_rows, reported
from mixedwood.cli._options import DATA, MODEL, check_output, reading_options, write_output
from mixedwood.cli._output import DataError, interruptible


@click.command()
@click.argument("model", type=MODEL)
@click.argument("data", type=DATA)
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(path_type=Path),
    help="HTML page, or with the ending .md the model card in Markdown.",
)
@click.option("--target", help="The target column, if its name differs from training.")
@click.option("--title", help="Title of the report.")
@click.option(
    "--note",
    "notes",
    multiple=True,
    metavar="TITLE:TEXT",
    help="A section of the model card, such as 'Intended use: ...'.",
)
@click.option("--seed", type=click.IntRange(0), default=0, help="Seed of shuffles and rows shown.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("--quiet", "-q", is_flag=True, help="Print errors only.")
@reading_options
@interruptible
def report(
    model: Path,
    data: Path,
    output: Path,
    target: str | None,
    title: str | None,
    notes: tuple[str, ...],
    seed: int,
    force: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Write a report of a model on rows of a file whose target is known.

    One page that works offline: the rows, an interactive tree, scores with intervals, importances,
    effects, rules, explained rows, and a model card. Use rows that the model was not trained on.
    """
    check_output(output, force)
    sections = dict(_read_note(text) for text in notes)
    is_card = output.suffix.lower() in (".md", ".markdown")
    if not is_card:
        _check_jinja()
    opened = open_model(model)
    target = target or opened.about.get("target")
    if target is None:
        raise click.UsageError(
            f"{model} does not store the name of its target; give the column with --target."
        )
    rows = read_rows(opened, data, target, (), options)
    if rows.truth is None:
        raise DataError(f"{data} has no target column {target!r}; give its name with --target.")
    with reported(data, quiet), bar_after_two_seconds("report", not quiet):
        X, y = _known(opened.model, rows.X, rows.truth)
        made = opened.model.report(
            X,
            y,
            title=title or f"{type(opened.model).__name__} for {target}",
            target=target,
            data=data.name if str(data) != "-" else "standard input",
            notes=sections,
            random_state=seed,
        )
        text = made.to_markdown() if is_card else made.to_html()
    write_output(output, text.encode("utf-8"))


def _read_note(text: str) -> tuple[str, str]:
    title, colon, note = text.partition(":")
    if not colon or not title.strip() or not note.strip():
        raise click.UsageError(f"--note {text!r} is not TITLE:TEXT, as in 'Intended use: ...'.")
    return title.strip(), note.strip()


def _check_jinja() -> None:
    try:
        import jinja2  # noqa: F401
    except ImportError:
        raise click.UsageError(
            "Reports need jinja2: pip install 'mixedwood[report]', or use --output card.md."
        ) from None


def _known(model: Any, X: Any, truth: list[Any]) -> tuple[Any, list[Any]]:
    """Rows with a target, and their targets as the model has them."""
    import numpy as np

    from mixedwood.cli.evaluate import match_labels
    from mixedwood.data import read_table

    kept = np.array([value is not None for value in truth], dtype=bool)
    if not kept.any():
        raise ValueError("the target is missing in every row.")
    y = [value for value in truth if value is not None]
    y = match_labels(model, y) if hasattr(model, "classes_") else [float(value) for value in y]
    table = read_table(X, schema=model.schema_.inputs)
    return table.take(kept), y
