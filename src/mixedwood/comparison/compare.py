"""`compare`: read datasets, methods and settings, run all fits, and collect the scores."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any, Literal

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from mixedwood._folds import CrossValidation, Fold, check_cv
from mixedwood._limits import read_time_limit
from mixedwood._params import COST_MATRIX, OneOf, check_value
from mixedwood._random import seed_of
from mixedwood.comparison.methods import read_methods, task_of
from mixedwood.comparison.metrics import read_metrics
from mixedwood.comparison.result import Comparison, DatasetInfo, Failure, MethodWarning
from mixedwood.comparison.run import ComparisonPlan, Outcome, Problem, run_fits
from mixedwood.data import (
    Table,
    check_same_length,
    is_quantity,
    read_numbers,
    read_table,
    read_target,
)
from mixedwood.datasets import Dataset

__all__ = ["compare", "read_pairs"]

_UNNAMED = "data"  # the name of a dataset that is given as X and y


def compare(
    X: Any,
    y: Any = None,
    methods: Any = None,
    cv: Any = "5x2cv",
    *,
    metrics: str | Sequence[str] | None = None,
    task: Literal["auto", "classification", "regression"] = "auto",
    cost_matrix: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    verbose: int = 0,
) -> Comparison:
    """Compare methods by cross-validation on the same folds of one or more datasets.

    Parameters
    ----------
    X : table, Dataset, list of Dataset, or dict of str to (X, y)
        A table with categorical and numeric columns or, without `y`, one or more datasets.
    y : array-like of shape (n_rows,), optional
        Class labels or numbers, if X is one table.
    methods : None, str, estimator, dict of str to those, or list of those, default=None
        Methods to compare: names of `mixedwood.comparison.methods()`, presets such as
        ``"forest.bagging_c45"``, or scikit-learn estimators that accept the table. If None, a
        selection of mixedwood's estimators and scikit-learn baselines. If the target is a number,
        the name of a classifier stands for its regressor.
    cv : int, str or scikit-learn splitter, default="5x2cv"
        Cross-validation scheme: a number of folds, a name of `mixedwood.comparison.cv_schemes()`,
        a name of the same form such as ``"3x5cv"`` and ``"50x1/4"``, or a splitter.
    metrics : str, sequence of str or None, default=None
        Metrics, of `mixedwood.comparison.metrics()`. If None, all; "cost" needs `cost_matrix`.
    task : {"auto", "classification", "regression"}, default="auto"
        Whether to predict classes or numbers. With ``"auto"``, methods that predict only one of
        these decide. Otherwise a target of numbers with fractions, or of more than 20 different
        whole numbers, is predicted as a number. Folds are stratified for classes only.
    cost_matrix : array-like of shape (n_classes, n_classes), mapping or None, default=None
        Costs of mistakes, as in `TreeClassifier`, for the metric "cost". Methods do not get them:
        set their own `cost_matrix` to fit them by cost.
    random_state : int, Generator, RandomState or None, default=0
        Seed of folds and methods. Methods with a `random_state` of their own keep it.
    n_jobs : int or None, default=None
        Number of parallel jobs. Scores other than times do not depend on it.
    time_limit : float or None, default=None
        Time limit of a fit in seconds, for methods that have this parameter and no limit yet.
    verbose : int, default=0
        Whether to show progress and the time left.

    Returns
    -------
    Comparison
        All scores, with tests and tables. If a fit fails, the others go on; see `failures`.

    Examples
    --------
    >>> import mixedwood as mw
    >>> data = mw.datasets.load("tic-tac-toe")
    >>> result = mw.compare(data, methods=["tree", "c45"], metrics=["error", "leaves"])
    >>> print(result.pairwise_tests()[0].sentence)
    5x2cv F test: tree has a significantly lower error than c45, by ...
    """
    limit = None if time_limit is None else read_time_limit(time_limit)
    scheme = check_cv(cv)
    check_value("compare", "task", task, OneOf("auto", "classification", "regression"))
    check_value("compare", "cost_matrix", cost_matrix, COST_MATRIX)
    seed = seed_of(random_state)
    given = read_pairs(X, y)
    chosen = _find_task(given, methods) if task == "auto" else task
    models = read_methods(methods, chosen)
    metric_names = read_metrics(metrics, has_costs=cost_matrix is not None, task=chosen)
    if chosen == "regression" and cost_matrix is not None:
        raise ValueError("cost_matrix needs classes, but the target has numbers.")
    problems = [_read_problem(name, *pair, cost_matrix, chosen) for name, pair in given]
    folds = [_split(scheme, problem, seed, len(problems) > 1) for problem in problems]
    plan = ComparisonPlan(problems, folds, models, metric_names, seed, limit)
    return _collect(run_fits(plan, n_jobs, verbose), plan, scheme)


def _split(cv: CrossValidation, problem: Problem, seed: int, named: bool) -> list[Fold]:
    try:
        return cv.split(problem.labels, seed, stratify=problem.values is None)
    except ValueError as error:
        raise ValueError(f"In {problem.name}: {error}" if named else str(error)) from error


def _collect(outcomes: list[Outcome], plan: ComparisonPlan, cv: CrossValidation) -> Comparison:
    datasets, methods = [problem.name for problem in plan.problems], list(plan.methods)
    shape = len(datasets), len(methods), max(map(len, plan.folds)), len(plan.metrics)
    scores = np.full(shape, np.nan)
    failures: list[Failure] = []
    messages: dict[tuple[int, int, str], list[str]] = {}
    for outcome in sorted(outcomes, key=lambda o: o.place):
        s, m, f = outcome.place
        scores[s, m, f] = outcome.scores
        # One warning of each category is kept per fold: they often differ in numbers only.
        for category, text in {text.partition(":")[0]: text for text in outcome.warnings}.items():
            messages.setdefault((s, m, category), []).append(text)
        if outcome.error:
            failures.append(Failure(datasets[s], methods[m], f, outcome.error, outcome.traceback))
    return Comparison(
        datasets=tuple(map(_dataset_info, plan.problems, plan.folds)),
        methods=tuple(methods),
        metrics=plan.metrics,
        cv=cv,
        scores=scores,
        failures=tuple(failures),
        warnings=tuple(
            MethodWarning(datasets[s], methods[m], len(texts), texts[0])
            for (s, m, _), texts in messages.items()
        ),
        random_state=plan.seed,
        settings={name: " ".join(repr(model).split()) for name, model in plan.methods.items()},
        versions=_versions(),
    )


def _dataset_info(problem: Problem, folds: Sequence[Fold]) -> DatasetInfo:
    return DatasetInfo(
        name=problem.name,
        n_rows=len(problem.codes),
        n_columns=problem.n_columns,
        classes=tuple(str(label) for label in problem.classes.tolist()),
        n_train=tuple(len(fold.train) for fold in folds),
        n_test=tuple(len(fold.test) for fold in folds),
    )


def _versions() -> dict[str, str]:
    from mixedwood import __version__

    packages = ("numpy", "scipy", "scikit-learn", "joblib")
    found = {"mixedwood": __version__, "python": platform.python_version()}
    return found | {name: metadata.version(name) for name in packages}


def _find_task(given: list[tuple[str, tuple[Any, Any]]], methods: Any) -> str:
    """Find the task by the methods or, if they leave it open, by the targets."""
    if (stated := task_of(methods)) is not None:
        return stated
    numeric = [name for name, (_, y) in given if is_quantity(y)]
    if 0 < len(numeric) < len(given):
        other = next(name for name, _ in given if name not in numeric)
        raise ValueError(
            f"The target of {numeric[0]} has numbers and that of {other} classes. Compare them "
            "separately, or set task to 'classification' or 'regression'."
        )
    return "regression" if numeric else "classification"


def read_pairs(X: Any, y: Any) -> list[tuple[str, tuple[Any, Any]]]:
    """Name one table and its target or, without `y`, several."""
    if y is not None:
        return [(_UNNAMED, (X, y))]
    if isinstance(X, Dataset):
        X = [X]
    if isinstance(X, Mapping):
        pairs = [(str(name), entry) for name, entry in X.items()]
    elif isinstance(X, list | tuple):
        if others := [entry for entry in X if not isinstance(entry, Dataset)]:
            raise TypeError(
                "Without y, X must be a dict of name to (X, y), or a list of datasets of "
                f"mixedwood.datasets; got a list with {type(others[0]).__name__}."
            )
        pairs = [(entry.name, entry) for entry in X]
    else:
        raise TypeError(
            f"y is missing, and X is {type(X).__name__}. Pass the target as y, or several "
            "datasets as a dict of name to (X, y) or a list of datasets of mixedwood.datasets."
        )
    if not pairs:
        raise ValueError("X is empty; at least one dataset is required.")
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("Two datasets have the same name; pass a dict with different names.")
    return [(name, _read_pair(name, entry)) for name, entry in pairs]


def _read_pair(name: str, entry: Any) -> tuple[Any, Any]:
    if isinstance(entry, Dataset):
        return entry.X, entry.y
    if isinstance(entry, tuple) and len(entry) == 2:
        return entry
    raise TypeError(
        f"X[{name!r}] is {type(entry).__name__}. If X is one table, pass its target as y; if "
        "it is a dict of datasets, each must be a pair (X, y)."
    )


def _read_problem(name: str, X: Any, y: Any, cost_matrix: Any, task: str) -> Problem:
    try:
        table = read_table(X)
        is_numeric = task == "regression"
        target = read_numbers(y) if is_numeric else read_target(y, cost_matrix=cost_matrix)
        check_same_length(table, target)
    except (TypeError, ValueError) as error:
        if name == _UNNAMED:
            raise
        raise type(error)(f"In {name}: {error}") from error
    return Problem(
        name,
        _indexable(X),
        target.classes,
        target.codes,
        table.n_columns,
        target.cost_matrix,
        target.values,
    )


def _indexable(X: Any) -> Any:
    """Make a table of which rows can be selected."""
    if isinstance(X, Table):
        return X
    if isinstance(X, Mapping):
        return {name: _column(cells) for name, cells in X.items()}
    native = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(native, nw.DataFrame):
        return _without_views(X) if native.implementation.is_pyarrow() else X
    if isinstance(X, np.ndarray):
        return X
    return np.array(X, dtype=object) if isinstance(X, list | tuple) else X


def _without_views(X: Any) -> Any:
    """The same arrow table without string views, of which arrow cannot select rows."""
    import pyarrow as pa

    for place, field in enumerate(X.schema):
        if field.type == pa.string_view():
            X = X.set_column(place, field.name, X[field.name].cast(pa.large_string()))
    return X


def _column(cells: Any) -> NDArray[Any]:
    """An array of a column; a list may contain strings, numbers and None."""
    series = nw.from_native(cells, series_only=True, pass_through=True)
    if isinstance(series, nw.Series) and series.dtype in (nw.Categorical, nw.Enum):
        cells = series.to_list()  # numpy would get the codes of arrow's dictionaries
    if hasattr(cells, "__array__"):
        return np.asarray(cells)
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    return column
