"""The rounds that a warm start of boosting goes on with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mixedwood.boosting import BoostedScores
from mixedwood.data import Table, Target
from mixedwood.estimators.boosting_parameters import BoostingParameters

if TYPE_CHECKING:
    from mixedwood.estimators.boosted import BoostedTreesClassifier

__all__ = ["rounds_before"]


def rounds_before(
    model: BoostedTreesClassifier,
    table: Table,
    target: Target,
    parameters: BoostingParameters,
    held_out: bool,
) -> tuple[BoostedScores | None, NDArray[np.float64] | None, int]:
    """The model to go on with, what it says about the rows, and its seed."""
    if not model.warm_start or not hasattr(model, "scores_"):
        return None, None, parameters.seed
    n_there = len(model.scores_.rounds)
    if parameters.n_rounds < n_there:
        raise ValueError(
            f"n_estimators={parameters.n_rounds} must be larger or equal to the {n_there} "
            "rounds that are there when warm_start=True. Set warm_start=False to begin anew."
        )
    if table.schema != model.schema_ or not np.array_equal(target.classes, model.classes_):
        raise ValueError(
            "warm_start adds rounds to those that are there, but the columns, their values or "
            "the classes are others than before. Fit the same table, or set warm_start=False."
        )
    # Files of models from before there was X_val do not say it.
    if held_out != getattr(model, "_held_out", hasattr(model, "validation_loss_")):
        here = f"early_stopping={model.early_stopping!r}"
        own = " with X_val" if parameters.early_stopping and not held_out else ""
        raise ValueError(
            "warm_start goes on with the rows that the rounds so far have learnt from, but "
            f"{here}{own} is not what they were grown with: a share of the rows was held out "
            "then or would be now. Leave it as it was, or set warm_start=False to begin anew."
        )
    copied = BoostedScores(
        model.scores_.start,
        list(model.scores_.trees),
        list(model.scores_.steps),
        list(model.scores_.first_output),
        list(model.scores_.rounds),
        model.scores_.validation_loss[:n_there] if held_out else [],
    )
    return copied, model._raw(table), model._seed
