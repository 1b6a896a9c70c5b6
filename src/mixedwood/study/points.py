"""A run, spread out: every point of its grid is a task with a key of its own.

The key is made of what is done, and of nothing else: two runs, or two studies, that do the same
share its result; a changed setting makes a new task.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mixedwood.study.definition import Run, Study

__all__ = ["Point", "agrees", "points", "set_key"]


@dataclass(frozen=True)
class Point:
    """One thing to do.

    `at` has the value of each axis. `set` and `method` are definitions, empty if the run has no
    such axis; `settings` those of the run.
    """

    task: str
    at: Mapping[str, Any]
    set: Mapping[str, Any]
    method: Mapping[str, Any]
    settings: Mapping[str, Any]

    @cached_property
    def key(self) -> str:
        """Name it by what is done."""
        others = {axis: v for axis, v in self.at.items() if axis not in ("set", "method")}
        return _digest([self.task, _bare(self.set), _bare(self.method), others, self.settings])

    @property
    def words(self) -> str:
        """Show it in a line."""
        return ", ".join(f"{axis} {value}" for axis, value in self.at.items())


def points(study: Study, run: Run) -> Iterator[Point]:
    """Give all points of a run, in the order of its axes."""
    for values in itertools.product(*run.axes.values()):
        at = dict(zip(run.axes, values, strict=True))
        if any(all(agrees(at.get(k), v) for k, v in words.items()) for words in run.leave_out):
            continue
        yield Point(
            task=run.task,
            at=at,
            set=study.sets[at["set"]] if "set" in at else {},
            method=study.methods[at["method"]] if "method" in at else {},
            settings=run.settings,
        )


def agrees(value: Any, wanted: Any) -> bool:
    """Whether a value is the wanted one, or one of them."""
    return value in wanted if isinstance(wanted, list | tuple) else value == wanted


def set_key(definition: Mapping[str, Any]) -> str:
    """Name a data set by its definition."""
    return _digest(_bare(definition))


def _bare(definition: Mapping[str, Any]) -> dict[str, Any]:
    """A definition without what only a reader needs."""
    return {name: value for name, value in definition.items() if name not in ("title", "note")}


def _digest(content: Any) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
