"""One search for the regression tree of least squared error in a process of its own.

    python benchmarks/peers/optimal_regression_solvers.py SOLVER MATRIX.npz DEPTH PENALTY

All are asked for the least squared error on the same 0/1 matrix, to the same depth, with leaves of
any size and a penalty for each leaf as a fraction of the squared error of a single leaf, in one
thread. Printed are the processor seconds of handing over the matrix and of the search, the median
of three if it is short; the objective of its tree, from its predictions; and whether the solver
says that no tree has less. The clock runs in native calls only, for us and for the peers: what
Python does before and after is not counted. OSRT is timed as a whole, since it reads a CSV text.

This file needs NumPy and the solver only, so that peers may live in an environment of their own.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

FAR_OFF = 10**5  # seconds
SHORT, RUNS = 5.0, 3  # a run of less seconds is repeated so often, with a new object each time


class Clock:
    """Stands for a peer's native object and counts the processor time of one of its methods."""

    seconds = 0.0

    def __init__(self, native: Any, method: str) -> None:
        self.native, self.method = native, method

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.native, name)
        return timed(found) if name == self.method else found


def timed(call: Callable) -> Callable:
    """The same call, with the clock running."""

    def run(*args: Any, **options: Any) -> Any:
        start = time.process_time()
        result = call(*args, **options)
        Clock.seconds += time.process_time() - start
        return result

    return run


def objective(predicted: np.ndarray, y: np.ndarray, penalty: float) -> float:
    """Squared error and penalty of the tree, by the groups of rows that it predicts alike."""
    leaves, place = np.unique(np.round(np.ravel(predicted), 9), return_inverse=True)
    mean = np.bincount(place, y) / np.bincount(place)
    return float(((y - mean[place]) ** 2).sum() + penalty * len(leaves))


def mixedwood(cells: np.ndarray, y: np.ndarray, depth: int, penalty: float) -> tuple:
    """Our solver, on the matrix itself."""
    from mixedwood import _core
    from mixedwood.data import read_numbers
    from mixedwood.optimal.numbers import FixedPoint

    fixed = FixedPoint(read_numbers(y))
    settings = _core.OptimalObjective()
    settings.leaf_penalty = int(penalty * float(((y - y.mean()) ** 2).sum()) / float(fixed.tick))
    limits = _core.SearchLimits()
    limits.max_depth = depth
    solver = timed(_core.binary_number_solver)(
        cells, fixed.weights, fixed.sums, fixed.ticks, settings
    )
    found = timed(solver.solve)(limits)
    tree = found.tree
    column, if_true, if_false = tree.column, tree.if_true, tree.if_false
    leaf = np.zeros(len(y), dtype=np.intp)
    for node in range(len(column)):
        if column[node] >= 0:
            here = leaf == node
            leaf[here] = np.where(cells[here, column[node]] == 1, if_true[node], if_false[node])
    mean = np.bincount(leaf, y) / np.maximum(np.bincount(leaf), 1)
    return mean[leaf], found.status == "optimal"


def pystreed(bound: str) -> Callable:
    """STreeD, as it comes, with one of its two lower bounds."""

    def fit(cells: np.ndarray, y: np.ndarray, depth: int, penalty: float) -> tuple:
        from pystreed import STreeDRegressor

        class Timed(STreeDRegressor):
            def _post_initialize_solver(self) -> None:
                super()._post_initialize_solver()
                self._solver = Clock(self._solver, "_solve")

        model = Timed(
            "cost-complex-regression",
            max_depth=depth,
            time_limit=FAR_OFF,
            cost_complexity=penalty,
            regression_lower_bound=bound,
        ).fit(cells, y)
        return model.predict(cells), bool(model.fit_result.is_optimal())

    return fit


def osrt(cells: np.ndarray, y: np.ndarray, depth: int, penalty: float) -> tuple:
    """OSRT; its depth counts levels of nodes."""
    import osrt.libosrt as native

    given = {
        "regularization": penalty,
        "depth_budget": depth + 1,
        "model_limit": 1,
        "metric": "L2",
        "weights": [],
        "verbose": False,
        "diagnostics": False,
    }
    names = [f"c{j}" for j in range(cells.shape[1])]
    lines = [",".join([*names, "class"])]
    lines += [
        ",".join([*map(str, row), repr(float(v))])
        for row, v in zip(cells.tolist(), y.tolist(), strict=True)
    ]
    native.configure(json.dumps(given, separators=(",", ":")))
    result = timed(native.fit)("\n".join(lines) + "\n")
    tree = json.loads(result)[0]

    def walk(node: dict, rows: np.ndarray, out: np.ndarray) -> None:
        if "feature" not in node:
            out[rows] = float(node["prediction"])
            return
        inside = cells[rows, int(node["feature"])] == 1
        walk(node["true"], rows[inside], out)
        walk(node["false"], rows[~inside], out)

    predicted = np.empty(len(y))
    walk(tree, np.arange(len(y)), predicted)
    return predicted, native.status() == 0


SOLVERS: dict[str, tuple[Callable, str]] = {
    "mixedwood": (mixedwood, "mixedwood"),
    "pystreed kmeans": (pystreed("kmeans"), "pystreed"),
    "pystreed equivalent": (pystreed("equivalent"), "pystreed"),
    "osrt": (osrt, "osrt"),
}  # and the package that each comes with


def main() -> None:
    """Pay for imports on a matrix of a few rows, then measure."""
    name, path, depth, penalty = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    warnings.simplefilter("ignore")
    stored = np.load(path)
    cells, y = stored["cells"], stored["y"]
    fit, package = SOLVERS[name]
    # Some print as they search, also from below Python: their words go to standard error.
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    small = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1]] * 2, np.uint8)
    fit(small, np.array([0.0, 1.0, 1.5, 0.0] * 2), 2, max(float(penalty), 0.01))
    times: list[float] = []
    while not times or (times[0] < SHORT and len(times) < RUNS):
        Clock.seconds = 0.0
        predicted, proven = fit(cells, y, depth, float(penalty))
        times.append(Clock.seconds)
    total = float(((y - y.mean()) ** 2).sum())
    try:
        installed = f"{package} {version(package)}"
    except PackageNotFoundError:  # ours, from the sources
        installed = package
    found = {
        "seconds": statistics.median(times),
        "cost": objective(predicted, y, float(penalty) * total),
        "proven": proven,
        "version": installed,
    }
    answer.write(json.dumps(found) + "\n")
    answer.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
