"""`mixedwood demo`, a tree and a comparison with a report, and `mixedwood info`, the versions."""

from __future__ import annotations

import json
import platform
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mixedwood import __version__
from mixedwood.cli._options import cannot_write
from mixedwood.cli._output import echo, echo_data, interruptible
from mixedwood.cli.compare import check_reports, show_comparison

if TYPE_CHECKING:
    from mixedwood.datasets import Dataset
    from mixedwood.tree import Tree

_MAX_NODES = 16  # of the tree that is shown
# All fits take less than a minute on two cores.
_METHODS = ("tree", "model_tree", "ensemble", "sklearn_tree", "sklearn_boosting")
_CV = 5


@click.command()
@click.option(
    "--rows",
    default=600,
    show_default=True,
    type=click.IntRange(40),
    help="Rows of the mixed table.",
)
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0))
@click.option("--jobs", default=-1, show_default=True, help="Parallel jobs; -1: all cores.")
@click.option(
    "--methods",
    multiple=True,
    default=_METHODS,
    show_default=True,
    help="A method of mixedwood compare --list; may be repeated.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("mixedwood-demo.html"),
    show_default=True,
    help="The HTML report.",
)
@interruptible
def demo(
    rows: int, seed: int, jobs: int, methods: tuple[str, ...], as_json: bool, output: Path
) -> None:
    """Show a tree, compare methods on two generated tables, and write an HTML report.

    The first table, the end games of tic-tac-toe, has nine categorical columns. The second has
    categorical and numeric columns, and its classes depend on groups of categories. Methods of
    mixedwood and scikit-learn run with default parameters on the same folds of a 5-fold
    cross-validation. The table of scores below the tree shows which is best on each.
    """
    from mixedwood.comparison import compare

    check_reports()
    datasets = make_datasets(rows, seed)
    try:
        found = compare(
            datasets,
            methods=list(methods),
            cv=_CV,
            random_state=seed,
            n_jobs=jobs,
            verbose=1,
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    tree = _grow(datasets["mixed"], seed)
    if as_json:
        echo_data(str(found.to_json()))
    else:
        _show_tree(datasets["mixed"], tree)
        show_comparison(found)
    caption = "TreeClassifier() on all rows of the mixed table"
    try:
        found.to_html(output, title="Methods on two generated tables", trees={caption: tree})
    except OSError as error:
        raise cannot_write(output, error) from error
    echo(f"Report with the tree, all scores and charts: {output.resolve()}", err=as_json)


def make_datasets(rows: int, seed: int) -> dict[str, Dataset]:
    """Generate a categorical table and a mixed one."""
    from mixedwood.datasets import load, make_mixed

    mixed = make_mixed(
        rows, n_categorical=4, n_numeric=3, n_categories=12, random_state=seed, frame="dict"
    )
    for name in mixed.numeric_features:
        mixed.X[name] = (100 * mixed.X[name]).round()  # integers are easier to read
    return {"tic-tac-toe": load("tic-tac-toe", frame="dict"), "mixed": mixed}


def _grow(data: Dataset, seed: int) -> Tree:
    from mixedwood.estimators import TreeClassifier

    return TreeClassifier(random_state=seed).fit(data.X, data.y).tree_


def _show_tree(data: Dataset, tree: Tree) -> None:
    echo(
        f"TreeClassifier() on the mixed table, {data.n_samples} rows with "
        f"{len(data.nominal_features)} categorical and {len(data.numeric_features)} numeric "
        "columns:\n\n"
        f"{tree.to_text(max_nodes=_MAX_NODES)}\n"
    )


_PACKAGES = ["numpy", "scipy", "scikit-learn", "joblib", "narwhals", "click"]
_EXTRAS = ["rich", "matplotlib", "pandas", "polars", "pyarrow"]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def info(as_json: bool) -> None:
    """Show versions of mixedwood and of what it uses."""
    from importlib import metadata

    facts = {"mixedwood": __version__, "python": platform.python_version()}
    for name in [*_PACKAGES, *_EXTRAS]:
        try:
            facts[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            facts[name] = "not installed"
    facts["platform"] = platform.platform()
    if as_json:
        echo_data(json.dumps(facts))
        return
    for name, value in facts.items():
        echo(f"{name:14}{value}")
