"""Ensembles of trees: how many answers become one, and how much they differ."""

from mixedwood.ensembles.diversity import Diversity, measure_diversity, vote_margins
from mixedwood.ensembles.out_of_bag import out_of_bag_shares
from mixedwood.ensembles.votes import (
    VOTES,
    add_answers,
    add_up,
    first_of_largest,
    member_classes,
    shares_of,
    staged_shares,
)

__all__ = [
    "VOTES",
    "Diversity",
    "add_answers",
    "add_up",
    "first_of_largest",
    "measure_diversity",
    "member_classes",
    "out_of_bag_shares",
    "shares_of",
    "staged_shares",
    "vote_margins",
]
