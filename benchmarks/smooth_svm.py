"""Time of SmoothSVC against scikit-learn's LinearSVC at equal accuracy of the objective.

    python benchmarks/smooth_svm.py [--rows 1000 10000 100000] [--columns 5 10 20 50] [--seeds 3]
    python benchmarks/smooth_svm.py --page docs/results/smooth-svm-speed.md

Both minimize the same function (squared hinge, offset penalized, C of LinearSVC half of ours) on
the same standardized matrix; LinearSVC gets it in the layout it likes and need not standardize,
while SmoothSVC reads it as a table, standardizes it again and is as exact as by default. LinearSVC
is tried with every tolerance of a ladder, in the primal and up to 10,000 rows in the dual ("auto"
is the primal here), and the fastest of those that come within a share of the least objective known
is what counts: a share of 1e-6, and of 1e-10. Which is fastest is seen in one run of each. Times
are processor time of one thread, the best of several runs in turns; columns are independent, or
correlated. The excess is the share by which an objective is above the least. The ratio is
LinearSVC's time over ours; above 1 we are faster.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from mixedwood import SmoothSVC, __version__

ROWS, COLUMNS, SEEDS, ROUNDS = [1_000, 10_000, 100_000], [5, 10, 20, 50], 3, 3
TOLERANCES = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8]
MOST_ROWS_OF_DUAL = 10_000
ACCURACIES = [1e-6, 1e-10]
PAGE = "docs/results/smooth-svm-speed.md"
KINDS = ["independent", "correlated"]


class Result(NamedTuple):
    """One problem: our time and excess, and the rival's for each accuracy."""

    kind: str
    seconds: float
    excess: float
    rivals: list[tuple[float, float, str] | None]  # seconds, excess, settings


def make_problem(kind: str, n: int, d: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows on one scale; two classes that overlap, not quite balanced."""
    rng = np.random.default_rng([n, d, seed])
    x = rng.normal(size=(n, d))
    if kind == "correlated":
        x = x @ (np.eye(d) + rng.normal(size=(d, d)))
    side = x @ rng.normal(size=d)
    y = side + 0.7 * side.std() * rng.normal(size=n) + 0.3 * side.std() > 0
    return np.ascontiguousarray((x - x.mean(axis=0)) / x.std(axis=0)), y.astype(np.int64)


def objective(model: Any, x: np.ndarray, y: np.ndarray, c: float) -> float:
    """What both minimize."""
    w, b = model.coef_[0], float(model.intercept_[0])
    r = np.maximum(1 - (2 * y - 1) * (x @ w + b), 0)
    return c / 2 * float(r @ r) + (float(w @ w) + b * b) / 2


def timed(make: Callable[[], Any], x: np.ndarray, y: np.ndarray) -> tuple[float, Any]:
    """Seconds of one fit, and the model."""
    start = time.process_time()
    model = make().fit(x, y)
    return time.process_time() - start, model


def compare(kind: str, n: int, d: int, seed: int, c: float, rounds: int) -> Result:
    """Time both on one problem."""
    x, y = make_problem(kind, n, d, seed)
    ours = lambda: SmoothSVC(C=c)  # noqa: E731
    _, model = timed(ours, x, y)
    own = objective(model, x, y, c)
    tried = []  # seconds, objective, settings, how to make it
    for dual in (False, True) if n <= MOST_ROWS_OF_DUAL else (False,):
        for tol in TOLERANCES:
            make = lambda dual=dual, tol=tol: LinearSVC(  # noqa: E731
                C=c / 2, dual=dual, tol=tol, random_state=0
            )
            seconds, rival = timed(make, x, y)
            settings = f"{'dual' if dual else 'primal'}, tol {tol:g}"
            tried.append((seconds, objective(rival, x, y, c), settings, make))
    least = min([own, *(found for _, found, _, _ in tried)])
    chosen = []
    for accuracy in ACCURACIES:
        enough = [t for t in tried if t[1] / least - 1 <= accuracy]
        chosen.append(min(enough, key=lambda t: t[0]) if enough else None)
    best, bests = np.inf, [np.inf] * len(chosen)
    for _ in range(rounds):
        best = min(best, timed(ours, x, y)[0])
        for place, one in enumerate(chosen):
            if one is not None:
                bests[place] = min(bests[place], timed(one[3], x, y)[0])
    rivals = [
        None if one is None else (seconds, one[1] / least - 1, one[2])
        for one, seconds in zip(chosen, bests, strict=True)
    ]
    return Result(kind, best, own / least - 1, rivals)


def shown(results: list[Result], n: int, d: int) -> list[str]:
    """Lines of a table: one for each kind of columns."""
    lines = []
    for kind in KINDS:
        mine = [r for r in results if r.kind == kind]
        cells = [f"{n:>7,}", f"{d:>3}", f"{kind:>11}"]
        cells += [f"{np.median([r.seconds for r in mine]) * 1e3:>8.2f}"]
        cells += [f"{max(r.excess for r in mine):>7.0e}"]
        for place in range(len(ACCURACIES)):
            found = [(r, r.rivals[place]) for r in mine if r.rivals[place] is not None]
            if len(found) < len(mine):
                cells += [f"{'-':>8}", f"{'-':>7}", f"{'not reached':>13}"]
                continue
            ratios = [rival[0] / r.seconds for r, rival in found]
            cells += [f"{np.median([rival[0] for _, rival in found]) * 1e3:>8.2f}"]
            cells += [f"{max(rival[1] for _, rival in found):>7.0e}"]
            spread = f"({min(ratios):.1f} - {max(ratios):.1f})"
            cells += [f"{np.median(ratios):>5.1f} {spread:>13}"]
        lines.append(" ".join(cells))
    return lines


HEAD = [
    f"{'':>23} {'SmoothSVC':>16} {'LinearSVC within 1e-6':>36} {'LinearSVC within 1e-10':>36}",
    f"{'rows':>7} {'col':>3} {'columns are':>11} {'ms':>8} {'excess':>7} "
    + " ".join([f"{'ms':>8} {'excess':>7} {'ratio (least - most)':>19}"] * 2),
]


def page(lines: list[str], ratios: list[list[float]], command: str) -> list[str]:
    """The page of the documentation."""
    loose, strict = (np.array(r) for r in ratios)
    text = (__doc__ or "").split("\n\n")[2].strip().replace("\n", " ")
    return [
        "# Speed of the smooth support vector machine",
        "",
        text,
        "",
        f"Within 1e-6, we are faster in {int((loose > 1).sum())} of {len(loose)} problems: ratios "
        f"from {loose.min():.1f} to {loose.max():.1f}, median {np.median(loose):.1f}. Within "
        f"1e-10, in {int((strict > 1).sum())} of the {len(strict)} where LinearSVC gets there: "
        f"from {strict.min():.1f} to {strict.max():.1f}, median {np.median(strict):.1f}. "
        "Our own excess is that of the default settings.",
        "",
        f"- command: `{command}`",
        f"- mixedwood {__version__}, scikit-learn {version('scikit-learn')}, Python "
        f"{platform.python_version()}, {os.cpu_count()} cores, not idle",
        "",
        "```",
        *HEAD,
        *lines,
        "```",
    ]


def main() -> None:
    """Print the table; write the page if asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS)
    parser.add_argument("--columns", type=int, nargs="+", default=COLUMNS)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--c", type=float, default=1.0)
    parser.add_argument("--page", type=Path, help="write the page of the documentation")
    args = parser.parse_args()
    warnings.simplefilter("ignore")  # that a tolerance was not reached is seen in the objective
    print("\n".join(HEAD), flush=True)
    lines: list[str] = []
    ratios: list[list[float]] = [[] for _ in ACCURACIES]
    with threadpool_limits(1):
        compare("independent", 1000, 5, 0, 1.0, 1)  # pay for imports
        for n in args.rows:
            for d in args.columns:
                results = [
                    compare(kind, n, d, seed, args.c, args.rounds)
                    for seed in range(args.seeds)
                    for kind in KINDS
                ]
                for result in results:
                    for place, rival in enumerate(result.rivals):
                        if rival is not None:
                            ratios[place].append(rival[0] / result.seconds)
                new = shown(results, n, d)
                print("\n".join(new), flush=True)
                lines += new
    if args.page:
        command = f"python benchmarks/smooth_svm.py --c {args.c:g} --page {PAGE}"
        args.page.parent.mkdir(parents=True, exist_ok=True)
        args.page.write_text("\n".join(page(lines, ratios, command)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
