"""What a task gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mixedwood._random import STUDY, spawn_seed
from mixedwood.comparison.run import Problem
from mixedwood.study.definition import StudyError
from mixedwood.study.making import make

__all__ = ["Figures", "Work"]

Figures = dict[str, float | list[float]]


@dataclass(frozen=True, eq=False)
class Work:
    """One point of a run: the values of its axes, its settings, its data and its method."""

    at: Mapping[str, Any]
    settings: Mapping[str, Any]
    method: Mapping[str, Any] = field(default_factory=dict)
    problem: Problem | None = None

    def value(self, name: str, default: Any = None) -> Any:
        """Give the value of an axis or a setting."""
        return self.at.get(name, self.settings.get(name, default))

    def seed(self, *numbers: int) -> int:
        """Make a seed of the repetition and some numbers; the same for all methods."""
        key = (int(self.at.get("repetition", 0)), *numbers)
        return spawn_seed(int(self.settings.get("seed", 0)), STUDY, *key)

    def model(self, seed: int) -> Any:
        """Make the method, with a seed where it takes one and has none."""
        model = make(self.method, random_state=seed)
        unseeded = {
            name: seed
            for name, value in model.get_params(deep=True).items()
            if name.rpartition("__")[2] == "random_state" and value is None
        }
        return model.set_params(**unseeded)

    @property
    def data(self) -> Problem:
        """The data set."""
        if self.problem is None:
            raise StudyError("This task needs a data set: the run has no axis 'set'.")
        return self.problem
