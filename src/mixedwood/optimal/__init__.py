"""Trees that are proven to be the best of their size: from tables to the solvers and back."""

from mixedwood.optimal.proof import Proof
from mixedwood.optimal.search import find_best_tree
from mixedwood.optimal.settings import OptimalSettings
from mixedwood.optimal.tuning import SHARE_OF_LIMITS, TriedBudget, choose_budget

__all__ = [
    "SHARE_OF_LIMITS",
    "OptimalSettings",
    "Proof",
    "TriedBudget",
    "choose_budget",
    "find_best_tree",
]
