"""`compare`: read what came, run it, and hand the figures out."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib import metadata
from typing import Any

import numpy as np

from mixedwood._limits import read_time_limit
from mixedwood._random import seed_of
from mixedwood.comparison.dividing import Fold, Protocol, read_protocol
from mixedwood.comparison.line_up import read_methods
from mixedwood.comparison.problems import Problem, read_problems
from mixedwood.comparison.records import Failure, Notice, SetFacts
from mixedwood.comparison.results import Comparison
from mixedwood.comparison.running import Outcome, Plan, run
from mixedwood.comparison.scores import METRICS, read_metrics

__all__ = ["compare"]


def compare(
    X: Any,
    y: Any = None,
    methods: Any = None,
    protocol: Any = "5x2cv",
    *,
    metrics: str | Sequence[str] = tuple(METRICS),
    random_state: Any = 0,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    verbose: int = 0,
) -> Comparison:
    """Compare methods on the same folds of one or more tables.

    Parameters
    ----------
    X : table, Dataset, list of Dataset, or dict of str to (X, y)
        A table of categories and numbers; or, without `y`, one or more data sets.
    y : array-like of shape (n_rows,), optional
        Class of each row, if X is one table.
    methods : None, str, estimator, dict of str to those, or list of those, default=None
        What to compare. Names are those of `mixedwood.comparison.methods()`, and recipes such as
        "forest.bagging_c45"; None is a line-up of trees and ensembles of this library and of
        scikit-learn's. Any scikit-learn classifier will do that takes the table.
    protocol : str or scikit-learn splitter, default="5x2cv"
        How rows are divided: a name of `mixedwood.comparison.protocols()`, others of the same form
        such as ``"3x5cv"`` and ``"50x1/4"``, or a splitter.
    metrics : str or sequence of str, default=all
        What to measure, of `mixedwood.comparison.metrics()`.
    random_state : int, Generator, RandomState or None, default=0
        Seed of folds and methods. A method with a `random_state` of its own keeps it.
    n_jobs : int or None, default=None
        Number of workers: processes, or whatever joblib is told to use. The figures do not depend
        on it; times do.
    time_limit : float or None, default=None
        Seconds that a fit may take, for the methods that have such a parameter and no limit yet.
    verbose : int, default=0
        Whether to show how far it is, and the time left.

    Returns
    -------
    Comparison
        All figures, with tests and tables. A method that fails on a fold does not end the others:
        see its `failures`.

    Examples
    --------
    >>> import mixedwood as mw
    >>> data = mw.datasets.load("tic-tac-toe")
    >>> found = mw.compare(data, methods=["tree", "c45"], metrics=["error", "leaves"])
    >>> print(found.tests()[0].sentence)
    5x2cv F test: tree has a lower error than c45, by ...
    """
    limit = None if time_limit is None else read_time_limit(time_limit)
    plan = read_protocol(protocol)
    models = read_methods(methods)
    wanted = read_metrics(metrics)
    seed = seed_of(random_state)
    problems = read_problems(X, y)
    folds = [_split(plan, problem, seed, len(problems) > 1) for problem in problems]
    outcomes = run(Plan(problems, folds, models, wanted, seed, limit), n_jobs, verbose)
    return _collect(outcomes, problems, folds, models, wanted, plan, seed)


def _split(protocol: Protocol, problem: Problem, seed: int, named: bool) -> list[Fold]:
    try:
        return protocol.split(problem.labels, seed)
    except ValueError as error:
        raise ValueError(f"In {problem.name}: {error}" if named else str(error)) from error


def _collect(
    outcomes: list[Outcome],
    problems: list[Problem],
    folds: list[list[Fold]],
    models: dict[str, Any],
    metrics: tuple[str, ...],
    protocol: Protocol,
    seed: int,
) -> Comparison:
    names = list(models)
    shape = len(problems), len(names), max(map(len, folds))
    scores = np.full((*shape, len(metrics)), np.nan)
    chosen_by = np.full(shape, np.nan)
    failures: list[Failure] = []
    heard: dict[tuple[int, int, str], list[str]] = {}
    for outcome in sorted(outcomes, key=lambda o: o.place):
        s, m, f = outcome.place
        scores[s, m, f], chosen_by[s, m, f] = outcome.scores, outcome.chosen_by
        # Of the warnings of a kind one is kept: they often differ in figures only.
        for kind, words in {words.partition(":")[0]: words for words in outcome.warnings}.items():
            heard.setdefault((s, m, kind), []).append(words)
        if outcome.error:
            failures.append(Failure(problems[s].name, names[m], f, outcome.error, outcome.trace))
    return Comparison(
        sets=tuple(map(_facts, problems, folds)),
        methods=tuple(names),
        metrics=metrics,
        protocol=protocol,
        scores=scores,
        chosen_by=chosen_by,
        failures=tuple(failures),
        notices=tuple(
            Notice(problems[s].name, names[m], len(words), words[0])
            for (s, m, _), words in heard.items()
        ),
        random_state=seed,
        settings={name: " ".join(repr(model).split()) for name, model in models.items()},
        versions=_versions(),
    )


def _facts(problem: Problem, folds: list[Fold]) -> SetFacts:
    return SetFacts(
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
