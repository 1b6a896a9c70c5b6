"""Memory of optimal trees under a limit, and what becomes of inputs that are hard or odd.

    python benchmarks/optimal_limits.py [--limits 20 50 100 500] [--seconds 30]
    python benchmarks/optimal_limits.py --page docs/results/optimal-limits.md

Generated tables, nothing is read. Each fit is in a process of its own, which has fitted a table of
a few rows before to pay for imports; its peak memory is what `fit` needs at most above what was
there with the table made. `memory_limit` is about what the search remembers, so the peak of a fit
that remembers nothing, a tree of depth 1, stands in the first line of each way.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from accuracy import write_page
from tree_speed import memory_in_kb

import mixedwood
from mixedwood import OptimalTreeClassifier

PAGE = "docs/results/optimal-limits.md"
LIMITS = [20, 50, 100, 500]  # MB
SECONDS = 30.0
ROWS, NUMBERS, CATEGORIES, DEPTH = 10_000, 4, 2, 10  # more than can be proven
WAYS: dict[str, dict[str, Any]] = {
    "binary": {},
    "all": {"binarizer": "passthrough"},
    "every_split": {"binarize_at": "node"},
}
WORDS = {
    "binary": "binary columns (default)",
    "all": '`binarizer="passthrough"`',
    "every_split": '`binarize_at="node"`',
}

Columns = dict[str, np.ndarray]
Made = tuple[Columns, np.ndarray]


def make_hard(rows: int = ROWS) -> Made:
    """Classes that lean a little on many columns: no small tree is good, and none is ruled out."""
    rng = np.random.default_rng([7, rows])
    columns: Columns = {f"n{j}": rng.normal(size=rows).round(2) for j in range(NUMBERS)}
    score = sum(np.sin((1 + j % 3) * columns[f"n{j}"]) for j in range(NUMBERS))
    for j in range(CATEGORIES):
        codes = rng.integers(0, 6, rows)
        columns[f"c{j}"] = np.array(list("abcdef"), dtype=object)[codes]
        score = score + rng.normal(size=6)[codes]
    score = score + rng.normal(scale=2.0, size=rows)
    return columns, (score > np.median(score)).astype(int)


def many_rows() -> Made:
    """A million rows of eight numbers."""
    rng = np.random.default_rng(1)
    columns = {f"n{j}": rng.normal(size=1_000_000) for j in range(8)}
    noise = rng.normal(size=1_000_000)
    return columns, (columns["n0"] * columns["n1"] + noise > 0).astype(int)


def many_columns() -> Made:
    """Ten thousand numbers for each of 200 rows."""
    rng = np.random.default_rng(2)
    columns = {f"n{j}": rng.normal(size=200) for j in range(10_000)}
    return columns, (columns["n0"] + rng.normal(size=200) > 0).astype(int)


def many_binary_columns() -> Made:
    """Ten thousand columns of 0 and 1 for each of 500 rows."""
    rng = np.random.default_rng(3)
    columns = {f"b{j}": rng.integers(0, 2, 500) for j in range(10_000)}
    return columns, np.where(rng.random(500) < 0.1, 1 - columns["b0"], columns["b0"])


def one_row() -> Made:
    """A single row."""
    return {"n": np.array([1.5]), "c": np.array(["a"], dtype=object)}, np.array([0])


def one_class() -> Made:
    """Rows that differ, of one class."""
    columns, y = make_hard(500)
    return columns, np.zeros_like(y)


def equal_rows() -> Made:
    """Identical rows, of two classes."""
    columns = {"n": np.full(1000, 2.0), "c": np.array(["a"] * 1000, dtype=object)}
    return columns, np.arange(1000) % 3 % 2


def no_column() -> Made:
    """Rows without a column."""
    return {}, np.arange(10) % 2


def all_missing() -> Made:
    """Columns without a single value."""
    columns = {"n": np.full(100, np.nan), "c": np.array([None] * 100, dtype=object)}
    return columns, np.arange(100) % 2


def many_categories() -> Made:
    """One column of 2,000 categories."""
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 2000, 20_000)
    return {"c": np.char.add("v", codes.astype(str)).astype(object)}, codes % 3


# input -> depth and how it is made
INPUTS: dict[str, tuple[int, Callable[[], Made]]] = {
    "1,000,000 rows x 8 numbers": (2, many_rows),
    "200 rows x 10,000 numbers": (2, many_columns),
    "500 rows x 10,000 columns of 0 and 1": (2, many_binary_columns),
    "20,000 rows, one column of 2,000 categories": (2, many_categories),
    "one row": (3, one_row),
    "one class": (3, one_class),
    "identical rows of two classes": (3, equal_rows),
    "no column": (3, no_column),
    "all values missing": (3, all_missing),
}


def probe(what: str, way: str, depth: int, limit: int, seconds: float) -> None:
    """In a process of its own: fit once and print what came of it."""
    columns, y = make_hard() if what == "hard" else INPUTS[what][1]()
    # As an array where there is no column: a dict of none has no rows either.
    X: Any = columns or np.empty((len(y), 0))
    model = OptimalTreeClassifier(
        depth,
        ccp_alpha=0,
        memory_limit=limit * 1_000_000,
        time_limit=seconds,
        work_limit=None,
        **WAYS[way],
    )
    warnings.simplefilter("ignore")
    OptimalTreeClassifier(max_depth=2, **WAYS[way]).fit(
        {"n": [0.0, 1.0, 2.0], "c": ["a", "b", "a"]}, [0, 1, 0]
    )
    before = memory_in_kb("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    start = time.process_time()
    try:
        model.fit(X, y)
        words = f"{model.objective_value_:g} wrong of {len(y)}, at least {model.lower_bound_:g}"
        found: dict[str, Any] = {"status": model.proof_.status, "words": words}
    except (ValueError, MemoryError, TimeoutError) as error:
        found = {"status": type(error).__name__, "words": str(error)}
    found["seconds"] = time.process_time() - start
    found["peak_mb"] = (memory_in_kb("VmHWM") - before) / 1000
    print(json.dumps(found))


def probe_apart(what: str, way: str, depth: int, limit: int, seconds: float) -> dict[str, Any]:
    """Start a probe; what it found, or how it ended."""
    words = [what, way, str(depth), str(limit), str(seconds)]
    command = [sys.executable, __file__, "--probe", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]
        return {"status": "failed", "words": last, "seconds": float("nan"), "peak_mb": float("nan")}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(f"{' '.join(words)}: {found}", file=sys.stderr, flush=True)
    return found


def memory_table(limits: list[int], seconds: float) -> list[str]:
    """One line per way and limit."""
    lines = [
        "| search | depth | limit MB | peak MB | seconds | status | tree |",
        "|---|---:|---:|---:|---:|---|---|",
    ]
    for way, words in WORDS.items():
        for depth, limit in [(1, limits[-1]), *((DEPTH, limit) for limit in limits)]:
            found = probe_apart("hard", way, depth, limit, seconds)
            lines.append(
                f"| {words} | {depth} | {limit if depth > 1 else ''} | {found['peak_mb']:.0f} | "
                f"{found['seconds']:.1f} | {found['status']} | {found['words']} |"
            )
    return lines


def input_table(limit: int, seconds: float) -> list[str]:
    """One line per input and way."""
    lines = [
        "| input | search | depth | seconds | peak MB | status | result |",
        "|---|---|---:|---:|---:|---|---|",
    ]
    for name, (depth, _) in INPUTS.items():
        for way, words in WORDS.items():
            found = probe_apart(name, way, depth, limit, seconds)
            lines.append(
                f"| {name} | {words} | {depth} | {found['seconds']:.2f} | {found['peak_mb']:.0f} | "
                f"{found['status']} | {found['words']} |"
            )
    return lines


def page(memory: list[str], inputs: list[str], args: argparse.Namespace) -> list[str]:
    """The page of the documentation."""
    command = "python benchmarks/optimal_limits.py"
    command += f" --limits {' '.join(map(str, args.limits))}" if args.limits != LIMITS else ""
    command += f" --seconds {args.seconds:g}" if args.seconds != SECONDS else ""
    return [
        "# Limits of optimal trees",
        "",
        "Each fit of `OptimalTreeClassifier` is in a process of its own, with "
        f"{args.seconds:g} seconds at most by the wall's",
        "clock. The peak is what `fit` needs above what was there with the table made. Seconds are",
        "those of the processor, reading the table included; the machine had other work.",
        "",
        f"- command: `{command} --page {PAGE}`",
        f"- mixedwood {mixedwood.__version__}, numpy {np.__version__}, "
        f"Python {platform.python_version()}",
        "",
        "## Memory under a limit",
        "",
        f"A table that is too large for a proof: {ROWS} rows, {NUMBERS} numbers and {CATEGORIES} "
        "columns of categories, two",
        "classes that lean a little on all of them. The limit is of what the search remembers; the",
        "line of depth 1 shows what `fit` takes for everything else. Where a peak is far below its",
        "limit, the time was over first.",
        "",
        *memory,
        "",
        "## Hard and odd inputs",
        "",
        f"With a limit of {args.limits[-1]} MB.",
        "",
        *inputs,
    ]


def main() -> None:
    """Measure, print the tables, and write the page if asked."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--limits", nargs="+", type=int, default=LIMITS, help="in MB")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each fit")
    parser.add_argument("--page", type=Path, help="write the page of the documentation")
    parser.add_argument("--probe", nargs=5, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.probe:
        what, way, depth, limit, seconds = args.probe
        probe(what, way, int(depth), int(limit), float(seconds))
        return
    memory = memory_table(args.limits, args.seconds)
    inputs = input_table(args.limits[-1], args.seconds)
    print("\n".join([*memory, "", *inputs]))
    if args.page:
        write_page(args.page, page(memory, inputs, args))


if __name__ == "__main__":
    main()
