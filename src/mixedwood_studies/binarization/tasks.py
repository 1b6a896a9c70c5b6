"""Tasks of the study: optimal trees over columns discretized and encoded in several ways."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mixedwood.comparison.run import Problem
from mixedwood.data import Column, ColumnKind, Schema, Table, read_target
from mixedwood.preprocessing.cutting import cut_table, range_names, read_cutting
from mixedwood.preprocessing.encoding import binary_cuts
from mixedwood.study import StudyError, Work
from mixedwood.study.tasks import Figures
from mixedwood_studies.binarization.methods import EncodedAtEverySplit

__all__ = ["best_tree", "cut_points", "divide_in_seven", "in_ranges", "seven_sets"]

_N_SETS = 7
_MODES = {"offline": "once", "online": "every_split", "combined": "encode_every_split"}


def best_tree(work: Work) -> Figures:
    """Give what the best tree of all rows gets wrong, and the number of its binary columns.

    Axes or settings: `depth`; `ranges`, the number of ranges, or "own" for methods that choose it
    themselves; `mode` and `time_limit` as in `seven_sets`.
    """
    problem = work.data
    model, seconds = _fit(work, problem.X, problem.labels)
    return {
        "errors": float(np.sum(model.predict(problem.X) != problem.labels)),
        "proven": float(model.optimal_),
        "seconds": seconds,
        **_columns(model),
    }


def seven_sets(work: Work) -> Figures:
    """Learn from five of seven sets, choose by one, test on the last.

    Each of the sets 1 to 6 is left out once; of the six trees the one with the highest accuracy on
    the set left out, the first of equals, is tested on set 7. A tree counts only if it gets more
    training rows right than a leaf. (The paper goes from depth to depth, and searches with the
    errors of the depth before as its bound. A greater depth never has more errors, so that every
    depth for itself finds the same costs.)

    Axes or settings: `depth`; `ranges` as in `best_tree`; `mode`, "offline" (tests are made once),
    "online" (cut and coded again at every node) or "combined" (cut once, coded at every node);
    `cut_from`, "training rows" or "all rows": with the latter, cuts know the rows to be tested, as
    in the paper; `time_limit` of each search, in seconds.

    Figures: ``accuracy`` on set 7 and ``choice_accuracy`` on the set it was chosen by, if there is
    any tree; ``trees``, how many of the six there are; ``errors`` on training rows, a list, and one
    by one as ``"set 1"``, ...; ``leaf``, those of a leaf; ``proven``, whether a search came to its
    end; ``seconds`` of all six; ``columns``, binary ones; ``imbalance``, of the classes.
    """
    problem = work.data
    if len(problem.classes) != 2:
        raise StudyError(
            f"{problem.name} has {len(problem.classes)} classes; seven sets are for two. Use "
            "one_against_all in the definition of the set."
        )
    source = work.value("cut_from", "training rows")
    if source not in ("training rows", "all rows"):
        raise StudyError(f"cut_from must be 'training rows' or 'all rows'; got {source!r}.")
    if source == "all rows":
        if work.value("mode", "offline") == "online":
            raise StudyError("Cuts made anew at every node cannot come from all rows.")
        problem = replace(problem, X=in_ranges(problem, work))
    found: dict[str, list[float]] = {name: [] for name in ("errors", "leaf", "proven")}
    found |= {"seconds": [], "columns": []}
    trees: list[tuple[float, float]] = []  # accuracy where it is chosen, and where it is tested
    for train, validation, test in divide_in_seven(problem.codes):
        X, y = problem.take(train)
        model, seconds = _fit(work, X, y)
        errors = float(np.sum(model.predict(X) != y))
        leaf_errors = float(len(y) - np.unique(y, return_counts=True)[1].max())
        figures = {"errors": errors, "leaf": leaf_errors, "proven": float(model.optimal_)}
        for name, figure in (figures | {"seconds": seconds} | _columns(model)).items():
            found[name].append(figure)
        if errors < leaf_errors:
            trees.append((_accuracy(model, problem, validation), _accuracy(model, problem, test)))
    result: Figures = {
        "trees": float(len(trees)),
        "imbalance": abs(float(np.mean(problem.codes == 0)) - 0.5),
        "seconds": float(np.sum(found.pop("seconds"))),
        **{f"set {number}": errors for number, errors in enumerate(found["errors"], 1)},
        **{name: values for name, values in found.items() if values},
    }
    if trees:
        chosen = max(trees, key=lambda pair: pair[0])
        result |= {"choice_accuracy": chosen[0], "accuracy": chosen[1]}
    return result


def divide_in_seven(codes: NDArray[Any]) -> list[tuple[NDArray[np.intp], ...]]:
    """Divide rows into seven sets in file order: training, validation and test rows, six times.

    The last set is the test set; each of the others is the validation set once.

    Examples
    --------
    >>> [rows.tolist() for rows in divide_in_seven(np.array([0, 1] * 4))[0]]
    [[1, 2, 3, 4, 5], [0, 7], [6]]
    """
    if len(codes) < _N_SETS:
        raise StudyError(f"seven_sets needs at least {_N_SETS} rows; there are {len(codes)}.")
    number = np.arange(len(codes)) % _N_SETS
    last, divisions = _N_SETS - 1, []
    for left_out in range(last):
        train = np.flatnonzero((number != left_out) & (number != last))
        if len(np.unique(codes[train])) < len(np.unique(codes)):
            raise StudyError(f"Without set {left_out + 1}, a class has no training row.")
        divisions.append((train, *(np.flatnonzero(number == n) for n in (left_out, last))))
    return divisions


def cut_points(work: Work) -> Figures:
    """Give the cuts of each numeric column: of the first ``"1 cuts"``, ``"1.1"``, ``"1.2"``, ..."""
    problem = work.data
    target = read_target(problem.labels)
    figures: Figures = {}
    cutting = read_cutting(work.method["discretizer"], work.value("ranges", 5))
    for number, cuts in enumerate(cut_table(problem.X, target, cutting), 1):
        figures[f"{number} cuts"] = float(len(cuts))
        figures |= {f"{number}.{place}": float(cut) for place, cut in enumerate(cuts, 1)}
    return figures


def in_ranges(problem: Problem, work: Work) -> Table:
    """Replace numbers by the ranges that all rows give, as values with an order."""
    table, target = problem.X, read_target(problem.labels)
    cutting = read_cutting(work.method["discretizer"], _ranges(work).get("n_bins", 5))
    columns, arrays = [], []
    cuts = binary_cuts(table, cut_table(table, target, cutting))
    for column, array, at in zip(table.schema, table.arrays, cuts, strict=True):
        if column.is_numeric:
            codes = np.searchsorted(at, array, side="left").astype(np.int32)
            codes[np.isnan(array)] = -1
            column, array = Column(column.name, ColumnKind.ORDINAL, range_names(at)), codes
        columns.append(column)
        arrays.append(array)
    return Table(Schema(tuple(columns), table.schema.names_generated), tuple(arrays))


def _fit(work: Work, X: Any, y: Any) -> tuple[Any, float]:
    """Search the best tree; a search that ends at its limit says so in its proof."""
    mode = work.value("mode", "offline")
    if mode not in _MODES:
        raise StudyError(f"mode must be one of {', '.join(_MODES)}; got {mode!r}.")
    model = work.model(0).set_params(
        max_depth=int(work.value("depth", 3)),
        leaf_cost=0.0,  # the fewest errors, whatever the size
        binarize=_MODES[mode],
        time_limit=work.value("time_limit"),
        work_limit=None,
        **_ranges(work),
    )
    if mode == "combined":
        model = EncodedAtEverySplit(**model.get_params())
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    return model, time.perf_counter() - started


def _ranges(work: Work) -> dict[str, int]:
    ranges = work.value("ranges", "own")
    return {} if ranges == "own" else {"n_bins": int(ranges)}


def _columns(model: Any) -> dict[str, float]:
    return {} if model.tests_ is None else {"columns": float(len(model.tests_))}


def _accuracy(model: Any, problem: Problem, rows: Any) -> float:
    X, y = problem.take(rows)
    return float(np.mean(model.predict(X) == y))
