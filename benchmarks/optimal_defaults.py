"""Are the defaults of `OptimalTreeClassifier` right? Ways to make tests and sizes, on many tables.

Five repetitions of stratified two-fold cross-validation on tables of numbers, of categories and of
both. Printed are, as Markdown, the error, rank, size and time of the default and of each variant,
and the mean difference of their errors with its standard error over the tables; greedy trees stand
beside them as a yardstick. A search ends after `--seconds`, with the best tree so far: the share of
fits that are proven is printed too. Seconds are of the processor.

    python benchmarks/optimal_defaults.py [--page docs/results/optimal-defaults.md]
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
from sklearn.exceptions import ConvergenceWarning
from tree_defaults import Comparison, Scores, by_set, note, score, split

import mixedwood
from mixedwood import OptimalTreeClassifier, TreeClassifier, datasets

PAGE = "docs/results/optimal-defaults.md"
SECONDS = 5.0
TUNING = 6  # times as long
# First those with categories and numbers, then numbers alone, then categories alone.
SETS = [
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
CUTS = {
    "equal frequency, 4": {"n_bins": 4},
    "equal frequency, 16": {"n_bins": 16},
    "MDLP": {"discretizer": "mdlp"},
    "CAIM": {"discretizer": "caim"},
}
SIZES = {"leaf_cost 0.01": {"leaf_cost": 0.01}, "tuned": {"tune": True}}
# At depth 4 only, where the size of a tree matters more.
BOTH = {
    "leaf_cost 0.005": {"leaf_cost": 0.005},
    "leaf_cost 0.02": {"leaf_cost": 0.02},
    "MDLP, leaf_cost 0.01": {"discretizer": "mdlp", "leaf_cost": 0.01},
    "CAIM, leaf_cost 0.01": {"discretizer": "caim", "leaf_cost": 0.01},
}

Model = OptimalTreeClassifier | TreeClassifier
Make = Callable[[float], Model]


def optimal(depth: int, **parameters: Any) -> Make:
    """An optimal tree that is given so many seconds; more if it is tuned, on five folds first."""
    longer = TUNING if parameters.get("tune") else 1
    return lambda seconds: OptimalTreeClassifier(depth, time_limit=longer * seconds, **parameters)


def make_variants() -> dict[str, Make]:
    """All that are compared, the default first."""
    variants = {"depth 3 (default)": optimal(3)}
    variants |= {f"depth 3, {words}": optimal(3, **p) for words, p in (CUTS | SIZES).items()}
    variants["depth 4"] = optimal(4)
    variants |= {f"depth 4, {words}": optimal(4, **p) for words, p in (CUTS | SIZES | BOTH).items()}
    variants["depth 5, leaf_cost 0.01"] = optimal(5, leaf_cost=0.01)
    variants["greedy"] = lambda seconds: TreeClassifier()
    variants["greedy, depth 3"] = lambda seconds: TreeClassifier(max_depth=3)
    return variants


VARIANTS = make_variants()


def twin_without_numbers(variant: str) -> str | None:
    """Which variant gives the same tree where there are no numbers to cut."""
    depth, _, how = variant.partition(", ")
    if how in CUTS:
        return "depth 3 (default)" if depth == "depth 3" else depth
    return None


def measure(model: Model, fold: tuple) -> list[float]:
    """Error, log loss, leaves, seconds, and whether the tree is proven to be the best."""
    numbers = score(model, *fold)
    return [*numbers, float(getattr(model, "optimal_", True))]


def run(
    names: Sequence[str],
    repetitions: int,
    seconds: float,
    kept: Scores,
    save: Callable[[], None],
) -> Scores:
    """Scores of all variants; those that are kept are not computed again."""
    for name in names:
        start = time.perf_counter()
        rows = kept.setdefault(name, {})
        lacking = [v for v in VARIANTS if len(rows.get(v, [])) != 2 * repetitions]
        if not lacking:
            continue
        data = datasets.load(name, frame="pandas")
        folds = list(split(data, None, repetitions))
        without_numbers = len(data.nominal) == data.X.shape[1]
        for v in lacking:
            twin = twin_without_numbers(v) if without_numbers else None
            rows[v] = (
                rows[twin] if twin else [measure(VARIANTS[v](seconds), fold) for fold in folds]
            )
        save()
        note(f"{name}: {time.perf_counter() - start:.1f} s")
    return {name: {v: kept[name][v] for v in VARIANTS} for name in names}


def table(scores: Scores, comparison: Comparison) -> list[str]:
    """One line per variant."""
    lines = [
        "| variant | error % | difference | sets better, worse | rank | leaves | seconds "
        "| proven % |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for j, v in enumerate(comparison.variants):
        gap, error = comparison.difference(v, comparison.error)
        better, worse = comparison.wins(v)
        proven = np.mean([fold[4] for rows in scores.values() for fold in rows[v]])
        cells = [
            v,
            f"{comparison.error[:, j].mean():.2f}",
            f"{gap:+.2f} ± {error:.2f}" if j else "",
            f"{better}, {worse}" if j else "",
            f"{comparison.rank[j]:.2f}",
            f"{comparison.leaves[:, j].mean():.1f}",
            f"{comparison.seconds[:, j].mean():.3f}",
            "" if v.startswith("greedy") else f"{100 * proven:.0f}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    words = comparison.verdict(comparison.variants[1:], with_loss=False)
    return [*lines, "", f"{words[0].upper()}{words[1:]}"]


def page(lines: Sequence[str], args: argparse.Namespace, names: Sequence[str]) -> list[str]:
    """The page of the documentation."""
    command = "python benchmarks/optimal_defaults.py"
    command += f" --sets {' '.join(names)}" if list(names) != SETS else ""
    command += f" --repetitions {args.repetitions}" if args.repetitions != 5 else ""
    command += f" --seconds {args.seconds:g}" if args.seconds != SECONDS else ""
    return [
        "# Defaults of the optimal tree",
        "",
        "How numbers are cut into ranges before the search, how large a tree may be, and what a",
        f"greedy tree gives. Means over {len(names)} tables and, on each, {2 * args.repetitions}"
        " folds: stratified two-fold",
        f"cross-validation, {args.repetitions} times, the same folds for all. The difference is"
        " variant minus default, with",
        "its standard error over the tables; less is better. A verdict of better or worse means",
        "more than two standard errors; with so many comparisons, one in twenty is beyond that by",
        "chance alone. Rank: 1 is the least error of all variants. What is not said of a variant",
        "is as the default has it: equal frequency, 8 ranges. A fit has",
        f"{args.seconds:g} seconds of the wall's clock, or {TUNING} times as many where it is"
        " tuned; then its tree is the",
        "best so far. How many were proven before is the last column; other work on the machine",
        "makes them fewer. Seconds are those of the processor for one fit.",
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
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each fit")
    parser.add_argument("--scores", type=Path, help="a file that keeps scores between runs")
    parser.add_argument("--page", type=Path, help="write the page of the documentation")
    args = parser.parse_args()
    kept = json.loads(args.scores.read_text()) if args.scores and args.scores.exists() else {}

    def save() -> None:
        if args.scores:
            args.scores.write_text(json.dumps(kept))

    warnings.simplefilter("ignore", mixedwood.UnseenValueWarning)
    warnings.simplefilter("ignore", ConvergenceWarning)
    scores = run(args.sets, args.repetitions, args.seconds, kept, save)
    comparison = Comparison(scores)
    lines = table(scores, comparison)
    lines += ["", "## Error in percent on each table", "", *by_set(comparison, args.sets)]
    print("\n".join(lines))
    if args.page:
        args.page.write_text("\n".join(page(lines, args, args.sets)) + "\n")


if __name__ == "__main__":
    main()
