"""Typed tables: any frame in, arrays of codes and numbers out, and the schema that explains them.

Start with `read_table`, and read new data with `read_table_as`; `read_target` reads the labels.
"""

from mixedwood.data.reading import read_table, read_table_as
from mixedwood.data.schema import Column, ColumnKind, Schema
from mixedwood.data.table import MISSING, UNSEEN, Table, identifier_columns, unseen_counts
from mixedwood.data.target import Target, check_same_length, read_target, rows_with_weight

__all__ = [
    "MISSING",
    "UNSEEN",
    "Column",
    "ColumnKind",
    "Schema",
    "Table",
    "Target",
    "check_same_length",
    "identifier_columns",
    "read_table",
    "read_table_as",
    "read_target",
    "rows_with_weight",
    "unseen_counts",
]
