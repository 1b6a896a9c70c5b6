"""Rows that boosting does not learn from, to be judged by."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mixedwood._random import VALIDATION, spawn
from mixedwood.data import Target

__all__ = ["hold_out"]


def hold_out(target: Target, fraction: float, seed: int) -> NDArray[np.bool_]:
    """Mark a share of the rows of each class; one row of each class is left to learn from.

    At least one row is marked, unless every class has a single row. Rows of weight 0 never are.

    Examples
    --------
    >>> from mixedwood.data import read_target
    >>> held_out = hold_out(read_target(list("aaaaaaaabbbb")), 0.25, seed=0)
    >>> int(held_out[:8].sum()), int(held_out[8:].sum())
    (2, 1)
    """
    rows = np.arange(target.n_rows)
    if target.weights is not None:
        rows = np.flatnonzero(target.weights)
    rng = spawn(seed, VALIDATION)
    shuffled = rng.permutation(rows)
    by_class = shuffled[np.argsort(target.codes[shuffled], kind="stable")]
    n = max(1, min(round(fraction * len(rows)), len(rows) - 1))
    # Evenly over rows that are sorted by class.
    marked = np.zeros(len(rows), dtype=bool)
    marked[(2 * np.arange(n) + 1) * len(rows) // (2 * n)] = True
    # A class of which nothing is left is never learnt, and its loss would drown all others.
    _, first, sizes = np.unique(target.codes[by_class], return_index=True, return_counts=True)
    n_marked = np.add.reduceat(marked, first, dtype=np.intp)
    marked[first[n_marked == sizes]] = False
    if not marked.any() and sizes.max() > 1:
        marked[first[np.argmax(sizes)]] = True
    held_out = np.zeros(target.n_rows, dtype=bool)
    held_out[by_class[marked]] = True
    return held_out
