"""Tables of Dask: work goes to the partitions, and only sums come back.

Nothing is kept on a worker between two passes. What a task needs is in the graph, so that Dask
does the work of a lost worker again on another.
"""

from __future__ import annotations

import functools
import pickle
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from mixedwood._limits import NO_DEADLINE, Deadline, user_stacklevel
from mixedwood._progress import stage

if TYPE_CHECKING:
    from mixedwood.data.pieces import Job

__all__ = ["Partitions", "is_dask", "is_dask_frame", "map_frame"]

State = TypeVar("State")

_MERGED_AT_ONCE = 8
_POLL = 0.2  # seconds between two looks at the work
_SILENCE = 60.0  # seconds after which a scheduler that does not answer is taken for gone


def is_dask_frame(given: Any) -> bool:
    """Whether this is a dataframe of Dask, without importing Dask.

    Examples
    --------
    >>> is_dask_frame({"x": [1, 2]})
    False
    """
    return type(given).__module__.startswith("dask") and hasattr(given, "map_partitions")


def is_dask(given: Any) -> bool:
    """Whether this is a dataframe of Dask, or a list of partitions that Dask has or makes."""
    if is_dask_frame(given):
        return True
    return isinstance(given, list | tuple) and bool(given) and all(map(_is_partition, given))


def _is_partition(given: Any) -> bool:
    kind = type(given)
    return kind.__module__.startswith(("dask", "distributed")) and (
        kind.__name__ in ("Delayed", "DelayedAttr", "DelayedLeaf", "Future")
    )


class Partitions:
    """The partitions of a Dask frame, or delayed tables, or futures of tables.

    Parameters
    ----------
    source : dask.dataframe.DataFrame, or list of Delayed or Future
        Each partition is a table of pandas, polars or pyarrow.
    """

    def __init__(self, source: Any) -> None:
        self.parts: list[Any] = (
            source.to_delayed() if is_dask_frame(source) else list(source)  # in their order
        )

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        """Yield partitions here, one after the other."""
        client = self._client()
        for number, part in enumerate(self.parts):
            name = f"partition {number}"
            yield name, _as_arrow(name, _wait(client, part, NO_DEADLINE))

    def run(
        self, job: Job[State], what: str = "", n_rows: int = 0, deadline: Deadline = NO_DEADLINE
    ) -> State | None:
        """Run a job over all partitions, where they are; see `Source`."""
        from dask.delayed import delayed

        client = self._client()
        topic = f"mixedwood-{uuid.uuid4().hex}"
        # One task makes the job known, and workers take it from each other.
        sent = delayed(pickle.dumps(job), name=f"{topic}-job", traverse=False)
        add, merge = delayed(count_partition, pure=False), delayed(merge_counts, pure=False)
        states = [
            add(sent, f"partition {number}", part, topic if client is not None else "")
            for number, part in enumerate(self.parts)
        ]
        while len(states) > 1:
            states = [
                merge(sent, states[start : start + _MERGED_AT_ONCE])
                for start in range(0, len(states), _MERGED_AT_ONCE)
            ]
        if not states:
            return job.start()
        with (
            stage(what, n_rows) if what else nullcontext() as advance,
            _told(client, topic, n_rows, advance) as tell,
        ):
            found: State | None = _wait(client, states[0], deadline, tell)
        return found

    def _client(self) -> Any:
        """Give the client of the cluster; None if Dask works in this process."""
        for part in self.parts[:1]:
            if type(part).__name__ == "Future":
                return part.client
        try:
            from distributed import get_client
        except ImportError:
            return None
        try:
            return get_client()
        except ValueError:
            return None


@functools.lru_cache(maxsize=4)
def _job(sent: bytes) -> Job[Any]:
    """Read a job once in each process, not once for each partition."""
    job: Job[Any] = pickle.loads(sent)
    return job


def count_partition(sent: bytes, name: str, part: Any, topic: str) -> Any:
    """Run a job over one partition."""
    job, frame = _job(sent), _as_arrow(name, part)
    state = job.add(job.start(), name, frame)
    if topic:
        from distributed import get_worker

        get_worker().log_event(topic, frame.num_rows)
    return state


def merge_counts(sent: bytes, states: list[Any]) -> Any:
    """Merge what was found in several partitions, in their order."""
    job = _job(sent)
    # Results of tasks must not change, and merging may change its left side.
    state = job.start()
    for other in states:
        state = job.merge(state, other)
    return state


def _as_arrow(name: str, part: Any) -> Any:
    """Make a table of pyarrow; the index of pandas is not a column."""
    import pyarrow as pa

    if isinstance(part, pa.Table):
        return part
    if isinstance(part, pa.RecordBatch):
        return pa.Table.from_batches([part])
    try:
        if type(part).__module__.startswith("pandas") and hasattr(part, "columns"):
            wrong = [column for column in part.columns if not isinstance(column, str)]
            if wrong:
                raise TypeError(f"the name of a column is {wrong[0]!r}; names must be text.")
            return pa.Table.from_pandas(part, preserve_index=False)
        if hasattr(part, "__arrow_c_stream__"):
            return pa.table(part)
    except (TypeError, ValueError) as error:  # such as a column of text and numbers
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name}: {error}") from error
    raise TypeError(
        f"{name} is of type {type(part).__name__}; partitions must be tables of pandas, polars or "
        "pyarrow."
    )


@contextmanager
def _told(
    client: Any, topic: str, n_rows: int, advance: Callable[[int], None] | None
) -> Iterator[Callable[[], None]]:
    """Let workers say how many rows they have done; what is yielded passes it on."""
    if client is None or advance is None:
        yield lambda: None
        return
    heard: list[int] = []  # by the thread of the client
    client.subscribe_topic(topic, lambda event: heard.append(event[1]))
    try:
        # Work that is done again is reported again.
        yield lambda: advance(min(sum(heard), n_rows))
        advance(n_rows)
    finally:
        client.unsubscribe_topic(topic)


def _wait(
    client: Any, task: Any, deadline: Deadline, tell: Callable[[], None] = lambda: None
) -> Any:
    """Wait for a result; None if the deadline comes first, an error if the scheduler is gone."""
    if client is None:
        return None if deadline.is_over() else task.compute()
    if client.status != "running":
        raise _scheduler_gone(client)
    with warnings.catch_warnings():
        # The trees so far are sent once; scattering them, as it says, could not be done again.
        warnings.filterwarnings("ignore", "Sending large graph")
        future = task if type(task).__name__ == "Future" else client.compute(task)
    contact = _Contact(client)
    try:
        while not future.done():
            if deadline.is_over():
                return None
            _pause(future, min(_POLL, deadline.left(at_least=0.0)))
            tell()
            contact.check()
        return future.result()
    except CancelledError as error:  # what becomes of all work when the scheduler is lost
        raise _scheduler_gone(client) from error
    finally:
        if future is not task and client.status == "running":
            future.cancel()


def _pause(future: Any, seconds: float) -> None:
    from distributed import wait

    with suppress(TimeoutError):
        wait(future, timeout=seconds)  # type: ignore[no-untyped-call, unused-ignore]


class _Contact:
    """Notices a scheduler that does not answer, and a cluster without workers."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._next = self._workers_seen = time.monotonic() + _SILENCE / 4

    def check(self) -> None:
        if self._client.status not in ("running", "connecting"):
            raise _scheduler_gone(self._client)
        if time.monotonic() < self._next:
            return
        try:
            known = self._client.sync(self._client.scheduler.identity, callback_timeout=_SILENCE)[
                "workers"
            ]
        except (TimeoutError, OSError) as error:
            raise _scheduler_gone(self._client) from error
        now = time.monotonic()
        self._next = now + _SILENCE / 4
        if known:
            self._workers_seen = now
        elif now - self._workers_seen > _SILENCE:
            self._workers_seen = float("inf")  # say it once
            warnings.warn(
                f"The Dask cluster has had no worker for {_SILENCE:.0f} seconds; the fit waits "
                "for one.",
                stacklevel=user_stacklevel(),
            )


def _scheduler_gone(client: Any) -> ConnectionError:
    address = getattr(client.scheduler, "address", None) or "the scheduler"
    return ConnectionError(
        f"The connection to the Dask scheduler at {address} was lost, and its work with it. The "
        "model was not changed. Start the cluster again, make a new Client, and repeat the call."
    )


def map_frame(frame: Any, function: Callable[..., Any], sent: Any, meta: Any) -> Any:
    """Apply a function of a partition and an object to each partition, lazily.

    The object is one task of the graph, however many partitions there are.
    """
    from dask.delayed import delayed

    blob = delayed(pickle.dumps(sent), name=f"mixedwood-{uuid.uuid4().hex}", traverse=False)
    return frame.map_partitions(_apply, function, blob, meta=meta, enforce_metadata=False)


@functools.lru_cache(maxsize=4)
def _read(sent: bytes) -> Any:
    return pickle.loads(sent)


def _apply(part: Any, function: Callable[..., Any], sent: bytes) -> Any:
    return function(part, _read(sent))
