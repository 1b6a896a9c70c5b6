"""The one shape every source delivers: typed columns, categories as codes.

Sources differ (rules, scikit-learn, files, OpenML), and so do the frames users want. Between them
stands `CodedTable`: numbers as float64 with NaN for missing, categories as int32 codes into a tuple
of labels with -1 for missing. A source fills it, a variant changes it, `frames` turns it into what
the user asked for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["nominal", "ordinal", "numeric"]
KINDS: tuple[Kind, ...] = ("nominal", "ordinal", "numeric")


@dataclass(frozen=True)
class DatasetColumn:
    """Name and type of one column, as its source declares them.

    Attributes
    ----------
    name : str
    kind : {"nominal", "ordinal", "numeric"}
    categories : tuple of str
        Of an ordinal column all labels, lowest first; of a nominal column those that occur, sorted
        as text; of a numeric column none.
    natural_order : tuple of str or None
        The labels, lowest first, if they have an order. Nominal columns may have one too: it is
        there for whoever wants to use it.
    """

    name: str
    kind: Kind
    categories: tuple[str, ...] = ()
    natural_order: tuple[str, ...] | None = None


@dataclass(frozen=True, eq=False)
class CodedTable:
    """Columns with their data and the class of every row.

    `data[j]` is float64 for a numeric column, else int32 codes into `columns[j].categories`.
    The class is never missing.
    """

    columns: tuple[DatasetColumn, ...]
    data: tuple[NDArray[Any], ...]
    classes: tuple[str, ...]
    target: NDArray[np.int32]

    @property
    def n_rows(self) -> int:
        return len(self.target)

    def class_counts(self) -> dict[str, int]:
        """Rows of each class, in the order of `classes`."""
        counts = np.bincount(self.target, minlength=len(self.classes))
        return dict(zip(self.classes, counts.tolist(), strict=True))

    def missing(self) -> NDArray[np.bool_]:
        """Tell for each row whether some cell is missing."""
        rows = np.zeros(self.n_rows, dtype=bool)
        for column, data in zip(self.columns, self.data, strict=True):
            rows |= np.isnan(data) if column.kind == "numeric" else data < 0
        return rows

    def take(self, keep: NDArray[np.bool_]) -> "CodedTable":
        """Keep the chosen rows, and only the labels that still occur."""
        columns, data = [], []
        for column, cells in zip(self.columns, self.data, strict=True):
            if column.kind != "nominal":
                columns.append(column)
                data.append(cells[keep])
                continue
            values, codes = only_used(column.categories, cells[keep])
            columns.append(replace(column, categories=values))
            data.append(codes)
        classes, target = only_used(self.classes, self.target[keep])
        return CodedTable(tuple(columns), tuple(data), classes, target)


def only_used(
    values: Sequence[str], codes: NDArray[np.int32]
) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Keep the labels that occur, sorted as text, and renumber the codes."""
    used = sorted(np.unique(codes[codes >= 0]).tolist(), key=values.__getitem__)
    # One spare place at the end: code -1 then stays -1.
    renumber = np.full(len(values) + 1, -1, dtype=np.int32)
    renumber[used] = np.arange(len(used), dtype=np.int32)
    return tuple(values[i] for i in used), renumber[codes]


def encode_labels(
    cells: Sequence[str | None], order: Sequence[str] | None = None
) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Turn labels into codes; None is missing. `order` fixes the labels, else they are sorted."""
    present = dict.fromkeys(cell for cell in cells if cell is not None)
    values = tuple(sorted(present)) if order is None else tuple(order)
    index: dict[str | None, int] = {value: code for code, value in enumerate(values)}
    index[None] = -1
    return values, np.fromiter(map(index.__getitem__, cells), dtype=np.int32, count=len(cells))


def nominal_table(
    cells: Mapping[str, Sequence[str]],
    target: Sequence[str],
    *,
    kind: Kind = "nominal",
    order: Sequence[str] | None = None,
) -> CodedTable:
    """Build a table whose columns are all categories, from labels."""
    columns, data = [], []
    for name, labels in cells.items():
        values, codes = encode_labels(labels, order)
        natural = None if order is None else tuple(order)
        columns.append(DatasetColumn(name, kind, values, natural))
        data.append(codes)
    classes, target_codes = encode_labels(target)
    return CodedTable(tuple(columns), tuple(data), classes, target_codes)


def numeric_table(
    names: Sequence[str], numbers: NDArray[np.float64], target: Sequence[str]
) -> CodedTable:
    """Build a table whose columns are all numbers, from a matrix."""
    classes, target_codes = encode_labels(target)
    columns = tuple(DatasetColumn(name, "numeric") for name in names)
    data = tuple(np.ascontiguousarray(column, dtype=np.float64) for column in numbers.T)
    return CodedTable(columns, data, classes, target_codes)
