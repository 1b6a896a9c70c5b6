"""Results of a study as one JSON file: the metrics that its tables show, task by task."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mixedwood.files import write_bytes
from mixedwood.study.definition import Study, StudyError
from mixedwood.study.grid import expand
from mixedwood.study.results import Results
from mixedwood.study.store import TaskRecord

__all__ = ["read_results", "write_results"]

_DIGITS = 10  # significant ones: enough for every printed digit and test


def write_results(found: Results, path: str | Path, *, metrics: Iterable[str] = ()) -> None:
    """Write the metrics that the tables of a study show, and further `metrics`.

    Examples
    --------
    >>> from mixedwood import study
    >>> roe = study.read_study("random_ordinality")
    >>> with study.Store(":memory:") as store:
    ...     _ = study.run(roe, store, only={"experiment": ["orders"], "values": [4]})
    ...     write_results(study.results(roe, store), "out/roe.json")
    >>> read_results(roe, "out/roe.json").table("table 2").cells["4", "ro_mean"].near
    True
    """
    wanted = {name for table in found.study.tables for name in _metrics_of(table)} | set(metrics)
    tasks = {
        key: [
            round(record.seconds, 3),
            {n: _shortened(value) for n, value in record.metrics.items() if n in wanted},
        ]
        for key, record in sorted(found.records.items())
        if record.metrics is not None
    }
    lines = ",\n".join(
        f" {json.dumps(key)}: {json.dumps(entry, separators=(',', ':'))}"
        for key, entry in tasks.items()
    )
    text = f'{{"versions": {json.dumps(list(found.versions))}, "tasks": {{\n{lines}\n}}}}\n'
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    write_bytes(Path(path), text.encode())


def read_results(study: Study, path: str | Path) -> Results:
    """Read results that `write_results` wrote; tasks that the study no longer has are left out."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        version = ", ".join(content["versions"])
        entries = content["tasks"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StudyError(f"{path} cannot be read as results of a study: {error}.") from error
    tasks = {name: tuple(expand(study, e)) for name, e in study.experiments.items()}
    records = {
        task.key: TaskRecord(
            key=task.key,
            task=task.task,
            label=task.label,
            metrics=entries[task.key][1],
            seconds=float(entries[task.key][0]),
            version=version,
        )
        for of_experiment in tasks.values()
        for task in of_experiment
        if task.key in entries
    }
    return Results(study, records, tasks)


def _metrics_of(table: Any) -> set[str]:
    names = {*table.metrics, table.best.get("by"), table.pairs.get("overlap")}
    return {name for name in names if isinstance(name, str)}


def _shortened(value: Any) -> Any:
    if isinstance(value, list):
        return [_shortened(entry) for entry in value]
    short = float(f"{value:.{_DIGITS}g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short
