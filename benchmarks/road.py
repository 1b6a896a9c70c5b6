"""Where the time goes from a frame to a model and to predictions, stage by stage.

python benchmarks/road.py [--page docs/results/road.md] [--quick] [--save FILE] [--before FILE]

Frames are narrow, wide, small and large, in each library. Times are processor time, the least of
several runs. Beside ours: scikit-learn behind its encoders, LightGBM, and pystreed for optimal
trees, where they are installed; their time counts the encoding too.

Reading is timed alone. The other stages of a fit are shares of a profile, scaled to what is left:
each function's own time belongs to the package that it is in, and that of other libraries to
whoever called them.

- read: the frame and the labels become a typed table (`mixedwood.data`)
- encode: numbers are ranked or binned for growing
- search: trees are grown, or optimal ones searched for
- build: pruning, and what is made of the result
- other: parameters, imports, scikit-learn
"""

from __future__ import annotations

import argparse
import contextlib
import cProfile
import io
import json
import pstats
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import mixedwood as mw
from mixedwood.data import read_table, read_target

STAGES = ("read", "encode", "search", "build", "other")
PACKAGES = {
    "data": "read",
    "grow": "search",
    "optimal": "search",
    "boosting": "search",
    "linear": "search",
    "splits": "search",
    "preprocessing": "encode",
    "tree": "build",
    "pruning": "build",
}
ENCODERS = {"encoded.py"}  # inside of the package grow

WORDS = np.array(["ash", "birch", "cedar", "dogwood", "elm", "fir", "gum", "hazel"], object)

MODELS = {
    "tree": lambda: mw.TreeClassifier(pruning=None, max_depth=6),
    "pruned tree": lambda: mw.TreeClassifier(max_depth=6),
    "optimal tree": lambda: mw.OptimalTreeClassifier(max_depth=2),
    "forest of 20": lambda: mw.ForestClassifier(n_estimators=20, random_state=0, n_jobs=1),
    "boosting, 20": lambda: mw.BoostedTreesClassifier(
        n_estimators=20, early_stopping=False, random_state=0, n_jobs=1
    ),
}


def make_columns(n_rows: int, n_columns: int, kinds: str) -> tuple[dict[str, Any], np.ndarray]:
    """Make columns of booleans, integers, floats and text, and labels that depend on two."""
    rng = np.random.default_rng(n_rows + n_columns)
    columns = {}
    for i in range(n_columns):
        kind = kinds[i % len(kinds)]
        if kind == "b":
            columns[f"c{i}"] = rng.random(n_rows) < 0.5
        elif kind == "i":
            columns[f"c{i}"] = rng.integers(0, 50, n_rows)
        elif kind == "f":
            columns[f"c{i}"] = rng.random(n_rows)
        else:
            columns[f"c{i}"] = WORDS[rng.integers(0, len(WORDS), n_rows)]
    first, second = list(columns.values())[:2]
    y = (rank(first) > 0.5) ^ (rank(second) > 0.5) ^ (rng.random(n_rows) < 0.1)
    return columns, np.where(y, "yes", "no")


def rank(column: np.ndarray) -> np.ndarray:
    """Place of each value among the distinct ones, from 0 to 1."""
    values, places = np.unique(column.astype(str), return_inverse=True)
    return places / max(len(values) - 1, 1)


TABLES = {
    "small: 150 x 4": (150, 4, "ffis"),
    "booleans: 3,196 x 73": (3_196, 73, "b"),
    "wide: 1,000 x 1,000": (1_000, 1_000, "bifss"),
    "narrow: 100,000 x 8": (100_000, 8, "sbfi"),
}


def frames_of(columns: dict[str, Any]) -> dict[str, Any]:
    """Put the same columns into each container."""
    frame = pd.DataFrame(columns)
    texts = [name for name, column in columns.items() if column.dtype == object]
    lists = {n: c.tolist() if c.dtype == object else c for n, c in columns.items()}
    return {
        "pandas": frame,
        "pandas category": frame.astype(dict.fromkeys(texts, "category")),
        "pandas objects": frame.astype(dict.fromkeys(texts, object)),
        "polars": pl.DataFrame(lists),
        "pyarrow": pa.table(lists),
        "dict of arrays": columns,
        "dict of lists": {name: column.tolist() for name, column in columns.items()},
    }


def least(call: Callable[[], Any], seconds: float = 0.15) -> float:
    """Least processor time of a call, in milliseconds, of as many as fit into the time."""
    call()
    best, end = np.inf, time.perf_counter() + seconds
    for run in range(200):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
        if run >= 2 and time.perf_counter() > end:
            break
    return best * 1e3


MEASURED: dict[str, float] = {}
BEFORE: dict[str, float] = {}


def cell(table: str, row: str, column: str, value: float, digits: int = 2) -> str:
    """Write a time into a cell, beside that of an earlier version, and keep it."""
    key = f"{table}/{row}/{column}"
    MEASURED[key] = value
    was = f" ({BEFORE[key]:.{digits}f})" if key in BEFORE else ""
    return f"{value:.{digits}f}{was}"


def stage_of(function: tuple[str, int, str]) -> str | None:
    """Find the stage that a function of ours belongs to."""
    parts = Path(function[0]).parts
    if "mixedwood" not in parts:
        return None
    inside = parts[len(parts) - parts[::-1].index("mixedwood") :]
    if inside[-1] in ENCODERS:
        return "encode"
    return PACKAGES.get(inside[0], "other")


def stages(call: Callable[[], Any], total: float, reading: float) -> dict[str, float]:
    """Divide the time of a call among the stages: reading is known, the others by a profile."""
    runs = []
    for _ in range(3):
        profile = cProfile.Profile()
        profile.runcall(call)
        runs.append(pstats.Stats(profile))
    entries = min(runs, key=lambda run: run.total_tt).stats  # type: ignore[attr-defined]
    shares: dict[tuple[str, int, str], dict[str, float]] = {}

    def shares_of(function: tuple[str, int, str]) -> dict[str, float]:
        """Give the stages that a function works for; of another library, by its callers."""
        if function in shares:
            return shares[function]
        stage = stage_of(function)
        shares[function] = {stage or "other": 1.0}  # also what a circle of callers meets
        callers = entries[function][4]
        own = sum(entry[2] for entry in callers.values())
        if stage is None and own > 0:
            mixed = dict.fromkeys(STAGES, 0.0)
            for caller, entry in callers.items():
                for name, share in shares_of(caller).items():
                    mixed[name] += share * entry[2] / own
            shares[function] = mixed
        return shares[function]

    found = dict.fromkeys(STAGES, 0.0)
    for function, entry in entries.items():
        for name, share in shares_of(function).items():
            found[name] += share * entry[2]
    del found["read"]
    whole = sum(found.values()) or 1.0
    left = max(total - reading, 0.0)
    return {"read": reading} | {name: left * own / whole for name, own in found.items()}


def peers(columns: dict[str, Any], y: np.ndarray) -> Iterator[tuple[str, float, float]]:
    """Time scikit-learn, LightGBM and pystreed from a pandas frame to predictions."""
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
    from sklearn.tree import DecisionTreeClassifier

    frame = pd.DataFrame(columns)
    texts = [name for name, column in columns.items() if column.dtype == object]
    encoder = make_column_transformer((OrdinalEncoder(), texts), remainder="passthrough")
    models = {
        "scikit-learn, depth 6": make_pipeline(
            encoder, DecisionTreeClassifier(max_depth=6, random_state=0)
        )
    }
    with contextlib.suppress(ImportError):
        from lightgbm import LGBMClassifier

        category = make_column_transformer(
            (OrdinalEncoder(), texts), remainder="passthrough", verbose_feature_names_out=False
        ).set_output(transform="pandas")
        models["LightGBM, 20 trees"] = make_pipeline(
            category, LGBMClassifier(n_estimators=20, n_jobs=1, verbosity=-1)
        )
    with contextlib.suppress(ImportError):
        from pystreed import STreeDClassifier

        if len(frame) < 10_000 and len(columns) < 100:
            numbers = [n for n, c in columns.items() if c.dtype.kind in "if"]
            halves = make_column_transformer(
                (OneHotEncoder(sparse_output=False), texts),
                (Binned(), numbers),
                remainder="passthrough",
            )
            models["pystreed, depth 2"] = make_pipeline(
                halves, STreeDClassifier("accuracy", max_depth=2)
            )
    target = (y == "yes").astype(int)
    for name, model in models.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = least(lambda model=model: model.fit(frame, target))
            yield name, fitted, least(lambda model=model: model.predict(frame))


def Binned() -> Any:  # noqa: N802
    """Thresholds of numbers as binary columns, for pystreed."""
    from sklearn.preprocessing import KBinsDiscretizer

    return KBinsDiscretizer(8, quantile_method="averaged_inverted_cdf", encode="onehot-dense")


def fit_new(make: Callable[[], Any], X: Any, y: np.ndarray) -> Any:
    """Make a model and fit it."""
    return make().fit(X, y)


def report(quick: bool) -> Iterator[str]:
    """Give the lines of the tables."""
    for title, (n_rows, n_columns, kinds) in TABLES.items():
        if quick and n_rows * n_columns > 300_000:
            continue
        columns, y = make_columns(n_rows, n_columns, kinds)
        frames = frames_of(columns)
        yield f"\n## {title[0].upper()}{title[1:]}\n"
        yield "| frame | read, ms | read new rows, ms |"
        yield "|---|---:|---:|"
        for name, X in frames.items():
            schema = read_table(X).schema
            learned = cell(title, name, "read", least(lambda X=X: read_table(X)))
            known = least(lambda X=X, schema=schema: read_table(X, schema=schema))
            yield f"| {name} | {learned} | {cell(title, name, 'new', known)} |"
        yield "\n| from a frame of pandas | fit, ms | " + " | ".join(STAGES) + " | predict, ms |"
        yield "|---|" + "---:|" * (len(STAGES) + 2)
        reading = least(lambda X=frames["pandas"], y=y: (read_table(X), read_target(y)))
        for name, make in MODELS.items():
            if name == "optimal tree" and (n_columns > 100 or n_rows > 10_000):
                continue
            X = frames["pandas"]
            call = partial(fit_new, make, X, y)
            fit, model = least(call), call()
            parts = stages(call, fit, reading)
            predict = least(lambda X=X, model=model: model.predict(X))
            shown = " | ".join(f"{parts[stage]:.2f}" for stage in STAGES)
            total, answered = cell(title, name, "fit", fit), cell(title, name, "predict", predict)
            yield f"| {name} | {total} | {shown} | {answered} |"
        for name, fit, predict in peers(columns, y):
            yield f"| *{name}* | {fit:.2f} |{'  |' * len(STAGES)} {predict:.2f} |"
    yield from one_row()


def one_row() -> Iterator[str]:
    """Time predictions for one row, in each container."""
    columns, y = make_columns(500, 20, "bifss")
    frame = pd.DataFrame(columns)
    row = {name: column[3].item() if column.dtype != object else column[3]
           for name, column in columns.items()}  # fmt: skip
    rows = {
        "dict of values": row,
        "dict of lists": {name: [cell] for name, cell in row.items()},
        "list of one dict": [row],
        "pandas": frame.iloc[[3]],
        "polars": pl.DataFrame({name: [cell] for name, cell in row.items()}),
        "pyarrow": pa.table({name: [cell] for name, cell in row.items()}),
    }
    models = [
        mw.TreeClassifier(pruning=None, max_depth=6).fit(frame, y),
        mw.ForestClassifier(n_estimators=100, random_state=0, n_jobs=1).fit(frame, y),
    ]
    yield "\n## One row of 20 columns\n"
    yield "| row | a tree, ms | 100 trees, ms |"
    yield "|---|---:|---:|"
    for name, X in rows.items():
        times = []
        for model in models:
            try:
                found = least(lambda X=X, model=model: model.predict(X), 0.1)
                times.append(cell("row", name, type(model).__name__, found, 3))
            except (TypeError, ValueError):  # before rows as dicts were read
                times.append("")
        yield f"| {name} | {times[0]} | {times[1]} |"


def main() -> None:
    """Print the tables, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--page", type=Path, help="the page to write")
    parser.add_argument("--quick", action="store_true", help="leave out large tables")
    parser.add_argument("--save", type=Path, help="a JSON file for the times")
    parser.add_argument("--before", type=Path, help="such a file, for times in brackets")
    arguments = parser.parse_args()
    if arguments.before:
        BEFORE.update(json.loads(arguments.before.read_text(encoding="utf-8")))
    warnings.simplefilter("ignore")
    text = io.StringIO()
    for line in report(arguments.quick):
        print(line, flush=True)
        print(line, file=text)
    if arguments.save:
        arguments.save.write_text(json.dumps(MEASURED), encoding="utf-8")
    if arguments.page:
        arguments.page.write_text(PAGE + text.getvalue(), encoding="utf-8")


PAGE = """# From a frame to predictions

Where the time goes, stage by stage, on made tables. Processor time in milliseconds, one thread,
the least of several runs. The stages are explained at the top of
`benchmarks/road.py`, and [how frames are read](../decisions/0052-reading-in-batches.md) is a
decision of its own.

In brackets, if given: an earlier version, in a run of its own.

Peers start from the same frame of pandas, so that their encoders count: ordinal codes for
scikit-learn and LightGBM, one-hot codes and eight bins for pystreed. Only the tree of depth 6 has
the same limits as its peer. LightGBM's trees have its own default size, and pystreed searches other
candidates than our optimal tree, so those rows give an order of magnitude, not a ranking. pystreed
ran with empty modules in place of scikit-survival, which its classifier does not use.

- command: `python benchmarks/road.py --page docs/results/road.md`
"""


if __name__ == "__main__":
    main()
