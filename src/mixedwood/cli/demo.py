"""`mixedwood demo`: every search on one generated column, then trees on generated tables."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import click

from mixedwood.cli.tables import print_table

if TYPE_CHECKING:
    from mixedwood.splits import Partition

_REPEATS = 5  # the fastest of these is shown
_MOST_SHOWN = 4  # values of a group


@click.command()
@click.option("--criterion", default="gini", show_default=True, help="How good a grouping is.")
@click.option("--rows", default=20_000, show_default=True, type=click.IntRange(10))
@click.option("--values", default=18, show_default=True, type=click.IntRange(2))
@click.option("--classes", default=4, show_default=True, type=click.IntRange(2))
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0))
@click.option("--json", "as_json", is_flag=True, help="For machines: one JSON document.")
def demo(criterion: str, rows: int, values: int, classes: int, seed: int, as_json: bool) -> None:
    """Compare the split searches on a generated column, and trees on a generated table.

    The column of a generated table is counted (value x class), then every search groups its
    values. Impurity is that of the two groups; "exact" means proven best. The options are about
    this column. Then a tree is grown on a smaller table of categories and numbers, and compared
    with scikit-learn's on one-hot columns. Last, a small tree is proven to be the best of its size.
    """
    from mixedwood import datasets, splits
    from mixedwood.cli.demo_optimal import compare_small_trees, show_small_trees
    from mixedwood.cli.demo_tree import compare_trees, show_trees

    if criterion not in splits.criteria():
        raise click.UsageError(
            f"--criterion {criterion!r} is not known; use one of {', '.join(splits.criteria())}."
        )
    data = datasets.make_nominal(
        rows, n_columns=3, n_values=values, n_classes=classes, random_state=seed, frame="dict"
    )
    column = next(iter(data.X))
    counts, labels, _ = splits.count_values(data.X[column], data.y)
    found: list[dict[str, Any]] = []
    for name in splits.partitioners():
        try:
            partition, seconds = _timed(counts, criterion, name, seed)
        except ValueError as error:  # a search that does not go with this table says why
            found.append({"search": name, "reason": str(error)})
            continue
        found.append(
            {
                "search": name,
                "groups": [list(map(str, g)) for g in partition.labels(list(labels))],
                "impurity": partition.impurity,
                "score": partition.score,
                "exact": partition.exact,
                "chosen": partition.partitioner,
                "milliseconds": 1e3 * seconds,
            }
        )
    trees, small = compare_trees(seed), compare_small_trees(seed)
    if as_json:
        document = {
            "criterion": criterion,
            "column": column,
            "searches": found,
            "tree": trees,
            "optimal": small,
        }
        click.echo(json.dumps(document))
        return
    _show(found, criterion, f"{len(labels)} values, {counts.shape[1]} classes, {rows} rows")
    show_trees(trees)
    show_small_trees(small)


def _timed(counts: Any, criterion: str, name: str, seed: int) -> tuple[Partition, float]:
    from mixedwood import splits

    best = float("inf")
    for _ in range(_REPEATS):
        start = time.perf_counter()
        partition = splits.best_partition(counts, criterion, name, random_state=seed)
        best = min(best, time.perf_counter() - start)
    return partition, best


def _show(found: list[dict[str, Any]], criterion: str, size: str) -> None:
    searched = [f for f in found if "impurity" in f]
    two_way = [f for f in searched if len(f["groups"]) == 2]
    two_way.sort(key=lambda f: (-f["score"], f["milliseconds"]))
    rest = [f for f in searched if f not in two_way]
    rows = []
    for f in two_way + rest:
        name = f["search"] if f["chosen"] == f["search"] else f"{f['search']} ({f['chosen']})"
        smaller = min(f["groups"], key=len)
        shown = " ".join(smaller[:_MOST_SHOWN])
        if len(smaller) > _MOST_SHOWN:
            shown += f" +{len(smaller) - _MOST_SHOWN}"
        if len(f["groups"]) > 2:
            shown = f"{len(f['groups'])} groups"
        rows.append(
            [
                name,
                shown,
                f"{f['impurity']:.6f}",
                f"{f['score']:.6f}",
                "yes" if f["exact"] else "",
                f"{f['milliseconds']:.3f}",
            ]
        )
    print_table(
        f"Splitting one nominal column by {criterion}: {size}",
        ["search", "smaller group", "impurity", "score", "exact", "ms"],
        rows,
        n_text=2,
    )
    for f in found:
        if "reason" in f:
            click.echo(f"{f['search']}: {f['reason']}", err=True)
