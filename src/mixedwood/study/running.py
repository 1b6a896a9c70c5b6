"""Do what a study asks for and a store lacks.

Workers only compute; this process writes, one finished task at a time. So a kill loses at most what
is under way, and the results depend neither on the order nor on the number of workers.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from joblib import Parallel, delayed, parallel_config

from mixedwood._limits import Deadline
from mixedwood._parallel import SharedObject, one_core, show_progress
from mixedwood.comparison.run import Problem
from mixedwood.study.definition import Study, StudyError
from mixedwood.study.making import make
from mixedwood.study.points import Point, points, set_key
from mixedwood.study.sets import fingerprint, open_set
from mixedwood.study.store import Record, Store
from mixedwood.study.tasks import Work, find_task

__all__ = ["Report", "choose", "run"]

_SETS_AT_A_TIME = 5


@dataclass(frozen=True)
class Report:
    """What a run did: tasks done now, failures among them, done before, and left for later."""

    done: int
    failed: int
    kept: int
    left: int

    @property
    def sentence(self) -> str:
        """Say it in words."""
        words = [f"{self.done} tasks done"]
        words += [f"{self.failed} of them failed"] if self.failed else []
        words += [f"{self.kept} already in the store"] if self.kept else []
        words += [f"{self.left} are left"] if self.left else []
        return ", ".join(words) + "."


def choose(study: Study, only: Mapping[str, Iterable[Any]] | None = None) -> list[Point]:
    """Give the points of a study, each once; `only` chooses by values of axes, as text."""
    wanted = {axis: {str(v) for v in values} for axis, values in (only or {}).items()}
    axes = {"run", *(axis for run in study.runs.values() for axis in run.axes)}
    for axis, values in wanted.items():
        if axis not in axes:
            raise StudyError(f"No run has an axis {axis!r}; there are {', '.join(sorted(axes))}.")
        known = {str(v) for run in study.runs.values() for v in run.axes.get(axis, ())}
        known |= set(study.runs) if axis == "run" else set()
        if strange := values - known:
            raise StudyError(
                f"{axis} has no value {sorted(strange)[0]!r}; there are {', '.join(sorted(known))}."
            )
    found: dict[str, Point] = {}
    for run in study.runs.values():
        for point in points(study, run):
            at = {**point.at, "run": run.name}
            if all(axis not in at or str(at[axis]) in values for axis, values in wanted.items()):
                found.setdefault(point.key, point)
    return list(found.values())


def run(
    study: Study,
    store: Store,
    *,
    only: Mapping[str, Iterable[Any]] | None = None,
    n_jobs: int | None = None,
    scheduler: str | None = None,
    retry: bool = False,
    available_only: bool = False,
    time_limit: float | None = None,
    verbose: int = 0,
) -> Report:
    """Do what a study asks for and the store lacks.

    Parameters
    ----------
    study : Study
        What is to be done.
    store : Store
        Where it is kept.
    only : mapping of str to values, optional
        Values of axes to which the run is restricted: ``{"set": ["car"]}``.
    n_jobs : int or None, default=None
        Number of workers: processes, as joblib counts them.
    scheduler : str or None, default=None
        Address of a Dask scheduler, whose workers are used in place of processes.
    retry : bool, default=False
        Whether tasks that failed before are done again.
    available_only : bool, default=False
        Whether to leave out data sets that would have to be downloaded.
    time_limit : float or None, default=None
        Seconds after which no further task is begun.
    verbose : int, default=0
        Whether to show how far it is, and the time left.

    Returns
    -------
    Report
        What was done. A task that fails is written down with its traceback, and the rest goes on.

    Examples
    --------
    >>> from mixedwood import study
    >>> roe = study.load("random_ordinality")
    >>> with study.Store(":memory:") as store:
    ...     print(study.run(roe, store, only={"run": ["orders"], "values": [4, 6]}).sentence)
    ...     print(study.run(roe, store, only={"run": ["orders"], "values": [4, 6]}).sentence)
    2 tasks done.
    0 tasks done, 2 already in the store.
    """
    chosen = choose(study, only)
    make_reachable([*sys.path, study.folder])
    _check(chosen)
    if absent := _absent(chosen):
        if not available_only:
            raise StudyError(
                f"Data sets are missing: {', '.join(sorted(absent))}. Set MIXEDWOOD_DATA to a "
                "folder that has them, or ask for those that are available only."
            )
        chosen = [point for point in chosen if point.set.get("load") not in absent]
    with store.alone():
        if retry:
            known = store.records(point.key for point in chosen)
            store.forget(key for key, record in known.items() if record.figures is None)
        known = store.records(point.key for point in chosen)
        lacking = [point for point in chosen if point.key not in known]
        done = failed = 0
        ends = Deadline() if time_limit is None else Deadline.after(time_limit)
        with (
            show_progress(len(lacking), verbose, "tasks") as advance,
            _workers(scheduler),
        ):
            for record in _outcomes(lacking, store, n_jobs, scheduler is not None, ends):
                store.add(record)
                done, failed = done + 1, failed + (record.figures is None)
                advance(done)
    return Report(done, failed, len(known), len(lacking) - done)


def _check(chosen: Iterable[Point]) -> None:
    """Find mistakes in names before any long work."""
    for task in {point.task for point in chosen}:
        find_task(task)
    for method in {repr(p.method): p.method for p in chosen if p.method}.values():
        make(method)


def _absent(chosen: Iterable[Point]) -> set[str]:
    """Names of data sets that are not on this machine."""
    wanted = {point.set["load"] for point in chosen if "load" in point.set}
    if not wanted:
        return set()
    from mixedwood import datasets

    return wanted - set(datasets.names(available_only=True))


@contextmanager
def _workers(scheduler: str | None) -> Iterator[None]:
    if scheduler is None:
        yield
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise StudyError(
            "A scheduler needs the package distributed: pip install 'dask[distributed]'."
        ) from error
    try:
        client = Client(scheduler, timeout="20s")  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError, ValueError) as error:
        raise StudyError(f"There is no Dask scheduler at {scheduler}: {error}.") from error
    with client, parallel_config("dask"):
        yield


def _outcomes(
    lacking: list[Point], store: Store, n_jobs: int | None, remote: bool, ends: Deadline
) -> Iterator[Record]:
    # Tasks of all lengths come together, and what is done should be written down soon.
    jobs = -1 if remote and n_jobs is None else n_jobs
    parallel = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
    for group in _groups(lacking):
        sent = {key: _send(key, point, store) for key, point in group.items()}
        of_group = [p for p in lacking if _key(p) in group]
        yield from parallel(_before(ends, of_group, sent))
        for problem in sent.values():
            if problem is not None:
                problem.forget()


def _before(
    ends: Deadline, of_group: list[Point], sent: Mapping[str, SharedObject[Problem] | None]
) -> Iterator[Any]:
    for point in of_group:
        if ends.is_over():
            return
        # A worker that has served before does not know modules that were put beside it since.
        own = list(sys.path) if ":" in point.task else []
        yield delayed(do)(point, sent[_key(point)], own)


def _key(point: Point) -> str:
    return set_key(point.set) if point.set else ""


def _groups(lacking: list[Point]) -> Iterator[dict[str, Point]]:
    """Data sets whose tasks are handed out together: not all need to be in memory at a time."""
    first: dict[str, Point] = {}
    for point in lacking:
        first.setdefault(_key(point), point)
    keys = list(first)
    for start in range(0, len(keys), _SETS_AT_A_TIME):
        yield {key: first[key] for key in keys[start : start + _SETS_AT_A_TIME]}


def _send(key: str, point: Point, store: Store) -> SharedObject[Problem] | None:
    if not key:
        return None
    problem = open_set(str(point.at["set"]), point.set)
    facts = {"rows": len(problem.codes), "columns": problem.n_columns}
    facts |= {"classes": len(problem.classes)}
    store.know_set(key, problem.name, fingerprint(problem), facts)
    return SharedObject(problem)


def make_reachable(folders: Iterable[str]) -> None:
    """Look for modules in these folders, too, after all others."""
    sys.path += [folder for folder in folders if folder and folder not in sys.path]


def do(point: Point, sent: SharedObject[Problem] | None, folders: Iterable[str] = ()) -> Record:
    """Do one task, wherever this is; a failure is an outcome, too."""
    from mixedwood import __version__

    make_reachable(folders)
    started = time.perf_counter()
    figures: dict[str, Any] | None = None
    error = trace = ""
    with one_core() as heard:
        try:
            task: Callable[[Work], Any] = find_task(point.task)
            problem = None if sent is None else sent.get()
            found = task(Work(point.at, point.settings, point.method, problem))
            json.dumps(found)  # what cannot be kept is a failure of this task, not of the run
            figures = found
        except Exception as caught:
            error, trace = f"{type(caught).__name__}: {caught}", traceback.format_exc()
        warnings = heard()
    return Record(
        key=point.key,
        task=point.task,
        words=point.words,
        figures=figures,
        error=error,
        traceback=trace,
        warnings=warnings,
        seconds=time.perf_counter() - started,
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
    )
