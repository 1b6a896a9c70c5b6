"""What can be done at a point of a study: functions by name.

A task takes a `Work` and gives figures by name: numbers, or lists of numbers. A study file names
one of those below, or a function of your own as ``"module:function"``.
"""

from __future__ import annotations

from collections.abc import Callable

from mixedwood.study.definition import StudyError
from mixedwood.study.making import find
from mixedwood.study.tasks.work import Figures, Work

__all__ = ["Figures", "Work", "find_task", "tasks"]

_TASKS = {
    "cross_validation": (
        "mixedwood.study.tasks.cross_validation:cross_validation",
        "fit and test a method on the folds of one repetition",
    ),
    "divisions": (
        "mixedwood.study.tasks.divisions:divisions",
        "learn from some rows, test on others, after every number of trees",
    ),
}


def tasks() -> dict[str, str]:
    """Name the tasks that come with the library, with a line about each.

    Examples
    --------
    >>> tasks()["cross_validation"]
    'fit and test a method on the folds of one repetition'
    """
    return {name: line for name, (_, line) in _TASKS.items()}


def find_task(name: str) -> Callable[[Work], Figures]:
    """Find a task by name, or by the address of a function."""
    if name not in _TASKS and ":" not in name:
        raise StudyError(
            f"There is no task {name!r}. Use one of {', '.join(_TASKS)}, or a function of yours as "
            "'module:function'."
        )
    address = _TASKS[name][0] if name in _TASKS else name
    found: Callable[[Work], Figures] = find(address)
    return found
