"""`mixedwood export`: a model in a format that other programs run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mixedwood.cli._inputs import open_model
from mixedwood.cli._options import MODEL, cannot_write, check_output
from mixedwood.cli._output import echo, echo_data, interruptible


@click.command()
@click.argument("model", type=MODEL)
@click.option("--to", metavar="FORMAT", help="The format; by default by the ending of the file.")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="The file to write.")
@click.option("--table", help="SQL: the table to read.  [default: data]")
@click.option("--dialect", help="SQL: duckdb, sqlite, postgresql, bigquery or ansi.")
@click.option("--keep", multiple=True, metavar="COLUMN", help="SQL: a column to copy.")
@click.option("--prefix", help="C: what names begin with.  [default: model]")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@interruptible
def export(model: Path, to: str | None, output: Path | None, force: bool, **options: Any) -> None:
    """Write a model in a format that runs without this library.

    Without --output, it is printed. Model files are written by mixedwood fit.
    """
    from mixedwood.exports import FORMATS, ExportError, find_format
    from mixedwood.exports import export as export_model

    if to is None and output is None:
        raise click.UsageError(f"Choose a format with --to: {', '.join(FORMATS)}.")
    path = None if output is None or str(output) == "-" else output
    try:
        name = find_format(path, to)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    check_output(path, force)
    if name == "c" and path is not None:
        check_output(path.with_suffix(".h"), force)
    given = {key: list(v) if key == "keep" else v for key, v in options.items() if v}
    for key in given:
        if key not in FORMATS[name].options:
            raise click.UsageError(f"--{key} is no option of the format {name!r}.")
    opened = open_model(model)
    try:
        content = export_model(opened.model, path, to=name, **given)
    except ExportError as error:
        raise click.ClickException(str(error)) from error
    except (ImportError, TypeError, ValueError) as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        assert path is not None
        raise cannot_write(path, error) from error
    if path is None:
        echo_data(content)
    else:
        echo(f"Written to {path}.", err=True)
