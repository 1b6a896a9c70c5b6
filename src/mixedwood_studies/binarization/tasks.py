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
from mixedwood.preprocessing.binarizer import split_two_valued_columns
from mixedwood.preprocessing.discretizers import bin_names, find_thresholds, read_discretizer
from mixedwood.study import StudyError, TaskContext
from mixedwood.study.tasks import Metrics
from mixedwood_studies.binarization.methods import EncodedAtEverySplit

__all__ = ["best_tree", "cut_points", "divide_in_seven", "in_ranges", "seven_sets"]

_N_SETS = 7
_MODES = {"offline": "root", "online": "node", "combined": "node_encoding"}


def best_tree(context: TaskContext) -> Metrics:
    """Return the errors of the optimal tree of all rows, and the number of its binary columns.

    Axes or settings: `depth`; `ranges`, the number of ranges, or "own" for methods that choose it
    themselves; `mode` and `time_limit` as in `seven_sets`.
    """
    problem = context.data
    model, seconds = _fit(context, problem.X, problem.labels)
    return {
        "errors": float(np.sum(model.predict(problem.X) != problem.labels)),
        "proven": float(model.optimal_),
        "seconds": seconds,
        **_columns(model),
    }


def seven_sets(context: TaskContext) -> Metrics:
    """Fit trees on five of seven sets, choose one by the sixth and test it on the seventh.

    Each of the sets 1 to 6 is left out once; of the six trees the one with the highest accuracy on
    the set left out, the first of equals, is tested on set 7. A tree counts only if it gets more
    training rows right than a leaf. (The paper searches one depth after the other, with the errors
    of the previous depth as a bound. A greater depth never has more errors, so separate searches
    find the same costs.)

    Axes or settings: `depth`; `ranges` as in `best_tree`; `mode`, "offline" (columns are
    discretized and encoded once), "online" (again at every node) or "combined" (discretized once,
    encoded at every node); `cut_from`, "training rows" or "all rows": with the latter, cut points
    depend on the test rows, as in the paper; `time_limit` of each search, in seconds.

    Metrics: ``accuracy`` on set 7 and ``choice_accuracy`` on the set it was chosen by, if there is
    any tree; ``trees``, the number of trees that count; ``errors`` on training rows, a list, and
    singly as ``"set 1"``, ...; ``leaf``, those of a leaf; ``proven``, whether a search was
    completed; ``seconds`` of processor time of all six; ``columns``, binary ones;
    ``imbalance``, of the classes; ``features`` and ``rows`` of the data set; ``root``, the fraction
    of training rows on the smaller side of the root of the chosen tree; ``no cut``, the fraction of
    the impure leaves at full depth in whose rows the discretizer finds no cut in any numeric
    column, if there are such leaves.
    """
    problem = context.data
    if len(problem.classes) != 2:
        raise StudyError(
            f"{problem.name} has {len(problem.classes)} classes; seven sets are for two. Use "
            "one_against_all in the definition of the dataset."
        )
    source = context.value("cut_from", "training rows")
    if source not in ("training rows", "all rows"):
        raise StudyError(f"cut_from must be 'training rows' or 'all rows'; got {source!r}.")
    if source == "all rows":
        if context.value("mode", "offline") == "online":
            raise StudyError("Cut points that are found at every node cannot come from all rows.")
        problem = replace(problem, X=in_ranges(problem, context))
    found: dict[str, list[float]] = {name: [] for name in ("errors", "leaf", "proven")}
    found |= {"seconds": [], "columns": []}
    # Accuracy on validation and on test rows, and the smaller side of the root.
    trees: list[tuple[float, float, float]] = []
    without_cut: list[bool] = []
    for train, validation, test in divide_in_seven(problem.codes):
        X, y = problem.take(train)
        model, seconds = _fit(context, X, y)
        errors = float(np.sum(model.predict(X) != y))
        leaf_errors = float(len(y) - np.unique(y, return_counts=True)[1].max())
        metrics = {"errors": errors, "leaf": leaf_errors, "proven": float(model.optimal_)}
        for name, metric in (metrics | {"seconds": seconds} | _columns(model)).items():
            found[name].append(metric)
        if context.value("mode", "offline") == "online":
            without_cut += _leaves_without_cut(context, model, X, y)
        if errors < leaf_errors:
            on_validation, on_test = (_accuracy(model, problem, r) for r in (validation, test))
            trees.append((on_validation, on_test, _smaller_side(model)))
    result: Metrics = {
        "trees": float(len(trees)),
        "imbalance": abs(float(np.mean(problem.codes == 0)) - 0.5),
        "features": float(problem.n_columns),
        "rows": float(len(problem.codes)),
        "seconds": float(np.sum(found.pop("seconds"))),
        **{f"set {number}": errors for number, errors in enumerate(found["errors"], 1)},
        **{name: values for name, values in found.items() if values},
    }
    if trees:
        chosen = max(trees, key=lambda found: found[0])
        result |= dict(zip(("choice_accuracy", "accuracy", "root"), chosen, strict=True))
    if without_cut:
        result["no cut"] = float(np.mean(without_cut))
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


def cut_points(context: TaskContext) -> Metrics:
    """Return the cut points of each numeric column.

    Metrics: ``"1 cuts"`` is the number of cut points of the first column, ``"1.1"`` the first one.
    """
    problem = context.data
    target = read_target(problem.labels)
    metrics: Metrics = {}
    discretizer = context.method["binarizer"]["discretizer"]
    discretization = read_discretizer(discretizer, context.value("ranges", 5))
    for number, cuts in enumerate(find_thresholds(problem.X, target, discretization), 1):
        metrics[f"{number} cuts"] = float(len(cuts))
        metrics |= {f"{number}.{place}": float(cut) for place, cut in enumerate(cuts, 1)}
    return metrics


def in_ranges(problem: Problem, context: TaskContext) -> Table:
    """Replace numbers by the ranges that all rows give, as ordinal values."""
    table, target = problem.X, read_target(problem.labels)
    n_bins = _ranges(context).get("binarizer__n_bins", 5)
    discretizer = read_discretizer(context.method["binarizer"]["discretizer"], n_bins)
    columns, arrays = [], []
    cuts = split_two_valued_columns(table, find_thresholds(table, target, discretizer))
    for column, array, at in zip(table.schema, table.arrays, cuts, strict=True):
        if column.is_numeric:
            codes = np.searchsorted(at, array, side="left").astype(np.int32)
            codes[np.isnan(array)] = -1
            column, array = Column(column.name, ColumnKind.ORDINAL, bin_names(at)), codes
        columns.append(column)
        arrays.append(array)
    return Table(Schema(tuple(columns), table.schema.names_generated), tuple(arrays))


def _fit(context: TaskContext, X: Any, y: Any) -> tuple[Any, float]:
    """Search for the optimal tree; its proof states whether a limit ended the search."""
    mode = context.value("mode", "offline")
    if mode not in _MODES:
        raise StudyError(f"mode must be one of {', '.join(_MODES)}; got {mode!r}.")
    model = context.model(0).set_params(
        max_depth=int(context.value("depth", 3)),
        ccp_alpha=0.0,  # the fewest errors, whatever the size
        binarize_at=_MODES[mode],
        time_limit=context.value("time_limit"),
        work_limit=None,
        **_ranges(context),
    )
    if mode == "combined":
        model = EncodedAtEverySplit(**model.get_params(deep=False))
    started = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    return model, time.process_time() - started


def _smaller_side(model: Any) -> float:
    """The fraction of training rows on the smaller side of the root."""
    weights = model.tree_.weighted_n_node_samples
    return float(weights[model.tree_.children_of(0)].min() / weights[0])


def _leaves_without_cut(context: TaskContext, model: Any, X: Table, y: NDArray[Any]) -> list[bool]:
    """For each impure leaf at full depth, whether no numeric column has a cut in its rows."""
    if not any(column.is_numeric for column in X.schema):
        return []
    leaf_of, depth = model.apply(X), int(context.value("depth", 3))
    discretizer = context.method["binarizer"]["discretizer"]
    rule = read_discretizer(discretizer, _ranges(context).get("binarizer__n_bins", 5))
    found = []
    for leaf in np.unique(leaf_of):
        rows = np.flatnonzero(leaf_of == leaf)
        if model.tree_.node_depth[leaf] == depth and len(np.unique(y[rows])) > 1:
            cuts = find_thresholds(X.take(rows), read_target(y[rows]), rule)
            found.append(not any(len(of_column) for of_column in cuts))
    return found


def _ranges(context: TaskContext) -> dict[str, int]:
    ranges = context.value("ranges", "own")
    return {} if ranges == "own" else {"binarizer__n_bins": int(ranges)}


def _columns(model: Any) -> dict[str, float]:
    return {} if model.candidates_ is None else {"columns": float(len(model.candidates_))}


def _accuracy(model: Any, problem: Problem, rows: Any) -> float:
    X, y = problem.take(rows)
    return float(np.mean(model.predict(X) == y))
