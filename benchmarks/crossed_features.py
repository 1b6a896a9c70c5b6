"""Crossed columns: error and time without them, by hand, and with the search, on many tables.

    python benchmarks/crossed_features.py --scores out/crossed.json [--page FILE.md] [--only PART]

A tree and boosted trees with default settings. Five repetitions of stratified two-fold
cross-validation, one for tables of more than 10,000 rows; the same folds for all. Parts:

- `known`: tables whose interaction is known, among them an exclusive or of two columns of ten
  values, and tables with the crossings of the thesis ("-Ext"); `MIXEDWOOD_DATA` is their folder.
- `fourteen`: the tables of `accuracy.py`.
- `ensembles`: those of `ensemble_choices.py`, on which no crossing was tried before.
- `choice`, `judge`: the halves of `more_tables.py` with at least two nominal columns.

Seconds are of the processor. Scores are kept, and only what is missing is run.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import accuracy
import ensemble_choices
import more_tables
import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

import mixedwood as mw
from mixedwood.datasets import load

MANY_ROWS = 10_000  # of a table that is divided once only
COVERTYPE_ROWS = 10_000
Rows = tuple[pd.DataFrame, np.ndarray]

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
CAR = [("buying", "maint"), ("doors", "persons", "lug_boot")]
NURSERY = [
    ("parents", "has_nurs"),
    ("form", "children", "housing", "finance"),
    ("social", "health"),
]
CONTRACEPTIVE = [
    ("Wifes_education", "Husbands_education"),
    ("Wifes_now_working?", "Husbands_occupation", "Standard-of-living_index"),
]


@dataclass(frozen=True)
class Task:
    """A table, how to make it, and what a person would cross."""

    name: str
    part: str
    make: Callable[[], Rows]
    by_hand: Any = None


def make_xor(n_rows: int = 1000, n_noise: int = 6, noise: float = 0.1) -> Rows:
    """Exclusive or of two columns of ten categories, some labels flipped, beside noise."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 10, (n_rows, 2 + n_noise))
    X = pd.DataFrame({f"c{j}": [f"v{code}" for code in codes[:, j]] for j in range(2 + n_noise)})
    flipped = rng.random(n_rows) < noise
    return X, (codes[:, 0] % 2) ^ (codes[:, 1] % 2) ^ flipped


def as_text(name: str) -> Callable[[], Rows]:
    """A table of the folder with all columns as text."""

    def make() -> Rows:
        data = load(name, frame="pandas")
        X = data.X.copy()
        for column in data.columns:
            if column.kind != "numeric":
                X[column.name] = X[column.name].astype(object)
        return X, np.asarray(data.y)

    return make


def covertype() -> Rows:
    """Rows of covertype, drawn at random, with an indicator for each area and type of soil."""
    data = load("covertype", frame="pandas")
    drawn = np.random.default_rng(0).permutation(len(data.y))[:COVERTYPE_ROWS]
    X, y = data.X.iloc[drawn].reset_index(drop=True), np.asarray(data.y)[drawn]
    for name in ("Wilderness_Area", "Soil_Type"):
        for value in sorted(map(str, X[name].unique())):
            X[f"{name} {value}"] = np.where(X[name].astype(str) == value, "yes", "no")
        X = X.drop(columns=name)
    return X, y


def indicators() -> list[tuple[str, ...]]:
    """The crossings of covertype's indicators: its two nominal columns."""
    names = list(covertype()[0])
    starts = ("Wilderness_Area", "Soil_Type")
    return [tuple(n for n in names if n.startswith(start)) for start in starts]


def tasks() -> Iterator[Task]:
    """All tables."""
    yield Task("xor", "known", make_xor, [("c0", "c1")])
    yield Task("monks-1", "known", as_text("monks-1"), [("a1", "a2")])
    yield Task("tic-tac-toe", "known", as_text("tic-tac-toe"), LINES)
    yield Task("car", "known", as_text("car"), CAR)
    yield Task("nursery", "known", as_text("nursery"), NURSERY)
    yield Task("contraceptive", "known", as_text("contraceptive"), CONTRACEPTIVE)
    yield Task("covertype", "known", covertype, indicators)
    for name in accuracy.SETS:
        if name in ("car", "nursery", "contraceptive", "tic-tac-toe"):
            continue  # above

        def fourteen(name: str = name) -> Rows:
            data = accuracy.load(name)
            return data.X, np.asarray(data.y)

        yield Task(name, "fourteen", fourteen)
    for source in ensemble_choices.SOURCES:
        yield Task(str(source), "ensembles", source.load)
    for half in more_tables.HALVES:
        for name in more_tables.names(half):

            def more(name: str = name) -> Rows:
                table = more_tables.load(name)
                return table.X, table.y

            yield Task(name, half, more)


MODELS: dict[str, Callable[[], Any]] = {
    "tree": lambda: mw.TreeClassifier(random_state=0),
    "boosted": lambda: mw.BoostedTreesClassifier(random_state=0),
}


def first_depth(model: Any) -> int:
    """Depth of the first split of a tree on a crossed column; -1 if it has none."""
    tree = getattr(model, "tree_", None)
    if tree is None:
        return -1
    crossed = tree.column >= len(tree.schema.inputs)
    return int(tree.node_depth[crossed].min()) if crossed.any() else -1


def run_fold(X: pd.DataFrame, y: np.ndarray, train: Any, test: Any, model: Any) -> list[Any]:
    """Error in percent, seconds, depth of the first crossed split, crossings, wrong rows."""
    started = time.process_time()
    model.fit(X.iloc[train], y[train])
    seconds = time.process_time() - started
    wrong = model.predict(X.iloc[test]) != y[test]
    crossings = [column.name for column in model.schema_.derived]
    rows = np.asarray(test)[wrong].tolist() if len(y) > MANY_ROWS - 1 else []
    return [100 * float(wrong.mean()), seconds, first_depth(model), crossings, rows]


def run(task: Task, store: dict[str, Any], seconds: float) -> float:
    """Run what is missing of a table; returns the seconds that were used."""
    kept = store.setdefault(task.part, {}).setdefault(task.name, {})
    if kept.get("done"):
        return 0.0
    started = time.process_time()
    X, y = task.make()
    nominal = sum(not pd.api.types.is_numeric_dtype(X[name]) for name in X)
    kept.update(rows=len(y), columns=X.shape[1], nominal=nominal)
    if nominal < 2:  # nothing to cross
        kept.update(done=True, scores={})
        return 0.0
    by_hand = task.by_hand() if callable(task.by_hand) else task.by_hand
    variants = {"none": None, "by hand": by_hand, "auto": "auto"}
    scores: dict[str, Any] = {}
    for repetition in range(1 if len(y) >= MANY_ROWS else 5):
        halves = StratifiedKFold(2, shuffle=True, random_state=repetition)
        for train, test in halves.split(y, y):
            for title, make in MODELS.items():
                for label, crossed in variants.items():
                    if label == "by hand" and crossed is None:
                        continue
                    model = make().set_params(crossed_features=crossed)
                    found = run_fold(X, y, train, test, model)
                    scores.setdefault(title, {}).setdefault(label, []).append(found)
    kept.update(done=True, scores=scores)
    return time.process_time() - started


TITLES = {
    "known": "Known interactions and the -Ext tables",
    "fourteen": "The other tables of the fourteen",
    "ensembles": "Tables of the ensembles' study",
    "choice": "Other tables, half *choice*",
    "judge": "Other tables, half *judge*",
}


def by_repetition(runs: list[list[Any]], place: int) -> np.ndarray:
    """Means over the two folds of each repetition."""
    return np.array([run[place] for run in runs], float).reshape(-1, 2).mean(axis=1)


def gain(mine: list[list[Any]], plain: list[list[Any]], rows: int) -> tuple[float, float]:
    """Error that is saved, and its standard error.

    From repetitions by the corrected formula of Nadeau and Bengio, which allows for rows that they
    share; from the rows themselves where there is one repetition.
    """
    saved = by_repetition(plain, 0) - by_repetition(mine, 0)
    if len(saved) > 1:
        return float(saved.mean()), float(saved.std(ddof=1) * np.sqrt(1 / len(saved) + 1))
    wrong, before = ({row for run in runs for row in run[4]} for runs in (mine, plain))
    differ = len(wrong ^ before)
    return float(saved[0]), 100 * float(np.sqrt(max(differ, 1))) / rows


def seconds_of(runs: list[list[Any]]) -> float:
    """Median seconds of a fit."""
    return float(np.median([run[1] for run in runs]))


def rows_of_page(part: dict[str, Any], title: str) -> list[str]:
    """The rows of a table of the page for one model, and the mean over its tables."""
    lines, means, factors = [], [], []
    for name, table in part.items():
        if not table["scores"]:
            continue
        scores = table["scores"][title]
        line = f"| {name} | {table['rows']} | {by_repetition(scores['none'], 0).mean():.2f} |"
        for label in ("by hand", "auto"):
            if label not in scores:
                line += "  |"
                continue
            saved, spread = gain(scores[label], scores["none"], table["rows"])
            mark = " **+**" if saved > 2 * spread else " **-**" if saved < -2 * spread else ""
            error = by_repetition(scores[label], 0).mean()
            line += f" {error:.2f} ({saved:+.2f} ± {spread:.2f}){mark} |"
        factor = seconds_of(scores["auto"]) / seconds_of(scores["none"])
        found = sum(bool(run[3]) for run in scores["auto"])
        lines.append(f"{line} {found}/{len(scores['auto'])} | {factor:.2f} |")
        means.append(saved)
        factors.append(factor)
    mean, spread = np.mean(means), np.std(means, ddof=1) / np.sqrt(len(means))
    lines.append(
        f"| *mean saved, median factor* |  |  |  | {mean:+.2f} ± {spread:.2f} |  | "
        f"{np.median(factors):.2f} |"
    )
    return lines


def depth_lines(part: dict[str, Any]) -> list[str]:
    """At what depth crossed columns first stand in the trees."""
    lines = []
    for name, table in part.items():
        for label in ("by hand", "auto"):
            runs = table["scores"].get("tree", {}).get(label, [])
            depths = [run[2] for run in runs]
            counts = [sum(d == k for d in depths) for k in (0, 1)]
            deeper = sum(d > 1 for d in depths)
            if depths:
                unused = len(depths) - sum(counts) - deeper
                lines.append(
                    f"| {name} | {label} | {counts[0]} | {counts[1]} | {deeper} | {unused} |"
                )
    return lines


def covered(store: dict[str, Any]) -> str:
    """Which tables the page has, of all that were meant."""
    every: dict[str, int] = {}
    for task in tasks():
        every[task.part] = every.get(task.part, 0) + 1
    shown = {part: sum(bool(t["scores"]) for t in store.get(part, {}).values()) for part in every}
    titles = {part: title[0].lower() + title[1:] for part, title in TITLES.items()}
    parts = [f"{shown[part]} of {n} of {titles[part]}" for part, n in every.items()]
    of_fourteen = sum(task.part == "known" and task.name in accuracy.SETS for task in tasks())
    return (
        f"Tables that were run and have two nominal columns: {', '.join(parts)}. "
        f"{of_fourteen} of the fourteen tables and the four -Ext tables are in the first part."
    )


def page(store: dict[str, Any]) -> list[str]:
    """The page of results."""
    lines = ["# Crossed columns by hand and by the search", ""]
    lines += [
        "`python benchmarks/crossed_features.py --scores FILE --page FILE`. Errors in percent of a "
        "tree and of boosted trees with default settings, without crossed columns, with those of "
        'the thesis or of the rule of the table, and with `crossed_features="auto"`; in brackets '
        "what is saved. 5x2 folds, one repetition for tables of 10,000 rows or more. **+** and "
        "**-**: more than two standard errors, those of Nadeau and Bengio over repetitions, or of "
        "the rows with one repetition. *found*: folds in which the search crosses anything. "
        "*time*: median processor time of a fit with the search, relative to none. Of covertype "
        f"{COVERTYPE_ROWS} rows were drawn; its columns are indicators of area and soil, which are "
        "joined again by hand. Tables with fewer than two nominal columns are left out.",
        "",
        covered(store),
    ]
    for name, title in TITLES.items():
        if not store.get(name):
            continue
        for model in MODELS:
            lines += ["", f"## {title}: {model}", ""]
            lines += ["| table | rows | none | by hand | auto | found | time |"]
            lines += ["|---|---:|---:|---:|---:|---:|---:|", *rows_of_page(store[name], model)]
    lines += ["", "## Where crossed columns stand", ""]
    lines += ["Trees by the depth of their first split on a crossed column.", ""]
    lines += [
        "| table | crossed | root | depth 1 | deeper | not used |",
        "|---|---|---:|---:|---:|---:|",
    ]
    lines += depth_lines(store["known"])
    lines += [
        "",
        "## A tree of nursery",
        "",
        "All rows, three levels, the crossings of the thesis.",
    ]
    return [*lines, "", "![Tree of nursery with crossed columns](../images/nursery-crossed.svg)"]


def picture() -> str:
    """Draw the first levels of a tree of nursery with the crossings of the thesis."""
    X, y = as_text("nursery")()
    model = mw.TreeClassifier(max_depth=3, crossed_features=NURSERY, random_state=0).fit(X, y)
    return str(model.tree_.to_svg())


def main() -> None:
    """Run what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--scores", type=Path, required=True, help="file of scores")
    parser.add_argument("--only", nargs="*", help="parts; `none` runs nothing")
    parser.add_argument("--page", type=Path, help="write the page from what is there")
    parser.add_argument("--picture", type=Path, help="draw a tree of nursery")
    parser.add_argument("--seconds", type=float, default=np.inf, help="processor time to use")
    given = parser.parse_args()
    store = json.loads(given.scores.read_text()) if given.scores.exists() else {}
    used = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for task in tasks():
            if (given.only and task.part not in given.only) or used > given.seconds:
                continue
            spent = run(task, store, given.seconds)
            used += spent
            given.scores.parent.mkdir(parents=True, exist_ok=True)
            given.scores.write_text(json.dumps(store))
            print(f"{task.part} {task.name}: {spent:.1f} s, {used:.0f} s in all", flush=True)
    if given.picture:
        given.picture.write_text(picture() + "\n", "utf-8")
    if given.page:
        given.page.write_text("\n".join(page(store)) + "\n", "utf-8")


if __name__ == "__main__":
    main()
