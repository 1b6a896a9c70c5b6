"""The store of finished tasks: one SQLite file.

A task is written in one transaction as soon as it is done, and never again. So a run may be killed
at any moment: what is written is complete, and the next run continues from there.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Store", "StoreError", "TaskRecord"]

_FORMAT = "1"
_TABLES = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS tasks (
    key TEXT PRIMARY KEY,
    task TEXT NOT NULL,
    words TEXT NOT NULL,
    figures TEXT,          -- JSON; NULL if the task failed
    error TEXT NOT NULL,
    traceback TEXT NOT NULL,
    warnings TEXT NOT NULL,
    seconds REAL NOT NULL,
    finished TEXT NOT NULL,
    version TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS sets (
    key TEXT PRIMARY KEY, name TEXT NOT NULL, fingerprint TEXT NOT NULL, facts TEXT NOT NULL
);
"""


class StoreError(RuntimeError):
    """The store cannot be used."""


_ADVICE = {
    "full": "The disk is full: free some space and run the same command again.",
    "locked": "Another process is using it: wait for that process, or use another store.",
    "readonly": "It cannot be written: check the permissions of the file and its directory.",
    "damaged": (
        "The file is damaged or is not a store: restore a backup, or move it away and run the "
        "study again."
    ),
    "other": "Check that the directory exists and the disk works, or use another store.",
}
_SIGNS = {
    "full": ("full",),
    "locked": ("locked", "busy"),
    "readonly": ("readonly", "read-only", "permission"),
    "damaged": (
        "malformed",
        "not a database",
        "no such table",
        "no such column",
        "columns but",
        "file is encrypted",
        "corrupt",
        "decode",
    ),
}


def _store_error(path: str, error: Exception) -> StoreError:
    """One error for everything that may go wrong in a file, with advice."""
    reason = str(error)
    found = (why for why, signs in _SIGNS.items() if any(sign in reason.lower() for sign in signs))
    # Other errors come from contents that could be read, but make no sense.
    why = next(found, "other" if isinstance(error, (sqlite3.Error, OSError)) else "damaged")
    return StoreError(f"Cannot use the store {path} ({reason}). {_ADVICE[why]}")


@dataclass(frozen=True)
class TaskRecord:
    """A finished task: its metrics, or how it failed."""

    key: str
    task: str
    label: str
    metrics: dict[str, Any] | None
    error: str = ""
    traceback: str = ""
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0
    finished: str = ""
    version: str = ""


class Store:
    """Finished tasks in a file.

    Parameters
    ----------
    path : str or Path
        The file; it is created if it does not exist.

    Examples
    --------
    >>> with Store(":memory:") as store:
    ...     store.add(TaskRecord("k", "sum", "a 1", {"error": 0.25}))
    ...     store.records()["k"].metrics
    {'error': 0.25}
    """

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        self.path = str(path)
        if not create and self.path != ":memory:" and not Path(path).exists():
            raise StoreError(f"The store {path} does not exist: nothing has been run yet.")
        try:
            if self.path != ":memory:":
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            # Other processes may read or write for a moment: wait for them.
            self._file = sqlite3.connect(self.path, timeout=60)
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=FULL")
            self._file.executescript(_TABLES)
            with self._file:
                self._file.execute("INSERT OR IGNORE INTO about VALUES ('format', ?)", (_FORMAT,))
            [(found,)] = self._file.execute("SELECT value FROM about WHERE name = 'format'")
        except (sqlite3.Error, OSError, ValueError) as error:
            self._release()
            raise _store_error(self.path, error) from error
        if found != _FORMAT:
            self.close()
            raise StoreError(
                f"The store {path} has format {found}; this version of mixedwood reads format "
                f"{_FORMAT}. Use another store, or the version that wrote it."
            )

    def _release(self) -> None:
        """Close a file that could not be opened as a store."""
        if hasattr(self, "_file"):
            self._file.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn errors of the file into `StoreError`."""
        try:
            yield
        except (sqlite3.Error, ValueError, TypeError, KeyError) as error:
            raise _store_error(self.path, error) from error

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other runs from using this store; the system releases it when the process ends."""
        if self.path == ":memory:":
            yield
            return
        path = f"{self.path}.lock"
        try:
            held = sqlite3.connect(path, timeout=0, isolation_level=None)
        except sqlite3.Error as error:
            raise _store_error(path, error) from error
        try:
            try:
                held.execute("BEGIN EXCLUSIVE")
            except sqlite3.Error as error:
                if "locked" not in str(error):
                    raise _store_error(path, error) from error
                raise StoreError(
                    f"Another run is using {self.path}. Wait for it, or use another store."
                ) from error
            yield
        finally:
            held.close()

    def add(self, record: TaskRecord) -> None:
        """Add a finished task; raises if the store has it already."""
        metrics = None if record.metrics is None else json.dumps(record.metrics)
        row = (
            record.key,
            record.task,
            record.label,
            metrics,
            record.error,
            record.traceback,
            json.dumps(record.warnings),
            record.seconds,
            record.finished,
            record.version,
        )
        try:
            with self._errors(), self._file:
                self._file.execute("INSERT INTO tasks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        except StoreError as error:
            if isinstance(error.__cause__, sqlite3.IntegrityError):
                raise StoreError(
                    f"The store {self.path} already has the task {record.label!r}. Use one run at "
                    "a time, or delete the task first."
                ) from error
            raise

    def delete(self, keys: Iterable[str]) -> int:
        """Delete tasks, so that they are run again; return their number."""
        with self._errors(), self._file:
            found = [self._file.execute("DELETE FROM tasks WHERE key = ?", (k,)) for k in keys]
        return sum(cursor.rowcount for cursor in found)

    def records(self, keys: Iterable[str] | None = None) -> dict[str, TaskRecord]:
        """Return finished tasks by key: all, or those of `keys` that the store has."""
        wanted = None if keys is None else set(keys)
        found = {}
        with self._errors():
            for row in self._file.execute("SELECT * FROM tasks"):
                if wanted is None or row[0] in wanted:
                    found[row[0]] = _record(row)
        return found

    def register_dataset(self, key: str, name: str, fingerprint: str, info: dict[str, Any]) -> None:
        """Remember a dataset; raises if it has changed since."""
        row = (key, name, fingerprint, json.dumps(info))
        with self._errors():
            with self._file:
                self._file.execute("INSERT OR IGNORE INTO sets VALUES (?, ?, ?, ?)", row)
            [(known,)] = self._file.execute("SELECT fingerprint FROM sets WHERE key = ?", (key,))
        if known != fingerprint:
            raise StoreError(
                f"The dataset {name!r} has changed since {self.path} was written. Use another "
                "store, or the earlier data."
            )

    def datasets(self) -> dict[str, dict[str, Any]]:
        """Return rows, columns and classes of the datasets, by key."""
        with self._errors():
            rows = self._file.execute("SELECT key, facts FROM sets")
            return {key: _content(info) for key, info in rows}

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _record(row: tuple[Any, ...]) -> TaskRecord:
    key, task, label, metrics, error, traceback, warnings, seconds, finished, version = row
    return TaskRecord(
        key=key,
        task=task,
        label=label,
        metrics=None if metrics is None else _content(metrics),
        error=error,
        traceback=traceback,
        warnings=tuple(json.loads(warnings)),
        seconds=float(seconds),
        finished=finished,
        version=version,
    )


def _content(text: str) -> dict[str, Any]:
    """Read a JSON object; raises ValueError if it is something else."""
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError(f"a JSON object was expected, not {text[:40]!r}")
    return found
