"""A column without signal whose classes take turns: the deepest trees there are, and their time.

    python benchmarks/alternating.py [--rows 2000 4000 8000 16000] [--default 50000]

With x = 0, 1, 2, ... and y = x mod 2 every test takes one row off: a tree without pruning is
as deep as there are rows. Each line compares one tree without pruning with scikit-learn's on the
same rows; the last ones are the default tree, with its cross-validated pruning. Processor time, in
turns; `growth` is the exponent from the line before.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from mixedwood import TreeClassifier


def seconds(work: Callable[[], object]) -> float:
    """Processor time of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def growth(before: tuple[int, float] | None, n_rows: int, took: float) -> str:
    """Exponent of the time in the number of rows."""
    if before is None:
        return "     "
    return f"{math.log(took / before[1]) / math.log(n_rows / before[0]):5.2f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[2000, 4000, 8000, 16000])
    parser.add_argument("--default", type=int, nargs="+", default=[5000, 20000, 50000])
    parser.add_argument("--classes", type=int, default=2)
    arguments = parser.parse_args()
    for criterion in ("entropy", "gini"):
        before = None
        print(f"{criterion}, no pruning\n   rows   depth  mixedwood  scikit-learn  ratio  growth")
        for n_rows in arguments.rows:
            x = np.arange(n_rows, dtype=float)[:, None]
            y = np.arange(n_rows) % arguments.classes
            ours = TreeClassifier(criterion=criterion, pruning=None)
            theirs = DecisionTreeClassifier(criterion=criterion, random_state=0)
            took = min(seconds(lambda: ours.fit(x, y)) for _ in range(3))  # noqa: B023
            peer = seconds(lambda: theirs.fit(x, y))  # noqa: B023
            print(
                f"{n_rows:7} {ours.get_depth():7} {took:9.3f} s {peer:11.3f} s {took / peer:6.2f}"
                f"  {growth(before, n_rows, took)}",
                flush=True,
            )
            before = n_rows, took
    print("default\n   rows  leaves  mixedwood  growth")
    before = None
    for n_rows in arguments.default:
        x, y = np.arange(n_rows, dtype=float)[:, None], np.arange(n_rows) % arguments.classes
        model = TreeClassifier()
        took = seconds(lambda: model.fit(x, y))  # noqa: B023
        shown = growth(before, n_rows, took)
        print(f"{n_rows:7} {model.get_n_leaves():7} {took:9.3f} s   {shown}", flush=True)
        before = n_rows, took


if __name__ == "__main__":
    main()
