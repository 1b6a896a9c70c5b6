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
from mixedwood.boosting.tuning import (
    DepthSearch,
    NumberResult,
    TuningGrid,
    TuningResult,
    stacking_weights,
    tune_numbers,
)

__all__ = [
    "NUMBER_LOSSES",
    "AdaBoostPlan",
    "DepthSearch",
    "GradientPlan",
    "Huber",
    "LogLoss",
    "Loss",
    "NumberResult",
    "Quantile",
    "TuningGrid",
    "TuningResult",
    "adaboost",
    "gradient_boost",
    "link_of",
    "number_loss",
    "probabilities",
    "read_validation",
    "stacking_weights",
    "tune_numbers",
]
