"""Error and size of single trees: mixedwood's beside those of other libraries.

Five repetitions of stratified two-fold cross-validation on 14 tables with categories, the same
folds for all methods. Printed are, as Markdown, the mean error and size of each method and its
error on each table. Other libraries are in `benchmarks/peers`; one that is not installed is left
out. Their results are kept in a file, so that a second run is only about ours.

    python benchmarks/tree_accuracy.py [--ours] [--page docs/results/tree-accuracy.md]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from peers import FAMILIES
from peers.common import Column, Fold, MissingPeer, Score, Table
from scipy.stats import rankdata
from sklearn.model_selection import StratifiedKFold

import mixedwood
from mixedwood import datasets

SETS = {
    "australian": None,
    "balance-scale": "nominal",
    "breast-cancer-ljubljana": None,
    "car": None,
    "contraceptive": None,
    "german": None,
    "hayes-roth": None,
    "heart-statlog": None,
    "mushroom": None,
    "nursery": None,
    "promoters": None,
    "soybean-large": None,
    "splice": None,
    "tic-tac-toe": None,
}  # with the variant, if any
DEFAULT_CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"), "mixedwood")


def tree_classifier() -> Any:
    """The tree with its defaults."""
    return mixedwood.TreeClassifier()


# Estimators with `fit(X, y)`, `predict(X)` and, once fitted, `tree_`. Never read from the cache.
OURS: dict[str, Callable[[], Any]] = {"mixedwood": tree_classifier}

# errors and sizes: method -> set -> one row (error, leaves, nodes) per fold
Results = dict[str, dict[str, np.ndarray]]


def load(name: str) -> datasets.Dataset:
    """Load one of the sets, as a pandas frame."""
    return datasets.load(name, variant=SETS[name], frame="pandas")


def coded(data: datasets.Dataset) -> Table:
    """The same table for the peers: codes and numbers."""
    columns = []
    for column in data.columns:
        cells = data.X[column.name]
        if column.kind == "numeric":
            columns.append(Column(cells.to_numpy(float), 0))
            continue
        index = {value: code for code, value in enumerate(column.values)}
        codes = np.array([index.get(cell, -1) for cell in cells])
        columns.append(Column(codes, len(column.values)))
    classes, target = np.unique(data.y, return_inverse=True)
    return Table(columns, target, len(classes))


def make_folds(y: np.ndarray, repetitions: int) -> list[Fold]:
    """Two folds for each repetition."""
    folds = []
    for repetition in range(repetitions):
        halves = StratifiedKFold(2, shuffle=True, random_state=repetition)
        for number, (train, test) in enumerate(halves.split(y, y)):
            folds.append(Fold(repetition, number, train, test))
    return folds


class Cache:
    """Scores of the peers in a JSON file: set, method, "repetition.fold"; and their versions."""

    def __init__(self, path: Path) -> None:
        self.path = path
        stored = json.loads(path.read_text()) if path.exists() else {}
        self.versions: dict[str, str] = stored.get("versions", {})
        self.scores: dict[str, dict[str, dict[str, list]]] = stored.get("scores", {})

    def get(self, name: str, method: str, folds: Sequence[Fold]) -> np.ndarray | None:
        """Scores on all folds, or None if some are not there."""
        found = self.scores.get(name, {}).get(method, {})
        rows = [found.get(fold.key) for fold in folds]
        return None if None in rows else np.array(rows, float)

    def put(self, name: str, method: str, fold: Fold, score: Score) -> None:
        """Keep one score; `save` writes it."""
        self.scores.setdefault(name, {}).setdefault(method, {})[fold.key] = list(score)

    def set_version(self, family: str, version: str) -> None:
        """Forget the family's results if they are of another version."""
        if self.versions.get(family, version) != version:
            note(f"{family}: results of {self.versions[family]} are dropped, now {version}")
            for methods in self.scores.values():
                for method in FAMILIES[family].METHODS:
                    methods.pop(method, None)
        self.versions[family] = version

    def save(self) -> None:
        """Write the file, whole or not at all."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        written = self.path.with_suffix(".new")
        stored = {"versions": self.versions, "scores": self.scores}
        written.write_text(json.dumps(stored, indent=0, sort_keys=True))
        written.replace(self.path)


def note(text: str) -> None:
    """Tell how far it is; the result goes to standard output."""
    print(text, file=sys.stderr, flush=True)


def run_family(family: str, names: Sequence[str], repetitions: int, cache: Cache) -> None:
    """Fill the cache with whatever it lacks of one family."""
    module = FAMILIES[family]

    def lacking(name: str) -> list[str]:
        folds = make_folds(load(name).y, repetitions)
        return [m for m in module.METHODS if cache.get(name, m, folds) is None]

    if not any(map(lacking, names)):
        return  # then it need not be installed
    cache.set_version(family, module.version())
    for name in names:
        if not (methods := lacking(name)):
            continue
        start = time.perf_counter()
        data = load(name)
        folds = make_folds(data.y, repetitions)
        for method, fold, score in module.run(coded(data), folds, methods):
            cache.put(name, method, fold, score)
        cache.save()
        note(f"{family} on {name}: {time.perf_counter() - start:.1f} s")


def peer_results(names: Sequence[str], repetitions: int, cache: Cache) -> Results:
    """Results of all peers that are installed or in the cache for all sets."""
    for family in FAMILIES:
        try:
            run_family(family, names, repetitions, cache)
        except MissingPeer as missing:
            note(f"{family} is left out: {missing}.")
    results: Results = {}
    folds = {name: make_folds(load(name).y, repetitions) for name in names}
    for module in FAMILIES.values():
        for method in module.METHODS:
            scores = {name: cache.get(name, method, folds[name]) for name in names}
            if all(found is not None for found in scores.values()):
                results[method] = scores
    return results


def our_scores(make: Callable[[], Any], name: str, repetitions: int) -> Iterator[Score]:
    """Score one of ours on each fold."""
    data = load(name)
    for fold in make_folds(data.y, repetitions):
        model = make().fit(data.X.iloc[fold.train], data.y[fold.train])
        error = np.mean(model.predict(data.X.iloc[fold.test]) != data.y[fold.test])
        yield Score(float(error), model.tree_.n_leaves, model.tree_.n_nodes)


def our_results(chosen: Sequence[str], names: Sequence[str], repetitions: int) -> Results:
    """Results of ours, always run anew."""
    results: Results = {}
    for ours in chosen:
        start = time.perf_counter()
        results[ours] = {
            name: np.array(list(our_scores(OURS[ours], name, repetitions))) for name in names
        }
        note(f"{ours}: {time.perf_counter() - start:.1f} s")
    return results


def mean_errors(results: Results) -> np.ndarray:
    """Percent, one row per set and one column per method; rounded so that ties are ties."""
    columns = [[scores[:, 0].mean() for scores in sets.values()] for sets in results.values()]
    return np.round(100 * np.array(columns).T, 9)


def summary(results: Results) -> list[str]:
    """One line per method, best mean rank first."""
    errors = mean_errors(results)
    ranks = rankdata(errors, axis=1).mean(axis=0)
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


def per_set(results: Results, column: int, scale: float, mark_best: bool) -> list[str]:
    """A table of means, one line per set and one column per method; the least in bold."""
    lines = ["| | " + " | ".join(results) + " |", "|---|" + "---:|" * len(results)]
    for name in next(iter(results.values())):
        means = [round(scale * sets[name][:, column].mean(), 1) for sets in results.values()]
        cells = [f"**{m:.1f}**" if mark_best and m == min(means) else f"{m:.1f}" for m in means]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
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
    used = [
        versions[family]
        for family, module in FAMILIES.items()
        if any(method in results for method in module.METHODS)
    ]
    ours = [f"mixedwood {mixedwood.__version__}"] if any(m in OURS for m in results) else []
    folds = len(next(iter(next(iter(results.values())).values())))
    lines = [
        "# Error and size of single trees",
        "",
        f"Means over {folds} folds: stratified two-fold cross-validation, {folds // 2} times, the",
        "same folds for all methods. Half of the rows is for learning, so errors are higher than",
        "with ten folds. Mean rank: 1 is the least error, equal errors share their ranks.",
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
    ]
    for module in FAMILIES.values():
        lines += [f"- {m}: {what}" for m, what in module.METHODS.items() if m in results]
    return lines


def parse_arguments() -> argparse.Namespace:
    """Read the command line and check the names on it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", default=",".join(SETS), help="names, with commas")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--ours", nargs="?", const=",".join(OURS), default="", help="or some names")
    parser.add_argument("--cache", type=Path, default=DEFAULT_CACHE / "tree_accuracy.json")
    parser.add_argument("--page", type=Path, help="write the page of the documentation")
    args = parser.parse_args()
    args.sets = args.sets.split(",")
    args.ours = args.ours.split(",") if args.ours else []
    for given, known in [(args.sets, SETS), (args.ours, OURS)]:
        if unknown := [name for name in given if name not in known]:
            parser.error(f"not known: {', '.join(unknown)}; there are {', '.join(known)}")
    if args.ours and not hasattr(mixedwood, "TreeClassifier"):
        parser.error(f"mixedwood {mixedwood.__version__} has no TreeClassifier yet: omit --ours")
    return args


def main() -> None:
    """Run what is not in the cache, print the tables, and write the page if asked."""
    args = parse_arguments()
    cache = Cache(args.cache)
    results = our_results(args.ours, args.sets, args.repetitions)
    results |= peer_results(args.sets, args.repetitions, cache)
    if not results:
        raise SystemExit("No method could be run.")
    print("\n".join(report(results)))
    if args.page:
        options = [
            "--ours" if args.ours == list(OURS) else f"--ours {','.join(args.ours)}",
            f"--sets {','.join(args.sets)}",
            f"--repetitions {args.repetitions}",
        ]
        wanted = [bool(args.ours), args.sets != list(SETS), args.repetitions != 5]
        shown = [option for option, given in zip(options, wanted, strict=True) if given]
        command = " ".join(["python benchmarks/tree_accuracy.py", *shown])
        args.page.parent.mkdir(parents=True, exist_ok=True)
        args.page.write_text("\n".join(page(results, command, cache.versions)) + "\n")


if __name__ == "__main__":
    main()
