r"""Which column is tested at the root when most are noise? How often each one is chosen.

A table has five nominal columns of noise, of 2, 10, 100, n/2 and n values, a number of noise, and
perhaps one real column of 2, 10, 100 or n/10 values, so weak that a chi-square test of its values
by the classes (level 5 %) finds it in 80 of 100 tables. A fair choice without a real column takes
each of the six as often as the others; with a real one it takes the real one as often as can be,
whatever its number of values, and the others equally seldom.

    python benchmarks/selection_bias.py --methods tree sklearn --selection score significance \
        --rows 200 1000 --tables 200 --results out/selection_bias.jsonl

Trees have one test and are not pruned. All methods are given the same tables. Each method is given
tables of a setting in turns until they are done or its seconds are up, so that a slow one has fewer
tables, and its line says how many. What is in the file of results is not done again.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import column_methods
import numpy as np
import pandas as pd
from identifier_columns import with_selections
from scipy.optimize import brentq
from scipy.stats import chi2, ncx2

NOISE = ("2", "10", "100", "n/2", "n")
REAL = ("none", "2", "10", "100", "n/10")
LEVEL, POWER = 0.05, 0.8
CHUNK = 10  # tables between looks at the clock, after one to see whether it can be done at all
ROOTS = ["tree", "tree-gini", "tree-twoing", "model-tree", "c45"]
PEERS = ["guide", "sklearn", "lightgbm", "ydf-cart", "ctree"]
Setting = tuple[int, int, str]  # rows, classes, values of the real column


def size(word: str, rows: int) -> int:
    """Number of values."""
    return (
        rows // int(word[2:] or 1) if word.startswith("n/") else rows if word == "n" else int(word)
    )


@cache
def effect(values: int, classes: int, rows: int) -> float:
    """Noncentrality by row at which the chi-square test has its power."""
    freedom = (values - 1) * (classes - 1)
    limit = chi2.ppf(1 - LEVEL, freedom)
    return brentq(lambda x: ncx2.sf(limit, freedom, x) - POWER, 1e-3, 10 * freedom + 100) / rows


def make(rows: int, classes: int, real: str, number: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Table of this number: columns in random order, and classes as small integers."""
    rng = np.random.default_rng([rows, classes, REAL.index(real), number])
    codes: dict[str, np.ndarray] = {}
    for word in NOISE:
        values = size(word, rows)
        codes[f"noise {word}"] = (
            rng.permutation(rows) if word == "n" else rng.integers(0, values, rows)
        )
    share = np.full((rows, classes), 1 / classes)
    if real != "none":
        values = size(real, rows)
        cells = rng.integers(0, values, rows)
        codes["real"] = cells
        # Each value leans towards a class. Shares that would be negative are cut; it is rare.
        lean = np.eye(classes)[rng.permutation(values) % classes]
        lean = lean - lean.mean(0)
        lean -= lean.mean(1, keepdims=True)
        lean *= np.sqrt(effect(values, classes, rows) / (classes * (lean**2).sum(1).mean()))
        share = np.maximum(share + lean[cells], 0)
        share /= share.sum(1, keepdims=True)
    y = (rng.random((rows, 1)) > share.cumsum(1)[:, :-1]).sum(1)
    columns = {
        name: pd.Series(
            [f"v{code}" for code in rng.permutation(cells.max() + 1)[cells]], dtype=object
        )
        for name, cells in codes.items()
    }
    columns["noise number"] = pd.Series(rng.normal(size=rows))
    order = rng.permutation(list(columns))
    return pd.DataFrame({str(name): columns[name] for name in order}), y


def read(path: Path) -> dict[tuple[str, Setting], dict[int, str]]:
    """Roots by method, setting and number of the table."""
    found: dict[tuple[str, Setting], dict[int, str]] = defaultdict(dict)
    if path.exists():
        for line in path.read_text().splitlines():
            entry = json.loads(line)
            setting = (entry["rows"], entry["classes"], entry["real"])
            found[entry["method"], setting][entry["table"]] = entry["root"]
    return found


def run(methods: list[str], settings: list[Setting], args: argparse.Namespace) -> None:
    """Do what is not done yet."""
    done = read(args.results)
    args.results.parent.mkdir(parents=True, exist_ok=True)
    with args.results.open("a") as file:
        for setting in settings:
            for method in methods:
                known = done[method, setting]
                if any(root.startswith("failed") for root in known.values()):
                    continue
                lacking = [i for i in range(args.tables) if i not in known]
                started, count = time.perf_counter(), 1
                while lacking and time.perf_counter() - started < args.seconds:
                    part, lacking, count = lacking[:count], lacking[count:], CHUNK
                    roots = column_methods.roots(method, [make(*setting, i) for i in part])
                    for number, root in zip(part, roots, strict=True):
                        entry = dict(zip(("rows", "classes", "real"), setting, strict=True))
                        entry |= {"method": method, "table": number, "root": root}
                        file.write(json.dumps(entry) + "\n")
                    file.flush()
                    if any(root.startswith("failed") for root in roots):
                        break


def report(methods: list[str], settings: list[Setting], path: Path) -> str:
    """A Markdown table for each setting: percent of the tables in which a column is chosen."""
    done = read(path)
    text = []
    for rows, classes, real in settings:
        beside = "no real column" if real == "none" else f"a real column of {real} values"
        columns = [*(["real"] if real != "none" else [])]
        columns += [*(f"noise {word}" for word in NOISE), "noise number", "other"]
        text += [
            f"{rows} rows, {classes} classes, {beside}; percent chosen:",
            "",
            f"| method | tables | {' | '.join(columns)} |",
            "|---|---:|" + "---:|" * len(columns),
        ]
        for method in methods:
            roots = done.get((method, (rows, classes, real)), {}).values()
            counts = Counter(root for root in roots if not root.startswith("failed"))
            total = counts.total()
            counts["other"] = total - sum(counts[c] for c in columns[:-1])
            cells = [f"{100 * counts[c] / total:.0f}" if total else "-" for c in columns]
            failed = len(roots) - total
            tables = f"{total}" + (f", {failed} failed" if failed else "")
            text.append(f"| {method} | {tables} | {' | '.join(cells)} |")
        text.append("")
    return "\n".join(text)


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "--methods", nargs="+", default=["tree", "sklearn"], choices=[*ROOTS, *PEERS]
    )
    parser.add_argument("--selection", nargs="+", default=["default"], help="for our methods")
    parser.add_argument("--rows", nargs="+", type=int, default=[200, 1000, 5000])
    parser.add_argument("--classes", nargs="+", type=int, default=[2, 4])
    parser.add_argument("--real", nargs="+", default=list(REAL), choices=REAL)
    parser.add_argument("--tables", type=int, default=200, help="of each setting")
    parser.add_argument("--seconds", type=float, default=120, help="for a method in a setting")
    parser.add_argument("--results", type=Path, default=Path("out/selection_bias.jsonl"))
    parser.add_argument("--report", action="store_true", help="print what is done, do no more")
    args = parser.parse_args()
    settings = [(n, k, real) for n in args.rows for k in args.classes for real in args.real]
    methods = with_selections(args.methods, args.selection)
    if not args.report:
        column_methods.check(methods)
        run(methods, settings, args)
    print(report(methods, settings, args.results))


if __name__ == "__main__":
    main()
