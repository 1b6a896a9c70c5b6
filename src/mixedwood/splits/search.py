"""The best grouping of the values of a nominal column."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mixedwood import _core
from mixedwood._limits import read_time_limit
from mixedwood._random import RandomState, seed_of
from mixedwood.parts import Criterion, Partitioner, read_criterion, read_partitioner
from mixedwood.splits.counting import read_costs, read_counts
from mixedwood.splits.partition import Partition


def best_partition(
    counts: ArrayLike,
    criterion: str | Criterion = "gini",
    partitioner: str | Partitioner = "auto",
    *,
    names: Sequence[Any] | None = None,
    costs: ArrayLike | None = None,
    random_state: RandomState = None,
    time_limit: float | None = None,
) -> Partition:
    """Find the best grouping of the values of one nominal column.

    Parameters
    ----------
    counts : array-like of shape (n_values, n_classes)
        Counts or weights of each value in each class, zero or more. Values and classes without
        weight are left out. A pandas frame, such as ``pd.crosstab`` makes, lends its index as
        names.
    criterion : str or Criterion, default="gini"
        How good a grouping is; :func:`criteria` lists the names.
    partitioner : str or Partitioner, default="auto"
        Which groupings are tried; :func:`partitioners` lists the names. ``"auto"`` is exact
        where that is affordable and says what it used.
    names : sequence, optional
        Labels of the values, for printing and ``labels()``.
    costs : array-like of shape (n_classes, n_classes), optional
        Symmetric misclassification costs, for "gini" and "squared_gini".
    random_state : int, Generator, RandomState or None
        For the random searches and "max_cut_sdp"; the others never use it.
    time_limit : float, optional
        Seconds. A search that is cut short returns the best partition so far, with
        ``complete=False``.

    Returns
    -------
    Partition
        Groups, score, impurity, and whether it is proven best.

    Raises
    ------
    ValueError
        Bad counts, unknown or incompatible parts, or a table beyond what a search can do.
    TimeoutError
        The time limit came before any partition was scored.

    Notes
    -----
    Ties: values with equal keys keep their order, and the first best partition met wins.

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
        raise ValueError(f"{len(names)} names for {len(matrix)} values.")
    name, custom = read_criterion(criterion)
    search = read_partitioner(partitioner)
    found = _core.best_split(
        matrix,
        name,
        custom,
        search.name,
        search._encoded(),
        read_costs(costs, matrix.shape[1]),
        seed_of(random_state),
        False,
        read_time_limit(time_limit),
    )
    return make_partition(found, index if names is None else tuple(names))


def score_partition(
    counts: ArrayLike,
    groups: Sequence[Iterable[int]],
    criterion: str | Criterion = "gini",
    *,
    costs: ArrayLike | None = None,
) -> Partition:
    """Score a grouping that you already have.

    Parameters
    ----------
    counts : array-like of shape (n_values, n_classes)
        Counts or weights of each value in each class.
    groups : sequence of iterables of int
        Row numbers of the values of each group; every value that has weight in exactly one.
    criterion : str or Criterion, default="gini"
        How good a grouping is.
    costs : array-like of shape (n_classes, n_classes), optional
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
    for g, members in enumerate(groups):
        for member in members:
            try:
                value = operator.index(member)
            except TypeError:
                raise TypeError(
                    f"group {g} holds {member!r}; groups hold row numbers, 0..{len(matrix) - 1}."
                ) from None
            if not 0 <= value < len(matrix):
                raise ValueError(f"group {g} names value {value}; values are 0..{len(matrix) - 1}.")
            if group[value] >= 0:
                raise ValueError(f"value {value} is in group {group[value]} and in group {g}.")
            group[value] = g
    found = _core.score_grouping(
        matrix, group, name, custom, read_costs(costs, matrix.shape[1]), False
    )
    found["partitioner"] = "given"
    return make_partition(found, names)


def make_partition(found: dict[str, Any], names: tuple[Any, ...] | None) -> Partition:
    """Build the public result from what the core returned."""
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
        partitioner=found["partitioner"],
        superclass=tuple(found["superclass"].tolist()) or None,
        names=names,
    )
