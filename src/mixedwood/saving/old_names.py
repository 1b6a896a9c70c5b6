"""Names in model files of version 1, and the names of today."""

from __future__ import annotations

__all__ = ["ARRAYS"]

ARRAYS = {
    "kind": "split_kind",
    "category_offset": "category_offset",
    "category_code": "category_code",
    "category_child": "category_child",
    "term_category": "term_category",
    "unknown_child": "unknown_child",
    "weight": "weighted_n_node_samples",
    "counts": "statistics",
}
"""Arrays of trees."""
