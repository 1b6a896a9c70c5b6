"""Is the rule of `auto` right? Quality and cost of the searches over sizes and kinds of tables.

For each size and kind: how much of the best gain each search loses (percent, mean and worst over
the tables), whether it is exact, and how long it takes. The best is the exact search where it is
possible (always for two and three classes), else the best of all searches.

    python benchmarks/auto_rule.py [--tables 40] [--criterion gini] [--output page.md]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from mixedwood.splits import best_partition

SIZES = [
    (10, 2), (1000, 2), (8, 3), (30, 3), (150, 3), (300, 3), (1000, 3), (12, 5), (16, 9),
    (30, 5), (30, 9), (100, 9), (500, 9), (16, 15), (30, 15), (100, 15), (100, 50), (1000, 50),
]  # fmt: skip
SEARCHES = [
    "auto",
    "refined",
    "hypercube_cover",
    "principal_ext",
    "largest_alone",
    "list_scheduling",
    "sliq_ext",
    "flip_flop",
    "max_cut",
]


def uniform(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    """No signal at all: entries uniform on 0..7."""
    return rng.integers(0, 8, (n, k)).astype(float)


def clustered(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    """A few hidden groups of values, each with its own classes; some 30 rows per value."""
    shares = rng.dirichlet(np.full(k, 0.5), size=4)[rng.integers(0, 4, n)]
    return np.array([rng.multinomial(rng.poisson(30) + 1, p) for p in shares], float)


def skewed(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    """Frequencies as in real columns: few common values, many rare ones, pure by chance."""
    totals = np.ceil(200 / (1 + np.arange(n))).astype(int) + 1
    shares = rng.dirichlet(np.full(k, 0.3), size=n)
    return np.array([rng.multinomial(t, p) for t, p in zip(totals, shares, strict=True)], float)


KINDS = [uniform, clustered, skewed]


def affordable(name: str, n: int, k: int) -> bool:
    """Keep the study within minutes."""
    if name == "exact":
        return k <= 3 or n <= 22
    if name == "hypercube_cover":
        return 2**k * n <= 3e6
    if name in ("sliq_ext", "max_cut"):
        return n <= 500
    return True


def main() -> None:
    """Print one line per size, kind and search."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tables", type=int, default=40)
    parser.add_argument("--criterion", default="gini")
    parser.add_argument("--output", type=Path)
    args = parser.parse_args()
    lines = [
        "| n, k | tables | search | chosen | mean loss % | worst loss % | best found % | ms |",
        "|---|---|---|---|---:|---:|---:|---:|",
    ]
    for n, k in SIZES:
        for kind in KINDS:
            rng = np.random.default_rng([n, k])
            tables = [kind(rng, n, k) for _ in range(args.tables)]
            names = [s for s in ["exact", *SEARCHES] if affordable(s, n, k)]
            scores, seconds, chosen = {}, {}, {}
            for name in names:
                start = time.perf_counter()
                found = [best_partition(t, args.criterion, name) for t in tables]
                seconds[name] = (time.perf_counter() - start) / len(tables)
                scores[name] = np.array([f.score for f in found])
                chosen[name] = "/".join(sorted({f.partitioner for f in found}))
            best = np.max(list(scores.values()), axis=0)
            for name in names:
                loss = 100 * (best - scores[name]) / np.maximum(best, 1e-300)
                lines.append(
                    f"| {n}, {k} | {kind.__name__} | {name} | "
                    f"{chosen[name] if name == 'auto' else ''} | {loss.mean():.3f} | "
                    f"{loss.max():.2f} | {100 * (loss < 1e-7).mean():.0f} | "
                    f"{1e3 * seconds[name]:.3f} |"
                )
    text = "\n".join(lines)
    print(text)
    if args.output:
        args.output.write_text(text + "\n")


if __name__ == "__main__":
    main()
