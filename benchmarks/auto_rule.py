"""Is the rule of `auto` right? Quality and cost of the searches over sizes and kinds of tables.

For each criterion, size and kind of table: how much of the best score each search loses (mean over
the tables, in percent) and its time; for `auto` also the worst loss and what it used. The best is
the exact search where it is possible (always for two and three classes with a convex criterion),
else the best of all searches.

    python benchmarks/auto_rule.py [--tables 40] [--criteria gini,chi2] [--output page.md]
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


CONVEX = ("gini", "entropy", "twoing")
CRITERIA = ("gini", "entropy", "twoing", "gain_ratio", "squared_gini", "chi2")


def affordable(name: str, criterion: str, n: int, k: int) -> bool:
    """Keep the study within minutes."""
    if name == "exact":
        return n <= 18 or (criterion in CONVEX and k <= 3)
    if criterion == "chi2" and n > 300:
        return name == "auto"
    if name == "hypercube_cover":
        return 2**k * n <= 3e6
    if name in ("sliq_ext", "max_cut"):
        return n <= 500
    return True


def study(criterion: str, n_tables: int) -> list[str]:
    """One line of Markdown per size and kind."""
    lines = [
        f"## {criterion}",
        "",
        "| n, k | tables | auto used | auto loss % | worst | ms | "
        + " | ".join(f"{name} loss % (ms)" for name in SEARCHES[1:])
        + " |",
        "|---|---|---|---:|---:|---:|" + "---:|" * (len(SEARCHES) - 1),
    ]
    for n, k in SIZES:
        for kind in KINDS:
            rng = np.random.default_rng([n, k])
            tables = [kind(rng, n, k) for _ in range(n_tables)]
            names = [s for s in ["exact", *SEARCHES] if affordable(s, criterion, n, k)]
            scores, seconds, used = {}, {}, set()
            for name in names:
                start = time.perf_counter()
                found = [best_partition(t, criterion, name) for t in tables]
                seconds[name] = (time.perf_counter() - start) / len(tables)
                scores[name] = np.array([f.score for f in found])
                if name == "auto":
                    used = {f.partitioner + (" (exact)" if f.exact else "") for f in found}
            best = np.max(list(scores.values()), axis=0)
            scale = np.where(best > 0, best, 1.0)  # one class only: there is nothing to lose
            loss = {name: 100 * (best - scores[name]) / scale for name in names}
            cells = [
                f"{loss[s].mean():.3f} ({1e3 * seconds[s]:.2f})" if s in loss else "-"
                for s in SEARCHES[1:]
            ]
            lines.append(
                f"| {n}, {k} | {kind.__name__} | {', '.join(sorted(used))} | "
                f"{loss['auto'].mean():.3f} | {loss['auto'].max():.2f} | "
                f"{1e3 * seconds['auto']:.2f} | " + " | ".join(cells) + " |"
            )
    return lines


def main() -> None:
    """Print the tables, and write the page if asked."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tables", type=int, default=40, help="of each size and kind")
    parser.add_argument("--criteria", default=",".join(CRITERIA))
    parser.add_argument("--output", type=Path)
    args = parser.parse_args()
    lines = [
        "# What `auto` gives, and what it costs",
        "",
        f"`python benchmarks/auto_rule.py --tables {args.tables}`. Mean loss of score against the",
        "best partition known (the exact one where it can be had), in percent; milliseconds per",
        "call. Kinds of tables: *uniform* has no signal at all, *clustered* a few hidden groups of",
        "values, *skewed* few common and many rare values.",
    ]
    for criterion in args.criteria.split(","):
        lines += ["", *study(criterion, args.tables)]
        print("\n".join(lines[-len(SIZES) * len(KINDS) - 4 :]), flush=True)
    if args.output:
        args.output.parent.mkdir(parents=True, exist_ok=True)
        args.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
