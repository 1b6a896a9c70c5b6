"""Running tasks through joblib: members of ensembles, progress, cancellation, shared data."""

from __future__ import annotations

import math
import os
import pickle
import sys
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController, threadpool_limits

from mixedwood._limits import Deadline, StopFlag, warn_time_limit
from mixedwood._progress import LISTENERS, stage

__all__ = [
    "ProgressParallel",
    "SharedObject",
    "grow_members",
    "one_blas_thread",
    "one_core",
    "show_progress",
    "show_status",
]

T = TypeVar("T")


def one_blas_thread() -> Any:
    """Keep linear algebra on small matrices to one thread, as a context.

    More threads would cost more than they save, and change the last digits.
    """
    return _threadpools().limit(limits=1, user_api="blas")


@cache
def _threadpools() -> ThreadpoolController:
    return ThreadpoolController()  # finds the libraries, which takes a millisecond


class ProgressParallel(Parallel):  # type: ignore[misc]
    """joblib's Parallel that reports progress and, if given a flag, cancels its threads.

    Parameters
    ----------
    advance : callable
        Called with the number of completed tasks.
    stop : StopFlag, optional
        Set when the work is aborted, before joblib waits for its workers. Threads cannot be ended
        from outside: without a flag, Ctrl-C would wait until their tasks are complete.
    **options
        Passed to joblib.
    """

    def __init__(
        self, advance: Callable[[int], None], *, stop: StopFlag | None = None, **options: Any
    ) -> None:
        super().__init__(**options)
        self._advance = advance
        self._stop = stop

    def print_progress(self) -> None:
        """Report how many tasks are complete; joblib calls it after each."""
        self._advance(self.n_completed_tasks)

    def _abort(self) -> None:
        if self._stop is not None:
            self._stop.set()
        super()._abort()


def grow_members(
    grow: Callable[[int, float, StopFlag], T],
    numbers: Sequence[int],
    *,
    n_jobs: int | None = None,
    verbose: int = 0,
    time_limit: float = math.inf,
    what: str = "trees",
) -> list[T]:
    """Grow the members of an ensemble through joblib, in threads unless a backend is chosen.

    A member depends on the ensemble's seed and on its number alone. It is therefore the same for
    any number of workers and of other members, and whether it is grown now or by a later fit.

    Parameters
    ----------
    grow : callable
        Grows a member, given its number, the seconds that are left, and a flag to stop by. It must
        be picklable for other processes.
    numbers : sequence of int
        Numbers of the members.
    n_jobs : int or None, default=None
        Number of workers.
    verbose : int, default=0
        Whether to show progress.
    time_limit : float, default=inf
        Members that are not begun within these seconds are left out, with a warning. The first is
        always grown.
    what : str, default="trees"
        The name of the members in messages.

    Returns
    -------
    list
        Members in the order of their numbers.
    """
    stop = StopFlag()
    deadline = Deadline.after(time_limit)
    task = delayed(grow)

    def tasks() -> Iterator[Any]:
        for place, number in enumerate(numbers):
            left = deadline.left()
            if place and left <= 0:
                return
            yield task(number, max(left, 1e-3), stop)

    with show_progress(len(numbers), verbose, what) as advance:
        # With a time limit, members wait for a free worker here, where the clock is read.
        ahead = "2*n_jobs" if math.isinf(time_limit) else "n_jobs"
        parallel = ProgressParallel(
            advance, stop=stop, n_jobs=n_jobs, prefer="threads", pre_dispatch=ahead
        )
        try:
            members: list[T] = parallel(tasks())
        except BaseException:
            stop.set()
            # Threads that are still in the core when Python ends would crash it.
            stop.wait(1.0)
            raise
    if len(members) < len(numbers):
        warn_time_limit(
            f"The time limit came after {len(members)} of {len(numbers)} {what}; the others "
            "are left out."
        )
    return members


class SharedObject(Generic[T]):
    """An object that many tasks use: pickled once, and unpickled once by each process.

    joblib maps large arrays into the memory of its workers, so that the object is not copied for
    each task. A process keeps one object at a time.
    """

    _open: ClassVar[dict[str, Any]] = {}
    _lock = threading.Lock()

    def __init__(self, content: T) -> None:
        self._key = f"{os.getpid()}-{uuid.uuid4().hex}"
        self._content = content
        self._pickled: NDArray[np.uint8] | None = None
        self._open[self._key] = content

    def get(self) -> T:
        """Give the object, in whichever process."""
        with self._lock:
            if self._key not in self._open:
                assert self._pickled is not None  # only in another process
                found = pickle.loads(self._pickled.tobytes())
                self._open.clear()
                self._open[self._key] = found
            content: T = self._open[self._key]
        return content

    def forget(self) -> None:
        """Release the object in this process."""
        self._open.pop(self._key, None)

    def __getstate__(self) -> dict[str, Any]:
        if self._pickled is None:
            self._pickled = np.frombuffer(pickle.dumps(self._content, protocol=5), np.uint8)
        return {"_key": self._key, "_pickled": self._pickled}


@contextmanager
def one_core() -> Iterator[Callable[[], tuple[str, ...]]]:
    """Limit native libraries to one core and record warnings, which the function returned gives.

    Both are settings of the whole process: where tasks are threads, they are left as they are.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: ()
        return
    with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        yield lambda: tuple(dict.fromkeys(_format_warning(one) for one in caught))


def _format_warning(caught: warnings.WarningMessage) -> str:
    first_line = str(caught.message).strip().partition("\n")[0]
    return f"{caught.category.__name__}: {first_line}"


@contextmanager
def show_progress(
    n_tasks: int, verbose: int, what: str = "trees"
) -> Iterator[Callable[[int], None]]:
    """Show a progress bar, or lines if there is no terminal or no rich; nothing if not verbose.

    Callbacks are called in any case.
    """
    reported = stage(what, n_tasks) if LISTENERS.get() else nullcontext()
    with reported as report, _show(n_tasks, verbose, what) as shown:

        def advance(n_done: int) -> None:
            shown(n_done)
            if report is not None:
                report(n_done)

        yield advance


@contextmanager
def _show(n_tasks: int, verbose: int, what: str) -> Iterator[Callable[[int], None]]:
    if not verbose:
        yield lambda n_done: None
        return
    bar = _rich_bar() if sys.stderr.isatty() else None
    if bar is not None:
        with bar:
            task = bar.add_task(what, total=n_tasks)
            yield lambda n_done: bar.update(task, completed=n_done)
        return
    started, step = time.monotonic(), max(1, n_tasks // 10)
    shown = 0

    def advance(n_done: int) -> None:
        nonlocal shown
        if n_done > shown and (n_done >= shown + step or n_done == n_tasks):
            shown = n_done
            seconds = time.monotonic() - started
            left = seconds * (n_tasks - n_done) / n_done
            rest = f", about {left:.1f} s left" if n_done < n_tasks else ""
            _log(f"{n_done} of {n_tasks} {what} in {seconds:.1f} s{rest}")

    yield advance


@contextmanager
def show_status(verbose: int) -> Iterator[Callable[[str], None]]:
    """Show what is being done and for how long, for work of unknown length.

    One line that is updated, or a line for each message if there is no terminal or no rich;
    nothing if not verbose.
    """
    if not verbose:
        yield lambda message: None
        return
    line = _rich_bar(status=True) if sys.stderr.isatty() else None
    if line is None:
        yield _log
        return
    with line:
        task = line.add_task("", total=None)
        yield lambda message: line.update(task, description=message)


def _log(message: str) -> None:
    sys.stderr.write(f"mixedwood: {message}\n")


def _rich_bar(*, status: bool = False) -> Any:
    try:
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
    except ImportError:
        return None
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    console = Console(stderr=True)
    if status:
        return Progress(*columns, console=console, transient=True)
    return Progress(console=console, transient=True)
