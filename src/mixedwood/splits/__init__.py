"""Split one nominal column, given the counts of its values in each class.

Everything here works on a table of counts or weights: one row per value of the column, one
column per class. :func:`best_partition` finds the best grouping of the values, composed of a
criterion (how good is a grouping) and a partitioner (which groupings are tried).
"""

from mixedwood.parts import (
    Acceptor,
    Criterion,
    Partitioner,
    acceptors,
    criteria,
    partitioners,
)
from mixedwood.splits.counting import count_values
from mixedwood.splits.partition import Partition
from mixedwood.splits.search import best_partition, score_partition
from mixedwood.splits.significance import (
    Significance,
    chi2_test,
    conditional_inference_test,
    log_chi2_tail,
)
from mixedwood.splits.threshold import Threshold, best_threshold

__all__ = [
    "Acceptor",
    "Criterion",
    "Partition",
    "Partitioner",
    "Significance",
    "Threshold",
    "acceptors",
    "best_partition",
    "best_threshold",
    "chi2_test",
    "conditional_inference_test",
    "count_values",
    "criteria",
    "log_chi2_tail",
    "partitioners",
    "score_partition",
]
