"""Time and memory of a model tree, beside those of a tree of single columns, on adult.

    python benchmarks/model_tree_speed.py --page docs/results/model-tree-speed.md
    python benchmarks/model_tree_speed.py --rounds 1

Times are processor time, the best of several runs in turns, so that a busy moment hits both alike.
Both read the frame, grow with their defaults, and prune, each with one thread. Peak memory is that
of a process of its own: what fitting and answering need at most above what was there with the frame
loaded.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from accuracy import write_page
from tree_speed import memory_in_kb

import mixedwood as mw
from mixedwood import datasets
from mixedwood_studies.model_trees.methods import model_tree as published

SET = "adult"
SHARES = [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0]
GOAL = 20.0
METHODS: dict[str, Callable[[], Any]] = {
    "tree": mw.TreeClassifier,
    "model tree": mw.ModelTreeClassifier,
    "model tree, not pruned": lambda: mw.ModelTreeClassifier(pruning=None),
    "tree, not pruned": lambda: mw.TreeClassifier(pruning=None),
    "recipe of the paper": published,
}
PAIRS = [
    ("model tree", "tree"),
    ("model tree, not pruned", "tree, not pruned"),
    ("recipe of the paper", "tree"),
]


def sample(share: float) -> tuple[Any, np.ndarray]:
    """The same random rows for everyone; smaller samples are the beginnings of larger ones."""
    data = datasets.load(SET, frame="pandas")
    order = np.random.default_rng(0).permutation(len(data.y))
    rows = order[: round(share * len(order))]
    return data.X.iloc[rows].reset_index(drop=True), data.y[rows]


def probe(method: str) -> None:
    """In a process of its own: fit and answer once, and print the peak memory."""
    X, y = sample(1.0)
    METHODS[method]().fit(X.head(200), y[:200])  # pays for imports
    before = memory_in_kb("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    METHODS[method]().fit(X, y).predict(X)
    print(json.dumps(memory_in_kb("VmHWM") - before))


def peak_mb(method: str) -> float:
    """Start a probe."""
    command = [sys.executable, __file__, "--probe", method]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1]) / 1e3


def best_times(share: float, rounds: int) -> dict[str, dict[str, float]]:
    """Seconds to fit and to answer, and leaves, of each method."""
    X, y = sample(share)
    found = {name: {"fit": np.inf, "predict": np.inf, "leaves": 0.0} for name in METHODS}
    for _ in range(rounds):
        for name, make in METHODS.items():
            mine = found[name]
            start = time.process_time()
            model = make().fit(X, y)
            mine["fit"] = min(mine["fit"], time.process_time() - start)
            for _ in range(3):
                start = time.process_time()
                model.predict(X)
                mine["predict"] = min(mine["predict"], time.process_time() - start)
            mine["leaves"] = model.tree_.n_leaves
    return found


def power(rows: list[int], seconds: list[float]) -> float:
    """Exponent of the law through the points, by least squares of logarithms."""
    return float(np.polyfit(np.log(rows), np.log(seconds), 1)[0])


def report(rounds: int) -> list[str]:
    """Measure, and say it in tables and words."""
    times = {}
    for share in SHARES:
        times[len(sample(share)[1])] = best_times(share, rounds)
        print(f"{share:.4f} of the rows done", file=sys.stderr, flush=True)
    peaks = {name: peak_mb(name) for name in METHODS}
    rows = list(times)
    whole = times[rows[-1]]
    lines = [
        f"## All {rows[-1]:,} rows",
        "",
        "| method | fit s | predict ms | leaves | peak MB |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, found in whole.items():
        cells = f"{found['fit']:.2f} | {1e3 * found['predict']:.1f} | {found['leaves']:.0f}"
        lines.append(f"| {name} | {cells} | {peaks[name]:.0f} |")
    lines += ["", "| ratio | fit | predict | peak memory |", "|---|---:|---:|---:|"]
    for upper, lower in PAIRS:
        ratios = [whole[upper][step] / whole[lower][step] for step in ("fit", "predict")]
        ratios.append(peaks[upper] / peaks[lower])
        lines.append(f"| {upper} / {lower} | " + " | ".join(f"{x:.1f}" for x in ratios) + " |")
    ratio = whole["model tree"]["fit"] / whole["tree"]["fit"]
    lines += [
        "",
        f"Goal: a fit in at most {GOAL:.0f} times that of a tree. It takes {ratio:.1f} times: "
        f"{'reached' if ratio <= GOAL else 'not reached'}.",
        "",
        "## Growth with rows",
        "",
        "Seconds to fit, the exponent of a law through all points (1 is linear), and leaves in ().",
        "Pruning repeats its cross-validation and takes more folds on small tables, so that pruned",
        "trees seem to grow slower than they do: the exponents of those that are not pruned count.",
        "",
        "| rows | " + " | ".join(METHODS) + " |",
        "|---|" + "---:|" * len(METHODS),
    ]
    for n, found in times.items():
        cells = [f"{found[m]['fit']:.2f} ({found[m]['leaves']:.0f})" for m in METHODS]
        lines.append(f"| {n:,} | " + " | ".join(cells) + " |")
    powers = [power(rows, [found[m]["fit"] for found in times.values()]) for m in METHODS]
    lines.append("| exponent | " + " | ".join(f"{x:.2f}" for x in powers) + " |")
    return lines


def page(lines: list[str]) -> list[str]:
    """The page of the documentation."""
    return [
        "# Speed of model trees",
        "",
        f"One model tree beside one tree of single columns on {SET}, both with their defaults:",
        "reading the frame, growing, and cost-complexity pruning by cross-validation. Processor",
        "time, the best of several runs in turns, one thread.",
        "",
        "- command: `python benchmarks/model_tree_speed.py`",
        f"- mixedwood {mw.__version__}, Python {platform.python_version()}",
        "",
        *lines,
    ]


def main() -> None:
    """Measure, print, and write the page if asked."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--page", type=Path, help="write the page of the documentation")
    parser.add_argument("--probe", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.probe:
        probe(args.probe)
        return
    lines = report(args.rounds)
    print("\n".join(lines))
    if args.page:
        write_page(args.page, page(lines))


if __name__ == "__main__":
    main()
