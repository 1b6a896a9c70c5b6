"""Speed of the split searches, and how their cost grows.

Prints the named cases with their goals, then the time against the number of values and of classes
with fitted exponents, and draws the growth.

    python benchmarks/split_speed.py [--plot out/split_speed.png]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from mixedwood.splits import best_partition

# n, k, criterion, search, goal in ms
CASES = [
    (1000, 100, "gini", "largest_alone", 10),
    (1000, 100, "gini", "list_scheduling", 10),
    (1000, 100, "gini", "principal_ext", 10),
    (1000, 100, "entropy", "largest_alone", 10),
    (1000, 100, "entropy", "list_scheduling", 10),
    (1000, 100, "entropy", "principal_ext", 10),
    (1000, 100, "squared_gini", "max_cut", 1000),
    (1000, 100, "chi2", "max_cut", 1000),
    (20, 3, "gini", "exact", 100),
    (20, 3, "entropy", "exact", 100),
    (20, 3, "twoing", "exact", 100),
    (20, 3, "gain_ratio", "exact", 100),
    (20, 3, "squared_gini", "exact", 100),
    (20, 3, "chi2", "exact", 100),
    (1000, 100, "gini", "auto", None),
    (1_000_000, 2, "gini", "auto", None),
]
# What the time goes into, n values and k classes.
BOUND_BY = {
    "largest_alone": "n k additions for the scores, n log n for the sort",
    "list_scheduling": "as largest_alone",
    "principal_ext": "n k^2 / 2 multiply-adds for the covariance, 3 n k for the scan",
    "hypercube_cover": "2^(k-1) sorts and scans",
    "twoing": "2^(k-1) sorts; its scan does not depend on k",
    "refined": "principal_ext, and a few passes of n k additions per start",
    "sliq_ext": "n^2 k / 2 additions",
    "max_cut": "n^2 k / 2 multiply-adds for squared Gini, divisions for chi2; then n per move",
    "max_cut_sdp": "n^2 sqrt(2n) multiply-adds per sweep, at most 1000 sweeps",
    "exact": "2^(n-1) scores; k = 3: n^2 log n for the angles; k = 2: n log n",
}
GROWTH = [
    "largest_alone",
    "principal_ext",
    "refined",
    "hypercube_cover",
    "sliq_ext",
    "max_cut",
    "max_cut_sdp",
    "exact",
]
MOST_SECONDS = 1.0  # a curve ends when one call takes longer


def make_table(n: int, k: int, real: bool = False) -> np.ndarray:
    """Entries uniform on 0..7, no empty row; or real weights, so that no two values are alike."""
    rng = np.random.default_rng([n, k])
    if real:
        return rng.random((n, k))
    counts = rng.integers(0, 8, (n, k))
    counts[:, 0] += counts.sum(axis=1) == 0
    return counts.astype(float)


def seconds_for(n: int, k: int, criterion: str, search: str, real: bool = False) -> float:
    """Best of up to seven calls, or as many as fit into a second."""
    counts = make_table(n, k, real)
    best, spent, calls = np.inf, 0.0, 0
    while calls < 7 and (calls == 0 or spent < 1.0):
        start = time.perf_counter()
        best_partition(counts, criterion, search, random_state=0)
        took = time.perf_counter() - start
        best, spent, calls = min(best, took), spent + took, calls + 1
    return best


def growth(search: str, sizes: list[tuple[int, int]]) -> list[tuple[int, int, float]]:
    """Seconds along a line of sizes, until a call takes too long or is refused."""
    curve = []
    for n, k in sizes:
        try:
            took = seconds_for(n, k, "gini", search)
        except ValueError:
            break
        curve.append((n, k, took))
        if took > MOST_SECONDS:
            break
    return curve


def law(x: list[int], seconds: list[float], exponential: bool) -> str:
    """Fit the upper half of a curve: a power of x, or a factor per unit of x."""
    half = len(x) // 2
    if len(x) - half < 2:
        return "-"
    steps = np.array(x[half:], float) if exponential else np.log(x[half:])
    slope = np.polyfit(steps, np.log(seconds[half:]), 1)[0]
    return f"{np.exp(slope):.2f}^x" if exponential else f"x^{slope:.2f}"


def main() -> None:
    """Print the tables; draw if asked."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--plot", type=Path)
    args = parser.parse_args()

    print(f"{'values':>8} {'classes':>7} {'criterion':>12} {'search':>16} {'ms':>10} {'goal':>6}")
    # Values with equal class shares are merged, and small counts have many: real weights have none.
    ms = 1e3 * seconds_for(1000, 3, "gini", "exact", real=True)
    print(f"{1000:>8} {3:>7} {'gini':>12} {'exact':>16} {ms:>10.3f}        real weights")
    for n, k, criterion, search, goal in CASES:
        ms = 1e3 * seconds_for(n, k, criterion, search)
        mark = "" if goal is None else ("ok" if ms < goal else "MISSED")
        shown = "" if goal is None else goal
        print(f"{n:>8} {k:>7} {criterion:>12} {search:>16} {ms:>10.3f} {shown:>6} {mark}")

    by_values = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000]
    by_classes = [2, 3, 4, 6, 9, 12, 15, 20, 50, 100, 200, 500, 1000]
    curves = {}
    print(f"\n{'search':>16} {'values (k=10)':>15} {'classes (n=100)':>17}  bound by")
    for search in GROWTH:
        in_n = growth(search, [(n, 10) for n in by_values])
        if search == "exact":
            in_n = growth(search, [(n, 10) for n in range(4, 26, 2)])
        in_k = growth(search, [(100, k) for k in by_classes])
        curves[search] = (in_n, in_k)
        law_n = law([c[0] for c in in_n], [c[2] for c in in_n], search == "exact")
        law_k = law([c[1] for c in in_k], [c[2] for c in in_k], search == "hypercube_cover")
        print(f"{search:>16} {law_n:>15} {law_k:>17}  {BOUND_BY[search]}")
    if args.plot:
        draw(curves, args.plot)
        print(f"plot: {args.plot}")


def draw(curves: dict, path: Path) -> None:
    """Two log-log charts: against values, and against classes."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(11, 4.6), sharey=True, layout="constrained")
    for search, (in_n, in_k) in curves.items():
        axes[0].loglog([c[0] for c in in_n], [1e3 * c[2] for c in in_n], "o-", ms=3, label=search)
        axes[1].loglog([c[1] for c in in_k], [1e3 * c[2] for c in in_k], "o-", ms=3, label=search)
    axes[0].set(xlabel="values (10 classes)", ylabel="milliseconds", title="cost against values")
    axes[1].set(xlabel="classes (100 values)", title="cost against classes")
    axes[1].legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    for axis in axes:
        axis.grid(True, which="major", alpha=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
