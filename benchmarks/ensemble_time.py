"""Time of `EnsembleClassifier` as rows, columns and classes grow, beside LightGBM and our boosting.

The table is generated: half of its columns numbers, half categories of 2 to 40 values, classes by a
sum of some columns, an interaction of two and noise. All have one thread; the time is that of the
processor, of `fit` alone, and the smallest of `--times` runs. LightGBM has up to 1,000 rounds and
stops after 20 without gain on a tenth of the rows; our boosting has its defaults, 200 iterations.

    python benchmarks/ensemble_time.py --page docs/results/ensemble-time.md
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from ensemble_tables import METHODS

NAMES = ("ensemble", "ensemble holdout", "boosted trees", "LightGBM")
USUAL = (4_000, 14, 2)  # rows, columns, classes
ROWS = (250, 1_000, 4_000, 16_000, 64_000, 100_000)
COLUMNS = (5, 14, 40, 120)
CLASSES = (2, 4, 10, 26)


def make(n_rows: int, n_columns: int, n_classes: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Columns and classes."""
    rng = np.random.default_rng(0)
    X, score = {}, np.zeros((n_rows, n_classes))
    useful = min(n_columns, 8)
    for j in range(n_columns):
        if j % 2:
            values = rng.normal(size=n_rows)
            X[f"x{j}"] = values
            part = values
        else:
            n_values = int(rng.integers(2, 41))
            codes = rng.integers(0, n_values, n_rows)
            X[f"c{j}"] = np.array([f"v{v}" for v in range(n_values)], dtype=object)[codes]
            part = rng.normal(size=n_values)[codes]
        if j < useful:
            score += part[:, None] * rng.normal(size=n_classes)
    both = np.sign(X["x1"]) * np.sign(X["x3"])
    score += 1.5 * both[:, None] * rng.normal(size=n_classes)
    score += rng.gumbel(size=score.shape) * 1.5
    return pd.DataFrame(X), np.array([f"k{k:02d}" for k in range(n_classes)])[score.argmax(axis=1)]


def seconds(name: str, X: Any, y: np.ndarray, times: int) -> float:
    """The least processor time of `fit`."""
    found = []
    for _ in range(times):
        model = METHODS[name]()
        started = time.process_time()
        model.fit(X, y)
        found.append(time.process_time() - started)
        if found[-1] > 5:
            break
    return min(found)


def main() -> None:
    """Measure each size once, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--most", type=int, default=ROWS[-1], help="rows")
    parser.add_argument("--page", type=Path)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    n_rows, n_columns, n_classes = USUAL
    sizes = [(n, n_columns, n_classes) for n in ROWS if n <= args.most]
    sizes += [(n_rows, p, n_classes) for p in COLUMNS if p != n_columns]
    sizes += [(n_rows, n_columns, k) for k in CLASSES if k != n_classes]
    lines = [
        "| rows | columns | classes | "
        + " | ".join(f"{n}, s" for n in NAMES)
        + " | ensemble / LightGBM | ensemble / boosted trees |",
        "|---:|---:|---:|" + "---:|" * (len(NAMES) + 2),
    ]
    for name in NAMES:  # loading libraries is not counted
        seconds(name, *make(200, 4, 2), 1)
    for size in sizes:
        X, y = make(*size)
        spent = dict(zip(NAMES, (seconds(n, X, y, args.times) for n in NAMES), strict=True))
        cells = [f"{n:,}" for n in size] + [f"{spent[n]:.2f}" for n in NAMES]
        cells += [f"{spent['ensemble'] / spent[n]:.1f}" for n in ("LightGBM", "boosted trees")]
        lines.append("| " + " | ".join(cells) + " |")
        print(lines[-1], file=sys.stderr, flush=True)
    print("\n".join(lines))
    if args.page:
        head = ["# Time of the recommended ensemble", "", __doc__.split("\n\n")[1], ""]
        args.page.write_text("\n".join([*head, *lines, ""]))


if __name__ == "__main__":
    main()
