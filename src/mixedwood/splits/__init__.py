"""Best splits of single columns, and tests of independence.

Functions take a table of counts or weights: one row per value of a nominal column, one column per
class. :func:`best_partition` searches for the best grouping of the values by a criterion, which
scores a grouping, and a partitioner, which determines the groupings that are scored.
"""

from mixedwood._parts import (
    Criterion,
    Partitioner,
    Screener,
    criteria,
    partitioners,
    screeners,
)
from mixedwood.splits.counts import count_values
from mixedwood.splits.partition import Partition, best_partition, score_partition
from mixedwood.splits.significance import (
    Significance,
    chi2_test,
    conditional_inference_test,
)
from mixedwood.splits.threshold import Threshold, best_threshold

__all__ = [
    "Criterion",
    "Partition",
    "Partitioner",
    "Screener",
    "Significance",
    "Threshold",
    "best_partition",
    "best_threshold",
    "chi2_test",
    "conditional_inference_test",
    "count_values",
    "criteria",
    "partitioners",
    "score_partition",
    "screeners",
]
