"""Optimal trees: from tables to the solvers and back."""

from mixedwood.optimal.problem import OptimalSettings
from mixedwood.optimal.proof import Proof
from mixedwood.optimal.solvers import find_best_tree
from mixedwood.optimal.tuning import FRACTION_OF_LIMITS, choose_size, kept_folds

__all__ = [
    "FRACTION_OF_LIMITS",
    "OptimalSettings",
    "Proof",
    "choose_size",
    "find_best_tree",
    "kept_folds",
]
