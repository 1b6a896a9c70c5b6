"""Monte Carlo study of single splits: our searches beside the reference figures.

Random tables (entries uniform on 0..7, no empty row or column) of 26 sizes; for each size and
impurity, how often one search finds a purer partition than another, by how much at worst, and
the mean impurity. Every percentage and mean is compared with the reference in standard errors.

    python benchmarks/monte_carlo.py                    # 10,000 tables per size
    python benchmarks/monte_carlo.py --tables 500       # a quick look
    python benchmarks/monte_carlo.py --output page.md   # also write the page
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import sys
import time
from collections import defaultdict
from pathlib import Path

import joblib
import numpy as np

import mixedwood
from mixedwood import _core

REFERENCE = Path(__file__).parent / "reference" / "monte_carlo.json"
# What the reference calls a search -> our partitioner and its options. Its "Twoing" scores the
# prefixes by all classes: our hypercube_cover.
SEARCHES = {
    "Exact": ("exact", {}),
    "Twoing": ("hypercube_cover", {}),
    "PCext": ("principal_ext", {}),
    "PCext_counts": ("principal_ext", {"scores": 1.0}),
    "PC": ("principal", {}),
    "SLIQext": ("sliq_ext", {}),
    "LargestAlone": ("largest_alone", {}),
    "ListScheduling": ("list_scheduling", {}),
    "LargestAlone_superclasscut": ("largest_alone", {"scored_by": 1.0}),
    "ListScheduling_superclasscut": ("list_scheduling", {"scored_by": 1.0}),
    "GLSG": ("max_cut", {}),
}
# Zero by construction here: each single class is one of the superclasses that hypercube_cover goes
# through, with the same order inside ties, so largest_alone can never win (nor list_scheduling
# with three classes, where it is the same search). The reference has up to 1.7 %: it orders values
# of equal share differently in the two searches. Shown, not judged.
ALWAYS_ZERO = "Twoing_vs_LargestAlone b_better"
ZERO_FOR_THREE_CLASSES = "Twoing_vs_ListScheduling b_better"
CHUNK = 250
TIE = 1e-9  # impurities closer than this are equal


def random_table(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    """Entries uniform on 0..7, drawn again while a row or a column is empty."""
    while True:
        table = rng.integers(0, 8, (n, k))
        if table.any(axis=0).all() and table.any(axis=1).all():
            return table.astype(np.float64)


def search(table: np.ndarray, impurity: str, method: str) -> float:
    """Impurity of the children of the partition that a search finds."""
    if method == "GLchi2":  # found by chi-square weights, then judged by the impurity
        found = _core.best_split(table, "chi2", None, "max_cut", {}, None, 0, False, math.inf)
        found = _core.score_grouping(table, found["group"], impurity, None, None, False)
    else:
        partitioner, options = SEARCHES[method]
        found = _core.best_split(
            table, impurity, None, partitioner, options, None, 0, False, math.inf
        )
    return found["impurity"]


def no_split(table: np.ndarray, impurity: str) -> float:
    """Impurity of the whole table."""
    share = table.sum(axis=0) / table.sum()
    if impurity == "gini":
        return 1 - (share**2).sum()
    return -(share * np.log2(share)).sum()


def run_chunk(size: tuple[int, int], methods: dict[str, list[str]], seed: list[int], count: int):
    """Impurities of `count` random tables: impurity -> array of tables x methods."""
    rng = np.random.default_rng(seed)
    rows = {impurity: np.empty((count, len(names))) for impurity, names in methods.items()}
    for t in range(count):
        table = random_table(rng, *size)
        for impurity, names in methods.items():
            rows[impurity][t] = [
                no_split(table, impurity) if m == "NoSplit" else search(table, impurity, m)
                for m in names
            ]
    return size, rows


def percent_gap(ours: float, theirs: float, n_ours: int, n_theirs: int) -> float:
    """Difference of two percentages in standard errors of the difference."""
    pooled = (ours * n_ours + theirs * n_theirs) / (n_ours + n_theirs) / 100
    error = 100 * math.sqrt(pooled * (1 - pooled) * (1 / n_ours + 1 / n_theirs))
    # The reference is rounded to two decimals; a percentage moves in steps of 100/n.
    slack = 0.005 + 50 / n_theirs
    return max(0.0, abs(ours - theirs) - slack) / error if error > 0 else 0.0


def mean_gap(values: np.ndarray, theirs: float, n_theirs: int) -> float:
    """Difference of two means in standard errors; the reference has the same spread."""
    error = values.std() * math.sqrt(1 / len(values) + 1 / n_theirs)
    return max(0.0, abs(values.mean() - theirs) - 5e-7) / error


def compare(k: int, names: list[str], rows: np.ndarray, reference: dict) -> list[dict]:
    """Every figure of one cell: ours, theirs, and the gap in standard errors."""
    column = {name: rows[:, i] for i, name in enumerate(names)}
    runs = reference["runs"]
    figures = []
    for name, theirs in reference["mean_impurity"].items():
        figures.append(
            {
                "figure": f"mean {name}",
                "ours": column[name].mean(),
                "theirs": theirs,
                "gap": mean_gap(column[name], theirs, runs),
            }
        )
    for pair, theirs in reference.items():
        if "_vs_" not in pair:
            continue
        first, second = pair.split("_vs_")
        a, b = column[first], column[second]
        for key, wins in [("a_better", a < b - TIE), ("b_better", b < a - TIE)]:
            ours = 100 * wins.mean()
            gap = percent_gap(ours, theirs[key], len(a), runs)
            name = f"{pair} {key}"
            if name == ALWAYS_ZERO or (name == ZERO_FOR_THREE_CLASSES and k == 3):
                if ours != 0:
                    raise AssertionError(f"{name} is {ours}, but cannot be above 0")
                gap = None
            figures.append({"figure": name, "ours": ours, "theirs": theirs[key], "gap": gap})
        for key, excess in [("max_rel_excess_a", (a - b) / b), ("max_rel_excess_b", (b - a) / a)]:
            # An extreme of a sample has no standard error: shown, not judged.
            ours = 100 * max(0.0, np.nan_to_num(excess).max())
            figures.append(
                {"figure": f"{pair} {key}", "ours": ours, "theirs": theirs[key], "gap": None}
            )
    return figures


def pairs_in_words(figures: list[dict], pair: str, digits: int = 1) -> str:
    """'ours (theirs)' of the two sides of a comparison."""
    by_name = {f["figure"]: f for f in figures}
    sides = [by_name[f"{pair} {side}"] for side in ("a_better", "b_better")]
    ours = " / ".join(f"{s['ours']:.{digits}f}" for s in sides)
    theirs = " / ".join(f"{s['theirs']:.{digits}f}" for s in sides)
    return f"{ours} ({theirs})"


def make_page(results: dict, tables: int, seconds: float, judged: list[dict]) -> str:
    """The whole study as Markdown."""
    within = [sum(f["gap"] <= limit for f in judged) for limit in (2, 3)]
    largest = max(judged, key=lambda f: f["gap"])
    lines = [
        "# Monte Carlo study of single splits",
        "",
        "Which search finds the purer partition of a random table? Entries uniform on 0..7, tables",
        "with an empty row or column drawn again. Cells are ours, the reference in brackets.",
        "",
        f"- command: `python benchmarks/monte_carlo.py --tables {tables}`",
        f"- tables per cell: {tables}; time: {seconds / 60:.1f} minutes on "
        f"{joblib.cpu_count()} cores",
        f"- mixedwood {mixedwood.__version__}, numpy {np.__version__}, "
        f"Python {platform.python_version()}",
        f"- {len(judged)} percentages and means compared: {within[0]} "
        f"({100 * within[0] / len(judged):.1f} %) within two standard errors, {within[1]} "
        f"({100 * within[1] / len(judged):.1f} %) within three; chance alone gives 95.4 % and "
        f"99.7 %. Largest gap: {largest['gap']:.1f} ({largest['cell']}, {largest['figure']}).",
        "",
        "Worst excesses are extremes of a sample and have no standard error. Wins of LargestAlone",
        "over Twoing (and of ListScheduling with three classes, the same search) are zero here by",
        "construction: each class alone is one of the orders of the cover, with the same order",
        "inside ties. The reference orders ties in another way. Neither is judged.",
        "",
        "In the reference, `Twoing` is our `hypercube_cover`. A pair `a / b` is the percentage of",
        "tables where the first, the second search finds the purer partition.",
    ]
    for impurity in ("gini", "entropy"):
        cells = {size: found[impurity] for size, found in results.items() if impurity in found}
        pairs: dict[str, None] = {}
        for figures in cells.values():
            for f in figures:
                if f["figure"].endswith(" a_better"):
                    pairs[f["figure"].split()[0]] = None
        shown = list(pairs)
        lines += ["", f"## {impurity}: wins in percent", ""]
        lines.append("| n, k | " + " | ".join(p.replace("_vs_", " / ") for p in shown) + " |")
        lines.append("|---|" + "---:|" * len(shown))
        for size, figures in cells.items():
            known = {f["figure"] for f in figures}
            row = [pairs_in_words(figures, p) if f"{p} a_better" in known else "-" for p in shown]
            lines.append(f"| {size} | " + " | ".join(row) + " |")
        means: dict[str, None] = {}
        for figures in cells.values():
            for f in figures:
                if f["figure"].startswith("mean "):
                    means[f["figure"]] = None
        lines += ["", f"## {impurity}: mean impurity of the children", ""]
        lines.append("| n, k | " + " | ".join(m.removeprefix("mean ") for m in means) + " |")
        lines.append("|---|" + "---:|" * len(means))
        for size, figures in cells.items():
            by_name = {f["figure"]: f for f in figures}
            row = [
                f"{by_name[m]['ours']:.5f} ({by_name[m]['theirs']:.5f})" if m in by_name else "-"
                for m in means
            ]
            lines.append(f"| {size} | " + " | ".join(row) + " |")
        lines += ["", f"## {impurity}: worst relative excess in percent", ""]
        lines.append("| n, k | " + " | ".join(p.replace("_vs_", " / ") for p in shown) + " |")
        lines.append("|---|" + "---:|" * len(shown))
        for size, figures in cells.items():
            by_name = {f["figure"]: f for f in figures}
            row = []
            for p in shown:
                sides = [by_name.get(f"{p} max_rel_excess_{s}") for s in "ab"]
                if None in sides:
                    row.append("-")
                    continue
                ours = " / ".join(f"{s['ours']:.2f}" for s in sides)
                theirs = " / ".join(f"{s['theirs']:.2f}" for s in sides)
                row.append(f"{ours} ({theirs})")
            lines.append(f"| {size} | " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run the study; exit code 1 when it contradicts the reference."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tables", type=int, default=10_000, help="tables per size")
    parser.add_argument("--jobs", type=int, default=-1, help="processes (all cores by default)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, help="write the page here")
    args = parser.parse_args()
    reference = json.loads(REFERENCE.read_text())["values"]

    tasks = []
    methods = {}
    for number, (size, by_impurity) in enumerate(reference.items()):
        n, k = (int(part.split("=")[1]) for part in size.split(","))
        methods[n, k] = {i: list(cell["mean_impurity"]) for i, cell in by_impurity.items()}
        for chunk in range(0, args.tables, CHUNK):
            count = min(CHUNK, args.tables - chunk)
            tasks.append(((n, k), methods[n, k], [args.seed, number, chunk], count))
    # Large tables first, so that no core waits for the last one.
    tasks.sort(key=lambda task: -(task[0][0] ** 2) * task[0][1])

    start = time.perf_counter()
    rows = defaultdict(lambda: defaultdict(list))
    pool = joblib.Parallel(n_jobs=args.jobs, return_as="generator_unordered")
    for done, (size, found) in enumerate(pool(joblib.delayed(run_chunk)(*t) for t in tasks), 1):
        for impurity, values in found.items():
            rows[size][impurity].append(values)
        if sys.stderr.isatty():
            print(f"\r{done} of {len(tasks)} chunks", end="", file=sys.stderr)
    seconds = time.perf_counter() - start

    results, judged = {}, []
    print(f"\n{'n, k':>12} {'impurity':>8} {'figures':>8} {'within 2 se':>12} {'largest gap':>12}")
    for size, by_impurity in reference.items():
        n, k = (int(part.split("=")[1]) for part in size.split(","))
        results[size] = {}
        for impurity, cell in by_impurity.items():
            values = np.concatenate(rows[n, k][impurity])
            figures = compare(k, methods[n, k][impurity], values, cell)
            results[size][impurity] = figures
            here = [{**f, "cell": f"{size} {impurity}"} for f in figures if f["gap"] is not None]
            judged += here
            inside = sum(f["gap"] <= 2 for f in here)
            worst = max(f["gap"] for f in here)
            print(f"{size:>12} {impurity:>8} {len(here):>8} {inside:>12} {worst:>12.2f}")
    for limit, expected in [(2, 95.4), (3, 99.7)]:
        inside = sum(f["gap"] <= limit for f in judged)
        share = 100 * inside / len(judged)
        print(
            f"{inside} of {len(judged)} figures ({share:.1f} %) within {limit} standard errors; "
            f"chance alone gives {expected} %"
        )
    for f in sorted(judged, key=lambda f: -f["gap"])[:8]:
        print(
            f"  gap {f['gap']:.2f}: {f['cell']}, {f['figure']}: "
            f"{f['ours']:.5g}, reference {f['theirs']:.5g}"
        )
    print(f"{args.tables} tables per size, {seconds:.0f} s")
    if args.output:
        args.output.parent.mkdir(parents=True, exist_ok=True)
        args.output.write_text(make_page(results, args.tables, seconds, judged))
        print(f"page: {args.output}")
    # With some 900 correlated figures, a gap of five standard errors is no accident.
    return int(any(f["gap"] > 5 for f in judged))


if __name__ == "__main__":
    sys.exit(main())
