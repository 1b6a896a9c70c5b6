"""What a search has proven."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

__all__ = ["STATUSES", "Proof"]

STATUSES = (
    "optimal",
    "no_tree",
    "time_limit",
    "work_limit",
    "memory_limit",
    "interrupted",
    "rounding",
)


@dataclass(frozen=True)
class Proof:
    """What is known of a tree, in the unit of the weights.

    Attributes
    ----------
    status : {"optimal", "no_tree", "time_limit", "work_limit", "memory_limit", "interrupted", \
            "rounding"}
        How the search ended; the last if weights are too different to be added up exactly.
    cost : float
        Weight of the rows that the tree gets wrong, and the cost of its leaves.
    lower_bound : float
        No tree of the same budget costs less.
    n_explored : int
        Sets of rows for which a tree was sought.
    n_cached : int
        Sets of rows remembered at the end.
    cache_bytes : int
        Memory they take; 0 where it is not counted.
    seconds : float
        Time of the search; NaN of a model that was loaded from a file, which holds no times.
    trace : tuple of (float, float)
        After how many seconds each better tree was found, and what it costs, where that is kept;
        model files do not.

    Examples
    --------
    >>> Proof("time_limit", 10.0, 8.0, 5, 3, 100, 0.1, ()).gap
    0.2
    """

    status: str
    cost: float
    lower_bound: float
    n_explored: int
    n_cached: int
    cache_bytes: int
    seconds: float = nan
    trace: tuple[tuple[float, float], ...] = ()

    @property
    def optimal(self) -> bool:
        """Whether the tree is proven to be the best."""
        return self.status == "optimal"

    @property
    def gap(self) -> float:
        """Share of the cost that better trees might save; 0 if the tree is the best."""
        return (self.cost - self.lower_bound) / self.cost if self.cost > 0 else 0.0
