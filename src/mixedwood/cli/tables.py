"""Tables: drawn with rich where it is installed and there is a terminal, plain text elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from mixedwood.cli.printing import say
from mixedwood.printable import printable


def print_table(
    title: str,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    n_text: int = 1,
    *,
    err: bool = False,
) -> None:
    """Print a table; the first `n_text` columns are text, the others numbers.

    It is drawn on a terminal only, and with `err` it goes to stderr.
    """
    header = [printable(name, lines=False) for name in header]
    rows = [[printable(cell, lines=False) for cell in row] for row in rows]
    if not (sys.stderr if err else sys.stdout).isatty():
        _print_plain(title, header, rows, n_text, err)
        return
    try:
        from rich.console import Console
        from rich.markup import escape
        from rich.table import Table
    except ImportError:
        _print_plain(title, header, rows, n_text, err)
        return
    table = Table(title=escape(printable(title)), title_justify="left", title_style="bold")
    for i, name in enumerate(header):
        table.add_column(escape(name), justify="left" if i < n_text else "right")
    for row in rows:
        table.add_row(*map(escape, row))
    Console(stderr=err).print(table)


def _print_plain(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], n_text: int, err: bool
) -> None:
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    say(title, err=err)
    for row in [header, *rows]:
        cells = [
            cell.ljust(width) if i < n_text else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        say("  ".join(cells).rstrip(), err=err)
