"""Transformers: discretization, binarization, crossed columns, and random ordinal encoding."""

from mixedwood.preprocessing.binarizer import BinarySplit, FeatureBinarizer
from mixedwood.preprocessing.crosser import FeatureCrosser
from mixedwood.preprocessing.discretizers import (
    CAIMDiscretizer,
    EqualFrequencyDiscretizer,
    EqualWidthDiscretizer,
    MDLPDiscretizer,
)
from mixedwood.preprocessing.random_ordinal import RandomOrdinalEncoder

__all__ = [
    "BinarySplit",
    "CAIMDiscretizer",
    "EqualFrequencyDiscretizer",
    "EqualWidthDiscretizer",
    "FeatureBinarizer",
    "FeatureCrosser",
    "MDLPDiscretizer",
    "RandomOrdinalEncoder",
]
