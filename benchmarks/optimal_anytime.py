"""Wrong rows of the best tree so far against time, beside a greedy tree, where proofs are far off.

    python benchmarks/optimal_anytime.py [--problems german:6 splice:5] [--seconds 60]
    python benchmarks/optimal_anytime.py --plot out/optimal_anytime.png
    python benchmarks/optimal_anytime.py --page docs/results/optimal-anytime.md

A problem is a matrix of `optimal_matrices.py` and a depth. The greedy tree takes the best test by
Gini at each node, on the same columns and to the same depth; its wrong rows are counted on the
same rows. Times are those of the clock on the wall, from the start of the search.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
from optimal_matrices import SETS, Matrix, make_matrix
from peers.optimal_solvers import wrong_by_tree

from mixedwood import TreeClassifier, __version__, _core

PROBLEMS = ["german:6", "ionosphere:6", "qsar-biodegradation:6", "vehicle:6", "splice:5"]
SECONDS = 60.0
MOMENTS = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 60.0, 120.0, 300.0]
PAGE = "docs/results/optimal-anytime.md"


class Course(NamedTuple):
    """How a search went."""

    name: str
    matrix: Matrix
    depth: int
    greedy: int
    trace: list[tuple[float, int]]  # seconds, and wrong rows of the tree found then
    status: str
    lower_bound: int

    def wrong_at(self, moment: float) -> int | None:
        """Wrong rows of the best tree known at a moment; None before the first one."""
        return min((cost for seconds, cost in self.trace if seconds <= moment), default=None)


def greedy_wrong(matrix: Matrix, depth: int) -> int:
    """Wrong rows of the greedy tree."""
    tree = TreeClassifier(criterion="gini", max_depth=depth, pruning=None)
    answers = tree.fit(matrix.cells, matrix.classes).predict(matrix.cells)
    return int((answers != matrix.classes).sum())


def search(problem: str, seconds: float) -> Course:
    """Search for so long, or until the proof."""
    name, _, depth = problem.rpartition(":")
    matrix = make_matrix(name)
    solver = _core.binary_solver(matrix.cells, matrix.classes, None, matrix.n_classes)
    limits = _core.SearchLimits()
    limits.max_depth = int(depth)
    found = solver.solve(limits, seconds)
    wrong, cost = wrong_by_tree(found.tree, matrix.cells, matrix.classes), found.objective_value
    if wrong != cost:
        raise RuntimeError(f"{problem}: the tree has {wrong} wrong rows, not {cost}.")
    greedy = greedy_wrong(matrix, int(depth))
    return Course(name, matrix, int(depth), greedy, found.trace, found.status, found.lower_bound)


def table(courses: list[Course], seconds: float) -> list[str]:
    """One line per problem, one column per moment."""
    moments = [moment for moment in MOMENTS if moment <= seconds]
    titles = ["matrix", "rows x columns, classes", "depth", "greedy"]
    titles += [f"{moment:g} s" for moment in moments] + ["at least"]
    lines = ["| " + " | ".join(titles) + " |", "|---|---|" + "---:|" * (len(titles) - 2)]
    for course in courses:
        size = "{} x {}, {}".format(*course.matrix.cells.shape, course.matrix.n_classes)
        row = [course.name, size, str(course.depth), str(course.greedy)]
        known = [course.wrong_at(moment) for moment in moments]
        row += ["" if wrong is None else str(wrong) for wrong in known]
        row.append(
            f"{course.lower_bound}, proven"
            if course.status == "optimal"
            else str(course.lower_bound)
        )
        lines.append("| " + " | ".join(row) + " |")
    return lines


def draw(courses: list[Course], seconds: float, path: Path) -> None:
    """One chart per problem; time is logarithmic."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, charts = plt.subplots(1, len(courses), figsize=(3.6 * len(courses), 3.2), squeeze=False)
    for chart, course in zip(charts[0], courses, strict=True):
        n_rows = len(course.matrix.classes)
        times = [max(when, 1e-4) for when, _ in course.trace] + [seconds]
        share = 100 / n_rows * np.minimum.accumulate([cost for _, cost in course.trace])
        chart.step(times, [*share, share[-1]], where="post", label="best so far")
        chart.axhline(100 * course.greedy / n_rows, ls="--", color="gray", label="greedy")
        chart.set(xscale="log", xlabel="seconds", title=f"{course.name}, depth {course.depth}")
        chart.set_ylim(bottom=0)
        chart.grid(alpha=0.3)
    charts[0][0].set_ylabel("wrong rows, %")
    charts[0][0].legend(fontsize=7)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def page(lines: list[str], args: argparse.Namespace) -> list[str]:
    """The page of the documentation."""
    command = "python benchmarks/optimal_anytime.py"
    command += " --problems " + " ".join(args.problems) if args.problems != PROBLEMS else ""
    command += f" --seconds {args.seconds:g}" if args.seconds != SECONDS else ""
    text = [
        "# The best tree so far",
        "",
        "Wrong rows of the best tree known after a number of seconds, where a proof may be out of",
        "reach, beside those of the greedy tree by Gini on the same columns and to the same depth.",
        "No tree has fewer wrong rows than the last column says. The matrices are those of",
        "[the comparison of solvers](optimal-speed.md). One thread.",
        "",
        f"- command: `{command} --page {PAGE}`",
        f"- mixedwood {__version__}",
        "",
        *lines,
    ]
    if args.plot:
        shown = os.path.relpath(args.plot, args.page.parent)
        text += ["", f"![Wrong rows of the best tree so far against seconds]({shown})"]
    return text


def main() -> None:
    """Search and show."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--problems", nargs="+", default=PROBLEMS, metavar="SET:DEPTH")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each problem")
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--page", type=Path, help="write the page of the documentation")
    args = parser.parse_args()
    for problem in args.problems:
        name, _, depth = problem.rpartition(":")
        if name not in SETS or not depth.isdigit():
            parser.error(f"{problem} is not SET:DEPTH; the sets are {', '.join(SETS)}")
    courses = [search(problem, args.seconds) for problem in args.problems]
    lines = table(courses, args.seconds)
    print("\n".join(lines))
    if args.plot:
        draw(courses, args.seconds, args.plot)
    if args.page:
        args.page.parent.mkdir(parents=True, exist_ok=True)
        args.page.write_text("\n".join(page(lines, args)) + "\n")


if __name__ == "__main__":
    main()
