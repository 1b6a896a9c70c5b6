"""Boosting: trees grown one after the other, each on the errors of those before it."""

from mixedwood.boosting.adaboost import AdaBoostPlan, adaboost
from mixedwood.boosting.gradient import (
    GradientPlan,
    gradient_boost,
    link_of,
    read_validation,
)
from mixedwood.boosting.losses import (
    NUMBER_LOSSES,
    Huber,
    LogLoss,
    Loss,
    Quantile,
    number_loss,
    probabilities,
)
from mixedwood.boosting.stacking import mixture_loss, mixture_weights, stacking_weights
from mixedwood.boosting.tuning import ClassScore, NumberScore, Race, TuningResult, count_folds

__all__ = [
    "NUMBER_LOSSES",
    "AdaBoostPlan",
    "ClassScore",
    "GradientPlan",
    "Huber",
    "LogLoss",
    "Loss",
    "NumberScore",
    "Quantile",
    "Race",
    "TuningResult",
    "adaboost",
    "count_folds",
    "gradient_boost",
    "link_of",
    "mixture_loss",
    "mixture_weights",
    "number_loss",
    "probabilities",
    "read_validation",
    "stacking_weights",
]
