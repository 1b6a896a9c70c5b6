"""Time of boosting beside LightGBM: equal rounds and leaves, one thread, binning counted for both.

Both grow best first to 31 leaves, without a limit of depth, at rate 0.1; a round is one tree for
all classes of ours and one tree per class of LightGBM's. LightGBM does not split off categories of
few rows, and where it makes fewer leaves, ours makes as few: equal rounds and leaves. LightGBM has
pandas categories for nominal columns, and so have ours. What is timed is `fit` from the frame on,
in seconds of the processor, the best of three, of small tables of nine; ratios are of the same run.

    python benchmarks/boosting_speed.py [--rounds 100] [--tables adult ...] [--page PAGE]
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import mixedwood as mw

LEAVES = 31
TURNS = 3
Drawn = tuple[pd.DataFrame, np.ndarray]


def of_the_library(name: str, rows: int | None = None) -> Drawn:
    """A table of the data folder, or some of its rows."""
    data = mw.datasets.load(name, frame="pandas")
    X, y = data.X, np.unique(np.asarray(data.y).astype(str), return_inverse=True)[1]
    for column in X:
        if not pd.api.types.is_numeric_dtype(X[column]):
            X[column] = X[column].astype("category")
    if rows is None:
        return X, y
    drawn = np.sort(np.random.default_rng(0).permutation(len(y))[:rows])
    return X.iloc[drawn].reset_index(drop=True), y[drawn]


def letters(rows: int) -> Drawn:
    """26 classes by the nearest of 52 points, in 16 columns of small whole numbers."""
    rng = np.random.default_rng(0)
    centers = rng.normal(scale=2, size=(52, 16))
    kind = rng.integers(52, size=rows)
    X = np.round(centers[kind] + rng.normal(size=(rows, 16)) * 1.5)
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(16)]), kind % 26


def nominal(rows: int, n_values: int = 100) -> Drawn:
    """Ten nominal columns of a hundred categories, five of which matter; two classes."""
    rng = np.random.default_rng(0)
    codes = rng.integers(n_values, size=(rows, 10))
    score = sum(rng.normal(size=n_values)[codes[:, j]] for j in range(5))
    y = (score + rng.normal(size=rows) > 0).astype(int)
    labels = [f"v{i}" for i in range(n_values)]
    columns = {f"c{j}": pd.Categorical.from_codes(codes[:, j], labels) for j in range(10)}
    return pd.DataFrame(columns), y


def mixed(rows: int) -> Drawn:
    """The demo's table: four nominal columns of twelve categories and three of numbers."""
    data = mw.datasets.make_mixed(
        rows, n_categorical=4, n_numeric=3, n_categories=12, random_state=0, frame="pandas"
    )
    X = data.X
    for column in data.nominal_features:
        X[column] = X[column].astype("category")
    return X, np.unique(np.asarray(data.y), return_inverse=True)[1]


TABLES: dict[str, Callable[[], Drawn]] = {
    "adult": lambda: of_the_library("adult"),
    "covertype, 60,000 rows": lambda: of_the_library("covertype", 60_000),
    "26 classes, 20,000 rows": lambda: letters(20_000),
    "nominal, 20,000 rows": lambda: nominal(20_000),
    "nominal, 3,000 rows": lambda: nominal(3_000),
    "mixed, 1,000 rows": lambda: mixed(1_000),
    "mixed, 4,000 rows": lambda: mixed(4_000),
    "german": lambda: of_the_library("german"),
}


def ours(rounds: int, leaves: int = LEAVES, **options: Any) -> Any:
    """Gradient boosting with as many leaves."""
    return mw.BoostedTreesClassifier(
        n_estimators=rounds,
        max_depth=None,
        max_leaf_nodes=leaves,
        max_features=None,
        n_jobs=1,
        random_state=0,
        **options,
    )


def lightgbm(rounds: int) -> Any:
    """As it comes, with one thread."""
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=rounds, num_leaves=LEAVES, n_jobs=1, verbose=-1)


def leaves_of(X: pd.DataFrame, y: np.ndarray, rounds: int) -> int:
    """Mean number of leaves of LightGBM's trees."""
    trees = lightgbm(rounds).fit(X, y).booster_.dump_model()["tree_info"]
    return max(2, round(float(np.mean([tree["num_leaves"] for tree in trees]))))


def seconds(
    methods: list[Callable[[], Any]], X: pd.DataFrame, y: np.ndarray, turns: int
) -> list[float]:
    """Of the processor, the best of some turns; methods take turns."""
    best = [float("inf")] * len(methods)
    for _ in range(turns):
        for i, make in enumerate(methods):
            model = make()
            started = time.process_time()
            model.fit(X, y)
            best[i] = min(best[i], time.process_time() - started)
    return best


def main() -> None:
    """Measure and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--tables", nargs="+", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--page", type=Path, help="write a page of the documentation")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = [
        "| table | leaves | target statistics, s | auto, s | LightGBM, s | ratio | ratio, auto |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name in args.tables:
        X, y = TABLES[name]()
        n = leaves_of(X, y, args.rounds)
        methods = [
            partial(ours, args.rounds, n),
            partial(ours, args.rounds, n, partitioner="auto"),
            partial(lightgbm, args.rounds),
        ]
        # Small tables have more turns: what is shown is the best.
        turns = TURNS if len(y) > 10_000 else 3 * TURNS
        ordered, largest, peer = seconds(methods, X, y, turns)
        cells = f"{n} | {ordered:.2f} | {largest:.2f} | {peer:.2f} | {ordered / peer:.2f}"
        lines.append(f"| {name} | {cells} | {largest / peer:.2f} |")
        print(lines[-1], flush=True)
    if args.page:
        about = (__doc__ or "").split("\n\n    python")[0].split("\n\n", 1)[1]
        facts = [f"- command: `python benchmarks/boosting_speed.py --rounds {args.rounds}`"]
        facts.append(f"- lightgbm {version('lightgbm')}")
        head = ["# Time of boosting beside LightGBM", "", about, "", *facts, ""]
        args.page.write_text("\n".join([*head, *lines, ""]))


if __name__ == "__main__":
    main()
