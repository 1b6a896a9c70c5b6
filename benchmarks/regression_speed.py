"""CPU time and peak memory of regressors beside scikit-learn and LightGBM, encoding counted.

Every task runs in a process of its own, on one thread: it reads a frame of text and numbers that is
in memory, and fits. Ours take the frame; scikit-learn gets it through an encoder. Ratios below 1
are faster than the rival. Tables: diamonds, and one with the columns of flights, generated.

    MIXEDWOOD_DATA=<folder> python benchmarks/regression_speed.py [--rounds 3] [--page PAGE]
        [--tasks tree forest boosting] [--rivals ordinal LightGBM]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

ROWS = 100_000
N_TREES = 10  # of forests
ROUNDS, LEAVES = 100, 31  # of boosting


def flights_like(n: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Delays by carrier, airports, time and distance."""
    rng = np.random.default_rng(0)
    airports = np.array([f"A{i:03}" for i in range(300)])
    busy = rng.zipf(1.4, 300).clip(1, 200).astype(float)
    X = pd.DataFrame(
        {
            "month": rng.integers(1, 13, n),
            "day": rng.integers(1, 32, n),
            "departure": rng.integers(0, 1440, n),
            "carrier": np.array([f"C{i}" for i in range(16)])[rng.integers(0, 16, n)],
            "origin": airports[rng.choice(300, n, p=busy / busy.sum())],
            "destination": airports[rng.choice(300, n, p=busy / busy.sum())],
            "distance": rng.integers(90, 4900, n),
            "temperature": rng.normal(12, 9, n).round(1),
        }
    )
    late = X["departure"] / 60 + X["carrier"].str[1:].astype(int) + rng.gamma(1.2, 20, n)
    return X, (late + X["origin"].str[1:].astype(int) % 17).to_numpy(dtype=float)


def read(table: str) -> tuple[pd.DataFrame, np.ndarray]:
    if table == "flights-like":
        return flights_like(ROWS)
    from regression_accuracy import load

    folder = Path(os.environ["MIXEDWOOD_DATA"], "regression")
    entries = json.loads((folder / "manifest.json").read_text("utf-8"))
    X, y, _ = load(next(entry for entry in entries if entry["name"] == table), folder)
    return X, y


def encoded(model: Any, encoder: Any) -> Any:
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.pipeline import make_pipeline

    text = make_column_selector(dtype_exclude=np.number)
    columns = make_column_transformer((encoder, text), remainder="passthrough")
    return make_pipeline(columns, model)


def make(task: str, who: str) -> Any:
    """Make a model that takes a frame."""
    import mixedwood as mw

    if who == "mixedwood":
        if task == "tree":
            return mw.TreeRegressor(selection="score", pruning=None)
        if task == "forest":
            tree = mw.TreeRegressor(selection="score", pruning=None, max_features=1 / 3)
            return mw.ForestRegressor(tree, N_TREES, keep_leaves=False, random_state=0)
        return mw.BoostedTreesRegressor(
            n_estimators=ROUNDS, max_leaf_nodes=LEAVES, max_depth=None, partitioner="auto",
            min_samples_leaf=20, l2_regularization=0.0, random_state=0,
        )  # fmt: skip
    if who == "LightGBM":
        return LightGBM()
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
    from sklearn.tree import DecisionTreeRegressor

    tree = DecisionTreeRegressor(random_state=0)
    forest = RandomForestRegressor(N_TREES, max_features=1 / 3, random_state=0)
    encoder = OrdinalEncoder() if who == "ordinal" else OneHotEncoder(handle_unknown="ignore")
    return encoded(tree if task == "tree" else forest, encoder)


class LightGBM:
    """LightGBM with its own treatment of categories."""

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> None:
        import lightgbm as lgb

        text = X.select_dtypes(exclude=np.number).columns
        frame = X.astype(dict.fromkeys(text, "category"))
        lgb.LGBMRegressor(n_estimators=ROUNDS, num_leaves=LEAVES, n_jobs=1, verbose=-1).fit(
            frame, y
        )


RIVALS = {
    "tree": ("ordinal", "one-hot"),
    "forest": ("ordinal", "one-hot"),
    "boosting": ("LightGBM",),
}


def run(table: str, task: str, who: str, rounds: int) -> None:
    """Print the least CPU time of some fits, and the memory that they added to the peak."""
    X, y = read(table)
    make(task, who).fit(X.iloc[:500], y[:500])  # imports
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = []
    for _ in range(rounds):
        start = time.process_time()
        make(task, who).fit(X, y)
        seconds.append(time.process_time() - start)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps([min(seconds), (after - before) / 1024]))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tables", nargs="*", default=["diamonds", "flights-like"])
    parser.add_argument("--tasks", nargs="*", default=list(RIVALS), choices=list(RIVALS))
    parser.add_argument("--rivals", nargs="*", help="all by default")
    parser.add_argument("--page", type=Path)
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        run(*given.one, given.rounds)
        return
    lines = [
        "| table | task | rival | ours s | rival s | ratio | ours MB | rival MB |",
        "|---|---|---|---:|---:|---:|---:|---:|",
    ]
    for table in given.tables:
        for task in given.tasks:
            found = {}
            rivals = [w for w in RIVALS[task] if given.rivals is None or w in given.rivals]
            for who in ("mixedwood", *rivals) if rivals else ():
                command = [sys.executable, __file__, "--rounds", str(given.rounds)]
                done = subprocess.run(
                    [*command, "--one", table, task, who],
                    capture_output=True,
                    text=True,
                    check=True,
                    env={**os.environ, "OMP_NUM_THREADS": "1"},
                )
                found[who] = json.loads(done.stdout)
            if not rivals:
                continue
            ours = found.pop("mixedwood")
            for who, theirs in found.items():
                numbers = (ours[0], theirs[0], ours[0] / theirs[0], ours[1], theirs[1])
                texts = [f"{n:.2f}" if i < 3 else f"{n:.0f}" for i, n in enumerate(numbers)]
                lines.append(f"| {table} | {task} | {who} | {' | '.join(texts)} |")
                print(lines[-1], flush=True)
    if given.page:
        given.page.write_text(PAGE.format("\n".join(lines)), "utf-8")


PAGE = """# Speed of regression

CPU seconds of a fit on one thread and the memory that it adds to the peak of its process, by
`benchmarks/regression_speed.py`. Ours take the frame; scikit-learn's estimators take it through an
encoder of the text columns, whose time counts. Trees are grown to the end, forests have 10 trees
that draw a third of the columns, boosting has 100 trees of 31 leaves.

{}
"""

if __name__ == "__main__":
    main()
