"""Published errors and sizes of two kinds of ensembles, beside ours.

Tables 3 and 4 of "Random Ordinality Ensembles" (with a check run of its methods in WEKA 3.6.14),
and tables II, III and IV of "Using All Data to Generate Decision Tree Ensembles". The protocols are
the papers'; their shuffles are not known, so that cells are compared in standard errors.

    python benchmarks/published_ensembles.py --results kept.json --page docs/results/ensembles-published.md
    python benchmarks/published_ensembles.py --quick --papers grow_and_prune
    python benchmarks/published_ensembles.py --methods J48 Bagging --sets Car Monks1

With `--results`, what was run is kept, and a run that was interrupted goes on from there.
"""  # noqa: E501

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import ensemble_protocols as protocols
import joblib
from ensemble_cells import IGPA, SIZE_RUNS, make_cells
from ensemble_protocols import Figures
from ensemble_report import far_lines, page, speed_line, verdict

PAPERS = {"random_ordinality": "ROE", "grow_and_prune": "IGPA"}


@dataclass(frozen=True)
class Task:
    """One repetition of one method on one set."""

    paper: str
    set: str
    method: str
    repetition: int
    n_train: int = 0

    @property
    def key(self) -> str:
        """The name under which its figures are kept."""
        size = f" {self.n_train}" if self.n_train else ""
        return f"{self.paper}/{self.set}{size}/{self.method}/{self.repetition}"

    def run(self) -> Figures:
        """Learn and test."""
        protocols.quiet()
        if self.paper == "random_ordinality":
            data = protocols.NominalSet.load(self.set)
            make = protocols.NOMINAL_METHODS[self.method]
            return protocols.cross_validate(data, make, self.repetition)
        make = protocols.NUMERIC_METHODS[self.method]
        return protocols.divide_and_test(self.set, self.n_train, make, self.repetition)


def all_tasks(quick: bool) -> Iterator[Task]:
    """Everything, methods of one division next to each other."""
    for name in sorted(protocols.NOMINAL_SETS, key=["Nursery", "Mushroom", "DNA"].count):
        for repetition in range(1 if quick else 5):
            for method in protocols.NOMINAL_METHODS:
                yield Task("random_ordinality", name, method, repetition)
    for name, (n_train, _) in IGPA["divisions"].items():
        for division in range(3 if quick else 50):
            for method in protocols.NUMERIC_METHODS:
                yield Task("grow_and_prune", name, method, division, n_train)
    for n_train in map(int, IGPA["by_size"]):
        for division in range(SIZE_RUNS, SIZE_RUNS + (2 if quick else 10)):
            for method in ("bagged CART", "IGPA"):
                yield Task("grow_and_prune", "Waveform", method, division, n_train)


def available(task: Task) -> bool:
    """Say whether the method is there."""
    methods = {**protocols.NOMINAL_METHODS, **protocols.NUMERIC_METHODS}
    try:
        methods[task.method](0)
    except AttributeError:
        return False
    return True


def run_tasks(
    tasks: Sequence[Task], kept: dict[str, Figures], path: Path | None, jobs: int
) -> None:
    """Run what `kept` lacks; write it down every few seconds."""
    lacking = [task for task in tasks if task.key not in kept]
    found = joblib.Parallel(jobs, return_as="generator")(
        joblib.delayed(Task.run)(task) for task in lacking
    )
    written = time.monotonic()
    for number, (task, figures) in enumerate(zip(lacking, found, strict=True), 1):
        kept[task.key] = figures
        if path and (time.monotonic() - written > 5 or number == len(lacking)):
            path.write_text(json.dumps(kept, indent=0))
            written = time.monotonic()
            print(f"{number} of {len(lacking)}: {task.key}", file=sys.stderr, flush=True)


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    methods = [*protocols.NOMINAL_METHODS, *protocols.NUMERIC_METHODS]
    names = [*protocols.NOMINAL_SETS, *IGPA["divisions"]]
    parser.add_argument("--papers", nargs="+", default=list(PAPERS), choices=list(PAPERS))
    parser.add_argument("--sets", nargs="+", default=names, choices=names, metavar="SET")
    parser.add_argument("--methods", nargs="+", default=methods, choices=methods, metavar="METHOD")
    parser.add_argument("--quick", action="store_true", help="one repetition, or three divisions")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--results", type=Path, help="keep figures here, and use those kept")
    parser.add_argument("--page", type=Path, help="write the page of the documentation")
    return parser.parse_args()


def shown_command(args: argparse.Namespace) -> str:
    """The command without what is only about files."""
    words = ["python benchmarks/published_ensembles.py", *(["--quick"] if args.quick else [])]
    if args.papers != list(PAPERS):
        words.append(f"--papers {' '.join(args.papers)}")
    return " ".join(words)


def main() -> None:
    """Run, print the verdict, and write the page if asked."""
    args = parse_arguments()
    kept = json.loads(args.results.read_text()) if args.results and args.results.exists() else {}
    wanted = [
        task
        for task in all_tasks(args.quick)
        if task.paper in args.papers and task.set in args.sets and task.method in args.methods
    ]
    there = {method for method in args.methods if available(Task("", "", method, 0))}
    for method in sorted(set(args.methods) - there):
        print(f"{method} is left out: not part of the library", file=sys.stderr)
    run_tasks([task for task in wanted if task.method in there], kept, args.results, args.jobs)
    cells = make_cells(kept)
    print("\n".join([*verdict(cells), *speed_line(kept), "", *far_lines(cells)]))
    if args.page:
        args.page.parent.mkdir(parents=True, exist_ok=True)
        args.page.write_text("\n".join(page(cells, kept, shown_command(args))) + "\n")


if __name__ == "__main__":
    main()
