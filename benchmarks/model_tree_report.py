"""Tables and words about the results of `model_trees.py`."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version

import numpy as np
from five_by_two import verdict
from model_tree_contenders import CONTENDERS, DEFAULT
from scipy.stats import rankdata

import mixedwood

# method -> set -> figures of each fold; a method that is left out on a set lacks it
Results = Mapping[str, Mapping[str, Sequence[Mapping[str, float | None]]]]
FIGURES = {
    "error": ("Error in percent", 100.0, 2),
    "balanced": ("Balanced error in percent", 100.0, 2),
    "log_loss": ("Log loss", 1.0, 3),
    "leaves": ("Leaves", 1.0, 0),
    "seconds": ("Seconds to fit", 1.0, 2),
}


def names_of(results: Results) -> list[str]:
    """Sets in the order they were run."""
    return list(dict.fromkeys(name for sets in results.values() for name in sets))


def mean(results: Results, method: str, name: str, figure: str) -> float:
    """Mean over folds; NaN where the method was left out or does not give the figure."""
    found = [fold[figure] for fold in results[method].get(name, ())]
    return float("nan") if not found or None in found else float(np.mean(np.array(found, float)))


def of_kind(results: Results, *kinds: str) -> list[str]:
    """Methods of some kinds."""
    return [method for method in results if CONTENDERS[method].kind in kinds]


def mean_ranks(
    results: Results, methods: Sequence[str], figure: str = "error"
) -> tuple[np.ndarray, int]:
    """One per method, over the sets that all of them were run on, and the number of those."""
    rows = [[mean(results, m, name, figure) for m in methods] for name in names_of(results)]
    whole = np.round([row for row in rows if not np.isnan(row).any()], 12)
    return rankdata(whole, axis=1).mean(axis=0), len(whole)


def rank_table(results: Results, methods: Sequence[str]) -> list[str]:
    """Mean ranks by three figures, best error first; the log loss among those that have one."""
    by_error, n_sets = mean_ranks(results, methods)
    by_balance, _ = mean_ranks(results, methods, "balanced")
    probable = [m for m in methods if not all(
        np.isnan(mean(results, m, name, "log_loss")) for name in names_of(results)
    )]  # fmt: skip
    by_loss = dict(zip(probable, mean_ranks(results, probable, "log_loss")[0], strict=True))
    lines = [
        f"| over {n_sets} sets | error | balanced error | log loss |",
        "|---|---:|---:|---:|",
    ]
    for place in np.argsort(by_error, kind="stable"):
        method = methods[place]
        loss = f"{by_loss[method]:.2f}" if method in by_loss else ""
        shown = f"**{method}**" if method == DEFAULT else method
        lines.append(f"| {shown} | {by_error[place]:.2f} | {by_balance[place]:.2f} | {loss} |")
    return lines


def figure_table(results: Results, figure: str) -> list[str]:
    """Means, one line per set; the best single model in bold where less is better."""
    title, scale, digits = FIGURES[figure]
    methods = [m for m in results if figure != "leaves" or CONTENDERS[m].kind == "tree"]
    if figure == "log_loss":
        names = names_of(results)
        methods = [
            m for m in methods if not all(np.isnan(mean(results, m, n, figure)) for n in names)
        ]
    lines = [
        f"## {title}",
        "",
        "| | " + " | ".join(methods) + " |",
        "|---|" + "---:|" * len(methods),
    ]
    for name in names_of(results):
        found = {m: round(scale * mean(results, m, name, figure), digits) for m in methods}
        single = [x for m, x in found.items() if CONTENDERS[m].kind != "ensemble" and x == x]
        best = min(single) if figure in ("error", "balanced", "log_loss") else None
        cells = []
        for method, x in found.items():
            text = "" if x != x else f"{x:.{digits}f}"
            bold = x == best and CONTENDERS[method].kind != "ensemble"
            cells.append(f"**{text}**" if bold else text)
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def outcomes(results: Results, other: str) -> dict[str, str]:
    """Better, worse or equal on each set with five repetitions, by the combined F test."""
    found = {}
    for name in names_of(results):
        mine, theirs = results[DEFAULT].get(name, ()), results[other].get(name, ())
        if len(mine) == len(theirs) == 10:
            errors = [[fold["error"] for fold in folds] for folds in (mine, theirs)]
            found[name] = verdict(np.array(errors[0], float), np.array(errors[1], float))
    return found


def test_table(results: Results) -> list[str]:
    """The default against each other method: the F test, and plain lower or higher means."""
    lines = [
        "| against | better | worse | not told apart | lower mean | higher mean |",
        "|---|---|---|---:|---:|---:|",
    ]
    for other in results:
        if other == DEFAULT:
            continue
        tests = outcomes(results, other)
        named = {
            word: ", ".join(name for name, found in tests.items() if found == word) or "none"
            for word in ("better", "worse")
        }
        gaps = [
            mean(results, DEFAULT, name, "error") - mean(results, other, name, "error")
            for name in names_of(results)
        ]
        lower, higher = sum(gap < 0 for gap in gaps), sum(gap > 0 for gap in gaps)
        equal = list(tests.values()).count("equal")
        lines.append(
            f"| {other} | {named['better']} | {named['worse']} | {equal} | {lower} | {higher} |"
        )
    return lines


def words(results: Results) -> list[str]:
    """Where the default wins, and where not."""
    trees, lines = of_kind(results, "tree"), []
    single = of_kind(results, "tree", "linear")
    for what, methods in [("single trees", trees), ("single models", single)]:
        first, behind = [], []
        for name in names_of(results):
            found = {m: mean(results, m, name, "error") for m in methods}
            found = {m: x for m, x in found.items() if x == x}
            best = min(found, key=found.__getitem__)
            if found[DEFAULT] <= found[best]:
                first.append(name)
            else:
                gap = 100 * (found[DEFAULT] - found[best])
                behind.append(f"{name} ({best} is {gap:.2f} points lower)")
        lines.append(
            f"- Among {what} the model tree has the least error on {len(first)} of "
            f"{len(first) + len(behind)} sets: {', '.join(first) or 'none'}."
        )
        if behind:
            lines.append(f"- Among {what} it is behind on {'; '.join(behind)}.")
    sizes = {name: mean(results, DEFAULT, name, "leaves") for name in names_of(results)}
    planes = [name for name, leaves in sizes.items() if 1.5 <= leaves < 3.0]
    if planes:
        lines.append(
            f"- On {', '.join(planes)} it has fewer than three leaves on average: mostly "
            "one test, in effect a linear machine where that is a plane."
        )
    ranks, n_sets = mean_ranks(results, trees)
    order = [trees[place] for place in np.argsort(ranks, kind="stable")]
    place = order.index(DEFAULT) + 1
    reached = "reached" if place == 1 else f"not reached: {order[0]} has a lower one"
    lines.append(
        f"- Goal, the best single tree by mean rank: place {place} of {len(trees)} over {n_sets} "
        f"sets, {reached}."
    )
    return lines


def summary(results: Results) -> list[str]:
    """Ranks, tests and words, as Markdown."""
    everywhere = [
        m for m in of_kind(results, "tree", "linear") if len(results[m]) == len(names_of(results))
    ]
    lines = [
        "## Where it wins, and where not",
        "",
        *words(results),
        "",
        "## Mean ranks of single trees",
        "",
        *rank_table(results, of_kind(results, "tree")),
        "",
        "## Mean ranks of single models",
        "",
        *rank_table(results, everywhere),
        "",
    ]
    if everywhere != of_kind(results, "tree", "linear"):
        lines += [
            "With those that were left out on some sets, over the others:",
            "",
            *rank_table(results, of_kind(results, "tree", "linear")),
            "",
        ]
    return [
        *lines,
        "## The model tree against each other method",
        "",
        "Better and worse: by the combined 5x2 F test at 0.05, on sets with five repetitions. The",
        "test is careful; lower and higher count the means of all sets, told apart or not.",
        "",
        *test_table(results),
        "",
    ]


def page(results: Results, once: set[str]) -> list[str]:
    """The page of the documentation."""
    few = [name for name in names_of(results) if name in once]
    packages = {"scikit-learn": "scikit-learn", "ydf": "YDF", "lightgbm": "LightGBM"}
    used = ", ".join(f"{name} {version(package)}" for package, name in packages.items())
    return [
        "# Model trees on tables of categories and numbers",
        "",
        "The default `ModelTreeClassifier` beside other single trees, linear models, and LightGBM,",
        "which is an ensemble, shown for orientation and not ranked. Means over stratified",
        "two-fold cross-validation, five times, the same folds for all; half of the rows is for",
        "learning. Mean rank: 1 is the least, equal ones share their ranks. Seconds are processor",
        "time on a busy machine, tuning included. Log loss takes probabilities as 1e-6 at least.",
        "",
        "Of covertype 20,000 rows are drawn. contraceptive-aggreg is not here: it is contraceptive",
        "with joined columns. The two sets of shelter animals are one table with classes joined or",
        "not, so that they count almost twice.",
        *([f"Once only, for the time they take: {', '.join(few)}."] if few else []),
        "SmoothSVC is left out there: its steps need the products of all pairs of columns, and",
        "values of categories make thousands of them.",
        "",
        "- command: `python benchmarks/model_trees.py`",
        f"- mixedwood {mixedwood.__version__}, {used}, Python {platform.python_version()}",
        "",
        *summary(results),
        *[line for figure in FIGURES for line in figure_table(results, figure)],
        "## Methods",
        "",
        *[f"- {method}: {CONTENDERS[method].about}" for method in results],
    ]
