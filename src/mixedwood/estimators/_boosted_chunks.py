"""Fitting boosted trees to a table in pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor

from mixedwood._limits import Deadline, read_time_limit
from mixedwood._parallel import show_progress
from mixedwood._random import seed_of
from mixedwood.boosting import Huber, Quantile, read_validation
from mixedwood.boosting.chunked import SpooledRounds, bytes_per_row
from mixedwood.boosting.gradient import ValidationRows, boost
from mixedwood.data import Chunks, Schema, Target, read_cost_matrix
from mixedwood.data.monotonic import check_monotonic
from mixedwood.data.row_pieces import RowPieces, SpooledRows
from mixedwood.data.spool import Spool
from mixedwood.estimators._conformal import set_scores
from mixedwood.tree import Predictor, TreeBuilder

if TYPE_CHECKING:
    from mixedwood.estimators.boosted import GradientBoosting

__all__ = ["fit_boosted_chunks"]

_MAX_BINS = 1024


def fit_boosted_chunks(
    model: GradientBoosting,
    X: Any,
    y: str,
    sample_weight: Any = None,
    X_val: Any = None,
    y_val: Any = None,
    sample_weight_val: Any = None,
) -> tuple[dict[str, Any], Schema, Target]:
    """Fit to rows that are read in pieces; give what is learnt, the columns, and the classes."""
    deadline = Deadline.after(read_time_limit(model.time_limit))
    _check_supported(model, sample_weight)
    seed = seed_of(model.random_state)
    chunks = Chunks.of(X)
    loss, is_numeric = model._loss(), is_regressor(model)
    pieces = RowPieces(
        chunks,
        y,
        min(int(model.max_bins), chunks.max_bins if chunks is X else _MAX_BINS),
        numbers=is_numeric,
        weight=sample_weight,
        check=loss.check,
    )
    rows = pieces.look(
        class_weight=model.class_weight,
        categorical_features=model.categorical_features,
        ordinal_features=model.ordinal_features,
    )
    none = np.empty(0)
    target = Target(
        none if rows.classes is None else rows.classes,
        np.empty(0, dtype=np.int32),
        values=none if rows.classes is None else None,
    )
    costs = read_cost_matrix(getattr(model, "cost_matrix", None), target.classes)
    target = Target(target.classes, target.codes, cost_matrix=costs, values=target.values)
    if model.monotonic_cst is not None:
        check_monotonic(type(model).__name__, model.monotonic_cst, rows.schema, target)
    validation = None
    if X_val is not None:
        validation = _read_validation(model, X_val, y_val, sample_weight_val, rows, target)
    if not is_numeric and target.n_classes == 1:
        return {"_gain_importances": False, "trees_": [_single_leaf(rows)]}, rows.schema, target
    plan = model._plan(rows.n_rows, rows.schema)
    k = 1 if is_numeric or target.n_classes == 2 else target.n_classes
    with Spool(rows.n_rows, chunks.temp_folder) as spool:
        spool.check_room(bytes_per_row(rows, plan, k))
        rows.copy(spool)
        held_out = bool(model.early_stopping) and validation is None
        state = SpooledRounds(rows, spool, plan, seed, hold_out_rows=held_out)
        given = None if validation is None else ValidationRows(*validation, state)
        with show_progress(int(model.n_estimators), model.verbose, "iterations") as advance:
            predictor, losses = boost(state, int(model.n_estimators), deadline, given, advance)
    fitted = model._fitted_rounds(predictor, losses, seed, held_out)
    if not is_numeric and model.early_stopping:
        found = _probabilities(predictor, rows, state.held_out, validation)
        if len(found):
            fitted["_set_scores"] = set_scores(found)
    return fitted, rows.schema, target


def _check_supported(model: GradientBoosting, sample_weight: Any) -> None:
    """Raise an error for what needs all rows; before anything is read."""
    if sample_weight is not None and not isinstance(sample_weight, str):
        raise TypeError(
            "sample_weight must be the name of a column if the table is read in pieces. Got "
            f"{type(sample_weight).__name__} instead."
        )
    loss = model._loss()
    if isinstance(loss, Huber | Quantile):
        raise ValueError(
            f"loss={loss.name!r} needs all rows of a leaf at once, which a table in pieces does "
            "not have. Use 'squared_error', 'poisson', 'gamma' or 'tweedie', or fit to a part of "
            "the rows in memory."
        )
    if model.max_bins > _MAX_BINS:
        raise ValueError(
            f"max_bins={model.max_bins} is too large for a table in pieces. Use at most "
            f"{_MAX_BINS}."
        )
    refused = {
        "estimator": model.estimator is not None,
        "crossed_features": model.crossed_features is not None,
        "warm_start=True after a fit": bool(model.warm_start) and hasattr(model, "baseline_"),
    }
    wrong = [name for name, is_set in refused.items() if is_set]
    if wrong:
        raise ValueError(
            f"{' and '.join(wrong)} cannot be used with a table that is read in pieces. Leave "
            f"{'it' if len(wrong) == 1 else 'them'} out, or fit to a part of the rows in memory."
        )


def _read_validation(
    model: GradientBoosting, X_val: Any, y_val: Any, weight: Any, rows: SpooledRows, target: Target
) -> tuple[Any, Target]:
    """Validation rows are in memory, and get the weights of the classes."""
    if isinstance(y_val, str):
        raise TypeError(
            "X_val and y_val must be in memory: pass a table and its labels or numbers, or leave "
            "them out to hold out a fraction of the rows."
        )
    table, given = read_validation(
        X_val,
        y_val,
        rows.schema,
        target,
        sample_weight=weight,
        factors=rows.factors,
        handle_unknown=model._handle_unknown(),
    )
    model._loss().check(given, "y_val")
    return table, given


def _single_leaf(rows: SpooledRows) -> Any:
    assert rows.classes is not None
    return TreeBuilder(rows.schema, rows.classes, rows.class_weights).build()


def _probabilities(
    predictor: Predictor,
    rows: SpooledRows,
    held_out: NDArray[np.bool_] | None,
    validation: tuple[Any, Target] | None,
) -> NDArray[np.float64]:
    """Probabilities of the classes of validation rows, for prediction sets."""
    if validation is not None:
        table, truth = validation
        found = predictor.probabilities(table)[np.arange(truth.n_rows), truth.codes]
        return found if truth.weights is None else found[truth.weights > 0]
    assert held_out is not None
    parts = [
        predictor.probabilities(table)[np.arange(table.n_rows), codes]
        for table, codes in rows.held_out_rows(held_out)
    ]
    return np.concatenate(parts) if parts else np.empty(0)
