"""The best grouping of the values of a nominal column."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mixedwood import _core
from mixedwood._limits import read_time_limit
from mixedwood._parts import Criterion, Partitioner, read_criterion
from mixedwood._random import RandomState, seed_of
from mixedwood.splits.counts import read_class_costs, read_counts

_MAX_SHOWN = 6  # values of a group in a printed partition


@dataclass(frozen=True, eq=False)
class Partition:
    """A grouping of the values of a nominal column, and its score.

    Attributes
    ----------
    group : ndarray of int32, one per row of the counts
        0 for the left group, 1 for the right one (more with "multiway" and "c45_groups");
        -1 for values without weight, which belong to no group. The first value that has weight
        is always in group 0.
    n_groups : int
        2 for a split; 1 if fewer than two values have weight, so that there is no split.
    score : float
        The score by the criterion; higher is better.
    impurity : float
        Weighted mean impurity of the groups (Gini, or entropy in bits for "entropy" and
        "gain_ratio").
    impurity_before : float
        Impurity of all values together.
    exact : bool
        Whether it is proven to be the best of all two-way partitions (up to rounding). False for
        "multiway", which does not search.
    complete : bool
        Whether the search was completed within the time limit.
    bound : float or None
        Upper bound of the score of any partition, if the search has proven one.
    partitioner : str
        The partitioner that found it; with ``"auto"``, the one that was chosen.
    superclass : tuple of int or None
        The classes of a superclass, if the values were ordered by its probability.
    names : tuple or None
        Labels of the values, if they were given or the counts have an index.
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
        """Row numbers of the second group; empty if there is no split."""
        if self.n_groups > 2:
            raise ValueError(
                f"A partition into {self.n_groups} groups has no right side. Use groups instead."
            )
        return self.groups[1] if self.n_groups == 2 else ()

    @property
    def is_split(self) -> bool:
        """Whether there are at least two groups."""
        return self.n_groups > 1

    def labels(self, names: Sequence[Any] | None = None) -> tuple[tuple[Any, ...], ...]:
        """Return the groups by label: the labels given, or those of the counts."""
        known = self.names if names is None else names
        if known is None:
            raise ValueError("The values have no labels. Pass names, one for each value.")
        if len(known) != len(self.group):
            raise ValueError(f"names must have length {len(self.group)}. Got {len(known)} instead.")
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
    text = ", ".join(map(str, members[:_MAX_SHOWN]))
    more = len(members) - _MAX_SHOWN
    return "{" + text + (f", ... {more} more" if more > 0 else "") + "}"


def best_partition(
    counts: ArrayLike,
    criterion: str | Criterion = "gini",
    partitioner: str | Partitioner = "auto",
    *,
    names: Sequence[Any] | None = None,
    cost_matrix: ArrayLike | None = None,
    random_state: RandomState = None,
    time_limit: float | None = None,
) -> Partition:
    """Find the best grouping of the values of one nominal column.

    Parameters
    ----------
    counts : array-like of shape (n_values, n_classes)
        Counts or weights of each value in each class, zero or more. Values and classes without
        weight are ignored. If it is a pandas frame, such as the result of ``pd.crosstab``, its
        index gives the names of the values.
    criterion : str or Criterion, default="gini"
        How groupings are scored; :func:`criteria` lists the names.
    partitioner : str or Partitioner, default="auto"
        How groupings are searched; :func:`partitioners` lists the names. ``"auto"`` is exact
        where that is affordable; the result names the search that was used.
    names : sequence, optional
        Labels of the values, for printing and ``labels()``.
    cost_matrix : array-like of shape (n_classes, n_classes), optional
        Symmetric misclassification costs, for "gini" and "squared_gini".
    random_state : int, Generator, RandomState or None
        Seed of the random searches and of "max_cut_sdp"; the others do not use it.
    time_limit : float, optional
        Time limit in seconds. A search that is cut short returns the best partition found so
        far, with ``complete=False``.

    Returns
    -------
    Partition
        Groups, score, impurity, and whether it is proven best.

    Raises
    ------
    ValueError
        If the counts are invalid, if parts are unknown or do not fit together, or if the table is
        too large for the search.
    TimeoutError
        If the time limit is reached before any partition was scored.

    Notes
    -----
    Ties: values with equal keys keep their order, and of equal scores the first is chosen.

    Examples
    --------
    >>> import mixedwood as mw
    >>> counts = [[10, 2, 3], [1, 8, 6], [4, 4, 9], [7, 7, 1]]
    >>> partition = mw.splits.best_partition(counts)
    >>> print(partition)
    {0, 3} | {1, 2}
    >>> partition.exact, round(partition.score, 8)
    (True, 0.07156824)
    """
    matrix, index = read_counts(counts)
    if names is not None and len(names) != len(matrix):
        raise ValueError(f"names must have length {len(matrix)}. Got {len(names)} instead.")
    name, custom = read_criterion(criterion)
    search = Partitioner.read(partitioner)
    found = _core.best_split(
        matrix,
        name,
        custom,
        search.native(),
        read_class_costs(cost_matrix, matrix.shape[1]),
        seed_of(random_state),
        False,
        read_time_limit(time_limit),
    )
    return _make_partition(found, search.name, index if names is None else tuple(names))


def score_partition(
    counts: ArrayLike,
    groups: Sequence[Iterable[int]],
    criterion: str | Criterion = "gini",
    *,
    cost_matrix: ArrayLike | None = None,
) -> Partition:
    """Score a given grouping.

    Parameters
    ----------
    counts : array-like of shape (n_values, n_classes)
        Counts or weights of each value in each class.
    groups : sequence of iterables of int
        Row numbers of the values of each group. Every value that has weight must be in exactly
        one group.
    criterion : str or Criterion, default="gini"
        How the grouping is scored.
    cost_matrix : array-like of shape (n_classes, n_classes), optional
        Symmetric misclassification costs, for "gini" and "squared_gini".

    Returns
    -------
    Partition
        The groups with the criterion's score.

    Examples
    --------
    >>> import mixedwood as mw
    >>> counts = [[10, 2, 3], [1, 8, 6], [4, 4, 9], [7, 7, 1]]
    >>> round(mw.splits.score_partition(counts, [{0}, {1, 2, 3}], "twoing").score, 8)
    0.03103298
    """
    matrix, names = read_counts(counts)
    name, custom = read_criterion(criterion)
    group = np.full(len(matrix), -1, dtype=np.int32)
    rows = f"Groups must have row numbers from 0 to {len(matrix) - 1}."
    for g, members in enumerate(groups):
        for member in members:
            try:
                value = operator.index(member)
            except TypeError:
                raise TypeError(f"{rows} Got {member!r} in group {g} instead.") from None
            if not 0 <= value < len(matrix):
                raise ValueError(f"{rows} Got {value} in group {g} instead.")
            if group[value] >= 0:
                raise ValueError(f"Value {value} is in group {group[value]} and in group {g}.")
            group[value] = g
    found = _core.score_grouping(
        matrix, group, name, custom, read_class_costs(cost_matrix, matrix.shape[1]), False
    )
    return _make_partition(found, "given", names)


def _make_partition(
    found: dict[str, Any], partitioner: str, names: tuple[Any, ...] | None
) -> Partition:
    """Convert a result of the core."""
    bound = found["bound"]
    return Partition(
        group=found["group"],
        n_groups=found["n_groups"],
        score=found["score"],
        impurity=found["impurity"],
        impurity_before=found["impurity_before"],
        exact=found["exact"],
        complete=found["complete"],
        bound=None if math.isnan(bound) else bound,
        partitioner=found["partitioner"] or partitioner,
        superclass=tuple(found["superclass"].tolist()) or None,
        names=names,
    )
