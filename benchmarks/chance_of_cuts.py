"""How well the best cut of a column does by chance: simulated, beside the formula of the core.

Rows get classes at random, and a column of `values` different numbers, of about as many rows each,
is cut everywhere. Printed are the mean of the largest chi-square statistic of all cuts (side by
class), the formula in `core/src/chance.hpp`, and how far the formula is off. One cut has as many
degrees of freedom as there are classes but one, and its statistic has that for its mean.

    python benchmarks/chance_of_cuts.py [--repeats 400] [--seed 0]
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

VALUES = (2, 3, 5, 10, 30, 100, 300, 1_000, 3_000, 10_000)
CLASSES = (2, 3, 5, 10)
ROWS_PER_VALUE = (1, 4)
LEAST_ROWS = 500  # or rows are so few that a chi-square statistic is none


def largest_statistic(sizes: NDArray[np.int64], y: NDArray[np.int64], n_classes: int) -> float:
    """Of all cuts between values of so many rows each."""
    n = len(y)
    ends = np.cumsum(sizes)[:-1]  # rows on the left of each cut
    totals = np.bincount(y, minlength=n_classes).astype(float)
    statistic = np.zeros(len(ends))
    for cls in range(n_classes):
        if totals[cls] == 0:
            continue
        on_left = np.cumsum(y == cls)[ends - 1]
        expected = ends * (totals[cls] / n)
        # Both sides: the squared gap is the same, over expected counts on the left and the right.
        statistic += (on_left - expected) ** 2 / expected * (n / (n - ends))
    return float(statistic.max())


def formula(n_values: int, n_classes: int) -> float:
    """Degrees of freedom, and what the choice among cuts adds."""
    degrees = n_classes - 1
    x = np.log(max(1, n_values - 1))
    return float(degrees + degrees**0.45 * 0.9 * x / (1 + 0.045 * x))


def main() -> None:
    """Print a line per case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    print("classes  values    rows  simulated  formula    off")
    for n_classes in CLASSES:
        for n_values in VALUES:
            for per_value in ROWS_PER_VALUE:
                n = max(LEAST_ROWS, n_values * per_value)
                if n == LEAST_ROWS and per_value > 1:
                    continue  # the same again
                repeats = max(50, min(options.repeats, 4_000_000 // n))
                sizes = np.full(n_values, n // n_values) + (np.arange(n_values) < n % n_values)
                found = np.mean(
                    [
                        largest_statistic(sizes, rng.integers(0, n_classes, n), n_classes)
                        for _ in range(repeats)
                    ]
                )
                by_formula = formula(n_values, n_classes)
                print(
                    f"{n_classes:7}  {n_values:6}  {n:6}  {found:9.2f}  {by_formula:7.2f}"
                    f"  {100 * (by_formula / found - 1):+4.0f} %"
                )


if __name__ == "__main__":
    main()
