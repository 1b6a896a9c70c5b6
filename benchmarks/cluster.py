"""Trees on a Dask cluster: time, processor time and traffic, LightGBM and XGBoost beside.

python benchmarks/cluster.py [--rows 1000000] [--page docs/results/how-far.md]

The table is that of benchmarks/chunks.py as Parquet. Workers are processes of this machine with one
thread each. Traffic is what the loopback device has carried, so nothing else should use it: run the
script in a network namespace of its own, if others do (unshare -n).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from chunks import PIECE, make

DEPTH = 8
ROUNDS = 20
BOOSTED = {"max_depth": DEPTH, "learning_rate": 0.3}


def traffic() -> int:
    """Bytes that the loopback device has carried."""
    for line in Path("/proc/net/dev").read_text().splitlines():
        if line.strip().startswith("lo:"):
            return int(line.split(":")[1].split()[0])
    return 0


def cpu_of(client: Any) -> float:
    """Processor time of the workers and of this process."""

    def mine() -> float:
        times = os.times()
        return times.user + times.system

    return sum(client.run(mine).values()) + mine()


def accuracy(predicted: Any, y: Any) -> float:
    """Share of right predictions."""
    return float((np.asarray(predicted) == y).mean())


def ours(model: Any) -> Callable[..., float]:
    """Fit one of our models to a Dask frame."""

    def fit(client: Any, frame: Any, test: Any) -> float:
        model.fit(frame, "y")
        return accuracy(model.predict(test.drop(columns="y")), test["y"].to_numpy())

    return fit


def known_categories(frame: Any, test: Any) -> tuple[Any, Any]:
    """Make text columns categories, which the others need; the frame stays on the workers."""
    nominal = [name for name in frame.columns if name.startswith("c")]
    frame = frame.categorize(columns=nominal).persist()
    kinds = {name: frame[name].dtype for name in nominal}
    return frame, test.astype(kinds)


def lightgbm(rounds: int) -> Callable[..., float]:
    """LightGBM's own classifier for Dask."""

    def fit(client: Any, frame: Any, test: Any) -> float:
        import lightgbm

        frame, test = known_categories(frame, test)
        model = lightgbm.DaskLGBMClassifier(
            client=client, n_estimators=rounds, num_leaves=2**DEPTH, verbose=-1, **BOOSTED
        )
        model.fit(frame.drop(columns="y"), (frame["y"] == "yes").astype(int))
        found = model.to_local().predict(test.drop(columns="y"))
        return accuracy(found, (test["y"] == "yes").to_numpy())

    return fit


def xgboost(rounds: int) -> Callable[..., float]:
    """XGBoost's own training for Dask."""

    def fit(client: Any, frame: Any, test: Any) -> float:
        import xgboost
        from xgboost import dask as of_dask

        frame, test = known_categories(frame, test)
        y = (frame["y"] == "yes").astype(int)
        data = of_dask.DaskQuantileDMatrix(
            client, frame.drop(columns="y"), y, enable_categorical=True
        )
        options = {
            "objective": "binary:logistic", "tree_method": "hist", "max_depth": DEPTH, "eta": 0.3
        }  # fmt: skip
        found = of_dask.train(client, options, data, num_boost_round=rounds)["booster"]
        rows = xgboost.DMatrix(test.drop(columns="y"), enable_categorical=True)
        return accuracy(found.predict(rows) > 0.5, (test["y"] == "yes").to_numpy())

    return fit


def ways() -> dict[str, Callable[..., float]]:
    """All that is measured."""
    import mixedwood as mw

    tree = mw.TreeClassifier(max_depth=DEPTH, pruning=None)
    member = mw.TreeClassifier(criterion="gini", max_features="sqrt", max_depth=DEPTH, pruning=None)
    return {
        "mixedwood, one tree": ours(tree),
        "LightGBM, one tree": lightgbm(1),
        "XGBoost, one tree": xgboost(1),
        f"mixedwood, forest of {ROUNDS} trees": ours(
            mw.ForestClassifier(member, ROUNDS, random_state=0)
        ),
        f"LightGBM, {ROUNDS} rounds": lightgbm(ROUNDS),
        f"XGBoost, {ROUNDS} rounds": xgboost(ROUNDS),
    }


def passes(client: Any, frame: Any) -> list[dict[str, float]]:
    """Time, processor time and traffic of each pass of one tree."""
    import mixedwood as mw
    from mixedwood.data.partitions import Partitions

    found = []
    run = Partitions.run

    def measured(self: Any, job: Any, *args: Any) -> Any:
        before = time.perf_counter(), cpu_of(client), traffic()
        state = run(self, job, *args)
        after = time.perf_counter(), cpu_of(client), traffic()
        found.append([b - a for a, b in zip(before, after, strict=True)])
        return state

    Partitions.run = measured
    try:
        mw.TreeClassifier(max_depth=DEPTH, pruning=None).fit(frame, "y")
    finally:
        Partitions.run = run
    return found


def measure(folder: Path, n_workers: int, way: str) -> Any:
    """Run one way on a cluster of its own."""
    import dask.dataframe as dd
    import pandas as pd
    from dask.distributed import Client, LocalCluster

    test = pd.read_parquet(folder / "test")
    with (
        LocalCluster(
            n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        client.run(__import__, "mixedwood.estimators.tree")
        frame = dd.read_parquet(sorted(map(str, (folder / "train").iterdir())))
        if way == "passes":
            return passes(client, frame)
        before = time.perf_counter(), cpu_of(client), traffic()
        score = ways()[way](client, frame, test)
        after = time.perf_counter(), cpu_of(client), traffic()
        return [*(b - a for a, b in zip(before, after, strict=True)), score]


def call(folder: Path, n_workers: int, way: str) -> Any:
    """Measure in a process of its own."""
    command = [sys.executable, __file__, "--folder", str(folder), "--way", way]
    command += ["--workers", str(n_workers)]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    if not lines:
        print(done.stdout[-2000:], done.stderr[-3000:], file=sys.stderr)
        return None
    return json.loads(lines[-1].removeprefix("RESULT "))


def main() -> None:
    """Measure and print; the page is written from what is printed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--sizes", type=int, nargs="*", default=[250_000, 1_000_000, 2_000_000])
    parser.add_argument("--way", help=argparse.SUPPRESS)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.way:
        print("RESULT " + json.dumps(measure(args.folder, args.workers, args.way)))
        return
    with tempfile.TemporaryDirectory() as name:
        folders = {}
        for n_rows in {*args.sizes, args.rows}:
            folders[n_rows] = Path(name) / str(n_rows)
            for part, n, seed in (("train", n_rows, 0), ("test", min(n_rows // 10, PIECE), 1)):
                (folders[n_rows] / part).mkdir(parents=True)
                make(folders[n_rows] / part, n, seed)
        print("| rows | workers | first pass: s, CPU s, MB | each level: s, CPU s, MB |")
        for n_rows in args.sizes:
            for n_workers in (1, 2, 4) if n_rows == args.rows else (2,):
                found = call(folders[n_rows], n_workers, "passes")
                if found is None:
                    continue
                levels = np.array(found[1:])
                first = " ".join(f"{v:.2f}" for v in (*found[0][:2], found[0][2] / 1e6))
                mean = levels.mean(axis=0)
                each = " ".join(f"{v:.2f}" for v in (*mean[:2], mean[2] / 1e6))
                last = levels[-1]
                final = " ".join(f"{v:.2f}" for v in (*last[:2], last[2] / 1e6))
                print(f"| {n_rows:,} | {n_workers} | {first} | {each}; last: {final} |", flush=True)
        print("| way | s | CPU s | MB | accuracy |")
        for way in ways():
            found = call(folders[args.rows], args.workers, way)
            if found is not None:
                seconds, cpu, sent, score = found
                print(f"| {way} | {seconds:.1f} | {cpu:.1f} | {sent / 1e6:,.0f} | {score:.4f} |",
                      flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
