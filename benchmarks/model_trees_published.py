"""Published errors of model trees and what they were compared with, beside ours.

Tables 2 and 3 of "Model Trees for Hybrid Data Type Classification": stratified ten-fold
cross-validation, four times, on three sets, with their nominal columns only, their numeric columns
only, and all. The paper's shuffles are not known, so that cells are compared in standard errors.

    python benchmarks/model_trees_published.py --results kept.json \
        --page docs/results/model-trees-published.md
    python benchmarks/model_trees_published.py --quick --sets Heart

With `--results`, what was run is kept, and a run that was interrupted goes on from there.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import joblib
import numpy as np
import pandas as pd
from accuracy import write_page
from model_tree_cells import BLOCKS, SETS, claims, far_lines, make_cells, near_lines, page
from model_tree_paper_methods import METHODS
from sklearn.model_selection import StratifiedKFold

import mixedwood as mw
from mixedwood import datasets


class Task(NamedTuple):
    """One repetition of ten folds of one method on some columns of one set."""

    set: str
    block: str
    method: str
    repetition: int

    @property
    def key(self) -> str:
        """The name under which its figures are kept."""
        return "/".join(map(str, self))

    def run(self) -> list[float]:
        """Give the error of each fold in percent."""
        warnings.simplefilter("ignore")
        X, y, nominal = read_columns(self.set, self.block)
        errors = []
        for number, (train, test) in enumerate(ten_folds(y, self.repetition)):
            answer = METHODS[self.method].run
            found = answer(X, y, nominal, train, test, 10 * self.repetition + number)
            errors.append(100.0 * float(np.mean(found != y[test])))
        return errors


def read_columns(name: str, block: str) -> tuple[pd.DataFrame, np.ndarray, list[str]]:
    """Columns of a kind or all, classes as codes, and which columns are nominal."""
    data = datasets.load(SETS[name], frame="pandas")
    kinds = {column.name: column.kind for column in data.columns}
    wanted = [n for n, kind in kinds.items() if block in ("all", kind)]
    nominal = [n for n in wanted if kinds[n] == "nominal"]
    return data.X[wanted], np.unique(data.y, return_inverse=True)[1], nominal


def ten_folds(y: np.ndarray, repetition: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows to learn from and rows to be judged by, ten times."""
    folds = StratifiedKFold(10, shuffle=True, random_state=repetition)
    return list(folds.split(y, y))


def count_leaves(name: str) -> list[int]:
    """Leaves of the default model tree on the folds of the first repetition, all columns."""
    X, y, _ = read_columns(name, "all")
    return [
        int(mw.ModelTreeClassifier(random_state=seed).fit(X.iloc[rows], y[rows]).tree_.n_leaves)
        for seed, (rows, _) in enumerate(ten_folds(y, 0))
    ]


def all_tasks(args: argparse.Namespace) -> Iterator[Task]:
    """Everything, methods of one division next to each other."""
    for name in args.sets:
        for repetition in range(1 if args.quick else 4):
            for block in BLOCKS:
                for method in args.methods:
                    if block in METHODS[method].blocks:
                        yield Task(name, block, method, repetition)


def run_tasks(tasks: Sequence[Task], kept: dict, path: Path | None, jobs: int) -> None:
    """Run what `kept` lacks; write it down every few seconds."""
    lacking = [task for task in tasks if task.key not in kept]
    running = joblib.Parallel(jobs, return_as="generator")(
        joblib.delayed(Task.run)(task) for task in lacking
    )
    written = time.monotonic()
    for number, (task, errors) in enumerate(zip(lacking, running, strict=True), 1):
        kept[task.key] = errors
        if path and (time.monotonic() - written > 5 or number == len(lacking)):
            path.write_text(json.dumps(kept, indent=0))
            written = time.monotonic()
            print(f"{number} of {len(lacking)}: {task.key}", file=sys.stderr, flush=True)


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    names, methods = list(SETS), list(METHODS)
    parser.add_argument("--sets", nargs="+", default=names, choices=names, metavar="SET")
    parser.add_argument("--methods", nargs="+", default=methods, choices=methods, metavar="METHOD")
    parser.add_argument("--again", nargs="+", default=[], choices=methods, metavar="METHOD")
    parser.add_argument("--quick", action="store_true", help="one repetition")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--results", type=Path, help="keep figures here, and use those kept")
    parser.add_argument("--page", type=Path, help="write the page of the documentation")
    return parser.parse_args()


def main() -> None:
    """Run, print the verdicts, and write the page if asked."""
    args = parse_arguments()
    kept = json.loads(args.results.read_text()) if args.results and args.results.exists() else {}
    kept = {key: found for key, found in kept.items() if key.split("/")[2] not in args.again}
    tasks = list(all_tasks(args))
    run_tasks(tasks, kept, args.results, args.jobs)
    cells = make_cells({task: kept[task.key] for task in tasks})
    print("\n".join([*near_lines(cells), "", *claims(cells), "", *far_lines(cells)]))
    if args.page:
        command = "python benchmarks/model_trees_published.py" + (" --quick" if args.quick else "")
        leaves = {name: count_leaves(name) for name in args.sets}
        write_page(args.page, page(cells, leaves, command))


if __name__ == "__main__":
    main()
