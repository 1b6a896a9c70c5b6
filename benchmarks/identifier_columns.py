r"""What a column that names rows, or is nothing but noise, does to the error of each method.

Each table is learned as it is, and with one more nominal column: of n distinct values (a name for
each row), of n/2 values drawn at random, and of n/10. None of them says anything about the class,
so a method loses nothing if it leaves them alone; in the test rows most or some of their values are
new. Errors are those of stratified 5-fold cross-validation, the same folds for all.

    python benchmarks/identifier_columns.py --methods tree forest lightgbm --half choice \
        --results out/identifier_columns.jsonl
    python benchmarks/identifier_columns.py --selection default significance --methods tree

Tables are those of a half of `more_tables.py`, or named ones (`--tables`), which may be of the data
folder as well; those of the half `judge` must be asked for by `--half judge` or `--half all`. Each
fold is written to the file of results as soon as it is done, and what is there is not done again:
use another file for another state of the library. `--report` only prints. On a table of few rows a
loss or gain of some points is chance; `--repetitions` draws other folds and columns as well.
"""

from __future__ import annotations

import argparse
import json
import time
import zlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import column_methods
import more_tables
import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

FOLDS = 5
VARIANTS = ("as it is", "n", "n/2", "n/10")
ADDED = "added column"
Key = tuple[str, str, str, int]  # method, table, variant, fold
Means = dict[str, dict[str, dict[str, float]]]  # by method, table and variant, in percent


def load(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """A table of `more_tables`, or of the library."""
    if name in more_tables.names():
        table = more_tables.load(name)
        return table.X, table.y
    from mixedwood import datasets

    data = datasets.load(name, frame="pandas")
    return data.X, np.asarray(data.y).astype(str)


def with_column(X: pd.DataFrame, name: str, variant: str, repetition: int) -> pd.DataFrame:
    """The table with the column of this variant; the same for all methods, and folds of a turn."""
    if variant == "as it is":
        return X
    rows = len(X)
    rng = np.random.default_rng([zlib.crc32(name.encode()), VARIANTS.index(variant), repetition])
    if variant == "n":
        codes = rng.permutation(rows)
    else:
        codes = rng.integers(0, rows // int(variant[2:]), rows)
    # Labels whose order says nothing of the rows'.
    labels = rng.permutation(10**6 + np.arange(rows))
    return X.assign(**{ADDED: pd.Series([f"k{labels[c]}" for c in codes], X.index, dtype=object)})


def rows_of(y: np.ndarray, fold: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows to learn from and to be asked; folds 0 to 4 are those of the first repetition."""
    parts = StratifiedKFold(FOLDS, shuffle=True, random_state=fold // FOLDS)
    return list(parts.split(y, y))[fold % FOLDS]


def tasks(methods: list[str], tables: list[str], folds: int) -> Iterator[Key]:
    """All that is to be done; a fold of a table for all variants and methods in a row."""
    for table in tables:
        for fold in range(folds):
            for variant in VARIANTS:
                for method in methods:
                    yield method, table, variant, fold


def error_of(key: Key) -> dict[str, Any]:
    """Learn and judge."""
    method, name, variant, fold = key
    X, y = load(name)
    X = with_column(X, name, variant, fold // FOLDS)
    train, test = rows_of(y, fold)
    started = time.process_time()
    try:
        found = column_methods.predict(method, X.iloc[train], y[train], X.iloc[test])
    except column_methods.FitFailed as error:
        return {"failed": str(error)}
    seconds = round(time.process_time() - started, 4)
    return {"error": float(np.mean(found != y[test])), "seconds": seconds}


def read(path: Path) -> dict[Key, dict[str, Any]]:
    """Results by key."""
    if not path.exists():
        return {}
    found = {}
    for line in path.read_text().splitlines():
        entry = json.loads(line)
        key = (entry["method"], entry["table"], entry["variant"], entry["fold"])
        found[key] = entry
    return found


def run(methods: list[str], tables: list[str], folds: int, path: Path) -> None:
    """Do what is not done yet."""
    done = read(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    given_up: set[tuple[str, str, str]] = set()  # one fold too slow, all of them are
    with path.open("a") as file:
        for key in tasks(methods, tables, folds):
            if key in done:
                if "failed" in done[key]:
                    given_up.add(key[:3])
                continue
            if key[:3] in given_up:
                continue
            result = error_of(key)
            if "failed" in result:
                given_up.add(key[:3])
            head = dict(zip(("method", "table", "variant", "fold"), key, strict=True))
            file.write(json.dumps({**head, **result}) + "\n")
            file.flush()


def errors(done: dict[Key, dict[str, Any]], tables: list[str], folds: int) -> Means:
    """Mean error in percent by method, table and variant, where all folds are done."""
    found: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for (method, table, variant, fold), entry in done.items():
        if table in tables and fold < folds and "error" in entry:
            found[method, table, variant].append(entry["error"])
    means: Means = defaultdict(lambda: defaultdict(dict))
    for (method, table, variant), values in found.items():
        if len(values) == folds:
            means[method][table][variant] = 100 * float(np.mean(values))
    return means


def report(means: Means, methods: list[str]) -> str:
    """A Markdown table: errors, mean and worst losses by the added column, for each method.

    The error is that of all tables that are done as they are; a loss is counted over the tables
    that are done with the column, too.
    """
    heads = ["method", "tables", "error %"]
    for variant in VARIANTS[1:]:
        heads += [f"{variant}: mean loss", "worst", "on"]
    lines = [f"| {' | '.join(heads)} |", "|---|" + "---:|---:|" + "---:|---:|---|" * 3]
    for method in methods:
        found = means.get(method, {})
        plain = [by["as it is"] for by in found.values() if "as it is" in by]
        cells = [method, str(len(plain)), f"{np.mean(plain):.2f}" if plain else "-"]
        for variant in VARIANTS[1:]:
            losses = {
                table: by[variant] - by["as it is"]
                for table, by in found.items()
                if variant in by and "as it is" in by
            }
            if not losses:
                cells += ["-", "-", ""]
                continue
            worst = max(losses, key=lambda table: losses[table])
            few = "" if len(losses) == len(plain) else f" ({len(losses)} tables)"
            cells += [f"{np.mean(list(losses.values())):+.2f}{few}", f"{losses[worst]:+.1f}", worst]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def details(means: Means, methods: list[str], tables: list[str]) -> str:
    """A Markdown table: errors of each table, as it is / n / n/2 / n/10, for each method."""
    lines = [f"| table | {' | '.join(methods)} |", "|---|" + "---|" * len(methods)]
    for table in tables:
        cells = []
        for method in methods:
            by = means.get(method, {}).get(table, {})
            cells.append(" / ".join(f"{by[v]:.1f}" if v in by else "-" for v in VARIANTS))
        lines.append(f"| {table} | {' | '.join(cells)} |")
    return "\n".join(lines)


def with_selections(methods: list[str], selections: list[str]) -> list[str]:
    """Names of methods, ours once for each selection if they have such a parameter."""
    names = []
    for method in methods:
        if not column_methods.has_selection(method):
            names.append(method)
            continue
        names += [method if value == "default" else f"{method}:{value}" for value in selections]
    return names


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    every = [*column_methods.OURS, *column_methods.PEERS]
    parser.add_argument("--methods", nargs="+", default=["tree", "c45"], choices=every)
    parser.add_argument("--selection", nargs="+", default=["default"], help="for our methods")
    parser.add_argument("--half", choices=[*more_tables.HALVES, "all"], default="choice")
    parser.add_argument("--tables", nargs="+", help="in place of a half")
    parser.add_argument("--most-rows", type=int, help="leave larger tables out")
    parser.add_argument("--repetitions", type=int, default=1, help="of the five folds")
    parser.add_argument("--results", type=Path, default=Path("out/identifier_columns.jsonl"))
    parser.add_argument("--report", action="store_true", help="print what is done, do no more")
    parser.add_argument("--by-table", action="store_true", help="print every table")
    args = parser.parse_args()
    tables = args.tables or more_tables.names(None if args.half == "all" else args.half)
    blind = [name for name in tables if name in more_tables.names("judge")]
    if blind and args.half == "choice":
        parser.error(f"of the half judge: {', '.join(blind)}; see more_tables.py, or --half judge")
    if args.most_rows:
        tables = [name for name in tables if len(load(name)[1]) <= args.most_rows]
    folds = FOLDS * args.repetitions
    methods = with_selections(args.methods, args.selection)
    if not args.report:
        column_methods.check(methods)
        run(methods, tables, folds, args.results)
    means = errors(read(args.results), tables, folds)
    print(report(means, methods))
    if args.by_table:
        print()
        print(details(means, methods, tables))


if __name__ == "__main__":
    main()
