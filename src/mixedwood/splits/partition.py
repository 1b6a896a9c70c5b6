"""The result of a split search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST_SHOWN = 6  # values of a group in a printed partition


@dataclass(frozen=True, eq=False)
class Partition:
    """A grouping of the values of a nominal column, and how good it is.

    Attributes
    ----------
    group : ndarray of int32, one per row of the counts
        0 for the left group, 1 for the right one (more with ``partitioner="multiway"``);
        -1 for values without weight, which belong to no group. The first value that has weight
        is always in group 0.
    n_groups : int
        2 for a split; 1 when fewer than two values have weight and nothing can be split.
    score : float
        The criterion's value; more is better.
    impurity : float
        Weighted mean impurity of the groups (Gini, or entropy in bits for "entropy" and
        "gain_ratio").
    impurity_before : float
        Impurity of all values together.
    exact : bool
        Proven to be the best of all two-way partitions for the criterion (up to rounding);
        False for "multiway", which does not search.
    complete : bool
        False when the time limit cut the search short.
    bound : float or None
        No partition scores more than this, where the search has proven such a bound.
    partitioner : str
        The search that found it; with ``"auto"``, the one that was chosen.
    superclass : tuple of int or None
        The classes of one side, where the values were ordered by the share of a superclass.
    names : tuple or None
        Labels of the values, when the counts came with an index.
    """

    group: NDArray[np.int32]
    n_groups: int
    score: float
    impurity: float
    impurity_before: float
    exact: bool
    complete: bool
    bound: float | None
    partitioner: str
    superclass: tuple[int, ...] | None
    names: tuple[Any, ...] | None = None

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Row numbers of the values of each group."""
        order = np.argsort(self.group, kind="stable")
        ends = np.searchsorted(self.group[order], np.arange(self.n_groups + 1))
        return tuple(tuple(order[ends[g] : ends[g + 1]].tolist()) for g in range(self.n_groups))

    @property
    def left(self) -> tuple[int, ...]:
        """Row numbers of the first group."""
        return self.groups[0] if self.n_groups else ()

    @property
    def right(self) -> tuple[int, ...]:
        """Row numbers of the second group; empty when nothing can be split."""
        if self.n_groups > 2:
            raise ValueError(
                f"a partition into {self.n_groups} groups has no right side; use .groups."
            )
        return self.groups[1] if self.n_groups == 2 else ()

    @property
    def is_split(self) -> bool:
        """Whether there are at least two groups."""
        return self.n_groups > 1

    def labels(self, names: Sequence[Any] | None = None) -> tuple[tuple[Any, ...], ...]:
        """Return the groups by name: the names given, or those the counts came with."""
        known = self.names if names is None else names
        if known is None:
            raise ValueError("the counts came without labels; pass the names of the values.")
        if len(known) != len(self.group):
            raise ValueError(f"{len(known)} names for {len(self.group)} values.")
        return tuple(tuple(known[i] for i in members) for members in self.groups)

    def __str__(self) -> str:
        shown = self.groups if self.names is None else self.labels()
        return " | ".join(_braces(members) for members in shown) or "no value has weight"

    def __repr__(self) -> str:
        quality = "exact" if self.exact else "not proven best"
        if not self.complete:
            quality = "cut short by the time limit"
        return (
            f"<Partition {self}: score {self.score:.6g}, impurity {self.impurity:.6g} "
            f"(before {self.impurity_before:.6g}), {self.partitioner}, {quality}>"
        )


def _braces(members: tuple[Any, ...]) -> str:
    text = ", ".join(map(str, members[:_MOST_SHOWN]))
    more = len(members) - _MOST_SHOWN
    return "{" + text + (f", ... {more} more" if more > 0 else "") + "}"
