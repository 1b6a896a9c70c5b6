"""Time to a proven best tree over all thresholds and subsets, and beside ConTree on numbers.

Prints two tables: tables of numbers against ConTree (`pip install pycontree`; without it only our
own figures), in one run, one thread, both proving the fewest errors of a depth; and tables with
nominal columns, for which there is nothing to compare with. Seconds are of the processor.

    MIXEDWOOD_DATA=<folder> python benchmarks/optimal_all.py [--depths 2 3] [--time-limit 120]
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np

from mixedwood import _core, datasets
from mixedwood.data import read_table
from mixedwood.grow.encoded import EncodedTable

try:
    from pycontree import ConTree
except ImportError:
    ConTree = None

NUMERIC = [
    "iris",
    "wine",
    "sonar",
    "ionosphere",
    "pima",
    "vehicle",
    "german-numeric",
    "qsar-biodegradation",
    "messidor",
    "banknote",
    "segment",
    "spambase",
    "magic04",
    "credit-default",
]
MIXED = [
    "heart-statlog",
    "australian",
    "tic-tac-toe",
    "german",
    "contraceptive",
    "car",
    "splice",
    "mushroom",
    "nursery",
    "adult",
]
SLOW_AT_3 = {"spambase", "magic04", "credit-default", "splice", "mushroom", "adult"}


def read(name):
    """Table and class codes of a data set."""
    data = datasets.load(name)
    classes = np.unique(np.asarray(data.y).astype(str), return_inverse=True)[1]
    return data.X, read_table(data.X), classes.astype(np.int32)


def solve(table, classes, depth, time_limit):
    """Result and processor seconds, the ranking of numbers included."""
    limits = _core.SearchLimits()
    limits.max_depth = depth
    start = time.process_time()
    native = EncodedTable(table).native
    n_classes = int(classes.max()) + 1
    solver = _core.all_splits_solver(native, classes, None, n_classes, _core.OptimalObjective())
    found = solver.solve(limits, time_limit)
    return found, time.process_time() - start


def against_contree(names, depth, time_limit):
    """Print one line for each table of numbers; give the logarithms of the ratios."""
    ratios = []
    for name in names:
        X, table, classes = read(name)
        found, ours = solve(table, classes, depth, time_limit)
        line = f"{name:20s} {len(classes):7d} {len(table.schema):4d} {depth:5d} "
        line += f"{found.objective_value:7d} {found.status:11s} {ours:9.4f}"
        if ConTree is not None:
            numbers = np.asarray(X, dtype=np.float64)
            peer = ConTree(max_depth=depth, time_limit=time_limit)
            start = time.process_time()
            peer.fit(numbers, classes)
            theirs = time.process_time() - start
            errors = int((peer.predict(numbers) != classes).sum())
            line += f" {theirs:9.4f} {errors:7d} {theirs / ours:7.1f}"
            if found.status == "optimal" and theirs < time_limit:
                ratios.append(math.log(theirs / ours))
        print(line, flush=True)
    return ratios


def with_nominal_columns(names, depth, time_limit):
    """Print one line for each table."""
    for name in names:
        _, table, classes = read(name)
        found, ours = solve(table, classes, depth, time_limit)
        most = max(column.n_categories for column in table.schema)
        line = f"{name:20s} {len(classes):7d} {len(table.schema):4d} {most:6d} {depth:5d} "
        line += f"{found.objective_value:7d} {found.lower_bound:7d} {found.status:11s} {ours:9.4f}"
        print(line, flush=True)


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--depths", type=int, nargs="+", default=[2, 3])
    parser.add_argument("--time-limit", type=float, default=120.0)
    parser.add_argument("--all", action="store_true", help="large tables at depth 3 as well")
    options = parser.parse_args()
    if ConTree is None:
        print("pycontree is not installed: our own figures only")
    print(f"{'numbers':20s} {'rows':>7s} {'cols':>4s} {'depth':>5s} {'errors':>7s} {'status':11s} "
          f"{'seconds':>9s} {'ConTree':>9s} {'errors':>7s} {'ratio':>7s}")  # fmt: skip
    ratios = []

    def chosen(names, depth):
        return [n for n in names if depth < 3 or options.all or n not in SLOW_AT_3]

    for depth in options.depths:
        ratios += against_contree(chosen(NUMERIC, depth), depth, options.time_limit)
    if ratios:
        mean = math.exp(sum(ratios) / len(ratios))
        print(f"ConTree's time over ours, geometric mean of {len(ratios)}: {mean:.1f}")
    print(f"\n{'nominal columns':20s} {'rows':>7s} {'cols':>4s} {'values':>6s} {'depth':>5s} "
          f"{'errors':>7s} {'bound':>7s} {'status':11s} {'seconds':>9s}")  # fmt: skip
    for depth in options.depths:
        with_nominal_columns(chosen(MIXED, depth), depth, options.time_limit)


if __name__ == "__main__":
    main()
