"""Tables for the terminal: with rich where it is installed, as plain text elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import click


def print_table(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], n_text: int = 1
) -> None:
    """Print a table; the first `n_text` columns are text, the others numbers."""
    try:
        from rich.console import Console
        from rich.markup import escape
        from rich.table import Table
    except ImportError:
        _print_plain(title, header, rows, n_text)
        return
    table = Table(title=escape(title), title_justify="left", title_style="bold")
    for i, name in enumerate(header):
        table.add_column(escape(name), justify="left" if i < n_text else "right")
    for row in rows:
        table.add_row(*map(escape, row))
    Console().print(table)


def _print_plain(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], n_text: int
) -> None:
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    click.echo(title)
    for row in [header, *rows]:
        cells = [
            cell.ljust(width) if i < n_text else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        click.echo("  ".join(cells).rstrip())
