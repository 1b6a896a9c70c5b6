"""Speed and memory of reading typed tables: many rows, few or very many categories.

python benchmarks/reading_speed.py [--rows 1000000]
"""

from __future__ import annotations

import argparse
import time
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from mixedwood.data import read_table

FRAMES = {
    "pandas str": pd.DataFrame,
    "pandas category": lambda columns: pd.DataFrame(columns).astype("category"),
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "dict": dict,
}


def cpu_seconds(call) -> float:
    """Processor time of one call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def main() -> None:
    """Print one line per kind of frame and table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    rng = np.random.default_rng(0)
    distinct = np.array([f"value {i:09d}" for i in rng.permutation(rows)], dtype=object)
    few = np.array([f"value {i}" for i in range(100)], dtype=object)
    tables = {
        f"1 column, {rows} distinct": {"c": distinct},
        "20 columns, 100 distinct": {f"c{i}": few[rng.integers(0, 100, rows)] for i in range(20)},
    }
    print(f"{rows} rows; CPU seconds, and memory of Python objects at the peak of reading")
    print(f"{'table':>26} {'frame':>16} {'read':>7} {'read_as':>8} {'MB':>6}")
    for what, columns in tables.items():
        for name, make in FRAMES.items():
            frame = make(columns)
            schema = read_table(frame).schema
            learn = cpu_seconds(lambda frame=frame: read_table(frame))
            apply = cpu_seconds(lambda frame=frame, schema=schema: read_table(frame, schema=schema))
            tracemalloc.start()
            read_table(frame)
            peak = tracemalloc.get_traced_memory()[1] / 1e6
            tracemalloc.stop()
            print(f"{what:>26} {name:>16} {learn:>7.2f} {apply:>8.2f} {peak:>6.0f}", flush=True)


if __name__ == "__main__":
    main()
