"""Boosting: trees one after the other, each for what those before it got wrong."""

from mixedwood.boosting.adaboost import AdaBoostPlan, adaboost
from mixedwood.boosting.gradient import BoostedScores, GradientPlan, gradient_boost
from mixedwood.boosting.loss import log_loss, probabilities
from mixedwood.boosting.tuning import Choice, FollowDepth, TuningPlan, choose

__all__ = [
    "AdaBoostPlan",
    "BoostedScores",
    "Choice",
    "FollowDepth",
    "GradientPlan",
    "TuningPlan",
    "adaboost",
    "choose",
    "gradient_boost",
    "log_loss",
    "probabilities",
]
