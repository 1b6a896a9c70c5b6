"""Tables and words about the results of `model_trees.py`."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version

import numpy as np
from five_by_two import verdict
from model_tree_contenders import CONTENDERS, DEFAULT
from scipy.stats import rankdata, studentized_range

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


def common_sets(results: Results, methods: Sequence[str]) -> list[str]:
    """Sets that all of the methods were run on."""
    return [name for name in names_of(results) if all(name in results[m] for m in methods)]


def mean_ranks(
    results: Results, methods: Sequence[str], names: Sequence[str], figure: str = "error"
) -> np.ndarray:
    """One per method: 1 is the least, equal ones share their ranks."""
    rows = [[mean(results, method, name, figure) for method in methods] for name in names]
    return rankdata(np.round(rows, 12), axis=1).mean(axis=0)


def critical_difference(n_methods: int, n_sets: int) -> float:
    """Mean ranks that differ by less are not told apart (Nemenyi's test at 0.05; Demsar 2006)."""
    spread = studentized_range.ppf(0.95, n_methods, np.inf) / np.sqrt(2.0)
    return float(spread * np.sqrt(n_methods * (n_methods + 1) / (6.0 * n_sets)))


def probable(results: Results, methods: Sequence[str]) -> list[str]:
    """Methods that give probabilities."""
    return [m for m in methods if all(f["log_loss"] is not None for f in first(results[m]))]


def first(sets: Mapping[str, Sequence[Mapping[str, float | None]]]) -> Sequence[Mapping]:
    """Folds of a method on its first set."""
    return next(iter(sets.values()))


def rank_table(results: Results, methods: Sequence[str]) -> list[str]:
    """Mean ranks by three figures, best error first; the log loss among those that have one."""
    names = common_sets(results, methods)
    by_error = mean_ranks(results, methods, names)
    by_balance = mean_ranks(results, methods, names, "balanced")
    giving = probable(results, methods)
    by_loss = dict(zip(giving, mean_ranks(results, giving, names, "log_loss"), strict=True))
    lines = [
        f"| over {len(names)} sets | error | balanced error | log loss |",
        "|---|---:|---:|---:|",
    ]
    for place in np.argsort(by_error, kind="stable"):
        method = methods[place]
        loss = f"{by_loss[method]:.2f}" if method in by_loss else ""
        shown = f"**{method}**" if method == DEFAULT else method
        lines.append(f"| {shown} | {by_error[place]:.2f} | {by_balance[place]:.2f} | {loss} |")
    difference = critical_difference(len(methods), len(names))
    return [
        *lines,
        "",
        f"Ranks by error that differ by less than {difference:.2f} do not differ significantly.",
    ]


def figure_table(results: Results, figure: str) -> list[str]:
    """Means, one line per set; the best single model in bold where less is better."""
    title, scale, digits = FIGURES[figure]
    methods = [m for m in results if figure != "leaves" or CONTENDERS[m].kind == "tree"]
    if figure == "log_loss":
        methods = probable(results, methods)
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
        "| against | better | worse | not significant | lower mean | higher mean |",
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


def places(results: Results, what: str, methods: Sequence[str]) -> list[str]:
    """On which sets the default has the least error of some methods, alone or not."""
    alone, shared, behind = [], [], []
    for name in names_of(results):
        found = {m: mean(results, m, name, "error") for m in methods if name in results[m]}
        mine = found.pop(DEFAULT)
        best = min(found, key=found.__getitem__)
        gap = 100 * (mine - found[best])
        if gap < -1e-9:
            alone.append(name)
        elif gap < 1e-9:
            shared.append(name)
        else:
            behind.append(f"{name} ({best} is {gap:.2f} points lower)")
    total = len(alone) + len(shared) + len(behind)
    return [
        f"- Among {what} the model tree has the least error on {len(alone)} of {total} sets: "
        f"{', '.join(alone) or 'none'}; it shares it on {', '.join(shared) or 'none'}.",
        f"- Among {what} it is behind on {'; '.join(behind) or 'none'}.",
    ]


def sizes(results: Results) -> list[str]:
    """Sets on which the default is hardly a tree."""
    leaves = {name: mean(results, DEFAULT, name, "leaves") for name in names_of(results)}
    nothing = [name for name, n in leaves.items() if n < 1.5]
    one = [name for name, n in leaves.items() if 1.5 <= n < 3.0]
    lines = []
    if one:
        lines.append(
            f"- On {', '.join(one)} it has fewer than three leaves on average: mostly one test, in "
            "effect a linear machine where that is a plane."
        )
    if nothing:
        lines.append(
            f"- On {', '.join(nothing)} it is mostly one leaf, which predicts the most frequent "
            "class: few errors, but of no use. See the balanced error."
        )
    return lines


def words(results: Results) -> list[str]:
    """Where the default wins, and where not."""
    trees = of_kind(results, "tree")
    names = common_sets(results, trees)
    ranks = mean_ranks(results, trees, names)
    order = [int(place) for place in np.argsort(ranks, kind="stable")]
    place = order.index(trees.index(DEFAULT)) + 1
    mine, other = ranks[trees.index(DEFAULT)], order[1] if place == 1 else order[0]
    lead = abs(float(mine - ranks[other]))
    relation = "more" if lead > critical_difference(len(trees), len(names)) else "less"
    return [
        *places(results, "single trees", trees),
        *places(results, "single models", of_kind(results, "tree", "linear")),
        *sizes(results),
        f"- Goal, the best single tree by mean rank: {'reached' if place == 1 else 'not reached'}, "
        f"place {place} of {len(trees)} over {len(names)} sets. The distance to {trees[other]} is "
        f"{lead:.2f}, {relation} than is significant for this number of sets.",
    ]


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
        "test is careful; lower and higher count the means of all sets, significant or not.",
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
        *(
            [
                f"Once only, for the time they take: {', '.join(few)}. The 5x2 F test needs five",
                "repetitions, so nothing was tested on these: they count in means and ranks only.",
            ]
            if few
            else []
        ),
        "SmoothSVC is left out there: its steps need the products of all pairs of columns, and",
        "values of categories make thousands of them.",
        "",
        "The defaults were chosen on other tables (model-tree-defaults.md). That planes should go",
        "through nominal values was first seen in a trial on heart-statlog, australian and german,",
        "though, and these three may flatter the model tree a little.",
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
