"""Comparing methods on the same folds of one or more datasets, with significance tests.

Start with `compare`, which is also `mixedwood.compare`. `methods`, `cv_schemes` and `metrics` list
the names that it accepts.
"""

from mixedwood._folds import CrossValidation, Fold, check_cv, cv_schemes
from mixedwood.comparison.compare import compare
from mixedwood.comparison.methods import encoded, methods
from mixedwood.comparison.metrics import metrics
from mixedwood.comparison.pairwise import PairwiseTest
from mixedwood.comparison.result import Comparison, DatasetInfo, Failure, MethodWarning

__all__ = [
    "Comparison",
    "CrossValidation",
    "DatasetInfo",
    "Failure",
    "Fold",
    "MethodWarning",
    "PairwiseTest",
    "check_cv",
    "compare",
    "cv_schemes",
    "encoded",
    "methods",
    "metrics",
]
