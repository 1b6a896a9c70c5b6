"""What every worker needs: a table that is sent to it once, and quiet while it works."""

from __future__ import annotations

import os
import pickle
import threading
import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from mixedwood.comparison.problems import Problem

__all__ = ["Sent", "alone"]


@contextmanager
def alone() -> Iterator[Callable[[], tuple[str, ...]]]:
    """One core for every method, and its warnings kept.

    Both are settings of a whole process: where tasks share one as threads, they stay as they are.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: ()
        return
    with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        yield lambda: tuple(dict.fromkeys(_words(w) for w in caught))


def _words(caught: warnings.WarningMessage) -> str:
    first = str(caught.message).strip().partition("\n")[0]
    return f"{caught.category.__name__}: {first}"


class Sent:
    """A problem on its way to workers: packed once, and unpacked once by each process.

    joblib maps a large array into the memory of its workers, so that a table is not copied for each
    task.
    """

    _open: dict[str, Problem] = {}  # noqa: RUF012 - one for the process, on purpose
    _lock = threading.Lock()

    def __init__(self, problem: Problem) -> None:
        self._key = f"{os.getpid()}-{uuid.uuid4().hex}"
        self._problem = problem
        self._packed: NDArray[np.uint8] | None = None
        type(self)._open[self._key] = problem

    def open(self) -> Problem:
        """Give the problem, whichever process this is."""
        with self._lock:
            found = self._open.get(self._key)
            if found is None:
                assert self._packed is not None  # only in another process, where it came packed
                found = pickle.loads(self._packed.tobytes())
                self._open.clear()  # one at a time: sets come one after the other
                self._open[self._key] = found
        return found

    def forget(self) -> None:
        """Let go of the problem in this process."""
        self._open.pop(self._key, None)

    def __getstate__(self) -> dict[str, Any]:
        if self._packed is None:
            self._packed = np.frombuffer(pickle.dumps(self._problem, protocol=5), np.uint8)
        return {"_key": self._key, "_packed": self._packed}
