"""Which search for which table? Quality and time of all of them, side by side.

The idea: on tables small enough to know the best partition, see how much of its gain each search
keeps, how often it is the best one, and what it costs. `auto` makes this choice for you.
"""

import time

import numpy as np

import mixedwood as mw

SKIPPED = {"multiway", "two_class_order"}  # more than two groups; only for two classes


def hidden_groups(rng, n_values, n_classes):
    """Counts of a column whose values fall into four kinds, some thirty rows per value."""
    kinds = rng.dirichlet(np.full(n_classes, 0.5), size=4)
    shares = kinds[rng.integers(0, 4, n_values)]
    return np.array([rng.multinomial(1 + rng.poisson(30), p) for p in shares], dtype=float)


def main(n_tables: int = 30, n_values: int = 14, n_classes: int = 5) -> None:
    rng = np.random.default_rng(0)
    tables = [hidden_groups(rng, n_values, n_classes) for _ in range(n_tables)]
    best = [mw.splits.best_partition(table, "gini", "exact").score for table in tables]
    print(f"{n_tables} tables of {n_values} values and {n_classes} classes, criterion gini\n")
    print(f"{'search':16} {'gain kept':>9} {'best found':>10} {'ms each':>8}")
    for name in mw.splits.partitioners():
        if name in SKIPPED:
            continue
        start = time.perf_counter()
        scores = [
            mw.splits.best_partition(table, "gini", name, random_state=0).score for table in tables
        ]
        elapsed = (time.perf_counter() - start) / n_tables
        kept = np.mean([s / b for s, b in zip(scores, best, strict=True)])
        hits = np.mean([s >= b * (1 - 1e-9) for s, b in zip(scores, best, strict=True)])
        print(f"{name:16} {kept:9.1%} {hits:10.0%} {1000 * elapsed:8.3f}")


if __name__ == "__main__":
    main()
