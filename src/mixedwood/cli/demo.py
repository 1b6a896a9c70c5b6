"""`mixedwood demo`: methods compared on two generated tables, with a page to look at."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mixedwood.cli.compare import show_comparison
from mixedwood.cli.errors import interruptible

if TYPE_CHECKING:
    from mixedwood.datasets import Dataset

_MOST_NODES = 16  # of the tree that is shown


@click.command()
@click.option(
    "--rows", default=600, show_default=True, type=click.IntRange(40), help="Of the mixed table."
)
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0))
@click.option("--jobs", default=-1, show_default=True, help="Worker processes; -1: all cores.")
@click.option(
    "--methods", multiple=True, help="One of `mixedwood compare --list`; default: a line-up."
)
@click.option("--json", "as_json", is_flag=True, help="For machines: the comparison as JSON.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("mixedwood-demo.html"),
    show_default=True,
    help="The page.",
)
@interruptible
def demo(
    rows: int, seed: int, jobs: int, methods: tuple[str, ...], as_json: bool, output: Path
) -> None:
    """Compare methods on two generated tables, and write a page with plots.

    One table is nominal: the end games of tic-tac-toe, nine columns of text. The other has
    categories and numbers, and its classes depend on groups of categories. Ours and scikit-learn's
    methods learn from the same halves of the rows, five times over (5x2cv), with their defaults.
    """
    from mixedwood.comparison import compare

    sets = make_sets(rows, seed)
    try:
        found = compare(
            sets, methods=list(methods) or None, random_state=seed, n_jobs=jobs, verbose=1
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if as_json:
        click.echo(found.to_json())
    else:
        _show_tree(sets["mixed"], seed)
        show_comparison(found)
    try:
        found.to_html(output, title="Methods on two generated tables")
    except OSError as error:
        raise click.ClickException(f"{output} cannot be written: {error}.") from error
    click.echo(f"The page with all figures and plots: {output.resolve()}", err=as_json)


def make_sets(rows: int, seed: int) -> dict[str, Dataset]:
    """Generate a nominal table and a mixed one."""
    from mixedwood import datasets

    mixed = datasets.make_mixed(
        rows, n_nominal=4, n_numeric=3, n_values=12, random_state=seed, frame="dict"
    )
    for name in mixed.numeric:
        mixed.X[name] = (100 * mixed.X[name]).round()  # whole numbers read better
    return {"tic-tac-toe": datasets.load("tic-tac-toe", frame="dict"), "mixed": mixed}


def _show_tree(data: Dataset, seed: int) -> None:
    from mixedwood.estimators import TreeClassifier

    tree = TreeClassifier(random_state=seed).fit(data.X, data.y).tree_
    click.echo(
        f"TreeClassifier() on the mixed table, {data.n_rows} rows of {len(data.nominal)} nominal "
        f"and {len(data.numeric)} numeric columns:\n\n{tree.to_text(max_nodes=_MOST_NODES)}\n"
    )
