"""The tasks of an experiment: one for every point of its grid, each with a key of its own.

The key is a digest of what the task does, and of nothing else: two experiments, or two studies,
that do the same use the same result; a changed setting gives a new task.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mixedwood.study.definition import Experiment, Study, StudyError

__all__ = ["TaskSpec", "dataset_key", "expand", "matches", "select_tasks"]


@dataclass(frozen=True)
class TaskSpec:
    """One task to run.

    `point` has the value of each axis. `dataset` and `method` are definitions, empty if the
    experiment has no such axis; `settings` are those of the experiment.
    """

    task: str
    point: Mapping[str, Any]
    dataset: Mapping[str, Any]
    method: Mapping[str, Any]
    settings: Mapping[str, Any]

    @cached_property  # used once for every cell of a table
    def key(self) -> str:
        """A digest of what the task does."""
        others = {axis: v for axis, v in self.point.items() if axis not in ("dataset", "method")}
        parts = [self.task, _content(self.dataset), _content(self.method), others, self.settings]
        return _digest(parts)

    @property
    def label(self) -> str:
        """The values of the axes, as one line of text."""
        return ", ".join(f"{axis} {value}" for axis, value in self.point.items())


def expand(study: Study, experiment: Experiment) -> Iterator[TaskSpec]:
    """Return all tasks of an experiment, in the order of its axes."""
    for values in itertools.product(*experiment.axes.values()):
        point = dict(zip(experiment.axes, values, strict=True))
        if any(
            all(matches(point.get(axis), wanted) for axis, wanted in entry.items())
            for entry in experiment.exclude
        ):
            continue
        yield TaskSpec(
            task=experiment.task,
            point=point,
            dataset=study.datasets[point["dataset"]] if "dataset" in point else {},
            method=study.methods[point["method"]] if "method" in point else {},
            settings=experiment.settings,
        )


def select_tasks(study: Study, only: Mapping[str, Iterable[Any]] | None = None) -> list[TaskSpec]:
    """Return the tasks of a study, each once; `only` selects by values of axes, as text."""
    wanted = {axis: {str(v) for v in values} for axis, values in (only or {}).items()}
    experiments = study.experiments.values()
    axes = {"experiment", *(axis for experiment in experiments for axis in experiment.axes)}
    for axis, values in wanted.items():
        if axis not in axes:
            raise StudyError(
                f"No experiment has an axis {axis!r}; there are {', '.join(sorted(axes))}."
            )
        known = {str(v) for experiment in experiments for v in experiment.axes.get(axis, ())}
        known |= set(study.experiments) if axis == "experiment" else set()
        if unknown := values - known:
            raise StudyError(
                f"{axis} has no value {sorted(unknown)[0]!r}; there are {', '.join(sorted(known))}."
            )
    found: dict[str, TaskSpec] = {}
    for experiment in experiments:
        for task in expand(study, experiment):
            point = {**task.point, "experiment": experiment.name}
            if all(axis not in point or str(point[axis]) in wanted[axis] for axis in wanted):
                found.setdefault(task.key, task)
    return list(found.values())


def matches(value: Any, wanted: Any) -> bool:
    """Whether a value is the wanted one, or one of them."""
    return value in wanted if isinstance(wanted, list | tuple) else value == wanted


def dataset_key(definition: Mapping[str, Any]) -> str:
    """A digest of the definition of a dataset."""
    return _digest(_content(definition))


def _content(definition: Mapping[str, Any]) -> dict[str, Any]:
    """A definition without what is only shown."""
    return {name: value for name, value in definition.items() if name not in ("title", "note")}


def _digest(content: Any) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
