"""Boosting: trees grown one after the other, each on the errors of those before it."""

from mixedwood.boosting.adaboost import AdaBoostPlan, adaboost
from mixedwood.boosting.gradient import GradientPlan, gradient_boost, read_validation
from mixedwood.boosting.losses import log_loss, probabilities
from mixedwood.boosting.tuning import DepthSearch, TuningGrid, TuningResult

__all__ = [
    "AdaBoostPlan",
    "DepthSearch",
    "GradientPlan",
    "TuningGrid",
    "TuningResult",
    "adaboost",
    "gradient_boost",
    "log_loss",
    "probabilities",
    "read_validation",
]
