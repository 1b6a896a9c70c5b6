"""Model trees beside single trees, linear models and LightGBM, on tables of categories and numbers.

Stratified two-fold cross-validation, five times, the same folds for all methods; on the large sets
of many classes once. What the methods are is written in `model_tree_contenders.py`. What was run is
kept in the file named by `--results`, and a run that was broken off goes on from there.

    python benchmarks/model_trees.py --results kept.json --jobs 2 --page docs/results/model-trees.md
    python benchmarks/model_trees.py --sets adult --methods "model tree" tree
    python benchmarks/model_trees.py --results kept.json --again "model tree"
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
from accuracy import make_folds, write_page
from model_tree_contenders import CONTENDERS, Answer, load_mixed
from model_tree_report import page, summary
from peers.common import LEAST_PROBABILITY, MissingPeer
from sklearn.metrics import balanced_accuracy_score

ONCE = {"san-francisco-crime-sample", "shelter-animal-outcomes", "shelter-animal-outcomes-15"}
SETS = [
    "heart-statlog",
    "australian",
    "german",
    "messidor",
    "contraceptive",
    "seismic-bumps",
    "covertype",
    "credit-default",
    "adult",
    *sorted(ONCE, reverse=True),
]
MOST_ROWS = {"covertype": 20_000}
# A Newton step needs the products of all pairs of columns, and there are thousands.
LEFT_OUT = {(name, "SmoothSVC") for name in ONCE}


class Task(NamedTuple):
    """One fold of one method on one set."""

    set: str
    method: str
    fold: int

    @property
    def key(self) -> str:
        """The name under which its figures are kept."""
        return f"{self.set}/{self.method}/{self.fold}"

    def run(self) -> dict[str, float | None]:
        """Learn and test."""
        warnings.simplefilter("ignore")
        data = load_mixed(self.set, MOST_ROWS.get(self.set))
        fold = make_folds(data.y, self.fold // 2 + 1)[self.fold]
        start = time.process_time()
        model = CONTENDERS[self.method].fit(data, fold.train, fold.seed)
        seconds = time.process_time() - start
        answer, truth = model.answer(fold.test), data.y[fold.test]
        return {
            "error": float(np.mean(answer.classes != truth)),
            "balanced": float(1.0 - balanced_accuracy_score(truth, answer.classes)),
            "log_loss": log_loss(answer, truth, data.n_classes),
            "leaves": None if model.leaves is None else int(model.leaves),
            "seconds": seconds,
        }


def log_loss(answer: Answer, truth: np.ndarray, n_classes: int) -> float | None:
    """Mean of -log(probability of the class), for those that give probabilities."""
    if answer.probabilities is None:
        return None
    every = np.zeros((len(truth), n_classes))
    every[:, answer.learned] = answer.probabilities
    given = np.maximum(every[np.arange(len(truth)), truth], LEAST_PROBABILITY)
    return float(-np.log(given).mean())


def all_tasks(names: Sequence[str], methods: Sequence[str], repetitions: int) -> Iterator[Task]:
    """Everything; sets in the order given, so that small ones are done early."""
    for name in names:
        folds = 2 * (1 if name in ONCE else repetitions)
        for method in methods:
            if (name, method) not in LEFT_OUT:
                yield from (Task(name, method, fold) for fold in range(folds))


def run_tasks(tasks: Sequence[Task], kept: dict[str, dict], path: Path | None, jobs: int) -> None:
    """Run what `kept` lacks; write it down every few seconds."""
    lacking = [task for task in tasks if task.key not in kept]
    running = joblib.Parallel(jobs, return_as="generator", pre_dispatch="2*n_jobs")(
        joblib.delayed(Task.run)(task) for task in lacking
    )
    written = time.monotonic()
    for number, (task, figures) in enumerate(zip(lacking, running, strict=True), 1):
        kept[task.key] = figures
        if path and (time.monotonic() - written > 5 or number == len(lacking)):
            path.write_text(json.dumps(kept, indent=0))
            written = time.monotonic()
            print(f"{number} of {len(lacking)}: {task.key}", file=sys.stderr, flush=True)


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    methods = list(CONTENDERS)
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS, metavar="SET")
    parser.add_argument("--methods", nargs="+", default=methods, choices=methods, metavar="METHOD")
    parser.add_argument("--again", nargs="+", default=[], choices=methods, metavar="METHOD")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--results", type=Path, help="keep figures here, and use those kept")
    parser.add_argument("--report-only", action="store_true", help="run nothing, use those kept")
    parser.add_argument("--page", type=Path, help="write the page of the documentation")
    return parser.parse_args()


def available(method: str) -> bool:
    """Say whether the method is installed."""
    data = load_mixed("heart-statlog")
    try:
        CONTENDERS[method].fit(data, np.arange(100), 0)
    except MissingPeer as missing:
        print(f"{method} is left out: {missing}.", file=sys.stderr)
        return False
    return True


def main() -> None:
    """Run, print the summary, and write the page if asked."""
    args = parse_arguments()
    kept = json.loads(args.results.read_text()) if args.results and args.results.exists() else {}
    kept = {key: found for key, found in kept.items() if key.split("/")[1] not in args.again}
    methods = args.methods if args.report_only else [m for m in args.methods if available(m)]
    tasks = list(all_tasks(args.sets, methods, args.repetitions))
    if not args.report_only:
        run_tasks(tasks, kept, args.results, args.jobs)
    # A set counts when all its folds are there, for every method that is not left out on it.
    whole = [s for s in args.sets if all(task.key in kept for task in tasks if task.set == s)]
    results = {
        method: {
            name: [kept[t.key] for t in tasks if t.set == name and t.method == method]
            for name in whole
            if (name, method) not in LEFT_OUT
        }
        for method in methods
    }
    if not whole:
        raise SystemExit("No set is complete.")
    print("\n".join(summary(results)))
    if args.page:
        write_page(args.page, page(results, ONCE))


if __name__ == "__main__":
    main()
