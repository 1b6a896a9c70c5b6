"""Split one nominal column, given the counts of its values in each class.

Everything here works on a table of counts or weights: one row per value of the column, one
column per class. :func:`best_partition` finds the best grouping of the values, composed of a
criterion (how good is a grouping) and a partitioner (which groupings are tried).
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
