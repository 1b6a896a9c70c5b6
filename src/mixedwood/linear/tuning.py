"""The weight of the losses, chosen on rows that were held out."""

from __future__ import annotations

import numpy as np

from mixedwood._folds import hold_out_per_class
from mixedwood._limits import NO_DEADLINE, Deadline, TimeLimitError
from mixedwood.data import Table, Target
from mixedwood.linear.machine import SvmSettings, fit_planes, learn_features

__all__ = ["GRID", "tune_c"]

GRID = tuple(2.0**power for power in range(-6, 7, 2))
_FEWEST_ROWS = 10


def _a_third(n_rows: int) -> int:
    """A third of a class; a class of a single row is not held out."""
    return min((n_rows + 1) // 3, max(n_rows - 1, 0))


def tune_c(
    table: Table,
    target: Target,
    settings: SvmSettings,
    *,
    seed: int = 0,
    choice_seed: int | None = None,
    deadline: Deadline = NO_DEADLINE,
) -> tuple[float, bool]:
    """Choose C from 2^-6, 2^-4, ..., 2^6 by the errors on a third of the rows.

    The machines learn from the other two thirds. Of equal errors the smaller C wins. 1 with fewer
    than ten rows, or when less than two classes have rows on both sides. Also says whether all of
    them were tried; when the deadline comes, it is the best so far. `seed` draws the landmarks and,
    unless there is a `choice_seed`, the rows that are held out.

    Examples
    --------
    >>> from mixedwood.data import read_table, read_target
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=60)
    >>> tune_c(read_table({"x": x}), read_target((x + rng.normal(size=60) > 0)), SvmSettings())
    (0.25, True)
    """
    if target.n_rows < _FEWEST_ROWS:
        return 1.0, True
    out = hold_out_per_class(target.codes, _a_third, seed if choice_seed is None else choice_seed)
    if len(np.intersect1d(target.codes[out], target.codes[~out])) < 2:
        return 1.0, True
    held, kept = target.take(out), target.take(~out)
    best, fewest = 1.0, np.inf
    try:
        features, matrix = learn_features(
            table.take(~out), kept, settings, seed=seed, deadline=deadline
        )
        asked = features.matrix(table.take(out))
        starts = None
        for c in GRID:
            machines = fit_planes(
                features, matrix, kept, settings, c=c, deadline=deadline, starts=starts
            )
            if machines.timed_out.any():
                return best, False
            starts = machines.z
            wrong = machines.pairing.winners(machines.decide_matrix(asked)) != held.codes
            errors = float(wrong.sum() if held.weights is None else held.weights[wrong].sum())
            if errors < fewest:
                best, fewest = c, errors
    except TimeLimitError:
        return best, False
    return best, True
