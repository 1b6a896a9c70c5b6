"""Are the defaults of `ModelTreeClassifier` right? Each part changed alone, on many tables.

Stratified two-fold cross-validation, repeated, on tables of numbers alone and of categories alone:
the tables with both, on which model trees are compared with other methods, have no say in their
defaults. Printed are, as Markdown, error, rank, log loss, size and time of the default and of each
variant, and the mean difference of their errors with its standard error over the tables. Seconds
are of the processor.

    python benchmarks/model_tree_defaults.py [--page docs/results/model-tree-defaults.md]
                                             [--scores file.json]
"""

from __future__ import annotations

import argparse
import json
import platform
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tree_defaults import Comparison, Scores, by_set, note, score, split

import mixedwood
from mixedwood import ModelTreeClassifier, TreeClassifier, datasets
from mixedwood.pruning import Pruner
from mixedwood_studies.model_trees.methods import model_tree as published

PAGE = "docs/results/model-tree-defaults.md"
SETS = [
    "banknote",
    "breast-cancer-wisconsin-original",
    "ionosphere",
    "iris",
    "pima",
    "qsar-biodegradation",
    "segment",
    "sonar",
    "vehicle",
    "wine",
    "balance-scale",
    "breast-cancer-ljubljana",
    "car",
    "hayes-roth",
    "monks-1",
    "promoters",
    "tic-tac-toe",
]  # first numbers, then categories

Make = Callable[[], ModelTreeClassifier | TreeClassifier]


def model(**parameters: Any) -> Make:
    """The default model tree with other parameters."""
    return lambda: ModelTreeClassifier(**parameters)


VARIANTS: dict[str, Make] = {
    "default": model(),
    "evidence validation": model(score_on="validation", node_cv=3),
    "cut best": model(intercept="best"),
    "cut best, evidence validation": model(intercept="best", score_on="validation", node_cv=3),
    "tuning_folds 3": model(node_cv=3),
    "C 1": model(C=1.0),
    "C 0.1": model(C=0.1),
    "alpha 5": model(smoothing=5.0),
    "sparse_svm": model(node_model="sparse_svm"),
    "logistic": model(node_model="logistic"),
    "fisher": model(node_model="fisher"),
    "svm and fisher": model(node_model=["svm", "fisher"]),
    "no thresholds": model(axis_aligned=False),
    "min_linear 20": model(min_samples_model=20),
    "min_linear 50": model(min_samples_model=50),
    "numbers only": model(node_features="numeric"),
    "multi_class largest": model(multi_class="largest"),
    "multi_class balanced": model(multi_class="balanced"),
    "multi_class every": model(multi_class="exhaustive"),
    "max_depth 2": model(max_depth=2),
    "max_depth 4": model(max_depth=4),
    "min_gain 0.01": model(min_split_gain=0.01),
    "gain_ratio": model(criterion="gain_ratio"),
    "gain_ratio, average_gain": model(criterion="gain_ratio", selection="average_gain"),
    "gini": model(criterion="gini"),
    "se_rule 0": model(pruning=Pruner("cost_complexity", se_rule=0)),
    "se_rule 1": model(pruning=Pruner("cost_complexity", se_rule=1)),
    "pessimistic": model(pruning="pessimistic"),
    "not pruned": model(pruning=None),
    "published": published,
    "TreeClassifier": TreeClassifier,
}


def run(names: Sequence[str], repetitions: int, kept: Scores, save: Callable[[], None]) -> Scores:
    """Scores of all variants; those that are kept are not computed again."""
    for name in names:
        start = time.perf_counter()
        rows = kept.setdefault(name, {})
        folds = list(split(datasets.load(name, frame="pandas"), None, repetitions))
        for v, make in VARIANTS.items():
            if len(rows.get(v, [])) != 2 * repetitions:
                rows[v] = [score(make(), *fold) for fold in folds]
                save()
        note(f"{name}: {time.perf_counter() - start:.1f} s")
    return {name: {v: kept[name][v] for v in VARIANTS} for name in names}


def table(comparison: Comparison) -> list[str]:
    """One line per variant."""
    lines = [
        "| variant | error % | difference | better, worse | rank | log loss | leaves | seconds |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for j, v in enumerate(comparison.variants):
        gap, error = comparison.difference(v, comparison.error)
        better, worse = comparison.wins(v)
        cells = [
            v,
            f"{comparison.error[:, j].mean():.2f}",
            f"{gap:+.2f} ± {error:.2f}" if j else "",
            f"{better}, {worse}" if j else "",
            f"{comparison.rank[j]:.2f}",
            f"{comparison.loss[:, j].mean():.3f}",
            f"{comparison.leaves[:, j].mean():.1f}",
            f"{comparison.seconds[:, j].mean():.3f}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    words = comparison.verdict(comparison.variants[1:], with_loss=False)
    return [*lines, "", f"{words[0].upper()}{words[1:]}"]


def page(lines: Sequence[str], repetitions: int, names: Sequence[str]) -> list[str]:
    """The page of the documentation."""
    command = "python benchmarks/model_tree_defaults.py"
    command += f" --sets {' '.join(names)}" if list(names) != SETS else ""
    command += f" --repetitions {repetitions}" if repetitions != 3 else ""
    return [
        "# Defaults of the model tree",
        "",
        "Each part of `ModelTreeClassifier` changed alone, on tables of numbers alone and of",
        "categories alone. Tables with both are those on which model trees are compared with other",
        f"methods: they had no say here. Means over {len(names)} tables and, on each, "
        f"{2 * repetitions} folds of stratified",
        "two-fold cross-validation, the same for all. The difference is variant minus default with",
        "its standard error over the tables; less is better. A verdict of better or worse means",
        "more than two standard errors; with so many comparisons, one in twenty is beyond that by",
        "chance alone. Seconds are those of the processor for one fit.",
        "",
        f"- command: `{command} --page {PAGE}`",
        f"- mixedwood {mixedwood.__version__}, numpy {np.__version__}, "
        f"Python {platform.python_version()}",
        "",
        *lines,
    ]


def main() -> None:
    """Run what is not kept, print the tables, and write the page if asked."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", nargs="+", default=SETS, metavar="SET")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--scores", type=Path, help="a file that keeps scores between runs")
    parser.add_argument("--page", type=Path, help="write the page of the documentation")
    args = parser.parse_args()
    kept = json.loads(args.scores.read_text()) if args.scores and args.scores.exists() else {}

    def save() -> None:
        if args.scores:
            args.scores.write_text(json.dumps(kept))

    warnings.simplefilter("ignore", UserWarning)  # values never met; no numeric column
    comparison = Comparison(run(args.sets, args.repetitions, kept, save))
    lines = table(comparison)
    lines += ["", "## Error in percent on each table", "", *by_set(comparison, args.sets)]
    print("\n".join(lines))
    if args.page:
        args.page.write_text("\n".join(page(lines, args.repetitions, args.sets)) + "\n")


if __name__ == "__main__":
    main()
