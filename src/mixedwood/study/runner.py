"""Run the tasks of a study that its store lacks.

Workers only compute; this process writes, one finished task at a time. So a kill loses at most the
tasks that are running, and results depend neither on the order nor on the number of workers.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from joblib import Parallel, delayed, parallel_config

from mixedwood._limits import Deadline
from mixedwood._parallel import SharedObject, one_core, show_progress
from mixedwood.comparison.run import Problem
from mixedwood.study.datasets import fingerprint, read_dataset
from mixedwood.study.definition import Study, StudyError
from mixedwood.study.grid import TaskSpec, dataset_key, select_tasks
from mixedwood.study.store import Store, TaskRecord
from mixedwood.study.tasks import TaskContext, find_task, make

__all__ = ["RunSummary", "run"]

_DATASETS_AT_A_TIME = 5


@dataclass(frozen=True)
class RunSummary:
    """What a run did: tasks done now, failures among them, done before, and left for later.

    Examples
    --------
    >>> print(RunSummary(done=5, failed=1, reused=2, remaining=0))
    5 tasks done, 1 of them failed, 2 already in the store.
    """

    done: int
    failed: int
    reused: int
    remaining: int

    def __str__(self) -> str:
        parts = [f"{self.done} tasks done"]
        parts += [f"{self.failed} of them failed"] if self.failed else []
        parts += [f"{self.reused} already in the store"] if self.reused else []
        parts += [f"{self.remaining} are left"] if self.remaining else []
        return ", ".join(parts) + "."


def run(
    study: Study,
    store: Store,
    *,
    only: Mapping[str, Iterable[Any]] | None = None,
    n_jobs: int | None = None,
    scheduler: str | None = None,
    retry_failed: bool = False,
    skip_unavailable: bool = False,
    time_limit: float | None = None,
    verbose: int = 0,
) -> RunSummary:
    """Run the tasks of a study that the store lacks.

    Parameters
    ----------
    study : Study
        The study.
    store : Store
        Where results are kept.
    only : mapping of str to values, optional
        Values of axes to which the run is restricted: ``{"dataset": ["car"]}``.
    n_jobs : int or None, default=None
        Number of worker processes, as in joblib.
    scheduler : str or None, default=None
        Address of a Dask scheduler, whose workers are used instead of processes.
    retry_failed : bool, default=False
        Whether to repeat tasks that failed before.
    skip_unavailable : bool, default=False
        Whether to skip datasets that are not on this machine.
    time_limit : float or None, default=None
        Seconds after which no further task is started.
    verbose : int, default=0
        Whether to show progress and the time left.

    Returns
    -------
    RunSummary
        What was done. A failed task is stored with its traceback, and the other tasks continue.

    Examples
    --------
    >>> from mixedwood import study
    >>> roe = study.read_study("random_ordinality")
    >>> with study.Store(":memory:") as store:
    ...     print(study.run(roe, store, only={"experiment": ["orders"], "values": [4, 6]}))
    ...     print(study.run(roe, store, only={"experiment": ["orders"], "values": [4, 6]}))
    2 tasks done.
    0 tasks done, 2 already in the store.
    """
    tasks = select_tasks(study, only)
    _add_to_path([*sys.path, study.folder])
    check_task_names(tasks)
    if unavailable := _unavailable(tasks):
        if not skip_unavailable:
            raise StudyError(
                f"Datasets are missing: {', '.join(sorted(unavailable))}. Set MIXEDWOOD_DATA to a "
                "folder that contains them, or skip datasets that are unavailable."
            )
        tasks = [task for task in tasks if task.dataset.get("load") not in unavailable]
    with store.lock():
        known = store.records(task.key for task in tasks)
        if retry_failed:
            failures = [key for key, record in known.items() if record.metrics is None]
            store.delete(failures)
            known = {key: record for key, record in known.items() if key not in failures}
        missing = [task for task in tasks if task.key not in known]
        done = failed = 0
        deadline = Deadline() if time_limit is None else Deadline.after(time_limit)
        with show_progress(len(missing), verbose, "tasks") as advance, _workers(scheduler):
            for record in _records(missing, store, n_jobs, scheduler is not None, deadline):
                store.add(record)
                done, failed = done + 1, failed + (record.metrics is None)
                advance(done)
    return RunSummary(done, failed, len(known), len(missing) - done)


def check_task_names(tasks: Iterable[TaskSpec]) -> None:
    """Find mistakes in the names of tasks and methods before any long work."""
    for name in {task.task for task in tasks}:
        find_task(name)
    for method in {repr(task.method): task.method for task in tasks if task.method}.values():
        make(method)


def _unavailable(tasks: Iterable[TaskSpec]) -> set[str]:
    """Names of datasets that are not on this machine."""
    wanted = {task.dataset["load"] for task in tasks if "load" in task.dataset}
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
        client = Client(scheduler, timeout="20s")  # type: ignore[no-untyped-call, unused-ignore]
    except (OSError, TimeoutError, ValueError) as error:
        raise StudyError(f"There is no Dask scheduler at {scheduler}: {error}.") from error
    with client, parallel_config("dask"):
        yield


def _records(
    tasks: list[TaskSpec], store: Store, n_jobs: int | None, remote: bool, deadline: Deadline
) -> Iterator[TaskRecord]:
    # Tasks take very different times, and a finished one should be stored soon.
    jobs = -1 if remote and n_jobs is None else n_jobs
    parallel = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
    for group in _groups(tasks):
        sent = {key: _send(key, of_dataset[0], store) for key, of_dataset in group.items()}
        yield from parallel(
            # A worker that was started earlier may not find modules that were added since.
            delayed(execute)(task, sent[key], list(sys.path) if ":" in task.task else [])
            for key, of_dataset in group.items()
            for task in of_dataset
            if not deadline.is_over()
        )
        for dataset in sent.values():
            if dataset is not None:
                dataset.forget()


def _groups(tasks: list[TaskSpec]) -> Iterator[dict[str, list[TaskSpec]]]:
    """Tasks by dataset; only a few datasets need to be in memory at a time."""
    by_dataset: dict[str, list[TaskSpec]] = {}
    for task in tasks:
        key = dataset_key(task.dataset) if task.dataset else ""
        by_dataset.setdefault(key, []).append(task)
    keys = list(by_dataset)
    for start in range(0, len(keys), _DATASETS_AT_A_TIME):
        yield {key: by_dataset[key] for key in keys[start : start + _DATASETS_AT_A_TIME]}


def _send(key: str, task: TaskSpec, store: Store) -> SharedObject[Problem] | None:
    if not key:
        return None
    dataset = read_dataset(str(task.point["dataset"]), task.dataset)
    info = {"rows": len(dataset.codes), "columns": dataset.n_columns}
    info |= {"classes": len(dataset.classes)}
    store.register_dataset(key, dataset.name, fingerprint(dataset), info)
    return SharedObject(dataset)


def _add_to_path(folders: Iterable[str]) -> None:
    """Look for modules in these folders, after all others."""
    sys.path += [folder for folder in folders if folder and folder not in sys.path]


def execute(
    task: TaskSpec, sent: SharedObject[Problem] | None, folders: Iterable[str] = ()
) -> TaskRecord:
    """Run one task in whatever process this is; a failure is a record, too."""
    from mixedwood import __version__

    _add_to_path(folders)
    started = time.perf_counter()
    metrics: dict[str, Any] | None = None
    error = trace = ""
    with one_core() as heard:
        try:
            function = find_task(task.task)
            dataset = None if sent is None else sent.get()
            found: Any = function(TaskContext(task.point, task.settings, task.method, dataset))
            json.dumps(found)  # what cannot be stored is a failure of this task, not of the run
            metrics = found
        except Exception as caught:
            error, trace = f"{type(caught).__name__}: {caught}", traceback.format_exc()
        warnings = heard()
    return TaskRecord(
        key=task.key,
        task=task.task,
        label=task.label,
        metrics=metrics,
        error=error,
        traceback=trace,
        warnings=warnings,
        seconds=time.perf_counter() - started,
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
    )
