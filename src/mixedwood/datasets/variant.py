"""Variants of datasets that are used in papers: selected rows, other column types.

The number of rows of each variant is checked, so that a different copy of the data raises an error
instead of giving other results than the paper.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.datasets.dataset import DamagedDatasetError, DatasetColumn, Kind, RawTable, keep_used


@dataclass(frozen=True)
class Variant:
    """Changes to a dataset, applied in this order.

    Attributes
    ----------
    summary : str
        One-line description.
    rows : int
        Number of rows of the result.
    first : int or None
        Keep only this number of rows from the start.
    complete : bool
        Drop rows with missing values.
    allowed : frozenset of str or None
        Drop rows with other categories in a nominal column.
    ordinal_as : str or None
        Convert ordinal columns to this kind.
    indicators : tuple of str
        Replace these nominal columns by one 0/1 column per category.
    keep_originals : bool
        Also keep the columns of `indicators`, at the end.
    """

    summary: str
    rows: int
    first: int | None = None
    complete: bool = False
    allowed: frozenset[str] | None = None
    ordinal_as: Kind | None = None
    indicators: tuple[str, ...] = ()
    keep_originals: bool = False


_COVERTYPE = ("Wilderness_Area", "Soil_Type")

VARIANTS: Mapping[str, Mapping[str, Variant]] = {
    "adult": {
        "complete": Variant("all rows without missing cells", 45222, complete=True),
        "train-complete": Variant(
            "the rows of adult.data without missing cells", 30162, first=32561, complete=True
        ),
    },
    "balance-scale": {
        "nominal": Variant("the four columns as plain categories", 625, ordinal_as="nominal"),
        "numeric": Variant("the four columns as numbers", 625, ordinal_as="numeric"),
    },
    "breast-cancer-ljubljana": {
        "complete": Variant("the rows without missing cells", 277, complete=True),
    },
    "breast-cancer-wisconsin-original": {
        "complete": Variant("the rows without missing cells", 683, complete=True),
    },
    "covertype": {
        "binary": Variant(
            "wilderness and soil as 4 + 40 columns of 0/1", 581012, indicators=_COVERTYPE
        ),
        "aggregated": Variant(
            "the 44 columns of 0/1 and additionally wilderness and soil as one column each",
            581012,
            indicators=_COVERTYPE,
            keep_originals=True,
        ),
    },
    "credit-default": {
        "numeric": Variant("months of delay (PAY_*) as numbers", 30000, ordinal_as="numeric"),
    },
    "mushroom": {
        "complete": Variant("the rows without missing cells", 5644, complete=True),
    },
    "poker": {
        "nominal": Variant("all ten columns as plain categories", 25010, ordinal_as="nominal"),
    },
    "soybean-large": {
        "complete": Variant("the rows without missing cells; 15 classes", 562, complete=True),
    },
    "splice": {
        "unambiguous": Variant(
            "without the 15 rows that contain a letter other than A, C, G, T",
            3175,
            allowed=frozenset("ACGT"),
        ),
    },
}


def find_variant(name: str, variant: str) -> Variant:
    """Find a variant by name."""
    known = VARIANTS.get(name, {})
    if variant in known:
        return known[variant]
    choices = "; ".join(f"{key!r} ({value.summary})" for key, value in known.items())
    accepted = f"Use one of {choices}." if choices else "It has no variants."
    raise ValueError(f"Dataset {name!r} has no variant {variant!r}. {accepted}")


def apply_variant(table: RawTable, variant: Variant) -> RawTable:
    """Apply a variant to a table, and check the number of rows."""
    keep = np.ones(table.n_rows, dtype=bool)
    if variant.first is not None:
        keep[variant.first :] = False
    if variant.complete:
        keep &= ~table.missing()
    if variant.allowed is not None:
        keep &= _only_allowed(table, variant.allowed)
    if (n_kept := int(keep.sum())) != variant.rows:
        raise DamagedDatasetError(
            f"The variant ({variant.summary}) should have {variant.rows} rows, but this copy of "
            f"the data gives {n_kept}: its rows, or their order, differ from the original."
        )
    if not keep.all():
        table = table.take(keep)
    if variant.ordinal_as is not None:
        table = _retype_ordinal(table, variant.ordinal_as)
    if variant.indicators:
        table = _with_indicators(table, variant.indicators, variant.keep_originals)
    return table


def _only_allowed(table: RawTable, allowed: frozenset[str]) -> NDArray[np.bool_]:
    keep = np.ones(table.n_rows, dtype=bool)
    for column, codes in zip(table.columns, table.data, strict=True):
        if column.kind == "nominal":
            # The additional last element is for code -1: missing values are allowed.
            keep &= np.array([*(value in allowed for value in column.categories), True])[codes]
    return keep


def _retype_ordinal(table: RawTable, kind: Kind) -> RawTable:
    columns, data = [], []
    for column, cells in zip(table.columns, table.data, strict=True):
        if column.kind != "ordinal":
            columns.append(column)
            data.append(cells)
        elif kind == "numeric":
            columns.append(DatasetColumn(column.name, "numeric"))
            data.append(np.array([*map(float, column.categories), np.nan])[cells])
        else:
            values, codes = keep_used(column.categories, cells)
            columns.append(replace(column, kind=kind, categories=values))
            data.append(codes)
    return replace(table, columns=tuple(columns), data=tuple(data))


def _with_indicators(table: RawTable, names: tuple[str, ...], keep: bool) -> RawTable:
    columns: list[DatasetColumn] = []
    data: list[NDArray[Any]] = []
    originals: list[tuple[DatasetColumn, NDArray[Any]]] = []
    for column, cells in zip(table.columns, table.data, strict=True):
        if column.name not in names:
            columns.append(column)
            data.append(cells)
            continue
        originals.append((column, cells))
        for code, value in enumerate(column.categories):
            columns.append(DatasetColumn(f"{column.name}={value}", "nominal", ("0", "1")))
            data.append(np.where(cells < 0, -1, cells == code).astype(np.int32))
    for column, cells in originals if keep else []:
        columns.append(column)
        data.append(cells)
    return replace(table, columns=tuple(columns), data=tuple(data))
