"""Boosting in pieces beside memory and LightGBM: CPU time and peak memory.

python benchmarks/chunks_boosting.py [--rows 1000000] [--rounds 20] [--page docs/results/chunks.md]

One table is written as Parquet: ten numbers, ten nominal columns of 2 to 10,000 categories, two
classes. Every way runs in a process of its own, with one thread, equal rounds and leaves, and all
columns at each node. LightGBM gets the categories as codes from the same files. With --page, the
figures replace those of the page between two marks.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

N_NUMBERS = 10
SIZES = (2, 3, 5, 10, 20, 50, 100, 500, 2000, 10_000)
PIECE = 250_000  # rows made at a time, and in a file
WAYS = ("pieces", "memory", "lightgbm")
BEGIN, END = "<!-- boosting: begin -->", "<!-- boosting: end -->"


def make(folder: Path, n_rows: int, seed: int) -> None:
    """Write the files."""
    folder.mkdir()
    for i, start in enumerate(range(0, n_rows, PIECE)):
        rng = np.random.default_rng([seed, i])
        n = min(PIECE, n_rows - start)
        numbers = rng.normal(size=(N_NUMBERS, n))
        codes = [rng.integers(0, size, n) for size in SIZES]
        score = numbers[0] + numbers[1] * (codes[2] == 0) + np.sin(codes[8]) + np.cos(codes[5])
        columns: dict[str, Any] = {f"x{j}": x for j, x in enumerate(numbers)}
        for j, (size, code) in enumerate(zip(SIZES, codes, strict=True)):
            labels = pa.array([f"v{v:05}" for v in range(size)])
            columns[f"c{j}"] = pa.DictionaryArray.from_arrays(code.astype(np.int32), labels)
        y = np.where(score + rng.normal(size=n) > 0, "yes", "no")
        pq.write_table(pa.table({**columns, "y": y}), folder / f"{i:05}.parquet")


def run(way: str, folder: Path, rounds: int, depth: int) -> dict[str, Any]:
    """Fit in this process."""
    train, test = folder / "train", folder / "test"
    facts: dict[str, Any] = {}
    if way == "lightgbm":
        return facts | run_lightgbm(train, test, rounds, depth)
    import mixedwood as mw
    from mixedwood.data import Chunks

    model = mw.BoostedTreesClassifier(
        n_estimators=rounds, max_depth=depth, max_features=None, random_state=0
    )
    steps: list[tuple[str, float]] = []
    facts["base"] = _peak()
    started = time.process_time()
    if way == "memory":
        table = pq.read_table(train, use_threads=False)
        X, y = table.drop_columns("y"), table["y"]
        facts["first"] = time.process_time() - started
        facts["arrow"] = X.nbytes / 1e6
        model.fit(X, y)
    else:

        def note(step: Any) -> None:
            if step.what == "iterations" and step.done == 0:
                steps.append(("copied", time.process_time() - started))

        model.set_callbacks(note).fit(Chunks(train, temp_folder=folder), "y")
        facts["first"] = steps[0][1]
    facts["growing"] = time.process_time() - started - facts["first"]
    facts["peak"] = _peak()
    frame = pq.read_table(test)
    right = model.predict(frame.drop_columns("y")) == frame["y"].to_numpy(zero_copy_only=False)
    return facts | {"accuracy": float(right.mean())}


def run_lightgbm(train: Path, test: Path, rounds: int, depth: int) -> dict[str, Any]:
    """Fit LightGBM; its categories are codes, which it is told."""
    import lightgbm

    facts: dict[str, Any] = {"base": _peak()}
    started = time.process_time()
    X, y = as_numbers(train)
    categorical = list(range(N_NUMBERS, N_NUMBERS + len(SIZES)))
    data = lightgbm.Dataset(X, y, categorical_feature=categorical, free_raw_data=True)
    options = {
        "objective": "binary", "num_leaves": 2**depth, "max_depth": depth, "learning_rate": 0.1,
        "min_data_in_leaf": 1, "num_threads": 1, "verbosity": -1, "seed": 0, "max_bin": 255,
    }  # fmt: skip
    data.params = dict(options)
    data.construct()
    del X
    facts["first"] = time.process_time() - started
    model = lightgbm.train(options, data, rounds)
    facts["growing"] = time.process_time() - started - facts["first"]
    facts["peak"] = _peak()
    X, y = as_numbers(test)
    return facts | {"accuracy": float(((model.predict(X) > 0.5) == y).mean())}


def as_numbers(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Read columns as float32, file by file."""
    files = sorted(folder.glob("*.parquet"))
    n = sum(pq.read_metadata(file).num_rows for file in files)
    X, y = np.empty((n, N_NUMBERS + len(SIZES)), np.float32), np.empty(n, np.float32)
    start = 0
    for file in files:
        table = pq.read_table(file, use_threads=False)
        end = start + table.num_rows
        for j, name in enumerate(table.column_names[:-1]):
            cells = table[name]
            if name[0] == "c":
                cells = cells.combine_chunks().indices  # labels are the same in all files
            X[start:end, j] = cells.to_numpy()
        y[start:end] = table["y"].to_numpy(zero_copy_only=False) == "yes"
        start = end
    return X, y


def _peak() -> float:
    # That of resource.getrusage begins with the peak of the parent process.
    status = Path("/proc/self/status").read_text()
    return float(status.split("VmHWM:")[1].split()[0]) / 1024


def main() -> None:
    """Measure, print and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--folder", type=Path, help="where tables and temporary files are")
    parser.add_argument("--page", type=Path)
    parser.add_argument("--way", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.way:
        print(json.dumps(run(args.way, args.folder, args.rounds, args.depth)))
        return
    lines = [
        "| rows | way | CPU s, reading and binning | CPU s, boosting | peak MB | accuracy |",
        "|---|---|---|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    for n_rows in args.rows:
        with tempfile.TemporaryDirectory(dir=args.folder) as name:
            make(Path(name) / "train", n_rows, 0)
            make(Path(name) / "test", max(1000, min(n_rows // 10, PIECE)), 1)
            for way in args.ways:
                command = [sys.executable, __file__, "--way", way, "--folder", name]
                command += ["--rounds", str(args.rounds), "--depth", str(args.depth)]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                facts = json.loads(done.stdout)
                lines.append(
                    f"| {n_rows:,} | {way} | {facts['first']:.1f} | {facts['growing']:.1f} | "
                    f"{facts['peak']:,.0f} | {facts['accuracy']:.4f} |"
                )
                print(lines[-1], flush=True)
    if args.page:
        page = args.page.read_text()
        before, rest = page.split(BEGIN)
        args.page.write_text(
            "\n".join([before + BEGIN, "", *lines, "", END + rest.split(END, 1)[1]])
        )


if __name__ == "__main__":
    main()
