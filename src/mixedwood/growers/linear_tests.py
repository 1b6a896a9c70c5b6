"""Linear tests: planes through several columns of a node, which compete with single columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["LinearTests"]


@dataclass(frozen=True)
class LinearTests:
    """Which machines make planes at a node, and how these are compared; checked by the caller.

    Each machine is a tuple of a loss, its smoothing and the costs C to choose from, for the native
    core; or something that can be called with rows, signs and weights and returns a plane.
    """

    machines: tuple[Any, ...]
    superclasses: str = "one_vs_rest"
    max_questions: int = 10
    nominal: bool = False
    max_weights: int = 256
    best_cut: bool = False
    validated: bool = False
    n_folds: int = 1
    max_tuning_rows: int = 2000
    min_rows: float = 2

    def native(self) -> dict[str, Any]:
        """Give the settings as the native core takes them."""
        return {**self.__dict__, "machines": list(self.machines)}
