"""The index of a pandas frame, which Arrow and Parquet keep among the columns.

pandas notes in the metadata which columns these are. Read back by pandas they are an index again,
so they must not become columns to learn from where another library reads the same file.
"""

from __future__ import annotations

import json

__all__ = ["METADATA_KEY", "index_columns"]

METADATA_KEY = "pandas"


def index_columns(metadata: str | bytes | None) -> frozenset[str]:
    """Name the columns that are a stored index, by the metadata under `METADATA_KEY`.

    Metadata that is not as pandas writes it names none.

    Examples
    --------
    >>> sorted(index_columns('{"index_columns": ["id", {"kind": "range"}]}'))
    ['id']
    >>> index_columns(None)
    frozenset()
    """
    try:
        listed = json.loads(metadata)["index_columns"] if metadata else []
    except (ValueError, TypeError, KeyError, RecursionError):
        return frozenset()
    # An index that only counts is described by a mapping and takes no column.
    listed = listed if isinstance(listed, list) else []
    return frozenset(name for name in listed if isinstance(name, str))
