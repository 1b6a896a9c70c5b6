"""Rows that a person gives to judge rounds by, beside those to learn from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Schema, Table, Target, read_table, read_target, unknown_counts

__all__ = ["check_validation_is_wanted", "class_factors", "read_validation"]

Read = TypeVar("Read")


def check_validation_is_wanted(X_val: Any, y_val: Any, early_stopping: bool) -> bool:
    """Say whether there are rows to judge by; refuse half of them, and those for nothing."""
    if (X_val is None) != (y_val is None):
        given, other = ("X_val", "y_val") if y_val is None else ("y_val", "X_val")
        raise ValueError(
            f"fit was given {given} without {other}. Pass both, the rows to judge rounds by and "
            "their classes, or none."
        )
    if X_val is not None and not early_stopping:
        raise ValueError(
            "X_val and y_val are for early stopping, but early_stopping=False. Set "
            "early_stopping=True, or leave them out; staged_predict_proba judges rounds after fit."
        )
    return X_val is not None


def read_validation(
    X_val: Any, y_val: Any, schema: Schema, target: Target, factors: NDArray[np.float64] | None,
    *, handle_unknown: str,
) -> tuple[Table, Target]:  # fmt: skip
    """Read rows to judge by as the training rows were read.

    Parameters
    ----------
    X_val, y_val
        The rows and their classes.
    schema, target
        Of the training rows.
    factors : ndarray, one per class, or None
        What a row of each class weighs.
    handle_unknown : str
        What happens to values that no training row had; only ``"error"`` refuses them.
    """
    table = _like("X", lambda: read_table(X_val, schema=schema, estimator="the model"))
    given = _like("y", lambda: read_target(y_val))
    if table.n_rows != given.n_rows:
        raise ValueError(
            "X_val and y_val must have the same number of rows; got "
            f"{table.n_rows} and {given.n_rows}."
        )
    if handle_unknown == "error" and (counts := unknown_counts(table)):
        found = ", ".join(
            f"column {column!r} ({n} row{'s' * (n > 1)})" for column, n in counts.items()
        )
        raise ValueError(
            f"Found unknown categories in X_val, {found}. Map them to categories of the training "
            "data, or use handle_unknown='stop', 'missing' or 'majority'."
        )
    place = {label: code for code, label in enumerate(target.classes.tolist())}
    unknown = [label for label in given.classes.tolist() if label not in place]
    if unknown:
        raise ValueError(
            f"y_val holds classes that y does not: {', '.join(map(repr, unknown[:5]))}. The "
            f"classes are {', '.join(map(repr, list(place)[:5]))}{', ...' * (len(place) > 5)}: "
            "leave out rows of others, or learn from some."
        )
    codes = np.array([place[label] for label in given.classes.tolist()], np.int32)[given.codes]
    weights = None if factors is None else np.ascontiguousarray(factors[codes])
    if weights is not None and not weights.any():
        raise ValueError(
            "class_weight gives every row of X_val the weight 0; give some class that it has a "
            "positive weight."
        )
    return table, Target(target.classes, codes, weights)


def _like(name: str, read: Callable[[], Read]) -> Read:
    """Read, with errors that say which of the two tables is meant."""
    try:
        return read()
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name}_val cannot be read as {name} was: {error}") from error


def class_factors(weighted: Target, plain: Target) -> NDArray[np.float64]:
    """Give what `class_weight` makes of one row of each class, from rows with it and without."""

    def total(target: Target) -> NDArray[np.float64]:
        counts = np.bincount(target.codes, target.weights, minlength=target.n_classes)
        return counts.astype(np.float64)

    without = total(plain)
    return np.asarray(np.divide(total(weighted), without, np.ones_like(without), where=without > 0))
