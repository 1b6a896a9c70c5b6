"""Time of boosting beside LightGBM: equal rounds and leaves, one thread, binning counted for both.

Both grow best first to 31 leaves, without a limit of depth, at rate 0.1; a round is one tree for
all classes of ours and one tree per class of LightGBM's. LightGBM has pandas categories for nominal
columns, and so have ours. What is timed is `fit` from the frame on, in seconds of the processor,
the best of three; ratios are of the same run. Take the machine for yourself:

    flock /tmp/timing.lock python benchmarks/boosting_speed.py [--rounds 100] [--tables adult ...]
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
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


def ours(rounds: int, **options: Any) -> Any:
    """Gradient boosting with as many leaves."""
    return mw.BoostedTreesClassifier(
        n_estimators=rounds,
        max_depth=None,
        max_leaf_nodes=LEAVES,
        max_features=None,
        n_jobs=1,
        random_state=0,
        **options,
    )


def lightgbm(rounds: int) -> Any:
    """As it comes, with one thread."""
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=rounds, num_leaves=LEAVES, n_jobs=1, verbose=-1)


def seconds(make: Callable[[], Any], X: pd.DataFrame, y: np.ndarray) -> float:
    """Of the processor, the best of some turns."""
    best = float("inf")
    for _ in range(TURNS):
        model = make()
        started = time.process_time()
        model.fit(X, y)
        best = min(best, time.process_time() - started)
    return best


def main() -> None:
    """Measure and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--tables", nargs="+", choices=list(TABLES), default=list(TABLES))
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| table | target statistics, s | auto, s | LightGBM, s | ratio | ratio, auto |")
    print("|---|---:|---:|---:|---:|---:|")
    for name in args.tables:
        X, y = TABLES[name]()
        ordered = seconds(lambda: ours(args.rounds), X, y)
        largest = seconds(lambda: ours(args.rounds, partitioner="auto"), X, y)
        peer = seconds(lambda: lightgbm(args.rounds), X, y)
        cells = f"{ordered:.2f} | {largest:.2f} | {peer:.2f} | {ordered / peer:.2f}"
        print(f"| {name} | {cells} | {largest / peer:.2f} |", flush=True)


if __name__ == "__main__":
    main()
