"""Error and log loss of ensembles: mixedwood's beside those of other libraries.

Five repetitions of stratified two-fold cross-validation on 14 tables with categories, the same
folds for all methods and as in `tree_accuracy.py`. Printed are, as Markdown, the mean error and
rank of each method, its error on each table, and for each of ours the combined 5x2cv F test against
the best of the others on each table and against each of the others. Other libraries are in
`benchmarks/peers`; one that is not installed is left out. Their results are kept in a file, so that
a second run is only about ours.

    python benchmarks/ensemble_accuracy.py [--ours] [--page docs/results/ensemble-accuracy.md]
"""

from __future__ import annotations

import platform
from collections import Counter
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
    note,
    our_results,
    read_command_line,
    stored,
    stored_in_part,
    used_versions,
    write_page,
)
from five_by_two import verdict
from peers import ENSEMBLES
from peers.common import EnsembleScore, Fold, judged

import mixedwood
from mixedwood import datasets


def ours(name: str, **settings: Any) -> Callable[[], Any]:
    """A factory for an estimator by name, so that a version without it can say so."""
    return lambda: getattr(mixedwood, name)(**settings)


# Estimators with `fit(X, y)` and `predict(X)`; `predict_proba(X)` if the loss is to be told. Never
# read from the cache.
OURS: dict[str, Callable[[], Any]] = {
    "ensemble": ours("EnsembleClassifier", random_state=0),
    "boosted trees": ours("BoostedTreesClassifier", random_state=0),
    "forest": ours("ForestClassifier", random_state=0),
    "random ordinality": ours(
        "RandomOrdinalityClassifier", estimator="random_tree", random_state=0
    ),
    "grow and prune": ours("GrowPruneForestClassifier", random_state=0),
}


def ensemble_score(model: Any, data: datasets.Dataset, fold: Fold) -> EnsembleScore:
    """Error of one of ours by its own answers, and the log loss of its probabilities."""
    model.fit(data.X.iloc[fold.train], data.y[fold.train])
    test, truth = data.X.iloc[fold.test], data.y[fold.test]
    error = float(np.mean(model.predict(test) != truth))
    if not hasattr(model, "predict_proba"):
        return EnsembleScore(error, float("nan"))
    classes = np.unique(data.y)
    columns = np.searchsorted(classes, model.classes_)
    target = np.searchsorted(classes, truth)
    return judged(model.predict_proba(test), target, columns, len(classes))._replace(error=error)


def there(chosen: list[str]) -> dict[str, Callable[[], Any]]:
    """Those of ours that this version of mixedwood has."""
    found = {}
    for name in chosen:
        try:
            OURS[name]()
        except AttributeError as missing:
            note(f"{name} is left out: {missing}.")
            continue
        found[name] = OURS[name]
    return found


def split(results: Results) -> tuple[Results, Results]:
    """Ours and the others."""
    mine = {method: sets for method, sets in results.items() if method in OURS}
    return mine, {method: sets for method, sets in results.items() if method not in OURS}


def summary(results: Results) -> list[str]:
    """One line per method, best mean rank first."""
    errors, ranks = mean_errors(results), mean_ranks(results)
    losses = [
        np.mean([scores[:, 1].mean() for scores in sets.values()]) for sets in results.values()
    ]
    lines = [
        "| method | mean error % | mean rank | mean log loss |",
        "|---|---:|---:|---:|",
    ]
    methods = list(results)
    for j in np.argsort(ranks, kind="stable"):
        shown = f"**{methods[j]}**" if methods[j] in OURS else methods[j]
        lines.append(f"| {shown} | {errors[:, j].mean():.2f} | {ranks[j]:.2f} | {losses[j]:.3f} |")
    return lines


def per_method(results: Results, column: int, scale: float, digits: int) -> list[str]:
    """A table of means, one line per method, best mean rank first; the least of a set in bold."""
    methods = [list(results)[j] for j in np.argsort(mean_ranks(results), kind="stable")]
    names = list(next(iter(results.values())))
    means = np.array([[results[m][name][:, column].mean() for name in names] for m in methods])
    means = np.round(scale * means, digits)
    least = np.nanmin(means, axis=0)
    lines = ["| | " + " | ".join(names) + " |", "|---|" + "---:|" * len(names)]
    for method, row in zip(methods, means, strict=True):
        cells = [
            f"**{mean:.{digits}f}**" if mean == best else f"{mean:.{digits}f}"
            for mean, best in zip(row, least, strict=True)
        ]
        shown = f"**{method}**" if method in OURS else method
        lines.append(f"| {shown} | " + " | ".join(cells) + " |")
    return lines


def best_peer(peers: Results, name: str) -> str:
    """The method with the least mean error on a set, of those that were run on it."""
    there = [method for method in peers if name in peers[method]]
    return min(there, key=lambda method: peers[method][name][:, 0].mean())


def against_the_best(mine: Results, peers: Results) -> list[str]:
    """Each of ours beside the best of the others on each set, with the test's verdict."""
    lines = [
        "| | best of the others | error % | " + " | ".join(mine) + " |",
        "|---|---|---:|" + "---:|" * len(mine),
    ]
    counts: dict[str, Counter] = {method: Counter() for method in mine}
    marks = {"better": " (+)", "worse": " (-)", "equal": ""}
    for name in next(iter(mine.values())):
        rival = best_peer(peers, name)
        theirs = peers[rival][name][:, 0]
        cells = []
        for method, sets in mine.items():
            found = verdict(sets[name][:, 0], theirs)
            counts[method][found] += 1
            cells.append(f"{100 * sets[name][:, 0].mean():.2f}{marks[found]}")
        lines.append(f"| {name} | {rival} | {100 * theirs.mean():.2f} | {' | '.join(cells)} |")
    lines.append("")
    for method, found in counts.items():
        lines.append(
            f"- {method} against the best of the others: significantly worse on {found['worse']}, "
            f"better on {found['better']}, no difference on {found['equal']}"
        )
    return lines


def against_each(mine: Results, peers: Results) -> list[str]:
    """Sets on which ours is significantly better / not different / significantly worse."""
    lines = ["| | " + " | ".join(mine) + " |", "|---|" + ":---:|" * len(mine)]
    for rival, theirs in peers.items():
        cells = []
        for sets in mine.values():
            found = Counter(verdict(sets[name][:, 0], theirs[name][:, 0]) for name in theirs)
            cells.append(f"{found['better']} / {found['equal']} / {found['worse']}")
        lines.append(f"| {rival} | {' | '.join(cells)} |")
    return lines


def in_part(some: Results) -> list[str]:
    """Errors of methods that were not run on all sets."""
    lines = ["| method | error % |", "|---|---|"]
    for method, sets in some.items():
        cells = [f"{name} {100 * scores[:, 0].mean():.2f}" for name, scores in sets.items()]
        lines.append(f"| {method} | {', '.join(cells)} |")
    return lines


def report(results: Results, some: Results) -> list[str]:
    """All tables, as Markdown."""
    lines = ["## All sets", "", *summary(results), ""]
    mine, peers = split(results)
    if mine and peers:
        lines += [
            "## Against the best of the others on each set",
            "",
            "Which of the others is best is chosen on the same test rows, which favors them. (+)",
            "and (-): the combined 5x2cv F test finds ours better or worse at the level 0.05.",
            "",
            *against_the_best(mine, {**peers, **some}),
            "",
            "## Against each of the others",
            "",
            "Sets on which ours is significantly better / not different / significantly worse.",
            "",
            *against_each(mine, peers),
            "",
        ]
    if some:
        lines += [
            "## Not run on all sets",
            "",
            "Too slow for the time there was. They are among the others on the sets they were run",
            "on, and not in the ranks.",
            "",
            *in_part(some),
            "",
        ]
    lines += ["## Error in percent", "", *per_method(results, 0, 100.0, 2), ""]
    return [*lines, "## Log loss", "", *per_method(results, 1, 1.0, 3)]


def page(results: Results, some: Results, command: str, versions: dict[str, str]) -> list[str]:
    """The page of the documentation."""
    mine, _ = split(results)
    version = [f"mixedwood {mixedwood.__version__}"] if mine else []
    used = used_versions(ENSEMBLES, {**results, **some}, versions)
    folds = len(next(iter(next(iter(results.values())).values())))
    return [
        "# Error of ensembles",
        "",
        f"Means over {folds} folds: stratified two-fold cross-validation, {folds // 2} times, the",
        "same folds for all methods. Half of the rows is for learning, so errors are higher than",
        "with ten folds. Mean rank: 1 is the least error, equal errors share their ranks. Log",
        "loss: the mean of -log(probability of the class), with probabilities below 0.000001",
        "taken as that; for forests that count votes it is that of the fractions of votes. Several",
        "ensembles of mixedwood were tried on these tables and folds before `ensemble` was what it",
        "is, so its lead is flattered. It also chooses the depth and number of its boosted trees",
        "and the weight of the forest by cross-validation on the training rows, while the peers",
        "run with fixed settings: none of them is tuned here, so `ensemble` and they are not",
        "compared as equals. [On other tables](ensemble-variants.md) it is compared with",
        "our own only.",
        "",
        f"- command: `{command}`",
        f"- {', '.join([*version, *used, f'Python {platform.python_version()}'])}",
        "",
        *report(results, some),
        "",
        "## Methods",
        "",
        "All columns are nominal or numeric, as declared; peers know all categories of a set.",
        "Each learns from all training rows of a fold, with the number of trees or rounds of its",
        "defaults; WEKA's with 50, as in the paper on random ordinality.",
        "",
        *described(ENSEMBLES, {**results, **some}),
    ]


def main() -> None:
    """Run what is not in the cache, print the tables, and write the page if asked."""
    _, args = read_command_line(__doc__.split("\n")[0], "ensemble_accuracy.json", OURS)
    cache = Cache(args.cache)
    results = our_results(
        there(args.ours), args.sets, args.repetitions, ensemble_score, args.kept, args.jobs
    )
    if not args.no_peers:
        fill(ENSEMBLES, args.sets, args.repetitions, cache)
    some = stored_in_part(ENSEMBLES, args.sets, args.repetitions, cache)
    results |= stored(ENSEMBLES, args.sets, args.repetitions, cache)
    if not results:
        raise SystemExit("No method could be run.")
    print("\n".join(report(results, some)))
    if args.page:
        command = command_line("ensemble_accuracy.py", args, OURS)
        write_page(args.page, page(results, some, command, cache.versions))


if __name__ == "__main__":
    main()
