"""Typed tables: any frame in, arrays of codes and numbers out, and the schema that explains them.

Start with `read_table`, which also reads new data with a known schema; `read_target` reads the
class labels.
"""

from mixedwood.data.chunks import Chunks
from mixedwood.data.derived import cross_columns
from mixedwood.data.interactions import find_crossings
from mixedwood.data.read import read_table
from mixedwood.data.schema import (
    MISSING,
    UNKNOWN,
    Column,
    ColumnKind,
    Schema,
    Table,
    identifier_columns,
    unknown_counts,
)
from mixedwood.data.target import (
    Target,
    check_same_length,
    is_quantity,
    read_cost_matrix,
    read_numbers,
    read_target,
    rows_with_weight,
)

__all__ = [
    "MISSING",
    "UNKNOWN",
    "Chunks",
    "Column",
    "ColumnKind",
    "Schema",
    "Table",
    "Target",
    "check_same_length",
    "cross_columns",
    "find_crossings",
    "identifier_columns",
    "is_quantity",
    "read_cost_matrix",
    "read_numbers",
    "read_table",
    "read_target",
    "rows_with_weight",
    "unknown_counts",
]
