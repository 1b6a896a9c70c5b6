"""Monotonic constraints on columns: read from what a user gives, and checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import errors
from mixedwood.data.schema import ColumnKind, Schema
from mixedwood.data.target import Target

__all__ = ["check_monotonic", "monotonic_signs"]


def monotonic_signs(monotonic_cst: Any, schema: Schema) -> NDArray[np.int8]:
    """Give 1, -1 or 0 for each column of a schema, which may have a part of the columns.

    Examples
    --------
    >>> from mixedwood.data import Column
    >>> schema = Schema((Column("a", "numeric"), Column("b", "numeric")))
    >>> monotonic_signs({"b": -1, "c": 1}, schema).tolist()
    [0, -1]
    """
    if monotonic_cst is None:
        return np.zeros(0, dtype=np.int8)
    if isinstance(monotonic_cst, Mapping):
        signs = [monotonic_cst.get(column.name, 0) for column in schema]
    else:
        given = np.asarray(monotonic_cst).tolist()
        signs = [*given, *[0] * (len(schema) - len(given))]  # none for crossed columns
    return np.array(signs, dtype=np.int8)


def check_monotonic(owner: str, monotonic_cst: Any, schema: Schema, target: Target) -> None:
    """Raise an error if constraints do not fit the columns, or the target has more classes."""
    inputs = schema.inputs
    if isinstance(monotonic_cst, Mapping):
        unknown = [name for name in monotonic_cst if name not in inputs.names]
        if unknown:
            raise ValueError(
                f"The 'monotonic_cst' parameter of {owner} names columns that X does not have: "
                f"{errors.few(unknown, 5)}. The columns are {errors.few(list(inputs.names), 10)}."
            )
    elif len(monotonic_cst) != len(inputs):
        raise ValueError(
            f"The 'monotonic_cst' parameter of {owner} has {len(monotonic_cst)} entries, but X has "
            f"{len(inputs)} columns. Pass one entry for each column, or a dict by column name."
        )
    signs = monotonic_signs(monotonic_cst, schema)
    constrained = [column for column, sign in zip(schema, signs, strict=True) if sign]
    for column in constrained:
        if column.kind is ColumnKind.NOMINAL:
            raise ValueError(
                f"The 'monotonic_cst' parameter of {owner} constrains {column.name!r}, a nominal "
                "column, whose categories have no order. State their order in ordinal_features, or "
                "leave the column out."
            )
    names = {column.name for column in constrained}
    for column in schema:
        both = names.intersection(column.sources)
        if both:
            raise ValueError(
                f"The crossed column {column.name!r} combines {errors.few(sorted(both), 5)} in no "
                "order, which 'monotonic_cst' constrains. Leave it out of crossed_features."
            )
    if not target.is_numeric and constrained and target.n_classes > 2:
        raise ValueError(
            f"The 'monotonic_cst' parameter of {owner} needs two classes, so that the probability "
            f"of the second one rises or falls. y has {target.n_classes} classes."
        )
