"""Methods compared on the same folds of one or more tables, with tests of significance.

Start with `compare`, which is also `mixedwood.compare`. `methods`, `protocols` and `metrics` name
what it knows.
"""

from mixedwood.comparison.comparing import compare
from mixedwood.comparison.dividing import Fold, Protocol, protocols, read_protocol
from mixedwood.comparison.encoded import EncodedClassifier
from mixedwood.comparison.line_up import methods
from mixedwood.comparison.records import Failure, Notice, SetFacts
from mixedwood.comparison.results import Comparison
from mixedwood.comparison.scores import metrics
from mixedwood.comparison.significance import Difference

__all__ = [
    "Comparison",
    "Difference",
    "EncodedClassifier",
    "Failure",
    "Fold",
    "Notice",
    "Protocol",
    "SetFacts",
    "compare",
    "methods",
    "metrics",
    "protocols",
    "read_protocol",
]
