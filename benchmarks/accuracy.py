"""What the scripts that compare accuracy share: tables, folds, a store of results, and ranks.

Five repetitions of stratified two-fold cross-validation on 14 tables with categories, the same
folds for all methods and all scripts. Results of other libraries are kept in a file, so that a
second run is only about ours.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from peers.common import Column, Fold, MissingPeer, Table
from scipy.stats import rankdata
from sklearn.model_selection import StratifiedKFold

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


# method -> set -> one row per fold: the error first, then whatever else the script measures
Results = dict[str, dict[str, np.ndarray]]

# modules of `benchmarks/peers` by the name of their library
Families = Mapping[str, Any]


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
        index = {value: code for code, value in enumerate(column.categories)}
        codes = np.array([index.get(cell, -1) for cell in cells])
        columns.append(Column(codes, len(column.categories)))
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

    def put(self, name: str, method: str, fold: Fold, score: Sequence[float]) -> None:
        """Keep one score; `save` writes it."""
        self.scores.setdefault(name, {}).setdefault(method, {})[fold.key] = list(score)

    def set_version(self, family: str, version: str, family_methods: Iterable[str]) -> None:
        """Forget the family's results if they are of another version."""
        if self.versions.get(family, version) != version:
            note(f"{family}: results of {self.versions[family]} are dropped, now {version}")
            for methods in self.scores.values():
                for method in family_methods:
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


def lacking(module: Any, name: str, repetitions: int, cache: Cache) -> list[str]:
    """Methods of a family without results on a set."""
    folds = make_folds(load(name).y, repetitions)
    return [method for method in module.METHODS if cache.get(name, method, folds) is None]


def installed(families: Families, names: Sequence[str], repetitions: int, cache: Cache) -> list:
    """Families that have something to run and are there to do it."""
    found = []
    for family, module in families.items():
        if not any(lacking(module, name, repetitions, cache) for name in names):
            continue  # then it need not be installed
        try:
            cache.set_version(family, module.version(), module.METHODS)
        except MissingPeer as missing:
            note(f"{family} is left out: {missing}.")
            continue
        found.append(family)
    return found


def fill(families: Families, names: Sequence[str], repetitions: int, cache: Cache) -> None:
    """Run whatever the cache lacks, small tables first."""
    running = installed(families, names, repetitions, cache)
    for name in sorted(names, key=lambda name: load(name).X.size):
        data = load(name)
        folds = make_folds(data.y, repetitions)
        for family in running:
            for method in lacking(families[family], name, repetitions, cache):
                start = time.perf_counter()
                for _, fold, score in families[family].run(coded(data), folds, [method]):
                    cache.put(name, method, fold, score)
                cache.save()  # after each, so that a run that is broken off loses little
                note(f"{method} on {name}: {time.perf_counter() - start:.1f} s")


def stored(families: Families, names: Sequence[str], repetitions: int, cache: Cache) -> Results:
    """Results of all peers that are in the cache for all sets."""
    results: Results = {}
    folds = {name: make_folds(load(name).y, repetitions) for name in names}
    for module in families.values():
        for method in module.METHODS:
            scores = {name: cache.get(name, method, folds[name]) for name in names}
            if all(found is not None for found in scores.values()):
                results[method] = scores
    return results


def stored_in_part(
    families: Families, names: Sequence[str], repetitions: int, cache: Cache
) -> Results:
    """Results of peers that are in the cache for some of the sets only."""
    results: Results = {}
    folds = {name: make_folds(load(name).y, repetitions) for name in names}
    for module in families.values():
        for method in module.METHODS:
            scores = {name: cache.get(name, method, folds[name]) for name in names}
            found = {name: its for name, its in scores.items() if its is not None}
            if 0 < len(found) < len(names):
                results[method] = found
    return results


Scorer = Callable[[Any, datasets.Dataset, Fold], Sequence[float]]


def our_results(
    ours: Mapping[str, Callable[[], Any]],
    names: Sequence[str],
    repetitions: int,
    score: Scorer,
    kept: Path | None = None,
    jobs: int = 1,
) -> Results:
    """Results of ours, run anew but for those kept by a run that was broken off.

    `score` is given a new estimator for each fold; folds run in so many processes.
    """
    store: dict[str, dict[str, Any]] = {}
    if kept is not None and kept.exists():
        store = json.loads(kept.read_text())
    for name in names:
        data = load(name)
        folds = make_folds(data.y, repetitions)
        for method, make in ours.items():
            if len(store.setdefault(method, {}).get(name, ())) == len(folds):
                continue
            start = time.perf_counter()
            tasks = (delayed(score)(make(), data, fold) for fold in folds)
            store[method][name] = [list(found) for found in Parallel(n_jobs=jobs)(tasks)]
            if kept is not None:
                kept.write_text(json.dumps(store))
            note(f"{method} on {name}: {time.perf_counter() - start:.1f} s")
    return {method: {name: np.array(store[method][name]) for name in names} for method in ours}


def mean_errors(results: Results) -> np.ndarray:
    """Percent, one row per set and one column per method; rounded so that ties are ties."""
    columns = [[scores[:, 0].mean() for scores in sets.values()] for sets in results.values()]
    return np.round(100 * np.array(columns).T, 9)


def mean_ranks(results: Results) -> np.ndarray:
    """One per method: 1 is the least error, equal errors share their ranks."""
    return rankdata(mean_errors(results), axis=1).mean(axis=0)


def per_set(results: Results, column: int, scale: float, mark_best: bool) -> list[str]:
    """A table of means, one line per set and one column per method; the least in bold."""
    lines = ["| | " + " | ".join(results) + " |", "|---|" + "---:|" * len(results)]
    for name in next(iter(results.values())):
        means = [round(scale * sets[name][:, column].mean(), 1) for sets in results.values()]
        cells = [f"**{m:.1f}**" if mark_best and m == min(means) else f"{m:.1f}" for m in means]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def used_versions(families: Families, results: Results, versions: dict[str, str]) -> list[str]:
    """What the peers in the results are."""
    return [
        versions[family]
        for family, module in families.items()
        if any(method in results for method in module.METHODS)
    ]


def described(families: Families, results: Results) -> list[str]:
    """One line of a list per peer: what it does."""
    lines = []
    for module in families.values():
        lines += [f"- {m}: {what}" for m, what in module.METHODS.items() if m in results]
    return lines


def read_command_line(
    about: str, cache_name: str, ours: Mapping[str, Any]
) -> tuple[argparse.ArgumentParser, argparse.Namespace]:
    """Options of both scripts, with the names on them checked."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--sets", default=",".join(SETS), help="names, with commas")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--ours", nargs="?", const=",".join(ours), default="", help="or some names")
    parser.add_argument("--cache", type=Path, default=DEFAULT_CACHE / cache_name)
    parser.add_argument("--page", type=Path, help="write the page of the documentation")
    parser.add_argument("--kept", type=Path, help="results of ours, to go on with a broken-off run")
    parser.add_argument("--jobs", type=int, default=1, help="processes for ours")
    parser.add_argument("--no-peers", action="store_true", help="run no peer, use the cache only")
    args = parser.parse_args()
    args.sets = args.sets.split(",")
    args.ours = args.ours.split(",") if args.ours else []
    for given, known in [(args.sets, SETS), (args.ours, ours)]:
        if unknown := [name for name in given if name not in known]:
            parser.error(f"not known: {', '.join(unknown)}; there are {', '.join(known)}")
    return parser, args


def command_line(script: str, args: argparse.Namespace, ours: Mapping[str, Any]) -> str:
    """The command that gives the same results, without the names of files."""
    options = [
        "--ours" if args.ours == list(ours) else f"--ours {','.join(args.ours)}",
        f"--sets {','.join(args.sets)}",
        f"--repetitions {args.repetitions}",
    ]
    wanted = [bool(args.ours), args.sets != list(SETS), args.repetitions != 5]
    shown = [option for option, given in zip(options, wanted, strict=True) if given]
    return " ".join([f"python benchmarks/{script}", *shown])


def write_page(path: Path, lines: Iterable[str]) -> None:
    """Write a page of the documentation."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
