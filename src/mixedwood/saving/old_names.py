"""Names in model files of version 1, and the names of today."""

from __future__ import annotations

__all__ = ["ARRAYS"]

ARRAYS = {
    "kind": "split_kind",
    "value_offset": "category_offset",
    "value_code": "category_code",
    "value_child": "category_child",
    "term_value": "term_category",
    "unseen_child": "unknown_child",
    "weight": "weighted_n_node_samples",
    "counts": "statistics",
}
"""Arrays of trees."""
