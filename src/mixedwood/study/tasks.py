"""Tasks: functions that are run at the points of an experiment, and what they are given.

A task takes a `TaskContext` and returns metrics by name: numbers, or lists of numbers. A study file
names one of `tasks`, or any other function as ``"module:function"``.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood._catalogue import find_maker
from mixedwood._folds import check_cv, random_train_test
from mixedwood._random import STUDY, spawn_seed
from mixedwood.comparison.run import Problem
from mixedwood.data import MISSING, Column, ColumnKind, Table
from mixedwood.study.datasets import change_columns
from mixedwood.study.definition import StudyError

__all__ = [
    "Metrics",
    "TaskContext",
    "cross_validation",
    "divide",
    "divisions",
    "find",
    "find_task",
    "make",
    "tasks",
]

Metrics = dict[str, float | list[float]]


@dataclass(frozen=True, eq=False)
class TaskContext:
    """What a task is given: the values of the axes, the settings, the method and the dataset."""

    point: Mapping[str, Any]
    settings: Mapping[str, Any]
    method: Mapping[str, Any] = field(default_factory=dict)
    dataset: Problem | None = None

    def value(self, name: str, default: Any = None) -> Any:
        """Return the value of an axis or a setting."""
        return self.point.get(name, self.settings.get(name, default))

    def seed(self, *numbers: int) -> int:
        """Derive a seed from the repetition and some numbers; it is the same for all methods."""
        key = (int(self.point.get("repetition", 0)), *numbers)
        return spawn_seed(int(self.settings.get("seed", 0)), STUDY, *key)

    def model(self, seed: int) -> Any:
        """Make the method; every `random_state` that is None becomes the seed."""
        model = make(self.method, random_state=seed)
        unseeded = {
            name: seed
            for name, value in model.get_params(deep=True).items()
            if name.rpartition("__")[2] == "random_state" and value is None
        }
        return model.set_params(**unseeded)

    @property
    def data(self) -> Problem:
        """The dataset; an error if the experiment has none."""
        if self.dataset is None:
            raise StudyError("This task needs a dataset: the experiment has no axis 'dataset'.")
        return self.dataset


# Finding tasks and making methods


def make(definition: Mapping[str, Any], **defaults: Any) -> Any:
    """Make an estimator as a study file defines it.

    ``{ model = "TreeClassifier.cart", se_rule = 1.0 }`` is ``TreeClassifier.cart(se_rule=1.0)``. A
    model is a method name of `compare`, a name of this library, or the import path of another class
    or function, such as ``"sklearn.naive_bayes.GaussianNB"``. A value that has a `model` itself is
    made first. `defaults` are further parameters, used if the model accepts them.

    Examples
    --------
    >>> make({"model": "cart", "max_depth": 2}).max_depth
    2
    """
    address = definition.get("model")
    if not isinstance(address, str):
        raise StudyError(f"A method needs a model, such as 'TreeClassifier'; got {definition!r}.")
    parameters = {
        name: _value(value)
        for name, value in definition.items()
        if name not in ("model", "title", "note")
    }
    maker = find(address)
    accepted = inspect.signature(maker).parameters
    takes_any = any(p.kind is p.VAR_KEYWORD for p in accepted.values())
    extra = {
        name: value
        for name, value in defaults.items()
        if name not in parameters and (takes_any or name in accepted)
    }
    try:
        return maker(**parameters, **extra)
    except TypeError as error:
        raise StudyError(f"{address} cannot be made: {error}.") from error


def _value(value: Any) -> Any:
    if isinstance(value, Mapping):
        if "model" in value:
            return make(value)
        return {name: _value(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_value(inner) for inner in value]
    return value


def find(address: str) -> Any:
    """Find a class, a preset or a function by its name in the catalogue or its address."""
    if (maker := find_maker(address)) is not None:
        return maker
    module, names = _module(address)
    found: Any = import_module(module)
    for name in names:
        if not hasattr(found, name):
            raise StudyError(f"There is no {address!r}: {name!r} is not part of {found!r}.")
        found = getattr(found, name)
    return found


def _module(address: str) -> tuple[str, list[str]]:
    """Divide an address into a module and names in it."""
    if ":" in address:
        module, _, path = address.partition(":")
        try:
            import_module(module)
        except ImportError as error:
            raise StudyError(f"There is no {address!r}: {error}.") from error
        return module, path.split(".")
    names = address.split(".")
    if names[0] in import_module("mixedwood").__all__:
        return "mixedwood", names
    for n in range(len(names) - 1, 0, -1):
        module = ".".join(names[:n])
        try:
            import_module(module)
        except ImportError:
            continue
        return module, names[n:]
    return "mixedwood", names


def tasks() -> dict[str, str]:
    """Return the names of the library's own tasks, with a line about each.

    Examples
    --------
    >>> tasks()["cross_validation"]
    'Fit and test a method on all folds of one repetition.'
    """
    return {name: (task.__doc__ or "").partition("\n")[0] for name, task in _TASKS.items()}


def find_task(name: str) -> Callable[[TaskContext], Metrics]:
    """Find a task by name, or by the address of a function."""
    if name in _TASKS:
        return _TASKS[name]
    if ":" not in name:
        raise StudyError(
            f"There is no task {name!r}. Use one of {', '.join(_TASKS)}, or your own function as "
            "'module:function'."
        )
    found: Callable[[TaskContext], Metrics] = find(name)
    return found


# Tasks of the library


def cross_validation(context: TaskContext) -> Metrics:
    """Fit and test a method on all folds of one repetition.

    Settings: `folds`, the number of folds; `known_values`, whether the schema has the categories of
    all rows, as in programs whose files declare them (if not, only those of the training rows);
    `bins`, the number of bins of equal width that numeric columns are divided into first.
    Axis: `repetition`. Metrics: one of each fold.
    """
    problem, n_folds = context.data, int(context.value("folds", 2))
    if (bins := context.value("bins")) is not None:
        problem = replace(problem, X=in_bins(problem.X, int(bins)))
    repetition = int(context.point.get("repetition", 0))
    scheme = check_cv(f"{repetition + 1}x{n_folds}cv")
    # Folds come repetition by repetition; the last ones are those of this repetition.
    folds = scheme.split(problem.labels, int(context.settings.get("seed", 0)))[-n_folds:]
    found: dict[str, list[float]] = {}
    for number, fold in enumerate(folds):
        X, y = problem.take(fold.train)
        if not context.value("known_values", False):
            X = without_unused_values(X)
        model = context.model(context.seed(number))
        started = time.perf_counter()
        model.fit(X, y)
        fitted = time.perf_counter()
        X, y = problem.take(fold.test)
        wrong = np.asarray(model.predict(X)) != y
        metrics = {
            "error": float(wrong.mean()),
            "fit_seconds": fitted - started,
            "predict_seconds": time.perf_counter() - fitted,
            **tree_sizes(model),
        }
        for name, metric in metrics.items():
            found.setdefault(name, []).append(metric)
    return dict(found)


def divisions(context: TaskContext) -> Metrics:
    """Fit on some rows and test on others, after every number of trees.

    The axis `repetition` numbers the divisions. Settings: `train` and `test`, numbers of rows, or
    one for each dataset by its name; `stages`, numbers of trees after which the error is a metric;
    `fresh`, for generated datasets, the number of rows that each division has for itself, in
    the order in which they were generated. Rows of other datasets are shuffled.

    Metrics: `errors` and `train_errors` after every number of trees, `error_1` and so on after
    those of `stages`, `leaves` of a tree, `iterations` of growing and pruning (their mean) and
    `most_iterations`, `fit_seconds`, of processor time; `overlap`, test rows for each training row,
    but 0 where all rows are fresh. A single tree counts as an ensemble of one.
    """
    train, test, overlap = divide(context)
    X, y = context.data.take(train)
    X_test, y_test = context.data.take(test)
    model = context.model(context.seed(1))
    started = time.process_time()
    model.fit(without_unused_values(X), y)
    seconds = time.process_time() - started
    errors = _staged_errors(model, X_test, y_test)
    at_stages = {
        f"error_{stage}": errors[stage - 1]
        for stage in context.value("stages", [1])
        if stage <= len(errors)
    }
    return {
        **at_stages,
        "error": errors[-1],
        "errors": errors,
        "train_errors": _staged_errors(model, X, y),
        **tree_sizes(model),
        **_iterations(model),
        "fit_seconds": seconds,
        "overlap": overlap,
    }


_TASKS: dict[str, Callable[[TaskContext], Metrics]] = {
    "cross_validation": cross_validation,
    "divisions": divisions,
}


def divide(context: TaskContext) -> tuple[NDArray[np.intp], NDArray[np.intp], float]:
    """Divide the rows: training rows, test rows, and test rows per training row if shared."""
    n_rows, name = len(context.data.codes), context.point["dataset"]
    n_train, n_test = (_size(context, which) for which in ("train", "test"))
    if block := context.value("fresh", {}).get(name):
        # Test rows come first: they are the same for any number of training rows.
        start = int(context.point.get("repetition", 0)) * int(block)
        if n_train + n_test > block or start + block > n_rows:
            raise StudyError(
                f"The dataset {name!r} has {n_rows} rows, {block} of them for each division; this "
                f"one needs {n_train + n_test}, from row {start + 1} on."
            )
        rows = np.arange(start, start + n_test + n_train)
        return rows[n_test:], rows[:n_test], 0.0
    if n_train + n_test > n_rows:
        raise StudyError(
            f"The dataset {name!r} has {n_rows} rows, too few for {n_train} training rows and "
            f"{n_test} test rows."
        )
    return *random_train_test(n_rows, n_train, n_test, context.seed(0)), n_test / n_train


def _size(context: TaskContext, which: str) -> int:
    name, size = context.point["dataset"], context.value(which)
    if isinstance(size, Mapping):
        size = size.get(name)
    if not isinstance(size, int) or size < 1:
        raise StudyError(f"The dataset {name!r} needs {which!r}, a number of rows; got {size!r}.")
    return size


def _staged_errors(model: Any, X: Any, y: NDArray[Any]) -> list[float]:
    if hasattr(model, "staged_score"):
        n = len(y)
        return [round((1 - score) * n) / n for score in model.staged_score(X, y)]
    return [float((np.asarray(model.predict(X)) != y).mean())]


def _iterations(model: Any) -> Metrics:
    found = getattr(model, "iterations_", None)
    if not found:
        return {}
    counts = [len(entry) for entry in found] if hasattr(model, "trees_") else [len(found)]
    return {"iterations": float(np.mean(counts)), "most_iterations": float(max(counts))}


def in_bins(table: Table, n_bins: int) -> Table:
    """Divide every numeric column into bins of equal width, over the range of all rows."""
    names = tuple(f"{i:03d}" for i in range(n_bins))

    def change(column: Column, array: NDArray[Any]) -> tuple[Column, NDArray[Any]]:
        if not column.is_numeric:
            return column, array
        low, high = float(np.nanmin(array)), float(np.nanmax(array))
        width = (high - low) / n_bins or 1.0
        place = np.clip(np.ceil((array - low) / width) - 1, 0, n_bins - 1)
        codes = np.where(np.isnan(array), MISSING, np.nan_to_num(place)).astype(np.int32)
        return Column(column.name, ColumnKind.NOMINAL, names), codes

    return change_columns(table, change)


def without_unused_values(table: Table) -> Table:
    """Remove the categories that no row has."""

    def change(column: Column, array: NDArray[Any]) -> tuple[Column, NDArray[Any]]:
        if column.is_numeric:
            return column, array
        present = np.unique(array[array >= 0])
        kept = tuple(column.categories[code] for code in present)
        codes = np.full(column.n_categories + 1, MISSING, dtype=np.int32)  # -1 is the last entry
        codes[present] = np.arange(len(present))
        return Column(column.name, column.kind, kept), codes[array]

    return change_columns(table, change)


def tree_sizes(model: Any) -> dict[str, float]:
    """Mean leaves, nodes and depth of the trees in a model, if there are any."""
    trees = getattr(model, "trees_", None)
    if trees is None:
        trees = [model.tree_] if hasattr(model, "tree_") else []
    trees = [tree for tree in trees if hasattr(tree, "n_leaves")]
    if not trees:
        return {}
    return {
        "leaves": float(np.mean([tree.n_leaves for tree in trees])),
        "nodes": float(np.mean([tree.n_nodes for tree in trees])),
        "depth": float(np.mean([tree.depth for tree in trees])),
    }
