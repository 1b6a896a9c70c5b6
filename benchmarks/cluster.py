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
from chunks import N_NUMBERS, PIECE, SIZES, make

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


WAYS = (
    "mixedwood, one tree",
    "LightGBM, one tree",
    "XGBoost, one tree",
    f"mixedwood, forest of {ROUNDS} trees",
    f"LightGBM, {ROUNDS} rounds",
    f"XGBoost, {ROUNDS} rounds",
)


def way_of(name: str) -> Callable[..., float]:
    """Find what fits and scores a model."""
    import mixedwood as mw

    tree = mw.TreeClassifier(max_depth=DEPTH, pruning=None)
    if name == WAYS[0]:
        return ours(tree)
    if name == WAYS[3]:
        member = tree.set_params(criterion="gini", max_features="sqrt")
        return ours(mw.ForestClassifier(member, ROUNDS, random_state=0))
    rounds = 1 if "one tree" in name else ROUNDS
    return lightgbm(rounds) if name.startswith("LightGBM") else xgboost(rounds)


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
        score = way_of(way)(client, frame, test)
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


PAGE = """# How far does it carry?

`python benchmarks/cluster.py --rows {rows} --sizes {sizes} --page docs/results/how-far.md`

A [Dask cluster](../guide/large-tables.md#dask) of worker processes on one machine with two cores, one thread each, and the table of
[trees in pieces](chunks.md): Parquet, ten numbers and ten nominal columns of 2 to {largest:,} categories, two classes. The machine was
shared: CPU seconds, of workers, scheduler and client together, say more than seconds. MB are what all processes have sent.

## One tree, pass by pass

`TreeClassifier(max_depth={depth}, pruning=None)` of a frame that is read from its files in each pass.

| rows | workers | first pass: s | CPU s | MB | level, mean of {depth}: s | CPU s | MB | last level: CPU s | MB |
|---|---|---|---|---|---|---|---|---|---|
{sizes_lines}

## Beside LightGBM and XGBoost

{rows:,} rows, {workers} workers, trees of depth {depth}. The others need the categories of all columns first, and keep the frame in the
memory of the workers; this is part of their times, as reading the files in every pass is of ours. Accuracy is on {tested:,} other rows.

| way | s | CPU s | MB | accuracy |
|---|---|---|---|---|
{ways_lines}

{missing}## A model of the cost

A node has {cells:,} counts of 4 bytes: for each column, its bins or categories and a missing value, times the classes. The sums of
a level with n open nodes take {node_kb:.0f} kB x n for each partition, and travel once to where they are merged; the last sum travels
to the scheduler and to the client. Tasks, the tree and the layout of the table are small beside. So a level sends about

`{node_kb:.0f} kB x n x (partitions that are merged elsewhere + 2)`.

Without merging, as with one worker or one file, the last level, of at most {most} open nodes, sends at most {last_mb:.0f} MB. Measured:

{measured_last}.

CPU seconds of a level are a fixed part, of Dask and of the choice of splits, and a part for each row. A line through the levels of
{fit_sizes} rows gives {fixed:.2f} s + {per_million:.2f} s for each million rows. Measured, and by this line:

{check_lines}

So the line is off by up to {worst:.0f} %, and what follows may be so as well.

**1 billion rows on 100 workers** in 1,000 partitions, by this model: {passes} passes for depth {depth}, in each of which a worker counts 10
million rows, {level_seconds:.0f} s of its processor. The last level has sums of {last_level_mb:.0f} MB for each partition, of which a worker sends ten,
{sent_mb:.0f} MB, or {net_seconds:.1f} s at 1 Gbit/s. In all about {total_minutes:.0f} minutes, {share:.0f} % of them to read and count. This is arithmetic from
measurements on {largest_rows:,} rows, not a measurement: a loaded network, slow disks or a scheduler with other work come on top.
"""  # noqa: E501


def counts_of_a_node() -> int:
    """Cells of the histogram of a node of this table."""
    return 2 * (N_NUMBERS * (255 + 1) + sum(size + 1 for size in SIZES))


def page(found: dict[str, Any]) -> str:
    """Write the page from what was measured."""
    cells = counts_of_a_node()
    sizes, rows = found["sizes"], found["rows"]
    of_two = [entry for entry in sizes if entry["workers"] == 2]
    x = np.array([entry["rows"] / 1e6 for entry in of_two])
    y = np.array([entry["level"][1] for entry in of_two])
    ends = [int(np.argmin(x)), int(np.argmax(x))]  # those between are for the check
    per_million, fixed = np.polyfit(x[ends], y[ends], 1)
    check = [
        f"- {e['rows']:,} rows, {e['workers']} worker{'s' * (e['workers'] > 1)}: "
        f"{e['level'][1]:.2f} s, {fixed + per_million * e['rows'] / 1e6:.2f} s"
        f"{' (of the line itself)' if e['workers'] == 2 and e['rows'] / 1e6 in x[ends] else ''}"
        for e in sizes
    ]
    node = cells * 4
    level = fixed + per_million * 10
    last_level = 2 ** (DEPTH - 1) * node / 1e6
    net = 10 * last_level * 8 / 1000
    passes = DEPTH + 1
    lost = [way for way in WAYS if way not in found["ways"]]
    return PAGE.format(
        rows=rows,
        sizes=" ".join(str(n) for n in dict.fromkeys(e["rows"] for e in sizes)),
        largest=max(SIZES),
        depth=DEPTH,
        workers=found["workers"],
        tested=found["tested"],
        sizes_lines="\n".join(
            "| "
            + " | ".join(
                [
                    f"{e['rows']:,}",
                    str(e["workers"]),
                    *(f"{v:.2f}" for v in e["first"][:2]),
                    f"{e['first'][2]:.0f}",
                    *(f"{v:.2f}" for v in e["level"][:2]),
                    f"{e['level'][2]:.0f}",
                    f"{e['last'][1]:.2f}",
                    f"{e['last'][2]:.0f}",
                ]
            )
            + " |"
            for e in sizes
        ),
        ways_lines="\n".join(
            f"| {way} | {s:.1f} | {cpu:.1f} | {mb:,.0f} | {score:.4f} |"
            for way, (s, cpu, mb, score) in found["ways"].items()
        ),
        missing=f"Not measured: {', '.join(lost)}.\n\n" if lost else "",
        cells=cells,
        node_kb=node / 1e3,
        most=2 ** (DEPTH - 1),
        last_mb=2 * last_level,
        measured_last=", ".join(
            f"{e['last'][2]:.0f} MB ({e['rows']:,} rows, workers: {e['workers']})"
            for e in sizes
        ),
        fit_sizes=" and ".join(f"{of_two[i]['rows']:,}" for i in ends),
        fixed=fixed,
        per_million=per_million,
        check_lines="\n".join(check),
        worst=100
        * max(abs((fixed + per_million * e["rows"] / 1e6) / e["level"][1] - 1) for e in sizes),
        passes=passes,
        level_seconds=level,
        last_level_mb=last_level,
        sent_mb=10 * last_level,
        net_seconds=net,
        total_minutes=passes * (level + net) / 60,
        share=100 * level / (level + net),
        largest_rows=max(e["rows"] for e in sizes),
    )  # fmt: skip


def main() -> None:
    """Measure, print and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--sizes", type=int, nargs="*", default=[250_000, 1_000_000, 2_000_000])
    parser.add_argument("--clusters", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--page", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--way", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.way:
        print("RESULT " + json.dumps(measure(args.folder, args.workers, args.way)))
        return
    found: dict[str, Any] = {
        "rows": args.rows, "workers": args.workers, "tested": min(args.rows // 10, PIECE),
        "sizes": [], "ways": {},
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        folders = {}
        for n_rows in {*args.sizes, args.rows}:
            folders[n_rows] = Path(name) / str(n_rows)
            for part, n, seed in (("train", n_rows, 0), ("test", min(n_rows // 10, PIECE), 1)):
                (folders[n_rows] / part).mkdir(parents=True)
                make(folders[n_rows] / part, n, seed)
        for n_rows in args.sizes:
            for n_workers in args.clusters if n_rows == args.rows else (2,):
                each = call(folders[n_rows], n_workers, "passes")
                if each is None:
                    continue
                each = [[seconds, cpu, sent / 1e6] for seconds, cpu, sent in each]
                entry = {
                    "rows": n_rows, "workers": n_workers, "first": each[0],
                    "level": np.mean(each[1:], axis=0).tolist(), "last": each[-1],
                }  # fmt: skip
                found["sizes"].append(entry)
                print(json.dumps(entry), flush=True)
        for way in WAYS:
            one = call(folders[args.rows], args.workers, way)
            if one is not None:
                found["ways"][way] = [one[0], one[1], one[2] / 1e6, one[3]]
                print(way, found["ways"][way], flush=True)
    if args.page:
        args.page.write_text(page(found), "utf-8")


if __name__ == "__main__":
    main()
