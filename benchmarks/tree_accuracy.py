"""Error and size of single trees: mixedwood's beside those of other libraries.

Five repetitions of stratified two-fold cross-validation on 14 tables with categories, the same
folds for all methods. Printed are, as Markdown, the mean error and size of each method and its
error on each table. Other libraries are in `benchmarks/peers`; one that is not installed is left
out. Their results are kept in a file, so that a second run is only about ours.

    python benchmarks/tree_accuracy.py [--ours] [--page docs/results/tree-accuracy.md]
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import Any

import numpy as np
from accuracy import (
    Cache,
    Results,
    command_line,
    described,
    fill,
    mean_errors,
    mean_ranks,
    our_results,
    per_set,
    read_command_line,
    stored,
    used_versions,
    write_page,
)
from peers import TREES
from peers.common import Fold, Score

import mixedwood
from mixedwood import datasets


def tree_classifier() -> Any:
    """The tree with its defaults."""
    return mixedwood.TreeClassifier()


# Estimators with `fit(X, y)`, `predict(X)` and, once fitted, `tree_`. Never read from the cache.
OURS: dict[str, Callable[[], Any]] = {"mixedwood": tree_classifier}


def tree_score(model: Any, data: datasets.Dataset, fold: Fold) -> Score:
    """Error of one of ours and the size of its tree."""
    model.fit(data.X.iloc[fold.train], data.y[fold.train])
    error = np.mean(model.predict(data.X.iloc[fold.test]) != data.y[fold.test])
    return Score(float(error), model.tree_.n_leaves, model.tree_.n_nodes)


def summary(results: Results) -> list[str]:
    """One line per method, best mean rank first."""
    errors = mean_errors(results)
    ranks = mean_ranks(results)
    sizes = [
        np.mean([scores[:, 1:].mean(axis=0) for scores in sets.values()], axis=0)
        for sets in results.values()
    ]
    lines = [
        "| method | mean error % | mean rank | mean leaves | mean nodes |",
        "|---|---:|---:|---:|---:|",
    ]
    methods = list(results)
    for j in np.argsort(ranks, kind="stable"):
        shown = f"**{methods[j]}**" if methods[j] in OURS else methods[j]
        lines.append(
            f"| {shown} | {errors[:, j].mean():.2f} | {ranks[j]:.2f} | "
            f"{sizes[j][0]:.1f} | {sizes[j][1]:.1f} |"
        )
    return lines


def report(results: Results) -> list[str]:
    """All tables, as Markdown."""
    return [
        "## All sets",
        "",
        *summary(results),
        "",
        "## Error in percent",
        "",
        *per_set(results, 0, 100.0, mark_best=True),
        "",
        "## Leaves",
        "",
        *per_set(results, 1, 1.0, mark_best=False),
    ]


def page(results: Results, command: str, versions: dict[str, str]) -> list[str]:
    """The page of the documentation."""
    ours = [f"mixedwood {mixedwood.__version__}"] if any(m in OURS for m in results) else []
    used = used_versions(TREES, results, versions)
    folds = len(next(iter(next(iter(results.values())).values())))
    return [
        "# Error and size of single trees",
        "",
        f"Means over {folds} folds: stratified two-fold cross-validation, {folds // 2} times, the",
        "same folds for all methods. Half of the rows is for learning, so errors are higher than",
        "with ten folds. Mean rank: 1 is the least error, equal errors share their ranks. The",
        "defaults of mixedwood were found on these tables, so its lead is flattered a little.",
        "",
        f"- command: `{command}`",
        f"- {', '.join([*ours, *used, f'Python {platform.python_version()}'])}",
        "",
        *report(results),
        "",
        "## Methods",
        "",
        "All columns are nominal or numeric, as declared; peers know all categories of a set.",
        "Missing cells are left to each method's own way unless said otherwise.",
        "",
        *described(TREES, results),
    ]


def main() -> None:
    """Run what is not in the cache, print the tables, and write the page if asked."""
    parser, args = read_command_line(__doc__.split("\n")[0], "tree_accuracy.json", OURS)
    if args.ours and not hasattr(mixedwood, "TreeClassifier"):
        parser.error(f"mixedwood {mixedwood.__version__} has no TreeClassifier yet: omit --ours")
    cache = Cache(args.cache)
    ours = {name: OURS[name] for name in args.ours}
    results = our_results(ours, args.sets, args.repetitions, tree_score)
    fill(TREES, args.sets, args.repetitions, cache)
    results |= stored(TREES, args.sets, args.repetitions, cache)
    if not results:
        raise SystemExit("No method could be run.")
    print("\n".join(report(results)))
    if args.page:
        command = command_line("tree_accuracy.py", args, OURS)
        write_page(args.page, page(results, command, cache.versions))


if __name__ == "__main__":
    main()
