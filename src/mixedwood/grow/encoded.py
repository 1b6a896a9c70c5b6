"""Tables encoded for growing: numbers are ranked once, for any number of trees."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood.data import ColumnKind, Schema, Table

__all__ = ["KINDS", "EncodedTable", "fill"]

KINDS = {ColumnKind.NOMINAL: "c", ColumnKind.ORDINAL: "o", ColumnKind.NUMERIC: "n"}


_Settings = TypeVar("_Settings")
_SHARED: dict[tuple[type, type], list[str]] = {}  # fields of a pair of classes


def fill(native: _Settings, chosen: Any, **others: Any) -> _Settings:
    """Set the settings of the native core from the fields of a dataclass that have their names."""
    kinds = type(native), type(chosen)
    if kinds not in _SHARED:
        _SHARED[kinds] = [f.name for f in fields(chosen) if hasattr(kinds[0], f.name)]
    shared = {name: getattr(chosen, name) for name in _SHARED[kinds]}
    for name, value in (shared | others).items():
        try:
            setattr(native, name, value)
        except TypeError:
            raise ValueError(f"The {name!r} setting cannot be {value!r}.") from None
    return native


@dataclass(frozen=True)
class EncodedTable:
    """A table whose columns are codes, as the core counts them.

    `grow` accepts it in place of a table, so that the numbers are ranked only once for many trees.
    Only the table itself is pickled.
    """

    table: Table

    @cached_property
    def native(self) -> _core.EncodedTable:
        """The codes, for the native core."""
        schema = self.table.schema
        return _core.EncodedTable(
            list(self.table.arrays),
            np.array([column.n_categories for column in schema], dtype=np.int32),
            "".join(KINDS[column.kind] for column in schema),
            self.table.n_rows,
        )

    def in_order(self, ranks: dict[int, NDArray[np.int32]]) -> EncodedTable:
        """Columns of codes by their places in some order; `ranks` has one more, for missing.

        Cuts are halfway between two places: a value that no row of a node has goes to the side
        whose nearest value is nearer, as if places were numbers.
        """
        columns = [rank[self.table.arrays[place]] for place, rank in ranks.items()]
        ordered = EncodedTable(self.table)
        native = self.native.reordered(np.array(list(ranks), dtype=np.int32), columns)
        ordered.__dict__["native"] = native  # in place of the one that would be made
        return ordered

    def select(self, columns: NDArray[np.int32]) -> EncodedTable:
        """Return the table of some of the columns."""
        table = self.table
        names = table.schema.names_generated
        schema = Schema(tuple(table.schema.columns[c].without_sources() for c in columns), names)
        some = EncodedTable(Table(schema, tuple(table.arrays[c] for c in columns)))
        places = np.ascontiguousarray(columns, dtype=np.int32)
        some.__dict__["native"] = self.native.selected(places)
        return some

    def __getstate__(self) -> dict[str, Any]:
        return {"table": self.table}
