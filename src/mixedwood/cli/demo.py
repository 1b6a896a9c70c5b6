"""`mixedwood demo`, a tree, a comparison and a report, and `mixedwood info`, the versions."""

from __future__ import annotations

import json
import platform
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mixedwood import __version__
from mixedwood.cli._options import cannot_write
from mixedwood.cli._output import echo, echo_data, interruptible
from mixedwood.cli.compare import check_reports, show_comparison

if TYPE_CHECKING:
    from mixedwood.comparison import Comparison
    from mixedwood.datasets import Dataset
    from mixedwood.tree import Tree

_MAX_NODES = 16  # of the tree that is shown
# All fits take less than a minute on two cores.
_METHODS = ("tree", "model_tree", "ensemble", "sklearn_tree", "sklearn_boosting")
_CV = 5
# What the classes of a table depend on, and the methods to which that is an advantage.
_REASONS = {
    "tic-tac-toe": (
        ("model_tree", "ensemble", "sklearn_boosting"),
        "three in a row concerns several fields at once. A single tree needs many splits for it; "
        "methods that add up columns or trees do not.",
    ),
    "mixed": (
        ("tree", "model_tree", "ensemble"),
        "the classes depend on groups of categories. A split on a group finds them at once; "
        "one-hot encoding separates one category at a time.",
    ),
}


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
    cross-validation. The table of scores below the tree shows which is best on each, and the text
    says why. A report of the best model of mixedwood is written beside the page.
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
        width = max(60, shutil.get_terminal_size((80, 24)).columns)
        for sentence in describe_winners(found):
            echo(f"\n{click.wrap_text(sentence, width)}")
        echo("")
    caption = "TreeClassifier() on all rows of the mixed table"
    try:
        found.to_html(output, title="Methods on two generated tables", trees={caption: tree})
    except OSError as error:
        raise cannot_write(output, error) from error
    echo(f"Report with the tree, all scores and charts: {output.resolve()}", err=as_json)
    best = find_best(found)
    if best is not None:
        page = output.with_name(f"{output.stem}-model{output.suffix}")
        _write_model_report(best, datasets["mixed"], seed, page)
        echo(f"Report of the best model on the mixed table, {best}: {page.resolve()}", err=as_json)


def describe_winners(found: Comparison) -> list[str]:
    """Say for each table which method has the lowest error, how sure that is, and why."""
    import numpy as np

    sentences = []
    means = found.means("error")
    for dataset, row in zip(found.datasets, means, strict=True):
        if np.isnan(row).any():  # a method failed
            continue
        best = int(np.argmin(row))
        name = found.methods[best]
        worse = [
            test.method
            for test in found.pairwise_tests(baseline=name)
            if test.dataset == dataset.name and test.mark == "-"
        ]
        sentence = f"{dataset.name}: {name} has the lowest error, {100 * row[best]:.1f} %"
        verb = "are" if len(worse) > 1 else "is"
        sentence += f"; {', '.join(worse) or 'no other method'} {verb} significantly worse."
        methods, reason = _REASONS.get(dataset.name, ((), ""))
        if name in methods:
            sentence += f" Why: {reason}"
        sentences.append(sentence)
    return sentences


def find_best(found: Comparison) -> str | None:
    """Find this library's method of least error on the mixed table."""
    import numpy as np

    from mixedwood._catalogue import CATALOGUE

    errors = found.means("error")[[dataset.name for dataset in found.datasets].index("mixed")]
    ours = [
        (error, name)
        for name, error in zip(found.methods, errors, strict=True)
        if name.partition(".")[0] in CATALOGUE and not np.isnan(error)
    ]
    return min(ours)[1] if ours else None


def _write_model_report(name: str, data: Dataset, seed: int, page: Path) -> None:
    """Fit a method to two thirds of the rows, and report on the others."""
    import numpy as np

    from mixedwood._catalogue import find_maker
    from mixedwood.data import read_table

    make = find_maker(name)
    assert make is not None, name
    model = make()
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    table = read_table(data.X)
    rows = np.random.default_rng(seed).permutation(len(data.y))
    train, test = rows[len(rows) // 3 :], rows[: len(rows) // 3]
    model.fit(table.take(train), data.y[train])
    report = model.report(
        table.take(test),
        data.y[test],
        title=f"{name} on the mixed table",
        target="class",
        data=f"{len(test)} rows that the model was not trained on",
        random_state=seed,
    )
    try:
        report.save(page)
    except OSError as error:
        raise cannot_write(page, error) from error


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
