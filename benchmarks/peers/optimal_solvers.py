"""One search for the best tree in a process of its own, ours or a peer's.

    python benchmarks/peers/optimal_solvers.py SOLVER MATRIX.npz DEPTH

All are asked for the fewest wrong rows on the same 0/1 matrix, to the same depth, with as many
nodes as fit and leaves of any size, in one thread. Printed are the processor seconds of handing
over the matrix and of the search, the median of three if it is short; the wrong rows of its tree;
and whether the solver says that no tree has fewer. What Python does before and after, such as
looking at parameters, is not counted: for us because the solver is called without our estimator,
for STreeD and both DL8.5 because the clock runs in their native calls only. The others, which are
slower by far more than that, are timed as a whole.

Who starts the process ends it when it takes too long. A limit of processor time is not set in here:
with one, Linux counts the time of a process in ticks, and a run of a millisecond comes out as
nothing. The solvers' own limits are set far off, since they would count what others do meanwhile.
No process gets more than 12 GB.

This file needs NumPy and the solver only, so that peers may live in an environment of their own.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

FAR_OFF = 10**5  # seconds
MOST_BYTES = 12 * 2**30
SHORT, RUNS = 10.0, 3  # a run of less seconds is repeated so often, with a new object each time
KEEPS = ("pycontree",)  # these keep what they found for the whole process, so they run once

# Fits at once; what it gives is called after the clock: (wrong rows, is that proven least?)
Reader = Callable[[], tuple[int, bool]]
Fit = Callable[[np.ndarray, np.ndarray, int], Reader]


def wrong(model, cells: np.ndarray, classes: np.ndarray) -> int:
    """Rows that the model's own answers get wrong."""
    return int((np.asarray(model.predict(cells)).ravel() != classes).sum())


def mixedwood(cells: np.ndarray, classes: np.ndarray, depth: int) -> Reader:
    """Our solver, on the matrix itself."""
    from mixedwood import _core

    limits = _core.SearchLimits()
    limits.max_depth = depth
    found = _core.binary_solver(cells, classes, None, int(classes.max()) + 1).solve(limits)
    return lambda: (wrong_by_tree(found.tree, cells, classes), found.status == "optimal")


def wrong_by_tree(tree: Any, cells: np.ndarray, classes: np.ndarray) -> int:
    """Send the rows down our tree and count those that are not of the largest class of a leaf."""
    columns, if_true, if_false = tree.column, tree.if_true, tree.if_false

    def walk(node: int, rows: np.ndarray) -> int:
        column = columns[node]
        if column < 0:
            return len(rows) - int(np.bincount(classes[rows]).max())
        answers = cells[rows, column] == 1
        return walk(if_true[node], rows[answers]) + walk(if_false[node], rows[~answers])

    return walk(0, np.arange(len(classes)))


class Clock:
    """Stands for a peer's native object and counts the processor time of one of its methods."""

    seconds = 0.0

    def __init__(self, native: Any, method: str) -> None:
        self.native, self.method = native, method

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.native, name)
        return self.timed(found) if name == self.method else found

    @staticmethod
    def timed(call: Callable) -> Callable:
        """The same call, with the clock running."""

        def run(*args: Any, **options: Any) -> Any:
            start = time.process_time()
            result = call(*args, **options)
            Clock.seconds += time.process_time() - start
            return result

        return run


def pystreed(cells: np.ndarray, classes: np.ndarray, depth: int) -> Reader:
    """STreeD, as it comes."""
    from pystreed import STreeDClassifier

    class Timed(STreeDClassifier):
        def _post_initialize_solver(self) -> None:
            super()._post_initialize_solver()
            self._solver = Clock(self._solver, "_solve")

    model = Timed("accuracy", max_depth=depth, time_limit=FAR_OFF).fit(cells, classes)
    return lambda: (wrong(model, cells, classes), bool(model.fit_result.is_optimal()))


def pydl85(cells: np.ndarray, classes: np.ndarray, depth: int) -> Reader:
    """DL8.5, as it comes."""
    import dl85Optimizer
    from pydl85 import DL85Classifier

    if not isinstance(sys.modules["dl85Optimizer"], Clock):
        sys.modules["dl85Optimizer"] = Clock(dl85Optimizer, "solve")  # it is imported in fit
    model = DL85Classifier(max_depth=depth, min_sup=1, time_limit=FAR_OFF).fit(cells, classes)
    return lambda: (wrong(model, cells, classes), not model.timeout_)


def gosdt(cells: np.ndarray, classes: np.ndarray, depth: int) -> Reader:
    """GOSDT without a cost of leaves."""
    from gosdt import GOSDTClassifier, Status

    model = GOSDTClassifier(
        regularization=0.0, allow_small_reg=True, depth_budget=depth, time_limit=FAR_OFF
    ).fit(cells.astype(bool), classes)
    done = model.result_.status == Status.CONVERGED
    return lambda: (wrong(model, cells.astype(bool), classes), bool(done))


def pytrees_dl85(cells: np.ndarray, classes: np.ndarray, depth: int) -> Reader:
    """DL8.5 of pytrees-rs, as it comes."""
    from pytrees import DL85Classifier

    class Timed(DL85Classifier):
        def _native_search(self) -> Clock:
            return Clock(super()._native_search(), "fit")

    model = Timed(max_depth=depth, max_time=float(FAR_OFF)).fit(cells, classes)
    return lambda: (wrong(model, cells, classes), model.status_ == "optimal")


def pytrees_contree(cells: np.ndarray, classes: np.ndarray, depth: int) -> Reader:
    """ConTree of pytrees-rs; 0 and 1 are numbers to it."""
    from pytrees import ConTreeClassifier

    numbers = cells.astype(float)
    model = ConTreeClassifier(max_depth=depth, max_time=float(FAR_OFF)).fit(numbers, classes)
    return lambda: (wrong(model, numbers, classes), model.status_ == "optimal")


def pycontree(cells: np.ndarray, classes: np.ndarray, depth: int) -> Reader:
    """ConTree; 0 and 1 are numbers to it."""
    from pycontree import ConTree

    numbers = cells.astype(float)
    model = ConTree(max_depth=depth, time_limit=FAR_OFF).fit(numbers, classes)
    return lambda: (wrong(model, numbers, classes), True)  # it ends early at its limit only


SOLVERS: dict[str, tuple[Fit, str]] = {
    "mixedwood": (mixedwood, "mixedwood"),
    "pystreed": (pystreed, "pystreed"),
    "pydl8.5": (pydl85, "pydl8.5"),
    "gosdt": (gosdt, "gosdt"),
    "pytrees-rs DL8.5": (pytrees_dl85, "pytrees-rs"),
    "pytrees-rs ConTree": (pytrees_contree, "pytrees-rs"),
    "pycontree": (pycontree, "pycontree"),
}  # and the package that each comes with


def main() -> None:
    """Pay for imports on a matrix of a few rows, then measure."""
    name, path, depth = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    warnings.simplefilter("ignore")
    stored = np.load(path)
    cells, classes = stored["cells"], stored["classes"]
    fit, package = SOLVERS[name]
    # Some print as they search, also from below Python: their words go to standard error.
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    small = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1]] * 2, np.uint8)
    fit(small, np.array([0, 1, 1, 0] * 2, np.int32), 2)()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    times: list[float] = []
    while not times or (times[0] < SHORT and len(times) < RUNS and name not in KEEPS):
        Clock.seconds = 0.0
        start = time.process_time()
        read = fit(cells, classes, depth)
        times.append(Clock.seconds or time.process_time() - start)
    cost, proven = read()
    found = {"seconds": statistics.median(times), "cost": cost, "proven": proven}
    try:
        found["version"] = f"{package} {version(package)}"
    except ImportError:  # ours, from the sources
        found["version"] = package
    print(json.dumps(found), file=answer, flush=True)


if __name__ == "__main__":
    main()
